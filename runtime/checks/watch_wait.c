/* Threads of a watched launch that wait for ever: each looks at one place again and again, finds what it found, and
 * nobody does anything that another one could see. */
#include "checks/watch.h"

#include <stdio.h>
#include <string.h>

/* Limits: polls of all threads in a second or two, polls of one thread that no finite loop reaches, and polls after
 * which other threads run. */
enum { MOST_POLLS = 1 << 22, MOST_OF_ONE = 1 << 12, POLLS_IN_A_ROW = 1 << 6 };

/* Whether the thread finds there what it found when it was last at such a place, which was this one. */
static bool finds_the_same(struct watch_wait *wait, uintptr_t address, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, (const void *)address, size < sizeof value ? size : sizeof value);
    const bool same = wait->address == address && wait->value == value;
    wait->address = address;
    wait->value = value;
    return same;
}

/* Blocks run one after the other; where a grid has no barrier of its own, a GPU too may begin one when others end. */
static const char *remedy_for(const struct fiber *self)
{
    const struct cpu_launch *launch = self->workspace->run->launch;
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    if (blocks > 1 && !launch->cooperative)
        return "a block may wait only for itself and for blocks that started before it: others need not run "
               "concurrently, unless the kernel calls grid_sync()";
    return NULL;
}

void watch_poll(struct watch *watch, const struct fiber *self, uintptr_t address, size_t size)
{
    struct watch_wait *wait = &self->workspace->watched->wait[thread_number(self)];
    if (!finds_the_same(wait, address, size))
        watch->polls = 0;
    if (watch->polls == 0)
        watch->quiet++;
    if (wait->quiet != watch->quiet)
        wait->polls = 0;
    wait->quiet = watch->quiet;
    watch->polls++;
    if (++wait->polls > MOST_OF_ONE && watch->polls > MOST_POLLS) {
        char text[160];
        snprintf(text, sizeof text, "it polls here for a value that no thread writes: %u reads in a row found the same "
                                    "value, and no thread wrote anything", wait->polls);
        watch_report_failure(watch, self, NULL, text, remedy_for(self));
        fiber_fail(self, "%s", text);
    }
    if (wait->polls % POLLS_IN_A_ROW == 0)
        gpucc_cpu_warp_yield();
}

void watch_stop_spinning(struct watch *watch, const struct fiber *self)
{
    static const char text[] = "it reads the same place again and again";
    watch_report_failure(watch, self, NULL, text, "read the polled value as volatile or with an atomic operation: a "
                                                  "plain read need not see what another thread writes");
    fiber_fail(self, "%s", text);
}

void watch_stop(struct watch *watch, const struct fiber *self)
{
    watch->failed = true;
    fiber_fail(self, "it went on for long behind a fault");
}
