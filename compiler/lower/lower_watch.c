/* -fsanitize=address, race and uninitialized, for kernels' native code: before each access to memory that other
 * threads may see, or whose size is known, the executor (runtime/checks/watch.c) gets the address, the one that it
 * is based on, and a description of the place.  Functions are inlined and variables in registers by then, but nothing
 * else is optimised, so reports match the source.  In the code of ufuncs and gufuncs addresses are
 * compared with the ends of arrays there and then, of operands too, which the loops around a gufunc name by
 * gpucc_cpu_core(). */
#include "lower/lower_watch.h"

#include <gpucc/cpu.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- accesses ---- */

static unsigned type_bytes(const struct watch *w, LLVMTypeRef type)
{
    return (unsigned)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(w->module), type);
}

/* The last operand of an annotated atomic operation's order says whether it is a fence as well. */
static unsigned strength(LLVMValueRef i, LLVMAtomicOrdering order)
{
    unsigned kind = order != LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(i) ? GPUCC_CPU_STRONG : 0;
    return order > LLVMAtomicOrderingMonotonic ? kind | GPUCC_CPU_FENCED : kind;
}

/* Clang records the type of each scalar read.  It does not for a bit-field read with its neighbours, a small struct
 * passed by value with its padding, and a vector read for one element. */
bool is_partial(LLVMValueRef load)
{
    const unsigned alias_type = LLVMGetMDKindID("tbaa", 4);
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(load));
    return (kind == LLVMIntegerTypeKind || kind == LLVMVectorTypeKind) && !LLVMGetMetadata(load, alias_type) &&
           LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic;
}

/* A program that compares a volatile value waits for it or polls it: that is synchronization, not data. */
static unsigned volatile_data(LLVMValueRef i)
{
    return LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !is_compared(i) ? GPUCC_CPU_DATA
                                                                                                      : 0;
}

static LLVMValueRef hook_value(const struct watch *w, LLVMValueRef value)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(value));
    if (type_bytes(w, LLVMTypeOf(value)) > 8 || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return NULL;
    if (kind == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(w->builder, value, w->wide, "");
    if (kind != LLVMIntegerTypeKind) {
        const unsigned bits = (unsigned)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(w->module), LLVMTypeOf(value));
        value = LLVMBuildBitCast(w->builder, value, LLVMIntTypeInContext(w->context, bits), "");
    }
    return LLVMBuildZExt(w->builder, value, w->wide, "");
}

static struct access scalar_access(const struct watch *w, LLVMValueRef i)
{
    LLVMValueRef value;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return (struct access){.address = LLVMGetOperand(i, 0), .bytes = type_bytes(w, LLVMTypeOf(i)),
                               .align = LLVMGetAlignment(i),
                               .kind = GPUCC_CPU_READ | strength(i, LLVMGetOrdering(i)) | volatile_data(i) |
                                       (is_partial(i) ? GPUCC_CPU_PARTIAL : 0)};
    case LLVMStore:
        value = hook_value(w, LLVMGetOperand(i, 0));
        return (struct access){.address = LLVMGetOperand(i, 1), .value = value, .align = LLVMGetAlignment(i),
                               .bytes = type_bytes(w, LLVMTypeOf(LLVMGetOperand(i, 0))),
                               .kind = GPUCC_CPU_WRITE | strength(i, LLVMGetOrdering(i)) | volatile_data(i) |
                                       (value ? GPUCC_CPU_KNOWN : 0)};
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: {
        const bool is_swap = LLVMGetInstructionOpcode(i) == LLVMAtomicCmpXchg;
        const unsigned bytes = type_bytes(w, LLVMTypeOf(LLVMGetOperand(i, 1)));
        LLVMAtomicOrdering order = is_swap ? LLVMGetCmpXchgSuccessOrdering(i) : LLVMGetOrdering(i);
        return (struct access){.address = LLVMGetOperand(i, 0), .bytes = bytes, .align = bytes,
                               .kind = GPUCC_CPU_READ | GPUCC_CPU_WRITE | GPUCC_CPU_STRONG |
                                       (order > LLVMAtomicOrderingMonotonic ? GPUCC_CPU_FENCED : 0)};
    }
    default:
        return (struct access){0};
    }
}

/* ---- local variables ---- */

