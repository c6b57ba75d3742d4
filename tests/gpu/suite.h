/* Shared by the programs of the GPU suite: a GPU and a CPU context, checks, and the last line that `run` adds up.
 *
 *   static void test_something(void) { MUST(gpucc_array_create(suite.gpu, …)); CHECK(n == 3, "n is %d", n); }
 *   static const struct suite_test tests[] = {TEST(test_something)};
 *   int main(int argc, char **argv) { return suite_main(argc, argv, tests, sizeof tests / sizeof *tests); }
 *
 * A failed check ends its test (on a thread that a test started: that thread) and the next test runs.  Arguments
 * choose tests whose names contain them.  Where there is no GPU every test is skipped; GPUCC_SUITE_DEVICE=cuda:1 takes
 * another GPU, and =cpu rehearses on a second CPU context.
 */
#ifndef GPUCC_TESTS_GPU_SUITE_H
#define GPUCC_TESTS_GPU_SUITE_H

#include <gpucc/runtime.h>
#include <stdbool.h>

struct suite {
    gpucc_context *gpu, *cpu; /* they live as long as the program */
    gpucc_device_info device; /* the GPU */
    const char *folder;       /* where the executable and its data lie */
};
extern struct suite suite;

struct suite_test {
    const char *name;
    void (*run)(void);
};

#define TEST(function) {#function, function}

/* 0, or 1 where a test failed. */
int suite_main(int argc, char **argv, const struct suite_test *tests, size_t count);

#define CHECK(condition, ...)                                                                                          \
    ((condition) ? (void)0 : suite_fail(__FILE__, __LINE__, #condition, "" __VA_ARGS__))
/* The call succeeds. */
#define MUST(call) suite_status(__FILE__, __LINE__, #call, call, GPUCC_OK, NULL)
/* The call fails with this status, and its message contains `text`. */
#define MUST_FAIL(call, status, text) suite_status(__FILE__, __LINE__, #call, call, status, text)

/* Ends the test as failed. */
_Noreturn void suite_fail(const char *file, int line, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void suite_status(const char *file, int line, const char *call, gpucc_status status, gpucc_status wanted,
                  const char *text);
/* Ends the test as skipped. */
_Noreturn void suite_skip(const char *why);
/* Skips the test in a rehearsal on the CPU. */
void suite_needs_cuda(void);
/* Skips the test where so many bytes are not free on the device. */
void suite_needs_memory(uint64_t bytes);

/* Returns the log of both contexts since suite_log_clear(). */
bool suite_log_contains(const char *text);
const char *suite_log(void);
void suite_log_clear(void);
/* Another context on the suite's GPU that logs there too.  The caller destroys it. */
gpucc_context *suite_new_gpu_context(void);

/* `count`, or GPUCC_SUITE_MOST of the environment where that is less: for slow devices, as the player of PTX. */
int64_t suite_most(int64_t count);
/* The same of a shape's elements: its longest dimensions are halved, and stay odd or even. */
void suite_limit(int ndim, int64_t *shape);

/* The path of a file beside the executable; valid until the next call on this thread. */
const char *suite_path(const char *name);
/* malloc() or the end of the test.  free() it. */
void *suite_alloc(size_t size);

/* A random number made of `state`, which moves on. */
uint64_t suite_random(uint64_t *state);
/* Elements of a type: small numbers, any bits, and the special values (zeros, denormals, infinities, NaN, the largest);
 * signed integers stay within half of their range, so that sums of two do not overflow. */
void suite_fill(void *data, gpucc_dtype dtype, size_t count, uint64_t seed);

#endif
