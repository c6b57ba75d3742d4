/* How hosts tell what their contexts log, and what fails. */
#include <gpucc/runtime.h>
#include <stdio.h>
#include <stdlib.h>

static inline void print(void *data, gpucc_log_level level, const char *message)
{
    (void)data;
    (void)level;
    printf("log: %s\n", message);
}

static inline void must(gpucc_status status)
{
    if (status == GPUCC_OK)
        return;
    printf("%s: %s\n", gpucc_status_name(status), gpucc_last_error());
    exit(2);
}
