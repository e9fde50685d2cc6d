#include "reports/report.h"

#include <stdlib.h>
#include <string.h>

#include "reports/report_internal.h"
#include "reports/store_internal.h"
#include "scenarios/yaml_tree.h"
#include "sim/kernel/memory.h"

extern const char report_css[];
extern const char report_js[];

static bool same_scenario(const struct result_case *a, const struct result_case *b) {
    return strcmp(a->scenario, b->scenario) == 0;
}

/* The cases of one scenario side by side, in the order of their batches; scenarios in that of their
 * first case. The set's own order may mix them where one is run again. */
static void group_by_scenario(struct result_set *set) {
    struct result_case *grouped = arena_allocate(&set->arena, set->case_count, sizeof(grouped[0]));
    bool *taken = arena_allocate(&set->arena, set->case_count, sizeof(taken[0]));
    size_t count = 0;
    for (size_t i = 0; i < set->case_count; i++) {
        for (size_t j = i; j < set->case_count && !taken[i]; j++) {
            if (j > i && !taken[j] && same_scenario(&set->cases[i], &set->cases[j])) {
                grouped[count++] = set->cases[j];
                taken[j] = true;
            } else if (j == i) {
                grouped[count++] = set->cases[i];
            }
        }
    }
    set->cases = grouped;
}

/* The text of a case's scenario file; in the set's arena. */
static const char *text_of(struct report *report, const struct result_case *of) {
    sqlite3_stmt *statement = report_prepare(
        report, of,
        "SELECT yaml FROM scenario JOIN run ON run.scenario_sha256 = scenario.sha256 "
        "WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4 LIMIT 1");
    const char *text = "";
    if (report_next(report, statement)) {
        text = arena_duplicate_string(&report->set->arena, database_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return text;
}

/* What the text says of itself, also where the rest cannot be resolved. */
static const char *describe(struct report *report, const char *text) {
    struct error_list errors = {0};
    struct node *tree =
        yaml_tree_parse(&report->set->arena, report->name, text, strlen(text), &errors);
    error_list_clear(&errors);
    const struct node *description = tree != NULL ? node_member(tree, "description") : NULL;
    bool says = description != NULL && description->kind == NODE_SCALAR;
    return says && description->text != NULL ? description->text : "";
}

static bool declares(const struct scenario_file *file, const char *variant) {
    bool declared = false;
    for (size_t i = 0; i < scenario_file_variant_count(file) && !declared; i++) {
        declared = strcmp(scenario_file_variant(file, i), variant) == 0;
    }
    return declared;
}

/* The file at the point of that name; NULL: none. *point is where to look first, and then where it
 * was: cases come in the order of their points. */
static struct scenario *resolve_point(const struct scenario_file *file, const char *variant,
                                      const char *name, size_t *point, struct error_list *errors) {
    size_t count = scenario_file_point_count(file);
    for (size_t i = 0; i < count; i++) {
        size_t candidate = (*point + i) % count;
        struct error_list told = {0};
        struct scenario *scenario =
            scenario_file_resolve_point(file, NULL, 0, variant, candidate, &told, errors);
        error_list_clear(&told);
        if (scenario == NULL) {
            return NULL;
        }
        if (strcmp(scenario->point, name) == 0) {
            *point = candidate;
            return scenario;
        }
        scenario_destroy(scenario);
    }
    return NULL;
}

/* What a case ran, as far as the text tells (values of --set are not in it); NULL if it cannot be
 * read again, as when a file that it names is elsewhere. */
static struct scenario *resolve(struct report *report, const struct result_case *of, size_t *point,
                                struct scenario_file **file) {
    const char *text = text_of(report, of);
    struct error_list errors = {0};
    struct scenario *scenario = NULL;
    *file = scenario_file_open_text(of->scenario, text, strlen(text), report->options->context,
                                    &errors);
    const char *variant = *file != NULL && declares(*file, of->variant) ? of->variant : NULL;
    if (*file != NULL && (variant != NULL || strcmp(of->variant, "base") == 0)) {
        scenario = of->point[0] == '\0' ? scenario_file_resolve(*file, NULL, 0, variant, &errors)
                                        : resolve_point(*file, variant, of->point, point, &errors);
    }
    error_list_clear(&errors);
    return scenario;
}

static void print_sections(struct report *report) {
    report_verdict(report);
    report_costs(report);
    report_sensitivity(report);
    report_distributions(report);
    report_gpu_time(report);
    report_timelines(report);
    report_load(report);
    report_layouts(report);
    report_breakdown(report);
    report_assumptions(report);
    report_origin(report);
}

static void print_scenario(struct report *report) {
    struct scenario_file **files = memory_zero(report->case_count, sizeof(files[0]));
    report->scenarios = memory_zero(report->case_count, sizeof(report->scenarios[0]));
    size_t point = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        report->scenarios[i] = resolve(report, &report->cases[i], &point, &files[i]);
    }
    for (size_t i = 0; i < report->case_count; i++) {
        sweep_columns_include(&report->sweep, report->cases[i].point);
        report->variants |= strcmp(report->cases[i].variant, report->cases[0].variant) != 0;
    }
    report->variants |= report->sweep.count == 0;
    report->description = describe(report, text_of(report, &report->cases[0]));
    print_sections(report);
    for (size_t i = 0; i < report->case_count; i++) {
        if (report->scenarios[i] != NULL) {
            scenario_destroy(report->scenarios[i]);
        }
        if (files[i] != NULL) {
            scenario_file_close(files[i]);
        }
    }
    sweep_columns_clear(&report->sweep);
    free(report->scenarios);
    free(files);
}

static void print_head(FILE *out, const char *title) {
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n",
          out);
    html_print(out, "<title>%s · headroom</title>\n<style>\n", title);
    fputs(report_css, out);
    fputs("</style>\n</head>\n<body>\n<main>\n", out);
}

