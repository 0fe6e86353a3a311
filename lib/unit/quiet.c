/* quiet.c: settings of threads, by vendor.
 *
 * MKL has a call that sets the threads of the calling thread's products.
 *
 * A BLIS that uses OpenMP asks it for as many threads as BLIS is set to, whatever OpenMP is set to, so OpenMP is told
 * to nest no teams on the calling thread. BLIS accepts a team of one, but ends the process if a team is smaller than it
 * asked for and larger than one. A BLIS that uses pthreads starts new threads for each product. Its setting belongs to
 * the process (0.9.0) or to the calling thread (later versions), and BLIS_JC_NT and the like override it: the threads
 * they ask for start all the same.
 *
 * OpenBLAS starts no threads for a chunk of floats. For larger products one that uses OpenMP asks for as many threads
 * as a team of the calling thread would have, and waits for ever for those that do not come; one that uses pthreads has
 * a setting of the process. */
#include "unit/quiet.h"

#include "unit/gate.h"
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Guests --------------------------------------------------------------------------------------------------- */

/* All calls now under a shared setting. No fork() happens during one, as it is inside the gate. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mms_told *guests;

/* A call under the same setting. Compares functions, as two units may be one library. */
static const mms_told *guest_of(const mms_quiet *q) {
  const mms_told *g = guests;
  while (g && g->quiet->set != q->set) g = g->next;
  return g;
}

/* ---- By vendor ------------------------------------------------------------------------------------------------ */

typedef void *finder(const void *from, const char *name);

typedef int (*int_call)(void);

/* dlsym() returns an object pointer; POSIX makes it hold a function's address too. */
static int_call find_int(finder *find, const void *from, const char *name) {
  int_call call;
  *(void **)&call = find(from, name);
  return call;
}

static mms_quiet setting(finder *find, const void *from, const char *get, const char *set) {
  mms_quiet q = {.get = find_int(find, from, get)};
  *(void **)&q.set = find(from, set);
  return q.get && q.set ? q : (mms_quiet){.none = 0};
}

static void *see(void *quiet) {
  const mms_quiet *q = quiet;
  return (void *)(intptr_t)q->get();
}

/* The value another thread sees while this one sets `value`; `value` if no other thread can be started. */
static int seen_from_afar(mms_quiet *q, int value) {
  pthread_t other;
  void *seen = (void *)(intptr_t)value;
  q->set(value);
  if (pthread_create(&other, NULL, see, q) == 0) pthread_join(other, &seen);
  return (int)(intptr_t)seen;
}

/* Whether other threads see this thread's setting. Found by trying, as no call tells it. */
static bool can_be_seen(mms_quiet *q) {
  const int before = q->get(), one = seen_from_afar(q, 1), two = seen_from_afar(q, 2);
  q->set(before);
  return one != two;
}

/* The library may already be another unit's. The lock keeps calls of that from beginning or ending meanwhile; and if
 * one is under the setting now, the setting is known to belong to the process. */
static bool is_of_process(mms_quiet *q) {
  mms_gate_place *place = mms_gate_enter();
  pthread_mutex_lock(&lock);
  const bool is_it = guest_of(q) || can_be_seen(q);
  pthread_mutex_unlock(&lock);
  mms_gate_leave(place);
  return is_it;
}

static mms_quiet of_mkl(finder *find, const void *from) {
  mms_quiet q = {.none = 1, .in_chunks = true};
  *(void **)&q.exchange = find(from, "MKL_Set_Num_Threads_Local");
  return q;
}

static mms_quiet with_team(mms_quiet q, finder *find, const void *from, const char *team) {
  q.team = find_int(find, from, team);
  q.limit = find_int(find, from, "omp_get_thread_limit");
  q.dynamic = find_int(find, from, "omp_get_dynamic");
  q.levels = find_int(find, from, "omp_get_max_active_levels");
  if (!q.limit || !q.dynamic || !q.levels) q.team = NULL;
  return q;
}

