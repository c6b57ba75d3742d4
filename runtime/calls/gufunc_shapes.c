/* The dimensions of a gufunc's operands: which are the function's own, how many elements they have, and what shape the
 * others broadcast to.  As NumPy has it. */
#include "base/extent.h"
#include "calls/gufunc.h"
#include <string.h>

static const gpucc_array *given(const struct gufunc_call *gufunc, int k)
{
    return gufunc->call->given[k];
}

static const char *name_of(const struct gufunc_call *gufunc)
{
    return gufunc->call->ufunc->name;
}

/* "input 1", "output 0" */
static const char *role_text(struct text *text, const struct gufunc_call *gufunc, int k)
{
    const int inputs = gufunc->layout->inputs;
    append(text, "%s %d", k < inputs ? "input" : "output", k < inputs ? k : k - inputs);
    return text->s;
}

/* ---- which core dimensions there are ---- */

static void set_ranks(struct gufunc_call *gufunc)
{
    const struct gufunc_layout *layout = gufunc->layout;
    for (int d = 0; d < layout->dimension_count; d++)
        gufunc->is_missing[d] |= layout->dimensions[d].target >= 0 && gufunc->is_missing[layout->dimensions[d].target];
    for (int k = 0; k < gufunc->call->operands; k++) {
        struct core_shape *core = &gufunc->cores[k];
        core->rank = 0;
        for (int d = 0; d < layout->operands[k].rank; d++)
            if (!gufunc->is_missing[layout->operands[k].dimensions[d]])
                core->dimensions[core->rank++] = layout->operands[k].dimensions[d];
        core->behind = core->rank;
    }
}

/* The dimensions that an operand must have; those that broadcast to others it may lack. */
static int required_rank(const struct gufunc_call *gufunc, int k, bool with_broadcast)
{
    int rank = 0;
    for (int d = 0; d < gufunc->cores[k].rank; d++)
        rank += with_broadcast || gufunc->layout->dimensions[gufunc->cores[k].dimensions[d]].target < 0;
    return rank;
}

/* An operand with too few dimensions lacks the optional ones, and then all do; or those that broadcast to others. */
static void drop_missing(struct gufunc_call *gufunc, bool broadcast)
{
    const struct gufunc_layout *layout = gufunc->layout;
    for (int k = 0; k < gufunc->call->operands; k++)
        for (int d = 0; given(gufunc, k) && d < layout->operands[k].rank; d++) {
            const int dimension = layout->operands[k].dimensions[d];
            const struct core_dimension *core = &layout->dimensions[dimension];
            if (core->is_optional && (core->target >= 0) == broadcast &&
                given(gufunc, k)->ndim < required_rank(gufunc, k, broadcast)) {
                gufunc->is_missing[dimension] = true;
                set_ranks(gufunc);
            }
        }
}

static gpucc_status find_missing(struct gufunc_call *gufunc)
{
    struct text role = {0}, shape = {0};
    drop_missing(gufunc, false); /* first: with them go those that broadcast to them */
    drop_missing(gufunc, true);
    for (int k = 0; k < gufunc->call->operands; k++) {
        const gpucc_array *array = given(gufunc, k);
        if (array && array->ndim < gufunc->cores[k].rank)
            return fail(GPUCC_BAD_SHAPE, "%s: %s of shape %s does not have enough dimensions: the signature requires "
                                         "%d core dimension%s",
                        name_of(gufunc), role_text(&role, gufunc, k), shape_text(&shape, array->ndim, array->shape),
                        gufunc->cores[k].rank, gufunc->cores[k].rank == 1 ? "" : "s");
    }
    return GPUCC_OK;
}

