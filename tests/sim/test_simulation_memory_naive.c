/* Leaking jobs on a node of MPS GPUs, against an account that looks at everything at each moment at
 * which anything happens: the same jobs start, end and die at the same nanoseconds. No job slows
 * another down, so that only memory and slots decide. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

enum { JOBS = 24, WORKLOADS = 3, GPUS = 2, CLIENTS = 3 };

static const sim_time DAY = 86400 * NANOSECONDS_PER_SECOND;
static const int64_t GIB = 1024 * 1024 * 1024;
enum { GPU_GIB = 32 };

/* A job, and what becomes of it. */
struct plain_job {
    int workload;
    int gpus; /* 1: a slot; 2: both GPUs as a whole */
    int64_t memory;
    int64_t growth; /* bytes per day */
    sim_time submit;
    sim_time duration;
    enum { WAITS, RUNS, ENDED, DIED } state;
    bool refused;
    int gpu; /* of a slot */
    int slot;
    sim_time start;
    sim_time end;
};

struct plain {
    struct plain_job jobs[JOBS];
    enum oom_scope scope;
    int64_t limit; /* bytes; 0: none */
    int overflows;
};

static bool on(const struct plain_job *job, int gpu) {
    return job->state == RUNS && (job->gpus == GPUS || job->gpu == gpu);
}

/* In units of 1 byte / DAY. */
static __int128 held(const struct plain_job *job, sim_time time) {
    return job->refused ? 0
                        : (__int128)job->memory * DAY + (__int128)job->growth * (time - job->start);
}

/* The tenant that asks for too much on that GPU: in order of the slots first one refused, then one
 * at its limit; then the fastest of them, of equals the one that holds most. */
static struct plain_job *culprit(struct plain *plain, int gpu, sim_time time) {
    struct plain_job *by_slot[CLIENTS] = {NULL};
    struct plain_job *refused = NULL;
    struct plain_job *limited = NULL;
    struct plain_job *fastest = NULL;
    __int128 sum = 0;
    for (int i = 0; i < JOBS; i++) {
        if (on(&plain->jobs[i], gpu)) {
            by_slot[plain->jobs[i].slot] = &plain->jobs[i];
            sum += held(&plain->jobs[i], time);
        }
    }
    for (int slot = CLIENTS - 1; slot >= 0; slot--) {
        struct plain_job *job = by_slot[slot];
        if (job != NULL && job->refused) {
            refused = job;
        } else if (job != NULL && job->growth > 0) {
            bool alone = job->gpus == GPUS; /* no client */
            bool over =
                plain->limit > 0 && !alone && held(job, time) >= (__int128)plain->limit * DAY;
            limited = over ? job : limited;
            bool first = fastest == NULL || job->growth > fastest->growth ||
                         (job->growth == fastest->growth && held(job, time) >= held(fastest, time));
            fastest = first ? job : fastest;
        }
    }
    bool full = sum >= (__int128)GPU_GIB * GIB * DAY;
    return refused != NULL ? refused : limited != NULL ? limited : full ? fastest : NULL;
}

static void die(struct plain_job *job, sim_time time) {
    job->state = DIED;
    job->end = time;
}

static void kill_for(struct plain *plain, struct plain_job *guilty, sim_time time) {
    bool alone = guilty->gpus == GPUS;
    int gpu = guilty->gpu;
    plain->overflows++;
    die(guilty, time);
    for (int i = 0; i < JOBS && !alone && plain->scope != OOM_CLIENT; i++) {
        struct plain_job *job = &plain->jobs[i];
        if (job->state == RUNS && (plain->scope == OOM_NODE || on(job, gpu))) {
            die(job, time);
        }
    }
}

static bool kill_all(struct plain *plain, sim_time time) {
    bool any = false;
    for (int gpu = 0; gpu < GPUS; gpu++) {
        struct plain_job *guilty = culprit(plain, gpu, time);
        while (guilty != NULL) {
            kill_for(plain, guilty, time);
            any = true;
            guilty = culprit(plain, gpu, time);
        }
    }
    return any;
}

/* Known to the scheduler. */
static int64_t asked(const struct plain *plain, int gpu, int *clients) {
    int64_t sum = 0;
    *clients = 0;
    for (int i = 0; i < JOBS; i++) {
        if (on(&plain->jobs[i], gpu)) {
            sum += plain->jobs[i].memory;
            (*clients)++;
        }
    }
    return sum;
}

