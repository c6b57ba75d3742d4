/* The C text that goes behind the user's file: for each ufunc and gufunc the loop templates of stdlib/loops/, told its
 * types; for each kernel its native wrappers. */
#include "codegen/codegen_internal.h"
#include "ptx/ptx.h"

static enum dtype operand_type(const struct instance *instance, size_t k)
{
    return k < instance->input_count ? instance->inputs[k] : instance->outputs[k - instance->input_count];
}

static unsigned clamp(size_t value, size_t low, size_t high)
{
    return (unsigned)(value < low ? low : value > high ? high : value);
}

static void widen(const enum dtype *dtypes, size_t count, size_t *least, size_t *most)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = dtype_size(dtypes[i]);
        *least = size < *least ? size : *least;
        *most = size > *most ? size : *most;
    }
}

/* The sizes of its narrowest and its widest operand. */
static void operand_sizes(const struct instance *instance, size_t *least, size_t *most)
{
    *least = 16;
    *most = 1;
    widen(instance->inputs, instance->input_count, least, most);
    widen(instance->outputs, instance->output_count, least, most);
}

/* Elements that the loops handle at once: 16 bytes of the widest operand, but four where the narrowest still fit in 16
 * bytes. */
static unsigned loop_width(const struct instance *instance)
{
    size_t least, most;
    operand_sizes(instance, &least, &most);
    size_t narrow = 16 / least;
    return clamp(16 / most, narrow < 4 ? narrow : 4, 16);
}

/* A thread should have 32 bytes of inputs on their way: the contiguous loop fetches its next item while it computes
 * one.  On an H200 that is worth 2 to 5 % for one float32 input, and a second item costs 1 % where there are two. */
static unsigned elements_per_thread(const struct instance *instance)
{
    size_t bytes = 0;
    for (size_t i = 0; i < instance->input_count; i++)
        bytes += loop_width(instance) * dtype_size(instance->inputs[i]);
    return loop_width(instance) * (bytes && bytes <= 16 ? 2 : 1);
}

/* Adjacent elements that a thread of a reduction along contiguous memory loads at once, of each of so many leaves; an
 * accumulation's leaves are adjacent too. */
enum { REDUCE_LEAVES = 4, SCAN_LEAVES = 2 };

static unsigned leaf_width(const struct instance *instance)
{
    unsigned width = loop_width(instance);
    return width < 4 ? width : 4;
}

static size_t largest_operand(const struct instance *instance)
{
    size_t least, most;
    operand_sizes(instance, &least, &most);
    return most;
}

/* Elements that a thread of the converting loops does at once. */
enum { CONVERTED_ELEMENTS = 4 };

/* Left alone, ptxas gives the converting loop some 80 registers, and too few threads are there to wait for memory; with
 * too few it spills.  On an H200, GB/s with 40, 48, 56 and 64 (2026-11-23): int16 + float32 2303, 2998, 3074, 3187;
 * int32 + float64 2423, 3162, 3485, 3836; trig of int16 2221, 2188, 2009, 1993. */
static unsigned converted_registers(const struct instance *instance)
{
    const size_t operands = instance->input_count + instance->output_count;
    size_t least, most;
    operand_sizes(instance, &least, &most);
    return operands > 3 || most > 8 ? 0 : operands < 3 && most <= 4 ? 48 : 64;
}

/* The loop that gathers would have some 80, too.  On an H200, microseconds for 10^8 with 56, 64, 72 and those
 * (2026-11-26): int16 as float32 224, 217, 248, 252; float32 under a mask 288, 278, 331, 338; a fused product of two
 * 283, 263, 282, 285. */
static unsigned gathered_registers(const struct instance *instance)
{
    size_t least, most;
    operand_sizes(instance, &least, &most);
    return instance->input_count > 2 || most > 8 ? 0 : 64;
}

/* With some 46 registers fewer blocks fit.  On an H100, microseconds for running sums of 10^8 float32 along axis 0 with
 * them and with 40 (2026-11-26): (10^4, 10^4) 517, 475; (10^3, 10^5) 490, 443; (10^5, 10^3) 532, 499.  Of float64, 54
 * and 48 are alike. */
static unsigned scan_across_registers(const struct instance *instance)
{
    return largest_operand(instance) <= 4 ? 40 : 0;
}

/* So that three blocks fit, as many as there is shared memory for. */
static unsigned scan_packed_registers(const struct instance *instance)
{
    return largest_operand(instance) <= 8 ? 40 : 0;
}

/* Whether operands have core dimensions, which go through shared memory, and what is said of all operands fits in a
 * kernel's parameters. */
