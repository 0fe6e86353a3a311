/* segmentfile.c: segments along the axis that is scanned, each of which is scanned by itself. */
#include "segmentfile.h"
#include "array.h"
#include "message.h"
#include "npy.h"
#include "progress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define AT_ONCE ((uint64_t)1 << 22) /* elements, where an axis is shorter than that */

const char *segments_option(mmscan_segment_form form) {
  static const char *const options[] = {
      [MMSCAN_FLAGS] = "--flags", [MMSCAN_STARTS] = "--starts", [MMSCAN_KEYS] = "--keys"};
  return options[form];
}

bool segments_are_in_file(const char *source) {
  const char *dot = strrchr(source, '.');
  return dot != NULL && strcasecmp(dot, ".npy") == 0;
}

static segments made_of(mmscan_segment_form form, const char *source) {
  return (segments){.option = segments_option(form),
                    .source = source,
                    .of_all = {.struct_size = sizeof(mmscan_segments), .form = form}};
}

void segments_free(segments *s) { free((void *)s->of_all.data); }

/* The data, in this machine's byte order. */
static int take_data(segments *s, input *in, const array *a) {
  const uint64_t bytes = a->count * a->type->size;
  char *data = bytes < SIZE_MAX ? malloc((size_t)bytes + 1) : NULL;
  if (data == NULL) return fail_memory();
  s->of_all.data = data;
  s->of_all.type = a->type->type;
  s->length = a->count;
  if (input_read_at(in, 0, data, (size_t)bytes) != DONE) return FAILED;
  if (a->swapped) element_swap(a->type, data, (size_t)a->count);
  return DONE;
}

/* ---- From a file ------------------------------------------------------------------------------------------------- */

/* What is wrong with such an array for a form; NULL: nothing. */
static const char *misfit(mmscan_segment_form form, const array *a) {
  const mmscan_type type = a->type->type;
  if (a->dims != 1) return "one dimension";
  if (form == MMSCAN_FLAGS && type != MMSCAN_U8) return "the type u8 (NumPy's bool or uint8)";
  if (form == MMSCAN_STARTS && type != MMSCAN_I32 && type != MMSCAN_I64) return "the type i32 or i64";
  if (form == MMSCAN_STARTS && a->count == 0) return "one element more than there are segments";
  return NULL;
}

static int read_opened(segments *s, input *in) {
  array a;
  if (npy_read_header(in, &a) != DONE) return FAILED;
  const char *wanted = misfit(s->of_all.form, &a);
  if (wanted != NULL) return fail("%s: %s needs %s", in->name, s->option, wanted);
  if (s->of_all.form == MMSCAN_STARTS) s->of_all.count = (size_t)a.count - 1;
  const uint64_t bytes = a.count * a.type->size;
  return take_data(s, in, &a) == DONE ? input_check_end(in, bytes) : FAILED;
}

int segments_read_file(segments *s, mmscan_segment_form form, const char *path) {
  input in;
  *s = made_of(form, path);
  int status = input_open(&in, path);
  if (status == DONE) status = read_opened(s, &in);
  input_close(&in);
  return status;
}

/* ---- From a column ----------------------------------------------------------------------------------------------- */

static int read_column(segments *s, input *text, const textfile_request *request) {
  array a = {.type = request->type};
  char *heading = NULL;
  int status = textfile_read(text, request, &a.count, &heading);
  if (status == DONE) status = take_data(s, text, &a);
  free(heading);
  return status;
}

