/* Loops of NumPy's type on all cores, for hosts that call them in one thread, as NumPy does. */
#include "base/common.h"
#include "base/floating_point.h"
#include "nests/nest.h"

#include <gpucc/cpu.h>
#include <gpucc/loops.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRAIN = 16384, /* elements that are worth another worker */
    SHARED_FROM = 4 * GRAIN,
};

struct job {
    const struct gpucc_shared_loop *loop;
    char **args;
    const intptr_t *dimensions, *steps;
    atomic_uint raised; /* what the processor flags: NumPy looks at it in the calling thread */
};

/* The pool of this process, which ends with it: a child of fork() has none of its parent's threads. */
struct owned {
    struct pool *pool;
    unsigned forks;
};

/* Null if there can be none. */
static struct pool *own_pool(void)
{
    static _Atomic(struct owned *) current;
    struct owned *found = atomic_load(&current);
    if (found && found->forks == atomic_load(&process_forks))
        return found->pool;
    struct owned *made = calloc(1, sizeof *made);
    if (!made || process_watch() || pool_create(0, &made->pool)) {
        free(made);
        return NULL;
    }
    made->forks = atomic_load(&process_forks);
    if (atomic_compare_exchange_strong(&current, &found, made))
        return made->pool;
    pool_destroy(made->pool); /* another thread was first */
    free(made);
    return found->pool;
}

/* The first byte of n elements from `data` on, and the one past the last. */
static void bounds(const char *data, intptr_t n, intptr_t step, size_t size, uintptr_t *low, uintptr_t *high)
{
    const uintptr_t first = (uintptr_t)data, last = first + (uintptr_t)((n - 1) * step);
    *low = first < last ? first : last;
    *high = (first < last ? last : first) + size;
}

/* ---- exceptions as C's code raises them ---- */

enum { FP_ASKED = FP_INVALID | FP_DIVIDE | FP_OVERFLOW };

/* Removes from `raised`, the processor's flags, what C's code does not raise for these inputs. */
static unsigned raised_by_code(const struct gpucc_shared_loop *loop, char **args, const intptr_t *dimensions,
                               const intptr_t *steps, unsigned raised)
{
    const unsigned wanted = (raised & FP_INVALID ? GPUCC_CPU_INVALID : 0) |
                            (raised & FP_DIVIDE ? GPUCC_CPU_DIVIDE : 0) |
                            (raised & FP_OVERFLOW ? GPUCC_CPU_OVERFLOW : 0);
    if (!wanted)
        return raised;
    const unsigned found = loop->flags(args, dimensions, steps, wanted);
    return (raised & ~(unsigned)FP_ASKED) | (found & GPUCC_CPU_INVALID ? FP_INVALID : 0) |
           (found & GPUCC_CPU_DIVIDE ? FP_DIVIDE : 0) | (found & GPUCC_CPU_OVERFLOW ? FP_OVERFLOW : 0);
}

/* ---- reductions ---- */

enum {
    TREE_FROM = 64, /* elements: fewer take less time one after another */
    RUNS = 64,      /* of elements whose results are joined by the tree too */
    MOST_ELEMENT_BYTES = 16,
};
static const intptr_t one = 1, still[3] = {0};

/* Whether it is a reduction, of elements that the result does not overlap. */
static bool is_reduction(const struct gpucc_shared_loop *loop, char **args, intptr_t n, const intptr_t *steps)
{
    uintptr_t low, high, other_low, other_high;
    if (loop->inputs != 2 || loop->operands != 3 || args[0] != args[2] || steps[0] != 0 || steps[2] != 0 ||
        loop->core_dims > 0 || loop->sizes[0] != loop->sizes[2] || loop->sizes[0] > MOST_ELEMENT_BYTES ||
        loop->sizes[1] > MOST_ELEMENT_BYTES)
        return false;
    bounds(args[2], 1, 0, loop->sizes[2], &low, &high);
    bounds(args[1], n, steps[1], loop->sizes[1], &other_low, &other_high);
    return high <= other_low || other_high <= low;
}

