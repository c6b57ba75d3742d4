/* What C++ programs include for templates, which C does not have: <algorithm>, <limits>, <utility> and others.  Host
 * code, which includes them too, is no part of a program; kernels find `min`, `max` and `abs` in <gpucc/cuda.h>. */
