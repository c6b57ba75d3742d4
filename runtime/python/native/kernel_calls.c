/* Launches of kernels: what gpucc.Kernel begins with, and kernel[grid, block]. */
#include "extension.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 16 };
enum { UNKNOWN = -1, FIRST_NAMED = -2 }; /* extents that are no numbers: FIRST_NAMED - i is the value of parameter i */
enum { ROLE_INTEGER, ROLE_REAL, ROLE_BOOLEAN, ROLE_POINTER };

struct parameter {
    int role, size, ndim;
    gpucc_dtype dtype; /* of a number, or of an array's elements */
    bool is_signed, is_const;
    int64_t extents[MOST_DIMS];
};

/* The beginning of gpucc.Kernel. */
struct launches {
    PyObject_HEAD
    vectorcallfunc call;
    struct parameter *parameters; /* null where Python's code does all launches */
    int count;
    PyObject *context; /* where it was launched last, and the runtime's kernel there */
    gpucc_kernel *handle;
};

/* kernel[grid, block] */
struct launcher {
    PyObject_HEAD
    vectorcallfunc call;
    struct launches *kernel;
    PyObject *sizes; /* as they were given */
    gpucc_launch launch;
};
static PyTypeObject *launcher_type;

void launches_begin(PyObject *launcher)
{
    launcher_type = (PyTypeObject *)launcher;
}

/* ---- one launch ---- */

union value {
    int64_t number;
    uint64_t count;
    double real;
    float single;
    bool boolean;
    void *pointer;
};

struct arguments {
    union value values[MOST_PARAMETERS];
    int64_t extents[MOST_PARAMETERS]; /* of scalars that are integers, for the shapes of arrays */
    void *pointers[MOST_PARAMETERS];
    Py_buffer buffers[MOST_PARAMETERS];
    int buffer_count;
    PyObject *context; /* borrowed from an array, or from the list of devices */
    const struct tensors *kind; /* of the first tensor, whose library's stream counts; or null */
    struct device device;
    int number; /* of that device */
    void *stream;
};

static void release_buffers(struct arguments *arguments)
{
    while (arguments->buffer_count > 0)
        PyBuffer_Release(&arguments->buffers[--arguments->buffer_count]);
}

/* False, perhaps with an exception, where the number is out of range or none. */
static bool read_integer(const struct parameter *parameter, PyObject *x, union value *value, int64_t *extent)
{
    const int bits = 8 * parameter->size;
    if (!PyLong_Check(x) && PyObject_IsInstance(x, package.generic) != 1)
        return false;
    PyObject *number = PyNumber_Index(x);
    if (!number)
        return false;
    if (parameter->is_signed) {
        value->number = PyLong_AsLongLong(number);
        *extent = value->number;
    } else {
        value->count = PyLong_AsUnsignedLongLong(number);
        *extent = value->count > INT64_MAX ? INT64_MAX : (int64_t)value->count;
    }
    Py_DECREF(number);
    if (PyErr_Occurred())
        return false;
    if (bits == 64)
        return true;
    return parameter->is_signed ? value->number >> (bits - 1) == 0 || value->number >> (bits - 1) == -1
                                : value->count >> bits == 0;
}

static bool read_real(const struct parameter *parameter, PyObject *x, union value *value)
{
    if (!PyFloat_Check(x) && !PyLong_Check(x) && PyObject_IsInstance(x, package.generic) != 1)
        return false;
    const double real = PyFloat_AsDouble(x);
    if (parameter->size == sizeof(float))
        value->single = (float)real;
    else
        value->real = real;
    return !PyErr_Occurred();
}

static bool read_scalar(const struct parameter *parameter, PyObject *x, union value *value, int64_t *extent)
{
    switch (parameter->role) {
    case ROLE_INTEGER: return read_integer(parameter, x, value, extent);
    case ROLE_REAL: return read_real(parameter, x, value);
    default: value->boolean = x == Py_True; return PyBool_Check(x);
    }
}

/* ---- arrays ---- */

