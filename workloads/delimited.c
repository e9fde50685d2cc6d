#include "workloads/delimited.h"

#include <csv.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

enum {
    CHUNK = 1 << 16,
    /* A row beyond this is taken for a quote left open, which would swallow the rest of the file.
     */
    LONGEST_ROW = 1 << 20,
};

struct delimited {
    struct stored_file *file;
    const char *path;
    struct csv_parser csv;
    char chunk[CHUNK];
    size_t chunk_at, chunk_end;
    bool started, ended;
    int64_t line;      /* of the next byte */
    bool after_return; /* the last byte was a CR: an LF now belongs to it */
    bool discarding;   /* until the end of a line that was given up */

    /* The row being put together. */
    bool row_open; /* some of its bytes were seen */
    bool row_done;
    bool has_zero_byte;
    int64_t row_line;
    size_t row_bytes;
    char *text;
    size_t text_size, text_capacity;
    size_t *cells;
    size_t cell_count, cell_capacity;
};

static void *reallocate_checked(void *block, size_t size) {
    return memory_reallocate(block, 1, size);
}

/* REPALL_NL reports blank lines, too, as rows without cells: a line after which no row was reported
 * is therefore one that ends inside quotes. */
static void start_splitter(struct delimited *rows) {
    csv_init(&rows->csv, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
    csv_set_realloc_func(&rows->csv, reallocate_checked);
}

struct delimited *delimited_create(struct stored_file *file, const char *path) {
    struct delimited *rows = memory_zero(1, sizeof(*rows));
    rows->file = file;
    rows->path = path;
    rows->line = 1;
    start_splitter(rows);
    return rows;
}

void delimited_destroy(struct delimited *rows) {
    if (rows == NULL) {
        return;
    }
    csv_free(&rows->csv);
    free(rows->text);
    free(rows->cells);
    free(rows);
}

int delimited_line(int64_t line) {
    return line < INT_MAX ? (int)line : INT_MAX;
}

static void on_cell(void *cell, size_t size, void *data) {
    struct delimited *rows = data;
    if (rows->cell_count == rows->cell_capacity) {
        rows->cells = memory_grow(rows->cells, &rows->cell_capacity, rows->cell_count + 1,
                                  sizeof(rows->cells[0]));
    }
    if (rows->text_capacity - rows->text_size <= size) {
        rows->text = memory_grow(rows->text, &rows->text_capacity, rows->text_size + size + 1, 1);
    }
    rows->cells[rows->cell_count++] = rows->text_size;
    if (size > 0) {
        memcpy(rows->text + rows->text_size, cell, size);
    }
    rows->text_size += size;
    rows->text[rows->text_size++] = '\0';
}

static void on_row(int end, void *data) {
    (void)end;
    struct delimited *rows = data;
    rows->row_done = true;
}

static void forget_row(struct delimited *rows) {
    rows->row_open = false;
    rows->row_done = false;
    rows->has_zero_byte = false;
    rows->row_bytes = 0;
    rows->text_size = 0;
    rows->cell_count = 0;
}

static enum delimited_result give_up_row(struct delimited *rows, struct error *error,
                                         const char *why) {
    error_set(error, rows->path, delimited_line(rows->row_line), 0, "%s", why);
    csv_free(&rows->csv);
    start_splitter(rows);
    forget_row(rows);
    return DELIMITED_UNREADABLE;
}

/* False with an error if the file cannot be read on. */
static bool refill(struct delimited *rows, struct error *error) {
    rows->chunk_at = 0;
    if (!stored_file_read(rows->file, rows->chunk, sizeof(rows->chunk), &rows->chunk_end, error)) {
        return false;
    }
    rows->ended = rows->chunk_end == 0;
    if (rows->started) {
        return true;
    }
    rows->started = true;
    if (rows->chunk_end >= 3 && memcmp(rows->chunk, "\xef\xbb\xbf", 3) == 0) {
        rows->chunk_at = 3; /* a byte order mark: UTF-8 as some spreadsheets write it */
    } else if (rows->chunk_end >= 2 && (memcmp(rows->chunk, "\xff\xfe", 2) == 0 ||
                                        memcmp(rows->chunk, "\xfe\xff", 2) == 0)) {
        error_set(error, rows->path, 1, 0, "the file is UTF-16; save it as UTF-8");
        return false;
    }
    return true;
}

/* The size of the next piece: up to and with the next CR or LF, or what is left of the chunk. */
static size_t piece_size(const struct delimited *rows) {
    const char *piece = rows->chunk + rows->chunk_at;
    size_t left = rows->chunk_end - rows->chunk_at;
    const char *feed = memchr(piece, '\n', left);
    size_t size = feed != NULL ? (size_t)(feed - piece) + 1 : left;
    const char *back = memchr(piece, '\r', size);
    return back != NULL ? (size_t)(back - piece) + 1 : size;
}

/* Counts the line that a piece ends; false if it ends none. */
static bool count_line(struct delimited *rows, const char *piece, size_t size) {
    char last = piece[size - 1];
    if (last == '\n' && size == 1 && rows->after_return) {
        rows->after_return = false;
        return true;
    }
    rows->after_return = last == '\r';
    if (last != '\n' && last != '\r') {
        return false;
    }
    rows->line++;
    return true;
}

/* Hands one piece to the splitter; it holds at most one end of a row. DELIMITED_ROW if all is well,
 * whether or not the row is complete. */
static enum delimited_result split_piece(struct delimited *rows, struct error *error) {
    const char *piece = rows->chunk + rows->chunk_at;
    size_t size = piece_size(rows);
    rows->chunk_at += size;
    if (!rows->row_open) {
        rows->row_open = true;
        rows->row_line = rows->line;
    }
    bool line_ended = count_line(rows, piece, size);
    if (rows->discarding) {
        rows->discarding = !line_ended;
        forget_row(rows);
        return DELIMITED_ROW;
    }
    rows->row_bytes += size;
    rows->has_zero_byte = rows->has_zero_byte || memchr(piece, '\0', size) != NULL;
    if (csv_parse(&rows->csv, piece, size, on_cell, on_row, rows) != size) {
        rows->discarding = !line_ended;
        return give_up_row(rows, error,
                           "a quote in the middle of a cell: quote the whole cell, "
                           "and double the quotes in it");
    }
    if (rows->row_bytes > LONGEST_ROW) {
        rows->discarding = !line_ended;
        return give_up_row(rows, error, "a row of more than 1 MiB: is a quote left open?");
    }
    return DELIMITED_ROW;
}

static enum delimited_result split_end(struct delimited *rows, struct error *error) {
    if (csv_fini(&rows->csv, on_cell, on_row, rows) != 0) {
        return give_up_row(rows, error, "a quote opened in this row is never closed");
    }
    rows->row_done = true;
    return DELIMITED_ROW;
}

static void show_row(const struct delimited *rows, struct delimited_row *row) {
    row->line = rows->row_line;
    row->cell_count = rows->cell_count;
    row->text = rows->text;
    row->text_size = rows->text_size;
    row->cells = rows->cells;
}

enum delimited_result delimited_next(struct delimited *rows, struct delimited_row *row,
                                     struct error *error) {
    forget_row(rows);
    while (!rows->ended) {
        if (rows->chunk_at == rows->chunk_end && !refill(rows, error)) {
            return DELIMITED_FAILED;
        }
        enum delimited_result split = DELIMITED_ROW;
        if (rows->ended) {
            split = split_end(rows, error);
        } else if (rows->chunk_at < rows->chunk_end) {
            split = split_piece(rows, error);
        }
        if (split != DELIMITED_ROW) {
            return split;
        }
        if (!rows->row_done) {
            continue;
        }
        if (rows->has_zero_byte) {
            return give_up_row(rows, error, "a zero byte: this is not text");
        }
        if (rows->cell_count > 0) {
            show_row(rows, row);
            return DELIMITED_ROW;
        }
        forget_row(rows); /* a blank line */
    }
    return DELIMITED_END;
}
