/* Launches: blocks one after the other, or together where they wait for one another; threads run until they wait. */
#include "ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 2000 }; /* branches */

static uint64_t played;

uint64_t ptx_played(void)
{
    return played;
}

_Noreturn void fault(struct thread *t, const char *format, ...)
{
    struct launch *launch = t->block->launch;
    const struct instruction *at = launch->at;
    const int length = at ? (int)strcspn(at->text, "\n") : 0;
    const struct function *f = t->frame_count ? t->frames[t->frame_count - 1].function : launch->entry;
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    int line = 1;
    for (const char *text = launch->module->text; at && text < at->text; text++)
        line += *text == '\n';
    snprintf(launch->message, PTX_MESSAGE,
             "%s: %s; block (%u, %u, %u), thread (%u, %u, %u), in %.*s, PTX line %d: %.*s", launch->asked->entry, what,
             t->block->id[0], t->block->id[1], t->block->id[2], t->id[0], t->id[1], t->id[2], f->length, f->name, line,
             length, at ? at->text : "");
    longjmp(launch->failure, 1);
}

/* ---- threads ---- */

void run_thread(struct thread *t)
{
    struct launch *launch = t->block->launch;
    uint64_t count = 0;
    t->state = RUNNING;
    t->budget = BUDGET;
    do {
        const struct instruction *i = t->next++;
        struct reg *r = t->current;
        count++;
        launch->at = i;
        if (i->guard >= 0) {
            const struct reg guard = r[i->guard];
            if (guard.undefined)
                fault(t, "the predicate is undefined");
            if ((guard.value != 0) == i->guard_negated)
                continue;
        }
        i->run(t, r, i);
    } while (t->state == RUNNING);
    played += count;
}

static void start_thread(struct block *block, unsigned number)
{
    struct thread *t = &block->threads[number];
    const unsigned *size = block->launch->asked->block;
    struct function *entry = block->launch->entry;
    t->block = block;
    t->number = number;
    t->id[0] = number % size[0];
    t->id[1] = number / size[0] % size[1];
    t->id[2] = number / size[0] / size[1];
    t->frame_count = 0;
    t->arrivals = 0;
    t->local.size = t->param.size = 0;
    t->state = RUNNING;
    push_frame(t, entry, NULL);
    for (int k = 0; k < entry->parameter_count; k++) {
        const struct local_variable *p = entry->parameters[k];
        memcpy(t->param.bytes + p->offset, block->launch->asked->parameters[k], p->size);
        memset(t->param.undefined + p->offset, 0, p->size);
    }
}

static void free_thread(struct thread *t)
{
    free(t->registers);
    free(t->frames);
    free(t->copies.items);
    free(t->local.bytes);
    free(t->local.undefined);
    free(t->param.bytes);
    free(t->param.undefined);
}

/* ---- blocks ---- */

/* The warp's threads until all have ended or wait for others; whether any of them ran. */
static bool run_warp(struct thread *threads, unsigned count)
{
    bool has_run = false, is_running;
    do {
        is_running = false;
        for (unsigned lane = 0; lane < count; lane++) {
            if (threads[lane].state != RUNNING)
                continue;
            run_thread(&threads[lane]);
            has_run = true;
        }
        is_running = release_warp(threads, count);
        has_run |= is_running;
    } while (is_running);
    for (unsigned lane = 0; lane < count; lane++)
        if (threads[lane].state == YIELDED)
            threads[lane].state = RUNNING;
    return has_run;
}

static bool run_block(struct block *block)
{
    bool has_run = false;
    for (unsigned first = 0; first < block->thread_count; first += WARP) {
        const unsigned rest = block->thread_count - first;
        has_run |= run_warp(block->threads + first, rest < WARP ? rest : WARP);
    }
    return has_run | release_barriers(block);
}

static void start_block(struct launch *launch, struct block *block, uint64_t number)
{
    const struct ptx_launch *asked = launch->asked;
    const unsigned *cluster = asked->cluster;
    const unsigned rank = (unsigned)(number % launch->cluster_size);
    uint64_t group = number / launch->cluster_size;
    const unsigned offset[] = {rank % cluster[0], rank / cluster[0] % cluster[1], rank / cluster[0] / cluster[1]};
    block->launch = launch;
    block->rank = rank;
    block->cluster = block - rank;
    block->thread_count = launch->thread_count;
    for (int axis = 0; axis < 3; axis++) {
        const unsigned groups = asked->grid[axis] / cluster[axis];
        block->id[axis] = (unsigned)(group % groups) * cluster[axis] + offset[axis];
        group /= groups;
    }
    block->shared.size = 0;
    memset(block->arrived, 0, sizeof block->arrived);
    shadowed_grow(&block->shared, launch->shared_size);
    for (unsigned k = 0; k < block->thread_count; k++)
        start_thread(block, k);
}

