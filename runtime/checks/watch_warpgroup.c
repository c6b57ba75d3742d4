/* Products of warpgroups (<gpucc/wgmma.h>) in a watched launch.  On the CPU each thread computes its sums at once; on
 * the GPU all 128 threads start a product that reads its operands, and writes its sums, until they have waited for it.
 * So the reads are an actor's, and the sums belong to it until wgmma_wait() names them. */
#include "checks/watch.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SUMS = 8, PIECE = 16, STEP = 32 /* bytes along k of a product */ };

/* Registers of a thread. */
struct sums {
    uintptr_t base;
    size_t size;
    uint32_t group;  /* of their last product, counted from 1; 0: none that is not waited for */
    bool is_fenced;  /* wgmma_fence() behind their last write */
    const struct gpucc_cpu_site *site; /* of the product */
};

struct warpgroup {
    unsigned arrived;  /* of its threads, who commit together */
    uint32_t *commits; /* when the groups were committed */
    uint32_t count, room;
};

struct watch_products {
    struct warpgroup groups[MAX_BLOCK / WARPGROUP];
    struct {
        struct sums sums[MOST_SUMS];
        const struct sums *computed; /* by a product that the thread executes now, or null */
        uint32_t fences;             /* wgmma_fence() calls */
    } threads[];
};

/* A tile as a descriptor has it. */
struct operand {
    uintptr_t start, next;
    unsigned swizzle;
    bool is_columns;
};

static struct watch *watch_of(const struct fiber *self)
{
    return self->workspace->run->launch->watch;
}

static struct fiber *watched_self(const char *function)
{
    struct fiber *self = current_fiber;
    if (!is_fiber(self) || self->workspace->watched == NULL || self->workspace->run->launch->watch == NULL ||
        !(watch_of(self)->checks & WATCH_RACE))
        return NULL;
    struct watch_block *block = self->workspace->watched;
    const int first = thread_number(self) / WARPGROUP * WARPGROUP;
    if (first + WARPGROUP > block->threads)
        fiber_fail(self, "%s(): a warpgroup has %d threads, but the block has only %d from thread %d on", function,
                   WARPGROUP, block->threads - first, first);
    if (block->products == NULL)
        block->products = calloc(1, sizeof *block->products +
                                        (size_t)block->threads * sizeof block->products->threads[0]);
    if (block->products == NULL)
        watch_of(self)->starved = true;
    return block->products != NULL ? self : NULL;
}

static struct warpgroup *group_of(const struct fiber *self)
{
    return &self->workspace->watched->products->groups[thread_number(self) / WARPGROUP];
}

/* The actor's place in the order. */
static uintptr_t place_of(const struct fiber *self)
{
    return (uintptr_t)group_of(self);
}

static uint32_t actor_of(const struct fiber *self)
{
    const uint32_t issuer = thread_id(self->workspace->watched, thread_number(self) / WARPGROUP * WARPGROUP);
    return watch_actor_of(watch_of(self), place_of(self), &(struct watch_actor){.issuer = issuer, .is_product = true});
}

static struct gpucc_cpu_site *site_of(const struct fiber *self)
{
    return self->workspace->watched->place[thread_number(self)];
}

/* ---- sums ---- */

static struct sums *find_sums(const struct fiber *self, uintptr_t address)
{
    struct sums *all = self->workspace->watched->products->threads[thread_number(self)].sums;
    for (int i = 0; i < MOST_SUMS && all[i].size > 0; i++)
        if (address - all[i].base < all[i].size)
            return &all[i];
    return NULL;
}

/* A thread has registers for few: the first of too many are not checked any more. */
static struct sums *add_sums(const struct fiber *self, uintptr_t base, size_t size)
{
    struct sums *all = self->workspace->watched->products->threads[thread_number(self)].sums;
    struct sums *known = find_sums(self, base);
    for (int i = 0; known == NULL && i < MOST_SUMS; i++)
        if (all[i].size == 0)
            known = &all[i];
    for (int i = 0; known == NULL && i < MOST_SUMS; i++)
        if (all[i].group == 0)
            known = &all[i];
    if (known == NULL)
        known = &all[0];
    if (known->base != base || known->size != size)
        *known = (struct sums){.base = base, .size = size};
    return known;
}

