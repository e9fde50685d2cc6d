/* The hidden files beside a database that spools write to: ".NAME.spool-XXXXXX". Each is locked
 * while it is in use, which tells it from one that a killed process left behind. */
#ifndef REPORTS_SPOOL_FILE_H
#define REPORTS_SPOOL_FILE_H

#include <stdbool.h>

#include "sim/kernel/error.h"

struct spool_file {
    char *path; /* NULL: none */
    int lock;   /* an open, locked descriptor of it */
};

/* Makes an empty one in the folder of `beside`, an absolute path; shown is how messages call that
 * file. */
bool spool_file_create(struct spool_file *file, const char *beside, const char *shown,
                       struct error *error);
/* Deletes it; safe to call twice. SQLite must have closed it: closing any descriptor of a file
 * releases the process's own locks on it. */
void spool_file_remove(struct spool_file *file);
/* Deletes those that nobody uses any more. Failures are of no consequence. */
void spool_file_sweep(const char *beside);

#endif