/* The type of a buffer's elements, by Python's letter for it. */
static gpucc_dtype dtype_of_format(const char *format, Py_ssize_t size)
{
    static const char letters[] = "?efdbhilqBHILQ";
    static const gpucc_dtype types[] = {GPUCC_BOOLEAN, GPUCC_FLOAT16, GPUCC_FLOAT32, GPUCC_FLOAT64};
    static const gpucc_dtype whole[2][4] = {{GPUCC_INT8, GPUCC_INT16, GPUCC_INT32, GPUCC_INT64},
                                            {GPUCC_UINT8, GPUCC_UINT16, GPUCC_UINT32, GPUCC_UINT64}};
    const char *const found = format && format[0] ? strchr(letters, format[0]) : NULL;
    if (found && format[1] == 0)
        return found - letters < 4 ? types[found - letters]
                                   : whole[found - letters > 8][size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3];
    if (format && strcmp(format, "Zf") == 0)
        return GPUCC_COMPLEX64;
    return format && strcmp(format, "Zd") == 0 ? GPUCC_COMPLEX128 : GPUCC_DTYPE_COUNT;
}

static bool is_at(struct arguments *arguments, PyObject *context)
{
    if (!arguments->context)
        arguments->context = context;
    return context && arguments->context == context;
}

bool buffer_view(PyObject *x, Py_buffer *buffer, struct view *view, bool *read_only)
{
    if (PyObject_GetBuffer(x, buffer, PyBUF_FULL_RO) != 0)
        return false;
    view->dtype = dtype_of_format(buffer->format, buffer->itemsize);
    if (buffer->ndim > MOST_DIMS || view->dtype == GPUCC_DTYPE_COUNT) {
        PyBuffer_Release(buffer);
        return false;
    }
    view->data = buffer->buf;
    view->ndim = buffer->ndim;
    for (int d = 0; d < buffer->ndim; d++) {
        view->shape[d] = buffer->shape[d];
        view->strides[d] = buffer->strides[d];
    }
    view->packed = PyBuffer_IsContiguous(buffer, 'C');
    *read_only = buffer->readonly;
    return true;
}

/* An array of NumPy's. */
static bool view_host(struct arguments *arguments, PyObject *x, struct view *view, bool *read_only)
{
    if (!buffer_view(x, &arguments->buffers[arguments->buffer_count], view, read_only))
        return false;
    arguments->buffer_count++;
    return is_at(arguments, tensors_host());
}

static bool view_ours(struct arguments *arguments, PyObject *x, struct view *view, bool *read_only)
{
    const struct array_object *const array = (const struct array_object *)x;
    view->ndim = gpucc_array_ndim(array->handle);
    if (view->ndim > MOST_DIMS || !is_at(arguments, array->context))
        return false;
    const int64_t *const shape = gpucc_array_shape(array->handle), *const strides = gpucc_array_strides(array->handle);
    view->dtype = gpucc_array_dtype(array->handle);
    view->data = gpucc_array_data(array->handle);
    view->packed = true;
    int64_t step = (int64_t)gpucc_dtype_size(view->dtype);
    for (int d = view->ndim - 1; d >= 0; d--) {
        view->shape[d] = shape[d];
        view->packed &= strides[d] == step || shape[d] == 1;
        step *= shape[d];
    }
    *read_only = gpucc_array_is_read_only(array->handle);
    return true;
}

static bool view_foreign(struct arguments *arguments, PyObject *x, struct view *view)
{
    const struct tensors *const kind = tensors_for_call(Py_TYPE(x));
    if (!kind || (arguments->kind && arguments->kind != kind) || !tensors_view(kind, x, view))
        return false;
    if (arguments->kind ? arguments->number != view->device
                        : !tensors_place(kind, view->device, &arguments->device, &arguments->stream))
        return false;
    arguments->kind = kind;
    arguments->number = view->device;
    return is_at(arguments, arguments->device.object);
}

