// tbb_threads.h: runs work by TBB on a given number of threads.
//
// SPDX-License-Identifier: BSD-3-Clause
#ifndef TBB_THREADS_H
#define TBB_THREADS_H

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

// The first call fixes the count. More threads than cores have to be allowed, or TBB complains.
template <class Work> void on_tbb_threads(int threads, const Work &work) {
  static tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  static tbb::task_arena arena(threads);
  arena.execute(work);
}

#endif
