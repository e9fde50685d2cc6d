/* Invariants, over thousands of small random cases: jobs start when a scheduler of plain loops over
 * all jobs starts them, whatever the order, the backfill and the quotas; no queue and no user ever
 * holds more than its limit; what queues pay, and what users pay, adds up to the bill. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/stream.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 150 };
#else
enum { CASES = 2500 };
#endif

enum { JOBS = 14, QUEUES = 3, USERS = 2, NOBODY = 2, NONE = 1000 };
enum order { FIFO, SJF, FAIR };
enum backfill { STRICT, SKIP, EASY, CONSERVATIVE };
enum state { TO_COME, WAITS, RUNS, DONE, REFUSED };

static const char *const order_names[] = {"fifo", "sjf", "fair"};
static const char *const backfill_names[] = {"none", "skip", "easy", "conservative"};
static const char *const queue_names[] = {"red", "green", "blue"}; /* the last is not listed */
static const char *const user_names[] = {"ann", "bob", ""};

struct naive_job {
    int submit, duration, estimate, gpus, queue, user; /* seconds */
    enum state state;
    int start, end;
    int reserved; /* from when on, in a conservative pass; NONE: not */
};

struct naive_queue {
    int guaranteed, limit, user_limit, weight;
};

struct naive {
    enum order order;
    enum backfill backfill;
    int gpus, user_limit;
    struct naive_queue queues[QUEUES];
    struct naive_job jobs[JOBS];
    int now;
};

/* --- The naive scheduler --- */

/* By running jobs of a queue and a user; -1: any. */
static int held(const struct naive *naive, int queue, int user) {
    int gpus = 0;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        bool counts = job->state == RUNS && (queue < 0 || job->queue == queue) &&
                      (user < 0 || job->user == user);
        gpus += counts ? job->gpus : 0;
    }
    return gpus;
}

static bool admitted(const struct naive *naive, const struct naive_job *job) {
    const struct naive_queue *queue = &naive->queues[job->queue];
    if (held(naive, job->queue, -1) + job->gpus > queue->limit) {
        return false;
    }
    return job->user == NOBODY ||
           (held(naive, job->queue, job->user) + job->gpus <= queue->user_limit &&
            held(naive, -1, job->user) + job->gpus <= naive->user_limit);
}

/* The same with what is reserved, in a conservative pass: for whose turn it is. */
static int held_or_reserved(const struct naive *naive, int queue) {
    int gpus = held(naive, queue, -1);
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        gpus += job->state == WAITS && job->queue == queue && job->reserved != NONE ? job->gpus : 0;
    }
    return gpus;
}

static int free_gpus(const struct naive *naive) {
    return naive->gpus - held(naive, -1, -1);
}

static bool before(const struct naive *naive, int a, int b) {
    const struct naive_job *left = &naive->jobs[a];
    const struct naive_job *right = &naive->jobs[b];
    if (naive->order == FAIR && left->queue != right->queue) {
        const struct naive_queue *left_queue = &naive->queues[left->queue];
        const struct naive_queue *right_queue = &naive->queues[right->queue];
        int left_held = held_or_reserved(naive, left->queue);
        int right_held = held_or_reserved(naive, right->queue);
        bool left_below = left_held < left_queue->guaranteed;
        bool right_below = right_held < right_queue->guaranteed;
        if (left_below != right_below) {
            return left_below;
        }
        if (left_held * right_queue->weight != right_held * left_queue->weight) {
            return left_held * right_queue->weight < right_held * left_queue->weight;
        }
    }
    if (naive->order == SJF && left->estimate != right->estimate) {
        return left->estimate < right->estimate;
    }
    return left->submit != right->submit ? left->submit < right->submit : a < b;
}

static int believed_end(const struct naive *naive, const struct naive_job *job) {
    int end = job->start + job->estimate;
    return end > naive->now ? end : naive->now;
}

/* Free GPUs at a later moment, if running jobs end as estimated. */
static int free_at(const struct naive *naive, int moment) {
    int gpus = free_gpus(naive);
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        gpus += job->state == RUNS && believed_end(naive, job) <= moment ? job->gpus : 0;
    }
    return gpus;
}

/* The first of the waiting jobs that are admitted and, if asked for, fit and keep beside a
 * reservation; -1: none. */