/* Outputs of one number keep as many dimensions as each input has of the function's. */
static gpucc_status apply_keepdims(struct gufunc_call *gufunc)
{
    const struct gufunc_layout *layout = gufunc->layout;
    const int inputs = layout->inputs;
    bool can = true;
    for (int k = 0; k < gufunc->call->operands; k++)
        can = can && layout->operands[k].rank == (k < inputs ? layout->operands[0].rank : 0);
    if (!can)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "%s: keepdims requires inputs with equally many core dimensions, and outputs with none",
                    name_of(gufunc));
    for (int k = inputs; k < gufunc->call->operands; k++) {
        gufunc->cores[k].behind = gufunc->cores[0].rank;
        if (given(gufunc, k) && given(gufunc, k)->ndim < gufunc->cores[k].behind)
            return fail(GPUCC_BAD_SHAPE, "%s: output %d has %d dimensions; keepdims requires at least %d",
                        name_of(gufunc), k - inputs, given(gufunc, k)->ndim, gufunc->cores[k].behind);
    }
    return GPUCC_OK;
}

/* ---- where they stand ---- */

/* Along one axis of each operand, where the function has a single core dimension. */
static gpucc_status set_axis(struct gufunc_call *gufunc, int axis)
{
    const struct gufunc_layout *layout = gufunc->layout;
    bool can = layout->dimension_count == 1;
    for (int k = 0; k < gufunc->call->operands; k++)
        can = can && layout->operands[k].rank <= 1;
    if (!can)
        return fail(GPUCC_INVALID_ARGUMENT,
                    "%s: axis requires a single core dimension that all operands share; use axes, with a tuple for "
                    "each operand",
                    name_of(gufunc));
    for (int k = 0; k < gufunc->call->operands; k++)
        gufunc->cores[k].axes[0] = axis;
    return GPUCC_OK;
}

/* For each operand as many as it has dimensions behind, one operand's after another's. */
static gpucc_status set_axes(struct gufunc_call *gufunc, const int *axes, int count)
{
    int taken = 0, wanted = 0;
    for (int k = 0; k < gufunc->call->operands; k++)
        wanted += gufunc->cores[k].behind;
    if (count != wanted)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: axes names %d, but the operands have %d core dimensions in all",
                    name_of(gufunc), count, wanted);
    for (int k = 0; k < gufunc->call->operands; k++)
        for (int d = 0; d < gufunc->cores[k].behind; d++)
            gufunc->cores[k].axes[d] = axes[taken++];
    return GPUCC_OK;
}

static gpucc_status read_axes(struct gufunc_call *gufunc, const gpucc_call_options *options)
{
    const int *axes = options && HAS_FIELD(options, axes) ? options->axes : NULL;
    const int *axis = options && HAS_FIELD(options, axis) ? options->axis : NULL;
    for (int k = 0; k < gufunc->call->operands; k++) {
        struct core_shape *core = &gufunc->cores[k];
        for (int d = 0; d < core->behind; d++)
            core->axes[d] = d - core->behind;
    }
    if (axes && axis)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: cannot specify both axis and axes", name_of(gufunc));
    if (axis)
        return set_axis(gufunc, *axis);
    return axes ? set_axes(gufunc, axes, options->axis_count) : GPUCC_OK;
}

static gpucc_status check_axes(const struct gufunc_call *gufunc, int k, int ndim)
{
    struct text role = {0};
    const struct core_shape *core = &gufunc->cores[k];
    bool is_used[GPUCC_MAX_DIMS] = {false};
    for (int d = 0; d < core->behind; d++) {
        const int axis = core->axes[d] < 0 ? core->axes[d] + ndim : core->axes[d];
        if (axis < 0 || axis >= ndim)
            return fail(GPUCC_BAD_AXIS, "%s: axis %d is out of bounds for %s, which has %d dimension%s",
                        name_of(gufunc),
                        core->axes[d], role_text(&role, gufunc, k), ndim, ndim == 1 ? "" : "s");
        if (is_used[axis])
            return fail(GPUCC_BAD_SHAPE, "%s: axis %d of %s is repeated", name_of(gufunc), axis,
                        role_text(&role, gufunc, k));
        is_used[axis] = true;
    }
    return GPUCC_OK;
}

void gufunc_axes(const struct core_shape *core, int ndim, int *axes)
{
    bool is_core[GPUCC_MAX_DIMS] = {false};
    int outer = 0;
    for (int d = 0; d < core->behind; d++) {
        const int axis = core->axes[d] < 0 ? core->axes[d] + ndim : core->axes[d];
        axes[ndim - core->behind + d] = axis;
        is_core[axis] = true;
    }
    for (int axis = 0; axis < ndim; axis++)
        if (!is_core[axis])
            axes[outer++] = axis;
}

