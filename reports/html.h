/* The one writer of HTML: whatever is filled into a template is escaped, so that no name from a
 * scenario can become markup. */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include <stdio.h>

/* Prints a template, a literal in which %s is a text (escaped for elements and for attributes in
 * double quotes; control characters and bytes that are not UTF-8 made visible), %d an int and %% a
 * percent sign. There are no other conversions, widths or flags. */
void html_print(FILE *out, const char *template, ...) __attribute__((format(printf, 2, 3)));

/* A text of several lines, for an element that keeps them (<pre>). */
void html_print_lines(FILE *out, const char *text);

/* SVG made by another program, within a page: copies only what draws (g,
 * path, polygon, rect, text, tspan with attributes of looks and place) and leaves out everything
 * else: scripts, links, handlers, titles, definitions, identifiers. `label` describes the picture.
 */
void html_print_svg(FILE *out, const char *svg, const char *label);

#endif
