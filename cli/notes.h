/* What a reader of results must know besides the figures: assumptions, and what went wrong on the
 * way. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <stddef.h>

#include "cli/batch.h"

struct notes {
    char **lines;
    size_t count;
    size_t capacity;
};

void notes_add(struct notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_clear(struct notes *notes);

/* Of the traces read and the prices used; each once. */
void notes_of_inputs(struct notes *notes, const struct loaded *loaded);
/* Of replications that did not suffice and of jobs rejected, by scenario and variant. */
void notes_of_runs(struct notes *notes, const struct loaded *loaded, const struct batch *batch);

#endif
