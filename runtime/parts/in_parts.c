/* Cuts an index space into boxes that fit into a device's memory, and gives them to the devices that share the work: of
 * host arrays to whichever is free, of split arrays to that which has the box. */
#include "arrays/split.h"
#include "parts/in_parts.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS_MIN = 16 << 20,       /* bytes of host arrays that are worth waking several devices for … */
    PART_MIN = 4 << 20,         /* … and for which a part is worth a call, … */
    PARTS_EACH = 8,             /* … of which each device is to have some, so that all end together */
    PART_MOST = 256 << 20,      /* what is larger goes no faster */
    SPARING_MIN = 256 << 20,    /* bytes of a call on the CPU that takes a while, and whose copies take room … */
    SPARING_EACH = 100,         /* … and its parts */
    SURELY_FITS = 64,           /* a part of the device's memory: for less the driver is not asked what is free */
    COPIES = 2,                 /* of an operand that a call may have on the device at a time */
};

static _Thread_local bool inside;

bool parts_inside(void)
{
    return inside;
}

/* ---- how much at a time ---- */

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static gpucc_status free_memory(gpucc_context *context, double *bytes)
{
    CUcontext previous;
    size_t free_bytes = 0, total = 0;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    status = CU(context, cuMemGetInfo, &free_bytes, &total);
    context_leave(context, previous);
    *bytes = (double)free_bytes;
    return status;
}

/* The free memory of the device that has least. */
static gpucc_status find_room(gpucc_context *context, double *room)
{
    gpucc_status status = GPUCC_OK;
    const bool is_cuda = context->kind == GPUCC_DEVICE_CUDA;
    *room = is_cuda && context->memory_limit ? (double)context->memory_limit : DBL_MAX;
    for (int i = 0; is_cuda && !status && !context->memory_limit && i < group_size(context); i++) {
        double bytes = 0;
        status = free_memory(group_context(context, i), &bytes);
        *room = lesser(*room, bytes / 2);
    }
    return status;
}

gpucc_status needs_partition(gpucc_context *context, size_t bytes, bool *wanted)
{
    double room;
    *wanted = false;
    if (context->kind == GPUCC_DEVICE_CPU || bytes == 0 || inside)
        return GPUCC_OK;
    if (group_size(context) > 1 && bytes >= PARTS_MIN) {
        *wanted = true;
        return GPUCC_OK;
    }
    if (!context->memory_limit && bytes < context->device.info.memory / SURELY_FITS)
        return GPUCC_OK;
    gpucc_status status = find_room(context, &room);
    *wanted = !status && (double)bytes > room;
    return status;
}

bool parts_spare(const struct call *call, size_t bytes)
{
    if (call->context->kind != GPUCC_DEVICE_CPU || inside || bytes < SPARING_MIN)
        return false;
    for (int i = 0; i < call->operands; i++)
        if (call->given[i] && !array_is_value(call->given[i]) && call->given[i]->dtype != call->loop->types[i])
            return true;
    return call->context->progress != NULL;
}

int gpucc_context_in_parts(gpucc_context *context, size_t bytes)
{
    bool wanted = false;
    return context && needs_partition(context, bytes, &wanted) == GPUCC_OK && wanted;
}

gpucc_status parts_size(gpucc_context *context, double bytes, double *size)
{
    double room;
    gpucc_status status = find_room(context, &room);
    const int count = group_size(context);
    double share = bytes;
    if (count > 1)
        share = greater(bytes / (PARTS_EACH * count), PART_MIN);
    else if (context->kind == GPUCC_DEVICE_CPU)
        share = greater(bytes / SPARING_EACH, PARTS_MIN);
    *size = lesser(lesser(share, PART_MOST), room / COPIES);
    return status;
}

bool parts_are_split(const struct call *call)
{
    if (!call->context->group || inside)
        return false;
    for (int d = 0; d < call->ndim; d++)
        if (call->shape[d] == 0)
            return false;
    for (int i = 0; i < call->operands + call->is_masked; i++)
        if (call->given[i] && array_is_split(call->given[i]))
            return true;
    return false;
}

/* ---- boxes ---- */

