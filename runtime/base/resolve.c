/* Which of a ufunc's loops runs. */
#include "base/common.h"
#include "base/resolve.h"

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
static bool is_weak(const struct input_type *given, int inputs, gpucc_dtype number)
{
    enum number_kind kind = kind_of(number);
    for (int i = 0; i < inputs; i++)
        if (!given[i].is_number && kind_of(given[i].dtype) >= (kind == KIND_COMPLEX ? KIND_REAL : kind))
            return true;
    return false;
}

static bool requests_type(const struct choice *choice, int i)
{
    return choice->makes || (choice->signature && choice->signature[i] != GPUCC_DTYPE_COUNT);
}

/* Numbers have no type beside a type that is asked for, either. */
static enum fit fit_of(const struct choice *choice, const struct input_type *given, int i, gpucc_dtype to,
                       gpucc_casting casting)
{
    const gpucc_dtype from = given[i].dtype;
    if (given[i].is_number && kind_of(to) >= kind_of(from) &&
        (requests_type(choice, i) || is_weak(given, choice->inputs, from)))
        return FIT_EXACT;
    return from == to ? FIT_EXACT : dtype_casts(from, to, casting) ? FIT_CAST : FIT_NONE;
}

static const gpucc_dtype *loop_types(const struct choice *choice, int k)
{
    return (const gpucc_dtype *)(const void *)((const char *)choice->types + (size_t)k * choice->stride);
}

static bool has_requested_types(const struct choice *choice, const gpucc_dtype *types)
{
    const int operands = choice->inputs + choice->outputs;
    for (int o = choice->inputs; choice->makes && o < operands; o++)
        if (types[o] != *choice->makes)
            return false;
    for (int i = 0; choice->signature && i < operands; i++)
        if (choice->signature[i] != GPUCC_DTYPE_COUNT && choice->signature[i] != types[i])
            return false;
    return true;
}

static int first_loop(const struct choice *choice, const struct input_type *given, gpucc_casting casting)
{
    int first = -1;
    for (int k = 0; k < choice->count; k++) {
        const gpucc_dtype *types = loop_types(choice, k);
        enum fit fit = has_requested_types(choice, types) ? FIT_EXACT : FIT_NONE;
        for (int i = 0; i < choice->inputs && fit != FIT_NONE; i++) {
            enum fit one = fit_of(choice, given, i, types[i], casting);
            fit = one < fit ? one : fit;
        }
        if (fit == FIT_EXACT)
            return k;
        if (fit == FIT_CAST && first < 0)
            first = k;
    }
    return first;
}

gpucc_casting resolve_casting(gpucc_casting casting, bool asked)
{
    if (casting != GPUCC_CASTING_DEFAULT)
        return casting;
    return asked ? GPUCC_CASTING_SAME_KIND : GPUCC_CASTING_SAFE;
}

int resolve_loop(const struct choice *choice, const struct input_type *given, gpucc_casting casting)
{
    casting = resolve_casting(casting, choice->makes || choice->signature);
    int k = first_loop(choice, given, casting < GPUCC_CASTING_SAFE ? casting : GPUCC_CASTING_SAFE);
    return k < 0 && casting > GPUCC_CASTING_SAFE ? first_loop(choice, given, casting) : k;
}
