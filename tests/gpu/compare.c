#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    gpucc_dtype dtype;
    int64_t count;
    char *initial, *gpu, *cpu; /* before the call, and after it */
};

struct run {
    const struct comparison *comparison;
    const char *label;
    int operands;
    int buffer_of[COMPARE_OPERANDS];
    struct buffer buffers[COMPARE_OPERANDS];
};

enum { POISON = 0xa5 };

/* ---- buffers ---- */

struct view view_contiguous(int ndim, const int64_t *shape)
{
    struct view view = {.ndim = ndim};
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        view.shape[d] = shape[d];
        view.steps[d] = step;
        step *= shape[d];
    }
    return view;
}

struct view view_1d(int64_t count)
{
    return view_contiguous(1, &count);
}

static int64_t view_count(const struct view *view)
{
    int64_t count = 1;
    for (int d = 0; d < view->ndim; d++)
        count *= view->shape[d];
    return count;
}

/* One past the last element that the view reaches. */
static int64_t view_end(const struct view *view)
{
    int64_t end = view->offset;
    for (int d = 0; d < view->ndim; d++)
        if (view->steps[d] > 0 && view->shape[d] > 0)
            end += (view->shape[d] - 1) * view->steps[d];
    return end + 1;
}

static void plan_buffers(struct run *run)
{
    const struct comparison *c = run->comparison;
    for (int i = 0; i < run->operands; i++) {
        const struct view *view = &c->views[i];
        int b = run->buffer_of[i] = view->shares ? run->buffer_of[view->shares - 1] : i;
        int64_t end = view_end(view);
        run->buffers[b].dtype = c->dtypes[b];
        if (end > run->buffers[b].count)
            run->buffers[b].count = end;
    }
}

static size_t buffer_size(const struct buffer *buffer)
{
    return (size_t)buffer->count * gpucc_dtype_size(buffer->dtype);
}

static void fill_buffers(struct run *run)
{
    for (int i = 0; i < run->operands; i++) {
        struct buffer *buffer = &run->buffers[i];
        if (buffer->count == 0)
            continue;
        buffer->initial = suite_alloc(buffer_size(buffer));
        buffer->gpu = suite_alloc(buffer_size(buffer));
        buffer->cpu = suite_alloc(buffer_size(buffer));
        if (i < run->comparison->inputs)
            suite_fill(buffer->initial, buffer->dtype, (size_t)buffer->count, run->comparison->seed * 64 + (uint64_t)i);
        else
            memset(buffer->initial, buffer->dtype == GPUCC_BOOLEAN ? 1 : POISON, buffer_size(buffer));
    }
}

static void free_buffers(struct run *run)
{
    for (int i = 0; i < run->operands; i++) {
        free(run->buffers[i].initial);
        free(run->buffers[i].gpu);
        free(run->buffers[i].cpu);
    }
}

/* ---- sizes ---- */

static bool is_contiguous(const struct view *view)
{
    const struct view same = view_contiguous(view->ndim, view->shape);
    return memcmp(same.steps, view->steps, sizeof same.steps) == 0;
}

/* The operand's dimensions, of which the last one is the result's last, become no longer than the result's. */
static void limit_view(struct view *view, int ndim, const int64_t *shape)
{
    const bool stays_contiguous = is_contiguous(view);
    for (int d = 0; d < view->ndim; d++) {
        const int64_t most = shape[d + ndim - view->ndim];
        view->shape[d] = view->shape[d] > most ? most : view->shape[d];
    }
    if (stays_contiguous)
        memcpy(view->steps, view_contiguous(view->ndim, view->shape).steps, sizeof view->steps);
}

static struct comparison limited(const struct comparison *comparison)
{
    struct comparison c = *comparison;
    const struct view result = c.views[c.inputs];
    int64_t shape[COMPARE_DIMS];
    memcpy(shape, result.shape, sizeof shape);
    suite_limit(result.ndim, shape);
    for (int i = 0; i < c.inputs + c.outputs; i++)
        limit_view(&c.views[i], result.ndim, shape);
    return c;
}

/* ---- the call ---- */

static gpucc_array *make_operand(const struct run *run, gpucc_context *context, int i, gpucc_array *const *bases,
                                 char *const *hosts)
{
    const struct view *view = &run->comparison->views[i];
    const struct buffer *buffer = &run->buffers[run->buffer_of[i]];
    int64_t size = (int64_t)gpucc_dtype_size(buffer->dtype), strides[COMPARE_DIMS];
    for (int d = 0; d < view->ndim; d++)
        strides[d] = view->steps[d] * size;
    gpucc_array *array;
    char *host = hosts[run->buffer_of[i]];
    if (view->place == AS_VALUE)
        MUST(gpucc_array_scalar(context, buffer->dtype, buffer->initial, &array));
    else if (view->place == ON_HOST)
        MUST(gpucc_array_wrap(context, buffer->dtype, view->ndim, view->shape, strides, host + view->offset * size,
                              GPUCC_MEMORY_HOST, &array));
    else
        MUST(gpucc_array_view(bases[run->buffer_of[i]], view->ndim, view->shape, strides, view->offset * size, &array));
    return array;
}

