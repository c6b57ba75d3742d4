/* gpucc test: calls the functions of a file with generated inputs on every device, and compares results with one
 * another and with references. */
#ifndef GPUCC_TEST_H
#define GPUCC_TEST_H

/* The exit status; argv[0] is the command's name. */
int command_test(int argc, char **argv);

#endif
