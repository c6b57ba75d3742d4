/* Module variables: device memory, whose contents stand in the native variable of the same name while a kernel runs. */
#define _GNU_SOURCE
#include "fake.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct variable {
    struct variable *next;
    char *name;
    size_t size;
    void *native; /* null where there is none */
    struct allocation *memory;
};

/* A variable of the native code with its initial bytes, which are a module's initial value. */
struct native_variable {
    struct native_variable *next;
    const char *name;
    void *address;
    size_t size;
    void *initial;
};
static struct native_variable *natives;

static struct native_variable *remember(const char *name, void *address, size_t size)
{
    struct native_variable *native = calloc(1, sizeof *native);
    void *initial = malloc(size);
    if (!native || !initial)
        die("the host is out of memory");
    memcpy(initial, address, size);
    *native = (struct native_variable){natives, strdup(name), address, size, initial};
    natives = native;
    return native;
}

void fake_cuda_register_global(const char *name, void *address, size_t size)
{
    ENTER_LOCK;
    remember(name, address, size);
}

void *native_symbol(const struct module *module, const char *name)
{
    void *found = module->library ? dlsym(module->library, name) : NULL;
    return found ? found : dlsym(RTLD_DEFAULT, name);
}

/* Several libraries may have a variable of that name, so the address identifies it. */
static const struct native_variable *native_for(const struct module *module, const char *name, size_t size)
{
    void *address = native_symbol(module, name);
    for (struct native_variable *n = natives; n; n = n->next)
        if (strcmp(n->name, name) == 0 && n->size == size && (!module->library || n->address == address))
            return n;
    return address ? remember(name, address, size) : NULL;
}

bool variable_add(struct module *module, const char *name, size_t size)
{
    const struct native_variable *native = native_for(module, name, size);
    struct variable *variable = calloc(1, sizeof *variable);
    if (!variable)
        die("the host is out of memory");
    *variable = (struct variable){module->variables, strdup(name), size, native ? native->address : NULL, NULL};
    module->variables = variable;
    variable->memory = memory_place(module->object.context, size, native ? native->initial : NULL);
    return variable->memory;
}

struct allocation *variable_memory(const struct variable *variables, const char *name)
{
    for (const struct variable *v = variables; v; v = v->next)
        if (strcmp(v->name, name) == 0)
            return v->memory;
    return NULL;
}

void variables_end(struct module *module)
{
    while (module->variables) {
        struct variable *variable = module->variables;
        module->variables = variable->next;
        if (variable->memory)
            memory_discard(variable->memory);
        free(variable->name);
        free(variable);
    }
}

void variables_enter(const struct module *module)
{
    for (const struct variable *v = module->variables; v; v = v->next)
        if (v->native)
            memcpy(v->native, allocation_base(v->memory), v->size);
}

void variables_leave(const struct module *module)
{
    for (const struct variable *v = module->variables; v; v = v->next)
        if (v->native)
            memcpy(allocation_base(v->memory), v->native, v->size);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *size, CUmodule handle, const char *name)
{
    ENTER("cuModuleGetGlobal", CUDA_ERROR_NOT_FOUND);
    struct context *context;
    CUresult result = context_owning(handle, MODULE, &context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!name || !*name)
        return CUDA_ERROR_INVALID_VALUE;
    for (const struct variable *v = ((struct module *)handle)->variables; v; v = v->next)
        if (strcmp(v->name, name) == 0) {
            if (pointer)
                *pointer = (uintptr_t)allocation_base(v->memory);
            if (size)
                *size = v->size;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}
