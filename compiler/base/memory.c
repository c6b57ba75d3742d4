/* Arenas, growing texts, and the end of the process, or of a job, when the environment fails. */
#include "base/base.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIGNMENT = 16, BLOCK_SIZE = 64 * 1024 };

struct block {
    struct block *next;
    size_t used, size;
    _Alignas(ALIGNMENT) char data[];
};

struct arena {
    struct block *blocks; /* the one in use first */
    struct arena *next;   /* of those of a job */
};

static void *check(void *memory)
{
    if (!memory)
        fatal("out of memory");
    return memory;
}

struct arena *arena_new(void)
{
    struct arena *arena = check(calloc(1, sizeof *arena)), **list = job_arenas();
    if (list) {
        arena->next = *list;
        *list = arena;
        job_arenas_done();
    }
    return arena;
}

/* Takes it from its job's. */
static void forget(const struct arena *arena)
{
    struct arena **at = job_arenas();
    if (!at)
        return;
    while (*at != arena)
        at = &(*at)->next;
    *at = arena->next;
    job_arenas_done();
}

void arena_free(struct arena *arena)
{
    if (!arena)
        return;
    forget(arena);
    for (struct block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

static struct block *block_new(size_t size)
{
    if (size > SIZE_MAX / 2)
        fatal("out of memory");
    struct block *block = check(calloc(1, sizeof *block + size));
    block->size = size;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        fatal("out of memory");
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct block *block = arena->blocks;
    if (size > BLOCK_SIZE / 4) {
        /* A block of its own, behind the one in use, whose rest stays usable. */
        struct block *own = block_new(size);
        own->used = size;
        own->next = block ? block->next : NULL;
        *(block ? &block->next : &arena->blocks) = own;
        return own->data;
    }
    if (!block || block->size - block->used < size) {
        block = block_new(BLOCK_SIZE);
        block->next = arena->blocks;
        arena->blocks = block;
    }
    block->used += size;
    return block->data + block->used - size;
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct text text = {.arena = arena};
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    return text.data;
}

void *arena_grow(struct arena *arena, void *array, size_t count, size_t size)
{
    /* Capacities are the powers of two from 4 on, so that `count` alone determines whether the array is full. */
    if (count && (count < 4 || (count & (count - 1))))
        return array;
    size_t capacity = count ? count * 2 : 4;
    if (capacity > SIZE_MAX / 2 / size)
        fatal("out of memory");
    void *larger = arena_alloc(arena, capacity * size);
    if (count)
        memcpy(larger, array, count * size);
    return larger;
}

static void text_reserve(struct text *text, size_t size)
{
    if (text->capacity - text->size > size)
        return;
    size_t capacity = text->capacity ? text->capacity * 2 : 64;
    while (capacity - text->size <= size)
        capacity *= 2;
    char *data = arena_alloc(text->arena, capacity);
    if (text->size)
        memcpy(data, text->data, text->size);
    text->data = data;
    text->capacity = capacity;
}

void text_append(struct text *text, const char *data, size_t size)
{
    text_reserve(text, size);
    if (size)
        memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size < 0)
        fatal("out of memory");
    text_reserve(text, (size_t)size);
    vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
    text->size += (size_t)size;
    va_end(again);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

static _Noreturn void end(enum exit_status status, const char *format, va_list arguments)
{
    if (job_current())
        job_fail(status, format, arguments);
    discard_files();
    fflush(stdout);
    const bool colors = has_colors(STDERR_FILENO);
    fputs(colors ? COLOR_BOLD "gpucc: " COLOR_ERROR "error: " COLOR_OFF COLOR_BOLD : "gpucc: error: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs(colors ? COLOR_OFF "\n" : "\n", stderr);
    /* No exit(), which would take LLVM down under the threads that compile. */
    _Exit(status);
}

void fatal(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(EXIT_ENVIRONMENT, format, arguments);
}

void input_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(EXIT_INPUT, format, arguments);
}

void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(EXIT_USAGE, format, arguments);
}
