/* -fsanitize=address, race and uninitialized, for kernels' native code: before each access to memory that other threads
 * may see, or whose size is known, the executor (runtime/cpu/watch.c) is told the address, the one that it is based on,
 * and a description of the place.  Functions are inlined and variables in registers by then, but nothing else is
 * optimised, so what is told is what stands in the source.  In the code of ufuncs and gufuncs addresses are compared
 * with the ends of arrays there and then, of operands too, which the loops around a gufunc name by gpucc_cpu_core(). */
#include "lower/lower_internal.h"

#include <gpucc/cpu.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

struct watch {
    const struct options *options;
    struct arena *arena;
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTypeRef pointer, word, wide, nothing;
    LLVMTypeRef place_type, call_type, site_type; /* struct gpucc_cpu_place, _call, _site */
    struct pointer_map written;                   /* local variables and the bytes that say what of them is written */
    struct pointer_map functions;                 /* those that threads run */
    struct pointer_map entries;                   /* NAME_thread and NAME_block */
    bool in_call;                                 /* of a ufunc or gufunc: here, no thread is watched */
};

/* What an instruction does to memory. */
struct access {
    LLVMValueRef address, size, value; /* size: null where the site says it; value: of a known write, or null */
    unsigned bytes, align, kind;
};

/* ---- what an address is based on ---- */

static LLVMValueRef root_of(struct pointer_map *seen, LLVMValueRef address);

/* Where all ways bring the same. */
static LLVMValueRef common_root(struct pointer_map *seen, LLVMValueRef joined)
{
    const bool is_phi = LLVMIsAPHINode(joined) != NULL;
    const unsigned count = is_phi ? LLVMCountIncoming(joined) : 3;
    LLVMValueRef common = NULL;
    for (unsigned k = is_phi ? 0 : 1; k < count; k++) {
        LLVMValueRef value = is_phi ? LLVMGetIncomingValue(joined, k) : LLVMGetOperand(joined, k);
        LLVMValueRef root = root_of(seen, value);
        if (root && common && root != common)
            return joined;
        common = root ? root : common;
    }
    return common ? common : joined;
}

static LLVMValueRef root_of(struct pointer_map *seen, LLVMValueRef address)
{
    for (;;) {
        const bool is_expression = LLVMIsAConstantExpr(address) != NULL;
        const LLVMOpcode opcode = is_expression                   ? LLVMGetConstOpcode(address)
                                  : LLVMIsAInstruction(address) ? LLVMGetInstructionOpcode(address)
                                                                 : (LLVMOpcode)0;
        if (opcode == LLVMPHI || opcode == LLVMSelect) {
            if (map_get(seen, address))
                return NULL; /* round a loop: nothing new */
            map_put(seen, address, address);
            return common_root(seen, address);
        }
        if (opcode != LLVMGetElementPtr && opcode != LLVMBitCast && opcode != LLVMAddrSpaceCast)
            return address;
        address = LLVMGetOperand(address, 0);
    }
}

static LLVMValueRef base_of(const struct watch *w, LLVMValueRef address)
{
    struct pointer_map seen = {.arena = w->arena};
    return root_of(&seen, address);
}

static bool is_load(LLVMValueRef value)
{
    return LLVMIsALoadInst(value) != NULL;
}

/* The executor's own: a thread's record, and the parameters that it hands to a kernel's functions. */
static bool is_executors(const struct watch *w, LLVMValueRef base)
{
    LLVMValueRef callee = called_function(base);
    if (callee && !strcmp(name_of(callee), "gpucc_cpu_self"))
        return true;
    if (is_load(base))
        base = base_of(w, LLVMGetOperand(base, 0));
    return LLVMIsAArgument(base) && map_get(&w->entries, LLVMGetParamParent(base));
}

/* What Clang makes of literals and initialisers. */
static bool is_literal(LLVMValueRef base)
{
    return LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) &&
           LLVMGetUnnamedAddress(base) == LLVMGlobalUnnamedAddr;
}

/* ---- descriptions ---- */

static LLVMValueRef number(const struct watch *w, unsigned value)
{
    return LLVMConstInt(w->word, value, false);
}

