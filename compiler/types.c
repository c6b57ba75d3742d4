/* The element types, from <gpucc/dtypes.def>. */
#include "compiler.h"

#include <string.h>

static const struct {
    const char *name, *code, *c_type;
    unsigned char size;
    char kind;
} dtypes[DTYPE_COUNT] = {
#define DTYPE(name, code, c_type, size, kind) [DTYPE_##name] = {#name, #code, #c_type, size, kind},
#include <gpucc/dtypes.def>
#undef DTYPE
};

const char *dtype_name(enum dtype dtype)
{
    return dtypes[dtype].name;
}

const char *dtype_code(enum dtype dtype)
{
    return dtypes[dtype].code;
}

const char *dtype_c_type(enum dtype dtype)
{
    return dtypes[dtype].c_type;
}

size_t dtype_size(enum dtype dtype)
{
    return dtypes[dtype].size;
}

char dtype_kind(enum dtype dtype)
{
    return dtypes[dtype].kind;
}

enum dtype dtype_from_name(const char *name, size_t length)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (strlen(dtypes[dtype].name) == length && !memcmp(dtypes[dtype].name, name, length))
            return dtype;
    return DTYPE_NONE;
}