/* The GPU with the least memory free that is enough, -1: none. */
static int find_gpu(const struct plain *plain, const struct plain_job *job) {
    int best = -1;
    int64_t best_left = 0;
    for (int gpu = 0; gpu < GPUS; gpu++) {
        int clients;
        int64_t left = GPU_GIB * GIB - asked(plain, gpu, &clients);
        for (int i = 0; i < JOBS; i++) {
            clients = on(&plain->jobs[i], gpu) && plain->jobs[i].gpus == GPUS ? CLIENTS : clients;
        }
        left = plain->limit > 0 && plain->limit < left ? plain->limit : left;
        if (clients < CLIENTS && left >= job->memory && (best < 0 || left < best_left)) {
            best = gpu;
            best_left = left;
        }
    }
    return best;
}

static bool try_start(struct plain *plain, struct plain_job *job, sim_time time) {
    __int128 sum = (__int128)job->memory * DAY;
    bool taken[CLIENTS] = {false};
    if (job->gpus == GPUS) {
        int clients[GPUS];
        asked(plain, 0, &clients[0]);
        asked(plain, 1, &clients[1]);
        if (clients[0] + clients[1] > 0) {
            return false;
        }
        job->gpu = 0;
    } else {
        job->gpu = find_gpu(plain, job);
        if (job->gpu < 0) {
            return false;
        }
    }
    for (int i = 0; i < JOBS; i++) {
        if (on(&plain->jobs[i], job->gpu)) {
            sum += held(&plain->jobs[i], time);
            taken[plain->jobs[i].slot] = true;
        }
    }
    job->slot = 0;
    while (taken[job->slot]) {
        job->slot++;
    }
    job->state = RUNS;
    job->start = time;
    job->refused = sum > (__int128)GPU_GIB * GIB * DAY;
    return true;
}

/* In order of submission; strictly. Jobs are sorted so. */
static void start_all(struct plain *plain, sim_time time) {
    for (int i = 0; i < JOBS; i++) {
        struct plain_job *job = &plain->jobs[i];
        if (job->submit <= time && job->state == WAITS && !try_start(plain, job, time)) {
            return;
        }
    }
}

static sim_time least(sim_time a, sim_time b) {
    return a < b ? a : b;
}

