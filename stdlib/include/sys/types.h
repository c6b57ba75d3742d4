/* <sys/types.h>: the types alone. */
#ifndef GPUCC_SYS_TYPES_H
#define GPUCC_SYS_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef long ssize_t, off_t, time_t, clock_t, blksize_t, blkcnt_t, suseconds_t;
typedef int pid_t, clockid_t, key_t;
typedef unsigned int uid_t, gid_t, mode_t, id_t, useconds_t;
typedef unsigned long dev_t, ino_t, nlink_t;
typedef unsigned char u_char;
typedef unsigned short u_short, ushort;
typedef unsigned int u_int, uint;
typedef unsigned long u_long, ulong;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;

#endif