/* As many dimensions have the same inner extents, and every array has elements enough. */
static bool is_large_enough(const struct parameter *parameter, const struct arguments *arguments,
                            const struct view *view)
{
    int64_t needed = 1, there = 1;
    bool known = true;
    for (int d = 0; d < parameter->ndim; d++) {
        const int64_t extent = parameter->extents[d],
                      wanted = extent <= FIRST_NAMED ? arguments->extents[FIRST_NAMED - extent] : extent;
        if (extent == UNKNOWN) {
            known = false;
            continue;
        }
        if (d > 0 && view->ndim == parameter->ndim && view->shape[d] != wanted)
            return false;
        known &= !__builtin_mul_overflow(needed, wanted > 0 ? wanted : 0, &needed);
    }
    for (int d = 0; d < view->ndim; d++)
        there *= view->shape[d];
    return parameter->ndim == 0 || !known || there >= needed;
}

static bool read_pointer(const struct parameter *parameter, struct arguments *arguments, PyObject *x, void **value)
{
    struct view view;
    bool read_only = false;
    *value = NULL;
    if (x == Py_None)
        return true;
    const bool viewed = (PyObject *)Py_TYPE(x) == package.ndarray ? view_host(arguments, x, &view, &read_only)
                        : (PyObject *)Py_TYPE(x) == package.array ? view_ours(arguments, x, &view, &read_only)
                                                                  : view_foreign(arguments, x, &view);
    if (!viewed || view.dtype != parameter->dtype || !view.packed || (read_only && !parameter->is_const) ||
        !is_large_enough(parameter, arguments, &view))
        return false;
    *value = view.data;
    return true;
}

/* Scalars first, from which shapes follow.  False where a launch is for Python's code, perhaps with an exception. */
static bool read_arguments(const struct launches *self, PyObject *const *given, struct arguments *arguments)
{
    for (int i = 0; i < self->count; i++) {
        const struct parameter *const parameter = &self->parameters[i];
        arguments->pointers[i] = &arguments->values[i];
        if (parameter->role != ROLE_POINTER &&
            !read_scalar(parameter, given[i], &arguments->values[i], &arguments->extents[i]))
            return false;
    }
    for (int i = 0; i < self->count; i++) {
        const struct parameter *const parameter = &self->parameters[i];
        if (parameter->role == ROLE_POINTER &&
            !read_pointer(parameter, arguments, given[i], &arguments->values[i].pointer))
            return false;
    }
    return arguments->context;
}

/* ---- launches ---- */

static gpucc_kernel *find_handle(struct launches *self, PyObject *context)
{
    if (self->context == context)
        return self->handle;
    PyObject *number = PyObject_CallMethod((PyObject *)self, "_handle", "O", context);
    gpucc_kernel *const handle = number ? PyLong_AsVoidPtr(number) : NULL;
    Py_XDECREF(number);
    if (!handle)
        return NULL;
    PyObject *const before = self->context;
    self->context = Py_NewRef(context);
    self->handle = handle;
    Py_XDECREF(before);
    return handle;
}

static gpucc_status run(gpucc_kernel *kernel, const gpucc_launch *launch, const struct arguments *arguments)
{
    gpucc_status status = arguments->kind ? tensors_follow(&arguments->device, arguments->stream) : GPUCC_OK;
    if (status)
        return status;
    status = gpucc_kernel_launch(kernel, launch, arguments->pointers);
    const gpucc_status led = arguments->kind ? tensors_lead(&arguments->device, arguments->stream) : GPUCC_OK;
    return status ? status : led;
}

static bool launch_exclusively(struct launches *self, const gpucc_launch *launch, PyObject *const *given,
                               Py_ssize_t count, PyObject **result)
{
    struct arguments arguments;
    gpucc_status status = GPUCC_OK;
    if (!self->parameters || count != self->count || recordings)
        return false;
    arguments.buffer_count = 0;
    arguments.context = NULL;
    arguments.kind = NULL;
    arguments.stream = NULL;
    gpucc_kernel *kernel = NULL;
    if (read_arguments(self, given, &arguments))
        kernel = find_handle(self, arguments.context);
    if (kernel) {
        Py_BEGIN_ALLOW_THREADS
        status = run(kernel, launch, &arguments);
        Py_END_ALLOW_THREADS
        *result = status ? raise_failure(status) : Py_NewRef(Py_None);
    } else {
        forget_error();
    }
    release_buffers(&arguments);
    return kernel;
}