/* The next moment after `now` at which a job is submitted, ends or asks for too much. */
static sim_time next_moment(struct plain *plain, sim_time now) {
    sim_time next = SIM_TIME_NEVER;
    for (int i = 0; i < JOBS; i++) {
        const struct plain_job *job = &plain->jobs[i];
        next = job->submit > now ? least(next, job->submit) : next;
        next = job->state == RUNS ? least(next, job->start + job->duration) : next;
    }
    for (int gpu = 0; gpu < GPUS && next != SIM_TIME_NEVER; gpu++) {
        sim_time low = now + 1;
        sim_time high = next;
        while (low < high) {
            sim_time middle = low + (high - low) / 2;
            if (culprit(plain, gpu, middle) != NULL) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        next = low;
    }
    return next;
}

static void run_plainly(struct plain *plain) {
    for (sim_time now = 0; now != SIM_TIME_NEVER; now = next_moment(plain, now)) {
        for (int i = 0; i < JOBS; i++) {
            struct plain_job *job = &plain->jobs[i];
            if (job->state == RUNS && job->start + job->duration == now) {
                job->state = ENDED;
                job->end = now;
            }
        }
        kill_all(plain, now);
        do {
            start_all(plain, now);
        } while (kill_all(plain, now));
    }
}

/* Few values of everything, for ties; submissions and durations in hours. */
static void draw(struct plain *plain, struct test_random *random) {
    static const int64_t growths[] = {0, 12, 24, 96}; /* GiB per day */
    int64_t of_workload[WORKLOADS];
    sim_time submit = 0;
    *plain = (struct plain){.scope = (enum oom_scope)test_random_below(random, 3),
                            .limit = test_random_once_in(random, 3) ? 20 * GIB : 0};
    for (int w = 0; w < WORKLOADS; w++) {
        of_workload[w] = growths[test_random_below(random, 4)] * GIB;
    }
    for (int i = 0; i < JOBS; i++) {
        struct plain_job *job = &plain->jobs[i];
        submit += test_random_below(random, 5) * DAY / 48;
        job->submit = submit;
        job->workload = test_random_below(random, WORKLOADS);
        job->gpus = test_random_once_in(random, 8) ? GPUS : 1;
        job->memory = test_random_between(random, 0, 5) * 4 * GIB;
        job->growth = of_workload[job->workload];
        job->duration = test_random_between(random, 1, 48) * DAY / 48;
    }
}

static void add_workload(struct sim_case *sim_case, const struct plain *plain, int w) {
    static const char *const names[] = {"u", "v", "w"};
    char csv[JOBS * 64 + 64];
    int64_t growth = 0;
    size_t used = (size_t)snprintf(csv, sizeof csv, "job_id,submit_s,gpus,duration_s,memory_gib\n");
    for (int i = 0; i < JOBS; i++) {
        const struct plain_job *job = &plain->jobs[i];
        if (job->workload == w) {
            used += (size_t)snprintf(csv + used, sizeof csv - used, "%d,%lld,%d,%lld,%lld\n", i,
                                     (long long)(job->submit / NANOSECONDS_PER_SECOND), job->gpus,
                                     (long long)(job->duration / NANOSECONDS_PER_SECOND),
                                     (long long)(job->memory / GIB));
            growth = job->growth;
        }
    }
    struct workload_spec *workload = sim_case_workload(sim_case, names[w], csv);
    workload->needs.saturation = 0.2;
    workload->needs.memory.growth_per_s = (double)growth / 86400;
}

static void compare(const struct sim_case *sim_case, const struct plain *plain, int i) {
    static const char *const names[] = {"u", "v", "w"};
    char id[8];
    snprintf(id, sizeof id, "%d", i);
    const struct plain_job *job = &plain->jobs[i];
    const struct job_row *row = recording_job(&sim_case->recording, names[job->workload], id);
    assert_int_equal(row->state, job->state == DIED ? JOB_FAILED : JOB_COMPLETED);
    assert_int_equal(row->start, job->start);
    assert_int_equal(row->end, job->end);
}

/* Submissions at one instant are in order of the workloads: so are the plain ones. */
static int compare_submissions(const void *left, const void *right) {
    const struct plain_job *a = left;
    const struct plain_job *b = right;
    if (a->submit != b->submit) {
        return a->submit < b->submit ? -1 : 1;
    }
    return a->workload != b->workload ? a->workload - b->workload : a->slot - b->slot;
}

static void sort(struct plain *plain) {
    for (int i = 0; i < JOBS; i++) {
        plain->jobs[i].slot = i; /* for a stable order */
    }
    qsort(plain->jobs, JOBS, sizeof plain->jobs[0], compare_submissions);
}

static void like_a_plain_account(void **state) {
    (void)state;
    enum { RUNS_IN_ALL = 600 };
    struct test_random random = {.state = 11};
    int overflows = 0;
    for (int run = 0; run < RUNS_IN_ALL; run++) {
        struct plain plain;
        struct sim_case sim_case;
        draw(&plain, &random);
        sort(&plain);
        struct sharing_spec mps = {.clients = CLIENTS,
                                   .thread_percentage = 1,
                                   .memory_limit = plain.limit,
                                   .oom = plain.scope};
        sim_case_initialize(&sim_case);
        struct pool_spec *pool = sim_case_pool(&sim_case, "p", "V100-SXM2-32GB", 1, GPUS);
        pool->sharing = (struct chosen){.index = SHARING_MPS, .options = &mps};
        for (int w = 0; w < WORKLOADS; w++) {
            add_workload(&sim_case, &plain, w);
        }
        sim_case_run_to_end(&sim_case);
        run_plainly(&plain);
        for (int i = 0; i < JOBS; i++) {
            compare(&sim_case, &plain, i);
        }
        if (plain.scope != OOM_NODE) { /* else one may save another the trouble */
            assert_int_equal(sim_case.results.overflows, plain.overflows);
        }
        overflows += plain.overflows;
        sim_case_terminate(&sim_case);
    }
    assert_true(overflows > RUNS_IN_ALL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_a_plain_account),
    };
    return cmocka_run_group_tests_name("simulation memory, naive", tests, NULL, NULL);
}