static bool has_stages(const struct instance *instance)
{
    if (!instance->layout || instance->by_block || instance->layout->dimension_count == 0)
        return false;
    size_t bytes = sizeof(struct gpucc_iteration) + sizeof(struct gpucc_core);
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++)
        bytes += is_staged(instance, k) ? sizeof(struct gpucc_staged) : sizeof(struct gpucc_operand);
    return bytes <= GPUCC_PARAMETER_BYTES;
}

/* A bit that no group has, and that is set. */
enum { LOOPS_ALWAYS = 31 };

struct gpu_loop gpu_loop(const struct instance *instance, enum gpu_loop_kind kind)
{
    const struct gpu_loop loops[] = {
#define GPU_LOOP(id, group, kind, suffix, elements, block, registers, exists)                                          \
    {kind, suffix, elements, block, registers, instance->loops >> LOOPS_##group & 1 && (exists), false},
#include "codegen/gpu_loops.def"
    };
    struct gpu_loop loop = loops[kind];
    loop.is_made = loop.exists && !(instance->ready && kind <= GPU_LOOP_LAST_READY);
    return loop;
}

/* Sizes of its inputs and its one output in bits, by which loops are known that stand ready: "32_32" of a function of
 * one float32.  Null if that says too little: complex numbers are aligned as their parts are. */
static const char *ready_operands(struct arena *arena, const struct instance *instance)
{
    struct text text = {.arena = arena};
    if (instance->output_count != 1)
        return NULL;
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++) {
        const enum dtype dtype = operand_type(instance, k);
        if (dtype_kind(dtype) == 'c')
            return NULL;
        text_printf(&text, "%s%zu", k ? "_" : "", 8 * dtype_size(dtype));
    }
    return text.data;
}

void choose_ready_loops(struct build *build)
{
    const struct options *options = &build->options;
    if (build->target != TARGET_PTX || build->is_for_ir || options->optimization < 2 ||
        options->debug != DEBUG_NONE || options->max_registers)
        return;
    for (size_t p = 0; p < build->program.pass_count; p++)
        for (size_t i = 0; i < build->program.passes[p].instance_count; i++) {
            struct instance *instance = &build->program.passes[p].instances[i];
            const bool fits = instance->function->kind == FUNCTION_UFUNC && !instance->by;
            const char *operands = fits ? ready_operands(options->arena, instance) : NULL;
            instance->ready = operands ? ready_loops(operands) : NULL;
        }
}

const char *block_entry(struct arena *arena, const struct instance *instance)
{
    if (instance->function->kind == FUNCTION_KERNEL)
        return instance->symbol;
    return instance->by_block ? gpu_loop_entry(arena, instance, GPU_LOOP_OUTER_BLOCK) : NULL;
}

const char *gpu_loop_entry(struct arena *arena, const struct instance *instance, enum gpu_loop_kind kind)
{
    return arena_printf(arena, "%s%s", instance->symbol, gpu_loop(instance, kind).suffix);
}

/* Loops that are to stand ready are for any types of these sizes: each operand has a code of its own, in whose place
 * programs put that of its type. */
static const char *operand_code(const struct text *text, const struct instance *instance, size_t k)
{
    return begins(instance->function->name, READY_LOOPS) ? arena_printf(text->arena, READY_CODE "%zu", k)
                                                         : dtype_code(operand_type(instance, k));
}

static void operand_list(struct text *text, const char *macro, const struct instance *instance, size_t first,
                         size_t count)
{
    text_printf(text, "#define %s(X)", macro);
    for (size_t i = 0; i < count; i++)
        text_printf(text, " X(%zu, %s, %s)", i, dtype_c_type(operand_type(instance, first + i)),
                    operand_code(text, instance, first + i));
    text_printf(text, "\n");
}

/* #define GPUCC_COPY_f32(to, from) GPUCC_PIECES_1(16, to, from) */
static void copy_macros(struct text *text, unsigned width, const struct instance *instance)
{
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++) {
        const char *code = operand_code(text, instance, k);
        size_t bytes = width * dtype_size(operand_type(instance, k)), piece = bytes < 16 ? bytes : 16;
        text_printf(text, "#undef GPUCC_COPY_%s\n#define GPUCC_COPY_%s(to, from) GPUCC_PIECES_%zu(%zu, to, from)\n",
                    code, code, bytes / piece, piece);
    }
}

static void arguments(struct text *text, const char *prefix, const char *side, size_t count, bool more)
{
    for (size_t i = 0; i < count; i++)
        text_printf(text, "%s%s%s##%zu", more || i ? ", " : "", prefix, side, i);
}

