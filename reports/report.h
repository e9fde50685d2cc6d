/* `headroom report`: the newest results of a database as one page for a meeting: the question and
 * the verdict, costs, plots, and what they rest on. */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "reports/plot.h"
#include "scenarios/reader.h"
#include "sim/kernel/error.h"

struct report_options {
    const char *database;
    const char *plots;            /* a folder that keeps plots, scripts and data; NULL: none */
    enum plot_format plot_format; /* of the plots in it */
    const struct reader_context *context; /* to read the scenarios of the database again */
};

/* Prints one HTML file that needs no other: of each scenario, variant and sweep point the newest
 * batch. False with an error: a database that cannot be read or holds no runs, no gnuplot, a folder
 * that cannot be written; what was printed until then is to be thrown away. */
bool report_print(FILE *out, const struct report_options *options, struct error *error);

#endif
