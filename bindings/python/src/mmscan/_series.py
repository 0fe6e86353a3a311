"""Recurrences, filters and integral images. Arrays of any shape become ones of three axes, or four, that the library
takes; what SciPy filters and the library does not is left to it, if it is installed."""

import math

import numpy as np

from . import _core
from ._functions import _any_array, _are_bits, _as_array, _axis_of, _is_plain, _is_same, _native

MOST_COEFFICIENTS = 16  # mmscan_filter_desc


# ---- Along an axis --------------------------------------------------------------------------------------------------


def _three(x, axis):
    """The array as one with three axes, of which the one in the middle is `axis`; a copy, where that has to be."""
    return x.reshape(math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :]))


def _turned(shape, axis):
    """Whether there are more positions before the axis than behind it: the last axis of three is to be the longer."""
    return math.prod(shape[:axis]) > math.prod(shape[axis + 1 :])


def _spread(a, shape, axis):
    """As _three(), of an array that is broadcast; without a copy, where it is constant along the axis."""
    a = np.broadcast_to(a, shape)
    if a.strides[axis] != 0 or a.size == 0:
        return _three(a, axis)
    one = _three(a[(slice(None),) * axis + (slice(1),)], axis)
    return np.broadcast_to(one, (one.shape[0], shape[axis], one.shape[2]))


def _lay_out(arrays, turned):
    return [a.swapaxes(0, 2) if turned else a for a in arrays]


def _plain(x, dtype):
    x = x.astype(dtype, copy=False)
    return x if _is_plain(x) else x.copy()


# ---- Recurrences ----------------------------------------------------------------------------------------------------


def _recurred(*arrays):
    """The type in which recurrences of these are computed: theirs, if there is such a one."""
    dtype = np.result_type(*arrays)
    if dtype.char in "fdFD":
        return _native(dtype)
    if dtype.kind in "biu" or dtype.char == "e":
        return np.dtype(np.float64)
    raise TypeError(f"there are no recurrences of {dtype}")


def recurrence(a, x, *, axis=-1, init=None, reverse=False, out=None):
    """The recurrence ``y[i] = a[i] * y[i - 1] + x[i]`` along an axis.

    Parameters
    ----------
    a : array_like
        The factors: an array that is broadcast to the shape of `x`, or a number.
    x : array_like
        What is added.
    axis : int, optional
        The axis, the last by default.
    init : array_like, optional
        ``y[-1]``: a number, or an array that is broadcast to the shape of `x` without the axis. None: 0.
    reverse : bool, optional
        From the last element to the first: ``y[i] = a[i] * y[i + 1] + x[i]``, and `init` is ``y[n]``.
    out : ndarray, optional
        Where the results go, of their shape and type; may be `x` itself.

    Returns
    -------
    ndarray
        `out`, if that is given; else a new array, of the shape of `x`. Its type is what NumPy promotes `a` and `x` to,
        if that is float32, float64, complex64 or complex128; float64 for integers, booleans and float16.

    Raises
    ------
    numpy.exceptions.AxisError
        `x` has no such axis.
    TypeError
        There are no recurrences of the type, `init` is not converted to it, or an array is masked.
    ValueError
        `a` or `init` is not broadcast to its shape, or `out` is not of that of the results, or overlaps another array.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.recurrence(0.5, np.array([8.0, 4.0, 2.0, 1.0]))
    array([8., 8., 6., 4.])
    >>> mmscan.recurrence([[1, 2, 3]], np.ones((2, 3)), init=[0, 1], reverse=True)
    array([[ 4.,  3.,  1.],
           [10.,  9.,  4.]])
    """
    x = _any_array(x)
    factors = a if isinstance(a, (int, float, complex)) else _any_array(a)
    axis = _axis_of(axis, x)
    dtype = _recurred(factors, x)
    if out is not None and not (type(out) is np.ndarray and out.shape == x.shape and out.dtype == dtype):
        raise ValueError(f"out must be an array of shape {x.shape} and type {dtype}")
    if out is not None and not out.flags.writeable:
        raise ValueError("out is read-only")
    if out is not None and (_meet(factors, out) or (_meet(x, out) and not _is_same(x, out))):
        raise ValueError("out overlaps an array that is read, and is not exactly in place")
    start = None if init is None else _starting(init, dtype, x.shape[:axis] + x.shape[axis + 1 :])
    factors = _spread(_plain(np.asarray(factors), dtype), x.shape, axis)
    rows = _three(_plain(x, dtype), axis)
    y = np.empty(x.shape, dtype) if out is None else out
    results = _three(y, axis)
    if not _is_plain(results) or (out is not None and not np.may_share_memory(results, out)):
        results = np.empty(rows.shape, dtype)
    _recur(factors, rows, results, start, bool(reverse), _turned(x.shape, axis))
    if not np.may_share_memory(results, y):
        np.copyto(y, results.reshape(y.shape))
    return y


