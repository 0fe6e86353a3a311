/* svg.c: pieces of a picture, written as SVG.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "svg.h"

#include <stdarg.h>

/* The colour-blind can tell the colours apart, too (Okabe and Ito). */
static const char style[] =
    "text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #202020 }\n"
    ".title { font-weight: bold }\n"
    ".faint { fill: #707070 }\n"
    ".middle { text-anchor: middle }\n"
    ".right { text-anchor: end }\n"
    ".wire { stroke: #c8c8c8; stroke-width: 1 }\n"
    ".grid { stroke: #dddddd; stroke-width: 1; stroke-dasharray: 3 3 }\n"
    ".cell { fill: #ffffff; stroke: #808080; stroke-width: 1 }\n"
    ".one { fill: #d8d8d8; stroke: #808080; stroke-width: 1 }\n"
    ".padding { fill: #f0f0f0; stroke: #c0c0c0; stroke-width: 1 }\n"
    ".sign { fill: none; stroke: #ffffff; stroke-width: 1.4 }\n"
    ".edge { fill: none; stroke-width: 1.3; stroke-opacity: 0.85 }\n"
    ".up .edge, .up .node, .combine .edge, .combine .node { stroke: #0072b2 }\n"
    ".up .node, .combine .node { fill: #0072b2 }\n"
    ".down .edge, .down .node { stroke: #d55e00 } .down .node { fill: #d55e00 }\n"
    ".totals .edge, .totals .node { stroke: #009e73 } .totals .node { fill: #009e73 }\n"
    ".broadcast .edge, .broadcast .node { stroke: #8c4a94 } .broadcast .node { fill: #8c4a94 }\n"
    ".copy .edge, .copy .node { stroke: #555555 } .copy .node { fill: #ffffff }\n"
    ".copy .edge { stroke-dasharray: 4 3 }\n"
    "rect.up, rect.combine, polygon.up { fill: #e2f0f9; stroke: #0072b2 }\n"
    "rect.down, polygon.down { fill: #fbe9dd; stroke: #d55e00 }\n"
    "rect.totals, polygon.totals { fill: #dff3ec; stroke: #009e73 }\n"
    "rect.broadcast, polygon.broadcast { fill: #f1e4f3; stroke: #8c4a94 }\n"
    "rect.copy { fill: #ffffff; stroke: #555555; stroke-dasharray: 4 3 }\n"
    ".band { stroke: none !important; fill-opacity: 0.45 }\n";

static const struct {
  const char *class, *legend;
} kinds[SVG_KINDS] = {[SVG_UP] = {"up", "up-sweep"},
                      [SVG_DOWN] = {"down", "down-sweep"},
                      [SVG_COMBINE] = {"combine", "combine"},
                      [SVG_TOTALS] = {"totals", "scan of the totals"},
                      [SVG_BROADCAST] = {"broadcast", "broadcast"},
                      [SVG_COPY] = {"copy", "copy"}};

const char *svg_class(svg_kind kind) { return kinds[kind].class; }

const char *svg_legend(svg_kind kind) { return kinds[kind].legend; }

static void put_escaped(FILE *to, const char *text) {
  for (; *text != '\0'; text++)
    if (*text == '<')
      fputs("&lt;", to);
    else if (*text == '&')
      fputs("&amp;", to);
    else
      fputc(*text, to);
}

void svg_begin(FILE *to, double width, double height, const char *title) {
  fprintf(to,
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\">\n<title>",
          width, height, width, height);
  put_escaped(to, title);
  fprintf(to, "</title>\n<style>\n%s</style>\n", style);
  fprintf(to, "<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n", width, height);
  svg_text(to, 20, 30, 17, "title", "%s", title);
}

void svg_end(FILE *to) { fputs("</svg>\n", to); }

void svg_line(FILE *to, const char *class, double x1, double y1, double x2, double y2) {
  fprintf(to, "<line class=\"%s\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n", class, x1, y1, x2, y2);
}

void svg_rect(FILE *to, const char *class, double x, double y, double width, double height) {
  fprintf(to, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", class, x, y, width, height);
}

void svg_text(FILE *to, double x, double y, double size, const char *class, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(to, "<text class=\"%s\" x=\"%g\" y=\"%g\" font-size=\"%g\">", class, x, y, size);
  put_escaped(to, text);
  fputs("</text>\n", to);
}

void svg_put_legend(FILE *to, double x, double y, const int present[SVG_KINDS]) {
  for (int kind = 0; kind < SVG_KINDS; kind++) {
    if (!present[kind]) continue;
    svg_rect(to, kinds[kind].class, x, y - 10, 14, 12);
    svg_text(to, x + 20, y, 12, "", "%s", kinds[kind].legend);
    x += kind == SVG_TOTALS ? 160 : 110;
  }
}
