/* For all rooms of the runtime: failures and their messages, lists, dtypes, forks, worker threads. Functions return
 * a status after fail() or driver_failed() has said what went wrong. */
#ifndef GPUCC_RUNTIME_COMMON_H
#define GPUCC_RUNTIME_COMMON_H

#include <gpucc/cpu.h>
#include <gpucc/limits.h>
#include <gpucc/loops.h>
#include <gpucc/runtime.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the caller's `options`, which may be older than this library, hold `field`. */
#define HAS_FIELD(options, field)                                                                                      \
    ((options)->size >= offsetof(__typeof__(*(options)), field) + sizeof((options)->field))

/* A member of a list that its context owns; the list's head is a link to itself. */
struct link {
    struct link *next, *previous;
};

#define CONTAINER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

static inline void list_init(struct link *head)
{
    head->next = head->previous = head;
}

static inline void list_insert(struct link *head, struct link *link)
{
    link->next = head->next;
    link->previous = head;
    head->next->previous = link;
    head->next = link;
}

static inline void list_remove(struct link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    list_init(link);
}

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* error.c */

/* Notes for this thread what failed (printf-like) and returns `status`, so that callers write
 * `return fail(GPUCC_BAD_SHAPE, "…")`. */
gpucc_status fail(gpucc_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
gpucc_status fail_memory(size_t size, const char *what);
/* Fails where the size of options, which is at `size`, is not set; null: there are none. */
gpucc_status options_check(const char *call, const size_t *size);
#define CHECK_OPTIONS(call, options) options_check(call, (options) ? &(options)->size : NULL)

/* A short text put together by append(), cut where it is full.  Start from {0}. */
struct text {
    size_t used;
    char s[1024];
};
void append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends "(3, 4)" and returns the text. */
const char *shape_text(struct text *text, int ndim, const int64_t *shape);

/* dtype.c */

/* Tables hold their names, as pointers to them would be relocated whenever a process loads the library. */
struct dtype {
    char name[sizeof "float8_e4m3fn"], code[sizeof "bf16"];
    unsigned char size;
    char kind; /* b i u f c */
};
extern const struct dtype dtypes[GPUCC_DTYPE_COUNT];

static inline bool dtype_valid(gpucc_dtype dtype)
{
    return (unsigned)dtype < GPUCC_DTYPE_COUNT;
}

static inline size_t dtype_alignment(gpucc_dtype dtype)
{
    return dtypes[dtype].kind == 'c' ? dtypes[dtype].size / 2u : dtypes[dtype].size;
}

/* An address whose elements the CPU's loops take one by one. */
static inline bool dtype_misaligned(gpucc_dtype dtype, const void *address)
{
    const size_t size = dtypes[dtype].size;
    return (uintptr_t)address % (size < 8 ? size : 8) != 0;
}

bool dtype_casts_safely(gpucc_dtype from, gpucc_dtype to);    /* NumPy's 'safe' */
bool dtype_casts_same_kind(gpucc_dtype from, gpucc_dtype to); /* NumPy's 'same_kind' */

static inline bool casting_valid(gpucc_casting casting)
{
    return (unsigned)casting <= GPUCC_CASTING_UNSAFE;
}
/* By a valid rule; what nothing is said about is same_kind. */
bool dtype_casts(gpucc_dtype from, gpucc_dtype to, gpucc_casting casting);

/* process.c */

/* How often the process, from the first one on that used this library, has forked to become this one. */
extern _Atomic unsigned process_forks __attribute__((visibility("hidden")));
/* From now on forks are counted. */
gpucc_status process_watch(void);

/* A static variable of a file with state that a child resets: locks, and what its parent's threads or devices made. */
struct fork_handler {
    void (*in_child)(void); /* the only thread, before fork() returns; calls no function of another handler's file */
    struct fork_handler *next;
};
/* Calls the handler in each child from now on; once for each handler.  process_forks has then changed. */
gpucc_status process_on_fork(struct fork_handler *handler);

/* pool.c: the CPU device's worker threads, started once per context */

struct pool;

/* `threads` 0: one for each core the process may use, or GPUCC_CPU_THREADS.  Free with pool_destroy(). */
gpucc_status pool_create(int threads, struct pool **out);
void pool_destroy(struct pool *pool);
int pool_size(const struct pool *pool);
/* Calls work(data, begin, end, worker) over disjoint ranges that cover [0, count), each at least `grain` long but
 * for the last, on all workers (0 <= worker < pool_size), and returns when all are done.  The calling thread works
 * too.  Concurrent callers take turns; a call from inside `work` runs inline. */
typedef void pool_work(void *data, uint64_t begin, uint64_t end, int worker);
void pool_run(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data);
/* The same where that takes other threads and none has to be waited for; else false, and nothing is done. */
bool pool_try_run(struct pool *pool, uint64_t count, uint64_t grain, pool_work *work, void *data);
/* The findings of the call that this thread works for (operations.h), or null: pool_run() hands it on to the
 * workers. */
extern _Thread_local struct findings *call_findings;

#endif