void gufunc_nest_set(struct nest *nest, int operand, const struct core_shape *core, const gpucc_array *array)
{
    int axes[GPUCC_MAX_DIMS];
    int64_t shape[GPUCC_MAX_DIMS], strides[GPUCC_MAX_DIMS];
    const int outer = array->ndim - core->behind;
    gufunc_axes(core, array->ndim, axes);
    for (int d = 0; d < outer; d++) {
        shape[d] = array->shape[axes[d]];
        strides[d] = array->strides[axes[d]];
    }
    nest_set(nest, operand, array->data, dtypes[array->dtype].size, outer, shape, strides);
}

/* ---- extents ---- */

static gpucc_status fail_extent(const struct gufunc_call *gufunc, int k, int dimension, int64_t extent)
{
    struct text role = {0}, shape = {0};
    const struct core_dimension *core = &gufunc->layout->dimensions[dimension];
    const gpucc_array *array = given(gufunc, k);
    if (core->size)
        return fail(GPUCC_BAD_SHAPE, "%s: %s of shape %s has a mismatch in a core dimension of fixed size: expected "
                                     "%lld, got %lld",
                    name_of(gufunc), role_text(&role, gufunc, k), shape_text(&shape, array->ndim, array->shape),
                    (long long)core->size, (long long)extent);
    return fail(GPUCC_BAD_SHAPE, "%s: %s of shape %s has a mismatch in its core dimension %.*s: %lld, %s %lld",
                name_of(gufunc),
                role_text(&role, gufunc, k), shape_text(&shape, array->ndim, array->shape), core->length, core->name,
                (long long)extent, core->extent ? "expected" : "but earlier operands have",
                (long long)gufunc->extents[dimension]);
}

static gpucc_status bind_extent(struct gufunc_call *gufunc, int k, int dimension, int64_t extent)
{
    const struct core_dimension *core = &gufunc->layout->dimensions[dimension];
    int64_t *known = &gufunc->extents[dimension];
    if (!gufunc->is_known[dimension]) {
        gufunc->is_known[dimension] = true;
        *known = extent;
    }
    const bool is_input = k < gufunc->layout->inputs;
    if (core->broadcasts && is_input && *known == 1 && !core->size)
        *known = extent;
    if (*known == extent || (core->broadcasts && is_input && extent == 1))
        return GPUCC_OK;
    return fail_extent(gufunc, k, dimension, extent);
}

/* Its dimensions that are computed from others, or those that are not. */
static gpucc_status bind_operand(struct gufunc_call *gufunc, int k, bool computed)
{
    int axes[GPUCC_MAX_DIMS];
    const struct core_shape *core = &gufunc->cores[k];
    const gpucc_array *array = given(gufunc, k);
    gpucc_status status = check_axes(gufunc, k, array->ndim);
    if (status)
        return status;
    gufunc_axes(core, array->ndim, axes);
    for (int d = 0; !status && d < core->behind; d++) {
        const int64_t extent = array->shape[axes[array->ndim - core->behind + d]];
        const bool is_computed = core->rank && gufunc->layout->dimensions[core->dimensions[d]].extent;
        if (is_computed != computed)
            continue;
        if (core->rank)
            status = bind_extent(gufunc, k, core->dimensions[d], extent);
        else if (extent != 1)
            status = fail(GPUCC_BAD_SHAPE, "%s: output %d has size %lld along a dimension to which keepdims gives size "
                                           "1",
                          name_of(gufunc), k - gufunc->layout->inputs, (long long)extent);
    }
    return status;
}

static bool find_extent(void *data, const char *name, size_t length, int64_t *value)
{
    const struct gufunc_call *gufunc = data;
    const int k = layout_find(gufunc->layout, name, (int)length);
    if (k == gufunc->layout->dimension_count || !gufunc->is_known[k] || gufunc->layout->dimensions[k].extent)
        return false;
    *value = gufunc->extents[k];
    return true;
}

