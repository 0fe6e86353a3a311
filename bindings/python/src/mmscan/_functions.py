"""What the functions mean. Where NumPy has a function of the name, whatever is out of the ordinary is left to it, so
that results and errors are NumPy's own."""

import inspect
import operator

import numpy as np

from . import _core
from ._openmp import OPENMP

try:
    from numpy.lib.array_utils import normalize_axis_index
except ImportError:  # NumPy 1
    from numpy.core.multiarray import normalize_axis_index

# mmscan.h: mmscan_op, mmscan_kind and MMSCAN_*.
OPS = {"plus": 1, "max": 2, "min": 3, "mul": 4, "logaddexp": 5, "and": 6, "or": 7, "xor": 8}
KINDS = {"inclusive": 1, "exclusive": 2, "offsets": 3}
FLAGS, STARTS, KEYS = 1, 2, 3  # mmscan_segment_form
SKIP_NAN, ACCURATE, REPRODUCIBLE, MONOTONE, CHECKED = 1, 2, 4, 8, 16

# NumPy's own, whatever is patched later, and if this module is loaded again.
NUMPY = vars(_core).setdefault(
    "numpys",
    {
        name: getattr(np, name, None)
        for name in ("cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod")
    },
)


# ---- Arrays ---------------------------------------------------------------------------------------------------------


def _as_array(a):
    """The array that an object is, without a copy where that can be. None: it is its own, or NumPy's, business."""
    if type(a) is np.ndarray:
        return a
    if isinstance(a, np.ndarray) or hasattr(type(a), "__array_function__"):
        return None
    if hasattr(type(a), "__dlpack__"):
        try:
            return np.from_dlpack(a)
        except Exception:
            return np.asarray(a)
    return None if hasattr(a, "cumsum") or hasattr(type(a), "__array_wrap__") else np.asarray(a)


def _any_array(a):
    """The same, of any object, as a plain array with true booleans, as the functions take it that are not NumPy's."""
    if np.ma.isMaskedArray(a):
        raise TypeError("masked arrays are not scanned: fill them first")
    x = _as_array(a)
    x = np.asarray(a) if x is None else x
    return x if _is_plain(x) and _are_bits(x) else np.array(x != 0 if x.dtype.kind == "b" else x, _native(x.dtype))


def _native(dtype):
    return dtype.newbyteorder("=")


def _is_plain(x):
    """Whether the library can scan an array where it is."""
    return x.flags.aligned and x.dtype.isnative and all(stride % x.itemsize == 0 for stride in x.strides if x.itemsize)


def _are_bits(x):
    """Whether booleans, if they are that, are stored as 0 and 1, which views of other bytes are not."""
    return x.dtype.kind != "b" or x.size == 0 or x.view(np.uint8).max() <= 1


def _axis_of(axis, x):
    if isinstance(axis, bool):
        raise TypeError("an integer is required for the axis")
    return normalize_axis_index(operator.index(axis), x.ndim)


def _promoted(dtype):
    """The type of a sum or product of elements: at least that of Python's, or C's, integers."""
    if dtype.kind == "b" or (dtype.kind == "i" and dtype.itemsize < np.dtype(int).itemsize):
        return np.dtype(int)
    if dtype.kind == "u" and dtype.itemsize < np.dtype(np.uint).itemsize:
        return np.dtype(np.uint)
    return dtype


def _is_same(a, b):
    return (
        a.__array_interface__["data"][0] == b.__array_interface__["data"][0]
        and a.shape == b.shape
        and a.strides == b.strides
        and a.dtype == b.dtype
    )


def _takes(out, a, shape, dtype):
    """Whether results may go to `out` as they are."""
    return (
        type(out) is np.ndarray
        and out.shape == shape
        and out.dtype == dtype
        and out.flags.writeable
        and (_is_same(a, out) or not np.may_share_memory(a, out))
    )


def _accumulate(op, x, axis, dtype, out, *, promotes=True, kind="inclusive", flags=0):
    """The results for what _as_array() gave, or None: NumPy is to do it."""
    if x is None:
        return None
    try:
        if axis is None:
            x, axis = x.reshape(-1), 0
        else:
            axis = _axis_of(axis, x)
        if dtype is not None:
            dtype = np.dtype(dtype)
    except Exception:
        return None
    if dtype is None:
        dtype = out.dtype if type(out) is np.ndarray else _promoted(x.dtype) if promotes else x.dtype
        if out is not None and dtype != x.dtype:
            return None
    if dtype.kind == "b" or (x.dtype != dtype and not _is_pair(x.dtype, dtype)) or not _are_bits(x):
        return None
    shape = x.shape[:axis] + (x.shape[axis] + (kind == "offsets"),) + x.shape[axis + 1 :]
    if out is None:
        y = np.empty_like(x, dtype, shape=shape)
    elif _takes(out, x, shape, dtype):
        y = out
    else:
        return None
    done = _core.run(x, y, OPS[op], KINDS[kind], axis, 0, flags, None, None, None, None, None)
    return y if done else None


