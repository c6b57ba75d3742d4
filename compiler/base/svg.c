/* Pictures, as SVG: what those that are drawn here have in common. */
#include "base/base.h"

void svg_begin(struct text *text, int width, int height, const char *title)
{
    text_printf(text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
                "font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                width, height, width, height);
    svg_text(text, width / 2.0, 26, "text-anchor=\"middle\" font-size=\"16\"", title);
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

void svg_line(struct text *text, double x1, double y1, double x2, double y2, const char *attributes)
{
    text_printf(text, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, attributes);
}
