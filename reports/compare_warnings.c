/* What a reader of a comparison should be careful about. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare_internal.h"
#include "reports/text.h"

static void warn_of_pairing(FILE *messages, const struct comparison *comparison,
                            const struct compare_row *row) {
    const struct result_case *own = row->of;
    const struct result_case *base = row->baseline->of;
    char *name = text_visible(compare_words(row, comparison->by));
    char *base_name = text_visible(compare_words(row->baseline, comparison->by));
    if (own->run_count != base->run_count) {
        fprintf(messages,
                "%s has %zu and %s %zu replications: differences use those that both have\n", name,
                own->run_count, base_name, base->run_count);
    }
    if (own->runs[0].seed != base->runs[0].seed) {
        fprintf(messages, "%s and %s have different seeds: their pairs share no random numbers\n",
                name, base_name);
    }
    if (strcmp(own->currency, base->currency) != 0) {
        fprintf(messages, "%s is in %s and %s in %s: their costs cannot be compared\n", name,
                own->currency, base_name, base->currency);
    }
    free(name);
    free(base_name);
}

/* The first row that has the same scenario, by its name. */
static const struct compare_row *first_of_scenario(const struct comparison *comparison,
                                                   const struct compare_row *row) {
    const struct compare_row *first = comparison->rows;
    while (strcmp(first->of->scenario, row->of->scenario) != 0) {
        first++;
    }
    return first;
}

/* Once per scenario: at the first row that differs from the first one. */
static void warn_of_edits(FILE *messages, const struct comparison *comparison,
                          const struct compare_row *row) {
    const struct compare_row *first = first_of_scenario(comparison, row);
    for (const struct compare_row *other = first; other <= row; other++) {
        bool edited = strcmp(other->of->scenario, row->of->scenario) == 0 &&
                      strcmp(other->of->scenario_sha256, first->of->scenario_sha256) != 0;
        if (edited && other < row) {
            return;
        }
        if (edited) {
            char *name = text_visible(row->of->scenario);
            fprintf(messages, "scenario %s: its file was edited between the runs compared here\n",
                    name);
            free(name);
        }
    }
}

void compare_warn(FILE *messages, const struct comparison *comparison) {
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        warn_of_edits(messages, comparison, row);
        if (row->baseline != NULL && row->baseline != row) {
            warn_of_pairing(messages, comparison, row);
        }
    }
}