void watch_meet_sums(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site, uintptr_t address)
{
    struct sums *sums = find_sums(self, address);
    if (sums == NULL || self->workspace->watched->products->threads[thread_number(self)].computed != NULL)
        return;
    sums->is_fenced &= !(site->access & GPUCC_CPU_WRITE);
    if (sums->group == 0)
        return;
    const bool is_write = site->access & GPUCC_CPU_WRITE;
    const struct watch_pair pair = {sums->site, is_write ? "write of sums that a product may still compute"
                                                         : "read of sums that a product may still compute",
                                    "the product", "wgmma_wait() must name the sums before they are used"};
    watch_report_pair(watch, self, site, &pair);
}

/* ---- operands ---- */

/* The address of the 16 bytes at byte `k` along k of that row, as gpucc_wgmma_byte() has it; of columns, of eight rows
 * from `row` on. */
static uintptr_t piece_at(const struct operand *operand, unsigned k, unsigned row)
{
    const uintptr_t address = operand->is_columns
                                  ? operand->start + row * 2 / 128 * operand->next + k / 2 * 128 + row * 2 % 128
                                  : operand->start + (uintptr_t)row * operand->swizzle + k;
    return address ^ (address >> 3 & (operand->swizzle - 16));
}

static void read_piece(struct fiber *self, uint32_t actor, uintptr_t address)
{
    const struct actor_access access = {.self = self, .site = site_of(self), .actor = actor, .address = address,
                                        .first = address, .size = PIECE, .access = GPUCC_CPU_READ};
    watch_actor_access(watch_of(self), &access);
}

static void read_rows(struct fiber *self, uint32_t actor, const struct operand *operand, unsigned first, unsigned end)
{
    for (unsigned row = first; row < end; row += operand->is_columns ? 8 : 1)
        for (unsigned k = 0; k < STEP; k += operand->is_columns ? 2 : PIECE)
            read_piece(self, actor, piece_at(operand, k, row));
}

/* Before a thread reads it: its first and its last piece. */
static void check_inside(const struct fiber *self, const struct operand *operand, unsigned rows)
{
    uint32_t born;
    const unsigned last_row = operand->is_columns ? rows - 8 : rows - 1;
    const unsigned last_byte = operand->is_columns ? STEP - 2 : STEP - PIECE;
    if (!watch_is_shared(self->workspace, piece_at(operand, 0, 0), PIECE, &born) ||
        !watch_is_shared(self->workspace, piece_at(operand, last_byte, last_row), PIECE, &born))
        fiber_fail(self, "wgmma: an operand is not within the block's shared memory");
}

static struct operand operand_of(uint64_t descriptor, bool is_columns)
{
    return (struct operand){.start = (uintptr_t)(descriptor & 0xfffffffffff) << 4,
                            .next = (uintptr_t)(descriptor >> 44 & 0x3fff) << 4,
                            .swizzle = descriptor >> 62 == 1 ? 128 : descriptor >> 62 == 2 ? 64 : 32,
                            .is_columns = is_columns};
}

/* Each warp reads its rows of A, unless it has them in registers, and, in place of all of B, a quarter. */
static void read_operands(struct fiber *self, const struct operand *a, const struct operand *b, unsigned columns)
{
    const unsigned warp = (unsigned)thread_number(self) % WARPGROUP / WARP_SIZE, eights = columns / 8;
    const uint32_t actor = actor_of(self);
    watch_tick(watch_of(self));
    if (a != NULL)
        read_rows(self, actor, a, warp * 16, warp * 16 + 16);
    read_rows(self, actor, b, eights * warp / 4 * 8, eights * (warp + 1) / 4 * 8);
}

static void report_unfenced(struct fiber *self, const char *what, const char *remedy)
{
    watch_report_pair(watch_of(self), self, site_of(self), &(struct watch_pair){NULL, what, "", remedy});
}

/* `a` is null for a part in registers. */
static void begin_product(struct fiber *self, const void *sums, uint64_t size, const struct operand *a,
                          const struct operand *b)
{
    struct sums *known = add_sums(self, (uintptr_t)sums, size);
    if (!known->is_fenced)
        report_unfenced(self, "product into sums without wgmma_fence()",
                        "call wgmma_fence() with the sums before their first product, and after each write to them");
    self->workspace->watched->products->threads[thread_number(self)].computed = known;
    check_inside(self, b, (unsigned)size / 2);
    if (thread_number(self) % WARP_SIZE == 0)
        read_operands(self, a, b, (unsigned)size / 2);
    known->group = group_of(self)->count + 1;
    known->site = site_of(self);
}

