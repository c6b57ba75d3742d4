/* Streams and events, and which work waits for which. */
#define _POSIX_C_SOURCE 200809L
#include "devices/launch_order.h"
#include "devices/recording.h"
#include <stdlib.h>
#include <time.h>

/* Work on the CPU is done when its call returns: streams there are only names, and events are times.  What a GPU would
 * do in which order is noted for checked launches. */
struct gpucc_event {
    struct link link;
    gpucc_context *context;
    CUevent handle;
    bool recorded;
    struct timespec time;
    struct launch_clock known; /* on the CPU: what comes before it */
};

_Thread_local struct recording *thread_recording;

static bool is_cpu(const gpucc_context *context)
{
    return context->kind == GPUCC_DEVICE_CPU;
}

gpucc_status stream_open(gpucc_context *context, gpucc_stream *stream, CUstream foreign)
{
    list_init(&stream->link);
    stream->context = context;
    stream->handle = foreign;
    stream->foreign = foreign != NULL;
    if (is_cpu(context))
        return GPUCC_OK;
    gpucc_status status = foreign ? GPUCC_OK : CU(context, cuStreamCreate, &stream->handle, CU_STREAM_DEFAULT);
    if (status)
        return status;
    status = CU(context, cuEventCreate, &stream->order, CU_EVENT_DISABLE_TIMING);
    if (status && !foreign)
        driver.cuStreamDestroy(stream->handle);
    return status;
}

void stream_close(gpucc_stream *stream)
{
    launch_clock_free(&stream->known);
    if (is_cpu(stream->context))
        return;
    driver.cuEventDestroy(stream->order);
    if (!stream->foreign)
        driver.cuStreamDestroy(stream->handle);
}

gpucc_status stream_resolve(gpucc_context *context, gpucc_stream *stream, gpucc_stream **out)
{
    struct recording *recording = recording_in(context);
    *out = stream ? stream : &context->stream;
    if (recording)
        *out = &recording->stream;
    return (*out)->context == context ? GPUCC_OK
                                      : fail(GPUCC_INVALID_ARGUMENT, "the stream belongs to another context");
}

gpucc_status stream_check_live(const gpucc_stream *stream, const char *what)
{
    return stream->graph ? fail(GPUCC_UNSUPPORTED, "a graph cannot record %s", what) : GPUCC_OK;
}

gpucc_status stream_follow(gpucc_stream *later, gpucc_stream *earlier)
{
    if (later == earlier || later->graph) /* a graph's launch waits for what its calls would wait for */
        return GPUCC_OK;
    if (is_cpu(later->context)) {
        launches_order(later->context, &later->known, &earlier->known);
        return GPUCC_OK;
    }
    gpucc_status status = CU(later->context, cuEventRecord, earlier->order, earlier->handle);
    return status ? status : CU(later->context, cuStreamWaitEvent, later->handle, earlier->order, 0);
}

gpucc_status stream_follow_peer(gpucc_stream *later, gpucc_stream *earlier)
{
    CUcontext previous;
    gpucc_status status = context_enter(earlier->context, &previous);
    if (status)
        return status;
    status = CU(earlier->context, cuEventRecord, earlier->order, earlier->handle);
    context_leave(earlier->context, previous);
    if (!status)
        status = context_enter(later->context, &previous);
    if (status)
        return status;
    status = CU(later->context, cuStreamWaitEvent, later->handle, earlier->order, 0);
    context_leave(later->context, previous);
    return status;
}

gpucc_status stream_begin(gpucc_stream *stream)
{
    gpucc_context *context = stream->context;
    if (stream == &context->stream || stream->graph)
        return GPUCC_OK;
    uint64_t generation = atomic_load_explicit(&context->generation, memory_order_acquire);
    if (generation == atomic_load_explicit(&stream->seen, memory_order_relaxed))
        return GPUCC_OK;
    gpucc_status status = stream_follow(stream, &context->stream);
    if (!status)
        atomic_store_explicit(&stream->seen, generation, memory_order_relaxed);
    return status;
}

static gpucc_status follow_handle(gpucc_stream *later, CUstream earlier)
{
    gpucc_stream theirs = {0};
    gpucc_status status = stream_open(later->context, &theirs, earlier);
    if (status)
        return status;
    status = stream_follow(later, &theirs);
    stream_close(&theirs);
    return status;
}

