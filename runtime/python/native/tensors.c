/* Tensors of libraries that have DLPack's C exchange interface, PyTorch from 2.10 on, and CuPy's arrays, by their
 * attributes.  They are wrapped for the call, and used in the order of the library's current stream. */
#include "tensors.h"
#include <string.h>

enum { MOST_TYPES = 8 };

static struct tensors known[MOST_TYPES];
static int known_count;

static struct device devices[ON_HOST + 1]; /* GPUs by number, and the CPU */
static PyObject *host; /* the CPU's context … */
static gpucc_context *host_context;

static PyObject *forward_mode; /* PyTorch's module of forward-mode differentiation, or null */
PyObject *tensors_dtype_name, *tensors_dtype_keyword, *tensors_size_keywords;
static PyObject *current_level, *requires_grad, *is_conj, *is_neg;
static PyObject *data_name, *ptr_name, *device_name, *shape_name, *strides_name;

struct tensors *tensors_of(PyTypeObject *type)
{
    for (int i = 0; i < known_count; i++)
        if (known[i].type == type)
            return &known[i];
    return NULL;
}

/* Whether the function returns no true value; any exception is cleared. */
static bool returns_false(PyObject *function)
{
    PyObject *result = PyObject_CallNoArgs(function);
    const bool is_false = result && PyObject_IsTrue(result) == 0;
    Py_XDECREF(result);
    if (!is_false)
        forget_error();
    return is_false;
}

static bool is_traced(const struct tensors *kind)
{
    const Py_ssize_t last = PyTuple_Size(kind->tracing) - 1;
    for (Py_ssize_t i = 0; i < last; i++)
        if (!returns_false(PyTuple_GetItem(kind->tracing, i)))
            return !returns_false(PyTuple_GetItem(kind->tracing, last));
    return false;
}

struct tensors *tensors_for_call(PyTypeObject *type)
{
    struct tensors *const kind = tensors_of(type);
    return kind && is_traced(kind) ? NULL : kind;
}

/* ---- types that are known ---- */

/* The table that this module can read; null where the type has none. */
static const struct exchange *find_exchange(PyObject *type)
{
    PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
    const struct exchange *found = NULL;
    if (!capsule)
        forget_error();
    else if (PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
        found = PyCapsule_GetPointer(capsule, "dlpack_exchange_api"); /* which the library keeps for good */
    Py_XDECREF(capsule);
    while (found && found->major > EXCHANGE_MAJOR)
        found = found->previous;
    return found && found->major == EXCHANGE_MAJOR && found->describe && found->current_stream ? found : NULL;
}

static bool make_names(void)
{
    if (tensors_dtype_keyword)
        return true;
    current_level = PyUnicode_InternFromString("_current_level");
    requires_grad = PyUnicode_InternFromString("requires_grad");
    is_conj = PyUnicode_InternFromString("is_conj");
    is_neg = PyUnicode_InternFromString("is_neg");
    tensors_dtype_name = PyUnicode_InternFromString("dtype");
    data_name = PyUnicode_InternFromString("data");
    ptr_name = PyUnicode_InternFromString("ptr");
    device_name = PyUnicode_InternFromString("device_id");
    shape_name = PyUnicode_InternFromString("shape");
    strides_name = PyUnicode_InternFromString("strides");
    const bool all = current_level && requires_grad && is_conj && is_neg && tensors_dtype_name && data_name &&
                     ptr_name && device_name && shape_name && strides_name;
    tensors_size_keywords = Py_BuildValue("(ss)", "size", "dtype");
    tensors_dtype_keyword = all && tensors_size_keywords ? PyTuple_Pack(1, tensors_dtype_name) : NULL;
    return tensors_dtype_keyword;
}

PyObject *tensors_know(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 5 || !PyType_Check(arguments[0]) || !PyTuple_Check(arguments[4])) {
        PyErr_SetString(PyExc_TypeError, "know_tensors(type, empty_like, empty, stream, tracing)");
        return NULL;
    }
    if (!make_names())
        return NULL;
    PyObject *const stream = arguments[3] == Py_None ? NULL : arguments[3];
    const struct exchange *const exchange = stream ? NULL : find_exchange(arguments[0]);
    PyTypeObject *const type = (PyTypeObject *)arguments[0];
    if ((!exchange && !stream) || known_count == MOST_TYPES || tensors_of(type))
        Py_RETURN_FALSE;
    if (exchange && !forward_mode) {
        PyObject *modules = PySys_GetObject("modules"); /* borrowed */
        forward_mode = modules ? Py_XNewRef(PyDict_GetItemString(modules, "torch.autograd.forward_ad")) : NULL;
    }
    known[known_count++] = (struct tensors){(PyTypeObject *)Py_NewRef(arguments[0]), exchange, Py_NewRef(arguments[1]),
                                            Py_NewRef(arguments[2]), Py_XNewRef(stream), Py_NewRef(arguments[4])};
    Py_RETURN_TRUE;
}

