/* _core.c: scans of NumPy arrays. What NumPy's functions mean is in _functions.py; here are the call of the library,
 * and a short way for what needs no thought: one contiguous array and nothing else.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "_core.h"

#include <stdatomic.h>

enum { MOST_RANK = 9 };

/* Threads that a scan may use at most; 0: as many as OpenMP has. */
static atomic_int threads_wanted;

/* ---- Types ---------------------------------------------------------------------------------------------------- */

mmscan_type type_of(PyArrayObject *array) {
  const npy_intp size = PyArray_ITEMSIZE(array);
  switch (PyArray_DESCR(array)->kind) {
  case 'b':
    return MMSCAN_U8;
  case 'i':
    return size == 1 ? MMSCAN_I8 : size == 2 ? MMSCAN_I16 : size == 4 ? MMSCAN_I32 : MMSCAN_I64;
  case 'u':
    return size == 1 ? MMSCAN_U8 : size == 2 ? MMSCAN_U16 : size == 4 ? MMSCAN_U32 : MMSCAN_U64;
  case 'f':
    return size == 2 ? MMSCAN_F16 : size == 4 ? MMSCAN_F32 : size == 8 ? MMSCAN_F64 : (mmscan_type)0;
  case 'c':
    return size == 8 ? MMSCAN_C32 : size == 16 ? MMSCAN_C64 : (mmscan_type)0;
  default:
    return (mmscan_type)0;
  }
}

/* ---- Calls ---------------------------------------------------------------------------------------------------- */

/* Of the OpenMP runtime that is in the process (_openmp.py), whose header a compiler may not have. */
int omp_get_max_threads(void);
void omp_set_num_threads(int threads);

bool is_plain(PyObject *object) {
  return PyArray_Check(object) && PyArray_ISALIGNED((PyArrayObject *)object) &&
         PyArray_ISNOTSWAPPED((PyArrayObject *)object);
}

void *data_of(PyObject *object) { return object == Py_None ? NULL : PyArray_DATA((PyArrayObject *)object); }

/* What OpenMP has is the calling thread's own setting. */
static mmscan_status call_limited(mmscan_status (*call)(const void *), const void *arguments) {
  const int threads = atomic_load(&threads_wanted);
  if (threads == 0) return call(arguments);
  const int before = omp_get_max_threads();
  omp_set_num_threads(threads);
  const mmscan_status status = call(arguments);
  omp_set_num_threads(before);
  return status;
}

mmscan_status call_library(mmscan_status (*call)(const void *), const void *arguments, size_t elements) {
  mmscan_status status;
  if (elements <= KEEPS_LOCK) return call_limited(call, arguments);
  Py_BEGIN_ALLOW_THREADS;
  status = call_limited(call, arguments);
  Py_END_ALLOW_THREADS;
  return status;
}

PyObject *answer(mmscan_status status) {
  const char *environment = status == MMSCAN_OK ? NULL : mmscan_environment_error();
  if (environment) return PyErr_Format(PyExc_RuntimeError, "mmscan: %s", environment);
  switch (status) {
  case MMSCAN_OK:
    Py_RETURN_TRUE;
  case MMSCAN_EOVERFLOW:
    PyErr_SetString(PyExc_OverflowError, "an integer result does not fit its type");
    return NULL;
  case MMSCAN_ENOMEM:
    return PyErr_NoMemory();
  case MMSCAN_EBLAS:
  case MMSCAN_EIO:
    return PyErr_Format(PyExc_RuntimeError, "mmscan: %s", mmscan_strerror(status));
  default:
    Py_RETURN_FALSE;
  }
}

/* ---- A scan --------------------------------------------------------------------------------------------------- */

