/* Whether output has colours: as --color says, else where a terminal shows them. */
#define _XOPEN_SOURCE 700
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum color_mode color_mode; /* of the command line; jobs have no colours */

void color_set(enum color_mode mode)
{
    color_mode = mode;
}

bool has_colors(int descriptor)
{
    const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
    if (job_current() || color_mode == COLOR_NEVER)
        return false;
    if (color_mode == COLOR_ALWAYS)
        return true;
    return isatty(descriptor) && terminal && strcmp(terminal, "dumb") && !(none && *none);
}
