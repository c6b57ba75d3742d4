/* Arrays: what gpucc.Array begins with. */
#include "extension.h"
#include <stddef.h>

PyObject *array_object_new(gpucc_array *handle, PyObject *context)
{
    struct array_object *made = (struct array_object *)PyType_GenericAlloc((PyTypeObject *)package.array, 0);
    if (!made) {
        gpucc_array_release(handle);
        return NULL;
    }
    made->handle = handle;
    made->context = Py_NewRef(context);
    made->base = Py_NewRef(Py_None);
    made->capsules = Py_NewRef(Py_None);
    return (PyObject *)made;
}

/* Work within the runtime may log, or wait for other threads that do, which takes the interpreter: so it is let go. */
static void release(gpucc_array *handle)
{
    Py_BEGIN_ALLOW_THREADS
    gpucc_array_release(handle);
    Py_END_ALLOW_THREADS
}

/* Somebody may still hold its capsules, and take their tensors. */
static void leave_capsules(PyObject *capsules)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *done = PyObject_CallFunctionObjArgs(package.leave, capsules, NULL);
    if (!done)
        PyErr_WriteUnraisable(package.leave);
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}

static int array_object_clear(PyObject *object)
{
    struct array_object *const self = (struct array_object *)object;
    Py_CLEAR(self->context);
    Py_CLEAR(self->base);
    Py_CLEAR(self->capsules);
    return 0;
}

static int array_object_traverse(PyObject *object, visitproc visit, void *arg)
{
    const struct array_object *const self = (const struct array_object *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->context);
    Py_VISIT(self->base);
    Py_VISIT(self->capsules);
    return 0;
}

static void array_object_dealloc(PyObject *object)
{
    struct array_object *const self = (struct array_object *)object;
    PyObject_GC_UnTrack(object);
    if (self->capsules && PyObject_IsTrue(self->capsules) == 1) /* neither None nor empty */
        leave_capsules(self->capsules);
    if (self->handle)
        release(self->handle);
    array_object_clear(object);
    object_free(object);
}

static PyObject *get_handle(PyObject *object, void *unused)
{
    const struct array_object *const self = (const struct array_object *)object;
    (void)unused;
    return self->handle ? PyLong_FromVoidPtr(self->handle) : Py_NewRef(Py_None);
}

static int set_handle(PyObject *object, PyObject *value, void *unused)
{
    (void)unused;
    gpucc_array *const handle = !value || value == Py_None ? NULL : PyLong_AsVoidPtr(value);
    if (!handle && PyErr_Occurred())
        return -1;
    ((struct array_object *)object)->handle = handle;
    return 0;
}

static PyGetSetDef properties[] = {
    {"_handle", get_handle, set_handle, "the runtime's array, which goes with this one", NULL},
    {0},
};
static PyMemberDef members[] = {
    {"_context", Py_T_OBJECT_EX, offsetof(struct array_object, context), 0, NULL},
    {"_base", Py_T_OBJECT_EX, offsetof(struct array_object, base), 0, NULL},
    {"_capsules", Py_T_OBJECT_EX, offsetof(struct array_object, capsules), 0, NULL},
    {0},
};
static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)array_object_dealloc}, {Py_tp_traverse, (void *)array_object_traverse},
        {Py_tp_clear, (void *)array_object_clear},
    {Py_tp_getset, properties},            {Py_tp_members, members},                {0},
};
PyType_Spec array_object_spec = {
    .name = "gpucc._native.Held",
    .basicsize = sizeof(struct array_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};