enum { BLOCK = 256 }; /* elements */

static void clear_asked(void)
{
    const unsigned flags = fp_flags();
    if (flags & FP_ASKED)
        fp_set_flags(flags & ~(unsigned)FP_ASKED);
}

/* Runs the loop, and adds to `found` the processor's flags that C's code raises. */
static void run_watched(const struct gpucc_shared_loop *loop, char **args, intptr_t n, const intptr_t *steps,
                        unsigned *found)
{
    clear_asked();
    loop->run(args, &n, steps, NULL);
    const unsigned raised = fp_flags() & FP_ASKED & ~*found;
    *found |= loop->flags ? raised_by_code(loop, args, &n, steps, raised) : raised;
}

/* Computes the tree's value for n elements level by level: no call combines elements that are not there. */
static void run_levels(const struct gpucc_shared_loop *loop, const char *from, intptr_t n, intptr_t step, char *to,
                       unsigned *found)
{
    _Alignas(MOST_ELEMENT_BYTES) char levels[2][BLOCK / 2 * MOST_ELEMENT_BYTES];
    const size_t size = loop->sizes[0];
    for (int level = 0; n > 1; level = !level) {
        const intptr_t pairs = n / 2;
        run_watched(loop, (char *[]){(char *)from, (char *)from + step, levels[level]}, pairs,
                    (intptr_t[]){2 * step, 2 * step, (intptr_t)size}, found);
        if (n % 2)
            memcpy(levels[level] + (size_t)pairs * size, from + (n - 1) * step, size);
        n = pairs + n % 2;
        from = levels[level];
        step = (intptr_t)size;
    }
    memcpy(to, from, size);
}

/* Reduces by the tree's vectors; false if they have flagged an exception. */
static bool reduce_unflagged(const struct gpucc_shared_loop *loop, char *from, intptr_t n, intptr_t step, char *to)
{
    clear_asked();
    loop->reduce((char *[]){from, to}, (intptr_t[]){1, n}, (intptr_t[]){0, 0, step}, NULL);
    return !(fp_flags() & FP_ASKED);
}

/* Reduces any number of elements.  Few subtrees flag an exception in most arrays: the others take the fast way. */
static void run_subtrees(const struct gpucc_shared_loop *loop, char *from, intptr_t n, intptr_t step, char *to,
                         bool is_flagged, unsigned *found)
{
    enum { TRIED = 4096 };
    _Alignas(MOST_ELEMENT_BYTES) char halves[2][MOST_ELEMENT_BYTES];
    intptr_t left = BLOCK;
    if (!is_flagged && n <= TRIED && reduce_unflagged(loop, from, n, step, to))
        return;
    if (n <= BLOCK) {
        run_levels(loop, from, n, step, to, found);
        return;
    }
    while (left < n - left)
        left *= 2;
    run_subtrees(loop, from, left, step, halves[0], n <= TRIED, found);
    run_subtrees(loop, from + left * step, n - left, step, halves[1], n <= TRIED, found);
    run_watched(loop, (char *[]){halves[0], halves[1], to}, 1, still, found);
}

/* Reduces elements to one; null `found`: as fast as possible. */
static void reduce_run(const struct gpucc_shared_loop *loop, char *from, intptr_t n, intptr_t step, char *to,
                       unsigned *found)
{
    if (found)
        run_subtrees(loop, from, n, step, to, false, found);
    else
        loop->reduce((char *[]){from, to}, (intptr_t[]){1, n}, (intptr_t[]){0, 0, step}, NULL);
}

/* Joins the result with that of the tree of few elements. */
static void run_short_tree(const struct gpucc_shared_loop *loop, char **args, intptr_t n, intptr_t step)
{
    _Alignas(MOST_ELEMENT_BYTES) char joined[MOST_ELEMENT_BYTES];
    loop->reduce((char *[]){args[1], joined}, (intptr_t[]){1, n}, (intptr_t[]){0, 0, step}, NULL);
    loop->run((char *[]){args[0], joined, args[2]}, &one, still, NULL);
}

