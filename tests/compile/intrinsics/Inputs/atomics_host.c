/* Runs the kernels of atomics.c for every type, from eight times 90, and prints what they leave. */
#include <atomics.h>
#include <stdio.h>
#include <stdlib.h>

/* The bits of a small whole number of a 16-bit float, whose mantissa has so many bits. */
static int whole(unsigned bits, int mantissa, int bias)
{
    int exponent = (int)(bits >> mantissa) - bias;
    return exponent < 0 ? 0 : (int)((bits & ((1u << mantissa) - 1)) | 1u << mantissa) >> (mantissa - exponent);
}

#define NUMBER(x) (int)(x)
#define HALF(x) whole((x).bits, 10, 15)
#define BRAIN(x) whole((x).bits, 7, 127)

#define RUN(kernel, type, ninety, number, blocks, threads)                                                             \
    do {                                                                                                               \
        const type before = {ninety};                                                                                  \
        type a[8];                                                                                                     \
        gpucc_launch how = {.size = sizeof how, .grid = {blocks}, .block = {threads}};                                 \
        for (int i = 0; i < 8; i++)                                                                                    \
            a[i] = before;                                                                                             \
        if (kernel(context, &how, a) != GPUCC_OK) {                                                                    \
            fprintf(stderr, "%s: %s\n", #kernel, gpucc_last_error());                                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
        printf("%s:", #kernel);                                                                                        \
        for (int i = 0; i < 8; i++)                                                                                    \
            printf(" %d", number(a[i]));                                                                               \
        putchar('\n');                                                                                                 \
    } while (0)

#define ALL(suffix, type, ninety, number)                                                                              \
    RUN(in_global_##suffix, type, ninety, number, 4, 2);                                                               \
    RUN(in_shared_##suffix, type, ninety, number, 1, 8)

#define INTEGER(suffix, type)                                                                                          \
    ALL(suffix, type, 90, NUMBER);                                                                                     \
    RUN(bits_##suffix, type, 90, NUMBER, 4, 2)

int main(void)
{
    gpucc_context_options options = {.size = sizeof options, .device = "cpu"};
    gpucc_context *context;
    if (gpucc_context_create(&options, &context) != GPUCC_OK)
        return 1;
    INTEGER(i8, int8_t);
    INTEGER(u8, uint8_t);
    INTEGER(i16, int16_t);
    INTEGER(u16, uint16_t);
    INTEGER(i32, int32_t);
    INTEGER(u32, uint32_t);
    INTEGER(i64, int64_t);
    INTEGER(u64, uint64_t);
    ALL(f16, gpucc_float16, 0x55a0, HALF);
    ALL(bf16, gpucc_bfloat16, 0x42b4, BRAIN);
    ALL(f32, float, 90, NUMBER);
    ALL(f64, double, 90, NUMBER);
    gpucc_context_destroy(context);
    return 0;
}