/* OpenMP's setting belongs to the calling thread; in libgomp up to GCC 10 to the process. */
static mms_quiet of_openmp(finder *find, const void *from, const char *team) {
  mms_quiet q = setting(find, from, "omp_get_max_active_levels", "omp_set_max_active_levels");
  q.is_shared = q.set && is_of_process(&q);
  return with_team(q, find, from, team);
}

/* For other libraries: OpenMP's setting, if they use OpenMP. Some builds of BLIS export only the names of BLAS. */
static mms_quiet of_other(finder *find, const void *from) {
  mms_quiet q = of_openmp(find, from, "omp_get_max_threads");
  q.in_chunks = true;
  return q;
}

static mms_quiet of_blis(finder *find, const void *from) {
  const int_call of_pthreads = find_int(find, from, "bli_info_get_enable_pthreads");
  mms_quiet q;
  if (of_pthreads && of_pthreads()) {
    q = setting(find, from, "bli_thread_get_num_threads", "bli_thread_set_num_threads");
    q.none = 1;
    q.is_shared = q.set && is_of_process(&q);
  } else {
    q = of_openmp(find, from, "bli_thread_get_num_threads");
  }
  q.in_chunks = true;
  return q;
}

static mms_quiet of_openblas(finder *find, const void *from, int threading) {
  mms_quiet q;
  if (threading == MMS_OPENBLAS_OPENMP) {
    q = setting(find, from, "omp_get_max_threads", "omp_set_num_threads");
    q = with_team(q, find, from, "omp_get_max_threads");
  } else {
    q = setting(find, from, "openblas_get_num_threads", "openblas_set_num_threads");
    q.is_shared = true;
  }
  q.none = 1;
  return q;
}

mms_quiet mms_quiet_of(finder *find, const void *from) {
  const int_call parallel = find_int(find, from, "openblas_get_parallel");
  if (parallel) return of_openblas(find, from, parallel());
  if (find(from, "bli_info_get_version_str")) return of_blis(find, from);
  return find(from, "MKL_Set_Num_Threads_Local") ? of_mkl(find, from) : of_other(find, from);
}

/* ---- Telling a library ---------------------------------------------------------------------------------------- */

static int exchange(const mms_quiet *q, int value) {
  if (q->exchange) return q->exchange(value);
  const int before = q->get();
  if (before != value) q->set(value);
  return before;
}

/* Whether OpenMP might give a smaller team than the library asks for. */
static bool lacks_team(const mms_quiet *q) {
  return q->team && (q->dynamic() || q->levels() < 1 || q->limit() < q->team());
}

static bool is_to_be_told(const mms_quiet *q, mms_manner manner) {
  if (!q->exchange && !q->set) return false;
  switch (manner) {
  case MMS_FREELY:
    return lacks_team(q);
  case MMS_CHUNKED:
    return q->in_chunks;
  default:
    return true;
  }
}

static void come(mms_told *told) {
  pthread_mutex_lock(&lock);
  const mms_told *other = guest_of(told->quiet);
  told->before = other ? other->before : exchange(told->quiet, told->quiet->none);
  told->next = guests;
  guests = told;
  pthread_mutex_unlock(&lock);
}

static void go(mms_told *told) {
  pthread_mutex_lock(&lock);
  mms_told **at = &guests;
  while (*at != told) at = &(*at)->next;
  *at = told->next;
  if (!guest_of(told->quiet)) exchange(told->quiet, told->before);
  pthread_mutex_unlock(&lock);
}

void mms_quiet_begin(const mms_quiet *q, mms_manner manner, mms_told *told) {
  told->quiet = is_to_be_told(q, manner) ? q : NULL;
  if (!told->quiet) return;
  if (q->is_shared) {
    come(told);
  } else {
    told->before = exchange(q, q->none);
  }
}

void mms_quiet_end(mms_told *told) {
  if (!told->quiet) return;
  if (told->quiet->is_shared) {
    go(told);
  } else {
    exchange(told->quiet, told->before);
  }
}