/* Whether all that is done to the variable is seen here. */
static bool is_seen(struct pointer_map *seen, LLVMValueRef pointer)
{
    if (map_get(seen, pointer))
        return true;
    map_put(seen, pointer, pointer);
    FOR_USES(use, pointer) {
        LLVMValueRef user = LLVMGetUser(use);
        const char *callee = called_function(user) ? name_of(called_function(user)) : "";
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMLoad: continue;
        case LLVMStore:
            if (LLVMGetOperand(user, 0) == pointer)
                return false;
            continue;
        case LLVMAtomicRMW:
        case LLVMAtomicCmpXchg: continue;
        case LLVMGetElementPtr:
        case LLVMBitCast:
            if (!is_seen(seen, user))
                return false;
            continue;
        default: /* behind a phi or select it may be one of several */
            if (strncmp(callee, "llvm.lifetime.", 14) && strncmp(callee, "llvm.mem", 8) &&
                strncmp(callee, "gpucc_cpu_watch", 15))
                return false;
        }
    }
    return true;
}

static void clear_before(const struct watch *w, LLVMValueRef where, LLVMValueRef bytes, uint64_t size)
{
    LLVMPositionBuilderBefore(w->builder, where);
    LLVMBuildMemSet(w->builder, bytes, LLVMConstInt(LLVMInt8TypeInContext(w->context), 0, false),
                    LLVMConstInt(w->wide, size, false), 1);
}

/* The bytes that say which of the variable's are written: cleared where its life begins. */
static void add_written(struct watch *w, LLVMValueRef variable, LLVMValueRef function)
{
    struct pointer_map seen = {.arena = w->arena};
    const uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(w->module), LLVMGetAllocatedType(variable));
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
    if (size > 4096 || LLVMGetInstructionParent(variable) != entry || !is_seen(&seen, variable))
        return;
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(entry));
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(w->context), size);
    LLVMValueRef bytes = LLVMBuildAlloca(w->builder, type, "");
    clear_before(w, variable, bytes, size);
    FOR_USES(use, variable) {
        LLVMValueRef user = LLVMGetUser(use), callee = called_function(user);
        if (callee && !strncmp(name_of(callee), "llvm.lifetime.start", 19))
            clear_before(w, user, bytes, size);
    }
    map_put(&w->written, variable, bytes);
}

/* ---- reports ---- */

static LLVMValueRef call_hook(const struct watch *w, LLVMTypeRef result, const char *name, LLVMValueRef *arguments,
                              unsigned count)
{
    LLVMTypeRef parameters[5];
    for (unsigned k = 0; k < count; k++)
        parameters[k] = LLVMTypeOf(arguments[k]);
    LLVMTypeRef type = LLVMFunctionType(result, parameters, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(w->module, name);
    if (!function) {
        function = LLVMAddFunction(w->module, name, type);
        set_attribute(function, "nounwind");
    }
    return LLVMBuildCall2(w->builder, type, function, arguments, count, "");
}

/* The shared variable of another block of the cluster that the address leads into; null if none is known. */
static LLVMValueRef mapped_variable(const struct watch *w, LLVMValueRef base)
{
    LLVMValueRef callee = called_function(base);
    if (!callee || strcmp(name_of(callee), "gpucc_cpu_cluster_map") != 0)
        return NULL;
    LLVMValueRef variable = watch_base(w, LLVMGetOperand(base, 0));
    return LLVMIsAGlobalVariable(variable) ? variable : NULL;
}

/* Returns the start of the mapped variable: at the same offset from the mapped address as here. */
static LLVMValueRef mapped_beginning(const struct watch *w, LLVMValueRef mapped, LLVMValueRef variable)
{
    LLVMValueRef from = LLVMBuildPtrToInt(w->builder, LLVMGetOperand(mapped, 0), w->wide, "");
    LLVMValueRef begin = LLVMBuildPtrToInt(w->builder, variable, w->wide, "");
    LLVMValueRef offset = LLVMBuildSub(w->builder, begin, from, "");
    return LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), mapped, &offset, 1, "");
}

static const char within_name[] = "gpucc_cpu_within";

