/* Calls of ufuncs: what gpucc.Ufunc begins with. */
#include "extension.h"
#include <stddef.h>
#include <string.h>

gpucc_ufunc *calls_handle(struct calls *self, PyObject *context)
{
    if (self->context == context)
        return self->handle;
    PyObject *number = PyObject_CallMethod((PyObject *)self, "_handle", "O", context);
    if (!number)
        return NULL;
    gpucc_ufunc *const handle = PyLong_AsVoidPtr(number);
    Py_DECREF(number);
    if (!handle && PyErr_Occurred())
        return NULL;
    PyObject *const before = self->context;
    self->context = Py_NewRef(context);
    self->handle = handle;
    Py_XDECREF(before);
    return handle;
}

/* Any call: by the package's Python. */
static PyObject *call_anywhere(struct calls *self, PyObject *const *arguments, size_t count, PyObject *names)
{
    PyObject *method = PyObject_GetAttrString((PyObject *)self, "_anywhere");
    if (!method)
        return NULL;
    PyObject *result = PyObject_Vectorcall(method, arguments, count, names);
    Py_DECREF(method);
    return result;
}

/* Whether it is a scalar of NumPy's, and not of a subclass, which may have its own ways. */
static bool is_scalar(PyObject *x)
{
    const Py_ssize_t count = PyObject_TypeCheck(x, (PyTypeObject *)package.generic) ? PyTuple_Size(package.scalars) : 0;
    for (Py_ssize_t i = 0; i < count; i++)
        if (PyTuple_GetItem(package.scalars, i) == (PyObject *)Py_TYPE(x))
            return true;
    return false;
}

bool is_numpys(PyObject *x)
{
    const PyTypeObject *const type = Py_TYPE(x);
    return (PyObject *)type == package.ndarray || type == &PyFloat_Type || type == &PyLong_Type ||
           type == &PyComplex_Type || type == &PyBool_Type || x == Py_None || is_scalar(x);
}

/* Whether it is an array with dimensions. */
static bool has_dimensions(PyObject *x)
{
    const bool found = (PyObject *)Py_TYPE(x) == package.ndarray && PyObject_Size(x) >= 0;
    forget_error();
    return found;
}

static bool all_numpys(const struct calls *self, PyObject *const *arguments)
{
    const bool by_values = self->has_wide_first == BY_VALUES;
    for (int i = 0; i < self->inputs; i++)
        if (by_values ? !has_dimensions(arguments[i]) : !is_numpys(arguments[i]))
            return false;
    return true;
}

/* ---- functions that list a wide type before a narrow one ---- */

/* A Python number has the type that the package's Python gives it beside operands of these types. */
static bool has_python_number(const struct calls *self, PyObject *const *arguments)
{
    for (int i = 0; i < self->inputs; i++)
        if (PyFloat_CheckExact(arguments[i]) || PyLong_CheckExact(arguments[i]) || PyComplex_CheckExact(arguments[i]))
            return true;
    return false;
}

/* An array's dtype, and what else is not an array is known by its type; null with an exception. */
static PyObject *type_of(PyObject *x)
{
    return (PyObject *)Py_TYPE(x) == package.ndarray ? PyObject_GetAttrString(x, "dtype")
                                                     : Py_NewRef((PyObject *)Py_TYPE(x));
}

/* The types that these operands get, or null where they are not known yet. */
static const struct typing *find_typing(const struct calls *self, PyObject *const *types)
{
    const size_t size = (size_t)self->inputs * sizeof *types;
    for (int i = 0; i < MOST_TYPINGS; i++)
        if (self->typings[i].given[0] && memcmp(self->typings[i].given, types, size) == 0)
            return &self->typings[i];
    return NULL;
}

static void clear_typing(struct typing *typing)
{
    for (int i = 0; i < MOST_INPUTS; i++) {
        Py_CLEAR(typing->given[i]);
        Py_CLEAR(typing->taken[i]);
    }
}

/* Asks the package's Python, and keeps what it says. */
static void learn_typing(struct calls *self, PyObject *const *arguments, PyObject *const *types)
{
    PyObject *operands = PyTuple_New(self->inputs);
    for (int i = 0; operands && i < self->inputs; i++)
        PyTuple_SetItem(operands, i, Py_NewRef(arguments[i]));
    PyObject *typed = operands ? PyObject_CallMethod((PyObject *)self, "_with_types", "(O)", operands) : NULL;
    if (typed && PyTuple_Size(typed) == self->inputs) {
        struct typing *const typing = &self->typings[self->next_typing];
        self->next_typing = (self->next_typing + 1) % MOST_TYPINGS;
        clear_typing(typing);
        for (int i = 0; i < self->inputs; i++) {
            PyObject *const x = PyTuple_GetItem(typed, i);
            typing->given[i] = Py_NewRef(types[i]);
            typing->taken[i] = x == arguments[i] ? NULL : Py_NewRef((PyObject *)Py_TYPE(x));
        }
    }
    Py_XDECREF(typed);
    Py_XDECREF(operands);
}

