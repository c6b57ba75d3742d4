/* <stdio.h> for device code: printf alone, and the name of what only hosts have.  On the GPU what printf prints appears
 * when the host next waits for the device. */
#ifndef GPUCC_STDIO_H
#define GPUCC_STDIO_H

typedef struct gpucc_file FILE;
#define printf(...) __builtin_printf(__VA_ARGS__)

#endif
