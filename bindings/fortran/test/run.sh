#!/bin/sh
# Runs the tests of the Fortran module, and its examples: sh run.sh FOLDER, which has the programs. Ends with the line
# "N passed, N failed, N skipped".
set -u
folder=$1
here=$(dirname "$0")
test=$folder/test_mmscan
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0

# check NAME COMMAND ...: counts whether it succeeds
check() {
  name=$1
  shift
  begun=$(date +%s)
  if "$@"; then passed=$((passed + 1)) verdict=passed; else failed=$((failed + 1)) verdict=FAILED; fi
  echo "$name: $verdict, $(($(date +%s) - begun)) s"
}

# tests [ARGUMENT]: adds what it counts
tests() {
  begun=$(date +%s)
  "$test" "$@" >"$tmp/said" 2>&1
  status=$?
  sed '$d' "$tmp/said"
  counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$tmp/said")
  # shellcheck disable=SC2086 # three words
  set -- ${counts:-0 1 0} "$*"
  [ $status -eq 0 ] || [ "$2" -gt 0 ] || set -- "$1" 1 "$3" "$4"
  [ -n "$counts" ] || cat "$tmp/said"
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
  echo "${test##*/} $4: $1 passed, $2 failed; $(($(date +%s) - begun)) s"
}

# stops WHAT TEXT: an error ends the program, with this text
stops() {
  "$test" stop "$1" >"$tmp/said" 2>&1 && return 1
  grep -qF "ERROR STOP $2" "$tmp/said" && ! grep -qF "it goes on" "$tmp/said" && return
  cat "$tmp/said"
  return 1
}

# says LINE COMMAND ...: the command prints this line
says() {
  line=$1
  shift
  "$@" >"$tmp/said" 2>&1 && grep -qF "$line" "$tmp/said" && return
  cat "$tmp/said"
  return 1
}

# A project of fpm that has the package as a dependency, with the library of $build.
by_fpm() {
  mkdir -p "$tmp/project/app"
  ln -s "$package" "$tmp/package"
  printf 'name = "user"\n[dependencies]\nmmscan = { path = "../package" }\n' >"$tmp/project/fpm.toml"
  printf 'program user\n  use mmscan\n  print *, sum_prefix([1, 2, 3])\nend program user\n' >"$tmp/project/app/main.f90"
  (cd "$tmp/project" && FPM_FC=${FC:-gfortran} FPM_LDFLAGS="-L$build -Wl,-rpath,$build" "$FPM" run >"$tmp/said" 2>&1) &&
    [ "$(tail -n 1 "$tmp/said" | tr -s ' ')" = ' 1 3 6' ] && return
  cat "$tmp/said"
  return 1
}

tests
OMP_NUM_THREADS=1 tests memory
MMSCAN_ENGINE=nonsense tests environment
check "dim = 3 of rank 2" stops dim "sum_prefix: dim is not a dimension of array"
check "dim = 0" stops zero "sum_prefix: dim is not a dimension of array"
check "a mask of another shape" stops mask "maxval_suffix: mask does not have the shape of array"
check "segments of another shape" stops segment "product_prefix: segment does not have the shape of array"
check "y of another shape" stops shape "mmscan_cumsum: "
MMSCAN_ENGINE=nonsense check "a wrong variable" stops environment "minval_prefix: "
check "it is named" grep -qF "MMSCAN_ENGINE=nonsense" "$tmp/said"
check "the example nile" says "1898" "$folder/nile" "$here/../../../examples/data/nile.csv"
# readme: what the README shows is true
readme() {
  # shellcheck disable=SC2016 # the quotes are of Markdown
  sed -n '/^```fortran$/,/^```$/p' "$here/../README.md" | sed '/^```/d' >"$tmp/readme.f90"
  # shellcheck disable=SC2016
  sed -n '/^```text$/,/^```$/p' "$here/../README.md" | sed '/^```/d' >"$tmp/readme.txt"
  "${FC:-gfortran}" -std=f2018 -Wall -Wextra -Werror -I"$folder" "$tmp/readme.f90" "$folder/libmmscan_fortran.a" \
    -L"$folder/.." -lmmscan -Wl,-rpath,"$(cd "$folder/.." && pwd)" -o "$tmp/readme" &&
    "$tmp/readme" | diff "$tmp/readme.txt" -
}
check "the README" readme

version=$(awk '/define MMSCAN_VERSION_(MAJOR|MINOR|PATCH)/ { v = v s $3; s = "." } END { print v }' \
  "$here/../../../include/mmscan.h")
check "the version in fpm.toml" grep -qxF "version = \"$version\"" "$here/../fpm.toml"
FPM=${FPM-$(command -v fpm)}
if [ -n "$FPM" ]; then
  build=$(cd "$folder/.." && pwd) package=$(cd "$here/.." && pwd)
  check "a project of fpm" by_fpm
else
  skipped=$((skipped + 1))
  echo "a project of fpm: skipped: there is no fpm here"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