/* Is inlined: reports an access of `size` bytes at `address` that is not in the `bytes` from `base` on. */
static LLVMValueRef within_function(const struct watch *w)
{
    enum { ADDRESS, BASE, BYTES, SIZE, SITE, ARGUMENTS };
    LLVMValueRef function = LLVMGetNamedFunction(w->module, within_name), arguments[ARGUMENTS];
    if (function)
        return function;
    LLVMTypeRef parameters[] = {w->pointer, w->pointer, w->wide, w->wide, w->pointer};
    function = LLVMAddFunction(w->module, within_name, LLVMFunctionType(w->nothing, parameters, ARGUMENTS, false));
    LLVMSetLinkage(function, LLVMInternalLinkage);
    set_attribute(function, "alwaysinline");
    LLVMGetParams(function, arguments);
    LLVMBasicBlockRef compare = LLVMAppendBasicBlockInContext(w->context, function, "");
    LLVMBasicBlockRef outside = LLVMAppendBasicBlockInContext(w->context, function, "");
    LLVMBasicBlockRef inside = LLVMAppendBasicBlockInContext(w->context, function, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(w->context);
    LLVMPositionBuilderAtEnd(b, compare);
    LLVMValueRef offset = LLVMBuildSub(b, LLVMBuildPtrToInt(b, arguments[ADDRESS], w->wide, ""),
                                       LLVMBuildPtrToInt(b, arguments[BASE], w->wide, ""), "");
    LLVMValueRef begins_behind = LLVMBuildICmp(b, LLVMIntUGT, offset, arguments[BYTES], "");
    LLVMValueRef left = LLVMBuildSub(b, arguments[BYTES], offset, "");
    LLVMValueRef ends_behind = LLVMBuildICmp(b, LLVMIntUGT, arguments[SIZE], left, "");
    LLVMBuildCondBr(b, LLVMBuildOr(b, begins_behind, ends_behind, ""), outside, inside);
    LLVMPositionBuilderAtEnd(b, outside);
    build_call(b, executors(w->module, "gpucc_cpu_outside", parameters, ARGUMENTS), arguments, ARGUMENTS);
    LLVMBuildUnreachable(b);
    LLVMPositionBuilderAtEnd(b, inside);
    LLVMBuildRetVoid(b);
    LLVMDisposeBuilder(b);
    return function;
}

/* In a call, of what the user's code does. */
static void check_access(const struct watch *w, LLVMValueRef i, const struct access *access)
{
    enum { BYTES = 1 };
    LLVMValueRef base = watch_base(w, access->address);
    const uint64_t extent = watch_object_of(w, base).extent;
    if (!(w->options->checks & CHECK_ADDRESS) || !is_in_source(w, LLVMInstructionGetDebugLoc(i)) ||
        is_literal_object(base) || (extent == 0 && !is_core(base)))
        return;
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef bytes = is_core(base) ? LLVMGetOperand(base, BYTES) : LLVMConstInt(w->wide, extent, false);
    LLVMValueRef size = access->size ? access->size : LLVMConstInt(w->wide, access->bytes, false);
    LLVMValueRef arguments[] = {access->address, base, bytes, size, watch_site_constant(w, i, base, access)};
    build_call(w->builder, within_function(w), arguments, 5);
}

static void hook_access(const struct watch *w, LLVMValueRef i, const struct access *access)
{
    LLVMValueRef base = watch_base(w, access->address), variable = mapped_variable(w, base);
    if (w->in_call || is_core(base))
        check_access(w, i, access);
    if (w->in_call || is_executors_own(w, base) || is_literal_object(base))
        return;
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef site = watch_site_constant(w, i, variable ? variable : base, access);
    if (variable)
        base = mapped_beginning(w, base, variable);
    LLVMValueRef size = access->size ? access->size : LLVMConstInt(w->wide, access->bytes, false);
    if (LLVMIsAAllocaInst(base)) {
        LLVMValueRef written = map_get(&w->written, base);
        LLVMValueRef local[] = {access->address, base, written ? written : LLVMConstPointerNull(w->pointer), size,
                                site};
        call_hook(w, w->nothing, "gpucc_cpu_watch_local", local, 5);
        return;
    }
    LLVMValueRef value = access->value ? access->value : LLVMConstInt(w->wide, 0, false);
    LLVMValueRef arguments[] = {access->address, base, access->size ? size : value, site};
    call_hook(w, w->nothing, access->size ? "gpucc_cpu_watch_range" : "gpucc_cpu_watch", arguments, 4);
}

/* The alignment of a call's argument. */
static unsigned known_alignment(LLVMValueRef call, unsigned argument)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
    return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

/* memcpy(), memmove() and memset(), which copies of structs are too. */
static void hook_copy(const struct watch *w, LLVMValueRef i, const char *name)
{
    const bool is_set = !strncmp(name, "llvm.memset", 11);
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef size = LLVMBuildZExtOrBitCast(w->builder, LLVMGetOperand(i, 2), w->wide, "");
    struct access to = {.address = LLVMGetOperand(i, 0), .size = size, .kind = GPUCC_CPU_WRITE,
                        .align = known_alignment(i, 0)};
    struct access from = {.address = LLVMGetOperand(i, 1), .size = size, .kind = GPUCC_CPU_READ | GPUCC_CPU_PARTIAL,
                          .align = is_set ? 1 : known_alignment(i, 1)};
    if (!is_set)
        hook_access(w, i, &from);
    hook_access(w, i, &to);
}

static bool has_place_hook(const char *name)
{
    static const char *const prefixes[] = {"gpucc_cpu_warp_", "gpucc_cpu_barrier", "gpucc_cpu_cluster_",
                                           "gpucc_cpu_fail", "gpucc_cpu_out_of_bounds", "gpucc_cpu_misaligned",
                                           "gpucc_cpu_check_atomic", "gpucc_cpu_undefined", "gpucc_cpu_nonfinite",
                                           "gpucc_cpu_texture_", "gpucc_cpu_surface_", "gpucc_cpu_mbarrier_",
                                           "gpucc_cpu_tensor_", "gpucc_cpu_bulk_", "gpucc_cpu_watch_product_"};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++)
        if (!strncmp(name, prefixes[k], strlen(prefixes[k])))
            return true;
    return false;
}

