/* The names of types: what C programmers write for them, and what a misspelt one was meant to be. */
#include "frontend/frontend.h"

#include <string.h>

/* Spellings of C programmers, besides dtypes.def's own C types. */
static const struct {
    const char *c, *meaning;
} c_names[] = {
    {"bool", "boolean"},
    {"char", "int8"},
    {"signed", "int32"},
    {"unsigned", "uint32"},
    {"signed int", "int32"},
    {"short int", "int16"},
    {"unsigned short int", "uint16"},
    {"long int", "int64"},
    {"unsigned long int", "uint64"},
    {"long long", "int64"},
    {"unsigned long long", "uint64"},
    {"int8_t", "int8"},
    {"int16_t", "int16"},
    {"int32_t", "int32"},
    {"int64_t", "int64"},
    {"uint8_t", "uint8"},
    {"uint16_t", "uint16"},
    {"uint32_t", "uint32"},
    {"uint64_t", "uint64"},
    {"size_t", "uint64"},
    {"ptrdiff_t", "int64"},
    {"intptr_t", "int64"},
    {"uintptr_t", "uint64"},
    {"half", "float16"},
    {"float complex", "complex64"},
    {"complex float", "complex64"},
    {"_Complex float", "complex64"},
    {"double complex", "complex128"},
    {"complex double", "complex128"},
    {"_Complex double", "complex128"},
};

enum { C_NAME_COUNT = sizeof c_names / sizeof *c_names };

const char *c_type_meaning(const char *name)
{
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        if (!strcmp(dtype_c_type(dtype), name))
            return dtype_name(dtype);
    for (size_t i = 0; i < C_NAME_COUNT; i++)
        if (!strcmp(c_names[i].c, name))
            return c_names[i].meaning;
    return NULL;
}

/* Returns the meaning of the C type nearest to a misspelt one in a signature: "doubel" is float64. */
static const char *nearest_c_meaning(const char *name)
{
    const char *names[DTYPE_COUNT + C_NAME_COUNT];
    size_t count = 0;
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        names[count++] = dtype_c_type(dtype);
    for (size_t i = 0; i < C_NAME_COUNT; i++)
        names[count++] = c_names[i].c;
    const char *near = nearest(name, strlen(name), names, count);
    return near ? c_type_meaning(near) : NULL;
}

const char *nearest_type_name(const char *name, const struct unit *unit)
{
    const char *near = NULL, *best, *dtypes[DTYPE_COUNT];
    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++)
        dtypes[dtype] = dtype_name(dtype);
    best = nearest(name, strlen(name), dtypes, DTYPE_COUNT);
    for (size_t i = 0; unit && i < unit->typevar_count; i++) {
        const char *pair[] = {best ? best : unit->typevars[i].name, unit->typevars[i].name};
        near = nearest(name, strlen(name), pair, 2);
        best = near ? near : best;
    }
    return best ? best : nearest_c_meaning(name);
}

const struct typevar *find_typevar(const struct unit *unit, const char *name)
{
    for (size_t i = 0; unit && i < unit->typevar_count; i++)
        if (!strcmp(unit->typevars[i].name, name))
            return &unit->typevars[i];
    return NULL;
}
