/* What matters most, of what a sweep varied: a tornado of each parameter's effect on the cost and
 * on the figure of the first objective. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/report_axis.h"
#include "reports/report_internal.h"
#include "reports/sensitivity.h"
#include "reports/text.h"

/* What a tornado is drawn of. */
struct judged {
    struct judged_figure figure;
    const char *words;
    enum number_kind kind;
    double bound; /* of its objective; NaN: none */
};

static bool scope_find(const char *name, enum scope *scope) {
    for (int i = 0; i < SCOPE_COUNT; i++) {
        if (strcmp(scope_names[i], name) == 0) {
            *scope = (enum scope)i;
            return true;
        }
    }
    return false;
}

/* "workload.chat.latency_s.p99", as an objective has it. */
static const char *name_figure(struct arena *arena, const char *scope,
                               const struct judged_figure *figure) {
    char text[300];
    snprintf(text, sizeof(text), "%.20s%s%.120s.%.120s", scope,
             figure->subject[0] != '\0' ? "." : "", figure->subject, figure->name);
    return arena_duplicate_string(arena, text);
}

/* The first objective that is not on the cost itself; false: there is none. */
static bool find_objective(struct report *report, const char *cost, struct judged *judged) {
    sqlite3_stmt *statement = report_prepare(
        report, &report->cases[0],
        "SELECT o.scope, o.subject, o.name, o.bound, m.unit FROM objective o "
        "JOIN metric m USING (run_id, scope, subject, name) "
        "WHERE run_id = (SELECT min(run_id) FROM run WHERE batch = ?1 AND scenario = ?2 "
        "                AND variant = ?3 AND point = ?4) AND o.name <> ?5 "
        "ORDER BY o.position LIMIT 1");
    bool found = false;
    if (statement != NULL) {
        sqlite3_bind_text(statement, 5, cost, -1, SQLITE_STATIC);
    }
    if (report_next(report, statement)) {
        struct arena *arena = &report->set->arena;
        const char *name = arena_duplicate_string(arena, database_text(statement, 2));
        judged->figure.subject = arena_duplicate_string(arena, database_text(statement, 1));
        judged->figure.name = name;
        judged->bound = database_real(statement, 3);
        judged->kind = number_kind_of(database_text(statement, 4));
        judged->words = name_figure(arena, database_text(statement, 0), &judged->figure);
        found = scope_find(database_text(statement, 0), &judged->figure.scope);
    }
    sqlite3_finalize(statement);
    return found;
}

static void print_data(FILE *data, const struct sensitivity *found, size_t shown) {
    plot_print_comment(data, "columns: row, from, to: below the mean of all points, then above it");
    for (int above = 0; above <= 1; above++) {
        for (size_t i = 0; i < shown; i++) {
            const struct effect *effect = &found->effects[i];
            double from = above ? fmax(effect->least, found->mean) : effect->least;
            double to = above ? effect->most : fmin(effect->most, found->mean);
            fprintf(data, "%zu %.9g %.9g\n", i, from, fmax(from, to));
        }
        fputs("\n\n", data);
    }
}

enum { LONGEST_END = 13 };

/* Which value of the parameter lies at the end of its bar. */
static void print_end(FILE *script, const char *value, double at, size_t row, const char *side) {
    char *shortened = text_abbreviated(value, LONGEST_END);
    fputs("set label ", script);
    plot_print_quoted(script, shortened);
    free(shortened);
    fprintf(script, " at %.9g, %zu %s noenhanced\n", at, row, side);
}

static struct axis_range range_of(const struct sensitivity *found, size_t shown,
                                  const struct judged *judged) {
    struct axis_range range = {found->mean, found->mean};
    for (size_t i = 0; i < shown; i++) {
        range.from = fmin(range.from, found->effects[i].least);
        range.to = fmax(range.to, found->effects[i].most);
    }
    double span = range.to - range.from;
    if (judged->bound > range.from - span && judged->bound < range.to + span) {
        range.from = fmin(range.from, judged->bound);
        range.to = fmax(range.to, judged->bound);
    }
    span = range.to - range.from;
    /* Room for the values at the ends of the bars. */
    return (struct axis_range){range.from - 0.34 * span, range.to + 0.34 * span};
}

static void print_script(struct plot *plot, const struct sensitivity *found, size_t shown,
                         const struct judged *judged, const char *currency) {
    FILE *script = plot->script;
    struct axis_range range = range_of(found, shown, judged);
    axis_print_tics(script, 'x', judged->kind, range, 5, currency);
    fprintf(script,
            "set xrange [%.9g:%.9g]\nset yrange [%zu.6:-0.6]\nunset grid\n"
            "set grid xtics lc rgb '#888888' lw 0.5 dt 1\nset style fill solid 1 noborder\n"
            "set xlabel ",
            range.from, range.to, shown - 1);
    plot_print_quoted(script, judged->words);
    fputs("\nset ytics (", script);
    for (size_t i = 0; i < shown; i++) {
        fputs(i > 0 ? ", " : "", script);
        plot_print_tic(script, found->effects[i].parameter);
        fprintf(script, " %zu", i);
    }
    fputs(")\n", script);
    for (size_t i = 0; i < shown; i++) {
        const struct effect *effect = &found->effects[i];
        print_end(script, effect->least_at, effect->least, i, "right offset -0.5,0");
        print_end(script, effect->most_at, effect->most, i, "left offset 0.5,0");
    }
    if (!isnan(judged->bound)) {
        fprintf(
            script,
            "set arrow from %.9g, graph 0 to %.9g, graph 1 nohead lc rgb '#888888' lw 1.5 dt 2\n",
            judged->bound, judged->bound);
    }
    static const char *const words[] = {"below the mean", "above the mean"};
    for (size_t above = 0; above < 2; above++) {
        fprintf(script,
                "%s'%s.dat' index %zu using 2:1:2:3:($1-0.32):($1+0.32) with boxxyerror lc rgb "
                "'%s' title '%s'",
                above == 0 ? "plot " : ", \\\n     ", plot->name, above, plot_colour(above),
                words[above]);
    }
    fputs("\n", script);
}

