/* Invariant: under srtf, srsf and las with `victims: order` the schedule is the published one, made
 * anew at every event: jobs in order, earlier order kept at ties, each that fits into what is left
 * runs. Against a naive simulator of that rule in whole nanoseconds, on random traces full of ties;
 * and against the published simulator's own results for one trace (Gu et al., Tiresias, NSDI 2019,
 * its 60_job.csv), where that is at hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/scheduling/order.h"
#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* --- The naive simulator --- */

enum { MOST_JOBS = 60, MOST_LIMITS = 2 };

enum kind { SRTF, SRSF, LAS, KINDS };
static const char *const order_names[KINDS] = {"srtf", "srsf", "las"};

struct naive_job {
    int64_t submit;
    int64_t gpus;
    int64_t left;
    int64_t attained;
    int level;
    bool here;
    bool runs;
    int preemptions;
    int64_t end;
};

struct naive {
    enum kind kind;
    int64_t gpus;
    bool by_gpu_time;
    int64_t limits[MOST_LIMITS];
    int limit_count;
    struct naive_job jobs[MOST_JOBS]; /* by submission */
    int job_count;
    int list[MOST_JOBS]; /* of those here, in order */
    int list_count;
    int64_t now;
};

/* What it may attain before it goes down; -1: it is at the lowest level. */
static int64_t limit_of(const struct naive *naive, const struct naive_job *job) {
    if (job->level >= naive->limit_count) {
        return -1;
    }
    int64_t limit = naive->limits[job->level];
    return naive->by_gpu_time ? (limit + job->gpus - 1) / job->gpus : limit;
}

/* When something happens next; INT64_MAX: never. */
static int64_t next_event(const struct naive *naive) {
    int64_t next = INT64_MAX;
    for (int i = 0; i < naive->job_count; i++) {
        const struct naive_job *job = &naive->jobs[i];
        int64_t times[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
        if (!job->here && job->end < 0) {
            times[0] = job->submit;
        }
        if (job->runs) {
            times[1] = naive->now + job->left;
            if (naive->kind == LAS && limit_of(naive, job) >= 0) {
                times[2] = naive->now + limit_of(naive, job) - job->attained;
            }
        }
        for (int k = 0; k < 3; k++) {
            next = times[k] < next ? times[k] : next;
        }
    }
    return next;
}

static void remove_from_list(struct naive *naive, int which) {
    int kept = 0;
    for (int i = 0; i < naive->list_count; i++) {
        if (naive->list[i] != which) {
            naive->list[kept++] = naive->list[i];
        }
    }
    naive->list_count = kept;
}

static void go_on_to(struct naive *naive, int64_t time) {
    for (int i = 0; i < naive->job_count; i++) {
        struct naive_job *job = &naive->jobs[i];
        if (job->runs) {
            job->left -= time - naive->now;
            job->attained += time - naive->now;
            if (job->left == 0) {
                job->runs = false;
                job->here = false;
                job->end = time;
                remove_from_list(naive, i);
            }
            while (limit_of(naive, job) >= 0 && job->attained >= limit_of(naive, job)) {
                job->level++;
            }
        }
    }
    for (int i = 0; i < naive->job_count; i++) {
        if (naive->jobs[i].end < 0 && !naive->jobs[i].here && naive->jobs[i].submit == time) {
            naive->jobs[i].here = true;
            naive->list[naive->list_count++] = i;
        }
    }
    naive->now = time;
}

static bool comes_before(const struct naive *naive, int a, int b) {
    const struct naive_job *left = &naive->jobs[a];
    const struct naive_job *right = &naive->jobs[b];
    switch (naive->kind) {
    case SRTF:
        return left->left < right->left;
    case SRSF:
        return left->left * left->gpus < right->left * right->gpus;
    default:
        if (left->level != right->level) {
            return left->level < right->level;
        }
        return left->runs != right->runs ? left->runs : a < b;
    }
}

/* Insertion keeps the earlier order of equals. */
static void sort_list(struct naive *naive) {
    for (int i = 1; i < naive->list_count; i++) {
        int which = naive->list[i];
        int j = i;
        for (; j > 0 && comes_before(naive, which, naive->list[j - 1]); j--) {
            naive->list[j] = naive->list[j - 1];
        }
        naive->list[j] = which;
    }
}

static void schedule(struct naive *naive) {
    int64_t left = naive->gpus;
    sort_list(naive);
    for (int i = 0; i < naive->list_count; i++) {
        struct naive_job *job = &naive->jobs[naive->list[i]];
        bool fits = job->gpus <= left;
        job->preemptions += job->runs && !fits;
        job->runs = fits;
        left -= fits ? job->gpus : 0;
    }
}

static void run_naive(struct naive *naive) {
    for (int64_t next = next_event(naive); next != INT64_MAX; next = next_event(naive)) {
        go_on_to(naive, next);
        schedule(naive);
    }
}

/* --- The same cases for both --- */

static int64_t whole_seconds(int32_t seconds) {
    return seconds * NANOSECONDS_PER_SECOND;
}

static void draw(struct naive *naive, uint64_t number) {
    struct test_random random = {number};
    static const int32_t sizes[] = {1, 2, 4, 8, 16};
    int32_t longest = test_random_between(&random, 3, 20);
    *naive = (struct naive){.kind = (enum kind)test_random_below(&random, KINDS),
                            .gpus = sizes[test_random_below(&random, 5)],
                            .by_gpu_time = test_random_once_in(&random, 2),
                            .limit_count = test_random_between(&random, 1, MOST_LIMITS),
                            .job_count = test_random_between(&random, 2, MOST_JOBS)};
    naive->limits[0] = whole_seconds(test_random_between(&random, 1, longest));
    naive->limits[1] = naive->limits[0] + whole_seconds(test_random_between(&random, 1, longest));
    int32_t submit = 0;
    for (int i = 0; i < naive->job_count; i++) {
        submit += test_random_once_in(&random, 2) ? 0 : test_random_between(&random, 1, 5);
        naive->jobs[i] =
            (struct naive_job){.submit = whole_seconds(submit),
                               .gpus = test_random_between(&random, 1, (int32_t)naive->gpus),
                               .left = whole_seconds(test_random_between(&random, 1, longest)),
                               .end = -1};
    }
}

static void run_same(struct sim_case *sim_case, const struct naive *naive,
                     struct las_options *las) {
    char csv[64 * (MOST_JOBS + 1)];
    int length = snprintf(csv, sizeof csv, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < naive->job_count; i++) {
        const struct naive_job *job = &naive->jobs[i];
        length += snprintf(csv + length, sizeof csv - (size_t)length, "%d,%lld,%lld,%lld\n", i,
                           (long long)(job->submit / NANOSECONDS_PER_SECOND), (long long)job->gpus,
                           (long long)(job->left / NANOSECONDS_PER_SECOND));
    }
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, order_names[naive->kind], "skip", "first_fit");
    *las = (struct las_options){.limits = naive->limits,
                                .limit_count = (size_t)naive->limit_count,
                                .measure = naive->by_gpu_time ? LAS_BY_GPU_TIME : LAS_BY_TIME};
    sim_case->scenario.scheduler.order.options = naive->kind == LAS ? las : NULL;
    sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 1, (int32_t)naive->gpus);
    sim_case_preemption(sim_case, "order");
    sim_case_workload(sim_case, "jobs", csv)->preemptible = true;
    sim_case_run_to_end(sim_case);
}

