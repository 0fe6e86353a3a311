"""numpy.cumsum and its kin, by mmscan."""

import threading

import numpy as np

from . import _core, _functions

_OURS = {
    "cumsum": _core.cumsum,
    "cumprod": _core.cumprod,
    "nancumsum": _core.nancumsum,
    "nancumprod": _core.nancumprod,
    "cumulative_sum": _functions.cumulative_sum,
    "cumulative_prod": _functions.cumulative_prod,
}
_lock = threading.Lock()
_depth = 0


class patch_numpy:
    """Makes numpy.cumsum, cumprod, nancumsum, nancumprod, cumulative_sum and cumulative_prod those of mmscan.

    It does so for good, from the call on; or, in a ``with`` statement, up to its end, also by an exception. It may be
    nested. Names that were imported before (``from numpy import cumsum``) and methods of arrays (``a.cumsum()``) stay
    NumPy's, as they cannot be replaced. All threads of the process see it; processes that it starts do not, unless they are
    forked. A library that registers functions for its own arrays by NumPy's (``__array_function__``) is to be imported before.

    Examples
    --------
    >>> import numpy as np, mmscan
    >>> with mmscan.patch_numpy():
    ...     np.cumsum is mmscan.cumsum
    True
    >>> np.cumsum is mmscan.cumsum
    False
    """

    def __init__(self):
        self._begin()
        self._is_fresh = True

    def _begin(self):
        global _depth
        with _lock:
            _depth += 1
            for name, function in _OURS.items():
                if _functions.NUMPY[name] is not None:
                    setattr(np, name, function)

    def __enter__(self):
        if not self._is_fresh:
            self._begin()
        self._is_fresh = False
        return self

    def __exit__(self, *exception):
        global _depth
        with _lock:
            _depth -= 1
            for name, function in _OURS.items():
                if _depth == 0 and getattr(np, name, None) is function:
                    setattr(np, name, _functions.NUMPY[name])
        return False
