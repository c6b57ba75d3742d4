// CUDA's device functions for a C++ compiler of the host: a block's threads take turns on one processor, each with a
// stack of its own, from one barrier to the next.  tests/public_runs.py puts this in front of a kernel, whose results
// are the reference for gpucc's.  Nothing of CUDA is needed.
#ifndef PUBLIC_HOST_H
#define PUBLIC_HOST_H
#undef _FORTIFY_SOURCE // whose longjmp() knows of no other stacks

#include <algorithm>
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static // blocks run one after another
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __restrict__ __restrict
#define warpSize 32
#define __CUDA_ARCH__ 900

// name##1 to name##4 with CUDA's alignments, and make_name##1 to make_name##4
#define VECTORS(name, T, align2, align4)                                                                               \
    struct name##1 { T x; };                                                                                           \
    struct alignas(align2) name##2 { T x, y; };                                                                        \
    struct name##3 { T x, y, z; };                                                                                     \
    struct alignas(align4) name##4 { T x, y, z, w; };                                                                  \
    static inline name##1 make_##name##1(T x) { return {x}; }                                                          \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; }                                                  \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }                                          \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
VECTORS(char, signed char, 2, 4)
VECTORS(uchar, unsigned char, 2, 4)
VECTORS(short, short, 4, 8)
VECTORS(ushort, unsigned short, 4, 8)
VECTORS(int, int, 8, 16)
VECTORS(uint, unsigned, 8, 16)
VECTORS(float, float, 8, 16)
VECTORS(double, double, 16, 16)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned its_x = 1, unsigned its_y = 1, unsigned its_z = 1) : x(its_x), y(its_y), z(its_z) {}
    dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
};

static dim3 gridDim, blockDim;
static uint3 blockIdx, threadIdx;
static char *host_shared; // dynamic shared memory

