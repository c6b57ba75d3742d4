/* Pictures, as SVG: what those that are drawn here have in common. */
#include "base/base.h"

void svg_begin(struct text *text, int width, int height, const char *title)
{
    text_printf(text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                width, height, width, height);
    svg_fitted_text(text, width / 2.0, 26, width - 40, 16, "text-anchor=\"middle\"", title);
}

void svg_end(struct text *text)
{
    text_printf(text, "</svg>\n");
}

void svg_text(struct text *text, double x, double y, const char *attributes, const char *words)
{
    text_printf(text, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    for (; *words; words++) {
        if (*words == '<' || *words == '&')
            text_printf(text, "&#%d;", *words);
        else
            text_append(text, words, 1);
    }
    text_printf(text, "</text>\n");
}

/* Viewers choose the font, so widths are estimates, on the safe side. */
void svg_fitted_text(struct text *text, double x, double y, double width, int size, const char *attributes,
                     const char *words)
{
    enum { SMALLEST = 9 };
    const double each = 0.6; /* of the size, a character's average width in a bold sans-serif font */
    size_t count = 0;
    for (const char *c = words; *c; c++)
        count += (*c & 0xc0) != 0x80; /* UTF-8: characters, not bytes */
    while (size > SMALLEST && each * size * (double)count > width)
        size--;
    char sized[160];
    snprintf(sized, sizeof sized, "font-size=\"%d\" %s", size, attributes);
    if (each * size * (double)count > width)
        snprintf(sized, sizeof sized, "font-size=\"%d\" textLength=\"%.0f\" lengthAdjust=\"spacingAndGlyphs\" %s", size,
                 width, attributes);
    svg_text(text, x, y, sized, words);
}

void svg_line(struct text *text, double x1, double y1, double x2, double y2, const char *attributes)
{
    text_printf(text, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, attributes);
}