PyObject *tensors_forget(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    for (int i = 0; i <= ON_HOST; i++) {
        PyObject *const object = devices[i].object;
        devices[i] = (struct device){0};
        Py_XDECREF(object);
    }
    Py_CLEAR(host);
    Py_RETURN_NONE;
}

/* ---- looking at one ---- */

static uint32_t type_number(struct exchange_element element)
{
    return (uint32_t)element.code << 8 | element.bits;
}

static const struct {
    uint8_t code, bits;
    gpucc_dtype dtype;
} types[] = {
    {EXCHANGE_FLOAT, 32, GPUCC_FLOAT32},      {EXCHANGE_FLOAT, 64, GPUCC_FLOAT64},
    {EXCHANGE_FLOAT, 16, GPUCC_FLOAT16},      {EXCHANGE_BFLOAT, 16, GPUCC_BFLOAT16},
    {EXCHANGE_INT, 64, GPUCC_INT64},          {EXCHANGE_INT, 32, GPUCC_INT32},
    {EXCHANGE_INT, 16, GPUCC_INT16},          {EXCHANGE_INT, 8, GPUCC_INT8},
    {EXCHANGE_UINT, 64, GPUCC_UINT64},        {EXCHANGE_UINT, 32, GPUCC_UINT32},
    {EXCHANGE_UINT, 16, GPUCC_UINT16},        {EXCHANGE_UINT, 8, GPUCC_UINT8},
    {EXCHANGE_COMPLEX, 64, GPUCC_COMPLEX64},  {EXCHANGE_COMPLEX, 128, GPUCC_COMPLEX128},
    {EXCHANGE_BOOL, 8, GPUCC_BOOLEAN},
    {EXCHANGE_E4M3, 8, GPUCC_FLOAT8_E4M3FN},    {EXCHANGE_E5M2, 8, GPUCC_FLOAT8_E5M2},
};
enum { TYPES = sizeof types / sizeof *types };

static gpucc_dtype find_dtype(struct exchange_element element)
{
    for (int i = 0; element.lanes == 1 && i < TYPES; i++)
        if (types[i].code == element.code && types[i].bits == element.bits)
            return types[i].dtype;
    return GPUCC_DTYPE_COUNT;
}

/* Its code is 255 where DLPack has no such type. */
static struct exchange_element element_for(gpucc_dtype dtype)
{
    for (int i = 0; i < TYPES; i++)
        if (types[i].dtype == dtype)
            return (struct exchange_element){types[i].code, types[i].bits, 1};
    return (struct exchange_element){255, 0, 0};
}

static bool is_complex(gpucc_dtype dtype)
{
    return dtype == GPUCC_COMPLEX64 || dtype == GPUCC_COMPLEX128;
}

