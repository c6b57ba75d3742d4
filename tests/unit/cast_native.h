/* The native code of the runtime's own kernel, for libcuda's stand-in.  Include after "fake_cuda.h". */
#ifndef CAST_NATIVE_H
#define CAST_NATIVE_H

void cast_elements_thread(void **parameters);
void cast_elements_block(void **parameters);

static inline void register_cast(void)
{
    fake_cuda_register("cast_elements", cast_elements_thread, cast_elements_block, 0);
}

#endif
