/* Which of a ufunc's loops runs. */
#include "resolve.h"
#include "internal.h"

enum number_kind { KIND_TRUTH, KIND_WHOLE, KIND_REAL, KIND_COMPLEX };
enum fit { FIT_NONE, FIT_CAST, FIT_EXACT };

static enum number_kind kind_of(gpucc_dtype dtype)
{
    switch (dtypes[dtype].kind) {
    case 'b': return KIND_TRUTH;
    case 'f': return KIND_REAL;
    case 'c': return KIND_COMPLEX;
    default: return KIND_WHOLE;
    }
}

/* Whether a number of this type takes the types of loops beside such inputs. */
static bool is_weak(const struct given *given, int inputs, gpucc_dtype number)
{
    enum number_kind kind = kind_of(number);
    for (int i = 0; i < inputs; i++)
        if (!given[i].is_number && kind_of(given[i].dtype) >= (kind == KIND_COMPLEX ? KIND_REAL : kind))
            return true;
    return false;
}

static enum fit fit_of(const struct given *given, int inputs, int i, gpucc_dtype to, cast_rule *casts)
{
    gpucc_dtype from = given[i].dtype;
    if (given[i].is_number && is_weak(given, inputs, from))
        return kind_of(to) >= kind_of(from) ? FIT_EXACT : FIT_NONE;
    return from == to ? FIT_EXACT : casts(from, to) ? FIT_CAST : FIT_NONE;
}

int resolve_loop(const struct given *given, int inputs, const gpucc_dtype *types, size_t stride, int count,
                 cast_rule *casts)
{
    int first = -1;
    for (int k = 0; k < count; k++) {
        const gpucc_dtype *loop = (const gpucc_dtype *)(const void *)((const char *)types + (size_t)k * stride);
        enum fit fit = FIT_EXACT;
        for (int i = 0; i < inputs && fit != FIT_NONE; i++) {
            enum fit one = fit_of(given, inputs, i, loop[i], casts);
            fit = one < fit ? one : fit;
        }
        if (fit == FIT_EXACT)
            return k;
        if (fit == FIT_CAST && first < 0)
            first = k;
    }
    return first;
}
