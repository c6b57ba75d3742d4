/* <stdnoreturn.h> */
#ifndef GPUCC_STDNORETURN_H
#define GPUCC_STDNORETURN_H

#define noreturn _Noreturn

#endif