static int first_waiting(const struct naive *naive, bool fitting, int shadow, int extra) {
    int first = -1;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        bool beside = naive->now + job->estimate <= shadow || job->gpus <= extra;
        if (job->state == WAITS && admitted(naive, job) &&
            (!fitting || (job->gpus <= free_gpus(naive) && beside)) &&
            (first < 0 || before(naive, j, first))) {
            first = j;
        }
    }
    return first;
}

static void start(struct naive *naive, int j) {
    struct naive_job *job = &naive->jobs[j];
    job->state = RUNS;
    job->start = naive->now;
    job->end = naive->now + job->duration;
}

static void backfill_beside(struct naive *naive, int head) {
    int shadow = naive->now;
    while (free_at(naive, shadow) < naive->jobs[head].gpus) {
        shadow++;
    }
    int extra = free_at(naive, shadow) - naive->jobs[head].gpus;
    for (int j = first_waiting(naive, true, shadow, extra); j >= 0;
         j = first_waiting(naive, true, shadow, extra)) {
        start(naive, j);
        extra -= naive->now + naive->jobs[j].estimate > shadow ? naive->jobs[j].gpus : 0;
    }
}

/* Whether a job fits from a moment up to its estimated end, beside what is reserved. */
static bool fits_from(const struct naive *naive, const struct naive_job *job, int from) {
    for (int moment = from; moment < from + job->estimate; moment++) {
        int gpus = free_at(naive, moment);
        for (int j = 0; j < JOBS; j++) {
            const struct naive_job *other = &naive->jobs[j];
            bool then = other->state == WAITS && other->reserved <= moment &&
                        moment < other->reserved + other->estimate;
            gpus -= then ? other->gpus : 0;
        }
        if (gpus < job->gpus) {
            return false;
        }
    }
    return true;
}

/* Each job in turn starts or has the first moment reserved that leaves those before it theirs. */
static void schedule_conservatively(struct naive *naive) {
    bool looked_at[JOBS] = {false};
    for (int j = 0; j < JOBS; j++) {
        naive->jobs[j].reserved = NONE;
    }
    for (int next = 0; next >= 0;) {
        next = -1;
        for (int j = 0; j < JOBS; j++) {
            bool asks =
                naive->jobs[j].state == WAITS && !looked_at[j] && admitted(naive, &naive->jobs[j]);
            next = asks && (next < 0 || before(naive, j, next)) ? j : next;
        }
        if (next >= 0) {
            struct naive_job *job = &naive->jobs[next];
            int moment = naive->now;
            looked_at[next] = true;
            while (!fits_from(naive, job, moment)) {
                moment++;
            }
            if (moment == naive->now && job->gpus <= free_gpus(naive)) {
                start(naive, next);
            } else {
                job->reserved = moment;
            }
        }
    }
    for (int j = 0; j < JOBS; j++) {
        naive->jobs[j].reserved = NONE;
    }
}

static void schedule(struct naive *naive) {
    if (naive->backfill == CONSERVATIVE) {
        schedule_conservatively(naive);
        return;
    }
    int head = first_waiting(naive, false, 0, 0);
    while (head >= 0 && naive->jobs[head].gpus <= free_gpus(naive)) {
        start(naive, head);
        head = first_waiting(naive, false, 0, 0);
    }
    if (head >= 0 && naive->backfill == SKIP) {
        for (int j = first_waiting(naive, true, NONE, 0); j >= 0;
             j = first_waiting(naive, true, NONE, 0)) {
            start(naive, j);
        }
    } else if (head >= 0 && naive->backfill == EASY) {
        backfill_beside(naive, head);
    }
}

static bool end_jobs(struct naive *naive) {
    bool any = false;
    for (int j = 0; j < JOBS; j++) {
        if (naive->jobs[j].state == RUNS && naive->jobs[j].end == naive->now) {
            naive->jobs[j].state = DONE;
            any = true;
        }
    }
    return any;
}

static bool could_ever_run(const struct naive *naive, const struct naive_job *job) {
    struct naive empty = *naive;
    for (int j = 0; j < JOBS; j++) {
        empty.jobs[j].state = TO_COME;
    }
    return job->gpus <= naive->gpus && admitted(&empty, job);
}

