/* <unistd.h>: types, and declarations of what only hosts have. */
#ifndef GPUCC_UNISTD_H
#define GPUCC_UNISTD_H

#include "hosted.h"
#include <sys/types.h>

#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

GPUCC_HOST ssize_t read(int descriptor, void *to, size_t size);
GPUCC_HOST ssize_t write(int descriptor, const void *from, size_t size);
GPUCC_HOST int close(int descriptor);
GPUCC_HOST off_t lseek(int descriptor, off_t offset, int from);
GPUCC_HOST int unlink(const char *path);
GPUCC_HOST int access(const char *path, int mode);
GPUCC_HOST int isatty(int descriptor);
GPUCC_HOST pid_t getpid(void);
GPUCC_HOST unsigned sleep(unsigned seconds);
GPUCC_HOST int usleep(useconds_t microseconds);
GPUCC_HOST __attribute__((noreturn)) void _exit(int status);

#endif
