/* A small language for the tests of the scenario reader: registries of their own, so that they do
 * not depend on what the simulator offers, and scenarios from text instead of files. */
#ifndef TESTS_SCENARIOS_LANGUAGE_FIXTURE_H
#define TESTS_SCENARIOS_LANGUAGE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "models/catalogue.h"
#include "scenarios/language_sharing.h"
#include "scenarios/reader.h"
#include "scenarios/schema.h"
#include "tests/support/unit.h"

struct mmpp_options {
    double *rates;
    size_t rate_count;
    int64_t *dwells;
    size_t dwell_count;
};

static const struct field fixture_rate = {
    .type = &field_rate, .size = sizeof(double), FIELD_ABOVE(0)};
static const struct field fixture_gap = {.type = &field_distribution,
                                         .size = sizeof(struct distribution),
                                         .dimension = DIMENSION_DURATION};
static const struct field fixture_mmpp_fields[] = {
    {.name = "rates",
     .summary = "the rate of each state",
     .type = &field_list,
     FIELD_AT(struct mmpp_options, rates),
     FIELD_COUNT(struct mmpp_options, rate_count),
     .item = &(const struct field){.type = &field_rate, .size = sizeof(double)},
     .item_size = sizeof(double),
     .required = true},
    {.name = "dwell",
     .summary = "how long each state lasts",
     .type = &field_list,
     FIELD_AT(struct mmpp_options, dwells),
     FIELD_COUNT(struct mmpp_options, dwell_count),
     .item = &(const struct field){.type = &field_duration, .size = sizeof(int64_t)},
     .item_size = sizeof(int64_t),
     .required = true},
    {.name = NULL}};
static const struct field fixture_mmpp = {.type = &field_object, .fields = fixture_mmpp_fields};
static inline bool fixture_mmpp_check(const void *options, struct error *error) {
    const struct mmpp_options *given = options;
    if (given->rate_count == given->dwell_count) {
        return true;
    }
    error_set(error, NULL, 0, 0, "mmpp needs as many dwell times as rates");
    return false;
}

static const struct choice fixture_orders[] = {{.name = "fifo", .summary = "first in, first out"},
                                               {.name = "sjf", .summary = "shortest job first"},
                                               {.name = "priority", .summary = "by priority"}};
static const struct choice fixture_backfills[] = {{.name = "none", .summary = "strict order"},
                                                  {.name = "easy", .summary = "EASY"}};
static const struct choice fixture_placements[] = {
    {.name = "first_fit", .summary = "the first node"},
    {.name = "best_fit", .summary = "the fullest node"}};
static const struct choice fixture_victims[] = {
    {.name = "least_progress_lost", .summary = "the cheapest"},
    {.name = "fewest_victims", .summary = "the fewest"}};
/* These are the language's own: checks look into their options. */
static const struct choice fixture_sharings[] = {
    [SHARING_EXCLUSIVE] = {.name = "exclusive", .summary = "one tenant"},
    [SHARING_MIG] = {.name = "mig",
                     .summary = "instances",
                     .options = &sharing_mig_options,
                     .option_size = sizeof(struct sharing_spec)},
    [SHARING_MPS] = {.name = "mps",
                     .summary = "several at once",
                     .options = &sharing_mps_options,
                     .option_size = sizeof(struct sharing_spec)},
    [SHARING_TIMESLICE] = {.name = "timeslice",
                           .summary = "in turn",
                           .options = &sharing_timeslice_options,
                           .option_size = sizeof(struct sharing_spec)}};
static const struct choice fixture_kinds[] = {
    [WORKLOAD_JOBS] = {.name = "jobs", .summary = "batch jobs"},
    [WORKLOAD_SERVICE] = {.name = "service", .summary = "requests"}};
static const struct choice fixture_dispatches[] = {{.name = "central", .summary = "one queue"},
                                                   {.name = "random", .summary = "by lot"}};
static const struct choice fixture_formats[] = {{.name = "csv", .summary = "headroom's own"},
                                                {.name = "philly", .summary = "Philly"}};
static const struct choice fixture_arrivals[] = {{.name = "poisson",
                                                  .summary = "at a constant rate",
                                                  .options = &fixture_rate,
                                                  .option_size = sizeof(double)},
                                                 {.name = "renewal",
                                                  .summary = "with independent gaps",
                                                  .options = &fixture_gap,
                                                  .option_size = sizeof(struct distribution)},
                                                 {.name = "mmpp",
                                                  .summary = "in bursts",
                                                  .options = &fixture_mmpp,
                                                  .option_size = sizeof(struct mmpp_options),
                                                  .check = fixture_mmpp_check}};
static const struct choice fixture_metrics[] = {{.name = "wait_s.p95", .summary = ""},
                                                {.name = "jct_s.mean", .summary = ""},
                                                {.name = "makespan_s", .summary = ""},
                                                {.name = "utilization.allocated", .summary = ""},
                                                {.name = "completed", .summary = ""},
                                                {.name = "usd_total", .summary = ""},
                                                {.name = "throughput_per_s", .summary = ""},
                                                {.name = "slo_attainment", .summary = ""},
                                                {.name = "latency_s.part.queueing", .summary = ""}};

