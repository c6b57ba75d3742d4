/* <wchar.h>: types, and declarations of what only hosts have. */
#ifndef GPUCC_WCHAR_H
#define GPUCC_WCHAR_H

#include "hosted.h"
#include <stdint.h>

typedef unsigned int wint_t;
typedef struct { unsigned gpucc_words[2]; } mbstate_t;
struct tm;

#define WEOF ((wint_t)-1)

GPUCC_HOST size_t wcslen(const wchar_t *text);
GPUCC_HOST wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from);
GPUCC_HOST wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count);
GPUCC_HOST wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from);
GPUCC_HOST int wcscmp(const wchar_t *a, const wchar_t *b);
GPUCC_HOST int wcsncmp(const wchar_t *a, const wchar_t *b, size_t count);
GPUCC_HOST wchar_t *wcschr(const wchar_t *text, wchar_t c);
GPUCC_HOST wchar_t *wcsstr(const wchar_t *text, const wchar_t *part);
GPUCC_HOST wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count);
GPUCC_HOST wchar_t *wmemset(wchar_t *to, wchar_t c, size_t count);
GPUCC_HOST double wcstod(const wchar_t *restrict text, wchar_t **restrict end);
GPUCC_HOST long wcstol(const wchar_t *restrict text, wchar_t **restrict end, int base);
GPUCC_HOST size_t mbrtowc(wchar_t *restrict to, const char *restrict text, size_t size, mbstate_t *restrict state);
GPUCC_HOST size_t wcrtomb(char *restrict to, wchar_t c, mbstate_t *restrict state);
GPUCC_HOST int mbsinit(const mbstate_t *state);
GPUCC_HOST wint_t btowc(int c);
GPUCC_HOST int wctob(wint_t c);
GPUCC_HOST int wprintf(const wchar_t *restrict format, ...);
GPUCC_HOST int swprintf(wchar_t *restrict to, size_t size, const wchar_t *restrict format, ...);
GPUCC_HOST size_t wcsftime(wchar_t *restrict to, size_t size, const wchar_t *restrict format,
                           const struct tm *restrict time);

#endif
