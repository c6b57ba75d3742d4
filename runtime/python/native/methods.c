/* Methods of ufuncs, reduce() and its kind, and calls of fused reductions. */
#include "tensors.h"
#include <string.h>

static const char *const names_of_methods[METHODS] = {"reduce", "accumulate", "reduceat", "outer", "at"};

/* ---- NumPy's arrays ---- */

/* Whether the argument at this position of a method is an operand, and not an axis, a dtype or indices. */
static bool is_operand(enum method method, Py_ssize_t position)
{
    switch (method) {
    case METHOD_REDUCE: return position == 0 || position == 3 || position > 4; /* array, out, initial, where */
    case METHOD_ACCUMULATE: return position == 0 || position == 3;
    case METHOD_REDUCEAT: return position == 0 || position == 4;
    case METHOD_AT: return position != 1;
    default: return true;
    }
}

/* Whether NumPy's own method does the call: all operands are plain arrays or numbers of its own. */
static bool is_for_numpy(enum method method, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    if (count == 0 || (PyObject *)Py_TYPE(arguments[0]) != package.ndarray)
        return false;
    for (Py_ssize_t i = 1; i < count; i++)
        if (is_operand(method, i) ? !is_numpys(arguments[i])
                                  : !is_numpys(arguments[i]) && !PyTuple_CheckExact(arguments[i]) &&
                                        !PyList_CheckExact(arguments[i]) && !PyType_Check(arguments[i]))
            return false;
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *const name = PyTuple_GetItem(names, i);
        if (PyUnicode_CompareWithASCIIString(name, "axis") != 0 &&
            PyUnicode_CompareWithASCIIString(name, "dtype") != 0 &&
            PyUnicode_CompareWithASCIIString(name, "keepdims") != 0 &&
            (PyUnicode_CompareWithASCIIString(name, "device") == 0 || !is_numpys(arguments[count + i])))
            return false;
    }
    return true;
}

/* NumPy's method, as a borrowed reference; null with an exception. */
static PyObject *find_method(struct calls *self, enum method method)
{
    if (!self->methods[method]) {
        PyObject *found = PyObject_GetAttrString(self->host, names_of_methods[method]);
        if (self->methods[method])
            Py_XDECREF(found);
        else
            self->methods[method] = found;
    }
    return self->methods[method];
}

static PyObject *call_numpys(struct calls *self, enum method method, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *names)
{
    PyObject *found;
    BEGIN_EXCLUSIVE
    found = find_method(self, method);
    END_EXCLUSIVE
    return found ? PyObject_Vectorcall(found, arguments, (size_t)count, names) : NULL;
}

/* ---- folds on a device ---- */

gpucc_status fold_run(gpucc_ufunc *handle, gpucc_array **arrays, const struct fold_request *request)
{
    const gpucc_reduce_options reduce = {.size = sizeof reduce, .axes = &request->axis,
                                         .axis_count = request->all_axes ? GPUCC_ALL_AXES : 1};
    const gpucc_accumulate_options accumulate = {.size = sizeof accumulate, .axis = request->axis};
    const gpucc_reduceat_options reduceat = {.size = sizeof reduceat, .axis = request->axis};
    const gpucc_at_options at = {.size = sizeof at};
    const gpucc_array *const *const inputs = (const gpucc_array *const *)arrays;
    gpucc_array **const out = &arrays[request->count];
    switch (request->method) {
    case METHOD_REDUCE: return gpucc_ufunc_reduce(handle, arrays[0], out, &reduce);
    case METHOD_ACCUMULATE: return gpucc_ufunc_accumulate(handle, arrays[0], out, &accumulate);
    case METHOD_REDUCEAT: return gpucc_ufunc_reduceat(handle, arrays[0], arrays[1], out, &reduceat);
    case METHOD_OUTER: return gpucc_ufunc_outer(handle, inputs, out, NULL);
    case METHOD_AT: return gpucc_ufunc_at(handle, arrays[0], arrays[1], request->count > 2 ? arrays[2] : NULL, &at);
    default: return gpucc_reduction_call(handle, inputs, out, &reduce);
    }
}

/* An axis is a number, or None for all of a reduction's. */
static bool read_axis(PyObject *x, struct fold_request *request)
{
    if (x == Py_None && (request->method == METHOD_REDUCE || request->method == METHOD_FUSED)) {
        request->all_axes = true;
        return true;
    }
    const long axis = PyLong_CheckExact(x) ? PyLong_AsLong(x) : 1 << 20;
    forget_error();
    request->axis = (int)axis;
    return axis > -64 && axis < 64;
}

