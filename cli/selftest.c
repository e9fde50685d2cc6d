/* headroom selftest: simulates cases whose answer is known in closed form, and compares. A case
 * passes if the exact value lies within the 99.9 % Student interval of its replications, and that
 * interval is narrow enough to mean something. A figure that chance has no part in must be exact.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/selftest_runs.h"
#include "cli/terminal.h"
#include "reports/json.h"
#include "reports/table.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

static const double LEVEL = 0.999;
static const double ROUNDING = 1e-9; /* of a figure that does not vary, as a share of it */

struct selftest_options {
    const char **sets;
    size_t set_count;
    bool json;
};

static bool set_json(void *target, const char *value) {
    (void)value;
    ((struct selftest_options *)target)->json = true;
    return true;
}

static bool add_set(void *target, const char *value) {
    struct selftest_options *options = target;
    options->sets[options->set_count++] = value;
    return true;
}

static const struct option_row option_rows[] = {
    {"json", 0, NULL, "prints one JSON object instead of a table", set_json},
    {"set", 0, "PATH=VALUE", "spoils the scenarios, to see the cases fail", add_set},
};

struct verdict {
    double mean;
    double half_width;
    bool passed;
    const char *why; /* "" if it passed */
};

static struct verdict judge(const struct selftest_figure *figure, const double *values, size_t n) {
    struct verdict verdict = {.why = ""};
    statistics_interval(values, n, LEVEL, &verdict.mean, &verdict.half_width);
    bool inside =
        fabs(verdict.mean - figure->exact) <= verdict.half_width + ROUNDING * figure->exact;
    bool narrow = verdict.half_width <= figure->widest * figure->exact;
    verdict.passed = inside && narrow;
    if (!verdict.passed) {
        verdict.why = inside || isnan(verdict.half_width) ? "too wide" : "outside";
    }
    return verdict;
}

/* So many digits whatever the size: these numbers are compared, not read for their meaning. */
static void add_value(struct table *table, double value, int digits) {
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    table_add_number(table, value, text);
}

static void add_row(struct table *table, const struct selftest_entry *entry,
                    const struct selftest_figure *figure, const struct verdict *verdict) {
    char text[64];
    table_add_row(table);
    table_add_text(table, entry->what->name);
    table_add_text(table, figure->name);
    table_add_text(table, figure->formula);
    add_value(table, figure->exact, 6);
    add_value(table, verdict->mean, 5);
    snprintf(text, sizeof text, "%.4g\u2013%.4g", verdict->mean - verdict->half_width,
             verdict->mean + verdict->half_width);
    table_add_text(table, text);
    table_add_text(table, verdict->passed ? "pass" : "fail");
    table_add_line(table, verdict->why);
    table_paint(table, verdict->passed ? TABLE_GREEN : TABLE_RED);
}

static struct table *make_table(void) {
    struct table *table = table_create();
    table_add_column(table, "case", "name", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "figure", "figure", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "formula", "formula", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "exact", "exact", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "simulated", "simulated", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "99.9 % interval", "interval", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "verdict", "verdict", TABLE_LEFT, TABLE_FOR_ALL);
    return table;
}

static void add_json(json_t *list, const struct selftest_entry *entry,
                     const struct selftest_figure *figure, const struct verdict *verdict) {
    json_t *object = json_object();
    json_set(object, "name", json_text(entry->what->name));
    json_set(object, "figure", json_text(figure->name));
    json_set(object, "formula", json_text(figure->formula));
    json_set(object, "exact", json_number_or_null(figure->exact));
    json_set(object, "simulated", json_number_or_null(verdict->mean));
    json_set(object, "low", json_number_or_null(verdict->mean - verdict->half_width));
    json_set(object, "high", json_number_or_null(verdict->mean + verdict->half_width));
    json_set(object, "verdict", json_text(verdict->passed ? "pass" : "fail"));
    json_array_append_new(list, object);
}

