#!/bin/sh
# libstdc++'s own tests of the scans and of partial_sum pass with the functions of mmscan.hpp, and so do those of oneDPL
# that libstdc++ has, which pass execution policies: test/cpp/libstdcxx.sh BUILD
#
# The tests are in GCC's sources, which Debian's package gcc-N-source puts into /usr/src, and scripts/fetch-gcc-source
# into BUILD/gcc-source. Here they are unpacked into a temporary folder, every name of a scan becomes one of namespace
# mmscan, and each test is compiled as C++17, if it is one of C++17, and as C++20, and is run; those of oneDPL, which
# take longest to compile, as C++17 alone. The symbols in its object tell which functions it called. Prints "N passed, N
# failed, N skipped".
set -eu
build=${1:?usage: libstdcxx.sh BUILD}
cd "$(dirname "$0")/../.."
CXX=${CXX:-g++}
for program in "$CXX" nm tar xz; do
  command -v "$program" >/dev/null || { echo "skipped: there is no $program here"; exit 77; }
done
[ -e "$build/libmmscan.so" ] || { echo "libstdcxx.sh: there is no $build/libmmscan.so; run make" >&2; exit 1; }
include=$(pwd)/include build=$(cd "$build" && pwd)

# The sources of the compiler's own version, as tests of another may need that one's headers; or else the newest.
sources() { find /usr/src "$build/gcc-source" -path "*/usr/src/gcc-$1/gcc-*.tar.xz" 2>/dev/null | sort -V | tail -n 1; }
scripts/fetch-gcc-source "$build/gcc-source" || [ $? = 77 ] # it says why
version=$("$CXX" -dumpversion)
tarball=$(sources "${version%%.*}")
tarball=${tarball:-$(sources '*')}
[ -n "$tarball" ] || {
  echo "skipped: there is no gcc-*.tar.xz in /usr/src (scripts/fetch-gcc-source fetches it)"
  exit 77
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
echo "the tests of $tarball"
tar -xJf "$tarball" -C "$tmp" --strip-components=3 --wildcards \
  '*/libstdc++-v3/testsuite/26_numerics/*_scan/*.cc' '*/libstdc++-v3/testsuite/26_numerics/partial_sum/*.cc' \
  '*/libstdc++-v3/testsuite/26_numerics/pstl/*scan.cc' '*/libstdc++-v3/testsuite/util/testsuite_*.h' \
  '*/libstdc++-v3/testsuite/util/pstl/*.h'
cd "$tmp"

# ---- How a test is built --------------------------------------------------------------------------------------------
# <execution> wants TBB, where there are TBB's headers. Its policies do without.
backend="without TBB" tbb="-D_GLIBCXX_USE_TBB_PAR_BACKEND=0"
printf '#include <execution>\nint main() {}\n' >try.cc
if "$CXX" -std=gnu++17 try.cc -ltbb -o try 2>/dev/null; then backend="with TBB" tbb=-ltbb; fi
echo "$CXX $version, <execution> $backend"

NAMES='(transform_)?(in|ex)clusive_scan|partial_sum'

# rewrite FROM TO: comments become empty, so that only code is counted on; messages keep the numbers of lines. What is
# declared in namespace std, to instantiate a template, is in namespace mmscan.
rewrite() {
  sed -E -e '\|^/\*|,\|\*/|s/.*//' -e 's|//.*||' -e 's/^namespace std$/namespace mmscan/' \
    -e "s/\<(std::)?($NAMES)\>/mmscan::\2/g" "$1" >"$2"
}

# What a line such as { dg-do run { target c++17 } } says of the test $source.
directive() { sed -nE "s/.*\{ *$1 +(.*)\}.*/\1/p" "$source"; }

# The first standard in which there are both the test and mmscan.hpp; and $more, if it is another.
standards() {
  first=$(directive dg-do | sed -nE 's/.*target +c\+\+([0-9][0-9a-z]).*/\1/p')
  case ${first:-17} in
    17 | 98 | 0? | 1?) echo "17 $more" ;;
    2a) echo 20 ;;
    *) echo "$first" ;;
  esac
}

# Whether the test's object has the functions of mmscan that its source names, and no scan from elsewhere. The file
# `names` gets what was called: these functions, and scans of the library, which they call.
calls_ours() {
  nm -C test.o >symbols
  grep -oE "mmscan::($NAMES)" test.cc | sort -u >names
  [ -s names ] || { echo "no scan is named here"; return 1; }
  while read -r function; do
    grep -qF " $function<" symbols || { echo "$function is named, but not called"; return 1; }
  done <names
  ! grep -E "(std|__pstl|__gnu_parallel)(::[a-z_0-9]+)*::($NAMES)<" symbols || { echo "these are not ours"; return 1; }
  sed -nE 's/^ *U (mmscan_((in|ex)clusive_.*|scan|execute))$/\1/p' symbols | sort -u | tee -a called >>names
}

# compile STANDARD ARG ...: not optimised, as an inlined function would have no symbol, and compiling takes most of the
# time.
compile() {
  standard=$1
  shift
  # shellcheck disable=SC2086 # $flags may be empty
  "$CXX" -std="gnu++$standard" -O0 -Iutil $flags "$@"
}

# try STANDARD: 0 if the test passes.
try() {
  compile "$1" -include mmscan.hpp -I"$include" -c test.cc -o test.o || return 1
  calls_ours || return 1
  [ "$kind" != compile ] || return 0
  # shellcheck disable=SC2086
  "$CXX" test.o -o program -L"$build" -Wl,-rpath,"$build" -lmmscan $flags || return 1
  timeout -k 9 300 ./program
}

# ---- The tests ------------------------------------------------------------------------------------------------------
passed=0 failed=0 skipped=0
find 26_numerics -name '*.cc' | sort >tests
while read -r source; do
  name=${source#26_numerics/}
  case $name in
    */constexpr.cc)
      skipped=$((skipped + 1))
      echo "skipped: $name: the functions of mmscan.hpp are not constexpr"
      continue
      ;;
    pstl/*) flags=$tbb more='' ;;
    *) flags='' more=20 ;;
  esac
  kind=$(directive dg-do)
  kind=${kind%% *}
  rewrite "$source" test.cc
  for standard in $(standards); do
    if try "$standard" >log 2>&1 </dev/null; then
      passed=$((passed + 1))
      echo "passed: $name, C++$standard: $(paste -sd ' ' names)"
    elif ! compile "$standard" -fsyntax-only "$source" 2>/dev/null; then
      skipped=$((skipped + 1))
      echo "skipped: $name, C++$standard: $CXX does not compile it as it is, with std::"
    else
      failed=$((failed + 1))
      echo "FAILED: $name, C++$standard"
      tail -n 40 log
    fi
  done
done <tests

# mmscan.hpp is there to call the library: among these tests are scans of int and double, by + from pointers on.
[ -s called ] || { failed=$((failed + 1)); echo "FAILED: no test called the library"; }
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
