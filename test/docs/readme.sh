#!/bin/sh
# What README.md shows is true, and the examples do what they say: sh test/docs/readme.sh BUILD
#
# Its ```sh blocks are run and its ```c, ```cpp and ```fortran blocks are compiled and run, in order, in one folder
# that is empty at first, with the command and the shared libraries of BUILD; those of Fortran where there is gfortran.
# A ```text block is what the block before it must print. Blocks of any other kind are ignored.
set -eu
build=$(cd "${1:?usage: readme.sh BUILD}" && pwd)
cd "$(dirname "$0")/../.."
here=$(pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Block k goes to the file k.sh or k.c, and the text that it prints to k.text.
awk -v folder="$tmp" '
  BEGIN { runs["sh"] = runs["c"] = runs["cpp"] = runs["fortran"] = 1 }
  /^```/ && inside { inside = 0; close(file); next }
  /^```/ {
    inside = 1; kind = substr($0, 4)
    if (kind == "text" && open != "") file = folder "/" open ".text"
    else if (kind in runs) { open = ++k; file = folder "/" k "." kind; print k, kind }
    else file = "/dev/null"
    if (!(kind in runs)) open = ""
    next
  }
  inside { print > file }' README.md >"$tmp/blocks"
for kind in sh c cpp fortran; do
  grep -q " $kind\$" "$tmp/blocks" || { echo "readme.sh: README.md has no block of $kind" >&2; exit 1; }
done

if command -v "${FC:=gfortran}" >/dev/null; then
  make -s --no-print-directory BUILD="$build" FC="$FC" fortran >"$tmp/make.log" 2>&1 ||
    { cat "$tmp/make.log"; echo "readme.sh: make fortran" >&2; exit 1; }
else
  echo "skipped: blocks of Fortran: there is no $FC here"
  sed -i '/ fortran$/d' "$tmp/blocks"
fi

# compile COMPILER FLAG ... SOURCE, to $program
compile() { "$@" -o "$program" -Wall -Wextra -pedantic -Werror -I"$here/include" -L"$build" -lmmscan -Wl,-rpath,"$build"; }

# run K KIND
run() {
  program=$tmp/$1
  case $2 in
    sh) PATH=$build:$PATH sh -eu "$tmp/$1.sh" ;;
    c) compile "${CC:-gcc}" -std=c11 "$tmp/$1.c" && "$program" ;;
    cpp) compile "${CXX:-g++}" -std=c++17 "$tmp/$1.cpp" && "$program" ;;
    fortran)
      # It finds libmmscan beside it only where both are installed.
      "$FC" -std=f2018 -Wall -Wextra -pedantic -Werror -I"$build/fortran" -ffree-form -x f95 "$tmp/$1.fortran" -x none \
        -o "$tmp/$1" -L"$build/fortran" -lmmscan_fortran -L"$build" -lmmscan -Wl,-rpath,"$build/fortran" &&
        LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$tmp/$1"
      ;;
  esac
}

mkdir "$tmp/run"
cd "$tmp/run"
failed=0
while read -r k kind; do
  if ! run "$k" "$kind" </dev/null >"$tmp/said"; then
    echo "README.md, block $k: failed" >&2
  elif [ -e "$tmp/$k.text" ] && ! diff "$tmp/$k.text" "$tmp/said"; then
    echo "README.md, block $k: prints something else (>) than README.md says (<)" >&2
  else
    continue
  fi
  failed=1
  sed 's/^/    /' "$tmp/$k.$kind"
done <"$tmp/blocks"

# ---- The examples ---------------------------------------------------------------------------------------------------
# says LINE COMMAND ...: the command prints this line
says() {
  line=$1
  shift
  "$@" >"$tmp/said" 2>&1 && grep -qF "$line" "$tmp/said" && return
  echo "$1 does not say '$line', but:" >&2
  cat "$tmp/said" >&2
  failed=1
}
says "paid so far: 120.5 200.5 299.75 429.75 505 615" "$build/examples/cumsum"
says "entries in all: 13" "$build/examples/cumsum"
says "The level changed in 1898: the mean flow was 1098 up to then, and 850 after it" \
  "$build/examples/nile_cusum" "$here/examples/data/nile.csv" nile.svg
grep -q '</svg>' nile.svg || { echo "nile_cusum draws no picture" >&2; failed=1; }
says "narrowest: -1274 to -275, 0.9557" "$build/examples/treering_mean" "$here/examples/data/treering.csv" 1000
says "widest: -5310 to -5261, 1.1985" "$build/examples/treering_mean" "$here/examples/data/treering.csv"
says "widest: -5262, 1.2050" "$build/examples/treering_smoothed" "$here/examples/data/treering.csv"
says "60.8 %  carat < 0.995" "$build/examples/best_split" "$here/examples/data/diamonds.csv" price
# shellcheck disable=SC2016 # for the inner sh
says "18823" sh -c 'cut -d, -f7 "$2" | tail -n +2 | "$1" | tail -n 1' radix_sort "$build/examples/radix_sort" \
  "$here/examples/data/diamonds.csv"

says "1890 to 1899   11234 in all,  1123 a year, half of it by the end of 1894" \
  "$build/examples/nile_decades" "$here/examples/data/nile.csv"
says "most are in the box of 0.30 to 0.38 carat and 375 to 1049 dollars: 10441" \
  "$build/examples/box_filter" "$here/examples/data/diamonds.csv"
program=$tmp/hurst
compile "${CXX:-g++}" -std=c++17 "$here/examples/hurst.cpp"
says "100 years of 919 on average: R 4995, S 168, K = log(R/S) / log(n/2) = 0.87" "$program" "$here/examples/data/nile.csv"
says "monotone 0 of 10000000 prefix sums fall, 0 of 1000000 draws are of weight 0" "$build/examples/sample"

# 2^21 ones, in two blocks: these bytes are 1.0.
printf '\0\0\0\0\0\0\360\077' >ones
while [ "$(wc -c <ones)" -lt 16777216 ]; do cat ones ones >twice && mv twice ones; done
# shellcheck disable=SC2016 # for the inner sh
says "total: 2097152" sh -c '"$1" <ones >totals' blocks "$build/examples/blocks"
cmp -s -n 8 ones totals || { echo "blocks: wrong first total" >&2; failed=1; }
exit $failed
