/* _series.c: recurrences, filters and integral images of NumPy arrays, whose shapes _functions.py has made simple.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define NO_IMPORT_ARRAY
#include "_core.h"

/* Whether arrays of so many dimensions are of this type and can be read, in whole elements, where they are. */
static bool is_usable(PyObject *object, int rank, mmscan_type type) {
  if (!is_plain(object)) return false;
  PyArrayObject *array = (PyArrayObject *)object;
  if (PyArray_NDIM(array) != rank || type_of(array) != type) return false;
  for (int k = 0; k < rank; k++)
    if (PyArray_STRIDE(array, k) % PyArray_ITEMSIZE(array) != 0) return false;
  return true;
}

static ptrdiff_t stride_of(PyObject *object, int axis) {
  PyArrayObject *array = (PyArrayObject *)object;
  return PyArray_STRIDE(array, axis) / PyArray_ITEMSIZE(array);
}

static mmscan_type type_of_object(PyObject *object) {
  return is_plain(object) ? type_of((PyArrayObject *)object) : (mmscan_type)0;
}

static size_t length_of(PyObject *object, int axis) { return (size_t)PyArray_DIM((PyArrayObject *)object, axis); }

static bool are_alike(PyObject *a, PyObject *b) { return PyArray_SAMESHAPE((PyArrayObject *)a, (PyArrayObject *)b); }

static size_t size_of(PyObject *object) { return (size_t)PyArray_SIZE((PyArrayObject *)object); }

/* Contiguous, and with so many elements. */
static bool is_row(PyObject *object, mmscan_type type, size_t count) {
  return is_plain(object) && type_of((PyArrayObject *)object) == type && size_of(object) == count &&
         PyArray_ISCARRAY_RO((PyArrayObject *)object);
}

/* ---- Recurrences and filters: arrays of outer by n by batch elements, along the middle axis ---------------------- */

/* An array of them, as calls go through its outer dimension. */
static char *slab(PyObject *object, size_t index) {
  return PyArray_BYTES((PyArrayObject *)object) + (npy_intp)index * PyArray_STRIDE((PyArrayObject *)object, 0);
}

/* Elements that belong to each slab of the outer dimension, `each` bytes; NULL: there are none. */
static void *part(void *from, size_t index, size_t each) { return from ? (char *)from + index * each : NULL; }

typedef struct recurrences {
  mmscan_recurrence_desc desc;
  size_t outer, bytes; /* of the init of a slab */
  void *init;
  PyObject *a, *x, *y;
} recurrences;

static mmscan_status run_recurrences(const void *arguments) {
  const recurrences *r = arguments;
  mmscan_recurrence_desc desc = r->desc;
  mmscan_status status = MMSCAN_OK;
  for (size_t k = 0; k < r->outer && status == MMSCAN_OK; k++) {
    desc.init = part(r->init, k, r->bytes);
    status = mmscan_recurrence(&desc, slab(r->a, k), slab(r->x, k), slab(r->y, k));
  }
  return status;
}

const char recurrence_doc[] = PyDoc_STR(
    "recurrence(a, x, y, init, reverse)\n--\n\n"
    "y = a y + x along axis 1 of arrays with three; init is None or has an element for each. Answers as run().");

PyObject *recurrence(PyObject *module, PyObject *args) {
  recurrences r;
  PyObject *init;
  int reverse;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOOOp", &r.a, &r.x, &r.y, &init, &reverse)) return NULL;
  const mmscan_type type = type_of_object(r.y);
  if (!type || !is_usable(r.a, 3, type) || !is_usable(r.x, 3, type) || !is_usable(r.y, 3, type)) Py_RETURN_FALSE;
  if (!are_alike(r.a, r.x) || !are_alike(r.x, r.y) || !PyArray_ISWRITEABLE((PyArrayObject *)r.y)) Py_RETURN_FALSE;
  r.outer = length_of(r.x, 0);
  r.desc = (mmscan_recurrence_desc){.struct_size = sizeof r.desc, .type = type, .reverse = reverse};
  r.desc.n = length_of(r.x, 1), r.desc.batch = length_of(r.x, 2);
  r.desc.a_stride = stride_of(r.a, 1), r.desc.x_stride = stride_of(r.x, 1), r.desc.y_stride = stride_of(r.y, 1);
  r.desc.a_dist = stride_of(r.a, 2), r.desc.x_dist = stride_of(r.x, 2), r.desc.y_dist = stride_of(r.y, 2);
  if (init != Py_None && !is_row(init, type, r.outer * r.desc.batch)) Py_RETURN_FALSE;
  r.init = data_of(init);
  r.bytes = r.desc.batch * (size_t)PyArray_ITEMSIZE((PyArrayObject *)r.y);
  return answer(call_library(run_recurrences, &r, size_of(r.x)));
}

typedef struct filters {
  mmscan_filter_desc desc;
  size_t outer, bytes; /* of the state of a slab */
  void *state;
  PyObject *x, *y;
} filters;