namespace host {
enum { STACK = 64 << 10 };

// A barrier: threads wait until all expected ones that have not ended arrive.
struct meeting {
    unsigned arrived, round;
};

struct thread {
    uint3 index;
    unsigned number;
    bool started, ended;
    jmp_buf place;
    ucontext_t first;
    std::vector<char> stack;
};

static std::vector<thread> threads;
static thread *self;
static jmp_buf scheduler;
static meeting block, warps[32];
static unsigned alive, lanes[32]; // threads of the block that have not ended, and those of each warp, as bits
static unsigned steps;            // a round of all threads that takes none is a deadlock
static uint64_t slots[1024]; // what lanes tell each other
static void (*body)(void *);
static void *body_data;

static inline void yield_thread()
{
    if (!_setjmp(self->place))
        _longjmp(scheduler, 1);
}

template <class F> static void meet(meeting &at, F expected)
{
    const unsigned round = at.round;
    at.arrived++;
    steps++;
    while (at.round == round) {
        if (at.arrived >= expected()) {
            at.arrived = 0;
            at.round++;
            steps++;
        } else
            yield_thread();
    }
}

static inline void meet_block() { meet(block, [] { return alive; }); }

static inline void meet_warp(unsigned mask)
{
    const unsigned warp = self->number / 32;
    meet(warps[warp], [=] { return (unsigned)__builtin_popcount(mask & lanes[warp]); });
}

static void enter()
{
    body(body_data);
    self->ended = true;
    alive--;
    lanes[self->number / 32] &= ~(1u << self->number % 32);
    steps++;
    _longjmp(scheduler, 1);
}

static void resume(thread &next)
{
    static ucontext_t here;
    self = &next;
    threadIdx = next.index;
    if (_setjmp(scheduler))
        return;
    if (next.started)
        _longjmp(next.place, 1);
    next.started = true;
    next.stack.resize(STACK);
    getcontext(&next.first);
    next.first.uc_stack.ss_sp = next.stack.data();
    next.first.uc_stack.ss_size = STACK;
    next.first.uc_link = nullptr;
    makecontext(&next.first, enter, 0);
    swapcontext(&here, &next.first);
}

// One thread after another, to its end.
static void run_straight()
{
    for (thread &next : threads) {
        self = &next;
        threadIdx = next.index;
        body(body_data);
    }
}

// All threads in turn, each to its next barrier.
static void run_in_turn()
{
    alive = (unsigned)threads.size();
    for (const thread &next : threads)
        lanes[next.number / 32] |= 1u << next.number % 32;
    while (alive) {
        steps = 0;
        for (thread &next : threads)
            if (!next.ended)
                resume(next);
        if (steps == 0) {
            fprintf(stderr, "threads wait for others that never come\n");
            exit(1);
        }
    }
}

static void run_block(bool has_barriers)
{
    threads.resize(blockDim.x * blockDim.y * blockDim.z);
    block = {};
    std::fill_n(warps, 32, meeting{});
    std::fill_n(lanes, 32, 0u);
    for (unsigned number = 0; number < threads.size(); number++) {
        threads[number].number = number;
        threads[number].index = {number % blockDim.x, number / blockDim.x % blockDim.y,
                                 number / blockDim.x / blockDim.y};
        threads[number].started = threads[number].ended = false;
    }
    if (has_barriers)
        run_in_turn();
    else
        run_straight();
}

template <class... Parameters, size_t... I>
static void call(void (*kernel)(Parameters...), void **parameters, std::index_sequence<I...>)
{
    kernel(*(std::remove_cv_t<std::remove_reference_t<Parameters>> *)parameters[I]...);
}

template <class... Parameters>
static void launch(void (*kernel)(Parameters...), const unsigned grid[3], const unsigned its_block[3], size_t shared,
                   void **parameters, bool has_barriers)
{
    auto work = [&] { call(kernel, parameters, std::index_sequence_for<Parameters...>()); };
    body = [](void *data) { (*(decltype(work) *)data)(); };
    body_data = &work;
    gridDim = dim3(grid[0], grid[1], grid[2]);
    blockDim = dim3(its_block[0], its_block[1], its_block[2]);
    host_shared = (char *)aligned_alloc(256, (shared + 511) / 256 * 256);
    for (unsigned z = 0; z < grid[2]; z++)
        for (unsigned y = 0; y < grid[1]; y++)
            for (unsigned x = 0; x < grid[0]; x++) {
                blockIdx = {x, y, z};
                run_block(has_barriers);
            }
    free(host_shared);
}

// Returns the value of the lane of this number; for one outside the warp, as `valid` says, the caller's own.
template <class T> static T exchange(unsigned mask, T value, int lane, bool valid)
{
    static_assert(sizeof(T) <= 8, "a shuffle of more than 8 bytes");
    const unsigned number = self->number, source = valid ? number / 32 * 32 + (unsigned)lane : number;
    T result;
    memcpy(&slots[number], &value, sizeof value);
    meet_warp(mask);
    memcpy(&result, &slots[source], sizeof result);
    meet_warp(mask);
    return result;
}

static inline unsigned ballot(unsigned mask, bool is)
{
    const unsigned warp = self->number / 32;
    unsigned bits = 0;
    slots[self->number] = is;
    meet_warp(mask);
    for (unsigned lane = 0; lane < 32; lane++)
        bits |= (mask & lanes[warp]) >> lane & 1 && slots[warp * 32 + lane] ? 1u << lane : 0;
    meet_warp(mask);
    return bits;
}

template <class T, class F> static T update(T *at, F &&next)
{
    T before = *at;
    *at = (T)next(before);
    return before;
}
} // namespace host

