/* What may be asked of the terminal. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* Colour only on a terminal, and not where NO_COLOR is set (https://no-color.org). */
bool terminal_wants_colour(FILE *out);

#endif
