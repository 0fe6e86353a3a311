/* test_convert.c: conversions between what is stored and what is combined, of every instruction set, against arithmetic
 * on wide numbers; and what is made of them: elements that are packed and unpacked, with strides and without NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "pack/pack.h"
#include "pack/storages.h"
#include "support/float_mode.h"
#include "support/test.h"

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* A number of any type. A long double holds every integer of 64 bits. */
struct number {
  bool is_negative, is_nan;
  long double size;
  uint64_t payload; /* of a NaN, from bit 51 down */
};

/* Floats: bits of the fraction, and the exponent of its last bit in subnormal numbers. */
struct format {
  int fraction, least;
};

static struct format format_of(mmscan_type type) {
  switch (type) {
  case MMSCAN_F16:
    return (struct format){10, -24};
  case MMSCAN_BF16:
    return (struct format){7, -133};
  case MMSCAN_F32:
    return (struct format){23, -149};
  default:
    return (struct format){52, -1074};
  }
}

static int bits_of(mmscan_type type) { return 8 * (int)mms_type_of(type)->size; }

static uint64_t low_bits(int count) { return count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1; }

static struct number from_float(mmscan_type type, uint64_t bits) {
  const struct format f = format_of(type);
  const int sign = bits_of(type) - 1, most = (int)low_bits(sign - f.fraction);
  const uint64_t fraction = bits & low_bits(f.fraction);
  const int exponent = (int)(bits >> f.fraction) & most, is_normal = exponent > 0;
  struct number v = {.is_negative = bits >> sign, .is_nan = exponent == most && fraction > 0};
  v.payload = fraction << (52 - f.fraction);
  v.size = ldexpl((long double)(fraction + ((uint64_t)is_normal << f.fraction)), f.least + exponent - is_normal);
  if (exponent == most) v.size = INFINITY;
  return v;
}

static struct number from_bits(mmscan_type type, uint64_t bits) {
  if (mms_type_of(type)->kind == 'f') return from_float(type, bits);
  const bool is_negative = mms_type_of(type)->kind == 'i' && bits >> (bits_of(type) - 1);
  return (struct number){.is_negative = is_negative,
                         .size = (long double)(is_negative ? -bits & low_bits(bits_of(type)) : bits)};
}

/* A number of units, to a whole one. */
static long double to_whole(long double units, bool is_negative, int rounding) {
  const long double below = floorl(units), rest = units - below;
  const bool is_odd = fmodl(below, 2) != 0;
  if (rounding == FE_TONEAREST) return below + (rest > 0.5L || (rest == 0.5L && is_odd));
  return below + (rest > 0 && rounding == (is_negative ? FE_DOWNWARD : FE_UPWARD));
}

static uint64_t to_float(mmscan_type type, struct number v, int rounding) {
  const struct format f = format_of(type);
  const int sign = bits_of(type) - 1;
  const uint64_t infinity = low_bits(sign - f.fraction) << f.fraction, minus = (uint64_t)v.is_negative << sign;
  if (v.is_nan) return minus | infinity | UINT64_C(1) << (f.fraction - 1) | v.payload >> (52 - f.fraction);
  if (isinf(v.size) || v.size == 0) return minus | (v.size > 0 ? infinity : 0);
  const int normal = ilogbl(v.size) - f.fraction, last = normal > f.least ? normal : f.least;
  const uint64_t units = (uint64_t)to_whole(ldexpl(v.size, -last), v.is_negative, rounding);
  /* The leading bit of a normal number adds 1 to the exponent; so does a carry of the fraction. */
  const uint64_t bits = units + ((uint64_t)(last - f.least) << f.fraction);
  return minus | (bits > infinity ? infinity : bits);
}

static uint64_t to_bits(mmscan_type type, struct number v, int rounding) {
  if (mms_type_of(type)->kind == 'f') return to_float(type, v, rounding);
  const uint64_t size = (uint64_t)v.size;
  return (v.is_negative ? -size : size) & low_bits(bits_of(type));
}

/* Halves are rounded to nearest, whatever the mode. Numbers that are subnormal in f32 on their way to f64 are zeros
 * where subnormal floats are; those of f16 are not. */