def _is_pair(x, y):
    """Whether conversions are the library's: without loss, or as NumPy rounds them."""
    return np.can_cast(x, y, "safe") or (x.kind in "biu" and y.kind == "f" and y.itemsize >= 4)


def _numpys(name, op, a, axis, dtype, out, flags=0):
    x = _as_array(a)
    y = _accumulate(op, x, axis, dtype, out, flags=flags)
    if y is not None:
        return y
    return NUMPY[name](a if x is None else x, axis=axis, dtype=dtype, out=out)


# ---- NumPy's functions ----------------------------------------------------------------------------------------------


def cumsum(a, axis=None, dtype=None, out=None):
    """The cumulative sum along an axis, as `numpy.cumsum`.

    Parameters
    ----------
    a : array_like
        What is summed. Types that are not scanned here, and subclasses, are left to NumPy.
    axis : int, optional
        None: `a` is flattened, in C order.
    dtype : dtype, optional
        Of the results, in which they are added up. None: that of `a`, and of integers and booleans at least that of C's
        long.
    out : ndarray, optional
        Where the results go, of their shape and type; may be `a` itself.

    Returns
    -------
    ndarray
        `out`, if that is given; else a new array, of the shape of `a` or, with ``axis=None``, of one dimension.

    Raises
    ------
    numpy.exceptions.AxisError, TypeError, ValueError
        As `numpy.cumsum`, before anything is written.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.cumsum(np.array([[1, 2, 3], [4, 5, 6]]), axis=1)
    array([[ 1,  3,  6],
           [ 4,  9, 15]])
    """
    return _numpys("cumsum", "plus", a, axis, dtype, out)


def cumprod(a, axis=None, dtype=None, out=None):
    """The cumulative product along an axis, as `numpy.cumprod`.

    Parameters, results and errors are those of `cumsum`.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.cumprod(np.array([1.0, 2.0, 3.0]))
    array([1., 2., 6.])
    """
    return _numpys("cumprod", "mul", a, axis, dtype, out)


def nancumsum(a, axis=None, dtype=None, out=None):
    """The cumulative sum with NaN as zero, as `numpy.nancumsum`.

    Parameters, results and errors are those of `cumsum`.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.nancumsum(np.array([1.0, np.nan, 3.0]))
    array([1., 1., 4.])
    """
    return _numpys("nancumsum", "plus", a, axis, dtype, out, SKIP_NAN)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The cumulative product with NaN as one, as `numpy.nancumprod`.

    Parameters, results and errors are those of `cumsum`.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.nancumprod(np.array([2.0, np.nan, 3.0]))
    array([2., 2., 6.])
    """
    return _numpys("nancumprod", "mul", a, axis, dtype, out, SKIP_NAN)


def _cumulative(name, op, x, axis, dtype, out, include_initial):
    a = _as_array(x)
    if a is not None and a.ndim > 0 and (axis is not None or a.ndim == 1):
        y = _accumulate(op, a, axis, dtype, out, kind="offsets" if include_initial else "inclusive")
        if y is not None:
            return y
    if NUMPY[name] is None:
        raise NotImplementedError(f"these arguments of {name} need NumPy 2.1, or are wrong")
    return NUMPY[name](x if a is None else a, axis=axis, dtype=dtype, out=out, include_initial=include_initial)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The cumulative sum along an axis, as `numpy.cumulative_sum`.

    Parameters
    ----------
    x : array_like
        What is summed.
    axis : int, optional
        May only be left out where `x` has one dimension.
    dtype, out
        As in `cumsum`.
    include_initial : bool, optional
        Whether the results begin with 0, of which there is then one more along the axis.

    Returns
    -------
    ndarray
        As `cumsum`.

    Raises
    ------
    ValueError
        `x` has more than one dimension, and no `axis` is given; and as `cumsum`.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    return _cumulative("cumulative_sum", "plus", x, axis, dtype, out, include_initial)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The cumulative product along an axis, as `numpy.cumulative_prod`.

    Parameters, results and errors are those of `cumulative_sum`; the initial value is 1.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.cumulative_prod(np.array([2, 3]), include_initial=True)
    array([1, 2, 6])
    """
    return _cumulative("cumulative_prod", "mul", x, axis, dtype, out, include_initial)