#define FIXTURE_ROWS(rows) rows, sizeof(rows[0]), sizeof(rows) / sizeof(rows[0])

static const struct registry fixture_registries[] = {
    {"order", FIXTURE_ROWS(fixture_orders)},         {"backfill", FIXTURE_ROWS(fixture_backfills)},
    {"placement", FIXTURE_ROWS(fixture_placements)}, {"sharing", FIXTURE_ROWS(fixture_sharings)},
    {"workload kind", FIXTURE_ROWS(fixture_kinds)},  {"dispatch", FIXTURE_ROWS(fixture_dispatches)},
    {"trace format", FIXTURE_ROWS(fixture_formats)}, {"arrivals", FIXTURE_ROWS(fixture_arrivals)},
    {"metric", FIXTURE_ROWS(fixture_metrics)},       {"victims", FIXTURE_ROWS(fixture_victims)}};

static inline struct reader_context fixture_context(const struct catalogue *catalogue) {
    return (struct reader_context){
        .registries = {fixture_registries,
                       sizeof(fixture_registries) / sizeof(fixture_registries[0])},
        .catalogue = catalogue};
}

/* Everything of one test: catalogue, context, the errors of the last reading and its scenario. */
struct fixture {
    struct catalogue *catalogue;
    struct reader_context context;
    char folder[32];
    char path[64];
    struct error_list errors;
    struct scenario *scenario;
};

static inline struct fixture *fixture_create(void) {
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    assert_non_null(fixture);
    fixture->catalogue = catalogue_create();
    fixture->context = fixture_context(fixture->catalogue);
    strcpy(fixture->folder, "/tmp/headroom-scenario-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof(fixture->path), "%s/s.yaml", fixture->folder);
    return fixture;
}

static inline void fixture_clear(struct fixture *fixture) {
    scenario_destroy(fixture->scenario);
    fixture->scenario = NULL;
    error_list_clear(&fixture->errors);
}

static inline void fixture_destroy(struct fixture *fixture) {
    fixture_clear(fixture);
    unlink(fixture->path);
    rmdir(fixture->folder);
    catalogue_destroy(fixture->catalogue);
    free(fixture);
}

static inline void fixture_write(const struct fixture *fixture, const char *text, size_t length) {
    FILE *stream = fopen(fixture->path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
}

/* Reads a text as a file with overrides; the result is in fixture->scenario or fixture->errors. */
static inline struct scenario *fixture_resolve(struct fixture *fixture, const char *text,
                                               const char *const *sets, size_t set_count,
                                               const char *variant) {
    fixture_clear(fixture);
    fixture_write(fixture, text, strlen(text));
    struct scenario_file *file =
        scenario_file_open(fixture->path, &fixture->context, &fixture->errors);
    if (file != NULL) {
        fixture->scenario = scenario_file_resolve(file, sets, set_count, variant, &fixture->errors);
    }
    scenario_file_close(file);
    return fixture->scenario;
}

static inline struct scenario *fixture_read(struct fixture *fixture, const char *text) {
    return fixture_resolve(fixture, text, NULL, 0, NULL);
}

/* All errors as "LINE:COLUMN: message" lines; an error elsewhere than in the file keeps its place's
 * name in front. */
static inline const char *fixture_errors(const struct fixture *fixture) {
    static char text[65536];
    text[0] = '\0';
    for (size_t i = 0; i < fixture->errors.count; i++) {
        const struct error *error = &fixture->errors.items[i];
        size_t used = strlen(text);
        const char *file = strcmp(error->file, fixture->path) == 0 ? "" : error->file;
        snprintf(text + used, sizeof(text) - used, "%s%s%d:%d: %s\n", file,
                 file[0] != '\0' ? ":" : "", error->line, error->column, error->message);
    }
    return text;
}

/* Fails unless the text reads without errors. */
static inline struct scenario *fixture_accept(struct fixture *fixture, const char *text) {
    if (fixture_read(fixture, text) == NULL) {
        fail_msg("refused:\n%s", fixture_errors(fixture));
    }
    return fixture->scenario;
}

/* Fails unless reading the text gives exactly these errors. */
static inline void fixture_refuse(struct fixture *fixture, const char *text, const char *errors) {
    fixture_read(fixture, text);
    assert_string_equal(fixture_errors(fixture), errors);
}

#define FIXTURE_SETUP_TEARDOWN                                                                     \
    static int setup(void **state) {                                                               \
        *state = fixture_create();                                                                 \
        return 0;                                                                                  \
    }                                                                                              \
    static int teardown(void **state) {                                                            \
        fixture_destroy(*state);                                                                   \
        return 0;                                                                                  \
    }

/* A whole scenario in which everything is right; lines for tests to append to. */
#define FIXTURE_HEAD "headroom: 1\nhorizon: 7d\n"
#define FIXTURE_CLUSTER "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 8}}}\n"
#define FIXTURE_WORK "workloads: {w: {kind: jobs, arrivals: {poisson: 12/h}, duration: 2h}}\n"
#define FIXTURE_VALID FIXTURE_HEAD FIXTURE_CLUSTER FIXTURE_WORK

#endif
