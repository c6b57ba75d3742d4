/* Time, waiting and stopping; part of <gpucc.h>.  See also <stdio.h> for printf and <assert.h>.
 *
 *   clock64()       a counter of the processor's cycles, int64
 *   globaltimer()   nanoseconds, the same clock for all threads of the device, uint64
 *   nanosleep(n)    sleeps for about n nanoseconds at most; on the CPU it lets the block's other threads run
 *   trap()          ends the launch with an error
 *   breakpoint()    stops in a debugger; without one the program ends
 */
#ifndef GPUCC_DEBUG_H
#define GPUCC_DEBUG_H

#if defined(__NVPTX__)
#define gpucc_clock64() ((int64_t)__nvvm_read_ptx_sreg_clock64())
#define gpucc_globaltimer() ((uint64_t)__nvvm_read_ptx_sreg_globaltimer())
#if __CUDA_ARCH__ >= 700
#define gpucc_nanosleep(nanoseconds) __nvvm_nanosleep(nanoseconds)
#else
#define gpucc_nanosleep(nanoseconds) ((void)(nanoseconds)) /* there is no such instruction */
#endif
#define gpucc_trap() __builtin_trap()
#define gpucc_breakpoint() __asm__ volatile("brkpt;" ::: "memory")
#else
#define gpucc_clock64() ((int64_t)gpucc_cpu_cycles())
#define gpucc_globaltimer() gpucc_cpu_nanoseconds()
#define gpucc_nanosleep(nanoseconds) ((void)(nanoseconds), gpucc_cpu_warp_yield())
#define gpucc_trap() gpucc_cpu_fail("trap", __FILE__, __LINE__)
#define gpucc_breakpoint() gpucc_cpu_breakpoint()
#endif

#ifndef GPUCC_NO_SHORT_NAMES
#define clock64() gpucc_clock64()
#define globaltimer() gpucc_globaltimer()
#define nanosleep(nanoseconds) gpucc_nanosleep(nanoseconds)
#define trap() gpucc_trap()
#define breakpoint() gpucc_breakpoint()
#endif

#endif
