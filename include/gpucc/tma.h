/* Copies of tiles between global and shared memory by the GPU's copy engine (TMA), and the barriers that they complete
 * on; on GPUs from sm_90 and on the CPU.  Include it by itself.
 *
 *   kernel launch_bounds(128)
 *   void rows(const tensor_map a, float *sums)           a: boxes of 64 x 32 float32, made by gpucc_tensor_map_make()
 *   {
 *       shared float tile[32][64] __attribute__((aligned(128)));
 *       shared mbarrier full;
 *       if (threadIdx.x == 0) {
 *           mbarrier_init(&full, 1);                      one thread arrives in each phase
 *           mbarrier_fence_init();
 *       }
 *       syncthreads();
 *       if (threadIdx.x == 0) {
 *           mbarrier_arrive_expect(&full, sizeof tile);   the phase ends when so many bytes have arrived
 *           tma_load(tile, a, &full, 0, blockIdx.x * 32); the box from element [blockIdx.x * 32][0] on
 *       }
 *       mbarrier_wait(&full, 0);                          the first phase has parity 0, the next one 1, then 0 …
 *       …
 *   }
 *
 *   mbarrier                         a barrier in shared memory: 8 bytes
 *   mbarrier_init(&b, n)             n threads arrive in each phase, 1 to 2^20 - 1; by one thread
 *   mbarrier_fence_init()            after it, by the same thread; then a barrier of the block, or of the cluster
 *   mbarrier_arrive(&b)              the thread arrives
 *   mbarrier_expect(&b, bytes)       the phase also waits for so many bytes of copies, at most 2^20 - 1
 *   mbarrier_arrive_expect(&b, bytes)   both
 *   mbarrier_arrive_rank(&b, rank)   arrives at the same barrier of the block of that rank in the cluster: its waits
 *                                    see that the thread has read, and what it wrote before a threadfence()
 *   mbarrier_wait(&b, parity)        until the phase of that parity has ended: 0 for the first, third … one.  Waits on
 *                                    a new barrier for parity 1 return at once
 *   mbarrier_test(&b, parity)        whether it has
 *
 *   tma_load(to, map, &b, x, y …)    copies the map's box from element [… y][x] on to shared memory, and its bytes to
 *                                    the count of b.  1 to 5 coordinates, int, as many as the map has; elements
 *                                    outside of the array, also before it, are 0.  x is a multiple of 16 bytes
 *   tma_load_multicast(to, map, &b, ranks, x, y …)
 *                                    the same to each block of the cluster whose bit is set in `ranks`: to the same
 *                                    place in its shared memory, and for its own barrier
 *   tma_store(map, from, x, y …)     copies a box from shared memory; elements behind the array's end are left out,
 *                                    and no coordinate is negative
 *   tma_add(map, from, x, y …)       adds it to what is there, each element atomically
 *   tma_commit()                     makes a group of the thread's stores since its last commit
 *   tma_wait(n)                      until at most the thread's n newest groups, 0 to 7, are incomplete
 *   tma_wait_read(n)                 until all others have at least been read, so that `from` may be written
 *   bulk_load(to, from, bytes, &b)   a copy of bytes from global to shared memory, without a map
 *   bulk_store(to, from, bytes)      the other way, committed like tma_store()
 *   fence_proxy_async()              the copy engine and wgmma read what the thread wrote to shared memory.  Call it
 *                                    after the writes, before the barrier that lets another thread start the copy
 *
 * One thread starts a copy for all.  Alignment: tiles in shared memory 128 bytes, with a swizzle the swizzle's 8 rows
 * (1024 bytes for 128); bulk copies: addresses and bytes 16.  The bytes of a box are those of its whole extent, also
 * where the array ends.  On the CPU a copy is done when it is started, in the calling thread.
 */
#ifndef GPUCC_TMA_H
#define GPUCC_TMA_H

#include <gpucc/cluster.h>
#include <gpucc/tensor_map.h>

/* Whether the target has it: the CPU, and GPUs from sm_90. */
#if !defined(__NVPTX__) || __CUDA_ARCH__ >= 900
#define GPUCC_HAS_TMA 1
#else
#define GPUCC_HAS_TMA 0
#endif

typedef struct __attribute__((aligned(8))) gpucc_mbarrier {
    uint64_t state;
} gpucc_mbarrier;

#if !defined(__NVPTX__)

#define gpucc_mbarrier_init(barrier, arrivals) gpucc_cpu_mbarrier_init(&(barrier)->state, arrivals)
#define gpucc_mbarrier_arrive(barrier) gpucc_cpu_mbarrier_arrive(&(barrier)->state)
#define gpucc_mbarrier_expect(barrier, bytes) gpucc_cpu_mbarrier_expect(&(barrier)->state, bytes)
#define gpucc_mbarrier_arrive_expect(barrier, bytes)                                                                   \
    GPUCC_ONCE(barrier, (gpucc_mbarrier_expect(gpucc_x, bytes), gpucc_mbarrier_arrive(gpucc_x)))
