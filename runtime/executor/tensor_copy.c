/* Copies of boxes by tensor maps (<gpucc/tma.h>) on the CPU: done at once, by the thread that starts them. */
#include "base/cpu_tensor_map.h"
#include "executor/executor.h"
#include "base/half_floats.h"

#include <string.h>

/* A box in shared memory beside its place in the array. */
struct box {
    const struct fiber *self;
    const struct cpu_tensor_map *map;
    const int *at;
    char *tile;
};

typedef void move_element(const struct cpu_tensor_map *map, char *inside, char *element);

/* The swizzle exchanges the 16-byte units of a row, by the address. */
static char *in_tile(const struct box *box, size_t offset)
{
    const uintptr_t address = (uintptr_t)(box->tile + offset);
    const unsigned swizzle = box->map->swizzle;
    return (char *)(address ^ (swizzle == 0 ? 0 : address >> 3 & (swizzle - 16)));
}

/* The element of the array at this place in the box; null outside of the array. */
static char *in_array(const struct box *box, const unsigned *place)
{
    const struct cpu_tensor_map *map = box->map;
    char *element = map->data;
    for (unsigned d = 0; d < map->rank; d++) {
        const int64_t index = (int64_t)box->at[d] + place[d];
        if (index < 0 || index >= map->extent[d])
            return NULL;
        element += (uint64_t)index * map->pitch[d];
    }
    return element;
}

static unsigned box_elements(const struct cpu_tensor_map *map)
{
    unsigned count = 1;
    for (unsigned d = 0; d < map->rank; d++)
        count *= map->box[d];
    return count;
}

/* Calls `move` for each element of the box, innermost dimension first. */
static void for_elements(const struct box *box, move_element *move)
{
    const struct cpu_tensor_map *map = box->map;
    const unsigned count = box_elements(map);
    for (unsigned i = 0; i < count; i++) {
        unsigned place[TENSOR_RANKS];
        for (unsigned d = 0, rest = i; d < map->rank; rest /= map->box[d], d++)
            place[d] = rest % map->box[d];
        move(map, in_tile(box, (size_t)i * map->element), in_array(box, place));
    }
}

enum { PIECE = 16 }; /* bytes: what a swizzle moves as a whole */

/* Reports the box's pieces to the checks: each within a row, outside of the array with no elements of it. */
static void report_pieces(const struct box *box, struct fiber *self, bool is_store, bool adds)
{
    const struct cpu_tensor_map *map = box->map;
    const unsigned step = PIECE / map->element, count = box_elements(map);
    for (unsigned i = 0; i < count; i += step) {
        unsigned place[TENSOR_RANKS], inside = 0;
        for (unsigned d = 0, rest = i; d < map->rank; rest /= map->box[d], d++)
            place[d] = rest % map->box[d];
        char *const tile = in_tile(box, (size_t)i * map->element), *const element = in_array(box, place);
        for (unsigned k = 0; k < step && in_array(box, place) != NULL; k++, place[0]++)
            inside += map->element;
        if (is_store && inside > 0)
            self->workspace->hooks->engine->copy_piece(self, element, tile, inside, adds);
        if (!is_store && inside > 0)
            self->workspace->hooks->engine->copy_piece(self, tile, element, inside, false);
        if (!is_store && inside < PIECE)
            self->workspace->hooks->engine->copy_piece(self, tile + inside, NULL, PIECE - inside, false);
    }
}

static void load_element(const struct cpu_tensor_map *map, char *inside, char *element)
{
    if (element != NULL)
        memcpy(inside, element, map->element);
    else
        memset(inside, 0, map->element);
}

static void store_element(const struct cpu_tensor_map *map, char *inside, char *element)
{
    if (element != NULL)
        memcpy(element, inside, map->element);
}

/* Adds atomically: others may add to the element at the same time. */
#define ADD(type, bits, to_value, to_bits)                                                                             \
    {                                                                                                                  \
        bits *const place = (bits *)element;                                                                           \
        bits old = __atomic_load_n(place, __ATOMIC_RELAXED), sum, addend;                                              \
        memcpy(&addend, inside, sizeof addend);                                                                        \
        do                                                                                                             \
            sum = to_bits((type)(to_value(old) + to_value(addend)));                                                   \
        while (!__atomic_compare_exchange_n(place, &old, sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));              \
        break;                                                                                                         \
    }
#define AS_IT_IS(x) (x)

static void add_element(const struct cpu_tensor_map *map, char *inside, char *element)
{
    if (element == NULL)
        return;
    switch ((gpucc_dtype)map->dtype) {
    case GPUCC_INT32:
    case GPUCC_UINT32: ADD(uint32_t, uint32_t, AS_IT_IS, AS_IT_IS)
    case GPUCC_INT64:
    case GPUCC_UINT64: ADD(uint64_t, uint64_t, AS_IT_IS, AS_IT_IS)
    case GPUCC_FLOAT16: ADD(float, uint16_t, float_of_float16, float16_of_float)
    case GPUCC_BFLOAT16: ADD(float, uint16_t, float_of_bfloat16, bfloat16_of_float)
    case GPUCC_FLOAT32: ADD(float, uint32_t, float_of_bits, bits_of_float)
    default: ADD(double, uint64_t, double_of_bits, bits_of_double)
    }
}