# ---- What NumPy has as accumulate -----------------------------------------------------------------------------------


def _accumulates(op, ufunc, a, axis, out, x):
    y = _accumulate(op, x, axis, None, out, promotes=False)
    if y is not None:
        return y
    a = np.asanyarray(a if x is None else x)
    return ufunc.accumulate(a.ravel() if axis is None else a, axis=-1 if axis is None else axis, out=out)


def _extreme(op, ufunc, a, axis, out, return_indices):
    if return_indices:
        return _with_indices(op, _any_array(a), axis, out)
    return _accumulates(op, ufunc, a, axis, out, _as_array(a))


def _with_indices(op, x, axis, out):
    x = x.reshape(-1) if axis is None else x
    axis = 0 if axis is None else _axis_of(axis, x)
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError("out must be an array")
    y, indices = np.empty(x.shape, x.dtype), np.empty(x.shape, np.int64)
    if not _core.run(x, y, OPS[op], KINDS["inclusive"], axis, 0, 0, None, None, indices, None, None):
        raise TypeError(f"no indices for arrays of type {x.dtype}, or of so many dimensions")
    if out is None:
        return y, indices
    if out.shape != y.shape:
        raise ValueError(f"out has the shape {out.shape}, not {y.shape}")
    np.copyto(out, y, casting="unsafe")
    return out, indices


def cummax(a, axis=None, out=None, return_indices=False):
    """The cumulative maximum along an axis, as `numpy.maximum.accumulate`: a NaN propagates. Of equal elements, as 0.0
    and -0.0 are, the first stays.

    Parameters
    ----------
    a : array_like
        Real numbers, or booleans.
    axis : int, optional
        None: `a` is flattened, in C order.
    out : ndarray, optional
        Where the results go, of their shape and type; may be `a` itself.
    return_indices : bool, optional
        Whether to tell which element along the axis each result is, too: of equal ones the first.

    Returns
    -------
    ndarray, or tuple of two
        The results, of the type of `a`; and their indices, int64.

    Raises
    ------
    numpy.exceptions.AxisError, TypeError, ValueError
        As `numpy.maximum.accumulate`; TypeError, too, if there are no indices for the type.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.cummax(np.array([1, 3, 2, 5]), return_indices=True)
    (array([1, 3, 3, 5]), array([0, 1, 1, 3]))
    """
    return _extreme("max", np.maximum, a, axis, out, return_indices)


def cummin(a, axis=None, out=None, return_indices=False):
    """The cumulative minimum along an axis, as `numpy.minimum.accumulate`: a NaN propagates.

    Parameters, results and errors are those of `cummax`.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.cummin(np.array([3, 1, 2]))
    array([3, 1, 1])
    """
    return _extreme("min", np.minimum, a, axis, out, return_indices)


def logcumsumexp(a, axis=None, out=None):
    """The logarithm of the cumulative sum of exponentials along an axis, as `numpy.logaddexp.accumulate`.

    Parameters
    ----------
    a : array_like
        Real numbers; integers become float64.
    axis, out
        As in `cummax`.

    Returns
    -------
    ndarray
        Floats; nothing overflows.

    Raises
    ------
    numpy.exceptions.AxisError, TypeError, ValueError
        As `numpy.logaddexp.accumulate`.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.logcumsumexp(np.array([1000.0, 1000.0])) - 1000
    array([0.        , 0.69314718])
    """
    x = _as_array(a)
    if x is not None and x.dtype.kind in "biu":
        x = x.astype(np.float64)
    return _accumulates("logaddexp", np.logaddexp, a, axis, out, x)


# ---- The general scan -----------------------------------------------------------------------------------------------


