/* When LLVM gives up or crashes, the user still gets a diagnostic that names the function being compiled, and exit
 * status 1; where memory, stack or processor time run out, one that says so, and exit status 3.  Nothing half-written
 * is left. */
#define _GNU_SOURCE /* gettid, strchrnul, REG_RSP */
#include "base/base.h"
#include "bridge/bridge.h"

#include <fcntl.h>
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* LLVM's note of what it is doing goes to standard error: caught in a pipe, which holds enough of it. */
static size_t crash_trace(char *buffer, size_t size)
{
    int ends[2], saved = dup(2);
    ssize_t count;
    if (saved < 0 || pipe(ends))
        return 0;
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    dup2(ends[1], 2);
    codegen_print_crash_trace();
    dup2(saved, 2);
    close(ends[1]);
    count = read(ends[0], buffer, size - 1);
    buffer[count > 0 ? count : 0] = 0;
    return count > 0 ? (size_t)count : 0;
}

static void complain_part(const char *text, size_t length)
{
    ssize_t written = write(2, text, length);
    (void)written;
}

static void complain(const char *text)
{
    complain_part(text, strlen(text));
}

const char *crash_function(void)
{
    static _Thread_local char trace[8192];
    char *name = crash_trace(trace, sizeof trace) ? strstr(trace, "function '@") : NULL;
    if (!name)
        return NULL;
    name += strlen("function '@");
    *strchrnul(name, '\'') = 0;
    return name;
}

static atomic_bool explained;

void crash_explained(void)
{
    atomic_store(&explained, true);
}

/* "gpucc: error: the back end failed while compiling 'f': reason", of which the first line is for the user. */
static _Noreturn void give_up(const char *reason)
{
    if (atomic_load(&explained)) {
        discard_files();
        _exit(EXIT_INPUT);
    }
    const char *name = crash_function();
    complain("gpucc: error: the back end failed while compiling ");
    complain(name ? "'" : "this file");
    complain(name ? name : "");
    complain(name ? "': " : ": ");
    complain_part(reason, strcspn(reason, "\n"));
    complain("\ngpucc: note: this is a fault of gpucc, not of your program; please report it with the source\n");
    discard_files();
    _exit(EXIT_INPUT);
}

void crash_begin(void)
{
    static atomic_int teller;
    int nobody = 0, self = gettid();
    if (atomic_compare_exchange_strong(&teller, &nobody, self))
        return;
    while (nobody != self)
        pause();
    complain("gpucc: error: crashed again while telling of a crash\n");
    discard_files();
    _exit(EXIT_INPUT);
}

static _Noreturn void give_up_for_want_of(const char *what)
{
    complain("gpucc: error: ");
    complain(what);
    complain("\n");
    discard_files();
    _exit(EXIT_ENVIRONMENT);
}

static void out_of_memory(void)
{
    give_up_for_want_of("out of memory");
}

/* Whether the address at fault is where the stack was to grow. */
static bool is_at_stack(const siginfo_t *info, const ucontext_t *context)
{
#ifdef __x86_64__
    uintptr_t top = (uintptr_t)context->uc_mcontext.gregs[REG_RSP], address = (uintptr_t)info->si_addr;
    return address + (64 << 10) > top && address < top + (1 << 20);
#else
    (void)info, (void)context;
    return false;
#endif
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    static const char *const names[] = {
        [SIGABRT] = "it aborted",          [SIGSEGV] = "it crashed (SIGSEGV)", [SIGBUS] = "it crashed (SIGBUS)",
        [SIGILL] = "it crashed (SIGILL)",  [SIGFPE] = "it crashed (SIGFPE)",   [SIGTRAP] = "it crashed (SIGTRAP)",
        [SIGSYS] = "it crashed (SIGSYS)",
    };
    if (number == SIGXCPU)
        give_up_for_want_of("out of processor time (ulimit -t)");
    crash_begin();
    if (number == SIGSEGV && is_at_stack(info, context))
        give_up_for_want_of("out of stack: the source nests too deeply, or the limit is too low (ulimit -s)");
    give_up(names[number]);
}

void crash_guard_thread(char *stack)
{
    stack_t alternative = {.ss_sp = stack, .ss_size = CRASH_STACK}, present;
    /* A sanitizer gives each thread one, and takes it back itself. */
    if (!sigaltstack(NULL, &present) && present.ss_flags & SS_DISABLE)
        sigaltstack(&alternative, NULL);
}

/* LLVM's handlers, which come with its notes of what it is doing, have words of their own for every signal. */
static void enable_crash_trace(void)
{
    struct sigaction before[SIGSYS + 1];
    for (int number = 1; number <= SIGSYS; number++)
        sigaction(number, NULL, &before[number]);
    codegen_enable_crash_trace();
    for (int number = 1; number <= SIGSYS; number++)
        sigaction(number, &before[number], NULL);
}

void crash_install(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGXCPU};
    /* A crash of libclang, an overflow of the stack by deep nesting say, is ours to tell: not in a thread of
     * its own. */
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
    codegen_when_out_of_memory(out_of_memory);
    enable_crash_trace();
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(give_up);
    static char stack[CRASH_STACK];
    crash_guard_thread(stack);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_SIGINFO | SA_NODEFER};
        sigaction(numbers[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* then write() says EFBIG */
}
