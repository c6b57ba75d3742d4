/* The values of options, which end the process with a message if they are invalid. */
#ifndef GPUCC_OPTION_VALUES_H
#define GPUCC_OPTION_VALUES_H

#include "command/command.h"

/* Every GPU, or target of native code, with the separator in between. */
const char *arch_list(const struct options *options, const char *separator);
const char *native_list(const struct options *options, const char *separator);
/* Adds the GPU in ascending order, once. */
void add_arch(struct options *options, int arch);
/* GPUs and targets, with commas in between. */
void parse_archs(struct options *options, const char *list);
void parse_targets(struct options *options, const char *list);
int target_from_name(const struct options *options, const char *option, const char *name, size_t length);
/* The most demanding target that runs here. */
const char *target_here(void);
int parse_number(const char *option, const char *value, int low, int high);
/* The index of `value` in a list that ends with a null. */
int parse_choice(struct options *options, const char *option, const char *value, const char *const *choices);
int parse_level(const char *value);                    /* of -O */
void parse_math(struct options *options, const char *value);
const char *parse_contraction(struct options *options, const char *value);
void parse_warning(struct options *options, const char *name); /* of -W */
/* An argument for Clang, and two of them. */
void add_clang(struct options *options, const char *argument);
void add_clang_pair(struct options *options, const char *name, const char *value);

#endif
