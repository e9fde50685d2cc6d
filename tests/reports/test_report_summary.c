/* What `run` prints is what the database holds, on one page. The pages are golden: their figures
 * are checked by hand here, their layout only against unintended change. */
#include "tests/reports/fixture.h"

#include <jansson.h>

#include "reports/summary.h"

static struct metric figures[64];
static size_t figure_count;

static void add(enum scope scope, const char *subject, const char *name, double value,
                const char *unit) {
    figures[figure_count++] = (struct metric){scope, subject, name, value, unit};
}

/* Of a workload, or of all: 1000 jobs, 20 of them unfinished. */
static void add_jobs(enum scope scope, const char *subject, double wait_s) {
    add(scope, subject, "submitted", 1000, "count");
    add(scope, subject, "completed", 980, "count");
    add(scope, subject, "unfinished", 20, "count");
    add(scope, subject, "timed_out", 0, "count");
    add(scope, subject, "rejected", 0, "count");
    add(scope, subject, "wait_s.mean", wait_s, "s");
    add(scope, subject, "wait_s.p50", 0, "s");
    add(scope, subject, "wait_s.p95", 3 * wait_s, "s");
    add(scope, subject, "wait_s.p99", 6 * wait_s, "s");
    add(scope, subject, "wait_s.max", 60 * wait_s, "s");
    add(scope, subject, "jct_s.mean", wait_s + 3600, "s");
    add(scope, subject, "jct_s.p95", 3 * wait_s + 3600, "s");
    add(scope, subject, "slowdown.mean", 1.5, "ratio");
    add(scope, subject, "slowdown.p95", 12.25, "ratio");
}

static void add_pool(enum scope scope, const char *subject, double price) {
    add(scope, subject, "gpus", 8, "count");
    add(scope, subject, "gpu_hours", 960, "gpu_hours");
    add(scope, subject, "utilization.allocated", 0.75, "share");
    add(scope, subject, "utilization.busy", 0.7, "share");
    add(scope, subject, "utilization.goodput", 0.65, "share");
    add(scope, subject, "utilization.memory", 0.5, "share");
    add(scope, subject, "usd_total", 1280 * price, "usd");
    add(scope, subject, "usd_per_month", 8 * 730 * price, "usd_per_month");
}

/* Eight GPUs for 160 hours at a price, three quarters of them used. */
static void store_week(struct bench *bench, const char *variant, uint64_t replication,
                       double wait_s, double price) {
    figure_count = 0;
    add_jobs(SCOPE_RUN, "", wait_s);
    add_pool(SCOPE_RUN, "", price);
    add_pool(SCOPE_POOL, "a100", price);
    add_jobs(SCOPE_WORKLOAD, "train", wait_s);
    struct cost costs[] = {{.scope = SCOPE_RUN,
                            .subject = "",
                            .usd = 960 * price,
                            .usd_idle_share = 320 * price,
                            .usd_per_month = 5840 * price}};
    struct gpu_hours hours[] = {{"a100", GPU_USEFUL, 960}, {"a100", GPU_IDLE, 320}};
    struct results results = {.end = 160 * 3600 * NANOSECONDS_PER_SECOND,
                              .events = 2000,
                              .metrics = figures,
                              .metric_count = figure_count,
                              .costs = costs,
                              .cost_count = 1,
                              .gpu_hours = hours,
                              .gpu_hours_count = 2};
    struct error error;
    struct run_identity identity = identify(bench, variant, replication);
    struct spool *spool = spool_open(bench->store, &identity, &error);
    must(spool != NULL, &error);
    must(spool_finish(spool, &results, 0.25, &error), &error);
    int64_t run_id = 0;
    must(store_merge(bench->store, spool, &run_id, &error), &error);
    spool_close(spool);
}

static void assert_summary(struct bench *bench, const struct summary_options *options,
                           const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    struct error error;
    must(summary_print(memory, bench->store, bench->batch, options, &error), &error);
    fclose(memory);
    assert_string_equal(text, expected);
    free(text);
}

