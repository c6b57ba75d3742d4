/* levels_host [loop]: calls what levels.c has, on the CPU, and prints a hash of each result, which is the same whatever
 * native code it comes from; that is told on standard error.  With `loop` it calls a loop by its name, without a
 * context. */
#include "../../accuracy/samples.h"
#include "levels.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 64 * 300, BYTES = 8 };

void mixed_f32_f32_loop(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data);

static void must(gpucc_status status)
{
    if (status) {
        printf("%s: %s\n", gpucc_status_name(status), gpucc_last_error());
        exit(1);
    }
}

/* Numbers of every magnitude, without NaN, whose bits C leaves open. */
static gpucc_array *numbers(gpucc_context *context, gpucc_dtype dtype)
{
    static char memory[COUNT * BYTES];
    const size_t size = gpucc_dtype_size(dtype);
    const int64_t shape = COUNT;
    gpucc_array *array;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t bits = random_bits();
        if (random_bits() % 2 && size > 2) { /* between -4 and 4 */
            double x = (double)(int64_t)bits * 0x1p-61;
            float y = (float)x;
            memcpy(&bits, size == 4 ? (void *)&y : (void *)&x, size);
        }
        if (dtype == GPUCC_FLOAT16 && (bits & 0x7c00) == 0x7c00)
            bits ^= 0x4000;
        if (dtype == GPUCC_BFLOAT16 && (bits & 0x7f80) == 0x7f80)
            bits ^= 0x4000;
        if (dtype == GPUCC_FLOAT32 && (bits & 0x7f800000) == 0x7f800000)
            bits ^= 0x40000000;
        if (dtype == GPUCC_FLOAT64 && bits << 1 >> 53 == 0x7ff)
            bits ^= UINT64_C(1) << 62;
        memcpy(memory + i * size, &bits, size);
    }
    must(gpucc_array_from_host(context, dtype, 1, &shape, NULL, memory, &array));
    return array;
}

/* Makes every NaN the same.  A complex number is two others. */
static uint64_t without_payload(uint64_t bits, gpucc_dtype dtype)
{
    const uint64_t infinity = dtype == GPUCC_FLOAT64    ? UINT64_C(0x7ff) << 52
                              : dtype == GPUCC_FLOAT16  ? 0x7c00
                              : dtype == GPUCC_BFLOAT16 ? 0x7f80
                                                        : 0x7f800000;
    const uint64_t sign = UINT64_C(1) << (8 * gpucc_dtype_size(dtype) - 1);
    return (bits & (sign - 1)) > infinity ? infinity + 1 : bits;
}

static void hash(const char *name, const gpucc_array *array)
{
    static unsigned char memory[COUNT * BYTES];
    gpucc_dtype dtype = gpucc_array_dtype(array);
    const size_t bytes = (size_t)gpucc_array_count(array) * gpucc_dtype_size(dtype);
    uint64_t found = UINT64_C(0xcbf29ce484222325);
    dtype = dtype == GPUCC_COMPLEX64 ? GPUCC_FLOAT32 : dtype;
    must(gpucc_array_read((gpucc_array *)array, memory, bytes));
    for (size_t i = 0; i < bytes; i += gpucc_dtype_size(dtype)) {
        uint64_t bits = 0;
        memcpy(&bits, memory + i, gpucc_dtype_size(dtype));
        found = (found ^ (dtype == GPUCC_INT64 ? bits : without_payload(bits, dtype))) * UINT64_C(0x100000001b3);
    }
    printf("%s %016" PRIx64 "\n", name, found);
}

static void call_loop(void)
{
    float x[100], y[100];
    char *args[] = {(char *)x, (char *)y};
    const intptr_t count = 100, steps[] = {4, 4};
    for (int i = 0; i < 100; i++)
        x[i] = 0.1f * (float)i;
    mixed_f32_f32_loop(args, &count, steps, NULL);
    uint64_t found = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t bits;
        memcpy(&bits, &y[i], sizeof bits);
        found = (found ^ bits) * UINT64_C(0x100000001b3);
    }
    printf("loop %016" PRIx64 "\n", found);
}

static void call_ufuncs(gpucc_context *context)
{
    gpucc_array *x = numbers(context, GPUCC_FLOAT32), *y = numbers(context, GPUCC_FLOAT32);
    gpucc_array *z = numbers(context, GPUCC_FLOAT32), *a = numbers(context, GPUCC_FLOAT64);
    gpucc_array *b = numbers(context, GPUCC_FLOAT64), *c = numbers(context, GPUCC_FLOAT64);
    gpucc_array *h = numbers(context, GPUCC_FLOAT16), *k = numbers(context, GPUCC_FLOAT16);
    gpucc_array *f = numbers(context, GPUCC_BFLOAT16), *i = numbers(context, GPUCC_INT8), *out[10] = {0};
    const int64_t half = COUNT / 2, step = 8;
    gpucc_array *w;
    must(gpucc_array_wrap(context, GPUCC_COMPLEX64, 1, &half, &step, gpucc_array_data(x), GPUCC_MEMORY_DEVICE, &w));
    must(fused(context, x, y, z, &out[0]));
    hash("fused", out[0]);
    must(fused_double(context, a, b, c, &out[1]));
    hash("fused_double", out[1]);
    must(mixed(context, x, &out[2]));
    hash("mixed", out[2]);
    must(mixed_double(context, a, &out[3]));
    hash("mixed_double", out[3]);
    must(halves(context, h, k, &out[4]));
    hash("halves", out[4]);
    must(brains(context, f, x, &out[5]));
    hash("brains", out[5]);
    must(sum_reduce(context, x, &out[6], NULL));
    hash("sum", out[6]);
    must(inner(context, x, y, &out[7]));
    hash("inner", out[7]);
    must(waves(context, w, &out[8]));
    hash("waves", out[8]);
    must(whole(context, a, i, &out[9]));
    hash("whole", out[9]);
}

static void launch_kernel(gpucc_context *context)
{
    const int64_t shape = COUNT;
    gpucc_array *x = numbers(context, GPUCC_FLOAT32), *out, *counted;
    int count = 0;
    gpucc_launch how = {.size = sizeof how, .grid = {COUNT / 64}, .block = {64}};
    must(gpucc_array_create(context, GPUCC_FLOAT32, 1, &shape, &out));
    must(reversed(context, &how, COUNT, gpucc_array_data(x), gpucc_array_data(out)));
    must(gpucc_context_synchronize(context));
    hash("reversed", out);
    must(warps(context, &how, gpucc_array_data(x), gpucc_array_data(out)));
    must(gpucc_context_synchronize(context));
    hash("warps", out);
    must(launches(context, &counted));
    must(gpucc_array_read(counted, &count, sizeof count));
    printf("launches %d\n", count);
}

int main(int argc, char **argv)
{
    const gpucc_context_options options = {.size = sizeof options, .device = "cpu", .cpu_threads = 2};
    gpucc_context *context;
    fprintf(stderr, "best: %s\n", gpucc_native_target() ? gpucc_native_target() : "none");
    if (argc > 1 && !strcmp(argv[1], "loop")) {
        call_loop();
        return 0;
    }
    must(gpucc_context_create(&options, &context));
    call_ufuncs(context);
    launch_kernel(context);
    gpucc_context_destroy(context);
    return 0;
}
