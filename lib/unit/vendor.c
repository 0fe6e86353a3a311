/* vendor.c: the vendors' own calls, looked up by name. */
#include "unit/vendor.h"

#include "base/arena.h"
#include "unit/unit.h"
#include <dlfcn.h>
#include <fenv.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef int (*int_call)(void);
typedef char *(*text_call)(void);
typedef void (*fill_call)(char *buffer, int length);

/* ---- Opening -------------------------------------------------------------------------------------------------- */

/* Present if this library or the program is built with a sanitizer, which ends a process that uses RTLD_DEEPBIND. */
void __asan_init(void) __attribute__((weak));
void __msan_init(void) __attribute__((weak));
void __tsan_init(void) __attribute__((weak));
static bool is_sanitized(void) { return __asan_init || __msan_init || __tsan_init; }

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0 /* only glibc has it */
#endif

/* With RTLD_DEEPBIND a library calls its own functions even if the process has others of the same name: otherwise a
 * reference BLAS would use the sgemm_ of the program's. Loading a library that was linked with -ffast-math makes the
 * whole thread flush tiny floats to zero, so the caller's mode is restored. */
void *mms_vendor_open(const char *library) {
  fenv_t callers;
  fegetenv(&callers);
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | (is_sanitized() ? 0 : RTLD_DEEPBIND));
  fesetenv(&callers);
  return handle;
}

/* Whether the path exists but is no regular file: dlopen() of a pipe would wait for a writer. */
static bool is_no_file(const char *name) {
  struct stat at;
  return strchr(name, '/') && stat(name, &at) == 0 && !S_ISREG(at.st_mode);
}

static bool has_room(void) {
  enum { ROOM = 160 << 20 }; /* OpenBLAS takes 128 MiB for a thread that multiplies, and touches little of it */
  return mms_arena_fits(ROOM);
}

/* The message of dlopen() without the library's name, which the caller knows. */
static const char *reason_without(const char *name) {
  const char *said = dlerror();
  size_t length = strlen(name);
  return strncmp(said, name, length) == 0 && strncmp(said + length, ": ", 2) == 0 ? said + length + 2 : said;
}

mmscan_status mms_vendor_load(const char *library, void **handle, char *why, size_t size) {
  const char *reason = NULL;
  *handle = NULL;
  if (is_no_file(library)) {
    reason = "it is no regular file";
  } else if (!has_room()) {
    snprintf(why, size, "%s", MMS_VENDOR_NO_ROOM);
    return MMSCAN_ENOMEM;
  } else if (!(*handle = mms_vendor_open(library))) {
    reason = reason_without(library);
  }
  if (reason) snprintf(why, size, "%s", reason);
  return reason ? MMSCAN_EBLAS : MMSCAN_OK;
}

void mms_vendor_close(mms_vendor *v) {
  void *again = v->stays ? dlopen(v->file, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
  if (again) dlclose(again);
  dlclose(v->handle);
  v->handle = NULL;
}

/* ---- Names ---------------------------------------------------------------------------------------------------- */

/* Vendors put these around the names of BLAS. _64 and 64_ mark routines with 64-bit integers, where the plain names of
 * the same library take 32-bit ones; scipy_ is used by the OpenBLAS in Python's wheels. */
static const char *const prefixes[] = {"", "scipy_"};
static const char *const suffixes[] = {"", "64_", "_64"};

enum { NAME_ROOM = 80 };

void *mms_vendor_find(const mms_vendor *v, const char *name) {
  char full[NAME_ROOM];
  if (!v->handle) return NULL;
  snprintf(full, sizeof full, "%s%s%s", v->prefix, name, v->suffix);
  return dlsym(v->handle, full);
}

/* Sets the first affixes with which cblas_sgemm is found; none if there are no such affixes. */
static void find_affixes(mms_vendor *v) {
  for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
      v->prefix = prefixes[p];
      v->suffix = suffixes[s];
      if (mms_vendor_find(v, "cblas_sgemm")) return;
    }
  v->prefix = v->suffix = "";
}

