/* <string.h> for device code: the functions on memory of known size, and the plain string ones. */
#ifndef GPUCC_STRING_H
#define GPUCC_STRING_H
#include <stddef.h>
#include "hosted.h"
/* So that a source may declare them again, or have its own. */
#define GPUCC_STRING extern inline __attribute__((gnu_inline, always_inline))

#define memcpy(to, from, size) __builtin_memcpy(to, from, size)
#define memmove(to, from, size) __builtin_memmove(to, from, size)
#define memset(to, byte, size) __builtin_memset(to, byte, size)

GPUCC_STRING int memcmp(const void *a, const void *b, size_t size)
{
    const unsigned char *p = a, *q = b;
    for (size_t i = 0; i < size; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

GPUCC_STRING void *memchr(const void *memory, int byte, size_t size)
{
    const unsigned char *p = memory;
    for (size_t i = 0; i < size; i++)
        if (p[i] == (unsigned char)byte)
            return (void *)(p + i);
    return NULL;
}

GPUCC_STRING size_t strlen(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

GPUCC_STRING int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

GPUCC_STRING int strncmp(const char *a, const char *b, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i] || !a[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
    return 0;
}

GPUCC_STRING char *strchr(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c)
            return (char *)text;
        if (!*text)
            return NULL;
    }
}

GPUCC_STRING char *strcpy(char *to, const char *from)
{
    for (size_t i = 0; (to[i] = from[i]); i++) {}
    return to;
}

GPUCC_STRING char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
    size_t i = 0;
    for (; i < size && from[i]; i++)
        to[i] = from[i];
    for (; i < size; i++)
        to[i] = 0;
    return to;
}

GPUCC_STRING char *strcat(char *restrict to, const char *restrict from)
{
    size_t n = 0, i = 0;
    while (to[n])
        n++;
    do
        to[n + i] = from[i];
    while (from[i++]);
    return to;
}

GPUCC_STRING char *strncat(char *restrict to, const char *restrict from, size_t size)
{
    size_t n = 0, i = 0;
    while (to[n])
        n++;
    for (; i < size && from[i]; i++)
        to[n + i] = from[i];
    to[n + i] = 0;
    return to;
}

GPUCC_STRING char *strrchr(const char *text, int c)
{
    const char *found = NULL;
    for (;; text++) {
        if (*text == (char)c)
            found = text;
        if (!*text)
            return (char *)found;
    }
}

GPUCC_STRING size_t strspn(const char *text, const char *set)
{
    size_t n = 0, k;
    for (;; n++) {
        for (k = 0; set[k] && set[k] != text[n]; k++) {}
        if (!text[n] || !set[k])
            return n;
    }
}

GPUCC_STRING size_t strcspn(const char *text, const char *set)
{
    size_t n = 0, k;
    for (;; n++) {
        for (k = 0; set[k] && set[k] != text[n]; k++) {}
        if (!text[n] || set[k])
            return n;
    }
}

GPUCC_STRING char *strstr(const char *text, const char *part)
{
    for (;; text++) {
        size_t k = 0;
        while (part[k] && text[k] == part[k])
            k++;
        if (!part[k])
            return (char *)text;
        if (!*text)
            return NULL;
    }
}

GPUCC_HOST char *strpbrk(const char *text, const char *set);
GPUCC_HOST char *strtok(char *restrict text, const char *restrict set);
GPUCC_HOST char *strtok_r(char *restrict text, const char *restrict set, char **restrict state);
GPUCC_HOST char *strdup(const char *text);
GPUCC_HOST char *strndup(const char *text, size_t size);
GPUCC_HOST char *strerror(int number);
GPUCC_HOST int strcoll(const char *a, const char *b);
GPUCC_HOST size_t strxfrm(char *restrict to, const char *restrict from, size_t size);
#undef GPUCC_STRING
#endif
