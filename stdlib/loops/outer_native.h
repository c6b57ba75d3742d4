/* The loop of a gufunc on the CPU, with the type of NumPy's loops for gufuncs:
 *   void S_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
 *   unsigned S_flags(char **args, const intptr_t *dimensions, const intptr_t *steps, unsigned wanted)
 *
 * loops.c defines, besides what outer.h takes:
 *   GPUCC_OPERAND_COUNT   operands
 *   GPUCC_CORE_SIZES      distinct core dimensions
 *   GPUCC_CORE_TABLE      { struct gpucc_core_operand for each operand }
 *
 * The function takes C arrays, which are packed, and inputs that no output shares memory with.  What is not goes there,
 * and outputs come back, one outer index after another; elements of an output that the function does not write stay as
 * they are.
 */
#ifndef GPUCC_LOOPS_OUTER_NATIVE_H
#define GPUCC_LOOPS_OUTER_NATIVE_H

struct gpucc_core_operand {
    int size, rank;     /* of an element, in bytes; core dimensions */
    _Bool is_output;
    unsigned char dimensions[GPUCC_CORE_RANK];
};

/* One operand of one call. */
struct gpucc_core_array {
    const struct gpucc_core_operand *operand;
    intptr_t extents[GPUCC_CORE_RANK], strides[GPUCC_CORE_RANK];
    intptr_t bytes;     /* packed */
    char *packed;       /* scratch; null where the function takes the operand where it lies */
};

/* Returns exceptions, of enum gpucc_cpu_exception, or 0. */
typedef unsigned gpucc_core_function(char *const *args, const gpucc_u64 *core);

/* Elements of so many bytes, between the array and its packed copy. */
#define GPUCC_COPY_ROW(bytes)                                                                                          \
    case bytes:                                                                                                        \
        for (intptr_t i = 0; i < n; i++)                                                                               \
            __builtin_memcpy(to + i * to_step, from + i * from_step, bytes);                                           \
        break;

static inline void gpucc_copy_row(int size, char *to, intptr_t to_step, const char *from, intptr_t from_step,
                                  intptr_t n)
{
    switch (size) {
        GPUCC_COPY_ROW(1)
        GPUCC_COPY_ROW(2)
        GPUCC_COPY_ROW(4)
        GPUCC_COPY_ROW(8)
        GPUCC_COPY_ROW(16)
    }
}

static void gpucc_copy_core(const struct gpucc_core_array *array, char *data, _Bool packs)
{
    const int last = array->operand->rank - 1;
    const intptr_t size = array->operand->size, n = last < 0 ? 1 : array->extents[last];
    const intptr_t step = last < 0 ? size : array->strides[last];
    intptr_t index[GPUCC_CORE_RANK] = {0};
    char *packed = array->packed, *const end = packed + array->bytes;
    while (packed < end) {
        if (packs)
            gpucc_copy_row((int)size, packed, size, data, step, n);
        else
            gpucc_copy_row((int)size, data, step, packed, size, n);
        packed += n * size;
        for (int d = last; d-- > 0;) {
            data += array->strides[d];
            if (++index[d] < array->extents[d])
                break;
            data -= index[d] * array->strides[d];
            index[d] = 0;
        }
    }
}

/* Whether the function can take the operand where it lies, at every outer index. */
static _Bool gpucc_core_is_packed(const struct gpucc_core_array *array, const char *data, intptr_t step)
{
    intptr_t stride = array->operand->size;
    const uintptr_t align = stride < 8 ? (uintptr_t)stride : 8;
    _Bool is = (((uintptr_t)data | (uintptr_t)step) & (align - 1)) == 0 || array->bytes == 0;
    for (int d = array->operand->rank; d-- > 0;) {
        is = is && (array->strides[d] == stride || array->extents[d] == 1 || array->bytes == 0);
        stride *= array->extents[d];
    }
    return is;
}