/* Whether a method without arguments gives False. */
static bool is_false(PyObject *x, PyObject *method)
{
    PyObject *said = PyObject_VectorcallMethod(method, &x, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_XDECREF(said);
    return said == Py_False;
}

/* The start and stride of each dimension, and whether that leaves no gaps. */
static void set_extents(const struct exchange_tensor *tensor, struct view *view)
{
    const int64_t size = (int64_t)gpucc_dtype_size(view->dtype);
    int64_t step = 1;
    view->packed = true;
    for (int d = tensor->ndim - 1; d >= 0; d--) {
        const int64_t stride = tensor->strides ? tensor->strides[d] : step;
        view->shape[d] = tensor->shape[d];
        view->strides[d] = stride * size;
        view->packed &= stride == step || view->shape[d] == 1;
        step *= view->shape[d];
    }
}

static bool is_empty(const struct view *view)
{
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] == 0)
            return true;
    return false;
}

/* ---- CuPy's, by their attributes ---- */

/* An attribute that is an integer; false with an exception. */
static bool read_number(PyObject *x, PyObject *name, int64_t *value)
{
    PyObject *number = PyObject_GetAttr(x, name);
    *value = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
    return number && !PyErr_Occurred();
}

/* An attribute that is a tuple of integers, as many as fit; returns their count, or -1. */
static int read_extents(PyObject *x, PyObject *name, int64_t *values)
{
    PyObject *tuple = PyObject_GetAttr(x, name);
    const Py_ssize_t count = tuple && PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
    for (Py_ssize_t d = 0; count <= MOST_DIMS && d < count; d++)
        values[d] = PyLong_AsLongLong(PyTuple_GetItem(tuple, d));
    Py_XDECREF(tuple);
    return count > MOST_DIMS || PyErr_Occurred() ? -1 : (int)count;
}

/* The element that a dtype of NumPy's stands for, which is one object for each; code 255 where there is none. */
static struct exchange_element element_of(PyObject *x)
{
    static struct { PyObject *dtype; struct exchange_element element; } met[16];
    enum { MOST = sizeof met / sizeof *met };
    struct exchange_element found = {255, 0, 0};
    PyObject *dtype = PyObject_GetAttr(x, tensors_dtype_name);
    int i = 0;
    while (dtype && i < MOST && met[i].dtype && met[i].dtype != dtype)
        i++;
    if (dtype && i < MOST && met[i].dtype) {
        found = met[i].element;
    } else if (dtype) {
        gpucc_dtype code = GPUCC_DTYPE_COUNT;
        PyObject *number = PyObject_CallFunctionObjArgs(package.code_of, dtype, NULL);
        if (number)
            code = (gpucc_dtype)PyLong_AsLong(number);
        Py_XDECREF(number);
        found = element_for(code);
        if (found.code != 255 && i < MOST && !PyErr_Occurred()) {
            met[i].dtype = Py_NewRef(dtype);
            met[i].element = found;
        }
    }
    Py_XDECREF(dtype);
    return found;
}

/* False with or without an exception. */
static bool describe_array(PyObject *x, struct exchange_tensor *tensor, int64_t *shape, int64_t *strides)
{
    int64_t address, device;
    PyObject *memory = PyObject_GetAttr(x, data_name);
    const bool read = memory && read_number(memory, ptr_name, &address) && read_number(memory, device_name, &device);
    Py_XDECREF(memory);
    if (!read)
        return false;
    const int ndim = read_extents(x, shape_name, shape);
    if (ndim < 0 || read_extents(x, strides_name, strides) != ndim)
        return false;
    const struct exchange_element element = element_of(x);
    if (element.code == 255)
        return false;
    for (int d = 0; d < ndim; d++) {
        if (strides[d] % (element.bits / 8))
            return false;
        strides[d] /= element.bits / 8;
    }
    *tensor = (struct exchange_tensor){.data = (void *)(uintptr_t)address, .device_type = EXCHANGE_CUDA,
                                       .device_id = (int32_t)device, .ndim = ndim, .element = element,
                                       .shape = shape, .strides = strides};
    return true;
}

