/* <string.h> for device code: the functions on memory of known size, and the plain string ones. */
#ifndef GPUCC_STRING_H
#define GPUCC_STRING_H
#include <stddef.h>
#define GPUCC_STRING static inline __attribute__((always_inline, unused))

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
#undef GPUCC_STRING
#endif