/* Whether an output is just where this input is: what NumPy takes for elements that are each read before they are
 * written, and does not copy. */
static _Bool gpucc_core_is_output_too(const struct gpucc_core_operand *operands, int count, int input, char **args)
{
    for (int k = 0; k < count; k++)
        if (operands[k].is_output && !operands[input].is_output && args[k] == args[input])
            return 1;
    return 0;
}

/* Bytes of scratch for the operands that need some. */
static intptr_t gpucc_read_cores(struct gpucc_core_array *arrays, const struct gpucc_core_operand *operands, int count,
                                 char **args, const intptr_t *dimensions, const intptr_t *steps)
{
    intptr_t scratch = 0;
    const intptr_t *strides = steps + count;
    for (int k = 0; k < count; k++) {
        struct gpucc_core_array *array = &arrays[k];
        array->operand = &operands[k];
        array->bytes = operands[k].size;
        array->packed = (char *)0;
        for (int d = 0; d < operands[k].rank; d++) {
            array->extents[d] = dimensions[1 + operands[k].dimensions[d]];
            array->strides[d] = *strides++;
            array->bytes *= array->extents[d];
        }
        if (gpucc_core_is_packed(array, args[k], steps[k]) && !gpucc_core_is_output_too(operands, count, k, args))
            continue;
        array->packed = (char *)0 + 1; /* to be given a place */
        scratch += (array->bytes + 63) & ~(intptr_t)63;
    }
    return scratch;
}

/* Calls the function until it has returned all exceptions of `wanted`; 0: for each outer index, and outputs are stored.
 * NumPy's loops have no way to fail. */
static __attribute__((noinline)) unsigned gpucc_run_packed(struct gpucc_core_array *arrays, int count,
                                                           intptr_t scratch, char **args, const intptr_t *dimensions,
                                                           const intptr_t *steps, const gpucc_u64 *core,
                                                           gpucc_core_function *function, unsigned wanted)
{
    enum { ON_STACK = 8192 };
    char stack[ON_STACK] __attribute__((aligned(64)));
    char *memory = scratch <= ON_STACK ? stack : __builtin_malloc((size_t)scratch + 64), *next;
    unsigned raised = 0;
    if (!memory && wanted)
        return wanted;
    if (!memory)
        __builtin_abort();
    next = memory + (-(uintptr_t)memory & 63);
    for (int k = 0; k < count; k++) {
        if (!arrays[k].packed)
            continue;
        arrays[k].packed = next;
        next += (arrays[k].bytes + 63) & ~(intptr_t)63;
    }
    for (intptr_t i = 0; i < dimensions[0] && (!wanted || (raised & wanted) != wanted); i++) {
        char *at[GPUCC_LOOP_OPERANDS];
        for (int k = 0; k < count; k++) {
            at[k] = arrays[k].packed ? arrays[k].packed : args[k] + i * steps[k];
            if (arrays[k].packed)
                gpucc_copy_core(&arrays[k], args[k] + i * steps[k], 1);
        }
        raised |= function(at, core);
        for (int k = 0; k < count && !wanted; k++)
            if (arrays[k].packed && arrays[k].operand->is_output)
                gpucc_copy_core(&arrays[k], args[k] + i * steps[k], 0);
    }
    if (memory != stack)
        __builtin_free(memory);
    return raised & wanted;
}

#endif

#define GPUCC_POINTER(k, type) type *const p##k = (type *)args[k];
#define GPUCC_START(k) char *const start##k = args[k]; const intptr_t step##k = steps[k];
#define GPUCC_POINTER_AT(k, type) type *const p##k = (type *)(start##k + i * step##k);
#define GPUCC_PASS(k) , p##k

static const struct gpucc_core_operand GPUCC_SYMBOL(_cores)[GPUCC_OPERAND_COUNT] = GPUCC_CORE_TABLE;

