/* The file that GPUCC_TRACE names: Chrome's trace events, an array of JSON that is complete after each of them. */
#define _GNU_SOURCE
#include "devices/trace.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

atomic_bool trace_wanted;
_Thread_local struct trace_span *trace_current;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_ranges; /* a tool takes them */

/* Guarded by the lock, once trace_start() is done. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char path[PATH_MAX]; /* "": no file is wanted */
static int file = -1;
static off_t end;         /* where the next event goes, over the array's end */
static bool is_child;     /* this process was forked from one that traced */
static int failure;       /* errno of what went wrong with the file */
static unsigned namings;  /* grows where threads are to be named afresh */
static _Thread_local unsigned named;

static const char closing[] = "\n]\n";

/* ---- the file ---- */

/* Nobody else may be writing it: of processes with the same name, all but one add their own number. */
static int open_locked(const char *name)
{
    struct stat stat;
    int opened = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0)
        return -1;
    if (fstat(opened, &stat) == 0 && !S_ISREG(stat.st_mode))
        errno = ESPIPE;
    else if (flock(opened, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return opened;
    const int error = errno;
    close(opened);
    errno = error;
    return -1;
}

static void open_file(void)
{
    char own[PATH_MAX + 16];
    snprintf(own, sizeof own, "%s.%ld", path, (long)getpid());
    file = is_child ? -1 : open_locked(path);
    if (file < 0 && (is_child || errno == EWOULDBLOCK))
        file = open_locked(own);
    end = 0;
    if (file < 0 || ftruncate(file, 0) || write(file, "[\n\n]\n", 5) != 5)
        failure = errno ? errno : EIO;
    else
        end = 2;
}

/* One write, so that the file is complete before and after it, whatever ends the process. */
static void put(const struct text *event)
{
    char bytes[sizeof event->s + 8];
    if (file < 0 && !failure)
        open_file();
    if (failure)
        return;
    const int size = snprintf(bytes, sizeof bytes, "%s%s%s", end == 2 ? "" : ",\n", event->s, closing);
    if (pwrite(file, bytes, (size_t)size, end) == size) {
        end += size - (int)strlen(closing);
        return;
    }
    failure = errno ? errno : ENOSPC;
    if (pwrite(file, closing, strlen(closing), end) > 0 && ftruncate(file, end + (off_t)strlen(closing)))
        failure = errno;
}

/* A child has its parent's memory as it was at some moment, but none of its threads; its events are its own file's. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    if (file >= 0)
        close(file);
    file = -1;
    is_child = true;
    failure = 0;
    namings++;
}

static void start(void)
{
    static struct fork_handler handler = {.in_child = in_child};
    const char *wanted = secure_getenv("GPUCC_TRACE");
    if (wanted && *wanted && strlen(wanted) < sizeof path) {
        strcpy(path, wanted); /* NOLINT: it fits */
        open_file();
    }
    has_ranges = nvtx_open();
    namings = 1;
    if (file >= 0)
        process_on_fork(&handler);
    atomic_store(&trace_wanted, has_ranges || file >= 0);
}

void trace_start(void)
{
    pthread_once(&once, start);
}

void trace_complain(gpucc_context *context)
{
    static atomic_bool reported;
    if (*path && failure && !atomic_exchange(&reported, true))
        context_log(context, GPUCC_LOG_WARNING, "GPUCC_TRACE: cannot write to %s: %s", path,
                    strerror(failure));
}

/* ---- events ---- */

uint64_t trace_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void append_string(struct text *text, const char *string)
{
    enum { ENOUGH = 300 }; /* bytes; a letter is not cut */
    append(text, "\"");
    for (int i = 0; string[i] && (i < ENOUGH || (string[i] & 0xc0) == 0x80); i++) {
        const char c = string[i];
        append(text, c == '"' || c == '\\' ? "\\%c" : "%c", c > 0 && c < ' ' ? '?' : c);
    }
    append(text, "\"");
}

/* A thousandth of the number, whatever the host's locale takes for a decimal point. */
static void append_thousandths(struct text *text, const char *name, uint64_t n)
{
    append(text, ",\"%s\":%llu.%03u", name, (unsigned long long)(n / 1000), (unsigned)(n % 1000));
}