static void one_run_is_one_page(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_week(&bench, "base", 0, 1200, 2.5);
    static const char *const notes[] = {"3 rows skipped"};
    static const struct objective_verdict verdicts[] = {
        {.text = "workload.train.wait_s.p95 <= 30m",
         .unit = "s",
         .value = 3600,
         .half_width = NAN,
         .met = false},
        {.text = "utilization.allocated >= 60%",
         .unit = "share",
         .value = 0.75,
         .half_width = NAN,
         .met = true},
    };
    struct summary_options options = {
        .notes = notes, .note_count = 1, .verdicts = verdicts, .verdict_count = 2};
    /* 1280 GPU-hours at 2.50 are 3200, a quarter of it idle; 8 x 730 x 2.50 = 14,600 a month. */
    assert_summary(
        &bench, &options,
        "day-night: base, seed 1\n"
        "8 GPUs, 6d 16h simulated, 1,000 jobs submitted\n"
        "\n"
        "workload  submitted  completed  unfinished  wait mean  p50  p95  p99  max\n"
        "train         1,000        980          20        20m  0 s   1h   2h  20h\n"
        "\n"
        "pool  GPUs  GPU-hours used  allocated    busy  goodput  memory  cost per month\n"
        "a100     8             960     75.0 %  70.0 %   65.0 %  50.0 %         $14,600\n"
        "\n"
        "GPU time    useful 75.0 %, idle 25.0 % of 1,280 GPU-hours\n"
        "turnaround  mean 1h 20m, p95 2h; slowdown mean 1.50, p95 12.2\n"
        "cost        $3,200.00 ($14,600 a month), 25.0 % of it for idle GPUs\n"
        "\n"
        "objectives                                         value\n"
        "✗ not met   workload.train.wait_s.p95 <= 30m          1h\n"
        "✓ met       utilization.allocated >= 60%          75.0 %\n"
        "\n"
        "notes\n"
        "- 3 rows skipped\n"
        "\n"
        "1 run, 2,000 events in 250 ms; batch 1 in a.db\n");
    store_close(bench.store);
}

/* Waits of 1000, 1200 and 1400 s: mean 20m, half width 4.302653 x 200 / sqrt 3 = 496.8 s. */
static void replications_give_intervals(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    for (uint64_t i = 0; i < 3; i++) {
        store_week(&bench, "base", i, 1000 + 200 * (double)i, NAN);
    }
    struct summary_options options = {0};
    assert_summary(
        &bench, &options,
        "day-night: base, 3 replications (means ± 95 % intervals)\n"
        "8 GPUs, 6d 16h simulated, 1,000 jobs submitted\n"
        "\n"
        "workload  submitted  completed  unfinished  wait mean  p50        p95        p99       "
        "max\n"
        "train         1,000        980          20        20m  0 s         1h         2h       "
        "20h\n"
        "                                             ± 8m 17s       ± 24m 50s  ± 49m 41s  ± 8h "
        "17m\n"
        "\n"
        "pool  GPUs  GPU-hours used  allocated    busy  goodput  memory  cost per month\n"
        "a100     8             960     75.0 %  70.0 %   65.0 %  50.0 %               -\n"
        "\n"
        "GPU time    useful 75.0 %, idle 25.0 % of 1,280 GPU-hours\n"
        "turnaround  mean 1h 20m ± 8m 17s, p95 2h; slowdown mean 1.50, p95 12.2\n"
        "cost        unknown, for want of a price\n"
        "\n"
        "3 runs, 6,000 events in 750 ms; batch 1 in a.db\n");
    store_close(bench.store);
}

static void variants_stand_in_one_table(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    /* Merged in another order than they stand in the batch. */
    static const char *const variants[] = {"exclusive", "mig", "mps"};
    for (int i = 2; i >= 0; i--) {
        figure_count = 0;
        add_jobs(SCOPE_RUN, "", 600 * (i + 1));
        add_pool(SCOPE_RUN, "", 1);
        struct run_identity identity = identify(&bench, variants[i], 0);
        identity.position = i;
        store_run(&bench, &identity, figures, figure_count);
    }
    struct summary_options options = {0};
    assert_summary(&bench, &options,
                   /* All cost the same, so that is no news; waits are three times their mean. */
                   "Shortest waits (p95): exclusive, 30m.\n"
                   "\n"
                   "day-night: 3 variants, seed 1\n"
                   "8 GPUs, 10 s simulated, 1,000 jobs submitted\n"
                   "\n"
                   "           wait  wait    wait  wait       GPUs    GPUs                         "
                   "          cost per\n"
                   "variant    mean   p50     p95   p99  allocated    busy  goodput  completed  "
                   "unfinished      month\n"
                   "exclusive   10m   0 s     30m    1h     75.0 %  70.0 %   65.0 %        980     "
                   "     20  $5,840.00\n"
                   "mig         20m   0 s      1h    2h     75.0 %  70.0 %   65.0 %        980     "
                   "     20  $5,840.00\n"
                   "mps         30m   0 s  1h 30m    3h     75.0 %  70.0 %   65.0 %        980     "
                   "     20  $5,840.00\n"
                   "\n"
                   "3 runs, 21 events in 1.5 s; batch 1 in a.db\n");
    store_close(bench.store);
}

