/* gpucc._native: what the package's Python finds of it. */
#include "extension.h"

struct package package;
atomic_int recordings;
#ifdef Py_GIL_DISABLED
PyObject *exclusive;
#endif

PyObject *raise_failure(gpucc_status status)
{
    PyObject *failure = PyObject_CallFunction(package.failure, "i", (int)status);
    if (failure)
        PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
    Py_XDECREF(failure);
    return NULL;
}

static int raise_kept(void *exception)
{
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF((PyObject *)exception);
    return -1;
}

static PyObject *raised_exception(void)
{
#if PY_VERSION_HEX < 0x030C0000
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Py_XDECREF(type);
    Py_XDECREF(traceback);
    return value;
#else
    return PyErr_GetRaisedException();
#endif
}

void forget_error(void)
{
    PyObject *type = PyErr_Occurred(), *exception;
    if (!type || PyErr_GivenExceptionMatches(type, PyExc_Exception))
        PyErr_Clear();
    else if ((exception = raised_exception()) && Py_AddPendingCall(raise_kept, exception)) {
        Py_DECREF(exception);
        PyErr_SetInterrupt();
    }
}

PyObject *callable_new(PyTypeObject *type, vectorcallfunc call)
{
#if PY_VERSION_HEX < 0x030C0000 /* from 3.12 on subclasses inherit it */
    if (type->tp_call == PyVectorcall_Call)
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
#endif
    struct callable *const made = (struct callable *)PyType_GenericAlloc(type, 0);
    if (made)
        made->call = call;
    return (PyObject *)made;
}

void object_free(PyObject *object)
{
    PyTypeObject *const type = Py_TYPE(object);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *begin(PyObject *module, PyObject *arguments)
{
    struct package given = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOOOOO", &given.ndarray, &given.array, &given.failure, &given.context,
                          &given.leave, &given.generic, &given.code_of, &given.scalars))
        return NULL;
    Py_INCREF(arguments); /* and what it has, for as long as the process lasts */
    package = given;
    Py_RETURN_NONE;
}

static PyObject *record(PyObject *module, PyObject *change)
{
    const long threads = PyLong_AsLong(change);
    (void)module;
    if (threads == -1 && PyErr_Occurred())
        return NULL;
    recordings += (int)threads;
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"begin", begin, METH_VARARGS,
     "begin(ndarray, Array, failure, context, leave_capsules, generic, code_of, scalars)"},
    {"know_tensors", (PyCFunction)(void (*)(void))tensors_know, METH_FASTCALL,
     "know_tensors(type, empty_like, empty, stream, tracing): calls take tensors of this type; False where it lacks "
     "what that takes"},
    {"record", record, METH_O, "record(threads): so many more threads record a graph"},
    {"forget", tensors_forget, METH_NOARGS, "after a fork"},
    {0},
};
static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "gpucc._native",
    .m_doc = "Calls without a step in Python.",
    .m_size = -1,
    .m_methods = functions,
};

/* False with an exception. */
static bool add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    const bool added = type && PyModule_AddObjectRef(module, name, type) == 0;
    Py_XDECREF(type);
    return added;
}

/* False with an exception. */
static bool add_launcher(void)
{
    PyObject *type = PyType_FromSpec(&launcher_spec);
    if (type)
        launches_begin(type);
    return type;
}

/* False with an exception. */
static bool declare_threads(PyObject *module)
{
#ifdef Py_GIL_DISABLED
    exclusive = PyList_New(0);
    return exclusive && PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED) == 0;
#else
    (void)module;
    return true;
#endif
}

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && declare_threads(module) && add_type(module, "Held", &array_object_spec) &&
        add_type(module, "Calls", &calls_spec) && add_type(module, "Fused", &fused_spec) &&
        add_type(module, "Launches", &launches_spec) && add_launcher())
        return module;
    Py_XDECREF(module);
    return NULL;
}
