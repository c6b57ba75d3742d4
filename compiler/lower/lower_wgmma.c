/* Puts the instructions of <gpucc/wgmma.h> in place of its calls: inline assembly with the sums in registers, which
 * the header cannot write for each number of them.  It runs early: then no other code has the address of the sums. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

enum { MOST_SUMS = 128, MOST_OPERANDS = 6 };

/* As enum gpucc_wgmma_kind has them. */
static const struct kind {
    const char *elements;
    unsigned k; /* elements of an instruction along k */
    bool is_integer, is_half;
} kinds[] = {
    {"f16.f16", 16, false, true},    {"bf16.bf16", 16, false, true},  {"tf32.tf32", 8, false, false},
    {"e4m3.e4m3", 32, false, false}, {"e5m2.e5m2", 32, false, false}, {"e4m3.e5m2", 32, false, false},
    {"e5m2.e4m3", 32, false, false}, {"s8.s8", 32, true, false},      {"u8.u8", 32, true, false},
};

/* One statement of assembly whose first operands are the sums, read and written. */
struct statement {
    struct arena *arena;
    LLVMBuilderRef b;
    LLVMValueRef address;
    LLVMTypeRef sum;
    unsigned count;
};

static LLVMValueRef address_of_sum(const struct statement *s, unsigned i)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(s->sum));
    LLVMValueRef index = LLVMConstInt(i32, i, false);
    return LLVMBuildInBoundsGEP2(s->b, s->sum, s->address, &index, 1, "");
}

/* "$0, $1, …" */
static const char *registers(const struct statement *s)
{
    const char *list = "$0";
    for (unsigned i = 1; i < s->count; i++)
        list = arena_printf(s->arena, "%s, $%u", list, i);
    return list;
}

/* `operands` of the constraints `inputs` ("l,l,r,") follow the sums: they are $count and so on in the text. */
static void build_statement(const struct statement *s, const char *text, const char *inputs, LLVMValueRef *operands,
                            unsigned operand_count)
{
    LLVMTypeRef types[MOST_SUMS + MOST_OPERANDS], results[MOST_SUMS];
    LLVMValueRef arguments[MOST_SUMS + MOST_OPERANDS];
    const char *constraints = "", *letter = LLVMGetTypeKind(s->sum) == LLVMFloatTypeKind ? "=f," : "=r,";
    for (unsigned i = 0; i < s->count; i++) {
        constraints = arena_printf(s->arena, "%s%s", constraints, letter);
        results[i] = s->sum;
    }
    constraints = arena_printf(s->arena, "%s%s", constraints, inputs);
    for (unsigned i = 0; i < operand_count; i++)
        arguments[i] = operands[i];
    for (unsigned i = 0; i < s->count; i++) {
        constraints = arena_printf(s->arena, "%s%u,", constraints, i);
        arguments[operand_count + i] = LLVMBuildLoad2(s->b, s->sum, address_of_sum(s, i), "");
    }
    constraints = arena_printf(s->arena, "%s~{memory}", constraints);
    for (unsigned i = 0; i < operand_count + s->count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMContextRef context = LLVMGetTypeContext(s->sum);
    LLVMTypeRef result = LLVMStructTypeInContext(context, results, s->count, false);
    LLVMTypeRef type = LLVMFunctionType(result, types, operand_count + s->count, false);
    LLVMValueRef assembly = LLVMGetInlineAsm(type, text, strlen(text), constraints, strlen(constraints), true, false,
                                             LLVMInlineAsmDialectATT, false);
    LLVMValueRef sums = LLVMBuildCall2(s->b, type, assembly, arguments, operand_count + s->count, "");
    for (unsigned i = 0; i < s->count; i++)
        LLVMBuildStore(s->b, LLVMBuildExtractValue(s->b, sums, i, ""), address_of_sum(s, i));
}

static unsigned constant_of(LLVMValueRef call, unsigned n)
{
    return (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(call, n));
}

static struct statement statement_at(struct arena *arena, LLVMBuilderRef b, LLVMValueRef call, bool is_integer)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetBasicBlockParent(
        LLVMGetInstructionParent(call))));
    LLVMPositionBuilderBefore(b, call);
    return (struct statement){
        .arena = arena, .b = b, .address = LLVMGetOperand(call, 0), .count = constant_of(call, 1) / 4,
        .sum = is_integer ? LLVMInt32TypeInContext(context) : LLVMFloatTypeInContext(context)};
}

