/* The figures by which models are shown: of the workloads that name one, put together. */
#ifndef REPORTS_MODEL_TABLE_H
#define REPORTS_MODEL_TABLE_H

#include "reports/headline.h"

enum { MODEL_FIGURE_COUNT = 8, MODEL_PRICE = 5 /* the place of the cost per month */ };
extern const struct headline model_figures[MODEL_FIGURE_COUNT];

/* The models of a case, `*shown` of `*count`: of many, those that cost the most. They belong to the
 * set's arena. */
const char **model_table_subjects(struct result_set *set, const struct result_case *of,
                                  size_t *shown, size_t *count);
/* Whether the case has several: one alone repeats the line of the case. */
bool model_table_has_several(struct result_set *set, const struct result_case *of);

/* A column for each figure, and their cells: means with their intervals, or means alone. */
void model_table_add_columns(struct table *table);
void model_table_add_cells(struct table *table, struct result_set *set,
                           const struct result_case *of, const char *model, bool intervals);
/* Once all rows are there: hides figures that no model has. */
void model_table_trim(struct table *table);

#endif
