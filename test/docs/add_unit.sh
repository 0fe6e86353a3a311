#!/bin/sh
# Follows doc/ADDING_A_UNIT.md: adds its file and its line to a copy of the library, and scans by the new unit:
# test/docs/add_unit.sh BUILD
set -eu
build=$1
cd "$(dirname "$0")/../.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

mkdir "$tmp/build"
cp -R lib include "$tmp"
chmod -R u+w "$tmp"
awk '/^```c$/ { in_file = 1; next } /^```$/ { in_file = 0 } in_file' doc/ADDING_A_UNIT.md >"$tmp/lib/unit/abacus.c"
line=$(grep '^MMS_UNIT(abacus)$' doc/ADDING_A_UNIT.md)
echo "$line" >>"$tmp/lib/unit/units.def"

# Everything except the table is as it was built; the Makefile knows how this library is compiled and linked.
cat >"$tmp/more.mk" <<'END'
include Makefile
add-unit: ; for file in unit abacus; do \
	  $(COMPILE) -I$(COPY)/include -I$(COPY)/lib -fPIC -c $(COPY)/lib/unit/$$file.c -o $(COPY)/build/$$file.o || exit 1; done
	cp $(STATIC) $(COPY)/libmmscan.a && $(AR) rs $(COPY)/libmmscan.a $(COPY)/build/unit.o $(COPY)/build/abacus.o
	$(COMPILE) $(LDFLAGS) $(COPY)/use.c $(COPY)/libmmscan.a $(LIBS) -o $(COPY)/use
END
cat >"$tmp/use.c" <<'END'
#include <mmscan.h>
#include <stdio.h>
#include <string.h>

enum { N = 100000 };

/* A scan by the unit, whose result is known. */
int main(void) {
  static int32_t x[N], y[N];
  mmscan_part part = {.struct_size = sizeof part};
  mmscan_choice choice = {.struct_size = sizeof choice, .unit = "abacus"};
  mmscan_desc desc = {.struct_size = sizeof desc, .x_type = MMSCAN_I32, .y_type = MMSCAN_I32, .op = MMSCAN_PLUS,
                      .kind = MMSCAN_INCLUSIVE, .n = N, .x_stride = 1, .y_stride = 1, .batch = 1};
  mmscan_plan *plan;
  int listed = 0;
  for (size_t i = 0; mmscan_get_unit(i, &part) == MMSCAN_OK; i++) listed += strcmp(part.name, "abacus") == 0;
  for (int i = 0; i < N; i++) x[i] = i % 11;
  if (listed != 1 || mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &choice) != MMSCAN_OK) return 1;
  if (mmscan_execute(plan, x, y) != MMSCAN_OK) return 2;
  mmscan_plan_destroy(plan);
  for (int i = 0, sum = 0; i < N; i++)
    if (y[i] != (sum += x[i])) return 3;
  puts("the unit abacus scans");
  return 0;
}
END
make -s -f "$tmp/more.mk" BUILD="$build" COPY="$tmp" add-unit
"$tmp/use"