/* By this name the loops call the function, whose own may be that of one of their variables. */
static void callee(struct text *text, const struct instance *instance)
{
    const struct function *function = instance->function;
    text_printf(text, "static inline __attribute__((always_inline)) %s gpucc_callee_%s(", function->result.spelling,
                instance->symbol);
    for (size_t i = 0; i < function->parameter_count; i++)
        text_printf(text, "%s%s gpucc_%zu", i ? ", " : "", function->parameters[i].type.spelling, i);
    text_printf(text, ") { return %s(", function->name);
    for (size_t i = 0; i < function->parameter_count; i++)
        text_printf(text, "%sgpucc_%zu", i ? ", " : "", i);
    text_printf(text, "); }\n");
}

/* #define GPUCC_CALL(i, o) { o##0 = callee(i##0, i##1); o##0 = GPUCC_CANONICAL_f32(o##0); } */
static void call_macro(struct text *text, const struct options *options, const struct instance *instance)
{
    text_printf(text, "#define GPUCC_CALL(i, o) do { ");
    if (instance->results_by_value)
        text_printf(text, "o##0 = ");
    text_printf(text, "gpucc_callee_%s(", instance->symbol);
    arguments(text, "", "i", instance->input_count, false);
    if (!instance->results_by_value)
        arguments(text, "&", "o", instance->output_count, instance->input_count > 0);
    text_printf(text, ");");
    for (size_t i = 0; i < instance->output_count && !options->fast_math; i++)
        text_printf(text, " o##%zu = GPUCC_CANONICAL_%s(o##%zu);", i, dtype_code(instance->outputs[i]), i);
    text_printf(text, " } while (0)\n");
}

/* Elements of a vector that a processor turns with others in registers; 0 where their type has none. */
static int lanes(enum dtype dtype)
{
    const size_t size = dtype_size(dtype);
    return dtype_kind(dtype) == 'c' || size < 4 ? 0 : 32 / (int)size;
}

/* Macros for the templates of reductions. */
static void reduction_macros(struct text *text, const struct instance *instance)
{
    const unsigned leaf = leaf_width(instance);
    const size_t bytes = leaf * dtype_size(instance->inputs[0]), piece = bytes < 16 ? bytes : 16;
    text_printf(text,
                "#define GPUCC_TYPE %s\n#define GPUCC_LEAF %u\n#define GPUCC_SCAN_LEAVES %d\n"
                "#define GPUCC_REORDERABLE %d\n#define GPUCC_LANES %d\n"
                "#define GPUCC_COPY_LEAF(to, from) GPUCC_PIECES_%zu(%zu, to, from)\n",
                dtype_c_type(instance->inputs[0]), leaf, SCAN_LEAVES, instance->reorderable,
                lanes(instance->inputs[0]), bytes / piece, piece);
}

/* Removes a template's definitions before the next function's. */
static void forget_reduction_macros(struct text *text)
{
    text_printf(text, "#undef GPUCC_TYPE\n#undef GPUCC_LEAF\n#undef GPUCC_SCAN_LEAVES\n#undef GPUCC_REORDERABLE\n"
                      "#undef GPUCC_LANES\n#undef GPUCC_COPY_LEAF\n");
}

/* The loop over elements that are gathered; behind what combine.h defines for `by`. */
static void gathered_loop(struct text *text, const struct instance *instance, const char *by)
{
    if (instance->by)
        text_printf(text, "#define GPUCC_GATHERED GPUCC_INPUTS\n");
    else
        operand_list(text, "GPUCC_GATHERED", instance, 0, 1);
    text_printf(text,
                "#define GPUCC_IS_FUSED %d\n#define GPUCC_BY(suffix) GPUCC_JOIN3(%s, suffix)\n"
                "#define GPUCC_GIVE_RESULT gpucc_give_%s\n#include <loops/gather.h>\n#undef GPUCC_GATHERED\n"
                "#undef GPUCC_IS_FUSED\n#undef GPUCC_BY\n#undef GPUCC_GIVE_RESULT\n",
                instance->by != NULL, by, dtype_code(instance->outputs[0]));
}

/* The macros that describe one function's operands to the templates, and how it is called. */
static void function_macros(struct text *text, const struct options *options, const struct instance *instance)
{
    operand_list(text, "GPUCC_INPUTS", instance, 0, instance->input_count);
    operand_list(text, "GPUCC_OUTPUTS", instance, instance->input_count, instance->output_count);
    callee(text, instance);
    call_macro(text, options, instance);
    text_printf(text, "GPUCC_DEFINE_RESULTS\nGPUCC_DEFINE_CAREFUL\n");
}

static void forget_function_macros(struct text *text)
{
    text_printf(text, "#undef GPUCC_LOOP\n#undef GPUCC_INPUTS\n#undef GPUCC_OUTPUTS\n#undef GPUCC_CALL\n");
}

