"""Scans of NumPy arrays: cumulative sums, products, maxima and others, by libmmscan.

>>> import numpy as np, mmscan
>>> mmscan.cumsum(np.array([1.0, 2.0, 3.0, 4.0]))
array([ 1.,  3.,  6., 10.])
>>> mmscan.scan(np.array([3, 1, 4, 1]), "plus", kind="exclusive")
array([0, 3, 4, 8])
>>> with mmscan.patch_numpy():
...     np.cumsum([1, 2, 3])
array([1, 3, 6])
"""

from . import _openmp  # isort: skip  (loads what the next one needs)
from ._core import cummax, cummin, cumprod, cumsum, get_num_threads, nancumprod, nancumsum, set_num_threads
from ._functions import cumulative_prod, cumulative_sum, info, logcumsumexp, scan
from ._patch import patch_numpy
from ._series import integral, lfilter, recurrence

__version__ = info()["version"]

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "get_num_threads",
    "info",
    "integral",
    "lfilter",
    "logcumsumexp",
    "nancumprod",
    "nancumsum",
    "patch_numpy",
    "recurrence",
    "scan",
    "set_num_threads",
]
