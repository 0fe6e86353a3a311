"""Scans of arrays whose parts are on the ranks of MPI: the call of mmscan_mpi.h, for mpi4py. Needs mpi4py, and
libmmscan_mpi built for the same MPI (`make install-mpi`), or the path of that in MMSCAN_MPI."""

import ctypes
import os

from mpi4py import MPI

from . import _functions

__all__ = ["scan"]

REFUSED = 1, 2, 4  # mmscan.h: MMSCAN_EINVAL, MMSCAN_EOVERLAP, MMSCAN_ENOTSUP

# What MPI_Comm is differs: a number, or a pointer.
_Comm = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p


def _load():
    version = _functions.info()["version"]
    name = os.environ.get("MMSCAN_MPI") or "libmmscan_mpi.so." + version.split(".")[0]
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"mmscan.mpi needs libmmscan_mpi: install it, or let MMSCAN_MPI name it: {error}") from None
    library.mmscan_mpi_scan.argtypes = [ctypes.c_void_p] * 3 + [_Comm]
    return library


_LIBRARY = _load()


def _is_of_the_same_mpi():
    """Two copies of MPI in one process do not know of each other, and each is initialised by itself."""
    is_initialised = ctypes.c_int()
    _LIBRARY.MPI_Initialized(ctypes.byref(is_initialised))
    return bool(is_initialised.value) == MPI.Is_initialized()


class _Call:
    """mmscan_mpi_scan() on a communicator, which has to be called once on every rank, whatever comes of it on one."""

    def __init__(self, comm):
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm is no communicator of mpi4py: {comm!r}")
        if not _is_of_the_same_mpi():
            theirs = MPI.Get_library_version().splitlines()[0]
            raise RuntimeError(f"{_LIBRARY._name} is built for another MPI than mpi4py, which has: {theirs}")
        self.comm = _Comm.from_address(MPI._addressof(comm))
        self.was_made = False

    def __call__(self, desc, x, y):
        self.was_made = True
        status = _LIBRARY.mmscan_mpi_scan(desc, x, y, self.comm)
        if status in REFUSED and desc:
            raise ValueError("arguments are wrong on another rank or differ from its, the environment is wrong on some "
                             "rank, or comm is an inter-communicator")
        return status


def scan(a, op="plus", *, comm, **keywords):
    """A scan over the parts that the ranks of a communicator have, one after the other, as `mmscan.scan` of the whole.

    A collective call: every rank of `comm` makes it. Each reads its part twice, and they tell each other what a part
    adds up to, not elements; where that cannot be combined, as with `monotone`, they scan one after the other. Each has
    as many threads as the environment says (MMSCAN_NUM_THREADS); `set_num_threads` does not count here.

    Parameters
    ----------
    a : array_like
        This rank's part. Parts may differ in length along the axis, and may be empty.
    op : str, optional
        The operator, as of `mmscan.scan`.
    comm : mpi4py.MPI.Intracomm
        The communicator.
    **keywords
        The others of `mmscan.scan`, the same on every rank: `axis`, `kind`, `reverse`, `init`, `dtype`, `return_total`,
        `skip_nan`, `accurate`, `reproducible`, `monotone`, `checked`; and `out`, which is this rank's own. Offsets are
        one more than the part on every rank: the last is the first of the next. Totals are those of the whole.

    Returns
    -------
    ndarray, or tuple of two
        This rank's results, as of `mmscan.scan`: to the bit with `reproducible`, and where its operator is exact.

    Raises
    ------
    OverflowError
        With `checked`, on every rank, if a result does not fit on one.
    RuntimeError
        libmmscan_mpi is built for another MPI than mpi4py, or a call of MPI failed.
    ValueError
        On the others too, if arguments are wrong on one rank or differ; and as `mmscan.scan`.

    Examples
    --------
    >>> import numpy as np, mmscan.mpi
    >>> from mpi4py import MPI
    >>> mmscan.mpi.scan(np.array([1, 2, 3]), comm=MPI.COMM_SELF)
    array([1, 3, 6])
    """
    call = _Call(comm)
    try:
        return _functions.scan(a, op, _by=call, **keywords)
    finally:
        if not call.was_made:
            call(None, None, None)
