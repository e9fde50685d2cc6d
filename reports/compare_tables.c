#include <math.h>
#include <stdlib.h>

#include "reports/compare_internal.h"
#include "reports/json.h"
#include "reports/text.h"
#include "reports/unstable.h"
#include "sim/kernel/arena.h"

enum { JSON_VERSION = 1 };

static bool replications_differ(const struct comparison *comparison) {
    bool differ = false;
    for (size_t i = 1; i < comparison->row_count && !differ; i++) {
        differ = comparison->rows[i].of->run_count != comparison->rows[0].of->run_count;
    }
    return differ;
}

static void add_label_columns(struct table *table, const struct comparison *comparison) {
    static const enum compare_by order[] = {COMPARE_BY_FILE, COMPARE_BY_SCENARIO,
                                            COMPARE_BY_VARIANT, COMPARE_BY_POINT};
    for (size_t i = 0; i < COMPARE_BY_COUNT; i++) {
        enum compare_by by = order[i];
        bool shown = comparison->differs[by] || by == comparison->by;
        table_add_column(table, compare_by_names[by], compare_by_names[by], TABLE_LEFT,
                         shown ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
    }
    table_add_column(table, "batch", "batch", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "replications", "replications", TABLE_RIGHT,
                     replications_differ(comparison) ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
}

static void add_labels(struct table *table, const struct compare_row *row) {
    table_add_text(table, row->source->path);
    table_add_text(table, row->of->scenario);
    table_add_text(table, row->of->variant);
    table_add_text(table, row->of->point);
    table_add_number(table, (double)row->of->batch, NULL);
    double replications = (double)row->of->run_count;
    table_add_number(table, replications, number_count(replications).text);
}

/* The row that a row is compared to; NULL: none, or itself. */
static const struct compare_row *other_baseline(const struct compare_row *row) {
    return row->baseline != row ? row->baseline : NULL;
}

static struct table *tabulate_values(const struct comparison *comparison) {
    struct table *table = table_create();
    add_label_columns(table, comparison);
    headline_add_columns(table);
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        table_add_row(table);
        add_labels(table, row);
        headline_add_cells(table, &row->source->set, row->of);
    }
    headline_trim(table);
    return table;
}

/* "-16m 31s ± 1m 2s (-35.4 %)" */
static void add_difference(struct table *table, const struct compare_row *row,
                           const struct headline *headline) {
    struct difference difference = compare_difference(row, headline);
    double mean = difference.figure.mean;
    double half_width = difference.figure.half_width;
    if (!isnan(half_width) && !difference.significant) {
        table_add_text(table, "no significant difference");
        table_paint(table, TABLE_DIM);
        return;
    }
    bool share = headline->kind == NUMBER_SHARE;
    enum number_kind kind = share ? NUMBER_POINTS : headline->kind;
    const char *currency = row->of->currency;
    struct number value = number_difference(kind, mean, number_step(half_width), currency);
    struct number interval = number_half_width(kind, half_width, currency);
    struct number relative =
        number_difference(NUMBER_SHARE, mean / fabs(difference.baseline), 0, NULL);
    bool has_relative = !share && isfinite(mean / difference.baseline) && mean != 0;
    char text[300];
    snprintf(text, sizeof(text), "%s%s%s%s%s%s", value.text, interval.text[0] != '\0' ? " " : "",
             interval.text, has_relative ? " (" : "", has_relative ? relative.text : "",
             has_relative ? ")" : "");
    table_add_text(table, text);
    if (difference.significant) {
        bool better = (mean < 0) == (headline->better == LESS_IS_BETTER);
        table_paint(table, better ? TABLE_GREEN : TABLE_RED);
    }
}

/* Whether the figure is zero in every row of the block, and tells nothing by that. */
static bool is_idle(const struct comparison *comparison, size_t block,
                    const struct headline *headline) {
    bool idle = headline->idle_at_zero;
    for (size_t i = 0; i < comparison->row_count && idle; i++) {
        const struct compare_row *row = &comparison->rows[i];
        idle = row->block != block ||
               result_figure(&row->source->set, row->of, SCOPE_RUN, "", headline->metric).mean == 0;
    }
    return idle;
}

/* One column per row of the block that has something to be compared to. */
static struct table *tabulate_differences(const struct comparison *comparison, size_t block) {
    struct table *table = table_create();
    table_add_column(table, "", "figure", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        if (row->block == block && other_baseline(row) != NULL) {
            const char *label = compare_label(row, comparison->by);
            table_add_column(table, label, label, TABLE_RIGHT, TABLE_FOR_ALL);
        }
    }
    for (size_t h = 0; h < HEADLINE_COUNT; h++) {
        if (is_idle(comparison, block, &headlines[h])) {
            continue;
        }
        table_add_row(table);
        table_add_text(table, headlines[h].header);
        for (size_t i = 0; i < comparison->row_count; i++) {
            const struct compare_row *row = &comparison->rows[i];
            if (row->block == block && other_baseline(row) != NULL) {
                add_difference(table, row, &headlines[h]);
            }
        }
    }
    return table;
}

static void print_words(FILE *out, const char *text) {
    char *visible = text_visible(text);
    fputs(visible, out);
    free(visible);
}

/* "Difference to base (point nodes=4):" */
static void print_difference_title(FILE *out, const struct comparison *comparison,
                                   const struct compare_row *baseline) {
    fputs("\nDifference to ", out);
    print_words(out, compare_label(baseline, comparison->by));
    const char *lead = " (";
    for (int by = 0; by < COMPARE_BY_COUNT; by++) {
        if (by != (int)comparison->by && comparison->differs[by]) {
            fprintf(out, "%s%s ", lead, compare_by_names[by]);
            print_words(out, compare_label(baseline, (enum compare_by)by));
            lead = ", ";
        }
    }
    fputs(lead[0] == ',' ? "):\n" : ":\n", out);
}

static bool has_intervals(const struct comparison *comparison) {
    bool has = false;
    for (size_t i = 0; i < comparison->row_count && !has; i++) {
        has = comparison->rows[i].of->run_count > 1;
    }
    return has;
}

static bool is_unstable(const struct compare_row *row) {
    return unstable_runs(&row->source->set, row->of, SCOPE_RUN, "") > 0;
}

static bool any_unstable(const struct comparison *comparison) {
    bool any = false;
    for (size_t i = 0; i < comparison->row_count && !any; i++) {
        any = is_unstable(&comparison->rows[i]);
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
    table_print(out, table, options->format, 0, options->colour);
    table_destroy(table);
}

/* Nobody reads more; a sweep may have thousands. */
enum { MOST_BLOCKS = 40 };

void compare_print_people(FILE *out, const struct comparison *comparison,
                          const struct compare_options *options) {
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
    print_legend(out, comparison);
    if (any_unstable(comparison)) {
        fprintf(out, "%s.\n", unstable_legend);
    }
}

/* For each headline figure: its mean, half width, and what it differs from the baseline by. */
enum { MACHINE_COLUMNS = 5 };
static const char *const machine_suffixes[MACHINE_COLUMNS] = {
    "", "_half_width", "_difference", "_difference_half_width", "_significant"};

static void add_machine_cells(struct table *table, const struct compare_row *row,
                              const struct headline *headline) {
    struct figure figure =
        result_figure(&row->source->set, row->of, SCOPE_RUN, "", headline->metric);
    table_add_number(table, figure.mean, NULL);
    table_add_number(table, figure.half_width, NULL);
    struct difference difference = {.figure = {.mean = NAN, .half_width = NAN}};
    if (other_baseline(row) != NULL) {
        difference = compare_difference(row, headline);
    }
    table_add_number(table, difference.figure.mean, NULL);
    table_add_number(table, difference.figure.half_width, NULL);
    bool judged = !isnan(difference.figure.half_width);
    table_add_number(table, judged ? difference.significant : NAN, NULL);
}

static struct table *tabulate_for_machines(const struct comparison *comparison,
                                           struct arena *arena) {
    struct table *table = table_create();
    add_label_columns(table, comparison);
    table_add_column(table, "baseline", "baseline", TABLE_LEFT, TABLE_FOR_MACHINES);
    for (size_t h = 0; h < HEADLINE_COUNT; h++) {
        for (int i = 0; i < MACHINE_COLUMNS; i++) {
            char key[80];
            snprintf(key, sizeof(key), "%s%s", headlines[h].key, machine_suffixes[i]);
            table_add_column(table, "", arena_duplicate_string(arena, key), TABLE_RIGHT,
                             TABLE_FOR_MACHINES);
        }
    }
    table_add_column(table, "", "unstable", TABLE_RIGHT, TABLE_FOR_MACHINES);
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        const struct compare_row *baseline = other_baseline(row);
        table_add_row(table);
        add_labels(table, row);
        table_add_text(table, baseline != NULL ? compare_label(baseline, comparison->by) : NULL);
        for (size_t h = 0; h < HEADLINE_COUNT; h++) {
            add_machine_cells(table, row, &headlines[h]);
        }
        table_add_number(table, is_unstable(row), NULL);
    }
    return table;
}

void compare_print_machines(FILE *out, const struct comparison *comparison,
                            const struct compare_options *options) {
    struct arena arena = {0};
    struct table *table = tabulate_for_machines(comparison, &arena);
    if (options->format == TABLE_JSON) {
        json_t *root = json_object();
        json_set(root, "headroom", json_integer(JSON_VERSION));
        json_set(root, "format", json_text("compare"));
        json_set(root, "by", json_text(compare_by_names[comparison->by]));
        json_set(root, "rows", table_json(table));
        json_print(out, root);
        json_decref(root);
    } else {
        table_print(out, table, TABLE_CSV, 0, false);
    }
    table_destroy(table);
    arena_clear(&arena);
}
