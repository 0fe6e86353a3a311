/* custom.c: operators of the caller's, called for one element after the other. */
#include "engine/custom.h"

#include "base/arena.h"

/* ---- Elements ------------------------------------------------------------------------------------------------- */

/* Slots of a workspace: two, or twice as many as there are chains, where elements have so many bytes at most. */
enum { SPARE, OTHER, SLOTS, CHAINS = 4, CHAINED = 64 };

static size_t round_up(size_t bytes, size_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

static size_t slot_size(size_t size) { return round_up(size, mms_arena_alignment(size)); }

static mms_custom *call_of(const mms_job *job) { return job->algebra->own->call; }

static void *slot_of(const mms_job *job, void *work, size_t index) {
  const size_t size = job->algebra->size, to_align = -(uintptr_t)work & (mms_arena_alignment(size) - 1);
  return (char *)work + to_align + index * slot_size(size);
}

static size_t work_size(const mms_job *job) {
  const size_t size = job->algebra->size;
  return (size <= CHAINED ? 2 * CHAINS : SLOTS) * slot_size(size) + mms_arena_alignment(size) - MMS_ARENA_ALIGN;
}

/* Room for a total, or a carry. */
static void *take_slot(const mms_job *job) {
  mms_custom *custom = call_of(job);
  const size_t index = atomic_fetch_add_explicit(&custom->taken, 1, memory_order_relaxed);
  return custom->slots + index * slot_size(job->algebra->size);
}

/* ---- A tile --------------------------------------------------------------------------------------------------- */

/* Its elements in the order of the scan; steps are in bytes. */
typedef struct walk {
  mmscan_combine *combine;
  void *context;
  size_t size, m;
  const char *x;
  char *y;
  ptrdiff_t x_step, y_step;
} walk;

static walk walk_of(const mms_job *job, const mms_tile *t) {
  const mmscan_operator *op = call_of(job)->op;
  const ptrdiff_t size = (ptrdiff_t)op->size, x_step = t->x_stride * size, y_step = t->y_stride * size;
  const ptrdiff_t first = job->reverse ? (ptrdiff_t)t->m - 1 : 0, sign = job->reverse ? -1 : 1;
  return (walk){.combine = op->combine,
                .context = op->context,
                .size = op->size,
                .m = t->m,
                .x = (const char *)t->x + first * x_step,
                .y = (char *)t->y + first * y_step,
                .x_step = sign * x_step,
                .y_step = sign * y_step};
}

/* In the following, out: room for the carry out of the tile; NULL: it is not needed. No result is where an operand is.
 */
static void inclusive(walk w, const void *carry, void *out) {
  if (carry)
    w.combine(w.context, carry, w.x, w.y);
  else
    mms_copy(w.y, w.x, w.size);
  for (; w.m > 1; w.m--, w.y += w.y_step) {
    w.x += w.x_step;
    w.combine(w.context, w.y, w.x, w.y + w.y_step);
  }
  if (out) mms_copy(out, w.y, w.size);
}

static void exclusive(walk w, const void *carry, void *out) {
  mms_copy(w.y, carry, w.size);
  for (; w.m > 1; w.m--, w.x += w.x_step, w.y += w.y_step) w.combine(w.context, w.y, w.x, w.y + w.y_step);
  if (out) w.combine(w.context, w.y, w.x, out);
}

static void inclusive_in_place(walk w, const void *carry, void *out, void *spare) {
  const void *last = carry;
  for (; w.m > 0; w.m--, w.y += w.y_step) {
    if (last) {
      w.combine(w.context, last, w.y, spare);
      mms_copy(w.y, spare, w.size);
    }
    last = w.y;
  }
  if (out) mms_copy(out, last, w.size);
}

static void exclusive_in_place(walk w, const void *carry, void *out, void *spare, void *other) {
  const void *last = carry;
  for (; w.m > 0; w.m--, w.y += w.y_step) {
    void *next = w.m == 1 ? out : last == spare ? other : spare;
    if (next) w.combine(w.context, last, w.y, next);
    mms_copy(w.y, last, w.size);
    last = next;
  }
}

static void scan(const mms_job *job, void *work, const mms_tile *t, const void *carry, void *out) {
  const walk w = walk_of(job, t);
  const bool is_inclusive = job->kind == MMSCAN_INCLUSIVE;
  if (t->x != t->y)
    (is_inclusive ? inclusive : exclusive)(w, carry, out);
  else if (is_inclusive)
    inclusive_in_place(w, carry, out, slot_of(job, work, SPARE));
  else
    exclusive_in_place(w, carry, out, slot_of(job, work, SPARE), slot_of(job, work, OTHER));
}

static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  void *out = t->is_last ? NULL : take_slot(job);
  scan(job, work, t, carry->element, out);
  carry->element = out;
}

