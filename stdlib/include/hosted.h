/* Shared by the headers of C's hosted library, whose functions device code does not have. */
#ifndef GPUCC_HOSTED_H
#define GPUCC_HOSTED_H

#include <stddef.h>

/* A call of the function below is an error where device code reaches it. */
#define GPUCC_HOST __attribute__((annotate("gpucc.host")))

#endif
