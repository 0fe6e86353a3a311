"""Public bug reports of other libraries, by their numbers in the list that this project keeps: inputs and right values."""

import resource

import numpy as np
import pytest

import mmscan


@pytest.mark.parametrize("op", ["plus", "mul", "max", "min", "and", "or", "xor"])
def test_e2_in_place_is_as_out_of_place(op):
    x = np.random.default_rng(1).integers(-9, 9, 10**4, dtype=np.int16)
    want = mmscan.scan(x, op)
    assert mmscan.scan(x, op, out=x) is x
    np.testing.assert_array_equal(x, want)


def test_e6_a_wrong_shape_writes_nothing():
    out = np.full(2, 7.0)
    for function in [mmscan.cumsum, mmscan.scan]:
        with pytest.raises(ValueError):
            function(np.ones(4), out=out)
    assert out.tolist() == [7, 7]


def test_e7_input_is_read_only():
    x = np.ones(41000)
    x.flags.writeable = False
    assert mmscan.cumsum(x)[-1] == 41000


def test_e8_memory_beside_input_and_output():
    x, y = np.ones(10**7), np.empty(10**7)
    mmscan.cumsum(x[:100000], out=y[:100000])
    y[:] = 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mmscan.cumsum(x, out=y)
    mmscan.cumsum(x.reshape(-1, 4), axis=0, out=y.reshape(-1, 4))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2048  # KiB


def test_e9_out_is_returned():
    x = np.ones((3, 4))
    for function in [mmscan.cumsum, mmscan.cumprod, mmscan.nancumsum, mmscan.cummax, mmscan.logcumsumexp, mmscan.scan]:
        out = np.empty_like(x)
        assert function(x, axis=1, out=out) is out
    assert mmscan.cummax(x, axis=1, out=out, return_indices=True)[0] is out


def test_f2_pitch_is_not_width():
    wide, out = np.ones((8, 64)), np.full((8, 64), -1.0)
    mmscan.cumsum(wide[:, :40], axis=1, out=out[:, :40])
    assert (out[:, :40] == np.arange(1, 41)).all() and (out[:, 40:] == -1).all()


def test_f3_long_rows_do_not_meet():
    n = 4_200_000
    x = np.repeat(np.array([[1.0], [2.0]]), n, axis=1)
    assert mmscan.cumsum(x, axis=1)[:, -1].tolist() == [n, 2 * n]


@pytest.mark.parametrize("shape, axis", [((0,), 0), ((0, 5), 1), ((3, 0, 4), 0), ((3, 0, 4), 1), ((3, 0, 4), 2), ((2, 0), 0)])
def test_f5_empty(shape, axis):
    x = np.ones(shape, np.int8)
    assert mmscan.cumsum(x, axis=axis).shape == shape and mmscan.cumsum(x, axis=axis).dtype == np.dtype(int)
    y, totals = mmscan.scan(x, axis=axis, init=3, return_total=True)
    assert y.shape == shape and (totals == 3).all()


def test_f7_no_dimensions():
    assert mmscan.cumsum(np.array(5)).tolist() == [5]
    with pytest.raises(ValueError):
        mmscan.scan(np.array(5))


def test_f8_axes_out_of_range():
    x = np.ones((2, 3))
    for axis in [2, -3]:
        for function in [mmscan.cumsum, mmscan.scan, mmscan.cummax]:
            with pytest.raises(IndexError):
                function(x, axis=axis)
    assert mmscan.cumsum(x, axis=-1).tolist() == [[1, 2, 3]] * 2