/* Keys may be words: where one is unlike the one above it, there is a flag. */
int segments_read_column(segments *s, mmscan_segment_form form, const char *column, const input *text,
                         const textfile_request *like) {
  *s = made_of(form, column);
  textfile_request request = *like;
  request.type = element_by_name("u8");
  request.exact = true;
  request.column = column;
  request.changes = form == MMSCAN_KEYS;
  s->of_all.form = MMSCAN_FLAGS;
  input again = *text;
  again.fd = fcntl(text->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (again.fd < 0) return fail_file(text->name);
  const int status = read_column(s, &again, &request);
  input_close(&again);
  return status;
}

/* ---- Do they fit? ------------------------------------------------------------------------------------------------ */

static int64_t start_at(const mmscan_segments *s, size_t k) {
  return s->type == MMSCAN_I64 ? ((const int64_t *)s->data)[k] : ((const int32_t *)s->data)[k];
}

static int check_starts(const segments *s, const char *name, uint64_t length) {
  const mmscan_segments *all = &s->of_all;
  bool ascend = start_at(all, 0) == 0 && (uint64_t)start_at(all, all->count) == length;
  for (size_t k = 0; k < all->count && ascend; k++) ascend = start_at(all, k) <= start_at(all, k + 1);
  if (ascend) return DONE;
  return fail("%s: --starts must ascend from 0 to %" PRIu64 ", the length of the axis of %s", s->source, length, name);
}

int segments_check(const segments *s, const char *name, uint64_t length) {
  if (s->of_all.form == MMSCAN_STARTS) return check_starts(s, name, length);
  if (s->length == length) return DONE;
  return fail("%s: %s has %" PRIu64 " elements, and the axis of %s %" PRIu64, s->source, s->option, s->length, name,
              length);
}

/* ---- The scan ---------------------------------------------------------------------------------------------------- */

static mmscan_desc describe(const order *o, const mmscan_dim *slabs) {
  const ptrdiff_t stride = (ptrdiff_t)(o->inner > 0 ? o->inner : 1);
  return (mmscan_desc){.struct_size = sizeof(mmscan_desc),
                       .x_type = o->type->type,
                       .y_type = o->to->type,
                       .op = o->op,
                       .kind = o->kind,
                       .reverse = o->reverse,
                       .n = (size_t)o->length,
                       .x_stride = stride,
                       .y_stride = stride,
                       .batch = (size_t)o->inner,
                       .x_dist = 1,
                       .y_dist = 1,
                       .init = o->has_init ? &o->init : NULL,
                       .flags = o->flags,
                       .outer_rank = 1,
                       .outer = slabs};
}

/* Some slabs from `first` on. Their totals are those of each segment of each scan. */
static int scan_slabs(const order *o, uint64_t first, uint64_t count, char *data, char *results, input *in,
                      result *to) {
  const uint64_t slab = o->length * o->inner;
  const mmscan_dim slabs = {(size_t)count, (ptrdiff_t)slab, (ptrdiff_t)slab};
  const mmscan_desc desc = describe(o, &slabs);
  const size_t elements = (size_t)(count * slab);
  mmscan_segments all = *o->segments;
  if (o->has_totals) all.totals = o->totals + first * o->inner * all.count * o->to->size;
  if (input_read_at(in, first * slab * o->type->size, data, elements * o->type->size) != DONE) return FAILED;
  if (o->swapped) element_swap(o->type, data, elements);
  const mmscan_status status = mmscan_scan_segments(&desc, &all, data, results);
  if (status != MMSCAN_OK) return order_fail_library(in->name, status);
  return result_put(to, first * slab, results, elements);
}

int segments_scan(const order *o, input *in, result *to) {
  const uint64_t slab = o->length * o->inner, fitting = AT_ONCE / (slab > 0 ? slab : 1);
  const uint64_t most = fitting < 1 ? 1 : fitting < o->outer ? fitting : o->outer;
  const size_t elements = (size_t)(most * slab);
  const bool is_apart = o->to != o->type;
  char *data = malloc(elements * o->type->size + 1), *apart = is_apart ? malloc(elements * o->to->size + 1) : NULL;
  int status = data != NULL && (apart != NULL || !is_apart) ? DONE : fail_memory();
  progress_start("scanning", o->outer * slab * o->type->size);
  for (uint64_t first = 0; first < o->outer && status == DONE; first += most) {
    const uint64_t left = o->outer - first;
    status = scan_slabs(o, first, left < most ? left : most, data, is_apart ? apart : data, in, to);
  }
  free(apart);
  free(data);
  return status;
}
