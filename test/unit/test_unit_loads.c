/* test_unit_loads.c: a library that is opened and closed hundreds of times leaves nothing behind: no file, no thread,
 * no memory map, no byte of the heap. Tried with a real library, and with a toy, also under valgrind: three times in a
 * quick run, since valgrind looks for leaks each time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <malloc.h>

#include "support/child.h"
#include "support/clock.h"
#include "support/sanitized.h"
#include "support/traces.h"
#include "support/unit_list.h"
#include "toys/toy.h"

/* The first loads leave what stays: the vendor's own runtimes, and the pages of our allocator. */
enum { FIRST = 3 };

/* Each library is tested when it is opened, which takes time: a quick run makes as many loads as fit in this. */
static const double MOST_SECONDS = 6;

/* Heap that one more thread takes with glibc: 656 bytes for its cache of blocks, and some for what it knows of
 * libraries. A load that leaked the smallest block, of 32 bytes, would be noticed after 32 loads. */
enum { OF_A_THREAD = 1024 };

static bool is_wrapped(void) { return getenv("MMSCAN_TEST_WRAPPER") != NULL && emulator() == NULL; }

/* Bytes that malloc() has given out; 0 where it cannot be asked, or belongs to a sanitizer or valgrind, which look for
 * leaks themselves. */
static size_t heap(void) {
#if !defined(MMS_SANITIZED) && __GLIBC__ * 100 + __GLIBC_MINOR__ >= 233
  const struct mallinfo2 info = mallinfo2();
  return is_wrapped() ? 0 : info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

struct loads {
  int count;
  double took;
  struct traces before, after;
  size_t heap_halfway, heap_after;
};

/* Valgrind may take as long as it needs. */
static bool has_time(const struct loads *l) { return !quick() || is_wrapped() || l->took < MOST_SECONDS; }

static int child_loads(void) {
  const char *library = getenv("MMSCAN_TEST_LIBRARY");
  const int times = atoi(getenv("MMSCAN_TEST_TIMES"));
  struct loads l = {.count = 0};
  load_times(library, FIRST);
  l.before = traces();
  double start = seconds();
  while (l.count < times && has_time(&l)) {
    load_times(library, 1);
    l.count++;
    l.took = seconds() - start;
    if (l.count == times / 2) l.heap_halfway = heap();
  }
  l.after = traces();
  l.heap_after = l.heap_halfway ? heap() : 0;
  return report_to_parent(&l, sizeof l);
}

static void check_loads(const char *library, int times) {
  char text[16];
  snprintf(text, sizeof text, "%d", times);
  const struct setting settings[] = {{"MMSCAN_TEST_LIBRARY", library}, {"MMSCAN_TEST_TIMES", text}};
  struct loads l;
  ask_report("loads", settings, COUNT(settings), &l, sizeof l);
  print_message("ran:     %s: %d loads in %.1f s%s; files %zu, %zu; threads %zu, %zu; maps %zu, %zu; heap %zu, %zu\n",
                library, l.count, l.took, l.count < times ? ", no time for more" : "", l.before.files, l.after.files,
                l.before.tasks, l.after.tasks, l.before.maps, l.after.maps, l.heap_halfway, l.heap_after);
  assert_int_equal(l.after.files, l.before.files);
  assert_in_range(l.after.tasks, 1, l.before.tasks);
  assert_in_range(l.after.maps, 1, l.before.maps + 8); /* those of the allocator come and go */
  assert_in_range(l.heap_after, 0, l.heap_halfway + OF_A_THREAD);
}

TEST(test_loads_of_a_toy) { check_loads(toy("sound"), (int)sized(is_wrapped() ? 1000 : 100, is_wrapped() ? 3 : 20)); }

/* A library that is unloaded when it is closed, and has threads. */
static bool is_pthread_openblas(const char *library) { return strstr(library, "/openblas-pthread/") != NULL; }

TEST(test_loads_of_a_library) {
  const struct unit_list *list = units_here();
  size_t i = 0;
  skip_if(list->count == 0 || is_wrapped(),
          list->count == 0 ? "there is no library here" : "valgrind takes long for it");
  while (i < list->count && !is_pthread_openblas(list->path[i])) i++;
  check_loads(list->path[i < list->count ? i : 0], (int)sized(120, 30));
}

int main(int argc, char **argv) {
  static const struct child children[] = {{"loads", child_loads}};
  return run_or_be(children, COUNT(children), argc, argv, NULL, NULL);
}
