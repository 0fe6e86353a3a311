#!/bin/sh
# Follows doc/ADDING_A_TYPE.md: adds its file and its line to a copy of the library, and scans the new type in every
# way, by the command too: test/docs/add_type.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
. test/docs/guide.sh

guide_copy "$1"
guide_follow ADDING_A_TYPE.md "Two steps"
guide_make
guide_check i8

cd "$tmp"
mmscan=copy/build/mmscan

# What was measured is kept, and read again.
copy/build/examples/new_rows auto i8 wisdom
grep -q '^max i8 ' wisdom
MMSCAN_WISDOM=wisdom copy/build/examples/new_rows auto i8
"$mmscan" tune --type i8 --quick -o tuned >/dev/null
grep -q '^plus i8 16 ' tuned
"$mmscan" info --kernels >kernels
awk '$2 == "i8" { rows++; wrong += $3 != "loop" } END { exit rows == 0 || wrong > 0 }' kernels

# The command: text, raw data and both names that .npy has for the type.
same() {
  [ "$1" = "$2" ] || { echo "the command printed '$1', not '$2'" >&2; exit 1; }
}
same "$(printf '100\n100\n-1\n' | "$mmscan" scan --type i8 - | xargs)" "100 -56 -57"
same "$(printf '100\n-128\n127\n' | "$mmscan" scan --type i8 --op max --reverse - | xargs)" "127 127 127"
same "$(printf '\001\177\377' | "$mmscan" scan --type i8 --format raw - | od -An -t d1 | xargs)" "1 -128 127"
status=0
echo 128 | "$mmscan" scan --type i8 - 2>/dev/null || status=$?
[ "$status" -ne 0 ]
for descr in '|i1' 'i1' '<i1'; do
  printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n\\001\\177\\377" \
    "{'descr': '$descr', 'fortran_order': False, 'shape': (3,), }" >in.npy
  "$mmscan" scan -o out.npy in.npy
  same "$(tail -c 3 out.npy | od -An -t d1 | xargs)" "1 -128 127"
  grep -qa "'descr': '|i1'" out.npy
done
echo "the type i8 is scanned by the command"
