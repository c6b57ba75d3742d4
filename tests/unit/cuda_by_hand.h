/* Parts of a program for the GPU written by hand, as the compiler would make it: the texts of PTX and manifest,
 * and the native code that libcuda's stand-in runs in place of the PTX.
 *
 *   UFUNC_ENTRIES(symbol, pointers, records)   the four entries of a loop, in PTX
 *   LOOPS(signature, inputs, outputs, symbol)  the same in the manifest, inside FUNCTION(name, "ufunc", …)
 *   UFUNC(name, operands, sizes…)              the same as native code, in terms of name_element(char **operands); the
 *                                              operands are floating-point numbers of these sizes, the last an output
 *   REGISTER_UFUNC(symbol, name)               registers them with the stand-in
 */
#ifndef CUDA_BY_HAND_H
#define CUDA_BY_HAND_H

#include "fake_cuda.h"
#include "cast_native.h"
#include "executor/cpu_launch.h"
#include "nests/convert.h"
#include "records/ufunc_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- PTX ---- */

_Static_assert(sizeof(struct gpucc_iteration) == 48 && sizeof(struct gpucc_operand) == 48, "the PTX has these sizes");

#define POINTER ".param .u64 "
#define RECORDS(operands) ".param .align 8 .b8 it[48]" operands
#define RECORD(name) ", .param .align 8 .b8 " name "[48]"
#define ENTRY(name, parameters, directives) ".visible .entry " name "(" parameters ")\n" directives "{\n\tret;\n}\n\n"
#define UFUNC_ENTRIES(symbol, flat, records)                                                                           \
    ENTRY(symbol, flat ", .param .u64 n", "") ENTRY(symbol "_rows", RECORDS(records), "")                              \
    ENTRY(symbol "_strided", RECORDS(records), "")                                                                     \
    ENTRY(symbol "_converted", RECORDS(records RECORD("where")), "")

/* ---- the manifest ---- */

#define LOOP(kind, signature, in, out, entry)                                                                          \
    "{\"kind\":\"" kind "\",\"signature\":\"" signature "\",\"inputs\":[" in "],\"outputs\":[" out "],"                \
    "\"entry\":\"" entry "\",\"parameters\":[],\"elements_per_thread\":4,\"block\":256,\"shared\":0}"
#define LOOPS(signature, in, out, symbol)                                                                              \
    LOOP("contiguous", signature, in, out, symbol) "," LOOP("rows", signature, in, out, symbol "_rows") ","            \
    LOOP("strided", signature, in, out, symbol "_strided") ","                                                         \
    LOOP("converted", signature, in, out, symbol "_converted")
#define FUNCTION(name, kind, loops)                                                                                    \
    "{\"name\":\"" name "\",\"kind\":\"" kind "\",\"doc\":\"\",\"parameters\":[],\"signatures\":[],\"layout\":null,"  \
    "\"expect_low_occupancy\":false,\"loops\":[" loops "]}"
#define VALUE(name, type, size) "{\"name\":\"" name "\",\"type\":\"" type "\",\"role\":\"scalar\",\"size\":" size "}"
/* The kernel `turn` uses dynamic shared memory. */
#define DYNAMIC_KERNEL(name, parameters)                                                                               \
    FUNCTION(name, "kernel", "{\"kind\":\"kernel\",\"entry\":\"" name "\",\"parameters\":[" parameters "],"            \
    "\"launch_bounds\":0,\"shared\":0,\"dynamic_shared\":true,\"barriers\":true}")
#define KERNEL(name, parameters, bounds, shared)                                                                       \
    FUNCTION(name, "kernel", "{\"kind\":\"kernel\",\"entry\":\"" name "\",\"parameters\":[" parameters "],"            \
    "\"launch_bounds\":" bounds ",\"shared\":" shared ",\"barriers\":true}")
#define F32 "\"float32\""
#define F64 "\"float64\""

/* ---- native code ---- */

#define ARGUMENT(type, index) (*(type *)parameters[index])

typedef void element(char **operands);

static inline uint64_t thread_x(void)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return (uint64_t)self->block_index.x * self->block_dim.x + self->thread_index.x;
}

static inline uint64_t threads_x(void)
{
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    return (uint64_t)self->grid_dim.x * self->block_dim.x;
}

static inline void flat_loop(void **parameters, int operands, const size_t *sizes, element *apply)
{
    uint64_t n = ARGUMENT(uint64_t, operands), step = threads_x();
    for (uint64_t i = thread_x(); i < n; i += step) {
        char *at[GPUCC_LOOP_OPERANDS];
        for (int k = 0; k < operands; k++)
            at[k] = ARGUMENT(char *, k) + i * sizes[k];
        apply(at);
    }
}

