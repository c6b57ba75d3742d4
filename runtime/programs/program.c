/* Programs: loaded from memory, files or what an object carries; their ufuncs and kernels by name. */
#include "arrays/arrays.h"
#include "devices/device_operations.h"
#include "devices/launch_order.h"
#include "devices/trace.h"
#include "programs/programs.h"
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_BLOCK = 256 };

/* ---- functions, as the manifest lists them ---- */

static void (*find_native(const gpucc_program *program, const char *name))(void)
{
    for (uint64_t i = 0; name && i < program->code.native_count; i++) {
        if (strcmp(program->code.natives[i].name, name) == 0)
            return program->code.natives[i].function;
    }
    return NULL;
}

/* A judged class is never looked at again: where no warning is wanted, all are.  The last launch of a reduction is
 * always small, and the blocks of S_scan_packed are large. */
static void entry_init(const gpucc_program *program, const struct manifest_function *function,
                       const struct manifest_loop *loop, struct entry *entry)
{
    bool quiet = !program->context->warns_of_occupancy || function->expect_low_occupancy ||
                 loop->kind == LOOP_ALONG || loop->kind == LOOP_PACKED || loop->kind == LOOP_PACKED_ROWS ||
                 loop->kind == LOOP_PACKED_COLUMNS || loop->kind == LOOP_ACROSS || loop->kind == LOOP_SCAN_PACKED ||
                 loop->kind == LOOP_GATHERED;
    entry->name = loop->entry;
    entry->block = loop->block ? loop->block : DEFAULT_BLOCK;
    entry->cooperative = loop->cooperative;
    entry->for_threads = loop->kind == LOOP_OUTER || loop->kind == LOOP_OUTER_STAGED;
    entry->for_blocks = loop->kind == LOOP_OUTER_BLOCK;
    if (loop->kind == LOOP_KERNEL)
        entry->cluster = (struct shape3){loop->cluster[0], loop->cluster[1], loop->cluster[2]};
    else
        entry->cluster = (struct shape3){loop->kind == LOOP_OUTER_WARPGROUPS ? 2 : 1, 1, 1};
    entry->elements_per_thread = loop->elements_per_thread ? loop->elements_per_thread : 1;
    atomic_init(&entry->judged, quiet ? UINT64_MAX : 0);
}

/* PTX for GPUs without clusters has none, wherever it runs.  Drivers that know no clusters do not know the
 * attributes. */