/* The place of an operation in one of our own headers becomes that of the call there. */
static void move_operation(const struct watch *w, LLVMValueRef i)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i), users = users_location(w, location);
    LLVMValueRef fields[8], operation = LLVMIsAGlobalVariable(LLVMGetOperand(i, 0));
    if (users == location || !operation)
        return;
    for (unsigned k = 0; k < 8; k++)
        fields[k] = LLVMGetAggregateElement(LLVMGetInitializer(operation), k);
    fields[0] = private_text(w->module, shown_name(watch_path(w, users)));
    fields[1] = watch_number(w, LLVMDILocationGetLine(users));
    fields[2] = watch_number(w, LLVMDILocationGetColumn(users));
    LLVMSetOperand(i, 0, private_global(w->module, LLVMConstStructInContext(w->context, fields, 8, false), true));
}

static bool is_operation(const char *name)
{
    return !strcmp(name, "gpucc_cpu_undefined") || !strcmp(name, "gpucc_cpu_nonfinite");
}

/* The executor's access to texels, or the copy engine's and products' to memory, on behalf of the thread. */
static unsigned texel_access(const char *name)
{
    return begins(name, "gpucc_cpu_texture_")           ? GPUCC_CPU_READ | GPUCC_CPU_TEXTURE
           : !strcmp(name, "gpucc_cpu_surface_read")  ? GPUCC_CPU_READ
           : !strcmp(name, "gpucc_cpu_surface_write") ? GPUCC_CPU_WRITE
           : begins(name, "gpucc_cpu_tensor_") || begins(name, "gpucc_cpu_bulk_copy") ||
                   begins(name, "gpucc_cpu_watch_product_begin")
               ? GPUCC_CPU_ACTOR
               : 0;
}

enum { STORE_ADDS = 2 }; /* of the arguments of gpucc_cpu_tensor_store() */

static bool is_nonzero(LLVMValueRef value)
{
    return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value);
}

/* The shared variable to or from which the copy engine copies; null if none is known. */
static LLVMValueRef copy_target(const struct watch *w, LLVMValueRef i, const char *name)
{
    enum { TO, FROM };
    const bool is_bulk = !strcmp(name, "gpucc_cpu_bulk_copy");
    LLVMValueRef base = NULL;
    if (is_bulk || !strcmp(name, "gpucc_cpu_tensor_load"))
        base = watch_base(w, LLVMGetOperand(i, TO));
    if (!strcmp(name, "gpucc_cpu_tensor_store") || (is_bulk && !LLVMIsAGlobalVariable(base)))
        base = watch_base(w, LLVMGetOperand(i, FROM));
    return base && LLVMIsAGlobalVariable(base) && watch_object_of(w, base).extent ? base : NULL;
}

