/* Shared by the files that watch a launch: shadow memory, the order of accesses, reports; and what the
 * executor reports them. */
#ifndef GPUCC_CPU_WATCH_H
#define GPUCC_CPU_WATCH_H

#include "arrays/arrays.h"
#include "devices/checked.h"
#include "executor/executor.h"

/* A launch is run by one worker, so its events come one after the other.  `now` counts those that order others: an
 * access is known by the count at its time, and comes before what happens behind a barrier when its count is less than
 * the barrier's. */

/* Who uses a cell. */
enum { WRITER, READER, OTHER_READER, CELL_USERS };

/* The shadow of a granule of memory: its last writer, and two threads that have read it since.  32 bytes. */
struct cell {
    uint32_t thread[CELL_USERS]; /* thread_id() */
    uint32_t when[CELL_USERS];   /* 0: nobody */
    uint16_t site[CELL_USERS];
    uint16_t written; /* bit for each byte that has a value; counts where the writer is of this block's time */
};
/* Flags of a cell's `written`. */
enum {
    CELL_CHANGED = 1 << 15, /* it is not what it was before; where there is a footprint */
    CELL_COPIED = 1 << 14,  /* a copy to it is under way … */
    CELL_SOURCE = 1 << 13,  /* … and one from it */
    CELL_BYTES = (1 << 4) - 1
};

/* Memory whose extent is known: an array, a block's shared memory, a variable of the program. */
struct region {
    uintptr_t base;
    size_t size;
    const char *name; /* or null */
    unsigned element; /* bytes; 0: not known */
    bool has_values;  /* all of it was written before the launch, or none of it is looked for */
    uint64_t fill;       /* the memory's, of an array … */
    uint16_t *unwritten; /* … and what of it had not been written then, unwritten.h; null: nothing */
    bool is_variable; /* of the program */
    bool is_freed;    /* by the host, before the launch */
    uint32_t born;    /* what is older in its shadow is another block's */
    unsigned shift;   /* log2 of a granule's bytes */
    struct cell *cells; /* null until the first access; watch_cells() */
    size_t cell_count;
};

/* The object that an access must stay inside. */
struct watch_object {
    const char *name; /* or null */
    uintptr_t base;
    size_t size;
    unsigned element;
};

/* A thread's last atomic operations, volatile accesses and warp operations. */
struct watch_wait {
    const struct gpucc_cpu_site *met; /* where it was at one of these, or null; warp.c … */
    unsigned mask;                    /* … and by which mask */
    uintptr_t address; /* of the last one, 0: none; watch_wait.c … */
    uint64_t value;    /* … what was there … */
    uint64_t quiet;    /* … and how often it has found that since this one of watch->quiet */
    uint32_t polls;
    uintptr_t handed;             /* the last one's, watch_order.c … */
    uint32_t acquired;            /* … when it was noted as a read of that, 0: never … */
    uint32_t fence, synced;       /* … and what the thread knew when it was noted as a write; 0: never */
    uint32_t unfenced, forgotten; /* its reads behind which it has had no fence; watch_order.c */
};

/* The asynchronous copies of a thread that it has not waited for; watch_copies.c. */
struct watch_copies {
    struct copy *items;
    size_t count, room;
    uint32_t committed; /* groups */
};

/* A thread's last fence, and what it knew then: it serves no more than that. */
struct watch_fence {
    uint32_t when, synced; /* 0: never */
    uint32_t lanes[WARP_SIZE];
};

/* State of a running block; a workspace has one in a watched launch. */
struct watch_block {
    uint32_t number;  /* of the block */
    uint32_t born, synced; /* when it began, and when its threads have last been at a barrier */
    uint32_t fenced;  /* the last fence of one of its threads … */
    uint32_t covered; /* … and the last one that was before a barrier of all of them */
    int threads;
    uintptr_t written[16]; /* variables all of which has been written … */
    int written_count;     /* … but for those beyond that */
    bool used; /* what there is of each thread may be other than at first */
    struct region shared, dynamic; /* its shared memory, and what the launch gives it */
    uint32_t (*lanes)[WARP_SIZE]; /* of each thread: up to when it knows what the lanes of its warp have done */
    struct watch_fence *fence;
    uint32_t *fenced_until;       /* up to when what it did is behind a fence that was before a barrier of all */
    uint32_t (*arrived)[2];       /* at the cluster's barrier, in even and odd phases … */
    uint32_t *ended;              /* … and when it has ended, 0: not yet, which counts for all phases to come */
    uint64_t *passed;             /* how often it has passed that */
    struct gpucc_cpu_site **place; /* where it is, for failures */
    struct watch_wait *wait;
    struct watch_copies *copies;
    struct watch_stores *stores;     /* of each thread, or null; watch_engine.c */
    struct watch_products *products; /* of the block's warpgroups, or null; watch_warpgroup.c */
};

