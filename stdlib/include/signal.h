/* <signal.h>: declarations of what only hosts have. */
#ifndef GPUCC_SIGNAL_H
#define GPUCC_SIGNAL_H

#include "hosted.h"
#include <sys/types.h>

typedef int sig_atomic_t;

#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGABRT 6
#define SIGBUS 7
#define SIGFPE 8
#define SIGKILL 9
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGALRM 14
#define SIGTERM 15
#define SIG_DFL ((void (*)(int))0)
#define SIG_IGN ((void (*)(int))1)
#define SIG_ERR ((void (*)(int))-1)

GPUCC_HOST void (*signal(int number, void (*handler)(int)))(int);
GPUCC_HOST int raise(int number);
GPUCC_HOST int kill(pid_t process, int number);

#endif