/* By a plan where a number of threads was asked for. */
static mmscan_status scan(const mmscan_desc *desc, const void *x, void *y) {
  const int threads = atomic_load(&threads_wanted);
  if (threads == 0) return mmscan_scan(desc, x, y);
  const mmscan_choice choice = {.struct_size = sizeof choice, .threads = threads};
  mmscan_plan *plan;
  mmscan_status status = mmscan_plan_create_with(&plan, desc, MMSCAN_ESTIMATE, &choice);
  if (status == MMSCAN_OK) status = mmscan_execute(plan, x, y);
  mmscan_plan_destroy(plan);
  return status;
}

static mmscan_status scan_unlocked(const mmscan_desc *desc, size_t elements, const void *x, void *y) {
  mmscan_status status;
  if (elements <= KEEPS_LOCK) return scan(desc, x, y);
  Py_BEGIN_ALLOW_THREADS;
  status = scan(desc, x, y);
  Py_END_ALLOW_THREADS;
  return status;
}

/* Whether a stride along an axis is one of whole elements, which it then becomes. Those of an empty array are 0 in
 * NumPy, which is no stride for results. */
static bool set_stride(PyArrayObject *array, int axis, ptrdiff_t *stride) {
  const npy_intp bytes = PyArray_STRIDE(array, axis), size = PyArray_ITEMSIZE(array);
  *stride = PyArray_SIZE(array) == 0 ? 1 : bytes / size;
  return bytes % size == 0;
}

/* Fills in n, the strides and `outer` by the shapes of x and y along an axis. False: they do not go together, or the
 * library does not take them. */
static bool set_shape(mmscan_desc *d, mmscan_dim *outer, PyArrayObject *x, PyArrayObject *y, int axis) {
  const int rank = PyArray_NDIM(x);
  const npy_intp more = d->kind == MMSCAN_OFFSETS;
  if (rank < 1 || rank > MOST_RANK || PyArray_NDIM(y) != rank || axis < 0 || axis >= rank) return false;
  for (int k = 0; k < rank; k++) {
    mmscan_dim dim = {.n = (size_t)PyArray_DIM(x, k)};
    if (PyArray_DIM(y, k) != PyArray_DIM(x, k) + (k == axis ? more : 0)) return false;
    if (!set_stride(x, k, &dim.x_stride) || !set_stride(y, k, &dim.y_stride)) return false;
    if (k == axis)
      d->n = dim.n, d->x_stride = dim.x_stride, d->y_stride = dim.y_stride;
    else
      outer[d->outer_rank++] = dim;
  }
  d->outer = outer;
  return true;
}

/* A scan by segments. */
typedef struct segmented {
  const mmscan_desc *desc;
  mmscan_segments segments;
  const void *x;
  void *y;
} segmented;

static mmscan_status scan_segments(const void *arguments) {
  const segmented *s = arguments;
  return mmscan_scan_segments(s->desc, &s->segments, s->x, s->y);
}

/* `given` is (form, data, totals). False: it does not go with scans of so many elements. */
static bool set_segments(mmscan_segments *s, PyObject *given, size_t n) {
  PyObject *data, *totals;
  int form;
  if (!PyArg_ParseTuple(given, "iO!O", &form, &PyArray_Type, &data, &totals)) return false;
  PyArrayObject *array = (PyArrayObject *)data;
  const size_t count = (size_t)PyArray_SIZE(array);
  *s = (mmscan_segments){.struct_size = sizeof *s, .form = (mmscan_segment_form)form, .type = type_of(array)};
  s->data = PyArray_DATA(array);
  s->totals = data_of(totals);
  if (form == MMSCAN_STARTS) s->count = count - 1;
  return PyArray_NDIM(array) == 1 && PyArray_ISCARRAY_RO(array) && s->type &&
         (form == MMSCAN_STARTS ? count > 0 : count == n);
}

/* By a function of the addresses of a description and of the arrays, once these are right; None: by this library.
 * Returns false with an error set. */
