/* Invariant: on GPUs that MIG cuts on demand, the simulation starts and ends every job when a
 * stepper does that tries all GPUs and all starts for each, and the ledger says of every SM what
 * that says: under every placement rule, with and without skipping, with first layouts and without,
 * re-cuts that take random or no time, longest waits, and a hysteresis. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/mig.h"
#include "sim/kernel/memory.h"
#include "tests/support/naive_recut.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"
#include "workloads/draws.h"

/* Under a sanitizer each run takes some fifteen times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { CASES = 30 };
#else
enum { CASES = 250 };
#endif

enum { WORKLOADS = 4, CSV_SIZE = 80 * NAIVE_RECUT_JOBS, SMALL_RANDOM = 8 };

static const int64_t SECOND = NANOSECONDS_PER_SECOND;
static const int64_t GIB = INT64_C(1) << 30;
static const char *const rule_names[] = {"first_fit", "best_fit", "worst_fit", "fragmentation"};
static const char *const workload_names[WORKLOADS] = {"any", "smallest", "gpu", "profile"};
static const enum naive_recut_wish wishes[] = {RECUT_ANY, RECUT_SMALLEST, RECUT_GPU, RECUT_PROFILE};
static const enum slot_wish slots[] = {SLOT_ANY, SLOT_SMALLEST, SLOT_GPU, SLOT_PROFILE};
static const char *const gpu_names[] = {"A100-SXM4-80GB", "H100-SXM5-80GB", "A30-24GB"};

/* One case: what both sides are told. */
struct trial {
    struct test_random random;
    struct sim_case sim_case;
    struct naive_recut naive;
    int32_t gpus_per_node;
    int workload_of[NAIVE_RECUT_JOBS];
    int number_of[NAIVE_RECUT_JOBS]; /* in its workload, from 1 */
    int cpus[WORKLOADS];
    int profile; /* that workload `profile` asks for */
    struct layout_item layout[NAIVE_RECUT_INSTANCES];
    struct sharing_spec sharing;
    struct stream stream; /* of the times of re-cuts, drawn a second time */
};

static int64_t cut_time(void *context) {
    struct trial *trial = context;
    return draws_round_time(distribution_draw(&trial->sharing.reconfigure.time, &trial->stream));
}

/* --- Making one up --- */

/* Profiles without other engines. */
static int any_profile(struct trial *trial) {
    const struct gpu_model *gpu = trial->naive.gpu;
    int profile;
    do {
        profile = test_random_below(&trial->random, (int32_t)gpu->profile_count);
    } while (!mig_selected(gpu, profile, MIG_SIZES));
    return profile;
}

/* As much of a random list as fits. */
static void make_layout(struct trial *trial) {
    int profiles[NAIVE_RECUT_INSTANCES];
    struct mig_instance instances[NAIVE_RECUT_INSTANCES];
    struct error error;
    int wanted = test_random_once_in(&trial->random, 2) ? 0 : SMALL_RANDOM;
    size_t count = 0;
    for (int i = 0; i < wanted; i++) {
        profiles[count] = any_profile(trial);
        count += mig_place(trial->naive.gpu, profiles, count + 1, instances, &error);
    }
    for (size_t i = 0; i < count; i++) {
        trial->layout[i] = (struct layout_item){.profile_row = profiles[i], .count = 1};
    }
    trial->sharing.layout = trial->layout;
    trial->sharing.layout_count = count;
    assert_true(mig_place(trial->naive.gpu, profiles, count, instances, &error));
    for (int g = 0; g < trial->naive.gpu_count; g++) {
        trial->naive.gpus[g].count = (int)count;
        for (size_t i = 0; i < count; i++) {
            trial->naive.gpus[g].instances[i] =
                (struct naive_instance){.profile = instances[i].profile,
                                        .start = instances[i].start,
                                        .job = -1,
                                        .ready = -1};
        }
    }
}

static void make_time(struct trial *trial) {
    struct distribution *time = &trial->sharing.reconfigure.time;
    struct error error;
    if (test_random_once_in(&trial->random, 3)) {
        trial->naive.longest_cut = test_random_below(&trial->random, 3) * SECOND;
        distribution_constant(time, (double)trial->naive.longest_cut);
    } else {
        trial->naive.longest_cut = 5 * SECOND;
        *time = (struct distribution){.kind = distribution_find("uniform"),
                                      .given = {(double)SECOND, (double)(5 * SECOND)}};
        assert_true(distribution_prepare(time, &error));
    }
}

