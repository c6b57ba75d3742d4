/* The ten kernels' scenes on a device. */
#ifndef GPUCC_TESTS_SCENE_RUN_H
#define GPUCC_TESTS_SCENE_RUN_H

#include "ten_scenes.h"

#include <gpucc/runtime.h>

/* A kernel with the arrays that it works on, and what a launch takes. */
struct scene_run {
    const struct scene *scene;
    gpucc_context *context;
    gpucc_kernel *kernel;
    gpucc_array *arrays[SCENE_PARAMETERS];
    void *pointers[SCENE_PARAMETERS];
    const void *parameters[SCENE_PARAMETERS];
};

/* Ended by scene_run_end(); the scene stays the caller's.  The kernel's name is the scene's with `suffix` behind.  Ends
 * the program where something fails, as the others do. */
void scene_run_begin(struct scene_run *run, gpucc_context *context, const struct scene *scene,
                     const struct gpucc_program_image *program, uint64_t abi, const char *suffix);
/* Returns when it is done. */
void scene_run_launch(const struct scene_run *run);
/* After the first launch: whether arrays hold what they must. */
bool scene_run_check(struct scene_run *run);
void scene_run_end(struct scene_run *run);

#endif
