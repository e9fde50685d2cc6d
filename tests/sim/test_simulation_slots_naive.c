/* Invariant: whatever the rules, the simulation starts and ends every job in slots when a cluster
 * stepped the slow and obvious way does: to the nanosecond, and within a few where an end under MPS
 * is involved. Small cases with many ties, each under every order, backfill and placement: MIG
 * layouts, MPS and time-slicing, also on instances and beside exclusive GPUs of the same node,
 * gangs beside jobs in slots, memory and compute asked for, tenants that keep to themselves. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/scheduling/conservative.h"
#include "tests/support/sim_case.h"
#include "tests/support/slots_trial.h"
#include "tests/support/unit.h"

/* Under a sanitizer each run takes some fifteen times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { CASES = 40 };
#else
enum { CASES = 350 };
#endif
enum { CSV_SIZE = 96 * NSLOTS_JOBS };
enum { NEAR_NS = 4 };

static const int64_t SECOND = NANOSECONDS_PER_SECOND;
static const int64_t GIB = INT64_C(1) << 30;

static const char *const order_names[] = {"fifo", "sjf", "priority"};
static const char *const backfill_names[] = {"none", "skip", "easy", "conservative"};
static const char *const placement_names[] = {"first_fit", "best_fit", "worst_fit"};
static const enum job_state states[] = {[NSLOTS_QUEUED] = JOB_QUEUED,
                                        [NSLOTS_RUNNING] = JOB_RUNNING,
                                        [NSLOTS_COMPLETED] = JOB_COMPLETED,
                                        [NSLOTS_TIMED_OUT] = JOB_TIMED_OUT,
                                        [NSLOTS_REJECTED] = JOB_REJECTED};

/* --- Telling it to the simulation --- */

static void write_csv(const struct slots_trial *trial, int from, int to, char csv[CSV_SIZE]) {
    int length = sprintf(csv, "job_id,submit_s,gpus,duration_s,estimate_s,max_wait_s,memory_gib,"
                              "priority,cpus,compute_pct\n");
    for (int j = from; j < to; j++) {
        const struct nslots_job *job = &trial->cluster.jobs[j];
        length += sprintf(csv + length, "%d,%d,%d,%d,%d,", j, (int)(job->submit / SECOND),
                          job->gpus, (int)(job->duration / SECOND), (int)(job->estimate / SECOND));
        if (job->max_wait >= 0) {
            length += sprintf(csv + length, "%d", (int)(job->max_wait / SECOND));
        }
        length += sprintf(csv + length, ",%d,%d,%d,", (int)(job->memory / GIB), job->priority,
                          job->cpus * job->gpus);
        if (job->compute > 0) {
            length += sprintf(csv + length, "%d", job->compute / (NSLOTS_MOST_COMPUTE / 100));
        }
        length += sprintf(csv + length, "\n");
        assert_true(length < CSV_SIZE - 96);
    }
}

static void tell(struct slots_trial *trial, struct sim_case *sim_case) {
    const struct naive_slots *cluster = &trial->cluster;
    sim_case_initialize(sim_case);
    if (cluster->horizon >= 0) {
        sim_case_horizon(sim_case, cluster->horizon);
        sim_case->scenario.warmup = cluster->horizon / SECOND / 2 * SECOND;
    }
    for (int p = 0; p < cluster->pool_count; p++) {
        sim_case->pools[p] = trial->pools[p];
    }
    sim_case->scenario.pool_count = (size_t)cluster->pool_count;
    for (int w = 0; w < SLOTS_TRIAL_WORKLOADS; w++) {
        char csv[CSV_SIZE];
        write_csv(trial, trial->first_job[w], trial->first_job[w + 1], csv);
        struct workload_spec *workload =
            sim_case_workload(sim_case, slots_trial_workload_names[w], csv);
        const struct workload_spec *made = &trial->workloads[w];
        workload->pools = made->pools;
        workload->pool_count = made->pool_count;
        workload->needs.saturation = made->needs.saturation;
        workload->needs.speeds = trial->speeds[w];
        workload->needs.speed_count = 2;
        workload->slot = made->slot;
        workload->slot_profile = made->slot_profile;
        workload->tenant = made->tenant;
        workload->isolation = made->isolation;
    }
    sim_case->scenario.record.timeline = test_random_once_in(&trial->random, 4) ? SECOND : 0;
}

