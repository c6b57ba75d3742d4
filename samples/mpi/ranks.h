/* Shared by the samples of several processes: a rank's part of the work, and its device. */
#ifndef RANKS_H
#define RANKS_H

#include "../sample.h"
#include <mpi.h>
#include <string.h>
#include <unistd.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

struct ranks {
    int rank, count;
    gpucc_context *context;
    int accepts_device_pointers; /* the MPI reads and writes the device's memory itself */
};

/* Items [begin, end) of so many, as even as they can be. */
struct part {
    size_t begin, end;
};

static inline struct part part_of(const struct ranks *ranks, size_t items)
{
    const size_t each = items / (size_t)ranks->count, more = items % (size_t)ranks->count, rank = (size_t)ranks->rank;
    const size_t begin = rank * each + (rank < more ? rank : more);
    return (struct part){begin, begin + each + (rank < more)};
}

/* Ranks of one machine take its GPUs in turn; without one they share its cores. */
static inline gpucc_context *rank_context(const char *device)
{
    MPI_Comm machine;
    int here, neighbours, devices;
    char name[32];
    gpucc_context *context;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &here);
    MPI_Comm_size(machine, &neighbours);
    MPI_Comm_free(&machine);
    CHECK(gpucc_device_count(&devices));
    if (devices > 0 && (!strcmp(device, "auto") || !strcmp(device, "cuda")))
        snprintf(name, sizeof name, "cuda:%d", here % devices);
    else
        snprintf(name, sizeof name, "%s", device);
    const int cores = (int)sysconf(_SC_NPROCESSORS_ONLN) / neighbours;
    gpucc_context_options options = {.size = sizeof options, .device = name, .cpu_threads = cores > 0 ? cores : 1};
    CHECK(gpucc_context_create(&options, &context));
    return context;
}

/* MPI's own arguments are taken out of argc and argv; the first one that is left names the device.  Ends with
 * ranks_end(). */
static inline struct ranks ranks_begin(int *argc, char ***argv)
{
    struct ranks ranks;
    gpucc_device_info info = {.size = sizeof info};
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    ranks.context = rank_context(*argc > 1 ? (*argv)[1] : "auto");
    ranks.accepts_device_pointers = !sample_on_gpu(ranks.context);
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    ranks.accepts_device_pointers |= MPIX_Query_cuda_support();
#endif
    CHECK(gpucc_context_info(ranks.context, &info));
    if (ranks.rank == 0)
        printf("%d ranks, the first one on %s\n", ranks.count, info.name);
    return ranks;
}

static inline void ranks_end(struct ranks *ranks)
{
    gpucc_context_destroy(ranks->context);
    MPI_Finalize();
}

#endif
