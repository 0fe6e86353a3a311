"""doctests.py README: runs the examples in docstrings, and compares what the README's Python prints with what it says."""

import contextlib
import doctest
import importlib
import io
import re
import sys

import mmscan
import mmscan._core
import mmscan._functions
import mmscan._patch
import mmscan._series

modules = [mmscan, mmscan._core, mmscan._functions, mmscan._patch, mmscan._series]
for name in ["dask", "mpi"]:
    with contextlib.suppress(ImportError):  # of what they need
        modules.append(importlib.import_module(f"mmscan.{name}"))

failed = tried = 0
for module in modules:
    finder = doctest.DocTestFinder(recurse=False)
    for item in [module, *vars(module).values()]:
        if item is module or (callable(item) and getattr(item, "__module__", None) == module.__name__):
            for test in finder.find(item, getattr(item, "__name__", "?"), module=False, globs={}):
                result = doctest.DocTestRunner().run(test)
                failed, tried = failed + result.failed, tried + result.attempted
undocumented = [name for name in mmscan.__all__ if not getattr(mmscan, name).__doc__]

program, text = re.search(r"^```python\n(.*?)^```\n```text\n(.*?)^```$", open(sys.argv[1]).read(), re.M | re.S).groups()
with contextlib.redirect_stdout(io.StringIO()) as printed:
    exec(program, {})
tried += 1
if printed.getvalue() != text:
    failed += 1
    print(f"FAILED: {sys.argv[1]} says\n{text}and its Python prints\n{printed.getvalue()}")
print(f"{tried - failed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0 or tried < 20 or bool(undocumented))
