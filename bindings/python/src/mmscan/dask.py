"""Cumulative sums of Dask's arrays: each chunk is scanned by mmscan, and what comes before it is added. Needs Dask."""

import operator

import numpy as np
from dask.array.reductions import cumreduction

from . import cumsum as _cumsum

__all__ = ["cumsum"]


def cumsum(darray, axis=None, method="blelloch"):
    """The cumulative sum of a Dask array along an axis; of its elements in row-major order, if that is None.

    darray : dask.array.Array, of any shape, chunks and type that `mmscan.cumsum` takes.
    method : "blelloch" adds up chunks first, and combines these sums in a tree, so that no chunk waits for more than
        log2 of their number; it goes through each twice. "sequential" scans a chunk after that before it.

    Returns a lazy Dask array of the same shape (flat, if axis is None) and chunks, of the type of np.cumsum. Nothing is
    changed, and any scheduler may compute it: the functions of chunks can be pickled, and let go of the interpreter's
    lock. Results have the error of `mmscan.cumsum` and one rounding more for each chunk before; integers wrap.

    Raises ValueError for another method, and what dask.array.cumsum raises for a wrong axis.

    >>> import dask.array as da, mmscan.dask
    >>> mmscan.dask.cumsum(da.arange(6, chunks=4), axis=0).compute()
    array([ 0,  1,  3,  6, 10, 15])
    """
    if method not in ("blelloch", "sequential"):
        raise ValueError(f"method is 'blelloch' or 'sequential', not {method!r}")
    dtype = _cumsum(np.ones(0, darray.dtype)).dtype
    return cumreduction(_cumsum, operator.add, 0, darray, axis=axis, dtype=dtype, method=method, preop=np.sum)
