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


def test_h1_affine_pairs_keep_their_order():
    try:
        for threads in [1, 3]:
            mmscan.set_num_threads(threads)
            u = np.zeros(10**5)
            u[0] = 1
            y = mmscan.recurrence(0.5, u)
            assert y[:4].tolist() == [1, 0.5, 0.25, 0.125] and y[60:64].tolist() == [0.5**k for k in range(60, 64)]
    finally:
        mmscan.set_num_threads(0)


def test_h3_decay_and_weights():
    np.testing.assert_allclose(mmscan.recurrence(0.8, np.zeros(5), init=5 / 0.8), [5, 4, 3.2, 2.56, 2.048], rtol=1e-15)
    np.testing.assert_allclose(mmscan.recurrence(0.9, np.ones(4)), [1, 1.9, 2.71, 3.439], rtol=1e-15)


def test_h5_selective_scan():
    """A factor of 0 begins anew; there is no division, and no product that vanishes."""
    rng = np.random.default_rng(5)
    a, b = rng.random((3, 40, 200), np.float32), rng.standard_normal((3, 40, 200), np.float32)
    a[rng.random(a.shape) < 0.01] = 0
    want, h = np.empty(a.shape), np.zeros(a.shape[:2])
    for t in range(a.shape[2]):
        want[..., t] = h = a[..., t] * h + b[..., t]
    np.testing.assert_allclose(mmscan.recurrence(a, b), want, rtol=1e-4, atol=1e-5)
    by_time = mmscan.recurrence(a.transpose(2, 0, 1).copy(), b.transpose(2, 0, 1).copy(), axis=0)
    np.testing.assert_allclose(by_time.transpose(1, 2, 0), want, rtol=1e-4, atol=1e-5)


def test_i1_segments_are_isolated():
    x, starts = np.array([3, 1, 4, 1, np.inf, 9, 2, 6, 5, 3], np.float32), [0, 3, 5, 7, 10]
    assert mmscan.scan(x, starts=starts).tolist() == [3, 4, 8, 1, np.inf, 9, 11, 6, 11, 14]
    assert mmscan.scan(x, starts=starts, reverse=True).tolist() == [8, 5, 4, np.inf, np.inf, 11, 2, 14, 8, 3]
    assert mmscan.scan(x, starts=starts, kind="exclusive").tolist() == [0, 3, 4, 0, 1, 0, 9, 0, 6, 11]


def test_i2_i4_flags_and_keys():
    assert mmscan.scan([1, 2, 4, 8, 16], flags=[1, 0, 0, 1, 0]).tolist() == [1, 3, 7, 8, 24]
    assert mmscan.scan(np.arange(1, 7), keys=[0, 0, 0, 1, 1, 1]).tolist() == [1, 3, 6, 4, 9, 15]


def test_i5_the_same_bits_every_time():
    x, keys = np.full(250000, 0.1), np.zeros(250000, np.int32)
    first = mmscan.scan(x, keys=keys).tobytes()
    assert all(mmscan.scan(x, keys=keys).tobytes() == first for _ in range(20))


def test_i9_many_small_groups():
    x = np.ones(5 * 10**6, np.float32)
    y = mmscan.scan(x, keys=np.arange(x.size) // 2)
    assert (y[::2] == 1).all() and (y[1::2] == 2).all()


def test_i10_groups_along_an_axis():
    x, keys = np.random.default_rng(10).integers(-99, 99, (60, 5, 4)), np.repeat(np.arange(12), 5)
    want = x.reshape(12, 5, 5, 4).cumsum(1).reshape(x.shape)
    np.testing.assert_array_equal(mmscan.scan(x, axis=0, keys=keys), want)


def test_j3_j4_windows_and_variances():
    assert mmscan.integral(np.ones((3, 3), np.uint8)).dtype == np.uint64
    assert mmscan.integral(np.ones((3, 3), np.float32)).dtype == np.float64
    x = np.full((4, 4), 0.030821922191780820)
    sums, squares = mmscan.integral(x)[-1, -1], mmscan.integral(x, squares=True)[-1, -1]
    assert abs(squares / 16 - (sums / 16) ** 2) < 1e-17  # may be less than 0: take the maximum of it and that


def test_j6_more_dimensions():
    x = np.ones((3, 4, 5))
    y = mmscan.scan(mmscan.integral(x), axis=0)
    assert y[-1, -1, -1] == 60 and y.shape == (3, 5, 6)
