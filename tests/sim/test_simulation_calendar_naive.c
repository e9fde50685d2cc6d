/* Invariant: on GPUs that a calendar cuts anew, the simulation starts and ends every job when a
 * stepper does that looks at every GPU, instance and job each second, and the ledger says of every
 * SM what that says: under every way to drain, with and without limits and staggering, for gangs on
 * whole GPUs and jobs in instances. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/mig.h"
#include "sim/kernel/memory.h"
#include "tests/support/naive_calendar.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

/* Under a sanitizer each run takes some fifteen times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { CASES = 60 };
#else
enum { CASES = 600 };
#endif

enum { WORKLOADS = 4, CSV_SIZE = 80 * NAIVE_CALENDAR_JOBS, HORIZON = 240 };
enum which { ANY, GANG, WHOLE, PROFILE };

static const int64_t SECOND = NANOSECONDS_PER_SECOND;
static const int64_t GIB = INT64_C(1) << 30;
static const char *const workload_names[WORKLOADS] = {"any", "gang", "whole", "profile"};
static const enum slot_wish slots[] = {SLOT_ANY, SLOT_ANY, SLOT_GPU, SLOT_PROFILE};
static const char *const gpu_names[] = {"A100-SXM4-80GB", "H100-SXM5-80GB", "A30-24GB"};

/* One case: what both sides are told. */
struct trial {
    struct test_random random;
    struct sim_case sim_case;
    struct naive_calendar naive;
    int workload_of[NAIVE_CALENDAR_JOBS];
    int number_of[NAIVE_CALENDAR_JOBS]; /* in its workload, from 1 */
    int profile;                        /* that workload `profile` asks for */
    struct layout_item items[NAIVE_CALENDAR_WAYS][NAIVE_CALENDAR_INSTANCES];
    struct calendar_entry calendar[NAIVE_CALENDAR_WAYS];
    struct sharing_spec sharing;
};

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

/* As much of a random list as fits; often as much of another way as stays in place. */
static void make_way(struct trial *trial, int w) {
    struct naive_way *way = &trial->naive.ways[w];
    if (w > 0 && test_random_once_in(&trial->random, 2)) {
        way->whole = true;
        return;
    }
    if (w > 0 && test_random_once_in(&trial->random, 2)) {
        const struct naive_way *other = &trial->naive.ways[test_random_below(&trial->random, w)];
        way->count = other->whole ? 0 : 1 + test_random_below(&trial->random, other->count);
        memcpy(way->profiles, other->profiles, sizeof way->profiles);
    }
    for (int i = 0; i < 7; i++) {
        way->profiles[way->count] = any_profile(trial);
        way->count++;
        way->count -= !naive_calendar_place(trial->naive.gpu, way);
    }
    assert_true(naive_calendar_place(trial->naive.gpu, way));
    for (int i = 0; i < way->count; i++) {
        trial->items[w][i] = (struct layout_item){.profile_row = way->profiles[i], .count = 1};
    }
}

/* Entries one after the other, some without a gap. */
static void make_calendar(struct trial *trial) {
    struct test_random *random = &trial->random;
    int count = test_random_between(random, 1, NAIVE_CALENDAR_WAYS - 1);
    int time = 0;
    make_way(trial, 0);
    for (int w = 1; w <= count; w++) {
        struct naive_way *way = &trial->naive.ways[w];
        make_way(trial, w);
        way->from = time + (test_random_once_in(random, 3) ? 0 : test_random_below(random, 60));
        way->to = way->from + test_random_between(random, 1, 80);
        time = way->to;
        trial->calendar[w - 1] =
            (struct calendar_entry){.span = {EVERY_WEEKDAY, way->from * SECOND, way->to * SECOND},
                                    .mode = way->whole ? CALENDAR_EXCLUSIVE : CALENDAR_MIG,
                                    .layout = trial->items[w],
                                    .layout_count = (size_t)way->count};
    }
    trial->naive.way_count = count + 1;
}

static void make_rules(struct trial *trial) {
    struct test_random *random = &trial->random;
    struct naive_calendar *naive = &trial->naive;
    naive->drain = (enum naive_drain)test_random_below(random, 3);
    naive->drain_limit = test_random_once_in(random, 2) ? -1 : test_random_between(random, 0, 30);
    if (test_random_once_in(random, 4)) { /* limits that end with an entry */
        naive->drain_limit = naive->ways[1].to - naive->ways[1].from;
    }
    naive->at_most = test_random_once_in(random, 2) ? 0 : test_random_between(random, 1, 2);
    naive->time = test_random_below(random, 10);
    naive->mode_time = test_random_below(random, 20);
    naive->skip = test_random_once_in(random, 2);
    naive->horizon = HORIZON;
    trial->sharing = (struct sharing_spec){
        .layout = trial->items[0],
        .layout_count = (size_t)naive->ways[0].count,
        .calendar = trial->calendar,
        .calendar_count = (size_t)naive->way_count - 1,
        .reconfigure = {.drain = (enum drain)naive->drain,
                        .drain_limit =
                            naive->drain_limit < 0 ? SIM_TIME_NEVER : naive->drain_limit * SECOND,
                        .at_most = naive->at_most == 0 ? INT64_MAX : naive->at_most}};
    distribution_constant(&trial->sharing.reconfigure.time, (double)(naive->time * SECOND));
    distribution_constant(&trial->sharing.reconfigure.mode_time,
                          (double)(naive->mode_time * SECOND));
}

