/* <wctype.h>: types, and declarations of what only hosts have. */
#ifndef GPUCC_WCTYPE_H
#define GPUCC_WCTYPE_H

#include <wchar.h>

typedef unsigned long wctype_t, wctrans_t;

GPUCC_HOST int iswalpha(wint_t c);
GPUCC_HOST int iswdigit(wint_t c);
GPUCC_HOST int iswalnum(wint_t c);
GPUCC_HOST int iswspace(wint_t c);
GPUCC_HOST int iswupper(wint_t c);
GPUCC_HOST int iswlower(wint_t c);
GPUCC_HOST int iswpunct(wint_t c);
GPUCC_HOST int iswprint(wint_t c);
GPUCC_HOST wint_t towlower(wint_t c);
GPUCC_HOST wint_t towupper(wint_t c);
GPUCC_HOST wctype_t wctype(const char *name);
GPUCC_HOST int iswctype(wint_t c, wctype_t kind);

#endif
