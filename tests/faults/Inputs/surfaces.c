#include "../faults.h"

#include <gpucc/texture.h>

kernel void neighbours(surface_object s, texture_object t)
{
    int x = (int)threadIdx.x, y = (int)threadIdx.y;
    surf2Dwrite((float)x, s, x * 4, y);
    RIGHT(syncthreads();)
    const float next = surf2Dread(float, s, (x + 1) % 16 * 4, y);
    syncthreads();
    surf2Dwrite(next, s, x * 4, y);
}

kernel void beyond(surface_object s, texture_object t)
{
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    surf2Dwrite(1.0f, s, (x WRONG(+ 1)) * 4, y, SURFACE_TRAP);
}

kernel void shown(surface_object s, texture_object t)
{
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const float before = tex2D(float, t, (float)x + 0.5f, (float)y + 0.5f);
    syncthreads();
    surf2Dwrite(before + 1, s, x * 4, y);
    syncthreads();
    WRONG(surf2Dwrite(tex2D(float, t, (float)x + 0.5f, (float)y + 0.5f), s, x * 4, y);)
}
