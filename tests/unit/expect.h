/* Checks the status that a call of the runtime's interface ends with. */
#ifndef EXPECT_H
#define EXPECT_H

#include <criterion/criterion.h>
#include <gpucc/runtime.h>
#include <string.h>

#define OK(call) cr_assert_eq((call), GPUCC_OK, "%s", gpucc_last_error())
/* With that status, and these words in the message. */
#define FAILS(status, words, call)                                                                                     \
    do {                                                                                                               \
        cr_assert_eq((call), status, "%s", gpucc_last_error());                                                        \
        cr_assert(strstr(gpucc_last_error(), words), "\"%s\" lacks \"%s\"", gpucc_last_error(), words);                \
    } while (0)

#endif