static void hook_place(const struct watch *w, LLVMValueRef i)
{
    const char *name = name_of(called_function(i));
    struct access access = {.kind = texel_access(name)};
    if (!strcmp(name, "gpucc_cpu_tensor_store") && is_nonzero(LLVMGetOperand(i, STORE_ADDS)))
        access.kind |= GPUCC_CPU_STRONG;
    if (is_operation(name))
        move_operation(w, i);
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef target = w->options->checks & CHECK_MEMORY && !w->in_call ? copy_target(w, i, name) : NULL;
    LLVMValueRef site = watch_site_constant(w, i, target, &access), arguments[] = {target, site};
    if (target)
        call_hook(w, w->nothing, "gpucc_cpu_watch_target", arguments, 2);
    else
        call_hook(w, w->nothing, "gpucc_cpu_watch_place", &site, 1);
}

enum { COPY_SITE = 4 }; /* of the arguments of gpucc_cpu_copy_begin() */

static void watch_call(const struct watch *w, LLVMValueRef i, const char *name)
{
    if (!strncmp(name, "llvm.memcpy", 11) || !strncmp(name, "llvm.memmove", 12) || !strncmp(name, "llvm.memset", 11)) {
        hook_copy(w, i, name);
    } else if (!strcmp(name, "gpucc_cpu_copy_begin") && !w->in_call) {
        LLVMSetOperand(i, COPY_SITE, watch_site_constant(w, i, NULL, NULL));
    } else if (has_place_hook(name)) {
        hook_place(w, i);
    }
}

static void watch_instruction(const struct watch *w, LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    if (!(w->options->checks & CHECK_MEMORY)) {
        if (callee && has_place_hook(name_of(callee)))
            hook_place(w, i);
        return;
    }
    if (LLVMGetInstructionOpcode(i) == LLVMFence && !LLVMIsAtomicSingleThread(i) && !w->in_call) {
        LLVMPositionBuilderBefore(w->builder, i);
        call_hook(w, w->nothing, "gpucc_cpu_watch_fence", NULL, 0);
    }
    LLVMPositionBuilderBefore(w->builder, i);
    struct access access = scalar_access(w, i);
    if (access.address)
        hook_access(w, i, &access);
    else if (callee)
        watch_call(w, i, name_of(callee));
}

/* ---- which functions ---- */

static void reach_all_with_pointers(struct watch *w);

static void reach(struct watch *w, LLVMValueRef function)
{
    if (map_get(&w->functions, function) || LLVMIsDeclaration(function))
        return;
    map_put(&w->functions, function, function);
    FOR_INSTRUCTIONS_IN(i, function) {
        if (called_function(i))
            reach(w, called_function(i));
        else if (LLVMIsACallInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
            reach_all_with_pointers(w);
    }
}

static bool has_pointer(LLVMValueRef function)
{
    FOR_USES(use, function)
        if (called_function(LLVMGetUser(use)) != function)
            return true;
    return false;
}

/* The possible callees of a call through a pointer. */
static void reach_all_with_pointers(struct watch *w)
{
    FOR_FUNCTIONS(f, w->module)
        if (has_pointer(f))
            reach(w, f);
}

static uint64_t variable_bytes(const struct watch *w, LLVMValueRef variable)
{
    LLVMValueRef count = LLVMGetOperand(variable, 0);
    return LLVMIsAConstantInt(count) ? LLVMConstIntGetZExtValue(count) *
                                           LLVMABISizeOfType(LLVMGetModuleDataLayout(w->module),
                                                             LLVMGetAllocatedType(variable)) : 0;
}

/* Returns whether an instruction has a place; in a kernel's wrapper, only source instructions count. */
static bool has_place(const struct watch *w, LLVMValueRef i)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
    return location && (!map_get(&w->entries, function) || LLVMDILocationGetInlinedAt(location));
}

/* Returns the place where the largest local variable is used, else where the function begins; null without a place. */
static LLVMValueRef stack_place(const struct watch *w, LLVMValueRef function)
{
    LLVMValueRef largest = NULL, place = NULL;
    FOR_INSTRUCTIONS_IN(i, function) {
        if (LLVMIsAAllocaInst(i) && (!largest || variable_bytes(w, i) > variable_bytes(w, largest)))
            largest = i;
        else if (!place && has_place(w, i))
            place = i;
    }
    if (largest)
        FOR_USES(use, largest)
            if (LLVMIsAInstruction(LLVMGetUser(use)) && has_place(w, LLVMGetUser(use)))
                place = LLVMGetUser(use);
    return place;
}

/* Asks at the beginning of a function whether the stack has room for its variables.  Large ones get theirs only then,
 * as their number, 1, is the answer. */
