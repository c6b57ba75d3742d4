/* Checked execution, for those who launch: a launch of native code that was compiled with -fsanitize=address, race or
 * uninitialized is watched, and what is found goes to the context's log, or to whoever has asked for it. */
#ifndef GPUCC_CHECKED_H
#define GPUCC_CHECKED_H

#include <gpucc/cpu.h>
#include <gpucc/runtime.h>
#include <stdbool.h>
#include <stdint.h>

/* Bits of -fsanitize, as the manifest names them. */
enum watch_check_index {
#define CHECK(id, name) WATCH_INDEX_##id,
#include <gpucc/checks.def>
    WATCH_CHECKS
};
enum watch_check {
#define CHECK(id, name) WATCH_##id = 1 << WATCH_INDEX_##id,
#include <gpucc/checks.def>
    WATCH_MEMORY = WATCH_ADDRESS | WATCH_RACE | WATCH_UNINITIALIZED,
    WATCH_OPERATIONS = WATCH_UNDEFINED | WATCH_FLOAT | WATCH_UNINITIALIZED /* of ufuncs and gufuncs too */
};

/* Settings of watched launches, with the report function of the context: context_watch(). */
struct watch_settings {
    uint64_t seed;      /* of the order of blocks, and of a block's threads; 0: as they are numbered */
    /* Called when a launch ends, for each fault and, after it, for each note to it.  `place` is null if none is
     * known. */
    void (*report)(void *data, bool is_note, const struct gpucc_cpu_place *place, const char *text);
    void *data;
};

/* `settings` stay the caller's, and are there as long as the context; null: the default, the context's log. */
void context_watch(gpucc_context *context, const struct watch_settings *settings);

#endif
