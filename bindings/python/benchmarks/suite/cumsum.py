"""For asv: cumsum of NumPy, mmscan, numba and bottleneck on the same arrays. Run by `asv run` in the folder above."""

import numpy as np

import mmscan


def numbas():
    import numba

    @numba.njit
    def cumsum(x, out):
        total = x.dtype.type(0)
        for i in range(x.size):
            total += x[i]
            out[i] = total

    return cumsum


def bottlenecks():
    """Bottleneck has no cumsum, but a moving sum, here over all that came before; without `out`."""
    import bottleneck

    return lambda x, out: bottleneck.move_sum(x, x.size, 1)


PEERS = {"numba": numbas, "bottleneck": bottlenecks}


def peer(name):
    """A cumsum(x, out), or None: it is not installed."""
    try:
        return PEERS[name]()
    except ImportError:
        return None


class Cumsum:
    params = [["numpy", "mmscan", *PEERS], ["float32", "float64", "int64"], [10, 1000, 10**6, 10**7]]
    param_names = ["library", "dtype", "n"]

    def setup(self, library, dtype, n):
        self.x, self.y = np.ones(n, dtype), np.empty(n, dtype)
        self.function = {"numpy": np.cumsum, "mmscan": mmscan.cumsum}.get(library) or peer(library)
        if not self.function:
            raise NotImplementedError
        self.function(self.x, out=self.y)

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