/* Time alone starts nobody, though estimates run out by it: the scheduler passes where something
 * happens. */
static void run_naive(struct naive *naive) {
    for (naive->now = 0; naive->now < 400; naive->now++) {
        bool happens = end_jobs(naive);
        for (int j = 0; j < JOBS; j++) {
            struct naive_job *job = &naive->jobs[j];
            if (job->submit == naive->now) {
                job->state = could_ever_run(naive, job) ? WAITS : REFUSED;
                happens = true;
            }
        }
        for (; happens; happens = end_jobs(naive)) {
            schedule(naive);
        }
    }
}

/* --- Cases --- */

static int draw(struct stream *stream, int from, int to) {
    return from + (int)(stream_next(stream) % (uint64_t)(to - from + 1));
}

static void make_naive(struct naive *naive, uint64_t number) {
    struct stream stream;
    stream_initialize(&stream, number, 0, "quotas");
    *naive = (struct naive){.order = (enum order)draw(&stream, 0, 2),
                            .backfill = (enum backfill)draw(&stream, 0, 3),
                            .gpus = draw(&stream, 4, 8),
                            .user_limit = draw(&stream, 0, 2) == 0 ? draw(&stream, 2, 6) : NONE};
    for (int q = 0; q < QUEUES; q++) {
        bool listed = q < 2;
        struct naive_queue *queue = &naive->queues[q];
        *queue = (struct naive_queue){.limit = NONE, .user_limit = NONE, .weight = 1};
        if (listed) {
            queue->guaranteed = draw(&stream, 0, naive->gpus / 2);
            queue->weight = draw(&stream, 1, 3);
            queue->limit =
                draw(&stream, 0, 1) == 0 ? NONE : queue->guaranteed + draw(&stream, 1, 4);
            queue->user_limit = draw(&stream, 0, 2) == 0 ? draw(&stream, 1, 5) : NONE;
        }
    }
    for (int j = 0; j < JOBS; j++) {
        int duration = draw(&stream, 0, 9);
        naive->jobs[j] = (struct naive_job){
            .submit = draw(&stream, 0, 15),
            .duration = duration,
            .estimate = draw(&stream, 0, 2) == 0 ? draw(&stream, 0, 9) : duration,
            .reserved = NONE,
            .gpus = draw(&stream, 1, 4),
            .queue = draw(&stream, 0, QUEUES - 1),
            .user = draw(&stream, 0, NOBODY)};
        /* Reservations of a nanosecond would not be at whole seconds. */
        if (naive->backfill == CONSERVATIVE && naive->jobs[j].estimate == 0) {
            naive->jobs[j].estimate = 1;
        }
    }
}

static struct gpu_amount limit_of(int gpus) {
    return (struct gpu_amount){.value = gpus, .given = gpus != NONE};
}

static void tell_case(const struct naive *naive, struct sim_case *sim_case,
                      struct queue_spec *queues) {
    char csv[4096] = "job_id,submit_s,gpus,duration_s,estimate_s,queue,user\n";
    size_t used = strlen(csv);
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        used += (size_t)snprintf(csv + used, sizeof csv - used, "%d,%d,%d,%d,%d,%s,%s\n", j,
                                 job->submit, job->gpus, job->duration, job->estimate,
                                 queue_names[job->queue], user_names[job->user]);
    }
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, order_names[naive->order], backfill_names[naive->backfill],
                   "first_fit");
    sim_case_pool(sim_case, "a", "T4", 1, naive->gpus)->price =
        (struct price_spec){.given = true, .per_gpu_hour = 3600, .currency = "USD"};
    sim_case_workload(sim_case, "w", csv);
    for (int q = 0; q < 2; q++) {
        const struct naive_queue *queue = &naive->queues[q];
        queues[q] = (struct queue_spec){.name = queue_names[q],
                                        .guaranteed = {.value = queue->guaranteed, .given = true},
                                        .limit = limit_of(queue->limit),
                                        .weight = queue->weight,
                                        .user_limit = limit_of(queue->user_limit)};
    }
    sim_case->scenario.scheduler.queues = queues;
    sim_case->scenario.scheduler.queue_count = 2;
    sim_case->scenario.scheduler.user_limit = limit_of(naive->user_limit);
}

/* --- What must hold --- */