/* False, without an exception, where the tensor is none for here. */
bool tensors_read(const struct tensors *kind, PyObject *x, struct view *view)
{
    struct exchange_tensor tensor = {0};
    int64_t shape[MOST_DIMS], strides[MOST_DIMS];
    if (Py_TYPE(x) != kind->type)
        return false;
    if (kind->exchange ? kind->exchange->describe(x, &tensor) != 0 : !describe_array(x, &tensor, shape, strides)) {
        forget_error();
        return false;
    }
    const bool on_host = tensor.device_type == EXCHANGE_CPU;
    if ((!on_host && tensor.device_type != EXCHANGE_CUDA) || tensor.device_id < 0 || tensor.device_id >= ON_HOST ||
        tensor.ndim > MOST_DIMS)
        return false;
    view->dtype = find_dtype(tensor.element);
    if (view->dtype == GPUCC_DTYPE_COUNT)
        return false;
    view->data = (char *)tensor.data + tensor.byte_offset;
    view->type = type_number(tensor.element);
    view->device = on_host ? ON_HOST : tensor.device_id;
    view->ndim = tensor.ndim;
    set_extents(&tensor, view);
    return tensor.data || is_empty(view); /* else its elements are elsewhere */
}

/* The library's current stream, null on the host; false with an exception. */
static bool current_stream(const struct tensors *kind, int device, void **stream)
{
    *stream = NULL;
    if (device == ON_HOST)
        return true;
    if (kind->exchange)
        return kind->exchange->current_stream(EXCHANGE_CUDA, device, stream) == 0;
    int64_t number;
    PyObject *current = PyObject_CallNoArgs(kind->stream);
    const bool read = current && read_number(current, ptr_name, &number);
    *stream = read ? (void *)(uintptr_t)number : NULL;
    Py_XDECREF(current);
    return read;
}

bool tensors_same_extents(const int64_t *a, const int64_t *b, int ndim)
{
    for (int d = 0; d < ndim; d++)
        if (a[d] != b[d])
            return false;
    return true;
}

/* A number of Python's stands beside tensors as a view of NUMBER dimensions, whose first extent has its bits. */
enum { NUMBER = -1, TYPE_INTEGER = 1 << 16, TYPE_REAL };

/* False, without an exception, where it is none, or not of 64 bits. */
static bool view_number(PyObject *x, struct view *view)
{
    if (PyFloat_CheckExact(x)) {
        const double real = PyFloat_AsDouble(x);
        memcpy(view->shape, &real, sizeof real);
        view->type = TYPE_REAL;
        view->dtype = GPUCC_FLOAT64;
    } else if (PyLong_CheckExact(x)) {
        int overflow;
        view->shape[0] = PyLong_AsLongLongAndOverflow(x, &overflow);
        if (overflow)
            return false;
        view->type = TYPE_INTEGER;
        view->dtype = GPUCC_INT64;
    } else {
        return false;
    }
    view->data = NULL;
    view->ndim = NUMBER;
    return true;
}

static bool same_view(const struct view *a, const struct view *b)
{
    if (a->ndim == NUMBER && b->ndim == NUMBER)
        return a->type == b->type && a->shape[0] == b->shape[0];
    return a->data == b->data && a->type == b->type && a->dtype == b->dtype && a->ndim == b->ndim &&
           tensors_same_extents(a->shape, b->shape, a->ndim) && tensors_same_extents(a->strides, b->strides, a->ndim);
}

/* Whether tensors may have tangents, which no attribute of theirs says. */
static bool is_forward_mode(void)
{
    PyObject *level = forward_mode ? PyObject_GetAttr(forward_mode, current_level) : NULL;
    const bool active = level && PyLong_AsLong(level) >= 0;
    Py_XDECREF(level);
    return active;
}

