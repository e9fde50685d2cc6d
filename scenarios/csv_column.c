#include "scenarios/csv_column.h"

#include <csv.h>
#include <errno.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/input_file.h"
#include "scenarios/tree.h"
#include "sim/kernel/memory.h"

enum { NOT_FOUND = -1, LONGEST_FIELD = 256 };

/* The state of one pass over the file. */
struct pass {
    const char *file;
    const char *name;
    bool (*parse)(const char *text, const void *context, double *value);
    const void *context;
    struct csv_column *column;
    size_t capacity;
    long wanted; /* the column's number, once the header is read */
    long at;     /* the next field's number */
    size_t row;  /* of the file, the header is 1 */
    bool taken;  /* this row had the field */
    bool failed;
    struct error *error;
};

static void fail(struct pass *pass, const char *problem, const char *text) {
    char shown[96];
    if (!pass->failed) {
        error_set(pass->error, NULL, 0, 0, "%s, row %zu: %s %s", pass->file, pass->row, problem,
                  text_describe(text, shown, sizeof(shown)));
        pass->failed = true;
    }
}

static void take_field(void *bytes, size_t length, void *context) {
    struct pass *pass = context;
    long number = pass->at++;
    if (pass->failed || (pass->row > 1 && number != pass->wanted)) {
        return;
    }
    char text[LONGEST_FIELD];
    size_t kept = length < sizeof(text) ? length : sizeof(text) - 1;
    if (kept > 0) {
        memcpy(text, bytes, kept);
    }
    text[kept] = '\0';
    if (pass->row == 1) {
        if (pass->wanted == NOT_FOUND && strcmp(text, pass->name) == 0) {
            pass->wanted = number;
        }
        return;
    }
    struct csv_column *column = pass->column;
    column->values =
        memory_grow(column->values, &pass->capacity, column->count + 1, sizeof(double));
    if (kept < length || !pass->parse(text, pass->context, &column->values[column->count])) {
        fail(pass, "cannot use the value", text);
        return;
    }
    column->count++;
    pass->taken = true;
}

static void take_row(int terminator, void *context) {
    (void)terminator;
    struct pass *pass = context;
    if (pass->row == 1 && pass->wanted == NOT_FOUND) {
        fail(pass, "there is no column", pass->name);
    } else if (pass->row > 1 && !pass->taken) {
        fail(pass, "there is no value for", pass->name);
    }
    pass->row++;
    pass->at = 0;
    pass->taken = false;
}

static bool read_all(struct pass *pass, FILE *stream, SHA256_CTX *hash) {
    struct csv_parser parser;
    if (csv_init(&parser, CSV_APPEND_NULL) != 0) {
        memory_exhausted(0);
    }
    char buffer[1 << 16];
    size_t length;
    size_t parsed = 0;
    size_t given = 0;
    while (!pass->failed && (length = fread(buffer, 1, sizeof(buffer), stream)) > 0) {
        SHA256Update(hash, (const unsigned char *)buffer, length);
        parsed += csv_parse(&parser, buffer, length, take_field, take_row, pass);
        given += length;
        if (parsed < given) {
            fail(pass, "not a delimited file:", csv_strerror(csv_error(&parser)));
        }
    }
    csv_fini(&parser, take_field, take_row, pass);
    csv_free(&parser);
    if (!pass->failed && ferror(stream)) {
        error_set(pass->error, NULL, 0, 0, "cannot read %s: %s", pass->file, strerror(errno));
        pass->failed = true;
    }
    return !pass->failed;
}

static void close_input(FILE *stream) {
    if (stream != stdin) {
        fclose(stream);
    }
}

static FILE *open_input(const char *file, struct error *error) {
    FILE *stream = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
    const char *refusal = stream == NULL    ? strerror(errno)
                          : stream == stdin ? NULL
                                            : input_file_refusal(fileno(stream));
    if (refusal != NULL) {
        error_set(error, NULL, 0, 0, "cannot open %s: %s", file, refusal);
        if (stream != NULL) {
            close_input(stream);
        }
        return NULL;
    }
    return stream;
}

bool csv_column_read(const char *file, const char *name,
                     bool (*parse)(const char *text, const void *context, double *value),
                     const void *context, struct csv_column *column, struct error *error) {
    *column = (struct csv_column){0};
    FILE *stream = open_input(file, error);
    if (stream == NULL) {
        return false;
    }
    SHA256_CTX hash;
    SHA256Init(&hash);
    struct pass pass = {.file = file,
                        .name = name,
                        .parse = parse,
                        .context = context,
                        .column = column,
                        .wanted = NOT_FOUND,
                        .row = 1,
                        .error = error};
    bool sound = read_all(&pass, stream, &hash);
    close_input(stream);
    SHA256End(&hash, column->sha256);
    if (sound && column->count == 0) {
        error_set(error, NULL, 0, 0, "%s has no rows below its header", file);
        sound = false;
    }
    if (!sound) {
        free(column->values);
        *column = (struct csv_column){0};
    }
    return sound;
}