/* Converts the operands, as new references.  False with or without an exception: where Python's code is to do it. */
static bool convert_numbers(struct calls *self, PyObject *const *arguments, PyObject **operands)
{
    PyObject *types[MOST_INPUTS] = {NULL}, *taken[MOST_INPUTS] = {NULL};
    const struct typing *found = NULL;
    bool are_known = true;
    for (int i = 0; i < self->inputs && are_known; i++) {
        int is_large = 0;
        if (PyLong_CheckExact(arguments[i]))
            (void)PyLong_AsLongLongAndOverflow(arguments[i], &is_large);
        are_known = !is_large && (types[i] = type_of(arguments[i])) != NULL;
    }
    if (are_known) {
        BEGIN_EXCLUSIVE
        if (!find_typing(self, types))
            learn_typing(self, arguments, types);
        found = find_typing(self, types);
        for (int i = 0; found && i < self->inputs; i++)
            taken[i] = Py_XNewRef(found->taken[i]);
        END_EXCLUSIVE
    }
    int done = 0;
    while (found && done < self->inputs &&
           (operands[done] = taken[done] ? PyObject_CallFunctionObjArgs(taken[done], arguments[done], NULL)
                                         : Py_NewRef(arguments[done])))
        done++;
    for (int i = 0; i < self->inputs; i++) {
        Py_XDECREF(types[i]);
        Py_XDECREF(taken[i]);
    }
    for (int i = done; done < self->inputs && i > 0; i--)
        Py_DECREF(operands[i - 1]);
    return done == self->inputs;
}

/* NumPy's function, with numbers of the loop's types; any error is for Python's code to word. */
static PyObject *call_typed(struct calls *self, PyObject *const *arguments, size_t flagged, PyObject *names,
                            PyObject *out)
{
    PyObject *operands[MOST_INPUTS + 1];
    if (!convert_numbers(self, arguments, operands)) {
        forget_error();
        return call_anywhere(self, arguments, flagged, names);
    }
    operands[self->inputs] = out;
    PyObject *result = PyObject_Vectorcall(self->host, operands, (size_t)self->inputs + (out != NULL), NULL);
    for (int i = 0; i < self->inputs; i++)
        Py_DECREF(operands[i]);
    return result;
}

/* ---- calls ---- */

/* Whether all are the package's own arrays in one context. */
static bool all_ours(const struct calls *self, PyObject *const *inputs, PyObject *out)
{
    PyObject *const context = ((struct array_object *)inputs[0])->context;
    for (int i = 1; i < self->inputs; i++)
        if ((PyObject *)Py_TYPE(inputs[i]) != package.array || ((struct array_object *)inputs[i])->context != context)
            return false;
    return !out || ((PyObject *)Py_TYPE(out) == package.array && ((struct array_object *)out)->context == context);
}

static PyObject *call_on_ours(struct calls *self, PyObject *const *inputs, PyObject *out)
{
    PyObject *const context = ((struct array_object *)inputs[0])->context;
    const gpucc_array *arrays[MOST_INPUTS];
    gpucc_array *made = out ? ((struct array_object *)out)->handle : NULL;
    gpucc_ufunc *const handle = calls_handle(self, context);
    gpucc_status status;
    if (!handle)
        return NULL;
    for (int i = 0; i < self->inputs; i++)
        arrays[i] = ((struct array_object *)inputs[i])->handle;
    Py_BEGIN_ALLOW_THREADS
    status = gpucc_ufunc_call(handle, arrays, &made, NULL);
    Py_END_ALLOW_THREADS
    if (status)
        return raise_failure(status);
    return out ? Py_NewRef(out) : array_object_new(made, context);
}

/* True without keywords, and with `out` as the only one, which is stored. */
static bool find_out(const struct calls *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names,
                     PyObject **out)
{
    *out = Py_None;
    if (count == self->inputs + 1 && !names)
        *out = arguments[self->inputs];
    else if (count != self->inputs)
        return false;
    else if (names) {
        if (PyTuple_Size(names) != 1 || PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, 0), "out") != 0)
            return false;
        *out = arguments[count];
    }
    if (*out == Py_None)
        *out = NULL;
    return true;
}

/* A call with one output, of operands that are not all NumPy's. */
static PyObject *call_on_device(struct calls *self, PyObject *const *arguments, size_t flagged, PyObject *names,
                                PyObject *out)
{
    PyObject *result = NULL;
    if ((PyObject *)Py_TYPE(arguments[0]) == package.array && all_ours(self, arguments, out))
        return call_on_ours(self, arguments, out);
    const struct tensors *const kind = tensors_for_call(Py_TYPE(arguments[0]));
    if (kind && tensors_call(self, kind, arguments, out, &result))
        return result;
    result = call_anywhere(self, arguments, flagged, names);
    if (kind && !out && result)
        tensors_learn(self, kind, arguments, result);
    return result;
}