static void like_the_published_rule(void **state) {
    (void)state;
    for (uint64_t number = 0; number < 600; number++) {
        struct naive naive;
        struct sim_case sim_case;
        struct las_options las;
        draw(&naive, number);
        run_same(&sim_case, &naive, &las);
        run_naive(&naive);
        for (int i = 0; i < naive.job_count; i++) {
            char id[16];
            snprintf(id, sizeof id, "%d", i);
            const struct job_row *row = recording_job(&sim_case.recording, "jobs", id);
            if (row->end != naive.jobs[i].end || row->preemptions != naive.jobs[i].preemptions) {
                fail_msg(
                    "case %llu (%s), job %d: ends at %.9f s after %d preemptions, not %.9f, %d",
                    (unsigned long long)number, order_names[naive.kind], i,
                    sim_time_to_seconds(row->end), row->preemptions,
                    sim_time_to_seconds(naive.jobs[i].end), naive.jobs[i].preemptions);
            }
        }
        sim_case_terminate(&sim_case);
    }
}

/* --- The published results --- */

static const char trace_path[] = TEST_SHARED_DIR "/traces/tiresias/60_job.csv";

struct published {
    const char *scheduler;
    int nodes;
    int gpus_per_node;
    double mean_completion_s;
    int preemptions;
};

static const struct published results[] = {
    {"{order: fifo, backfill: none}", 1, 16, 200.8167, 0},
    {"{order: fifo, backfill: skip}", 1, 16, 190.6833, 0},
    {"{order: srtf, backfill: skip, preemption: {victims: order, min_runtime: 0s}}", 1, 16,
     192.1167, 4},
    {"{order: srsf, backfill: skip, preemption: {victims: order, min_runtime: 0s}}", 1, 16,
     195.9000, 7},
    {"{order: {las: {limits: [300s, 900s], measure: time}}, backfill: skip,"
     " preemption: {victims: order, min_runtime: 0s}}",
     1, 16, 191.65, 2},
    {"{order: fifo, backfill: none}", 2, 8, 227.2333, 0},
    {"{order: fifo, backfill: none}", 4, 4, 219.1833, 0},
};

static void assert_published(const struct published *row) {
    char text[1024];
    struct scenario_run run;
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: tiresias\n"
             "horizon: end_of_work\n"
             "cluster: {pools: {p: {gpu: V100-SXM2-16GB, nodes: %d, gpus_per_node: %d}}}\n"
             "scheduler: %s\n"
             "workloads:\n"
             "  jobs:\n"
             "    kind: jobs\n"
             "    preemptible: true\n"
             "    trace:\n"
             "      file: %s\n"
             "      format: csv\n"
             "      columns: {submit_s: submit_time, gpus: num_gpu, duration_s: duration}\n",
             row->nodes, row->gpus_per_node, row->scheduler, trace_path);
    scenario_run_text(&run, "/tmp", text, NULL, 0);
    double mean = results_metric(&run.results, SCOPE_RUN, "", "jct_s.mean");
    double preemptions = results_metric(&run.results, SCOPE_RUN, "", "preemptions");
    if (fabs(mean - row->mean_completion_s) > 0.00006 ||
        (row->preemptions > 0 && (int)preemptions != row->preemptions)) {
        fail_msg("%s on %d x %d: %.5f s with %g preemptions", row->scheduler, row->nodes,
                 row->gpus_per_node, mean, preemptions);
    }
    scenario_run_clear(&run);
}

static void like_the_published_simulator(void **state) {
    (void)state;
    if (access(trace_path, R_OK) != 0) {
        print_message("SKIPPED: there is no %s\n", trace_path);
        skip();
    }
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        assert_published(&results[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_the_published_rule),
        cmocka_unit_test(like_the_published_simulator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
