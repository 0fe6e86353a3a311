#!/usr/bin/env python3
"""The paper's algorithm in NumPy, as the text has it, for test_paper.c to compare with.

Standard input holds lines "s k x0 x1 ..."; for each, the prefix sums of x are written as a line of numbers.
With --check it only tells, by its exit status, whether it can run here.
"""
import sys

try:
    import numpy
except ImportError:
    sys.exit("NumPy is missing")


def times(matrix, vector):
    """Multiplies each s neighbours of the vector, as a column; pads with zeros to whole s-by-s matrices."""
    s = len(matrix)
    whole = -(-len(vector) // (s * s)) * s * s
    columns = numpy.zeros(whole)
    columns[: len(vector)] = vector
    squares = columns.reshape(-1, s, s).swapaxes(1, 2)
    return (matrix @ squares).swapaxes(1, 2).reshape(-1)[: len(vector)]


def scan(x, s, k):
    lower = numpy.tril(numpy.ones((s, s)))
    spread = numpy.identity(s)
    spread[:, 0] = 1
    for level in range(k):
        every = slice(s**level - 1, None, s**level)
        x[every] = times(lower, x[every])
    for level in reversed(range(1, k)):
        every = slice(s**level - 1, None, s ** (level - 1))
        x[every] = times(spread, x[every])
    return x


def main():
    for line in sys.stdin:
        s, k, *x = line.split()
        print(*(int(v) for v in scan(numpy.array(x, dtype=float), int(s), int(k))))


if __name__ == "__main__" and "--check" not in sys.argv:
    main()
