/* Empirical distributions: the values of a column of a file. */
#include <string.h>

#include "scenarios/csv_column.h"
#include "scenarios/distribution_reader.h"
#include "scenarios/quantity.h"

/* Bare numbers of a file count as the column's name says (duration_s, queue_ms, memory_gib), else
 * as seconds, ones and bytes. */

struct column_source {
    const char *file;
    const char *column;
};

const struct field distribution_column_fields[] = {
    {.name = "file",
     .summary = "a delimited file with a header, relative to the scenario file",
     .type = &field_file,
     FIELD_AT(struct column_source, file),
     .required = true},
    {.name = "column",
     .summary =
         "the header of the column; a unit at its end (_ms, _h, _gib) is that of its numbers",
     .type = &field_text,
     FIELD_AT(struct column_source, column),
     .required = true},
    {.name = NULL}};

/* How the numbers of a column are read. */
struct column_unit {
    enum field_dimension dimension;
    int64_t scale; /* base units of a bare number */
};

static struct column_unit unit_of_column(enum field_dimension dimension, const char *column) {
    static const struct {
        const char *suffix;
        int64_t scale;
    } sizes[] = {{"_kib", 1024}, {"_mib", 1048576}, {"_gib", 1073741824},
                 {"_kb", 1000},  {"_mb", 1000000},  {"_gb", 1000000000}};
    struct column_unit unit = {dimension, dimension == DIMENSION_DURATION ? 1000000000 : 1};
    const char *suffix = strrchr(column, '_');
    if (suffix != NULL && dimension == DIMENSION_DURATION) {
        time_unit_parse(suffix + 1, &unit.scale);
    }
    for (size_t i = 0;
         suffix != NULL && dimension == DIMENSION_BYTES && i < sizeof(sizes) / sizeof(sizes[0]);
         i++) {
        if (strcmp(suffix, sizes[i].suffix) == 0) {
            unit.scale = sizes[i].scale;
        }
    }
    return unit;
}

static bool parse_column_value(const char *text, const void *context, double *value) {
    const struct column_unit *unit = context;
    int64_t whole;
    if (unit->dimension == DIMENSION_COUNT) {
        return decimal_parse(text, value);
    }
    if (decimal_parse_scaled(text, unit->scale, &whole)) {
        *value = (double)whole;
        return true;
    }
    return distribution_value_parse(unit->dimension, text, value);
}

bool distribution_column_read(struct reading *reading, const struct field *field, struct node *node,
                              struct distribution *distribution) {
    const struct field source_field = {.type = &field_object, .fields = distribution_column_fields};
    struct column_source source = {0};
    if (!field_read(reading, &source_field, node, &source)) {
        return false;
    }
    struct column_unit unit = unit_of_column(field->dimension, source.column);
    struct csv_column column;
    struct error error;
    struct node *file = node_member(node, "file");
    if (!csv_column_read(source.file, source.column, parse_column_value, &unit, &column, &error)) {
        return reading_report(reading, file->place, "%s: %s", reading_path(reading), error.message);
    }
    distribution->values = column.values;
    distribution->value_count = column.count;
    json_object_set_new(reading->files, file->text, json_string(column.sha256));
    return true;
}