/* Checks the extents of dimensions that broadcast to others. */
static gpucc_status check_targets(const struct gufunc_call *gufunc)
{
    for (int k = 0; k < gufunc->layout->inputs; k++)
        for (int d = 0; d < gufunc->cores[k].rank; d++) {
            struct text shape = {0};
            const int dimension = gufunc->cores[k].dimensions[d];
            const int target = gufunc->layout->dimensions[dimension].target;
            const int64_t extent = gufunc->extents[dimension];
            if (target < 0 || extent == 1 || extent == gufunc->extents[target])
                continue;
            const struct core_dimension *to = &gufunc->layout->dimensions[target];
            return fail(GPUCC_BAD_SHAPE,
                        "%s: input %d of shape %s could not be broadcast to core dimension %.*s, which has size %lld",
                        name_of(gufunc), k, shape_text(&shape, given(gufunc, k)->ndim, given(gufunc, k)->shape),
                        to->length, to->name, (long long)gufunc->extents[target]);
        }
    return GPUCC_OK;
}

/* Dimensions that are computed from others. */
static gpucc_status compute_extents(struct gufunc_call *gufunc)
{
    for (int k = 0; k < gufunc->layout->dimension_count; k++) {
        const struct core_dimension *core = &gufunc->layout->dimensions[k];
        if (!core->extent)
            continue;
        if (!extent_value(core->extent, find_extent, gufunc, &gufunc->extents[k]))
            return fail(GPUCC_BAD_SHAPE,
                        "%s: for these operands the size %s of output core dimension %.*s is negative or undefined",
                        name_of(gufunc), core->extent, core->length, core->name);
        gufunc->is_known[k] = true;
    }
    return GPUCC_OK;
}

static gpucc_status check_known(const struct gufunc_call *gufunc)
{
    for (int k = gufunc->layout->inputs; k < gufunc->call->operands; k++)
        for (int d = 0; d < gufunc->cores[k].rank; d++) {
            const int dimension = gufunc->cores[k].dimensions[d];
            const struct core_dimension *core = &gufunc->layout->dimensions[dimension];
            if (!gufunc->is_known[dimension])
                return fail(GPUCC_BAD_SHAPE,
                            "%s: the size of core dimension %.*s of output %d is unknown: pass that output",
                            name_of(gufunc), core->length, core->name, k - gufunc->layout->inputs);
        }
    return GPUCC_OK;
}

/* An input that is repeated may be larger than any array. */
static gpucc_status check_sizes(const struct gufunc_call *gufunc)
{
    enum { WIDEST = 16 };
    for (int k = 0; k < gufunc->call->operands; k++) {
        int64_t size = WIDEST;
        for (int d = 0; d < gufunc->cores[k].rank; d++)
            if (__builtin_mul_overflow(size, gufunc->extents[gufunc->cores[k].dimensions[d]], &size))
                return fail(GPUCC_BAD_SHAPE, "%s: operand %d has too many elements: it exceeds the address space",
                            name_of(gufunc), k);
    }
    return GPUCC_OK;
}

static gpucc_status bind_extents(struct gufunc_call *gufunc)
{
    const struct gufunc_layout *layout = gufunc->layout;
    gpucc_status status = GPUCC_OK;
    for (int k = 0; k < layout->dimension_count; k++) {
        gufunc->is_known[k] = gufunc->is_missing[k] || layout->dimensions[k].size;
        gufunc->extents[k] = gufunc->is_missing[k] ? 1 : layout->dimensions[k].size;
    }
    for (int k = 0; !status && k < gufunc->call->operands; k++)
        if (given(gufunc, k))
            status = bind_operand(gufunc, k, false);
    if (!status)
        status = check_targets(gufunc);
    if (!status)
        status = compute_extents(gufunc);
    for (int k = layout->inputs; !status && k < gufunc->call->operands; k++)
        if (given(gufunc, k))
            status = bind_operand(gufunc, k, true);
    if (!status)
        status = check_known(gufunc);
    return status ? status : check_sizes(gufunc);
}

/* ---- outer dimensions ---- */

static int outer_shape(const struct gufunc_call *gufunc, int k, int64_t *shape)
{
    int axes[GPUCC_MAX_DIMS];
    const gpucc_array *array = given(gufunc, k);
    const int outer = array->ndim - gufunc->cores[k].behind;
    gufunc_axes(&gufunc->cores[k], array->ndim, axes);
    for (int d = 0; d < outer; d++)
        shape[d] = array->shape[axes[d]];
    return outer;
}

