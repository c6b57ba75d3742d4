/* Programs' native code, for the stand-in for libcuda. */
#ifndef GPUCC_TESTS_GPU_NATIVES_H
#define GPUCC_TESTS_GPU_NATIVES_H

/* Tells the stand-in, where GPUCC_LIBCUDA names it, which shared library has the native code of the program that is
 * loaded next.  Ends the process where that cannot be opened.  Does nothing where the stand-in plays PTX. */
void use_natives(const char *path);

#endif