/* The same of any number. */
static void run_tree(const struct gpucc_shared_loop *loop, char **args, intptr_t n, intptr_t step, unsigned *found)
{
    enum { RUN = GPUCC_REDUCE_NATIVE_MOST };
    _Alignas(MOST_ELEMENT_BYTES) char runs[RUNS * MOST_ELEMENT_BYTES], joined[MOST_ELEMENT_BYTES];
    const intptr_t size = (intptr_t)loop->sizes[1];
    for (intptr_t at = 0; at < n;) {
        intptr_t count = 0;
        for (intptr_t m; at < n && count < RUNS; at += m, count++) {
            m = n - at < RUN ? n - at : RUN;
            reduce_run(loop, args[1] + at * step, m, step, runs + count * size, found);
        }
        if (count > 1)
            reduce_run(loop, runs, count, size, joined, found);
        char *all[3] = {args[0], count > 1 ? joined : runs, joined};
        if (found)
            run_watched(loop, all, 1, still, found);
        else
            loop->run(all, &one, still, NULL);
        memcpy(args[2], joined, (size_t)size);
    }
}

/* Element by element: each block's results are stored, as the first inputs of `flags`. */
static void run_in_order(const struct gpucc_shared_loop *loop, char **args, intptr_t n, intptr_t step, unsigned *found)
{
    _Alignas(MOST_ELEMENT_BYTES) char values[(BLOCK + 1) * MOST_ELEMENT_BYTES];
    const size_t size = loop->sizes[0];
    memcpy(values, args[0], size);
    for (intptr_t at = 0, m; at < n; at += m) {
        m = n - at < BLOCK ? n - at : BLOCK;
        run_watched(loop, (char *[]){values, args[1] + at * step, values + size}, m,
                    (intptr_t[]){(intptr_t)size, step, (intptr_t)size}, found);
        memcpy(values, values + (size_t)m * size, size);
    }
    memcpy(args[2], values, size);
}

/* A tree's vectors also combine elements that are not there, and vectors and selections compute both sides of a
 * condition: if these flag an exception, the elements are combined once more by plain calls, a tree's in the same
 * order, others from left to right: where four runs flag one, the result is that of one run. */
static void run_reduction(const struct gpucc_shared_loop *loop, char **args, intptr_t n, const intptr_t *steps)
{
    _Alignas(MOST_ELEMENT_BYTES) char first[MOST_ELEMENT_BYTES];
    const unsigned before = fp_flags(), others = before & ~(unsigned)FP_ASKED;
    const bool is_tree = loop->reduce && n >= TREE_FROM;
    if (before != others)
        fp_set_flags(others);
    memcpy(first, args[0], loop->sizes[0]);
    if (is_tree && n <= GPUCC_REDUCE_NATIVE_MOST)
        run_short_tree(loop, args, n, steps[1]);
    else if (is_tree)
        run_tree(loop, args, n, steps[1], NULL);
    else
        loop->run(args, &n, steps, NULL);
    if (fp_flags() & FP_ASKED) {
        unsigned found = 0;
        memcpy(args[0], first, loop->sizes[0]);
        if (is_tree)
            run_tree(loop, args, n, steps[1], &found);
        else
            run_in_order(loop, args, n, steps[1], &found);
        fp_set_flags((fp_flags() & ~(unsigned)FP_ASKED) | found);
    }
    if (before != others)
        fp_set_flags(fp_flags() | before);
}

static void run_loop(const struct gpucc_shared_loop *loop, char **args, const intptr_t *dimensions,
                     const intptr_t *steps)
{
    const intptr_t n = dimensions[0];
    if (((loop->reduce && n >= TREE_FROM) || (loop->flags && n > 0)) && is_reduction(loop, args, n, steps))
        run_reduction(loop, args, n, steps);
    else
        loop->run(args, dimensions, steps, NULL);
}

enum overlap { APART, SAME, CROSSED };

