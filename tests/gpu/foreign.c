#include "foreign.h"
#include "suite.h"

#include <dlfcn.h>
#include <stdlib.h>

static void *open_library(void)
{
    const char *path = getenv("GPUCC_LIBCUDA");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(library, "%s", dlerror());
    return library;
}

void *foreign_entry(const char *symbol)
{
    void *entry = dlsym(open_library(), symbol);
    if (!entry)
        suite_skip("the driver has not the entry that the test needs");
    return entry;
}

const struct foreign *foreign_driver(void)
{
    static struct foreign driver;
    if (driver.init)
        return &driver;
    void *library = open_library();
    struct foreign found;
#define ENTRY(name, symbol, parameters)                                                                                \
    *(void **)&found.name = dlsym(library, #symbol);                                                                   \
    if (!found.name)                                                                                                   \
        suite_skip("an unknown error" #symbol);
    FOREIGN_ENTRIES(ENTRY)
#undef ENTRY
    driver = found;
    DRIVER_MUST(driver.init(0));
    return &driver;
}
