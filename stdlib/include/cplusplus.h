/* Stands in for headers that C++ programs include for templates: <algorithm>, <limits>, <utility> and others.  C has no
 * templates, and host code is no part of a program; kernels find `min`, `max` and `abs` in <gpucc/cuda.h>. */
