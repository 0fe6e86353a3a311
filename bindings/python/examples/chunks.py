"""Running sums of an array in chunks, by Dask: each chunk is scanned by mmscan, and what comes before it is added."""

import dask.array as da
import mmscan.dask

if __name__ == "__main__":
    x = da.random.default_rng(1).random((1000, 10**5), chunks=(250, 25000))
    y = mmscan.dask.cumsum(x, axis=1)
    print(f"{y.npartitions} chunks; the last of the first row is {y[0, -1].compute():.6f}, its sum {x[0].sum().compute():.6f}")
