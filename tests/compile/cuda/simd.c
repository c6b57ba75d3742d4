// Operations on the halves and bytes of words, complex numbers as pairs, and warp operations without a mask.
// RUN: %gpucc %s -o %t.ptx -o %t.o
// RUN: %gpucc run %s bytes 0x807f01ff 0xff010203 zeros:24:uint32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=BYTES
// RUN: %gpucc run %s halves 0x80007fff 0xffff0002 zeros:12:uint32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=HALVES
// RUN: %gpucc run %s pairs 3 zeros:12:float64 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=PAIRS
// RUN: %gpucc run %s lanes zeros:32:int32 --grid=1 --block=32 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=LANES
// RUN: %gpucc run %s greatest 5 -7 0x80007fff 0xffff0002 zeros:20:uint32 --grid=1 --block=1 --device=cpu -o %t.npy
// RUN: %python %S/../intrinsics/Inputs/values.py %t.npy | FileCheck %s --check-prefix=GREATEST
#include <cuComplex.h>

__global__ void bytes(unsigned a, unsigned b, unsigned *out)
{
    out[0] = __vadd4(a, b) == 0x7f800302;
    out[1] = __vaddss4(a, b) == 0x807f0302;
    out[2] = __vaddus4(a, b) == 0xff8003ff;
    out[3] = __vsub4(a, b) == 0x817efffc;
    out[4] = __vsubss4(a, b) == 0x817efffc;
    out[5] = __vsubus4(a, b) == 0x007e00fc;
    out[6] = __vabs4(a) == 0x807f0101;
    out[7] = __vabsss4(a) == 0x7f7f0101;
    out[8] = __vneg4(a) == 0x8081ff01;
    out[9] = __vnegss4(a) == 0x7f81ff01;
    out[10] = __vabsdiffs4(a, b) == 0x7f7e0104;
    out[11] = __vabsdiffu4(a, b) == 0x7f7e01fc;
    out[12] = __vsads4(a, b) == 0x7f + 0x7e + 1 + 4;
    out[13] = __vsadu4(a, b) == 0x7f + 0x7e + 1 + 0xfc;
    out[14] = __vavgs4(a, b) == 0xbf400201; /* (-128 - 1) / 2 is -65 so rounded, 3 / 2 is 2 */
    out[15] = __vavgu4(a, b) == 0xc0400281;
    out[16] = __vhaddu4(a, b) == 0xbf400181;
    out[17] = __vmaxs4(a, b) == 0xff7f0203 && __vmins4(a, b) == 0x800101ff;
    out[18] = __vmaxu4(a, b) == 0xff7f02ff && __vminu4(a, b) == 0x80010103;
    out[19] = __vcmpgts4(a, b) == 0x00ff0000 && __vcmpgtu4(a, b) == 0x00ff00ff;
    out[20] = __vsetles4(a, b) == 0x01000101 && __vsetleu4(a, b) == 0x01000100;
    out[21] = __vcmpeq4(a, a) == ~0u && __vsetne4(a, b) == 0x01010101;
    out[22] = __vcmpges4(a, b) == 0x00ff0000 && __vcmpltu4(a, b) == 0xff00ff00;
    out[23] = __vsetgeu4(a, b) == 0x00010001 && __vsetlts4(a, b) == 0x01000101;
}
// BYTES: {{^}}1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1{{$}}

__global__ void halves(unsigned a, unsigned b, unsigned *out)
{
    out[0] = __vadd2(a, b) == 0x7fff8001;
    out[1] = __vaddss2(a, b) == 0x80007fff;
    out[2] = __vaddus2(a, b) == 0xffff8001;
    out[3] = __vsubss2(a, b) == 0x80017ffd;
    out[4] = __vabsss2(a) == 0x7fff7fff && __vabs2(a) == 0x80007fff;
    out[5] = __vnegss2(a) == 0x7fff8001 && __vneg2(a) == 0x80008001;
    out[6] = __vavgs2(a, b) == 0xbfff4001;
    out[7] = __vmaxs2(a, b) == 0xffff7fff && __vminu2(a, b) == 0x80000002;
    out[8] = __vcmpgts2(a, b) == 0x0000ffff && __vsetgtu2(a, b) == 0x00000001;
    out[9] = __vsads2(a, b) == 0x7fff + 0x7ffd;
    out[10] = __vabsdiffu2(a, b) == 0x7fff7ffd;
    out[11] = __vhaddu2(a, b) == 0xbfff4000;
}
// HALVES: {{^}}1 1 1 1 1 1 1 1 1 1 1 1{{$}}