/* Whether nobody wants derivatives of it. */
static bool is_constant(const struct tensors *kind, PyObject *x)
{
    if (!kind->exchange)
        return true;
    PyObject *gradient = PyObject_GetAttr(x, requires_grad);
    Py_XDECREF(gradient);
    return gradient == Py_False && !is_forward_mode();
}

/* Whether the memory has the elements themselves, and not their conjugates or negatives. */
static bool is_as_written(const struct tensors *kind, PyObject *x, const struct view *view)
{
    return !kind->exchange || ((!is_complex(view->dtype) || is_false(x, is_conj)) && is_false(x, is_neg));
}

bool tensors_view(const struct tensors *kind, PyObject *x, struct view *view)
{
    const bool viewed = tensors_read(kind, x, view) && is_constant(kind, x) && is_as_written(kind, x, view);
    forget_error();
    return viewed;
}

/* ---- operands ---- */

static void unwrap(struct operand *operand)
{
    gpucc_array_release(operand->array);
    operand->array = NULL;
}

void tensors_end(struct operands *operands)
{
    if (!operands)
        return;
    for (int i = 0; i <= MOST_INPUTS; i++)
        Py_CLEAR(operands->each[i].seen);
    Py_BEGIN_ALLOW_THREADS
    for (int i = 0; i <= MOST_INPUTS; i++)
        unwrap(&operands->each[i]);
    Py_END_ALLOW_THREADS
    PyMem_Free(operands);
}

/* The operands of the last call, if no other call holds them; or new ones. */
struct operands *tensors_acquire(struct operands **place)
{
    struct operands *operands = *place;
    *place = NULL;
    return operands ? operands : PyMem_Calloc(1, sizeof *operands);
}

void tensors_put(struct operands **place, struct operands *operands)
{
    struct operands *const other = *place;
    *place = operands;
    tensors_end(other);
}

/* Whether it is the object that was last looked at, and still lives. */
static bool is_seen(const struct operand *operand, PyObject *x)
{
    return operand->seen && PyWeakref_GetObject(operand->seen) == x;
}

static void see(struct operand *operand, PyObject *x)
{
    PyObject *const before = operand->seen;
    operand->seen = PyWeakref_NewRef(x, NULL);
    if (!operand->seen)
        forget_error();
    Py_XDECREF(before);
}

void tensors_set_view(struct operand *operand, const struct view *view)
{
    if (operand->array && !same_view(&operand->view, view)) {
        Py_BEGIN_ALLOW_THREADS
        unwrap(operand);
        Py_END_ALLOW_THREADS
    }
    operand->view = *view;
}

/* Whether a tensor is one that calls take as it is.  That its elements are as written is asked once of each object, and
 * every time where they may be parts of complex numbers. */
bool tensors_import(const struct tensors *kind, PyObject *x, struct operand *operand)
{
    struct view view;
    if (!tensors_read(kind, x, &view) || !is_constant(kind, x)) {
        forget_error();
        return false;
    }
    const bool seen = is_seen(operand, x);
    if ((!seen || !view.packed || is_complex(view.dtype)) && !is_as_written(kind, x, &view)) {
        forget_error();
        return false;
    }
    if (!seen)
        see(operand, x);
    tensors_set_view(operand, &view);
    return true;
}

bool tensors_import_output(const struct tensors *kind, PyObject *x, bool is_given, struct operand *operand)
{
    struct view view;
    if (is_given)
        return tensors_import(kind, x, operand);
    if (!tensors_read(kind, x, &view))
        return false;
    tensors_set_view(operand, &view);
    return true;
}

/* A number beside a tensor of this device. */
static bool import_number(PyObject *x, int device, struct operand *operand)
{
    struct view view;
    if (!view_number(x, &view))
        return false;
    view.device = device;
    tensors_set_view(operand, &view);
    return true;
}

/* ---- room for results ---- */

