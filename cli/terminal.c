#include "cli/terminal.h"

#include <stdlib.h>
#include <unistd.h>

bool terminal_wants_colour(FILE *out) {
    const char *no_colour = getenv("NO_COLOR");
    return (no_colour == NULL || no_colour[0] == '\0') && isatty(fileno(out));
}