static gpucc_status fail_broadcast(const struct gufunc_call *gufunc, int k, int ndim, const int64_t *shape)
{
    struct text role = {0}, so_far = {0}, other = {0};
    const struct call *call = gufunc->call;
    return fail(GPUCC_BAD_SHAPE, "%s: loop dimensions %s of %s could not be broadcast with those of earlier operands, "
                                 "%s",
                name_of(gufunc), shape_text(&other, ndim, shape), role_text(&role, gufunc, k),
                shape_text(&so_far, call->ndim, call->shape));
}

/* Given outputs take part, as in calls of other ufuncs. */
static gpucc_status broadcast_outer(struct gufunc_call *gufunc)
{
    struct call *call = gufunc->call;
    call->ndim = 0;
    for (int k = 0; k < call->operands; k++) {
        int64_t shape[GPUCC_MAX_DIMS];
        if (!given(gufunc, k))
            continue;
        const int ndim = outer_shape(gufunc, k, shape);
        if (!broadcast(&call->ndim, call->shape, ndim, shape))
            return fail_broadcast(gufunc, k, ndim, shape);
    }
    return GPUCC_OK;
}

int gufunc_output_shape(const struct gufunc_call *gufunc, int o, int64_t *shape)
{
    const struct call *call = gufunc->call;
    const struct core_shape *core = &gufunc->cores[o];
    memcpy(shape, call->shape, (size_t)call->ndim * sizeof *shape);
    for (int d = 0; d < core->behind; d++)
        shape[call->ndim + d] = core->rank ? gufunc->extents[core->dimensions[d]] : 1;
    return call->ndim + core->behind;
}

/* Leading dimensions of one element an output may lack. */
static bool fits_outer(const struct call *call, int ndim, const int64_t *shape)
{
    const int missing = call->ndim - ndim;
    for (int d = 0; d < missing; d++)
        if (call->shape[d] != 1)
            return false;
    return missing >= 0 && memcmp(shape, call->shape + missing, (size_t)ndim * sizeof *shape) == 0;
}

static gpucc_status check_outputs(const struct gufunc_call *gufunc)
{
    const struct call *call = gufunc->call;
    gpucc_status status = GPUCC_OK;
    for (int k = gufunc->layout->inputs; !status && k < call->operands; k++) {
        struct text is = {0}, wanted = {0};
        int64_t shape[GPUCC_MAX_DIMS];
        const int ndim = given(gufunc, k) ? outer_shape(gufunc, k, shape) : call->ndim;
        if (call->ndim + gufunc->cores[k].behind > GPUCC_MAX_DIMS)
            return fail(GPUCC_BAD_SHAPE, "%s: output %d would have %d dimensions; at most %d are supported",
                        name_of(gufunc),
                        k - gufunc->layout->inputs, call->ndim + gufunc->cores[k].behind, GPUCC_MAX_DIMS);
        if (!given(gufunc, k))
            status = check_axes(gufunc, k, call->ndim + gufunc->cores[k].behind);
        else if (!fits_outer(call, ndim, shape))
            return fail(GPUCC_BAD_SHAPE, "%s: output %d has loop dimensions %s, but the inputs broadcast to %s",
                        name_of(gufunc), k - gufunc->layout->inputs, shape_text(&is, ndim, shape),
                        shape_text(&wanted, call->ndim, call->shape));
    }
    return status;
}

gpucc_status gufunc_bind(struct gufunc_call *gufunc, const gpucc_call_options *options)
{
    memset(gufunc->is_missing, 0, sizeof gufunc->is_missing);
    set_ranks(gufunc);
    gpucc_status status = find_missing(gufunc);
    if (!status && options && HAS_FIELD(options, keepdims) && options->keepdims)
        status = apply_keepdims(gufunc);
    if (!status)
        status = read_axes(gufunc, options);
    if (!status)
        status = bind_extents(gufunc);
    if (!status)
        status = broadcast_outer(gufunc);
    return status ? status : check_outputs(gufunc);
}
