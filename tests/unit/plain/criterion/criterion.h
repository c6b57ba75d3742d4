/* A stand-in for Criterion where it does not run, as under ThreadSanitizer: the same spelling, each test in a process
 * of its own, one after the other.  Put tests/unit/plain before the system's headers; arguments choose tests by name.
 * Exit status 1 if a test failed. */
#ifndef PLAIN_CRITERION_H
#define PLAIN_CRITERION_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLOWER = 5 }; /* than Criterion's tests */

struct plain_options {
    double timeout; /* seconds, of Criterion; 0: five minutes */
    int signal;     /* that the test is to end by */
    void (*init)(void), (*fini)(void);
    int disabled;
};

struct plain_test {
    const char *name;
    void (*run)(void);
    struct plain_options options;
    struct plain_test *next;
};

static struct plain_test *plain_first, **plain_last = &plain_first;

#define Test(suite, test, ...)                                                                                         \
    static void suite##_##test(void);                                                                                  \
    __attribute__((constructor)) static void suite##_##test##_register(void)                                           \
    {                                                                                                                  \
        static struct plain_test self = {#suite "/" #test, suite##_##test, {__VA_ARGS__}, NULL};     \
        *plain_last = &self;                                                                                           \
        plain_last = &self.next;                                                                                       \
    }                                                                                                                  \
    static void suite##_##test(void)

#define cr_assert(condition, ...)                                                                                      \
    ((condition) ? (void)0 : plain_fail(__FILE__, __LINE__, #condition, "" __VA_ARGS__))

#define cr_assert_eq(actual, expected, ...) cr_assert((actual) == (expected), __VA_ARGS__)
#define cr_assert_str_eq(actual, expected, ...) cr_assert(strcmp(actual, expected) == 0, __VA_ARGS__)

static inline void plain_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "%s:%d: %s  ", file, line, condition);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static int plain_run(const struct plain_test *test)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        alarm(test->options.timeout > 0 ? SLOWER * (unsigned)test->options.timeout + 1 : 300);
        if (test->options.init)
            test->options.init();
        test->run();
        if (test->options.fini)
            test->options.fini();
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 0;
    if (test->options.signal)
        return WIFSIGNALED(status) && WTERMSIG(status) == test->options.signal;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    int failed = 0, tested = 0;
    for (struct plain_test *test = plain_first; test; test = test->next) {
        if (test->options.disabled || (argc > 1 && !strstr(test->name, argv[1])))
            continue;
        tested++;
        if (!plain_run(test)) {
            failed++;
            fprintf(stderr, "%s failed\n", test->name);
        }
    }
    printf("tested %d, failed %d\n", tested, failed);
    return failed != 0 || tested == 0;
}

#endif