static bool can_add(gpucc_dtype dtype)
{
    return dtype == GPUCC_INT32 || dtype == GPUCC_UINT32 || dtype == GPUCC_INT64 || dtype == GPUCC_UINT64 ||
           dtype == GPUCC_FLOAT16 || dtype == GPUCC_BFLOAT16 || dtype == GPUCC_FLOAT32 || dtype == GPUCC_FLOAT64;
}

/* A box that a kernel may copy; an error of the launch otherwise. */
static struct box checked_box(const struct fiber *self, const struct gpucc_tensor_map *words, const void *tile,
                              unsigned rank, const int *at, const char *function)
{
    const struct cpu_tensor_map *map = (const struct cpu_tensor_map *)words;
    if (map->magic != cpu_tensor_map_magic(map))
        fiber_fail(self, "%s(): the tensor map is not as gpucc_tensor_map_make() made it for the CPU: it is another "
                         "device's, or the kernel has changed it", function);
    if (rank != map->rank)
        fiber_fail(self, "%s(): %u coordinate%s, but the tensor map has %u dimension%s", function, rank,
                   rank == 1 ? "" : "s", map->rank, map->rank == 1 ? "" : "s");
    if ((int64_t)at[0] * map->element % 16 != 0)
        fiber_fail(self, "%s(): the box begins at coordinate %d, of %u bytes: expected a multiple of 16 bytes",
                   function, at[0], map->element);
    const unsigned align = map->swizzle == 0 ? 128 : 8u * map->swizzle;
    if ((uintptr_t)tile % align != 0)
        fiber_fail(self, "%s(): the tile's address is not a multiple of %u bytes", function, align);
    const char *shared = self->record.shared;
    const size_t offset = (size_t)((const char *)tile - shared), room = self->workspace->run->shared_used;
    const size_t bytes = (size_t)box_elements(map) * map->element;
    if (offset > room || bytes > room - offset)
        fiber_fail(self, "%s(): the tile of %zu bytes is not within the block's shared memory", function, bytes);
    return (struct box){.self = self, .map = map, .at = at, .tile = (char *)(uintptr_t)tile};
}

static void load_one(struct box box, uint64_t *barrier, const char *function)
{
    struct fiber *self = current_fiber;
    if (self->workspace->watched != NULL) {
        mbarrier_check(self, barrier, function);
        self->workspace->hooks->engine->copy_begin(self, barrier);
        report_pieces(&box, self, false, false);
        self->workspace->hooks->engine->copy_end(self, barrier);
    }
    for_elements(&box, load_element);
    mbarrier_count_bytes(box.self, barrier, box_elements(box.map) * box.map->element, function);
}

GPUCC_API void gpucc_cpu_tensor_load(void *to, const struct gpucc_tensor_map *map, uint64_t *barrier, unsigned ranks,
                                     unsigned rank, const int *at)
{
    const char *const function = ranks ? "tma_load_multicast" : "tma_load";
    const struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    struct box box = checked_box(self, map, to, rank, at, function);
    if (ranks == 0)
        load_one(box, barrier, function);
    for (unsigned block = 0; ranks >> block != 0; block++) {
        if ((ranks >> block & 1) == 0)
            continue;
        box.tile = gpucc_cpu_cluster_map(to, block);
        load_one(box, gpucc_cpu_cluster_map(barrier, block), function);
    }
}

GPUCC_API void gpucc_cpu_tensor_store(const struct gpucc_tensor_map *map, const void *from, int adds, unsigned rank,
                                      const int *at)
{
    const char *const function = adds ? "tma_add" : "tma_store";
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    const struct box box = checked_box(self, map, from, rank, at, function);
    for (unsigned d = 0; d < rank; d++)
        if (at[d] < 0)
            fiber_fail(self, "%s(): coordinate %u is %d: a store must not begin before the array", function, d, at[d]);
    if (adds && !can_add((gpucc_dtype)box.map->dtype))
        fiber_fail(self, "tma_add() cannot add %s", dtypes[box.map->dtype].name);
    if (self->workspace->watched != NULL) {
        self->workspace->hooks->engine->copy_begin(self, NULL);
        report_pieces(&box, self, true, adds);
        self->workspace->hooks->engine->copy_end(self, NULL);
    }
    for_elements(&box, adds ? add_element : store_element);
}

static void report_bulk(struct fiber *self, void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    if (self->workspace->watched == NULL)
        return;
    if (barrier != NULL)
        mbarrier_check(self, barrier, "bulk_load");
    self->workspace->hooks->engine->copy_begin(self, barrier);
    for (unsigned at = 0; at < bytes; at += PIECE)
        self->workspace->hooks->engine->copy_piece(self, (char *)to + at, (const char *)from + at, PIECE, false);
    self->workspace->hooks->engine->copy_end(self, barrier);
}

GPUCC_API void gpucc_cpu_bulk_copy(void *to, const void *from, unsigned bytes, uint64_t *barrier)
{
    const char *const function = barrier != NULL ? "bulk_load" : "bulk_store";
    struct fiber *self = current_fiber;
    if (!is_fiber(self))
        return;
    if (((uintptr_t)to | (uintptr_t)from | bytes) % 16 != 0)
        fiber_fail(self, "%s(): an address or the number of bytes is not a multiple of 16", function);
    report_bulk(self, to, from, bytes, barrier);
    memcpy(to, from, bytes);
    if (barrier != NULL)
        mbarrier_count_bytes(self, barrier, bytes, function);
}
