/* Everything the runtime's files share; prototypes stand under the file that defines them.
 * Functions return a status after set_error() has said what failed. */
#ifndef GPUCC_RUNTIME_INTERNAL_H
#define GPUCC_RUNTIME_INTERNAL_H

#include <gpucc/cpu.h>
#include <gpucc/loops.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* error.c */

/* Notes for this thread what failed (printf-like) and returns `status`, so that callers write
 * `return fail(GPUCC_BAD_SHAPE, "…")`. */
gpucc_status fail(gpucc_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

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

/* executor.c: runs a kernel's grid on the pool; defines gpucc_cpu_self() and gpucc_cpu_barrier() */

struct cpu_launch {
    const char *name; /* for messages */
    struct gpucc_index grid, block;
    size_t shared, dynamic_shared;  /* bytes */
    void (*run_thread)(void **);    /* never null */
    void (*run_block)(void **);     /* null where the kernel has barriers */
    void **parameters;
};

gpucc_status cpu_launch_run(struct pool *pool, const struct cpu_launch *launch);

#endif
