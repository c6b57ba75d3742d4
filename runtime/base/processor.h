/* The native targets that this machine's processor runs.  The compiler has this file too, for -march=native. */
#ifndef GPUCC_PROCESSOR_H
#define GPUCC_PROCESSOR_H

/* Bit 1 << GPUCC_NATIVE_… for each target whose code runs here; 0 if none does. */
unsigned processor_targets(void);

#endif
