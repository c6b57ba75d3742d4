/* The sample, compared on the GPU and on the CPU at sizes of every kind. */
#include "../../../samples/gemm_bf16.c"
