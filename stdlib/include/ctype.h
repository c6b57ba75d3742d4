/* <ctype.h>, of the locale "C". */
#ifndef GPUCC_CTYPE_H
#define GPUCC_CTYPE_H

#define GPUCC_CTYPE extern inline __attribute__((gnu_inline, always_inline))
GPUCC_CTYPE int isdigit(int c) { return (unsigned)c - '0' < 10; }
GPUCC_CTYPE int islower(int c) { return (unsigned)c - 'a' < 26; }
GPUCC_CTYPE int isupper(int c) { return (unsigned)c - 'A' < 26; }
GPUCC_CTYPE int isalpha(int c) { return ((unsigned)c | 32) - 'a' < 26; }
GPUCC_CTYPE int isalnum(int c) { return ((unsigned)c | 32) - 'a' < 26 || (unsigned)c - '0' < 10; }
GPUCC_CTYPE int isxdigit(int c) { return ((unsigned)c | 32) - 'a' < 6 || (unsigned)c - '0' < 10; }
GPUCC_CTYPE int isblank(int c) { return c == ' ' || c == '\t'; }
GPUCC_CTYPE int isspace(int c) { return c == ' ' || (unsigned)c - '\t' < 5; }
GPUCC_CTYPE int iscntrl(int c) { return (unsigned)c < 32 || c == 127; }
GPUCC_CTYPE int isprint(int c) { return (unsigned)c - 32 < 95; }
GPUCC_CTYPE int isgraph(int c) { return (unsigned)c - 33 < 94; }
GPUCC_CTYPE int ispunct(int c)
{
    return (unsigned)c - 33 < 94 && !(((unsigned)c | 32) - 'a' < 26 || (unsigned)c - '0' < 10);
}
GPUCC_CTYPE int tolower(int c) { return (unsigned)c - 'A' < 26 ? c + 32 : c; }
GPUCC_CTYPE int toupper(int c) { return (unsigned)c - 'a' < 26 ? c - 32 : c; }
#undef GPUCC_CTYPE

#endif
