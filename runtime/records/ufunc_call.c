/* Operands of a call that are one value, which loops receive in their own dtype. */
#include "nests/convert.h"
#include "records/ufunc_call.h"
#include <string.h>

/* Whether a whole number, which may be negative only where it is an int64, is one of the type's. */
static bool has_integer(gpucc_dtype type, gpucc_dtype from, const void *number)
{
    uint64_t bits, most = ~(uint64_t)0 >> (64 - 8 * dtypes[type].size);
    memcpy(&bits, number, sizeof bits);
    bool negative = from == GPUCC_INT64 && (int64_t)bits < 0;
    if (dtypes[type].kind == 'u')
        return !negative && bits <= most;
    return (negative ? ~bits : bits) <= most >> 1;
}

gpucc_status call_check_number(const gpucc_ufunc *ufunc, const gpucc_array *array, const char *role, int index,
                               gpucc_dtype type)
{
    const bool is_whole = array->dtype == GPUCC_INT64 || array->dtype == GPUCC_UINT64;
    struct text text = {0};
    int64_t whole;
    if (!array->is_number || !is_whole || !strchr("iu", dtypes[type].kind) ||
        has_integer(type, array->dtype, array->data))
        return GPUCC_OK;
    memcpy(&whole, array->data, sizeof whole);
    append(&text, index < 0 ? "%s" : "%s %d", role, index);
    append(&text, array->dtype == GPUCC_INT64 ? " is %lld" : " is %llu", (long long)whole);
    return fail(GPUCC_BAD_NUMBER, "%s: %s, out of bounds for %s", ufunc->name, text.s, dtypes[type].name);
}

gpucc_status call_set_value(struct call *call, int i)
{
    const gpucc_array *array = call->given[i];
    const gpucc_dtype type = call->loop->types[i];
    gpucc_status status = call_check_number(call->ufunc, array, "input", i, type);
    if (status)
        return status;
    call->used[i] = array;
    convert_value(type, call->value[i], array->dtype, array->data);
    call->values |= operand_bit(i);
    return GPUCC_OK;
}