static bool scan_by(PyObject *by, const mmscan_desc *d, PyArrayObject *x, PyArrayObject *y, mmscan_status *status) {
  if (by == Py_None) {
    *status = scan_unlocked(d, (size_t)PyArray_SIZE(x), PyArray_DATA(x), PyArray_DATA(y));
    return true;
  }
  *status = mmscan_arrays_check(d, PyArray_DATA(x), PyArray_DATA(y));
  if (*status) return true;
  PyObject *result = PyObject_CallFunction(by, "NNN", PyLong_FromVoidPtr((void *)d),
                                           PyLong_FromVoidPtr(PyArray_DATA(x)), PyLong_FromVoidPtr(PyArray_DATA(y)));
  if (result) *status = (mmscan_status)PyLong_AsLong(result);
  Py_XDECREF(result);
  return !PyErr_Occurred();
}

PyDoc_STRVAR(run_doc,
             "run(x, y, op, kind, axis, reverse, flags, init, totals, indices, by, segments)\n--\n\n"
             "Scans x into y. init, totals and indices are arrays as mmscan.h has them, or None; by is None, or\n"
             "what is called in place of mmscan_scan(), with the addresses that it takes, and returns a status;\n"
             "segments are None, or a form, its data and None or totals, as mmscan.h has them.\n"
             "True: done; False: the library does not scan these arrays, and y is as it was.\n"
             "OverflowError: an integer did not fit, under CHECKED; MemoryError, RuntimeError.");

static PyObject *run(PyObject *module, PyObject *const *args, Py_ssize_t count) {
  (void)module;
  if (count != 12) return PyErr_SetString(PyExc_TypeError, "run() takes twelve arguments"), NULL;
  if (!is_plain(args[0]) || !is_plain(args[1])) Py_RETURN_FALSE;
  PyArrayObject *x = (PyArrayObject *)args[0], *y = (PyArrayObject *)args[1];
  mmscan_dim outer[MOST_RANK];
  mmscan_desc d = MMSCAN_DESC(type_of(y), (mmscan_op)PyLong_AsLong(args[2]), (mmscan_kind)PyLong_AsLong(args[3]), 0);
  d.x_type = type_of(x);
  d.reverse = (int)PyLong_AsLong(args[5]);
  d.flags = (unsigned)PyLong_AsLong(args[6]);
  d.init = data_of(args[7]);
  d.totals = data_of(args[8]);
  d.indices = data_of(args[9]);
  const int axis = (int)PyLong_AsLong(args[4]);
  if (PyErr_Occurred()) return NULL;
  if (!d.x_type || !d.y_type || !PyArray_ISWRITEABLE(y) || !set_shape(&d, outer, x, y, axis)) Py_RETURN_FALSE;
  mmscan_status status;
  if (args[11] != Py_None) {
    segmented s = {.desc = &d, .x = PyArray_DATA(x), .y = PyArray_DATA(y)};
    const bool is_set = set_segments(&s.segments, args[11], d.n);
    if (PyErr_Occurred()) return NULL;
    if (!is_set) Py_RETURN_FALSE;
    return answer(call_library(scan_segments, &s, (size_t)PyArray_SIZE(x)));
  }
  if (!scan_by(args[10], &d, x, y, &status)) return NULL;
  return answer(status);
}

/* ---- The short way -------------------------------------------------------------------------------------------- */

/* What a function of this module calls for all but the simplest arguments, in the order of the table below. */
enum { CUMSUM, CUMPROD, NANCUMSUM, NANCUMPROD, CUMMAX, CUMMIN, SIMPLE };
static PyObject *general[SIMPLE];

static const struct {
  mmscan_op op;
  unsigned flags;
  bool promotes; /* small integers to those of 64 bits */
} simple_functions[SIMPLE] = {
    [CUMSUM] = {MMSCAN_PLUS, 0, true},
    [CUMPROD] = {MMSCAN_MUL, 0, true},
    [NANCUMSUM] = {MMSCAN_PLUS, MMSCAN_SKIP_NAN, true},
    [NANCUMPROD] = {MMSCAN_MUL, MMSCAN_SKIP_NAN, true},
    [CUMMAX] = {MMSCAN_MAX, 0, false},
    [CUMMIN] = {MMSCAN_MIN, 0, false},
};

