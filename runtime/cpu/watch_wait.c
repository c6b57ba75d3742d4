/* Threads of a watched launch that wait for ever: each looks at one place again and again, finds what it found, and
 * nobody does anything that another one could see. */
#include "cpu/watch.h"

#include <string.h>

/* What all of them do in a second or two, and what each does, so that it is no loop that has an end. */
enum { MOST_LOOKS = 1 << 22, MOST_OF_ONE = 1 << 12 };

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

void watch_look(struct watch *watch, const struct fiber *self, uintptr_t address, size_t size)
{
    struct watch_wait *wait = &self->workspace->watched->wait[thread_number(self)];
    if (!finds_the_same(wait, address, size))
        watch->looks = 0;
    if (watch->looks == 0)
        watch->quiet++;
    if (wait->quiet != watch->quiet)
        wait->looks = 0;
    wait->quiet = watch->quiet;
    watch->looks++;
    if (++wait->looks > MOST_OF_ONE && watch->looks > MOST_LOOKS)
        fiber_fail(self, "it waits here for what no thread does: %u times in a row it has found the same value, while "
                         "nobody wrote anything", wait->looks);
}
