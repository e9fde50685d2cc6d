/* Results in the formats of other programs. Rows are read and written one at a time, so a database
 * may be larger than memory. */
#ifndef REPORTS_EXPORT_H
#define REPORTS_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "reports/store.h"
#include "sim/kernel/error.h"

struct export_request {
    const char *variant; /* only its runs; NULL: all */
    double from_s;       /* simulated time, of formats with a window */
    double to_s;         /* INFINITY: to the end */
    int64_t most_events; /* of a trace */
    const char *folder;  /* of formats that write several files */
};

struct exporter;

struct export_format {
    const char *name;
    const char *summary;
    bool has_window; /* takes from_s and to_s */
    bool has_folder; /* writes files there, else to `out` */
    /* False with the error in the exporter. */
    bool (*write)(struct exporter *exporter, FILE *out);
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;

/* NULL: unknown. */
const struct export_format *export_format_find(const char *name);

/* Exports the newest runs of each scenario, variant and point. False with an error: nothing to
 * export, too much of it, or the database or a file fails. */
bool export_write(const struct export_format *format, const struct export_request *request,
                  struct store *store, FILE *out, struct error *error);

#endif