static uint64_t convert(mmscan_type from, mmscan_type to, uint64_t bits, size_t mode) {
  static const int roundings[ROUNDINGS] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  const bool is_half = to == MMSCAN_F16 || to == MMSCAN_BF16, is_float = mms_type_of(from)->kind == 'f';
  if (from == to) return bits;
  struct number v = from_bits(from, bits);
  if (mode >= ROUNDINGS && is_float && to == MMSCAN_F64 && v.size < 0x1p-126L) v.size = 0;
  return to_bits(to, v, is_half ? FE_TONEAREST : roundings[mode % ROUNDINGS]);
}

/* ---- Conversions ------------------------------------------------------------------------------------------------- */

/* How an element is laid out on one side of a conversion: a complex number has two parts, side by side or in planes. */
struct side {
  mmscan_type type; /* of a part */
  size_t parts;
  bool in_planes;
};

struct conversion {
  struct side from, to;
  bool is_in, in_planes;
  mmscan_type x_type, y_type;
};

static struct side side_of(mmscan_type type) {
  const bool is_complex = type == MMSCAN_C32 || type == MMSCAN_C64;
  return (struct side){!is_complex ? type : type == MMSCAN_C32 ? MMSCAN_F32 : MMSCAN_F64, is_complex ? 2 : 1, false};
}

static size_t bytes_of(struct side s, size_t n, size_t apart) {
  return (s.in_planes ? apart + n : n * s.parts) * mms_type_of(s.type)->size;
}

static unsigned char *place(struct side s, void *base, size_t i, size_t part, size_t apart) {
  return (unsigned char *)base + (s.in_planes ? part * apart + i : i * s.parts + part) * mms_type_of(s.type)->size;
}

static const mms_storage *row_of(const mms_storages *all, const struct conversion *c) {
  return c->in_planes ? &all->planes[c->x_type][c->y_type] : &all->pairs[c->x_type][c->y_type];
}

static struct conversion conversion_of(const mms_storage *s, mmscan_type x_type, mmscan_type y_type, bool is_in) {
  struct side combined = side_of(s->arithmetic);
  if (s->planes == 2) combined.parts = 2, combined.in_planes = true;
  struct conversion c = {
      .is_in = is_in, .in_planes = combined.in_planes, .x_type = x_type, .y_type = y_type, .from = combined};
  c.to = is_in ? combined : side_of(y_type);
  if (is_in) c.from = side_of(x_type);
  return c;
}

/* By numbers. What has no second part gets a zero. */
static void convert_all(const struct conversion *c, size_t n, void *x, void *y, size_t apart, size_t mode) {
  for (size_t i = 0; i < n; i++)
    for (size_t part = 0; part < c->to.parts; part++) {
      uint64_t bits = 0;
      if (part < c->from.parts) memcpy(&bits, place(c->from, x, i, part, apart), mms_type_of(c->from.type)->size);
      bits = part < c->from.parts ? convert(c->from.type, c->to.type, bits, mode) : 0;
      memcpy(place(c->to, y, i, part, apart), &bits, mms_type_of(c->to.type)->size);
    }
}

/* Calls `check` for each conversion of the table. */
static void each_conversion(void (*check)(const struct conversion *)) {
  const char *isa;
  const mms_storages *all = mms_storages_at(0, &isa);
  for (mmscan_type x = MMSCAN_F32; x < (mmscan_type)MMS_STORAGE_TYPES; x++)
    for (mmscan_type y = MMSCAN_F32; y < (mmscan_type)MMS_STORAGE_TYPES; y++)
      for (int planes = 0; planes < 2; planes++) {
        const mms_storage *s = planes ? &all->planes[x][y] : &all->pairs[x][y];
        const struct conversion in = conversion_of(s, x, y, true), out = conversion_of(s, x, y, false);
        if (s->arithmetic && s->in) check(&in);
        if (s->arithmetic && s->out) check(&out);
      }
}

/* ---- What is converted ------------------------------------------------------------------------------------------- */

enum { MOST = 1 << 16 };

