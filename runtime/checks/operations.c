/* Operations whose result is a fault: what C leaves undefined, and what makes a NaN or an infinity out of finite
 * operands.  Those of a launch are reported with their threads (watch_report.c); those of a ufunc's call, whose loops
 * run on many workers and know of no context, are noted here until it ends. */
#include "checks/operations.h"
#include "checks/watch.h"
#include "programs/manifest.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NOTED = 100, TEXT = 320 };

enum undefined {
#define UNDEFINED(id, handler, values) UNDEFINED_##id,
#include <gpucc/undefined.def>
    UNDEFINED_KINDS
};

struct noted {
    const struct gpucc_cpu_operation *operation; /* null: a failure */
    struct gpucc_cpu_place place;
    const struct gpucc_cpu_call *at; /* or null: not known */
    uint64_t count;
    char text[TEXT]; /* of the first one */
    const char *remedy;
};

/* ---- texts ---- */

struct number_text {
    char text[64];
};

static void wide_digits(char *end, size_t room, unsigned __int128 magnitude, bool is_negative)
{
    char digits[48], *at = digits + sizeof digits - 1;
    *at = 0;
    do
        *--at = (char)('0' + (int)(magnitude % 10));
    while ((magnitude /= 10) > 0);
    snprintf(end, room, "%s%s", is_negative ? "-" : "", at);
}

/* Integers of more than 64 bits lie where `value` says. */
static struct number_text integer_text(const struct gpucc_cpu_operation *operation, uint64_t value)
{
    struct number_text number;
    const unsigned bits = operation->bits;
    if (bits > 128) {
        snprintf(number.text, sizeof number.text, "a number");
    } else if (bits > 64) {
        __int128 wide;
        memcpy(&wide, (const void *)(uintptr_t)value, sizeof wide);
        wide_digits(number.text, sizeof number.text, wide < 0 ? -(unsigned __int128)wide : (unsigned __int128)wide,
                    wide < 0);
    } else if (operation->is_signed) {
        const unsigned unused = bits > 0 ? 64 - bits : 0;
        snprintf(number.text, sizeof number.text, "%" PRId64, (int64_t)(value << unused) >> unused);
    } else {
        snprintf(number.text, sizeof number.text, "%" PRIu64, value);
    }
    return number;
}

static bool reads_back(const char *text, double value, unsigned bits)
{
    return isnan(value) || (bits < 64 ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value);
}

/* As short as reads back the same, in a type of so many bits. */
static struct number_text real_text(double value, unsigned bits)
{
    struct number_text number;
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text, "%.*g", digits, value);
        if (reads_back(number.text, value, bits))
            break;
    }
    if (isnan(value))
        snprintf(number.text, sizeof number.text, "nan");
    return number;
}

static const char *const wrap = "compute in an unsigned type if the result is meant to wrap";

static const char *undefined_text(const struct gpucc_cpu_operation *operation, uint64_t a, uint64_t b, char *text)
{
    const struct number_text left = integer_text(operation, a), right = integer_text(operation, b);
    const char *type = operation->name;
    switch (operation->kind) {
    case UNDEFINED_ADD:
    case UNDEFINED_SUBTRACT:
    case UNDEFINED_MULTIPLY:
        snprintf(text, TEXT, "signed integer overflow: %s %c %s cannot be represented in type %s", left.text,
                 operation->kind == UNDEFINED_ADD ? '+' : operation->kind == UNDEFINED_SUBTRACT ? '-' : '*',
                 right.text, type);
        return wrap;
    case UNDEFINED_NEGATE:
        snprintf(text, TEXT, "signed integer overflow: the negative of %s cannot be represented in type %s", left.text,
                 type);
        return wrap;
    case UNDEFINED_POINTER:
        if (a == 0)
            snprintf(text, TEXT, "applying an offset of %" PRId64 " bytes to a null pointer", (int64_t)b);
        else
            snprintf(text, TEXT, "pointer arithmetic on 0x%" PRIx64 " overflowed to 0x%" PRIx64, a, b);
        return NULL;
    case UNDEFINED_BOOLEAN:
        snprintf(text, TEXT, "load of value %" PRIu64 ", which is not a valid value for type %s", a & 0xff, type);
        return NULL;
    case UNDEFINED_ZERO_BITS:
        snprintf(text, TEXT, "passing zero to a bit-counting builtin, which is not a valid argument");
        return NULL;
    case UNDEFINED_EXTENT:
        snprintf(text, TEXT, "variable length array bound evaluates to non-positive value %s", left.text);
        return NULL;
    case UNDEFINED_NULL_ARGUMENT:
        snprintf(text, TEXT, "null pointer passed as an argument that is declared to never be null");
        return NULL;
    case UNDEFINED_UNWRITTEN:
        snprintf(text, TEXT, "read of '%s', which is uninitialized", type);
        return NULL;
    default:
        snprintf(text, TEXT, "execution reached a program point that is declared unreachable");
        return NULL;
    }
}

