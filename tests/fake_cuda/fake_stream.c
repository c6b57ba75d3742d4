/* Streams, events, and the device: one thread that works only when somebody waits for it. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the device ---- */

static pthread_cond_t requested = PTHREAD_COND_INITIALIZER, served = PTHREAD_COND_INITIALIZER;
static const struct mark *request;
static struct stream *at_work;
static const char *at_work_call;

struct stream *running_stream(void)
{
    return at_work;
}

const char *running_call(void)
{
    return at_work_call;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void work(struct mark until);

/* A lost device's work never completes, and so all that waits for it is lost. */
static void wait_for(struct context *context, struct mark mark)
{
    work(mark);
    if (context->error == CUDA_SUCCESS)
        context->error = mark.stream->object.context->error;
}

/* Does the stream's work up to the mark, each operation after those that it waits for. */
static void work(struct mark until)
{
    struct stream *stream = until.stream;
    while (stream->done < until.ticket) {
        struct op *op = stream->first;
        for (int i = 0; i < op->wait_count; i++)
            wait_for(stream->object.context, op->waits[i]);
        stream->first = op->next;
        if (!stream->first)
            stream->last = &stream->first;
        at_work = stream;
        at_work_call = op->call;
        if (stream->object.context->error == CUDA_SUCCESS)
            op->run(op);
        at_work = NULL;
        at_work_call = NULL;
        stream->done++;
        free(op->waits);
        free(op);
    }
}

static void *device_main(void *unused)
{
    pthread_mutex_lock(&fake_lock);
    for (;;) {
        while (!request)
            pthread_cond_wait(&requested, &fake_lock);
        memory_open();
        work(*request);
        memory_close();
        request = NULL;
        pthread_cond_broadcast(&served);
    }
    return unused;
}

static void start_device(void)
{
    static bool started;
    pthread_t thread;
    if (!started && pthread_create(&thread, NULL, device_main, NULL) != 0)
        die("cannot start the device's thread");
    if (!started)
        pthread_detach(thread);
    started = true;
}

static void run_until(struct mark mark)
{
    start_device();
    while (mark.stream->done < mark.ticket) {
        if (!request) {
            request = &mark;
            pthread_cond_signal(&requested);
        }
        pthread_cond_wait(&served, &fake_lock);
    }
}

void run_stream(struct stream *stream)
{
    run_until((struct mark){stream, stream->issued});
}

void run_context(struct context *context)
{
    for (struct stream *s = NULL; (s = object_next(STREAM, context, s)) != NULL;)
        run_stream(s);
}

/* ---- work on its way ---- */

CUresult stream_of(struct context *context, CUstream handle, struct stream **out)
{
    /* each thread's default stream is the one null stream here */
    const bool is_default = !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
    *out = is_default ? context->null_stream : (struct stream *)handle;
    return is_default ? CUDA_SUCCESS : object_check(handle, STREAM, context);
}

CUresult stream_current(CUstream handle, struct context **context, struct stream **out)
{
    const CUresult result = context_current(context);
    return result == CUDA_SUCCESS ? stream_of(*context, handle, out) : result;
}

static void add_wait(struct op *op, struct mark mark)
{
    if (mark.stream->done >= mark.ticket)
        return;
    op->waits = realloc(op->waits, (size_t)(op->wait_count + 1) * sizeof *op->waits);
    op->waits[op->wait_count++] = mark;
}

/* The null stream keeps order with all others but the non-blocking ones. */
static void wait_for_null_stream(struct stream *stream, struct op *op)
{
    struct context *context = stream->object.context;
    struct stream *null_stream = context->null_stream;
    if (stream != null_stream) {
        if (stream->blocking)
            add_wait(op, (struct mark){null_stream, null_stream->issued});
        return;
    }
    for (struct stream *s = NULL; (s = object_next(STREAM, context, s)) != NULL;)
        if (s != stream && s->blocking)
            add_wait(op, (struct mark){s, s->issued});
}

static struct op *op_new(struct stream *stream, const char *call, void (*run)(struct op *op), const void *data,
                         size_t size)
{
    struct op *op = calloc(1, sizeof *op + size);
    if (!op)
        die("the host is out of memory");
    op->call = call;
    op->run = run;
    if (size > 0)
        memcpy(op->data, data, size);
    wait_for_null_stream(stream, op);
    return op;
}

static void append(struct stream *stream, struct op *op)
{
    enum { MOST_WAITING = 4096 };
    *stream->last = op;
    stream->last = &op->next;
    stream->issued++;
    if (stream->issued - stream->done > MOST_WAITING)
        run_until((struct mark){stream, stream->issued - MOST_WAITING / 2});
}

void enqueue(struct stream *stream, const char *call, void (*run)(struct op *op), const void *data, size_t size)
{
    if (stream->capture)
        graph_add_work(stream, call, run, data, size);
    else
        append(stream, op_new(stream, call, run, data, size));
}

/* ---- streams ---- */

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    ENTER("cuStreamCreate", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || flags > CU_STREAM_NON_BLOCKING)
        return CUDA_ERROR_INVALID_VALUE;
    struct stream *stream = object_new(STREAM, context, sizeof *stream);
    stream->blocking = flags == CU_STREAM_DEFAULT;
    stream->last = &stream->first;
    *out = (CUstream)stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream handle)
{
    ENTER_RELEASE("cuStreamDestroy");
    struct context *context;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, STREAM, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    struct stream *stream = (struct stream *)handle;
    if (stream == stream->object.context->null_stream)
        return CUDA_ERROR_INVALID_HANDLE;
    run_stream(stream);
    object_end(&stream->object);
    return injected;
}

