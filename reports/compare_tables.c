#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare_internal.h"
#include "reports/text.h"
#include "reports/unstable.h"
#include "sim/kernel/memory.h"

static bool replications_differ(const struct comparison *comparison) {
    bool differ = false;
    for (size_t i = 1; i < comparison->row_count && !differ; i++) {
        differ = comparison->rows[i].of->run_count != comparison->rows[0].of->run_count;
    }
    return differ;
}

void compare_add_label_columns(struct table *table, const struct comparison *comparison) {
    static const enum compare_by order[] = {COMPARE_BY_FILE, COMPARE_BY_SCENARIO,
                                            COMPARE_BY_VARIANT, COMPARE_BY_POINT};
    for (size_t i = 0; i < COMPARE_BY_COUNT; i++) {
        enum compare_by by = order[i];
        bool shown = comparison->differs[by] || by == comparison->by;
        if (shown && by == COMPARE_BY_POINT) {
            sweep_columns_add(&comparison->sweep, table);
            shown = false; /* whole, for machines */
        }
        table_add_column(table, compare_by_names[by], compare_by_names[by], TABLE_LEFT,
                         shown ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
    }
    table_add_column(table, "batch", "batch", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "replications", "replications", TABLE_RIGHT,
                     replications_differ(comparison) ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
}

void compare_add_labels(struct table *table, const struct comparison *comparison,
                        const struct compare_row *row) {
    table_add_text(table, row->source->path);
    table_add_text(table, row->of->scenario);
    table_add_text(table, row->of->variant);
    if (comparison->differs[COMPARE_BY_POINT] || comparison->by == COMPARE_BY_POINT) {
        sweep_columns_add_cells(&comparison->sweep, table, row->of->point);
    }
    table_add_text(table, row->of->point);
    table_add_number(table, (double)row->of->batch, NULL);
    double replications = (double)row->of->run_count;
    table_add_number(table, replications, number_count(replications).text);
}

const struct compare_row *compare_other_baseline(const struct compare_row *row) {
    return row->baseline != row ? row->baseline : NULL;
}

static struct headline_case case_of(const struct compare_row *row) {
    return (struct headline_case){&row->source->set, row->of};
}

/* "✓ 3 of 3", and below it whether it is the cheapest of those. */
static void add_objectives(struct table *table, const struct compare_row *row) {
    struct objective_score score = result_objectives(&row->source->set, row->of);
    bool any = score.count > 0;
    char text[200] = "-";
    if (any) {
        snprintf(text, sizeof(text), "%s %s of %s", row->meets ? "✓" : "✗",
                 number_count((double)score.met).text, number_count((double)score.count).text);
    }
    table_add_number(table, any ? (double)score.met : NAN, text);
    table_add_line(table, row->cheapest ? "cheapest" : "");
    table_paint(table, !any ? TABLE_PLAIN : row->meets ? TABLE_GREEN : TABLE_RED);
}

static void add_values(struct table *table, const struct comparison *comparison,
                       const struct compare_row *row) {
    const struct compare_row *baseline = compare_other_baseline(row);
    struct headline_case own = case_of(row);
    table_add_row(table);
    compare_add_labels(table, comparison, row);
    add_objectives(table, row);
    if (baseline == NULL) {
        headline_add_cells(table, own, true, NULL);
    } else {
        struct headline_case other = case_of(baseline);
        headline_add_cells(table, own, true, &other);
    }
}

static struct table *tabulate_values(const struct comparison *comparison) {
    struct table *table = table_create();
    compare_add_label_columns(table, comparison);
    table_add_column(table, "objectives met", "objectives_met", TABLE_RIGHT, TABLE_FOR_ALL);
    headline_add_columns(table, true);
    struct headline_traits traits = {0};
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        add_values(table, comparison, row);
        headline_learn(&traits, case_of(row));
    }
    headline_trim(table, true, traits);
    table_hide_if_all(table, "objectives_met", NAN);
    return table;
}

static struct compared_figure of_run(const struct headline *headline) {
    return (struct compared_figure){headline, SCOPE_RUN, ""};
}

/* Whether the figure tells nothing in any row of the block. */
static bool is_idle(const struct comparison *comparison, size_t block,
                    const struct headline *headline) {
    bool idle = true;
    for (size_t i = 0; i < comparison->row_count && idle; i++) {
        const struct compare_row *row = &comparison->rows[i];
        idle = row->block != block || !headline_tells(headline, case_of(row));
    }
    return idle;
}

static bool is_compared(const struct compare_row *row, size_t block) {
    return row->block == block && compare_other_baseline(row) != NULL;
}

/* Whether all rows of the block that have the figure have the baseline's. */
static bool is_equal(const struct comparison *comparison, size_t block,
                     const struct headline *headline) {
    bool equal = true;
    for (size_t i = 0; i < comparison->row_count && equal; i++) {
        if (is_compared(&comparison->rows[i], block)) {
            struct difference difference =
                compare_difference(&comparison->rows[i], of_run(headline));
            equal = difference.equal || isnan(difference.figure.mean);
        }
    }
    return equal;
}

/* One column per row of the block that has something to be compared to, one row per figure in which
 * any of them differs. */
static struct table *tabulate_differences(const struct comparison *comparison, size_t block) {
    struct table *table = table_create();
    table_add_column(table, "", "figure", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (is_compared(row, block)) {
            const char *label = compare_words(row, comparison->by);
            table_add_column(table, label, label, TABLE_RIGHT, TABLE_FOR_ALL);
        }
    }
    for (size_t h = 0; h < HEADLINE_COUNT; h++) {
        const struct headline *headline = &headlines[h];
        if (is_idle(comparison, block, headline) || is_equal(comparison, block, headline)) {
            continue;
        }
        table_add_row(table);
        table_add_text(table, headline->header);
        for (size_t i = 0; i < comparison->row_count; i++) {
            if (is_compared(&comparison->rows[i], block)) {
                compare_add_difference(table, &comparison->rows[i], of_run(headline));
            }
        }
    }
    return table;
}

/* "Equal: GPUs allocated, cost per month." */
static void print_equal(FILE *out, const struct comparison *comparison, size_t block) {
    char line[HEADLINE_COUNT * 24] = "";
    size_t used = 0;
    for (size_t h = 0; h < HEADLINE_COUNT; h++) {
        const struct headline *headline = &headlines[h];
        if (!is_idle(comparison, block, headline) && is_equal(comparison, block, headline)) {
            used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s",
                                     used > 0 ? ", " : "Equal: ", headline->header);
        }
    }
    if (used > 0) {
        snprintf(line + used, sizeof(line) - used, ".");
        text_print_wrapped(out, line, 0, TABLE_WIDTH);
    }
}

