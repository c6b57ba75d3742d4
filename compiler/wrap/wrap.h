/* gpucc wrap: ufuncs and gufuncs for the functions of a plain C library, as C source. */
#ifndef GPUCC_WRAP_H
#define GPUCC_WRAP_H

/* The exit status; argv[0] is the command's name. */
int command_wrap(int argc, char **argv);

#endif
