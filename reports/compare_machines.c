#include <math.h>
#include <stdio.h>

#include "reports/compare_internal.h"
#include "reports/json.h"
#include "reports/model_table.h"
#include "sim/kernel/arena.h"

enum { JSON_VERSION = 1 };

/* For each headline figure: its mean, half width, and what it differs from the baseline by. */
enum { MACHINE_COLUMNS = 5 };
static const char *const machine_suffixes[MACHINE_COLUMNS] = {
    "", "_half_width", "_difference", "_difference_half_width", "_significant"};

static struct figure figure_of_row(const struct compare_row *row, struct compared_figure compared,
                                   const char *metric) {
    return result_figure(&row->source->set, row->of, compared.scope, compared.subject, metric);
}

static void add_machine_cells(struct table *table, const struct compare_row *row,
                              struct compared_figure compared) {
    const struct headline *headline = compared.headline;
    struct figure figure = figure_of_row(row, compared, headline->metric);
    table_add_number(table, figure.mean, NULL);
    table_add_number(table, figure.half_width, NULL);
    const struct compare_row *baseline = compare_other_baseline(row);
    struct difference difference = {.figure = {.mean = NAN, .half_width = NAN}};
    double other = NAN;
    if (baseline != NULL) {
        difference = compare_difference(row, compared);
        other = figure_of_row(baseline, compared, headline->metric).mean;
    }
    table_add_number(table, difference.figure.mean, NULL);
    table_add_number(table, difference.figure.half_width, NULL);
    bool judged = !isnan(difference.figure.half_width);
    table_add_number(table, judged ? difference.significant : NAN, NULL);
    if (headline->relation != RELATED_NOT) {
        table_add_number(table, headline_related(headline, figure.mean, other), NULL);
    }
    if (headline->out_of != NULL) {
        table_add_number(table, figure_of_row(row, compared, headline->out_of).mean, NULL);
    }
}

static void add_column(struct table *table, const char *key) {
    table_add_column(table, "", key, TABLE_RIGHT, TABLE_FOR_MACHINES);
}

static void add_machine_columns(struct table *table, const struct headline *headline,
                                struct arena *arena) {
    for (int i = 0; i < MACHINE_COLUMNS; i++) {
        char key[80];
        snprintf(key, sizeof(key), "%s%s", headline->key, machine_suffixes[i]);
        add_column(table, arena_duplicate_string(arena, key));
    }
    if (headline->relation != RELATED_NOT) {
        add_column(table, headline->key_related);
    }
    if (headline->out_of != NULL) {
        add_column(table, headline->out_of);
    }
}

static struct table *tabulate_for_machines(const struct comparison *comparison,
                                           struct arena *arena) {
    struct table *table = table_create();
    compare_add_label_columns(table, comparison);
    table_add_column(table, "baseline", "baseline", TABLE_LEFT, TABLE_FOR_MACHINES);
    for (size_t h = 0; h < HEADLINE_COUNT; h++) {
        add_machine_columns(table, &headlines[h], arena);
    }
    add_column(table, "unstable");
    add_column(table, "objectives");
    add_column(table, "objectives_met");
    add_column(table, "cheapest");
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        const struct compare_row *baseline = compare_other_baseline(row);
        table_add_row(table);
        compare_add_labels(table, comparison, row);
        table_add_text(table, baseline != NULL ? compare_label(baseline, comparison->by) : NULL);
        for (size_t h = 0; h < HEADLINE_COUNT; h++) {
            add_machine_cells(table, row, (struct compared_figure){&headlines[h], SCOPE_RUN, ""});
        }
        table_add_number(table, compare_is_unstable(row), NULL);
        struct objective_score score = result_objectives(&row->source->set, row->of);
        table_add_number(table, (double)score.count, NULL);
        table_add_number(table, (double)score.met, NULL);
        table_add_number(table, score.count > 0 ? row->cheapest : NAN, NULL);
    }
    return table;
}

static void add_model_row(struct table *table, const struct comparison *comparison,
                          const struct compare_row *row, const char *model) {
    const struct compare_row *baseline = compare_other_baseline(row);
    table_add_row(table);
    compare_add_labels(table, comparison, row);
    table_add_text(table, baseline != NULL ? compare_label(baseline, comparison->by) : NULL);
    table_add_text(table, model);
    for (size_t i = 0; i < MODEL_FIGURE_COUNT; i++) {
        add_machine_cells(table, row,
                          (struct compared_figure){&model_figures[i], SCOPE_MODEL, model});
    }
}

/* One row per row of the comparison and model. */
static struct table *tabulate_models(const struct comparison *comparison, struct arena *arena) {
    struct table *table = table_create();
    compare_add_label_columns(table, comparison);
    table_add_column(table, "baseline", "baseline", TABLE_LEFT, TABLE_FOR_MACHINES);
    table_add_column(table, "model", "model", TABLE_LEFT, TABLE_FOR_MACHINES);
    for (size_t i = 0; i < MODEL_FIGURE_COUNT; i++) {
        add_machine_columns(table, &model_figures[i], arena);
    }
    for (size_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->rows[i];
        size_t count = 0;
        const char **models = result_subjects(&row->source->set, row->of, SCOPE_MODEL, &count);
        for (size_t m = 0; m < count; m++) {
            add_model_row(table, comparison, row, models[m]);
        }
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
        struct table *models = tabulate_models(comparison, &arena);
        json_set(root, "models", table_json(models));
        table_destroy(models);
        json_print(out, root);
        json_decref(root);
    } else {
        table_print(out, table, TABLE_CSV, 0, false);
    }
    table_destroy(table);
    arena_clear(&arena);
}
