/* What a run leaves when it is over, as rows of its spool. */
#ifndef REPORTS_SPOOL_RESULTS_H
#define REPORTS_SPOOL_RESULTS_H

#include "reports/store.h"

bool spool_write_results(struct spool *spool, const struct results *results, double wall_seconds,
                         struct error *error);

#endif
