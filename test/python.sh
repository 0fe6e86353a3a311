#!/bin/sh
# Makes the Python package's wheel around the library in $BUILD, installs it into a virtual environment without a network,
# and tests it there: its own tests, beside scikit-learn, Arrow, Dask, SciPy, pandas and OpenCV, and by MPI; the examples
# in its docstrings and in README.md, and the lines of doc/FROM.md; NumPy's tests of these functions, with numpy.cumsum and
# its kin by mmscan, and SciPy's of filters, with lfilter by mmscan. 77: PyPI cannot be reached.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
PYTHON=${PYTHON:-python3}
venv=$BUILD/python

"$PYTHON" -m venv --clear "$venv"
pip() { "$venv/bin/pip" --disable-pip-version-check --quiet "$@"; }
pip download --no-deps -d "$venv/reached" iniconfig || { echo "skipped: PyPI cannot be reached"; exit 77; }

# What is compiled is taken from $BUILD, all but the object that knows the BLAS.
library=$BUILD/python-library
rm -rf "$library"
mkdir "$library"
(cd "$BUILD" && cp -pR flags objects blas lib libmmscan.a "$library")
arguments=${MAKE_ARGUMENTS:-CC=gcc WERROR=1}
scripts/wheel -C "cmake.define.MMSCAN_BUILD=$library" \
  -C "cmake.define.MMSCAN_MAKE_ARGUMENTS=$arguments BLAS=none" >"$venv/wheel.log" 2>&1 ||
  { cat "$venv/wheel.log"; exit 1; }
# Most of their files are never imported; those that are, are compiled once.
unset PYTHONDONTWRITEBYTECODE
pip install --no-compile 'numpy>=2.1' pytest hypothesis scikit-learn pyarrow 'dask[array]' distributed mpi4py mpich \
  scipy pandas opencv-python-headless
pip install --no-index "$BUILD"/wheel/mmscan-*.whl

status=0
offline=
if unshare --map-root-user --net true 2>/dev/null; then
  printf '%s\n' 'ip link set lo up 2>/dev/null || :' 'exec "$@"' >"$venv/offline" # the machine itself can be reached
  offline="unshare --map-root-user --net sh $venv/offline"
fi

# tested NAME ARGUMENT ...: runs pytest, and prints its counts as every test here does.
# shellcheck disable=SC2086 # $offline is a command and its options
tested() {
  name=$1
  shift
  (cd "$venv" && $offline "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider "$@") >"$venv/$name.log" 2>&1 || status=1
  tail -n 40 "$venv/$name.log"
  sed -n '$!d; s/ in [0-9.].*//; p' "$venv/$name.log" | awk -v name="$name" '{
    for (i = 2; i <= NF; i++) { word = $i; sub(/,$/, "", word); n[word] = $(i - 1) }
    print name ":"
    print n["passed"] + n["xfailed"] + 0 ", " n["failed"] + n["error"] + n["errors"] + 0 " failed, " n["skipped"] + 0 " skipped" }' |
    sed 's/^\([0-9]*\), /\1 passed, /'
}

# by_mpi NAME MPICC MPIRUN LIBRARY: mmscan.mpi with libmmscan_mpi that MPICC compiles for the MPI of this library
# shellcheck disable=SC2086 # $arguments are some
by_mpi() {
  make -s $arguments BUILD="$BUILD" MPI_BUILD="$venv/$1" MPICC="$2" mpi || status=1
  export MMSCAN_MPI="$venv/$1/libmmscan_mpi.so" MPIRUN="$3" MPI4PY_LIBMPI="$4"
  LD_LIBRARY_PATH=$BUILD tested "$1" "$tests/test_mpi.py"
}

tests=$PWD/bindings/python/tests
tested own "$tests" --ignore="$tests/test_mpi.py"
if command -v mpicc.openmpi >/dev/null; then
  by_mpi openmpi mpicc.openmpi mpirun.openmpi libmpi.so.40
else
  echo "skipped: mmscan.mpi by Open MPI: there is none here"
fi
by_mpi mpich "$venv/bin/mpicc" "$venv/bin/mpirun" "$venv/lib/libmpi.so.12"
LD_LIBRARY_PATH=$BUILD "$venv/bin/python" "$tests/doctests.py" README.md || status=1
sh test/docs/from.sh "$BUILD" python || status=1

# Whatever of NumPy's tests calls one of the six functions.
numpy=$("$venv/bin/python" -c 'import numpy, os; print(os.path.dirname(numpy.__file__))')
PYTHONPATH=$tests tested numpys -p mmscan_patched -k 'cum or Cum or accumulate or reduce' \
  "$numpy/lib/tests/test_function_base.py" "$numpy/lib/tests/test_nanfunctions.py" \
  "$numpy/_core/tests/test_multiarray.py" "$numpy/_core/tests/test_numeric.py" "$numpy/_core/tests/test_regression.py" \
  "$numpy/_core/tests/test_umath.py" "$numpy/_core/tests/test_ufunc.py" "$numpy/ma/tests/test_core.py" \
  "$numpy/matrixlib/tests"

# Whatever of SciPy's tests filters, for real types; what they do for others is SciPy's own.
scipy=$("$venv/bin/python" -c 'import scipy, os; print(os.path.dirname(scipy.__file__))')
PYTHONPATH=$tests tested scipys -p lfilter_patched -k 'LinearFilter or lfilter or LFilter or FiltFilt or SOSFilt' \
  "$scipy/signal/tests/test_signaltools.py"
exit $status
