"""Against NumPy: values, types, shapes, layouts and errors. Seeded: MMSCAN_TEST_SEED."""

import os

import numpy as np
import pytest

import mmscan

NAMES = ["cumsum", "cumprod", "nancumsum", "nancumprod"]
TYPES = "? b h i l q B H I L Q e f d F D g O".split()
PAIRS = [(x, y) for x in TYPES for y in [None, "l", "L", "d", "f", "D"]]
SEED = int(os.environ.get("MMSCAN_TEST_SEED", 20261128))

original = {name: getattr(np, name) for name in NAMES}


def elements(rng, shape, code):
    """Small whole numbers, so that sums are exact; products stay small."""
    x = rng.integers(-1, 2, shape)
    if np.dtype(code).kind in "?bu":
        x = abs(x)
    x = x.astype(code)
    if code in "efdFD" and rng.integers(2):
        x[rng.random(shape) < 0.1] = np.nan
    return x


def layout(rng, x):
    """The same elements at other places in memory."""
    way = rng.integers(5)
    if way == 1:
        return np.asfortranarray(x)
    if way == 2:
        return x[::-1][::-1] if x.ndim else x
    if way == 3 and x.ndim:
        wide = np.empty(x.shape[:-1] + (2 * x.shape[-1],), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if way == 4:
        return x.astype(x.dtype.newbyteorder())
    return x


def outcome(function, *args, **keywords):
    try:
        return function(*args, **keywords)
    except Exception as error:
        return error


def check_same(ours, theirs):
    if isinstance(theirs, Exception):
        assert type(ours) is type(theirs) and str(ours) == str(theirs)
        return
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    assert ours.strides == theirs.strides or ours.size == 0 or min(ours.shape) == 1
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("types", PAIRS, ids=str)
def test_types_shapes_and_layouts(name, types):
    rng = np.random.default_rng([SEED, NAMES.index(name), PAIRS.index(types)])
    for shape in [(), (0,), (1,), (7,), (300,), (3, 0, 2), (4, 5), (3, 4, 5), (2, 1, 3, 2)]:
        x = layout(rng, elements(rng, shape, types[0]))
        for axis in [None, *range(-len(shape) - 1, len(shape) + 1)]:
            keywords = {"axis": axis, "dtype": types[1]}
            with np.errstate(all="ignore"):
                theirs = outcome(original[name], x, **keywords)
                ours = outcome(getattr(mmscan, name), x, **keywords)
            check_same(ours, theirs)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("code", TYPES[:-1])
def test_out(name, code):
    rng = np.random.default_rng([SEED, 1])
    for shape in [(5,), (3, 4), (0, 2)]:
        x = elements(rng, shape, code)
        for out_code in {code, "d", "l"}:
            for out_shape in [shape, shape + (1,), (2,)]:
                outs = [np.full(out_shape, 7).astype(out_code) for _ in range(2)]
                with np.errstate(all="ignore"):
                    theirs = outcome(original[name], x, axis=0, out=outs[0])
                    ours = outcome(getattr(mmscan, name), x, axis=0, out=outs[1])
                check_same(ours, theirs)
                np.testing.assert_array_equal(outs[1], outs[0])
                assert isinstance(ours, Exception) or ours is outs[1]


def test_in_place_and_overlapping():
    for shift in [-3, 0, 1, 5]:
        base = [np.arange(40.0) for _ in range(2)]
        for array, function in zip(base, [np.cumsum, mmscan.cumsum]):
            function(array[10:20], out=array[10 + shift : 20 + shift])
        np.testing.assert_array_equal(base[1], base[0])
    x = np.ones((100, 500))
    assert mmscan.cumsum(x, axis=0, out=x) is x  # REPORTS E1
    np.testing.assert_array_equal(x[:, 0], np.arange(1, 101))


def test_read_only_and_unaligned():
    raw = np.zeros(81, np.uint8)
    x = raw[1:].view(np.float64)
    x[:] = np.arange(10)
    x.flags.writeable = False
    np.testing.assert_array_equal(mmscan.cumsum(x), np.cumsum(x))
    with pytest.raises(ValueError):
        mmscan.cumsum(np.arange(10.0), out=x)


def test_subclasses_and_others():
    masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
    check_same(mmscan.cumsum(masked), np.cumsum(masked))
    assert mmscan.cumsum(masked).mask.tolist() == [False, True, False]
    check_same(mmscan.cumsum(np.matrix([[1, 2]])), np.cumsum(np.matrix([[1, 2]])))
    check_same(mmscan.cumsum([1, 2, 3]), np.cumsum([1, 2, 3]))
    check_same(mmscan.cumsum(5), np.cumsum(5))
    times = np.array([1, 2], "m8[s]")
    check_same(mmscan.cumsum(times), np.cumsum(times))
    check_same(outcome(mmscan.cumsum, "abc"), outcome(np.cumsum, "abc"))


def test_objects_that_take_over():
    class Mine:
        def __array_function__(self, function, types, args, keywords):
            return function.__name__

    assert mmscan.cumsum(Mine()) == "cumsum"
    assert mmscan.cumulative_sum(Mine()) == "cumulative_sum"


def test_objects_with_methods_of_their_own():
    class Proxy:
        def __init__(self, x):
            self.x = x

        def __array__(self, dtype=None, copy=None):
            return self.x

        def __getattr__(self, name):
            if name == "cumsum":
                return lambda axis, dtype, out: "mine"
            raise AttributeError(name)

    class Wrapped:
        def __array__(self, dtype=None, copy=None):
            return np.ones(3)

        def __array_wrap__(self, array, context=None, return_scalar=False):
            return array.tolist()

    for function in [np.cumsum, mmscan.cumsum]:
        assert function(Proxy(np.ones(3))) == "mine"
        assert function(Wrapped()) == [1, 2, 3]


@pytest.mark.parametrize("axis", [True, False, 1.0, (0,), "0", np.int8(1), np.array(1), [0]], ids=repr)
def test_axes_of_other_types(axis):
    x = np.ones((2, 3))
    check_same(outcome(mmscan.cumsum, x, axis), outcome(np.cumsum, x, axis))
    theirs = outcome(np.maximum.accumulate, x, axis)
    if isinstance(axis, tuple):  # of one: an axis for accumulate() alone
        return
    if not isinstance(theirs, Exception):
        check_same(mmscan.cummax(x, axis, return_indices=True)[0], theirs)
    else:
        for function in [lambda: mmscan.cummax(x, axis, return_indices=True), lambda: mmscan.scan(x, axis=axis)]:
            assert type(outcome(function)) is type(theirs)


def test_booleans_of_other_bytes():
    for x in [np.array([2, 0, 255], "u1").view("?"), np.full(1000, 255, "u1").view("?")[::2]]:
        for dtype in [None, "f8", "u1"]:
            check_same(mmscan.cumsum(x, dtype=dtype), np.cumsum(x, dtype=dtype))
        check_same(mmscan.nancumprod(x, dtype="f4"), np.nancumprod(x, dtype="f4"))
        assert mmscan.scan(x, "max").view("u1").max() == 1
        assert mmscan.scan(x, dtype=np.int64).tolist() == np.cumsum(x).tolist()


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy before 2.1")
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("code", TYPES)
def test_cumulative(name, code):
    rng = np.random.default_rng([SEED, 2])
    for shape in [(), (0,), (5,), (3, 4), (2, 3, 4)]:
        x = elements(rng, shape, code)
        for axis in [None, *range(-len(shape) - 1, len(shape) + 1)]:
            for initial in [False, True]:
                keywords = {"axis": axis, "include_initial": initial}
                with np.errstate(all="ignore"):
                    theirs = outcome(getattr(np, name), x, **keywords)
                    ours = outcome(getattr(mmscan, name), x, **keywords)
                check_same(ours, theirs)


@pytest.mark.parametrize("code", TYPES[:-2])
def test_extremes(code):
    rng = np.random.default_rng([SEED, 3])
    for ours, theirs in [(mmscan.cummax, np.maximum), (mmscan.cummin, np.minimum)]:
        x = elements(rng, (6, 50), code)
        with np.errstate(all="ignore"):
            check_same(ours(x, axis=1), theirs.accumulate(x, axis=1))
            check_same(ours(x), theirs.accumulate(x.ravel()))
            check_same(ours(x.T, axis=1), theirs.accumulate(x.T, axis=1))
        if np.dtype(code).kind in "iuf":
            values, indices = ours(x, axis=1, return_indices=True)
            np.testing.assert_array_equal(values, theirs.accumulate(x, axis=1))
            np.testing.assert_array_equal(np.take_along_axis(x, indices, 1), values)


def test_extremes_of_subclasses():
    matrix = np.matrix([[3, 1], [2, 4]])
    assert mmscan.cummax(matrix).tolist() == [[3, 3, 3, 4]]
    masked = np.ma.array([1, 9, 3], mask=[0, 1, 0])
    for function in [lambda: mmscan.cummax(masked, return_indices=True), lambda: mmscan.scan(masked)]:
        with pytest.raises(TypeError):
            function()


def test_indices_of_other_layouts():
    x = np.random.default_rng(SEED).integers(0, 99, (5, 40)).astype(">f8")
    values, indices = mmscan.cummax(x, 1, return_indices=True)
    np.testing.assert_array_equal(values, np.maximum.accumulate(x, 1))
    np.testing.assert_array_equal(np.take_along_axis(x, indices, 1), values)
    out = np.empty((5, 40), np.int32)
    np.testing.assert_array_equal(mmscan.cummax(x, 1, out=out, return_indices=True)[0], values)
    with pytest.raises(TypeError):
        mmscan.cummax(x, 1, out=[0], return_indices=True)


def test_logcumsumexp():
    x = np.array([0.0, 1.0, 1000.0, -np.inf])
    np.testing.assert_allclose(mmscan.logcumsumexp(x), np.logaddexp.accumulate(x), rtol=1e-15)
    np.testing.assert_allclose(mmscan.logcumsumexp([1, 2]), np.logaddexp.accumulate([1.0, 2.0]), rtol=1e-15)


def test_accuracy_of_halves():
    x = np.full(5000, 0.5, np.float16)
    assert mmscan.cumsum(x)[-1] == 2500  # NumPy's stops at 1024