/* gpucc_nvptx_wgmma(sums, size, kind, a, b, keep, a_is_columns, b_is_columns) */
static void expand_product(struct arena *arena, LLVMBuilderRef b, LLVMValueRef call)
{
    const struct kind *kind = &kinds[constant_of(call, 2)];
    const struct statement s = statement_at(arena, b, call, kind->is_integer);
    const unsigned n = s.count;
    const char *flags = kind->is_half      ? arena_printf(arena, ", 1, 1, %u, %u", constant_of(call, 6),
                                                          constant_of(call, 7))
                        : kind->is_integer ? ""
                                           : ", 1, 1";
    const char *text = arena_printf(arena,
                                    "{ .reg .pred keeps;\nsetp.ne.b32 keeps, $%u, 0;\n"
                                    "wgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s {%s}, $%u, $%u, keeps%s; }",
                                    n + 2, 2 * n, kind->k, kind->is_integer ? "s32" : "f32", kind->elements,
                                    registers(&s), n, n + 1, flags);
    LLVMValueRef operands[] = {LLVMGetOperand(call, 3), LLVMGetOperand(call, 4), LLVMGetOperand(call, 5)};
    build_statement(&s, text, "l,l,r,", operands, 3);
}

/* gpucc_nvptx_wgmma_part(sums, size, kind, a0, a1, a2, a3, b, keep, b_is_columns) */
static void expand_product_of_part(struct arena *arena, LLVMBuilderRef b, LLVMValueRef call)
{
    const struct kind *kind = &kinds[constant_of(call, 2)];
    const struct statement s = statement_at(arena, b, call, false);
    const unsigned n = s.count;
    const char *text = arena_printf(arena,
                                    "{ .reg .pred keeps;\nsetp.ne.b32 keeps, $%u, 0;\n"
                                    "wgmma.mma_async.sync.aligned.m64n%uk%u.f32.%s {%s}, {$%u, $%u, $%u, $%u}, $%u, "
                                    "keeps, 1, 1, %u; }",
                                    n + 5, 2 * n, kind->k, kind->elements, registers(&s), n, n + 1, n + 2, n + 3, n + 4,
                                    constant_of(call, 9));
    LLVMValueRef operands[MOST_OPERANDS];
    for (unsigned i = 0; i < MOST_OPERANDS; i++)
        operands[i] = LLVMGetOperand(call, 3 + i);
    build_statement(&s, text, "r,r,r,r,l,r,", operands, MOST_OPERANDS);
}

/* gpucc_nvptx_wgmma_fence(sums, size, is_integer), and …_wait(sums, size, is_integer, groups) */
static void expand_order(struct arena *arena, LLVMBuilderRef b, LLVMValueRef call, bool waits)
{
    const struct statement s = statement_at(arena, b, call, constant_of(call, 2));
    const char *text = waits ? arena_printf(arena, "wgmma.wait_group.sync.aligned %u;", constant_of(call, 3))
                             : "wgmma.fence.sync.aligned;";
    build_statement(&s, text, "", NULL, 0);
}

void lower_wgmma(struct arena *arena, LLVMModuleRef module)
{
    static const char *const names[] = {"gpucc_nvptx_wgmma", "gpucc_nvptx_wgmma_part", "gpucc_nvptx_wgmma_fence",
                                        "gpucc_nvptx_wgmma_wait"};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
        LLVMValueRef function = LLVMGetNamedFunction(module, names[k]);
        if (!function)
            continue;
        FOR_USES(use, function) {
            LLVMValueRef call = LLVMGetUser(use);
            if (k == 0)
                expand_product(arena, b, call);
            else if (k == 1)
                expand_product_of_part(arena, b, call);
            else
                expand_order(arena, b, call, k == 3);
            LLVMInstructionEraseFromParent(call);
        }
        LLVMDeleteFunction(function);
    }
    LLVMDisposeBuilder(b);
}
