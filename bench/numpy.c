/* numpy.c: NumPy's cumsum, OpenCV's integral, and SciPy's lfilter, timed on request by a separate process.
 *
 * That process has its own arrays: to share ours, every contender's arrays would have to be in shared memory, which has
 * small pages. It makes the same data, and sends back a checksum of its results. */
#include "numpy.h"
#include "lineup.h"
#include "machine.h"
#include "python.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
static void start_once(void) {
  const char *named = python_named();
  if (tried) return;
  tried = true;
  running = python_start(&python, python_numpy, "", true, version, sizeof version);
  if (!running) version[0] = '\0';
  if (named != NULL)
    snprintf(refusal, sizeof refusal, "PYTHON=%s is not a Python with NumPy", named);
  else
    snprintf(refusal, sizeof refusal, "no python3 with NumPy found; PYTHON can name another");
}

const char *numpy_refusal(size_t bytes) {
  start_once();
  if (!running) return refusal;
  return bytes < machine_memory() ? NULL : "not enough memory for its own arrays";
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
  fprintf(python.to, "run %d %ld\n", c->form, runs);
  return ask(line, sizeof line) ? strtod(line, NULL) : NAN;
}

size_t numpy_verify(contender *c) {
  const race *r = c->race;
  const number_pair pair = race_pair(r);
  const number_layout layout = race_layout(r);
  char line[64];
  fprintf(python.to, "load %c%zu %c%zu %zu %zu %zu %d %d\n", r->number->kind, r->number->size, r->to->kind, r->to->size,
          layout.outer, layout.length, layout.inner, number_is_sparse(&pair), r->in_place);
  if (!ask(line, sizeof line)) return r->n; /* the process has ended: the timing will fail */
  return strtoull(line, NULL, 10) == number_checksum(&pair, layout, r->data) ? r->n : 0;
}

/* `without`: where Python cannot import the module. */
static const char *module_refusal(const char *module, const char *without, size_t bytes) {
  char line[64];
  const char *why = numpy_refusal(bytes);
  if (why != NULL) return why;
  fprintf(python.to, "has %s\n", module);
  return ask(line, sizeof line) && strcmp(line, "yes") == 0 ? NULL : without;
}

const char *opencv_refusal(size_t bytes) { return module_refusal("cv2", "that Python has no OpenCV (cv2)", bytes); }

const char *scipy_refusal(size_t bytes) { return module_refusal("scipy.signal", "that Python has no SciPy", bytes); }

size_t opencv_verify(contender *c) {
  const race *r = c->race;
  const number_pair pair = race_pair(r);
  char line[64];
  fprintf(python.to, "image %c%zu %c%zu %zu %zu %d\n", r->number->kind, r->number->size, r->to->kind, r->to->size,
          r->shape->sizes[0], r->shape->sizes[1], number_is_sparse(&pair));
  if (!ask(line, sizeof line)) return r->n;
  if (strcmp(line, "no") == 0) lineup_refuse(c, "it has no such types");
  return strcmp(line, "wrong") == 0 ? 0 : r->n;
}

bool scipy_load(const contender *c, size_t order, const double *b, const double *a, double *sum) {
  const race *r = c->race;
  char line[64];
  fprintf(python.to, "filter %d %c%zu %zu %zu", c->form, r->number->kind, r->number->size, r->shape->sizes[0],
          r->shape->sizes[1]);
  for (size_t k = 0; k <= order; k++) fprintf(python.to, " %.17g %.17g", b[k], a[k]);
  fprintf(python.to, "\n");
  if (!ask(line, sizeof line)) return false;
  *sum = strtod(line, NULL);
  return true;
}

const char *numpy_version(void) { return version[0] != '\0' ? version : NULL; }

void numpy_end(void) {
  if (running) process_end(&python);
  running = false;
}