static void print_words(FILE *out, const char *text) {
    char *visible = text_visible(text);
    fputs(visible, out);
    free(visible);
}

/* "Difference to base (point nodes=4):" */
static void write_difference_title(FILE *out, const struct comparison *comparison,
                                   const struct compare_row *baseline) {
    fputs("Difference to ", out);
    print_words(out, compare_words(baseline, comparison->by));
    const char *lead = " (";
    for (int by = 0; by < COMPARE_BY_COUNT; by++) {
        if (by != (int)comparison->by && comparison->differs[by]) {
            fprintf(out, "%s%s ", lead, compare_by_names[by]);
            print_words(out, compare_words(baseline, (enum compare_by)by));
            lead = ", ";
        }
    }
    fputs(lead[0] == ',' ? "):" : ":", out);
}

static void print_difference_title(FILE *out, const struct comparison *comparison,
                                   const struct compare_row *baseline) {
    char *text = NULL;
    size_t size = 0;
    FILE *writer = open_memstream(&text, &size);
    if (writer == NULL) {
        memory_exhausted(0);
    }
    write_difference_title(writer, comparison, baseline);
    fclose(writer);
    fputc('\n', out);
    text_print_wrapped(out, text, 0, TABLE_WIDTH);
    free(text);
}

static bool has_intervals(const struct comparison *comparison) {
    bool has = false;
    for (size_t i = 0; i < comparison->row_count && !has; i++) {
        has = comparison->rows[i].of->run_count > 1;
    }
    return has;
}

bool compare_is_unstable(const struct compare_row *row) {
    return unstable_runs(&row->source->set, row->of, SCOPE_RUN, "") > 0;
}

static bool any_unstable(const struct comparison *comparison) {
    bool any = false;
    for (size_t i = 0; i < comparison->row_count && !any; i++) {
        any = compare_is_unstable(&comparison->rows[i]);
    }
    return any;
}

static void print_legend(FILE *out, const struct comparison *comparison) {
    if (has_intervals(comparison)) {
        fputs("\n", out);
        text_print_wrapped(
            out,
            "Means over replications ± half their 95 % Student interval; differences are paired by "
            "replication, and not significant where their interval covers zero.",
            0, TABLE_WIDTH);
    } else {
        fputs("\nOne run each. Of random load, `--replications` tells which differences are more "
              "than chance.\n",
              out);
    }
}

static void print_differences(FILE *out, const struct comparison *comparison,
                              const struct compare_row *first,
                              const struct compare_options *options) {
    print_difference_title(out, comparison, first->baseline);
    fputs(options->format == TABLE_MARKDOWN ? "\n" : "", out);
    struct table *table = tabulate_differences(comparison, first->block);
    if (table_row_count(table) > 0) {
        table_print(out, table, options->format, 0, options->colour);
        fputs(options->format == TABLE_MARKDOWN ? "\n" : "", out);
    }
    table_destroy(table);
    print_equal(out, comparison, first->block);
}

/* Nobody reads more; a sweep may have thousands. */
enum { MOST_BLOCKS = 40 };

void compare_print_people(FILE *out, const struct comparison *comparison,
                          const struct compare_options *options) {
    compare_print_verdict(out, comparison, options);
    struct table *table = tabulate_values(comparison);
    table_print(out, table, options->format, 0, options->colour);
    table_destroy(table);
    size_t blocks = 0;
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        bool starts_block = i == 0 || row->block != comparison->rows[i - 1].block;
        bool alone = i + 1 == comparison->row_count || comparison->rows[i + 1].block != row->block;
        if (starts_block && !alone && row->baseline != NULL && ++blocks <= MOST_BLOCKS) {
            print_differences(out, comparison, row, options);
        }
    }
    if (blocks > MOST_BLOCKS) {
        fprintf(out, "\n… and %zu more groups of differences; `--format csv` has them all.\n",
                blocks - MOST_BLOCKS);
    }
    compare_print_models(out, comparison, options);
    print_legend(out, comparison);
    if (any_unstable(comparison)) {
        fprintf(out, "%s.\n", unstable_legend);
    }
}
