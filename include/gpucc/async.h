/* Asynchronous copies from global to shared memory; part of <gpucc.h>.
 *
 *   memcpy_async(to, from, bytes)         starts a copy to shared memory `to` from global memory `from`
 *   memcpy_async(to, from, bytes, zeros)  the last `zeros` of the bytes, at most all, are not read but set to 0
 *   memcpy_async_commit()                 makes a group of the copies that the thread started since its last commit
 *   memcpy_async_wait(n)                  waits until at most the thread's n newest groups, 0 to 7, are
 *                                         incomplete
 *
 *   for (int i = 0; i < STAGES - 1; i++) { load_tile(i); memcpy_async_commit(); }
 *   for (int i = 0; i < tiles; i++) {
 *       memcpy_async_wait(STAGES - 2);
 *       syncthreads();                    makes other threads' copies visible
 *       …
 *   }
 *
 * One access of 4, 8 or 16 bytes, both addresses multiples of that, is one cp.async from sm_80.  More bytes are copied
 * in the largest of these units that divides both addresses and `bytes`; if none does, on older targets and on
 * the CPU, the copy is synchronous.  Until the wait, do not write to either side, nor read `to`.
 */
#ifndef GPUCC_ASYNC_H
#define GPUCC_ASYNC_H

#if defined(__NVPTX__) && __CUDA_ARCH__ >= 800

#define GPUCC_COPY_ASYNC(cache, size, to, from, bytes)                                                                 \
    __nvvm_cp_async_##cache##_shared_global_##size((__attribute__((address_space(3))) void *)(to),                     \
                                                   (const __attribute__((address_space(1))) void *)(from), bytes)

/* One unit, of which `bytes` are read and the rest is 0.  16 bytes need not pass through L1. */
GPUCC_INLINE void gpucc_copy_unit(void *to, const void *from, unsigned unit, size_t bytes)
{
    if (unit == 16)
        GPUCC_COPY_ASYNC(cg, 16, to, from, (int)bytes);
    else if (unit == 8)
        GPUCC_COPY_ASYNC(ca, 8, to, from, (int)bytes);
    else
        GPUCC_COPY_ASYNC(ca, 4, to, from, (int)bytes);
}

#define gpucc_memcpy_async_commit() __nvvm_cp_async_commit_group()

/* The instruction takes a constant. */
GPUCC_INLINE void gpucc_memcpy_async_wait(unsigned groups)
{
    switch (groups) {
    case 0:
        __nvvm_cp_async_wait_group(0);
        break;
    case 1:
        __nvvm_cp_async_wait_group(1);
        break;
    case 2:
        __nvvm_cp_async_wait_group(2);
        break;
    case 3:
        __nvvm_cp_async_wait_group(3);
        break;
    case 4:
        __nvvm_cp_async_wait_group(4);
        break;
    case 5:
        __nvvm_cp_async_wait_group(5);
        break;
    case 6:
        __nvvm_cp_async_wait_group(6);
        break;
    default:
        __nvvm_cp_async_wait_group(7);
    }
}

#else

typedef struct __attribute__((aligned(4), may_alias)) gpucc_unit_4 {
    char bytes[4];
} gpucc_unit_4;
typedef struct __attribute__((aligned(8), may_alias)) gpucc_unit_8 {
    char bytes[8];
} gpucc_unit_8;
typedef struct __attribute__((aligned(16), may_alias)) gpucc_unit_16 {
    char bytes[16];
} gpucc_unit_16;

/* One unit, of which `bytes` are read and the rest is 0. */
GPUCC_INLINE void gpucc_copy_unit(void *to, const void *from, unsigned unit, size_t bytes)
{
    if (bytes < unit)
        for (unsigned i = 0; i < unit; i++)
            ((char *)to)[i] = i < bytes ? ((const char *)from)[i] : 0;
    else if (unit == 16)
        *(gpucc_unit_16 *)to = *(const gpucc_unit_16 *)from;
    else if (unit == 8)
        *(gpucc_unit_8 *)to = *(const gpucc_unit_8 *)from;
    else
        *(gpucc_unit_4 *)to = *(const gpucc_unit_4 *)from;
}

#if defined(__GPUCC_WATCHES_RACES__) /* checked code: reports accesses before the wait */
#define gpucc_memcpy_async_commit() gpucc_cpu_copy_commit()
#define gpucc_memcpy_async_wait(groups) gpucc_cpu_copy_wait(groups)
#else
#define gpucc_memcpy_async_commit() ((void)0)
#define gpucc_memcpy_async_wait(groups) ((void)(groups))
#endif

#endif

#if defined(__NVPTX__)
#define GPUCC_REQUIRE(condition, what) ((void)0)
#else
#define GPUCC_REQUIRE(condition, what) ((condition) ? (void)0 : gpucc_cpu_fail(what, __FILE__, __LINE__))
#endif

GPUCC_INLINE void gpucc_copy_bytes(void *to, const void *from, size_t bytes, size_t zeros)
{
    const uintptr_t both = (uintptr_t)to | (uintptr_t)from, all = both | bytes;
    const size_t read = zeros < bytes ? bytes - zeros : 0;
    if (bytes == 4 || bytes == 8 || bytes == 16) {
        gpucc_copy_unit(to, from, (unsigned)bytes, read);
        return;
    }
    const unsigned unit = all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : 4;
    if (all % 4 == 0)
        for (size_t at = 0; at < bytes; at += unit)
            gpucc_copy_unit((char *)to + at, (const char *)from + (at < read ? at : 0), unit,
                            at + unit <= read ? unit : at < read ? read - at : 0);
    else
        for (size_t at = 0; at < bytes; at++)
            ((char *)to)[at] = at < read ? ((const char *)from)[at] : 0;
}

GPUCC_INLINE void gpucc_copy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
    gpucc_copy_bytes(to, from, bytes, zeros);
#if defined(__GPUCC_WATCHES_RACES__)
    gpucc_cpu_copy_begin(to, from, bytes, zeros < bytes ? bytes - zeros : 0, (struct gpucc_cpu_site *)0);
#endif
}

#define GPUCC_MEMCPY_ASYNC(to, from, bytes, zeros)                                                                     \
    __extension__({                                                                                                    \
        void *const gpucc_to = (to);                                                                                   \
        const void *const gpucc_from = (from);                                                                         \
        const size_t gpucc_bytes = (bytes), gpucc_zeros = (zeros);                                                     \
        GPUCC_REQUIRE((gpucc_bytes != 4 && gpucc_bytes != 8 && gpucc_bytes != 16) ||                                   \
                          ((uintptr_t)gpucc_to | (uintptr_t)gpucc_from) % gpucc_bytes == 0,                            \
                      "memcpy_async of 4, 8 or 16 bytes: an address is no multiple of that");                          \
        GPUCC_REQUIRE(gpucc_zeros <= gpucc_bytes, "memcpy_async: more zeros than bytes");                              \
        gpucc_copy_async(gpucc_to, gpucc_from, gpucc_bytes, gpucc_zeros);                                              \
    })
#define gpucc_memcpy_async(to, from, ...)                                                                              \
    GPUCC_MEMCPY_ASYNC(to, from, GPUCC_FIRST(__VA_ARGS__, ~), GPUCC_SECOND(__VA_ARGS__, 0, ~))

#ifndef GPUCC_NO_SHORT_NAMES
#define memcpy_async(to, from, ...) gpucc_memcpy_async(to, from, __VA_ARGS__)
#define memcpy_async_commit() gpucc_memcpy_async_commit()
#define memcpy_async_wait(groups) gpucc_memcpy_async_wait(groups)
#endif

#endif