static unsigned GPUCC_JOIN3(gpucc_once_, GPUCC_LOOP)(char *const *args, const gpucc_u64 *core)
{
    GPUCC_ARRAYS(GPUCC_POINTER)
    GPUCC_NUMBERS(GPUCC_POINTER)
    GPUCC_CALLEE(core GPUCC_IN_ORDER(GPUCC_PASS));
    return 0;
}

static void GPUCC_SYMBOL(_sizes)(const intptr_t *dimensions, gpucc_u64 *core)
{
    for (int d = 0; d < GPUCC_CORE_SIZES; d++)
        core[d] = (gpucc_u64)dimensions[1 + d];
}

void GPUCC_SYMBOL(_loop)(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    struct gpucc_core_array arrays[GPUCC_OPERAND_COUNT];
    const intptr_t scratch = gpucc_read_cores(arrays, GPUCC_SYMBOL(_cores), GPUCC_OPERAND_COUNT, args, dimensions,
                                              steps);
    const intptr_t n = dimensions[0];
    gpucc_u64 core[GPUCC_CORE_SIZES + 1];
    (void)data;
    GPUCC_SYMBOL(_sizes)(dimensions, core);
    if (scratch) {
        gpucc_run_packed(arrays, GPUCC_OPERAND_COUNT, scratch, args, dimensions, steps, core,
                         GPUCC_JOIN3(gpucc_once_, GPUCC_LOOP), 0);
        return;
    }
    GPUCC_IN_ORDER(GPUCC_START)
    for (intptr_t i = 0; i < n; i++) {
        GPUCC_ARRAYS(GPUCC_POINTER_AT)
        GPUCC_NUMBERS(GPUCC_POINTER_AT)
        GPUCC_CALLEE(core GPUCC_IN_ORDER(GPUCC_PASS));
    }
}

/* The exceptions of one call, as the function in C has them: lower_exceptions.c adds what sets `raised`. */
static __attribute__((noinline)) unsigned GPUCC_SYMBOL(_raised)(char *const *args, const gpucc_u64 *core)
{
    unsigned raised = 0;
    gpucc_raised_flag(&raised);
    GPUCC_ARRAYS(GPUCC_POINTER)
    GPUCC_NUMBERS(GPUCC_POINTER)
    GPUCC_CALLEE(core GPUCC_IN_ORDER(GPUCC_PASS));
    return raised;
}

/* For hosts that report exceptions: those among `wanted` that C's code raises.  The calls write to copies of the
 * outputs.  Inputs that S_loop has replaced are gone. */
unsigned GPUCC_SYMBOL(_flags)(char **args, const intptr_t *dimensions, const intptr_t *steps, unsigned wanted)
{
    struct gpucc_core_array arrays[GPUCC_OPERAND_COUNT];
    intptr_t scratch = gpucc_read_cores(arrays, GPUCC_SYMBOL(_cores), GPUCC_OPERAND_COUNT, args, dimensions, steps);
    gpucc_u64 core[GPUCC_CORE_SIZES + 1];
    GPUCC_SYMBOL(_sizes)(dimensions, core);
    for (int k = 0; k < GPUCC_OPERAND_COUNT; k++) {
        if (gpucc_core_is_output_too(GPUCC_SYMBOL(_cores), GPUCC_OPERAND_COUNT, k, args))
            return wanted;
        if (!arrays[k].operand->is_output || arrays[k].packed)
            continue;
        arrays[k].packed = (char *)0 + 1; /* to be given a place */
        scratch += (arrays[k].bytes + 63) & ~(intptr_t)63;
    }
    return gpucc_run_packed(arrays, GPUCC_OPERAND_COUNT, scratch, args, dimensions, steps, core,
                            GPUCC_SYMBOL(_raised), wanted);
}

#undef GPUCC_POINTER
#undef GPUCC_START
#undef GPUCC_POINTER_AT
#undef GPUCC_PASS
