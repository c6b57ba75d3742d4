#include "foreign.h"
#include "suite.h"

#include <dlfcn.h>
#include <stdlib.h>

const struct foreign *foreign_driver(void)
{
    static struct foreign driver;
    if (driver.init)
        return &driver;
    const char *path = getenv("GPUCC_LIBCUDA");
    void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CHECK(library, "%s", dlerror());
    struct foreign found;
#define ENTRY(name, symbol, parameters)                                                                                \
    *(void **)&found.name = dlsym(library, #symbol);                                                                   \
    if (!found.name)                                                                                                   \
        suite_skip("the driver has no " #symbol);
    FOREIGN_ENTRIES(ENTRY)
#undef ENTRY
    driver = found;
    DRIVER_MUST(driver.init(0));
    return &driver;
}