/* Scans x, contiguous and of a type that its results have, into a new array; NULL without an error: it is not such. */
static PyObject *scan_simply(PyObject *given, int which) {
  if (!PyArray_CheckExact(given)) return NULL;
  PyArrayObject *x = (PyArrayObject *)given;
  const mmscan_type type = type_of(x);
  const char kind = PyArray_DESCR(x)->kind;
  const bool is_small = PyArray_ITEMSIZE(x) < 8 && (kind == 'i' || kind == 'u');
  if (!type || kind == 'b' || (is_small && simple_functions[which].promotes)) return NULL;
  if (kind == 'c' && which >= CUMMAX) return NULL;
  if (!PyArray_ISCARRAY_RO(x) || (PyArray_NDIM(x) != 1)) return NULL;
  npy_intp n = PyArray_SIZE(x);
  PyObject *y = PyArray_SimpleNew(1, &n, PyArray_TYPE(x));
  if (!y) return NULL;
  mmscan_desc d = MMSCAN_DESC(type, simple_functions[which].op, MMSCAN_INCLUSIVE, (size_t)n);
  d.flags = simple_functions[which].flags;
  if (scan_unlocked(&d, d.n, PyArray_DATA(x), PyArray_DATA((PyArrayObject *)y)) == MMSCAN_OK) return y;
  Py_DECREF(y);
  return NULL;
}

static PyObject *simple(int which, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  if (count == 1 && !names) {
    PyObject *y = scan_simply(args[0], which);
    if (y || PyErr_Occurred()) return y;
  }
  return PyObject_Vectorcall(general[which], args, (size_t)count, names);
}

#define SIMPLE_FUNCTION(name, which)                                                                                   \
  static PyObject *name(PyObject *module, PyObject *const *args, Py_ssize_t count, PyObject *names) {                  \
    return (void)module, simple(which, args, count, names);                                                            \
  }
SIMPLE_FUNCTION(cumsum, CUMSUM)
SIMPLE_FUNCTION(cumprod, CUMPROD)
SIMPLE_FUNCTION(nancumsum, NANCUMSUM)
SIMPLE_FUNCTION(nancumprod, NANCUMPROD)
SIMPLE_FUNCTION(cummax, CUMMAX)
SIMPLE_FUNCTION(cummin, CUMMIN)

PyDoc_STRVAR(set_general_doc, "set_general(functions, docs)\n--\n\n"
                              "Tells what the functions of this module are in general, and their documentation.");

static PyObject *set_general(PyObject *module, PyObject *args);

