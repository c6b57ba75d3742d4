/* Barriers in memory and the copy engine: mbarrier, cp.async.bulk and cp.reduce.async.bulk.  A copy is done at once; a
 * tensor map is the CPU device's, as the stand-in for libcuda makes it. */
#include "ptx.h"

#include "base/cpu_tensor_map.h"

#include <gpucc/runtime.h>
#include <stdlib.h>

/* ---- barriers: a word with arrivals that are missing, arrivals of a phase, bytes, parity, and that it is one ---- */

enum { ARRIVALS = 20, BYTES = 22, BYTES_AT = 2 * ARRIVALS, PARITY_AT = BYTES_AT + BYTES, NO_BYTES = 1 << (BYTES - 1) };
#define MOST_ARRIVALS ((UINT64_C(1) << ARRIVALS) - 1)
#define IS_BARRIER (UINT64_C(1) << 63)

struct phase {
    uint64_t missing, arrivals, bytes, parity;
};

static struct place barrier_place(struct thread *t, uint64_t address)
{
    return find_place(t, SHARED, address, 8, true);
}

static struct phase read_phase(struct thread *t, uint64_t address)
{
    const struct reg word = load_place(barrier_place(t, address), 8);
    if (word.undefined || !(word.value & IS_BARRIER))
        fault(t, "no mbarrier is initialized at %#llx", (unsigned long long)address);
    return (struct phase){word.value & MOST_ARRIVALS, word.value >> ARRIVALS & MOST_ARRIVALS,
                          word.value >> BYTES_AT & ((1 << BYTES) - 1), word.value >> PARITY_AT & 1};
}

static void write_phase(struct thread *t, uint64_t address, struct phase p)
{
    const uint64_t word = IS_BARRIER | p.parity << PARITY_AT | p.bytes << BYTES_AT | p.arrivals << ARRIVALS | p.missing;
    store_place(t, barrier_place(t, address), 8, (struct reg){word, 0});
}

static uint64_t defined(struct thread *t, const struct reg *r, const struct instruction *i, int k)
{
    const struct reg value = r[i->operand[k]];
    if (value.undefined)
        fault(t, "operand %d is undefined", k);
    return value.value;
}

static void count(struct thread *t, uint64_t address, uint64_t arrivals, int64_t bytes)
{
    struct phase p = read_phase(t, address);
    if (arrivals > p.missing)
        fault(t, "more arrivals than the %llu of a phase", (unsigned long long)p.arrivals);
    p.missing -= arrivals;
    p.bytes += (uint64_t)bytes;
    if (p.bytes >= 1 << BYTES)
        fault(t, "more bytes than an mbarrier counts");
    if (p.missing == 0 && p.bytes == NO_BYTES) {
        p.missing = p.arrivals;
        p.parity ^= 1;
    }
    write_phase(t, address, p);
}

/* [barrier], arrivals */
static void initialize(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t arrivals = defined(t, r, i, 1);
    if (arrivals == 0 || arrivals > MOST_ARRIVALS)
        fault(t, "an mbarrier for %llu arrivals", (unsigned long long)arrivals);
    write_phase(t, address_of(t, r, i, 0), (struct phase){arrivals, arrivals, NO_BYTES, 0});
}

/* _, [barrier] [, bytes] */
static void arrive(struct thread *t, struct reg *r, const struct instruction *i)
{
    count(t, address_of(t, r, i, 1), 1, i->count > 2 ? (int64_t)defined(t, r, i, 2) : 0);
}

/* [barrier], bytes */
static void expect(struct thread *t, struct reg *r, const struct instruction *i)
{
    count(t, address_of(t, r, i, 0), 0, (int64_t)defined(t, r, i, 1));
}

/* predicate, [barrier], parity */
static void try_wait(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct phase p = read_phase(t, address_of(t, r, i, 1));
    const bool has_ended = p.parity != (defined(t, r, i, 2) & 1);
    r[i->operand[0]] = (struct reg){has_ended, 0};
    if (!has_ended)
        t->state = YIELDED;
}

/* ---- copies of bytes: [to], [from], bytes [, [barrier]] ---- */

static void copy_word(struct thread *t, enum space to, uint64_t to_address, enum space from, uint64_t address,
                      size_t size)
{
    const struct reg value = load_place(find_place(t, from, address, size, false), size);
    store_place(t, find_place(t, to, to_address, size, true), size, value);
}

