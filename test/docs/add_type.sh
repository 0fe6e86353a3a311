#!/bin/sh
# Follows doc/ADDING_A_TYPE.md: adds its lines to a copy of the library, and scans the new type into others in every way,
# with every instruction set: test/docs/add_type.sh BUILD
set -eu
cd "$(dirname "$0")/../.."
. test/docs/guide.sh

guide_copy "$1"
rm -f "$copy"/build/lib/kernel/cell/*-storage.o # of these every line depends on the types
cp test/docs/new_pairs.c "$copy/examples"
guide_follow ADDING_A_TYPE.md "A type that is stored"
guide_in_copy build/mmscan build/examples/new_pairs
guide_run "$copy/build/examples/new_pairs"
for engine in serial simd; do MMSCAN_ENGINE=$engine "$copy/build/examples/new_pairs"; done
echo "the type b8 is scanned"
