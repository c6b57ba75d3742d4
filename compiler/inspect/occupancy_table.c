/* gpucc inspect --occupancy: blocks on a multiprocessor against their size, and what limits them, for each
 * architecture; as a table and as a picture. */
#include "inspect/inspect_internal.h"
#include "inspect/resident.h"
#include "ptx/ptx.h"

#include <gpucc/limits.h>

enum { STEP = GPUCC_WARP_THREADS, WIDTH = 720, HEIGHT = 420, LEFT = 60, RIGHT = 130, TOP = 50, BOTTOM = 60 };

/* An entry on one architecture. */
struct subject {
    int arch;
    struct resources resources;
    struct use use;
    struct multiprocessor limits;
};

/* ---- text ---- */

/* "threads", "registers and shared memory" */
static const char *limit_text(struct arena *arena, const struct room *room)
{
    const struct {
        int room;
        const char *name;
    } limits[] = {{room->threads, "threads"}, {room->blocks, "blocks"}, {room->registers, "registers"},
                  {room->shared, "shared memory"}};
    struct text text = {.arena = arena};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].room == least_room(room))
            text_printf(&text, "%s%s", text.size ? " and " : "", limits[i].name);
    return text.data;
}

static int percent(const struct subject *subject, int block)
{
    const struct room room = room_for(&subject->limits, &subject->use, block);
    const int warps = (block + GPUCC_WARP_THREADS - 1) / GPUCC_WARP_THREADS;
    return 100 * least_room(&room) * warps * GPUCC_WARP_THREADS / subject->limits.threads;
}

/* Sizes that people use; the others are in the picture. */
static void print_table(struct arena *arena, const struct subject *subject, int most)
{
    puts("  block  blocks on an SM  threads  occupancy  limited by");
    for (int block = STEP; block <= most; block += block < 256 ? STEP : block < 512 ? 2 * STEP : 4 * STEP) {
        const struct room room = room_for(&subject->limits, &subject->use, block);
        const int blocks = least_room(&room);
        printf("  %5d  %15d  %7d  %7d %%  %s\n", block, blocks, blocks * block, percent(subject, block),
               limit_text(arena, &room));
    }
}

static void print_subject(struct arena *arena, const struct subject *subject, size_t dynamic, int most, bool is_given)
{
    printf("\non %s: ", arch_name(arena, subject->arch));
    if (is_given)
        printf("%d registers", subject->use.registers);
    else if (subject->use.registers)
        print_resources(&subject->resources);
    else
        printf("registers not counted");
    printf(", %zu bytes of shared memory a block", subject->use.shared);
    if (dynamic)
        printf(", %zu of them dynamic", dynamic);
    putchar('\n');
    print_table(arena, subject, most);
}

/* ---- picture ---- */

static double x_of(int block, int most)
{
    return LEFT + (double)(WIDTH - LEFT - RIGHT) * block / most;
}

static double y_of(int part)
{
    return HEIGHT - BOTTOM - (double)(HEIGHT - TOP - BOTTOM) * part / 100;
}

