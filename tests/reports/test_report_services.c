/* What `run` and `compare` print of services. Pages are golden: their figures are checked by hand
 * here, their layout only against unintended change. */
#include "tests/reports/services_fixture.h"

#include <jansson.h>

#include "reports/compare.h"
#include "reports/summary.h"

/* A run with `count` services chat-k of 1000 requests each, a mean latency of mean_s x k seconds,
 * and costs of 3000 a month. */
static void add_services(struct figures *figures, int count, double mean_s, double busy) {
    static const char *const parts[] = {"queueing",     "loading",  "others", "switching",
                                        "interference", "batching", "service"};
    figures_add_requests(figures, SCOPE_RUN, "", 1000 * count, count > 2 ? 7 : 0, mean_s,
                         count > 2 ? 0.95 : 0.995);
    figures_add(figures, SCOPE_RUN, "", "slo_services", count, "count");
    figures_add(figures, SCOPE_RUN, "", "services", count, "count");
    for (size_t i = 0; i < LENGTH(parts); i++) {
        char *name = figures->names[figures->name_count++];
        snprintf(name, sizeof(figures->names[0]), "latency_s.part.%s", parts[i]);
        bool used = i == 0 || i == 6;
        figures_add(figures, SCOPE_RUN, "", name, used ? 3 * mean_s : 0, "s");
    }
    figures_add(figures, SCOPE_RUN, "", "gpus", 2, "count");
    figures_add(figures, SCOPE_RUN, "", "utilization.allocated", 1, "share");
    figures_add(figures, SCOPE_RUN, "", "utilization.busy", busy, "share");
    figures_add(figures, SCOPE_RUN, "", "utilization.goodput", busy, "share");
    figures_add(figures, SCOPE_RUN, "", "usd_total", 30, "usd");
    figures_add(figures, SCOPE_RUN, "", "usd_per_month", 3000, "usd_per_month");
    figures_add(figures, SCOPE_RUN, "", "usd_per_model_month", 3000.0 / count, "usd_per_month");
    figures_add(figures, SCOPE_RUN, "", "usd_per_1k_requests", 30.0 / count, "usd");
    figures_add(figures, SCOPE_RUN, "", "crash_takes", count > 2 ? 2.5 : 1, "count");
    for (int k = 1; k <= count; k++) {
        figures_add_requests(figures, SCOPE_WORKLOAD, figures_name(figures, "chat", k), 1000,
                             count > 2 && k == 1 ? 7 : 0, mean_s * k, 1 - 0.004 * k);
    }
}

/* The requests of all together miss their slo where there are five services, as 0.95 < 0.99. */
static void store_two_variants(struct bench *bench) {
    struct figures figures = {0};
    add_services(&figures, 2, 0.1, 0.15);
    figures_store(bench, "exclusive", 0, &figures);
    figures = (struct figures){0};
    add_services(&figures, 5, 0.2, 0.6);
    figures_store(bench, "mps", 0, &figures);
}

static char *summary(struct bench *bench) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    struct summary_options options = {0};
    struct error error;
    must(summary_print(memory, bench->store, bench->batch, &options, &error), &error);
    fclose(memory);
    return text;
}

/* Five services take a line, and so do two beside them: 5 x 1000 requests of which chat-1 lost 7.
 * Their mean is (993 x 0.2 + 1000 x (0.4 + 0.6 + 0.8 + 1)) / 4993 = 0.6006 s; the worst is chat-5
 * with a mean of 1 s and 98 % kept. Two have (0.1 + 0.2) / 2. The slowest: 3 + 3 times the mean.
 * 4993 in 10 s are 499 a second. */
