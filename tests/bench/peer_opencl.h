/* The ten kernels by an OpenCL implementation for the CPU, such as PoCL. */
#ifndef GPUCC_TESTS_PEER_OPENCL_H
#define GPUCC_TESTS_PEER_OPENCL_H

#include "ten_scenes.h"

/* Builds the program of that OpenCL C file for the first CPU device.  False where there is none. */
bool opencl_open(const char *path);
/* "Portable Computing Language, OpenCL 3.0 PoCL 3.1" */
const char *opencl_name(void);

/* Memory for the scene's arrays, filled.  What fails from here on ends the program with a message. */
void opencl_begin(const struct scene *scene);
void opencl_launch(const struct scene *scene); /* and waits */
void opencl_read(const struct scene *scene, int parameter, void *data);
void opencl_end(void);

#endif