/* Prints what came out; the exit status. */
static int report(const struct selftest_runs *runs, bool json) {
    struct table *table = make_table();
    json_t *list = json_array();
    size_t failures = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct selftest_entry *entry = &runs->entries[i];
        for (size_t f = 0; f < entry->what->figure_count; f++) {
            const struct selftest_figure *figure = &entry->what->figures[f];
            struct verdict verdict =
                judge(figure, entry->values[f], (size_t)entry->scenario->replications);
            failures += !verdict.passed;
            add_row(table, entry, figure, &verdict);
            add_json(list, entry, figure, &verdict);
        }
    }
    if (json) {
        json_t *object =
            json_pack("{s:i, s:s, s:O}", "headroom", 1, "format", "selftest", "cases", list);
        json_print(stdout, object);
        json_decref(object);
    } else {
        table_print(stdout, table, TABLE_TEXT, 0, terminal_wants_colour(stdout));
        printf("\n%zu of %zu figures agree with theory\n", table_row_count(table) - failures,
               table_row_count(table));
    }
    json_decref(list);
    table_destroy(table);
    return failures == 0 ? STATUS_DONE : STATUS_FAILED;
}

static int simulate(struct selftest_runs *runs, bool json) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct error error;
    struct progress progress;
    progress_begin(&progress, true);
    runs->progress = &progress;
    bool done = selftest_runs_perform(runs, cores > 0 ? (int)cores : 1, &error);
    progress_end(&progress);
    if (!done) {
        complain_error(&error);
        return STATUS_FAILED;
    }
    return report(runs, json);
}

static int run(const struct selftest_case *const *cases, size_t count,
               const struct selftest_options *options) {
    struct language language;
    struct selftest_runs runs;
    struct error_list errors = {0};
    char buffer[2048];
    language_create(&language);
    bool read = selftest_runs_create(&runs, cases, count, options->sets, options->set_count,
                                     &language, &errors);
    for (size_t i = 0; i < errors.count; i++) {
        fprintf(stderr, "%s\n", error_format(&errors.items[i], buffer, sizeof buffer));
    }
    int status = read ? simulate(&runs, options->json) : STATUS_BAD_INPUT;
    error_list_clear(&errors);
    selftest_runs_clear(&runs);
    language_destroy(&language);
    return status;
}

/* The cases of these names, all without any; their number, or 0 after printing which is unknown. */
static size_t choose(const struct selftest_cases *cases, char *const *names, size_t name_count,
                     const struct selftest_case **chosen) {
    for (size_t n = 0; n < name_count; n++) {
        size_t i = 0;
        while (i < cases->count && strcmp(cases->items[i].name, names[n]) != 0) {
            i++;
        }
        if (i == cases->count) {
            complain("there is no reference case '%s'; 'headroom selftest --help' lists them",
                     names[n]);
            return 0;
        }
        chosen[n] = &cases->items[i];
    }
    for (size_t i = 0; name_count == 0 && i < cases->count; i++) {
        chosen[i] = &cases->items[i];
    }
    return name_count == 0 ? cases->count : name_count;
}

static void print_words(FILE *out) {
    struct selftest_cases cases;
    selftest_cases_create(&cases);
    for (size_t i = 0; i < cases.count; i++) {
        fprintf(out, "%s\t\n", cases.items[i].name);
    }
    selftest_cases_clear(&cases);
}

static int run_selftest(const struct command *command, int argc, char **argv) {
    struct selftest_options options = {.sets = memory_zero((size_t)argc, sizeof(char *))};
    struct selftest_cases cases;
    selftest_cases_create(&cases);
    const struct selftest_case **chosen =
        memory_zero(cases.count + (size_t)argc, sizeof(struct selftest_case *));
    int rest = 0;
    int status = STATUS_BAD_INPUT;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    if (outcome == PARSE_HELP_SHOWN) {
        status = STATUS_DONE;
    } else if (outcome == PARSE_OK) {
        size_t count = choose(&cases, argv + rest, (size_t)(argc - rest), chosen);
        status = count > 0 ? run(chosen, count, &options) : STATUS_BAD_INPUT;
    }
    free(chosen);
    free(options.sets);
    selftest_cases_clear(&cases);
    return status;
}

static const struct command_example examples[] = {
    {"headroom selftest mm1 loss-10", "Two cases: a single server, and ten without a queue"},
    {"headroom selftest", "All of them, which takes a minute or two"},
};

const struct command command_selftest = {
    .name = "selftest",
    .arguments = "[NAME...] [OPTION...]",
    .summary = "Simulates cases whose answer is known in closed form, and compares.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .words_title = "Cases",
    .print_words = print_words,
    .main = run_selftest,
};