/* A region of the space, in boxes. */
struct plan {
    const struct parts *parts;
    int order[GPUCC_MAX_DIMS];      /* of the dimensions, as memory has them, outermost first */
    int64_t first[GPUCC_MAX_DIMS], shape[GPUCC_MAX_DIMS];
    int64_t extents[GPUCC_MAX_DIMS]; /* of a box; the last along a dimension may be smaller */
    uint64_t boxes;
    uint64_t next; /* box to be done */
};

void parts_align(const struct parts *parts, struct part_operand *operand)
{
    const int ndim = operand->array->ndim, before = parts->ndim - ndim;
    for (int d = 0; d < ndim; d++)
        operand->dims[d] = (signed char)(d + before >= 0 && operand->array->shape[d] != 1 ? d + before : -1);
}

static double box_bytes(const struct parts *parts, const int64_t *extents)
{
    double bytes = 0;
    for (int i = 0; i < parts->operands; i++) {
        const struct part_operand *operand = &parts->operand[i];
        double size = (double)operand->size;
        for (int d = 0; d < operand->array->ndim; d++)
            size *= (double)(operand->dims[d] < 0 ? operand->array->shape[d] : extents[operand->dims[d]]);
        bytes += size;
    }
    return bytes;
}

static void find_order(const struct parts *parts, int *order)
{
    struct nest nest;
    nest_begin(&nest, parts->ndim, parts->operands);
    memset(nest.strides, 0, (size_t)parts->operands * sizeof *nest.strides);
    for (int i = 0; i < parts->operands; i++)
        for (int d = 0; d < parts->operand[i].array->ndim; d++)
            if (parts->operand[i].dims[d] >= 0)
                nest.strides[i][parts->operand[i].dims[d]] = parts->operand[i].array->strides[d];
    nest_order(&nest, order);
}

/* The largest extent along dimension d for which the box has at most so many bytes; 1 at least. */
static int64_t largest_extent(const struct plan *plan, int64_t *extents, int d, double size)
{
    int64_t low = 1, high = plan->shape[d];
    while (low < high) {
        extents[d] = low + (high - low + 1) / 2;
        if (box_bytes(plan->parts, extents) <= size)
            low = extents[d];
        else
            high = extents[d] - 1;
    }
    return low;
}

/* Single indices of outer dimensions, a range of one, all of those further in. */
static void choose_boxes(struct plan *plan, double size)
{
    const struct parts *parts = plan->parts;
    const bool is_chosen = parts->extents != NULL;
    memcpy(plan->extents, is_chosen ? parts->extents : plan->shape, (size_t)parts->ndim * sizeof *plan->extents);
    for (int k = 0; !is_chosen && k < parts->ndim && box_bytes(parts, plan->extents) > size; k++)
        plan->extents[plan->order[k]] = largest_extent(plan, plan->extents, plan->order[k], size);
    plan->boxes = 1;
    plan->next = 0;
    for (int d = 0; d < parts->ndim; d++)
        plan->boxes *= plan->shape[d] ? divide_up((uint64_t)plan->shape[d], (uint64_t)plan->extents[d]) : 0;
}

static void find_box(const struct plan *plan, uint64_t number, int64_t *start, int64_t *extents)
{
    const struct parts *parts = plan->parts;
    for (int k = parts->ndim; k-- > 0;) {
        const int d = plan->order[k];
        const uint64_t count = divide_up((uint64_t)plan->shape[d], (uint64_t)plan->extents[d]);
        const int64_t at = (int64_t)(number % count) * plan->extents[d], left = plan->shape[d] - at;
        start[d] = plan->first[d] + at;
        extents[d] = left < plan->extents[d] ? left : plan->extents[d];
        number /= count;
    }
}

/* ---- a box's operands ---- */

size_t parts_element(const struct call *call, int i)
{
    const size_t given = dtypes[call->given[i]->dtype].size;
    const size_t used = i < call->operands ? dtypes[call->loop->types[i]].size : given;
    return parts_host_bytes(call, call->given[i]) == 0 ? 0 : given > used ? given : used;
}

gpucc_status parts_duplicate(struct call *call, int i, struct part_operand *operand)
{
    gpucc_array *copy;
    gpucc_status status = array_duplicate(call->given[i], &copy);
    if (!status)
        operand->array = call->temporaries[call->temporary_count++] = copy;
    return status;
}

