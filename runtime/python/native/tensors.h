/* Declarations that calls on tensors share: types of tensors, and operands that have been looked at. */
#ifndef GPUCC_PYTHON_TENSORS_H
#define GPUCC_PYTHON_TENSORS_H

#include "extension.h"
#include "exchange.h"

enum { ON_HOST = 16 }; /* the number of the CPU in a view, behind those of GPUs */

struct tensors {
    PyTypeObject *type;
    const struct exchange *exchange; /* null: the attributes are CuPy's */
    PyObject *empty_like; /* the library's function */
    PyObject *empty;      /* empty(like, shape, dtype) */
    PyObject *stream;     /* without an exchange: returns the current stream, whose number is its ptr */
    PyObject *tracing;    /* functions: when all but the last return 0, the last does: no trace records calls */
};

/* An operand of a function's last call, which a call in a loop finds again: wrapped, and looked at. */
struct operand {
    PyObject *seen; /* a weak reference, or null */
    struct view view;
    gpucc_array *array; /* over what `view` says; or null */
};
struct operands {
    gpucc_context *context; /* of the arrays */
    struct operand each[MOST_INPUTS + 1];
};

extern PyObject *tensors_dtype_name, *tensors_dtype_keyword; /* "dtype", and a tuple of it */
extern PyObject *tensors_size_keywords;                      /* ("size", "dtype") */

/* False, without an exception, where the tensor is none for here. */
bool tensors_read(const struct tensors *kind, PyObject *x, struct view *view);
/* Whether it is a tensor that calls take as it is, which `operand` then has; no exception. */
bool tensors_import(const struct tensors *kind, PyObject *x, struct operand *operand);
/* The same of an output.  One that was made for the result, and not given, has nothing that need be asked. */
bool tensors_import_output(const struct tensors *kind, PyObject *x, bool is_given, struct operand *operand);
/* The same of all inputs: tensors of one device, or numbers behind the first `tensors` of them. */
bool tensors_import_all(const struct tensors *kind, PyObject *const *inputs, int count, int tensors,
                        struct operands *operands);
bool tensors_same_extents(const int64_t *a, const int64_t *b, int ndim);

/* The operands of the last call, if no other call holds them; or new ones, null without memory. */
struct operands *tensors_acquire(struct operands **place);
void tensors_put(struct operands **place, struct operands *operands);

/* The view of a call's operand: an array over another one is given back. */
void tensors_set_view(struct operand *operand, const struct view *view);
/* The operands of a call in this context, of which arrays of another one's are given back. */
void tensors_enter(struct operands *operands, gpucc_context *context);
/* The runtime's array over what is viewed; null with the runtime's error. */
gpucc_array *tensors_wrap(const struct operands *operands, struct operand *operand);

/* A call on operands that have been looked at: a fold where there is a request.  With `made` the output is a new array,
 * which is exported for the stream, or null where there is none; without, it is the last operand.  False where the call
 * is not for here: nothing has been done then. */
bool tensors_run(struct calls *self, const struct tensors *kind, struct operands *operands, int inputs,
                 const struct fold_request *request, struct exchange_managed **made, gpucc_status *status);
/* Whether the library takes results of the runtime's. */
bool tensors_are_imported(const struct tensors *kind);
/* The library's object for an exported result, which goes with it; null with an exception. */
PyObject *tensors_object(const struct tensors *kind, struct exchange_managed *made);

#endif