/* The function of a scope, which may be a block of it. */
static LLVMValueRef subprogram_of(const struct watch *w, LLVMMetadataRef scope)
{
    enum { PARENT = 1 }; /* of its operands */
    while (scope && LLVMGetMetadataKind(scope) != LLVMDISubprogramMetadataKind) {
        LLVMValueRef node = LLVMMetadataAsValue(w->context, scope), operands[16];
        const int count = LLVMGetMDNodeNumOperands(node);
        if (count <= PARENT || count > 16)
            return NULL;
        LLVMGetMDNodeOperands(node, operands);
        scope = operands[PARENT] ? LLVMValueAsMetadata(operands[PARENT]) : NULL;
    }
    return scope ? LLVMMetadataAsValue(w->context, scope) : NULL;
}

static const char *function_name(const struct watch *w, LLVMMetadataRef scope)
{
    enum { NAME = 2, MOST = 32 };
    LLVMValueRef node = subprogram_of(w, scope), operands[MOST];
    unsigned length = 0;
    if (!node || LLVMGetMDNodeNumOperands(node) > MOST)
        return "";
    LLVMGetMDNodeOperands(node, operands);
    const char *name = operands[NAME] ? LLVMGetMDString(operands[NAME], &length) : "";
    return arena_strndup(w->arena, name, length);
}

static const char *location_path(const struct watch *w, LLVMMetadataRef location)
{
    unsigned length = 0;
    LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *path = file ? LLVMDIFileGetFilename(file, &length) : "";
    return arena_strndup(w->arena, path, length);
}

/* What codegen has written behind the user's file is not the user's. */
static bool is_in_source(const struct watch *w, LLVMMetadataRef location)
{
    return location && is_users(location_path(w, location));
}

/* The call through which the program came there; null: it stands in what others call. */
static LLVMMetadataRef caller_of(const struct watch *w, LLVMMetadataRef location)
{
    LLVMMetadataRef caller = location ? LLVMDILocationGetInlinedAt(location) : NULL;
    return is_in_source(w, caller) ? caller : NULL;
}

/* What our own headers do is told where the user has called them. */
static LLVMMetadataRef users_location(const struct watch *w, LLVMMetadataRef location)
{
    while (begins(location_path(w, location), EMBEDDED_ROOT) && caller_of(w, location))
        location = caller_of(w, location);
    return location;
}

static LLVMValueRef call_constant(const struct watch *w, LLVMMetadataRef location)
{
    location = users_location(w, location);
    LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL, caller = caller_of(w, location);
    LLVMValueRef from = LLVMConstPointerNull(w->pointer);
    if (caller)
        from = private_global(w->module, call_constant(w, caller), true);
    LLVMValueRef place[] = {private_text(w->module, shown_name(location_path(w, location))),
                            number(w, location ? LLVMDILocationGetLine(location) : 0),
                            number(w, location ? LLVMDILocationGetColumn(location) : 0)};
    LLVMValueRef fields[] = {LLVMConstNamedStruct(w->place_type, place, 3),
                             private_text(w->module, scope ? function_name(w, scope) : ""), from};
    return LLVMConstNamedStruct(w->call_type, fields, 3);
}

/* Of variables in functions Clang makes "kernel.tile", of another one of the same name LLVM "tile.3". */
static const char *source_name(const struct watch *w, LLVMValueRef global)
{
    const char *name = name_of(global);
    size_t end = strlen(name), begin;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    end = end > 0 && name[end - 1] == '.' ? end - 1 : strlen(name);
    for (begin = end; begin > 0 && name[begin - 1] != '.'; begin--)
        ;
    return arena_strndup(w->arena, name + begin, end - begin);
}

/* What is in an array, of however many dimensions; 0 where it is none. */
static unsigned element_size(const struct watch *w, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return 0;
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(w->module), type);
}

/* What an address is based on, as far as the code tells. */
struct object {
    LLVMValueRef name; /* null: none */
    uint64_t extent;   /* bytes; 0: not known */
    unsigned element;
};

/* A gufunc's operand, as the loops around it hand it over: gpucc_cpu_core(data, bytes, element, name). */
static bool is_core(LLVMValueRef base)
{
    LLVMValueRef callee = called_function(base);
    return callee && !strcmp(name_of(callee), "gpucc_cpu_core");
}

