/* gpucc run: compile in memory, run one function on real data. */
#ifndef GPUCC_RUN_H
#define GPUCC_RUN_H

/* The exit status; argv[0] is the command's name. */
int command_run(int argc, char **argv);

#endif
