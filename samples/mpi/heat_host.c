/* Heat spreading over a plate whose rows several ranks share: plate.png.  A rank first computes its outermost rows, and
 * those inside while these are on the way to its neighbours.  The second argument is the number of steps, the third how
 * many cells the plate has on a side. */
#include "../png.h"
#include "heat.h"
#include "ranks.h"
#include <math.h>

/* A rank's rows, in the device's memory, with one of each neighbour around them. */
struct plate {
    const struct ranks *ranks;
    size_t rows, width;
    int above, below; /* ranks, or MPI_PROC_NULL */
    gpucc_array *now, *next;
    gpucc_stream *outside, *inside;              /* in which the outermost rows are computed, and the others */
    gpucc_event *outside_computed, *inside_computed;
    float *sent[2], *got[2]; /* where the MPI cannot read the device's memory: copies of the outermost rows */
};

static float hot(size_t row, size_t column)
{
    uint32_t state = (uint32_t)(row / 90 * 1000 + column / 70);
    sample_random(&state);
    const float spot = sample_random(&state);
    return spot > 0.7f ? spot : 0;
}

static void plate_begin(struct plate *plate, const struct ranks *ranks, size_t side)
{
    const struct part own = part_of(ranks, side);
    *plate = (struct plate){.ranks = ranks, .rows = own.end - own.begin, .width = side};
    plate->above = ranks->rank > 0 ? ranks->rank - 1 : MPI_PROC_NULL;
    plate->below = ranks->rank + 1 < ranks->count ? ranks->rank + 1 : MPI_PROC_NULL;
    float *field = sample_floats((plate->rows + 2) * side);
    for (size_t row = 0; row < plate->rows + 2; row++)
        for (size_t column = 0; column < side; column++)
            field[row * side + column] = hot(own.begin + row - 1, column);
    plate->now = sample_matrix(ranks->context, (int64_t)plate->rows + 2, (int64_t)side, field);
    plate->next = sample_matrix(ranks->context, (int64_t)plate->rows + 2, (int64_t)side, field);
    free(field);
    CHECK(gpucc_stream_create(ranks->context, &plate->outside));
    CHECK(gpucc_stream_create(ranks->context, &plate->inside));
    CHECK(gpucc_event_create(ranks->context, &plate->outside_computed));
    CHECK(gpucc_event_create(ranks->context, &plate->inside_computed));
    for (int way = 0; way < 2; way++) {
        plate->sent[way] = sample_floats(side);
        plate->got[way] = sample_floats(side);
    }
}

/* Its streams and events go with the context. */
static void plate_end(struct plate *plate)
{
    gpucc_array_release(plate->now);
    gpucc_array_release(plate->next);
    for (int way = 0; way < 2; way++) {
        free(plate->sent[way]);
        free(plate->got[way]);
    }
}

/* Enqueues rows [first, end). */
static void compute(const struct plate *plate, gpucc_stream *stream, size_t first, size_t end)
{
    enum { STRIP = 8 }; /* rows a thread, as heat.c says */
    const gpucc_launch all = {
        .size = sizeof all, .threads = {plate->width, (end - first + STRIP - 1) / STRIP, 1}, .stream = stream};
    if (first < end)
        CHECK(heat_rows(plate->ranks->context, &all, plate->rows, plate->width, gpucc_array_data(plate->now),
                        gpucc_array_data(plate->next), first, end, plate->above == MPI_PROC_NULL,
                        plate->below == MPI_PROC_NULL, 0.2f));
}

/* ---- the neighbours' rows: of those that are computed, 0 goes up and 1 down ---- */

static void copy_row(const struct plate *plate, size_t row, float *host, int to_host)
{
    gpucc_array *view;
    const size_t bytes = plate->width * sizeof *host;
    CHECK(gpucc_array_view(plate->next, 1, (int64_t[]){(int64_t)plate->width}, NULL, (int64_t)(row * bytes), &view));
    CHECK(to_host ? gpucc_array_read_in_stream(view, host, bytes, plate->outside)
                  : gpucc_array_write_in_stream(view, host, bytes, plate->outside));
    gpucc_array_release(view);
}

/* A row where the MPI finds it: on the device, or its copy. */
static float *place(const struct plate *plate, size_t row, float *copy)
{
    return plate->ranks->accepts_device_pointers ? (float *)gpucc_array_data(plate->next) + row * plate->width : copy;
}

