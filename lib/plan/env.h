/* env.h: the environment variables, read once. */
#ifndef MMS_ENV_H
#define MMS_ENV_H

#include "engine/engine.h"

typedef struct mms_env {
  const mms_engine *engine; /* NULL: the library chooses */
  const mms_unit *unit;     /* NULL: the default */
  const mms_isa *isa;       /* never NULL */
  int threads;              /* 0: OpenMP's own rules */
  mmscan_status status;     /* of the environment as a whole */
  const char *error;        /* NULL where status is MMSCAN_OK */
} mms_env;

/* The first call makes the library ready: it also finds how many threads there may be, and prepares for forks
 * (unit/fork.h). */
const mms_env *mms_env_get(void);

/* The unit of a call that names none. */
static inline const mms_unit *mms_env_unit(const mms_env *env) { return env->unit ? env->unit : mms_unit_at(0); }

#endif
