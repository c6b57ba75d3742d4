/* gpucc inspect and gpucc devices: what is in artefacts, and what there is to run them on. */
#ifndef GPUCC_INSPECT_H
#define GPUCC_INSPECT_H

/* The exit status; argv[0] is the command's name. */
int command_inspect(int argc, char **argv);
int command_devices(int argc, char **argv);

#endif