/* A fused reduction: what combines elements, by a name of its own, and the loop that makes and combines them; on the
 * CPU the one that makes them, as any ufunc has it. */
static void fused_loops(struct text *text, const struct options *options, const struct instance *instance,
                        enum target target)
{
    struct instance by = *instance->by;
    by.symbol = arena_printf(options->arena, "%s_by", instance->symbol);
    const bool for_gpu = target == TARGET_PTX || options->emulate;
    text_printf(text, "#define GPUCC_TYPE %s\n#define GPUCC_REORDERABLE %d\n", dtype_c_type(instance->outputs[0]),
                instance->reorderable);
    if (for_gpu) {
        text_printf(text, "#define GPUCC_LOOP %s\n", by.symbol);
        function_macros(text, options, &by);
        text_printf(text, "GPUCC_DEFINE_QUICK\n#include <loops/combine.h>\n");
        forget_function_macros(text);
    }
    text_printf(text, "#define GPUCC_LOOP %s\n", instance->symbol);
    function_macros(text, options, instance);
    if (for_gpu) {
        text_printf(text, "GPUCC_DEFINE_QUICK\n");
        gathered_loop(text, instance, by.symbol);
    }
    if (target == TARGET_CPU)
        text_printf(text, "#include <loops/native.h>\n");
    forget_function_macros(text);
    text_printf(text, "#undef GPUCC_TYPE\n#undef GPUCC_REORDERABLE\n");
}

/* The operands of an inline assembly: "=r"(bits_in0), "=l"(bits_in1) */
static void registers(struct text *text, const struct instance *instance, const char *side, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t size = dtype_size(operand_type(instance, first + i));
        text_printf(text, "%s\"%s%s\"(bits_%s%zu)", i ? ", " : "", first ? "" : "=",
                    size > 4 ? "l" : size > 2 ? "r" : "h", side, i);
    }
}

/* "%0, %1" */
static void register_numbers(struct text *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_printf(text, "%s%%%zu", i ? ", " : "", i);
}

/* The function by itself, for loops that stand ready: where it takes its operands from and puts its results, and that
 * a slow path is due, is for these to say (ptx/ready_loops.c). */
static void ready_element(struct text *text, const struct instance *instance)
{
    text_printf(text, "#define GPUCC_TAKE_ALL __asm__ volatile(\"" READY_TAKE);
    register_numbers(text, instance->input_count);
    text_printf(text, ";\" : ");
    registers(text, instance, "in", 0, instance->input_count);
    text_printf(text, ");\n#define GPUCC_GIVE_ALL __asm__ volatile(\"" READY_GIVE);
    register_numbers(text, instance->output_count + 1);
    text_printf(text, ";\" :: ");
    registers(text, instance, "out", instance->input_count, instance->output_count);
    text_printf(text, ", \"r\"(slow));\n#include <loops/ready.h>\n#undef GPUCC_TAKE_ALL\n#undef GPUCC_GIVE_ALL\n");
}

/* The templates of the loops that it has on the GPU, but for reductions. */
static void gpu_templates(struct text *text, const struct instance *instance)
{
    static const struct {
        enum gpu_loop_kind kind;
        const char *header;
    } templates[] = {{GPU_LOOP_CONTIGUOUS, "contiguous"}, {GPU_LOOP_ROWS, "rows"}, {GPU_LOOP_STRIDED, "strided"},
                     {GPU_LOOP_CONVERTED, "converted"}, {GPU_LOOP_CONVERTED_PACKED, "converted_packed"}};
    text_printf(text, "GPUCC_DEFINE_QUICK\n");
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++)
        if (gpu_loop(instance, templates[i].kind).is_made)
            text_printf(text, "#include <loops/%s.h>\n", templates[i].header);
    if (instance->ready)
        ready_element(text, instance);
}

static void ufunc_loops(struct text *text, const struct options *options, const struct instance *instance,
                        enum target target)
{
    const unsigned width = loop_width(instance);
    const bool for_gpu = target == TARGET_PTX || options->emulate;
    text_printf(text, "#define GPUCC_LOOP %s\n#define GPUCC_WIDTH %u\n#define GPUCC_ELEMENTS GPUCC_ELEMENTS_%u\n",
                instance->symbol, width, width);
    copy_macros(text, width, instance);
    function_macros(text, options, instance);
    if (for_gpu)
        gpu_templates(text, instance);
    if (instance->folds)
        reduction_macros(text, instance);
    if (for_gpu && gpu_loop(instance, GPU_LOOP_FOLD).exists) {
        text_printf(text, "#include <loops/reduce.h>\n%s", instance->updates ? "#include <loops/at.h>\n" : "");
        gathered_loop(text, instance, instance->symbol);
    }
    if (target == TARGET_CPU)
        text_printf(text, "#include <loops/native.h>\n");
    if (target == TARGET_CPU && has_tree(instance))
        text_printf(text, "#include <loops/reduce_native.h>\n");
    if (target == TARGET_CPU && instance->folds)
        text_printf(text, "#include <loops/at_native.h>\n");
    if (instance->folds)
        forget_reduction_macros(text);
    text_printf(text, "#undef GPUCC_WIDTH\n#undef GPUCC_ELEMENTS\n");
    forget_function_macros(text);
}