static void families_take_a_line(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_two_variants(&bench);
    char *text = summary(&bench);
    assert_string_equal(text, "Lowest cost: mps, $600.00 a month per model. Lowest latency (p99): "
                              "exclusive, 500 ms.\n"
                              "\n"
                              "day-night: 2 variants, seed 1\n"
                              "2 GPUs, 10 s simulated, 2,000 to 5,000 requests submitted\n"
                              "\n"
                              "                GPUs    GPUs  latency  latency     SLO     SLO      "
                              "       completed  timed\n"
                              "variant    allocated    busy      p50      p99    kept  missed  "
                              "completed      per s    out\n"
                              "exclusive    100.0 %  15.0 %    50 ms   500 ms  99.5 %  0 of 2      "
                              "2,000        200      0\n"
                              "mps          100.0 %  60.0 %   100 ms      1 s  95.0 %  1 of 5      "
                              "4,993        499      7\n"
                              "\n"
                              "            cost per          per    per 1k  crash\n"
                              "variant        month  model-month  requests  takes\n"
                              "exclusive  $3,000.00    $1,500.00    $15.00   1.00\n"
                              "mps        $3,000.00      $600.00     $6.00   2.50\n"
                              "\n"
                              "                                           timed  latency           "
                              "                     SLO\n"
                              "variant    service   submitted  completed    out     mean     p50   "
                              "  p95  p99   max    kept\n"
                              "exclusive  chat (2)      2,000      2,000      0   150 ms  100 ms  "
                              "600 ms  1 s   2 s  99.2 %\n"
                              "mps        chat (5)      5,000      4,993      7   601 ms  500 ms   "
                              "  3 s  5 s  10 s  98.0 %\n"
                              "(n): n services or workloads of one `count`; counts are their sums, "
                              "the mean is over all of them,\n"
                              "the other figures are those of the worst.\n"
                              "\n"
                              "variant    slowest 1 %  queueing  service\n"
                              "exclusive       600 ms    300 ms   300 ms\n"
                              "mps              1.2 s    600 ms   600 ms\n"
                              "\n"
                              "2 runs, 14 events in 1 s; batch 1 in a.db\n");
    free(text);
    store_close(bench.store);
}

/* One case has the services one by one, all of them together as the run's figures tell, and lines
 * of where the time and the money went. */
static void one_run_of_two_services(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct figures figures = {0};
    add_services(&figures, 2, 0.1, 0.15);
    figures_store(&bench, "base", 0, &figures);
    char *text = summary(&bench);
    static const char *const expected[] = {
        "2 GPUs, 10 s simulated, 2,000 requests submitted\n",
        "service  submitted  completed  per s  latency mean     p50     p95     p99  max  SLO "
        "kept\n"
        "chat-1       1,000      1,000    100        100 ms   50 ms  300 ms  500 ms  1 s    99.6 "
        "%\n"
        "chat-2       1,000      1,000    100        200 ms  100 ms  600 ms     1 s  2 s    99.2 "
        "%\n"
        "all          2,000      2,000    200        100 ms   50 ms  300 ms  500 ms  1 s    99.5 "
        "%\n",
        "slowest 1 % of requests: 600 ms on average, of which queueing 300 ms, service 300 ms\n",
        "$1,500.00 a month for each of 2\n",
        "services, $15.00 per 1,000 requests\n",
    };
    for (size_t i = 0; i < LENGTH(expected); i++) {
        if (strstr(text, expected[i]) == NULL) {
            fail_msg("%s\nis not in\n%s", expected[i], text);
        }
    }
    assert_null(strstr(text, "turnaround"));
    free(text);
    store_close(bench.store);
}

/* Jobs and requests in one run have a table each, and no line for all of both. */
static void both_kinds_have_a_table(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct figures figures = {0};
    add_services(&figures, 2, 0.1, 0.15);
    static const struct {
        enum scope scope;
        const char *subject;
    } places[] = {{SCOPE_RUN, ""}, {SCOPE_WORKLOAD, "train"}};
    for (size_t i = 0; i < LENGTH(places); i++) {
        enum scope scope = places[i].scope;
        figures_add(&figures, scope, places[i].subject, "wait_s.mean", 60, "s");
        figures_add(&figures, scope, places[i].subject, "jct_s.mean", 120, "s");
    }
    figures_add(&figures, SCOPE_WORKLOAD, "train", "submitted", 10, "count");
    figures_add(&figures, SCOPE_WORKLOAD, "train", "completed", 10, "count");
    figures_store(&bench, "base", 0, &figures);
    char *text = summary(&bench);
    assert_non_null(strstr(text, " jobs and requests submitted\n"));
    assert_non_null(strstr(text, "\njobs   submitted  completed"));
    assert_non_null(strstr(text, "\ntrain         10         10"));
    assert_non_null(strstr(text, "\nservice  submitted"));
    assert_non_null(strstr(text, "\nturnaround  mean 2m"));
    assert_null(strstr(text, "\nall "));
    free(text);
    store_close(bench.store);
}

