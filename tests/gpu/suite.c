#include "suite.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct suite suite;

/* ---- how a test ends ---- */

enum outcome { PASSED, FAILED, SKIPPED };

static jmp_buf test_end;
static pthread_t main_thread;
static atomic_int outcome;
static const char *running;

_Noreturn static void end_test(enum outcome how)
{
    atomic_store(&outcome, how);
    if (pthread_equal(pthread_self(), main_thread))
        longjmp(test_end, 1);
    pthread_exit(NULL);
}

_Noreturn void suite_fail(const char *file, int line, const char *what, const char *format, ...)
{
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const char *name = strrchr(file, '/');
    printf("FAILED %s: %s:%d: %s%s%s\n", running, name ? name + 1 : file, line, what, *message ? ": " : "", message);
    end_test(FAILED);
}

void suite_status(const char *file, int line, const char *call, gpucc_status status, gpucc_status wanted,
                  const char *text)
{
    const char *message = status == GPUCC_OK ? "" : gpucc_last_error();
    if (status != wanted)
        suite_fail(file, line, call, "%s, not %s: %s", gpucc_status_name(status), gpucc_status_name(wanted), message);
    if (text && !strstr(message, text))
        suite_fail(file, line, call, "the message does not say \"%s\": %s", text, message);
}

_Noreturn void suite_skip(const char *why)
{
    printf("skipped %s: %s\n", running, why);
    end_test(SKIPPED);
}

/* ---- the log ---- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static char log_text[1 << 14];

static void log_message(void *data, gpucc_log_level level, const char *message)
{
    (void)data;
    (void)level;
    pthread_mutex_lock(&log_lock);
    size_t used = strlen(log_text);
    snprintf(log_text + used, sizeof log_text - used, "%s\n", message);
    pthread_mutex_unlock(&log_lock);
}

bool suite_log_contains(const char *text)
{
    pthread_mutex_lock(&log_lock);
    bool found = strstr(log_text, text);
    pthread_mutex_unlock(&log_lock);
    return found;
}

const char *suite_log(void)
{
    return log_text;
}

void suite_log_clear(void)
{
    pthread_mutex_lock(&log_lock);
    *log_text = 0;
    pthread_mutex_unlock(&log_lock);
}

/* ---- sizes ---- */

int64_t suite_most(int64_t count)
{
    const char *value = getenv("GPUCC_SUITE_MOST");
    const int64_t most = value ? atoll(value) : 0;
    return most > 0 && most < count ? most : count;
}

void suite_limit(int ndim, int64_t *shape)
{
    for (;;) {
        int64_t count = 1;
        int longest = 0;
        for (int d = 0; d < ndim; d++) {
            count *= shape[d];
            longest = shape[d] > shape[longest] ? d : longest;
        }
        if (ndim == 0 || suite_most(count) == count || shape[longest] < 3)
            return;
        shape[longest] = shape[longest] / 4 * 2 + shape[longest] % 2;
    }
}

/* ---- data ---- */

const char *suite_path(const char *name)
{
    static _Thread_local char path[4096];
    snprintf(path, sizeof path, "%s/%s", suite.folder, name);
    return path;
}

void *suite_alloc(size_t size)
{
    void *memory = malloc(size ? size : 1);
    CHECK(memory, "%zu bytes", size);
    return memory;
}

uint64_t suite_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* How the bits of a floating type are laid out. */
struct format {
    int exponent, mantissa;
};

static uint64_t special_bits(struct format f, uint64_t random)
{
    uint64_t field = (UINT64_C(1) << f.exponent) - 1, one = UINT64_C(1) << f.mantissa;
    const uint64_t specials[] = {
        0, 1, one - 1, one, field / 2 * one, field / 2 * one + 1, field * one, field * one - 1,
        field * one + one / 2, (field / 2 + 1) * one, (field / 2 + 30 % field) * one, one / 2,
    };
    uint64_t sign = random & 1;
    return specials[(random >> 1) % (sizeof specials / sizeof *specials)] | sign << (f.exponent + f.mantissa);
}

/* Most are within 2^-8 … 2^4, as data is; the rest are anything. */
static uint64_t float_bits(struct format f, uint64_t random)
{
    uint64_t one = UINT64_C(1) << f.mantissa, bias = (UINT64_C(1) << (f.exponent - 1)) - 1;
    uint64_t bits = random >> 8, kind = random & 15;
    uint64_t sign = bits >> 54 & 1;
    if (kind == 0)
        return special_bits(f, bits);
    if (kind <= 2)
        return (random * 0x9e3779b97f4a7c15) >> (63 - f.exponent - f.mantissa);
    return sign << (f.exponent + f.mantissa) | (bias - 8 + (bits >> 40) % 12) * one | (bits & (one - 1));
}

