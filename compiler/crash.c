/* When LLVM gives up or crashes, the user still gets a diagnostic that names the function being compiled, and exit
 * status 1; nothing half-written is left. */
#define _GNU_SOURCE /* strchrnul */
#include "backend.h"

#include <fcntl.h>
#include <llvm-c/ErrorHandling.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
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

static void on_signal(int number)
{
    static const char *const names[] = {[SIGABRT] = "it aborted", [SIGSEGV] = "it crashed (SIGSEGV)",
                                        [SIGBUS] = "it crashed (SIGBUS)", [SIGILL] = "it crashed (SIGILL)",
                                        [SIGFPE] = "it crashed (SIGFPE)"};
    signal(number, SIG_DFL);
    give_up(names[number]);
}

static void out_of_memory(void)
{
    complain("gpucc: error: out of memory\n");
    discard_files();
    _exit(EXIT_ENVIRONMENT);
}

void crash_guard_thread(char *stack)
{
    stack_t alternative = {.ss_sp = stack, .ss_size = CRASH_STACK}, present;
    /* A sanitizer gives each thread one, and takes it back itself. */
    if (!sigaltstack(NULL, &present) && present.ss_flags & SS_DISABLE)
        sigaltstack(&alternative, NULL);
}

void crash_install(void)
{
    static const int numbers[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    /* A crash of libclang, an overflow of the stack by deep nesting say, is ours to tell: not in a thread of
     * its own. */
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    setenv("LIBCLANG_DISABLE_CRASH_RECOVERY", "1", 1);
    codegen_enable_crash_trace();
    codegen_when_out_of_memory(out_of_memory);
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(give_up);
    static char stack[CRASH_STACK];
    crash_guard_thread(stack);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
        sigaction(numbers[i], &action, NULL);
    }
}
