"""Threads, fork, patching, running scripts, and what an import costs."""

import concurrent.futures
import importlib.metadata
import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

import mmscan


def python(code, **environment):
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, env={**os.environ, **environment}
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def total(n):
    return mmscan.cumsum(np.ones(n))[-1]


def test_eight_threads_at_once():
    sizes = [10, 1000, 10**5, 10**6] * 8
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(total, sizes)) == sizes


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_after_use(method):
    assert total(10**6) == 10**6
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(total, [10**6, 1000]) == [10**6, 1000]


def test_number_of_threads():
    before = mmscan.get_num_threads()
    mmscan.set_num_threads(1)
    try:
        assert mmscan.get_num_threads() == 1 and total(10**6) == 10**6
    finally:
        mmscan.set_num_threads(0)
    assert mmscan.get_num_threads() == before
    for n in [-1, 70000, 2**80, -(2**80)]:
        with pytest.raises(ValueError):
            mmscan.set_num_threads(n)


def test_one_thread_starts_no_other():
    out = python(
        "import numpy, os, mmscan\n"
        "x = numpy.ones((4, 10**6)); keys = numpy.arange(10**6) // 1000\n"
        "calls = [lambda: mmscan.scan(x, keys=keys), lambda: mmscan.recurrence(0.5, x),\n"
        "         lambda: mmscan.lfilter([1.0], [1.0, -0.5], x), lambda: mmscan.integral(x)]\n"
        "def most(n):\n"
        "  mmscan.set_num_threads(n); before = len(os.listdir('/proc/self/task'))\n"
        "  for call in calls: call()\n"
        "  return len(os.listdir('/proc/self/task')) - before\n"
        "print(most(1), most(3) > 0)",
        OPENBLAS_NUM_THREADS="1",
    )
    assert out == "0 True\n"


def test_no_thread_and_no_blas_at_import():
    out = python(
        "import numpy, os\n"
        "def seen():\n"
        "  blas = {line.split()[-1] for line in open('/proc/self/maps') if 'blas' in line}\n"
        "  return len(os.listdir('/proc/self/task')), blas\n"
        "before = seen(); import mmscan; mmscan.info(); mmscan.cumsum(numpy.ones(10))\n"
        "print(before == seen())"
    )
    assert out == "True\n"


@pytest.mark.parametrize("first", ["", "torch", "sklearn.neighbors"])
@pytest.mark.parametrize("last", ["", "torch", "sklearn.neighbors"])
def test_one_openmp(first, last):
    """Ours is that of whoever came first."""
    for module in {first, last} - {""}:
        pytest.importorskip(module)
    imports = [f"import {name}\n" if name else "" for name in (first, last)]
    out = python(
        imports[0] + "import numpy, mmscan\nx = numpy.ones(10**6)\nassert mmscan.cumsum(x)[-1] == 10**6\n" + imports[1]
        + "maps = {line.split()[-1] for line in open('/proc/self/maps')}\n"
        "print(*(name for name in maps if 'gomp' in name or 'libomp' in name))\n"
        "assert mmscan.cumsum(x)[-1] == 10**6"
    )
    runtimes = out.split()
    assert len(runtimes) == 1 if not last or last == first else len(runtimes) >= 1


def test_version():
    assert importlib.metadata.version("mmscan") == mmscan.__version__ == mmscan.info()["version"]


def test_patch_nests_and_ends():
    theirs = np.cumsum
    with mmscan.patch_numpy():
        assert np.cumsum is mmscan.cumsum
        with pytest.raises(KeyError):
            with mmscan.patch_numpy():
                raise KeyError
        assert np.cumsum is mmscan.cumsum
        assert np.cumsum([1, 2]).tolist() == [1, 3]
    assert np.cumsum is theirs


def test_patch_twice_by_one_object():
    theirs, other = np.cumsum, lambda a: a
    patch = mmscan.patch_numpy()
    for _ in range(2):
        with patch:
            with patch:
                assert np.cumsum is mmscan.cumsum
            assert np.cumsum is mmscan.cumsum
        assert np.cumsum is theirs
    with mmscan.patch_numpy():
        np.cumsum = other
    assert np.cumsum is other
    np.cumsum = theirs


def test_loaded_again_while_patched():
    assert python(
        "import numpy, mmscan, importlib\n"
        "with mmscan.patch_numpy():\n"
        "  importlib.reload(mmscan._functions)\n"
        "  print(numpy.cumsum(numpy.array([1, 2], object)))"
    ) == "[1 3]\n"


def test_patch_for_good():
    assert python("import numpy, mmscan; mmscan.patch_numpy(); print(numpy.cumsum is mmscan.cumsum)") == "True\n"


def test_run_a_script(tmp_path):
    (tmp_path / "beside.py").write_text("")
    script = tmp_path / "script.py"
    script.write_text("import sys, numpy, mmscan, beside\nprint(numpy.cumsum is mmscan.cumsum, sys.argv[1:], __name__)\n")
    run = subprocess.run(
        [sys.executable, "-m", "mmscan", str(script), "-a", "b"], capture_output=True, text=True, timeout=120
    )
    assert run.stdout == "True ['-a', 'b'] __main__\n"
    assert subprocess.run([sys.executable, "-m", "mmscan"], capture_output=True, timeout=120).returncode == 2


def test_info():
    info = mmscan.info()
    assert info["version"] == mmscan.__version__ and "simd" in info["engines"] and info["threads"] >= 1


def test_large_arrays_on_every_path():
    n = 3 * 10**6 + 7
    x = np.arange(n) % 5
    for code in ["f4", "f8", "i4", "i8", "u1"]:
        a = x.astype(code)
        y = mmscan.cumsum(a, dtype="f8")
        assert y[-1] == x.sum() and np.array_equal(y, np.cumsum(x))


def test_an_illegal_environment_is_told():
    out = python(
        "import numpy, mmscan\n"
        "for function in [mmscan.cumsum, mmscan.scan, mmscan.logcumsumexp]:\n"
        "  try: function(numpy.ones(3))\n"
        "  except RuntimeError as error: print('MMSCAN_ENGINE' in str(error) and 'nonsense' in str(error))",
        MMSCAN_ENGINE="nonsense",
    )
    assert out.split() == ["True"] * 3