/* ---- Settings ------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(set_num_threads_doc,
             "set_num_threads(n)\n--\n\n"
             "Sets how many threads a scan uses at most.\n\n"
             "Parameters\n----------\nn : int\n"
             "    1 to 65,536; or 0, as many as OpenMP has (OMP_NUM_THREADS), which is the default.\n\n"
             "Raises\n------\nValueError\n    n is none of these.\n\n"
             "Examples\n--------\n>>> import mmscan\n>>> mmscan.set_num_threads(1)\n"
             ">>> mmscan.get_num_threads()\n1\n>>> mmscan.set_num_threads(0)\n");

static PyObject *set_num_threads(PyObject *module, PyObject *number) {
  (void)module;
  int is_too_large;
  const long n = PyLong_AsLongAndOverflow(number, &is_too_large);
  if (n == -1 && PyErr_Occurred()) return NULL;
  if (is_too_large || n < 0 || n > 1 << 16) return PyErr_SetString(PyExc_ValueError, "n must be 0 to 65536"), NULL;
  atomic_store(&threads_wanted, (int)n);
  Py_RETURN_NONE;
}

PyDoc_STRVAR(get_num_threads_doc, "get_num_threads()\n--\n\n"
                                  "How many threads a scan uses at most.\n\nReturns\n-------\nint\n");

static PyObject *get_num_threads(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  const int n = atomic_load(&threads_wanted);
  return PyLong_FromLong(n > 0 ? n : mmscan_threads());
}

static int append(PyObject *list, const char *text) {
  PyObject *name = PyUnicode_FromString(text);
  const int failed = !name || PyList_Append(list, name);
  Py_XDECREF(name);
  return failed;
}

PyDoc_STRVAR(library_doc, "library()\n--\n\nWhat the library is: (version, cpu, isa, engines).");

static PyObject *library(PyObject *module, PyObject *none) {
  (void)module, (void)none;
  mmscan_part part = {.struct_size = sizeof part};
  PyObject *engines = PyList_New(0);
  for (size_t k = 0; engines && mmscan_get_engine(k, &part) == MMSCAN_OK; k++)
    if (append(engines, part.name)) Py_CLEAR(engines);
  return engines ? Py_BuildValue("sssN", mmscan_version(), mmscan_cpu(), mmscan_isa(), engines) : NULL;
}

/* ---- The module ----------------------------------------------------------------------------------------------- */

#define FAST(name) (PyCFunction)(void (*)(void)) name, METH_FASTCALL | METH_KEYWORDS

/* The simple functions come first, in their order. */
static PyMethodDef methods[] = {
    [CUMSUM] = {"cumsum", FAST(cumsum), NULL},
    [CUMPROD] = {"cumprod", FAST(cumprod), NULL},
    [NANCUMSUM] = {"nancumsum", FAST(nancumsum), NULL},
    [NANCUMPROD] = {"nancumprod", FAST(nancumprod), NULL},
    [CUMMAX] = {"cummax", FAST(cummax), NULL},
    [CUMMIN] = {"cummin", FAST(cummin), NULL},
    {"run", (PyCFunction)(void (*)(void))run, METH_FASTCALL, run_doc},
    {"recurrence", recurrence, METH_VARARGS, recurrence_doc},
    {"filter", filter, METH_VARARGS, filter_doc},
    {"integral", integral, METH_VARARGS, integral_doc},
    {"set_general", set_general, METH_VARARGS, set_general_doc},
    {"set_num_threads", set_num_threads, METH_O, set_num_threads_doc},
    {"get_num_threads", get_num_threads, METH_NOARGS, get_num_threads_doc},
    {"library", library, METH_NOARGS, library_doc},
    {NULL, NULL, 0, NULL},
};

/* Documentation is read where it is asked for, from the table of methods. What is set is kept for good. */
static PyObject *set_general(PyObject *module, PyObject *args) {
  PyObject *functions, *docs;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &functions, &PyTuple_Type, &docs)) return NULL;
  if (PyTuple_GET_SIZE(functions) != SIMPLE || PyTuple_GET_SIZE(docs) != SIMPLE)
    return PyErr_SetString(PyExc_TypeError, "set_general() takes a function and a text for each"), NULL;
  for (int k = 0; k < SIMPLE; k++) {
    const char *doc = PyUnicode_AsUTF8(PyTuple_GET_ITEM(docs, k));
    if (!doc) return NULL;
    Py_INCREF(PyTuple_GET_ITEM(docs, k));
    methods[k].ml_doc = doc;
    Py_INCREF(PyTuple_GET_ITEM(functions, k));
    Py_XSETREF(general[k], PyTuple_GET_ITEM(functions, k));
  }
  Py_RETURN_NONE;
}

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "mmscan._core",
                                        .m_doc = "Scans of NumPy arrays.", .m_size = -1, .m_methods = methods};

PyMODINIT_FUNC PyInit__core(void) {
  import_array();
  PyObject *module = PyModule_Create(&definition);
#ifdef Py_GIL_DISABLED
  if (module) PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
  return module;
}