static void nonfinite_text(const struct gpucc_cpu_operation *operation, double result, const double *values,
                           char *text)
{
    const unsigned bits = operation->bits;
    const struct number_text out = real_text(result, bits), a = real_text(values[0], bits),
                             b = real_text(values[1], bits), c = real_text(values[2], bits);
    const char *what = isnan(result) ? "NaN" : "infinity", *name = operation->name;
    if (*name == 0)
        snprintf(text, TEXT, "%s from finite operands: %s converted is %s", what, a.text, out.text);
    else if (strcmp(name, "fma") == 0)
        snprintf(text, TEXT, "%s from finite operands: %s * %s + %s is %s", what, a.text, b.text, c.text, out.text);
    else if (strchr("+-*/", *name) != NULL)
        snprintf(text, TEXT, "%s from finite operands: %s %s %s is %s", what, a.text, name, b.text, out.text);
    else
        snprintf(text, TEXT, "%s from finite operands: %s(%s%s%s%s%s) is %s", what, name, a.text,
                 operation->operands > 1 ? ", " : "", operation->operands > 1 ? b.text : "",
                 operation->operands > 2 ? ", " : "", operation->operands > 2 ? c.text : "", out.text);
}

/* ---- noting ---- */

static bool is_at(const struct noted *noted, const struct gpucc_cpu_operation *operation,
                  const struct gpucc_cpu_place *place)
{
    return noted->operation == operation && noted->place.line == place->line &&
           noted->place.column == place->column && strcmp(noted->place.file, place->file) == 0;
}

/* Null if there are too many, or no memory. */
static struct noted *note_of(struct findings *findings, const struct gpucc_cpu_operation *operation,
                             const struct gpucc_cpu_place *place)
{
    for (int i = 0; i < findings->count; i++)
        if (is_at(&findings->noted[i], operation, place))
            return &findings->noted[i];
    if (findings->noted == NULL)
        findings->noted = malloc(MOST_NOTED * sizeof *findings->noted);
    if (findings->noted == NULL || findings->count == MOST_NOTED)
        return NULL;
    findings->noted[findings->count] = (struct noted){.operation = operation, .place = *place};
    return &findings->noted[findings->count++];
}

/* The last place from operations_place(): checked code sets it before each of its calls. */
static _Thread_local const struct gpucc_cpu_site *place_now;

void operations_place(const struct gpucc_cpu_site *site)
{
    place_now = site;
}

static void note_in_call(struct findings *own, const struct gpucc_cpu_operation *operation,
                         const struct gpucc_cpu_place *place, const char *text, const char *remedy)
{
    const struct gpucc_cpu_call *at = place_now != NULL ? &place_now->at : NULL;
    place_now = NULL;
    pthread_mutex_lock(&own->lock);
    struct noted *noted = note_of(own, operation, place);
    own->any = true;
    if (noted != NULL && noted->count++ == 0) {
        snprintf(noted->text, sizeof noted->text, "%s", text);
        noted->remedy = remedy;
        noted->at = at;
    }
    pthread_mutex_unlock(&own->lock);
}

static void note(const struct gpucc_cpu_operation *operation, const char *text, const char *remedy)
{
    const struct fiber *self = current_fiber;
    if (self != NULL && self->workspace->watched != NULL)
        watch_report_operation(self->workspace->run->launch->watch, self, &operation->place, text, remedy);
    else if (call_findings != NULL) /* else it is nobody's call */
        note_in_call(call_findings, operation, &operation->place, text, remedy);
}

/* The call site of the loop that this thread runs; null: no checked loop. */
static _Thread_local jmp_buf *loop_end;

void operations_run(const struct loop *loop, char **args, const intptr_t *dimensions, const intptr_t *steps)
{
    jmp_buf here, *const outer = loop_end;
    loop_end = &here;
    if (setjmp(here) == 0)
        loop->native(args, dimensions, steps, NULL);
    loop_end = outer;
}

