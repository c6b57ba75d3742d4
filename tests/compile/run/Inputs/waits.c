#include <gpucc.h>
#ifdef WITHOUT_FENCES
#define FENCE()
#else
#define FENCE() threadfence_block()
#endif

kernel void ticket_lock(float *sum)
{
    shared volatile unsigned serving;
    shared float total;
    if (threadIdx.x == 0) {
        serving = 0;
        total = 0;
    }
    syncthreads();
    while (serving != threadIdx.x)
        ;
    FENCE();
    total += 1;
    FENCE();
    serving++;
    syncthreads();
    if (threadIdx.x == 0)
        *sum = total;
}

kernel void flag_of_a_later_thread(float *out)
{
    shared volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    syncthreads();
    if (threadIdx.x == 0)
        while (!flag)
            ;
    if (threadIdx.x == 40)
        flag = 1;
    syncthreads();
    out[threadIdx.x] = 1;
}

kernel void volatile_barrier(volatile unsigned *count, float *x)
{
    if (threadIdx.x == 0) {
        threadfence();
        atomic_add((unsigned *)count, 1);
        while (*count < gridDim.x)
            ;
    }
    syncthreads();
    x[grid(1)] += 1;
    grid_sync();
    x[grid(1)] += 1;
}

kernel void atomic_barrier(unsigned *count, float *x)
{
    threadfence();
    atomic_add(count, 1);
    while (atomic_add(count, 0) < gridDim.x * blockDim.x)
        ;
    grid_sync();
    x[grid(1)] += 1;
}

static int depth(const int *x, int i)
{
    if (x[i] <= 0)
        return 0;
    return 1 + depth(x, x[i] - 1) * 3 % 7;
}

kernel void recursion(const int *x, int last, int *out)
{
    out[grid(1)] = depth(x, last);
}
