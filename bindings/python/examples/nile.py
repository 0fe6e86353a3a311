"""When did the level of the Nile change? The largest departure of the running sum of deviations from the mean (CUSUM).
Then how long it takes to add up 10^8 floats, and how far off the last sum is, beside NumPy: nile.py FILE [ELEMENTS]"""

import sys
import time

import numpy as np

import mmscan


def change(years, flow):
    """The year with the largest running sum of deviations, and that sum."""
    sums = mmscan.cumsum(flow - flow.mean())
    last = np.argmax(np.abs(sums))
    return int(years[last]), float(sums[last])


def race(n):
    x = np.full(n, 0.001, np.float32)
    y = np.empty_like(x)
    exact = n * float(x[0])
    for name, function in [("numpy", np.cumsum), ("mmscan", mmscan.cumsum)]:
        function(x, out=y)
        start = time.perf_counter()
        function(x, out=y)
        seconds = time.perf_counter() - start
        print(f"{name:7} {seconds:7.3f} s   off by {abs(float(y[-1]) - exact) / exact:.1e}")


if __name__ == "__main__":
    years, flow = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1, usecols=(0, 1), unpack=True)
    year, departure = change(years, flow)
    print(f"the Nile's flow fell after {year}: the sum of deviations is {departure:.0f} there")
    n = int(float(sys.argv[2])) if len(sys.argv) > 2 else 10**8
    print(f"cumsum of {n} floats of 0.001, on {mmscan.get_num_threads()} threads")
    race(n)
