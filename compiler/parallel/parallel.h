/* Loops of gufuncs whose iterations the threads of a team share. */
#ifndef GPUCC_PARALLEL_H
#define GPUCC_PARALLEL_H

#include "codegen/codegen.h"

/* Completes the functions of teams, gpucc_team_S, and removes the entries S_team where no loop can be shared, which
 * `has_team` of the instances then says.  Floating-point sums of `reorderable` gufuncs follow the fixed tree from here
 * on.  Functions of the math library are still called by name. */
void share_loops(struct build *build);

/* Calls `report` for each loop of the gufunc's function that stays serial, with its place and the reason; without one
 * for each whose sums keep C's order. */
typedef void loop_report(void *data, LLVMMetadataRef place, const char *reason);
void explain_loops(const struct instance *instance, LLVMValueRef function, loop_report *report, void *data);

#endif