static uint64_t element_bits(gpucc_dtype dtype, uint64_t random)
{
    switch (dtype) {
    case GPUCC_BOOLEAN: return random & 1;
    case GPUCC_FLOAT16: return float_bits((struct format){5, 10}, random);
    case GPUCC_BFLOAT16: return float_bits((struct format){8, 7}, random);
    case GPUCC_FLOAT32:
    case GPUCC_COMPLEX64: return float_bits((struct format){8, 23}, random);
    case GPUCC_FLOAT64:
    case GPUCC_COMPLEX128: return float_bits((struct format){11, 52}, random);
    default: break;
    }
    int bits = 8 * (int)gpucc_dtype_size(dtype);
    const char *name = gpucc_dtype_name(dtype);
    uint64_t value = (random & 15) == 0 ? (random >> 4 & 3) - 1 : random * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits);
    if (*name == 'i')
        return (uint64_t)((int64_t)(value << (64 - bits)) >> (65 - bits));
    return value;
}

void suite_fill(void *data, gpucc_dtype dtype, size_t count, uint64_t seed)
{
    bool is_complex = dtype == GPUCC_COMPLEX64 || dtype == GPUCC_COMPLEX128;
    size_t size = gpucc_dtype_size(dtype);
    if (is_complex) {
        size /= 2;
        count *= 2;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = element_bits(dtype, suite_random(&seed));
        memcpy((char *)data + i * size, &bits, size); /* little endian, as every host of a GPU is */
    }
}

/* ---- the program ---- */

static gpucc_status open_context(const char *device, gpucc_context **out)
{
    gpucc_context_options options = {.size = sizeof options, .device = device, .log = log_message};
    return gpucc_context_create(&options, out);
}

/* "cuda", "cuda:1", or "cpu" for a rehearsal without a GPU. */
static const char *device_name(void)
{
    const char *name = getenv("GPUCC_SUITE_DEVICE");
    return name && *name ? name : "cuda";
}

gpucc_context *suite_new_gpu_context(void)
{
    gpucc_context *context;
    MUST(open_context(device_name(), &context));
    return context;
}

void suite_needs_cuda(void)
{
    if (suite.device.kind != GPUCC_DEVICE_CUDA)
        suite_skip("it needs a GPU");
}

void suite_needs_memory(uint64_t bytes)
{
    gpucc_device_info info = {.size = sizeof info};
    MUST(gpucc_context_info(suite.gpu, &info));
    if (info.memory_free < bytes)
        suite_skip("the device has too little memory free");
}

static void set_folder(void)
{
    static char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    path[size > 0 ? size : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    suite.folder = slash ? path : ".";
}

static bool chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]))
            return true;
    return argc < 2;
}

static enum outcome run_test(const struct suite_test *test)
{
    running = test->name;
    suite_log_clear();
    atomic_store(&outcome, PASSED);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (setjmp(test_end) == 0)
        test->run();
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (atomic_load(&outcome) == PASSED)
        printf("passed %s (%.2f s)\n", test->name,
               (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    fflush(stdout);
    return atomic_load(&outcome);
}

int suite_main(int argc, char **argv, const struct suite_test *tests, size_t count)
{
    int counts[3] = {0}, devices = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    set_folder();
    main_thread = pthread_self();
    gpucc_device_count(&devices);
    if (strcmp(device_name(), "cpu") == 0)
        devices = 1;
    if (devices == 0)
        printf("skipped: no device\n");
    else if (open_context(device_name(), &suite.gpu) || open_context("cpu", &suite.cpu)) {
        printf("FAILED: %s\n0 passed, 1 failed, 0 skipped\n", gpucc_last_error());
        return 1;
    }
    suite.device.size = sizeof suite.device;
    if (devices)
        gpucc_context_info(suite.gpu, &suite.device);
    for (size_t i = 0; i < count; i++)
        if (chosen(tests[i].name, argc, argv))
            counts[devices ? run_test(&tests[i]) : SKIPPED]++;
    gpucc_context_destroy(suite.gpu);
    gpucc_context_destroy(suite.cpu);
    printf("%d passed, %d failed, %d skipped\n", counts[PASSED], counts[FAILED], counts[SKIPPED]);
    return counts[FAILED] != 0;
}
