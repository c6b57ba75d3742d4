/* The modes in which numbers are computed, and what the processor flags. */
#ifndef GPUCC_FLOATING_POINT_H
#define GPUCC_FLOATING_POINT_H

#include <stdbool.h>
#include <stdint.h>

/* Floating point as the standard has it, whatever modes the host has set: denormals kept, rounding to nearest, no
 * traps.  fp_leave() gives the host its modes back. */
#if defined(__SSE__)
static inline unsigned fp_enter(void)
{
    unsigned modes = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return modes;
}
static inline void fp_leave(unsigned modes)
{
    __builtin_ia32_ldmxcsr(modes);
}
enum { FP_FLAGS = 0x3f, FP_INVALID = 1, FP_DIVIDE = 4, FP_OVERFLOW = 8 };
/* Whether the host uses the default modes.  Reading them takes less time than setting them. */
static inline bool fp_is_standard(void)
{
    return (__builtin_ia32_stmxcsr() & ~(unsigned)FP_FLAGS) == 0x1f80;
}
/* The exceptions that are flagged: overflow, an invalid operation …; and that in place of it. */
static inline unsigned fp_flags(void)
{
    return __builtin_ia32_stmxcsr() & FP_FLAGS;
}
static inline void fp_set_flags(unsigned flags)
{
    __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~(unsigned)FP_FLAGS) | flags);
}
#else
static inline unsigned fp_enter(void)
{
    return 0;
}
static inline void fp_leave(unsigned modes)
{
    (void)modes;
}
static inline bool fp_is_standard(void)
{
    return true;
}
#ifdef __aarch64__
enum { FP_FLAGS = 0x9f, FP_INVALID = 1, FP_DIVIDE = 2, FP_OVERFLOW = 4 };
static inline unsigned fp_flags(void)
{
    uint64_t status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    return (unsigned)status & FP_FLAGS;
}
static inline void fp_set_flags(unsigned flags)
{
    uint64_t status;
    __asm__ volatile("mrs %0, fpsr" : "=r"(status));
    status = (status & ~(uint64_t)FP_FLAGS) | flags;
    __asm__ volatile("msr fpsr, %0" : : "r"(status));
}
#else
enum { FP_INVALID = 1, FP_DIVIDE = 2, FP_OVERFLOW = 4 };
static inline unsigned fp_flags(void)
{
    return 0;
}
static inline void fp_set_flags(unsigned flags)
{
    (void)flags;
}
#endif
#endif

#endif
