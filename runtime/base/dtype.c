/* The element types: names, sizes, and which casts to which. */
#include "base/common.h"
#include "base/resolve.h"
#include <string.h>

const struct dtype dtypes[GPUCC_DTYPE_COUNT] = {
#define DTYPE(name, constant, code, c_type, host, npy, size, kind, digits) {#name, #code, size, #kind[0]},
#include <gpucc/dtypes.def>
};

const char *gpucc_dtype_name(gpucc_dtype dtype)
{
    return dtype_valid(dtype) ? dtypes[dtype].name : "?";
}

size_t gpucc_dtype_size(gpucc_dtype dtype)
{
    return dtype_valid(dtype) ? dtypes[dtype].size : 0;
}

gpucc_dtype gpucc_dtype_from_name(const char *name)
{
    int dtype = 0;
    while (name && dtype < GPUCC_DTYPE_COUNT && strcmp(dtypes[dtype].name, name) != 0)
        dtype++;
    return name ? (gpucc_dtype)dtype : GPUCC_DTYPE_COUNT;
}

/* Bytes of the real numbers that a floating or complex type is made of. */
static size_t real_size(const struct dtype *type)
{
    return type->kind == 'c' ? type->size / 2u : type->size;
}

/* NumPy holds that float64 keeps every integer, and that a float keeps the integers of half its size. */
static bool real_represents_integer(size_t real, size_t integer)
{
    return real == 8 || real >= 2 * integer;
}

bool dtype_casts_safely(gpucc_dtype from, gpucc_dtype to)
{
    const struct dtype *f = &dtypes[from], *t = &dtypes[to];
    if (from == to || f->kind == 'b')
        return true;
    switch (t->kind) {
    case 'u': return f->kind == 'u' && t->size >= f->size;
    case 'i': return (f->kind == 'i' && t->size >= f->size) || (f->kind == 'u' && t->size > f->size);
    case 'f':
    case 'c':
        if (f->kind == 'i' || f->kind == 'u')
            return real_represents_integer(real_size(t), f->size);
        /* float16 and bfloat16 have one size and neither holds the other */
        return (f->kind == 'f' || f->kind == t->kind) &&
               (real_size(t) > real_size(f) || (real_size(t) == real_size(f) && real_size(f) > 2));
    default: return false;
    }
}

bool dtype_casts_same_kind(gpucc_dtype from, gpucc_dtype to)
{
    static const char order[] = "buifc";
    const char *f = strchr(order, dtypes[from].kind), *t = strchr(order, dtypes[to].kind);
    return f <= t;
}

bool dtype_casts(gpucc_dtype from, gpucc_dtype to, gpucc_casting casting)
{
    switch (casting) {
    case GPUCC_CASTING_NO:
    case GPUCC_CASTING_EQUIV: return from == to;
    case GPUCC_CASTING_SAFE: return dtype_casts_safely(from, to);
    case GPUCC_CASTING_UNSAFE: return true;
    default: return dtype_casts_same_kind(from, to);
    }
}

const char *casting_name(gpucc_casting casting)
{
    static const char *const names[] = {"same_kind", "no", "equiv", "safe", "same_kind", "unsafe"};
    return names[casting];
}

int gpucc_can_cast(gpucc_dtype from, gpucc_dtype to, gpucc_casting casting)
{
    return dtype_valid(from) && dtype_valid(to) && casting_valid(casting) && dtype_casts(from, to, casting);
}
