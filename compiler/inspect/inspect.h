/* gpucc inspect and gpucc devices: the contents of artefacts, and the devices present. Files are untrusted: a
 * damaged one is an error, never a read outside its bytes. */
#ifndef GPUCC_INSPECT_H
#define GPUCC_INSPECT_H

/* The exit status; argv[0] is the command's name. */
int command_inspect(int argc, char **argv);
int command_devices(int argc, char **argv);

#endif
