#!/bin/sh
# Every function of the library is found by searching the code in lib/ for its name; or, where its name is made, for
# NAME(f), in which f is the name without the operator and type, or the type alone, at its end; or FORM(f), without the
# kind at its start, too. And all simple calls stand within the first 60 lines of mmscan.h: test/names.sh BUILD
set -eu
build=$1
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# What compilers make of a function has its name up to a dot; what they add, such as for OpenMP, begins with one.
nm --defined-only "$build/libmmscan.a" | awk '$2 ~ /^[tT]$/ { sub(/\..*/, "", $3); print $3 }' | sort -u >"$tmp/functions"
# Comments and strings find nothing.
find lib -type f -exec cat {} + | awk '
  { code = ""
    for (rest = $0; rest != ""; rest = substr(rest, end)) {
      if (inside) {
        end = index(rest, "*/")
        if (end == 0) break
        inside = 0
        end += 2
        continue
      }
      if (!match(rest, /\/\*|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)\047/)) { code = code rest; break }
      code = code substr(rest, 1, RSTART - 1) " "
      inside = substr(rest, RSTART, 2) == "/*"
      end = RSTART + RLENGTH
    }
    print code }' >"$tmp/source"
grep -oE '[A-Za-z_][A-Za-z_0-9]*' "$tmp/source" | sort -u >"$tmp/words"
{
  grep -oE 'NAME\([a-z_0-9]+\)' "$tmp/source" | sed 's/NAME(\(.*\))/\1/'
  grep -oE 'FORM\([a-z_0-9]+\)' "$tmp/source" | sed 's/FORM(\(.*\))/inclusive_\1/; p; s/^in/ex/'
} | sort -u >"$tmp/parts"

# Ends of names: types; what BLAS routines take by pointer; and operators, or kernels of them, before a type.
{
  sed -n 's/^#define SUFFIX  *//p' lib/algebra/type/*.inc && echo pointer
} >"$tmp/types"
{
  sed -n 's/^#define OP  *//p' lib/algebra/operator/*.inc && sed -n 's/^MMS_CELL(.*, \(.*\))/\1/p' lib/kernel/cells.def && echo rows && echo raster
} | sort -u >"$tmp/operators"

awk '
  FILENAME ~ /types$/ { types[$0]; next }
  FILENAME ~ /operators$/ { operators[$0]; next }
  FILENAME ~ /words$/ { words[$0]; next }
  FILENAME ~ /parts$/ { parts[$0]; next }
  $0 == "" { next }
  { found = $0 in words
    for (type in types) {
      part = substr($0, 1, length($0) - length(type) - 1)
      if ($0 != part "_" type) continue
      found = found || part in parts
      for (operator in operators) {
        shorter = substr(part, 1, length(part) - length(operator) - 1)
        found = found || (part == shorter "_" operator && shorter in parts)
      }
    }
    if (!found) { print "nothing in lib/ finds the function " $0; missing++ } }
  END { if (!missing) print "the names of " FNR " functions are found in lib/"; exit missing > 0 }
' "$tmp/types" "$tmp/operators" "$tmp/words" "$tmp/parts" "$tmp/functions"

# Whoever opens the header sees all simple calls first.
last=$(awk '/^mmscan_status mmscan_(in|ex)clusive_/ { last = NR } END { print last + 0 }' include/mmscan.h)
if [ "$last" -eq 0 ] || [ "$last" -gt 60 ]; then
  echo "include/mmscan.h: the last simple call stands in line $last, and not within the first 60" >&2
  exit 1
fi
