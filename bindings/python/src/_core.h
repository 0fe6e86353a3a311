/* _core.h: what the two files of the extension share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MMSCAN_PYTHON_CORE_H
#define MMSCAN_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API  NPY_1_23_API_VERSION
#define NPY_TARGET_VERSION     NPY_1_23_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL mmscan_numpy_api
#include <Python.h>

#include <mmscan.h>
#include <numpy/arrayobject.h>
#include <stdbool.h>

/* Elements up to which the lock of the interpreter is kept: letting go takes longer. */
enum { KEEPS_LOCK = 2000 };

/* 0: a type that is not scanned. */
mmscan_type type_of(PyArrayObject *array);

/* Whether it is an array, aligned and in this machine's byte order. */
bool is_plain(PyObject *object);

/* The data of an array that may be None. */
void *data_of(PyObject *object);

/* Calls the library for so many elements, with the lock let go where that pays, on as many threads as are wanted. */
mmscan_status call_library(mmscan_status (*call)(const void *), const void *arguments, size_t elements);

/* What a status is in Python: True; False for what the library refuses; NULL with an error set. */
PyObject *answer(mmscan_status status);

/* In _series.c. */
PyObject *recurrence(PyObject *module, PyObject *args);
PyObject *filter(PyObject *module, PyObject *args);
PyObject *integral(PyObject *module, PyObject *args);
extern const char recurrence_doc[], filter_doc[], integral_doc[];

#endif
