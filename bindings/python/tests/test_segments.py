"""mmscan.scan by segments against NumPy, segment by segment."""

import numpy as np
import pytest

import mmscan

UFUNCS = {"plus": np.add, "max": np.maximum, "min": np.minimum, "mul": np.multiply, "xor": np.bitwise_xor}
RANDOM = np.random.default_rng(7)


def random_starts(n, count):
    return np.concatenate([[0], np.sort(RANDOM.integers(0, n + 1, count - 1)), [n]]).astype(np.int64)


def by_segment(x, op, starts, axis, kind, reverse, init):
    """NumPy's accumulate on each segment, and its totals; init counts for the first element."""
    x = np.moveaxis(x, axis, -1)
    y, totals = np.empty_like(x), np.empty((*x.shape[:-1], len(starts) - 1), x.dtype)
    for k, (first, end) in enumerate(zip(starts, starts[1:])):
        part = np.full((*x.shape[:-1], end - first + 1), init, x.dtype)
        part[..., 1:] = x[..., first:end][..., :: -1 if reverse else 1]
        sums = UFUNCS[op].accumulate(part, axis=-1, dtype=x.dtype)
        totals[..., k] = sums[..., -1]
        sums = sums[..., 1:] if kind == "inclusive" else sums[..., :-1]
        y[..., first:end] = sums[..., :: -1 if reverse else 1]
    return np.moveaxis(y, -1, axis), np.moveaxis(totals, -1, axis)


def forms(starts, n):
    flags, keys = np.zeros(n, np.uint8), np.zeros(n, np.int64)
    for k, (first, end) in enumerate(zip(starts, starts[1:])):
        flags[first : first + (end > first)] = 1 + k % 255
        keys[first:end] = k
    yield {"starts": starts}
    yield {"starts": starts.astype(np.int32)}
    yield {"flags": flags}
    yield {"flags": flags != 0}
    for dtype in ["i1", "u2", "f2", "f4", "c16"]:
        yield {"keys": (keys % 101).astype(dtype)}
    yield {"keys": keys.astype(">i4")}


@pytest.mark.parametrize("op", UFUNCS)
@pytest.mark.parametrize("kind", ["inclusive", "exclusive"])
@pytest.mark.parametrize("reverse", [False, True])
def test_against_numpy(op, kind, reverse):
    for shape, axis in [
        ((1,), 0),
        ((50,), 0),
        ((700,), -1),
        ((300, 4), 0),
        ((3, 70), 1),
        ((2, 90, 3), 1),
        ((40, 2, 3), 0),
    ]:
        n = shape[axis]
        starts = random_starts(n, 1 + RANDOM.integers(n))
        starts = np.unique(starts)
        x = RANDOM.integers(1, 5, shape)
        want, totals = by_segment(x, op, starts, axis, kind, reverse, 3)
        for segments in forms(starts, n):
            y = mmscan.scan(x, op, axis=axis, kind=kind, reverse=reverse, init=3, **segments)
            np.testing.assert_array_equal(y, want, str(segments))
        given = {"axis": axis, "kind": kind, "reverse": reverse, "init": 3, "return_total": True}
        y, found = mmscan.scan(x, op, starts=starts, **given)
        np.testing.assert_array_equal(found, totals)


def test_empty_segments_and_in_place():
    x = np.arange(1.0, 6)
    y, totals = mmscan.scan(x, starts=[0, 0, 2, 2, 2, 5, 5], return_total=True)
    assert y.tolist() == [1, 3, 3, 7, 12] and totals.tolist() == [0, 3, 0, 0, 12, 0]
    assert mmscan.scan(x, starts=[0, 2, 5], out=x) is x and x.tolist() == [1, 3, 3, 7, 12]
    y, totals = mmscan.scan(np.zeros((3, 0)), starts=[0], return_total=True)
    assert y.shape == (3, 0) and totals.shape == (3, 0)
    assert mmscan.scan(np.zeros((2, 0)), starts=[0, 0], init=4, return_total=True)[1].tolist() == [[4], [4]]
    assert mmscan.scan([], keys=[]).tolist() == []


def test_nothing_passes_a_border():
    x = np.array([np.inf, 1, np.nan, 2, 1e300, 1e300, 1, 2])
    y = mmscan.scan(x, flags=[1, 1, 1, 1, 1, 0, 1, 0])
    np.testing.assert_array_equal(y, [np.inf, 1, np.nan, 2, 1e300, 2e300, 1, 3])


def test_keys():
    x = np.ones(6, np.int32)
    assert mmscan.scan(x, keys=[0.0, -0.0, np.nan, np.nan, 1, 1]).tolist() == [1, 2, 1, 1, 1, 2]
    assert mmscan.scan(x, keys=[True, True, False, False, True, False]).tolist() == [1, 2, 1, 2, 1, 1]
    strange = np.array([1, 2, 0, 0, 3, 255], np.uint8).view(bool)  # of other bytes than 0 and 1
    assert mmscan.scan(x, keys=strange).tolist() == [1, 2, 1, 2, 1, 2]
    assert mmscan.scan(x, flags=[0.0, 0, 0.5, 0, np.nan, 0]).tolist() == [1, 2, 1, 2, 1, 2]
    assert mmscan.scan(x, keys=np.arange(12)[::2] // 4).tolist() == [1, 2, 1, 2, 1, 2]


def test_booleans():
    x = np.array([True, True, False, True])
    assert mmscan.scan(x, "and", flags=[1, 0, 0, 1]).tolist() == [True, True, False, True]
    y, totals = mmscan.scan(x, "min", starts=[0, 3, 3, 4], kind="exclusive", return_total=True)
    assert y.tolist() == [True, True, True, True] and totals.tolist() == [False, True, True]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_many(threads):
    n = 10**6
    x = RANDOM.standard_normal(n).astype(np.float32)
    starts = np.unique(random_starts(n, 30000))
    want = np.add.reduceat(x.astype(np.float64), starts[:-1])
    try:
        mmscan.set_num_threads(threads)
        _, totals = mmscan.scan(x, dtype=np.float64, starts=starts, return_total=True)
    finally:
        mmscan.set_num_threads(0)
    np.testing.assert_allclose(totals, want, atol=1e-9)


@pytest.mark.parametrize(
    "error, keywords",
    [
        (ValueError, {"starts": [0, 4], "flags": [0] * 4}),
        (ValueError, {"flags": [0] * 4, "keys": [0] * 4}),
        (ValueError, {"starts": []}),
        (ValueError, {"starts": [0, 3]}),
        (ValueError, {"starts": [1, 4]}),
        (ValueError, {"starts": [0, 3, 2, 4]}),
        (ValueError, {"starts": np.array([0, 2**63, 4], np.uint64)}),
        (ValueError, {"starts": [[0, 4]]}),
        (ValueError, {"starts": 4}),
        (TypeError, {"starts": [0.0, 4.0]}),
        (ValueError, {"flags": [0] * 5}),
        (ValueError, {"keys": [0] * 3}),
        (TypeError, {"keys": ["a", "b", "b", "c"]}),
        (TypeError, {"keys": np.array([1, 2, 3, None])}),
        (TypeError, {"keys": np.ones(4, np.longdouble)}),
        (ValueError, {"starts": [0, 4], "kind": "offsets"}),
        (ValueError, {"keys": [0] * 4, "return_total": True}),
        (ValueError, {"flags": [0] * 4, "return_total": True}),
    ],
)
def test_errors(error, keywords):
    with pytest.raises(error, match=next(iter(keywords)) if "kind" not in keywords and len(keywords) == 1 else None):
        mmscan.scan(np.zeros(4), **keywords)