/* Whether nothing else is asked for than an axis and an output. */
static bool read_request(struct fold_request *request, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    const Py_ssize_t named = names ? PyTuple_Size(names) : 0;
    request->inputs = arguments;
    request->out = NULL;
    request->axis = 0;
    request->all_axes = false;
    const bool has_axis = request->method <= METHOD_REDUCEAT; /* behind the operands */
    if (count < request->count || count > request->count + has_axis)
        return false;
    if (count > request->count && !read_axis(arguments[request->count], request))
        return false;
    for (Py_ssize_t i = 0; i < named; i++) {
        PyObject *const name = PyTuple_GetItem(names, i), *const value = arguments[count + i];
        if (PyUnicode_CompareWithASCIIString(name, "out") == 0 && request->method != METHOD_AT)
            request->out = value == Py_None ? NULL : value;
        else if (PyUnicode_CompareWithASCIIString(name, "axis") != 0 || request->method == METHOD_OUTER ||
                 request->method == METHOD_AT || !read_axis(value, request))
            return false;
    }
    return true;
}

static bool are_ours(const struct fold_request *request)
{
    PyObject *const context = ((struct array_object *)request->inputs[0])->context;
    for (int i = 0; i <= request->count; i++) {
        PyObject *const x = i < request->count ? request->inputs[i] : request->out;
        if (x && ((PyObject *)Py_TYPE(x) != package.array || ((struct array_object *)x)->context != context))
            return false;
    }
    return true;
}

static PyObject *fold_ours(struct calls *self, const struct fold_request *request)
{
    PyObject *const context = ((struct array_object *)request->inputs[0])->context;
    gpucc_array *arrays[MOST_INPUTS + 1];
    gpucc_ufunc *const handle = calls_handle(self, context);
    gpucc_status status;
    if (!handle)
        return NULL;
    for (int i = 0; i < request->count; i++)
        arrays[i] = ((struct array_object *)request->inputs[i])->handle;
    arrays[request->count] = request->out ? ((struct array_object *)request->out)->handle : NULL;
    Py_BEGIN_ALLOW_THREADS
    status = fold_run(handle, arrays, request);
    Py_END_ALLOW_THREADS
    if (status)
        return raise_failure(status);
    if (request->method == METHOD_AT)
        return Py_NewRef(Py_None);
    return request->out ? Py_NewRef(request->out) : array_object_new(arrays[request->count], context);
}

/* ---- fused reductions of NumPy's arrays ---- */

/* A scalar of NumPy's for an array without dimensions on the CPU; null, without an exception, for other arrays. */
static PyObject *read_scalar(const gpucc_array *array)
{
    const gpucc_dtype dtype = gpucc_array_dtype(array);
    const void *const data = gpucc_array_data(array);
    PyObject *value;
    if (gpucc_array_ndim(array) != 0 || !data)
        return NULL;
    switch (dtype) {
    case GPUCC_FLOAT32: value = PyFloat_FromDouble((double)*(const float *)data); break;
    case GPUCC_FLOAT64: value = PyFloat_FromDouble(*(const double *)data); break;
    case GPUCC_INT32: value = PyLong_FromLong(*(const int32_t *)data); break;
    case GPUCC_INT64: value = PyLong_FromLongLong(*(const int64_t *)data); break;
    default: return NULL;
    }
    PyObject *type = PyTuple_GetItem(package.scalars, (Py_ssize_t)dtype);
    PyObject *made = value && type ? PyObject_CallFunctionObjArgs(type, value, NULL) : NULL;
    Py_XDECREF(value);
    return made;
}

/* Reduces the operands, whose arrays are those of the last call where it had the same; the result is null where one
 * cannot be wrapped, or with `*status`. */
static gpucc_array *fold_buffers(gpucc_ufunc *handle, gpucc_context *context, struct operands *operands,
                                 const struct fold_request *request, gpucc_status *status)
{
    gpucc_array *arrays[MOST_INPUTS + 1] = {0};
    tensors_enter(operands, context);
    for (int i = 0; i < request->count; i++)
        if (!(arrays[i] = tensors_wrap(operands, &operands->each[i])))
            return NULL;
    *status = fold_run(handle, arrays, request);
    return arrays[request->count];
}

/* False, without an exception, where it is for Python's code. */
static bool fold_numpys(struct calls *self, const struct fold_request *request, PyObject **result)
{
    Py_buffer buffers[MOST_INPUTS];
    bool read_only;
    int count = 0;
    gpucc_status status = GPUCC_OK;
    gpucc_array *made = NULL;
    PyObject *const host = tensors_host();
    gpucc_ufunc *const handle = host ? calls_handle(self, host) : NULL;
    gpucc_context *const context = handle ? tensors_host_context() : NULL;
    struct operands **const place = &self->folds[METHOD_FUSED].operands;
    struct operands *const operands = context && !request->out ? tensors_acquire(place) : NULL;
    while (operands && count < request->count && (PyObject *)Py_TYPE(request->inputs[count]) == package.ndarray) {
        struct view view = {.device = ON_HOST};
        if (!buffer_view(request->inputs[count], &buffers[count], &view, &read_only))
            break;
        tensors_set_view(&operands->each[count++], &view);
    }
    if (operands && count == request->count) {
        Py_BEGIN_ALLOW_THREADS
        made = fold_buffers(handle, context, operands, request, &status);
        Py_END_ALLOW_THREADS
    }
    forget_error();
    if (status)
        *result = raise_failure(status);
    else if (made)
        *result = read_scalar(made);
    while (count > 0)
        PyBuffer_Release(&buffers[--count]);
    gpucc_array_release(made);
    if (operands)
        tensors_put(place, operands);
    return *result || status;
}

