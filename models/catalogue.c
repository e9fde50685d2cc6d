#include "models/catalogue.h"

#include <assert.h>
#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* catalogue/gpus.csv, embedded at build time. */
extern const char catalogue_gpus_csv[];

static const char *const column_names[] = {
    "name",           "memory_mib", "memory_source", "price_usd_per_gpu_hour",
    "price_provider", "price_kind", "price_date",    "price_source",
};
enum { COLUMNS = sizeof(column_names) / sizeof(column_names[0]) };

/* The fields as libcsv hands them over: copied one after the other into the catalogue's text. */
struct loading {
    struct catalogue *catalogue;
    size_t capacity;
    size_t used; /* bytes of text */
    size_t column;
    const char *row[COLUMNS];
    bool header_seen;
};

static void take_field(void *bytes, size_t length, void *context) {
    struct loading *loading = context;
    assert(loading->column < COLUMNS && "gpus.csv: a row has too many columns");
    char *text = loading->catalogue->text + loading->used;
    memcpy(text, bytes, length);
    text[length] = '\0';
    loading->used += length + 1;
    loading->row[loading->column++] = text;
}

static bool is_header(const struct loading *loading) {
    bool same = true;
    for (size_t i = 0; i < COLUMNS; i++) {
        same &= strcmp(loading->row[i], column_names[i]) == 0;
    }
    return same;
}

static void take_row(int terminator, void *context) {
    (void)terminator;
    struct loading *loading = context;
    assert(loading->column == COLUMNS && "gpus.csv: a row has too few columns");
    loading->column = 0;
    if (!loading->header_seen) {
        loading->header_seen = is_header(loading);
        assert(loading->header_seen && "gpus.csv: unexpected header");
        return;
    }
    struct catalogue *catalogue = loading->catalogue;
    catalogue->gpus = memory_grow(catalogue->gpus, &loading->capacity, catalogue->gpu_count + 1,
                                  sizeof(catalogue->gpus[0]));
    const char *const *row = loading->row;
    struct gpu_model *gpu = &catalogue->gpus[catalogue->gpu_count++];
    *gpu = (struct gpu_model){
        .name = row[0],
        .memory_mib = strtoll(row[1], NULL, 10),
        .memory_source = row[2],
        .price_usd_per_gpu_hour = row[3][0] == '\0' ? (double)NAN : strtod(row[3], NULL),
        .price_provider = row[4],
        .price_kind = row[5],
        .price_date = row[6],
        .price_source = row[7],
    };
    assert(gpu->memory_mib > 0);
}

struct catalogue *catalogue_create(void) {
    struct catalogue *catalogue = memory_zero(1, sizeof(*catalogue));
    size_t length = strlen(catalogue_gpus_csv);
    /* A field is at most as long as in the file, and its separator makes room for its zero. */
    catalogue->text = memory_allocate(length + 1);
    struct loading loading = {.catalogue = catalogue};
    struct csv_parser parser;
    int status = csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
    assert(status == 0);
    size_t parsed = csv_parse(&parser, catalogue_gpus_csv, length, take_field, take_row, &loading);
    status |= csv_fini(&parser, take_field, take_row, &loading);
    assert(parsed == length && status == 0 && "gpus.csv: not valid CSV");
    (void)parsed;
    (void)status;
    csv_free(&parser);
    return catalogue;
}

void catalogue_destroy(struct catalogue *catalogue) {
    if (catalogue == NULL) {
        return;
    }
    free(catalogue->gpus);
    free(catalogue->text);
    free(catalogue);
}