static struct object object_of(const struct watch *w, LLVMValueRef base)
{
    enum { ELEMENT = 2, NAME = 3 };
    struct object object = {.name = LLVMConstPointerNull(w->pointer)};
    if (base && is_core(base)) {
        object.name = LLVMGetOperand(base, NAME);
        object.element = (unsigned)LLVMConstIntGetZExtValue(LLVMGetOperand(base, ELEMENT));
        return object;
    }
    LLVMValueRef global = base ? LLVMIsAGlobalVariable(base) : NULL;
    LLVMTypeRef type = global                            ? LLVMGlobalGetValueType(global)
                       : base && LLVMIsAAllocaInst(base) ? LLVMGetAllocatedType(base)
                                                         : NULL;
    if (!type)
        return object;
    if (global)
        object.name = private_text(w->module, source_name(w, base));
    object.element = element_size(w, type);
    if (!global || !is_in_section(base, ".gpucc.dynamic_shared"))
        object.extent = LLVMABISizeOfType(LLVMGetModuleDataLayout(w->module), type);
    return object;
}

static LLVMValueRef site_constant(const struct watch *w, LLVMValueRef i, LLVMValueRef base,
                                  const struct access *access)
{
    const struct object object = object_of(w, base);
    LLVMValueRef fields[] = {call_constant(w, LLVMInstructionGetDebugLoc(i)), object.name,
                             LLVMConstInt(w->wide, object.extent, false), number(w, object.element),
                             number(w, access ? access->bytes : 0),
                             number(w, access ? access->align : 0),
                             number(w, access ? access->kind : 0),
                             number(w, 0)};
    return private_global(w->module, LLVMConstNamedStruct(w->site_type, fields, 8), false);
}

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

/* Of what is read as one scalar Clang says which type it has.  It does not where a bit-field is read with its
 * neighbours, a small struct that is passed by value with its padding, and a vector for one of its elements. */
bool is_partial(LLVMValueRef load)
{
    const unsigned alias_type = LLVMGetMDKindID("tbaa", 4);
    const LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(load));
    return (kind == LLVMIntegerTypeKind || kind == LLVMVectorTypeKind) && !LLVMGetMetadata(load, alias_type) &&
           LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic;
}