gpucc_status stream_follow_foreign(gpucc_context *context, CUstream foreign)
{
    CUcontext previous;
    if (foreign) {
        gpucc_status status = context_enter(context, &previous);
        if (status)
            return status;
        status = follow_handle(&context->stream, foreign);
        context_leave(context, previous);
        if (status)
            return status;
    }
    atomic_fetch_add_explicit(&context->generation, 1, memory_order_release);
    return GPUCC_OK;
}

static bool is_busy(gpucc_stream *stream)
{
    return atomic_load(&stream->launched) != atomic_load(&stream->awaited);
}

/* Whether there is no order to be kept. */
static bool is_idle(const gpucc_context *context)
{
    return is_cpu(context) && !launches_are_watched(context);
}

/* With the context's lock held. */
static gpucc_status join_locked(gpucc_stream *stream, bool shared)
{
    gpucc_context *context = stream->context;
    gpucc_stream *main_stream = &context->stream;
    gpucc_status status = GPUCC_OK;
    if (shared || is_busy(main_stream))
        status = stream_follow(stream, main_stream);
    for (struct link *l = context->streams.next; !status && l != &context->streams; l = l->next) {
        gpucc_stream *other = CONTAINER(l, gpucc_stream, link);
        if (shared || is_busy(other))
            status = stream_follow(stream, other);
    }
    return status;
}

gpucc_status stream_join_others(gpucc_stream *stream, bool all)
{
    gpucc_context *context = stream->context;
    if (is_idle(context))
        return GPUCC_OK;
    pthread_mutex_lock(&context->lock);
    gpucc_status status = join_locked(stream, all || is_cpu(context));
    pthread_mutex_unlock(&context->lock);
    return status;
}

/* The smallest that no other stream of the context has.  With its lock held. */
static int free_number(const gpucc_context *context)
{
    int number = 1;
    for (const struct link *l = context->streams.next; l != &context->streams;) {
        const bool is_taken = CONTAINER(l, gpucc_stream, link)->number == number;
        number += is_taken;
        l = is_taken ? context->streams.next : l->next; /* from the first one again */
    }
    return number;
}

