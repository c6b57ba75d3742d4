/* Makes a case of a kernel's test that fails smaller, for as long as it fails in the same way: the numbers of any(…)
 * towards their least ones, then what random and special arrays hold towards zeros.  What each(…) names is taken as it
 * stands: other values may be none that the kernel takes. */
#include "test/test_internal.h"

#include <string.h>
#include <time.h>

enum { MOST_TRIALS = 500, MOST_SECONDS = 10 };

struct shrinking {
    const struct kernel_test *of;
    const struct station *stations, *station;
    struct verdicts *verdicts;
    struct arena *arena;
    struct kernel_choice *choice; /* the smallest so far */
    size_t *counts;               /* of elements, of each parameter */
    char *wrong;                  /* how it fails: where the line tells a place, that, or the array */
    bool is_launch;
    uint64_t trials, launches;
    time_t begun;
};

static bool is_tired(const struct shrinking *shrinking)
{
    return shrinking->trials >= MOST_TRIALS || time(NULL) - shrinking->begun >= MOST_SECONDS;
}

/* "reverse.c:17:80:", "out" */
static const char *kind_of(struct arena *arena, const char *wrong)
{
    return arena_strndup(arena, wrong, strcspn(wrong, " [\n"));
}

/* Whether the case fails as the first one did, which determines how that is. */
static bool still_fails(struct shrinking *shrinking, const struct kernel_choice *choice)
{
    struct arena *arena = arena_new();
    struct kernel_case with;
    struct attempt attempt = {.expected = {.arena = arena}};
    shrinking->trials++;
    make_kernel_case(shrinking->of, choice, arena, &with);
    foresee_case(shrinking->station, &with, shrinking->verdicts);
    const char *wrong = with.failure ? NULL : try_case(shrinking->stations, shrinking->station, &with, &attempt);
    shrinking->launches += attempt.launches;
    bool same = wrong != NULL;
    if (wrong && !shrinking->wrong) {
        shrinking->wrong = arena_printf(shrinking->arena, "%s", kind_of(arena, wrong));
        shrinking->is_launch = attempt.is_launch;
    } else if (wrong) {
        same = attempt.is_launch == shrinking->is_launch && !strcmp(kind_of(arena, wrong), shrinking->wrong);
    }
    const size_t count = shrinking->of->kernel->function->parameter_count;
    for (size_t i = 0; i < count && same; i++)
        shrinking->counts[i] = with.held[i].count;
    forget_files(shrinking->verdicts);
    arena_free(arena);
    return same;
}

/* Takes a number of any(…) down by large steps, then by small ones; whether it is smaller now. */
static bool lower(struct shrinking *shrinking, size_t axis)
{
    long long bounds[2];
    long long *number = &shrinking->choice->numbers[axis];
    choice_bounds(shrinking->of, shrinking->choice, axis, shrinking->arena, bounds);
    const long long at_first = *number;
    for (long long step = *number - bounds[0]; step > 0 && !is_tired(shrinking);) {
        const long long before = *number;
        *number = before - step;
        if (!still_fails(shrinking, shrinking->choice))
            *number = before;
        step = *number == before ? step / 2 : *number - bounds[0] < step ? *number - bounds[0] : step;
    }
    return *number < at_first;
}

static bool is_drawn(const struct test_array *array)
{
    return array->fill == TEST_FILL_RANDOM || array->fill == TEST_FILL_SPECIAL;
}

/* Whether a claim speaks of the numbers that were drawn. */
static bool expects_drawn(const struct test *test)
{
    for (size_t i = 0; i < test->claim_count; i++)
        if (test->claims[i].clause == TEST_CLAUSE_EXPECT && is_drawn(&test->claims[i].array))
            return true;
    return false;
}

/* Makes parts of the array plain, smaller and smaller ones. */
static void simplify(struct shrinking *shrinking, size_t parameter)
{
    const size_t count = shrinking->counts[parameter];
    char *plain = shrinking->choice->plain[parameter] = arena_alloc(shrinking->arena, count + 1);
    char *before = arena_alloc(shrinking->arena, count + 1);
    memset(plain, 0, count + 1);
    for (size_t part = count; part > 0; part /= 2)
        for (size_t from = 0; from < count && !is_tired(shrinking); from += part) {
            const size_t size = from + part < count ? part : count - from;
            if (!memchr(plain + from, 0, size))
                continue;
            memcpy(before, plain, count);
            memset(plain + from, 1, size);
            if (!still_fails(shrinking, shrinking->choice))
                memcpy(plain, before, count);
        }
}

uint64_t shrink_kernel(const struct kernel_test *of, const struct station *stations, const struct station *station,
                       struct verdicts *verdicts, struct arena *arena, struct kernel_choice *choice)
{
    const size_t count = of->kernel->function->parameter_count;
    struct kernel_choice smaller = {.numbers = arena_alloc(arena, (of->test->axis_count + 1) * sizeof(long long)),
                                    .plain = arena_alloc(arena, (count + 1) * sizeof(char *))};
    struct shrinking shrinking = {.of = of, .stations = stations, .station = station, .verdicts = verdicts,
                                  .arena = arena, .choice = &smaller, .begun = time(NULL),
                                  .counts = arena_alloc(arena, (count + 1) * sizeof(size_t))};
    memcpy(smaller.numbers, choice->numbers, of->test->axis_count * sizeof *smaller.numbers);
    bool has_shrunk = still_fails(&shrinking, &smaller);
    const bool fails = has_shrunk;
    while (has_shrunk) {
        has_shrunk = false;
        for (size_t i = 0; i < of->test->axis_count; i++)
            has_shrunk |= of->test->axes[i].is_any && lower(&shrinking, i);
    }
    for (size_t i = 0; i < count && fails && !expects_drawn(of->test); i++)
        if (of->test->arguments[i].is_array && is_drawn(&of->test->arguments[i].array))
            simplify(&shrinking, i);
    if (fails)
        *choice = smaller;
    return shrinking.launches;
}
