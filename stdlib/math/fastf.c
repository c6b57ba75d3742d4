/* Replacements for float division and float functions with --fast-math, on the GPU alone: approximations of the
 * special-function unit, without denormals, as in nvcc -use_fast_math. */
#include "mathlib.h"

#if defined(__NVPTX__)

float gpucc_fast_fdividef(float x, float y)
{
    return __nvvm_div_approx_ftz_f(x, y);
}

float gpucc_fast_rcpf(float x)
{
    return __nvvm_rcp_approx_ftz_f(x);
}

float gpucc_fast_sqrtf(float x)
{
    return __nvvm_sqrt_approx_ftz_f(x);
}

float gpucc_fast_rsqrtf(float x)
{
    return __nvvm_rsqrt_approx_ftz_f(x);
}

float gpucc_fast_sinf(float x)
{
    return __nvvm_sin_approx_ftz_f(x);
}

float gpucc_fast_cosf(float x)
{
    return __nvvm_cos_approx_ftz_f(x);
}

float gpucc_fast_tanf(float x)
{
    return __nvvm_div_approx_ftz_f(__nvvm_sin_approx_ftz_f(x), __nvvm_cos_approx_ftz_f(x));
}

void gpucc_fast_sincosf(float x, float *sine, float *cosine)
{
    *sine = __nvvm_sin_approx_ftz_f(x);
    *cosine = __nvvm_cos_approx_ftz_f(x);
}

float gpucc_fast_exp2f(float x)
{
    return __nvvm_ex2_approx_ftz_f(x);
}

float gpucc_fast_expf(float x)
{
    return __nvvm_ex2_approx_ftz_f(__nvvm_mul_rn_ftz_f(x, 0x1.715476p0f)); /* log2(e) */
}

float gpucc_fast_exp10f(float x)
{
    return __nvvm_ex2_approx_ftz_f(__nvvm_mul_rn_ftz_f(x, 0x1.a934fp1f)); /* log2(10) */
}

float gpucc_fast_log2f(float x)
{
    return __nvvm_lg2_approx_ftz_f(x);
}

float gpucc_fast_logf(float x)
{
    return __nvvm_mul_rn_ftz_f(__nvvm_lg2_approx_ftz_f(x), 0x1.62e43p-1f); /* log(2) */
}

float gpucc_fast_log10f(float x)
{
    return __nvvm_mul_rn_ftz_f(__nvvm_lg2_approx_ftz_f(x), 0x1.344136p-2f); /* log10(2) */
}

/* A negative x gives NaN, even if y is an integer. */
float gpucc_fast_powf(float x, float y)
{
    return __nvvm_ex2_approx_ftz_f(__nvvm_mul_rn_ftz_f(y, __nvvm_lg2_approx_ftz_f(x)));
}

/* From PTX ISA 7.0 on. */
float gpucc_fast_tanhf(float x)
{
    float result;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

#endif
