/* Atomic operations on every type, in global and in shared memory, among the block, the device and the system. */
#include <gpucc.h>
#include <stdatomic.h>

/* Each thread works on an element of its own, whose neighbours others change at the same time: what every operation
 * returns and leaves is certain. */
#define STEP(operation, ...)                                                                                           \
    do {                                                                                                               \
        note(to++, operation(&x[i], __VA_ARGS__));                                                                     \
        note(to++, x[i]);                                                                                              \
    } while (0)
#define SUMS(scope, a, b)                                                                                              \
    STEP(atomic_add##scope, a);                                                                                        \
    STEP(atomic_sub##scope, b);                                                                                        \
    STEP(atomic_exch##scope, b)
#define NUMBERS(scope, a, b)                                                                                           \
    SUMS(scope, a, b);                                                                                                 \
    STEP(atomic_min##scope, a);                                                                                        \
    STEP(atomic_max##scope, b);                                                                                        \
    STEP(atomic_nanmin##scope, b);                                                                                     \
    STEP(atomic_nanmax##scope, a);                                                                                     \
    STEP(atomic_cas##scope, a, b);                                                                                     \
    STEP(atomic_cas##scope, a, a)
#define INTEGERS(scope, a, b)                                                                                          \
    NUMBERS(scope, a, b);                                                                                              \
    STEP(atomic_or##scope, a);                                                                                         \
    STEP(atomic_and##scope, b);                                                                                        \
    STEP(atomic_xor##scope, a)
#define WORDS(scope, a, b)                                                                                             \
    INTEGERS(scope, a, b);                                                                                             \
    STEP(atomic_inc##scope, b);                                                                                        \
    STEP(atomic_dec##scope, a)

enum { RESULTS = 28, THREADS = 64 };

#define DEFINE_KERNEL(name, type, operations, note_as, from)                                                           \
    static void note_##name(uint32 *to, type value)                                                                    \
    {                                                                                                                  \
        *to = note_as(value);                                                                                          \
    }                                                                                                                  \
    kernel                                                                                                             \
    void atomics_##name(const uint32 *in, uint32 *out)                                                                 \
    {                                                                                                                  \
        shared type in_shared[THREADS];                                                                                \
        type *const in_global = (type *)(out + 3 * 2 * THREADS * RESULTS);                                             \
        const unsigned i = threadIdx.x;                                                                                \
        uint32 *to = out + i * RESULTS;                                                                                \
        void (*const note)(uint32 *, type) = note_##name;                                                              \
        const type a = from(in[3 * i]), b = from(in[3 * i + 1]), first = from(in[3 * i + 2]);                          \
        for (int space = 0; space < 2; space++) {                                                                      \
            type *const x = space ? in_global : in_shared;                                                             \
            x[i] = first;                                                                                              \
            syncthreads();                                                                                             \
            operations(, a, b);                                                                                        \
            to = out + (1 + 3 * (unsigned)space) * THREADS * RESULTS + i * RESULTS;                                    \
            operations(_block, b, a);                                                                                  \
            to = out + (2 + 3 * (unsigned)space) * THREADS * RESULTS + i * RESULTS;                                    \
            operations(_system, a, b);                                                                                 \
            to = out + 3 * THREADS * RESULTS + i * RESULTS;                                                            \
            syncthreads();                                                                                             \
        }                                                                                                              \
    }

static uint32 bits_of(float x)
{
    uint32 bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Halves from -8 to 8, whose sums every type holds. */
static float number(uint32 word)
{
    return (float)((int)(word % 33) - 16) * 0.5f;
}

#define FOLD(x) ((uint32)((uint64)(x) ^ (uint64)(x) >> 32))
#define FLOAT_BITS(x) bits_of((float)(x))
DEFINE_KERNEL(i8, int8, INTEGERS, (uint32), (int8))
DEFINE_KERNEL(u8, uint8, WORDS, (uint32), (uint8))
DEFINE_KERNEL(i16, int16, INTEGERS, (uint32), (int16))
DEFINE_KERNEL(u16, uint16, WORDS, (uint32), (uint16))
DEFINE_KERNEL(i32, int32, INTEGERS, (uint32), (int32))
DEFINE_KERNEL(u32, uint32, WORDS, (uint32), (uint32))
DEFINE_KERNEL(i64, int64, INTEGERS, FOLD, (int64)0x100000001 * (int32))
DEFINE_KERNEL(u64, uint64, WORDS, FOLD, (uint64)0x100000001 *)
DEFINE_KERNEL(f16, float16, NUMBERS, FLOAT_BITS, (float16)number)
DEFINE_KERNEL(bf16, bfloat16, NUMBERS, FLOAT_BITS, (bfloat16)number)
DEFINE_KERNEL(f32, float32, NUMBERS, FLOAT_BITS, number)
DEFINE_KERNEL(f64, float64, NUMBERS, FLOAT_BITS, (double)number)

#define DEFINE_COMPLEX(name, type, part)                                                                               \
    kernel                                                                                                             \
    void atomics_##name(const uint32 *in, uint32 *out)                                                                 \
    {                                                                                                                  \
        shared type sums[2];                                                                                           \
        type *const sum = (type *)(out + 16);                                                                          \
        if (threadIdx.x == 0)                                                                                          \
            sums[0] = sums[1] = 0;                                                                                     \
        syncthreads();                                                                                                 \
        const part parts[2] = {(part)number(in[grid(1)]), (part)number(in[grid(1) + 1000])};                           \
        type v;                                                                                                        \
        __builtin_memcpy(&v, parts, sizeof v);                                                                         \
        atomic_add(&sums[0], v);                                                                                       \
        atomic_sub_block(&sums[1], v);                                                                                 \
        atomic_add(&sum[0], v);                                                                                        \
        atomic_add_system(&sum[1], v);                                                                                 \
        syncthreads();                                                                                                 \
        if (threadIdx.x < 2)                                                                                           \
            out[64 + 2 * blockIdx.x + threadIdx.x] =                                                                   \
                bits_of((float)__real__ sums[threadIdx.x]) * 31 + bits_of((float)__imag__ sums[threadIdx.x]);          \
    }
DEFINE_COMPLEX(c64, complex64, float)
DEFINE_COMPLEX(c128, complex128, double)

/* Many threads on one element: what is left does not depend on the order. */
#define DEFINE_CROWD(name, type)                                                                                       \
    kernel                                                                                                             \
    void crowd_##name(const uint32 *in, uint32 *out)                                                                   \
    {                                                                                                                  \
        shared _Alignas(8) type part[8];                                                                               \
        type *const all = (type *)out;                                                                                 \
        const unsigned i = (unsigned)grid(1);                                                                          \
        if (threadIdx.x < 8)                                                                                           \
            part[threadIdx.x] = threadIdx.x == 2 ? 100 : 0;                                                            \
        syncthreads();                                                                                                 \
        const type v = (type)(in[i] % 100);                                                                            \
        atomic_add(&part[0], (type)(i % 4 == 0));                                                                      \
        atomic_max(&part[1], v);                                                                                       \
        atomic_min(&part[2], v);                                                                                       \
        atomic_sub_block(&part[3], (type)(i % 8 == 0));                                                                \
        atomic_add(&all[8], (type)(i % 64 == 0));                                                                      \
        atomic_max_system(&all[9], v);                                                                                 \
        atomic_min(&all[10], (type)(0 - v));                                                                           \
        syncthreads();                                                                                                 \
        if (threadIdx.x < 4)                                                                                           \
            all[16 + 4 * blockIdx.x + threadIdx.x] = part[threadIdx.x];                                                \
    }
DEFINE_CROWD(i8, int8)
DEFINE_CROWD(u8, uint8)
DEFINE_CROWD(i16, int16)
DEFINE_CROWD(u16, uint16)
DEFINE_CROWD(i32, int32)
DEFINE_CROWD(u32, uint32)
DEFINE_CROWD(i64, int64)
DEFINE_CROWD(u64, uint64)
DEFINE_CROWD(f16, float16)
DEFINE_CROWD(bf16, bfloat16)
DEFINE_CROWD(f32, float32)
DEFINE_CROWD(f64, float64)

/* C11: what one block wrote before it added is seen by the block that was last to add, in every kind of order. */
kernel
void last_block(const uint32 *in, uint32 *out)
{
    shared unsigned before;
    atomic_uint *const done = (atomic_uint *)&out[1];
    uint32 *const parts = out + 16;
    uint32 part = 0;
    for (size_t i = grid(1); i < 20000; i += gridsize(1))
        part += in[i];
    part = reduce_add_sync(0xffffffffu, part);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;
        before = atomic_fetch_add_explicit(done, 1, memory_order_acq_rel);
    }
    syncthreads();
    if (threadIdx.x != 0 || before != gridDim.x - 1)
        return;
    uint32 sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
        sum += parts[i];
    out[0] = sum;
}

/* A lock around two numbers. */
kernel
void locked_pair(const uint32 *in, uint32 *out)
{
    atomic_flag *const lock = (atomic_flag *)&out[8];
    volatile uint32 *const pair = out;
    if (threadIdx.x != 0)
        return;
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        nanosleep(100);
    pair[0] = pair[0] + 1;
    pair[1] = pair[1] + pair[0] * (in[0] % 10);
    atomic_flag_clear_explicit(lock, memory_order_release);
}

/* Orders and widths of C11's operations, one thread to an element. */
#define DEFINE_ORDERS(name, type)                                                                                      \
    kernel                                                                                                             \
    void orders_##name(const uint32 *in, uint32 *out)                                                                  \
    {                                                                                                                  \
        shared _Atomic(type) in_shared[THREADS];                                                                       \
        const unsigned i = threadIdx.x;                                                                                \
        uint32 *to = out + i * 32;                                                                                     \
        for (int space = 0; space < 2; space++) {                                                                      \
            _Atomic(type) *const x = space ? (_Atomic(type) *)(out + 4096) + i : &in_shared[i];                        \
            const type a = (type)(in[i] % 50), b = (type)(in[i + 100] % 50);                                           \
            type expected = b, other = (type)(b + 1);                                                                  \
            atomic_store_explicit(x, a, memory_order_release);                                                         \
            *to++ = (uint32)atomic_fetch_add_explicit(x, b, memory_order_acquire);                                     \
            *to++ = (uint32)atomic_exchange(x, b);                                                                     \
            *to++ = (uint32)atomic_compare_exchange_strong_explicit(x, &expected, a, memory_order_release,             \
                                                                    memory_order_acquire);                             \
            *to++ = (uint32)atomic_compare_exchange_strong(x, &other, b) + 2 * (uint32)other;                          \
            *to++ = (uint32)atomic_fetch_sub(x, (type)3);                                                              \
            atomic_store(x, (type)(atomic_load(x) + 2));                                                               \
            atomic_thread_fence(memory_order_seq_cst);                                                                 \
            *to++ = (uint32)atomic_load_explicit(x, memory_order_acquire);                                             \
        }                                                                                                              \
    }
DEFINE_ORDERS(i8, int8)
DEFINE_ORDERS(u16, uint16)
DEFINE_ORDERS(i32, int32)
DEFINE_ORDERS(u64, uint64)
DEFINE_ORDERS(f32, float32)
DEFINE_ORDERS(f64, float64)