/* Beside services, jobs that never wait have no columns among the cases, and one among the jobs. */
static void jobs_that_never_wait_take_no_room(void **state) {
    (void)state;
    static const char *const waits[] = {"wait_s.mean", "wait_s.p50", "wait_s.p95", "wait_s.p99",
                                        "wait_s.max"};
    struct bench bench = bench_open("a.db");
    for (int v = 0; v < 8; v++) {
        struct figures figures = {0};
        add_services(&figures, 1, 0.1, 0.15);
        figures_add(&figures, SCOPE_WORKLOAD, "train", "submitted", 10 + v, "count");
        figures_add(&figures, SCOPE_WORKLOAD, "train", "completed", 10 + v, "count");
        figures_add(&figures, SCOPE_WORKLOAD, "train", "unfinished", 0, "count");
        for (size_t i = 0; i < LENGTH(waits); i++) {
            figures_add(&figures, SCOPE_RUN, "", waits[i], 0, "s");
            figures_add(&figures, SCOPE_WORKLOAD, "train", waits[i], 0, "s");
        }
        char variant[8];
        snprintf(variant, sizeof(variant), "v%d", v);
        figures_store(&bench, variant, 0, &figures);
    }
    char *text = summary(&bench);
    assert_non_null(strstr(text, "\nvariant  allocated    busy "));
    assert_non_null(
        strstr(text, "\nvariant  jobs   submitted  completed  unfinished  wait mean\n"));
    assert_non_null(
        strstr(text, "\nv7       train         17         17           0        0 s\n"));
    assert_non_null(strstr(text, "\nv7       chat-1 "));
    free(text);
    store_close(bench.store);
}

/* Of three services, one has a replica without a slot and all its requests waiting, one turns 5
 * away. */
static void what_a_reader_must_know_is_noted(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct figures figures = {0};
    figures_add(&figures, SCOPE_RUN, "", "replicas", 4, "count");
    for (int k = 1; k <= 3; k++) {
        const char *name = figures_name(&figures, "chat", k);
        figures_add(&figures, SCOPE_WORKLOAD, name, "latency_s.mean", k == 1 ? NAN : 1, "s");
        figures_add(&figures, SCOPE_WORKLOAD, name, "submitted", 200, "count");
        figures_add(&figures, SCOPE_WORKLOAD, name, "unfinished", k == 1 ? 200 : 2, "count");
        figures_add(&figures, SCOPE_WORKLOAD, name, "rejected", k == 2 ? 5 : 0, "count");
        figures_add(&figures, SCOPE_WORKLOAD, name, "replicas_waiting", k == 1, "count");
    }
    figures_store(&bench, "mig", 0, &figures);
    char *text = summary(&bench);
    const char *notes = strstr(text, "\nnotes\n");
    assert_non_null(notes);
    static const char expected[] =
        "\nnotes\n"
        "- day-night, variant mig: 1 of 4 replicas held no slot when the run ended (chat-1)\n"
        "- day-night, variant mig: 5 requests found their queue full (chat-2)\n"
        "- day-night, variant mig: of the requests of chat-1, 100.0 % had not ended at the end of "
        "the run;\n"
        "  latencies leave them out\n";
    assert_memory_equal(notes, expected, strlen(expected));
    free(text);
    struct summary_options options = {0};
    struct error error;
    json_t *root = summary_json(bench.store, bench.batch, &options, &error);
    must(root != NULL, &error);
    assert_int_equal(json_array_size(json_object_get(root, "notes")), 3);
    json_decref(root);
    store_close(bench.store);
}

/* An overloaded service is marked and named; the waits of jobs beside it are not. */
static void an_unstable_service_is_marked(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct figures figures = {0};
    add_services(&figures, 2, 0.1, 0.15);
    figures_add(&figures, SCOPE_WORKLOAD, "chat-2", "unstable", 1, "flag");
    figures_add(&figures, SCOPE_WORKLOAD, "chat-2", "backlog_growth_per_h", 120, "per_h");
    figures_add(&figures, SCOPE_RUN, "", "unstable", 1, "flag");
    figures_add(&figures, SCOPE_RUN, "", "wait_s.mean", 60, "s");
    figures_add(&figures, SCOPE_WORKLOAD, "train", "wait_s.mean", 60, "s");
    figures_store(&bench, "base", 0, &figures);
    char *text = summary(&bench);
    assert_non_null(strstr(text, "\nchat-1       1,000      1,000    100        100 ms "));
    assert_non_null(strstr(text, "\nchat-2       1,000      1,000    100       200 ms* "));
    assert_non_null(strstr(text, "the queue of workload chat-2 grows by 120 requests an hour"));
    free(text);
    const char *path = "a.db";
    struct compare_options options = {.format = TABLE_TEXT};
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct error error;
    must(compare_print(out, stderr, &path, 1, &options, &error), &error);
    fclose(out);
    assert_non_null(strstr(text, " 500 ms* "));
    assert_null(strstr(text, "1m*"));
    free(text);
    store_close(bench.store);
}

static char *compared(enum table_format format, const char *baseline) {
    char *text = NULL;
    size_t size = 0;
    const char *path = "a.db";
    struct compare_options options = {.format = format, .baseline = baseline};
    FILE *out = open_memstream(&text, &size);
    struct error error;
    must(compare_print(out, stderr, &path, 1, &options, &error), &error);
    fclose(out);
    return text;
}