/* ---- gufuncs ---- */

/* An input without core dimensions. */
static bool is_number(const struct instance *instance, size_t k)
{
    return k < instance->input_count && instance->layout->operands[k].dimension_count == 0;
}

static bool is_array(const struct instance *instance, size_t k)
{
    return !is_number(instance, k);
}

bool is_staged(const struct instance *instance, size_t k)
{
    return instance->layout->operands[k].dimension_count > 0;
}

static bool is_staged_output(const struct instance *instance, size_t k)
{
    return k >= instance->input_count && is_staged(instance, k);
}

static bool is_single(const struct instance *instance, size_t k)
{
    return k >= instance->input_count && !is_staged(instance, k);
}

/* #define GPUCC_ARRAYS(X) X(0, float) X(2, double) */
static void gufunc_operands(struct text *text, const char *macro, const struct instance *instance,
                            bool (*is_meant)(const struct instance *instance, size_t k))
{
    text_printf(text, "#define %s(X)", macro);
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++)
        if (is_meant(instance, k))
            text_printf(text, " X(%zu, %s)", k, dtype_c_type(operand_type(instance, k)));
    text_printf(text, "\n");
}

/* "4u" where the size is fixed, else "(unsigned)core.extents[1]" */
static const char *core_extent(const struct options *options, const struct layout *layout, size_t dimension)
{
    const size_t size = layout->dimensions[dimension].size;
    return size ? arena_printf(options->arena, "%zuu", size)
                : arena_printf(options->arena, "(unsigned)core.extents[%zu]", dimension);
}

/* An operand's macros for the loop through shared memory. */
static void stage_macros(struct text *text, const struct options *options, const struct instance *instance, size_t k)
{
    const struct layout *layout = instance->layout;
    const struct operand_layout *operand = &layout->operands[k];
    text_printf(text, "#define GPUCC_RECORD_%zu struct %s\n", k,
                is_staged(instance, k) ? "gpucc_staged" : "gpucc_operand");
    if (!is_staged(instance, k))
        return;
    const size_t size = dtype_size(operand_type(instance, k));
    text_printf(text, "#define GPUCC_BYTES_%zu %zu\n#define GPUCC_CORE_COUNT_%zu (1", k, size < 8 ? size : 8, k);
    for (size_t d = 0; d < operand->dimension_count; d++)
        text_printf(text, " * %s", core_extent(options, layout, operand->dimensions[d]));
    text_printf(text, ")\n#define GPUCC_CORE_OFFSET_%zu", k);
    for (size_t d = operand->dimension_count; d-- > 0;) {
        const char *extent = core_extent(options, layout, operand->dimensions[d]);
        text_printf(text, " offset += (int64_t)(e %% %s) * op%zu.strides[%zu]; e /= %s;", extent, k, d, extent);
    }
    text_printf(text, "\n");
}

static void callee_parameters(struct text *text, const struct instance *instance, const char *first)
{
    text_printf(text, "(%sconst gpucc_u64 *gpucc_core", first);
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++)
        text_printf(text, ", %s%s *restrict gpucc_%zu", k < instance->input_count ? "const " : "",
                    dtype_c_type(operand_type(instance, k)), k);
    text_printf(text, ")");
}

/* A team calls this function, of one block or of several; share_loops() makes it of the callee. */
static void team_callee(struct text *text, const struct instance *instance, const char *macro, const char *prefix)
{
    text_printf(text, "#undef %s\n#define %s %s%s\nvoid %s%s", macro, macro, prefix, instance->symbol, prefix,
                instance->symbol);
    callee_parameters(text, instance, "");
    text_printf(text, ";\n");
}

