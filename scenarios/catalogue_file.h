/* `catalogue: FILE` of a scenario: a file of GPUs and models that are added to the program's
 * catalogue, or replace what it says of them, for this scenario. */
#ifndef SCENARIOS_CATALOGUE_FILE_H
#define SCENARIOS_CATALOGUE_FILE_H

#include "scenarios/reader.h"
#include "scenarios/schema.h"

/* The key: reads the file into a const struct catalogue *, which belongs to the scenario being
 * read; the program's own where the key is left out. Rows that look up GPUs or models must come
 * after it. */
extern const struct field_type catalogue_file_type;

/* A scenario that has nothing but the catalogue of a file, for those that only want to look at it.
 * NULL with errors added. Free with scenario_destroy. */
struct scenario *catalogue_file_open(const char *path, const struct reader_context *context,
                                     struct error_list *errors);

#endif
