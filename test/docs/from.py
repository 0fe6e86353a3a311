"""One side of a Python line of doc/FROM.md: from.py FOLDER K left|right. Prints its value.

Libraries that are not installed are replaced by what they are documented to do, by NumPy's functions."""

import importlib
import os
import sys
import types

import numpy as np


def cummax(a, dim):
    """torch.cummax along the last axis of two: the indices are those of the last of equal maxima."""
    values = np.maximum.accumulate(a, axis=dim)
    return values, [[np.flatnonzero(row[: i + 1] == y[i])[-1] for i in range(len(row))] for row, y in zip(a, values)]


STAND_INS = {
    "torch": types.SimpleNamespace(cumsum=lambda a, dim: np.cumsum(a, axis=dim), cummax=cummax),
    "jax": types.SimpleNamespace(lax=types.SimpleNamespace(associative_scan=lambda op, a: op.accumulate(a))),
    "jnp": np,
}
NAMES = {"scipy": "scipy.signal", "pd": "pandas", "torch": "torch", "jax": "jax", "jnp": "jax.numpy"}
OTHER_LANGUAGES = {
    'cumsum(A, 2, "reverse", "omitnan")': "np.nancumsum(a[:, ::-1], axis=1)[:, ::-1]",
    "accumulate(max, A; dims=2, init=2)": "np.maximum(np.maximum.accumulate(a, axis=1), 2)",
    "cumsum(x)": "np.cumsum(x)",
}


def library(name):
    try:
        module = importlib.import_module(NAMES[name])
    except ImportError:
        return STAND_INS[name]
    return sys.modules["scipy"] if name == "scipy" else module


def main():
    folder, k, side = sys.argv[1:]
    with open(os.path.join(folder, "given")) as given, open(os.path.join(folder, f"{k}.{side}")) as line:
        given, line = given.read(), line.read().strip()
    if side == "left":
        line = OTHER_LANGUAGES.get(line, line)
    names = {}
    exec(given, names)
    for name in NAMES:
        if name + "." in line:
            names[name] = library(name)
    torch = library("torch")
    names["t"] = torch.from_numpy(names["a"]) if torch is not STAND_INS["torch"] else names["a"]
    value = eval(line, names)
    for result in value if isinstance(value, tuple) else (value,):
        print(*np.asarray(result).ravel(), np.asarray(result).shape)


main()
