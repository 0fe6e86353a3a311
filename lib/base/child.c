/* child.c: a flag. */
#include "base/child.h"

#include <stdatomic.h>

static atomic_bool lost_threads;

bool mms_child_lost_threads(void) { return atomic_load_explicit(&lost_threads, memory_order_relaxed); }

void mms_child_lose_threads(void) { atomic_store(&lost_threads, true); }