#define gpucc_mbarrier_arrive_rank(barrier, rank)                                                                      \
    gpucc_cpu_mbarrier_arrive((uint64_t *)gpucc_cpu_cluster_map(&(barrier)->state, rank))
#define gpucc_mbarrier_wait(barrier, parity) gpucc_cpu_mbarrier_wait(&(barrier)->state, parity)
#define gpucc_mbarrier_test(barrier, parity) (gpucc_cpu_mbarrier_test(&(barrier)->state, parity) != 0)
#if defined(__GPUCC_WATCHES_RACES__) /* checked code */
#define gpucc_mbarrier_fence_init() gpucc_cpu_mbarrier_fence()
#define gpucc_fence_proxy_async() gpucc_cpu_bulk_fence()
#define gpucc_tma_commit() gpucc_cpu_bulk_commit()
#define gpucc_tma_wait(groups) gpucc_cpu_bulk_wait(groups, 0)
#define gpucc_tma_wait_read(groups) gpucc_cpu_bulk_wait(groups, 1)
#else
#define gpucc_mbarrier_fence_init() ((void)0)
#define gpucc_fence_proxy_async() ((void)0)
#define gpucc_tma_commit() ((void)0)
#define gpucc_tma_wait(groups) ((void)(groups))
#define gpucc_tma_wait_read(groups) ((void)(groups))
#endif
#define gpucc_bulk_load(to, from, bytes, barrier) gpucc_cpu_bulk_copy(to, from, bytes, &(barrier)->state)
#define gpucc_bulk_store(to, from, bytes) gpucc_cpu_bulk_copy(to, from, bytes, (uint64_t *)0)
#define GPUCC_TMA_LOAD(to, map, barrier, ranks, rank, at)                                                              \
    gpucc_cpu_tensor_load(to, map, &(barrier)->state, ranks, rank, at)
#define GPUCC_TMA_STORE(map, from, adds, rank, at) gpucc_cpu_tensor_store(map, from, adds, rank, at)

#elif GPUCC_HAS_TMA

GPUCC_INLINE uint32_t gpucc_shared_address(const volatile void *pointer)
{
    return (uint32_t)(uintptr_t)(__attribute__((address_space(3))) const volatile void *)pointer;
}

GPUCC_INLINE void gpucc_mbarrier_init(gpucc_mbarrier *barrier, unsigned arrivals)
{
    __asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gpucc_shared_address(barrier)), "r"(arrivals)
                     : "memory");
}

#define gpucc_mbarrier_fence_init() __asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory")

GPUCC_INLINE void gpucc_mbarrier_arrive(gpucc_mbarrier *barrier)
{
    __asm__ volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(gpucc_shared_address(barrier)) : "memory");
}

GPUCC_INLINE void gpucc_mbarrier_expect(gpucc_mbarrier *barrier, unsigned bytes)
{
    __asm__ volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(gpucc_shared_address(barrier)),
                     "r"(bytes)
                     : "memory");
}

GPUCC_INLINE void gpucc_mbarrier_arrive_expect(gpucc_mbarrier *barrier, unsigned bytes)
{
    __asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(gpucc_shared_address(barrier)),
                     "r"(bytes)
                     : "memory");
}

GPUCC_INLINE void gpucc_mbarrier_arrive_rank(gpucc_mbarrier *barrier, unsigned rank)
{
    __asm__ volatile("{ .reg .b32 there;\n"
                     "mapa.shared::cluster.u32 there, %0, %1;\n"
                     "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(
                         gpucc_shared_address(barrier)),
                     "r"(rank)
                     : "memory");
}

GPUCC_INLINE _Bool gpucc_mbarrier_test(gpucc_mbarrier *barrier, unsigned parity)
{
    uint32_t has_ended;
    __asm__ volatile("{ .reg .pred ended;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, ended; }"
                     : "=r"(has_ended)
                     : "r"(gpucc_shared_address(barrier)), "r"(parity)
                     : "memory");
    return has_ended != 0;
}

GPUCC_INLINE void gpucc_mbarrier_wait(gpucc_mbarrier *barrier, unsigned parity)
{
    while (!gpucc_mbarrier_test(barrier, parity))
        ;
}

#define gpucc_fence_proxy_async() __asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define gpucc_tma_commit() __asm__ volatile("cp.async.bulk.commit_group;" ::: "memory")
#define gpucc_tma_wait(groups) __asm__ volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory")
#define gpucc_tma_wait_read(groups) __asm__ volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory")