static void print_foot(FILE *out, const char *database) {
    html_print(out,
               "</main>\n<footer>Made by headroom %s from %s. Figures are results of simulation; "
               "they hold as far as the assumptions do.</footer>\n<script>\n",
               HEADROOM_VERSION, database);
    fputs(report_js, out);
    fputs("</script>\n</body>\n</html>\n", out);
}

static bool print_page(FILE *out, const struct report_options *options, struct result_set *set,
                       struct plotter *plotter, struct error *error) {
    group_by_scenario(set);
    print_head(out, set->cases[0].scenario);
    bool failed = false;
    int plot_number = 0;
    for (size_t first = 0; first < set->case_count && !failed;) {
        struct report report = {.out = out,
                                .set = set,
                                .options = options,
                                .plotter = plotter,
                                .plot_number = &plot_number,
                                .name = set->cases[first].scenario,
                                .cases = &set->cases[first],
                                .error = error};
        while (first < set->case_count && same_scenario(&set->cases[first], report.cases)) {
            report.case_count++;
            first++;
        }
        print_scenario(&report);
        failed = report.failed;
    }
    print_foot(out, options->database);
    return !failed && !result_set_failed(set, error);
}

bool report_print(FILE *out, const struct report_options *options, struct error *error) {
    struct store *store = store_open_existing(options->database, error);
    if (store == NULL) {
        return false;
    }
    struct result_set set = {0};
    struct plotter plotter = {0};
    bool done = result_set_read(&set, store, NEWEST_BATCHES, error);
    if (done && set.case_count == 0) {
        error_set(error, options->database, 0, 0,
                  "holds no finished runs; run a scenario into it first");
        done = false;
    }
    done = done && plotter_create(&plotter, options->plots, options->plot_format, error) &&
           print_page(out, options, &set, &plotter, error);
    plotter_destroy(&plotter);
    result_set_clear(&set);
    store_close(store);
    return done;
}
