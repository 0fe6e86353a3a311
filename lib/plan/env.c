/* env.c: reads MMSCAN_* and says what is wrong with it. */
#include "plan/env.h"

#include "base/cancel.h"
#include "plan/wisdom.h"
#include "team/team.h"
#include "unit/fork.h"
#include "unit/loaded.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mms_env env;
static char error[640];

/* Only the first error is reported. */
static void refuse(mmscan_status status, const char *variable, const char *value, const char *why) {
  if (env.status != MMSCAN_OK) return;
  snprintf(error, sizeof error, "%s=%.300s: %s", variable, value, why);
  env.status = status;
  env.error = error;
}

static const char *engine_name(size_t index) {
  const mms_engine *engine = mms_engine_at(index);
  return engine ? engine->name : NULL;
}

static const char *unit_name(size_t index) {
  const mms_unit *unit = mms_unit_builtin(index);
  return unit ? unit->name : NULL;
}

/* The value is not in a table, nor one of the other values that are allowed. */
static void refuse_name(const char *variable, const char *value, const char *(*name)(size_t), const char *or_else) {
  char why[160] = "not one of ";
  for (size_t i = 0; name(i); i++) {
    strncat(why, name(i), sizeof why - strlen(why) - 1);
    strncat(why, name(i + 1) ? ", " : or_else, sizeof why - strlen(why) - 1);
  }
  refuse(MMSCAN_EINVAL, variable, value, why);
}

static void read_engine(const char *variable, const char *value) {
  if (strcmp(value, "auto") == 0) return;
  env.engine = mms_engine_find(value);
  if (!env.engine) refuse_name(variable, value, engine_name, ", auto");
}

static void read_unit(const char *variable, const char *value) {
  char why[256] = "no memory";
  mmscan_status status = MMSCAN_OK;
  env.unit = mms_unit_find(value);
  if (env.unit) {
    if (!mms_unit_hold(env.unit)) refuse(mms_unit_fault(env.unit), variable, value, mms_unit_absent(env.unit));
  } else if (strchr(value, '/') || strstr(value, ".so")) {
    status = mms_loaded_open(value, &env.unit, why, sizeof why);
    if (status) refuse(status, variable, value, why);
  } else {
    refuse_name(variable, value, unit_name, " or a library to load");
  }
}

static void read_isa(const char *variable, const char *value) {
  const mms_isa *isa;
  if (!mms_isa_find(value, &isa))
    refuse_name(variable, value, mms_isa_name, "");
  else if (!isa)
    refuse(MMSCAN_ENOTSUP, variable, value, "this CPU, system or build of the library does not have it");
  else
    env.isa = isa;
}

static void read_threads(const char *variable, const char *value) {
  char *end;
  errno = 0;
  long threads = strtol(value, &end, 10);
  if (errno || !strchr("0123456789", *value) || *end || threads < 1 || threads > MMS_TEAM_MOST)
    refuse(MMSCAN_EINVAL, variable, value, "not a number of threads, from 1 to 2^20");
  else
    env.threads = (int)threads;
}

static void read_wisdom(const char *variable, const char *value) {
  const char *why = "no memory";
  mmscan_status status = mms_wisdom_read(value, env.isa, &why);
  if (status) refuse(status, variable, value, why);
}

static void read_all(void) {
  int before = mms_cancel_disable();
  env.isa = mms_isa_best();
  static const struct { /* MMSCAN_ISA before MMSCAN_WISDOM: a file is of one instruction set */
    const char *variable;
    void (*read)(const char *variable, const char *value);
  } table[] = {{"MMSCAN_ENGINE", read_engine},
               {"MMSCAN_UNIT", read_unit},
               {"MMSCAN_ISA", read_isa},
               {"MMSCAN_NUM_THREADS", read_threads},
               {"MMSCAN_WISDOM", read_wisdom}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *value = secure_getenv(table[i].variable);
    if (value && *value) table[i].read(table[i].variable, value);
  }
  mms_team_cpus(); /* the first call also makes the OpenMP runtime look at its environment */
  mms_fork_watch();
  mms_cancel_restore(before);
}

const mms_env *mms_env_get(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_all);
  return &env;
}
