/* Lists the inputs of the host pass and the device passes besides the source's text. */
#define _XOPEN_SOURCE 700
#include "frontend/frontend.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void lookups_see(struct arena *arena, struct lookups *lookups, enum codegen_probe_kind kind, const char *path)
{
    char *folder;
    switch (kind) {
    case PROBE_FILE: lookups_add(arena, lookups, LOOKUP_FILE, path); break;
    case PROBE_NOTHING: lookups_add(arena, lookups, LOOKUP_NOTHING, path); break;
    case PROBE_CLOCK: lookups->reads_clock = true; break;
    case PROBE_FOLDER:
        folder = getcwd(NULL, 0);
        lookups_add(arena, lookups, LOOKUP_FOLDER, folder ? folder : "");
        free(folder);
        break;
    }
}

void look_up(const struct options *options, const struct unit *unit, const struct binding *binding,
             struct codegen_request request)
{
    static const char as_front_end[] = "-U__GPUCC_CODE__";
    size_t count;
    const char **arguments = cc1_arguments(options, TARGET_CPU, 0, unit, binding, &count);
    arguments = arena_grow(options->arena, arguments, count, sizeof *arguments);
    arguments[count++] = as_front_end;
    request.path = unit->path;
    request.text = unit->text;
    request.size = unit->text_size;
    request.arguments = arguments;
    request.argument_count = count;
    request.files = (const struct codegen_file *)virtual_files(options, unit, &request.file_count);
    request.own_folder = EMBEDDED_ROOT;
    codegen_probe(&request);
}
