/* Shared memory has 32 banks of 4 bytes: which accesses of a warp go to different words of one bank. */
#include "lint/lint_internal.h"

#include <stdlib.h>

enum { BANKS = 32, WORD = 4 };

static int64_t words_of(int64_t bytes)
{
    return bytes >= 0 ? bytes / WORD : -((-bytes + WORD - 1) / WORD);
}

/* How many different words of one bank the lanes of one pass access; an access of 8 bytes takes two passes of half a
 * warp, one of 16 bytes four. */
static unsigned conflicts_in(const struct form *form, uint32_t active, uint64_t bytes, unsigned first, unsigned lanes)
{
    int64_t words[BANKS][WARP];
    unsigned counts[BANKS] = {0}, most = 0;
    for (unsigned l = first; l < first + lanes; l++) {
        if (!(active >> l & 1))
            continue;
        const int64_t begin = words_of(form->lane[l]), end = words_of(form->lane[l] + (int64_t)bytes - 1);
        for (int64_t word = begin; word <= end; word++) {
            const unsigned bank = (unsigned)(word & (BANKS - 1));
            bool is_new = true;
            for (unsigned k = 0; k < counts[bank]; k++)
                is_new &= words[bank][k] != word;
            if (is_new && counts[bank] < WARP)
                words[bank][counts[bank]++] = word;
            most = counts[bank] > most ? counts[bank] : most;
        }
    }
    return most;
}

static unsigned conflicts(const struct form *form, uint32_t active, uint64_t bytes)
{
    const unsigned lanes = bytes <= 4 ? WARP : bytes <= 8 ? WARP / 2 : WARP / 4;
    unsigned most = 0;
    for (unsigned first = 0; first < WARP; first += lanes) {
        const unsigned found = conflicts_in(form, active, bytes, first, lanes);
        most = found > most ? found : most;
    }
    return most;
}

/* Whether the lanes along x stay inside the variable. */
static bool fits(const struct linted *linted, const struct lanes *lanes, const struct access *access, unsigned width)
{
    const struct form form = form_of(lanes, access->address);
    const uint32_t active = active_lanes(linted, lanes, access->instruction);
    const uint64_t size = root_bytes(linted, access);
    int64_t least = INT64_MAX, most = INT64_MIN;
    if (!size || form.state != FORM_KNOWN || form.is_scaled)
        return true;
    for (unsigned l = 0; l < width; l++)
        if (active >> l & 1) {
            least = form.lane[l] < least ? form.lane[l] : least;
            most = form.lane[l] > most ? form.lane[l] : most;
        }
    return least > most || (uint64_t)(most - least) + access->bytes <= size;
}

/* How many threads of a warp stand side by side along x, as far as the sizes of shared arrays say. */
static unsigned row_of_warp(struct linted *linted, const struct accesses *accesses)
{
    unsigned width = WARP;
    for (size_t i = 0; i < accesses->count; i++)
        while (width > 1 && accesses->items[i].space == SPACE_SHARED &&
               !fits(linted, lanes_along(linted, width), &accesses->items[i], width))
            width /= 2;
    return width;
}

/* Whether an access of so many bytes could be aligned in all lanes. */
static bool is_aligned(const struct form *form, uint64_t bytes)
{
    bool aligned = form->state == FORM_KNOWN;
    for (unsigned l = 0; l < WARP; l++)
        aligned &= form->lane[l] % (int64_t)bytes == 0;
    return aligned;
}

/* Whether the two will be parts of one wider access. */
static bool will_join(const struct access *a, const struct access *b, const struct form *form)
{
    return LLVMGetInstructionParent(a->instruction) == LLVMGetInstructionParent(b->instruction) &&
           a->is_store == b->is_store && a->bytes == b->bytes && a->root == b->root && is_near(a, b) &&
           is_aligned(form, 2 * a->bytes);
}

/* The bytes of the access with the neighbours that a thread accesses with it: 8 or 16 where there are such. */
static uint64_t width_with_neighbours(const struct lanes *lanes, const struct accesses *accesses,
                                      const struct access *access)
{
    uint64_t bytes = access->bytes;
    for (bool grown = true; grown && bytes < 16;) {
        grown = false;
        for (size_t i = 0; i < accesses->count && !grown; i++) {
            const struct access *other = &accesses->items[i];
            const struct form form = form_of(lanes, other->address);
            const int64_t distance = llabs(other->offset - access->offset);
            if (!access->is_atomic && will_join(access, other, &form) && distance && distance < 16 &&
                (uint64_t)distance / access->bytes == bytes / access->bytes && is_aligned(&form, 2 * bytes)) {
                bytes *= 2;
                grown = true;
            }
        }
    }
    return bytes;
}

static void lint_access(struct linted *linted, const struct accesses *accesses, const struct access *access,
                        unsigned width)
{
    const struct lanes *lanes = lanes_along(linted, width);
    const struct form form = form_of(lanes, access->address);
    if (access->space != SPACE_SHARED || form.state != FORM_KNOWN || !form.varies || form.is_scaled)
        return;
    const uint32_t active = active_lanes(linted, lanes, access->instruction);
    const unsigned ways = conflicts(&form, active, width_with_neighbours(lanes, accesses, access));
    if (ways < 2)
        return;
    report_slow(linted, access->instruction,
                "bank conflict: threads of a warp access %u different words of one bank of shared memory here, in %u "
                "passes instead of one", ways, ways);
    report_remedy(linted, NULL, "shared memory has %d banks of %d-byte words; pad each row by one element ([%d][%d] "
                                "for [%d][%d]) to spread a column over the banks", BANKS, WORD, BANKS, BANKS + 1, BANKS,
                  BANKS);
}

void lint_banks(struct linted *linted, const struct accesses *accesses)
{
    const unsigned width = row_of_warp(linted, accesses);
    for (size_t i = 0; i < accesses->count; i++)
        lint_access(linted, accesses, &accesses->items[i], width);
}
