/* The helpers over LLVM's C API. */
#include "ir/ir.h"
#include "bridge/bridge.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

static LLVMValueRef first_from(LLVMBasicBlockRef block)
{
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef first = LLVMGetFirstInstruction(block);
        if (first)
            return first;
    }
    return NULL;
}

LLVMValueRef first_instruction(LLVMValueRef function)
{
    return first_from(LLVMGetFirstBasicBlock(function));
}

LLVMValueRef next_instruction(LLVMValueRef instruction)
{
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    return next ? next : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction)));
}

const char *name_of(LLVMValueRef value)
{
    size_t size;
    return LLVMGetValueName2(value, &size);
}

bool is_in_section(LLVMValueRef global, const char *section)
{
    const char *name = LLVMGetSection(global);
    return name && !strcmp(name, section);
}

void add_note(LLVMModuleRef module, LLVMValueRef function, const char *key, unsigned value)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMMetadataRef items[] = {LLVMValueAsMetadata(function), LLVMMDStringInContext2(context, key, strlen(key)),
                               LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), value, false))};
    LLVMAddNamedMetadataOperand(module, "nvvm.annotations",
                                LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, items, 3)));
}

LLVMAttributeRef attribute(LLVMContextRef context, const char *name)
{
    return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

bool is_tensor_map(LLVMValueRef function, unsigned index)
{
    static const char name[] = "struct.gpucc_tensor_map";
    const unsigned byval = LLVMGetEnumAttributeKindForName("byval", strlen("byval"));
    LLVMAttributeRef passed = LLVMGetEnumAttributeAtIndex(function, index + 1, byval);
    LLVMTypeRef type = passed ? LLVMGetTypeAttributeValue(passed) : NULL;
    const char *tag = type && LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
    return tag && !strncmp(tag, name, strlen(name));
}

bool has_mark(LLVMValueRef function, const char *mark)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, mark, (unsigned)strlen(mark)) != NULL;
}

void set_mark(LLVMValueRef function, const char *mark)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, mark, (unsigned)strlen(mark), "", 0));
}

void set_attribute(LLVMValueRef function, const char *name)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(context, name));
}

static bool is_compared_within(LLVMValueRef value, int steps)
{
    FOR_USES(use, value) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMICmp:
        case LLVMFCmp:
        case LLVMBr:
        case LLVMSwitch: return true;
        case LLVMAnd:
        case LLVMOr:
        case LLVMXor:
        case LLVMLShr:
        case LLVMTrunc:
        case LLVMZExt:
        case LLVMSExt:
        case LLVMBitCast:
        case LLVMFreeze:
        case LLVMExtractValue:
        case LLVMSelect:
        case LLVMPHI:
            if (steps > 0 && is_compared_within(user, steps - 1))
                return true;
            break;
        default: break;
        }
    }
    return false;
}

bool is_compared(LLVMValueRef value)
{
    enum { MOST_STEPS = 6 };
    return is_compared_within(value, MOST_STEPS);
}

LLVMValueRef called_function(LLVMValueRef instruction)
{
    LLVMValueRef called = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
    return called && LLVMIsAFunction(called) ? called : NULL;
}

LLVMValueRef intrinsic(LLVMModuleRef module, const char *name, LLVMTypeRef *types, size_t count)
{
    return LLVMGetIntrinsicDeclaration(module, LLVMLookupIntrinsicID(name, strlen(name)), types, count);
}

LLVMValueRef private_global(LLVMModuleRef module, LLVMValueRef value, bool is_constant)
{
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), "");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, is_constant);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return global;
}

LLVMValueRef private_text(LLVMModuleRef module, const char *text)
{
    LLVMValueRef value = LLVMConstStringInContext2(LLVMGetModuleContext(module), text, strlen(text), false);
    LLVMValueRef global = private_global(module, value, true);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

LLVMValueRef loop_to_unroll(LLVMContextRef context, bool however_long)
{
    const char *how = however_long ? "llvm.loop.unroll.full" : "llvm.loop.unroll.enable";
    LLVMMetadataRef name = LLVMMDStringInContext2(context, how, strlen(how));
    LLVMMetadataRef full = LLVMMDNodeInContext2(context, &name, 1);
    LLVMMetadataRef itself = LLVMTemporaryMDNode(context, NULL, 0), parts[2] = {itself, full};
    LLVMMetadataRef node = LLVMMDNodeInContext2(context, parts, 2);
    LLVMMetadataReplaceAllUsesWith(itself, node); /* a loop's name begins with itself */
    return LLVMMetadataAsValue(context, node);
}

LLVMValueRef build_call(LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef *arguments, unsigned count)
{
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

void run_passes(LLVMModuleRef module, const char *passes, LLVMTargetMachineRef machine)
{
    if (!codegen_run_module_passes(module, machine, passes))
        fatal("this LLVM does not have the passes %s", passes);
}

/* ---- maps ---- */

static size_t slot_of(const struct pointer_map *map, const void *key)
{
    size_t at = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20;
    for (at &= map->capacity - 1; map->items[at].key && map->items[at].key != key; at = (at + 1) & (map->capacity - 1))
        ;
    return at;
}

void *map_get(const struct pointer_map *map, const void *key)
{
    return map->capacity ? map->items[slot_of(map, key)].value : NULL;
}

void map_put(struct pointer_map *map, const void *key, void *value)
{
    if (2 * map->count >= map->capacity) {
        struct pointer_map larger = {.arena = map->arena, .capacity = map->capacity ? 2 * map->capacity : 64};
        larger.items = arena_alloc(map->arena, larger.capacity * sizeof *larger.items);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->items[i].key)
                map_put(&larger, map->items[i].key, map->items[i].value);
        *map = larger;
    }
    size_t at = slot_of(map, key);
    map->count += !map->items[at].key;
    map->items[at].key = key;
    map->items[at].value = value;
}
