/* Heat spreading over a plate whose rows several ranks share: plate.png.  A rank first computes its outermost rows, and
 * those inside while these are on the way to its neighbours.  The second argument is the number of steps. */
#include "../png.h"
#include "heat.h"
#include "ranks.h"
#include <math.h>

enum { WIDTH = 1000, HEIGHT = 1000 };

/* A rank's rows, in the device's memory, with one of each neighbour around them. */
struct plate {
    const struct ranks *ranks;
    size_t rows;
    int above, below; /* ranks, or MPI_PROC_NULL */
    gpucc_array *now, *next;
    float *sent[2], *got[2]; /* where the MPI cannot read the device's memory: copies of the outermost rows */
};

static float hot(size_t row, size_t column)
{
    uint32_t state = (uint32_t)(row / 90 * 1000 + column / 70);
    sample_random(&state);
    const float spot = sample_random(&state);
    return spot > 0.7f ? spot : 0;
}

static void plate_begin(struct plate *plate, const struct ranks *ranks)
{
    const struct part own = part_of(ranks, HEIGHT);
    *plate = (struct plate){.ranks = ranks, .rows = own.end - own.begin};
    plate->above = ranks->rank > 0 ? ranks->rank - 1 : MPI_PROC_NULL;
    plate->below = ranks->rank + 1 < ranks->count ? ranks->rank + 1 : MPI_PROC_NULL;
    float *field = sample_floats((plate->rows + 2) * WIDTH);
    for (size_t row = 0; row < plate->rows + 2; row++)
        for (size_t column = 0; column < WIDTH; column++)
            field[row * WIDTH + column] = hot(own.begin + row - 1, column);
    plate->now = sample_matrix(ranks->context, (int64_t)plate->rows + 2, WIDTH, field);
    plate->next = sample_matrix(ranks->context, (int64_t)plate->rows + 2, WIDTH, field);
    free(field);
    for (int side = 0; side < 2; side++) {
        plate->sent[side] = sample_floats(WIDTH);
        plate->got[side] = sample_floats(WIDTH);
    }
}

static void plate_end(struct plate *plate)
{
    gpucc_array_release(plate->now);
    gpucc_array_release(plate->next);
    for (int side = 0; side < 2; side++) {
        free(plate->sent[side]);
        free(plate->got[side]);
    }
}

/* Enqueues it. */
static void compute(const struct plate *plate, size_t first, size_t stride, size_t count)
{
    const gpucc_launch all = {.size = sizeof all, .threads = {WIDTH, count, 1}};
    if (count > 0)
        CHECK(heat_rows(plate->ranks->context, &all, plate->rows, WIDTH, gpucc_array_data(plate->now),
                        gpucc_array_data(plate->next), first, stride, count, plate->above == MPI_PROC_NULL,
                        plate->below == MPI_PROC_NULL, 0.2f));
}

static gpucc_array *row_of(const gpucc_array *field, size_t row)
{
    gpucc_array *view;
    const int64_t shape[1] = {WIDTH};
    CHECK(gpucc_array_view(field, 1, shape, NULL, (int64_t)(row * WIDTH * sizeof(float)), &view));
    return view;
}

static void copy_row(gpucc_array *field, size_t row, float *host, int to_host)
{
    gpucc_array *view = row_of(field, row);
    CHECK(to_host ? gpucc_array_read(view, host, WIDTH * sizeof *host)
                  : gpucc_array_write(view, host, WIDTH * sizeof *host));
    gpucc_array_release(view);
}

/* A row where the MPI finds it: on the device, or its copy. */
static float *place(const struct plate *plate, size_t row, float *copy)
{
    return plate->ranks->takes_device_pointers ? (float *)gpucc_array_data(plate->next) + row * WIDTH : copy;
}