/* ---- calls ---- */

/* A reduction or an accumulation on a device; false, without an exception, where it is for Python's code. */
static bool fold(struct calls *self, const struct fold_request *request, const struct tensors *kind, PyObject **result)
{
    if ((PyObject *)Py_TYPE(request->inputs[0]) == package.array && are_ours(request)) {
        *result = fold_ours(self, request);
        return true;
    }
    return kind && tensors_fold(self, kind, request, result);
}

static PyObject *call_anywhere(struct calls *self, const char *name, PyObject *const *arguments, Py_ssize_t count,
                               PyObject *names)
{
    PyObject *method = PyObject_GetAttrString((PyObject *)self, name);
    PyObject *result = method ? PyObject_Vectorcall(method, arguments, (size_t)count, names) : NULL;
    Py_XDECREF(method);
    return result;
}

static const char *const anywhere[METHODS] = {"_reduce", "_accumulate", "_reduceat", "_outer", "_at"};

/* How many operands a method has, without its output. */
static int count_operands(const struct calls *self, enum method method)
{
    switch (method) {
    case METHOD_REDUCEAT: return 2; /* the array, and indices */
    case METHOD_OUTER: return self->inputs;
    case METHOD_AT: return 1 + self->inputs; /* the array, indices, and an operand of functions of two inputs */
    default: return 1;
    }
}

static PyObject *call_on_device(struct calls *self, enum method method, PyObject *const *arguments, Py_ssize_t count,
                                PyObject *names)
{
    struct fold_request request = {.method = method, .count = count_operands(self, method)};
    PyObject *result = NULL;
    const struct tensors *const kind = count > 0 ? tensors_for_call(Py_TYPE(arguments[0])) : NULL;
    const bool here = count > 0 && self->by_element && request.count <= MOST_INPUTS && self->outputs == 1 &&
                      read_request(&request, arguments, count, names);
    if (here && fold(self, &request, kind, &result))
        return result;
    result = call_anywhere(self, anywhere[method], arguments, count, names);
    if (here && kind && result && method <= METHOD_ACCUMULATE)
        tensors_learn_fold(self, kind, &request, result);
    return result;
}

static PyObject *call_method(PyObject *object, enum method method, PyObject *const *arguments, Py_ssize_t count,
                             PyObject *names)
{
    struct calls *const self = (struct calls *)object;
    PyObject *result;
    if (recordings)
        return call_anywhere(self, anywhere[method], arguments, count, names);
    if (self->host && self->host != Py_None && is_for_numpy(method, arguments, count, names))
        return call_numpys(self, method, arguments, count, names);
    BEGIN_EXCLUSIVE
    result = call_on_device(self, method, arguments, count, names);
    END_EXCLUSIVE
    return result;
}

PyObject *fused_call(struct calls *self, PyObject *const *arguments, size_t flagged, PyObject *names)
{
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    struct fold_request request = {.method = METHOD_FUSED, .count = self->inputs};
    PyObject *result = NULL;
    const struct tensors *const kind = count > 0 ? tensors_for_call(Py_TYPE(arguments[0])) : NULL;
    const bool here = count > 0 && self->inputs <= MOST_INPUTS && read_request(&request, arguments, count, names);
    if (here && ((PyObject *)Py_TYPE(arguments[0]) == package.ndarray ? fold_numpys(self, &request, &result)
                                                                      : fold(self, &request, kind, &result)))
        return result;
    result = call_anywhere(self, "_anywhere", arguments, count, names);
    if (here && kind && result)
        tensors_learn_fold(self, kind, &request, result);
    return result;
}

#define METHOD(name, method)                                                                                           \
    static PyObject *name(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)               \
    {                                                                                                                  \
        return call_method(self, method, arguments, count, names);                                                     \
    }
METHOD(reduce, METHOD_REDUCE)
METHOD(accumulate, METHOD_ACCUMULATE)
METHOD(reduceat, METHOD_REDUCEAT)
METHOD(outer, METHOD_OUTER)
METHOD(at, METHOD_AT)
#define ENTRY(name, text) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL | METH_KEYWORDS, text}

PyMethodDef calls_methods[] = {
    ENTRY(reduce, "reduce(array, axis=0, dtype=None, out=None, keepdims=False, initial=<no value>, where=True, *, "
                  "device=None)\n\nCombines the elements along axes."),
    ENTRY(accumulate, "accumulate(array, axis=0, dtype=None, out=None, *, device=None)\n\nEvery partial result."),
    ENTRY(reduceat, "reduceat(array, indices, axis=0, dtype=None, out=None, *, device=None)\n\nReductions of slices."),
    ENTRY(outer, "outer(*operands, out=None, …)\n\nEvery combination of the operands' elements."),
    ENTRY(at, "at(array, indices, operand=None, /, *, device=None)\n\nIn place, on the elements that indices name."),
    {0},
};