/* Finds the operands' elements at a linear index. */
static inline void find_elements(void **parameters, int operands, uint64_t linear, char **at)
{
    const struct gpucc_iteration *it = parameters[0];
    uint64_t rest = linear, index[GPUCC_LOOP_DIMS] = {0};
    for (int d = (int)it->ndim; d-- > 0; rest /= it->shape[d])
        index[d] = rest % it->shape[d];
    for (int k = 0; k < operands; k++) {
        struct gpucc_operand *operand = parameters[k + 1];
        at[k] = operand->data ? operand->data : (char *)operand->value;
        for (uint32_t d = 0; operand->data && d < it->ndim; d++)
            at[k] += (int64_t)index[d] * operand->strides[d];
    }
}

static inline void apply_at(void **parameters, int operands, uint64_t linear, element *apply)
{
    char *at[GPUCC_LOOP_OPERANDS];
    find_elements(parameters, operands, linear, at);
    apply(at);
}

/* Copies and converts even where the types are the same. */
static inline void converted_loop(void **parameters, int operands, const size_t *sizes, element *apply)
{
    const struct gpucc_iteration *it = parameters[0];
    for (uint64_t i = thread_x(), step = threads_x(); i < it->count; i += step) {
        char *at[GPUCC_LOOP_OPERANDS + 1], *taken[GPUCC_LOOP_OPERANDS];
        double elements[GPUCC_LOOP_OPERANDS];
        find_elements(parameters, operands + 1, i, at);
        for (int k = 0; k < operands; k++) {
            const struct gpucc_operand *operand = parameters[k + 1];
            const gpucc_dtype own = sizes[k] == 8 ? GPUCC_FLOAT64 : GPUCC_FLOAT32;
            taken[k] = (char *)&elements[k];
            convert_value(own, taken[k], operand->data ? (gpucc_dtype)(operand->reserved & 255) : own, at[k]);
        }
        if (!*at[operands])
            continue;
        apply(taken);
        const struct gpucc_operand *out = parameters[operands];
        convert_value((gpucc_dtype)(out->reserved & 255), at[operands - 1],
                      sizes[operands - 1] == 8 ? GPUCC_FLOAT64 : GPUCC_FLOAT32, taken[operands - 1]);
    }
}

static inline void strided_loop(void **parameters, int operands, element *apply)
{
    const struct gpucc_iteration *it = parameters[0];
    for (uint64_t i = thread_x(), step = threads_x(); i < it->count; i += step)
        apply_at(parameters, operands, i, apply);
}

static inline void rows_loop(void **parameters, int operands, element *apply)
{
    const struct gpucc_iteration *it = parameters[0];
    const struct gpucc_cpu_thread *self = gpucc_cpu_self();
    uint64_t first = (uint64_t)self->block_index.y * self->block_dim.y + self->thread_index.y;
    uint64_t step = (uint64_t)self->grid_dim.y * self->block_dim.y;
    for (uint64_t row = first; row < it->shape[0]; row += step)
        for (uint64_t i = thread_x(); i < it->shape[1]; i += threads_x())
            apply_at(parameters, operands, row * it->shape[1] + i, apply);
}

#define UFUNC(name, operands, ...)                                                                                     \
    static void name##_flat(void **parameters)                                                                         \
    {                                                                                                                  \
        flat_loop(parameters, operands, (const size_t[]){__VA_ARGS__}, name##_element);                                \
    }                                                                                                                  \
    static void name##_rows(void **parameters)                                                                         \
    {                                                                                                                  \
        rows_loop(parameters, operands, name##_element);                                                               \
    }                                                                                                                  \
    static void name##_strided(void **parameters)                                                                      \
    {                                                                                                                  \
        strided_loop(parameters, operands, name##_element);                                                            \
    }                                                                                                                  \
    static void name##_converted(void **parameters)                                                                    \
    {                                                                                                                  \
        converted_loop(parameters, operands, (const size_t[]){__VA_ARGS__}, name##_element);                           \
    }

#define REGISTER_UFUNC(symbol, name)                                                                                   \
    fake_cuda_register(symbol, name##_flat, NULL, 0);                                                                  \
    fake_cuda_register(symbol "_rows", name##_rows, NULL, 0);                                                          \
    fake_cuda_register(symbol "_strided", name##_strided, NULL, 0);                                                    \
    fake_cuda_register(symbol "_converted", name##_converted, NULL, 0)

#endif