static mmscan_status run_filters(const void *arguments) {
  const filters *f = arguments;
  mmscan_filter_desc desc = f->desc;
  mmscan_status status = MMSCAN_OK;
  for (size_t k = 0; k < f->outer && status == MMSCAN_OK; k++) {
    desc.state = part(f->state, k, f->bytes);
    status = mmscan_filter(&desc, slab(f->x, k), slab(f->y, k));
  }
  return status;
}

static size_t state_length(const mmscan_filter_desc *d) {
  return (d->a_count > d->b_count ? d->a_count : d->b_count) - 1;
}

const char filter_doc[] =
    PyDoc_STR("filter(b, a, x, y, state)\n--\n\n"
              "Filters along axis 1 of arrays with three; state is None or goes in and comes out. Answers as run().");

PyObject *filter(PyObject *module, PyObject *args) {
  filters f;
  PyObject *b, *a, *state;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOOOO", &b, &a, &f.x, &f.y, &state)) return NULL;
  const mmscan_type type = type_of_object(f.y);
  if (!type || !is_usable(f.x, 3, type) || !is_usable(f.y, 3, type) || !are_alike(f.x, f.y)) Py_RETURN_FALSE;
  if (!PyArray_Check(b) || !PyArray_Check(a) || !PyArray_ISWRITEABLE((PyArrayObject *)f.y)) Py_RETURN_FALSE;
  f.desc =
      (mmscan_filter_desc){.struct_size = sizeof f.desc, .type = type, .b_count = size_of(b), .a_count = size_of(a)};
  if (!is_row(b, MMSCAN_F64, f.desc.b_count) || !is_row(a, MMSCAN_F64, f.desc.a_count)) Py_RETURN_FALSE;
  f.outer = length_of(f.x, 0);
  f.desc.n = length_of(f.x, 1), f.desc.batch = length_of(f.x, 2);
  f.desc.b = data_of(b), f.desc.a = data_of(a);
  f.desc.x_stride = stride_of(f.x, 1), f.desc.y_stride = stride_of(f.y, 1);
  f.desc.x_dist = stride_of(f.x, 2), f.desc.y_dist = stride_of(f.y, 2);
  const size_t each = f.desc.batch * state_length(&f.desc);
  if (state != Py_None && !is_row(state, type, f.outer * each)) Py_RETURN_FALSE;
  f.state = data_of(state);
  f.bytes = each * (size_t)PyArray_ITEMSIZE((PyArrayObject *)f.y);
  return answer(call_library(run_filters, &f, size_of(f.x)));
}

/* ---- Integral images: arrays of images, rows, columns and channels ----------------------------------------------- */

typedef struct images {
  mmscan_integral_desc desc;
  const void *x;
  void *y;
} images;

static mmscan_status run_images(const void *arguments) {
  const images *i = arguments;
  return mmscan_integral(&i->desc, i->x, i->y);
}

const char integral_doc[] = PyDoc_STR("integral(x, y, squares, border)\n--\n\n"
                                      "The integral images of an array with four axes: images, rows, columns and "
                                      "channels, of which the last two are contiguous. Answers as run().");

/* Whether its rows are contiguous. */
static bool has_rows(PyObject *object) {
  const bool is_pixel = length_of(object, 3) == 1 || stride_of(object, 3) == 1;
  return is_pixel && (length_of(object, 2) <= 1 || stride_of(object, 2) == (ptrdiff_t)length_of(object, 3));
}

PyObject *integral(PyObject *module, PyObject *args) {
  PyObject *x, *y;
  int squares, border;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOpp", &x, &y, &squares, &border)) return NULL;
  const mmscan_type x_type = type_of_object(x), y_type = type_of_object(y);
  if (!x_type || !y_type || !is_usable(x, 4, x_type) || !is_usable(y, 4, y_type)) Py_RETURN_FALSE;
  if (!has_rows(x) || !has_rows(y) || !PyArray_ISWRITEABLE((PyArrayObject *)y)) Py_RETURN_FALSE;
  for (int k = 0; k < 4; k++)
    if (length_of(y, k) != length_of(x, k) + (border && (k == 1 || k == 2))) Py_RETURN_FALSE;
  images i = {.x = PyArray_DATA((PyArrayObject *)x), .y = PyArray_DATA((PyArrayObject *)y)};
  i.desc = (mmscan_integral_desc){.struct_size = sizeof i.desc, .x_type = x_type, .y_type = y_type};
  i.desc.squares = squares, i.desc.border = border;
  i.desc.batch = length_of(x, 0), i.desc.rows = length_of(x, 1), i.desc.columns = length_of(x, 2);
  i.desc.channels = length_of(x, 3);
  i.desc.x_ld = stride_of(x, 1), i.desc.y_ld = stride_of(y, 1);
  i.desc.x_dist = stride_of(x, 0), i.desc.y_dist = stride_of(y, 0);
  return answer(call_library(run_images, &i, size_of(y)));
}
