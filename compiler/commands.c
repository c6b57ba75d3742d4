/* gpucc-commands, which gpucc starts for commands that run or inspect programs: the compiler and the runtime. */
#include "inspect/inspect.h"
#include "run/run.h"
#include "startup.h"
#include "test/test.h"
#include "wrap/wrap.h"

#include <string.h>

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"run", command_run}, {"bench", command_run}, {"test", command_test},
                    {"inspect", command_inspect}, {"devices", command_devices},
                    {"wrap", command_wrap}};
    startup();
    for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(argc - 1, argv + 1);
    usage_error("gpucc-commands is started by gpucc for one of its commands");
}