static bool is_done(const struct block *blocks, unsigned count)
{
    for (unsigned b = 0; b < count; b++)
        for (unsigned k = 0; k < blocks[b].thread_count; k++)
            if (blocks[b].threads[k].state != DONE)
                return false;
    return true;
}

static _Noreturn void report_deadlock(struct launch *launch)
{
    for (unsigned b = 0; b < launch->block_count; b++)
        for (unsigned k = 0; k < launch->thread_count; k++)
            if (launch->blocks[b].threads[k].state != DONE) {
                launch->at = launch->blocks[b].threads[k].waiting;
                fault(&launch->blocks[b].threads[k], "it waits for threads that never come");
            }
    abort();
}

static void run_resident(struct launch *launch)
{
    while (!is_done(launch->blocks, launch->block_count)) {
        bool has_run = false;
        for (unsigned b = 0; b < launch->block_count; b++)
            has_run |= run_block(&launch->blocks[b]);
        for (unsigned b = 0; b < launch->block_count; b += launch->cluster_size)
            has_run |= release_cluster(launch->blocks + b, launch->cluster_size);
        if (!has_run)
            report_deadlock(launch);
    }
}

/* ---- launches ---- */

static bool open_launch(struct launch *launch)
{
    const struct ptx_launch *asked = launch->asked;
    struct ptx_module *module = launch->module;
    const uint64_t blocks = (uint64_t)asked->grid[0] * asked->grid[1] * asked->grid[2];
    module->message = launch->message;
    launch->entry = find_function(module, asked->entry, (int)strlen(asked->entry));
    if (!launch->entry || !launch->entry->is_entry) {
        snprintf(launch->message, PTX_MESSAGE, "there is no entry %s", asked->entry);
        return false;
    }
    if (setjmp(module->failure))
        return false;
    parse_reachable(module, launch->entry);
    launch->thread_count = asked->block[0] * asked->block[1] * asked->block[2];
    launch->cluster_size = asked->cluster[0] * asked->cluster[1] * asked->cluster[2];
    launch->block_count = asked->cooperative ? (unsigned)blocks : launch->cluster_size;
    launch->entry_begin = (module->shared_size + 1023) / 1024 * 1024; /* the largest alignment */
    launch->dynamic_begin = (launch->entry_begin + launch->entry->shared_size + 127) / 128 * 128;
    launch->shared_size = launch->dynamic_begin + asked->dynamic_shared;
    launch->blocks = must_allocate(launch->block_count * sizeof *launch->blocks);
    for (unsigned b = 0; b < launch->block_count; b++)
        launch->blocks[b].threads = must_allocate(launch->thread_count * sizeof(struct thread));
    launch->workspace = asked->cooperative ? must_allocate(WORKSPACE) : NULL;
    return true;
}

static void close_launch(struct launch *launch)
{
    for (unsigned b = 0; b < launch->block_count && launch->blocks; b++) {
        for (unsigned k = 0; k < launch->thread_count; k++)
            free_thread(&launch->blocks[b].threads[k]);
        free(launch->blocks[b].threads);
        free(launch->blocks[b].shared.bytes);
        free(launch->blocks[b].shared.undefined);
    }
    for (struct page *page = launch->pages, *next; page; page = next) {
        next = page->next;
        free(page);
    }
    free(launch->blocks);
    free(launch->workspace);
}

bool ptx_play(struct ptx_module *module, const struct ptx_launch *asked, char message[PTX_MESSAGE])
{
    struct launch launch = {.module = module, .asked = asked, .message = message};
    const uint64_t blocks = (uint64_t)asked->grid[0] * asked->grid[1] * asked->grid[2];
    bool is_good = open_launch(&launch);
    if (is_good && setjmp(launch.failure)) {
        close_launch(&launch);
        return false;
    }
    for (uint64_t first = 0; is_good && first < blocks; first += launch.block_count) {
        for (unsigned b = 0; b < launch.block_count; b++)
            start_block(&launch, &launch.blocks[b], first + b);
        run_resident(&launch);
    }
    close_launch(&launch);
    return is_good;
}