/* --- Comparing --- */

static bool same_moment(int64_t a, int64_t b, bool near) {
    return a == b || (near && a != SIM_TIME_NEVER && b != SIM_TIME_NEVER && llabs(a - b) < NEAR_NS);
}

static bool agrees(const struct nslots_job *job, const struct job_row *row, bool near) {
    bool started = job->state == NSLOTS_RUNNING || job->state == NSLOTS_COMPLETED;
    bool ended = job->state != NSLOTS_QUEUED && job->state != NSLOTS_RUNNING;
    return job->state != NSLOTS_TO_COME && row->state == states[job->state] &&
           row->submit == job->submit && row->gpus == job->gpus &&
           same_moment(row->start, started ? job->start : SIM_TIME_NEVER, near) &&
           same_moment(row->end, ended ? job->end : SIM_TIME_NEVER, near || job->near);
}

/* For whoever has to look into a case that differs. */
static void show(const struct slots_trial *trial, const struct sim_case *sim_case) {
    const struct naive_slots *cluster = &trial->cluster;
    print_error("%s %s %s, horizon %lld s, outcome %d %s\n", order_names[cluster->order],
                backfill_names[cluster->backfill], placement_names[cluster->placement],
                (long long)(cluster->horizon / SECOND), sim_case->outcome, sim_case->error.message);
    for (int p = 0; p < cluster->pool_count; p++) {
        print_error("pool %s: %d x %d %s%s\n", trial->pools[p].name, cluster->pools[p].nodes,
                    cluster->pools[p].gpus_per_node,
                    trial->catalogue->gpus[trial->pools[p].gpu].name,
                    cluster->pools[p].shared ? "" : ", exclusive");
    }
    for (int d = 0; d < cluster->device_count; d++) {
        const struct nslots_device *device = &cluster->devices[d];
        print_error("device %d: p%d node %d gpu %d %s mode %d x %d, %lld MiB (limit %lld), %d SMs, "
                    "threads %g, interference %g, slice %g switch %g\n",
                    d, device->pool, device->node, device->gpu,
                    device->profile == NULL ? "gpu" : device->profile, (int)device->mode,
                    device->slots, (long long)(device->memory >> 20),
                    (long long)(device->memory_limit >> 20), device->sms, device->thread_share,
                    device->interference, (double)device->slice * 1e-9,
                    (double)device->switch_time * 1e-9);
    }
    for (int w = 0; w < SLOTS_TRIAL_WORKLOADS; w++) {
        const struct nslots_job *job = &cluster->jobs[trial->first_job[w]];
        print_error("workload %s: wish %d (%s), isolation %d, party %d, saturation %g, pools",
                    slots_trial_workload_names[w], (int)job->wish, job->profile,
                    (int)job->isolation, job->party, job->saturation);
        for (int c = 0; c < job->choices; c++) {
            print_error(" p%d at %g", job->pool[c], job->speed[c]);
        }
        print_error("\n");
    }
    char csv[CSV_SIZE];
    write_csv(trial, 0, cluster->job_count, csv);
    print_error("%s", csv);
    for (size_t i = 0; i < sim_case->recording.job_count; i++) {
        const struct job_row *row = &sim_case->recording.jobs[i];
        const struct nslots_job *job = &cluster->jobs[atoi(row->id)];
        print_error("%s %s %s: %s %.12g to %.12g, expected state %d, %.12g to %.12g on %d\n",
                    agrees(job, row, true) ? " " : "*", row->workload, row->id,
                    job_state_names[row->state], sim_time_to_seconds(row->start),
                    sim_time_to_seconds(row->end), job->state, sim_time_to_seconds(job->start),
                    sim_time_to_seconds(job->end), job->device);
    }
}