static void expect_starts(const struct naive *naive, const struct sim_case *sim_case,
                          uint64_t number) {
    for (int j = 0; j < JOBS; j++) {
        char id[8];
        snprintf(id, sizeof id, "%d", j);
        const struct job_row *row = recording_job(&sim_case->recording, "w", id);
        const struct naive_job *job = &naive->jobs[j];
        bool same = job->state == REFUSED ? row->state == JOB_REJECTED
                                          : row->state == JOB_COMPLETED &&
                                                row->start == job->start * NANOSECONDS_PER_SECOND;
        if (!same) {
            fail_msg("case %llu (%s, %s): job %d: state %d, start %.9g s, not %d at %d s",
                     (unsigned long long)number, order_names[naive->order],
                     backfill_names[naive->backfill], j, (int)row->state,
                     sim_time_to_seconds(row->start), (int)job->state, job->start);
        }
    }
}

/* Held by the rows that run at a moment. */
static int held_at(const struct naive *naive, const struct recording *recording, sim_time moment,
                   int queue, int user) {
    int gpus = 0;
    for (size_t i = 0; i < recording->job_count; i++) {
        const struct job_row *row = &recording->jobs[i];
        const struct naive_job *job = &naive->jobs[strtol(row->id, NULL, 10)];
        bool runs = row->state == JOB_COMPLETED && row->start <= moment && moment < row->end;
        gpus += runs && (queue < 0 || job->queue == queue) && (user < 0 || job->user == user)
                    ? row->gpus
                    : 0;
    }
    return gpus;
}

/* What is held only grows at starts. */
static void expect_limits(const struct naive *naive, const struct recording *recording) {
    for (size_t i = 0; i < recording->job_count; i++) {
        sim_time moment = recording->jobs[i].start;
        for (int q = 0; moment != SIM_TIME_NEVER && q < QUEUES; q++) {
            assert_true(held_at(naive, recording, moment, q, -1) <= naive->queues[q].limit);
            for (int u = 0; u < USERS; u++) {
                assert_true(held_at(naive, recording, moment, q, u) <= naive->queues[q].user_limit);
                assert_true(held_at(naive, recording, moment, -1, u) <= naive->user_limit);
            }
        }
    }
}

static void expect_bill(const struct results *results) {
    double total[SCOPE_COUNT] = {0};
    for (size_t i = 0; i < results->cost_count; i++) {
        const struct cost *cost = &results->costs[i];
        total[cost->scope] += cost->usd + cost->usd_idle_share;
    }
    if (results_metric(results, SCOPE_RUN, "", "gpu_hours") > 0) {
        assert_true(fabs(total[SCOPE_QUEUE] - total[SCOPE_RUN]) <= 1e-9 * total[SCOPE_RUN]);
        assert_true(fabs(total[SCOPE_USER] - total[SCOPE_RUN]) <= 1e-9 * total[SCOPE_RUN]);
        assert_true(fabs(total[SCOPE_WORKLOAD] - total[SCOPE_RUN]) <= 1e-9 * total[SCOPE_RUN]);
    }
}

/* Each scope counts every job once. */
static void expect_counts(const struct naive *naive, const struct results *results) {
    double all = 0;
    for (int q = 0; q < QUEUES; q++) {
        double submitted = results_metric(results, SCOPE_QUEUE, queue_names[q], "submitted");
        int expected = 0;
        for (int j = 0; j < JOBS; j++) {
            expected += naive->jobs[j].queue == q;
        }
        assert_true(expected == 0 || submitted == expected);
        all += isnan(submitted) ? 0 : submitted;
    }
    assert_true(all == JOBS);
}

static void like_plain_loops(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct naive naive;
        struct sim_case sim_case;
        struct queue_spec queues[2];
        make_naive(&naive, number);
        tell_case(&naive, &sim_case, queues);
        sim_case_run_to_end(&sim_case);
        run_naive(&naive);
        expect_starts(&naive, &sim_case, number);
        expect_limits(&naive, &sim_case.recording);
        expect_bill(&sim_case.results);
        expect_counts(&naive, &sim_case.results);
        sim_case_terminate(&sim_case);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_plain_loops),
    };
    /* Each run frees all it had: keeping that at hand saves most of the time. */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
