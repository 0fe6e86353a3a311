"""The OpenMP runtime: one for the process. The extension needs GCC's libgomp, or one that has its functions, as LLVM's
and Intel's have, but names none: PyTorch, scikit-learn and others bring copies under names of their own, and a second one
would start as many threads again. So it gets the one that is loaded, else the system's, else the copy beside this file.
Made global, it also serves extensions that are loaded later."""

import ctypes
import os
import re

_RUNTIME = re.compile(r"(/.*/lib(?:gomp|omp|iomp5)(?:-[0-9a-f]+)?\.so[.0-9]*)$")


def _loaded():
    try:
        with open("/proc/self/maps") as maps:
            yield from (found.group(1) for found in map(_RUNTIME.search, map(str.rstrip, maps)) if found)
    except OSError:
        pass


def _candidates():
    yield from _loaded()
    yield "libgomp.so.1"
    yield os.path.join(os.path.dirname(__file__), "libgomp.so.1")


def load():
    """Loads the runtime, and returns its name. ImportError: there is none."""
    for name in _candidates():
        try:
            library = ctypes.CDLL(name, ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        if hasattr(library, "GOMP_parallel"):
            return name
    raise ImportError("mmscan needs an OpenMP runtime: install libgomp (Debian: libgomp1)")


OPENMP = load()