static void make_pool(struct trial *trial) {
    struct test_random *random = &trial->random;
    const char *gpu = gpu_names[test_random_below(random, 3)];
    struct naive_calendar *naive = &trial->naive;
    naive->gpus_per_node = test_random_between(random, 1, 3);
    naive->nodes = test_random_between(random, 1, NAIVE_CALENDAR_GPUS / naive->gpus_per_node);
    struct pool_spec *pool =
        sim_case_pool(&trial->sim_case, "p", gpu, naive->nodes, naive->gpus_per_node);
    naive->gpu = &trial->sim_case.catalogue->gpus[pool->gpu];
    pool->sharing = (struct chosen){.index = SHARING_MIG, .options = &trial->sharing};
    trial->sim_case.scenario.reference_gpu = pool->gpu;
    make_calendar(trial);
    make_rules(trial);
}

static int64_t any_memory(struct trial *trial) {
    return test_random_below(&trial->random, 1 + (int32_t)(trial->naive.gpu->memory_mib / 2048)) *
           GIB;
}

static void make_jobs(struct trial *trial) {
    struct test_random *random = &trial->random;
    struct naive_calendar *naive = &trial->naive;
    naive->job_count = test_random_between(random, 2, NAIVE_CALENDAR_JOBS);
    int now = 0;
    int last = 0;
    for (int j = 0; j < naive->job_count; j++) {
        bool later = test_random_once_in(random, 2);
        now += later ? test_random_between(random, 1, 20) : 0;
        /* Of one instant in the order of workloads. */
        last = test_random_between(random, later ? 0 : last, WORKLOADS - 1);
        trial->workload_of[j] = last;
        naive->jobs[j] = (struct naive_calendar_job){
            .submit = now,
            .duration = test_random_between(random, 1, 90),
            .gpus = last == GANG ? test_random_between(random, 2, 4) : 1,
            .whole = last == GANG || last == WHOLE,
            .profile = last == PROFILE ? trial->profile : -1,
            .memory = last == ANY ? any_memory(trial) : 0};
    }
}

static void add_workload(struct trial *trial, int w) {
    char csv[CSV_SIZE] = "job_id,submit_s,gpus,duration_s,memory_gib\n";
    size_t used = strlen(csv);
    int number = 0;
    for (int j = 0; j < trial->naive.job_count; j++) {
        const struct naive_calendar_job *job = &trial->naive.jobs[j];
        if (trial->workload_of[j] == w) {
            trial->number_of[j] = ++number;
            used += (size_t)snprintf(csv + used, sizeof csv - used, "%d,%d,%d,%d,%lld\n", number,
                                     job->submit, job->gpus, job->duration,
                                     (long long)(job->memory / GIB));
        }
    }
    if (number == 0) {
        return;
    }
    struct workload_spec *workload = sim_case_workload(&trial->sim_case, workload_names[w], csv);
    workload->slot = slots[w];
    workload->slot_profile = trial->naive.gpu->profiles[trial->profile].name;
    workload->needs.saturation = 1e-6; /* as fast in every instance */
}

/* --- Comparing --- */

static sim_time moment(int second) {
    return second < 0 ? SIM_TIME_NEVER : second * SECOND;
}

static void compare_jobs(const struct trial *trial, uint64_t seed) {
    for (int j = 0; j < trial->naive.job_count; j++) {
        const struct naive_calendar_job *expected = &trial->naive.jobs[j];
        char id[16];
        snprintf(id, sizeof id, "%d", trial->number_of[j]);
        const struct job_row *row =
            recording_job(&trial->sim_case.recording, workload_names[trial->workload_of[j]], id);
        enum job_state state = expected->impossible ? JOB_REJECTED
                               : expected->done     ? JOB_COMPLETED
                               : expected->runs     ? JOB_RUNNING
                                                    : JOB_QUEUED;
        if (row->state != state || row->start != moment(expected->first_start) ||
            (state == JOB_COMPLETED && row->end != moment(expected->end))) {
            fail_msg("seed %d, job %s of %s: %s from %f to %f, expected %s from %d to %d",
                     (int)seed, id, row->workload, job_state_names[row->state],
                     sim_time_to_seconds(row->start), sim_time_to_seconds(row->end),
                     job_state_names[state], expected->first_start, expected->end);
        }
    }
}