/* Begins to send the outermost rows of `next`, which are computed, and to take the neighbours'. */
static void begin_exchange(struct plate *plate, MPI_Request requests[4])
{
    const size_t last = plate->rows;
    if (plate->ranks->takes_device_pointers) {
        CHECK(gpucc_context_synchronize(plate->ranks->context));
    } else {
        copy_row(plate->next, 1, plate->sent[0], 1);
        copy_row(plate->next, last, plate->sent[1], 1);
    }
    MPI_Irecv(place(plate, 0, plate->got[0]), WIDTH, MPI_FLOAT, plate->above, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(place(plate, last + 1, plate->got[1]), WIDTH, MPI_FLOAT, plate->below, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(place(plate, 1, plate->sent[0]), WIDTH, MPI_FLOAT, plate->above, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(place(plate, last, plate->sent[1]), WIDTH, MPI_FLOAT, plate->below, 1, MPI_COMM_WORLD, &requests[3]);
}

static void end_exchange(struct plate *plate, MPI_Request requests[4])
{
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    if (plate->ranks->takes_device_pointers)
        return;
    if (plate->above != MPI_PROC_NULL)
        copy_row(plate->next, 0, plate->got[0], 0);
    if (plate->below != MPI_PROC_NULL)
        copy_row(plate->next, plate->rows + 1, plate->got[1], 0);
}

static void step(struct plate *plate)
{
    MPI_Request requests[4];
    compute(plate, 1, plate->rows - 1, plate->rows > 1 ? 2 : 1);
    begin_exchange(plate, requests);
    compute(plate, 2, 1, plate->rows > 2 ? plate->rows - 2 : 0);
    end_exchange(plate, requests);
    gpucc_array *last = plate->now;
    plate->now = plate->next;
    plate->next = last;
}

/* The whole plate, on the first rank. */
static void gather(const struct plate *plate, float *whole)
{
    const struct ranks *ranks = plate->ranks;
    float *own = sample_floats((plate->rows + 2) * WIDTH);
    CHECK(gpucc_array_read(plate->now, own, (plate->rows + 2) * WIDTH * sizeof *own));
    int counts[ranks->count], places[ranks->count];
    for (int rank = 0; rank < ranks->count; rank++) {
        const struct part part = part_of(&(struct ranks){.rank = rank, .count = ranks->count}, HEIGHT);
        counts[rank] = (int)(part.end - part.begin) * WIDTH;
        places[rank] = (int)part.begin * WIDTH;
    }
    MPI_Gatherv(own + WIDTH, (int)plate->rows * WIDTH, MPI_FLOAT, whole, counts, places, MPI_FLOAT, 0, MPI_COMM_WORLD);
    free(own);
}

/* What it is worth is that it changes with any bit. */
static uint32_t checksum(const float *field)
{
    uint32_t sum = 0, bits;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        memcpy(&bits, &field[i], sizeof bits);
        sum = (sum ^ bits) * 0x9e3779b1u;
    }
    return sum;
}

static void report(const float *field, double heat_before)
{
    unsigned char *pixels = malloc((size_t)WIDTH * HEIGHT);
    double heat = 0;
    if (!pixels)
        exit(3);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        heat += (double)field[i];
        pixels[i] = (unsigned char)(fminf(field[i], 1) * 255 + 0.5f);
    }
    EXPECT(fabs(heat - heat_before) < 1e-4 * heat_before); /* heat moves; none comes or goes */
    printf("checksum %08x, wrote plate.png\n", checksum(field));
    if (png_write("plate.png", WIDTH, HEIGHT, 1, pixels)) {
        perror("plate.png");
        exit(3);
    }
    free(pixels);
}

int main(int argc, char **argv)
{
    struct ranks ranks = ranks_begin(&argc, &argv);
    const int steps = argc > 2 ? atoi(argv[2]) : sample_on_gpu(ranks.context) ? 1000 : 20;
    EXPECT(ranks.count <= HEIGHT);
    struct plate plate;
    plate_begin(&plate, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < steps; i++)
        step(&plate);
    CHECK(gpucc_context_synchronize(ranks.context));
    MPI_Barrier(MPI_COMM_WORLD);
    const double seconds = MPI_Wtime() - start;
    float *whole = sample_floats((size_t)WIDTH * HEIGHT);
    gather(&plate, whole);
    if (ranks.rank == 0) {
        double heat_before = 0;
        for (size_t row = 0; row < HEIGHT; row++)
            for (size_t column = 0; column < WIDTH; column++)
                heat_before += (double)hot(row, column);
        printf("%d steps, %.4f ms each; rows go %s\n", steps, seconds / (steps > 0 ? steps : 1) * 1e3,
               ranks.takes_device_pointers ? "as they lie on the device" : "by the host's memory");
        report(whole, heat_before);
    }
    free(whole);
    plate_end(&plate);
    ranks_end(&ranks);
    return 0;
}
