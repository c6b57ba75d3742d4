/* Derivatives: functions of a module's functions that also compute tangents, in vector forward mode, or that compute
 * adjoints, in reverse mode. */
#ifndef GPUCC_DERIVE_H
#define GPUCC_DERIVE_H

#include "codegen/codegen.h"

/* The prefixes of names of static functions by which the front end's C text (derivatives.c) and this room know each
 * other. */
#define TANGENT_PREFIX "gpucc_tangent_"   /* (x…, dx…, y *…, dy *…): its body, which calls the function, is replaced */
#define JACOBIAN_PREFIX "gpucc_jacobian_" /* (x…, y *…, and for each floating input the partial derivatives *…) */
/* Behind it, a letter for each of the function's parameters, and '_': t, it has a tangent; s, another.  Tangents follow
 * behind the parameters, in their order. */
#define FORWARD_PREFIX "gpucc_forward_"
/* Behind it, a letter for each parameter, and '_': i, an input with an adjoint; o, an output's adjoint; b, the adjoint
 * of an input, in their order; s, another.  Its body stores to the o's as if they were the outputs.  Of kernels: c, an
 * array that is read; m, one that is also written; b, the adjoint of each. */
#define REVERSE_PREFIX "gpucc_reverse_"
#define PRIMAL_PREFIX "gpucc_primal_"     /* calls the function: all that such a body calls, but for rules */
#define RULE_PREFIX "gpucc_rule_"         /* calls a function, then those that give its partial derivatives */

/* Names of functions with tangents, which this room makes of others. */
#define DERIVED_PREFIX "gpucc_derived."

/* Replaces the bodies of those functions in the linked module.  False after errors, which are reported at their place:
 * the module's line tables are needed. */
bool derive(const struct build *build, LLVMModuleRef module);

#endif
