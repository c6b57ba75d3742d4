/* When LLVM gives up or crashes, the user still gets a diagnostic that names the function being compiled, and exit
 * status 1; where memory, stack or processor time run out, one that says so, and exit status 3.  Nothing half-written
 * is left. */
#define _GNU_SOURCE /* gettid, strchrnul, REG_RSP */
#include "base/base.h"
#include "bridge/bridge.h"

#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

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
    codegen_crash_trace(trace, sizeof trace);
    char *name = strstr(trace, "function '@");
    if (!name)
        return NULL;
    name += strlen("function '@");
    *strchrnul(name, '\'') = 0;
    return name;
}

static atomic_bool explained;

void crash_explained(void)
{
    if (job_current())
        job_explained();
    else
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
    if (job_current())
        input_error("the back end failed while compiling %s%s%s: %.*s; this is a bug in gpucc, not in your program: "
                    "please report it with the source", name ? "'" : "", name ? name : "this file", name ? "'" : "",
                    (int)strcspn(reason, "\n"), reason);
    complain("gpucc: error: the back end failed while compiling ");
    complain(name ? "'" : "this file");
    complain(name ? name : "");
    complain(name ? "': " : ": ");
    complain_part(reason, strcspn(reason, "\n"));
    complain("\ngpucc: note: this is a bug in gpucc, not in your program; please report it with the source\n");
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
    complain("gpucc: error: crashed again while reporting a crash\n");
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
#ifdef __aarch64__
    uintptr_t top = (uintptr_t)context->uc_mcontext.sp, address = (uintptr_t)info->si_addr;
#else
    uintptr_t top = (uintptr_t)context->uc_mcontext.gregs[REG_RSP], address = (uintptr_t)info->si_addr;
#endif
    return address + (64 << 10) > top && address < top + (1 << 20);
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

void crash_leave_thread(const char *stack)
{
    const stack_t none = {.ss_flags = SS_DISABLE};
    stack_t present;
    if (!sigaltstack(NULL, &present) && present.ss_sp == stack)
        sigaltstack(&none, NULL);
}

void crash_install(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGXCPU};
    /* A crash of libclang, an overflow of the stack by deep nesting say, is ours to report: not in a thread of
     * its own. */
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
    codegen_when_out_of_memory(out_of_memory);
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

/* ---- in somebody else's process ---- */

static void out_of_memory_here(void)
{
    if (job_current())
        fatal("out of memory");
    codegen_out_of_memory_elsewhere();
}

/* Outside of a job's thread, LLVM's default without a handler. */
static void give_up_here(const char *reason)
{
    if (job_current())
        give_up(reason);
    complain("LLVM ERROR: ");
    complain(reason);
    complain("\n");
    abort();
}

void crash_borrow(void)
{
    codegen_when_out_of_memory(out_of_memory_here);
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(give_up_here);
}

void crash_return(void)
{
    codegen_when_out_of_memory(NULL);
    LLVMResetFatalErrorHandler();
}

void crash_handlers_again(void)
{
    if (job_current())
        crash_borrow();
    else
        crash_install();
}