/* Sends the outermost rows of `next`, which are enqueued, and takes the neighbours'. */
static void exchange(struct plate *plate)
{
    MPI_Request requests[4];
    const int neighbours[2] = {plate->above, plate->below}, width = (int)plate->width;
    const int copies = !plate->ranks->accepts_device_pointers;
    const size_t own[2] = {1, plate->rows}, theirs[2] = {0, plate->rows + 1};
    if (!copies)
        CHECK(gpucc_stream_synchronize(plate->outside));
    for (int way = 0; way < 2; way++) {
        if (copies && neighbours[way] != MPI_PROC_NULL)
            copy_row(plate, own[way], plate->sent[way], 1);
        MPI_Irecv(place(plate, theirs[way], plate->got[way]), width, MPI_FLOAT, neighbours[way], 1 - way,
                  MPI_COMM_WORLD, &requests[way]);
        MPI_Isend(place(plate, own[way], plate->sent[way]), width, MPI_FLOAT, neighbours[way], way, MPI_COMM_WORLD,
                  &requests[2 + way]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int way = 0; way < 2; way++) {
        if (copies && neighbours[way] != MPI_PROC_NULL)
            copy_row(plate, theirs[way], plate->got[way], 0);
    }
}

static void step(struct plate *plate)
{
    const size_t first = plate->above == MPI_PROC_NULL ? 1 : 2; /* of those inside, which go up to `end` */
    const size_t end = plate->rows + (plate->below == MPI_PROC_NULL ? 1 : 0);
    CHECK(gpucc_stream_wait(plate->outside, plate->inside_computed)); /* of the last step */
    compute(plate, plate->outside, 1, first);
    compute(plate, plate->outside, end < first ? first : end, plate->rows + 1);
    CHECK(gpucc_event_record(plate->outside_computed, plate->outside));
    CHECK(gpucc_stream_wait(plate->inside, plate->outside_computed));
    compute(plate, plate->inside, first, end);
    CHECK(gpucc_event_record(plate->inside_computed, plate->inside));
    exchange(plate);
    gpucc_array *last = plate->now;
    plate->now = plate->next;
    plate->next = last;
}

/* The whole plate, on the first rank. */
static void gather(const struct plate *plate, float *whole)
{
    const struct ranks *ranks = plate->ranks;
    const size_t width = plate->width;
    float *own = sample_floats((plate->rows + 2) * width);
    CHECK(gpucc_array_read(plate->now, own, (plate->rows + 2) * width * sizeof *own));
    int counts[ranks->count], places[ranks->count];
    for (int rank = 0; rank < ranks->count; rank++) {
        const struct part part = part_of(&(struct ranks){.rank = rank, .count = ranks->count}, width);
        counts[rank] = (int)((part.end - part.begin) * width);
        places[rank] = (int)(part.begin * width);
    }
    MPI_Gatherv(own + width, (int)(plate->rows * width), MPI_FLOAT, whole, counts, places, MPI_FLOAT, 0,
                MPI_COMM_WORLD);
    free(own);
}

/* Any changed bit changes this sum; it serves for nothing else. */
static uint32_t checksum(const float *field, size_t cells)
{
    uint32_t sum = 0, bits;
    for (size_t i = 0; i < cells; i++) {
        memcpy(&bits, &field[i], sizeof bits);
        sum = (sum ^ bits) * 0x9e3779b1u;
    }
    return sum;
}

/* Draws every n-th cell of a large plate. */
static void draw(const float *field, size_t side)
{
    enum { MOST = 1000 };
    const size_t every = (side + MOST - 1) / MOST, pixels = (side + every - 1) / every;
    unsigned char *picture = malloc(pixels * pixels);
    if (!picture)
        exit(3);
    for (size_t y = 0; y < pixels; y++)
        for (size_t x = 0; x < pixels; x++)
            picture[y * pixels + x] = (unsigned char)(fminf(field[y * every * side + x * every], 1) * 255 + 0.5f);
    if (png_write("plate.png", (int)pixels, (int)pixels, 1, picture)) {
        perror("plate.png");
        exit(3);
    }
    free(picture);
}

static void report(const float *field, size_t side)
{
    double before = 0, after = 0;
    for (size_t row = 0; row < side; row++)
        for (size_t column = 0; column < side; column++) {
            before += (double)hot(row, column);
            after += (double)field[row * side + column];
        }
    EXPECT(fabs(after - before) <= 1e-4 * before); /* heat moves; none comes or goes */
    draw(field, side);
    printf("checksum %08x, wrote plate.png\n", checksum(field, side * side));
}

/* Seconds a step, without the first one, which loads the kernel. */
static double run(struct plate *plate, int steps)
{
    double start = 0;
    for (int i = 0; i < steps; i++) {
        step(plate);
        if (i == 0) {
            CHECK(gpucc_context_synchronize(plate->ranks->context));
            MPI_Barrier(MPI_COMM_WORLD);
            start = MPI_Wtime();
        }
    }
    CHECK(gpucc_context_synchronize(plate->ranks->context));
    MPI_Barrier(MPI_COMM_WORLD);
    return steps > 1 ? (MPI_Wtime() - start) / (steps - 1) : 0;
}

int main(int argc, char **argv)
{
    enum { MOST = 46340 }; /* MPI counts the cells by int */
    struct ranks ranks = ranks_begin(&argc, &argv);
    const int steps = argc > 2 ? atoi(argv[2]) : sample_on_gpu(ranks.context) ? 1000 : 20;
    const int side = argc > 3 ? atoi(argv[3]) : 1000;
    EXPECT(steps >= 0 && ranks.count <= side && side <= MOST);
    struct plate plate;
    plate_begin(&plate, &ranks, (size_t)side);
    const double seconds = run(&plate, steps);
    float *whole = ranks.rank == 0 ? sample_floats((size_t)side * (size_t)side) : NULL;
    gather(&plate, whole);
    if (ranks.rank == 0) {
        printf("%d steps, %.4f ms each; rows go %s\n", steps, seconds * 1e3,
               ranks.accepts_device_pointers ? "as they lie on the device" : "by the host's memory");
        report(whole, (size_t)side);
    }
    free(whole);
    plate_end(&plate);
    ranks_end(&ranks);
    return 0;
}
