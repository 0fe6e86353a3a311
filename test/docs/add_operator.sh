#!/bin/sh
# Follows doc/ADDING_AN_OPERATOR.md: adds the product to a copy of the library, and scans by it in every way, first by
# the plain loop and then by kernels, with every instruction set: test/docs/add_operator.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
. test/docs/guide.sh
mmscan=$copy/build/mmscan

# kernels TYPE ORIGIN: the kernels of the product for a type come from there, on each instruction set.
kernels() {
  "$mmscan" info --kernels >"$tmp/kernels"
  awk -v type="$1" -v origin="$2" '$1 == "mul" && $2 == type { rows++; wrong += $3 !~ origin } END { exit rows == 0 || wrong > 0 }' \
    "$tmp/kernels" || { cat "$tmp/kernels" && exit 1; }
}

guide_copy "$1"
guide_follow ADDING_AN_OPERATOR.md "The operator"
guide_make
guide_check mul
kernels i32 '^loop$'

guide_follow ADDING_AN_OPERATOR.md "Kernels"
guide_make
guide_check mul
kernels i32 '^(native|avx2|portable)$'
kernels u64 '^(native|avx2|portable)$'
kernels f32 '^loop$'

totals=$(printf '2\n3\n7\n' | "$mmscan" scan --op mul --type i32 - | xargs)
[ "$totals" = "2 6 42" ] || { echo "the command printed '$totals'" >&2; exit 1; }
echo "the command scans by mul"
