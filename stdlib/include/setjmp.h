/* <setjmp.h>: declarations of what only hosts have. */
#ifndef GPUCC_SETJMP_H
#define GPUCC_SETJMP_H

#include "hosted.h"

typedef long jmp_buf[32];
typedef long sigjmp_buf[40];

GPUCC_HOST int setjmp(jmp_buf environment);
GPUCC_HOST int sigsetjmp(sigjmp_buf environment, int saves);
GPUCC_HOST __attribute__((noreturn)) void longjmp(jmp_buf environment, int value);
GPUCC_HOST __attribute__((noreturn)) void siglongjmp(sigjmp_buf environment, int value);

#endif
