/* segmented.c: pieces of segments, in the order of the scan.
 *
 * A tile with no head in it is the other engine's as a whole. The carry out of any other tile is that of its tail, from
 * its last head on, whatever the carry in: so that is what is found when it is reduced (mms_found.is_final). However a
 * tile is scanned, its carry out is what the other engine makes of the tail by itself. */
#include "engine/segmented.h"

#include <string.h>

/* Elements from which a segment is scanned by itself; and of which the heads are held as bits, and one more. Words
 * without a head of which a long segment has so many in a row. */
enum { LONG = 256, HELD = 4096, WORDS = HELD / MMS_BITS_WORD + 2, EMPTY = LONG / MMS_BITS_WORD - 1 };

/* Bytes of a piece from which it may go past the caches. */
enum { FAR = 32768 };

/* The elements of a tile that are still to be scanned: from `low` up to `high`, of the scan. Bit i says whether element
 * from + i begins a segment; in a reverse scan bit `count` is known, too. */
typedef struct walk {
  const mms_segmented *s;
  bool reverse, are_short; /* all segments are, between those that are known */
  size_t low, high, from, count, segment;
  uint64_t bits[WORDS];
} walk;

/* ---- Heads ---------------------------------------------------------------------------------------------------- */

static void set(uint64_t *bits, size_t at) { bits[at / MMS_BITS_WORD] |= (uint64_t)1 << at % MMS_BITS_WORD; }

/* Whether no segment is long between the first and the last head. */
static bool are_short(const walk *w) {
  size_t empty = 0;
  for (size_t k = 0; k <= w->count / MMS_BITS_WORD && empty < EMPTY; k++) empty = w->bits[k] ? 0 : empty + 1;
  return empty < EMPTY;
}

/* Finds out about the elements that come next, as many as there is room for. What follows the last one begins anew. */
static void look(walk *w) {
  const size_t left = w->high - w->low; /* cppcheck-suppress ctuuninitvar ; callers set both */
  w->count = left < HELD ? left : HELD;
  w->from = w->reverse ? w->high - w->count : w->low;
  const bool has_next = w->reverse && w->high < w->s->n, ends = w->reverse && w->high == w->s->n;
  if (w->reverse) w->segment = 0;
  w->bits[w->count / MMS_BITS_WORD] = w->bits[w->count / MMS_BITS_WORD + 1] = 0;
  mms_heads_find(&w->s->heads, w->from, w->count + has_next, &w->segment, w->bits);
  if (ends) set(w->bits, w->count);
  w->are_short = are_short(w);
}

static walk walk_of(const mms_segmented *s, bool reverse, size_t low, size_t high) {
  walk w;
  w.s = s;
  w.reverse = reverse;
  w.low = low;
  w.high = high;
  w.segment = 0;
  look(&w);
  return w;
}

/* Where the elements are that come next; and where they end. */
static size_t edge_of(const walk *w) { return w->reverse ? w->high : w->low; }
static size_t end_of(const walk *w) { return w->reverse ? w->low : w->high; }
static void move_to(walk *w, size_t edge) { *(w->reverse ? &w->high : &w->low) = edge; }
static size_t apart(size_t a, size_t b) { return a > b ? a - b : b - a; }

/* Whether a segment begins at an edge, and does not just go on. */
static bool begins_at(const walk *w, size_t edge) { return mms_bits_at(w->bits, edge - w->from) & 1; }

/* An edge after another one; is_known: false if it is just the last place that is known. */
typedef struct edge {
  size_t at;
  bool is_known;
} edge;

static edge edge_after(const walk *w, size_t at) {
  if (w->reverse) {
    const size_t after = mms_bits_last(w->bits, 0, at - w->from);
    return (edge){w->from + (after > 0 ? after - 1 : 0), after > 0 || w->from == w->low};
  }
  const size_t end = w->from + mms_bits_next(w->bits, at + 1 - w->from, w->count);
  return (edge){end, end < w->from + w->count || end == w->high};
}

/* The last edge that is known. */
static size_t last_edge(const walk *w) {
  if (w->reverse && w->from == w->low) return w->low;
  if (w->reverse) return w->from + mms_bits_next(w->bits, 0, w->high - w->from);
  if (w->from + w->count == w->high) return w->high;
  const size_t after = mms_bits_last(w->bits, w->low - w->from, w->count);
  return after > w->low - w->from ? w->from + after - 1 : w->low;
}

/* The edge up to which segments are short, of those that are known; *next: the one after it, if it is not the last. */
static size_t after_short(const walk *w, edge *next) {
  size_t at = w->are_short ? last_edge(w) : edge_of(w);
  for (; at != end_of(w); at = next->at) {
    *next = edge_after(w, at);
    if (!next->is_known || apart(next->at, at) >= LONG) return at;
  }
  return at;
}