/* How long after the warm-up a device had tenants; in whole GPUs, a job on them (device -1). */
static double held_ns(const struct sim_case *sim_case, const struct naive_slots *cluster, int d,
                      int j_only) {
    sim_time reached = sim_case->scenario.warmup;
    double held = 0;
    for (int64_t start = -1;;) {
        const struct nslots_job *next = NULL;
        for (int j = 0; j < cluster->job_count; j++) {
            const struct nslots_job *job = &cluster->jobs[j];
            bool ran = job->state == NSLOTS_RUNNING || job->state == NSLOTS_COMPLETED;
            if (ran && (d >= 0 ? job->device == d : j == j_only) && job->start > start &&
                (next == NULL || job->start < next->start)) {
                next = job;
            }
        }
        if (next == NULL) {
            return held;
        }
        start = next->start;
        /* Of those that start at one moment, the last to end counts. */
        for (int j = 0; j < cluster->job_count; j++) {
            const struct nslots_job *job = &cluster->jobs[j];
            bool ran = job->state == NSLOTS_RUNNING || job->state == NSLOTS_COMPLETED;
            sim_time end = job->state == NSLOTS_COMPLETED ? job->end : sim_case->results.end;
            if (ran && (d >= 0 ? job->device == d : j == j_only) && job->start == start &&
                end > reached) {
                held += (double)(end - (start > reached ? start : reached));
                reached = end;
            }
        }
    }
}

static double held_gpu_hours(const struct sim_case *sim_case, const struct naive_slots *cluster,
                             int p) {
    int gpu_sms = sim_case->catalogue->gpus[sim_case->pools[p].gpu].sms;
    double held = 0;
    for (int d = 0; d < cluster->device_count; d++) {
        if (cluster->devices[d].pool == p) {
            held += held_ns(sim_case, cluster, d, -1) * cluster->devices[d].sms / gpu_sms;
        }
    }
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        bool ran = job->state == NSLOTS_RUNNING || job->state == NSLOTS_COMPLETED;
        if (ran && job->device < 0 && job->in_pool == p) {
            held += held_ns(sim_case, cluster, -1, j) * job->gpus;
        }
    }
    return held / 3.6e12;
}

/* The ledger, by an account of its own: devices count while they have tenants. */
static bool ledger_agrees(const struct sim_case *sim_case, const struct naive_slots *cluster) {
    bool agrees = true;
    for (int p = 0; p < cluster->pool_count; p++) {
        double held = 0;
        for (size_t i = 0; i < sim_case->results.gpu_hours_count; i++) {
            const struct gpu_hours *row = &sim_case->results.gpu_hours[i];
            if (strcmp(row->pool, sim_case->pools[p].name) == 0 &&
                gpu_category_is_held(row->category)) {
                held += row->hours;
            }
        }
        double expected = held_gpu_hours(sim_case, cluster, p);
        if (fabs(held - expected) > 1e-9 * (1 + expected)) {
            print_error("pool %s: %.12g GPU-hours held, expected %.12g\n", sim_case->pools[p].name,
                        held, expected);
            agrees = false;
        }
    }
    return agrees;
}

static bool uses_mps(const struct naive_slots *cluster) {
    bool any = false;
    for (int d = 0; d < cluster->device_count; d++) {
        any |= cluster->devices[d].mode == NSLOTS_TOGETHER;
    }
    return any;
}

static void compare(const struct slots_trial *trial, const struct sim_case *sim_case,
                    uint64_t number) {
    const struct naive_slots *cluster = &trial->cluster;
    bool near = uses_mps(cluster);
    size_t submitted = 0;
    for (int j = 0; j < cluster->job_count; j++) {
        submitted += cluster->jobs[j].state != NSLOTS_TO_COME;
    }
    bool same = sim_case->outcome == RUN_DONE && sim_case->recording.job_count == submitted;
    bool seen[NSLOTS_JOBS] = {false};
    for (size_t i = 0; i < sim_case->recording.job_count; i++) {
        const struct job_row *row = &sim_case->recording.jobs[i];
        int j = atoi(row->id);
        same = same && !seen[j] && agrees(&cluster->jobs[j], row, near);
        seen[j] = true;
    }
    if (!same || !ledger_agrees(sim_case, cluster)) {
        show(trial, sim_case);
        fail_msg("case %d differs", (int)number);
    }
}