/* Adjacent bytes that one place of the program has written, or read, in a launch; launches.c. */
struct launch_use {
    uintptr_t address;
    size_t size;
    const struct gpucc_cpu_site *site; /* or null: not known */
    uint32_t thread;                   /* the first byte's, counted over all blocks */
    uint32_t each; /* bytes of each thread, the next thread's behind it; 0: all are the first one's */
    bool changes;  /* some were not written the value that they had */
};
struct use_list {
    struct launch_use *items; /* by address */
    size_t count, room;
    uint32_t thread, left; /* of the last one's last bytes, and how many more this thread has */
};
enum use_kind { USE_READS, USE_WRITES, USE_KINDS };

/* The memory that a launch has touched. */
struct footprint {
    struct link link;
    uint32_t number; /* of the launch, in its context */
    int stream;
    const char *name; /* of the kernel, or of the function that was called */
    struct gpucc_index grid, block; /* of a kernel; 0: a call */
    struct launch_clock known; /* what comes before it */
    struct use_list uses[USE_KINDS];
};

enum fault {
    FAULT_OUTSIDE,
    FAULT_NOWHERE,
    FAULT_FREED,
    FAULT_MISALIGNED,
    FAULT_UNWRITTEN,
    FAULT_RACE,
    FAULT_COPY,
    FAULT_LAUNCHES,
    FAULT_OPERATION,
    FAULT_PROXY,
    FAULT_PAIR,
    FAULT_OTHER
};

/* A place, and where it has last been found to access memory. */
struct watch_site {
    struct gpucc_cpu_site *site;
    struct region *region; /* or null */
};

struct watch {
    gpucc_context *context;
    struct watch_settings settings;
    unsigned checks; /* enum watch_check */
    uint32_t now, floor; /* all that is older than `floor` is ordered */
    struct region **regions; /* ascending */
    size_t region_count, region_room;
    struct watch_site *sites; /* by number; 0 is unused */
    size_t site_count, site_room;
    uint64_t *blocks; /* the order in which clusters run, or null */
    struct report *reports;
    size_t report_count, report_room;
    uint64_t unreported; /* beyond the most that are kept */
    struct handover *handovers; /* watch_order.c */
    struct footprint *footprint; /* where launches of other streams may race with this one; else null */
    uint64_t quiet; /* counts the times in which nobody does what another thread could see … */
    uint32_t polls; /* … and how often threads have looked in this one; 0: somebody has done something */
    uintptr_t page; /* the last one outside of all regions that was found to be there */
    uintptr_t target;                /* of the copy that begins now: its shared variable, or 0 */
    unsigned actor_access;           /* of the actor's access that is checked now */
    struct watch_barriers *barriers; /* watch_engine.c; null: no thread has used an mbarrier */
    bool starved;
    bool unsure; /* a search for what orders two accesses was given up */
    bool failed; /* what ends the launch has been reported */
    uint64_t steps, end; /* reports of code so far, and their limit; 0: no fault is known yet */
    uintptr_t again;     /* where the last access was … */
    uint32_t repeats;    /* … and how many plain reads there have been nowhere else before it */
};

/* The running thread of the block, also where one function runs all of them and has noted its index. */
static inline int watch_thread(const struct fiber *self)
{
    const struct gpucc_index t = self->record.thread_index, size = self->record.block_dim;
    return is_fiber(self) ? thread_number(self) : (int)(t.x + size.x * (t.y + size.y * t.z));
}

/* Its identifier. */
static inline struct fiber *watched_fiber(const struct fiber *self)
{
    struct fiber *fiber = &self->workspace->fibers[watch_thread(self)];
    fiber->record.block_index = self->record.block_index;
    return fiber;
}

/* Shared memory is another block's after a while. */
static inline bool outlives_blocks(const struct region *region)
{
    return region->born == 0;
}

static inline uint32_t thread_id(const struct watch_block *block, int thread)
{
    return block->number << 10 | (uint32_t)thread;
}

/* The next count; if there are no more, all that has been is forgotten. */
uint32_t watch_tick(struct watch *watch);
/* The site's number in cells; 0 if there are too many. */
unsigned watch_site_number(struct watch *watch, struct gpucc_cpu_site *site);

/* False if there is no memory. */
bool watch_add_region(struct watch *watch, const struct region *region);
/* An array, or a variable of the program; null if nothing is known to be there. */
const struct region *watch_region_at(const struct watch *watch, uintptr_t address);