static void make_pool(struct trial *trial) {
    struct test_random *random = &trial->random;
    const char *gpu = gpu_names[test_random_below(random, 3)];
    trial->gpus_per_node = test_random_between(random, 1, 3);
    int32_t nodes = test_random_between(random, 1, NAIVE_RECUT_GPUS / trial->gpus_per_node);
    struct pool_spec *pool = sim_case_pool(&trial->sim_case, "p", gpu, nodes, trial->gpus_per_node);
    trial->naive.gpu = &trial->sim_case.catalogue->gpus[pool->gpu];
    trial->naive.gpu_count = nodes * trial->gpus_per_node;
    trial->naive.gpus_per_node = trial->gpus_per_node;
    pool->sharing = (struct chosen){.index = SHARING_MIG, .options = &trial->sharing};
    trial->sharing.dynamic = true;
    if (test_random_once_in(random, 2)) {
        trial->sharing.hysteresis = test_random_between(random, 1, 15) * SECOND;
    }
    trial->naive.hysteresis = trial->sharing.hysteresis;
    trial->sim_case.scenario.reference_gpu = pool->gpu;
    make_layout(trial);
    make_time(trial);
}

/* Some instants have many, and some jobs take no time. */
static void make_jobs(struct trial *trial) {
    struct test_random *random = &trial->random;
    int64_t memory = trial->naive.gpu->memory_mib * 1024 * 1024;
    trial->naive.job_count = test_random_between(random, 2, NAIVE_RECUT_JOBS);
    int64_t now = 0;
    int64_t spread = test_random_between(random, 0, 8);
    bool waits = test_random_once_in(random, 3);
    int last = 0;
    for (int j = 0; j < trial->naive.job_count; j++) {
        bool later = test_random_once_in(random, 2) && spread > 0;
        now += later ? test_random_between(random, 1, (int32_t)spread) * SECOND : 0;
        /* Of one instant in the order of workloads. */
        last = later ? 0 : last;
        last = test_random_between(random, last, WORKLOADS - 1);
        trial->workload_of[j] = last;
        int64_t most = test_random_once_in(random, 2) ? memory / 8 : memory / 2;
        trial->naive.jobs[j] = (struct naive_recut_job){
            .submit = now,
            .duration = test_random_between(random, 0, 20) * SECOND,
            .max_wait = waits ? test_random_between(random, 0, 30) * SECOND : -1,
            .wish = wishes[last],
            .profile = trial->profile,
            .memory = wishes[last] == RECUT_PROFILE
                          ? 0
                          : test_random_below(random, 1 + (int32_t)(most / GIB)) * GIB,
            .start = -1,
            .end = -1};
    }
}

/* Each node has CPUs for a few jobs of each workload. */
static void limit_hosts(struct trial *trial) {
    struct test_random *random = &trial->random;
    int most = test_random_between(random, 2, 8);
    trial->sim_case.pools[0].cpus_per_node = most;
    trial->naive.cpus_per_node = most;
    for (int w = 0; w < WORKLOADS; w++) {
        trial->cpus[w] = test_random_between(random, 0, most < 3 ? most : 3);
    }
    for (int j = 0; j < trial->naive.job_count; j++) {
        trial->naive.jobs[j].cpus = trial->cpus[trial->workload_of[j]];
    }
}

static void add_workload(struct trial *trial, int w) {
    char csv[CSV_SIZE] = "job_id,submit_s,gpus,duration_s,memory_gib,max_wait_s\n";
    size_t used = strlen(csv);
    int number = 0;
    for (int j = 0; j < trial->naive.job_count; j++) {
        const struct naive_recut_job *job = &trial->naive.jobs[j];
        char wait[24] = "";
        if (trial->workload_of[j] != w) {
            continue;
        }
        if (job->max_wait >= 0) {
            snprintf(wait, sizeof wait, "%lld", (long long)(job->max_wait / SECOND));
        }
        trial->number_of[j] = ++number;
        used +=
            (size_t)snprintf(csv + used, sizeof csv - used, "%d,%lld,1,%lld,%lld,%s\n", number,
                             (long long)(job->submit / SECOND), (long long)(job->duration / SECOND),
                             (long long)(job->memory / GIB), wait);
    }
    if (number == 0) {
        return;
    }
    struct workload_spec *workload = sim_case_workload(&trial->sim_case, workload_names[w], csv);
    workload->slot = slots[w];
    workload->slot_profile = trial->naive.gpu->profiles[trial->profile].name;
    workload->needs.saturation = 1e-6; /* as fast in every instance */
    workload->cpus = trial->cpus[w];
}

/* --- Comparing --- */

