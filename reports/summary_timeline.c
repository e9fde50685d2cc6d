/* How the pools were used over time, as bars in a line, where the scenario had it recorded. */
#include <math.h>
#include <stdlib.h>

#include "reports/number.h"
#include "reports/sparkline.h"
#include "reports/store_internal.h"
#include "reports/summary_internal.h"

enum { BARS = 24, PARTS = 3 };

/* Means over the replications and over BARS equal parts of the time. */
static const char query[] =
    "WITH runs AS (SELECT run_id, sim_seconds FROM run WHERE batch = ?1 AND scenario = ?2 "
    "              AND variant = ?3 AND point = ?4) "
    "SELECT min(CAST(t_s * ?6 / sim_seconds AS INTEGER), ?6 - 1) AS bar, "
    "       avg(allocated), avg(busy), avg(queued_jobs) "
    "FROM timeline JOIN runs USING (run_id) WHERE pool = ?5 AND sim_seconds > 0 GROUP BY bar";

struct bars {
    double parts[PARTS][BARS]; /* NaN: not recorded */
    double greatest[PARTS];
    bool any;
};

static void read_bars(struct bars *bars, const struct page *page, const struct result_case *of,
                      const char *pool) {
    *bars = (struct bars){0};
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < BARS; i++) {
            bars->parts[part][i] = NAN;
        }
    }
    sqlite3_stmt *statement = result_prepare(page->set, of, query);
    if (statement == NULL) {
        return;
    }
    sqlite3_bind_text(statement, 5, pool, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 6, BARS);
    while (result_next(page->set, statement)) {
        int64_t bar = sqlite3_column_int64(statement, 0);
        for (int part = 0; part < PARTS; part++) {
            double value = database_real(statement, part + 1);
            bars->parts[part][bar] = value;
            bars->greatest[part] = fmax(bars->greatest[part], value);
        }
        bars->any = true;
    }
    sqlite3_finalize(statement);
}

static void add_line(struct table *table, const double *values, double greatest) {
    char *line = sparkline(values, BARS, greatest);
    table_add_text(table, line);
    free(line);
}

static void add_pool(struct table *table, const struct page *page, const struct result_case *of,
                     const char *pool) {
    struct bars bars;
    read_bars(&bars, page, of, pool);
    if (!bars.any) {
        return;
    }
    table_add_row(table);
    page_add_labels(table, page, of);
    table_add_text(table, pool);
    add_line(table, bars.parts[0], 1);
    add_line(table, bars.parts[1], 1);
    add_line(table, bars.parts[2], bars.greatest[2]);
    table_add_number(table, bars.greatest[2], number_plain(bars.greatest[2]).text);
}

void page_print_timeline(const struct page *page) {
    struct table *table = page_table(page);
    table_add_column(table, "pool", "pool", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "allocated, 0 to 100 %", "allocated", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "busy, 0 to 100 %", "busy", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "jobs waiting", "waiting", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "at most", "most", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < page->count; i++) {
        size_t count = 0;
        const char **pools = result_subjects(page->set, &page->cases[i], SCOPE_POOL, &count);
        for (size_t p = 0; p < count; p++) {
            add_pool(table, page, &page->cases[i], pools[p]);
        }
    }
    if (table_row_count(table) == 0) {
        table_destroy(table);
        return;
    }
    if (table_hide_if_all(table, "most", 0)) {
        table_hide(table, "waiting");
    }
    page_print_table(page, table);
}