/* The edge where a segment ends of which *next is known. It takes what is known on as far as it has to. */
static size_t after_segment(walk *w, const edge *next) {
  const size_t low = w->low, high = w->high;
  edge to = *next;
  while (!to.is_known) {
    move_to(w, to.at);
    look(w);
    to = begins_at(w, to.at) ? (edge){to.at, true} : edge_after(w, to.at);
  }
  w->low = low;
  w->high = high;
  return to.at;
}

/* Whether the element at an edge is the first one that is known. */
static bool is_fresh(const walk *w) { return edge_of(w) == w->from + (w->reverse ? w->count : 0); }

/* ---- Pieces --------------------------------------------------------------------------------------------------- */

/* Elements low to high - 1 of the scan of a tile. */
static mms_tile piece_of(const mms_segmented *s, const mms_tile *t, size_t low, size_t high, bool is_last) {
  const ptrdiff_t at = (ptrdiff_t)(low - t->at);
  mms_tile piece = *t;
  piece.m = high - low;
  piece.x = (const char *)t->x + at * t->x_stride * (ptrdiff_t)s->x_size;
  piece.y = (char *)t->y + at * t->y_stride * (ptrdiff_t)s->y_size;
  piece.at = low;
  piece.is_last = is_last;
  piece.next = NULL;
  return piece;
}

/* Whether a segment begins at an element, or would after the last one. */
static bool is_cut(const mms_segmented *s, size_t element) {
  uint64_t bit;
  size_t segment = 0;
  if (element == s->n) return true;
  mms_heads_find(&s->heads, element, 1, &segment, &bit);
  return bit & 1;
}

/* A tile that knows whether a segment ends with it. */
static mms_tile closed(const mms_job *job, const mms_tile *t) {
  mms_tile tile = *t;
  tile.is_last = is_cut(job->segmented, job->reverse ? t->at : t->at + t->m);
  return tile;
}

/* The last piece of a tile in the order of the scan, seen from its end. *begins: whether its segment begins there, or
 * in an earlier tile. */
static mms_tile tail_of(const mms_job *job, const mms_tile *t, bool *begins) {
  const mms_segmented *s = job->segmented;
  walk back = walk_of(s, !job->reverse, t->at, t->at + t->m);
  const edge last = edge_after(&back, edge_of(&back));
  const size_t at = after_segment(&back, &last);
  *begins = at != end_of(&back) || is_cut(s, at);
  return job->reverse ? piece_of(s, t, t->at, at, t->is_last) : piece_of(s, t, at, t->at + t->m, t->is_last);
}

/* Whether short segments go to a kernel, whose bits depend on what is next to them. */
static bool takes_runs(const mms_job *job) { return job->segmented->inner->has_isa && !job->keeps_order; }

static void scan_run(const mms_job *job, const mms_tile *t, const walk *w, size_t to, const mms_value *carry) {
  const size_t low = w->reverse ? to : w->low, high = w->reverse ? w->high : to;
  const mms_tile run = piece_of(w->s, t, low, high, false);
  const mms_cut cut = {.heads = w->bits, .at = low - w->from, .first = &w->s->first};
  mms_value value = *carry;
  job->kernel->segments[job->kind][job->reverse](job->kernel, run.m, run.x, run.y, &cut, &value);
}

/* Whether results are bounded by the carry out of a tile (engine/monotone.h). */
static bool is_bound(const mms_job *job) { return job->adds_exactly && job->extras && job->extras->neutral; }

/* The job of pieces that are too short to go past the caches one by one. */
static mms_job near_job(const mms_job *job) {
  mms_job near = *job;
  near.streams = near.uncached = near.paces = false;
  return near;
}

/* near: near_job(). next: the edge after the one that is here. carry: into the tile. out: where the carry out of a tail
 * goes; NULL: it is not needed. */
static void scan_piece(const mms_job *job, const mms_job *near, void *work, const mms_tile *t, walk *w,
                       const edge *next, const mms_value *carry, mms_value *out) {
  const mms_engine *inner = w->s->inner;
  const size_t from = edge_of(w);
  mms_value value = begins_at(w, from) ? w->s->first : *carry;
  const size_t to = after_segment(w, next);
  const bool is_tail = to == end_of(w);
  const mms_tile piece = piece_of(w->s, t, from < to ? from : to, from < to ? to : from, !is_tail || t->is_last);
  const mms_job *of_piece = piece.m * w->s->y_size < FAR ? near : job;
  if (is_tail && is_bound(job)) memcpy(value.bounded.after, carry->bounded.after, sizeof value.bounded.after);
  if (inner->finish && !(is_tail && out) && (is_tail || !is_bound(job)))
    inner->finish(of_piece, work, &piece, &value, NULL);
  else
    inner->at_once(of_piece, work, &piece, &value);
  if (is_tail && out) *out = value;
  move_to(w, to);
}