/* Whether the parameter changes nothing but by rounding. */
static bool is_none(const struct sensitivity *found, const struct effect *effect) {
    return effect->most - effect->least <= 1e-9 * fabs(found->mean);
}

static void print_table(const struct report *report, const struct sensitivity *found,
                        const struct judged *judged) {
    const char *currency = report->cases[0].currency;
    struct table *table = table_create();
    table_add_column(table, "parameter", "parameter", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "values", "values", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "lowest at", "least_at", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "there", "least", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "highest at", "most_at", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "there", "most", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "effect", "effect", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < found->count; i++) {
        const struct effect *effect = &found->effects[i];
        table_add_row(table);
        table_add_text(table, effect->parameter);
        headline_add_mean(table, NUMBER_COUNT, (double)effect->values, NULL);
        bool none = is_none(found, effect);
        table_add_text(table, none ? "-" : effect->least_at);
        headline_add_mean(table, judged->kind, effect->least, currency);
        table_add_text(table, none ? "-" : effect->most_at);
        headline_add_mean(table, judged->kind, effect->most, currency);
        if (none) {
            table_add_number(table, 0, "none");
        } else {
            headline_add_mean(table, judged->kind, effect->most - effect->least, currency);
        }
    }
    char caption[300];
    snprintf(caption, sizeof(caption), "Effect of each parameter on %.200s", judged->words);
    report_table(report, table, caption);
    table_destroy(table);
}

/* More bars are in the table only. */
enum { MOST_BARS = 12 };

/* Parameters that change nothing have no bar. */
static size_t count_bars(const struct sensitivity *found) {
    size_t bars = 0;
    while (bars < found->count && bars < MOST_BARS && !is_none(found, &found->effects[bars])) {
        bars++;
    }
    return bars;
}

static void draw(struct report *report, const struct sensitivity *found,
                 const struct judged *judged) {
    size_t bars = count_bars(found);
    if (bars == 0) {
        html_print(report->out, "<p class=\"note\">Nothing that was varied changes %s.</p>\n",
                   judged->words);
        return;
    }
    struct plot plot;
    plot_create(&plot, "tornado", ++*report->plot_number, 560, 90 + 34 * (int)bars);
    print_data(plot.data, found, bars);
    print_script(&plot, found, bars, judged, report->cases[0].currency);
    static const char *const names[] = {"below the mean of all points", "above it"};
    const char *const colours[] = {plot_colour(0), plot_colour(1)};
    struct report_legend legend = {.names = names, .colours = colours, .count = 2};
    char caption[512];
    snprintf(caption, sizeof(caption),
             "%.200s by parameter: from its mean at the value with the lowest to that with the "
             "highest, over the %zu points that have it%s.",
             judged->words, found->cases, isnan(judged->bound) ? "" : "; dashed: the objective");
    report_figure(report, &plot, &legend, caption, caption);
    plot_destroy(&plot);
}

static void print_judged(struct report *report, const struct judged *judged) {
    struct case_set cases = {report->set, report->cases, report->case_count};
    struct sensitivity found = sensitivity_of(&cases, judged->figure);
    if (found.count > 0) {
        fputs("<div class=\"figures wide\">\n", report->out);
        draw(report, &found, judged);
        fputs("</div>\n", report->out);
        print_table(report, &found, judged);
    }
}

static bool is_swept(const struct report *report) {
    bool swept = false;
    for (size_t i = 1; i < report->case_count && !swept; i++) {
        swept = strcmp(report->cases[i].point, report->cases[0].point) != 0;
    }
    return swept;
}

static bool has(const struct report *report, const char *name) {
    return result_has_figure(report->set, &report->cases[0], SCOPE_RUN, "", name);
}

void report_sensitivity(struct report *report) {
    if (!is_swept(report)) {
        return;
    }
    struct case_set cases = {report->set, report->cases, report->case_count};
    struct lowest cheapest = cases_cheapest(&cases, false);
    struct judged cost = {.figure = {SCOPE_RUN, "", cheapest.metric},
                          .words = "cost per month",
                          .kind = NUMBER_MONEY,
                          .bound = NAN};
    cost.words =
        strcmp(cheapest.metric, "usd_per_month") == 0 ? cost.words : "cost per model-month";
    struct judged main = {.bound = NAN, .kind = NUMBER_DURATION};
    if (!find_objective(report, cheapest.metric, &main)) {
        bool serves = has(report, "latency_s.p99");
        main.figure =
            (struct judged_figure){SCOPE_RUN, "", serves ? "latency_s.p99" : "wait_s.p95"};
        main.words = serves ? "99th percentile of latency" : "95th percentile of waits";
    }
    fputs("<section><h2>What matters most</h2>\n", report->out);
    print_judged(report, &main);
    print_judged(report, &cost);
    fputs("<p class=\"note\">The effect of a parameter is that of its values alone: at each, the "
          "mean over all points that have it, whatever the others are.</p></section>\n",
          report->out);
}
