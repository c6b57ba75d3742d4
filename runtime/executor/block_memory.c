/* The shared memory of a block on the CPU.  Beside it lie margins of a known pattern, and behind it as much room as
 * most kernels take for granted, so that a kernel that writes outside is found out, and harms nothing else. */
#include "executor/executor.h"

#include <stdlib.h>
#include <string.h>

/* A block's memory begins at a multiple of BASE, as the copy engine's tiles require. */
enum { MARGIN = 256, BASE = 1024, PATTERN = 0xa5, SPARE = GPUCC_STATIC_SHARED };

bool shared_memory_reserve(struct workspace *workspace, const struct run *run)
{
    if (run->shared_size > workspace->shared_size) {
        size_t size = BASE + run->shared_size + SPARE;
        char *memory = aligned_alloc(BASE, (size + BASE - 1) / BASE * BASE);
        if (memory == NULL)
            return false;
        shared_memory_free(workspace);
        workspace->shared = memory + BASE;
        workspace->shared_size = run->shared_size;
        memset(workspace->shared - MARGIN, PATTERN, MARGIN);
    }
    char *end = workspace->shared + run->shared_used;
    if (workspace->shared_end != end)
        memset(end, PATTERN, MARGIN);
    workspace->shared_end = end;
    return true;
}

void shared_memory_free(struct workspace *workspace)
{
    if (workspace->shared != NULL)
        free(workspace->shared - BASE);
    workspace->shared = workspace->shared_end = NULL;
    workspace->shared_size = 0;
}

/* Makes it anew where it is not. */
static bool is_whole(char *margin)
{
    bool whole = margin[0] == (char)PATTERN && memcmp(margin, margin + 1, MARGIN - 1) == 0;
    if (!whole)
        memset(margin, PATTERN, MARGIN);
    return whole;
}

const char *shared_memory_check(struct workspace *workspace)
{
    if (workspace->shared == NULL)
        return NULL;
    bool before = is_whole(workspace->shared - MARGIN), behind = is_whole(workspace->shared_end);
    return before && behind ? NULL : behind ? "before" : "beyond";
}