static void watch_stack(const struct watch *w, LLVMValueRef function)
{
    enum { LARGE = 4096 };
    LLVMValueRef place = stack_place(w, function);
    uint64_t sum = 0;
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsAAllocaInst(i))
            sum += variable_bytes(w, i);
    if (!place || (map_get(&w->entries, function) && sum < LARGE))
        return;
    LLVMPositionBuilderBefore(w->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(place));
    LLVMValueRef arguments[] = {LLVMConstInt(w->wide, sum, false), watch_site_constant(w, place, NULL, NULL)};
    LLVMValueRef one = call_hook(w, w->wide, "gpucc_cpu_watch_stack", arguments, 2);
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsAAllocaInst(i) && variable_bytes(w, i) >= LARGE)
            LLVMSetOperand(i, 0, LLVMBuildIntCast2(w->builder, one, LLVMTypeOf(LLVMGetOperand(i, 0)), false, ""));
}

/* Reads of operands by a warpgroup's products (<gpucc/wgmma.h>), which are reported as such. */
static bool is_operand_read(LLVMValueRef function)
{
    return begins(name_of(function), "gpucc_wgmma_element") || begins(name_of(function), "gpucc_wgmma_integer");
}

static void watch_function(struct watch *w, LLVMValueRef function)
{
    if (w->options->checks & CHECK_RACE && is_operand_read(function))
        return;
    struct {
        LLVMValueRef *items;
        size_t count;
    } all = {0};
    FOR_INSTRUCTIONS_IN(i, function) { /* those that there are now */
        all.items = arena_grow(w->arena, all.items, all.count, sizeof *all.items);
        all.items[all.count++] = i;
    }
    for (size_t k = 0; k < all.count && w->options->checks & CHECK_UNINITIALIZED && !w->in_call; k++)
        if (LLVMIsAAllocaInst(all.items[k]))
            add_written(w, all.items[k], function);
    for (size_t k = 0; k < all.count; k++)
        watch_instruction(w, all.items[k]);
}

static const char preserving_attribute[] = "sanitize_thread";

void preserve_accesses(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module)
        if (!LLVMIsDeclaration(f))
            set_attribute(f, preserving_attribute);
}

/* K_block runs on a worker's stack, which is large. */
static bool is_block(LLVMValueRef function)
{
    const char *name = name_of(function), suffix[] = "_block";
    const size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && !strcmp(name + length - tail, suffix);
}

static void add_entry(struct watch *w, LLVMValueRef entry)
{
    map_put(&w->entries, entry, entry);
    reach(w, entry);
}

/* Lists the functions that the executor runs for a kernel, or for a gufunc whose calls each occupy a block. */
static void add_entries(struct watch *w, const struct instance *instance)
{
    const char *entry = instance->by_block ? arena_printf(w->arena, "%s_outer", instance->symbol) : instance->symbol;
    LLVMValueRef thread = LLVMGetNamedFunction(w->module, arena_printf(w->arena, "%s_thread", entry));
    LLVMValueRef block = LLVMGetNamedFunction(w->module, arena_printf(w->arena, "%s_block", entry));
    if ((instance->function->kind != FUNCTION_KERNEL && !instance->by_block) || !thread)
        return;
    add_entry(w, thread);
    if (block)
        add_entry(w, block);
}

/* An operand is where it is. */
static void forget_cores(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetNamedFunction(module, "gpucc_cpu_core");
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetFirstUse(function)) {
        LLVMValueRef core = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(core, LLVMGetOperand(core, 0));
        LLVMInstructionEraseFromParent(core);
    }
    if (function)
        LLVMDeleteFunction(function);
}

void lower_watch(const struct options *options, const struct program *program, LLVMModuleRef module)
{
    struct watch w = {.options = options, .arena = options->arena, .module = module,
                      .context = LLVMGetModuleContext(module)};
    w.written.arena = w.functions.arena = w.entries.arena = w.arena;
    w.builder = LLVMCreateBuilderInContext(w.context);
    watch_make_types(&w);
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t k = 0; k < program->passes[p].instance_count; k++)
            add_entries(&w, &program->passes[p].instances[k]);
    FOR_FUNCTIONS(f, module) {
        w.in_call = !map_get(&w.functions, f);
        if (!LLVMIsDeclaration(f) && strcmp(name_of(f), within_name) != 0)
            watch_function(&w, f);
        if (!w.in_call && options->checks & CHECK_ADDRESS && !is_block(f))
            watch_stack(&w, f);
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(preserving_attribute,
                                                                       strlen(preserving_attribute)));
    }
    forget_cores(module);
    LLVMDisposeBuilder(w.builder);
}