static PyObject *calls_call(PyObject *callable, PyObject *const *arguments, size_t flagged, PyObject *names)
{
    struct calls *const self = (struct calls *)callable;
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    PyObject *out = NULL, *result = NULL;
    if (recordings || (!self->is_fused &&
                       (self->inputs > MOST_INPUTS || !find_out(self, arguments, count, names, &out))))
        return call_anywhere(self, arguments, flagged, names);
    if (!self->is_fused && self->host != Py_None && all_numpys(self, arguments) &&
        (!out || (PyObject *)Py_TYPE(out) == package.ndarray))
        return self->has_wide_first && has_python_number(self, arguments)
                   ? call_typed(self, arguments, flagged, names, out)
                   : PyObject_Vectorcall(self->host, arguments, names ? (size_t)count + 1 : flagged, NULL);
    if (!self->is_fused && self->outputs != 1)
        return call_anywhere(self, arguments, flagged, names);
    BEGIN_EXCLUSIVE
    result = self->is_fused ? fused_call(self, arguments, flagged, names)
                            : call_on_device(self, arguments, flagged, names, out);
    END_EXCLUSIVE
    return result;
}

static PyObject *calls_new(PyTypeObject *type, PyObject *arguments, PyObject *names)
{
    (void)arguments, (void)names;
    return callable_new(type, calls_call);
}

static int calls_clear(PyObject *object)
{
    struct calls *const self = (struct calls *)object;
    Py_CLEAR(self->host);
    Py_CLEAR(self->context);
    for (int i = 0; i < MOST_ROOMS; i++)
        Py_CLEAR(self->rooms[i].dtype);
    for (int i = 0; i < MOST_TYPINGS; i++)
        clear_typing(&self->typings[i]);
    for (int i = 0; i < METHODS; i++)
        Py_CLEAR(self->methods[i]);
    for (int i = 0; i <= METHODS; i++)
        Py_CLEAR(self->folds[i].dtype);
    return 0;
}

static int calls_traverse(PyObject *object, visitproc visit, void *arg)
{
    const struct calls *const self = (const struct calls *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->host);
    Py_VISIT(self->context);
    for (int i = 0; i < MOST_ROOMS; i++)
        Py_VISIT(self->rooms[i].dtype);
    for (int i = 0; i < MOST_TYPINGS * MOST_INPUTS; i++) {
        Py_VISIT(self->typings[i / MOST_INPUTS].given[i % MOST_INPUTS]);
        Py_VISIT(self->typings[i / MOST_INPUTS].taken[i % MOST_INPUTS]);
    }
    for (int i = 0; i < METHODS; i++)
        Py_VISIT(self->methods[i]);
    for (int i = 0; i <= METHODS; i++)
        Py_VISIT(self->folds[i].dtype);
    return 0;
}

static void calls_dealloc(PyObject *self)
{
    PyObject_GC_UnTrack(self);
    tensors_end(((struct calls *)self)->operands);
    for (int i = 0; i <= METHODS; i++)
        tensors_end(((struct calls *)self)->folds[i].operands);
    calls_clear(self);
    object_free(self);
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(struct calls, call), Py_READONLY, NULL},
    {"nin", Py_T_INT, offsetof(struct calls, inputs), 0, "how many inputs there are"},
    {"nout", Py_T_INT, offsetof(struct calls, outputs), 0, "how many outputs there are"},
    {"_is_fused", Py_T_INT, offsetof(struct calls, is_fused), 0, NULL},
    {"_has_wide_first", Py_T_INT, offsetof(struct calls, has_wide_first), 0, NULL},
    {"_by_element", Py_T_INT, offsetof(struct calls, by_element), 0, NULL},
    {"_host", Py_T_OBJECT_EX, offsetof(struct calls, host), 0, NULL},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_new, (void *)calls_new},           {Py_tp_dealloc, (void *)calls_dealloc},
    {Py_tp_traverse, (void *)calls_traverse}, {Py_tp_clear, (void *)calls_clear},
    {Py_tp_call, (void *)PyVectorcall_Call},  {Py_tp_members, members},
    {Py_tp_methods, calls_methods},
    {0},
};
PyType_Spec calls_spec = {
    .name = "gpucc._native.Calls",
    .basicsize = sizeof(struct calls),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = slots,
};

/* Fused reductions: the same without methods. */
static PyType_Slot fused_slots[] = {
    {Py_tp_new, (void *)calls_new},           {Py_tp_dealloc, (void *)calls_dealloc},
    {Py_tp_traverse, (void *)calls_traverse}, {Py_tp_clear, (void *)calls_clear},
    {Py_tp_call, (void *)PyVectorcall_Call},  {Py_tp_members, members},
    {0},
};
PyType_Spec fused_spec = {
    .name = "gpucc._native.Fused",
    .basicsize = sizeof(struct calls),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = fused_slots,
};
