/* <stdarg.h> for device code: device functions cannot be variadic; this is for headers shared with hosts. */
#ifndef GPUCC_STDARG_H
#define GPUCC_STDARG_H
typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_end(list) __builtin_va_end(list)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_copy(to, from) __builtin_va_copy(to, from)
#endif
