/* CSV: every view as a file of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/csv_text.h"
#include "reports/export_internal.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

static void print_cell(FILE *out, sqlite3_stmt *row, int column) {
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(row, column));
        break;
    case SQLITE_FLOAT:
        csv_print_number(out, sqlite3_column_double(row, column));
        break;
    case SQLITE_TEXT: {
        char *valid = text_valid((const char *)sqlite3_column_text(row, column));
        csv_print_text(out, valid);
        free(valid);
        break;
    }
    default: /* NULL */
        break;
    }
}

static void print_rows(struct exporter *exporter, sqlite3_stmt *rows, FILE *out) {
    int columns = sqlite3_column_count(rows);
    for (int i = 0; i < columns; i++) {
        fputs(i > 0 ? "," : "", out);
        csv_print_text(out, sqlite3_column_name(rows, i));
    }
    fputc('\n', out);
    while (export_next(exporter, rows)) {
        for (int i = 0; i < columns; i++) {
            fputs(i > 0 ? "," : "", out);
            print_cell(out, rows, i);
        }
        fputc('\n', out);
    }
}

static void keep_file_error(struct exporter *exporter, const char *path) {
    error_set(exporter->error, path, 0, 0, "cannot be written: %s", strerror(errno));
    exporter->failed = true;
}

/* Views of runs keep to those chosen; the others (of means) have no run_id, and stay whole unless a
 * variant is asked for. */
static sqlite3_stmt *select_view(struct exporter *exporter, const char *view) {
    sqlite3_stmt *columns = export_prepare(
        exporter, "SELECT max(name = 'run_id'), max(name = 'variant') FROM pragma_table_info(?1)");
    bool has_run = false;
    bool has_variant = false;
    sqlite3_bind_text(columns, 1, view, -1, SQLITE_STATIC);
    while (export_next(exporter, columns)) {
        has_run = sqlite3_column_int(columns, 0) != 0;
        has_variant = sqlite3_column_int(columns, 1) != 0;
    }
    char *sql = NULL;
    if (asprintf(&sql, "SELECT * FROM \"%s\"%s", view,
                 has_run       ? " WHERE run_id IN (SELECT run_id FROM export_run)"
                 : has_variant ? " WHERE variant IN (SELECT variant FROM export_run)"
                               : "") < 0) {
        memory_exhausted(0);
    }
    sqlite3_stmt *rows = export_prepare(exporter, sql);
    free(sql);
    return rows;
}

static void write_view(struct exporter *exporter, const char *view) {
    sqlite3_stmt *rows = select_view(exporter, view);
    if (rows == NULL) {
        return;
    }
    char *path = NULL;
    if (asprintf(&path, "%s/%s.csv", exporter->request->folder, view) < 0) {
        memory_exhausted(0);
    }
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        keep_file_error(exporter, path);
        sqlite3_finalize(rows);
    } else {
        print_rows(exporter, rows, out);
        bool good = ferror(out) == 0;
        if ((fclose(out) != 0 || !good) && !exporter->failed) {
            keep_file_error(exporter, path);
        }
    }
    free(path);
}

bool export_csv(struct exporter *exporter, FILE *out) {
    (void)out;
    const char *folder = exporter->request->folder;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        keep_file_error(exporter, folder);
        return false;
    }
    sqlite3_stmt *views = export_prepare(
        exporter, "SELECT name FROM main.sqlite_schema WHERE type = 'view' ORDER BY name");
    while (export_next(exporter, views)) {
        char *view = memory_duplicate_string(database_text(views, 0));
        write_view(exporter, view);
        free(view);
    }
    return !exporter->failed;
}
