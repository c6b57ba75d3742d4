/* The element types, from <gpucc/dtypes.def>. */
#include "base/base.h"

#include <string.h>

static const struct {
    const char *name, *code, *c_type, *host, *npy;
    unsigned char size, digits;
    char kind;
} dtypes[DTYPE_COUNT] = {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits)                                             \
    [DTYPE_##name] = {#name, #code, #c_type, #host, #npy, size, digits, #kind[0]},
#include <gpucc/dtypes.def>
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

const char *dtype_host_type(enum dtype dtype)
{
    return dtypes[dtype].host;
}

const char *dtype_npy(enum dtype dtype)
{
    return dtypes[dtype].npy;
}

size_t dtype_size(enum dtype dtype)
{
    return dtypes[dtype].size;
}

char dtype_kind(enum dtype dtype)
{
    return dtypes[dtype].kind;
}

bool dtype_is_stored(enum dtype dtype)
{
    return dtype == DTYPE_float8_e4m3fn || dtype == DTYPE_float8_e5m2;
}

int dtype_digits(enum dtype dtype)
{
    return dtypes[dtype].digits;
}

enum dtype dtype_from_name(const char *name, size_t length)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (strlen(dtypes[dtype].name) == length && !memcmp(dtypes[dtype].name, name, length))
            return dtype;
    return DTYPE_NONE;
}