static uint64_t values[MOST]; /* of one type at a time */

/* All numbers of up to 16 bits. Of 32, for each sign and exponent of an f32, fractions at and beside a tie of any
 * shorter one; of 64, powers of two and what is beside them; then random ones, of any length. Returns how many. */
static size_t make_values(mmscan_type type) {
  static mmscan_type made;
  static size_t count;
  const int bits = bits_of(type);
  struct rng rng = rng_of((uint64_t)type);
  if (type == made) return count;
  made = type;
  count = 0;
  for (; bits <= 16 && count < (size_t)1 << bits; count++) values[count] = count;
  if (bits <= 16) return count;
  for (uint64_t high = 0; bits == 32 && high < 512; high++)
    for (int k = 0; k < 23; k++)
      for (uint64_t near = 0; near < 4; near++)
        values[count++] = high << 23 | (((near < 3 ? 1 : 3) << k) + near % 3 - 1);
  for (int k = 0; k < 64; k++)
    for (uint64_t near = 0; near < 64; near++) values[count++] = (UINT64_C(1) << k) + (near << k / 2) + near % 7 - 3;
  while (count < MOST) values[count++] = draw(&rng) >> (draw(&rng) % (uint64_t)bits);
  return count;
}

/* From value `first` on. In planes, what is apart is random too. */
static void fill(struct side s, void *x, size_t n, size_t apart, size_t first, size_t count) {
  const size_t size = mms_type_of(s.type)->size;
  for (size_t i = 0; i < bytes_of(s, n, apart) / size; i++)
    memcpy((char *)x + i * size, &values[(first + i) % count], size);
}

/* ---- Each conversion of each instruction set --------------------------------------------------------------------- */

static void compare(const struct conversion *c, const char *isa, const struct buffer *want, const struct buffer *got,
                    size_t n, size_t mode) {
  size_t i = 0;
  while (i < want->size && want->data[i] == got->data[i]) i++;
  if (i < want->size || !buffer_intact(got))
    fail_seeded("%s to %s%s, %s, %s, %s: n = %zu, wrong at byte %zu", mms_type_of(c->x_type)->name,
                mms_type_of(c->y_type)->name, c->in_planes ? " in planes" : "", c->is_in ? "in" : "out", isa,
                float_mode_name(mode), n, i);
}

/* At any address that mms_is_array() allows. */
static size_t misplaced(struct side s, size_t step) {
  const size_t size = mms_type_of(s.type)->size;
  return step * (size < 4 ? size : 4) % 64;
}

/* Clang converts unsigned integers by a difference, which makes -0.0 of 0 where rounding is downward: zeros lose their
 * sign here. */
static void forget_signs(const struct conversion *c, struct buffer *got, size_t mode) {
  const size_t size = mms_type_of(c->to.type)->size;
  unsigned char zero[8] = {0}, minus[8] = {0};
  minus[size - 1] = 0x80;
  if (mode == 0 || mms_type_of(c->from.type)->kind != 'u' || mms_type_of(c->to.type)->kind != 'f') return;
  for (size_t i = 0; i + size <= got->size; i += size)
    if (memcmp(got->data + i, minus, size) == 0) memcpy(got->data + i, zero, size);
}

/* n values from `first` on, by every instruction set. Bytes between planes stay as they are. */
static void check_run(const struct conversion *c, size_t n, size_t first, size_t count, size_t mode) {
  const size_t apart = n + first % 3;
  const char *isa;
  const mms_storages *all;
  struct buffer x = buffer_new(bytes_of(c->from, n, apart), misplaced(c->from, first)),
                want = buffer_new(bytes_of(c->to, n, apart), 0);
  fill(c->from, x.data, n, apart, first, count);
  memset(want.data, GUARD_BYTE, want.size);
  convert_all(c, n, x.data, want.data, apart, mode);
  for (size_t k = 0; (all = mms_storages_at(k, &isa)) != NULL; k++) {
    struct buffer got = buffer_new(want.size, misplaced(c->to, first / 2));
    memset(got.data, GUARD_BYTE, got.size);
    mms_convert *run = c->is_in ? row_of(all, c)->in : row_of(all, c)->out;
    const struct float_mode before = float_mode_set(mode);
    run(n, x.data, got.data, apart);
    float_mode_restore(before);
    forget_signs(c, &got, mode);
    compare(c, isa, &want, &got, n, mode);
    buffer_free(&got);
  }
  buffer_free(&x);
  buffer_free(&want);
}

