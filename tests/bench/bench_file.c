/* A file that is larger than what a call may take of the device's memory: bench_file FILE [GIB] [DEVICE], by default 16
 * GiB on cuda:0, four times the limit.  FILE is made of float32 numbers, and stays.  Of reading it plainly, of a sum
 * over it where it is mapped into memory, and of trig from it into FILE.out, mapped too, it tells the rate in GB/s of
 * the file's bytes: cold, after the system was told to forget its pages, and warm. */
#define _GNU_SOURCE
#include "bench.h"

#include <bench_ufuncs.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 16 << 20, READERS = 8, COLUMNS = 1024 };

static const char *path;
static size_t size;

static void need(bool fine, const char *what)
{
    if (!fine) {
        perror(what);
        exit(1);
    }
}

static int open_file(const char *name, int flags)
{
    const int file = open(name, flags, 0644);
    need(file >= 0, name);
    return file;
}

static void make_file(void)
{
    float *piece = malloc(PIECE);
    const int file = open_file(path, O_RDWR | O_CREAT | O_TRUNC);
    need(piece != NULL, "memory");
    for (size_t i = 0; i < PIECE / sizeof *piece; i++)
        piece[i] = (float)(i * 2654435761u % 1000003) * 1e-5f;
    for (size_t at = 0; at < size; at += PIECE)
        need(write(file, piece, PIECE) == PIECE, path);
    need(fsync(file) == 0, path);
    close(file);
    free(piece);
}

static void forget(const char *name)
{
    const int file = open_file(name, O_RDONLY);
    need(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, name);
    close(file);
}

/* Every READERS-th piece. */
static void *read_pieces(void *first)
{
    char *piece = malloc(PIECE);
    const int file = open_file(path, O_RDONLY);
    need(piece != NULL, "memory");
    for (size_t at = (size_t)(uintptr_t)first * PIECE; at < size; at += (size_t)READERS * PIECE)
        need(pread(file, piece, PIECE, (off_t)at) == PIECE, path);
    close(file);
    free(piece);
    return NULL;
}

static double read_file(void)
{
    pthread_t readers[READERS];
    const double start = bench_seconds();
    for (uintptr_t i = 0; i < READERS; i++)
        need(pthread_create(&readers[i], NULL, read_pieces, (void *)i) == 0, "a thread");
    for (int i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
    return bench_seconds() - start;
}

/* ---- calls ---- */

struct scene {
    gpucc_context *context;
    gpucc_array *x, *y;
};

static gpucc_array *map_file(gpucc_context *context, const char *name, int flags, int protection)
{
    gpucc_array *array;
    const int64_t shape[2] = {(int64_t)(size / sizeof(float)) / COLUMNS, COLUMNS};
    const int file = open_file(name, flags);
    need(!(flags & O_CREAT) || ftruncate(file, (off_t)size) == 0, name);
    void *memory = mmap(NULL, size, protection, MAP_SHARED, file, 0);
    need(memory != MAP_FAILED, name);
    close(file);
    MUST(gpucc_array_wrap(context, GPUCC_FLOAT32, 2, shape, NULL, memory, GPUCC_MEMORY_HOST, &array));
    return array;
}

/* Pages that are mapped are not forgotten. */
static void unmap(gpucc_array *array)
{
    void *memory = gpucc_array_data(array);
    gpucc_array_release(array);
    munmap(memory, size);
}

static double run_sum(struct scene *scene)
{
    gpucc_array *sum = NULL;
    const gpucc_reduce_options how = {.size = sizeof how, .axis_count = GPUCC_ALL_AXES};
    const double start = bench_seconds();
    MUST(add_reduce(scene->context, scene->x, &sum, &how));
    MUST(gpucc_context_synchronize(scene->context));
    gpucc_array_release(sum);
    return bench_seconds() - start;
}

static double run_trig(struct scene *scene)
{
    const double start = bench_seconds();
    MUST(trig(scene->context, scene->x, &scene->y));
    return bench_seconds() - start;
}

static double rate(double seconds)
{
    return 1e-9 * (double)size / seconds;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_file FILE [GIB] [DEVICE]\n");
        return 2;
    }
    char out[4096];
    path = argv[1];
    snprintf(out, sizeof out, "%s.out", path);
    size = (size_t)((argc > 2 ? strtod(argv[2], NULL) : 16) * (1 << 30)) / PIECE * PIECE;
    const gpucc_context_options options = {
        .size = sizeof options, .device = argc > 3 ? argv[3] : "cuda:0", .memory_limit = size / 4};
    struct scene scene;
    MUST(gpucc_context_create(&options, &scene.context));
    make_file();
    scene.y = map_file(scene.context, out, O_RDWR | O_CREAT | O_TRUNC, PROT_READ | PROT_WRITE);
    for (int round = 0; round < 2; round++) {
        forget(path);
        const double cold = read_file(), warm = read_file();
        forget(path);
        scene.x = map_file(scene.context, path, O_RDONLY, PROT_READ);
        gpucc_array_set_read_only(scene.x);
        const double cold_sum = run_sum(&scene), warm_sum = run_sum(&scene), warm_trig = run_trig(&scene);
        printf("%.1f GiB, at most %.1f on %s: read cold %.2f, warm %.2f GB/s; sum cold %.2f, warm %.2f; trig warm %.2f "
               "there and back\n",
               (double)size / (1 << 30), (double)options.memory_limit / (1 << 30), options.device, rate(cold),
               rate(warm), rate(cold_sum), rate(warm_sum), rate(warm_trig));
        unmap(scene.x);
    }
    gpucc_context_destroy(scene.context);
    return 0;
}