gpucc_status gpucc_stream_create(gpucc_context *context, gpucc_stream **out)
{
    CUcontext previous;
    if (!context || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_stream_create: context or out is null");
    *out = NULL;
    gpucc_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return fail_memory(sizeof *stream, "a stream");
    gpucc_status status = context_enter(context, &previous);
    if (status)
        goto free_stream;
    status = stream_open(context, stream, NULL);
    context_leave(context, previous);
    if (status)
        goto free_stream;
    pthread_mutex_lock(&context->lock);
    stream->number = free_number(context);
    list_insert(&context->streams, &stream->link);
    pthread_mutex_unlock(&context->lock);
    *out = stream;
    return GPUCC_OK;

free_stream:
    free(stream);
    return status;
}

gpucc_status gpucc_stream_synchronize(gpucc_stream *stream)
{
    CUcontext previous;
    if (!stream)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_stream_synchronize: stream is null");
    gpucc_context *context = stream->context;
    gpucc_status status = context_enter(context, &previous);
    if (!status && is_cpu(context))
        launches_await(context, &stream->known);
    if (status || is_cpu(context))
        return status;
    uint64_t launched = atomic_load(&stream->launched);
    status = CU(context, cuStreamSynchronize, stream->handle);
    if (!status)
        atomic_store(&stream->awaited, launched);
    context_leave(context, previous);
    return status;
}

gpucc_status gpucc_stream_wait(gpucc_stream *stream, gpucc_event *event)
{
    CUcontext previous;
    if (!event)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_stream_wait: event is null");
    gpucc_context *context = event->context;
    gpucc_status status = stream_resolve(context, stream, &stream);
    if (!status)
        status = stream_check_live(stream, "waits for events: its calls run in order");
    if (!status)
        status = context_enter(context, &previous);
    if (!status && is_cpu(context))
        launches_order(context, &stream->known, &event->known);
    if (status || is_cpu(context))
        return status;
    status = CU(context, cuStreamWaitEvent, stream->handle, event->handle, 0);
    context_leave(context, previous);
    return status;
}

gpucc_status gpucc_event_create(gpucc_context *context, gpucc_event **out)
{
    CUcontext previous;
    if (!context || !out)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_event_create: context or out is null");
    *out = NULL;
    gpucc_event *event = calloc(1, sizeof *event);
    if (!event)
        return fail_memory(sizeof *event, "an event");
    event->context = context;
    gpucc_status status = context_enter(context, &previous);
    if (status)
        goto free_event;
    if (!is_cpu(context))
        status = CU(context, cuEventCreate, &event->handle, CU_EVENT_DEFAULT);
    context_leave(context, previous);
    if (status)
        goto free_event;
    pthread_mutex_lock(&context->lock);
    list_insert(&context->events, &event->link);
    pthread_mutex_unlock(&context->lock);
    *out = event;
    return GPUCC_OK;

free_event:
    free(event);
    return status;
}

void gpucc_event_destroy(gpucc_event *event)
{
    CUcontext previous;
    if (!event || !context_is_ours(event->context))
        return;
    gpucc_context *context = event->context;
    bool entered = context_enter(context, &previous) == GPUCC_OK;
    pthread_mutex_lock(&context->lock);
    list_remove(&event->link);
    pthread_mutex_unlock(&context->lock);
    launch_clock_free(&event->known);
    if (event->handle)
        driver.cuEventDestroy(event->handle);
    if (entered)
        context_leave(context, previous);
    free(event);
}

gpucc_status gpucc_event_record(gpucc_event *event, gpucc_stream *stream)
{
    CUcontext previous;
    if (!event)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_event_record: event is null");
    gpucc_context *context = event->context;
    gpucc_status status = stream_resolve(context, stream, &stream);
    if (!status)
        status = stream_check_live(stream, "events: its calls run in order");
    if (!status)
        status = context_enter(context, &previous);
    if (status)
        return status;
    if (is_cpu(context)) {
        clock_gettime(CLOCK_MONOTONIC, &event->time);
        launches_mark(context, &event->known, &stream->known);
    } else {
        status = CU(context, cuEventRecord, event->handle, stream->handle);
    }
    context_leave(context, previous);
    event->recorded = status == GPUCC_OK;
    return status;
}

gpucc_status gpucc_event_synchronize(gpucc_event *event)
{
    CUcontext previous;
    if (!event)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_event_synchronize: event is null");
    gpucc_context *context = event->context;
    gpucc_status status = context_enter(context, &previous);
    if (!status && is_cpu(context))
        launches_await(context, &event->known);
    if (status || is_cpu(context))
        return status;
    status = CU(context, cuEventSynchronize, event->handle);
    context_leave(context, previous);
    return status;
}

gpucc_status gpucc_event_elapsed(gpucc_event *from, gpucc_event *to, float *milliseconds)
{
    CUcontext previous;
    if (!from || !to || !milliseconds)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_event_elapsed: an event or the result is null");
    gpucc_context *context = from->context;
    if (context != to->context || !from->recorded || !to->recorded)
        return fail(GPUCC_INVALID_ARGUMENT, "gpucc_event_elapsed: the events are of two contexts or not recorded");
    gpucc_status status = context_enter(context, &previous);
    if (status)
        return status;
    if (is_cpu(context)) {
        double seconds = (double)(to->time.tv_sec - from->time.tv_sec);
        *milliseconds = (float)(1e3 * seconds + 1e-6 * (double)(to->time.tv_nsec - from->time.tv_nsec));
    } else {
        status = CU(context, cuEventElapsedTime, milliseconds, from->handle, to->handle);
    }
    context_leave(context, previous);
    return status;
}

void streams_destroy_all(gpucc_context *context)
{
    while (context->events.next != &context->events) {
        gpucc_event *event = CONTAINER(context->events.next, gpucc_event, link);
        list_remove(&event->link);
        launch_clock_free(&event->known);
        if (event->handle)
            driver.cuEventDestroy(event->handle);
        free(event);
    }
    while (context->streams.next != &context->streams) {
        gpucc_stream *stream = CONTAINER(context->streams.next, gpucc_stream, link);
        pthread_mutex_lock(&context->lock);
        list_remove(&stream->link);
        pthread_mutex_unlock(&context->lock);
        stream_close(stream);
        free(stream);
    }
}