/* Copies outputs that the call allocated to the places of the views. */
static void read_made_output(const struct run *run, int i, const gpucc_array *array, char *result)
{
    const struct comparison *c = run->comparison;
    CHECK(gpucc_array_dtype(array) == c->dtypes[i] && gpucc_array_ndim(array) == c->views[i].ndim,
          "%s: the output made has type %s and %d dimensions", run->label, gpucc_dtype_name(gpucc_array_dtype(array)),
          gpucc_array_ndim(array));
    for (int d = 0; d < c->views[i].ndim; d++)
        CHECK(gpucc_array_shape(array)[d] == c->views[i].shape[d], "%s: dimension %d is %lld", run->label, d,
              (long long)gpucc_array_shape(array)[d]);
    size_t size = (size_t)view_count(&c->views[i]) * gpucc_dtype_size(c->dtypes[i]);
    MUST(gpucc_array_read(array, result, size));
}

static void call_on(const struct run *run, gpucc_context *context, char *const *results)
{
    const struct comparison *c = run->comparison;
    gpucc_ufunc *ufunc;
    gpucc_array *bases[COMPARE_OPERANDS] = {0}, *operands[COMPARE_OPERANDS] = {0};
    MUST(gpucc_context_ufunc(context, c->image, c->image->abi, c->ufunc, &ufunc));
    for (int i = 0; i < run->operands; i++)
        if (run->buffers[i].count) {
            memcpy(results[i], run->buffers[i].initial, buffer_size(&run->buffers[i]));
            MUST(gpucc_array_from_host(context, run->buffers[i].dtype, 1, &run->buffers[i].count, NULL,
                                       run->buffers[i].initial, &bases[i]));
        }
    for (int i = 0; i < run->operands; i++)
        if (i < c->inputs || !c->make_outputs)
            operands[i] = make_operand(run, context, i, bases, results);
    MUST(gpucc_ufunc_call(ufunc, (const gpucc_array *const *)operands, operands + c->inputs, NULL));
    for (int i = c->inputs; i < run->operands && c->make_outputs; i++)
        read_made_output(run, i, operands[i], results[i]);
    MUST(gpucc_context_synchronize(context));
    for (int i = 0; i < run->operands; i++)
        if (run->buffers[i].count && c->views[i].place == ON_DEVICE && !(i >= c->inputs && c->make_outputs))
            MUST(gpucc_array_read(bases[i], results[i], buffer_size(&run->buffers[i])));
    for (int i = 0; i < run->operands; i++) {
        gpucc_array_release(operands[i]);
        gpucc_array_release(bases[i]);
    }
}

/* ---- comparing ---- */

static bool is_nan(gpucc_dtype dtype, uint64_t bits)
{
    switch (dtype) {
    case GPUCC_FLOAT16: return (bits & 0x7fff) > 0x7c00;
    case GPUCC_BFLOAT16: return (bits & 0x7fff) > 0x7f80;
    case GPUCC_FLOAT32:
    case GPUCC_COMPLEX64: return (bits & 0x7fffffff) > 0x7f800000;
    case GPUCC_FLOAT64:
    case GPUCC_COMPLEX128: return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
    default: return false;
    }
}

/* The size of a component, which complex types have two of. */
static size_t part_size(gpucc_dtype dtype)
{
    size_t size = gpucc_dtype_size(dtype);
    return dtype == GPUCC_COMPLEX64 || dtype == GPUCC_COMPLEX128 ? size / 2 : size;
}

void compare_elements(gpucc_dtype dtype, const void *gpu, const void *cpu, size_t count, bool canonical,
                      const char *label)
{
    size_t size = part_size(dtype), parts = count * gpucc_dtype_size(dtype) / size;
    if (memcmp(gpu, cpu, parts * size) == 0)
        return;
    for (size_t i = 0; i < parts; i++) {
        uint64_t a = 0, b = 0;
        memcpy(&a, (const char *)gpu + i * size, size);
        memcpy(&b, (const char *)cpu + i * size, size);
        if (canonical && is_nan(dtype, a) && is_nan(dtype, b))
            continue;
        CHECK(a == b, "%s: %s %zu of %zu is %#llx on the GPU and %#llx on the CPU", label, gpucc_dtype_name(dtype), i,
              parts, (unsigned long long)a, (unsigned long long)b);
    }
}

/* The (first) component of an element of float32, float64 or a complex type; NaN for others. */
static double float_value(gpucc_dtype dtype, const void *element)
{
    float f;
    double d;
    switch (dtype) {
    case GPUCC_FLOAT32:
    case GPUCC_COMPLEX64: memcpy(&f, element, sizeof f); return (double)f;
    case GPUCC_FLOAT64:
    case GPUCC_COMPLEX128: memcpy(&d, element, sizeof d); return d;
    default: return NAN;
    }
}