static bool is_for(const struct calls *self, const struct tensors *kind, const struct room *room,
                   const struct operand *inputs)
{
    if (room->kind != kind)
        return false;
    for (int i = 0; i < self->inputs; i++)
        if (room->inputs[i] != inputs[i].view.type)
            return false;
    return room->dtype;
}

static bool are_alike(const struct operand *inputs, int count)
{
    const struct view *const first = &inputs[0].view;
    for (int i = 0; i < count; i++) {
        const struct view *const view = &inputs[i].view;
        if (view->ndim == NUMBER)
            continue;
        if (!view->packed || view->ndim != first->ndim || !tensors_same_extents(view->shape, first->shape, first->ndim))
            return false;
    }
    return true;
}

/* A new tensor of the library's for what a function of elements makes of inputs of one shape that lie packed, of which
 * the first is `like`; null, without an exception, where its type is not known, or it is more than that. */
static PyObject *allocate_output(const struct calls *self, const struct tensors *kind, PyObject *like,
                                 const struct operand *inputs)
{
    if (!self->by_element || !are_alike(inputs, self->inputs))
        return NULL;
    for (int i = 0; i < MOST_ROOMS; i++) {
        if (!is_for(self, kind, &self->rooms[i], inputs))
            continue;
        PyObject *const arguments[] = {like, self->rooms[i].dtype};
        PyObject *made = PyObject_Vectorcall(kind->empty_like, arguments, 1, tensors_dtype_keyword);
        if (!made)
            forget_error();
        return made;
    }
    return NULL;
}

void tensors_learn(struct calls *self, const struct tensors *kind, PyObject *const *inputs, PyObject *result)
{
    struct operand looked[MOST_INPUTS];
    if (!self->by_element || Py_TYPE(result) != kind->type)
        return;
    for (int i = 0; i < self->inputs; i++)
        if (!tensors_read(kind, inputs[i], &looked[i].view) && !view_number(inputs[i], &looked[i].view))
            return;
    for (int i = 0; i < MOST_ROOMS; i++)
        if (is_for(self, kind, &self->rooms[i], looked))
            return;
    PyObject *dtype = PyObject_GetAttr(result, tensors_dtype_name);
    if (!dtype) {
        forget_error();
        return;
    }
    struct room *const room = &self->rooms[self->next_room++ % MOST_ROOMS];
    PyObject *const before = room->dtype;
    for (int i = 0; i < self->inputs; i++)
        room->inputs[i] = looked[i].view.type;
    room->dtype = dtype;
    room->kind = kind;
    Py_XDECREF(before);
}

/* ---- calls ---- */

static void *address_of(PyObject *x, const char *attribute)
{
    PyObject *number = PyObject_GetAttrString(x, attribute);
    void *const address = number ? PyLong_AsVoidPtr(number) : NULL;
    Py_XDECREF(number);
    return address;
}

/* Null, without an exception, where the package has no context for it. */
static struct device *find_device(int number)
{
    struct device *const device = &devices[number];
    if (device->object)
        return device;
    const bool on_host = number == ON_HOST;
    PyObject *name = on_host ? PyUnicode_FromString("cpu") : PyUnicode_FromFormat("cuda:%d", number);
    PyObject *context = PyObject_CallFunction(package.context, "N", name);
    if (context) {
        struct device made = {context, address_of(context, "handle"), NULL};
        made.gate = made.context && !on_host ? address_of(context, "gate") : NULL;
        if (made.context && (made.gate || on_host) && !device->object) {
            *device = made;
            return device;
        }
        Py_DECREF(context);
    }
    forget_error();
    return device->object ? device : NULL;
}

PyObject *tensors_host(void)
{
    if (!host) {
        PyObject *made = PyObject_CallFunction(package.context, "s", "cpu");
        if (host)
            Py_XDECREF(made);
        else if ((host = made))
            host_context = address_of(host, "handle");
    }
    return host;
}

gpucc_context *tensors_host_context(void)
{
    return host_context;
}

