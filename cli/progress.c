#include "cli/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "reports/number.h"
#include "reports/text.h"

enum { BAR_WIDTH = 14, LINE_BYTES = 512 };
static const double SECONDS_BETWEEN = 0.1;
/* Before these, an estimate of the end is a guess. */
static const double LEAST_SECONDS = 1;
static const double LEAST_FRACTION = 0.01;

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(struct progress *progress, bool wanted) {
    *progress = (struct progress){.out = wanted && isatty(STDERR_FILENO) ? stderr : NULL,
                                  .colour = terminal_wants_colour(stderr),
                                  .began_s = seconds_now(),
                                  .drawn_s = -1};
}

/* Appends as printf does what still fits. */
static void append(char *line, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *line, size_t size, const char *format, ...) {
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_bar(char *line, size_t size, double fraction) {
    int filled = (int)(fraction * BAR_WIDTH);
    for (int i = 0; i < BAR_WIDTH; i++) {
        append(line, size, "%s", i < filled ? "█" : "░");
    }
}

/* "12.3 M events/s" */
static void append_rate(char *line, size_t size, double rate) {
    if (rate >= 1e6) {
        append(line, size, ", %.1f M events/s", rate * 1e-6);
    } else {
        append(line, size, ", %s events/s", number_count(rate).text);
    }
}

void progress_format(char *line, size_t size, const struct progress_state *state,
                     double elapsed_s) {
    line[0] = '\0';
    append_bar(line, size, state->fraction);
    append(line, size, " %3.0f %%", state->fraction * 100);
    if (elapsed_s >= LEAST_SECONDS && state->fraction >= LEAST_FRACTION) {
        double left_s = elapsed_s * (1 - state->fraction) / state->fraction;
        append(line, size, ", ETA %s", number_duration(left_s).text);
    }
    if (state->all > 1) {
        append(line, size, ", %zu/%zu runs", state->done, state->all);
    }
    if (state->simulated_s >= 0) {
        append(line, size, ", at %s", number_duration(state->simulated_s).text);
    }
    if (state->simulated_s >= 0 && state->horizon_s >= 0) {
        append(line, size, " of %s", number_duration(state->horizon_s).text);
    }
    if (state->events > 0 && elapsed_s > 0) {
        append_rate(line, size, (double)state->events / elapsed_s);
    }
}

/* Blanks over what the last line had more. */
static void draw(struct progress *progress, const char *line) {
    size_t width = text_width(line);
    int blanks = (int)(progress->width > width ? progress->width - width : 0);
    fprintf(progress->out, "\r%s%s%s%*s", progress->colour ? "\x1b[36m" : "", line,
            progress->colour ? "\x1b[0m" : "", blanks, "");
    fflush(progress->out);
    progress->width = width;
}

void progress_update(void *context, const struct progress_state *state) {
    struct progress *progress = context;
    double now_s = seconds_now();
    bool due = progress->drawn_s < 0 || now_s - progress->drawn_s >= SECONDS_BETWEEN ||
               state->done == state->all;
    if (progress->out == NULL || !due) {
        return;
    }
    char line[LINE_BYTES];
    progress_format(line, sizeof line, state, now_s - progress->began_s);
    char *fitting = text_abbreviated(line, terminal_width(progress->out) - 1);
    draw(progress, fitting);
    free(fitting);
    progress->drawn_s = now_s;
}

void progress_end(struct progress *progress) {
    if (progress->out != NULL && progress->width > 0) {
        fprintf(progress->out, "\r%*s\r", (int)progress->width, "");
        fflush(progress->out);
        progress->width = 0;
    }
}
