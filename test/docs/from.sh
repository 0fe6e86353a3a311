#!/bin/sh
# What doc/FROM.md says to write compiles, runs, and gives what it replaces: sh test/docs/from.sh BUILD [LANGUAGE]
#
# Under each heading a block of code has the variables, and a table the lines: in its first column what is replaced, in
# its second what replaces it; each `piece` of code is a line of it. Both sides run, in processes of their own, and what
# both name of y, s and sums is compared, bit by bit. What is not installed is replaced by loops, in peers.* and from.py
# beside this script, or else the left side is left out. Python lines run where test/python.sh has installed the
# package, those of Fortran where there is its module. All that is left out is said.
set -eu
build=$(cd "${1:?usage: from.sh BUILD [c|cpp|fortran|python]}" && pwd)
languages=${2:-c cpp fortran python}
cd "$(dirname "$0")/../.."
here=$(pwd)
peers=$here/test/docs
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Block and lines of a language go to the folder of its name: given, K.left, K.right, each with a directive that says
# which line of the document it is, and `lines`: K, its line.
awk -v folder="$tmp" '
  function code(cell,   all) {
    while (match(cell, /`[^`]*`/)) {
      all = all substr(cell, RSTART + 1, RLENGTH - 2) "\n"
      cell = substr(cell, RSTART + RLENGTH)
    }
    return all
  }
  function side(name, cell) {
    file = folder "/" kind "/" k "." name
    if (kind == "c" || kind == "cpp") print "#line " NR " \"doc/FROM.md\"" >file
    printf "%s", cell >file
    close(file)
  }
  /^```/ && inside { inside = 0; close(given); next }
  /^```/ {
    inside = 1; kind = substr($0, 4); k = 0
    system("mkdir -p " folder "/" kind)
    given = folder "/" kind "/given"
    next
  }
  inside { print >given; next }
  /^\| / && kind != "" && $2 != "there" && $2 != "---" {
    if (split($0, cell, / \| /) != 3) { print "from.sh: doc/FROM.md:" NR ": not three columns" >"/dev/stderr"; exit 1 }
    k++
    if (code(cell[2]) == "") { print "from.sh: doc/FROM.md:" NR ": no code to write" >"/dev/stderr"; exit 1 }
    if (code(cell[1]) != "") side("left", code(cell[1]))
    side("right", code(cell[2]))
    print k, NR >(folder "/" kind "/lines")
  }' doc/FROM.md
for kind in $languages; do
  [ -s "$tmp/$kind/lines" ] || { echo "from.sh: doc/FROM.md has no lines of $kind" >&2; exit 1; }
done

failed=0 ran=0 compared=0 skipped=0
skip() {
  echo "skipped: doc/FROM.md:$1: $2"
  skipped=$((skipped + 1))
}
fail() {
  echo "FAILED: doc/FROM.md:$1: $2" >&2
  failed=1
}

# first KIND: the first line in the document of a language
first() { sed -n '1s/.* //p' "$tmp/$1/lines"; }

# has NAME FILE: whether a program names this, as a word
has() { grep -qE "(^|[^A-Za-z0-9_])$1([^A-Za-z0-9_]|\$)" "$2"; }

# program KIND SIDE NAMES K: the code of a line as a function; it prints those of NAMES that both sides name, or else y
program() {
  shown=

  echo "static void $2_$4() {"
  cat "$tmp/$1/$4.$2"
  echo "#line 1 \"from.sh\""
  for name in $3; do
    if has "$name" "$tmp/$1/$4.right" && { [ ! -e "$tmp/$1/$4.left" ] || has "$name" "$tmp/$1/$4.left"; }; then
      shown="$shown show_$name();"
    fi
  done
  echo "${shown:-show_y();}"
  echo "}"
}

# build KIND SIDE HEADER COMPILER ...: makes $tmp/KIND/SIDE of all lines of one side; its argument is the line
build() {
  kind=$1 side=$2 header=$3
  shift 3
  {
    cat "$tmp/$kind/given"
    echo "#include \"$header\""
    while read -r k _; do
      if [ -e "$tmp/$kind/$k.$side" ]; then program "$kind" "$side" "y s sums" "$k"; fi
    done <"$tmp/$kind/lines"
    echo "int main(int, char **argv) {" | if [ "$kind" = c ]; then sed 's/int,/int argc,/'; else cat; fi
    [ "$kind" != c ] || echo "(void)argc;"
    while read -r k _; do
      if [ -e "$tmp/$kind/$k.$side" ]; then echo "if (atoi(argv[1]) == $k) ${side}_$k();"; fi
    done <"$tmp/$kind/lines"
    echo "}"
  } >"$tmp/$kind/$side.$kind"
  "$@" "-I$here/include" "-I$peers" "$tmp/$kind/$side.$kind" -o "$tmp/$kind/$side" \
    "-L$build" -lmmscan "-Wl,-rpath,$build" -lm ${tbb:+"$tbb"} ||
    fail "$(first "$kind") and below" "as $kind the $side side does not compile"
}

# both KIND: runs both sides of each line, where they are; a side that was not built has said so
both() {
  [ -x "$tmp/$1/left" ] && [ -x "$tmp/$1/right" ] || return 0
  while read -r k line; do
    if [ ! -e "$tmp/$1/$k.right" ]; then continue; fi
    if ! "$tmp/$1/right" "$k" >"$tmp/right.said" 2>&1 || [ ! -s "$tmp/right.said" ]; then
      fail "$line" "what it says to write fails, or shows nothing"
      cat "$tmp/right.said"
      continue
    fi
    ran=$((ran + 1))
    if [ ! -e "$tmp/$1/$k.left" ]; then continue; fi
    if ! "$tmp/$1/left" "$k" >"$tmp/left.said" 2>&1 || ! diff "$tmp/left.said" "$tmp/right.said"; then
      fail "$line" "what it says to write gives something else (>) than what it replaces (<)"
      continue
    fi
    compared=$((compared + 1))
  done <"$tmp/$1/lines"
}

# without KIND SIDE PATTERN REASON: leaves out that side of the lines that have PATTERN in it
without() {
  while read -r k line; do
    if [ -e "$tmp/$1/$k.$2" ] && grep -q "$3" "$tmp/$1/$k.$2"; then
      skip "$line" "$4"
      if [ "$2" = right ]; then rm -f "$tmp/$1/$k".*; else rm "$tmp/$1/$k.left"; fi
    fi
  done <"$tmp/$1/lines"
}

strict="-Wall -Wextra -pedantic -Werror -D_GNU_SOURCE"

# ---- C --------------------------------------------------------------------------------------------------------------
lines_c() {
  # Clang 14 gives wrong results where the variable is not a local one, and takes what it has before the loop for 0.
  cat >"$tmp/scan.c" <<'EOF'
int s = 1, y[2];
int main(void) {
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < 2; i++) {
    s += 2;
#pragma omp scan inclusive(s)
    y[i] = s;
  }
  return y[0] != 3 || y[1] != 5;
}
EOF
  { "${CC:-gcc}" -fopenmp "$tmp/scan.c" -o "$tmp/scan" -lm 2>/dev/null && "$tmp/scan"; } ||
    without c left inscan "OpenMP's scan is wrong by this compiler"
  tbb=
  # shellcheck disable=SC2086 # several flags
  for side in left right; do build c $side peers.h "${CC:-gcc}" -std=c11 $strict -fopenmp; done
  both c
}

# ---- C++ ------------------------------------------------------------------------------------------------------------
lines_cpp() {
  if command -v "${CXX:-g++}" >/dev/null; then
    tbb=-ltbb
    printf '#include <tbb/parallel_scan.h>\nint main() {}\n' |
      "${CXX:-g++}" -std=c++17 -x c++ - -o "$tmp/made" -ltbb 2>/dev/null || tbb=
    [ -n "$tbb" ] || without cpp left 'tbb::\|std::execution' "TBB is not installed"
    # shellcheck disable=SC2086 # several flags
    {
      build cpp left peers.hpp "${CXX:-g++}" -std=c++17 $strict ${tbb:+-DHAS_TBB}
      tbb=
      build cpp right show.hpp "${CXX:-g++}" -std=c++17 $strict
    }
    both cpp
  else
    skip "$(first cpp)" "and the other lines of C++: there is no ${CXX:-g++}"
  fi
}

# ---- Fortran --------------------------------------------------------------------------------------------------------
lines_fortran() {
  if [ ! -e "$build/fortran/mmscan.mod" ] || ! command -v "${FC:-gfortran}" >/dev/null; then
    skip "$(first fortran)" "and the other lines of Fortran: there is no module, by make fortran, or no ${FC:-gfortran}"
  else
    while read -r k line; do
      for side in left right; do
        {
          echo "program line"
          sed "s/^use mmscan\$/use $([ "$side" = left ] && echo hpf_library || echo mmscan)/" "$tmp/fortran/given"
          cat "$tmp/fortran/$k.$side"
          echo "print '(*(g0, 1x))', y"
          echo "end program"
        } >"$tmp/fortran/$side-$k.f90"
        "${FC:-gfortran}" -std=f2018 -J"$tmp/fortran" -I"$build/fortran" "$peers/peers.f90" \
          "$tmp/fortran/$side-$k.f90" -o "$tmp/fortran/$side-$k" "$build/fortran/libmmscan_fortran.a" \
          "-L$build" -lmmscan "-Wl,-rpath,$build" ||
          fail "$line" "the $side side does not compile"
      done
    done <"$tmp/fortran/lines"
    for side in left right; do
      # shellcheck disable=SC2016 # for the script
      printf '#!/bin/sh\nexec "%s/fortran/%s-$1"\n' "$tmp" "$side" >"$tmp/fortran/$side"
      chmod +x "$tmp/fortran/$side"
    done
    both fortran
  fi
}

# ---- Python ---------------------------------------------------------------------------------------------------------
lines_python() {
  python=$build/python/bin/python
  if "$python" -c 'import mmscan' 2>/dev/null; then
    for side in left right; do
      # shellcheck disable=SC2016 # for the script
      printf '#!/bin/sh\nexec "%s" "%s/from.py" "%s/python" "$1" %s\n' "$python" "$peers" "$tmp" "$side" \
        >"$tmp/python/$side"
      chmod +x "$tmp/python/$side"
    done
    both python
  else
    skip "$(first python)" "and the other lines of Python: the package is not installed, by test/python.sh"
  fi
}

for language in $languages; do
  case $language in
    c) lines_c ;;
    cpp) lines_cpp ;;
    fortran) lines_fortran ;;
    python) lines_python ;;
  esac
done
echo "doc/FROM.md: $ran lines run, $compared of them compared with what they replace, $skipped skipped"
exit $failed