/* False, without an exception, where Python's code is to do it; else `*result` is None, or null with an exception. */
static bool launch(struct launches *self, const gpucc_launch *launch, PyObject *const *given, Py_ssize_t count,
                   PyObject **result)
{
    bool is_done;
    BEGIN_EXCLUSIVE
    is_done = launch_exclusively(self, launch, given, count, result);
    END_EXCLUSIVE
    return is_done;
}

/* ---- kernel[grid, block](…) ---- */

/* One to three numbers from 1 on, as one number or a tuple. */
static bool read_sizes(PyObject *given, uint32_t sizes[3])
{
    const bool is_tuple = PyTuple_Check(given);
    const Py_ssize_t count = is_tuple ? PyTuple_Size(given) : 1;
    sizes[0] = sizes[1] = sizes[2] = 0;
    if (count < 1 || count > 3)
        return false;
    for (Py_ssize_t d = 0; d < count; d++) {
        PyObject *const item = is_tuple ? PyTuple_GetItem(given, d) : given;
        const long long size = PyLong_CheckExact(item) ? PyLong_AsLongLong(item) : 0;
        forget_error();
        if (size < 1 || size > UINT32_MAX)
            return false;
        sizes[d] = (uint32_t)size;
    }
    return true;
}

static PyObject *launcher_call(PyObject *callable, PyObject *const *arguments, size_t flagged, PyObject *names)
{
    struct launcher *const self = (struct launcher *)callable;
    PyObject *result = NULL;
    if (!names && launch(self->kernel, &self->launch, arguments, PyVectorcall_NARGS(flagged), &result))
        return result;
    PyObject *function = PyObject_CallMethod((PyObject *)self->kernel, "_launcher", "(O)", self->sizes);
    if (!function)
        return NULL;
    result = PyObject_Vectorcall(function, arguments, flagged & ~PY_VECTORCALL_ARGUMENTS_OFFSET, names);
    Py_DECREF(function);
    return result;
}

static PyObject *launches_item(PyObject *object, PyObject *sizes)
{
    struct launches *const self = (struct launches *)object;
    gpucc_launch plan = {.size = sizeof plan};
    if (!self->parameters || !PyTuple_Check(sizes) || PyTuple_Size(sizes) != 2 ||
        !read_sizes(PyTuple_GetItem(sizes, 0), plan.grid) || !read_sizes(PyTuple_GetItem(sizes, 1), plan.block))
        return PyObject_CallMethod(object, "_launcher", "(O)", sizes);
    struct launcher *const made = (struct launcher *)PyType_GenericAlloc(launcher_type, 0);
    if (!made)
        return NULL;
    made->call = launcher_call;
    made->kernel = (struct launches *)Py_NewRef(object);
    made->sizes = Py_NewRef(sizes);
    made->launch = plan;
    return (PyObject *)made;
}

static void launcher_dealloc(PyObject *object)
{
    struct launcher *const self = (struct launcher *)object;
    Py_XDECREF((PyObject *)self->kernel);
    Py_XDECREF(self->sizes);
    object_free(object);
}

static PyMemberDef launcher_members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(struct launcher, call), Py_READONLY, NULL},
    {0},
};
static PyType_Slot launcher_slots[] = {
    {Py_tp_dealloc, (void *)launcher_dealloc},
    {Py_tp_call, (void *)PyVectorcall_Call},
    {Py_tp_members, launcher_members},
    {0},
};
PyType_Spec launcher_spec = {
    .name = "gpucc._native.Launcher",
    .basicsize = sizeof(struct launcher),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = launcher_slots,
};

/* ---- kernel(…, threads=n) ---- */