/* What is waited for, or asked for, is compared. */
static unsigned volatile_data(LLVMValueRef i)
{
    return LLVMGetVolatile(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !is_compared(i) ? GPUCC_CPU_DATA
                                                                                                      : 0;
}

static LLVMValueRef told_value(const struct watch *w, LLVMValueRef value)
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
        value = told_value(w, LLVMGetOperand(i, 0));
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

/* ---- telling ---- */

static LLVMValueRef tell(const struct watch *w, LLVMTypeRef result, const char *name, LLVMValueRef *arguments,
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

/* The shared variable of another block of the cluster that the address leads into; null where none is known. */
static LLVMValueRef mapped_variable(const struct watch *w, LLVMValueRef base)
{
    LLVMValueRef callee = called_function(base);
    if (!callee || strcmp(name_of(callee), "gpucc_cpu_cluster_map") != 0)
        return NULL;
    LLVMValueRef variable = base_of(w, LLVMGetOperand(base, 0));
    return LLVMIsAGlobalVariable(variable) ? variable : NULL;
}

/* Where that begins there: as far from what was mapped as it does here. */
static LLVMValueRef mapped_beginning(const struct watch *w, LLVMValueRef mapped, LLVMValueRef variable)
{
    LLVMValueRef from = LLVMBuildPtrToInt(w->builder, LLVMGetOperand(mapped, 0), w->wide, "");
    LLVMValueRef begin = LLVMBuildPtrToInt(w->builder, variable, w->wide, "");
    LLVMValueRef offset = LLVMBuildSub(w->builder, begin, from, "");
    return LLVMBuildGEP2(w->builder, LLVMInt8TypeInContext(w->context), mapped, &offset, 1, "");
}

static const char within_name[] = "gpucc_cpu_within";

/* Is inlined: an access of `size` bytes at `address` that does not lie in the `bytes` from `base` on is told. */
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
    LLVMValueRef base = base_of(w, access->address);
    const uint64_t extent = object_of(w, base).extent;
    if (!(w->options->checks & CHECK_ADDRESS) || !is_in_source(w, LLVMInstructionGetDebugLoc(i)) || is_literal(base) ||
        (extent == 0 && !is_core(base)))
        return;
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef bytes = is_core(base) ? LLVMGetOperand(base, BYTES) : LLVMConstInt(w->wide, extent, false);
    LLVMValueRef size = access->size ? access->size : LLVMConstInt(w->wide, access->bytes, false);
    LLVMValueRef arguments[] = {access->address, base, bytes, size, site_constant(w, i, base, access)};
    build_call(w->builder, within_function(w), arguments, 5);
}

static void tell_access(const struct watch *w, LLVMValueRef i, const struct access *access)
{
    LLVMValueRef base = base_of(w, access->address), variable = mapped_variable(w, base);
    if (w->in_call || is_core(base))
        check_access(w, i, access);
    if (w->in_call || is_executors(w, base) || is_literal(base))
        return;
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef site = site_constant(w, i, variable ? variable : base, access);
    if (variable)
        base = mapped_beginning(w, base, variable);
    LLVMValueRef size = access->size ? access->size : LLVMConstInt(w->wide, access->bytes, false);
    if (LLVMIsAAllocaInst(base)) {
        LLVMValueRef written = map_get(&w->written, base);
        LLVMValueRef local[] = {access->address, base, written ? written : LLVMConstPointerNull(w->pointer), size,
                                site};
        tell(w, w->nothing, "gpucc_cpu_watch_local", local, 5);
        return;
    }
    LLVMValueRef value = access->value ? access->value : LLVMConstInt(w->wide, 0, false);
    LLVMValueRef arguments[] = {access->address, base, access->size ? size : value, site};
    tell(w, w->nothing, access->size ? "gpucc_cpu_watch_range" : "gpucc_cpu_watch", arguments, 4);
}

/* Of a call's argument. */
static unsigned told_alignment(LLVMValueRef call, unsigned argument)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
    return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

/* memcpy(), memmove() and memset(), which copies of structs are too. */
static void tell_copy(const struct watch *w, LLVMValueRef i, const char *name)
{
    const bool is_set = !strncmp(name, "llvm.memset", 11);
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef size = LLVMBuildZExtOrBitCast(w->builder, LLVMGetOperand(i, 2), w->wide, "");
    struct access to = {.address = LLVMGetOperand(i, 0), .size = size, .kind = GPUCC_CPU_WRITE,
                        .align = told_alignment(i, 0)};
    struct access from = {.address = LLVMGetOperand(i, 1), .size = size, .kind = GPUCC_CPU_READ | GPUCC_CPU_PARTIAL,
                          .align = is_set ? 1 : told_alignment(i, 1)};
    if (!is_set)
        tell_access(w, i, &from);
    tell_access(w, i, &to);
}

static bool is_told_with_place(const char *name)
{
    static const char *const prefixes[] = {"gpucc_cpu_warp_", "gpucc_cpu_barrier", "gpucc_cpu_cluster_",
                                           "gpucc_cpu_fail", "gpucc_cpu_out_of_bounds", "gpucc_cpu_misaligned",
                                           "gpucc_cpu_check_atomic", "gpucc_cpu_undefined", "gpucc_cpu_nonfinite",
                                           "gpucc_cpu_texture_", "gpucc_cpu_surface_"};
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
    fields[0] = private_text(w->module, shown_name(location_path(w, users)));
    fields[1] = number(w, LLVMDILocationGetLine(users));
    fields[2] = number(w, LLVMDILocationGetColumn(users));
    LLVMSetOperand(i, 0, private_global(w->module, LLVMConstStructInContext(w->context, fields, 8, false), true));
}

static bool is_operation(const char *name)
{
    return !strcmp(name, "gpucc_cpu_undefined") || !strcmp(name, "gpucc_cpu_nonfinite");
}

/* What the executor does to texels in the thread's stead, when it is called. */
static unsigned texel_access(const char *name)
{
    return begins(name, "gpucc_cpu_texture_")           ? GPUCC_CPU_READ | GPUCC_CPU_TEXTURE
           : !strcmp(name, "gpucc_cpu_surface_read")  ? GPUCC_CPU_READ
           : !strcmp(name, "gpucc_cpu_surface_write") ? GPUCC_CPU_WRITE
                                                        : 0;
}

static void tell_place(const struct watch *w, LLVMValueRef i)
{
    const char *name = name_of(called_function(i));
    const struct access access = {.kind = texel_access(name)};
    if (is_operation(name))
        move_operation(w, i);
    LLVMPositionBuilderBefore(w->builder, i);
    LLVMValueRef site = site_constant(w, i, NULL, &access);
    tell(w, w->nothing, "gpucc_cpu_watch_place", &site, 1);
}

enum { COPY_SITE = 4 }; /* of the arguments of gpucc_cpu_copy_begin() */

static void watch_call(const struct watch *w, LLVMValueRef i, const char *name)
{
    if (!strncmp(name, "llvm.memcpy", 11) || !strncmp(name, "llvm.memmove", 12) || !strncmp(name, "llvm.memset", 11)) {
        tell_copy(w, i, name);
    } else if (!strcmp(name, "gpucc_cpu_copy_begin") && !w->in_call) {
        LLVMSetOperand(i, COPY_SITE, site_constant(w, i, NULL, NULL));
    } else if (is_told_with_place(name)) {
        tell_place(w, i);
    }
}

static void watch_instruction(const struct watch *w, LLVMValueRef i)
{
    LLVMValueRef callee = called_function(i);
    if (!(w->options->checks & CHECK_MEMORY)) {
        if (callee && is_told_with_place(name_of(callee)))
            tell_place(w, i);
        return;
    }
    if (LLVMGetInstructionOpcode(i) == LLVMFence && !LLVMIsAtomicSingleThread(i) && !w->in_call) {
        LLVMPositionBuilderBefore(w->builder, i);
        tell(w, w->nothing, "gpucc_cpu_watch_fence", NULL, 0);
    }
    LLVMPositionBuilderBefore(w->builder, i);
    struct access access = scalar_access(w, i);
    if (access.address)
        tell_access(w, i, &access);
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

/* What a call through a pointer may call. */
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

/* Of an instruction that has one; of a kernel's wrapper only what comes from the source. */
static bool has_place(const struct watch *w, LLVMValueRef i)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(i));
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
    return location && (!map_get(&w->entries, function) || LLVMDILocationGetInlinedAt(location));
}

