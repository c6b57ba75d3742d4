/* Writes to constant variables through pointers, which the front end does not see.  A GPU has no instruction for them,
 * and LLVM drops them or gives up. */
#include "lower/lower_internal.h"

#include <llvm-c/Core.h>
#include <string.h>

struct search {
    const struct program *program;
    struct diagnostics *diagnostics;
    const char *variable;
    bool found;
};

/* Whether a native entry's name, or PTX's, is that of the instance. */
static bool is_entry_of(const struct instance *instance, const char *name)
{
    size_t length = strlen(instance->symbol);
    const char *rest = name + length;
    return !strncmp(name, instance->symbol, length) && (!*rest || !strcmp(rest, "_thread") || !strcmp(rest, "_block"));
}

/* The source's annotated function for one of the module; null if there is none. */
static const struct function *source_function(const struct program *program, const char *name)
{
    for (size_t p = 0; p < program->pass_count; p++)
        for (size_t i = 0; i < program->passes[p].instance_count; i++)
            if (is_entry_of(&program->passes[p].instances[i], name))
                return program->passes[p].instances[i].function;
    return NULL;
}

static void report_constant(struct search *search, LLVMValueRef instruction)
{
    const char *name = name_of(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
    const struct function *function = source_function(search->program, name);
    search->found = true;
    diagnose(search->diagnostics, SEVERITY_ERROR, function ? function->place : (struct place){0}, NULL,
                "'%s' writes through a pointer to '%s': constant memory is set by the host and read-only in device "
                "code",
                function ? function->name : name, search->variable);
}

static bool writes(LLVMValueRef user, LLVMValueRef address)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMStore:
        return LLVMGetOperand(user, 1) == address;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return LLVMGetOperand(user, 0) == address;
    default:
        return false;
    }
}

/* Whether `user` is an address within what it takes the address of. */
static bool passes_on(LLVMValueRef user)
{
    LLVMOpcode opcode = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMGetConstOpcode(user);
    return opcode == LLVMGetElementPtr || opcode == LLVMAddrSpaceCast || opcode == LLVMBitCast;
}

static void search_uses(struct search *search, LLVMValueRef address)
{
    FOR_USES(use, address) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsAInstruction(user) && !LLVMIsAConstantExpr(user))
            continue;
        if (passes_on(user))
            search_uses(search, user);
        else if (LLVMIsAInstruction(user) && writes(user, address))
            report_constant(search, user);
    }
}

bool check_constants(const struct program *program, LLVMModuleRef module, struct diagnostics *diagnostics)
{
    struct search search = {.program = program, .diagnostics = diagnostics};
    FOR_GLOBALS(global, module) {
        const char *section = LLVMGetSection(global);
        if (!section || strcmp(section, ".gpucc.constant"))
            continue;
        search.variable = name_of(global);
        search_uses(&search, global);
    }
    return !search.found;
}
