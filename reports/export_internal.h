/* What the formats of an export share: the runs to be exported, and queries of them. */
#ifndef REPORTS_EXPORT_INTERNAL_H
#define REPORTS_EXPORT_INTERNAL_H

#include "reports/database.h"
#include "reports/export.h"

/* The temporary table export_run has the runs: the columns of `run` that name them, sim_seconds,
 * currency, epoch_s (the wall clock of t = 0 in seconds since 1970: that of the scenario, else when
 * it was run), and is_first, 1 for one replication of each case. */
struct exporter {
    const struct database *database;
    const struct export_request *request;
    struct error *error;
    bool failed;
};

/* NULL with the error kept. Parameters are bound by the caller. */
sqlite3_stmt *export_prepare(struct exporter *exporter, const char *sql);
/* Whether there is a next row; an error, which is kept, ends the rows. At the end the statement is
 * finalized; NULL has no rows. */
bool export_next(struct exporter *exporter, sqlite3_stmt *statement);
/* Runs a statement without rows, of which parameter ?1 is the run, ?2 and ?3 the window. */
bool export_execute(struct exporter *exporter, const char *sql, int64_t run_id);
/* A query with the same parameters. */
sqlite3_stmt *export_query(struct exporter *exporter, const char *sql, int64_t run_id);
/* The first column of its first row. */
int64_t export_count(struct exporter *exporter, const char *sql, int64_t run_id);

/* "trace, variant mig, nodes=2": what a run is called where several stand side by side. Free it. */
char *export_run_name(const char *scenario, const char *variant, const char *point);

bool export_perfetto(struct exporter *exporter, FILE *out);
bool export_openmetrics(struct exporter *exporter, FILE *out);
bool export_csv(struct exporter *exporter, FILE *out);
bool export_focus(struct exporter *exporter, FILE *out);

#endif
