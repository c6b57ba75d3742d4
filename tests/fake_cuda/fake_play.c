/* With GPUCC_FAKE_PTX=1: modules' own PTX runs, by tests/ptx_player, in place of native code. */
#include "executor/watch_hooks.h"
#include "fake.h"

#include <gpucc/cpu.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A module's text and its variables that are not visible. */
struct played {
    struct context *context;
    struct module *module;
    struct ptx_module *ptx;
    char *text;
    struct variable *hidden;
};

static bool is_requested(void)
{
    const char *value = getenv("GPUCC_FAKE_PTX");
    return value && *value && strcmp(value, "0") != 0;
}

/* ---- what the player asks of memory ---- */

static bool range(void *data, uint64_t address, uint64_t *begin, uint64_t *end)
{
    const struct played *played = data;
    if (pinned_range(address, begin, end))
        return true;
    struct allocation *a = address_is_device(address) ? allocation_live(address) : NULL;
    if (!a || !allocation_is_reached(a, played->context))
        return false;
    allocation_require(a); /* makes it reachable */
    *begin = (uintptr_t)allocation_base(a);
    *end = *begin + allocation_size(a);
    return true;
}

/* Variables that the host does not see have no more alignment than they ask for. */
static void *variable(void *data, const char *name, size_t size, size_t align, const void *bytes)
{
    struct played *played = data;
    size_t before = 0;
    struct allocation *memory = variable_memory(played->module->variables, name);
    if (!memory) {
        memory = variable_memory(played->hidden, name);
        before = align;
    }
    if (!memory) {
        struct module holder = {.object.context = played->context, .variables = played->hidden};
        const bool is_good = variable_add(&holder, name, before + size);
        played->hidden = holder.variables;
        if (!is_good)
            return NULL;
        memory = variable_memory(played->hidden, name);
    }
    if (allocation_size(memory) != before + size)
        die("the variable %s has %zu bytes and %zu in the text", name, allocation_size(memory) - before, size);
    memory_fill(memory, before, bytes);
    return (char *)allocation_base(memory) + before;
}

/* ---- textures and surfaces, as native code has them ---- */

static void report_texel(const char *what, const char *file, int line)
{
    die("%s: PTX line %d: %s", file, line, what);
}

static void sample(void *data, const struct gpucc_cpu_sample *asked, uint32_t texel[4])
{
    const struct played *played = data;
    struct gpucc_cpu_sample own = *asked;
    own.texture = texture_played(played->context, asked->texture);
    executor_report_failures(report_texel);
    gpucc_cpu_texture_read(&own, texel);
}

static void surface(void *data, const struct gpucc_cpu_spot *asked, void *value, bool is_store)
{
    const struct played *played = data;
    struct gpucc_cpu_spot own = *asked;
    own.surface = texture_played(played->context, asked->surface);
    executor_report_failures(report_texel);
    if (is_store)
        gpucc_cpu_surface_write(&own, value);
    else
        gpucc_cpu_surface_read(&own, value);
}

/* ---- modules ---- */

bool play_read(struct module *module, const char *text, char *log, size_t log_size)
{
    char message[PTX_MESSAGE];
    if (!is_requested())
        return true;
    struct played *played = calloc(1, sizeof *played);
    if (!played)
        die("the host is out of memory");
    *played = (struct played){module->object.context, module, NULL, strdup(text), NULL};
    module->played = played;
    const struct ptx_memory memory = {played, range, variable, sample, surface};
    played->ptx = ptx_module_read(played->text, &memory, message);
    if (!played->ptx && log_size > 0)
        snprintf(log, log_size, "%s", message);
    return played->ptx;
}

void play_end(struct module *module)
{
    struct played *played = module->played;
    if (!played)
        return;
    struct module holder = {.variables = played->hidden};
    variables_end(&holder);
    if (played->ptx)
        ptx_module_free(played->ptx);
    free(played->text);
    free(played);
    module->played = NULL;
}

void play_launch(const struct module *module, const struct ptx_launch *launch)
{
    char message[PTX_MESSAGE];
    struct ptx_launch asked = *launch;
    asked.tracks_global = !strcmp(getenv("GPUCC_FAKE_PTX"), "2");
    if (!ptx_play(module->played->ptx, &asked, message))
        die("%s", message);
}
