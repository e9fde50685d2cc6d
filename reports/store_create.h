/* Whether a file can be a results database, and making a new one. */
#ifndef REPORTS_STORE_CREATE_H
#define REPORTS_STORE_CREATE_H

#include <stdbool.h>

#include "reports/database.h"
#include "sim/kernel/error.h"

/* *present: there is a file; *filled: with something in it. False if there can be none at path: it
 * is a directory or a device, or (for writing) its folder is missing or closed to us. */
bool store_check_path(const char *path, bool writing, bool *present, bool *filled,
                      struct error *error);
/* Whether an open database is one of ours, of a version we know. */
bool store_check(const struct database *database, struct error *error);
/* Likewise, but an empty one is made ours: entirely or not at all. */
bool store_create_or_check(const struct database *database, struct error *error);

#endif
