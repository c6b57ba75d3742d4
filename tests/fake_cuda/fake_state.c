/* Settings, failures on request, and the objects behind the handles. */
#include "fake.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings settings;
pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static bool configured;

/* ---- settings ---- */

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return otherwise;
    char *end;
    long value = strtol(text, &end, 0);
    if (*end || value < 0)
        die("%s is \"%s\": expected a number", name, text);
    return value;
}

static void configure(void)
{
    if (configured)
        return;
    configured = true;
    settings = (struct settings){
        .devices = (int)setting("GPUCC_FAKE_DEVICES", 1),
        .arch = (int)setting("GPUCC_FAKE_ARCH", 90),
        .other_arch = (int)setting("GPUCC_FAKE_OTHER_ARCH", setting("GPUCC_FAKE_ARCH", 90)),
        .multiprocessors = (int)setting("GPUCC_FAKE_SMS", 132),
        .driver = (int)setting("GPUCC_FAKE_DRIVER", 13000),
        .memory = (size_t)setting("GPUCC_FAKE_MEMORY", 1L << 30),
        .page = (size_t)setting("GPUCC_FAKE_PAGE", 1L << 16),
        .pools = setting("GPUCC_FAKE_POOLS", 1) != 0,
        .peers = setting("GPUCC_FAKE_PEERS", 1) != 0,
    };
}

/* ---- calls, counted and made to fail ---- */

static _Thread_local const char *calling = "(no call)";

struct counter {
    struct counter *next;
    const char *name;
    long calls;
};
static struct counter *counters;
static long calls;

static struct {
    long left; /* calls until the one that fails; 0: none does */
    char name[64];
    const char *failed;
} failure;

int lock_all(void)
{
    pthread_mutex_lock(&fake_lock);
    return 0;
}

void unlock_all(int *held)
{
    (void)held;
    pthread_mutex_unlock(&fake_lock);
}

_Noreturn void die(const char *format, ...)
{
    va_list arguments;
    const char *kernel = running_kernel(), *call = running_call();
    fprintf(stderr, "fake libcuda: %s", kernel ? kernel : call ? call : calling);
    if (call)
        fprintf(stderr, ", now that the device comes to it");
    fprintf(stderr, ": ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

static struct counter *counter_of(const char *name)
{
    for (struct counter *c = counters; c; c = c->next)
        if (strcmp(c->name, name) == 0)
            return c;
    struct counter *c = calloc(1, sizeof *c);
    *c = (struct counter){counters, name, 0};
    return counters = c;
}

static void arm(long n, const char *name)
{
    failure.left = n;
    failure.failed = NULL;
    snprintf(failure.name, sizeof failure.name, "%s", name ? name : "");
}

static void arm_from_environment(void)
{
    static bool done;
    if (!done)
        arm(setting("GPUCC_FAKE_FAIL", 0), getenv("GPUCC_FAKE_FAIL_NAME"));
    done = true;
}

CUresult count_call(const char *name, CUresult error)
{
    struct context *context = NULL;
    configure();
    if (calls == 0 && failure.left == 0)
        arm_from_environment();
    calling = name;
    calls++;
    counter_of(name)->calls++;
    if (failure.left == 0 || (*failure.name && strcmp(failure.name, name) != 0) || --failure.left > 0)
        return CUDA_SUCCESS;
    failure.failed = name;
    if (error == CUDA_ERROR_LAUNCH_FAILED && context_current(&context) == CUDA_SUCCESS)
        context->error = error;
    return error;
}

void fake_cuda_fail_nth(long n, const char *name)
{
    ENTER_LOCK;
    arm(n, name);
}

const char *fake_cuda_failed(void)
{
    ENTER_LOCK;
    return failure.failed;
}

long fake_cuda_call_count(const char *name)
{
    ENTER_LOCK;
    return name ? counter_of(name)->calls : calls;
}

/* ---- objects ---- */

/* Live objects newest first, and destroyed ones, whose addresses are not used again. */
static struct object *live_objects[KIND_COUNT], *ended_objects;
static const char *const kind_names[KIND_COUNT] = {
    "context", "stream", "event", "module", "function", "memory pool", "link state", "array", "texture", "graph",
    "executable graph", "node",
};

void *object_new(enum kind kind, struct context *context, size_t size)
{
    struct object *object = calloc(1, size);
    if (!object)
        die("the host is out of memory");
    *object = (struct object){kind, true, context, live_objects[kind], NULL};
    if (object->next)
        object->next->previous = object;
    return live_objects[kind] = object;
}

void object_end(struct object *object)
{
    if (!object->live)
        return;
    object->live = false;
    *(object->previous ? &object->previous->next : &live_objects[object->kind]) = object->next;
    if (object->next)
        object->next->previous = object->previous;
    object->next = ended_objects;
    ended_objects = object;
}

static struct object *find_in(struct object *object, const void *handle)
{
    while (object && object != handle)
        object = object->next;
    return object;
}

CUresult object_check(const void *handle, enum kind kind, const struct context *context)
{
    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    const struct object *object = find_in(live_objects[kind], handle);
    if (!object) {
        object = find_in(ended_objects, handle);
        if (!object || object->kind != kind)
            die("%p is no %s", handle, kind_names[kind]);
        die("the %s %p has been destroyed", kind_names[kind], handle);
    }
    return context && object->context != context ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

void *object_next(enum kind kind, const struct context *context, void *after)
{
    struct object *object = after ? ((struct object *)after)->next : live_objects[kind];
    while (object && object->context != context)
        object = object->next;
    return object;
}

/* ---- leaks ---- */

static long lost;

void count_leak(const struct context *context, long count)
{
    if (context->error == CUDA_SUCCESS)
        lost += count;
}

long fake_cuda_leaks(void)
{
    ENTER_LOCK;
    long count = lost + memory_live_count();
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (struct object *object = live_objects[kind]; object; object = object->next)
            count += kind != FUNCTION && kind != POOL && kind != CONTEXT; /* a context counts by its null stream */
    return count;
}
