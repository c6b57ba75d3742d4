/* Methods of ufuncs on tensors, and fused reductions of them. */
#include "tensors.h"

/* A new tensor of the library's for what a fold makes of these inputs; null where its type is not known. */
static PyObject *make_fold_room(const struct fold *fold, const struct tensors *kind, const struct view *first,
                                const struct fold_request *request)
{
    if (!fold->dtype || fold->kind != kind || fold->input != first->type)
        return NULL;
    if (request->method == METHOD_ACCUMULATE) {
        PyObject *const arguments[] = {request->inputs[0], fold->dtype};
        return PyObject_Vectorcall(kind->empty_like, arguments, 1, tensors_dtype_keyword);
    }
    const int axis = request->axis < 0 ? request->axis + first->ndim : request->axis;
    if (!request->all_axes && (axis < 0 || axis >= first->ndim))
        return NULL;
    PyObject *shape = PyTuple_New(request->all_axes ? 0 : first->ndim - 1);
    for (int d = 0, k = 0; shape && !request->all_axes && d < first->ndim; d++)
        if (d != axis)
            PyTuple_SetItem(shape, k++, PyLong_FromLongLong(first->shape[d]));
    PyObject *const arguments[] = {request->inputs[0], shape, fold->dtype};
    PyObject *made = shape ? PyObject_Vectorcall(kind->empty, arguments, 1, tensors_size_keywords) : NULL;
    Py_XDECREF(shape);
    return made;
}

/* Whether the inputs' shapes are one, so that the output's follows from the first. */
static bool have_one_shape(const struct operand *inputs, int count)
{
    const struct view *const first = &inputs[0].view;
    for (int i = 1; i < count; i++)
        if (inputs[i].view.ndim != first->ndim || inputs[i].view.type != first->type ||
            !tensors_same_extents(inputs[i].view.shape, first->shape, first->ndim))
            return false;
    return true;
}

/* How many of the operands are tensors in every call; the others may be numbers. */
static int count_tensors(const struct fold_request *request)
{
    return request->method == METHOD_OUTER ? 1 : request->count < 2 ? request->count : 2;
}

/* Methods whose result has a shape of its own, or none: it is in memory of the runtime's. */
static PyObject *fold_for_new(struct calls *self, const struct tensors *kind, struct operands *operands,
                              const struct fold_request *request, gpucc_status *status)
{
    struct exchange_managed *made = NULL;
    if (!tensors_run(self, kind, operands, request->count, request, &made, status) || *status)
        return NULL;
    if (request->method == METHOD_AT)
        return Py_NewRef(Py_None);
    return made ? tensors_object(kind, made) : NULL;
}

static PyObject *fold_and_return(struct calls *self, const struct tensors *kind, struct operands *operands,
                                 const struct fold_request *request, gpucc_status *status)
{
    struct operand *const each = operands->each, *const last = &each[request->count];
    const bool has_room = request->method <= METHOD_ACCUMULATE || request->method == METHOD_FUSED;
    if (!tensors_import_all(kind, request->inputs, request->count, has_room ? 1 : count_tensors(request), operands) ||
        (has_room && !have_one_shape(each, request->count)))
        return NULL;
    if (!has_room && !request->out && (request->method == METHOD_AT || tensors_are_imported(kind)))
        return fold_for_new(self, kind, operands, request, status);
    PyObject *out = request->out ? Py_NewRef(request->out)
                    : has_room   ? make_fold_room(&self->folds[request->method], kind, &each[0].view, request)
                                 : NULL;
    if (out && tensors_import_output(kind, out, request->out, last) && last->view.device == each[0].view.device &&
        tensors_run(self, kind, operands, request->count, request, NULL, status) && !*status)
        return out;
    forget_error();
    if (out || each[0].view.device != ON_HOST || !tensors_are_imported(kind) || *status) {
        Py_XDECREF(out);
        return NULL;
    }
    out = fold_for_new(self, kind, operands, request, status);
    if (out)
        tensors_learn_fold(self, kind, request, out);
    return out;
}

bool tensors_fold(struct calls *self, const struct tensors *kind, const struct fold_request *request, PyObject **result)
{
    gpucc_status status = GPUCC_OK;
    struct operands **const place = &self->folds[request->method].operands;
    struct operands *operands = tensors_acquire(place);
    if (!operands)
        return false;
    *result = fold_and_return(self, kind, operands, request, &status);
    if (status)
        *result = raise_failure(status); /* before other calls of the runtime's */
    tensors_put(place, operands);
    return *result || status || PyErr_Occurred();
}

void tensors_learn_fold(struct calls *self, const struct tensors *kind, const struct fold_request *request,
                        PyObject *result)
{
    struct fold *const fold = &self->folds[request->method];
    struct view view;
    if (request->out || Py_TYPE(result) != kind->type || !tensors_read(kind, request->inputs[0], &view))
        return;
    PyObject *const before = fold->dtype;
    fold->dtype = PyObject_GetAttr(result, tensors_dtype_name);
    fold->input = view.type;
    fold->kind = kind;
    if (!fold->dtype)
        forget_error();
    Py_XDECREF(before);
}
