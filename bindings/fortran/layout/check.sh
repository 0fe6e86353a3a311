#!/bin/sh
# Compares the structs and enumerators of mmscan_c.f90 with mmscan.h's: sh check.sh FOLDER, which has mmscan_c.mod. CC
# and FC compile. Fails with the names of what differs.
set -eu
folder=$1
here=$(dirname "$0")
top=$here/../../..
for language in c fortran; do
  suffix=c
  [ $language = c ] || suffix=f90
  awk -v language=$language -f "$here/layout.awk" "$here/../src/mmscan_c.f90" "$top/include/mmscan.h" \
    >"$folder/layout.$suffix"
done
# Both may be several words.
# shellcheck disable=SC2086
{
  ${CC:-gcc} -std=c11 -I"$top/include" "$folder/layout.c" -o "$folder/layout_c"
  ${FC:-gfortran} -J"$folder" "$folder/layout.f90" -o "$folder/layout_fortran"
}
"$folder/layout_c" >"$folder/layout_c.txt"
"$folder/layout_fortran" >"$folder/layout_fortran.txt"
awk '{ name = $1; $1 = "" }
  FNR == NR { c[name] = $0; next }
  { count++ }
  c[name] != $0 {
    print "bindings/fortran/src/mmscan_c.f90: " name " is" $0 ", and in mmscan.h" c[name] " (offset and size, or value)"
    wrong = 1
  }
  END { exit wrong || !count }' "$folder/layout_c.txt" "$folder/layout_fortran.txt" >&2
