/* A player of PTX for tests: it executes a module's text strictly, one thread after the other.
 *
 * Integers and IEEE floating point are exact.  A register, or a byte of local, shared or parameter memory, that nothing
 * has written is undefined; arithmetic propagates that bit by bit.  A fault ends the launch: an undefined bit that
 * decides a branch, an address or a value in global memory; an access that is misaligned or out of bounds; a barrier
 * that not all threads reach; an instruction that the player does not know; a `trap`. */
#ifndef PTX_PLAYER_H
#define PTX_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ptx_module;
struct gpucc_cpu_sample;
struct gpucc_cpu_spot;

/* The memory behind the module: device memory lies at the host's own addresses. */
struct ptx_memory {
    void *data; /* handed to the functions */
    /* The range of valid memory around `address`; false where there is none. */
    bool (*range)(void *data, uint64_t address, uint64_t *begin, uint64_t *end);
    /* Memory of a variable of the module, filled with `bytes` (null: zeros); the caller owns it. */
    void *(*variable)(void *data, const char *name, size_t size, size_t align, const void *bytes);
    /* Reads of textures, and reads and writes of surfaces, as <gpucc/cpu.h> has them; null where there are none. */
    void (*sample)(void *data, const struct gpucc_cpu_sample *sample, uint32_t texel[4]);
    void (*surface)(void *data, const struct gpucc_cpu_spot *spot, void *value, bool is_store);
};

struct ptx_launch {
    const char *entry;
    unsigned grid[3], block[3], cluster[3]; /* cluster: blocks, 1 where there are none */
    size_t dynamic_shared;                  /* bytes */
    bool cooperative;                       /* every block makes progress */
    void *const *parameters;                /* the value of each, as cuLaunchKernel() has them */
    bool tracks_global;                     /* undefined bytes may lie in global memory, until the launch ends */
};

enum { PTX_MESSAGE = 1024 };

/* Reads a module; `text` stays in use until ptx_module_free().  Null with a message where the text is wrong. */
struct ptx_module *ptx_module_read(const char *text, const struct ptx_memory *memory, char message[PTX_MESSAGE]);
void ptx_module_free(struct ptx_module *module);

/* Reads all functions, not only those that a launch reaches.  `report` gets every opcode that the player does not know.
 * False with a message where the text is wrong otherwise. */
typedef void ptx_report(const char *opcode, int length);
bool ptx_module_check(struct ptx_module *module, ptx_report *report, char message[PTX_MESSAGE]);

/* Plays a kernel to its end.  False with a message that has the fault, its block, thread and instruction. */
bool ptx_play(struct ptx_module *module, const struct ptx_launch *launch, char message[PTX_MESSAGE]);

/* The instructions that all launches of this process have executed. */
uint64_t ptx_played(void);

#endif