/* ---- what kernels call ---- */

GPUCC_API void gpucc_cpu_watch_product_begin(void *sums, uint64_t size, unsigned kind, uint64_t a, uint64_t b,
                                             unsigned a_is_columns, unsigned b_is_columns)
{
    struct fiber *self = watched_self("wgmma");
    const struct operand of_a = operand_of(a, a_is_columns), of_b = operand_of(b, b_is_columns);
    (void)kind;
    if (self == NULL)
        return;
    check_inside(self, &of_a, WARPGROUP / 2);
    begin_product(self, sums, size, &of_a, &of_b);
}

GPUCC_API void gpucc_cpu_watch_product_begin_part(void *sums, uint64_t size, uint32_t fences, uint64_t b,
                                                  unsigned b_is_columns)
{
    struct fiber *self = watched_self("wgmma");
    const struct operand of_b = operand_of(b, b_is_columns);
    if (self == NULL)
        return;
    const struct sums *known = find_sums(self, (uintptr_t)sums);
    const bool is_fenced = known != NULL && known->is_fenced; /* else that is reported */
    if (is_fenced && fences == self->workspace->watched->products->threads[thread_number(self)].fences)
        report_unfenced(self, "product of a part that was made behind wgmma_fence()",
                        "make the part before the wgmma_fence() in front of its product");
    begin_product(self, sums, size, NULL, &of_b);
}

GPUCC_API uint32_t gpucc_cpu_watch_product_fences(void)
{
    const struct fiber *self = watched_self("wgmma_part");
    return self != NULL ? self->workspace->watched->products->threads[thread_number(self)].fences : 0;
}

GPUCC_API void gpucc_cpu_watch_product_end(void *sums)
{
    struct fiber *self = watched_self("wgmma");
    (void)sums;
    if (self != NULL)
        self->workspace->watched->products->threads[thread_number(self)].computed = NULL;
}

GPUCC_API void gpucc_cpu_watch_product_fence(void *sums, uint64_t size)
{
    struct fiber *self = watched_self("wgmma_fence");
    if (self == NULL)
        return;
    add_sums(self, (uintptr_t)sums, size)->is_fenced = true;
    self->workspace->watched->products->threads[thread_number(self)].fences++;
}

static void commit(const struct fiber *self, struct warpgroup *group)
{
    struct watch *watch = watch_of(self);
    if (group->count == group->room) {
        const uint32_t room = group->room == 0 ? 16 : 2 * group->room;
        uint32_t *commits = realloc(group->commits, room * sizeof *commits);
        if (commits == NULL) {
            watch->starved = true;
            return;
        }
        group->commits = commits;
        group->room = room;
    }
    group->commits[group->count++] = watch_actor_release(watch, place_of(self), actor_of(self));
}

/* All threads meet here, as all of them make up a product: then a wait of one serves what all have read. */
GPUCC_API void gpucc_cpu_watch_product_commit(void)
{
    struct fiber *self = watched_self("wgmma_commit");
    if (self == NULL)
        return;
    struct warpgroup *group = group_of(self);
    if (++group->arrived == WARPGROUP) {
        group->arrived = 0;
        commit(self, group);
    }
    mbarrier_meet(self);
}

GPUCC_API void gpucc_cpu_watch_product_wait(unsigned newest, void *sums)
{
    struct fiber *self = watched_self("wgmma_wait");
    if (self == NULL)
        return;
    const struct warpgroup *group = group_of(self);
    struct sums *known = find_sums(self, (uintptr_t)sums);
    if (known != NULL && known->group + newest <= group->count)
        known->group = 0;
    if (group->count > newest)
        watch_acquire(watch_of(self), self, place_of(self), group->commits[group->count - newest - 1]);
}

/* ---- ends ---- */

void watch_products_forget(struct watch_block *block)
{
    struct watch_products *products = block->products;
    if (products == NULL)
        return;
    for (size_t i = 0; i < sizeof products->groups / sizeof *products->groups; i++)
        products->groups[i].count = products->groups[i].arrived = 0;
    memset(products->threads, 0, (size_t)block->threads * sizeof products->threads[0]);
}

void watch_products_free(struct watch_block *block)
{
    struct watch_products *products = block->products;
    for (size_t i = 0; products != NULL && i < sizeof products->groups / sizeof *products->groups; i++)
        free(products->groups[i].commits);
    free(products);
}