/* Where the largest of the function's variables is used, or else where it begins; null: of no place in the source. */
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
    LLVMValueRef arguments[] = {LLVMConstInt(w->wide, sum, false), site_constant(w, place, NULL, NULL)};
    LLVMValueRef one = tell(w, w->wide, "gpucc_cpu_watch_stack", arguments, 2);
    FOR_INSTRUCTIONS_IN(i, function)
        if (LLVMIsAAllocaInst(i) && variable_bytes(w, i) >= LARGE)
            LLVMSetOperand(i, 0, LLVMBuildIntCast2(w->builder, one, LLVMTypeOf(LLVMGetOperand(i, 0)), false, ""));
}

static void watch_function(struct watch *w, LLVMValueRef function)
{
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

static void make_types(struct watch *w)
{
    w->pointer = LLVMPointerTypeInContext(w->context, 0);
    w->word = LLVMInt32TypeInContext(w->context);
    w->wide = LLVMInt64TypeInContext(w->context);
    w->nothing = LLVMVoidTypeInContext(w->context);
    LLVMTypeRef place[] = {w->pointer, w->word, w->word};
    w->place_type = LLVMStructCreateNamed(w->context, "gpucc_cpu_place");
    LLVMStructSetBody(w->place_type, place, 3, false);
    LLVMTypeRef call[] = {w->place_type, w->pointer, w->pointer};
    w->call_type = LLVMStructCreateNamed(w->context, "gpucc_cpu_call");
    LLVMStructSetBody(w->call_type, call, 3, false);
    LLVMTypeRef site[] = {w->call_type, w->pointer, w->wide, w->word, w->word, w->word, w->word, w->word};
    w->site_type = LLVMStructCreateNamed(w->context, "gpucc_cpu_site");
    LLVMStructSetBody(w->site_type, site, 8, false);
}

static const char keeps_accesses[] = "sanitize_thread";

void keep_accesses(LLVMModuleRef module)
{
    FOR_FUNCTIONS(f, module)
        if (!LLVMIsDeclaration(f))
            set_attribute(f, keeps_accesses);
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

/* What the executor runs of a kernel, or of a gufunc of which a block does each call. */
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
    make_types(&w);
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
                                       LLVMGetEnumAttributeKindForName(keeps_accesses, strlen(keeps_accesses)));
    }
    forget_cores(module);
    LLVMDisposeBuilder(w.builder);
}
