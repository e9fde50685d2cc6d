/* What the money is for, and who pays it: pools, workloads, models, queues and users. */
#include <math.h>

#include "reports/costliest.h"
#include "reports/headline.h"
#include "reports/report_bars.h"
#include "reports/subject_group.h"

/* The sum over the subjects of a group. */
static double group_cost(const struct report *report, const struct result_case *of,
                         const struct subject_group *group, enum cost_part part) {
    double sum = 0;
    for (size_t i = 0; i < group->count; i++) {
        sum += result_cost(report->set, of, group->scope, group->subjects[i], part).mean;
    }
    return sum;
}

static void add_bill(const struct report *report, struct table *table, const struct result_case *of,
                     const struct subject_group *group) {
    double own = group_cost(report, of, group, COST_OWN);
    double idle = group_cost(report, of, group, COST_IDLE_SHARE);
    double energy = group_cost(report, of, group, COST_ENERGY);
    table_add_row(table);
    report_add_labels(report, table, of);
    table_add_text(table, scope_names[group->scope]);
    table_add_text(table, group->shown);
    headline_add_mean(table, NUMBER_MONEY, own, of->currency);
    headline_add_mean(table, NUMBER_MONEY, idle, of->currency);
    headline_add_mean(table, NUMBER_MONEY, energy, of->currency);
    headline_add_mean(table, NUMBER_SHARE, idle / (own + idle + energy), NULL);
    headline_add_mean(table, NUMBER_MONEY, group_cost(report, of, group, COST_PER_MONTH),
                      of->currency);
}

/* More are in the database only. */
enum { MOST_OWNERS = 20 };

/* Of models, queues or users: those that cost the most. */
static void add_owners(const struct report *report, struct table *table,
                       const struct result_case *of, enum scope scope) {
    size_t shown = 0;
    size_t count = 0;
    const char **names = costliest_subjects(report->set, of, scope, MOST_OWNERS, &shown, &count);
    for (size_t i = 0; i < shown; i++) {
        struct subject_group owner = {scope, &names[i], 1, names[i]};
        add_bill(report, table, of, &owner);
    }
}

static void add_bills(const struct report *report, struct table *table,
                      const struct result_case *of) {
    size_t pools = 0;
    const char **names = result_subjects(report->set, of, SCOPE_POOL, &pools);
    for (size_t i = 0; i < pools; i++) {
        struct subject_group pool = {SCOPE_POOL, &names[i], 1, names[i]};
        add_bill(report, table, of, &pool);
    }
    add_owners(report, table, of, SCOPE_MODEL);
    add_owners(report, table, of, SCOPE_QUEUE);
    add_owners(report, table, of, SCOPE_USER);
    size_t groups = 0;
    bool folded = subject_largest_family(report->set, of, "submitted") > SUBJECT_MOST_LISTED;
    struct subject_group *group = subject_groups(report->set, of, "submitted", folded, &groups);
    for (size_t i = 0; i < groups; i++) {
        add_bill(report, table, of, &group[i]);
    }
}

/* What a month is for; electricity last. */
enum { MONTH_PARTS = 4 };
static const char *const part_metrics[MONTH_PARTS] = {
    "usd_per_month.usage", "usd_per_month.reservation", "usd_per_month.idle_share",
    "usd_per_month.energy"};
static const struct bar_part month_parts[MONTH_PARTS] = {{"for use", "#009E73"},
                                                         {"reserved", "#E69F00"},
                                                         {"idle share", "#B8B8B8"},
                                                         {"electricity", "#56B4E9"}};

static void draw_month(struct report *report) {
    const char *names[BARS_MOST];
    double values[MONTH_PARTS * BARS_MOST];
    size_t shown = report->case_count < BARS_MOST ? report->case_count : BARS_MOST;
    for (size_t i = 0; i < shown; i++) {
        names[i] = report_label(report, &report->cases[i]);
        for (size_t p = 0; p < MONTH_PARTS; p++) {
            double value =
                result_figure(report->set, &report->cases[i], SCOPE_RUN, "", part_metrics[p]).mean;
            values[p * shown + i] = isnan(value) ? 0 : value;
        }
    }
    struct bars bars = {.rows = names,
                        .row_count = shown,
                        .parts = month_parts,
                        .part_count = MONTH_PARTS,
                        .values = values,
                        .kind = NUMBER_MONEY,
                        .currency = report->cases[0].currency,
                        .axis = "cost per month"};
    fputs("<div class=\"figures wide\">\n", report->out);
    bars_draw(report, &bars, "month",
              "Stacked bars: what a month of each variant costs, by what for",
              "What a month is for: GPUs held and used, held and not used, held by nobody, and "
              "electricity where it has a price of its own.");
    fputs("</div>\n", report->out);
}

void report_breakdown(struct report *report) {
    struct table *table = table_create();
    report_add_label_columns(report, table);
    table_add_column(table, "of", "scope", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "name", "subject", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "own use", "own", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "share of idle time", "idle", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "electricity", "energy", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "idle part", "idle_part", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "all, per month", "month", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < report->case_count; i++) {
        add_bills(report, table, &report->cases[i]);
    }
    table_hide_if_all(table, "energy", 0);
    fputs("<section><h2>Who pays for what</h2>\n", report->out);
    draw_month(report);
    report_table(report, table, "Cost of each pool, workload, model, queue and user");
    fputs("<p class=\"note\">Own use is what somebody held the GPUs for; the time that nobody used "
          "is shared among the workloads. All is of the measured time; a month has 730 "
          "hours.</p></section>\n",
          report->out);
    table_destroy(table);
}