bool tensors_place(const struct tensors *kind, int number, struct device *device, void **stream)
{
    const struct device *const found = find_device(number);
    if (found && current_stream(kind, number, stream)) {
        *device = *found;
        return true;
    }
    forget_error();
    return false;
}

/* CUDA's legacy default stream, 0 or 1, keeps order with the runtime's by itself. */
static bool is_default_stream(const void *stream)
{
    return (uintptr_t)stream <= 1;
}

/* Orders later work after the stream's present work. */
gpucc_status tensors_follow(const struct device *device, void *stream)
{
    if (is_default_stream(stream))
        return GPUCC_OK;
    const gpucc_wrap_options options = {.size = sizeof options, .cuda_stream = stream};
    const int64_t none[1] = {0};
    gpucc_array *made = NULL;
    const gpucc_status status = gpucc_array_wrap_with(device->context, GPUCC_BOOLEAN, 0, none, NULL,
                                                      gpucc_array_data(device->gate), GPUCC_MEMORY_DEVICE, &options,
                                                      &made);
    gpucc_array_release(made);
    return status;
}

/* Orders the stream's later work after all that is enqueued. */
gpucc_status tensors_lead(const struct device *device, void *stream)
{
    if (is_default_stream(stream))
        return GPUCC_OK;
    const gpucc_export_options options = {.size = sizeof options, .cuda_stream = stream};
    struct DLManagedTensorVersioned *tensor = NULL;
    const gpucc_status status = gpucc_array_to_dlpack(device->gate, &options, &tensor);
    if (!status)
        ((struct exchange_managed *)tensor)->deleter((struct exchange_managed *)tensor);
    return status;
}

/* Orders the stream behind a new result, and exports it; a failure before is returned. */
static gpucc_status export_result(gpucc_array *array, const struct device *device, void *stream, gpucc_status status,
                                  struct exchange_managed **made)
{
    const gpucc_export_options options = {.size = sizeof options,
                                          .cuda_stream = stream || !device->gate ? stream : (void *)1};
    struct DLManagedTensorVersioned *tensor = NULL;
    if (!status)
        status = gpucc_array_to_dlpack(array, &options, &tensor);
    gpucc_array_release(array);
    *made = (struct exchange_managed *)tensor;
    return status;
}

void tensors_enter(struct operands *operands, gpucc_context *context)
{
    for (int i = 0; i <= MOST_INPUTS && operands->context != context; i++)
        unwrap(&operands->each[i]);
    operands->context = context;
}

gpucc_array *tensors_wrap(const struct operands *operands, struct operand *operand)
{
    const struct view *const view = &operand->view;
    if (!operand->array &&
        (view->ndim == NUMBER
             ? gpucc_array_number(operands->context, view->dtype, view->shape, &operand->array)
             : gpucc_array_wrap_with(operands->context, view->dtype, view->ndim, view->shape, view->strides, view->data,
                                     GPUCC_MEMORY_DEVICE, NULL, &operand->array)))
        return NULL;
    return operand->array;
}

/* Wraps what is not, and calls, or folds where there is a request.  False where an operand cannot be wrapped: nothing
 * has been done then. */
static bool run(gpucc_ufunc *handle, const struct device *device, void *stream, struct operands *operands, int inputs,
                const struct fold_request *request, struct exchange_managed **made, gpucc_status *status)
{
    gpucc_array *arrays[MOST_INPUTS + 1];
    tensors_enter(operands, device->context);
    for (int i = 0; i < inputs + !made; i++)
        if (!(arrays[i] = tensors_wrap(operands, &operands->each[i])))
            return false;
    if (made)
        arrays[inputs] = NULL;
    *status = tensors_follow(device, stream);
    if (*status)
        return true;
    *status = request ? fold_run(handle, arrays, request)
                      : gpucc_ufunc_call(handle, (const gpucc_array *const *)arrays, &arrays[inputs], NULL);
    if (made && arrays[inputs]) {
        *status = export_result(arrays[inputs], device, stream, *status, made);
        return true;
    }
    const gpucc_status led = tensors_lead(device, stream);
    *status = *status ? *status : led;
    return true;
}

