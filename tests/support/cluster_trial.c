#include "tests/support/cluster_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scheduling/conservative.h"
#include "tests/support/unit.h"

enum { CSV_SIZE = 100 * NAIVE_JOBS };

static const int64_t SECOND = NANOSECONDS_PER_SECOND;
static const int64_t GIB = INT64_C(1) << 30;

static const char *const order_names[] = {"fifo", "sjf"};
static const char *const backfill_names[] = {"none", "skip", "easy", "conservative"};
static const char *const placement_names[] = {"first_fit", "best_fit", "worst_fit"};
static const char *const pool_names[] = {"p0", "p1", "p2"};
static const char *const workload_names[] = {"w0", "w1"};
static const enum job_state states[] = {
    [NAIVE_QUEUED] = JOB_QUEUED,       [NAIVE_RUNNING] = JOB_RUNNING,
    [NAIVE_COMPLETED] = JOB_COMPLETED, [NAIVE_TIMED_OUT] = JOB_TIMED_OUT,
    [NAIVE_REJECTED] = JOB_REJECTED,   [NAIVE_KILLED] = JOB_FAILED};

/* GPUs of three sizes. */
static const struct {
    const char *name;
    int64_t memory;
} gpus[] = {{"T4-16GB", 15 * GIB}, {"V100-SXM2-32GB", 32 * GIB}, {"A100-SXM4-80GB", 80 * GIB}};

/* --- Making one up --- */

static void make_pools(struct trial *trial) {
    static const int per_node[] = {1, 2, 4, 8};
    struct naive_cluster *cluster = &trial->cluster;
    struct test_random *random = &trial->random;
    cluster->pool_count = test_random_once_in(random, 2) ? 1 : test_random_between(random, 2, 3);
    for (int p = 0; p < cluster->pool_count; p++) {
        trial->gpu_of_pool[p] = test_random_below(random, 3);
        cluster->pools[p] =
            (struct naive_pool){.nodes = test_random_between(random, 1, 5),
                                .gpus_per_node = per_node[test_random_below(random, 4)],
                                .gpu_memory = gpus[trial->gpu_of_pool[p]].memory};
        if (trial->wish.hosts && !test_random_once_in(random, 4)) {
            int per_gpu = test_random_between(random, 2, 6);
            cluster->pools[p].cpus_per_node = cluster->pools[p].gpus_per_node * per_gpu;
        }
        if (trial->wish.hosts && test_random_once_in(random, 2)) {
            cluster->pools[p].memory_per_node = test_random_between(random, 4, 40);
        }
    }
}

