/* <stdio.h>: what prints to standard output or standard error is printf, and declarations of what only hosts have.  On
 * the GPU what printf prints appears when the host next waits for the device. */
#ifndef GPUCC_STDIO_H
#define GPUCC_STDIO_H

#include "hosted.h"
#include <stdarg.h>

typedef struct gpucc_file FILE;
typedef long fpos_t;

#define EOF (-1)
#define BUFSIZ 8192
#define FILENAME_MAX 4096
#define FOPEN_MAX 16
#define L_tmpnam 20
#define TMP_MAX 238328
#define _IOFBF 0
#define _IOLBF 1
#define _IONBF 2
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

/* No files, but names of streams, which all print to the same place. */
#define stdin ((FILE *)1)
#define stdout ((FILE *)2)
#define stderr ((FILE *)3)

#define printf(...) __builtin_printf(__VA_ARGS__)
#define fprintf(stream, ...) ((void)(stream), __builtin_printf(__VA_ARGS__))
#define puts(text) __builtin_printf("%s\n", text)
#define fputs(text, stream) ((void)(stream), __builtin_printf("%s", text))
#define putchar(c) __builtin_printf("%c", c)
#define fputc(c, stream) ((void)(stream), __builtin_printf("%c", c))
#define putc(c, stream) fputc(c, stream)
#define fflush(stream) ((void)(stream), 0)

GPUCC_HOST FILE *fopen(const char *restrict path, const char *restrict mode);
GPUCC_HOST FILE *freopen(const char *restrict path, const char *restrict mode, FILE *restrict stream);
GPUCC_HOST FILE *fdopen(int descriptor, const char *mode);
GPUCC_HOST FILE *tmpfile(void);
GPUCC_HOST char *tmpnam(char *name);
GPUCC_HOST int fclose(FILE *stream);
GPUCC_HOST int fileno(FILE *stream);
GPUCC_HOST int setvbuf(FILE *restrict stream, char *restrict buffer, int mode, size_t size);
GPUCC_HOST void setbuf(FILE *restrict stream, char *restrict buffer);
GPUCC_HOST size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream);
GPUCC_HOST size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream);
GPUCC_HOST int fgetc(FILE *stream);
GPUCC_HOST int getc(FILE *stream);
GPUCC_HOST int getchar(void);
GPUCC_HOST int ungetc(int c, FILE *stream);
GPUCC_HOST char *fgets(char *restrict to, int size, FILE *restrict stream);
GPUCC_HOST int fseek(FILE *stream, long offset, int from);
GPUCC_HOST long ftell(FILE *stream);
GPUCC_HOST void rewind(FILE *stream);
GPUCC_HOST int fgetpos(FILE *restrict stream, fpos_t *restrict position);
GPUCC_HOST int fsetpos(FILE *stream, const fpos_t *position);
GPUCC_HOST int feof(FILE *stream);
GPUCC_HOST int ferror(FILE *stream);
GPUCC_HOST void clearerr(FILE *stream);
GPUCC_HOST void perror(const char *text);
GPUCC_HOST int remove(const char *path);
GPUCC_HOST int rename(const char *from, const char *to);

GPUCC_HOST int sprintf(char *restrict to, const char *restrict format, ...);
GPUCC_HOST int snprintf(char *restrict to, size_t size, const char *restrict format, ...);
GPUCC_HOST int vprintf(const char *restrict format, va_list arguments);
GPUCC_HOST int vfprintf(FILE *restrict stream, const char *restrict format, va_list arguments);
GPUCC_HOST int vsprintf(char *restrict to, const char *restrict format, va_list arguments);
GPUCC_HOST int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list arguments);
GPUCC_HOST int scanf(const char *restrict format, ...);
GPUCC_HOST int fscanf(FILE *restrict stream, const char *restrict format, ...);
GPUCC_HOST int sscanf(const char *restrict text, const char *restrict format, ...);
GPUCC_HOST int vscanf(const char *restrict format, va_list arguments);
GPUCC_HOST int vfscanf(FILE *restrict stream, const char *restrict format, va_list arguments);
GPUCC_HOST int vsscanf(const char *restrict text, const char *restrict format, va_list arguments);

#endif