static void outer_loops(struct text *text, const struct options *options, const struct instance *instance)
{
    const size_t operands = has_stages(instance) ? instance->input_count + instance->output_count : 0;
    text_printf(text, "#define GPUCC_BY_BLOCK %d\n#define GPUCC_HAS_STAGES %d\n#define GPUCC_HAS_TEAM %d\n",
                instance->by_block, has_stages(instance), instance->has_team);
    text_printf(text, "#define GPUCC_HAS_TILES %d\n#define GPUCC_TILE_CALLEE gpucc_tiles_of_%s\n", instance->has_tiles,
                instance->symbol);
    text_printf(text, "#define GPUCC_HAS_WARPGROUPS %d\n#define GPUCC_WARPGROUP_CALLEE gpucc_warpgroups_of_%s\n",
                instance->has_warpgroups, instance->symbol);
    if (instance->has_team) {
        team_callee(text, instance, "GPUCC_TEAM_CALLEE", "gpucc_team_");
        team_callee(text, instance, "GPUCC_TOGETHER_CALLEE", "gpucc_together_");
    }
    gufunc_operands(text, "GPUCC_STAGES", instance, is_staged);
    gufunc_operands(text, "GPUCC_STAGED_OUTPUTS", instance, is_staged_output);
    gufunc_operands(text, "GPUCC_SINGLES", instance, is_single);
    for (size_t k = 0; k < operands; k++)
        stage_macros(text, options, instance, k);
    text_printf(text, "#include <loops/outer.h>\n#undef GPUCC_BY_BLOCK\n#undef GPUCC_HAS_STAGES\n"
                      "#undef GPUCC_STAGES\n#undef GPUCC_STAGED_OUTPUTS\n#undef GPUCC_SINGLES\n"
                      "#undef GPUCC_HAS_TEAM\n#undef GPUCC_HAS_TILES\n#undef GPUCC_TILE_CALLEE\n"
                      "#undef GPUCC_HAS_WARPGROUPS\n#undef GPUCC_WARPGROUP_CALLEE\n");
    for (size_t k = 0; k < operands; k++)
        text_printf(text, "#undef GPUCC_RECORD_%zu\n#undef GPUCC_CORE_COUNT_%zu\n#undef GPUCC_CORE_OFFSET_%zu\n"
                          "#undef GPUCC_BYTES_%zu\n",
                    k, k, k, k);
}

/* Whether accesses to operands are compared with their ends: lower_watch.c. */
static bool checks_operands(const struct options *options, enum target target)
{
    return target == TARGET_CPU && options->checks & CHECK_ADDRESS;
}

/* gpucc_cpu_core(gpucc_0, gpucc_core[0] * gpucc_core[1] * 4, 4, "x") */
static void checked_operand(struct text *text, const struct instance *instance, size_t k, const char *name)
{
    const struct operand_layout *operand = &instance->layout->operands[k];
    const size_t size = dtype_size(operand_type(instance, k));
    text_printf(text, "gpucc_cpu_core(gpucc_%zu, ", k);
    for (size_t d = 0; d < operand->dimension_count; d++)
        text_printf(text, "gpucc_core[%zu] * ", operand->dimensions[d]);
    text_printf(text, *name ? "%zu, %zu, \"%s\")" : "%zu, %zu, 0)", size, size, name);
}

/* The call of `callee`, the gufunc's function or one of its tiles, with the arguments `first` before those of the call,
 * and the end of the calling function. */
static void gufunc_body(struct text *text, const struct options *options, const struct instance *instance,
                        enum target target, const char *callee, const char *first)
{
    const struct layout *layout = instance->layout;
    const size_t operands = instance->input_count + instance->output_count;
    text_printf(text, "%s(%s", callee, first);
    for (size_t i = 0; i < layout->first_array; i++)
        for (size_t d = 0; d < layout->dimension_count; d++)
            if (layout->dimensions[d].has_parameter && layout->dimensions[d].parameter == i)
                text_printf(text, "%sgpucc_core[%zu]", i ? ", " : "", d);
    for (size_t k = 0; k < operands; k++) {
        const struct parameter *parameter = &instance->function->parameters[layout->first_array + k];
        const bool is_value = parameter->type.kind == TYPE_SCALAR;
        text_printf(text, layout->first_array || k ? ", " : "");
        if (!is_value && checks_operands(options, target))
            checked_operand(text, instance, k, parameter->name);
        else
            text_printf(text, is_value ? "*gpucc_%zu" : "(void *)gpucc_%zu", k);
    }
    text_printf(text, "); }\n");
}

/* The function with its sizes from an array: static inline void gpucc_callee_S(const uint64_t *core, const float
 * *restrict p0, …) { f(core[0], core[1], (void *)p0, …); }.  Outputs share no memory with anything else. */
