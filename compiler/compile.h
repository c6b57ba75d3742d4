/* The pipeline: every stage of a compilation, in order. */
#ifndef GPUCC_COMPILE_H
#define GPUCC_COMPILE_H

#include "semantics/semantics.h"

/* Everything from the source to the wanted artefacts (bit 1 << ARTEFACT_…; none checks the source alone).  Null after
 * errors, which have been reported. */
struct program *compile(const struct options *options, unsigned artefacts);

/* The input of write_outputs(), and its dependencies except programs. */
struct products compile_products(const struct options *options, const struct program *program);

#endif