def scan(
    a, op="plus", *, axis=-1, kind="inclusive", reverse=False, init=None, dtype=None, out=None, return_total=False,
    skip_nan=False, accurate=False, reproducible=False, monotone=False, checked=False, starts=None, flags=None, keys=None, _by=None,
):  # fmt: skip
    """A scan along an axis by any operator, of any kind.

    Parameters
    ----------
    a : array_like
        What is scanned.
    op : {"plus", "max", "min", "mul", "logaddexp", "and", "or", "xor"}
        The operator.
    axis : int, optional
        The axis, the last by default.
    kind : {"inclusive", "exclusive", "offsets"}
        Whether a result has its element; offsets has one result more along the axis, the initial value first.
    reverse : bool, optional
        From the last element to the first.
    init : scalar, optional
        What comes before the first element. None: the identity of the operator; of max the least value of the type.
    dtype : dtype, optional
        Of the results, in which elements are combined. None: that of `a`, which is not promoted.
    out : ndarray, optional
        Where the results go, of their shape and type; may be `a` itself.
    return_total : bool, optional
        Whether to return init and all elements combined, too.
    skip_nan : bool, optional
        A NaN counts as the identity.
    accurate : bool, optional
        Sums and products of floats are combined in twice their digits, float32 in float64 and float64 in pairs of it,
        and each result is rounded once. Complex ones too, but for products of complex128.
    reproducible : bool, optional
        Floats are added and multiplied in one order, so that results have the same bits on every machine.
    monotone : bool, optional
        No sum of elements >= 0 is less than the one before it, and an element that is 0 leaves it as it was; by "mul" no
        product of elements >= 1, and 1. Without it rounding errors may do either.
    checked : bool, optional
        An integer that does not fit raises OverflowError, else it wraps around.
    starts : array_like of integers, optional
        Segments along the axis, each of which is scanned by itself, from `init`: segment k is elements ``starts[k]`` to
        ``starts[k + 1] - 1``, and may be empty. Ascends from 0 to the length of the axis. All positions along other axes
        have the same segments. At most one of `starts`, `flags` and `keys` is given.
    flags : array_like, optional
        One for each element along the axis: where it is not 0, or True, a segment begins.
    keys : array_like, optional
        One for each element along the axis, of a type that is scanned: where it is unlike the one before it, a segment
        begins; also at each NaN. So neighbours with equal keys are a segment, as of `itertools.groupby`.

    Returns
    -------
    ndarray, or tuple of two
        The results; and totals, of the shape of `a` without the axis. With `starts` totals are those of segments: of the
        shape of `a` with their number, ``len(starts) - 1``, in place of the axis.

    Raises
    ------
    numpy.exceptions.AxisError
        `a` has no such axis.
    OverflowError
        With `checked`; `out` then has the results, wrapped around.
    TypeError
        The operator does not go with the type, `a` or `init` is not converted to `dtype`, or `a` is a masked array.
    ValueError
        An argument has none of its values, or `out` is not of the shape of the results, or overlaps `a`. Segments do
        not fit the axis, or are asked for offsets or, but with `starts`, for totals.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> mmscan.scan(np.array([1, 2, 3]), kind="offsets")
    array([0, 1, 3, 6])
    >>> mmscan.scan(np.array([1, 2, 3, 4]), starts=[0, 1, 4], return_total=True)
    (array([1, 2, 5, 9]), array([1, 9]))
    >>> mmscan.scan(np.array([1, 1, 1, 1, 1]), keys=[7, 7, 8, 8, 7])
    array([1, 2, 1, 2, 1])
    >>> mmscan.scan(np.array([1.0, 2.0, 3.0]), "mul", reverse=True, return_total=True)
    (array([6., 6., 3.]), array(6.))
    """
    if op not in OPS:
        raise ValueError(f"op is {op!r}, not one of {', '.join(OPS)}")
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}, not one of {', '.join(KINDS)}")
    x = _any_array(a)
    axis = _axis_of(axis, x)
    segments = _segments(x.shape[axis], starts, flags, keys)
    if segments is not None:
        _check_segmented(segments, kind, return_total, _by)
    dtype = x.dtype if dtype is None else np.dtype(dtype)
    shape = x.shape[:axis] + (x.shape[axis] + (kind == "offsets"),) + x.shape[axis + 1 :]
    if out is not None and not (type(out) is np.ndarray and out.shape == shape and out.dtype == dtype):
        raise ValueError(f"out must be an array of shape {shape} and type {dtype}")
    if dtype.kind == "b":
        if x.dtype.kind != "b" or op in ("plus", "logaddexp"):
            raise TypeError(f"{op} does not scan {x.dtype} into bool")
        init = True if init is None and op in ("min", "and") else init
    start = None if init is None else _initial(init, dtype)
    y = out if out is not None and _is_plain(out) else np.empty_like(x, dtype, shape=shape)
    count = () if segments is None else (segments[1].size - 1,)
    totals = np.empty(x.shape[:axis] + x.shape[axis + 1 :] + count, dtype) if return_total else None
    asked = {SKIP_NAN: skip_nan, ACCURATE: accurate, REPRODUCIBLE: reproducible, MONOTONE: monotone, CHECKED: checked}
    choices = sum(flag for flag, is_asked in asked.items() if is_asked)
    if out is not None and not out.flags.writeable:
        raise ValueError("out is read-only")
    whole, parts = (totals, None) if segments is None else (None, (*segments, totals))
    if not _core.run(x, y, OPS[op], KINDS[kind], axis, bool(reverse), choices, start, whole, None, _by, parts):
        if np.may_share_memory(x, y) and not _is_same(x, y):
            raise ValueError("out overlaps the input, and is not exactly in place")
        if segments is not None and segments[0] == STARTS:
            _check_starts(segments[1], x.shape[axis])
        raise TypeError(f"{op} does not scan {x.dtype} into {dtype}, or not in so many dimensions")
    if out is not None and y is not out:
        np.copyto(out, y)
        y = out
    if segments is not None and return_total:
        totals = np.moveaxis(totals, -1, axis)
    return (y, totals) if return_total else y