def _meet(a, b):
    """Whether two arrays share an element, or it would take too long to tell."""
    try:
        return np.may_share_memory(a, b) and np.shares_memory(a, b, max_work=1000)
    except RuntimeError:  # TooHardError, which is elsewhere in each NumPy
        return True


def _starting(init, dtype, shape):
    """What recurrences start from, one element for each."""
    init = np.asarray(init)
    if not np.can_cast(init.dtype, dtype, "same_kind"):
        raise TypeError(f"init is {init.dtype}, which is no {dtype}")
    return np.broadcast_to(init.astype(dtype), shape)


def _recur(factors, rows, results, start, reverse, turned):
    if rows.size == 0:
        return
    if start is not None:
        start = start.reshape(rows.shape[0], rows.shape[2])
        start = np.ascontiguousarray(start.T if turned else start)
    if not _core.recurrence(*_lay_out([factors, rows, results], turned), start, reverse):
        raise ValueError("out has elements that share memory")


# ---- Filters --------------------------------------------------------------------------------------------------------


def lfilter(b, a, x, axis=-1, zi=None):
    """Filters along an axis by a rational transfer function, as `scipy.signal.lfilter`:
    ``a[0] * y[i] = b[0] * x[i] + b[1] * x[i - 1] + ... - a[1] * y[i - 1] - ...``

    Parameters
    ----------
    b, a : array_like
        The coefficients, of one dimension, by ``a[0]`` of which all are divided.
    x : array_like
        The signals.
    axis : int, optional
        The axis, the last by default.
    zi : array_like, optional
        The state of each filter before the first sample, of direct form II transposed: of the shape of `x`, but along
        the axis ``max(len(a), len(b)) - 1``, and along others 1 where all have the same. None: zeros.

    Returns
    -------
    ndarray, or tuple of two
        The results, of the shape of `x` and of the type that NumPy promotes all arguments to; with `zi` also the state
        after the last sample. float32 is filtered in float64, and rounded once.

    Raises
    ------
    numpy.exceptions.AxisError
        `x` has no such axis.
    NotImplementedError
        The type, as of integers alone, is not one that is filtered.
    ValueError
        The shapes do not go together.

    Notes
    -----
    Types other than float32 and float64, more than 16 coefficients, and those that are not finite when ``a[0]`` has
    divided them are left to SciPy; where it is not installed, they raise NotImplementedError and ValueError. Empty
    signals are no error.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.lfilter([1.0], [1.0, -0.5], np.array([8.0, 4.0, 2.0, 1.0]))
    array([8., 8., 6., 4.])
    >>> mmscan.lfilter([0.5, 0.5], [1.0], np.array([2.0, 4.0, 8.0]), zi=np.array([1.0]))
    (array([2., 3., 6.]), array([4.]))
    """
    b, a = _coefficients("b", b), _coefficients("a", a)
    x = _array(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    axis = _axis_of(axis, x)
    order = max(a.size, b.size) - 1
    state = None if zi is None else _state(np.asarray(zi), x.shape, axis, order)
    dtype = np.result_type(b, a, x, *([] if state is None else [state]))
    if dtype.char not in "fd":
        return _by_scipy(NotImplementedError(f"input type '{dtype}' not supported"), b, a, x, axis, zi)
    dtype = _native(dtype)
    b, a = (np.ascontiguousarray(c, np.float64) for c in (b, a))
    if max(b.size, a.size) > MOST_COEFFICIENTS:
        error = ValueError(f"more than {MOST_COEFFICIENTS} coefficients are filtered by SciPy, which is not installed")
        return _by_scipy(error, b.astype(dtype), a.astype(dtype), x, axis, zi)
    y = _filtered(b, a, _plain(x, dtype), axis, state, dtype)
    if y is None:
        error = ValueError("coefficients are not finite, or a[0] is 0")
        return _by_scipy(error, b.astype(dtype), a.astype(dtype), x, axis, zi)
    return y


def _array(a):
    x = _as_array(a)
    x = np.asarray(a) if x is None else x
    return x if _are_bits(x) else x != 0


def _coefficients(name, values):
    values = np.atleast_1d(_array(values))
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"Parameter {name} is not a non-empty 1d array, since {name}.shape={values.shape}!")
    return values