static double sm_seconds(const struct trial *trial, enum gpu_category category) {
    double hours = 0;
    for (size_t i = 0; i < trial->sim_case.results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &trial->sim_case.results.gpu_hours[i];
        hours += entry->category == category ? entry->hours : 0;
    }
    return hours * 3600 * trial->naive.gpu->sms;
}

static void compare_ledger(const struct trial *trial) {
    const struct naive_calendar *naive = &trial->naive;
    double computing = sm_seconds(trial, GPU_USEFUL) + sm_seconds(trial, GPU_REDONE);
    assert_true(fabs(computing - (double)naive->computing) < 1e-3);
    assert_true(fabs(sm_seconds(trial, GPU_RECONFIGURING) - (double)naive->reconfiguring) < 1e-3);
    assert_true(fabs(sm_seconds(trial, GPU_IDLE) - (double)naive->idle) < 1e-3);
    assert_true(fabs(sm_seconds(trial, GPU_STRANDED) - (double)naive->stranded) < 1e-3);
}

static struct trial *make_trial(uint64_t seed) {
    struct trial *trial = memory_zero(1, sizeof *trial);
    trial->random.state = seed;
    sim_case_initialize(&trial->sim_case);
    make_pool(trial);
    trial->profile = any_profile(trial);
    make_jobs(trial);
    for (int w = 0; w < WORKLOADS; w++) {
        add_workload(trial, w);
    }
    trial->sim_case.scenario.has_start = true;
    trial->sim_case.scenario.start = 4 * NANOSECONDS_PER_DAY; /* a Monday */
    sim_case_horizon(&trial->sim_case, HORIZON * SECOND);
    return trial;
}

static void check(uint64_t seed) {
    struct trial *trial = make_trial(seed);
    naive_calendar_run(&trial->naive);
    sim_case_rules(&trial->sim_case, "fifo", trial->naive.skip ? "skip" : "none", "first_fit");
    sim_case_run_to_end(&trial->sim_case);
    compare_jobs(trial, seed);
    compare_ledger(trial);
    sim_case_terminate(&trial->sim_case);
    free(trial);
}

/* Jobs may start before others under a backfill that reserves; where they do, the stepper has a
 * place for them, too, and nobody was started that keeps the head from what it could have counted
 * on. Only where nobody is sent back into the queue: who was there before goes before the head. */
static int check_promises(uint64_t seed, const char *backfill) {
    struct trial *trial = make_trial(seed);
    int starts[NAIVE_CALENDAR_JOBS];
    int promises = 0;
    sim_case_rules(&trial->sim_case, "fifo", backfill, "first_fit");
    sim_case_run_to_end(&trial->sim_case);
    if (trial->naive.drain == NAIVE_WAIT && trial->naive.drain_limit < 0) {
        for (int j = 0; j < trial->naive.job_count; j++) {
            char id[16];
            snprintf(id, sizeof id, "%d", trial->number_of[j]);
            sim_time start =
                recording_job(&trial->sim_case.recording, workload_names[trial->workload_of[j]], id)
                    ->start;
            starts[j] = start == SIM_TIME_NEVER ? -1 : (int)(start / SECOND);
        }
        trial->naive.replay = starts;
        naive_calendar_run(&trial->naive);
        bool by_rule = !trial->naive.differs; /* else somebody went where it was reserved for it */
        assert_true(by_rule || strcmp(backfill, "conservative") == 0);
        if (by_rule) {
            compare_jobs(trial, seed);
            compare_ledger(trial);
        }
        for (int j = 0; by_rule && j < trial->naive.job_count; j++) {
            int promise = trial->naive.jobs[j].promise;
            if (promise >= 0 && (starts[j] < 0 || starts[j] > promise)) {
                fail_msg("seed %d, job %d of %s: starts at %d, promised at %d", (int)seed,
                         trial->number_of[j], workload_names[trial->workload_of[j]], starts[j],
                         promise);
            }
            promises += promise >= 0;
        }
    }
    sim_case_terminate(&trial->sim_case);
    free(trial);
    return promises;
}

static void conservative_keeps_its_promises_to_the_head(void **state) {
    (void)state;
    int promises = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        promises += check_promises(seed, "conservative");
    }
    assert_true(promises > CASES / 10);
}

static void easy_keeps_its_promises(void **state) {
    (void)state;
    int promises = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        promises += check_promises(seed, "easy");
    }
    assert_true(promises > CASES / 10);
}

static void like_a_stepper_of_seconds(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        check(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_stepper_of_seconds), cmocka_unit_test(easy_keeps_its_promises),
        cmocka_unit_test(conservative_keeps_its_promises_to_the_head)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