static void compare_jobs(const struct trial *trial) {
    for (int j = 0; j < trial->naive.job_count; j++) {
        const struct naive_recut_job *expected = &trial->naive.jobs[j];
        char id[16];
        snprintf(id, sizeof id, "%d", trial->number_of[j]);
        const struct job_row *row =
            recording_job(&trial->sim_case.recording, workload_names[trial->workload_of[j]], id);
        assert_int_equal(row->state, expected->withdrawn ? JOB_TIMED_OUT : JOB_COMPLETED);
        assert_int_equal(row->start, expected->withdrawn ? SIM_TIME_NEVER : expected->start);
        assert_int_equal(row->end, expected->end);
    }
}

static double hours_in(const struct trial *trial, enum gpu_category category) {
    double hours = 0;
    for (size_t i = 0; i < trial->sim_case.results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &trial->sim_case.results.gpu_hours[i];
        hours += entry->category == category ? entry->hours : 0;
    }
    return hours;
}

static void compare_hours(const struct trial *trial) {
    const struct naive_recut *naive = &trial->naive;
    double per_hour = 3600e9 * naive->gpu->sms;
    double all = (double)naive->now / 3600e9 * naive->gpu_count;
    double idle = (double)naive->idle_sm_ns / per_hour;
    double useful = (double)naive->useful_sm_ns / per_hour;
    double cutting = (double)naive->reconfiguring_sm_ns / per_hour;
    double close = 1e-9 * (1 + all);
    assert_true(fabs(hours_in(trial, GPU_USEFUL) - useful) < close);
    assert_true(fabs(hours_in(trial, GPU_RECONFIGURING) - cutting) < close);
    assert_true(fabs(hours_in(trial, GPU_IDLE) - idle) < close);
    assert_true(fabs(hours_in(trial, GPU_STRANDED) - (all - idle - useful - cutting)) < close);
}

/* A head is promised when its place can begin to be cut at the latest. Reservations behind it are
 * made anew in each pass: they come no later where all is known beforehand. */
static void check_promises(const struct trial *trial) {
    const struct naive_recut *naive = &trial->naive;
    bool known = naive->hysteresis == 0 &&
                 strcmp(trial->sharing.reconfigure.time.kind->name, "constant") == 0;
    for (int j = 0; j < naive->job_count; j++) {
        known = known && naive->jobs[j].max_wait < 0;
    }
    for (int j = 0; j < naive->job_count; j++) {
        const struct naive_recut_job *job = &naive->jobs[j];
        if (job->first_promise >= 0 && !job->withdrawn && (naive->easy || known)) {
            assert_true(job->start <= job->first_promise + naive->longest_cut);
        }
    }
}

static void check(uint64_t seed, const char *backfill, bool hosts) {
    struct trial *trial = memory_zero(1, sizeof *trial);
    trial->random.state = seed;
    sim_case_initialize(&trial->sim_case);
    make_pool(trial);
    trial->profile = any_profile(trial);
    make_jobs(trial);
    if (hosts) {
        limit_hosts(trial);
    }
    for (int w = 0; w < WORKLOADS; w++) {
        add_workload(trial, w);
    }
    trial->naive.rule = (enum naive_recut_rule)(seed % 4);
    trial->naive.skip = test_random_once_in(&trial->random, 2);
    trial->naive.easy = strcmp(backfill, "easy") == 0;
    trial->naive.conservative = strcmp(backfill, "conservative") == 0;
    trial->naive.cut_time = cut_time;
    trial->naive.context = trial;
    stream_initialize(&trial->stream, trial->sim_case.scenario.seed, 0,
                      "reconfiguration of pool p");
    naive_recut_run(&trial->naive);
    sim_case_rules(&trial->sim_case, "fifo",
                   trial->naive.skip && backfill[0] == 'n' ? "skip" : backfill,
                   rule_names[trial->naive.rule]);
    sim_case_run_to_end(&trial->sim_case);
    compare_jobs(trial);
    compare_hours(trial);
    check_promises(trial);
    sim_case_terminate(&trial->sim_case);
    free(trial);
}

static void like_a_scan_of_all_gpus_and_starts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        check(seed, "none", false);
    }
}

/* Estimates are exact there, so no head is placed later than what was first reserved for it. */
static void easy_like_a_scan_of_all_gpus_and_starts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        check(seed, "easy", false);
    }
}

static void conservative_like_a_scan_of_all_gpus_and_starts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        check(seed, "conservative", false);
    }
}

/* Nodes are passed over that have the GPUs but not the CPUs. */
static void so_do_limited_hosts(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES / 2; seed++) {
        check(seed, "none", true);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_scan_of_all_gpus_and_starts),
        cmocka_unit_test(easy_like_a_scan_of_all_gpus_and_starts),
        cmocka_unit_test(conservative_like_a_scan_of_all_gpus_and_starts),
        cmocka_unit_test(so_do_limited_hosts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
