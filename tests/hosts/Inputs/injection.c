/* A tool in NVTX's manner, which prints the ranges that it is told of: loaded by NVTX_INJECTION64_PATH. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef void (*function)(void);

struct callbacks {
    size_t size;
    int (*find)(int module, function ***table, unsigned *size);
};

static int depth;

static int push(const char *name)
{
    printf("push %s\n", name);
    return depth++;
}

static int pop(void)
{
    printf("pop\n");
    return --depth;
}

int InitializeInjectionNvtx2(const void *(*find_table)(uint32_t))
{
    enum { CALLBACKS = 1, CORE = 1, CORE2 = 5, PUSH = 9, POP = 11, MARK2 = 1 };
    function **table;
    unsigned size = 0;
    const struct callbacks *callbacks = find_table(CALLBACKS);
    if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->find(CORE, &table, &size) || size <= POP)
        return 0;
    *table[PUSH] = (function)push;
    *table[POP] = (function)pop;
    if (!callbacks->find(CORE2, &table, &size) || size < 16) /* as tools do that take domains too */
        return 0;
    *table[MARK2] = NULL;
    return 1;
}
