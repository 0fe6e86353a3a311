"""Exponentially weighted means, as pandas has them, made of recurrences: ewm.py FILE smooths the flow of the Nile."""

import sys

import numpy as np

import mmscan


def ewm_mean(x, alpha, adjust=True):
    """As `pandas.Series.ewm(alpha=alpha, adjust=adjust, ignore_na=False).mean()`, along the last axis of floats."""
    x = np.asarray(x, np.float64)
    is_seen = ~np.isnan(x)
    if not adjust:
        return _without_adjustment(x, is_seen, alpha)
    sums = mmscan.recurrence(1 - alpha, np.where(is_seen, x, 0))
    weights = mmscan.recurrence(1 - alpha, is_seen.astype(np.float64))
    with np.errstate(invalid="ignore"):  # 0 / 0 before the first number, which is NaN there, too
        means = sums / weights
    return _last_seen(means, is_seen)


def _without_adjustment(x, is_seen, alpha):
    """A number k elements after the last one gives y = ((1 - alpha)^k y + alpha x) / ((1 - alpha)^k + alpha): the factors
    of a recurrence vary. The first number is the first mean, and where there is none the mean stays."""
    at = np.arange(x.shape[-1])
    before = np.full(x.shape, -1)
    before[..., 1:] = mmscan.scan(np.where(is_seen, at, -1), "max")[..., :-1]
    faded = (1 - alpha) ** (at - before)
    total = faded + alpha
    is_first = is_seen & (before < 0)
    factors = np.where(is_seen, np.where(is_first, 0, faded / total), 1)
    added = np.where(is_seen, np.where(is_first, x, alpha / total * x), 0)
    means = mmscan.recurrence(factors, added)
    return np.where(is_seen | (before >= 0), means, np.nan)


def _last_seen(means, is_seen):
    """Where there is no number, the mean of the last one stands, but for rounding errors the same."""
    last = mmscan.scan(np.where(is_seen, np.arange(means.shape[-1]), 0), "max")
    return np.take_along_axis(means, last, -1)


if __name__ == "__main__":
    years, flow = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=(0, 1), unpack=True)
    for year, mean in zip(years[::10], ewm_mean(flow, 0.2)[::10]):
        print(f"{year:.0f} {mean:6.1f}")