/* The 99th percentile doubles from 0.5 to 1 s, a model-month falls from 1500 to 600: by 60 %. */
static void compare_relates_to_the_baseline(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_two_variants(&bench);
    char *text = compared(TABLE_MARKDOWN, NULL);
    assert_non_null(
        strstr(text, "| variant | GPUs allocated | GPUs busy | latency p50 | latency p99 | p99 to "
                     "baseline | SLO "
                     "kept | SLO missed | completed | completed per s | timed out | cost per month "
                     "| per model-month | to "
                     "baseline | per 1k requests | crash takes |\n"));
    assert_non_null(strstr(text,
                           "| exclusive | 100.0 % | 15.0 % | 50 ms | 500 ms | - | 99.5 % | 0 "
                           "of 2 | 2,000 | 200 | 0 | $3,000.00 | $1,500.00 | - | $15.00 | 1.00 |"));
    assert_non_null(strstr(text,
                           "| mps | 100.0 % | 60.0 % | 100 ms | 1 s | x2.00 | 95.0 % | 1 of 5 "
                           "| 4,993 | 499 | 7 | $3,000.00 | $600.00 | -60.0 % | $6.00 | 2.50 |"));
    free(text);
    json_t *root = json_loads(text = compared(TABLE_JSON, "mps"), 0, NULL);
    json_t *row = json_array_get(json_object_get(root, "rows"), 0);
    assert_near(json_number_value(json_object_get(row, "latency_p99_ratio")), 0.5, 1e-12);
    assert_near(json_number_value(json_object_get(row, "usd_per_model_month_change")), 1.5, 1e-12);
    assert_int_equal(json_number_value(json_object_get(row, "slo_missed")), 0);
    assert_int_equal(json_number_value(json_object_get(row, "slo_services")), 2);
    row = json_array_get(json_object_get(root, "rows"), 1);
    assert_true(json_is_null(json_object_get(row, "latency_p99_ratio")));
    assert_true(json_is_null(json_object_get(row, "wait_p50_s")));
    json_decref(root);
    free(text);
    store_close(bench.store);
}

/* No line of text is longer than a terminal's 100 columns. */
static void tables_fit_a_terminal(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_two_variants(&bench);
    char *texts[] = {compared(TABLE_TEXT, NULL), summary(&bench)};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        for (char *line = strtok(texts[i], "\n"); line != NULL; line = strtok(NULL, "\n")) {
            size_t width = 0;
            for (const char *c = line; *c != '\0'; c++) {
                width += ((unsigned char)*c & 0xC0) != 0x80; /* UTF-8's first bytes */
            }
            assert_in_range(width, 0, 100);
        }
        free(texts[i]);
    }
    store_close(bench.store);
}

/* Two of three: one is missed, one is met and one, of equality, too. */
static void compare_counts_objectives(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    static const struct objective objectives[] = {
        {"a", {0}, SCOPE_RUN, "", "completed", AT_LEAST, 3},
        {"b", {0}, SCOPE_RUN, "", "completed", AT_LEAST, 2},
        {"c", {0}, SCOPE_RUN, "", "completed", LESS, 3}};
    struct metric metric = {SCOPE_RUN, "", "completed", 2, "count"};
    struct results results = {.metrics = &metric,
                              .metric_count = 1,
                              .objectives = objectives,
                              .objective_count = LENGTH(objectives)};
    struct run_identity identity = identify(&bench, "base", 0);
    struct error error;
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    int64_t run_id = 0;
    must(spool_finish(spool, &results, 0, &error), &error);
    must(store_merge(bench.store, spool, &run_id, &error), &error);
    spool_close(spool);
    char *text = compared(TABLE_MARKDOWN, NULL);
    assert_non_null(strstr(text, "| variant | objectives met | completed |\n"));
    assert_non_null(strstr(text, "| base | ✗ 2 of 3 | 2 |\n"));
    free(text);
    json_t *root = json_loads(text = compared(TABLE_JSON, NULL), 0, NULL);
    json_t *row = json_array_get(json_object_get(root, "rows"), 0);
    assert_int_equal(json_number_value(json_object_get(row, "objectives")), 3);
    assert_int_equal(json_number_value(json_object_get(row, "objectives_met")), 2);
    json_decref(root);
    free(text);
    store_close(bench.store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(families_take_a_line),
        IN_FOLDER(one_run_of_two_services),
        IN_FOLDER(both_kinds_have_a_table),
        IN_FOLDER(jobs_that_never_wait_take_no_room),
        IN_FOLDER(what_a_reader_must_know_is_noted),
        IN_FOLDER(an_unstable_service_is_marked),
        IN_FOLDER(compare_relates_to_the_baseline),
        IN_FOLDER(tables_fit_a_terminal),
        IN_FOLDER(compare_counts_objectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
