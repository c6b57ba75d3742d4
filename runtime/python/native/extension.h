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
#include <stdatomic.h>
#include <stdbool.h>

/* Between these one thread at a time uses the state of the module and of its objects.  Python's global lock does that.
 * A Python without it has a critical section, which a thread leaves whenever it would release that lock. */
#ifdef Py_GIL_DISABLED
extern PyObject *exclusive;
#define BEGIN_EXCLUSIVE Py_BEGIN_CRITICAL_SECTION(exclusive);
#define END_EXCLUSIVE Py_END_CRITICAL_SECTION();
#else
#define BEGIN_EXCLUSIVE {
#define END_EXCLUSIVE }
#endif

enum { MOST_INPUTS = 8, MOST_DIMS = 8 }; /* of what is done here */

/* The arguments of begin() from the package's Python. */
struct package {
    PyObject *ndarray; /* NumPy's type */
    PyObject *array;   /* gpucc.Array */
    PyObject *failure; /* the exception for a status that this thread's last call returned */
    PyObject *context; /* of a device's name */
    PyObject *leave;   /* what becomes of the capsules of an array that goes */
    PyObject *generic; /* the base of NumPy's scalars */
    PyObject *code_of; /* the runtime's number of a dtype of NumPy's */
    PyObject *scalars; /* NumPy's types of scalars, by the runtime's numbers */
};
extern struct package package;
/* Threads that record a graph: calls are then Python's, which notes their operands. */
extern atomic_int recordings;

/* Raises the exception for a status of this thread's last call; null. */
PyObject *raise_failure(gpucc_status status);
/* Clears an exception, if there is one.  What is no Exception, as of interrupts, the main thread then raises again. */
void forget_error(void);

/* The beginning of an object whose calls are vectorcalls. */
struct callable {
    PyObject_HEAD
    vectorcallfunc call;
};
/* A new object of such a type, whose other members are zero. */
PyObject *callable_new(PyTypeObject *type, vectorcallfunc call);
/* Frees an object of a heap type, and its reference to the type. */
void object_free(PyObject *object);

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

enum { MOST_ROOMS = 4, MOST_TYPINGS = 4, BY_VALUES = 2 };
struct tensors; /* a type of tensors that has been met */

/* The methods of ufuncs, and a call of a fused reduction. */
enum method { METHOD_REDUCE, METHOD_ACCUMULATE, METHOD_REDUCEAT, METHOD_OUTER, METHOD_AT, METHODS,
              METHOD_FUSED = METHODS };

/* The result's type, the library's own object, of a reduction or an accumulation of inputs of this type. */
struct fold {
    const struct tensors *kind;
    uint32_t input;
    PyObject *dtype;
    struct operands *operands; /* of the last one; null while one has them */
};

/* A function's result types: their type, which is the library's own object, for inputs of types as DLPack has them. */
struct room {
    const struct tensors *kind;
    uint32_t inputs[MOST_INPUTS];
    PyObject *dtype;
};

/* The types that operands of these types get, dtypes of arrays and types of others; null: they stay as they are. */
struct typing {
    PyObject *given[MOST_INPUTS], *taken[MOST_INPUTS];
};

/* The beginning of gpucc.Ufunc. */
struct calls {
    PyObject_HEAD
    vectorcallfunc call;
    PyObject *host;               /* what NumPy's arrays are given to, or None */
    int inputs, outputs, by_element, is_fused;
    int has_wide_first;           /* NumPy would take the wide loop for numbers; BY_VALUES: as NumPy 1 does */
    struct typing typings[MOST_TYPINGS]; /* for those */
    int next_typing;
    PyObject *context;            /* where it was called last, and the runtime's function there */
    gpucc_ufunc *handle;
    struct room rooms[MOST_ROOMS];
    int next_room;
    struct operands *operands;    /* of the last call on tensors; null while a call has them */
    PyObject *methods[METHODS];   /* those of `host`, or null until they are needed */
    struct fold folds[METHODS + 1]; /* by method */
};
extern PyType_Spec calls_spec, fused_spec;
/* Whether it is a plain array or number, of which nothing else need be asked. */
bool is_numpys(PyObject *x);
/* The runtime's function in a context; null with an exception. */
gpucc_ufunc *calls_handle(struct calls *self, PyObject *context);

