/* Programs in files, with what they run on and what they should give, to the byte (tests/random/scene.h). */
#ifndef GPUCC_TESTS_GPU_SCENES_H
#define GPUCC_TESTS_GPU_SCENES_H

/* Runs those scenes of a folder beside the executable whose names begin so.  The program of STEM.scene is STEM.ptx with
 * STEM.json, that of STEM.CASE.scene too; the stand-in for libcuda takes STEM.so.  The test fails where results
 * differ, and is skipped where there are none. */
void scenes_run(const char *where, const char *prefix);

#endif
