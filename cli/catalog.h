/* headroom catalog: its topics, a file each. */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include <stdbool.h>
#include <stddef.h>

#include "models/catalogue.h"
#include "reports/table.h"

/* What a topic is asked for. All borrowed. */
struct catalog_request {
    enum table_format format;
    bool sources;                      /* print where each figure is from, in texts too */
    const char *layout;                /* --layout, of mig; NULL: not given */
    bool engines;                      /* --engines, of mig: variants in engines, too */
    const struct catalogue *catalogue; /* the program's own, or with a file's entries */
    char **arguments;                  /* after the topic */
    int argument_count;
};

/* They print to stdout, complain on stderr and return the exit status. */
int catalog_gpus(const struct catalog_request *request);
int catalog_mig(const struct catalog_request *request);
int catalog_prices(const struct catalog_request *request);
int catalog_models(const struct catalog_request *request);

/* Cells: nothing to machines and a dash to people where something is not known, and a ? behind what
 * is not verified. */
void catalog_add_text(struct table *table, const char *text);
/* NaN: not known. */
void catalog_add_figure(struct table *table, double value, const char *text,
                        const struct provenance *provenance);

/* For people, after a table: a blank line, the note, and what the ? means if the table has one. */
void catalog_print_note(const char *note, bool has_unverified);
/* A line "FIGURE CONFIDENCE SOURCE", the source wrapped; nothing where no source is known. */
void catalog_print_source(const char *figure, const struct provenance *provenance);

#endif