/* The sizes among the keywords; false where there are others, or none. */
static bool read_keywords(PyObject *const *values, PyObject *names, gpucc_launch *plan)
{
    const Py_ssize_t count = names ? PyTuple_Size(names) : 0;
    uint32_t threads[3] = {0};
    bool has_grid = false, has_threads = false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *const name = PyTuple_GetItem(names, i);
        bool read = false;
        if (PyUnicode_CompareWithASCIIString(name, "threads") == 0)
            read = has_threads = read_sizes(values[i], threads);
        else if (PyUnicode_CompareWithASCIIString(name, "grid") == 0)
            read = has_grid = read_sizes(values[i], plan->grid);
        else if (PyUnicode_CompareWithASCIIString(name, "block") == 0)
            read = read_sizes(values[i], plan->block);
        if (!read)
            return false;
    }
    for (int d = 0; d < 3; d++)
        plan->threads[d] = threads[d];
    return has_grid != has_threads;
}

static PyObject *launches_call(PyObject *callable, PyObject *const *arguments, size_t flagged, PyObject *names)
{
    struct launches *const self = (struct launches *)callable;
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    gpucc_launch plan = {.size = sizeof plan};
    PyObject *result = NULL;
    if (read_keywords(arguments + count, names, &plan) && launch(self, &plan, arguments, count, &result))
        return result;
    PyObject *method = PyObject_GetAttrString(callable, "_anywhere");
    if (!method)
        return NULL;
    result = PyObject_Vectorcall(method, arguments, (size_t)count, names);
    Py_DECREF(method);
    return result;
}

/* ---- the type ---- */

static bool set_extents(PyObject *given, struct parameter *parameter)
{
    const Py_ssize_t count = PyTuple_Size(given);
    if (count < 0 || count > MOST_DIMS)
        return false;
    parameter->ndim = (int)count;
    for (Py_ssize_t d = 0; d < count; d++)
        parameter->extents[d] = PyLong_AsLongLong(PyTuple_GetItem(given, d));
    return !PyErr_Occurred();
}

/* One of (role, dtype, size, is_signed, is_const, extents). */
static bool set_parameter(PyObject *about, struct parameter *parameter)
{
    int dtype, is_signed, is_const;
    PyObject *extents;
    if (!PyArg_ParseTuple(about, "iiippO!", &parameter->role, &dtype, &parameter->size, &is_signed, &is_const,
                          &PyTuple_Type, &extents))
        return false;
    parameter->dtype = (gpucc_dtype)dtype;
    parameter->is_signed = is_signed;
    parameter->is_const = is_const;
    return set_extents(extents, parameter);
}

static PyObject *set_parameters(PyObject *object, PyObject *all)
{
    struct launches *const self = (struct launches *)object;
    const Py_ssize_t count = PyTuple_Size(all);
    if (count < 0)
        return NULL;
    if (count == 0 || count > MOST_PARAMETERS || self->parameters)
        Py_RETURN_NONE;
    struct parameter *made = PyMem_Calloc((size_t)count, sizeof *made);
    if (!made)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        if (!set_parameter(PyTuple_GetItem(all, i), &made[i])) {
            PyMem_Free(made);
            return NULL;
        }
    self->parameters = made;
    self->count = (int)count;
    Py_RETURN_NONE;
}

static PyObject *launches_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    (void)arguments, (void)names;
    return callable_new(type, launches_call);
}

static int launches_clear(PyObject *object)
{
    Py_CLEAR(((struct launches *)object)->context);
    return 0;
}

static int launches_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((struct launches *)object)->context);
    return 0;
}

static void launches_dealloc(PyObject *object)
{
    PyObject_GC_UnTrack(object);
    launches_clear(object);
    PyMem_Free(((struct launches *)object)->parameters);
    object_free(object);
}

static PyMethodDef methods[] = {
    {"_set_parameters", set_parameters, METH_O, "_set_parameters(parameters): which launches read themselves"},
    {0},
};
static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(struct launches, call), Py_READONLY, NULL},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_new, (void *)launches_new},           {Py_tp_dealloc, (void *)launches_dealloc},
    {Py_tp_traverse, (void *)launches_traverse}, {Py_tp_clear, (void *)launches_clear},
    {Py_tp_call, (void *)PyVectorcall_Call},     {Py_mp_subscript, (void *)launches_item},
    {Py_tp_methods, methods},                    {Py_tp_members, members},
    {0},
};
PyType_Spec launches_spec = {
    .name = "gpucc._native.Launches",
    .basicsize = sizeof(struct launches),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots,
};
