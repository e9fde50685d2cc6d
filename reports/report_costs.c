/* The tables of a report that speak of money: what variants give and cost, and whose it is. */
#include <math.h>

#include "reports/headline.h"
#include "reports/report_internal.h"
#include "reports/subject_group.h"
#include "reports/unstable.h"

static bool has_intervals(const struct report *report) {
    bool has = false;
    for (size_t i = 0; i < report->case_count && !has; i++) {
        has = report->cases[i].run_count > 1;
    }
    return has;
}

static bool any_unstable(const struct report *report) {
    bool any = false;
    for (size_t i = 0; i < report->case_count && !any; i++) {
        any = unstable_runs(report->set, &report->cases[i], SCOPE_RUN, "") > 0;
    }
    return any;
}

/* "2 of 3" */
static void add_score(const struct report *report, struct table *table,
                      const struct result_case *of) {
    struct objective_score score = result_objectives(report->set, of);
    char text[200];
    snprintf(text, sizeof(text), "%s of %s", number_count((double)score.met).text,
             number_count((double)score.count).text);
    table_add_number(table, score.count > 0 ? (double)score.met : NAN, text);
    table_paint(table, score.met < score.count ? TABLE_RED : TABLE_PLAIN);
}

/* The headline figures of all cases, those in money or the others. */
static struct table *tabulate(const struct report *report, bool money) {
    struct table *table = table_create();
    table_add_column(table, "variant", "variant", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "objectives met", "objectives_met", TABLE_RIGHT, TABLE_FOR_ALL);
    headline_add_columns(table, true);
    struct headline_traits traits = {0};
    struct headline_case first = {report->set, &report->cases[0]};
    for (size_t i = 0; i < report->case_count; i++) {
        struct headline_case row = {report->set, &report->cases[i]};
        table_add_row(table);
        table_add_text(table, report_label(report, &report->cases[i]));
        add_score(report, table, &report->cases[i]);
        headline_add_cells(table, row, true, i > 0 ? &first : NULL);
        headline_learn(&traits, row);
    }
    headline_trim(table, true, traits);
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        if ((headlines[i].kind == NUMBER_MONEY) != money) {
            table_hide(table, headlines[i].key);
            if (headlines[i].relation != RELATED_NOT) {
                table_hide(table, headlines[i].key_related);
            }
        }
    }
    if (money) {
        table_hide_if_all(table, "objectives_met", NAN);
    } else {
        table_hide(table, "objectives_met");
    }
    return table;
}

static void print_headlines(const struct report *report, bool money, const char *caption) {
    struct table *table = tabulate(report, money);
    report_table(report, table, caption);
    table_destroy(table);
}

static void print_legend(const struct report *report) {
    FILE *out = report->out;
    fputs("<p class=\"note\">", out);
    if (has_intervals(report)) {
        fputs("Means over replications ± half their 95&nbsp;% Student interval. ", out);
    } else {
        fputs("One run each; of random load, replications tell which differences are more than "
              "chance. ",
              out);
    }
    if (report->case_count > 1) {
        html_print(out, "The baseline is %s. A click on a heading sorts.",
                   report_label(report, &report->cases[0]));
    }
    if (any_unstable(report)) {
        html_print(out, " %s.", unstable_legend);
    }
    fputs("</p>", out);
}

void report_costs(struct report *report) {
    fputs("<section><h2>What it costs</h2>\n", report->out);
    print_headlines(report, true, "Costs of each variant");
    fputs("</section>\n<section><h2>What it gives</h2>\n", report->out);
    print_headlines(report, false, "Figures of each variant");
    print_legend(report);
    fputs("</section>\n", report->out);
}

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
    table_add_text(table, report_label(report, of));
    table_add_text(table, scope_names[group->scope]);
    table_add_text(table, group->shown);
    headline_add_mean(table, NUMBER_MONEY, own, of->currency);
    headline_add_mean(table, NUMBER_MONEY, idle, of->currency);
    headline_add_mean(table, NUMBER_MONEY, energy, of->currency);
    headline_add_mean(table, NUMBER_SHARE, idle / (own + idle + energy), NULL);
    headline_add_mean(table, NUMBER_MONEY, group_cost(report, of, group, COST_PER_MONTH),
                      of->currency);
}

static void add_bills(const struct report *report, struct table *table,
                      const struct result_case *of) {
    size_t pools = 0;
    const char **names = result_subjects(report->set, of, SCOPE_POOL, &pools);
    for (size_t i = 0; i < pools; i++) {
        struct subject_group pool = {SCOPE_POOL, &names[i], 1, names[i]};
        add_bill(report, table, of, &pool);
    }
    size_t groups = 0;
    bool folded = subject_largest_family(report->set, of, "submitted") > SUBJECT_MOST_LISTED;
    struct subject_group *group = subject_groups(report->set, of, "submitted", folded, &groups);
    for (size_t i = 0; i < groups; i++) {
        add_bill(report, table, of, &group[i]);
    }
}

void report_breakdown(struct report *report) {
    struct table *table = table_create();
    table_add_column(table, "variant", "variant", TABLE_LEFT, TABLE_FOR_ALL);
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
    report_table(report, table, "Cost of each pool and workload");
    fputs("<p class=\"note\">Own use is what somebody held the GPUs for; the time that nobody used "
          "is shared among the workloads. All is of the measured time; a month has 730 "
          "hours.</p></section>\n",
          report->out);
    table_destroy(table);
}
