/* Writes rows to a table of a spool, many per statement: jobs and requests, of which a run may have
 * millions. */
#ifndef REPORTS_ROW_WRITER_H
#define REPORTS_ROW_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "reports/database.h"
#include "sim/kernel/sim_time.h"

enum row_value_kind { ROW_NULL, ROW_INTEGER, ROW_REAL, ROW_TEXT };

struct row_value {
    enum row_value_kind kind;
    union {
        int64_t integer;
        double real;
        const char *text;
    };
};

static inline struct row_value row_integer(int64_t integer) {
    return (struct row_value){.kind = ROW_INTEGER, .integer = integer};
}
/* NULL is NULL. */
static inline struct row_value row_text(const char *text) {
    return (struct row_value){.kind = text == NULL ? ROW_NULL : ROW_TEXT, .text = text};
}
/* In seconds; SIM_TIME_NEVER is NULL. */
static inline struct row_value row_time(sim_time time) {
    return time == SIM_TIME_NEVER
               ? (struct row_value){.kind = ROW_NULL}
               : (struct row_value){.kind = ROW_REAL, .real = sim_time_to_seconds(time)};
}

enum { ROW_MOST_COLUMNS = 12 };

struct row_writer;

/* Rows with these columns ("workload, seq"), `count` of them, beside `id`, the key, which counts up
 * from first_id. The database is borrowed. NULL with an error. */
struct row_writer *row_writer_create(const struct database *database, const char *table,
                                     const char *columns, int count, int64_t first_id,
                                     struct error *error);
/* One value per column. Texts are copied; the row may be written later. */
bool row_writer_add(struct row_writer *writer, const struct row_value *values, struct error *error);
/* Writes what has been added so far. */
bool row_writer_flush(struct row_writer *writer, struct error *error);
void row_writer_destroy(struct row_writer *writer); /* NULL is nothing to destroy */

#endif
