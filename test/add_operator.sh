#!/bin/sh
# Follows doc/ADDING_A_KERNEL.md to add an operator: adds the maximum to a copy of the library, and scans by it with
# every instruction set: test/add_operator.sh BUILD
set -eu
build=$1
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# The blocks of the document are named after the files they belong to.
block() {
  awk -v name="$1" '$1 == "```" name { is_in = 1; next } $1 == "```" { is_in = 0 } is_in { sub(/^ {3}/, ""); print }' \
    doc/ADDING_A_KERNEL.md
}

mkdir "$tmp/build"
cp -R lib include "$tmp"
chmod -R u+w "$tmp"
block def >>"$tmp/lib/types.def"
block max.inc >"$tmp/lib/kernel/max.inc"
for file in table.inc loop.c; do
  block "$file" >"$tmp/block"
  after='#include "kernel/plus.inc"'
  [ "$file" = table.inc ] || after='#undef COMBINE'
  sed "\\%^$after\$%r $tmp/block" "lib/kernel/$file" >"$tmp/lib/kernel/$file"
done

# Only what includes the tables is compiled, and quickly: clang takes a third of GCC's time, and a tenth without
# inlining. Where there is a clang, it compiles the kernels, even those that this CPU cannot run. The Makefile knows how
# this library is compiled and linked.
cat >"$tmp/more.mk" <<'END'
RUNNABLE := $(if $(shell command -v clang 2>/dev/null),,1)
include Makefile
CHANGED := types kernel/loop $(ISAS:%=kernel/%)
add-operator: $(CHANGED:%=$(COPY)/build/%.o)
	cp $(STATIC) $(COPY)/libmmscan.a && $(AR) rs $(COPY)/libmmscan.a $^
	$(COMPILE) $(LDFLAGS) $(COPY)/use.c $(COPY)/libmmscan.a $(LIBS) -o $(COPY)/use
override CFLAGS :=
$(COPY)/build/kernel/%.o: override CC := $(or $(shell command -v clang 2>/dev/null),$(CC))
$(COPY)/build/%.o: $(COPY)/lib/%.c
	@mkdir -p $(@D)
	$(COMPILE) -O0 -g0 $(if $(findstring clang,$(CC)),-Xclang -disable-llvm-passes) $(ISA_FLAGS_$(*F)) -I$(COPY)/include -I$(COPY)/lib -fPIC -c $< -o $@
END
cat >"$tmp/use.c" <<'END'
#include <mmscan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100003 };

/* The maximum of NumPy: a NaN stays. */
#define MAXIMUM(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
#define CHECK(ENUM, T, LEAST, VALUE)                                                                                   \
  static int check_##ENUM(mmscan_kind kind, int reverse, const mmscan_choice *choice, size_t n) {                      \
    static T x[N], y[N];                                                                                               \
    const T seven = 7, *init = kind == MMSCAN_EXCLUSIVE && n % 2 ? &seven : NULL;                                      \
    const mmscan_desc desc = {.struct_size = sizeof desc, .x_type = MMSCAN_##ENUM, .y_type = MMSCAN_##ENUM,            \
                              .op = MMSCAN_MAX, .kind = kind, .reverse = reverse, .n = n, .x_stride = 1,               \
                              .y_stride = 1, .batch = 1, .init = init};                                                \
    mmscan_plan *plan;                                                                                                 \
    for (size_t i = 0; i < n; i++) x[i] = (T)(VALUE);                                                                  \
    if (mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, choice) || mmscan_execute(plan, x, y)) return 1;        \
    mmscan_plan_destroy(plan);                                                                                         \
    T most = init ? *init : (LEAST);                                                                                   \
    for (size_t i = 0; i < n; i++) {                                                                                   \
      const size_t at = reverse ? n - 1 - i : i;                                                                       \
      const T next = MAXIMUM(most, x[at]), want = kind == MMSCAN_EXCLUSIVE ? most : next;                              \
      if (memcmp(&y[at], &want, sizeof want) != 0 && (y[at] == y[at] || want == want)) return 1;                       \
      most = next;                                                                                                     \
    }                                                                                                                  \
    return 0;                                                                                                          \
  }

/* Rises slowly, with noise, from far below zero; floats meet a NaN three quarters of the way. */
static double walk(size_t i, size_t n) { return ((double)i - (double)n / 3) * 3 + (double)(i * 7919 % 1009); }
static double gap(size_t i, size_t n) { return i == n / 4 * 3 ? NAN : walk(i, n); }

CHECK(F32, float, -INFINITY, gap(i, n))
CHECK(F64, double, -INFINITY, gap(i, n))
CHECK(I32, int32_t, INT32_MIN, walk(i, n))
CHECK(I64, int64_t, INT64_MIN, walk(i, n) * 4e9)
CHECK(U32, uint32_t, 0, (int64_t)walk(i, n))
CHECK(U64, uint64_t, 0, (int64_t)walk(i, n))

static int check_all(mmscan_kind kind, int reverse, const mmscan_choice *choice, size_t n) {
  return check_F32(kind, reverse, choice, n) || check_F64(kind, reverse, choice, n) ||
         check_I32(kind, reverse, choice, n) || check_I64(kind, reverse, choice, n) ||
         check_U32(kind, reverse, choice, n) || check_U64(kind, reverse, choice, n);
}

/* Argument: the engine, or "auto". */
int main(int argc, char **argv) {
  static const size_t lengths[] = {1, 2, 33, 1000, 4097, N};
  const char *engine = strcmp(argv[1], "auto") == 0 ? NULL : argv[1];
  (void)argc;
  if (mmscan_environment_error()) return 77;
  for (int threads = 1; threads <= 3; threads += 2)
    for (mmscan_kind kind = MMSCAN_INCLUSIVE; kind <= MMSCAN_EXCLUSIVE; kind++)
      for (int reverse = 0; reverse < 2; reverse++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
          const mmscan_choice choice = {.struct_size = sizeof choice, .engine = engine, .threads = threads};
          if (!check_all(kind, reverse, &choice, lengths[i])) continue;
          printf("%s, %s, kind %d, reverse %d, n = %zu, %d threads: wrong\n", argv[1], mmscan_isa(), (int)kind, reverse,
                 lengths[i], threads);
          return 1;
        }
  printf("max by %s, %s: right\n", argv[1], mmscan_isa());
  const mmscan_desc desc = {.struct_size = sizeof desc, .x_type = MMSCAN_F32, .y_type = MMSCAN_F32, .op = MMSCAN_MAX,
                            .kind = MMSCAN_INCLUSIVE, .n = N, .x_stride = 1, .y_stride = 1, .batch = 1};
  const mmscan_choice gemm = {.struct_size = sizeof gemm, .engine = "gemm"};
  mmscan_plan *plan;
  return mmscan_plan_create_with(&plan, &desc, MMSCAN_ESTIMATE, &gemm) != MMSCAN_ENOTSUP;
}
END
isas=$(sed -n 's/^#define ISA  *//p' lib/kernel/*.c)
make -s -f "$tmp/more.mk" WERROR=1 BUILD="$build" COPY="$tmp" ISAS="$(echo "$isas" | xargs)" add-operator
"$tmp/use" serial
"$tmp/use" auto
for isa in $isas; do
  status=0
  MMSCAN_ISA=$isa "$tmp/use" simd || status=$?
  case $status in
  0) ;;
  77) echo "max by simd, $isa: skipped, as it does not run here" ;;
  *) exit 1 ;;
  esac
done