/* ---- tensors.c ---- */

/* A tensor, its shape and strides, in bytes, apart from the object, as another thread may reshape that. */
struct view {
    void *data;
    uint32_t type; /* as DLPack has it */
    gpucc_dtype dtype;
    int device, ndim;
    bool packed; /* in C order, without gaps */
    int64_t shape[MOST_DIMS], strides[MOST_DIMS];
};

/* The package's Python object for a device. */
struct device {
    PyObject *object;
    gpucc_context *context;
    gpucc_array *gate; /* an element by which streams are ordered; null on the CPU */
};

struct operands;
struct tensors *tensors_of(PyTypeObject *type);
/* The same for a call; null, too, while the library traces calls, which the package's Python refuses.  No exception. */
struct tensors *tensors_for_call(PyTypeObject *type);
/* Whether it is a tensor whose memory has its elements, which nobody wants derivatives of.  No exception. */
bool tensors_view(const struct tensors *kind, PyObject *x, struct view *view);
/* The device of a view, and the library's current stream there.  False without an exception. */
bool tensors_place(const struct tensors *kind, int number, struct device *device, void **stream);
/* The context of the host's arrays; null with an exception. */
PyObject *tensors_host(void);
gpucc_context *tensors_host_context(void); /* after that */
/* Orders later work after the stream's present work, and the stream's later work after all that is enqueued. */
gpucc_status tensors_follow(const struct device *device, void *stream);
gpucc_status tensors_lead(const struct device *device, void *stream);
/* A call on tensors of that type; `out` may be null.  False where it is not for here; else `*result` is what it gives,
 * null with an exception. */
bool tensors_call(struct calls *self, const struct tensors *kind, PyObject *const *inputs, PyObject *out,
                  PyObject **result);
/* Gives back what a function keeps of its last call; null is allowed. */
void tensors_end(struct operands *operands);
/* Such a call without `out` has given this. */
void tensors_learn(struct calls *self, const struct tensors *kind, PyObject *const *inputs, PyObject *result);
/* Arguments: the type; the library's empty_like(); empty(like, size=, dtype=); the function that returns its current
 * stream, or None where the type has DLPack's interface. */
PyObject *tensors_know(PyObject *module, PyObject *const *arguments, Py_ssize_t count);
/* The contexts of devices are not what they were: after a fork. */
PyObject *tensors_forget(PyObject *module, PyObject *unused);

/* ---- methods.c ---- */

/* How a reduction or an accumulation is asked for, where it is for here. */
struct fold_request {
    enum method method;
    PyObject *const *inputs;
    int count; /* of inputs */
    PyObject *out; /* or null */
    int axis;
    bool all_axes;
};

extern PyMethodDef calls_methods[];
/* A call of a fused reduction. */
PyObject *fused_call(struct calls *self, PyObject *const *arguments, size_t flagged, PyObject *names);
/* The runtime's operation on arrays, of which the last is the output and may be null. */
gpucc_status fold_run(gpucc_ufunc *handle, gpucc_array **arrays, const struct fold_request *request);

/* The same as tensors_call() and tensors_learn(), for folds. */
bool tensors_fold(struct calls *self, const struct tensors *kind, const struct fold_request *request,
                  PyObject **result);
void tensors_learn_fold(struct calls *self, const struct tensors *kind, const struct fold_request *request,
                        PyObject *result);

/* ---- kernel_calls.c ---- */

/* Lends a buffer of NumPy's array, for the caller to release if the result is true. */
bool buffer_view(PyObject *x, Py_buffer *buffer, struct view *view, bool *read_only);

extern PyType_Spec launches_spec, launcher_spec;
/* Keeps the type of kernel[grid, block]. */
void launches_begin(PyObject *launcher);

#endif
