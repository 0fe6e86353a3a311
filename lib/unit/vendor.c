/* vendor.c: the vendors' own calls, looked up by name. */
#include "unit/vendor.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef int (*int_call)(void);
typedef char *(*text_call)(void);
typedef void (*fill_call)(char *buffer, int length);

/* dlsym() returns an object pointer; POSIX makes it hold a function's address too. */
static bool say_int(void *blas, const char *name, int *value) {
  int_call call;
  *(void **)&call = dlsym(blas, name);
  if (call) *value = call();
  return call != NULL;
}

static const char *say_text(void *blas, const char *name) {
  text_call call;
  *(void **)&call = dlsym(blas, name);
  return call ? call() : NULL;
}

static const char *say_mkl(void *blas) {
  static char text[200];
  fill_call call;
  *(void **)&call = dlsym(blas, "MKL_Get_Version_String");
  if (call) call(text, sizeof text);
  return call ? text : NULL;
}

static const char *version_of(void *blas) {
  static const char *const names[] = {"openblas_get_config", "bli_info_get_version_str"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = say_text(blas, names[i]);
    if (text) return text;
  }
  return say_mkl(blas);
}

/* An OpenBLAS built for one thread shares its buffers without locks, and two callers at once get wrong products; unless
 * it was built with USE_LOCKING, which its configuration names from 0.3.28 on (OpenBLAS issue 2126, pull request 4680).
 */
static bool one_at_a_time(void *blas, const char *version) {
  int parallel;
  return say_int(blas, "openblas_get_parallel", &parallel) && parallel == 0 &&
         !(version && strstr(version, "USE_LOCKING"));
}

mms_vendor mms_vendor_ask(void *blas) {
  const char *version = blas ? version_of(blas) : NULL;
  return (mms_vendor){.blas = blas, .version = version, .one_at_a_time = blas && one_at_a_time(blas, version)};
}

int mms_vendor_threads(const mms_vendor *vendor) {
  static const char *const names[] = {"openblas_get_num_threads", "bli_thread_get_num_threads", "MKL_Get_Max_Threads"};
  int threads = 0;
  for (size_t i = 0; vendor->blas && i < sizeof names / sizeof *names; i++)
    if (say_int(vendor->blas, names[i], &threads)) break;
  return threads;
}
