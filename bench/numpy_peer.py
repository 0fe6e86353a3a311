"""NumPy's cumsum, OpenCV's integral, and SciPy's lfilter, timed on request. The requests come by standard input, a line
each; the data is that of number.c. Scans in place are timed on zeros, as everywhere."""

import importlib
import sys
import time

import numpy as np

PIECE = 1 << 20


def pieces(n):
    return ((a, min(a + PIECE, n)) for a in range(0, n, PIECE))


def values(a, b, sparse):
    h = np.arange(a, b, dtype=np.uint32) * np.uint32(0x9E3779B1)
    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    v = ((h ^ (h >> np.uint32(13))) % np.uint32(9)).astype(np.int64) - 4
    if sparse:
        i = np.arange(a, b)
        v = np.where((i >> 20 == 0) | (i % 1024 == 0), v + 4, 0)
    return v


def checksum(y):
    total = 0
    for a, b in pieces(len(y)):
        places = np.arange(a + 1, b + 1, dtype=np.uint64)
        total += int((places * y[a:b].astype(np.int64).astype(np.uint64)).sum(dtype=np.uint64))
    return total % 2**64


def parts(x):
    """All numbers of an array, of complex ones both parts."""
    return x.reshape(-1).view(x.real.dtype)


def load(code, to, outer, length, inner, sparse, in_place):
    x = np.empty((outer, length, inner) if inner > 1 else (outer, length) if outer > 1 else length, code)
    flat = parts(x)
    for a, b in pieces(len(flat)):
        flat[a:b] = values(a, b, sparse)
    y = x if in_place else np.zeros(x.shape, to)
    np.cumsum(x, axis=min(1, x.ndim - 1), dtype=y.dtype, out=y)
    total = checksum(parts(y))
    if in_place:
        y.fill(0)
    return x, y, total


def scan(x, y):
    axis = min(1, x.ndim - 1)
    return lambda: np.cumsum(x, axis=axis, dtype=y.dtype, out=y)


def has(module):
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def opencv():
    """The module, set to one thread."""
    import cv2

    cv2.setNumThreads(1)
    return cv2


def signals_of(code, count, length):
    x = np.empty((count, length), code)
    for a, b in pieces(x.size):
        x.reshape(-1)[a:b] = values(a, b, False)
    return x


def lfilter(code, count, length, coefficients):
    """What filters signals, and the sum of all results. The coefficients, of B and A in turns, have the type of x, so
    that the results have it."""
    from scipy.signal import lfilter as scipy_lfilter

    x = signals_of(code, count, length)
    b, a = (np.array(coefficients[i::2], code) for i in (0, 1))
    return lambda: scipy_lfilter(b, a, x), float(scipy_lfilter(b, a, x).sum(dtype=float))


def image(code, to, rows, columns, sparse):
    """What makes an integral image, and whether it is right; None: OpenCV has no such types. Its integers are signed."""
    cv2 = opencv()
    x = np.empty((rows, columns), code)
    for a, b in pieces(x.size):
        x.reshape(-1)[a:b] = values(a, b, sparse)
    signed = to.replace("u", "i")
    y = np.zeros((rows + 1, columns + 1), signed)
    depth = {"i4": "CV_32S", "f4": "CV_32F", "f8": "CV_64F"}.get(signed)
    try:
        cv2.integral(x, y, sdepth=getattr(cv2, depth))
    except (cv2.error, TypeError):
        return None, "no"
    total = float(y[-1, -1]) - float(x.sum(dtype=np.int64))
    return lambda: cv2.integral(x, y, sdepth=getattr(cv2, depth)), "right" if abs(total) <= 1e-3 * x.size else "wrong"


def run(work, runs):
    start = time.perf_counter()
    for _ in range(runs):
        work()
    return time.perf_counter() - start


def main(_):
    print(np.__version__, flush=True)
    works = {}  # by the form of a contender, 0 but for filters
    for line in sys.stdin:
        words = line.split()
        if words[0] == "load":
            x = y = None
            works.clear()
            x, y, total = load(words[1], words[2], *map(int, words[3:]))
            works[0] = scan(x, y)
            print(total, flush=True)
        elif words[0] == "has":
            print("yes" if has(words[1]) else "no", flush=True)
        elif words[0] == "image":
            works.clear()
            works[0], verdict = image(words[1], words[2], *map(int, words[3:]))
            print(verdict, flush=True)
        elif words[0] == "filter":
            form, count, length = int(words[1]), int(words[3]), int(words[4])
            works.pop(form, None)
            works[form], total = lfilter(words[2], count, length, list(map(float, words[5:])))
            print(repr(total), flush=True)
        else:
            print(repr(run(works[int(words[1])], int(words[2]))), flush=True)
