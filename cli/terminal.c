#include "cli/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_wants_colour(FILE *out) {
    const char *no_colour = getenv("NO_COLOR");
    return (no_colour == NULL || no_colour[0] == '\0') && isatty(fileno(out));
}

size_t terminal_width(FILE *out) {
    struct winsize size = {0};
    if (ioctl(fileno(out), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 80;
    }
    return size.ws_col < 20 ? 20 : size.ws_col;
}