/* Some functions have no affixes in a library whose other functions do. */
static void *find_either(const mms_vendor *v, const char *name) {
  void *call = mms_vendor_find(v, name);
  return call || !v->handle ? call : dlsym(v->handle, name);
}

/* ---- Versions ------------------------------------------------------------------------------------------------- */

/* dlsym() returns an object pointer; POSIX makes it hold a function's address too. */
static bool say_int(const mms_vendor *v, const char *name, int *value) {
  int_call call;
  *(void **)&call = find_either(v, name);
  if (call) *value = call();
  return call != NULL;
}

static bool say_text(mms_vendor *v, const char *name) {
  text_call call;
  *(void **)&call = find_either(v, name);
  if (call) snprintf(v->version, sizeof v->version, "%s", call());
  return call != NULL;
}

static void say_mkl(mms_vendor *v) {
  fill_call call;
  *(void **)&call = find_either(v, "MKL_Get_Version_String");
  if (call) call(v->version, sizeof v->version - 1);
  size_t length = strlen(v->version);
  while (length && v->version[length - 1] == ' ') v->version[--length] = '\0';
}

#define KERNELS ", kernels for "

/* The version of BLIS and its kernels, which are named after a CPU: the generic ones, used on a CPU it does not know,
 * are far slower. BLIS aborts if it is asked for them before bli_init() while BLIS_ARCH_TYPE is set. */
static bool say_blis(mms_vendor *v) {
  void (*begin)(void);
  const char *(*name_of)(int);
  const char *name;
  int cpu;
  if (!say_text(v, "bli_info_get_version_str")) return false;
  *(void **)&begin = find_either(v, "bli_init");
  *(void **)&name_of = find_either(v, "bli_arch_string");
  const size_t length = strlen(v->version);
  if (begin) begin();
  if (begin && name_of && say_int(v, "bli_arch_query_id", &cpu) && (name = name_of(cpu)) != NULL)
    snprintf(v->version + length, sizeof v->version - length, KERNELS "%s", name);
  return true;
}

static void find_version(mms_vendor *v) {
  if (!say_text(v, "openblas_get_config") && !say_blis(v)) say_mkl(v);
}

static bool is_openblas_of(const mms_vendor *v, int threading) {
  int parallel;
  return say_int(v, "openblas_get_parallel", &parallel) && parallel == threading;
}

/* An OpenBLAS built for one thread shares its buffers without locks, so two callers at once get wrong products, unless
 * it was built with USE_LOCKING, which its configuration names from 0.3.28 on (OpenBLAS issue 2126, pull request 4680).
 */
static bool one_at_a_time(const mms_vendor *v) {
  return is_openblas_of(v, MMS_OPENBLAS_SERIAL) && !strstr(v->version, "USE_LOCKING");
}

/* The releases of MKL whose batched calls were tested here or are used by many programs. */
static bool is_good_mkl(const mms_vendor *v) {
  enum { FIRST = 2020, LAST = 2026 };
  const char *version = strstr(v->version, "Version ");
  int year;
  return version && sscanf(version, "Version %4d", &year) == 1 && year >= FIRST && year <= LAST;
}

/* Whether batched calls are known to be good: those of some releases of MKL, and of BLIS 0.9.0, which have passed.
 * OpenBLAS up to 0.3.34 has builds whose batched calls crash or refuse squares (its pull requests 5979 and 5980). Later
 * ones tell only their version number, which does not set such builds apart. */
static bool batches(const mms_vendor *v) {
  static const char good[] = "0.9.0", with_kernels[] = "0.9.0" KERNELS;
  if (find_either(v, "bli_info_get_version_str"))
    return strcmp(v->version, good) == 0 || strncmp(v->version, with_kernels, sizeof with_kernels - 1) == 0;
  return find_either(v, "MKL_Get_Version_String") && is_good_mkl(v);
}

static void find_file(mms_vendor *v) {
  struct link_map *map;
  if (dlinfo(v->handle, RTLD_DI_LINKMAP, &map) == 0) snprintf(v->file, sizeof v->file, "%s", map->l_name);
}