/* How inputs lie to outputs, and in `replaced` which of them are outputs. */
static enum overlap find_overlap(const struct gpucc_shared_loop *loop, char **args, intptr_t n, const intptr_t *steps,
                                 bool *replaced)
{
    enum overlap overlap = APART;
    for (int k = 0; k < loop->inputs; k++)
        for (int output = loop->inputs; output < loop->operands; output++) {
            uintptr_t low, high, other_low, other_high;
            bounds(args[output], n, steps[output], loop->sizes[output], &low, &high);
            bounds(args[k], n, steps[k], loop->sizes[k], &other_low, &other_high);
            if (high <= other_low || other_high <= low)
                continue;
            const size_t stride = (size_t)(steps[k] < 0 ? -steps[k] : steps[k]);
            const bool is_apart = stride >= loop->sizes[k] && stride >= loop->sizes[output]; /* not in a reduction */
            if (args[k] != args[output] || steps[k] != steps[output] || (n > 1 && !is_apart))
                return CROSSED;
            replaced[k] = true;
            overlap = SAME;
        }
    return overlap;
}

enum { COPY_BYTES = 2048 }; /* more, and the next elements come too late from memory */

/* The same where outputs replace inputs: the loop reads these from copies. */
static unsigned run_in_place(const struct gpucc_shared_loop *loop, char **args, intptr_t n, const intptr_t *steps,
                             const bool *replaced, size_t width)
{
    _Alignas(64) char copies[COPY_BYTES];
    char *at[CALL_OPERANDS];
    intptr_t steps_at[CALL_OPERANDS];
    const intptr_t piece = (intptr_t)(COPY_BYTES / width);
    unsigned raised = 0;
    fp_set_flags(0);
    for (intptr_t begin = 0, count; begin < n; begin += count) {
        char *copy = copies;
        count = n - begin < piece ? n - begin : piece;
        for (int k = 0; k < loop->operands; k++) {
            const char *from = at[k] = args[k] + begin * steps[k];
            steps_at[k] = steps[k];
            if (k >= loop->inputs || !replaced[k])
                continue;
            const size_t size = loop->sizes[k];
            at[k] = copy;
            steps_at[k] = (intptr_t)size;
            if (steps[k] == steps_at[k])
                memcpy(copy, from, (size_t)count * size);
            else
                for (intptr_t i = 0; i < count; i++)
                    memcpy(copy + (size_t)i * size, from + i * steps[k], size);
            copy += (size_t)count * size;
        }
        loop->run(at, &count, steps_at, NULL);
        const unsigned flags = fp_flags();
        if (!(flags & FP_ASKED))
            continue;
        raised |= raised_by_code(loop, at, &count, steps_at, flags);
        fp_set_flags(0);
    }
    return raised | (fp_flags() & ~(unsigned)FP_ASKED);
}

/* Returns the flags that the loop raises, as far as C's code does. */
static unsigned run_flagged(const struct gpucc_shared_loop *loop, char **args, const intptr_t *dimensions,
                            const intptr_t *steps)
{
    bool replaced[CALL_OPERANDS] = {false};
    size_t width = 0;
    const bool is_asked = loop->flags && dimensions[0] > 0 && loop->operands <= CALL_OPERANDS;
    const enum overlap overlap = !is_asked           ? CROSSED
                                 : loop->core_dims ? APART /* or S_flags returns all that is wanted */
                                                   : find_overlap(loop, args, dimensions[0], steps, replaced);
    for (int k = 0; overlap == SAME && k < loop->inputs; k++)
        width += replaced[k] ? loop->sizes[k] : 0;
    if (overlap == SAME)
        return run_in_place(loop, args, dimensions[0], steps, replaced, width);
    fp_set_flags(0);
    run_loop(loop, args, dimensions, steps);
    return overlap == APART ? raised_by_code(loop, args, dimensions, steps, fp_flags()) : fp_flags();
}