bool tensors_run(struct calls *self, const struct tensors *kind, struct operands *operands, int inputs,
                 const struct fold_request *request, struct exchange_managed **made, gpucc_status *status)
{
    const int number = operands->each[0].view.device;
    struct device device; /* a copy: another thread may fork, and forget it */
    void *stream = NULL;
    bool done;
    if (!tensors_place(kind, number, &device, &stream))
        return false;
    gpucc_ufunc *const handle = calls_handle(self, device.object);
    if (!handle) {
        forget_error();
        return false;
    }
    Py_BEGIN_ALLOW_THREADS
    done = run(handle, &device, stream, operands, inputs, request, made, status);
    Py_END_ALLOW_THREADS
    return done;
}

bool tensors_are_imported(const struct tensors *kind)
{
    return kind->exchange && kind->exchange->import_managed;
}

PyObject *tensors_object(const struct tensors *kind, struct exchange_managed *made)
{
    void *object = NULL;
    return kind->exchange->import_managed(made, &object) == 0 ? object : NULL;
}

bool tensors_import_all(const struct tensors *kind, PyObject *const *inputs, int count, int tensors,
                        struct operands *operands)
{
    struct operand *const each = operands->each;
    for (int i = 0; i < count; i++)
        if (!(i >= tensors && import_number(inputs[i], each[0].view.device, &each[i])) &&
            (!tensors_import(kind, inputs[i], &each[i]) || each[i].view.device != each[0].view.device))
            return false;
    return true;
}

/* A result whose shape or type is not known before the call: in memory of the runtime's. */
static PyObject *call_for_new(struct calls *self, const struct tensors *kind, struct operands *operands,
                              PyObject *const *inputs, gpucc_status *status)
{
    struct exchange_managed *made = NULL;
    const bool has_room = self->by_element && are_alike(operands->each, self->inputs);
    if ((has_room && operands->each[0].view.device != ON_HOST) || !tensors_are_imported(kind))
        return NULL; /* there will be room in the library's own memory */
    if (!tensors_run(self, kind, operands, self->inputs, NULL, &made, status) || !made)
        return NULL;
    PyObject *const object = tensors_object(kind, made);
    if (object && has_room)
        tensors_learn(self, kind, inputs, object);
    return object;
}

/* The result; null, without an exception and with `*status` 0, where the call is not for here. */
static PyObject *call_and_return(struct calls *self, const struct tensors *kind, struct operands *operands,
                                 PyObject *const *inputs, PyObject *out, gpucc_status *status)
{
    struct operand *const each = operands->each, *const last = &each[self->inputs];
    if (!tensors_import_all(kind, inputs, self->inputs, 1, operands))
        return NULL;
    const bool is_given = out != NULL;
    out = is_given ? Py_NewRef(out) : allocate_output(self, kind, inputs[0], each);
    if (!out)
        return call_for_new(self, kind, operands, inputs, status);
    if (tensors_import_output(kind, out, is_given, last) && last->view.device == each[0].view.device &&
        tensors_run(self, kind, operands, self->inputs, NULL, NULL, status) && !*status)
        return out;
    Py_DECREF(out);
    return NULL;
}

bool tensors_call(struct calls *self, const struct tensors *kind, PyObject *const *inputs, PyObject *out,
                  PyObject **result)
{
    gpucc_status status = GPUCC_OK;
    struct operands *operands = tensors_acquire(&self->operands);
    if (!operands)
        return false;
    *result = call_and_return(self, kind, operands, inputs, out, &status);
    if (status)
        *result = raise_failure(status); /* before other calls of the runtime's */
    tensors_put(&self->operands, operands);
    return *result || status || PyErr_Occurred();
}
