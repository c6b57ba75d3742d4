/* Loads and stores with cache hints, vectors, several arrays in dynamic shared memory, constants, fences and clocks. */
#include <gpucc.h>
#include <gpucc/vector.h>

struct three {
    _Alignas(4) int8 x[3];
    int8 rest;
};

/* Each hint for one type: out is what in is, by ways of its own. */
#define DEFINE_HINTS(name, type)                                                                                       \
    kernel                                                                                                             \
    void hints_##name(const uint32 *in, uint32 *out)                                                                   \
    {                                                                                                                  \
        const size_t i = grid(1), n = gridsize(1);                                                                     \
        const type *from = (const type *)in + i;                                                                       \
        type *to = (type *)out + i;                                                                                    \
        st_wb(to, ld_ca(from));                                                                                        \
        st_cg(to + n, ld_cg(from + n));                                                                                \
        st_cs(to + 2 * n, ld_cs(from + 2 * n));                                                                        \
        st_wt(to + 3 * n, ld_lu(from + 3 * n));                                                                        \
        st_wb(to + 4 * n, ld_cv(from + 4 * n));                                                                        \
        st_cg(to + 5 * n, ld_nc(from + 5 * n));                                                                        \
    }
DEFINE_HINTS(u8, uint8)
DEFINE_HINTS(i16, int16)
DEFINE_HINTS(f16, float16)
DEFINE_HINTS(bf16, bfloat16)
DEFINE_HINTS(f32, float32)
DEFINE_HINTS(i64, int64)
DEFINE_HINTS(f64, float64)
DEFINE_HINTS(float2, float2)
DEFINE_HINTS(float4, float4)
DEFINE_HINTS(double2, double2)
DEFINE_HINTS(uchar4, uchar4)
DEFINE_HINTS(short4, short4)
DEFINE_HINTS(c64, complex64)
DEFINE_HINTS(c128, complex128)
DEFINE_HINTS(three, struct three)

kernel
void vectors(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1);
    uint4 a = ((const uint4 *)in)[i];
    const uint3 b = ((const uint3 *)in)[i];
    const ulonglong2 c = ((const ulonglong2 *)in)[i];
    a.x += b.z;
    a.w ^= b.y;
    ((uint4 *)out)[3 * i] = make_uint4(a.w, a.z, a.y, a.x);
    ((ulonglong2 *)out)[3 * i + 1] = make_ulonglong2(c.y, c.x * 3);
    ((uint4 *)out)[3 * i + 2] = make_uint4(b.x, b.y, b.z, (unsigned)sizeof(uint3) + (unsigned)_Alignof(uint4));
}

constant uint32 table[256] = {3, 1, 4, 1, 5, 9, 2, 6, [100] = 77, [255] = 11};

/* Dynamic shared memory of three types in sequence, and a constant table indexed per lane. */
kernel
void dynamic(const uint32 *in, uint32 *out)
{
    dynamic_shared(double, numbers);
    const unsigned i = threadIdx.x, n = blockDim.x;
    uint32 *words = (uint32 *)(numbers + n);
    uint8 *bytes = (uint8 *)(words + n);
    numbers[i] = (double)in[i];
    words[n - 1 - i] = in[i] ^ table[in[i] % 256];
    bytes[(i + 3) % n] = (uint8)in[i];
    threadfence_block();
    syncthreads();
    out[i] = words[(i + 1) % n] + bytes[i] + (uint32)(numbers[(i + 9) % n] * 0.25);
    threadfence();
    threadfence_system();
}

kernel
void clocks(const uint32 *in, uint32 *out)
{
    const int64 cycles = clock64();
    const uint64 time = globaltimer();
    nanosleep(in[0] % 1000);
    out[2 * grid(1)] = clock64() >= cycles;
    out[2 * grid(1) + 1] = globaltimer() >= time;
}

/* Private arrays indexed by what is known only then. */
kernel
void local_arrays(const uint32 *in, uint32 *out)
{
    const size_t i = grid(1);
    uint32 heap[40];
    for (unsigned k = 0; k < 40; k++)
        heap[k] = in[i + k] % 40;
    uint32 at = in[i] % 40;
    for (int k = 0; k < 60; k++) {
        heap[at] += at;
        at = heap[at] % 40;
    }
    for (unsigned k = 0; k < 4; k++)
        out[4 * i + k] = heap[10 * k] + at;
}
