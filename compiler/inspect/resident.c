/* How many blocks a multiprocessor holds at once, as CUDA's driver reckons. */
#include "inspect/resident.h"

#include <limits.h>

enum {
    WARP = 32,
    REGISTERS = 65536,
    REGISTER_GRAIN = 256, /* that a warp gets multiples of */
    OLD_BLOCK_SHARED = 48 << 10,
    ARCH_FAMILY = 0, /* the same multiprocessor */
    ARCH_SPECIFIC = 0,
};

/* Adds limits that the list of architectures lacks ("cuda_occupancy.h" in CUDA's toolkit). */
static void add_rest(struct multiprocessor *limits, int number)
{
    limits->partitions = number == 60 ? 2 : 4;
    limits->block_registers = number == 53 || number == 62 ? REGISTERS / 2 : REGISTERS;
    limits->block_shared = number < 70 ? OLD_BLOCK_SHARED : limits->shared_memory - limits->reserved;
    limits->grain = number < 80 ? 256 : 128;
}

struct multiprocessor multiprocessor_of(int capability)
{
    static const struct {
        int number, threads, blocks;
        size_t shared, reserved;
    } architectures[] = {
#define ARCHITECTURE(number, isa, threads, blocks, shared, reserved, part)                                             \
    {number, threads, blocks, (size_t)(shared) << 10, reserved},
#include "base/architectures.def"
    }, *found = &architectures[0];
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
        if (architectures[i].number <= capability)
            found = &architectures[i];
    struct multiprocessor limits = {.threads = found->threads, .blocks = found->blocks,
                                    .shared_memory = found->shared, .reserved = found->reserved};
    add_rest(&limits, found->number);
    return limits;
}

/* A warp's registers are of one partition; a block must find room in all of them evenly. */
static int room_in_registers(const struct multiprocessor *limits, int registers, int warps)
{
    const int warp = (registers * WARP + REGISTER_GRAIN - 1) / REGISTER_GRAIN * REGISTER_GRAIN;
    const int even_warps = (warps + limits->partitions - 1) / limits->partitions * limits->partitions;
    if (warp * even_warps > limits->block_registers)
        return 0;
    return REGISTERS / limits->partitions / warp * limits->partitions / warps;
}

struct room room_for(const struct multiprocessor *limits, const struct use *use, int block)
{
    const int warps = (block + WARP - 1) / WARP;
    const size_t shared = (use->shared + limits->reserved + limits->grain - 1) / limits->grain * limits->grain;
    struct room room = {.threads = limits->threads / WARP / warps, .blocks = limits->blocks, .registers = INT_MAX,
                        .shared = INT_MAX};
    if (use->registers > 0)
        room.registers = room_in_registers(limits, use->registers, warps);
    if (use->shared > limits->block_shared)
        room.shared = 0;
    else if (shared > 0)
        room.shared = (int)(limits->shared_memory / shared);
    return room;
}

int least_room(const struct room *room)
{
    const int all[] = {room->threads, room->blocks, room->registers, room->shared};
    int least = all[0];
    for (size_t i = 1; i < sizeof all / sizeof *all; i++)
        least = all[i] < least ? all[i] : least;
    return least;
}