static void run_piece(void *data, uint64_t begin, uint64_t end, int worker)
{
    struct job *job = data;
    const struct gpucc_shared_loop *loop = job->loop;
    char *args[CALL_OPERANDS];
    intptr_t dimensions[1 + GPUCC_MAX_DIMS] = {(intptr_t)(end - begin)};
    (void)worker;
    for (int i = 0; i < loop->operands; i++)
        args[i] = job->args[i] + (intptr_t)begin * job->steps[i];
    for (int i = 1; i <= loop->core_dims; i++)
        dimensions[i] = job->dimensions[i];
    atomic_fetch_or_explicit(&job->raised, run_flagged(loop, args, dimensions, job->steps), memory_order_relaxed);
}

/* Whether an element of the output is no other index's element of an operand: the same memory, index by index, or other
 * memory.  A reduction's result and what an accumulation has just made are not. */
static bool is_apart(const struct job *job, int output, int other)
{
    const struct gpucc_shared_loop *loop = job->loop;
    const intptr_t n = job->dimensions[0], step = job->steps[output];
    const size_t width = (size_t)(step < 0 ? -step : step);
    uintptr_t low, high, other_low, other_high;
    if (width < loop->sizes[output])
        return false;
    if (job->args[output] == job->args[other] && step == job->steps[other])
        return width >= loop->sizes[other];
    bounds(job->args[output], n, step, loop->sizes[output], &low, &high);
    bounds(job->args[other], n, job->steps[other], loop->sizes[other], &other_low, &other_high);
    return high <= other_low || other_high <= low;
}

/* NumPy ensures that a gufunc's operands do not overlap, by the flags that its outputs have. */
static bool may_be_cut(const struct job *job)
{
    const struct gpucc_shared_loop *loop = job->loop;
    for (int output = loop->inputs; output < loop->operands; output++) {
        if (job->steps[output] == 0)
            return false;
        for (int other = 0; loop->core_dims == 0 && other < loop->operands; other++)
            if (other != output && !is_apart(job, output, other))
                return false;
    }
    return true;
}

/* Elements that a call of the core function takes for each of its dimensions, which is how much there is to do. */
static uint64_t core_elements(const struct job *job)
{
    uint64_t elements = 1;
    for (int i = 1; i <= job->loop->core_dims && elements < GRAIN; i++)
        elements *= job->dimensions[i] > 0 ? (uint64_t)job->dimensions[i] : 1;
    return elements < GRAIN ? elements : GRAIN;
}

/* In the modes that the workers have, so that numbers do not depend on how many there are. */
static void run_here(const struct job *job)
{
    if (!job->loop->flags && fp_is_standard()) {
        run_loop(job->loop, job->args, job->dimensions, job->steps);
        return;
    }
    const unsigned modes = fp_enter();
    const unsigned raised = run_flagged(job->loop, job->args, job->dimensions, job->steps);
    fp_leave(modes);
    fp_set_flags(fp_flags() | raised);
}

GPUCC_API void gpucc_cpu_run_shared(char **args, const intptr_t *dimensions, const intptr_t *steps, void *data)
{
    const struct gpucc_shared_loop *loop = data;
    if (loop->core_dims == 0 && dimensions[0] < TREE_FROM && !loop->flags && fp_is_standard()) {
        loop->run(args, dimensions, steps, NULL); /* as a matrix's rows, one by one */
        return;
    }
    struct job job = {.loop = loop, .args = args, .dimensions = dimensions, .steps = steps};
    if (loop->core_dims == 0 && dimensions[0] < SHARED_FROM) {
        run_here(&job);
        return;
    }
    const uint64_t n = (uint64_t)dimensions[0], elements = core_elements(&job);
    struct pool *pool = NULL;
    if (n > 1 && n <= INT64_MAX && n >= SHARED_FROM / elements && loop->operands <= CALL_OPERANDS &&
        loop->core_dims <= GPUCC_MAX_DIMS && may_be_cut(&job))
        pool = own_pool();
    if (!pool || !pool_try_run(pool, n, (GRAIN + elements - 1) / elements, run_piece, &job))
        run_here(&job);
    else
        fp_set_flags(fp_flags() | job.raised);
}
