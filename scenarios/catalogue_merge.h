/* The program's catalogue with the entries of a file. */
#ifndef SCENARIOS_CATALOGUE_MERGE_H
#define SCENARIOS_CATALOGUE_MERGE_H

#include "scenarios/language_catalogue.h"
#include "scenarios/schema_engine.h"

/* A copy in the arena of the scenario being read, borrowing from `base`. What is wrong with an
 * entry is reported; what can be used of it is in the copy all the same, so that names are known.
 */
const struct catalogue *catalogue_merge(struct reading *reading, const struct catalogue *base,
                                        const struct catalogue_entries *entries);

#endif
