"""How many times as fast as NumPy, in one process, in turns: figures.py. The medians of rounds; beside them the
peers that are installed."""

import statistics
import sys
import time

import numpy as np
from suite.cumsum import PEERS, peer

import mmscan

CALLS = [(n, np.float64) for n in (1, 10, 100, 1000)]
OUT = [(n, t) for n in (10**6, 10**7) for t in (np.float64, np.float32, np.int64)]
AXES = [((1000, 1000), 0), ((1000, 1000), 1), ((10**6, 4), 0)]


def median_times(functions, seconds=1.0, rounds=9):
    """Seconds of a call of each, in turns: rounds of as many calls as take a share of the time."""
    counts = []
    for function in functions:
        start = time.perf_counter()
        function()
        once = max(time.perf_counter() - start, 1e-7)
        counts.append(max(1, int(seconds / rounds / len(functions) / once)))
    times = [[] for _ in functions]
    for _ in range(rounds):
        for function, count, kept in zip(functions, counts, times):
            start = time.perf_counter()
            for _ in range(count):
                function()
            kept.append((time.perf_counter() - start) / count)
    return [statistics.median(kept) for kept in times]


def report(what, functions):
    times = median_times(functions)
    others = "".join(f"{t * 1e6:12.2f}" for t in times[2:])
    print(f"{what:28}{times[0] * 1e6:12.2f}{times[1] * 1e6:12.2f}{times[0] / times[1]:9.2f}{others}")


def main():
    peers = {name: function for name in PEERS if (function := peer(name))}
    print(f"{'microseconds':28}{'numpy':>12}{'mmscan':>12}{'ratio':>9}" + "".join(f"{name:>12}" for name in peers))
    for n, dtype in CALLS:
        x = np.ones(n, dtype)
        report(f"call, n = {n}", [lambda: np.cumsum(x), lambda: mmscan.cumsum(x)])
    for n, dtype in OUT:
        x, y = np.ones(n, dtype), np.empty(n, dtype)
        calls = [lambda: np.cumsum(x, out=y), lambda: mmscan.cumsum(x, out=y)]
        calls += [lambda function=function: function(x, out=y) for function in peers.values()]
        report(f"out, {np.dtype(dtype)}, n = {n:.0e}", calls)
    for _, dtype in OUT[3:]:
        x = np.ones(10**7, dtype)
        report(f"new, {np.dtype(dtype)}, n = 1e+07", [lambda: np.cumsum(x), lambda: mmscan.cumsum(x)])
    for shape, axis in AXES:
        x = np.ones(shape)
        y = np.empty_like(x)
        report(f"out, {shape}, axis {axis}", [lambda: np.cumsum(x, axis, out=y), lambda: mmscan.cumsum(x, axis, out=y)])


if __name__ == "__main__":
    sys.exit(main())
