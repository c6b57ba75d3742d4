/* Each call of the driver failing in turn, from a context's first on: for test_cuda_devices and test_cuda_split. */
#ifndef FAIL_IN_TURN_H
#define FAIL_IN_TURN_H

#include "cuda_scene.h"
#include "fake_cuda.h"

struct in_turn {
    gpucc_status (*open)(const char *devices, gpucc_context **out);
    /* Makes *right false where the results are wrong. */
    gpucc_status (*work)(gpucc_context *context, gpucc_program *program, bool *right);
    bool (*is_named)(gpucc_status status); /* in words that need not name the call; null: none are */
};

static bool only_describes(const char *call)
{
    return strcmp(call, "cuGetErrorName") == 0 || strcmp(call, "cuGetErrorString") == 0;
}

/* False once there is no nth call. */
static bool fail_nth(const struct in_turn *tried, const char *devices, bool whole_life, long n)
{
    gpucc_context *context = NULL;
    gpucc_program *program;
    bool right = true;
    if (whole_life)
        fake_cuda_fail_nth(n, NULL);
    gpucc_status status = tried->open(devices, &context);
    if (!status)
        status = try_program(context, &program);
    if (!whole_life)
        fake_cuda_fail_nth(n, NULL);
    if (!status)
        status = tried->work(context, program, &right);
    const char *failed = fake_cuda_failed();
    fake_cuda_fail_nth(0, NULL);
    cr_assert(status || right, "call %ld, %s: the status is good and the result wrong", n, failed ? failed : "none");
    cr_assert(!status || failed, "call %ld: no call failed: %s", n, gpucc_last_error());
    if (status && !only_describes(failed) && !(tried->is_named && tried->is_named(status)))
        cr_assert(strstr(gpucc_last_error(), failed), "call %ld, %s: %s", n, failed, gpucc_last_error());
    gpucc_context_destroy(context);
    cr_assert(fake_cuda_leaks() == 0, "call %ld, %s: %ld objects leaked", n, failed ? failed : "none",
              fake_cuda_leaks());
    return failed != NULL;
}

#endif
