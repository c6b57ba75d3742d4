/* The verdicts of the tests, as text, as TAP, as JUnit's XML, and as a picture of the errors. */
#define _XOPEN_SOURCE 700
#include "test/test_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

size_t count_verdicts(const struct verdicts *verdicts, enum verdict_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < verdicts->count; i++)
        count += verdicts->items[i].kind == kind;
    return count;
}

/* Each line of `lines` behind `margin`. */
static void print_lines(struct text *text, const char *margin, const char *lines)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        text_printf(text, "%s%.*s\n", margin, (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

/* ---- text ---- */

enum { BAR = 40 }; /* characters of the longest */

static uint64_t largest_bin(const struct errors *errors)
{
    uint64_t largest = 1;
    for (int i = 0; i < BINS; i++)
        largest = errors->bins[i] > largest ? errors->bins[i] : largest;
    return largest;
}

static void print_histogram(struct text *text, const struct errors *errors)
{
    const uint64_t largest = largest_bin(errors);
    for (int i = 0; errors->count && i < used_bins(errors); i++) {
        const uint64_t count = errors->bins[i];
        if (!count)
            continue;
        const int wide = begins(bin_name(i), "≤") ? 2 : 0; /* bytes that take no column */
        text_printf(text, "        %-*s ", 8 + wide, bin_name(i));
        for (uint64_t k = 0; k < (count * BAR + largest - 1) / largest; k++)
            text_printf(text, "█");
        text_printf(text, " %llu\n", (unsigned long long)count);
    }
}

static void write_line(struct text *text, const struct verdict *verdict, bool has_colors)
{
    static const char *const words[] = {"ok", "FAILED", "skipped"};
    const bool is_colored = has_colors && verdict->kind == FAILED;
    text_printf(text, "%s%-7s%s %s: %s%s%s\n", is_colored ? COLOR_ERROR : "", words[verdict->kind],
                is_colored ? COLOR_OFF : "", verdict->symbol, verdict->what, verdict->detail ? ": " : "",
                verdict->detail ? verdict->detail : "");
    if (verdict->more)
        print_lines(text, "        ", verdict->more);
    if (verdict->errors)
        print_histogram(text, verdict->errors);
}

static void write_summary(struct text *text, const struct verdicts *verdicts)
{
    text_printf(text, "%zu passed, %zu failed, %zu skipped\n", count_verdicts(verdicts, PASSED),
                count_verdicts(verdicts, FAILED), count_verdicts(verdicts, SKIPPED));
}

/* ---- TAP ---- */

static void write_point(struct text *text, size_t number, const struct verdict *verdict)
{
    text_printf(text, "%s%s %zu - %s: %s", number == 1 ? "TAP version 13\n" : "",
                verdict->kind == FAILED ? "not ok" : "ok", number, verdict->symbol, verdict->what);
    if (verdict->kind == SKIPPED)
        text_printf(text, " # SKIP %s\n", verdict->detail);
    else
        text_printf(text, "\n%s%s%s", verdict->detail ? "# " : "", verdict->detail ? verdict->detail : "",
                    verdict->detail ? "\n" : "");
    if (verdict->more)
        print_lines(text, "# ", verdict->more);
}

/* ---- JUnit's XML ---- */

static void print_xml(struct text *text, const char *words)
{
    for (; *words; words++)
        if (strchr("<>&\"", *words))
            text_printf(text, "&#%d;", *words);
        else
            text_append(text, words, 1);
}

static void print_attribute(struct text *text, const char *name, const char *words)
{
    text_printf(text, " %s=\"", name);
    print_xml(text, words);
    text_printf(text, "\"");
}

static void write_case(struct text *text, const struct verdict *verdict)
{
    const char *detail = verdict->detail ? verdict->detail : "";
    text_printf(text, "    <testcase");
    print_attribute(text, "classname", verdict->symbol);
    print_attribute(text, "name", verdict->what);
    text_printf(text, " time=\"%.3f\">", verdict->seconds);
    if (verdict->kind == PASSED) {
        text_printf(text, "\n      <system-out>");
        print_xml(text, detail);
        text_printf(text, "</system-out>\n    ");
    } else {
        text_printf(text, "\n      <%s", verdict->kind == FAILED ? "failure" : "skipped");
        print_attribute(text, "message", detail);
        text_printf(text, ">");
        print_xml(text, verdict->more ? verdict->more : "");
        text_printf(text, "</%s>\n    ", verdict->kind == FAILED ? "failure" : "skipped");
    }
    text_printf(text, "</testcase>\n");
}

static void write_junit(struct text *text, const struct verdicts *verdicts, const char *source)
{
    double seconds = 0;
    for (size_t i = 0; i < verdicts->count; i++)
        seconds += verdicts->items[i].seconds;
    text_printf(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    print_attribute(text, "name", source);
    text_printf(text, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n", verdicts->count,
                count_verdicts(verdicts, FAILED), count_verdicts(verdicts, SKIPPED), seconds);
    for (size_t i = 0; i < verdicts->count; i++)
        write_case(text, &verdicts->items[i]);
    text_printf(text, "  </testsuite>\n</testsuites>\n");
}

/* ---- a picture ---- */

enum { WIDTH = 720, TOP = 50, PANEL = 215, LEFT = 60, HEAD = 45, BOTTOM = 50 };

/* Without the sign, which the caption stands for. */
static const char *tick(int bin)
{
    static const char sign[] = "≤ ";
    const char *name = bin_name(bin);
    return begins(name, sign) ? name + sizeof sign - 1 : name;
}

/* A bar for each bin.  Heights are square roots of shares, so that rare errors are visible. */
static void draw_panel(struct text *text, const struct verdict *verdict, double top, struct arena *arena)
{
    const double base = top + PANEL - BOTTOM, height = PANEL - BOTTOM - HEAD, wide = WIDTH - 2.0 * LEFT;
    const double step = wide / BINS;
    const uint64_t largest = largest_bin(verdict->errors);
    svg_fitted_text(text, LEFT, top + 12, wide, 12, "font-weight=\"bold\"",
                    arena_printf(arena, "%s, %s", verdict->symbol, verdict->what));
    svg_fitted_text(text, LEFT, top + 28, wide, 12, "", verdict->detail);
    for (int i = 0; i < BINS; i++) {
        const double share = (double)verdict->errors->bins[i] / (double)largest, tall = height * sqrt(share);
        text_printf(text, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#2471a3\"/>\n",
                    LEFT + i * step, base - tall, step - 4, tall);
        svg_text(text, LEFT + (i + 0.5) * step - 2, base + 14, "text-anchor=\"middle\" font-size=\"8\"", tick(i));
    }
    svg_line(text, LEFT, base, WIDTH - LEFT, base, "stroke=\"black\"");
    svg_text(text, WIDTH / 2.0, base + 30, "text-anchor=\"middle\" font-size=\"10\"",
             "results by error, at most so many units in the last place (heights: square roots of shares)");
}

static struct bytes draw_errors(const struct verdicts *verdicts, const char *source)
{
    struct text text = {.arena = verdicts->arena};
    int panels = 0;
    for (size_t i = 0; i < verdicts->count; i++)
        panels += verdicts->items[i].errors != NULL;
    svg_begin(&text, WIDTH, TOP + panels * PANEL,
              arena_printf(verdicts->arena, "%s: errors against references", source));
    double top = TOP;
    for (size_t i = 0; i < verdicts->count; i++)
        if (verdicts->items[i].errors) {
            draw_panel(&text, &verdicts->items[i], top, verdicts->arena);
            top += PANEL;
        }
    svg_end(&text);
    return (struct bytes){text.data, text.size};
}

/* ---- a report that grows ---- */

void begin_report(struct verdicts *verdicts)
{
    const int descriptor = dup(STDOUT_FILENO);
    verdicts->has_colors = !verdicts->options->output && has_colors(STDOUT_FILENO);
    verdicts->out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!verdicts->out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        fatal("cannot write standard output: %s", strerror(errno));
}

/* Back to what it was. */
static void release_output(struct verdicts *verdicts)
{
    fflush(stdout);
    if (dup2(fileno(verdicts->out), STDOUT_FILENO) < 0 || fclose(verdicts->out))
        fatal("cannot write standard output: %s", strerror(errno));
}

/* Prints what the report has from there on, unless it is to go to a file. */
static void show(struct verdicts *verdicts, size_t from)
{
    const struct test_options *options = verdicts->options;
    if (options->output || verdicts->report.size == from)
        return;
    const size_t size = verdicts->report.size - from;
    if (fwrite(verdicts->report.data + from, 1, size, verdicts->out) != size || fflush(verdicts->out))
        fatal("cannot write standard output: %s", strerror(errno));
}

static void append(struct verdicts *verdicts, struct verdict verdict)
{
    verdicts->items = arena_grow(verdicts->arena, verdicts->items, verdicts->count, sizeof *verdicts->items);
    verdicts->items[verdicts->count++] = verdict;
    if (verdicts->options->format == FORMAT_TEXT)
        write_line(&verdicts->report, &verdict, verdicts->has_colors);
    else if (verdicts->options->format == FORMAT_TAP)
        write_point(&verdicts->report, verdicts->count, &verdict);
}

void add_verdict(struct verdicts *verdicts, struct verdict verdict)
{
    const size_t from = verdicts->report.size;
    append(verdicts, verdict);
    show(verdicts, from);
}

static void finish(struct verdicts *verdicts)
{
    switch (verdicts->options->format) {
    case FORMAT_TEXT: write_summary(&verdicts->report, verdicts); break;
    case FORMAT_TAP: text_printf(&verdicts->report, "1..%zu\n", verdicts->count); break;
    case FORMAT_JUNIT: write_junit(&verdicts->report, verdicts, verdicts->options->compile.inputs[0]); break;
    }
}

void foresee_crash(struct verdicts *verdicts, struct verdict verdict, const struct left_files *files)
{
    const char *output = verdicts->options->output;
    struct arena *arena = arena_new();
    struct verdicts then = {.options = verdicts->options, .arena = arena, .report = {.arena = arena},
                            .has_colors = verdicts->has_colors};
    for (size_t i = 0; i < verdicts->count; i++)
        append(&then, verdicts->items[i]);
    const size_t shown = output ? 0 : then.report.size;
    verdict.kind = FAILED;
    verdict.detail = "it did not return, and later functions were not tried";
    append(&then, verdict);
    finish(&then);
    verdicts->last_words = (struct last_words){.path = output && strcmp(output, "-") != 0 ? output : NULL,
                                               .descriptor = fileno(verdicts->out),
                                               .data = then.report.data + shown,
                                               .size = then.report.size - shown,
                                               .folder = verdicts->options->keep,
                                               .files = files->items,
                                               .file_count = files->count};
    guard_leave(&verdicts->last_words);
    if (verdicts->foreseen)
        arena_free(verdicts->foreseen);
    verdicts->foreseen = arena;
}

void forget_files(struct verdicts *verdicts)
{
    verdicts->last_words.file_count = 0;
    guard_leave(&verdicts->last_words);
}

void end_report(struct verdicts *verdicts)
{
    const struct test_options *options = verdicts->options;
    const size_t from = verdicts->report.size;
    guard_leave(NULL);
    if (verdicts->foreseen)
        arena_free(verdicts->foreseen);
    finish(verdicts);
    show(verdicts, from);
    release_output(verdicts);
    if (options->output)
        write_file(options->output, verdicts->report.data, verdicts->report.size, false);
    if (options->svg) {
        const struct bytes picture = draw_errors(verdicts, options->compile.inputs[0]);
        write_file(options->svg, picture.data, picture.size, false);
    }
    commit_files();
    finish_standard_output();
}