/* Partial results take turns in two places, and the last one is in `total`. */
static void fold(walk w, void *total, void *spare) {
  const char *last = w.x;
  if (w.m == 1) mms_copy(total, w.x, w.size);
  for (size_t left = w.m - 1; left > 0; left--) {
    void *next = left % 2 ? total : spare;
    w.x += w.x_step;
    w.combine(w.context, last, w.x, next);
    last = next;
  }
}

/* The same by several parts at a time, so that a short operator need not wait for its last result. */
static void fold_in_chains(walk w, void *total, char *places, size_t apart) {
  const size_t part = w.m / CHAINS;
  const ptrdiff_t step = (ptrdiff_t)part * w.x_step;
  const char *last[CHAINS];
  for (int c = 0; c < CHAINS; c++) last[c] = w.x + c * step;
  for (size_t i = 1; i < part; i++) {
    w.x += w.x_step;
    for (int c = 0; c < CHAINS; c++) {
      char *next = places + ((size_t)c + i % 2 * CHAINS) * apart;
      w.combine(w.context, last[c], w.x + c * step, next);
      last[c] = next;
    }
  }
  const char *sum = last[0];
  for (int c = 1; c < CHAINS; c++) {
    char *next = places + ((size_t)c + part % 2 * CHAINS) * apart;
    w.combine(w.context, sum, last[c], next);
    sum = next;
  }
  w.x += (CHAINS - 1) * step;
  for (size_t left = w.m % CHAINS; left > 0; left--) {
    char *next = places + (left % 2 * CHAINS) * apart;
    w.x += w.x_step;
    w.combine(w.context, sum, w.x, next);
    sum = next;
  }
  mms_copy(total, sum, w.size);
}

static void reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  const walk w = walk_of(job, t);
  void *total = take_slot(job), *places = slot_of(job, work, SPARE);
  if (w.size <= CHAINED && w.m >= CHAINS)
    fold_in_chains(w, total, places, slot_size(w.size));
  else
    fold(w, total, places);
  *found = (mms_found){.total.element = total};
}

static void advance(const mms_job *job, void *work, const mms_tile *t, const mms_found *found, mms_value *carry) {
  const mmscan_operator *op = call_of(job)->op;
  void *total = found->total.element, *spare = slot_of(job, work, SPARE);
  (void)t;
  if (carry->element) {
    op->combine(op->context, carry->element, total, spare);
    mms_copy(total, spare, op->size);
  }
  carry->element = total;
}

static void finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  (void)prefetch;
  scan(job, work, t, carry->element, NULL);
}

/* ---- The engine ----------------------------------------------------------------------------------------------- */

/* An operator may take long, so that threads gain from sharing few elements. But no less than LEAST, as a tile takes a
 * slot. */
enum { PIECES = 64, LEAST = 32 };

static size_t tile_of(const mms_algebra *algebra, size_t n) {
  const size_t most = MMS_ENGINE_TILE / algebra->size, part = n / PIECES, tile = part < most ? part : most;
  return tile > LEAST ? tile : LEAST;
}

static const mms_engine by_tiles = {.name = "custom",
                                    .description = "an operator of the caller's",
                                    .at_once = at_once,
                                    .reduce = reduce,
                                    .advance = advance,
                                    .finish = finish,
                                    .work_size = work_size,
                                    .tile_of = tile_of};

static const mms_engine in_order = {.name = "custom",
                                    .description = "an operator of the caller's, in the order of the plain loop",
                                    .at_once = at_once,
                                    .work_size = work_size};

/* ---- One call ------------------------------------------------------------------------------------------------- */

static bool take_slots(void *call, size_t count) {
  mms_custom *custom = call;
  size_t bytes;
  if (__builtin_mul_overflow(count, slot_size(custom->op->size), &bytes)) return false;
  custom->slots = mms_arena_block(bytes, custom->op->size);
  custom->taken = 0;
  return custom->slots != NULL;
}

static void drop_slots(void *call) {
  mms_custom *custom = call;
  free(custom->slots);
  custom->slots = NULL;
}

void mms_custom_begin(mms_custom *custom, const mmscan_operator *op) {
  *custom = (mms_custom){.op = op,
                         .algebra = {.size = op->size, .identity = op->identity, .own = &custom->own},
                         .storage = {.x_size = op->size, .y_size = op->size, .size = op->size, .planes = 1},
                         .own = {.call = custom,
                                 .by_tiles = &by_tiles,
                                 .alone = &in_order,
                                 .are_elsewhere = true,
                                 .take_slots = take_slots,
                                 .drop_slots = drop_slots}};
}

void mms_custom_keep_order(mms_custom *custom) { custom->own.by_tiles = &in_order; }