static void copy_bytes(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t bytes = defined(t, r, i, 2), to = address_of(t, r, i, 0), from = address_of(t, r, i, 1);
    const bool is_load = i->count > 3;
    if ((to | from | bytes) % 16 != 0)
        fault(t, "a bulk copy whose addresses or size are not multiples of 16");
    for (uint64_t at = 0; at < bytes; at += 8)
        copy_word(t, is_load ? SHARED : GLOBAL, to + at, is_load ? GLOBAL : SHARED, from + at, 8);
    if (is_load)
        count(t, address_of(t, r, i, 3), 0, -(int64_t)bytes);
}

/* ---- boxes ---- */

struct box {
    struct cpu_tensor_map map;
    int32_t at[TENSOR_RANKS];
    uint64_t tile, bytes;
};

static struct cpu_tensor_map read_map(struct thread *t, uint64_t address)
{
    union {
        uint64_t words[16];
        struct cpu_tensor_map map;
    } read;
    if (address % 64 != 0)
        fault(t, "a tensor map at %#llx, which is no multiple of 64", (unsigned long long)address);
    for (int k = 0; k < 16; k++) {
        const struct reg word = load_place(find_place(t, GENERIC, address + 8 * (uint64_t)k, 8, false), 8);
        if (word.undefined)
            fault(t, "a tensor map is undefined");
        read.words[k] = word.value;
    }
    if (read.map.magic != cpu_tensor_map_magic(&read.map))
        fault(t, "there is no tensor map at %#llx, or it was changed", (unsigned long long)address);
    return read.map;
}

/* `first` is the operand of the map, behind which its coordinates stand. */
static struct box read_box(struct thread *t, const struct reg *r, const struct instruction *i, int first, uint64_t tile)
{
    struct box box = {.map = read_map(t, address_of(t, r, i, first)), .tile = tile};
    if (box.map.rank != i->vector)
        fault(t, "%d coordinates for a tensor map of %d dimensions", i->vector, box.map.rank);
    box.bytes = box.map.element;
    for (int d = 0; d < box.map.rank; d++) {
        box.at[d] = (int32_t)defined(t, r, i, first + 1 + d);
        box.bytes *= box.map.box[d];
    }
    if (box.at[0] * (int64_t)box.map.element % 16 != 0 || tile % (box.map.swizzle ? 8U * box.map.swizzle : 128) != 0)
        fault(t, "a box or its tile begins at a misaligned place");
    return box;
}

/* The shared address of the box's element at that byte, and the global one; 0: outside of the array. */
static uint64_t tile_address(const struct box *box, uint64_t byte)
{
    const uint64_t address = box->tile + byte;
    return box->map.swizzle ? address ^ (address >> 3 & (box->map.swizzle - 16U)) : address;
}

static uint64_t array_address(const struct box *box, uint64_t index)
{
    uint64_t address = (uint64_t)(uintptr_t)box->map.data;
    for (int d = 0; d < box->map.rank; index /= box->map.box[d], d++) {
        const int64_t at = box->at[d] + (int64_t)(index % box->map.box[d]);
        if (at < 0 || at >= box->map.extent[d])
            return 0;
        address += (uint64_t)at * box->map.pitch[d];
    }
    return address;
}

static void load_box(struct thread *t, const struct box *box)
{
    const size_t size = box->map.element;
    for (uint64_t byte = 0; byte < box->bytes; byte += size) {
        const uint64_t from = array_address(box, byte / size), to = tile_address(box, byte);
        if (from)
            copy_word(t, SHARED, to, GLOBAL, from, size);
        else
            store_place(t, find_place(t, SHARED, to, size, true), size, (struct reg){0, 0});
    }
}