/* Puts a mark on the cells of these bytes, or takes it away. */
void watch_mark(struct watch *watch, const struct workspace *workspace, uintptr_t address, size_t size, unsigned mark,
                bool on);

/* An access that an actor makes as the thread requests, of up to 16 bytes. */
struct actor_access {
    struct fiber *self;
    struct gpucc_cpu_site *site;
    uint32_t actor;
    uintptr_t address, base; /* base: of the variable that the site names, or 0 */
    uintptr_t first;         /* an address of the array that it must stay inside */
    size_t size;
    unsigned access; /* enum gpucc_cpu_access */
    unsigned valid;  /* of a write: bits of the bytes that have values */
};
void watch_actor_access(struct watch *watch, const struct actor_access *access);
/* A bit for each of up to 16 bytes that has a value. */
unsigned watch_valid_bytes(struct watch *watch, const struct workspace *workspace, uintptr_t address, size_t size);
/* Whether the bytes are shared memory of the block, or of one of its cluster, which has been so since `born`. */
bool watch_is_shared(const struct workspace *workspace, uintptr_t address, size_t size, uint32_t *born);

/* The running thread of a watched launch reads or writes a texel, as the place says that it has noted. */
void watch_texel(const struct texel_access *access);

/* launches.c */

/* Counts the launch; null if no other one can race with it. */
struct footprint *launches_begin(gpucc_stream *stream, const char *name, struct gpucc_index grid,
                                 struct gpucc_index block);
/* Tells of races with earlier launches, and keeps the footprint for later ones. */
void launches_end(struct watch *watch);
uint32_t launch_use_thread(const struct launch_use *use, uintptr_t address);

/* watch_launch.c */

/* All threads of the block are at its barrier. */
void watch_block_synced(struct workspace *workspace);

/* watch_order.c */

/* Whether what `thread` did at `when` comes before what the running fiber does now. */
bool watch_ordered(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when);
/* The same of a write, which must also be visible. */
bool watch_write_visible(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when);
/* Whether it does not, and would if the thread that has read the flag had a fence behind that. */
bool watch_lacks_fence(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when);
/* As watch_ordered(), of bytes of an atomic or volatile write, which also come before what follows an atomic or
 * volatile read of all of them between `when` and `until`. */
bool watch_write_ordered(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when,
                         uintptr_t address, size_t size, uint32_t until);
/* A thread has written, or read, what is at the address by an atomic operation or as volatile. */
void watch_hand_over(struct watch *watch, const struct fiber *self, uintptr_t address, size_t size, unsigned access);
/* The thread has a fence. */
void watch_note_fence(struct watch *watch, struct watch_block *block, int thread);
/* All threads come to a barrier: their fences then serve what others write. */
void watch_cover_fences(struct watch_block *block);
void watch_order_free(struct watch *watch);

/* An mbarrier and the like, known by an address: a thread arrives, … */
void watch_release(struct watch *watch, const struct fiber *self, uintptr_t address);
/* … at another block's: its block's writes are handed over only behind a threadfence(); … */
void watch_release_remote(struct watch *watch, const struct fiber *self, uintptr_t address);
/* … and one has waited for what came there up to that time; 0: for nothing. */
void watch_acquire(struct watch *watch, const struct fiber *self, uintptr_t address, uint32_t until);
/* Whose accesses these are, all of which one thread has started. */
struct watch_actor {
    uint32_t issuer;
    uint32_t other; /* actor of the same address; 0: none */
    bool is_product; /* of a warpgroup, else the copy engine … */
    bool is_store;   /* … that reads shared memory */
};
enum { MOST_ACTORS = 1 << 20 };
#define FIRST_ACTOR (UINT32_MAX - MOST_ACTORS + 1) /* behind all threads */
uint32_t watch_actor_of(struct watch *watch, uintptr_t address, const struct watch_actor *actor);
/* Null if it is a thread. */
const struct watch_actor *watch_actor(const struct watch *watch, uint32_t thread);
/* Its accesses so far are complete; the time. */
uint32_t watch_actor_release(struct watch *watch, uintptr_t address, uint32_t actor);
/* The thread calls fence_proxy_async(). */
void watch_note_proxy_fence(struct watch *watch, const struct fiber *self);
/* Whether one is between that access, which is ordered, and an access of an actor that the running thread starts. */
bool watch_is_proxied(struct watch *watch, const struct fiber *self, uint32_t thread, uint32_t when);

/* watch_copies.c */

/* Whether threads have begun copies and not waited for them. */
bool watch_copies_left(const struct watch_block *block);
/* Tells of an access to memory that has the mark of a copy; false if it is none of the block's. */
bool watch_meet_copy(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                     const struct watch_object *object, uintptr_t address, unsigned mark);
void watch_copies_forget(const struct workspace *workspace);
void watch_copies_free(struct watch_block *block);

