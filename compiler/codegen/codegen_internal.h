/* Shared by the files of this room. */
#ifndef GPUCC_CODEGEN_INTERNAL_H
#define GPUCC_CODEGEN_INTERNAL_H

#include "bridge/bridge.h"
#include "codegen/codegen.h"

/* ---- loops.c ---- */

/* Notes in instances which ufuncs have loops that stand ready, so that none are compiled. */
void choose_ready_loops(struct build *build);

/* ---- passes_agree.c ---- */

/* Whether the build's code declares what hosts see of the unit; false after reporting both places where it does
 * not. */
bool passes_agree(const struct build *build, const struct unit *unit, const struct declaration *list, size_t count);

#endif
