/* The last failure of this thread; short texts. */
#include "base/common.h"
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char last_error[2048];

const char *gpucc_status_name(gpucc_status status)
{
    static const char names[][sizeof "GPUCC_INVALID_ARGUMENT"] = {
#define STATUS(name, text) "GPUCC_" #name,
#include <gpucc/status.def>
#undef STATUS
    };
    return (unsigned)status < GPUCC_STATUS_COUNT ? names[status] : "GPUCC_UNKNOWN_STATUS";
}

const char *gpucc_last_error(void)
{
    return last_error;
}

/* The arguments may point into the old message, so the new one is made beside it. */
gpucc_status fail(gpucc_status status, const char *format, ...)
{
    char message[sizeof last_error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    snprintf(last_error, sizeof last_error, "%s", message);
    return status;
}

gpucc_status fail_memory(size_t size, const char *what)
{
    return fail(GPUCC_NO_MEMORY, "out of host memory: %zu bytes for %s", size, what);
}

gpucc_status options_check(const char *call, const size_t *size)
{
    return !size || *size >= sizeof *size ? GPUCC_OK
                                          : fail(GPUCC_INVALID_ARGUMENT, "%s: the options' size is not set", call);
}

void append(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof text->s - text->used;
    int written = vsnprintf(text->s + text->used, room, format, arguments);
    va_end(arguments);
    if (written > 0)
        text->used += (size_t)written < room ? (size_t)written : room - 1;
}

const char *shape_text(struct text *text, int ndim, const int64_t *shape)
{
    append(text, "(");
    for (int d = 0; d < ndim; d++)
        append(text, d ? ", %lld" : "%lld", (long long)shape[d]);
    append(text, ndim == 1 ? ",)" : ")");
    return text->s;
}