/* [tile], [map, {coordinates}], [barrier] [, ranks] */
static void load_tensor(struct thread *t, struct reg *r, const struct instruction *i)
{
    const uint64_t tile = address_of(t, r, i, 0), barrier = address_of(t, r, i, 2 + i->vector);
    struct box box = read_box(t, r, i, 1, tile);
    if (!i->detail) {
        load_box(t, &box);
        count(t, barrier, 0, -(int64_t)box.bytes);
        return;
    }
    const uint64_t ranks = defined(t, r, i, 3 + i->vector);
    for (uint64_t rank = 0; ranks >> rank; rank++) {
        if (!(ranks >> rank & 1))
            continue;
        if (rank >= t->block->launch->cluster_size)
            fault(t, "a copy to block %llu of a cluster of %u", (unsigned long long)rank,
                  t->block->launch->cluster_size);
        box.tile = tile % SHARED_BLOCK + (rank + 1) * SHARED_BLOCK;
        load_box(t, &box);
        count(t, barrier % SHARED_BLOCK + (rank + 1) * SHARED_BLOCK, 0, -(int64_t)box.bytes);
    }
}

static uint64_t add(const struct box *box, uint64_t a, uint64_t b)
{
    switch ((gpucc_dtype)box->map.dtype) {
    case GPUCC_FLOAT16: return round_to_half((float)(half_of(a) + half_of(b)), TO_NEAREST);
    case GPUCC_BFLOAT16: return round_to_brain((float)(brain_of(a) + brain_of(b)), TO_NEAREST);
    case GPUCC_FLOAT32: return bits_of_float(float_of(a) + float_of(b));
    case GPUCC_FLOAT64: return bits_of_double(double_of(a) + double_of(b));
    default: return a + b;
    }
}

/* [map, {coordinates}], [tile] */
static void store_tensor(struct thread *t, struct reg *r, const struct instruction *i)
{
    const struct box box = read_box(t, r, i, 0, address_of(t, r, i, 1 + i->vector));
    const size_t size = box.map.element;
    for (int d = 0; d < box.map.rank; d++)
        if (box.at[d] < 0)
            fault(t, "a store before the array's beginning");
    for (uint64_t byte = 0; byte < box.bytes; byte += size) {
        const uint64_t to = array_address(&box, byte / size), from = tile_address(&box, byte);
        if (!to)
            continue;
        struct reg value = load_place(find_place(t, SHARED, from, size, false), size);
        if (i->detail)
            value.value = add(&box, load_place(find_place(t, GLOBAL, to, size, false), size).value, value.value);
        store_place(t, find_place(t, GLOBAL, to, size, true), size, value);
    }
}

/* ---- decoding ---- */

static bool decode_barrier_word(const struct parts *parts, struct instruction *i)
{
    i->run = part_is(parts, 1, "init")         ? initialize
             : part_is(parts, 1, "expect_tx")  ? expect
             : part_is(parts, 1, "arrive")     ? arrive
             : part_is(parts, 1, "try_wait") && part_is(parts, 2, "parity") ? try_wait
                                                                            : NULL;
    return i->run != NULL;
}

/* vector: dimensions; detail: multicast, or a sum. */
static bool decode_bulk(const struct parts *parts, struct instruction *i)
{
    const bool adds = part_is(parts, 1, "reduce"), is_load = find_part(parts, "mbarrier::complete_tx::bytes") > 0;
    const int first = adds ? 4 : 3; /* cp [reduce] async bulk … */
    if (part_is(parts, 3, "commit_group") || part_is(parts, 3, "wait_group")) {
        i->run = run_nothing;
        return true;
    }
    if (!part_is(parts, first, "tensor")) {
        i->run = copy_bytes;
        return !adds && (is_load || find_part(parts, "bulk_group") > 0);
    }
    i->vector = first + 1 < parts->count ? (uint8_t)(parts->text[first + 1][0] - '0') : 0;
    i->detail = adds || find_part(parts, "multicast::cluster") > 0;
    i->run = is_load ? load_tensor : store_tensor;
    return i->vector >= 1 && i->vector <= TENSOR_RANKS && (!adds || find_part(parts, "add") > 0);
}

bool decode_engine(const struct parts *parts, struct instruction *i)
{
    if (part_is(parts, 0, "mbarrier"))
        return decode_barrier_word(parts, i);
    if (part_is(parts, 0, "cp") && (part_is(parts, 2, "bulk") || part_is(parts, 3, "bulk")))
        return decode_bulk(parts, i);
    const bool is_fence = part_is(parts, 1, "mbarrier_init") || part_is(parts, 1, "proxy");
    if (!(part_is(parts, 0, "fence") && is_fence) && !part_is(parts, 0, "setmaxnreg"))
        return false;
    i->run = run_nothing;
    return true;
}