static void a_batch_without_runs_says_so(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct summary_options options = {0};
    assert_summary(&bench, &options,
                   "No run has been finished.\n"
                   "\n"
                   "0 runs, 0 events in 0 s; batch 1 in a.db\n");
    store_close(bench.store);
}

static void json_holds_runs_and_their_means(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    for (uint64_t i = 0; i < 3; i++) {
        store_week(&bench, "base", i, 1000 + 200 * (double)i, NAN);
    }
    static const char *const notes[] = {"a \xFF note"};
    struct objective_verdict verdict = {
        .text = "o", .variant = "base", .unit = "s", .value = 1, .half_width = NAN, .met = true};
    struct summary_options options = {
        .notes = notes, .note_count = 1, .verdicts = &verdict, .verdict_count = 1};
    struct error error;
    json_t *root = summary_json(bench.store, bench.batch, &options, &error);
    must(root != NULL, &error);

    int version = 0;
    json_int_t batch = 0;
    json_int_t replication = 0;
    json_int_t events = 0;
    double wait_s = 0;
    double busy = 0;
    double idle_hours = 0;
    const char *format = NULL;
    const char *note = NULL;
    json_t *cost = NULL;
    json_error_t problem;
    if (json_unpack_ex(root, &problem, 0,
                       "{s:i, s:s, s:I, s:[{}, {s:I, s:I, s:{s:F}, s:{s:{s:{s:F}, s:{s:F}}},"
                       " s:{s:o}}], s:[s]}",
                       "headroom", &version, "format", &format, "batch", &batch, "runs",
                       "replication", &replication, "events", &events, "metrics", "wait_s.mean",
                       &wait_s, "pools", "a100", "metrics", "utilization.busy", &busy, "gpu_hours",
                       "idle", &idle_hours, "cost", "usd", &cost, "notes", &note) != 0) {
        fail_msg("%s", problem.text);
    }
    assert_int_equal(version, 1);
    assert_string_equal(format, "run");
    assert_int_equal(batch, 1);
    assert_int_equal(replication, 2);
    assert_int_equal(events, 2000);
    assert_near(wait_s, 1200, 0);
    assert_near(busy, 0.7, 0);
    assert_near(idle_hours, 320, 0);
    assert_true(json_is_null(cost));
    assert_string_equal(note, "a \xEF\xBF\xBD note");

    double mean = 0;
    double half_width = 0;
    int n = 0;
    int replications = 0;
    int met = 0;
    json_t *value_width = NULL;
    if (json_unpack_ex(root, &problem, 0,
                       "{s:[{s:i, s:{s:{s:{s:{s:F, s:F, s:i}}}}}], s:[{s:b, s:o}]}", "summary",
                       "replications", &replications, "workloads", "train", "metrics",
                       "wait_s.mean", "mean", &mean, "half_width", &half_width, "n", &n,
                       "objectives", "met", &met, "half_width", &value_width) != 0) {
        fail_msg("%s", problem.text);
    }
    assert_int_equal(replications, 3);
    assert_near(mean, 1200, 1e-9);
    assert_near(half_width, 4.302653 * 200 / sqrt(3), 1e-3);
    assert_int_equal(n, 3);
    assert_true(met);
    assert_true(json_is_null(value_width));
    json_decref(root);
    store_close(bench.store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(one_run_is_one_page),
        IN_FOLDER(replications_give_intervals),
        IN_FOLDER(variants_stand_in_one_table),
        IN_FOLDER(a_batch_without_runs_says_so),
        IN_FOLDER(json_holds_runs_and_their_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