/* A GPU is a process of its own in the picture, with a number that no process has. */
static long process_of(bool on_gpu, int gpu)
{
    return on_gpu ? (1L << 23) + gpu : (long)getpid();
}

static void put_name(const char *what, long process, long thread, const char *name)
{
    struct text text = {0};
    append(&text, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%ld,\"tid\":%ld,\"args\":{\"name\":", what, process, thread);
    append_string(&text, name);
    append(&text, "}}");
    put(&text);
}

void trace_name(int gpu, int stream, const char *name)
{
    pthread_mutex_lock(&lock);
    if (*path)
        put_name(stream < 0 ? "process_name" : "thread_name", process_of(true, gpu), stream < 0 ? 0 : stream, name);
    pthread_mutex_unlock(&lock);
}

/* Threads are named as they are found to do something; names are ASCII here, as one may be cut within a letter. */
static void name_thread(void)
{
    char name[16] = "";
    if (named == namings)
        return;
    named = namings;
    put_name("process_name", (long)getpid(), 0, program_invocation_short_name);
    pthread_getname_np(pthread_self(), name, sizeof name);
    for (char *c = name; *c; c++)
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    put_name("thread_name", (long)getpid(), gettid(), name);
}

static void append_arguments(struct text *text, const struct trace_slice *slice)
{
    const uint64_t duration = slice->end - slice->begin;
    append(text, ",\"args\":{\"bytes\":%llu", (unsigned long long)slice->bytes);
    if (slice->bytes > 0 && duration > 0) /* bytes a nanosecond */
        append_thousandths(text, "GB/s", (uint64_t)((double)slice->bytes * 1000 / (double)duration));
    if (slice->block.x > 0)
        append(text, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"dynamic shared bytes\":%zu", slice->grid.x,
               slice->grid.y, slice->grid.z, slice->block.x, slice->block.y, slice->block.z, slice->shared);
    append(text, "}");
}

static void append_place(struct text *text, const struct trace_slice *slice, uint64_t time)
{
    append(text, ",\"pid\":%ld,\"tid\":%ld", process_of(slice->on_gpu, slice->gpu),
           slice->on_gpu ? (long)slice->stream : (long)gettid());
    append_thousandths(text, "ts", time);
}

/* An arrow leads from where something is enqueued to where it is done. */
static void put_arrow(const struct trace_slice *slice)
{
    struct text text = {0};
    append(&text, "{\"ph\":\"%s,\"cat\":\"enqueued\",\"name\":\"enqueued\",\"id\":\"%ld.%llu\"",
           slice->on_gpu ? "f\",\"bp\":\"e\"" : "s\"", (long)getpid(), (unsigned long long)slice->from);
    append_place(&text, slice, slice->begin);
    append(&text, "}");
    put(&text);
}

void trace_write(const struct trace_slice *slice)
{
    struct text text = {0};
    append(&text, "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":", slice->category);
    append_string(&text, slice->name);
    append_place(&text, slice, slice->begin);
    append_thousandths(&text, "dur", slice->end - slice->begin);
    append_arguments(&text, slice);
    append(&text, "}");
    pthread_mutex_lock(&lock);
    if (*path && !slice->on_gpu)
        name_thread();
    if (*path)
        put(&text);
    if (*path && slice->from)
        put_arrow(slice);
    pthread_mutex_unlock(&lock);
}

/* ---- calls ---- */

void trace_begin(struct trace_span *span, const char *category, const char *name)
{
    *span = (struct trace_span){.outer = trace_current, .category = category, .name = name ? name : ""};
    trace_current = span;
    if (has_ranges)
        nvtx_push(span->name);
    span->begin = trace_clock();
}

void trace_end(struct trace_span *span)
{
    const uint64_t now = trace_clock();
    if (has_ranges)
        nvtx_pop();
    trace_current = span->outer;
    if (span->launches > 0)
        trace_return(span);
    trace_write(&(struct trace_slice){.category = span->category, .name = span->name, .begin = span->begin, .end = now,
                                      .bytes = span->bytes, .grid = span->grid, .block = span->block,
                                      .shared = span->shared});
}
