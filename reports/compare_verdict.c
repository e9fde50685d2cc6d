/* Which of the compared rows is the answer: the cheapest that meets all objectives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare_internal.h"
#include "reports/text.h"
#include "reports/verdict.h"
#include "sim/kernel/memory.h"

static double run_mean(const struct compare_row *row, const char *metric) {
    return result_figure(&row->source->set, row->of, SCOPE_RUN, "", metric).mean;
}

static bool same_scenario(const struct compare_row *a, const struct compare_row *b) {
    return strcmp(a->of->scenario, b->of->scenario) == 0;
}

static bool has_objectives(const struct compare_row *row) {
    return result_objectives(&row->source->set, row->of).count > 0;
}

/* What makes a row of a scenario cheap: as cases_cheapest says, but from any file. */
static const char *price_of(const struct comparison *comparison, const struct compare_row *of) {
    double services = run_mean(of, "services");
    bool differ = false;
    bool known = true;
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (same_scenario(row, of)) {
            differ = differ || run_mean(row, "services") != services;
            known = known && !isnan(run_mean(row, "usd_per_model_month"));
        }
    }
    return differ && known ? "usd_per_model_month" : "usd_per_month";
}

/* The lowest price among the rows of the scenario that meet the objectives; NaN: none. */
static double lowest_price(const struct comparison *comparison, const struct compare_row *of,
                           const char *metric) {
    double lowest = NAN;
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        bool meets = row->meets && same_scenario(row, of);
        double price = meets ? run_mean(row, metric) : (double)NAN;
        lowest = isnan(lowest) || price < lowest ? price : lowest;
    }
    return lowest;
}

void compare_judge(struct comparison *comparison) {
    for (size_t i = 0; i < comparison->row_count; i++) {
        struct compare_row *row = &comparison->rows[i];
        struct case_set alone = {&row->source->set, row->of, 1};
        row->meets = case_meets_all(&alone, row->of);
    }
    for (size_t i = 0; i < comparison->row_count; i++) {
        struct compare_row *row = &comparison->rows[i];
        if (row->meets) {
            const char *metric = price_of(comparison, row);
            double lowest = lowest_price(comparison, row, metric);
            row->cheapest = fabs(run_mean(row, metric) - lowest) <= 1e-9 * fabs(lowest);
        }
    }
}

/* "mig, nodes=2": what the row is called among those of its scenario. */
static void write_name(FILE *out, const struct comparison *comparison,
                       const struct compare_row *row) {
    bool first = true;
    for (int by = 0; by < COMPARE_BY_COUNT; by++) {
        bool tells = comparison->differs[by] || by == (int)comparison->by;
        if (tells && by != COMPARE_BY_SCENARIO) {
            char *visible = text_visible(compare_words(row, (enum compare_by)by));
            fprintf(out, "%s%s", first ? "" : ", ", visible);
            free(visible);
            first = false;
        }
    }
}

struct tally {
    size_t rows;
    size_t meeting;
    size_t cheapest;
};

static struct tally count_rows(const struct comparison *comparison, const struct compare_row *of) {
    struct tally tally = {0};
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (same_scenario(row, of)) {
            tally.rows++;
            tally.meeting += row->meets;
            tally.cheapest += row->cheapest;
        }
    }
    return tally;
}

/* More names are a number. */
enum { MOST_NAMES = 3 };

static void write_cheapest(FILE *out, const struct comparison *comparison,
                           const struct compare_row *of, const struct tally *tally) {
    const struct compare_row *cheapest = NULL;
    size_t named = 0;
    fputs("Cheapest that meets all objectives: ", out);
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (!row->cheapest || !same_scenario(row, of)) {
            continue;
        }
        cheapest = row;
        if (tally->cheapest <= MOST_NAMES) {
            named++;
            fputs(named == 1 ? "" : named == tally->cheapest ? " or " : "; ", out);
            write_name(out, comparison, row);
        }
    }
    if (tally->cheapest > MOST_NAMES) {
        fprintf(out, "%zu of %zu", tally->cheapest, tally->rows);
    }
    const char *metric = price_of(comparison, of);
    bool per_model = strcmp(metric, "usd_per_model_month") == 0;
    fprintf(out, ", %s a month%s. ",
            number_money(run_mean(cheapest, metric), cheapest->of->currency).text,
            per_model ? " per model" : "");
}

static void write_verdict(FILE *out, const struct comparison *comparison,
                          const struct compare_row *of) {
    struct tally tally = count_rows(comparison, of);
    if (comparison->differs[COMPARE_BY_SCENARIO]) {
        char *name = text_visible(of->of->scenario);
        fprintf(out, "%s: ", name);
        free(name);
    }
    if (tally.meeting == 0) {
        fprintf(out, "None of %zu meets all objectives.", tally.rows);
        return;
    }
    if (tally.cheapest > 0) {
        write_cheapest(out, comparison, of, &tally);
    }
    fprintf(out, "%zu of %zu %s them.", tally.meeting, tally.rows,
            tally.meeting == 1 ? "meets" : "meet");
}

static void print_verdict(FILE *out, const struct comparison *comparison,
                          const struct compare_row *of, bool colour) {
    char *text = NULL;
    size_t size = 0;
    FILE *writer = open_memstream(&text, &size);
    if (writer == NULL) {
        memory_exhausted(0);
    }
    write_verdict(writer, comparison, of);
    fclose(writer);
    bool good = count_rows(comparison, of).meeting > 0;
    table_print_coloured(out, good ? "✓ " : "✗ ", good ? TABLE_GREEN : TABLE_RED, colour);
    text_print_wrapped(out, text, 2, TABLE_WIDTH);
    free(text);
}

static bool is_first_of_scenario(const struct comparison *comparison,
                                 const struct compare_row *row) {
    const struct compare_row *first = comparison->rows;
    while (!same_scenario(first, row)) {
        first++;
    }
    return first == row;
}

void compare_print_verdict(FILE *out, const struct comparison *comparison,
                           const struct compare_options *options) {
    bool any = false;
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (is_first_of_scenario(comparison, row) && has_objectives(row)) {
            print_verdict(out, comparison, row, options->colour);
            any = true;
        }
    }
    fputs(any ? "\n" : "", out);
}
