"""mmscan.scan against loops in Python's own arithmetic."""

import math
import operator

import numpy as np
import pytest

import mmscan

LOOPS = {
    "plus": (operator.add, 0),
    "mul": (operator.mul, 1),
    "max": (max, None),
    "min": (min, None),
    "and": (operator.and_, -1),
    "or": (operator.or_, 0),
    "xor": (operator.xor, 0),
}


def loop(x, op, kind, reverse, init):
    combine, identity = LOOPS[op]
    if op in ("max", "min"):
        limits = np.iinfo(np.int64)
        identity = limits.min if op == "max" else limits.max
    running, results = identity if init is None else init, []
    items = [int(v) for v in x][::-1] if reverse else [int(v) for v in x]
    if kind == "offsets":
        results.append(running)
    for item in items:
        before, running = running, combine(running, item)
        results.append(before if kind == "exclusive" else running)
    return results[::-1] if reverse else results, running


@pytest.mark.parametrize("op", LOOPS)
@pytest.mark.parametrize("kind", ["inclusive", "exclusive", "offsets"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("init", [None, 3])
def test_against_loop(op, kind, reverse, init):
    rng = np.random.default_rng(5)
    for n in [0, 1, 2, 20]:
        x = rng.integers(1, 8, n)
        y, total = mmscan.scan(x, op, kind=kind, reverse=reverse, init=init, return_total=True)
        want, want_total = loop(x, op, kind, reverse, init)
        assert y.tolist() == want and int(total) == want_total


def test_axes_totals_and_out():
    x = np.arange(24).reshape(2, 3, 4)
    for axis in range(-3, 3):
        y, totals = mmscan.scan(x, axis=axis, return_total=True)
        np.testing.assert_array_equal(y, np.cumsum(x, axis))
        np.testing.assert_array_equal(totals, x.sum(axis))
    assert mmscan.scan(x, axis=1, out=x) is x


def test_dtype_is_not_promoted():
    assert mmscan.scan(np.array([100, 100], np.int8)).tolist() == [100, -56]
    assert mmscan.scan(np.array([100, 100], np.int8), dtype=np.int32).tolist() == [100, 200]


def test_flags():
    with pytest.raises(OverflowError):
        mmscan.scan(np.array([100, 100], np.int8), checked=True)
    assert mmscan.scan(np.array([1, np.nan, 2]), skip_nan=True).tolist() == [1, 1, 3]
    assert math.isnan(mmscan.scan(np.array([1, np.nan, 2]))[2])


@pytest.mark.parametrize(
    "error, keywords",
    [
        (ValueError, {"op": "minus"}),
        (ValueError, {"kind": "both"}),
        (ValueError, {"axis": 1}),
        (TypeError, {"axis": "0"}),
        (ValueError, {"out": np.zeros(3)}),
        (ValueError, {"out": [0] * 4}),
        (TypeError, {"op": "and"}),
        (TypeError, {"dtype": np.int8}),
        (TypeError, {"dtype": object}),
    ],
)
def test_errors(error, keywords):
    with pytest.raises(error):
        mmscan.scan(np.zeros(4), **keywords)


def test_overlap_is_refused_and_nothing_written():
    x = np.arange(10.0)
    with pytest.raises(ValueError):
        mmscan.scan(x[:8], out=x[1:9])
    assert x.tolist() == list(range(10))


def test_booleans_stay_booleans():
    x = np.array([True, False, True])
    assert mmscan.scan(x, "xor").tolist() == [True, True, False]
    assert mmscan.scan(x, "min", kind="exclusive").view("u1").tolist() == [1, 1, 0]
    assert mmscan.scan(x, "and", kind="offsets", reverse=True).view("u1").tolist() == [0, 0, 1, 1]
    assert mmscan.scan(x, dtype=int).tolist() == [1, 1, 2]
    for function in [lambda: mmscan.scan(x), lambda: mmscan.scan(np.ones(3, "u1"), "max", dtype=bool)]:
        with pytest.raises(TypeError):
            function()


@pytest.mark.parametrize("init", [[], [1, 2], np.ones((2, 2)), np.ones(1)], ids=repr)
def test_init_is_a_scalar(init):
    with pytest.raises(ValueError):
        mmscan.scan(np.arange(3.0), init=init)


def test_types_of_init():
    for init, dtype in [("7", "f8"), (2.7, "i8"), (1j, "f8"), (None, "O")]:
        with pytest.raises(TypeError):
            mmscan.scan(np.ones(3).astype(dtype), init=init)
    assert mmscan.scan(np.ones(2, np.uint8), init=3).tolist() == [4, 5]
    assert mmscan.scan(np.ones(2, np.float32), init=np.float64(0.5)).tolist() == [1.5, 2.5]
    assert mmscan.scan(np.ones(2), init=np.array(True)).tolist() == [2, 3]


def test_layouts_that_are_copied():
    swapped = np.array([1.0, 2.0], ">f8")
    y = mmscan.scan(swapped)
    assert y.dtype.isnative and y.tolist() == [1, 3]
    apart = np.ones(5, [("z", "c16"), ("f", "f8")])["z"]  # 24 bytes from one to the next
    assert mmscan.scan(apart).tolist() == [1, 2, 3, 4, 5]
    assert mmscan.scan(apart, out=apart) is apart and apart.tolist() == [1, 2, 3, 4, 5]
    unaligned = np.zeros(41, np.uint8)[1:].view(np.float64)
    unaligned[:] = 1
    assert mmscan.scan(unaligned, out=unaligned) is unaligned and unaligned.tolist() == [1, 2, 3, 4, 5]
    assert mmscan.scan(np.asfortranarray(np.ones((3, 4))), axis=0).flags.f_contiguous


def test_reproducible():
    x = np.random.default_rng(4).standard_normal(10**5 + 7)
    want = mmscan.scan(x, reproducible=True)
    np.testing.assert_allclose(want, np.cumsum(x), rtol=1e-9, atol=1e-9)
    try:
        for threads in (1, 2, 3):
            mmscan.set_num_threads(threads)
            assert (mmscan.scan(x, reproducible=True) == want).all()
            assert (mmscan.scan(x[::-1], reproducible=True, reverse=True)[::-1] == want).all()
    finally:
        mmscan.set_num_threads(0)
    with pytest.raises(TypeError):
        mmscan.scan(x, "logaddexp", reproducible=True)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_monotone(dtype):
    x = np.random.default_rng(5).random(10**5).astype(dtype)
    x[::2] = 0
    y = mmscan.scan(x, monotone=True)
    assert (np.diff(y) >= 0).all() and (y[2::2] == y[1:-1:2]).all()
    assert (np.diff(mmscan.scan(x)) < 0).any()  # so that the first could fail
    np.testing.assert_allclose(y, np.cumsum(x, dtype="f8"), rtol=1e-5)


def test_accurate():
    x = np.random.default_rng(3).standard_normal(10**5).astype(np.float32)
    want = np.cumsum(x, dtype=np.float64).astype(np.float32)
    np.testing.assert_allclose(mmscan.scan(x, accurate=True), want, rtol=2**-23)
    assert (mmscan.scan(x, accurate=True) != mmscan.scan(x)).any()
    assert mmscan.scan(np.arange(5), accurate=True).tolist() == [0, 1, 3, 6, 10]  # nothing to be gained
    wide = np.array([1e16, 1, -1e16, 1] * 10**5)
    want = [1e16, 1e16, 1, 2]
    assert mmscan.scan(wide, accurate=True)[:4].tolist() == want
    assert mmscan.scan(wide, accurate=True)[-1] == 2e5
    assert mmscan.scan(wide + 1j * wide, accurate=True)[3] == 2 + 2j
    assert mmscan.scan(wide.astype(np.complex64), accurate=True)[1] == np.complex64(1e16)
    assert mmscan.scan(np.full(4, 1 + 2**-30), "mul", accurate=True)[3] == 1 + 2**-28 + 6 * 2**-60
    assert (mmscan.scan(np.stack([wide, wide], axis=1), axis=0, accurate=True)[-1] == 2e5).all()
    assert mmscan.scan(np.array([1 + 1j, 1 - 1j, 1e16j]), "mul", accurate=True).tolist() == [1 + 1j, 2, 2e16j]
