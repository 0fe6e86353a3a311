/* known.c: a list of shapes, to which entries are only ever added, in front, so that readers need no lock. An entry is
 * never freed, as a thread may be in a scan while the process ends; what is known of its shape is replaced within it.
 *
 * An entry has two places for a choice. A writer fills the one that is not read, and then turns the entry over. What a
 * reader has copied is good unless a writer began to fill the same place meanwhile, which is after a whole turn: so a
 * reader tries again only if a writer got on, and waits for none. Nor does a writer wait for long: where another one is
 * stopped in its work, or was when the process forked, an entry in front of the old one outranks it. */
#include "plan/known.h"

#include <stdlib.h>

typedef struct place {
  _Atomic(const mms_engine *) engine;
  _Atomic(const mms_unit *) unit;
  atomic_size_t s, tile;
  atomic_int threads, possible;
} place;

typedef struct mms_known_notes {
  struct mms_known_notes *next;
  uint32_t key;
  atomic_uint turn; /* odd: a writer is at work; bit 1: which place is read */
  place place[2];
} entry;

_Atomic(entry *) mms_known_list;

static entry *first_entry(void) { return atomic_load_explicit(&mms_known_list, memory_order_acquire); }

/* ---- One entry ------------------------------------------------------------------------------------------------ */

/* Whoever sees a part of what is stored here sees the turn in which it was stored, too. */
static void fill(place *p, const mms_wise *wise) {
  atomic_store_explicit(&p->engine, wise->engine, memory_order_release);
  atomic_store_explicit(&p->unit, wise->unit, memory_order_release);
  atomic_store_explicit(&p->s, wise->s, memory_order_release);
  atomic_store_explicit(&p->tile, wise->tile, memory_order_release);
  atomic_store_explicit(&p->threads, wise->threads, memory_order_release);
  atomic_store_explicit(&p->possible, wise->possible, memory_order_release);
}

static mms_wise copy_of(const place *p) {
  return (mms_wise){.engine = atomic_load_explicit(&p->engine, memory_order_acquire),
                    .unit = atomic_load_explicit(&p->unit, memory_order_acquire),
                    .s = atomic_load_explicit(&p->s, memory_order_acquire),
                    .tile = atomic_load_explicit(&p->tile, memory_order_acquire),
                    .threads = atomic_load_explicit(&p->threads, memory_order_acquire),
                    .possible = atomic_load_explicit(&p->possible, memory_order_acquire)};
}

/* A writer in turn t + 1 fills the other place; in turn t + 3, after turn t + 2, this one. */
static mms_wise look(const entry *e) {
  mms_wise wise;
  unsigned turn, now = atomic_load_explicit(&e->turn, memory_order_acquire);
  do {
    turn = now & ~1u;
    wise = copy_of(&e->place[turn >> 1 & 1]);
    now = atomic_load_explicit(&e->turn, memory_order_acquire);
  } while (now - turn > 2);
  return wise;
}

/* False: another writer is at work, and stays so. TRIES: many times as long as a writer takes that is not stopped. */
static bool replace(entry *e, const mms_wise *wise) {
  enum { TRIES = 1000 };
  unsigned turn;
  int tries = 0;
  do {
    if (tries++ == TRIES) return false;
    turn = atomic_load_explicit(&e->turn, memory_order_relaxed) & ~1u;
  } while (
      !atomic_compare_exchange_strong_explicit(&e->turn, &turn, turn + 1, memory_order_acquire, memory_order_relaxed));
  fill(&e->place[~turn >> 1 & 1], wise);
  atomic_store_explicit(&e->turn, turn + 2, memory_order_release);
  return true;
}

/* ---- The list ------------------------------------------------------------------------------------------------- */

static entry *find(entry *e, uint32_t key) {
  while (e && e->key != key) e = e->next;
  return e;
}

bool mms_known_find(uint32_t key, mms_wise *wise) {
  const entry *e = find(first_entry(), key);
  if (e) *wise = look(e);
  return e != NULL;
}

static bool is_known(const mms_known *k) {
  mms_wise a;
  const mms_wise *b = &k->wise;
  return mms_known_find(k->key, &a) && a.engine == b->engine && a.unit == b->unit && a.s == b->s && a.tile == b->tile &&
         a.threads == b->threads && a.possible == b->possible;
}

/* Puts an entry in front, or what it holds into the one of its shape that is there. */
static void publish(entry *e) {
  const mms_wise wise = look(e);
  e->next = first_entry();
  do {
    entry *there = find(e->next, e->key);
    if (there && replace(there, &wise)) {
      free(e);
      return;
    }
  } while (
      !atomic_compare_exchange_weak_explicit(&mms_known_list, &e->next, e, memory_order_acq_rel, memory_order_acquire));
}

/* ---- Adding --------------------------------------------------------------------------------------------------- */

/* Whether it is the last of its shape. */
static bool is_last(const mms_known *known, size_t count, size_t index) {
  size_t i = index + 1;
  while (i < count && known[i].key != known[index].key) i++;
  return i == count;
}

/* Chained in the order in which the choices are. */
bool mms_known_note(entry **notes, const mms_known *known, size_t count) {
  *notes = NULL;
  for (size_t i = count; i-- > 0;) {
    if (is_known(&known[i]) || !is_last(known, count, i)) continue;
    entry *e = malloc(sizeof *e);
    if (!e) {
      mms_known_forget(*notes);
      return false;
    }
    e->key = known[i].key;
    e->next = *notes;
    atomic_init(&e->turn, 0);
    fill(&e->place[0], &known[i].wise);
    *notes = e;
  }
  return true;
}

void mms_known_add(entry *notes) {
  while (notes) {
    entry *next = notes->next;
    publish(notes);
    notes = next;
  }
}

void mms_known_forget(entry *notes) {
  while (notes) {
    entry *next = notes->next;
    free(notes);
    notes = next;
  }
}

/* ---- All of them ---------------------------------------------------------------------------------------------- */

/* Calls of other threads may put entries in front of `first` meanwhile. */
static bool is_current(entry *first, const entry *e) { return find(first, e->key) == e; }

static size_t count_from(entry *first) {
  size_t count = 0;
  for (const entry *e = first; e; e = e->next) count += is_current(first, e);
  return count;
}

size_t mms_known_count(void) { return count_from(first_entry()); }

mms_known *mms_known_copy(size_t *count) {
  entry *first = first_entry();
  mms_known *all = malloc((count_from(first) + 1) * sizeof *all);
  *count = 0;
  for (const entry *e = first; e && all; e = e->next)
    if (is_current(first, e)) all[(*count)++] = (mms_known){e->key, look(e)};
  return all;
}