__global__ void pairs(float x, double *out)
{
    cuComplex a = make_cuComplex(x, 4), b = make_cuFloatComplex(1, -2);
    cuDoubleComplex c = cuComplexFloatToDouble(a), d = make_cuDoubleComplex(0, 2);
    out[0] = cuCabsf(a);
    out[1] = cuCrealf(cuCmulf(a, b));
    out[2] = cuCimagf(cuCmulf(a, b));
    out[3] = cuCrealf(cuCdivf(cuCmulf(a, b), b));
    out[4] = cuCimag(cuCdiv(c, d));
    out[5] = cuCreal(cuCfma(c, d, cuConj(c)));
    out[6] = cuCimag(cuCfma(c, d, cuConj(c)));
    out[7] = cuCabs(cuCsub(c, d)) * cuCabs(cuCsub(c, d));
    out[8] = cuCaddf(a, cuComplexDoubleToFloat(d)).y;
    out[9] = isinf(cuCabsf(make_cuFloatComplex(INFINITY, NAN)));
    out[10] = cuCabs(make_cuDoubleComplex(0, 0));
    out[11] = cuCabs(make_cuDoubleComplex(3e300, 4e300)) == 5e300;
}
// PAIRS: {{^}}5 11 -2 3 -1.5 -5 2 13{{(\.0+[0-9]*)?}} 6 0 0 1{{$}}

__global__ void lanes(int *out)
{
    int lane = threadIdx.x;
    out[lane] = __shfl_down(lane, 1) + 100 * __shfl_xor(lane, 1) + 10000 * __shfl(lane, 3) + 100000 * __any(lane == 5) +
                1000000 * __all(lane < 5) + 10000000 * (__ballot(lane < 2) == 3u);
}
// LANES: {{^}}10130101 10130002

__global__ void greatest(int x, int y, unsigned a, unsigned b, unsigned *out)
{
    bool p, high, low;
    out[0] = __vimax3_s32(x, y, 9) == 9 && __vimin3_s32(x, y, 9) == -7;
    out[1] = __vimax3_u32(x, y, 9) == (unsigned)y && __vimin3_u32(x, y, 9) == 5;
    out[2] = __vimax3_s32_relu(y, y, y) == 0 && __vimin3_s32_relu(x, 9, 7) == 5;
    out[3] = __vimax_s32_relu(x, y) == 5 && __vimin_s32_relu(x, y) == 0;
    out[4] = __viaddmax_s32(x, y, -9) == -2 && __viaddmin_s32(x, y, -9) == -9;
    out[5] = __viaddmax_s32_relu(x, y, -9) == 0 && __viaddmin_s32_relu(x, x, 11) == 10;
    out[6] = __viaddmax_u32(x, y, 3) == (unsigned)-2 && __viaddmin_u32(x, y, 3) == 3;
    out[7] = __viaddmax_s32(0x7fffffff, 1, 4) == 4;
    out[8] = __vimax3_s16x2(a, b, 0xfffe0001) == 0xffff7fff && __vimin3_s16x2(a, b, 0xfffe0001) == 0x80000001;
    out[9] = __vimax3_u16x2(a, b, 0xfffe0001) == 0xffff7fff && __vimin3_u16x2(a, b, 0xfffe0001) == 0x80000001;
    out[10] = __vimax_s16x2_relu(a, b) == 0x00007fff && __vimin_s16x2_relu(a, b) == 0x00000002;
    out[11] = __viaddmax_s16x2(a, b, 0) == 0x7fff0000; /* both sums go round */
    out[12] = __viaddmin_s16x2(a, b, 0) == 0x00008001;
    out[13] = __viaddmax_u16x2(a, b, 0) == 0x7fff8001 && __viaddmin_u16x2(a, b, 0xffffffff) == 0x7fff8001;
    out[14] = __viaddmax_s16x2_relu(a, b, 0) == 0x7fff0000 && __viaddmin_s16x2_relu(a, b, 0xffffffff) == 0;
    out[15] = __vibmax_s32(x, y, &p) == 5 && p;
    out[16] = __vibmin_u32(y, x, &p) == 5 && !p && __vibmin_u32(x, x, &p) == 5 && p;
    out[17] = __vibmax_s16x2(a, b, &high, &low) == 0xffff7fff && !high && low;
    out[18] = __vibmin_u16x2(a, b, &high, &low) == 0x80000002 && high && !low;
    out[19] = __vibmax_u16x2(b, a, &high, &low) == 0xffff7fff && high && !low && __vibmin_s32(x, y, &p) == y && !p;
}
// GREATEST: {{^}}1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1{{$}}