static void run_under(struct slots_trial *trial, struct sim_case *sim_case, enum nslots_order order,
                      enum nslots_backfill backfill, enum nslots_placement placement,
                      uint64_t number) {
    struct naive_slots *cluster = &trial->cluster;
    struct conservative_options options = {.depth = cluster->depth};
    cluster->order = order;
    cluster->backfill = backfill;
    cluster->placement = placement;
    sim_case->scenario.scheduler.backfill.options = &options;
    sim_case_rules(sim_case, order_names[cluster->order], backfill_names[cluster->backfill],
                   placement_names[cluster->placement]);
    sim_case_run(sim_case);
    naive_slots_run(cluster);
    compare(trial, sim_case, number);
    sim_case->scenario.scheduler.backfill.options = NULL;
}

static void like_the_naive_slots(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        static struct slots_trial trial;
        struct sim_case sim_case;
        slots_trial_make(&trial, number, &(struct slots_trial_wish){0});
        tell(&trial, &sim_case);
        for (int rules = 0; rules < 3 * 3 * 3; rules++) {
            run_under(&trial, &sim_case, (enum nslots_order)(rules % 3),
                      (enum nslots_backfill)(rules / 3 % 3), (enum nslots_placement)(rules / 9),
                      number);
        }
        sim_case_terminate(&sim_case);
        slots_trial_clear(&trial);
    }
}

static void conservative_like_the_naive_slots(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        static struct slots_trial trial;
        struct sim_case sim_case;
        slots_trial_make(&trial, number, &(struct slots_trial_wish){0});
        tell(&trial, &sim_case);
        for (int placement = 0; placement < 3; placement++) {
            run_under(&trial, &sim_case, (enum nslots_order)(number % 3), NSLOTS_CONSERVATIVE,
                      (enum nslots_placement)placement, number);
        }
        sim_case_terminate(&sim_case);
        slots_trial_clear(&trial);
    }
}

static void hosts_like_the_naive_slots(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        static struct slots_trial trial;
        struct sim_case sim_case;
        slots_trial_make(&trial, number, &(struct slots_trial_wish){.hosts = true});
        tell(&trial, &sim_case);
        for (int rules = 0; rules < 4; rules++) {
            run_under(&trial, &sim_case, (enum nslots_order)(number % 3),
                      (enum nslots_backfill)rules, (enum nslots_placement)(number / 3 % 3), number);
        }
        sim_case_terminate(&sim_case);
        slots_trial_clear(&trial);
    }
}

/* With exact estimates, slots that nobody else slows down, and fifo. */
static void no_job_starts_later_than_promised(void **state) {
    (void)state;
    int promises = 0;
    for (uint64_t number = 0; number < CASES; number++) {
        static struct slots_trial trial;
        struct sim_case sim_case;
        slots_trial_make(&trial, number,
                         &(struct slots_trial_wish){.steady = true, .hosts = number % 2 == 1});
        tell(&trial, &sim_case);
        for (int rules = 0; rules < 6; rules++) {
            run_under(&trial, &sim_case, NSLOTS_FIFO, rules < 3 ? NSLOTS_CONSERVATIVE : NSLOTS_EASY,
                      (enum nslots_placement)(rules % 3), number);
            for (int j = 0; j < trial.cluster.job_count; j++) {
                const struct nslots_job *job = &trial.cluster.jobs[j];
                bool promised = job->state == NSLOTS_COMPLETED && job->first_promise >= 0;
                assert_false(promised && job->start > job->first_promise);
                promises += promised;
            }
        }
        sim_case_terminate(&sim_case);
        slots_trial_clear(&trial);
    }
    assert_true(promises > CASES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_the_naive_slots),
        cmocka_unit_test(conservative_like_the_naive_slots),
        cmocka_unit_test(hosts_like_the_naive_slots),
        cmocka_unit_test(no_job_starts_later_than_promised),
    };
    /* Each run frees all it had: keeping that at hand saves most of the time. */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
