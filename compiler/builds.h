/* The builds of a program's targets, each in a thread of its own. */
#ifndef GPUCC_BUILDS_H
#define GPUCC_BUILDS_H

#include "codegen/codegen.h"

struct stage {
    const char *name;
    stage_function *run;
};

struct builds;

/* One build for each architecture whose PTX is wanted, and one for native code; freed with builds_free(). */
struct builds *builds_new(const struct options *options, struct program *program, unsigned artefacts,
                          struct diagnostics *diagnostics);
/* Takes each build through the stages, all builds at once where there are processors for it, and puts what they have
 * made and noted into the program.  The order in which builds are made shows in nothing.  False after errors, which
 * have been reported. */
bool builds_run(struct builds *builds, const struct stage *stages, size_t count);
/* The object of native code, where that is wanted; the program has everything else by then. */
void builds_emit_object(struct builds *builds);
void builds_free(struct builds *builds);

#endif
