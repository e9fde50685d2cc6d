/* Text on a terminal: how wide UTF-8 is, and names shown so that they cannot break a line, a table
 * or a terminal. */
#ifndef REPORTS_TEXT_H
#define REPORTS_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Columns that a text takes on a terminal: 2 for wide East Asian characters and most emoji, 0 for
 * combining marks. Bytes that are not UTF-8 count 1 each. */
size_t text_width(const char *text);

/* A copy in which control characters, invisible formatting (such as right-to-left overrides) and
 * bytes that are not UTF-8 are written as \n, \x1b or \u202e. Free it. */
char *text_visible(const char *text);
/* A copy in which bytes that are not UTF-8 are replaced by U+FFFD. Free it. */
char *text_valid(const char *text);

/* A copy of at most `width` columns, whose end is an ellipsis if it was longer. Free it. */
char *text_abbreviated(const char *text, size_t width);

/* Prints words, and ends the line: none is longer than `width` columns. The first line has been
 * begun by the caller, who has printed `margin` columns; the others are indented by as many. */
void text_print_wrapped(FILE *out, const char *text, size_t margin, size_t width);

#endif