def _segments(n, starts, flags, keys):
    """The form of segments of n elements, and an array that says it; None: there are none."""
    given = [
        (form, name, np.asarray(data))
        for form, name, data in [(STARTS, "starts", starts), (FLAGS, "flags", flags), (KEYS, "keys", keys)]
        if data is not None
    ]
    if not given:
        return None
    if len(given) > 1:
        raise ValueError(f"{given[0][1]} and {given[1][1]} are given, of which one may be")
    form, name, data = given[0]
    if data.ndim != 1:
        raise ValueError(f"{name} must have one dimension, and have {data.ndim}")
    data = _starts(data) if form == STARTS else _for_each(n, form, name, data)
    return form, np.ascontiguousarray(data, _native(data.dtype))


def _starts(starts):
    if starts.size == 0:
        raise ValueError("starts must have one element more than there are segments")
    if starts.dtype.kind not in "iu":
        raise TypeError(f"starts must be integers, and are {starts.dtype}")
    return starts if starts.dtype in (np.int32, np.int64) else starts.astype(np.int64)


def _check_starts(starts, n):
    if starts[0] != 0 or starts[-1] != n or (starts[1:] < starts[:-1]).any():
        raise ValueError(f"starts must ascend from 0 to {n}, the length of the axis")


def _for_each(n, form, name, data):
    """Flags or keys."""
    if data.size != n:
        raise ValueError(f"{name} must be {n}, as many as elements along the axis, and are {data.size}")
    if form == FLAGS:
        return data if data.dtype == np.uint8 else data != 0
    if data.dtype.kind not in "biufc" or data.dtype.char in "gG":
        raise TypeError(f"keys are {data.dtype}, which is no type that is scanned")
    return data != 0 if data.dtype.kind == "b" else data


def _check_segmented(segments, kind, return_total, by):
    if by is not None:
        raise ValueError("parts on several ranks are not scanned by segments")
    if kind == "offsets":
        raise ValueError("segments have no offsets: each would have one more")
    if return_total and segments[0] != STARTS:
        raise ValueError("totals of segments are for those given by starts")


def _initial(init, dtype):
    """What a scan begins with, as the library takes it."""
    rank = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    value = np.asarray(init)
    if value.ndim:
        raise ValueError("init must be a scalar")
    if rank.get(value.dtype.kind, 4) > rank.get(dtype.kind, -1):
        raise TypeError(f"init is {init!r}, which is no {dtype}")
    return np.array(init, dtype)


def info():
    """What the library is and uses.

    Returns
    -------
    dict
        version, cpu, isa (the instruction set), engines, threads and openmp (the runtime's file).

    Examples
    --------
    >>> import mmscan
    >>> mmscan.info()["engines"]
    ['gemm', 'simd', 'serial']
    """
    version, cpu, isa, engines = _core.library()
    return {
        "version": version,
        "cpu": cpu,
        "isa": isa,
        "engines": engines,
        "threads": _core.get_num_threads(),
        "openmp": OPENMP,
    }


_GENERAL = (cumsum, cumprod, nancumsum, nancumprod, cummax, cummin)
_core.set_general(_GENERAL, tuple(f"{f.__name__}{inspect.signature(f)}\n--\n\n{inspect.getdoc(f)}" for f in _GENERAL))