GPUCC_INLINE void gpucc_bulk_load(void *to, const void *from, unsigned bytes, gpucc_mbarrier *barrier)
{
    __asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         gpucc_shared_address(to)),
                     "l"((__attribute__((address_space(1))) const void *)from), "r"(bytes),
                     "r"(gpucc_shared_address(barrier))
                     : "memory");
}

GPUCC_INLINE void gpucc_bulk_store(void *to, const void *from, unsigned bytes)
{
    __asm__ volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         (__attribute__((address_space(1))) void *)to),
                     "r"(gpucc_shared_address(from)), "r"(bytes)
                     : "memory");
}

/* One instruction for each number of coordinates: `operands` are these in PTX, from %3 on. */
#define GPUCC_DEFINE_TMA(rank, operands, ...)                                                                          \
    GPUCC_INLINE void gpucc_tma_load_##rank(uint32_t to, const gpucc_tensor_map *map, uint32_t barrier, const int *at) \
    {                                                                                                                  \
        __asm__ volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes"         \
                         " [%0], [%1, {" operands "}], [%2];" ::"r"(to),                                               \
                         "l"(map), "r"(barrier), __VA_ARGS__                                                           \
                         : "memory");                                                                                  \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_tma_multicast_##rank(uint32_t to, const gpucc_tensor_map *map, uint32_t barrier,           \
                                                 uint16_t ranks, const int *at)                                        \
    {                                                                                                                  \
        __asm__ volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global.mbarrier::complete_tx::bytes"         \
                         ".multicast::cluster [%0], [%1, {" operands "}], [%2], %[ranks];" ::"r"(to),                  \
                         "l"(map), "r"(barrier), __VA_ARGS__, [ranks] "h"(ranks)                                       \
                         : "memory");                                                                                  \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_tma_store_##rank(uint32_t from, const gpucc_tensor_map *map, const int *at)                \
    {                                                                                                                  \
        __asm__ volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group"                               \
                         " [%1, {" operands "}], [%0];" ::"r"(from),                                                   \
                         "l"(map), "n"(0), __VA_ARGS__                                                                 \
                         : "memory");                                                                                  \
    }                                                                                                                  \
    GPUCC_INLINE void gpucc_tma_add_##rank(uint32_t from, const gpucc_tensor_map *map, const int *at)                  \
    {                                                                                                                  \
        __asm__ volatile("cp.reduce.async.bulk.tensor." #rank "d.global.shared::cta.add.tile.bulk_group"               \
                         " [%1, {" operands "}], [%0];" ::"r"(from),                                                   \
                         "l"(map), "n"(0), __VA_ARGS__                                                                 \
                         : "memory");                                                                                  \
    }
GPUCC_DEFINE_TMA(1, "%3", "r"(at[0]))
GPUCC_DEFINE_TMA(2, "%3, %4", "r"(at[0]), "r"(at[1]))
GPUCC_DEFINE_TMA(3, "%3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]))
GPUCC_DEFINE_TMA(4, "%3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]))
GPUCC_DEFINE_TMA(5, "%3, %4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]))
#undef GPUCC_DEFINE_TMA

#define GPUCC_TMA_RANKS(one) one(1), one(2), one(3), one(4), one(5)

GPUCC_INLINE void GPUCC_TMA_LOAD(void *to, const gpucc_tensor_map *map, gpucc_mbarrier *barrier, unsigned ranks,
                                 unsigned rank, const int *at)
{
    const uint32_t there = gpucc_shared_address(to), counter = gpucc_shared_address(barrier);
#define GPUCC_TMA_OF_RANK(n)                                                                                           \
    (rank != (n) ? (void)0                                                                                             \
     : ranks     ? gpucc_tma_multicast_##n(there, map, counter, (uint16_t)ranks, at)                                   \
                 : gpucc_tma_load_##n(there, map, counter, at))
    GPUCC_TMA_RANKS(GPUCC_TMA_OF_RANK);
#undef GPUCC_TMA_OF_RANK
}

GPUCC_INLINE void GPUCC_TMA_STORE(const gpucc_tensor_map *map, const void *from, _Bool adds, unsigned rank,
                                  const int *at)
{
    const uint32_t here = gpucc_shared_address(from);
#define GPUCC_TMA_OF_RANK(n)                                                                                           \
    (rank != (n) ? (void)0 : adds ? gpucc_tma_add_##n(here, map, at) : gpucc_tma_store_##n(here, map, at))
    GPUCC_TMA_RANKS(GPUCC_TMA_OF_RANK);
#undef GPUCC_TMA_OF_RANK
}
#undef GPUCC_TMA_RANKS

#else

void gpucc_tma_needs_sm_90(void)
    __attribute__((diagnose_if(1,
                               "the copy engine needs sm_90 or newer, and this is code for " __GPUCC_ARCH__ ": "
                               "compile with --arch=sm_90, or put it under '#if GPUCC_HAS_TMA'",
                               "error")));
#define gpucc_mbarrier_init(barrier, arrivals) gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_fence_init() gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_arrive(barrier) gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_expect(barrier, bytes) gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_arrive_expect(barrier, bytes) gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_arrive_rank(barrier, rank) gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_wait(barrier, parity) gpucc_tma_needs_sm_90()
#define gpucc_mbarrier_test(barrier, parity) (gpucc_tma_needs_sm_90(), 0)
#define gpucc_fence_proxy_async() gpucc_tma_needs_sm_90()
#define gpucc_tma_commit() gpucc_tma_needs_sm_90()
#define gpucc_tma_wait(groups) gpucc_tma_needs_sm_90()
#define gpucc_tma_wait_read(groups) gpucc_tma_needs_sm_90()
#define gpucc_bulk_load(to, from, bytes, barrier) gpucc_tma_needs_sm_90()
#define gpucc_bulk_store(to, from, bytes) gpucc_tma_needs_sm_90()
#define GPUCC_TMA_LOAD(to, map, barrier, ranks, rank, at) gpucc_tma_needs_sm_90()
#define GPUCC_TMA_STORE(map, from, adds, rank, at) gpucc_tma_needs_sm_90()

#endif

/* The coordinates as an array of int, and their number. */
#define GPUCC_COORDINATES(...) ((const int[]){__VA_ARGS__})
#define GPUCC_RANK(...) (unsigned)(sizeof GPUCC_COORDINATES(__VA_ARGS__) / sizeof(int))

#define gpucc_tma_load(to, map, barrier, ...)                                                                          \
    GPUCC_TMA_LOAD(to, &(map), barrier, 0, GPUCC_RANK(__VA_ARGS__), GPUCC_COORDINATES(__VA_ARGS__))
#define gpucc_tma_load_multicast(to, map, barrier, ranks, ...)                                                         \
    GPUCC_TMA_LOAD(to, &(map), barrier, ranks, GPUCC_RANK(__VA_ARGS__), GPUCC_COORDINATES(__VA_ARGS__))
#define gpucc_tma_store(map, from, ...)                                                                                \
    GPUCC_TMA_STORE(&(map), from, 0, GPUCC_RANK(__VA_ARGS__), GPUCC_COORDINATES(__VA_ARGS__))
#define gpucc_tma_add(map, from, ...)                                                                                  \
    GPUCC_TMA_STORE(&(map), from, 1, GPUCC_RANK(__VA_ARGS__), GPUCC_COORDINATES(__VA_ARGS__))

#ifndef GPUCC_NO_SHORT_NAMES
typedef gpucc_mbarrier mbarrier;
typedef gpucc_tensor_map tensor_map;
#define mbarrier_init(barrier, arrivals) gpucc_mbarrier_init(barrier, arrivals)
#define mbarrier_fence_init() gpucc_mbarrier_fence_init()
#define mbarrier_arrive(barrier) gpucc_mbarrier_arrive(barrier)
#define mbarrier_expect(barrier, bytes) gpucc_mbarrier_expect(barrier, bytes)
#define mbarrier_arrive_expect(barrier, bytes) gpucc_mbarrier_arrive_expect(barrier, bytes)
#define mbarrier_arrive_rank(barrier, rank) gpucc_mbarrier_arrive_rank(barrier, rank)
#define mbarrier_wait(barrier, parity) gpucc_mbarrier_wait(barrier, parity)
#define mbarrier_test(barrier, parity) gpucc_mbarrier_test(barrier, parity)
#define tma_load(to, map, barrier, ...) gpucc_tma_load(to, map, barrier, __VA_ARGS__)
#define tma_load_multicast(to, map, barrier, ranks, ...) gpucc_tma_load_multicast(to, map, barrier, ranks, __VA_ARGS__)
#define tma_store(map, from, ...) gpucc_tma_store(map, from, __VA_ARGS__)
#define tma_add(map, from, ...) gpucc_tma_add(map, from, __VA_ARGS__)
#define tma_commit() gpucc_tma_commit()
#define tma_wait(groups) gpucc_tma_wait(groups)
#define tma_wait_read(groups) gpucc_tma_wait_read(groups)
#define bulk_load(to, from, bytes, barrier) gpucc_bulk_load(to, from, bytes, barrier)
#define bulk_store(to, from, bytes) gpucc_bulk_store(to, from, bytes)
#define fence_proxy_async() gpucc_fence_proxy_async()
#endif

#endif
