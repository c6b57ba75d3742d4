/* A call below the roofline of its device, as SVG: operations a second over operations a byte, both logarithmic. */
#include "run/run_internal.h"

#include <math.h>

/* Keeps lines that cross a text from striking it out. */
#define HALO "fill=\"#c0392b\" stroke=\"white\" stroke-width=\"4\" paint-order=\"stroke\""

enum { WIDTH = 720, HEIGHT = 440, LEFT = 90, RIGHT = 30, TOP = 60, BOTTOM = 60 };

/* The range of the axes, in powers of ten. */
struct axes {
    double left, right, low, high;
};

static double x_of(const struct axes *axes, double intensity)
{
    return LEFT + (log10(intensity) - axes->left) / (axes->right - axes->left) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct axes *axes, double performance)
{
    return HEIGHT - BOTTOM - (log10(performance) - axes->low) / (axes->high - axes->low) * (HEIGHT - TOP - BOTTOM);
}

/* All that matters, with room around it. */
static struct axes choose_axes(const struct device_limits *roof, double intensity, double performance)
{
    const double ridge = log10(roof->operations / roof->bandwidth), place = log10(intensity);
    struct axes axes = {.left = floor(fmin(place, ridge) - 1), .right = ceil(fmax(place, ridge) + 1)};
    const double slope = log10(roof->bandwidth) + axes.left;
    axes.low = floor(fmin(slope, log10(performance) - 0.2));
    axes.high = ceil(fmax(log10(roof->operations), log10(performance)) + 0.1);
    return axes;
}

static void draw_grid(struct text *text, const struct axes *axes)
{
    char label[32];
    for (int p = (int)axes->left; p <= (int)axes->right; p++) {
        const double x = x_of(axes, pow(10, p));
        svg_line(text, x, TOP, x, HEIGHT - BOTTOM, "stroke=\"#ddd\"");
        snprintf(label, sizeof label, "%g", pow(10, p));
        svg_text(text, x, HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", label);
    }
    for (int p = (int)axes->low; p <= (int)axes->high; p++) {
        const double y = y_of(axes, pow(10, p));
        svg_line(text, LEFT, y, WIDTH - RIGHT, y, "stroke=\"#ddd\"");
        snprintf(label, sizeof label, "%g", pow(10, p - 9));
        svg_text(text, LEFT - 8, y + 4, "text-anchor=\"end\"", label);
    }
    svg_text(text, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 18, "text-anchor=\"middle\"", "operations a byte");
    svg_text(text, LEFT, TOP - 10, "text-anchor=\"end\"", "GFLOP/s");
}

static void draw_roof(struct text *text, const struct axes *axes, const struct device_limits *roof)
{
    char label[96];
    const double ridge = roof->operations / roof->bandwidth, left = pow(10, axes->left), right = pow(10, axes->right);
    text_printf(text,
                "<polyline fill=\"none\" stroke=\"#1f4e8c\" stroke-width=\"2\" "
                "points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n",
                x_of(axes, left), y_of(axes, left * roof->bandwidth), x_of(axes, ridge), y_of(axes, roof->operations),
                x_of(axes, right), y_of(axes, roof->operations));
    snprintf(label, sizeof label, "multiply-adds: %.4g GFLOP/s", 1e-9 * roof->operations);
    svg_text(text, WIDTH - RIGHT - 4, y_of(axes, roof->operations) - 8, "text-anchor=\"end\" fill=\"#1f4e8c\"", label);
    snprintf(label, sizeof label, "copy: %.4g GB/s", 1e-9 * roof->bandwidth);
    const double beside = fmin(y_of(axes, left * roof->bandwidth) + 8, HEIGHT - BOTTOM - 4);
    svg_text(text, x_of(axes, left) + 20, beside, "fill=\"#1f4e8c\"", label);
}

/* Below the roof; above it if there is no room on the right, or if the call is faster than the roof.  For a point above
 * the slope the label is at the top, because the slope would cross it beside the point. */
static void draw_label(struct text *text, const struct axes *axes, const struct device_limits *roof, double intensity,
                       double performance)
{
    enum { SIZE = 12, ROOM = 230 };
    const double x = x_of(axes, intensity), y = y_of(axes, performance);
    const double most = fmin(roof->operations, intensity * roof->bandwidth);
    const bool is_above = performance > most, is_sloped = intensity < roof->operations / roof->bandwidth;
    const bool is_left = x > (is_sloped ? WIDTH - RIGHT - ROOM : WIDTH / 2.0);
    const bool is_high = is_above || (is_sloped && is_left);
    char label[128];
    if (is_above)
        snprintf(label, sizeof label, "%.4g GFLOP/s, above the roof: %s", 1e-9 * performance,
                 is_sloped ? "a cache holds the data" : "not only multiply-adds");
    else
        snprintf(label, sizeof label, "%.4g GFLOP/s, %.3g %% of the roof", 1e-9 * performance,
                 100 * performance / most);
    const double room = is_left ? x - 16 : WIDTH - x - 16;
    if (is_above && is_sloped)
        svg_fitted_text(text, LEFT + 8, TOP + 18, WIDTH / 2.0, SIZE, HALO, label);
    else
        svg_fitted_text(text, x + (is_left ? -12 : 12), y + (is_high ? -12 : 18), room, SIZE,
                        is_left ? "text-anchor=\"end\" " HALO : HALO, label);
}

static void draw_point(struct text *text, const struct axes *axes, const struct device_limits *roof, double intensity,
                       double performance)
{
    const double x = x_of(axes, intensity), y = y_of(axes, performance);
    const double top = y_of(axes, fmax(performance, fmin(roof->operations, intensity * roof->bandwidth)));
    svg_line(text, x, top, x, HEIGHT - BOTTOM, "stroke=\"#c0392b\" stroke-dasharray=\"4 4\"");
    text_printf(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#c0392b\"/>\n", x, y);
    draw_label(text, axes, roof, intensity, performance);
}

struct bytes draw_roofline(struct arena *arena, const char *title, const struct device_limits *roof, double intensity,
                           double performance)
{
    struct text text = {.arena = arena};
    const struct axes axes = choose_axes(roof, intensity, performance);
    svg_begin(&text, WIDTH, HEIGHT, title);
    draw_grid(&text, &axes);
    draw_roof(&text, &axes, roof);
    draw_point(&text, &axes, roof, intensity, performance);
    svg_end(&text);
    return (struct bytes){text.data, text.size};
}
