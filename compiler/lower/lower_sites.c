/* For hooked accesses: what an address is based on, and where in the program an access stands. */
#include "lower/lower_watch.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

/* ---- what an address is based on ---- */

static LLVMValueRef root_of(struct pointer_map *seen, LLVMValueRef address);

/* If all paths lead to the same value. */
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

LLVMValueRef watch_base(const struct watch *w, LLVMValueRef address)
{
    struct pointer_map seen = {.arena = w->arena};
    return root_of(&seen, address);
}

static bool is_load(LLVMValueRef value)
{
    return LLVMIsALoadInst(value) != NULL;
}

bool is_executors_own(const struct watch *w, LLVMValueRef base)
{
    LLVMValueRef callee = called_function(base);
    if (callee && !strcmp(name_of(callee), "gpucc_cpu_self"))
        return true;
    if (is_load(base))
        base = watch_base(w, LLVMGetOperand(base, 0));
    return LLVMIsAArgument(base) && map_get(&w->entries, LLVMGetParamParent(base));
}

bool is_literal_object(LLVMValueRef base)
{
    return LLVMIsAGlobalVariable(base) && LLVMIsGlobalConstant(base) &&
           LLVMGetUnnamedAddress(base) == LLVMGlobalUnnamedAddr;
}

/* ---- descriptions ---- */

LLVMValueRef watch_number(const struct watch *w, unsigned value)
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

const char *watch_path(const struct watch *w, LLVMMetadataRef location)
{
    unsigned length = 0;
    LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *path = file ? LLVMDIFileGetFilename(file, &length) : "";
    return arena_strndup(w->arena, path, length);
}

bool is_in_source(const struct watch *w, LLVMMetadataRef location)
{
    return location && is_users(watch_path(w, location));
}

/* The call through which the program came there; null: it stands in what others call. */
static LLVMMetadataRef caller_of(const struct watch *w, LLVMMetadataRef location)
{
    LLVMMetadataRef caller = location ? LLVMDILocationGetInlinedAt(location) : NULL;
    return is_in_source(w, caller) ? caller : NULL;
}

LLVMMetadataRef users_location(const struct watch *w, LLVMMetadataRef location)
{
    while (begins(watch_path(w, location), EMBEDDED_ROOT) && caller_of(w, location))
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
    LLVMValueRef place[] = {private_text(w->module, shown_name(watch_path(w, location))),
                            watch_number(w, location ? LLVMDILocationGetLine(location) : 0),
                            watch_number(w, location ? LLVMDILocationGetColumn(location) : 0)};
    LLVMValueRef fields[] = {LLVMConstNamedStruct(w->place_type, place, 3),
                             private_text(w->module, scope ? function_name(w, scope) : ""), from};
    return LLVMConstNamedStruct(w->call_type, fields, 3);
}

/* Clang names a variable of a function "kernel.tile"; LLVM names a second one "tile.3". */
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

/* Returns the size of an array's element, whatever its dimensions; 0 for other types. */
static unsigned element_size(const struct watch *w, LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return 0;
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    return (unsigned)LLVMABISizeOfType(LLVMGetModuleDataLayout(w->module), type);
}

bool is_core(LLVMValueRef base)
{
    LLVMValueRef callee = called_function(base);
    return callee && !strcmp(name_of(callee), "gpucc_cpu_core");
}

struct object watch_object_of(const struct watch *w, LLVMValueRef base)
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

LLVMValueRef watch_site_constant(const struct watch *w, LLVMValueRef i, LLVMValueRef base, const struct access *access)
{
    const struct object object = watch_object_of(w, base);
    LLVMValueRef fields[] = {call_constant(w, LLVMInstructionGetDebugLoc(i)), object.name,
                             LLVMConstInt(w->wide, object.extent, false), watch_number(w, object.element),
                             watch_number(w, access ? access->bytes : 0),
                             watch_number(w, access ? access->align : 0),
                             watch_number(w, access ? access->kind : 0),
                             watch_number(w, 0)};
    return private_global(w->module, LLVMConstNamedStruct(w->site_type, fields, 8), false);
}

void watch_make_types(struct watch *w)
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