static gpucc_status find_cluster(gpucc_context *context, CUfunction function, struct entry *entry)
{
    enum { PORTABLE = 8 };
    int extents[3] = {0, 0, 0};
    if (shape_volume(entry->cluster) == 1)
        return GPUCC_OK;
    for (int d = 0; d < 3; d++)
        if (driver.cuFuncGetAttribute(&extents[d], CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH + d, function) !=
            CUDA_SUCCESS)
            extents[d] = 0;
    bool has_clusters = extents[0] > 0 && extents[1] > 0 && extents[2] > 0;
    entry->cluster = has_clusters ? (struct shape3){(unsigned)extents[0], (unsigned)extents[1], (unsigned)extents[2]}
                                  : (struct shape3){1, 1, 1};
    if (shape_volume(entry->cluster) <= PORTABLE)
        return GPUCC_OK;
    return CU(context, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

/* The place of a loop's entry of a kind; null if it has none. */
static struct entry *entry_of(struct loop *loop, enum loop_kind kind)
{
    static const unsigned short places[LOOP_OUTER_WARPGROUPS + 1] = {
#define PLACE(kind, entry) [kind] = offsetof(struct loop, entry)
        PLACE(LOOP_CONTIGUOUS, contiguous), PLACE(LOOP_ROWS, rows), PLACE(LOOP_STRIDED, strided),
        PLACE(LOOP_CONVERTED, converted), PLACE(LOOP_CONVERTED_PACKED, converted_packed), PLACE(LOOP_ALONG, along),
        PLACE(LOOP_PACKED, packed), PLACE(LOOP_PACKED_ROWS, packed_rows),
        PLACE(LOOP_PACKED_COLUMNS, packed_columns), PLACE(LOOP_ACROSS, across),
        PLACE(LOOP_SCAN_ALONG, scan_along), PLACE(LOOP_SCAN_ACROSS, scan_across),
        PLACE(LOOP_SCAN_PACKED, scan_packed), PLACE(LOOP_FOLD, fold),
        PLACE(LOOP_AT, at), PLACE(LOOP_GATHERED, gathered), PLACE(LOOP_OUTER, outer),
        PLACE(LOOP_OUTER_BLOCK, outer), PLACE(LOOP_OUTER_STAGED, staged), PLACE(LOOP_OUTER_TEAM, team),
        PLACE(LOOP_OUTER_TOGETHER, together), PLACE(LOOP_OUTER_TILES, tiles), PLACE(LOOP_OUTER_WARPGROUPS, warpgroups)
#undef PLACE
    };
    return kind <= LOOP_OUTER_WARPGROUPS ? (struct entry *)((char *)loop + places[kind]) : NULL;
}

/* Reports an entry that the program does not have. */
static gpucc_status fail_without(const gpucc_program *program, const struct entry *entry)
{
    for (int u = 0; u < program->ufunc_count; u++)
        for (int i = 0; i < program->ufuncs[u].loop_count; i++)
            for (enum loop_kind kind = 0; kind <= LOOP_OUTER_WARPGROUPS; kind++)
                if (entry_of(&program->ufuncs[u].loops[i], kind) == entry)
                    return fail(GPUCC_UNSUPPORTED, "%s: this call needs its loop '%s', which %s was compiled without "
                                "(see gpucc --loops)", program->ufuncs[u].name, loop_kind_name(kind), program->name);
    return fail(GPUCC_BAD_PROGRAM, "%s lacks a loop that this call needs", program->name);
}

gpucc_status entry_find(gpucc_program *program, struct entry *entry)
{
    CUmodule module;
    CUfunction function;
    gpucc_context *context = program->context;
    gpucc_status status = GPUCC_OK;
    int shared = 0;
    if (!entry->name)
        return fail_without(program, entry);
    pthread_mutex_lock(&program->lock);
    if (atomic_load_explicit(&entry->function, memory_order_relaxed)) /* meanwhile, by another thread */
        goto unlock;
    status = module_with(program, entry->name, &module);
    if (!status)
        status = CU(context, cuModuleGetFunction, &function, module, entry->name);
    if (status) {
        status = fail(status, "%s: the entry %s: %s", program->name, entry->name, gpucc_last_error());
        goto unlock;
    }
    status = CU(context, cuFuncGetAttribute, &entry->max_threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (!status)
        status = CU(context, cuFuncGetAttribute, &entry->registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    if (!status)
        status = CU(context, cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
    if (!status)
        status = find_cluster(context, function, entry);
    if (status)
        goto unlock;
    entry->shared = (size_t)shared;
    if (entry->block > (unsigned)entry->max_threads)
        entry->block = (unsigned)entry->max_threads;
    atomic_store_explicit(&entry->function, function, memory_order_release);
unlock:
    pthread_mutex_unlock(&program->lock);
    return status;
}

/* The instance with these types; a new one if there is none yet. */
static struct loop *instance_of(gpucc_ufunc *ufunc, const struct manifest_loop *from)
{
    size_t size = (size_t)(from->inputs + from->outputs) * sizeof *from->types;
    for (int i = 0; i < ufunc->loop_count; i++) {
        if (memcmp(ufunc->loops[i].types, from->types, size) == 0)
            return &ufunc->loops[i];
    }
    struct loop *loop = &ufunc->loops[ufunc->loop_count++];
    memcpy(loop->types, from->types, size);
    return loop;
}

static gpucc_status set_native(const gpucc_program *program, const struct manifest_loop *from, native_loop **out)
{
    *out = (native_loop *)find_native(program, from->entry);
    if (!*out && program->context->kind == GPUCC_DEVICE_CPU)
        return fail(GPUCC_BAD_PROGRAM, "%s: its manifest has the native loop %s, but its object does not",
                    program->name,
                    from->entry);
    return GPUCC_OK;
}

static gpucc_status set_blocks(const gpucc_program *program, const struct manifest_function *function,
                               const struct manifest_loop *from, struct loop *loop)
{
    loop->by_block = true;
    loop->native_shared = from->native_shared;
    loop->native_thread = (void (*)(void **))find_native(program, from->native_thread);
    loop->native_block = (void (*)(void **))find_native(program, from->native_block);
    entry_init(program, function, from, &loop->outer);
    if (!loop->native_thread && program->context->kind == GPUCC_DEVICE_CPU)
        return fail(GPUCC_BAD_PROGRAM, "%s: its object has no native code for %s", program->name, from->entry);
    return GPUCC_OK;
}

static gpucc_status ufunc_init(gpucc_program *program, const struct manifest_function *from, gpucc_ufunc *ufunc)
{
    ufunc->program = program;
    ufunc->name = from->name;
    ufunc->reorderable = from->reorderable;
    ufunc->doc = from->doc;
    ufunc->identity = from->identity;
    ufunc->layout = from->layout;
    ufunc->loops = calloc((size_t)from->loop_count + 1, sizeof *ufunc->loops);
    if (!ufunc->loops)
        return fail_memory((size_t)from->loop_count * sizeof *ufunc->loops, "a ufunc's loops");
    for (int i = 0; i < from->loop_count; i++) {
        const struct manifest_loop *item = &from->loops[i];
        if (item->kind == LOOP_OTHER)
            continue;
        if (ufunc->loop_count > 0 && (item->inputs != ufunc->inputs || item->outputs != ufunc->outputs))
            return fail(GPUCC_BAD_PROGRAM, "%s: the loops of %s differ in their numbers of inputs or outputs",
                        program->name, from->name);
        ufunc->inputs = item->inputs;
        ufunc->outputs = item->outputs;
        struct loop *loop = instance_of(ufunc, item);
        gpucc_status status = GPUCC_OK;
        loop->overwrites |= item->overwrites;
        loop->team_waits |= item->kind == LOOP_OUTER_TEAM && item->barriers;
        loop->is_independent |= item->kind == LOOP_OUTER_TOGETHER && item->no_barriers;
        if (item->kind == LOOP_OUTER_TEAM)
            memcpy(loop->shared_extents, item->shared_extents, sizeof loop->shared_extents);
        switch (item->kind) {
        case LOOP_OUTER_BLOCK: status = set_blocks(program, from, item, loop); break;
        case LOOP_NATIVE: status = set_native(program, item, &loop->native); break;
        case LOOP_NATIVE_REDUCE: status = set_native(program, item, &loop->native_reduce); break;
        case LOOP_NATIVE_RUNNING: status = set_native(program, item, &loop->native_running); break;
        case LOOP_NATIVE_CELLS: status = set_native(program, item, &loop->native_cells); break;
        default:
            if (entry_of(loop, item->kind))
                entry_init(program, from, item, entry_of(loop, item->kind));
        }
        if (status)
            return status;
    }
    return GPUCC_OK;
}

static gpucc_status kernel_init(gpucc_program *program, const struct manifest_function *function,
                                const struct manifest_loop *from, gpucc_kernel *kernel)
{
    kernel->program = program;
    kernel->name = from->entry;
    kernel->function = function->name;
    kernel->launch_bounds = from->launch_bounds;
    kernel->shared = from->native_shared > from->shared ? from->native_shared : from->shared;
    kernel->dynamic_shared = from->dynamic_shared;
    kernel->parameter_count = from->parameter_count;
    kernel->parameters = from->parameters;
    kernel->thread = (void (*)(void **))find_native(program, from->native_thread);
    kernel->block = (void (*)(void **))find_native(program, from->native_block);
    entry_init(program, function, from, &kernel->entry);
    if (from->native_thread && !kernel->thread && program->context->kind == GPUCC_DEVICE_CPU)
        return fail(GPUCC_BAD_PROGRAM, "%s: its manifest has the native kernel %s, but its object does not",
                    program->name,
                    from->native_thread);
    return GPUCC_OK;
}

/* A gufunc is one too, and so is a fused reduction. */
static bool is_ufunc(const struct manifest_function *function)
{
    return function->kind == FUNCTION_UFUNC || function->kind == FUNCTION_GUFUNC ||
           function->kind == FUNCTION_REDUCTION;
}

/* The ufunc that combines the elements of a fused reduction. */
static gpucc_status find_reducer(gpucc_program *program, const char *name, gpucc_ufunc *reduction)
{
    for (int i = 0; i < program->ufunc_count; i++) {
        const gpucc_ufunc *ufunc = &program->ufuncs[i];
        if (strcmp(ufunc->name, name) == 0 && ufunc != reduction && !ufunc->layout && ufunc->inputs == 2 &&
            ufunc->outputs == 1) {
            reduction->by = ufunc;
            return GPUCC_OK;
        }
    }
    return fail(GPUCC_BAD_PROGRAM,
                "%s: its manifest has the reduction %s by %s, but no ufunc of two inputs of that name", program->name,
                reduction->name, name);
}

static gpucc_status find_reducers(gpucc_program *program)
{
    const struct manifest *manifest = program->manifest;
    gpucc_status status = GPUCC_OK;
    int ufuncs = 0;
    for (int i = 0; !status && i < manifest->function_count; i++) {
        const struct manifest_function *function = &manifest->functions[i];
        if (function->kind == FUNCTION_REDUCTION)
            status = find_reducer(program, function->by, &program->ufuncs[ufuncs]);
        ufuncs += is_ufunc(function);
    }
    return status;
}

static gpucc_status functions_init(gpucc_program *program)
{
    const struct manifest *manifest = program->manifest;
    size_t ufuncs = 1, kernels = 1;
    for (int i = 0; i < manifest->function_count; i++) {
        const struct manifest_function *function = &manifest->functions[i];
        ufuncs += is_ufunc(function);
        kernels += function->kind == FUNCTION_KERNEL ? (size_t)function->loop_count : 0;
    }
    program->ufuncs = calloc(ufuncs, sizeof *program->ufuncs);
    program->kernels = calloc(kernels, sizeof *program->kernels);
    if (!program->ufuncs || !program->kernels)
        return fail_memory(ufuncs * sizeof *program->ufuncs + kernels * sizeof *program->kernels, "a program");
    gpucc_status status = GPUCC_OK;
    for (int i = 0; !status && i < manifest->function_count; i++) {
        const struct manifest_function *function = &manifest->functions[i];
        if (is_ufunc(function))
            status = ufunc_init(program, function, &program->ufuncs[program->ufunc_count++]);
        for (int k = 0; !status && function->kind == FUNCTION_KERNEL && k < function->loop_count; k++) {
            if (function->loops[k].kind == LOOP_KERNEL)
                status =
                    kernel_init(program, function, &function->loops[k], &program->kernels[program->kernel_count++]);
        }
    }
    return status ? status : find_reducers(program);
}

/* ---- a program's life ---- */

/* The module is unloaded where there is one; the caller has entered the context. */
static void program_free(gpucc_program *program)
{
    for (int i = 0; i < program->ufunc_count; i++)
        free(program->ufuncs[i].loops);
    for (int i = 0; i < program->kernel_count; i++)
        occupancy_forget(&program->kernels[i]);
    free(program->ufuncs);
    free(program->kernels);
    free(program->others);
    modules_unload(program);
    manifest_free(program->manifest);
    pthread_mutex_destroy(&program->lock);
    compiled_free(program->compiled);
    free(program->cubin);
    free(program->text);
    free(program);
}

/* A GPU runs the program whatever its native code is for. */
static gpucc_status find_code(gpucc_program *program)
{
    static const struct gpucc_program_image none = {0};
    gpucc_status status = native_code_find(program->image ? program->image : &none, &program->code);
    if (!status || program->context->kind == GPUCC_DEVICE_CUDA)
        return GPUCC_OK;
    return fail(status, "%s cannot run on the CPU: %s", program->name, gpucc_last_error());
}

struct source {
    const char *name; /* for messages; null: the manifest's */
    const struct gpucc_program_image *image; /* or null */
    const char *manifest;
    size_t manifest_size;
    const struct gpucc_image *images;
    int image_count;
    char *text; /* the manifest's, which the program takes over where loading succeeds; or null */
};

static gpucc_status program_fill(gpucc_program *program, const struct source *source)
{
    gpucc_context *context = program->context;
    gpucc_status status = manifest_parse(source->manifest, source->manifest_size, &program->manifest);
    if (status)
        return fail(status, "%s: %s", source->name ? source->name : "a program", gpucc_last_error());
    program->name = source->name ? source->name : program->manifest->source;
    program->abi = program->manifest->abi;
    if (program->manifest->checks)
        status = context->operations->watch(context, program->manifest->checks);
    if (status)
        return status;
    if (source->image && source->image->abi != program->abi)
        return fail(GPUCC_BAD_PROGRAM, "%s: its descriptor's ABI is %016llx, its manifest's %016llx", program->name,
                    (unsigned long long)source->image->abi, (unsigned long long)program->abi);
    status = find_code(program);
    if (!status)
        status = functions_init(program);
    if (!status && context->kind == GPUCC_DEVICE_CUDA)
        status = module_load(program, source->images, source->image_count);
    return status;
}

/* On one device. */
static gpucc_status create_alone(gpucc_context *context, const struct source *source, gpucc_program **out)
{
    CUcontext previous;
    gpucc_program *program = calloc(1, sizeof *program);
    if (!program)
        return fail_memory(sizeof *program, "a program");
    pthread_mutex_init(&program->lock, NULL);
    program->context = context;
    program->image = source->image;
    TRACE(span, "program", source->name ? source->name : "program");
    gpucc_status status = context_enter(context, &previous);
    if (status) {
        program_free(program);
        return status;
    }
    status = program_fill(program, source);
    if (status)
        program_free(program);
    context_leave(context, previous);
    if (status)
        return status;
    pthread_mutex_lock(&context->lock);
    list_insert(&context->programs, &program->link);
    pthread_mutex_unlock(&context->lock);
    *out = program;
    return GPUCC_OK;
}

/* Its counterparts on the other devices of its context's group, which are destroyed before it with the context. */
static void release_others(gpucc_program *program)
{
    for (int i = 1; program->others && i < group_size(program->context); i++)
        gpucc_program_release(program->others[i - 1]);
}

static gpucc_status program_create(gpucc_context *context, const struct source *source, gpucc_program **out)
{
    const int count = group_size(context);
    gpucc_program *program;
    gpucc_status status = create_alone(context, source, &program);
    if (status)
        return status;
    program->others = count > 1 ? calloc((size_t)count, sizeof *program->others) : NULL;
    if (count > 1 && !program->others)
        status = fail_memory((size_t)count * sizeof *program->others, "a program");
    for (int i = 1; !status && i < count; i++)
        status = create_alone(group_context(context, i), source, &program->others[i - 1]);
    if (status) {
        gpucc_program_release(program);
        return status;
    }
    program->text = source->text;
    *out = program;
    return GPUCC_OK;
}

gpucc_status gpucc_program_load(gpucc_context *context, const struct gpucc_program_image *image, gpucc_program **out)
{
    if (!context || !image || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_load: context, image or out is null");
    *out = NULL;
    if (image->version < 1 || !image->manifest)
        return fail(GPUCC_BAD_PROGRAM, "gpucc_program_load: the descriptor has version %u; this runtime supports 1 to "
                                       "%d",
                    image->version, GPUCC_PROGRAM_VERSION);
    struct source source = {
        .name = image->name,
        .image = image,
        .manifest = image->manifest,
        .manifest_size = image->manifest_size,
        .images = image->images,
        .image_count = (int)image->image_count,
    };
    return program_create(context, &source, out);
}

gpucc_status program_load_image(gpucc_context *context, const struct gpucc_image *image, const char *manifest,
                                size_t manifest_size, gpucc_program **out)
{
    struct source source = {
        .manifest = manifest,
        .manifest_size = manifest_size,
        .images = image,
        .image_count = 1,
    };
    return program_create(context, &source, out);
}

/* `what` names the source in messages, or is null. */
static gpucc_status load_texts(gpucc_context *context, const char *what, const char *ptx, size_t ptx_size,
                               const char *manifest, size_t manifest_size, gpucc_program **out)
{
    if (context->kind == GPUCC_DEVICE_CPU)
        return fail(GPUCC_UNSUPPORTED, "PTX cannot run on the CPU: load native code, an object made with -o FILE.o");
    char *text = malloc(ptx_size + manifest_size + 2);
    if (!text)
        return fail_memory(ptx_size + manifest_size + 2, "a program's text");
    char *ptx_copy = text + manifest_size + 1;
    memcpy(text, manifest, manifest_size);
    memcpy(ptx_copy, ptx, ptx_size);
    text[manifest_size] = ptx_copy[ptx_size] = '\0';
    /* architecture 0: the driver alone judges what it is given */
    struct gpucc_image image = {.text = ptx_copy, .size = ptx_size};
    struct source source = {
        .name = what,
        .manifest = text,
        .manifest_size = manifest_size,
        .images = &image,
        .image_count = 1,
        .text = text,
    };
    gpucc_status status = program_create(context, &source, out);
    if (status)
        free(text);
    for (int i = 0; !status && i < group_size(context); i++) {
        gpucc_program *on_device = group_program(*out, i);
        on_device->name = on_device->manifest->source;
    }
    return status;
}

gpucc_status gpucc_program_load_memory(gpucc_context *context, const char *ptx, size_t ptx_size, const char *manifest,
                                       size_t manifest_size, gpucc_program **out)
{
    if (!context || !ptx || !manifest || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_load_memory: context, ptx, manifest or out is null");
    *out = NULL;
    return load_texts(context, NULL, ptx, ptx_size, manifest, manifest_size, out);
}

/* Reads to the end rather than asking for the size: the path may be a pipe.  Free *out. */
static gpucc_status read_file(const char *path, char **out, size_t *size)
{
    size_t room = 1 << 16, used = 0;
    char *text = NULL;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return fail(GPUCC_IO_ERROR, "cannot open %s: %s", path, strerror(errno));
    for (;;) {
        char *grown = realloc(text, room);
        if (!grown) {
            free(text);
            fclose(file);
            return fail_memory(room, path);
        }
        text = grown;
        used += fread(text + used, 1, room - used, file);
        if (used < room)
            break;
        room *= 2;
    }
    bool failed = ferror(file);
    int error = errno;
    fclose(file);
    if (failed) {
        free(text);
        return fail(GPUCC_IO_ERROR, "cannot read %s: %s", path, strerror(error));
    }
    *out = text;
    *size = used;
    return GPUCC_OK;
}

gpucc_status gpucc_program_load_files(gpucc_context *context, const char *ptx_path, const char *manifest_path,
                                      gpucc_program **out)
{
    char *ptx, *manifest;
    size_t ptx_size, manifest_size;
    if (!context || !ptx_path || !manifest_path || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_load_files: context, a path or out is null");
    *out = NULL;
    gpucc_status status = read_file(ptx_path, &ptx, &ptx_size);
    if (status)
        return status;
    status = read_file(manifest_path, &manifest, &manifest_size);
    if (status)
        goto free_ptx;
    status = load_texts(context, ptx_path, ptx, ptx_size, manifest, manifest_size, out);
    free(manifest);
free_ptx:
    free(ptx);
    return status;
}

/* Work that uses the program may still be under way. */
void gpucc_program_release(gpucc_program *program)
{
    CUcontext previous;
    if (!program || !context_is_ours(program->context))
        return;
    gpucc_context *context = program->context;
    release_others(program);
    bool entered = context_enter(context, &previous) == GPUCC_OK;
    pthread_mutex_lock(&context->lock);
    list_remove(&program->link);
    pthread_mutex_unlock(&context->lock);
    if (entered && context->kind == GPUCC_DEVICE_CUDA)
        CU_NOTE(context, cuCtxSynchronize);
    launches_await_all(context);
    program_free(program);
    if (entered)
        context_leave(context, previous);
}

void programs_destroy_all(gpucc_context *context)
{
    while (context->programs.next != &context->programs) {
        gpucc_program *program = CONTAINER(context->programs.next, gpucc_program, link);
        list_remove(&program->link);
        program_free(program);
    }
}

const char *gpucc_program_manifest(const gpucc_program *program)
{
    if (!program)
        return NULL;
    return program->text ? program->text : program->image->manifest;
}

/* ---- finding functions ---- */

gpucc_status gpucc_program_ufunc(gpucc_program *program, const char *name, gpucc_ufunc **out)
{
    struct text names = {0};
    if (!program || !name || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_ufunc: program, name or out is null");
    *out = NULL;
    for (int i = 0; i < program->ufunc_count; i++) {
        if (strcmp(program->ufuncs[i].name, name) == 0) {
            *out = &program->ufuncs[i];
            return GPUCC_OK;
        }
        append(&names, "%s%s", i ? ", " : "", program->ufuncs[i].name);
    }
    return fail(GPUCC_NOT_FOUND, "%s has no ufunc %s; it has %s", program->name, name, names.used ? names.s : "none");
}

/* By the entry's name, or by the function's where it has one instance. */
gpucc_status gpucc_program_kernel(gpucc_program *program, const char *name, gpucc_kernel **out)
{
    struct text names = {0};
    int instances = 0;
    if (!program || !name || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_program_kernel: program, name or out is null");
    *out = NULL;
    for (int i = 0; i < program->kernel_count; i++) {
        gpucc_kernel *kernel = &program->kernels[i];
        append(&names, "%s%s", i ? ", " : "", kernel->name);
        if (strcmp(kernel->name, name) == 0) {
            *out = kernel;
            return GPUCC_OK;
        }
        if (strcmp(kernel->function, name) == 0 && ++instances == 1)
            *out = kernel;
    }
    if (instances == 1)
        return GPUCC_OK;
    *out = NULL;
    return fail(GPUCC_NOT_FOUND, "%s has %s kernel %s; it has %s", program->name, instances ? "more than one" : "no",
                name, names.used ? names.s : "none");
}

static gpucc_program *loaded_program(gpucc_context *context, const struct gpucc_program_image *image)
{
    gpucc_program *found = NULL;
    pthread_mutex_lock(&context->lock);
    for (struct link *l = context->programs.next; l != &context->programs && !found; l = l->next) {
        gpucc_program *program = CONTAINER(l, gpucc_program, link);
        if (program->image == image && program->is_shared)
            found = program;
    }
    pthread_mutex_unlock(&context->lock);
    return found;
}

static gpucc_status fail_abi(const struct gpucc_program_image *image, uint64_t abi)
{
    return fail(
        GPUCC_BAD_PROGRAM,
        "%s: its header was made for ABI %016llx, but the linked program has ABI %016llx: compile both from one source",
        image->name ? image->name : "a program", (unsigned long long)abi, (unsigned long long)image->abi);
}

/* With the context's `loading` held. */
static gpucc_status load_shared(gpucc_context *context, const struct gpucc_program_image *image, gpucc_program **out)
{
    *out = loaded_program(context, image);
    if (*out)
        return GPUCC_OK;
    gpucc_status status = gpucc_program_load(context, image, out);
    if (!status)
        (*out)->is_shared = true;
    return status;
}

enum wanted { WANT_UFUNC, WANT_KERNEL };

static gpucc_status resolve(gpucc_context *context, const struct gpucc_program_image *image, const char *name,
                            enum wanted wanted, const struct named **out)
{
    gpucc_program *program;
    gpucc_status status = context_check(context);
    if (status)
        return status;
    pthread_mutex_lock(&context->loading);
    struct named named = {.image = image};
    if (lookup_find(context, image, name))
        goto found;
    status = load_shared(context, image, &program);
    if (status)
        goto unlock;
    status = wanted == WANT_UFUNC ? gpucc_program_ufunc(program, name, &named.ufunc)
                                  : gpucc_program_kernel(program, name, &named.kernel);
    if (status)
        goto unlock;
    named.name = wanted == WANT_UFUNC                          ? named.ufunc->name
                 : strcmp(named.kernel->name, name) == 0 ? named.kernel->name
                                                         : named.kernel->function;
    status = lookup_insert(context, &named);
found:
    *out = lookup_find(context, image, name);
unlock:
    pthread_mutex_unlock(&context->loading);
    return status;
}

static inline gpucc_status find(gpucc_context *context, const struct gpucc_program_image *image, uint64_t abi,
                                const char *name, enum wanted wanted, const struct named **out)
{
    if (!context || !image || !name)
        return fail(GPUCC_INVALID_ARGUMENT, "%s: the context is null, or the program",
                    name ? name : "a function without a name");
    if (image->abi != abi)
        return fail_abi(image, abi);
    *out = lookup_find(context, image, name);
    return *out ? GPUCC_OK : resolve(context, image, name, wanted, out);
}

gpucc_status gpucc_context_ufunc(gpucc_context *context, const struct gpucc_program_image *image, uint64_t abi,
                                 const char *name, gpucc_ufunc **out)
{
    const struct named *named = NULL;
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_ufunc: out is null");
    gpucc_status status = find(context, image, abi, name, WANT_UFUNC, &named);
    if (!status && !named->ufunc)
        status = fail(GPUCC_NOT_FOUND, "%s is a kernel, not a ufunc", name);
    *out = status ? NULL : named->ufunc;
    return status;
}

gpucc_status gpucc_context_kernel(gpucc_context *context, const struct gpucc_program_image *image, uint64_t abi,
                                  const char *name, gpucc_kernel **out)
{
    const struct named *named = NULL;
    if (!out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_kernel: out is null");
    gpucc_status status = find(context, image, abi, name, WANT_KERNEL, &named);
    if (!status && !named->kernel)
        status = fail(GPUCC_NOT_FOUND, "%s is a ufunc, not a kernel", name);
    *out = status ? NULL : named->kernel;
    return status;
}

gpucc_status gpucc_context_global(gpucc_context *context, const struct gpucc_program_image *image, uint64_t abi,
                                  const char *name, gpucc_array **out)
{
    gpucc_program *program;
    if (!context || !image || !name || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_context_global: context, image, name or out is null");
    *out = NULL;
    if (image->abi != abi)
        return fail_abi(image, abi);
    gpucc_status status = context_check(context);
    if (status)
        return status;
    pthread_mutex_lock(&context->loading);
    status = load_shared(context, image, &program);
    pthread_mutex_unlock(&context->loading);
    return status ? status : gpucc_program_global(program, name, out);
}