static inline void __syncthreads() { host::meet_block(); }
static inline void __syncwarp(unsigned mask = ~0u) { host::meet_warp(mask); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <class T> static T __shfl_sync(unsigned mask, T x, int lane, int width = 32)
{
    const int own = (int)(host::self->number % 32);
    return host::exchange(mask, x, own / width * width + lane % width, true);
}
template <class T> static T __shfl_down_sync(unsigned mask, T x, unsigned by, int width = 32)
{
    const int own = (int)(host::self->number % 32);
    return host::exchange(mask, x, own + (int)by, own % width + (int)by < width);
}
template <class T> static T __shfl_up_sync(unsigned mask, T x, unsigned by, int width = 32)
{
    const int own = (int)(host::self->number % 32);
    return host::exchange(mask, x, own - (int)by, own % width >= (int)by);
}
template <class T> static T __shfl_xor_sync(unsigned mask, T x, int by, int width = 32)
{
    const int own = (int)(host::self->number % 32);
    return host::exchange(mask, x, own ^ by, (own ^ by) / width <= own / width);
}
static inline unsigned __ballot_sync(unsigned mask, int is) { return host::ballot(mask, is); }
static inline int __any_sync(unsigned mask, int is) { return host::ballot(mask, is) != 0; }
static inline int __all_sync(unsigned mask, int is) { return host::ballot(mask, !is) == 0; }

#define ATOMIC(name, expression)                                                                                       \
    template <class T, class U> static T atomic##name(T *at, U value)                                                  \
    {                                                                                                                  \
        const T x = (T)value;                                                                                          \
        return host::update(at, [=](T old) { return expression; });                                                    \
    }
ATOMIC(Add, old + x)
ATOMIC(Sub, old - x)
ATOMIC(Min, std::min(old, x))
ATOMIC(Max, std::max(old, x))
ATOMIC(And, old &x)
ATOMIC(Or, old | x)
ATOMIC(Xor, old ^ x)
ATOMIC(Exch, x)
ATOMIC(Inc, old >= x ? 0 : old + 1)
template <class T, class U, class V> static T atomicCAS(T *at, U expected, V value)
{
    return host::update(at, [=](T old) { return old == (T)expected ? (T)value : old; });
}

template <class T> static T __ldg(const T *at) { return *at; }
template <class T> static T __ldcs(const T *at) { return *at; }
template <class T> static void __stcs(T *at, T value) { *at = value; }
static inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(uint64_t x) { return __builtin_popcountll(x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline unsigned __brev(unsigned x)
{
    unsigned result = 0;
    for (int i = 0; i < 32; i++)
        result |= (x >> i & 1) << (31 - i);
    return result;
}
static inline float rsqrtf(float x) { return (float)(1 / sqrt((double)x)); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float __expf(float x) { return expf(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __powf(float x, float y) { return powf(x, y); }
static inline float __fdividef(float x, float y) { return x / y; }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frcp_rn(float x) { return 1 / x; }
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }
static inline int __float_as_int(float x) { int bits; memcpy(&bits, &x, 4); return bits; }
static inline float __int_as_float(int bits) { float x; memcpy(&x, &bits, 4); return x; }
static inline unsigned __float_as_uint(float x) { return (unsigned)__float_as_int(x); }
static inline float __uint_as_float(unsigned bits) { return __int_as_float((int)bits); }
static inline int __float2int_rn(float x) { return (int)rintf(x); }
static inline float __int2float_rn(int x) { return (float)x; }

// Not std's, whose arguments are of one type.
template <class T, class U> static std::common_type_t<T, U> min(T a, U b)
{
    return a < b ? (std::common_type_t<T, U>)a : (std::common_type_t<T, U>)b;
}
template <class T, class U> static std::common_type_t<T, U> max(T a, U b)
{
    return a > b ? (std::common_type_t<T, U>)a : (std::common_type_t<T, U>)b;
}

namespace cooperative_groups {
struct thread_block {
    void sync() const { __syncthreads(); }
    unsigned thread_rank() const { return host::self->number; }
    unsigned size() const { return (unsigned)host::threads.size(); }
    dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
};
static inline thread_block this_thread_block() { return {}; }
static inline void sync(const thread_block &block) { block.sync(); }
template <unsigned N> struct thread_block_tile {
    void sync() const { __syncwarp(); }
    unsigned thread_rank() const { return host::self->number % N; }
    unsigned size() const { return N; }
    unsigned meta_group_rank() const { return host::self->number / N; }
    unsigned meta_group_size() const { return (unsigned)host::threads.size() / N; }
    template <class T> T shfl(T x, int lane) const { return __shfl_sync(~0u, x, lane, N); }
    template <class T> T shfl_down(T x, unsigned by) const { return __shfl_down_sync(~0u, x, by, N); }
    template <class T> T shfl_up(T x, unsigned by) const { return __shfl_up_sync(~0u, x, by, N); }
    template <class T> T shfl_xor(T x, int by) const { return __shfl_xor_sync(~0u, x, by, N); }
};
template <unsigned N> static thread_block_tile<N> tiled_partition(const thread_block &) { return {}; }
template <unsigned N> static void sync(const thread_block_tile<N> &tile) { tile.sync(); }
template <class T> struct plus {
    T operator()(T a, T b) const { return a + b; }
};
template <class T> struct greater {
    T operator()(T a, T b) const { return a > b ? a : b; }
};
template <unsigned N, class T, class F> static T reduce(const thread_block_tile<N> &tile, T x, F f)
{
    for (unsigned by = N / 2; by; by /= 2)
        x = f(x, tile.shfl_xor(x, (int)by));
    return x;
}
} // namespace cooperative_groups
#endif