static gpucc_status make_view(const struct part_operand *operand, gpucc_context *context, const int64_t *start,
                              const int64_t *extents, gpucc_array **out)
{
    const gpucc_array *array = operand->array;
    int64_t shape[GPUCC_MAX_DIMS], offset = 0;
    for (int d = 0; d < array->ndim; d++) {
        const int of_space = operand->dims[d];
        shape[d] = of_space < 0 ? array->shape[d] : extents[of_space];
        if (of_space >= 0 && array->count > 0) /* what has no elements has no places for them either */
            offset += start[of_space] * array->strides[d];
    }
    const bool is_there = array->where == GPUCC_MEMORY_DEVICE && context == array->context;
    gpucc_status status = is_there ? gpucc_array_view(array, array->ndim, shape, array->strides, offset, out)
                                   : gpucc_array_wrap(context, array->dtype, array->ndim, shape, array->strides,
                                                      array->data + offset, array->where, out);
    if (!status)
        (*out)->is_number = array->is_number;
    return status;
}

static gpucc_status run_box(const struct plan *plan, uint64_t number, int member)
{
    const struct parts *parts = plan->parts;
    gpucc_array *views[CALL_OPERANDS] = {NULL};
    int64_t start[GPUCC_MAX_DIMS], extents[GPUCC_MAX_DIMS];
    gpucc_status status = GPUCC_OK;
    find_box(plan, number, start, extents);
    for (int i = 0; !status && i < parts->operands; i++)
        status = make_view(&parts->operand[i], group_context(parts->context, member), start, extents, &views[i]);
    if (!status)
        status = parts->call(parts->data, member, start, views);
    for (int i = 0; i < parts->operands; i++)
        gpucc_array_release(views[i]);
    return status;
}

/* ---- the devices ---- */

struct job {
    struct plan *plans;
    bool is_split; /* plan i is that of member i; else there is one, of which all take boxes */
    uint64_t boxes;
    pthread_mutex_t lock; /* guards the rest, and which boxes are done */
    uint64_t done;
    gpucc_status status; /* the first failure, and what was said of it */
    struct text message;
};

static struct plan *plan_of(const struct job *job, int member)
{
    return &job->plans[job->is_split ? member : 0];
}

/* The next box, unless there is none or something failed. */
static bool claim_box(struct job *job, struct plan *plan, uint64_t *number)
{
    pthread_mutex_lock(&job->lock);
    const bool taken = !job->status && plan->next < plan->boxes;
    if (taken)
        *number = plan->next++;
    pthread_mutex_unlock(&job->lock);
    return taken;
}

static void note_failure(struct job *job, gpucc_status status)
{
    if (!status || job->status)
        return;
    job->status = status;
    append(&job->message, "%s", gpucc_last_error());
}

static void note_box(struct job *job, gpucc_status status)
{
    const gpucc_context *context = job->plans->parts->context;
    pthread_mutex_lock(&job->lock);
    note_failure(job, status);
    job->done++;
    if (!status && context->progress)
        context->progress(context->progress_data, job->done, job->boxes);
    pthread_mutex_unlock(&job->lock);
}

static void run_member(struct job *job, int member)
{
    uint64_t number;
    const bool outside = inside;
    struct plan *plan = plan_of(job, member);
    inside = true;
    while (claim_box(job, plan, &number))
        note_box(job, run_box(plan, number, member));
    inside = outside;
}

static void run_lanes(void *data, uint64_t begin, uint64_t end, int worker)
{
    (void)worker;
    for (uint64_t member = begin; member < end; member++)
        run_member(data, (int)member);
}

static bool has_host_array(const struct parts *parts)
{
    for (int i = 0; i < parts->operands; i++)
        if (parts->operand[i].array->where == GPUCC_MEMORY_HOST && !array_is_value(parts->operand[i].array))
            return true;
    return false;
}

/* An array on the first device keeps the work there. */
static bool is_shared(const struct parts *parts)
{
    bool shared = group_size(parts->context) > 1 && !parts->in_order;
    for (int i = 0; i < parts->operands; i++)
        shared = shared && parts->operand[i].array->where == GPUCC_MEMORY_HOST;
    return shared;
}

