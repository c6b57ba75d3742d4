/* Compilations in somebody else's process: what each says and has in use, and how it ends early without ending the
 * process.  The threads that work on one know it; the command's know none. */
#define _GNU_SOURCE /* recursive mutexes, newlocale */
#include "base/base.h"

#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "gpucc: error: "
enum { HELD = 8 };

struct job {
    pthread_mutex_t lock;    /* of what follows */
    struct arena *arenas;    /* all that there are */
    struct text log[LOG_FORMS];
    struct diagnostics *diagnostics;
    enum exit_status status; /* of the first failure */
    bool is_explained;
    char message[2048];      /* of that failure, behind PREFIX: there may be no memory for it */
};

/* This thread's job, its escape when the job fails, and the locks to release then. */
static _Thread_local struct {
    struct job *job;
    jmp_buf *escape;
    pthread_mutex_t *held[HELD];
    size_t held_count;
} here;

void lock(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    here.held[here.held_count++] = mutex;
}

void unlock(pthread_mutex_t *mutex)
{
    here.held_count--;
    pthread_mutex_unlock(mutex);
}

void lock_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* ---- failing ---- */

void job_guard(void *(*run)(void *data), void *data)
{
    jmp_buf own, *outer = here.escape;
    const size_t held = here.held_count;
    here.escape = &own;
    if (!here.job || !setjmp(own))
        run(data);
    while (here.held_count > held)
        unlock(here.held[here.held_count - 1]);
    here.escape = outer;
}

void job_fail(enum exit_status status, const char *format, va_list arguments)
{
    struct job *job = here.job;
    pthread_mutex_lock(&job->lock);
    if (!job->status) {
        job->status = status;
        if (!job->is_explained) {
            strcpy(job->message, PREFIX);
            vsnprintf(job->message + strlen(PREFIX), sizeof job->message - strlen(PREFIX), format, arguments);
        }
    }
    pthread_mutex_unlock(&job->lock);
    longjmp(*here.escape, 1);
}

void job_check(void)
{
    if (here.job && here.job->status)
        longjmp(*here.escape, 1);
}

void job_explained(void)
{
    here.job->is_explained = true;
}

/* ---- reports ---- */

static struct text *log_copy; /* the command's */

void log_copy_into(struct text *copy)
{
    log_copy = copy;
}

void log_write(enum log_form form, const char *text, size_t size)
{
    struct job *job = here.job;
    if (!job) {
        fflush(stdout);
        fwrite(text, 1, size, stderr);
        if (log_copy)
            text_append(log_copy, text, size);
        return;
    }
    lock(&job->lock);
    text_append(&job->log[form], text, size);
    unlock(&job->lock);
}

void job_set_diagnostics(struct diagnostics *diagnostics)
{
    if (here.job)
        here.job->diagnostics = diagnostics;
}

const char *job_log(const struct job *job, enum log_form form)
{
    const char *fallback = form == LOG_TEXT ? job->message : "";
    return job->log[form].data ? job->log[form].data : fallback;
}

static void *open_log(void *data)
{
    struct job *job = data;
    struct arena *arena = arena_new();
    for (size_t i = 0; i < LOG_FORMS; i++)
        job->log[i].arena = arena;
    return NULL;
}

static void *report_failure(void *data)
{
    const struct job *job = data;
    if (!job->log[LOG_TEXT].arena)
        return NULL;
    if (!job->diagnostics)
        diagnostics_new(&(struct diagnostic_settings){.arena = job->log[LOG_TEXT].arena});
    if (*job->message)
        diagnose(job->diagnostics, SEVERITY_ERROR, (struct place){0}, NULL, "%s", job->message + strlen(PREFIX));
    diagnostics_flush(job->diagnostics);
    return NULL;
}

/* ---- memory ---- */

struct arena **job_arenas(void)
{
    if (!here.job)
        return NULL;
    pthread_mutex_lock(&here.job->lock);
    return &here.job->arenas;
}

void job_arenas_done(void)
{
    pthread_mutex_unlock(&here.job->lock);
}

struct job *job_new(void)
{
    struct job *job = calloc(1, sizeof *job);
    if (job)
        lock_init(&job->lock);
    return job;
}

void job_free(struct job *job)
{
    if (!job)
        return;
    here.job = job;
    while (job->arenas)
        arena_free(job->arenas);
    here.job = NULL;
    pthread_mutex_destroy(&job->lock);
    free(job);
}

/* ---- running ---- */

/* Numbers are read and written as in C, whatever the host has said. */
static void use_c_locale(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static locale_t c;
    pthread_mutex_lock(&mutex);
    if (!c)
        c = newlocale(LC_ALL_MASK, "C", NULL);
    pthread_mutex_unlock(&mutex);
    if (c)
        uselocale(c);
}

struct job *job_current(void)
{
    return here.job;
}

void job_work(struct job *job, void *(*run)(void *data), void *data)
{
    here.job = job;
    use_c_locale();
    job_guard(run, data);
    here.job = NULL;
}

struct work {
    struct job *job;
    void *(*run)(void *data);
    void *data;
};

static void *run_all(void *data)
{
    const struct work *work = data;
    job_guard(open_log, work->job);
    if (!work->job->status)
        job_guard(work->run, work->data);
    job_guard(report_failure, work->job);
    return NULL;
}

/* Signals are the host's, and for its threads, except those that report faults: blocked, these end the process before
 * a handler of the host's is asked. */
static void block_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&others, faults[i]);
    pthread_sigmask(SIG_SETMASK, &others, before);
}

enum exit_status job_run(struct job *job, void *(*run)(void *data), void *data)
{
    struct work work = {job, run, data};
    pthread_t thread;
    sigset_t before;
    block_signals(&before);
    here.job = job;
    const bool started = thread_start(&thread, run_all, &work);
    here.job = NULL;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) {
        pthread_join(thread, NULL);
    } else {
        job->status = EXIT_ENVIRONMENT;
        snprintf(job->message, sizeof job->message, PREFIX "cannot start a thread");
    }
    return job->status;
}