CUresult cuStreamSynchronize(CUstream handle)
{
    ENTER("cuStreamSynchronize", CUDA_ERROR_LAUNCH_FAILED);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream == context->null_stream)
        run_context(context);
    else
        run_stream(stream);
    return context->error;
}

/* The first look finds the work undone, the next one finds it done. */
EXPORT CUresult cuStreamQuery(CUstream handle);
CUresult cuStreamQuery(CUstream handle)
{
    ENTER("cuStreamQuery", CUDA_ERROR_LAUNCH_FAILED);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->done == stream->issued)
        return CUDA_SUCCESS;
    run_stream(stream);
    return CUDA_ERROR_NOT_READY;
}

static void nothing(struct op *op)
{
    (void)op;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned flags)
{
    ENTER("cuStreamWaitEvent", CUDA_ERROR_UNKNOWN);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = object_check(event_handle, EVENT, NULL);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = (struct event *)event_handle;
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!event->recorded)
        return CUDA_SUCCESS;
    struct op *op = op_new(stream, "cuStreamWaitEvent", nothing, NULL, 0);
    add_wait(op, event->mark);
    append(stream, op);
    return CUDA_SUCCESS;
}

/* ---- events ---- */

CUresult cuEventCreate(CUevent *out, unsigned flags)
{
    ENTER("cuEventCreate", CUDA_ERROR_OUT_OF_MEMORY);
    struct context *context;
    CUresult result = context_current(&context);
    if (result != CUDA_SUCCESS)
        return result;
    if (!out || flags > 3) /* blocking, without timing */
        return CUDA_ERROR_INVALID_VALUE;
    struct event *event = object_new(EVENT, context, sizeof *event);
    event->timing = !(flags & CU_EVENT_DISABLE_TIMING);
    *out = (CUevent)event;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle)
{
    ENTER_RELEASE("cuEventDestroy");
    struct context *context;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, EVENT, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    object_end(&((struct event *)handle)->object);
    return injected;
}

struct recording {
    struct event *event;
    uint64_t number;
};

/* A later recording takes the event over. */
static void note_time(struct op *op)
{
    struct recording *recording = (struct recording *)(void *)op->data;
    if (recording->event->recordings == recording->number)
        recording->event->time = now();
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle)
{
    ENTER("cuEventRecord", CUDA_ERROR_UNKNOWN);
    struct context *context;
    struct stream *stream;
    CUresult result = stream_current(stream_handle, &context, &stream);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, EVENT, NULL);
    if (result == CUDA_SUCCESS)
        result = graph_refuse(stream);
    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = (struct event *)handle;
    if (event->object.context != stream->object.context)
        return CUDA_ERROR_INVALID_HANDLE;
    struct recording recording = {event, ++event->recordings};
    enqueue(stream, "cuEventRecord", note_time, &recording, sizeof recording);
    event->recorded = true;
    event->mark = (struct mark){stream, stream->issued};
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent handle)
{
    ENTER("cuEventSynchronize", CUDA_ERROR_LAUNCH_FAILED);
    struct context *context;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, EVENT, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = (struct event *)handle;
    if (event->recorded)
        run_until(event->mark);
    return context->error;
}

CUresult cuEventQuery(CUevent handle)
{
    ENTER("cuEventQuery", CUDA_ERROR_LAUNCH_FAILED);
    struct context *context;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS)
        result = object_check(handle, EVENT, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    struct event *event = (struct event *)handle;
    if (!event->recorded || event->mark.stream->done >= event->mark.ticket)
        return CUDA_SUCCESS;
    run_until(event->mark);
    return CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from_handle, CUevent to_handle)
{
    ENTER("cuEventElapsedTime", CUDA_ERROR_UNKNOWN);
    struct context *context;
    CUresult result = context_current(&context);
    if (result == CUDA_SUCCESS)
        result = object_check(from_handle, EVENT, NULL);
    if (result == CUDA_SUCCESS)
        result = object_check(to_handle, EVENT, NULL);
    if (result != CUDA_SUCCESS)
        return result;
    struct event *from = (struct event *)from_handle, *to = (struct event *)to_handle;
    if (!milliseconds)
        return CUDA_ERROR_INVALID_VALUE;
    if (!from->timing || !to->timing || !from->recorded || !to->recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    if (from->mark.stream->done < from->mark.ticket || to->mark.stream->done < to->mark.ticket)
        return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(to->time - from->time);
    return CUDA_SUCCESS;
}
