"""For asv: cumsum of NumPy, mmscan and numba on the same arrays. Run by `asv run` in this folder."""

import numpy as np

import mmscan

try:
    import numba
except ImportError:
    numba = None


def loop_of():
    @numba.njit
    def loop(x, out):
        total = x.dtype.type(0)
        for i in range(x.size):
            total += x[i]
            out[i] = total

    return loop


class Cumsum:
    params = [["numpy", "mmscan", "numba"], ["float32", "float64", "int64"], [10, 1000, 10**6, 10**7]]
    param_names = ["library", "dtype", "n"]

    def setup(self, library, dtype, n):
        self.x, self.y = np.ones(n, dtype), np.empty(n, dtype)
        if library == "numba":
            if numba is None:
                raise NotImplementedError
            loop = loop_of()
            self.function = lambda x, out: loop(x, out)
            self.function(self.x, self.y)
        else:
            self.function = {"numpy": np, "mmscan": mmscan}[library].cumsum

    def time_out(self, library, dtype, n):
        self.function(self.x, out=self.y)


class Axes:
    params = [["numpy", "mmscan"], [((1000, 1000), 0), ((1000, 1000), 1), ((10**6, 4), 0)]]
    param_names = ["library", "shape and axis"]

    def setup(self, library, where):
        self.x = np.ones(where[0])
        self.y = np.empty_like(self.x)
        self.cumsum = {"numpy": np, "mmscan": mmscan}[library].cumsum

    def time_out(self, library, where):
        self.cumsum(self.x, axis=where[1], out=self.y)
