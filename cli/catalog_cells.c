#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/catalog.h"
#include "reports/text.h"

void catalog_add_text(struct table *table, const char *text) {
    if (text[0] != '\0') {
        table_add_text(table, text);
    } else {
        table_add_number(table, NAN, "-");
    }
}

void catalog_add_figure(struct table *table, double value, const char *text,
                        const struct provenance *provenance) {
    table_add_number(table, value, isnan(value) ? "-" : text);
    if (!isnan(value) && !provenance_verified(provenance)) {
        table_mark(table, "?");
    }
}

void catalog_print_note(const char *note, bool has_unverified) {
    putchar('\n');
    text_print_wrapped(stdout, note, 0, TABLE_WIDTH);
    if (has_unverified) {
        puts("?: not verified.");
    }
}

void catalog_print_source(const char *figure, const struct provenance *provenance) {
    if (provenance->source[0] == '\0') {
        return;
    }
    int margin = printf("  %-8s %-12s ", figure, provenance->confidence);
    char *source = text_visible(provenance->source);
    text_print_wrapped(stdout, source, margin > 0 ? (size_t)margin : 0, TABLE_WIDTH);
    free(source);
}