/* Unloading would not free BLIS's buffers, the code LIBXSMM generated, the libraries MKL loaded, or the OpenMP threads
 * of a library that uses OpenMP: an OpenBLAS, or a BLIS that exports only the names of BLAS. Under a sanitizer, without
 * RTLD_DEEPBIND, one OpenBLAS sets up the kernels of another, and unloading it would take them along. */
static bool stays(const mms_vendor *v) {
  static const char *const names[] = {"bli_info_get_version_str", "libxsmm_init", "MKL_Get_Version_String",
                                      "omp_get_max_threads"};
  size_t i = 0;
  while (i < sizeof names / sizeof *names && !find_either(v, names[i])) i++;
  return i < sizeof names / sizeof *names || (is_sanitized() && find_either(v, "openblas_get_config"));
}

/* For a few CPUs OpenBLAS has small-matrix kernels, which do not pack. Its configuration names the CPU it chose. */
static bool has_small_kernels(const mms_vendor *v) {
  static const char *const cores[] = {"SkylakeX", "Cooperlake", "SapphireRapids"};
  size_t i = 0;
  while (i < sizeof cores / sizeof *cores && !strcasestr(v->version, cores[i])) i++;
  return i < sizeof cores / sizeof *cores;
}

/* Small if a call is cheap and packs nothing. Otherwise (a call of BLIS takes half a microsecond) a block is a whole
 * tile, and threads read each tile once. Measured: doc/TUNING.md, "gemm and units". */
static size_t block(const mms_vendor *v) { return has_small_kernels(v) ? MMS_UNIT_SMALL : MMS_UNIT_LARGE; }

/* A linked library, unlike one loaded at run time, finds what it calls where the program does. Of two OpenMP runtimes
 * that is the first, which need not be the one the library itself is linked with. */
static void *find_for_quiet(const void *vendor, const char *name) {
  const void *known = mms_vendor_find(vendor, "cblas_sgemm");
  const bool is_linked = known && known == dlsym(RTLD_DEFAULT, "cblas_sgemm");
  void *call = is_linked ? dlsym(RTLD_DEFAULT, name) : NULL;
  return call ? call : find_either(vendor, name);
}

static void ask(mms_vendor *v) {
  find_file(v);
  find_affixes(v);
  find_version(v);
  v->one_at_a_time = one_at_a_time(v);
  v->batches = batches(v);
  v->stays = stays(v);
  v->watches_forks = is_openblas_of(v, MMS_OPENBLAS_PTHREADS);
  v->block = block(v);
  v->halves = find_either(v, "openblas_get_config") && !has_small_kernels(v);
  v->quiet = mms_quiet_of(find_for_quiet, v);
}

/* Queries the library, and undoes what that changes in the caller's floating-point environment. */
mms_vendor mms_vendor_ask(void *handle) {
  mms_vendor v = {.handle = handle, .prefix = "", .suffix = ""};
  fenv_t callers;
  fegetenv(&callers);
  if (handle) ask(&v);
  fesetenv(&callers);
  return v;
}

int mms_vendor_threads(const mms_vendor *v) {
  static const char *const names[] = {"openblas_get_num_threads", "bli_thread_get_num_threads", "MKL_Get_Max_Threads"};
  int threads = 0;
  for (size_t i = 0; v->handle && i < sizeof names / sizeof *names; i++)
    if (say_int(v, names[i], &threads)) break;
  return threads > 0 ? threads : 0;
}

/* ---- Threads -------------------------------------------------------------------------------------------------- */

/* One lock for all libraries that need one. */
static pthread_mutex_t one_caller = PTHREAD_MUTEX_INITIALIZER;

void mms_vendor_enter(const mms_vendor *v, mms_manner manner, mms_visit *visit) {
  visit->place = mms_gate_enter();
  if (v->one_at_a_time) pthread_mutex_lock(&one_caller);
  mms_quiet_begin(&v->quiet, manner, &visit->told);
}

void mms_vendor_leave(const mms_vendor *v, mms_visit *visit) {
  mms_quiet_end(&visit->told);
  if (v->one_at_a_time) pthread_mutex_unlock(&one_caller);
  mms_gate_leave(visit->place);
}
