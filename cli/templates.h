/* The scenarios that the binary carries, to start one's own from: the short ones of
 * scenarios/templates and all of scenarios/library. */
#ifndef CLI_TEMPLATES_H
#define CLI_TEMPLATES_H

#include <stddef.h>

#include "cmake/embedded_file.h"

/* How many there are, and one of them, the short ones first. */
size_t template_count(void);
const struct embedded_file *template_at(size_t index);

/* What it is for: the text of its `description:`. Free it. */
char *template_description(const struct embedded_file *scenario);

/* The files that its traces are in, from the first on that is at or after *at; NULL: no more. */
const struct embedded_file *template_next_data(const struct embedded_file *scenario, size_t *at);

/* The last part of a path. */
const char *template_file_name(const struct embedded_file *file);

#endif
