/* Writes job rows to a spool, many per statement: that is where a run's rows are. */
#ifndef REPORTS_JOB_WRITER_H
#define REPORTS_JOB_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "reports/database.h"
#include "sim/simulation.h"

struct job_writer;

/* The database is borrowed. NULL with an error. */
struct job_writer *job_writer_create(const struct database *database, int64_t run_id,
                                     struct error *error);
/* Copies the record; it may be written later. */
bool job_writer_add(struct job_writer *writer, const struct job_record *record,
                    struct error *error);
/* Writes what has been added so far. */
bool job_writer_flush(struct job_writer *writer, struct error *error);
void job_writer_destroy(struct job_writer *writer); /* NULL is nothing to destroy */

#endif
