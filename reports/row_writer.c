#include "reports/row_writer.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* Beyond ten rows a statement gets no faster. */
enum { ROWS_PER_STATEMENT = 10 };

/* A value that waits to be written. */
struct pending_value {
    struct row_value value;
    size_t place; /* a text's, in the writer's */
    size_t length;
};

struct row_writer {
    const struct database *database;
    int column_count;
    /* The first row is written with its id; SQLite counts on from there, which spares it a search
     * for each row's place. */
    sqlite3_stmt *insert_first;
    sqlite3_stmt *insert_one;
    sqlite3_stmt *insert_ten;
    int64_t first_id; /* 0: the first row has been written */
    struct pending_value pending[ROWS_PER_STATEMENT][ROW_MOST_COLUMNS];
    int pending_count;
    char *text;
    size_t text_size;
    size_t text_capacity;
};

/* "INSERT INTO table (columns) VALUES (?, ?), (?, ?)" */
static sqlite3_stmt *prepare(const struct row_writer *writer, const char *table,
                             const char *columns, int parameters, int rows, struct error *error) {
    char *sql = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&sql, &size);
    if (stream == NULL) {
        memory_exhausted(0);
    }
    fprintf(stream, "INSERT INTO %s (%s) VALUES ", table, columns);
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < parameters; i++) {
            fprintf(stream, "%s?", i > 0 ? ", " : row > 0 ? "), (" : "(");
        }
    }
    fputc(')', stream);
    fclose(stream);
    sqlite3_stmt *statement = database_prepare(writer->database, sql, true, error);
    free(sql);
    return statement;
}

static bool prepare_all(struct row_writer *writer, const char *table, const char *columns,
                        struct error *error) {
    int count = writer->column_count;
    char with_id[256];
    snprintf(with_id, sizeof(with_id), "%s, id", columns);
    writer->insert_first = prepare(writer, table, with_id, count + 1, 1, error);
    if (writer->insert_first != NULL) {
        writer->insert_one = prepare(writer, table, columns, count, 1, error);
    }
    if (writer->insert_one != NULL) {
        writer->insert_ten = prepare(writer, table, columns, count, ROWS_PER_STATEMENT, error);
    }
    return writer->insert_ten != NULL;
}

struct row_writer *row_writer_create(const struct database *database, const char *table,
                                     const char *columns, int count, int64_t first_id,
                                     struct error *error) {
    assert(count <= ROW_MOST_COLUMNS && strlen(columns) < 250);
    struct row_writer *writer = memory_zero(1, sizeof(*writer));
    writer->database = database;
    writer->column_count = count;
    writer->first_id = first_id;
    if (!prepare_all(writer, table, columns, error)) {
        row_writer_destroy(writer);
        return NULL;
    }
    return writer;
}

void row_writer_destroy(struct row_writer *writer) {
    if (writer != NULL) {
        sqlite3_finalize(writer->insert_first);
        sqlite3_finalize(writer->insert_one);
        sqlite3_finalize(writer->insert_ten);
        free(writer->text);
        free(writer);
    }
}

static void keep_text(struct row_writer *writer, struct pending_value *pending) {
    pending->place = writer->text_size;
    pending->length = strlen(pending->value.text);
    writer->text_size += pending->length;
    writer->text = memory_grow(writer->text, &writer->text_capacity, writer->text_size, 1);
    memcpy(writer->text + pending->place, pending->value.text, pending->length);
}

/* A text stays where it is until the statement has run. */
static void bind(const struct row_writer *writer, sqlite3_stmt *statement, int parameter,
                 const struct pending_value *pending) {
    switch (pending->value.kind) {
    case ROW_INTEGER:
        sqlite3_bind_int64(statement, parameter, pending->value.integer);
        break;
    case ROW_REAL:
        sqlite3_bind_double(statement, parameter, pending->value.real);
        break;
    case ROW_TEXT:
        sqlite3_bind_text(statement, parameter, writer->text + pending->place, (int)pending->length,
                          SQLITE_STATIC);
        break;
    case ROW_NULL:
        sqlite3_bind_null(statement, parameter);
        break;
    }
}

/* Writes the pending rows from `first` on, as many as the statement has. */
static bool write_pending(const struct row_writer *writer, sqlite3_stmt *statement, int first,
                          int rows, struct error *error) {
    int parameter = 1;
    for (int row = first; row < first + rows; row++) {
        for (int i = 0; i < writer->column_count; i++) {
            bind(writer, statement, parameter++, &writer->pending[row][i]);
        }
    }
    return database_step(writer->database, statement, error);
}

bool row_writer_flush(struct row_writer *writer, struct error *error) {
    bool written = true;
    int next = 0;
    if (writer->first_id != 0 && writer->pending_count > 0) {
        sqlite3_bind_int64(writer->insert_first, writer->column_count + 1, writer->first_id);
        written = write_pending(writer, writer->insert_first, next++, 1, error);
        writer->first_id = 0;
    }
    while (written && next < writer->pending_count) {
        bool full = next == 0 && writer->pending_count == ROWS_PER_STATEMENT;
        int rows = full ? ROWS_PER_STATEMENT : 1;
        written = write_pending(writer, full ? writer->insert_ten : writer->insert_one, next, rows,
                                error);
        next += rows;
    }
    writer->pending_count = 0;
    writer->text_size = 0;
    return written;
}

bool row_writer_add(struct row_writer *writer, const struct row_value *values,
                    struct error *error) {
    struct pending_value *row = writer->pending[writer->pending_count++];
    for (int i = 0; i < writer->column_count; i++) {
        row[i].value = values[i];
        if (values[i].kind == ROW_TEXT) {
            keep_text(writer, &row[i]);
        }
    }
    return writer->pending_count < ROWS_PER_STATEMENT || row_writer_flush(writer, error);
}