/* The operand that says which device does what: the largest that is split. */
static const struct part_operand *find_leader(const struct parts *parts)
{
    const struct part_operand *leader = NULL;
    for (int i = 0; i < parts->operands; i++) {
        const struct part_operand *operand = &parts->operand[i];
        if (array_is_split(operand->array) && (!leader || operand->array->count > leader->array->count))
            leader = operand;
    }
    return leader;
}

/* The call's stream waits for what a device does, or, where it cannot be made to, we do: memory may go in its order. */
static void rejoin(struct job *job, gpucc_stream *stream, gpucc_stream *own)
{
    const gpucc_status status = stream_follow_peer(stream, own);
    note_failure(job, status);
    if (status)
        (void)gpucc_context_synchronize(own->context);
}

/* Between what the call's stream holds and what it gets later; none of the devices waits for another.  What is in host
 * memory is waited for, by a thread for each device; other work is only enqueued. */
static void run_devices(struct job *job, const struct parts *parts)
{
    gpucc_context *lead = parts->context;
    const int count = group_size(lead);
    for (int i = 0; i < parts->operands; i++)
        if (parts->operand[i].array->where == GPUCC_MEMORY_DEVICE)
            memory_use(parts->operand[i].array->memory, parts->stream);
    for (int member = 1; member < count; member++)
        if (job->plans[member].boxes > 0)
            note_failure(job, stream_follow_peer(&group_context(lead, member)->stream, parts->stream));
    if (has_host_array(parts))
        pool_run(lead->group->lanes, (uint64_t)count, 1, run_lanes, job);
    else
        run_lanes(job, 0, (uint64_t)count, 0);
    for (int member = 1; member < count; member++) /* after a failure too: there may be work */
        if (job->plans[member].boxes > 0)
            rejoin(job, parts->stream, &group_context(lead, member)->stream);
}

/* Finds the member's partition of the index space.  Without a dimension to divide, the first member has all of it.
 * Returns false for an empty partition. */
static bool find_region(struct plan *plan, const struct part_operand *leader, int member)
{
    const struct parts *parts = plan->parts;
    memset(plan->first, 0, (size_t)parts->ndim * sizeof *plan->first);
    memcpy(plan->shape, parts->shape, (size_t)parts->ndim * sizeof *plan->shape);
    if (!leader)
        return true;
    const int d = split_dimension(leader->array), of_space = d < 0 ? -1 : leader->dims[d];
    int64_t start, stop;
    if (of_space < 0)
        return member == 0;
    split_range(leader->array, d, member, &start, &stop);
    plan->first[of_space] = start;
    plan->shape[of_space] = stop - start;
    return stop > start;
}

static void make_plans(const struct parts *parts, const struct part_operand *leader, double size, struct job *job,
                       int count)
{
    for (int i = 0; i < count; i++) {
        struct plan *plan = &job->plans[i];
        plan->parts = parts;
        if (!find_region(plan, leader, i))
            continue;
        find_order(parts, plan->order);
        choose_boxes(plan, size);
        job->boxes += plan->boxes;
    }
}

gpucc_status parts_run(const struct parts *parts)
{
    double size = DBL_MAX;
    gpucc_context *context = parts->context;
    const struct part_operand *leader = find_leader(parts);
    const int count = leader ? group_size(context) : 1;
    const double bytes = box_bytes(parts, parts->shape);
    gpucc_status status = leader && bytes == 0 ? GPUCC_OK : parts_size(context, bytes, &size);
    if (status)
        return status;
    struct job job = {.is_split = leader != NULL, .plans = calloc((size_t)count, sizeof *job.plans)};
    if (!job.plans)
        return fail_memory((size_t)count * sizeof *job.plans, "a call in parts");
    make_plans(parts, leader, size, &job, count);
    pthread_mutex_init(&job.lock, NULL);
    if (leader)
        run_devices(&job, parts);
    else if (is_shared(parts))
        pool_run(context->group->lanes, (uint64_t)group_size(context), 1, run_lanes, &job);
    else
        run_member(&job, 0);
    pthread_mutex_destroy(&job.lock);
    free(job.plans);
    return job.status ? fail(job.status, "%s", job.message.s) : GPUCC_OK;
}
