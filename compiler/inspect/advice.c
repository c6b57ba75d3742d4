/* How to launch a function on the devices that are here: the block that keeps most threads resident, and how much work
 * fills the device. */
#include "inspect/inspect_internal.h"
#include "inspect/resident.h"

#include <string.h>

enum { COMMON_BLOCK = 256 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Blocks of this size that a multiprocessor holds at once. */
static int resident_blocks(const struct multiprocessor *limits, const struct demand *demand, int block)
{
    const struct room room = room_for(limits, &(struct use){demand->registers, demand->shared}, block);
    return least_room(&room);
}

/* The common block where none does better; a smaller one is better than a larger one that holds as many threads. */
static int choose_block(const struct multiprocessor *limits, const struct demand *demand)
{
    int most = demand->most_threads ? least(demand->most_threads, GPUCC_BLOCK_THREADS) : GPUCC_BLOCK_THREADS;
    int best = least(COMMON_BLOCK, most);
    for (int block = 2 * GPUCC_WARP_THREADS; block <= most; block *= 2)
        if (resident_blocks(limits, demand, block) * block > resident_blocks(limits, demand, best) * best)
            best = block;
    return best;
}

static void advise_cuda(const struct demand *demand, const gpucc_device_info *info)
{
    const struct multiprocessor limits = multiprocessor_of(info->arch);
    int block = demand->block ? demand->block : choose_block(&limits, demand);
    int blocks = resident_blocks(&limits, demand, block);
    long long threads = (long long)blocks * block * info->multiprocessors;
    printf("    on cuda:%d (%s): block %d", info->ordinal, info->name, block);
    if (demand->elements_per_thread)
        printf(", grid n / %d rounded up", block * demand->elements_per_thread);
    if (!blocks) {
        puts("; not even one block fits on a multiprocessor");
        return;
    }
    printf("; %d blocks on an SM (%d %% of its threads%s); full from ", blocks, 100 * blocks * block / limits.threads,
           demand->registers ? "" : ", registers not counted");
    if (demand->elements_per_thread)
        printf("n = %lld\n", threads * demand->elements_per_thread);
    else
        printf("%lld threads\n", threads);
}

void print_advice(const struct demand *demand)
{
    int count = 0;
    gpucc_device_info info = {.size = sizeof info};
    if (demand->native && !gpucc_device_query("cpu", &info))
        printf("    on the cpu (%s): native code on %d threads\n", info.name, info.multiprocessors);
    if (gpucc_device_count(&count))
        return;
    for (int i = 0; i < count; i++) {
        char device[24];
        snprintf(device, sizeof device, "cuda:%d", i);
        if (!gpucc_device_query(device, &info))
            advise_cuda(demand, &info);
    }
}
