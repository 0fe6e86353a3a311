#!/bin/sh
# Follows doc/ADDING_AN_OPERATOR.md: adds the saturating sum to a copy of the library, and scans by it in every way,
# first by the plain loop, which is the same with every instruction set, and then by kernels, with each of them:
# test/docs/add_operator.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
. test/docs/guide.sh
mmscan=$copy/build/mmscan

# kernels TYPE ORIGIN: the kernels of the saturating sum for a type come from there, on each instruction set.
kernels() {
  "$mmscan" info --kernels >"$tmp/kernels"
  awk -v type="$1" -v origin="$2" '$1 == "saturate" && $2 == type { rows++; wrong += $3 !~ origin } END { exit rows == 0 || wrong > 0 }' \
    "$tmp/kernels" || { cat "$tmp/kernels" && exit 1; }
}

guide_copy "$1"
guide_follow ADDING_AN_OPERATOR.md "The operator"
guide_make
guide_engines saturate
kernels u32 '^loop$'

guide_follow ADDING_AN_OPERATOR.md "Kernels"
guide_make
guide_check saturate
kernels u32 '^(native|avx2|portable)$'
kernels u64 '^(native|avx2|portable)$'

totals=$(printf '2\n3\n4294967295\n' | "$mmscan" scan --op saturate --type u32 - | xargs)
[ "$totals" = "2 5 4294967295" ] || { echo "the command printed '$totals'" >&2; exit 1; }
echo "the command scans by saturate"