/* How far apart two components are, in units in the last place of `wanted`. */
static double part_distance(gpucc_dtype dtype, const void *got, const void *wanted)
{
    uint64_t got_bits = 0, wanted_bits = 0;
    memcpy(&got_bits, got, part_size(dtype));
    memcpy(&wanted_bits, wanted, part_size(dtype));
    if (got_bits == wanted_bits || (is_nan(dtype, got_bits) && is_nan(dtype, wanted_bits)))
        return 0;
    double a = float_value(dtype, got), b = float_value(dtype, wanted);
    if (!isfinite(a) || !isfinite(b) || (a == 0 && b == 0))
        return INFINITY;
    if (part_size(dtype) == sizeof(float))
        return fabs(a - b) / (double)(nextafterf(fabsf((float)b), INFINITY) - fabsf((float)b));
    return fabs(a - b) / (nextafter(fabs(b), INFINITY) - fabs(b));
}

static double distance(gpucc_dtype dtype, const void *got, const void *wanted)
{
    size_t size = part_size(dtype);
    double far = 0;
    for (size_t i = 0; i < gpucc_dtype_size(dtype); i += size)
        far = fmax(far, part_distance(dtype, (const char *)got + i, (const char *)wanted + i));
    return far;
}

static const char *element_at(const struct run *run, int operand, const char *memory, const int64_t *index)
{
    const struct view *view = &run->comparison->views[operand];
    const struct view *result = &run->comparison->views[run->comparison->inputs];
    int64_t at = view->offset;
    for (int d = 0; d < view->ndim; d++)
        if (view->shape[d] != 1)
            at += index[d + result->ndim - view->ndim] * view->steps[d];
    return memory + at * (int64_t)gpucc_dtype_size(run->comparison->dtypes[operand]);
}

static void check_element(const struct run *run, const int64_t *index, int64_t number)
{
    const struct comparison *c = run->comparison;
    const void *in[COMPARE_OPERANDS];
    void *out[COMPARE_OPERANDS];
    uint64_t wanted[COMPARE_OPERANDS][2] = {0};
    for (int i = 0; i < c->inputs; i++)
        in[i] = element_at(run, i, run->buffers[run->buffer_of[i]].initial, index);
    for (int i = 0; i < c->outputs; i++)
        out[i] = wanted[i];
    c->reference(in, out);
    for (int i = 0; i < c->outputs; i++) {
        int operand = c->inputs + i;
        const char *got = element_at(run, operand, run->buffers[run->buffer_of[operand]].cpu, index);
        double off = distance(c->dtypes[operand], got, wanted[i]);
        uint64_t bits = 0;
        memcpy(&bits, got, gpucc_dtype_size(c->dtypes[operand]) < 8 ? gpucc_dtype_size(c->dtypes[operand]) : 8);
        CHECK(off <= c->tolerance, "%s: element %lld of output %d is %#llx (%g), the reference %#llx (%g): %g ulp",
              run->label, (long long)number, i, (unsigned long long)bits, float_value(c->dtypes[operand], got),
              (unsigned long long)wanted[i][0], float_value(c->dtypes[operand], wanted[i]), off);
    }
}

/* Walks the outputs' index space. */
static void check_reference(const struct run *run)
{
    const struct view *result = &run->comparison->views[run->comparison->inputs];
    int64_t index[COMPARE_DIMS] = {0}, count = view_count(result);
    for (int64_t number = 0; number < count; number++) {
        check_element(run, index, number);
        for (int d = result->ndim - 1; d >= 0 && ++index[d] == result->shape[d]; d--)
            index[d] = 0;
    }
}

void compare(const struct comparison *whole, const char *label)
{
    const struct comparison small = limited(whole), *comparison = &small;
    struct run run = {.comparison = comparison, .label = label,
                      .operands = comparison->inputs + comparison->outputs};
    char *gpu[COMPARE_OPERANDS], *cpu[COMPARE_OPERANDS];
    plan_buffers(&run);
    fill_buffers(&run);
    for (int i = 0; i < run.operands; i++) {
        gpu[i] = run.buffers[i].gpu;
        cpu[i] = run.buffers[i].cpu;
    }
    call_on(&run, suite.gpu, gpu);
    call_on(&run, suite.cpu, cpu);
    for (int i = 0; i < run.operands; i++) {
        char what[256];
        snprintf(what, sizeof what, "%s: %s, operand %d", label, comparison->ufunc, i);
        if (run.buffers[i].count)
            compare_elements(run.buffers[i].dtype, gpu[i], cpu[i], (size_t)run.buffers[i].count, false, what);
    }
    if (comparison->reference)
        check_reference(&run);
    free_buffers(&run);
}
