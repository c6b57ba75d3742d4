/* gpucc test: functions of a file on inputs made for them, on every device, against each other and their references. */
#ifndef GPUCC_TEST_H
#define GPUCC_TEST_H

/* The exit status; argv[0] is the command's name. */
int command_test(int argc, char **argv);

#endif
