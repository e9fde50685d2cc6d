/* What each model costs and how it is served, row by row, and what that differs by from the
 * baseline. */
#include "reports/compare_internal.h"
#include "reports/model_table.h"

static bool any_has_several(const struct comparison *comparison) {
    bool several = false;
    for (size_t i = 0; i < comparison->row_count && !several; i++) {
        const struct compare_row *row = &comparison->rows[i];
        several = model_table_has_several(&row->source->set, row->of);
    }
    return several;
}

/* What a model's month costs is the figure people choose by. */
static const struct headline *const price = &model_figures[MODEL_PRICE];

static bool baseline_has(const struct compare_row *row, const char *model) {
    const struct compare_row *baseline = compare_other_baseline(row);
    return baseline != NULL && result_has_figure(&baseline->source->set, baseline->of, SCOPE_MODEL,
                                                 model, price->metric);
}

static void add_rows(struct table *table, const struct comparison *comparison,
                     const struct compare_row *row) {
    size_t shown = 0;
    size_t count = 0;
    const char **models = model_table_subjects(&row->source->set, row->of, &shown, &count);
    for (size_t i = 0; i < shown; i++) {
        table_add_row(table);
        compare_add_labels(table, comparison, row);
        table_add_text(table, models[i]);
        model_table_add_cells(table, &row->source->set, row->of, models[i], true);
        if (baseline_has(row, models[i])) {
            compare_add_difference(table, row,
                                   (struct compared_figure){price, SCOPE_MODEL, models[i]});
        } else {
            table_add_text(table, "-");
        }
    }
}

void compare_print_models(FILE *out, const struct comparison *comparison,
                          const struct compare_options *options) {
    if (!any_has_several(comparison)) {
        return;
    }
    struct table *table = table_create();
    compare_add_label_columns(table, comparison);
    table_add_column(table, "model", "model", TABLE_LEFT, TABLE_FOR_ALL);
    model_table_add_columns(table);
    table_add_column(table, "cost to baseline", "difference", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < comparison->row_count; i++) {
        add_rows(table, comparison, &comparison->rows[i]);
    }
    model_table_trim(table);
    fputs(options->format == TABLE_MARKDOWN ? "\nBy model:\n\n" : "\nBy model:\n", out);
    table_print(out, table, options->format, 0, options->colour);
    table_destroy(table);
}
