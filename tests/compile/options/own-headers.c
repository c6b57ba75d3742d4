// gpucc's headers are those inside it, also where an option or the environment names a folder with other ones of the name.
// RUN: %gpucc -I%include -isystem %include %s -o %t.ptx -o %t.o
// RUN: rm -rf %t && mkdir -p %t/gpucc && sh -c 'echo "#error not these" | tee %t/gpucc.h > %t/gpucc/vector.h'
// RUN: %gpucc -I%t %s -o %t.2.ptx && cmp %t.ptx %t.2.ptx
// RUN: env CPATH=%t C_INCLUDE_PATH=%t %gpucc %s -o %t.3.ptx && cmp %t.ptx %t.3.ptx
#include <gpucc.h>
#include <gpucc/vector.h>

kernel
void scale(size_t n, float4 x[n])
{
    size_t i = grid(1);
    if (i < n)
        x[i].w *= 2;
}
