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
        if np.dtype(code).kind in "iuf":
            values, indices = ours(x, axis=1, return_indices=True)
            np.testing.assert_array_equal(values, theirs.accumulate(x, axis=1))
            np.testing.assert_array_equal(np.take_along_axis(x, indices, 1), values)


def test_logcumsumexp():
    x = np.array([0.0, 1.0, 1000.0, -np.inf])
    np.testing.assert_allclose(mmscan.logcumsumexp(x), np.logaddexp.accumulate(x), rtol=1e-15)
    np.testing.assert_allclose(mmscan.logcumsumexp([1, 2]), np.logaddexp.accumulate([1.0, 2.0]), rtol=1e-15)


def test_accuracy_of_halves():
    x = np.full(5000, 0.5, np.float16)
    assert mmscan.cumsum(x)[-1] == 2500  # NumPy's stops at 1024
