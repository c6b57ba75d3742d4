/* Sums that any wrong conversion changes, by gpucc's cuda_fp8.h and by the toolkit's: C and CUDA C++. */

DEVICE unsigned fp8_mixed(unsigned i, unsigned code)
{
    unsigned x = (i + 1) * 2654435761u ^ code * 2246822519u;
    return x ^ x >> 15;
}

/* A sum over floats with the upper bits `i`, whose lower bits lie just below, at and just above a tie, and doubles. */
DEVICE unsigned fp8_sum_of(unsigned i, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind)
{
    const unsigned low[4] = {0, 1, 0x8000, 0xffff};
    unsigned sum = 0;
    for (int k = 0; k < 4; k++) {
        unsigned bits = i << 16 | low[k];
        unsigned long long wide = (unsigned long long)i << 48 | (unsigned long long)low[k] << 32 | (k & 1);
        unsigned long long turned = wide ^ 1ull << 63; /* a GPU's -y is any NaN where y is one */
        float x;
        double y, negative;
        memcpy(&x, &bits, sizeof x);
        memcpy(&y, &wide, sizeof y);
        memcpy(&negative, &turned, sizeof negative);
        float2 pair = {x, -x};
        double2 wide_pair = {y, negative};
        __half_raw half;
        __half2_raw halves;
        __nv_bfloat16_raw brain;
        __nv_bfloat162_raw brains;
        half.x = halves.x = brain.x = brains.x = (unsigned short)i;
        halves.y = brains.y = (unsigned short)~i;
        sum += fp8_mixed(4 * i + k, __nv_cvt_float_to_fp8(x, saturate, kind));
        sum += fp8_mixed(5 * i + k, __nv_cvt_double_to_fp8(y, saturate, kind));
        sum += fp8_mixed(6 * i + k, __nv_cvt_float2_to_fp8x2(pair, saturate, kind));
        sum += fp8_mixed(7 * i + k, __nv_cvt_halfraw_to_fp8(half, saturate, kind));
        sum += fp8_mixed(8 * i + k, __nv_cvt_double2_to_fp8x2(wide_pair, saturate, kind));
        sum += fp8_mixed(9 * i + k, __nv_cvt_halfraw2_to_fp8x2(halves, saturate, kind));
        sum += fp8_mixed(10 * i + k, __nv_cvt_bfloat16raw_to_fp8(brain, saturate, kind));
        sum += fp8_mixed(11 * i + k, __nv_cvt_bfloat16raw2_to_fp8x2(brains, saturate, kind));
    }
    __half2_raw back = __nv_cvt_fp8x2_to_halfraw2((__nv_fp8x2_storage_t)i, kind);
    __half_raw one = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(i >> 8), kind);
    return sum + fp8_mixed(i, (unsigned)back.x << 16 | back.y) + fp8_mixed(3 * i, one.x);
}
