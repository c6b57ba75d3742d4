/* The package's extension module: calls whose operands are all NumPy's, all the package's own, or all tensors of one
 * library that has DLPack's C exchange interface, without a step in Python.
 *
 * It does the common cases alone.  Whatever it does not know, and whatever is wrong with an operand, goes to the
 * package's Python, which does everything and words every error; where there is no extension, all calls go there. */
#ifndef GPUCC_PYTHON_EXTENSION_H
#define GPUCC_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_INT T_INT
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif
#include <gpucc/runtime.h>
#include <stdbool.h>

enum { MOST_INPUTS = 8, MOST_DIMS = 8 }; /* of what is done here */

/* The arguments of begin() from the package's Python. */
struct package {
    PyObject *ndarray; /* NumPy's type */
    PyObject *array;   /* gpucc.Array */
    PyObject *failure; /* the exception for a status that this thread's last call returned */
    PyObject *context; /* of a device's name */
    PyObject *leave;   /* what becomes of the capsules of an array that goes */
};
extern struct package package;

/* Raises the exception for a status of this thread's last call; null. */
PyObject *raise_failure(gpucc_status status);

/* ---- array_object.c ---- */

/* The beginning of gpucc.Array: an array of the runtime's, which goes with it. */
struct array_object {
    PyObject_HEAD
    gpucc_array *handle;
    PyObject *context, *base, *capsules;
};
extern PyType_Spec array_object_spec;
/* A new gpucc.Array, which takes the handle over. */
PyObject *array_object_new(gpucc_array *handle, PyObject *context);

/* ---- calls.c ---- */

enum { MOST_ROOMS = 4 };

/* A function's result types: their type, which is the library's own object, for inputs of types as DLPack has them. */
struct room {
    uint32_t inputs[MOST_INPUTS];
    PyObject *dtype;
};

/* The beginning of gpucc.Ufunc. */
struct calls {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *host;               /* what NumPy's arrays are given to, or None */
    int inputs, outputs, by_element;
    PyObject *context;            /* where it was called last, and the runtime's function there */
    gpucc_ufunc *handle;
    struct room rooms[MOST_ROOMS];
    int next_room;
    struct operands *operands;    /* of the last call on tensors; null while a call has them */
};
extern PyType_Spec calls_spec;
/* The runtime's function in a context; null with an exception. */
gpucc_ufunc *calls_handle(struct calls *self, PyObject *context);

/* ---- tensors.c ---- */

struct operands;
struct tensors; /* a type of tensors that has been met */
struct tensors *tensors_of(PyTypeObject *type);
/* A call on tensors of that type; `out` may be null.  False where it is not for here; else `*result` is what it gives,
 * null with an exception. */
bool tensors_call(struct calls *self, const struct tensors *kind, PyObject *const *inputs, PyObject *out,
                  PyObject **result);
/* Gives back what a function keeps of its last call; null is allowed. */
void tensors_end(struct operands *operands);
/* Such a call without `out` has given this. */
void tensors_learn(struct calls *self, const struct tensors *kind, PyObject *const *inputs, PyObject *result);
PyObject *tensors_know(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
/* The contexts of devices are not what they were: after a fork. */
PyObject *tensors_forget(PyObject *module, PyObject *unused);

#endif