static void check_conversion(const struct conversion *c) {
  const size_t count = make_values(c->from.type);
  for (size_t n = 0; n <= 70; n++) check_run(c, n, 31 * n, count, 0);
  check_run(c, count, 0, count, 0);
}

/* Of many lengths too, whose last elements are converted in another way. Where modes do not matter, as to integers, a
 * quick look. */
static void check_in_modes(const struct conversion *c) {
  const bool matters = mms_type_of(c->to.type)->kind == 'f' && bits_of(c->from.type) > 8 && c->from.type != c->to.type;
  const size_t count = make_values(c->from.type);
  for (size_t mode = 1; mode < FLOAT_MODES; mode++) {
    check_run(c, matters ? count : 70, 0, count, mode);
    for (size_t first = 0; matters && first < count; first += sized(997, 3989)) check_run(c, 23, first, count, mode);
  }
}

TEST(test_every_conversion) {
  const char *isa;
  const mms_storages *all;
  for (size_t k = 0; (all = mms_storages_at(k, &isa)) != NULL; k++)
    print_message("%s: %s\n", isa,
                  all != &mms_storages_portable || strcmp(isa, "portable") == 0 ? "ran"
                                                                                : "skipped, as it does not run");
  each_conversion(check_conversion);
}

TEST(test_other_modes) { each_conversion(check_in_modes); }

/* ---- Packing ----------------------------------------------------------------------------------------------------- */

static const ptrdiff_t strides[] = {1, 2, -1, 7, -3, 0};
static const size_t lengths[] = {0, 1, 7, 64, 129, 1100};

/* The address of the first of n elements in an array of n * |stride| of them, from the last on if stride < 0. */
static unsigned char *first_of(unsigned char *data, size_t n, ptrdiff_t stride, size_t size) {
  return stride < 0 && n > 0 ? data + (n - 1) * (size_t)-stride * size : data;
}

static size_t room(size_t n, ptrdiff_t stride) { return n * (size_t)(stride < 0 ? -stride : stride > 0 ? stride : 1); }

/* With elements of y beside, which are prefetched, or without. */
static void check_pack(const mms_storage *s, const struct conversion *c, size_t n, ptrdiff_t stride, bool is_ahead) {
  struct buffer x = buffer_new(room(n, stride) * s->x_size, misplaced(c->from, n)),
                want = buffer_new(bytes_of(c->to, n, n), 0), got = buffer_new(want.size, 0);
  unsigned char *gathered = malloc(n * s->x_size + 1), *from = first_of(x.data, n, stride, s->x_size);
  fill(c->from, x.data, room(n, stride), 0, n, MOST);
  for (size_t i = 0; i < n; i++)
    memcpy(gathered + i * s->x_size, from + (ptrdiff_t)i * stride * (ptrdiff_t)s->x_size, s->x_size);
  convert_all(c, n, gathered, want.data, n, 0);
  mms_pack(s, n, from, stride, got.data, (mms_ahead){is_ahead ? got.data : NULL, n % 2 ? 1 : 2});
  compare(c, "pack", &want, &got, n, 0);
  free(gathered);
  buffer_free(&x);
  buffer_free(&want);
  buffer_free(&got);
}

