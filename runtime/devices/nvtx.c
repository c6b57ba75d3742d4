/* Ranges for NVIDIA's tools, by NVTX: a tool names a library in NVTX_INJECTION64_PATH, which is handed a table of
 * places and writes there the functions that it wants called.  The numbers are NVTX 3's. */
#define _GNU_SOURCE
#include "devices/trace.h"
#include <dlfcn.h>
#include <stdlib.h>

enum { /* of tables, of the callbacks' modules, and of places in the first of these */
    TABLE_CALLBACKS = 1,
    TABLE_VERSION = 3,
    MODULE_CORE = 1,
    MODULES = 7,
    RANGE_PUSH = 9,
    RANGE_POP = 11,
    PLACES = 20, /* no module has more */
    NVTX_VERSION = 3,
};

typedef void callback(void);

static callback *callbacks[MODULES][PLACES];
static callback **places[MODULES][PLACES];

static int find_module(int module, callback ****table, unsigned *size)
{
    if (module < MODULE_CORE || module >= MODULES)
        return 0;
    *table = places[module];
    if (size)
        *size = PLACES;
    return 1;
}

static void set_version(uint32_t version)
{
    (void)version;
}

static const void *find_table(uint32_t number)
{
    static const struct {
        size_t size;
        int (*find_module)(int module, callback ****table, unsigned *size);
    } modules = {sizeof modules, find_module};
    static const struct {
        size_t size;
        uint32_t version, reserved;
        void (*set_version)(uint32_t version);
    } version = {sizeof version, NVTX_VERSION, 0, set_version};
    return number == TABLE_CALLBACKS ? (const void *)&modules : number == TABLE_VERSION ? (const void *)&version : NULL;
}

bool nvtx_open(void)
{
    const char *path = secure_getenv("NVTX_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*initialize)(const void *(*find)(uint32_t)) = NULL;
    if (library)
        *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    for (int m = MODULE_CORE; m < MODULES; m++) {
        for (int i = 1; i < PLACES; i++)
            places[m][i] = &callbacks[m][i];
    }
    if (initialize && initialize(find_table) && callbacks[MODULE_CORE][RANGE_PUSH] && callbacks[MODULE_CORE][RANGE_POP])
        return true;
    if (library)
        dlclose(library);
    return false;
}

void nvtx_push(const char *name)
{
    ((int (*)(const char *))callbacks[MODULE_CORE][RANGE_PUSH])(name);
}

void nvtx_pop(void)
{
    ((int (*)(void))callbacks[MODULE_CORE][RANGE_POP])();
}
