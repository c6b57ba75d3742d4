/* "did you mean": the nearest of some names by edit distance. */
#include "base/base.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours, each one step; a change of case alone is none. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            row[j] = min(min(row[j - 1], last[j]) + 1, last[j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = min(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[m];
}

static size_t common_prefix(const char *name, size_t length, const char *candidate)
{
    size_t i = 0;
    while (i < length && name[i] == candidate[i])
        i++;
    return i;
}

/* Between two names at equal distance, the longer common prefix wins. */
static bool is_better(const char *name, size_t length, const char *candidate, const char *best)
{
    return !best || common_prefix(name, length, candidate) > common_prefix(name, length, best);
}

const char *nearest(const char *name, size_t length, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    if (!length || length > LONGEST)
        return NULL;
    size_t allowed = (length + 2) / 3; /* as clang: a third of the name may be wrong */
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(candidates[i]);
        if (size > LONGEST)
            continue;
        size_t steps = distance(name, length, candidates[i], size);
        if (steps < allowed || (steps == allowed && is_better(name, length, candidates[i], best))) {
            best = candidates[i];
            allowed = steps;
        }
    }
    return best;
}
