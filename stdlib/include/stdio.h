/* <stdio.h> for device code: printf alone.  On the GPU what it prints appears when the host next waits for the
 * device. */
#ifndef GPUCC_STDIO_H
#define GPUCC_STDIO_H

#define printf(...) __builtin_printf(__VA_ARGS__)

#endif
