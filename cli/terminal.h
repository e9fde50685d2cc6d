/* What may be asked of the terminal. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Colour only on a terminal, and not where NO_COLOR is set (https://no-color.org). */
bool terminal_wants_colour(FILE *out);

/* Columns of a terminal, at least 20; 80 where it does not say. */
size_t terminal_width(FILE *out);

#endif
