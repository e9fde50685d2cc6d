/* The summary's table of models, where several workloads serve or train one. */
#include "reports/model_table.h"
#include "reports/summary_internal.h"

/* Where each workload has a model of its own, their table says it all. */
static bool any_shared(const struct page *page) {
    bool shared = false;
    for (size_t i = 0; i < page->count && !shared; i++) {
        size_t models = 0;
        size_t workloads = 0;
        result_subjects(page->set, &page->cases[i], SCOPE_MODEL, &models);
        result_subjects(page->set, &page->cases[i], SCOPE_WORKLOAD, &workloads);
        shared = models > 1 && models < workloads;
    }
    return shared;
}

void page_print_models(const struct page *page) {
    if (!any_shared(page)) {
        return;
    }
    struct table *table = page_table(page);
    table_add_column(table, "model", "model", TABLE_LEFT, TABLE_FOR_ALL);
    model_table_add_columns(table);
    for (size_t i = 0; i < page->count; i++) {
        const struct result_case *of = &page->cases[i];
        size_t shown = 0;
        size_t count = 0;
        const char **models = model_table_subjects(page->set, of, &shown, &count);
        for (size_t m = 0; m < shown; m++) {
            table_add_row(table);
            page_add_labels(table, page, of);
            table_add_text(table, models[m]);
            model_table_add_cells(table, page->set, of, models[m], page->count == 1);
        }
    }
    model_table_trim(table);
    page_print_table(page, table);
}
