/* The pipeline: every stage of a compilation, in order. */
#ifndef GPUCC_COMPILE_H
#define GPUCC_COMPILE_H

#include "semantics/semantics.h"

/* Everything from the source to the wanted artefacts (bit 1 << ARTEFACT_…; none checks the source alone).  Null after
 * errors, which have been told. */
struct program *compile(const struct options *options, unsigned artefacts);

/* What write_outputs() takes, and what it was made of but for programs. */
struct products compile_products(const struct options *options, const struct program *program);

#endif