def _are_finite(b, a):
    with np.errstate(all="ignore"):
        return a[0] != 0 and np.isfinite(b / a[0]).all() and np.isfinite(a / a[0]).all() and np.isfinite([*b, *a]).all()


def _state(zi, shape, axis, order):
    """Axes of one element are broadcast, but the one of the states; no axes are added."""
    wanted = (*shape[:axis], order, *shape[axis + 1 :])
    given = enumerate(zip(zi.shape, wanted))
    if zi.ndim != len(shape) or not all(n == m or (n == 1 and k != axis) for k, (n, m) in given):
        raise ValueError(f"Unexpected shape for parameter zi: expected {wanted}, found {zi.shape}.")
    return np.broadcast_to(zi, wanted)


def _by_scipy(error, b, a, x, axis, zi):
    """What the library does not filter; `error` where SciPy does not, either."""
    try:
        from scipy.signal import lfilter as by_scipy
    except ImportError:
        raise error from None
    return by_scipy(b, a, x, axis) if zi is None else by_scipy(b, a, x, axis, zi)


def _filtered(b, a, x, axis, state, dtype):
    """The results, and with a state that, too. None: the coefficients are not those of a filter.

    Signals are rows, whatever the axis: so results do not depend on it, to the bit.
    """
    rows = np.ascontiguousarray(np.moveaxis(x, axis, -1))
    y = np.empty(rows.shape, dtype)
    z = None if state is None else np.array(np.moveaxis(state, axis, -1), dtype, order="C")
    signals = [row.reshape(-1, x.shape[axis]).T[np.newaxis] for row in (rows, y)] if x.size > 0 else None
    is_done = _core.filter(b, a, *signals, z) if x.size > 0 else _are_finite(b, a)
    if not is_done:
        return None
    y = np.ascontiguousarray(np.moveaxis(y, -1, axis))
    return y if state is None else (y, np.ascontiguousarray(np.moveaxis(z, -1, axis)))


# ---- Integral images ------------------------------------------------------------------------------------------------


def integral(image, dtype=None, border=True, squares=False, channels=False):
    """The integral of an image: sums over all pixels above and to the left, as `cv2.integral`.

    Parameters
    ----------
    image : array_like
        Images (…, rows, columns), or with `channels` (…, rows, columns, channels).
    dtype : dtype, optional
        Of the sums, in which they are added up. None: float64 for floats, uint64 for unsigned integers and booleans,
        int64 for signed ones, and of complex numbers their own.
    border : bool, optional
        Whether the sums begin with a row and a column of zeros, so that the sum over rows r to R - 1 and columns c to
        C - 1 is ``y[R, C] - y[r, C] - y[R, c] + y[r, c]``. Integers wrap around, which that difference makes up for.
    squares : bool, optional
        Sums of squares, which are taken in `dtype`.
    channels : bool, optional
        Whether the last axis is one of channels, each of which has sums of its own.

    Returns
    -------
    ndarray
        The sums: with a border of one more row and one more column than `image`.

    Raises
    ------
    TypeError
        `image` is not summed as `dtype`, as no float is as an integer, or it is a masked array.
    ValueError
        `image` has too few dimensions.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.integral(np.array([[1, 2], [3, 4]]))
    array([[ 0,  0,  0],
           [ 0,  1,  3],
           [ 0,  4, 10]])
    """
    x = _any_array(image)
    if x.ndim < 2 + bool(channels):
        raise ValueError(f"image has {x.ndim} dimensions, of {2 + bool(channels)} or more")
    dtype = _native(_summed(x.dtype) if dtype is None else np.dtype(dtype))
    *before, rows, columns, each = x.shape if channels else (*x.shape, 1)
    x = x.reshape(math.prod(before), rows, columns, each)
    if not _has_rows(x):
        x = np.ascontiguousarray(x)
    shape = (rows + bool(border), columns + bool(border))
    y = np.empty((x.shape[0], *shape, each), dtype)
    is_summed = dtype.kind != "b" and (y.size == 0 or _core.integral(x, y, bool(squares), bool(border)))
    if not is_summed:
        raise TypeError(f"images of {x.dtype} are not summed as {dtype}")
    return y.reshape((*before, *shape, each) if channels else (*before, *shape))


def _summed(dtype):
    if dtype.kind == "c":
        return dtype
    return np.dtype({"f": np.float64, "i": np.int64}.get(dtype.kind, np.uint64))


def _has_rows(x):
    """Whether pixels, of channels, lie one behind the other in each row."""
    return (x.shape[3] == 1 or x.strides[3] == x.itemsize) and x.strides[2] == x.shape[3] * x.itemsize