/* Some of the pools in some order; none listed is all of them. */
static void make_preference(struct trial *trial, int w) {
    static const double speeds[] = {1, 0.5, 2, 0.3, 3};
    int count = trial->cluster.pool_count;
    int *list = trial->preference[w];
    for (int i = 0; i < count; i++) {
        list[i] = i;
    }
    for (int i = count - 1; i > 0; i--) {
        int other = test_random_below(&trial->random, i + 1);
        int kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
    trial->preference_count[w] = test_random_between(&trial->random, 0, count);
    for (int g = 0; g < 3; g++) {
        trial->speed[w][g] = test_random_once_in(&trial->random, 2)
                                 ? 1
                                 : speeds[test_random_below(&trial->random, 5)];
    }
}

static void prefer(const struct trial *trial, int w, struct naive_job *job) {
    bool all = trial->preference_count[w] == 0;
    job->choices = all ? trial->cluster.pool_count : trial->preference_count[w];
    for (int c = 0; c < job->choices; c++) {
        job->pool[c] = all ? c : trial->preference[w][c];
        job->speed[c] = trial->speed[w][trial->gpu_of_pool[job->pool[c]]];
    }
}

static int most_gpus(const struct trial *trial) {
    int most = 0;
    for (int p = 0; p < trial->cluster.pool_count; p++) {
        const struct naive_pool *pool = &trial->cluster.pools[p];
        int total = pool->nodes * pool->gpus_per_node;
        most = total > most ? total : most;
    }
    return most;
}

/* Whole seconds out of a small range, so that much happens at once. */
static struct naive_job make_job(struct trial *trial, int w, int64_t submit, int32_t longest) {
    static const int memory_gib[] = {0, 15, 16, 32, 40, 81};
    struct test_random *random = &trial->random;
    bool patient = test_random_once_in(random, 2) || trial->wish.exact;
    bool small = test_random_once_in(random, 2);
    struct naive_job job = {
        .submit = submit * SECOND,
        .duration = test_random_between(random, trial->wish.exact, longest) * SECOND,
        .max_wait = patient ? -1 : test_random_between(random, 0, 2 * longest) * SECOND,
        .gpus = small ? test_random_between(random, 1, 2)
                      : test_random_between(random, 1, most_gpus(trial) + 1),
    };
    if (test_random_once_in(random, 4)) {
        job.memory = memory_gib[test_random_below(random, 6)] * GIB;
    }
    job.estimate = test_random_once_in(random, 3) && !trial->wish.exact
                       ? test_random_between(random, 0, longest) * SECOND
                       : job.duration;
    if (trial->wish.hosts && !test_random_once_in(random, 4)) {
        job.cpus = test_random_between(random, 0, 7);
        job.host_memory = test_random_below(random, 6);
    }
    job.span = trial->span[w];
    prefer(trial, w, &job);
    return job;
}

/* In order of submission within each workload. */
static void make_jobs(struct trial *trial) {
    struct naive_cluster *cluster = &trial->cluster;
    bool two = test_random_once_in(&trial->random, 2);
    int32_t longest = test_random_between(&trial->random, 1, 12);
    cluster->job_count = test_random_between(&trial->random, 2, 40);
    trial->second_workload =
        two ? test_random_between(&trial->random, 1, cluster->job_count - 1) : cluster->job_count;
    int64_t submit = 0;
    for (int j = 0; j < cluster->job_count; j++) {
        bool second = j >= trial->second_workload;
        submit = j == trial->second_workload ? 0 : submit;
        submit += test_random_once_in(&trial->random, 2) ? 0 : test_random_below(&trial->random, 4);
        cluster->jobs[j] = make_job(trial, second, submit, longest);
    }
}

void trial_make(struct trial *trial, uint64_t number, const struct trial_wish *wish) {
    *trial = (struct trial){.random = {number}, .wish = *wish};
    struct naive_cluster *cluster = &trial->cluster;
    cluster->head_of_line = -1;
    cluster->horizon = !wish->exact && test_random_once_in(&trial->random, 3)
                           ? test_random_between(&trial->random, 0, 60) * SECOND
                           : -1;
    if (wish->limits) {
        cluster->head_of_line = test_random_once_in(&trial->random, 2)
                                    ? test_random_between(&trial->random, 0, 15) * SECOND
                                    : -1;
        cluster->kill_at_estimate = test_random_once_in(&trial->random, 2);
        cluster->depth = test_random_between(&trial->random, 0, 3);
    }
    for (int w = 0; wish->spans && w < 2; w++) {
        trial->span[w] = (enum naive_span)test_random_below(&trial->random, 4);
    }
    make_pools(trial);
    make_preference(trial, 0);
    make_preference(trial, 1);
    make_jobs(trial);
}

/* --- Telling it to the simulation --- */

static void write_csv(const struct trial *trial, int from, int to, char csv[CSV_SIZE]) {
    int length =
        sprintf(csv, "job_id,submit_s,gpus,duration_s,estimate_s,max_wait_s,memory_gib,cpus,"
                     "host_memory_gib\n");
    for (int j = from; j < to; j++) {
        const struct naive_job *job = &trial->cluster.jobs[j];
        length += sprintf(csv + length, "%d,%d,%d,%d,%d,", j, (int)(job->submit / SECOND),
                          job->gpus, (int)(job->duration / SECOND), (int)(job->estimate / SECOND));
        if (job->max_wait >= 0) {
            length += sprintf(csv + length, "%d", (int)(job->max_wait / SECOND));
        }
        length += sprintf(csv + length, ",%d,%d,%d\n", (int)(job->memory / GIB),
                          job->cpus * job->gpus, job->host_memory * job->gpus);
        assert_true(length < CSV_SIZE - 64);
    }
}

static void tell_workload(struct trial *trial, struct sim_case *sim_case, int w, int from, int to,
                          struct speed_spec speeds[3]) {
    char csv[CSV_SIZE];
    write_csv(trial, from, to, csv);
    struct workload_spec *workload = sim_case_workload(sim_case, workload_names[w], csv);
    workload->pools = trial->preference[w];
    workload->pool_count = (size_t)trial->preference_count[w];
    workload->span = (enum gang_span)trial->span[w];
    workload->needs.speeds = speeds;
    for (int p = 0; p < trial->cluster.pool_count; p++) {
        double factor = trial->speed[w][trial->gpu_of_pool[p]];
        speeds[workload->needs.speed_count++] =
            (struct speed_spec){.gpu = sim_case->pools[p].gpu, .factor = factor};
    }
}

void trial_tell(struct trial *trial, struct sim_case *sim_case, struct speed_spec speeds[2][3]) {
    const struct naive_cluster *cluster = &trial->cluster;
    sim_case_initialize(sim_case);
    if (cluster->horizon >= 0) {
        sim_case_horizon(sim_case, cluster->horizon);
    }
    for (int p = 0; p < cluster->pool_count; p++) {
        struct pool_spec *pool =
            sim_case_pool(sim_case, pool_names[p], gpus[trial->gpu_of_pool[p]].name,
                          cluster->pools[p].nodes, cluster->pools[p].gpus_per_node);
        pool->cpus_per_node = cluster->pools[p].cpus_per_node;
        pool->memory_per_node = cluster->pools[p].memory_per_node * GIB;
    }
    tell_workload(trial, sim_case, 0, 0, trial->second_workload, speeds[0]);
    if (trial->second_workload < cluster->job_count) {
        tell_workload(trial, sim_case, 1, trial->second_workload, cluster->job_count, speeds[1]);
    }
    struct scheduler_spec *scheduler = &sim_case->scenario.scheduler;
    scheduler->head_of_line = cluster->head_of_line < 0 ? SIM_TIME_NEVER : cluster->head_of_line;
    scheduler->kill_at_estimate = cluster->kill_at_estimate;
    /* Rows of the timeline are only looks: they may not change what happens. */
    sim_case->scenario.record.timeline = test_random_once_in(&trial->random, 4) ? SECOND : 0;
}

/* --- Comparing --- */

static bool agrees(const struct naive_job *job, const struct job_row *row) {
    bool started =
        job->state == NAIVE_RUNNING || job->state == NAIVE_COMPLETED || job->state == NAIVE_KILLED;
    bool ended = job->state != NAIVE_QUEUED && job->state != NAIVE_RUNNING;
    return job->state != NAIVE_TO_COME && row->state == states[job->state] &&
           row->submit == job->submit && row->gpus == job->gpus &&
           row->start == (started ? job->start : SIM_TIME_NEVER) &&
           row->end == (ended ? job->end : SIM_TIME_NEVER);
}

/* For whoever has to look into a case that differs. */
static void show(const struct trial *trial, const struct sim_case *sim_case) {
    char csv[CSV_SIZE];
    const struct naive_cluster *cluster = &trial->cluster;
    print_error("%s %s %s, horizon %lld s, timeline %lld, head_of_line %lld s, depth %d%s, spans "
                "%d %d\n",
                order_names[cluster->order], backfill_names[cluster->backfill],
                placement_names[cluster->placement], (long long)(cluster->horizon / SECOND),
                (long long)sim_case->scenario.record.timeline,
                (long long)(cluster->head_of_line / SECOND), cluster->depth,
                cluster->kill_at_estimate ? ", kill" : "", (int)trial->span[0],
                (int)trial->span[1]);
    for (int p = 0; p < cluster->pool_count; p++) {
        print_error("pool %s: %d x %d %s, %d CPUs, %d GiB\n", pool_names[p],
                    cluster->pools[p].nodes, cluster->pools[p].gpus_per_node,
                    gpus[trial->gpu_of_pool[p]].name, cluster->pools[p].cpus_per_node,
                    cluster->pools[p].memory_per_node);
    }
    write_csv(trial, 0, cluster->job_count, csv);
    print_error("the second workload's jobs begin at %d\n%s", trial->second_workload, csv);
    for (size_t i = 0; i < sim_case->recording.job_count; i++) {
        const struct job_row *row = &sim_case->recording.jobs[i];
        const struct naive_job *job = &cluster->jobs[atoi(row->id)];
        print_error("%s %s: %s %.9g to %.9g, expected state %d, %.9g to %.9g\n",
                    agrees(job, row) ? " " : "*", row->id, job_state_names[row->state],
                    sim_time_to_seconds(row->start), sim_time_to_seconds(row->end), job->state,
                    sim_time_to_seconds(job->start), sim_time_to_seconds(job->end));
    }
}

static void compare(const struct trial *trial, const struct sim_case *sim_case, uint64_t number) {
    const struct naive_cluster *cluster = &trial->cluster;
    size_t submitted = 0;
    for (int j = 0; j < cluster->job_count; j++) {
        submitted += cluster->jobs[j].state != NAIVE_TO_COME;
    }
    bool same = sim_case->outcome == RUN_DONE && sim_case->recording.job_count == submitted;
    bool seen[NAIVE_JOBS] = {false};
    for (size_t i = 0; i < sim_case->recording.job_count; i++) {
        const struct job_row *row = &sim_case->recording.jobs[i];
        int j = atoi(row->id);
        same = same && !seen[j] && agrees(&cluster->jobs[j], row) &&
               strcmp(row->workload, workload_names[j >= trial->second_workload]) == 0;
        seen[j] = true;
    }
    if (!same) {
        show(trial, sim_case);
        fail_msg("case %d differs", (int)number);
    }
}

void trial_run(struct trial *trial, struct sim_case *sim_case, const struct trial_rules *rules,
               uint64_t number) {
    struct naive_cluster *cluster = &trial->cluster;
    struct conservative_options options = {.depth = cluster->depth};
    cluster->order = rules->order;
    cluster->backfill = rules->backfill;
    cluster->placement = rules->placement;
    sim_case_rules(sim_case, order_names[cluster->order], backfill_names[cluster->backfill],
                   placement_names[cluster->placement]);
    sim_case->scenario.scheduler.backfill.options = &options;
    sim_case_run(sim_case);
    naive_cluster_run(cluster);
    compare(trial, sim_case, number);
    sim_case->scenario.scheduler.backfill.options = NULL;
}
