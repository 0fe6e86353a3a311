/* numpy.c: NumPy's cumsum, timed on request by a separate process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * That process has its own arrays: to share ours, every contender's arrays would have to be in shared memory, which has
 * small pages. It makes the same data, and sends back a checksum of its results. */
#include "numpy.h"
#include "machine.h"
#include "process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without the working folder, which -c puts first, no file there is imported. The data is that of number.c. Scans in
 * place are timed on zeros, as everywhere. */
static const char script[] =
    "import sys, time\n"
    "sys.path[:] = [p for p in sys.path if p != '']\n"
    "import numpy as np\n"
    "\n"
    "PIECE = 1 << 20\n"
    "\n"
    "def pieces(n):\n"
    "    return ((a, min(a + PIECE, n)) for a in range(0, n, PIECE))\n"
    "\n"
    "def values(a, b):\n"
    "    h = np.arange(a, b, dtype=np.uint32) * np.uint32(0x9E3779B1)\n"
    "    h = (h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B)\n"
    "    return ((h ^ (h >> np.uint32(13))) % np.uint32(9)).astype(np.int64) - 4\n"
    "\n"
    "def checksum(y):\n"
    "    total = 0\n"
    "    for a, b in pieces(len(y)):\n"
    "        places = np.arange(a + 1, b + 1, dtype=np.uint64)\n"
    "        total += int((places * y[a:b].astype(np.int64).astype(np.uint64)).sum(dtype=np.uint64))\n"
    "    return total % 2**64\n"
    "\n"
    "def load(code, n, row, in_place):\n"
    "    x = np.empty(n, code)\n"
    "    for a, b in pieces(n):\n"
    "        x[a:b] = values(a, b)\n"
    "    x = x.reshape(-1, row) if row else x\n"
    "    y = x if in_place else np.zeros_like(x)\n"
    "    np.cumsum(x, axis=-1, dtype=x.dtype, out=y)\n"
    "    total = checksum(y.reshape(-1))\n"
    "    if in_place:\n"
    "        y.fill(0)\n"
    "    return x, y, total\n"
    "\n"
    "def run(x, y, runs):\n"
    "    start = time.perf_counter()\n"
    "    for _ in range(runs):\n"
    "        np.cumsum(x, axis=-1, dtype=x.dtype, out=y)\n"
    "    return time.perf_counter() - start\n"
    "\n"
    "print(np.__version__, flush=True)\n"
    "x = y = None\n"
    "for line in sys.stdin:\n"
    "    words = line.split()\n"
    "    if words[0] == 'load':\n"
    "        x = y = None\n"
    "        x, y, total = load(words[1], *map(int, words[2:]))\n"
    "        print(total, flush=True)\n"
    "    else:\n"
    "        print(repr(run(x, y, int(words[1]))), flush=True)\n";

static process python;
static bool tried, running;
static char version[32], refusal[256];

/* False if the process has ended. */
static bool answer(char *line, size_t size) {
  if (fgets(line, (int)size, python.from) == NULL) return false;
  line[strcspn(line, "\n")] = '\0';
  return true;
}

/* A Python without NumPy ends with an error message, which is not shown. */
static bool start(const char *name) {
  const char *const argv[] = {name, "-c", script, NULL};
  if (!process_start(&python, argv, -1, true)) return false;
  if (answer(version, sizeof version)) return true;
  process_end(&python);
  return false;
}

/* A Python named by PYTHON is the only one tried. Otherwise there are two: the first python3 in the path need not be
 * the one for which the system's NumPy is installed. */
static void start_once(void) {
  const char *named = getenv("PYTHON");
  if (tried) return;
  tried = true;
  if (named != NULL && *named != '\0') {
    running = start(named);
    snprintf(refusal, sizeof refusal, "PYTHON=%s is not a Python with NumPy", named);
  } else {
    running = start("python3") || start("/usr/bin/python3");
    snprintf(refusal, sizeof refusal, "no python3 with NumPy found; PYTHON can name another");
  }
  if (!running) version[0] = '\0';
}

const char *numpy_refusal(size_t bytes) {
  start_once();
  if (!running) return refusal;
  return 2 * bytes < machine_memory() ? NULL : "not enough memory for its own arrays";
}

/* False if the process has ended; it is not started again. */
static bool ask(char *line, size_t size) {
  if (!running) return false;
  running = fflush(python.to) == 0 && answer(line, size);
  if (!running) snprintf(refusal, sizeof refusal, "its Python process has ended");
  return running;
}

double numpy_run(const contender *c, long runs) {
  char line[64];
  (void)c;
  fprintf(python.to, "run %ld\n", runs);
  return ask(line, sizeof line) ? strtod(line, NULL) : NAN;
}

size_t numpy_verify(contender *c) {
  const race *r = c->race;
  char line[64];
  fprintf(python.to, "load %c%zu %zu %zu %d\n", r->number->kind, r->number->size, r->n, r->row, r->in_place);
  if (!ask(line, sizeof line)) return r->n; /* the process has ended: the timing will fail */
  return strtoull(line, NULL, 10) == r->number->checksum(r->n, race_row(r), r->data) ? r->n : 0;
}

const char *numpy_version(void) { return version[0] != '\0' ? version : NULL; }

void numpy_end(void) {
  if (running) process_end(&python);
  running = false;
}
