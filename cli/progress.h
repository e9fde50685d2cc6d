/* The line on a terminal that shows how far a batch of runs is. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How far it is. */
struct progress_state {
    size_t done; /* runs */
    size_t all;
    double fraction;    /* of the work, 0 to 1, parts of runs included */
    uint64_t events;    /* simulated so far */
    double simulated_s; /* of the run that is least far; negative: of none */
    double horizon_s;   /* of that run; negative: it has none */
};

struct progress {
    FILE *out; /* a terminal; NULL: nothing is drawn */
    bool colour;
    double began_s;
    double drawn_s; /* when it was drawn last; negative: never */
    size_t width;   /* columns drawn last */
};

/* Draws on stderr, if that is a terminal and `wanted`. */
void progress_begin(struct progress *progress, bool wanted);
/* Draws, though not more than some times a second. For option_row-like callbacks, the first
 * parameter is a struct progress. */
void progress_update(void *progress, const struct progress_state *state);
/* Wipes the line. */
void progress_end(struct progress *progress);

/* The line, without colour: a bar, and what there is to say `elapsed_s` after the beginning. */
void progress_format(char *line, size_t size, const struct progress_state *state, double elapsed_s);

#endif