/* A block of threads works for a gufunc's call as a launch. */
static bool is_in_call(void)
{
    return call_findings != NULL && (loop_end != NULL || current_fiber != NULL);
}

static _Noreturn void end_call(const char *what)
{
    if (loop_end == NULL)
        fiber_fail(current_fiber, "%s", what);
    longjmp(*loop_end, 1);
}

void operations_fail(const char *what, const char *file, int line)
{
    const struct gpucc_cpu_place place = place_now != NULL ? place_now->at.place
                                                           : (struct gpucc_cpu_place){.file = file, .line = line};
    if (!is_in_call())
        return;
    note_in_call(call_findings, NULL, &place, what, NULL);
    end_call(what);
}

GPUCC_API _Noreturn void gpucc_cpu_outside(const void *address, const void *base, uint64_t bytes, uint64_t size,
                                           const struct gpucc_cpu_site *site)
{
    const struct watch_object object = {site->object, (uintptr_t)base, bytes, site->element};
    char text[TEXT];
    watch_outside_text(text, sizeof text, &object, site->access, (uintptr_t)address, size);
    operations_place(site);
    gpucc_cpu_fail(text, site->at.place.file, site->at.place.line);
}

GPUCC_API void gpucc_cpu_undefined(const struct gpucc_cpu_operation *operation, uint64_t a, uint64_t b)
{
    char text[TEXT];
    /* C2y lets both be. */
    if ((operation->kind == UNDEFINED_POINTER && b == a) || (operation->kind == UNDEFINED_EXTENT && a == 0))
        return;
    const char *remedy = undefined_text(operation, a, b, text);
    if (operation->kind == UNDEFINED_UNREACHABLE)
        gpucc_cpu_fail(text, operation->place.file, operation->place.line);
    note(operation, text, remedy);
}

GPUCC_API void gpucc_cpu_nonfinite(const struct gpucc_cpu_operation *operation, double result, double a, double b,
                                   double c)
{
    char text[TEXT];
    const double values[3] = {a, b, c};
    if (!isfinite(a) || !isfinite(b) || !isfinite(c))
        return;
    nonfinite_text(operation, result, values, text);
    note(operation, text, NULL);
}

/* ---- reports ---- */

static void report(const struct watch_settings *settings, const struct noted *noted)
{
    char text[TEXT + 40];
    snprintf(text, sizeof text, "%s", noted->text);
    if (noted->count > 1)
        snprintf(text, sizeof text, "%s (%" PRIu64 " times)", noted->text, noted->count);
    settings->report(settings->data, false, &noted->place, text);
    watch_report_calls(settings, noted->at);
    if (noted->remedy != NULL)
        settings->report(settings->data, true, &noted->place, noted->remedy);
}

bool operations_checked(const gpucc_ufunc *ufunc)
{
    const gpucc_context *context = ufunc->program->context;
    const unsigned listened = WATCH_BOUNDS | WATCH_ALIGNMENT, reported = WATCH_OPERATIONS | WATCH_ADDRESS;
    return context->kind == GPUCC_DEVICE_CPU &&
           ufunc->program->manifest->checks & (context->watch ? reported | listened : reported);
}

void operations_begin(struct findings *findings)
{
    *findings = (struct findings){.outer = call_findings, .lock = PTHREAD_MUTEX_INITIALIZER};
    call_findings = findings;
    executor_report_failures(operations_fail);
}

int operations_report(struct findings *findings, const struct watch_settings *settings)
{
    const int count = findings->count;
    for (int i = 0; i < count; i++)
        report(settings, &findings->noted[i]);
    free(findings->noted);
    findings->noted = NULL;
    findings->count = 0;
    return count;
}

gpucc_status operations_end(const gpucc_ufunc *ufunc, struct findings *findings, gpucc_status status)
{
    const struct watch_settings settings = watch_settings_of(ufunc->program->context);
    const int count = operations_report(findings, &settings);
    call_findings = findings->outer;
    pthread_mutex_destroy(&findings->lock);
    if (!findings->any)
        return status;
    return count == 0 ? fail_memory(MOST_NOTED * sizeof *findings->noted, "what a checked call finds")
                      : fail(GPUCC_DEVICE_ERROR, "%s: %d fault%s found", ufunc->name, count, count == 1 ? "" : "s");
}
