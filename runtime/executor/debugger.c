/* For debuggers of a stopped kernel: where the threads of its block are. */
#include "executor/executor.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 8192 };

static void describe(const struct fiber *self, const struct fiber *fiber, char *text, size_t size)
{
    if (fiber == self)
        snprintf(text, size, "runs here");
    else if (fiber->ended)
        snprintf(text, size, "has ended");
    else if (fiber->at_grid_barrier)
        snprintf(text, size, "waits for the grid");
    else if (fiber->at_barrier)
        snprintf(text, size, "waits at the barrier of %s:%d:%d", fiber->place->file, fiber->place->line,
                 fiber->place->column);
    else if (fiber->request != NULL)
        warp_describe_wait(fiber, text, size);
    else
        snprintf(text, size, "can go on");
}

/* Threads one behind the other that do the same are a line. */
static void describe_all(const struct fiber *self, char *out, size_t size)
{
    const struct workspace *workspace = self->workspace;
    char text[512], next[512];
    size_t used = 0;
    for (int first = 0, end; first < workspace->threads && used < size; first = end) {
        describe(self, &workspace->fibers[first], text, sizeof text);
        for (end = first + 1; end < workspace->threads; end++) {
            describe(self, &workspace->fibers[end], next, sizeof next);
            if (strcmp(text, next) != 0)
                break;
        }
        const struct gpucc_index a = workspace->fibers[first].record.thread_index,
                                 b = workspace->fibers[end - 1].record.thread_index;
        const int length = end - first == 1
                               ? snprintf(out + used, size - used, "(%u, %u, %u): %s\n", a.x, a.y, a.z, text)
                               : snprintf(out + used, size - used, "(%u, %u, %u) to (%u, %u, %u): %s\n", a.x, a.y, a.z,
                                          b.x, b.y, b.z, text);
        used += length > 0 ? (size_t)length : size;
    }
}

GPUCC_API const char *gpucc_cpu_threads(void)
{
    static _Thread_local char text[MOST_TEXT];
    const struct fiber *self = current_fiber;
    if (self == NULL)
        return "no kernel runs here\n";
    if (!is_fiber(self))
        return "one function runs the whole block, or its threads one after the other: they have no state of their "
               "own\n";
    describe_all(self, text, sizeof text);
    return text;
}
