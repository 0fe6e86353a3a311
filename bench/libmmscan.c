/* libmmscan.c: the calls of a libmmscan: the one in this command, or one that is loaded from a file beside it. */
#include "libmmscan.h"
#include "message.h"
#include "process.h"
#include "suspect.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The types of simple calls. */
static const struct {
  mmscan_type type;
  const char *name;
} simple[SIMPLE_CALLS] = {{MMSCAN_F32, "mmscan_inclusive_f32"}, {MMSCAN_F64, "mmscan_inclusive_f64"},
                          {MMSCAN_I32, "mmscan_inclusive_i32"}, {MMSCAN_I64, "mmscan_inclusive_i64"},
                          {MMSCAN_U32, "mmscan_inclusive_u32"}, {MMSCAN_U64, "mmscan_inclusive_u64"}};

const libmmscan libmmscan_built_in = {
    .inclusive = {(library_call *)mmscan_inclusive_f32, (library_call *)mmscan_inclusive_f64,
                  (library_call *)mmscan_inclusive_i32, (library_call *)mmscan_inclusive_i64,
                  (library_call *)mmscan_inclusive_u32, (library_call *)mmscan_inclusive_u64},
    .scan = mmscan_scan,
    .threads = mmscan_threads,
    .version = mmscan_version,
    .isa = mmscan_isa,
    .environment_error = mmscan_environment_error,
};

library_call *libmmscan_inclusive(const libmmscan *l, mmscan_type type) {
  library_call *call = NULL;
  for (int i = 0; i < SIMPLE_CALLS; i++)
    if (simple[i].type == type) call = l->inclusive[i];
  return call;
}

/* ---- Its functions ----------------------------------------------------------------------------------------------- */

/* Sets *call; false, with a message, if the library does not have it. */
static bool find(void *handle, const libmmscan *l, const char *name, library_call **call) {
  *(void **)call = dlsym(handle, name);
  if (*call == NULL) fail("%s: this libmmscan has no %s()", l->path, name);
  return *call != NULL;
}

static bool find_all(void *handle, libmmscan *l) {
  bool found = true;
  for (int i = 0; i < SIMPLE_CALLS && found; i++) found = find(handle, l, simple[i].name, &l->inclusive[i]);
  return found && find(handle, l, "mmscan_scan", (library_call **)&l->scan) &&
         find(handle, l, "mmscan_threads", (library_call **)&l->threads) &&
         find(handle, l, "mmscan_isa", (library_call **)&l->isa) &&
         find(handle, l, "mmscan_environment_error", (library_call **)&l->environment_error);
}

/* ---- Loading it -------------------------------------------------------------------------------------------------- */

static int load(libmmscan *l) {
  void *handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return fail("%s", dlerror());
  *(void **)&l->version = dlsym(handle, "mmscan_version");
  if (l->version == NULL) return fail("%s: not a libmmscan", l->path);
  if (!find_all(handle, l)) return FAILED;
  const char *error = l->environment_error();
  return error == NULL ? DONE : fail("%s: %s", l->path, error);
}

int libmmscan_open(libmmscan *l, const char *path) {
  *l = (libmmscan){.path = realpath(path, NULL)};
  if (l->path == NULL) return fail_file(path);
  suspect(l->path);
  const int status = load(l);
  suspect(NULL);
  return status;
}

void libmmscan_close(libmmscan *l) {
  free(l->path);
  l->path = NULL;
}

/* ---- Where it is ------------------------------------------------------------------------------------------------- */

char *libmmscan_beside_command(void) {
  char name[64];
  snprintf(name, sizeof name, "libmmscan.so.%s", mmscan_version());
  char *path = process_file_beside(name);
  if (path == NULL || access(path, R_OK) == 0) return path;
  free(path);
  return NULL;
}