static void check_unpack(const mms_storage *s, const struct conversion *c, size_t n, ptrdiff_t stride, bool is_ahead) {
  struct buffer from = buffer_new(bytes_of(c->from, n, n), 0),
                want = buffer_new(room(n, stride) * s->y_size, misplaced(c->to, n)),
                got = buffer_new(want.size, misplaced(c->to, n + 1));
  unsigned char *packed = malloc(n * s->y_size + 1), *to = first_of(want.data, n, stride, s->y_size);
  fill(c->from, from.data, n, n, n, MOST);
  convert_all(c, n, from.data, packed, n, 0);
  memset(want.data, GUARD_BYTE, want.size);
  memset(got.data, GUARD_BYTE, got.size);
  for (size_t i = 0; i < n; i++)
    memcpy(to + (ptrdiff_t)i * stride * (ptrdiff_t)s->y_size, packed + i * s->y_size, s->y_size);
  mms_unpack(s, n, from.data, first_of(got.data, n, stride, s->y_size), stride,
             (mms_ahead){is_ahead ? want.data : NULL, stride});
  compare(c, "unpack", &want, &got, n, 0);
  free(packed);
  buffer_free(&from);
  buffer_free(&want);
  buffer_free(&got);
}

static void check_strides(const mms_storage *s, mmscan_type x, mmscan_type y) {
  const struct conversion in = conversion_of(s, x, y, true), out = conversion_of(s, x, y, false);
  for (size_t i = 0; i < COUNT(lengths); i++)
    for (size_t k = 0; k < 2 * COUNT(strides); k++) {
      make_values(in.from.type);
      check_pack(s, &in, lengths[i], strides[k / 2], k % 2);
      if (strides[k / 2] == 0) continue;
      make_values(out.from.type);
      check_unpack(s, &out, lengths[i], strides[k / 2], k % 2);
    }
}

/* Of all rows, also those that are combined as they are stored. */
TEST(test_strides) {
  for (mmscan_type x = MMSCAN_F32; x < (mmscan_type)MMS_STORAGE_TYPES; x++)
    for (mmscan_type y = MMSCAN_F32; y < (mmscan_type)MMS_STORAGE_TYPES; y++) {
      const mms_storage *s = mms_storage_of(x, y), *planes = mms_storage_in_planes(x, y);
      if (s != NULL) check_strides(s, x, y);
      if (planes != NULL) check_strides(planes, x, y);
    }
}

/* ---- NaN --------------------------------------------------------------------------------------------------------- */

static void put(const struct side *s, void *x, size_t i, size_t part, size_t n, double value) {
  put_float(s->type, place(*s, x, i, part, n), 0, value);
}

/* A complex number is none if either part is. */
static void check_nans(const mms_storage *s, mmscan_type x_type, mmscan_type y_type, size_t n) {
  const struct side side = conversion_of(s, x_type, y_type, true).to;
  struct buffer got = buffer_new(bytes_of(side, n, n), 0), want = buffer_new(got.size, 0);
  struct rng rng = rng_of(n);
  char instead[16];
  for (size_t part = 0; part < side.parts; part++) put_float(side.type, instead, part, 3.0 + (double)part);
  for (size_t i = 0; i < n; i++) {
    const size_t nans = draw_below(&rng, 4);
    const bool is_nan = nans % 2 || (side.parts == 2 && nans / 2);
    for (size_t part = 0; part < side.parts; part++) {
      const double value = draw_below(&rng, 5) == 0 ? -INFINITY : draw_unit(&rng);
      put(&side, got.data, i, part, n, nans >> part & 1 ? (double)NAN : value);
      put(&side, want.data, i, part, n, is_nan ? 3.0 + (double)part : value);
    }
  }
  mms_pack_without_nan(s, n, got.data, instead);
  const struct conversion c = conversion_of(s, x_type, y_type, true);
  compare(&c, "without NaN", &want, &got, n, 0);
  buffer_free(&got);
  buffer_free(&want);
}

TEST(test_without_nan) {
  static const mmscan_type types[] = {MMSCAN_F32, MMSCAN_F64, MMSCAN_F16, MMSCAN_BF16, MMSCAN_C32, MMSCAN_C64};
  for (size_t i = 0; i < COUNT(types); i++)
    for (size_t n = 0; n < 70; n++) {
      const mms_storage *planes = mms_storage_in_planes(types[i], types[i]);
      check_nans(mms_storage_of(types[i], types[i]), types[i], types[i], n);
      if (planes != NULL) check_nans(planes, types[i], types[i], n);
    }
}

int main(void) { return run_all_tests(NULL, NULL); }