static void scan(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, mms_value *out) {
  const mms_job near = near_job(job);
  walk w = walk_of(job->segmented, job->reverse, t->at, t->at + t->m);
  const bool runs = takes_runs(job);
  while (w.low < w.high) {
    edge next = {0, false};
    const size_t at = runs ? after_short(&w, &next) : edge_of(&w);
    if (!runs) next = edge_after(&w, at);
    if (at != edge_of(&w)) {
      scan_run(job, t, &w, at, carry);
      move_to(&w, at);
    }
    if (at == end_of(&w)) return;
    if (next.is_known || is_fresh(&w))
      scan_piece(job, &near, work, t, &w, &next, carry, out);
    else
      look(&w);
  }
}

/* ---- The contract --------------------------------------------------------------------------------------------- */

static mms_value total_of(const mms_job *job, void *work, const mms_tile *tail) {
  const mms_engine *inner = job->segmented->inner;
  mms_value value = job->segmented->first;
  mms_found found;
  inner->reduce(job, work, tail, &found);
  inner->advance(job, work, tail, &found, &value);
  return value;
}

static void reduce(const mms_job *job, void *work, const mms_tile *t, mms_found *found) {
  bool begins;
  const mms_tile tail = tail_of(job, t, &begins);
  if (begins)
    *found = (mms_found){.total = total_of(job, work, &tail), .is_final = true};
  else
    job->segmented->inner->reduce(job, work, t, found), found->is_final = false;
}

static void advance(const mms_job *job, void *work, const mms_tile *t, const mms_found *found, mms_value *carry) {
  if (found->is_final)
    *carry = found->total;
  else
    job->segmented->inner->advance(job, work, t, found, carry);
}

static void finish(const mms_job *job, void *work, const mms_tile *t, const mms_value *carry, const void *prefetch) {
  bool begins;
  const mms_tile tile = closed(job, t);
  tail_of(job, t, &begins);
  if (begins)
    scan(job, work, &tile, carry, NULL);
  else
    job->segmented->inner->finish(job, work, &tile, carry, prefetch);
}

/* The total of a short tail is found before that may be overwritten. */
static void at_once(const mms_job *job, void *work, const mms_tile *t, mms_value *carry) {
  bool begins;
  const mms_tile tile = closed(job, t), tail = tail_of(job, t, &begins);
  mms_value out;
  if (!begins) {
    job->segmented->inner->at_once(job, work, &tile, carry);
  } else if (takes_runs(job) && tail.m < LONG) {
    out = total_of(job, work, &tail);
    scan(job, work, &tile, carry, NULL);
    *carry = out;
  } else {
    scan(job, work, &tile, carry, &out);
    *carry = out;
  }
}

/* Each segment of all scans together. */
static void batch(const mms_job *job, void *work, const mms_batch *r) {
  const mms_segmented *s = job->segmented;
  walk w = walk_of(s, false, 0, s->n);
  while (w.low < w.high) {
    const edge next = edge_after(&w, w.low);
    const size_t low = w.low, high = after_segment(&w, &next);
    mms_batch part = *r;
    part.n = high - low;
    part.x = (const char *)r->x + (ptrdiff_t)low * r->x_stride * (ptrdiff_t)s->x_size;
    part.y = (char *)r->y + (ptrdiff_t)low * r->y_stride * (ptrdiff_t)s->y_size;
    s->inner->batch(job, work, &part);
    move_to(&w, high);
  }
}

static size_t work_size(const mms_job *job) { return job->segmented->inner->work_size(job); }
static void begin(const mms_job *job, void *work) { job->segmented->inner->begin(job, work); }

mms_engine mms_engine_segmented(const mms_engine *inner, bool are_many) {
  return (mms_engine){.name = inner->name,
                      .description = inner->description,
                      .at_once = inner->at_once ? at_once : NULL,
                      .batch = inner->batch && (are_many || !inner->at_once) ? batch : NULL,
                      .reduce = inner->reduce ? reduce : NULL,
                      .advance = inner->advance ? advance : NULL,
                      .finish = inner->finish ? finish : NULL,
                      .has_unit = inner->has_unit,
                      .work_size = inner->work_size ? work_size : NULL,
                      .begin = inner->begin ? begin : NULL};
}