static void gufunc_callee(struct text *text, const struct options *options, const struct instance *instance,
                          enum target target)
{
    if (checks_operands(options, target))
        text_printf(text, "void *gpucc_cpu_core(const void *, gpucc_u64, unsigned, const char *);\n");
    const bool has_team = instance->has_team && (target == TARGET_PTX || options->emulate);
    if (has_team || instance->reorderable)
        text_printf(text, "#include <loops/team.h>\n");
    text_printf(text, "static inline __attribute__((always_inline)) void gpucc_callee_%s", instance->symbol);
    callee_parameters(text, instance, "");
    text_printf(text, " { (void)gpucc_core; ");
    if (has_team || instance->reorderable)
        text_printf(text, "gpucc_team_parts(GPUCC_ALONE_PARTS%s); ",
                    has_team              ? ", GPUCC_TEAM_PARTS"
                    : target == TARGET_CPU ? ", GPUCC_NATIVE_PARTS"
                                           : "");
    gufunc_body(text, options, instance, target, instance->function->name, "");
    if (!instance->has_tiles)
        return;
    text_printf(text, "static inline __attribute__((always_inline)) void gpucc_tiles_of_%s", instance->symbol);
    callee_parameters(text, instance, "");
    text_printf(text, " { ");
    gufunc_body(text, options, instance, target, instance->function->tiles, "");
    if (!instance->has_warpgroups)
        return;
    text_printf(text, "#if GPUCC_HAS_WGMMA\nstatic inline __attribute__((always_inline, unused)) void "
                      "gpucc_warpgroups_of_%s", instance->symbol);
    callee_parameters(text, instance, "struct gpucc_product_work *gpucc_work, ");
    text_printf(text, " { ");
    gufunc_body(text, options, instance, target, instance->function->warpgroups, "gpucc_work, ");
    text_printf(text, "#endif\n");
}

/* The record of each operand's core for the native loop: struct gpucc_core_operand. */
static void core_table(struct text *text, const struct instance *instance)
{
    const struct layout *layout = instance->layout;
    text_printf(text, "#define GPUCC_CORE_SIZES %zu\n#define GPUCC_CORE_TABLE {", layout->dimension_count);
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++) {
        const struct operand_layout *operand = &layout->operands[k];
        text_printf(text, "%s{%zu, %zu, %d, {", k ? ", " : "", dtype_size(operand_type(instance, k)),
                    operand->dimension_count, k >= instance->input_count);
        for (size_t d = 0; d < operand->dimension_count; d++)
            text_printf(text, "%s%zu", d ? ", " : "", operand->dimensions[d]);
        text_printf(text, operand->dimension_count ? "}}" : "0}}");
    }
    text_printf(text, "}\n");
}

static void gufunc_loops(struct text *text, const struct options *options, const struct instance *instance,
                         enum target target)
{
    text_printf(text, "#define GPUCC_LOOP %s\n#define GPUCC_CALLEE gpucc_callee_%s\n", instance->symbol,
                instance->symbol);
    text_printf(text, "#define GPUCC_OPERAND_COUNT %zu\n", instance->input_count + instance->output_count);
    text_printf(text, "#define GPUCC_IN_ORDER(X)");
    for (size_t k = 0; k < instance->input_count + instance->output_count; k++)
        text_printf(text, " X(%zu)", k);
    text_printf(text, "\n");
    gufunc_operands(text, "GPUCC_ARRAYS", instance, is_array);
    gufunc_operands(text, "GPUCC_NUMBERS", instance, is_number);
    gufunc_callee(text, options, instance, target);
    if (target == TARGET_PTX || instance->by_block || options->emulate)
        outer_loops(text, options, instance);
    if (target == TARGET_CPU && !instance->by_block) {
        core_table(text, instance);
        text_printf(text, "#include <loops/outer_native.h>\n#undef GPUCC_CORE_SIZES\n#undef GPUCC_CORE_TABLE\n");
    }
    text_printf(text, "#undef GPUCC_LOOP\n#undef GPUCC_CALLEE\n#undef GPUCC_OPERAND_COUNT\n#undef GPUCC_IN_ORDER\n"
                      "#undef GPUCC_ARRAYS\n#undef GPUCC_NUMBERS\n");
}

/* ---- native kernels ---- */

/* The wrappers with which the CPU executor runs an entry: NAME_thread and NAME_block (see <gpucc/cpu.h>), which the
 * lowering then makes run a whole block.  `name` is the final symbol, `callee` what the C text calls it. */
static void native_wrappers(struct text *text, const char *name, const char *callee, const char *call)
{
    text_printf(text,
                "void %s_thread(void **gpucc_p) { %s%s; }\n"
                "void %s_block(void **gpucc_p) { %s%s; }\n",
                name, callee, call, name, callee, call);
}