/* watch_engine.c: mbarriers and the copy engine */

extern const struct engine_hooks engine_hooks;
/* The thread comes to the cluster's barrier, or has passed it. */
void watch_engine_cluster(struct watch *watch, const struct fiber *self, uint64_t phase, bool has_passed);
void watch_engine_thread_ended(struct watch *watch, const struct fiber *self);
/* The block's threads are another block's from here on. */
void watch_engine_forget(struct watch_block *block);
void watch_engine_free(struct watch *watch);
void watch_engine_block_free(struct watch_block *block);
/* A thread waits at the mbarrier for ever, as has been reported: adds the place of the last copy to it. */
void watch_engine_explain(struct watch *watch, const uint64_t *barrier);

/* watch_warpgroup.c: products of warpgroups */

/* A thread reads or writes a local variable: are these sums that a product computes? */
void watch_meet_sums(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site, uintptr_t address);
void watch_products_forget(struct watch_block *block);
void watch_products_free(struct watch_block *block);

/* watch_wait.c */

/* A thread comes to the bytes at the address by an atomic operation or as volatile.  Does not return where it does
 * nothing else for too long. */
void watch_poll(struct watch *watch, const struct fiber *self, uintptr_t address, size_t size);
/* A thread does nothing but read one place, plainly: it is stopped. */
_Noreturn void watch_stop_spinning(struct watch *watch, const struct fiber *self);
/* The launch has a fault and goes on and on, as loops do whose end depends on a race: it is stopped. */
_Noreturn void watch_stop(struct watch *watch, const struct fiber *self);

/* watch_report.c */

/* An access that is wrong by itself. */
void watch_report_access(struct watch *watch, const struct fiber *self, enum fault fault, struct gpucc_cpu_site *site,
                         const struct watch_object *object, uintptr_t address, size_t size);
/* "read of 4 bytes outside of 'x' at index 5, which has 5 elements of 4 bytes: 0 bytes past its end" */
void watch_outside_text(char *text, size_t room, const struct watch_object *object, unsigned access, uintptr_t address,
                        size_t size);
/* Two accesses: this one, by the running thread or an actor that it started, and that of the cell's user. */
struct watch_race {
    uint32_t actor; /* or 0 */
    unsigned access;
    const struct cell *cell;
    int user;
};
void watch_report_race(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                       const struct watch_object *object, uintptr_t address, const struct watch_race *race);
/* The same where a thread's write lacks a fence_proxy_async(). */
void watch_report_proxy(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                        const struct watch_object *object, uintptr_t address, const struct watch_race *race);
/* A fault with a second place, or null: what is wrong here, what is there, and what to do. */
struct watch_pair {
    const struct gpucc_cpu_site *other;
    const char *here, *there, *remedy;
};
void watch_report_pair(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_site *site,
                       const struct watch_pair *pair);
/* An access to either side of a copy that is under way. */
struct watch_copy {
    const struct gpucc_cpu_site *site;
    uint32_t thread;
    bool is_source, is_committed;
};
void watch_report_copy(struct watch *watch, const struct fiber *self, struct gpucc_cpu_site *site,
                       const struct watch_object *object, uintptr_t address, const struct watch_copy *copy);
/* Accesses of two launches to these bytes. */
struct launch_access {
    enum use_kind kind;
    const struct footprint *launch;
    const struct launch_use *use;
};
void watch_report_launches(struct watch *watch, const struct launch_access *access, const struct launch_access *earlier,
                           uintptr_t address, size_t size);
/* An operation whose result is wrong by itself, at the thread's place; `text` and `remedy` (or null) say why. */
void watch_report_operation(struct watch *watch, const struct fiber *self, const struct gpucc_cpu_place *place,
                            const char *text, const char *remedy);
/* A fault that the executor has found, at the thread's place; `remedy` may be null. */
void watch_report_failure(struct watch *watch, const struct fiber *culprit, const struct gpucc_cpu_place *place,
                          const char *text, const char *remedy);
/* Another place of what was reported last. */
void watch_report_also(struct watch *watch, const struct gpucc_cpu_site *site, const char *text);
/* Reports to the context: as its options request, or in its log. */
struct watch_settings watch_settings_of(gpucc_context *context);
/* Notes how the program came to what is called there; null: it is not known. */
void watch_report_calls(const struct watch_settings *settings, const struct gpucc_cpu_call *at);
/* Hands all reports on; the number of faults. */
uint64_t watch_report_all(struct watch *watch);
void watch_reports_free(struct watch *watch);

#endif