static void draw_axes(struct text *text, int most)
{
    char label[16];
    for (int part = 0; part <= 100; part += 25) {
        svg_line(text, LEFT, y_of(part), WIDTH - RIGHT, y_of(part), "stroke=\"#ddd\"");
        snprintf(label, sizeof label, "%d %%", part);
        svg_text(text, LEFT - 8, y_of(part) + 4, "text-anchor=\"end\"", label);
    }
    for (int block = 128; block <= most; block += 128) {
        svg_line(text, x_of(block, most), TOP, x_of(block, most), HEIGHT - BOTTOM, "stroke=\"#ddd\"");
        snprintf(label, sizeof label, "%d", block);
        svg_text(text, x_of(block, most), HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", label);
    }
    svg_text(text, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 18, "text-anchor=\"middle\"",
             "threads of a block; threads resident on a multiprocessor, of those that it can hold");
}

static void draw_subject(struct text *text, const struct subject *subject, size_t index, int most)
{
    static const char *const colours[] = {"#1f4e8c", "#c0392b", "#2e7d32", "#8e44ad", "#b9770e", "#117a8b"};
    const char *colour = colours[index % (sizeof colours / sizeof *colours)];
    const double y = TOP + 14 + 20 * (double)index;
    text_printf(text, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (int block = STEP; block <= most; block += STEP)
        text_printf(text, "%.1f,%.1f ", x_of(block, most), y_of(percent(subject, block)));
    text_printf(text, "\"/>\n");
    text_printf(text, "<rect x=\"%d\" y=\"%.1f\" width=\"14\" height=\"4\" fill=\"%s\"/>\n", WIDTH - RIGHT + 16, y - 6,
                colour);
    svg_text(text, WIDTH - RIGHT + 36, y, "", arch_name(text->arena, subject->arch));
}

static void draw(struct arena *arena, const struct inspect_options *options, const struct subject *subjects, int most)
{
    struct text text = {.arena = arena};
    svg_begin(&text, WIDTH, HEIGHT, arena_printf(arena, "Occupancy of %s", options->entry));
    draw_axes(&text, most);
    for (size_t i = 0; i < options->arch_count; i++)
        draw_subject(&text, &subjects[i], i, most);
    svg_end(&text);
    write_file(options->svg, text.data, text.size, false);
    commit_files();
}

/* ---- what is known of the entry ---- */

/* The text that a device of this architecture would run. */
static struct bytes text_for(const struct ptx_image *images, size_t count, int arch)
{
    struct bytes text = {0};
    for (size_t i = 0; i < count; i++)
        if (arch_capability(images[i].arch) <= arch_capability(arch))
            text = images[i].text;
    return text;
}

static struct subject measure_subject(struct arena *arena, const struct inspect_options *options, struct bytes text,
                                      int arch, const char **note)
{
    struct subject subject = {.arch = arch, .limits = multiprocessor_of(arch_capability(arch))};
    const size_t shared = ptx_shared_bytes(arena, text, &options->entry, 1);
    if (options->registers) {
        subject.resources.registers = options->registers;
    } else {
        const struct measured measured = measure_ptx(arena, text, arch);
        const struct resources *found = find_resources(measured.resources, measured.count, options->entry);
        if (found)
            subject.resources = *found;
        *note = measured.note;
    }
    subject.use.registers = subject.resources.registers;
    subject.use.shared = options->shared + (subject.resources.shared ? (size_t)subject.resources.shared : shared);
    return subject;
}

void inspect_occupancy(struct arena *arena, const struct inspect_options *options, const struct ptx_image *images,
                       size_t count)
{
    const char *note = NULL;
    const int bound = ptx_entry_bound(arena, images[count - 1].text, options->entry);
    const int most = bound > 0 && bound < GPUCC_BLOCK_THREADS ? bound : GPUCC_BLOCK_THREADS;
    struct subject *subjects = arena_alloc(arena, options->arch_count * sizeof *subjects);
    if (bound < 0)
        input_error("no entry '%s' in '%s'", options->entry, options->path);
    printf("%s", options->entry);
    if (bound > 0)
        printf(", launch bounds %d", bound);
    putchar('\n');
    for (size_t i = 0; i < options->arch_count; i++) {
        const struct bytes text = text_for(images, count, options->archs[i]);
        if (!text.data)
            input_error("'%s' has no PTX for %s or an older architecture", options->path,
                        arch_name(arena, options->archs[i]));
        subjects[i] = measure_subject(arena, options, text, options->archs[i], &note);
        print_subject(arena, &subjects[i], options->shared, most, options->registers > 0);
    }
    if (note)
        printf("\n%s; set their number by --registers=N\n", note);
    if (options->svg)
        draw(arena, options, subjects, most);
}