static void kernel_wrappers(struct text *text, const struct options *options, const struct instance *instance)
{
    struct text call = {.arena = options->arena};
    text_printf(&call, "(");
    for (size_t i = 0; i < instance->function->parameter_count; i++) {
        const struct type *type = &instance->function->parameters[i].type;
        text_printf(&call, "%s*(%s *)gpucc_p[%zu]", i ? ", " : "",
                    type->kind == TYPE_POINTER ? "void *" : type->spelling, i);
    }
    text_printf(&call, ")");
    native_wrappers(text, instance->symbol, instance->function->name, call.data);
}

/* The arguments that a loop's wrapper passes on: "(*(struct gpucc_iteration *)gpucc_p[0], …)". */
static const char *loop_call(const struct options *options, const struct instance *instance, enum gpu_loop_kind kind)
{
    struct text call = {.arena = options->arena};
    const size_t operands = instance->input_count + instance->output_count, first = instance->layout ? 2 : 1;
    if (is_reduction(kind))
        return "(*(struct gpucc_reduction *)gpucc_p[0])";
    if (kind == GPU_LOOP_AT)
        return "(*(struct gpucc_scatter *)gpucc_p[0])";
    if (kind == GPU_LOOP_GATHERED) {
        text_printf(&call, "(*(struct gpucc_gather *)gpucc_p[0]");
        for (size_t i = 0; i <= gathered_inputs(instance); i++) /* the mask is the first */
            text_printf(&call, ", *(struct gpucc_gathered *)gpucc_p[%zu]", 1 + i);
        text_printf(&call, ")");
        return call.data;
    }
    if (kind == GPU_LOOP_CONTIGUOUS) {
        text_printf(&call, "(");
        for (size_t i = 0; i < operands; i++)
            text_printf(&call, "*(void **)gpucc_p[%zu], ", i);
        text_printf(&call, "*(gpucc_u64 *)gpucc_p[%zu])", operands);
        return call.data;
    }
    text_printf(&call, "(*(struct gpucc_iteration *)gpucc_p[0]%s",
                instance->layout ? ", *(struct gpucc_core *)gpucc_p[1]" : "");
    for (size_t i = 0; i < operands; i++)
        text_printf(&call, ", *(struct %s *)gpucc_p[%zu]",
                    kind == GPU_LOOP_STAGED && is_staged(instance, i) ? "gpucc_staged" : "gpucc_operand", first + i);
    if (kind == GPU_LOOP_CONVERTED)
        text_printf(&call, ", *(struct gpucc_operand *)gpucc_p[%zu]", first + operands);
    if (kind == GPU_LOOP_WARPGROUPS)
        text_printf(&call, ", *(gpucc_tensor_map *)gpucc_p[%zu], *(gpucc_tensor_map *)gpucc_p[%zu], "
                           "*(struct gpucc_tiling *)gpucc_p[%zu]",
                    first + operands, first + operands + 1, first + operands + 2);
    if (kind == GPU_LOOP_TOGETHER)
        text_printf(&call, ", *(struct gpucc_together *)gpucc_p[%zu]", first + operands);
    text_printf(&call, ")");
    return call.data;
}

/* The GPU's entries as native kernels: those that blocks of threads do on the CPU too, and for tests without a GPU all
 * of them. */
static void gpu_loop_wrappers(struct text *text, const struct options *options, const struct instance *instance)
{
    for (enum gpu_loop_kind kind = 0; kind < GPU_LOOP_COUNT; kind++) {
        const char *entry = gpu_loop_entry(options->arena, instance, kind);
        if (gpu_loop(instance, kind).exists)
            native_wrappers(text, entry, entry, loop_call(options, instance, kind));
    }
}

const char *loops(const struct options *options, const struct pass *pass, enum target target)
{
    struct text text = {.arena = options->arena};
    text_printf(&text, "#line 1 \"<loops>\"\n#pragma gpucc forget_macros\n%s#include <loops/operand.h>\n",
                pass->unit->tiles ? pass->unit->tiles : "");
    for (size_t i = 0; i < pass->instance_count; i++) {
        const struct instance *instance = &pass->instances[i];
        const enum function_kind kind = instance->function->kind;
        if (instance->by)
            fused_loops(&text, options, instance, target);
        else if (kind == FUNCTION_UFUNC)
            ufunc_loops(&text, options, instance, target);
        else if (kind == FUNCTION_GUFUNC)
            gufunc_loops(&text, options, instance, target);
        else if (kind == FUNCTION_KERNEL && target == TARGET_CPU)
            kernel_wrappers(&text, options, instance);
        if (has_loops(instance) && target == TARGET_CPU && (options->emulate || instance->by_block))
            gpu_loop_wrappers(&text, options, instance);
    }
    return text.data;
}
