/* Conservative backfill with preemption: by hand, and over thousands of small random cases of one
 * node against a scheduler of plain loops over all jobs and all seconds. There, a job that is
 * preempted loses nothing and its GPUs are free at once, and estimates are exact. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 150 };
#else
enum { CASES = 3000 };
#endif

enum { JOBS = 12, NONE = 10000, LAST = 500 };
enum state { TO_COME, WAITS, RUNS, DONE };

struct naive_job {
    int submit, duration, gpus, priority; /* seconds */
    enum state state;
    int done;  /* before this attempt */
    int since; /* the start of this attempt, */
    int rank;  /* of all starts, the how manyth */
    int start; /* and of the first */
    int end;
    int preemptions;
    int reserved; /* in the pass under way; NONE: not */
    int promised; /* in the last pass */
    bool looked_at;
};

struct naive {
    bool by_priority; /* else by submission */
    int gpus, min_runtime;
    struct naive_job jobs[JOBS];
    int now;
    int wake; /* when a victim that somebody has looked at may be preempted */
    int starts;
};

static int left(const struct naive_job *job) {
    return job->duration - job->done;
}

static int ends(const struct naive_job *job) {
    return job->since + left(job);
}

static bool before(const struct naive *naive, int a, int b) {
    const struct naive_job *one = &naive->jobs[a];
    const struct naive_job *other = &naive->jobs[b];
    if (naive->by_priority && one->priority != other->priority) {
        return one->priority < other->priority;
    }
    return one->submit != other->submit ? one->submit < other->submit : a < b;
}

/* Beside running jobs and what is reserved. */
static int free_at(const struct naive *naive, int moment) {
    int gpus = naive->gpus;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        bool runs = job->state == RUNS && moment < ends(job);
        bool reserved =
            job->state == WAITS && job->reserved <= moment && moment < job->reserved + left(job);
        gpus -= runs || reserved ? job->gpus : 0;
    }
    return gpus;
}

static bool fits_from(const struct naive *naive, const struct naive_job *job, int from) {
    bool fits = true;
    for (int moment = from; fits && moment < from + left(job); moment++) {
        fits = free_at(naive, moment) >= job->gpus;
    }
    return fits;
}

static int first_moment(const struct naive *naive, const struct naive_job *job) {
    int moment = naive->now;
    while (!fits_from(naive, job, moment)) {
        moment++;
    }
    return moment;
}

static int next_in_order(const struct naive *naive) {
    int next = -1;
    for (int j = 0; j < JOBS; j++) {
        bool asks = naive->jobs[j].state == WAITS && !naive->jobs[j].looked_at;
        next = asks && (next < 0 || before(naive, j, next)) ? j : next;
    }
    return next;
}

static void forget_reservations(struct naive *naive) {
    for (int j = 0; j < JOBS; j++) {
        naive->jobs[j].reserved = NONE;
        naive->jobs[j].looked_at = false;
    }
}

/* --- Victims --- */

static bool may_take(struct naive *naive, const struct naive_job *newcomer, int j) {
    const struct naive_job *job = &naive->jobs[j];
    int from = job->since + naive->min_runtime;
    if (job->state != RUNS || newcomer->priority >= job->priority) {
        return false;
    }
    naive->wake = from > naive->now && from < naive->wake ? from : naive->wake;
    return from <= naive->now;
}

/* The least urgent goes first, then the last to have started. */
static bool goes_before(const struct naive_job *a, const struct naive_job *b) {
    return a->priority != b->priority ? a->priority > b->priority : a->rank > b->rank;
}

/* Victims in order until it fits, without those that are not needed after all; 0: none will do. */
static unsigned choose(struct naive *naive, const struct naive_job *newcomer) {
    int order[JOBS];
    int count = 0;
    unsigned victims = 0;
    int gpus = naive->gpus;
    for (int j = 0; j < JOBS; j++) {
        gpus -= naive->jobs[j].state == RUNS ? naive->jobs[j].gpus : 0;
    }
    for (;;) {
        int next = -1;
        for (int j = 0; j < JOBS; j++) {
            bool may = may_take(naive, newcomer, j) && (victims >> j & 1) == 0;
            next = may && (next < 0 || goes_before(&naive->jobs[j], &naive->jobs[next])) ? j : next;
        }
        if (gpus >= newcomer->gpus || next < 0) {
            break;
        }
        victims |= 1U << next;
        order[count++] = next;
        gpus += naive->jobs[next].gpus;
    }
    if (gpus < newcomer->gpus) {
        return 0;
    }
    while (count-- > 0) {
        int without = gpus - naive->jobs[order[count]].gpus;
        if (without >= newcomer->gpus) {
            victims &= ~(1U << order[count]);
            gpus = without;
        }
    }
    return victims;
}

static void start(struct naive *naive, struct naive_job *job) {
    job->state = RUNS;
    job->since = naive->now;
    job->rank = ++naive->starts;
    job->start = job->start < 0 ? naive->now : job->start;
    job->promised = NONE;
}

static void preempt(struct naive *naive, struct naive_job *newcomer, unsigned victims) {
    for (int j = 0; j < JOBS; j++) {
        struct naive_job *job = &naive->jobs[j];
        if ((victims >> j & 1) != 0) {
            job->state = WAITS;
            job->done += naive->now - job->since;
            job->preemptions++;
        }
    }
    start(naive, newcomer);
}

/* --- Passes --- */

/* What would be reserved for all that wait if nobody preempted anybody. */
static void reserve_all(const struct naive *naive, int reserved[JOBS]) {
    struct naive all = *naive;
    forget_reservations(&all);
    for (int j = next_in_order(&all); j >= 0; j = next_in_order(&all)) {
        all.jobs[j].looked_at = true;
        all.jobs[j].reserved = first_moment(&all, &all.jobs[j]);
    }
    for (int j = 0; j < JOBS; j++) {
        reserved[j] = all.jobs[j].reserved;
    }
}

static bool is_binding(const struct naive *naive, int newcomer, int j) {
    const struct naive_job *job = &naive->jobs[j];
    return job->state == WAITS && j != newcomer && job->promised != NONE &&
           (job->looked_at || job->priority <= naive->jobs[newcomer].priority);
}

/* What running jobs, but for those of the mask, and binding promises leave; ahead: to jobs before
 * the newcomer only. */
static int left_at(const struct naive *naive, int newcomer, int moment, bool ahead,
                   unsigned without) {
    int gpus = naive->gpus;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        bool runs = job->state == RUNS && moment < ends(job) && (without >> j & 1) == 0;
        bool promised = is_binding(naive, newcomer, j) && (!ahead || job->looked_at) &&
                        job->promised <= moment && moment < job->promised + left(job);
        gpus -= runs || promised ? job->gpus : 0;
    }
    return gpus;
}

/* Whether all promises that hold so far would still. */
static bool keeps_promises(const struct naive *naive, int newcomer, unsigned victims) {
    int gpus = naive->jobs[newcomer].gpus;
    int end = naive->now + left(&naive->jobs[newcomer]);
    bool keeps = true;
    for (int j = 0; j < JOBS; j++) {
        int from = naive->jobs[j].promised > naive->now ? naive->jobs[j].promised : naive->now;
        if (is_binding(naive, newcomer, j) && from < end) {
            bool ahead = naive->jobs[j].looked_at;
            keeps &= (!ahead && left_at(naive, newcomer, from, false, 0) < 0) ||
                     left_at(naive, newcomer, from, ahead, victims) >= gpus;
        }
    }
    return keeps;
}

/* A promise that held is none that is made later by a newcomer that could not have preempted the
 * job. By submission, victims return to the head of the queue, and so may delay others. */
static void expect_no_delay(const struct naive *before_it, const struct naive *after_it,
                            int newcomer, uint64_t number) {
    int earlier[JOBS];
    int later[JOBS];
    reserve_all(before_it, earlier);
    reserve_all(after_it, later);
    for (int j = 0; j < JOBS; j++) {
        if (before_it->by_priority && is_binding(before_it, newcomer, j) &&
            earlier[j] <= before_it->jobs[j].promised && later[j] > before_it->jobs[j].promised) {
            fail_msg("case %llu: at %d s job %d delays %d from %d to %d s",
                     (unsigned long long)number, before_it->now, newcomer, j,
                     before_it->jobs[j].promised, later[j]);
        }
    }
}

/* Whether a job that the pass has not come to fits now, or is more urgent than one that runs. */
static bool is_any_left(const struct naive *naive) {
    int gpus = naive->gpus;
    int last = -1; /* the least urgent priority that runs */
    bool any = false;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        gpus -= job->state == RUNS ? job->gpus : 0;
        last = job->state == RUNS && job->priority > last ? job->priority : last;
    }
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        any |=
            job->state == WAITS && !job->looked_at && (job->gpus <= gpus || job->priority < last);
    }
    return any;
}

/* Whether somebody was preempted, so that all is to be looked at anew. */
static bool go_through(struct naive *naive, uint64_t number) {
    forget_reservations(naive);
    for (int j = next_in_order(naive); j >= 0 && is_any_left(naive); j = next_in_order(naive)) {
        struct naive_job *job = &naive->jobs[j];
        int moment = first_moment(naive, job);
        job->looked_at = true;
        if (moment == naive->now) {
            start(naive, job);
            continue;
        }
        unsigned victims = choose(naive, job);
        if (victims != 0 && keeps_promises(naive, j, victims)) {
            struct naive old = *naive;
            preempt(naive, job, victims);
            expect_no_delay(&old, naive, j, number);
            return true;
        }
        job->reserved = job->promised = moment;
    }
    return false;
}

static bool come_and_go(struct naive *naive) {
    bool any = naive->wake == naive->now;
    for (int j = 0; j < JOBS; j++) {
        struct naive_job *job = &naive->jobs[j];
        if (job->state == RUNS && ends(job) == naive->now) {
            job->state = DONE;
            job->end = naive->now;
            any = true;
        } else if (job->submit == naive->now) {
            job->state = WAITS;
            any = true;
        }
    }
    return any;
}

/* Whether somebody was preempted. */
static bool pass(struct naive *naive, uint64_t number) {
    bool any = false;
    while (go_through(naive, number)) {
        any = true;
    }
    return any;
}

static void run_naive(struct naive *naive, uint64_t number) {
    for (naive->now = 0; naive->now < LAST; naive->now++) {
        if (come_and_go(naive)) {
            naive->wake = naive->wake <= naive->now ? NONE : naive->wake;
            while (pass(naive, number)) { /* as somebody has returned to the queue */
            }
        }
    }
}

/* --- Cases --- */

static void draw(struct naive *naive, uint64_t number) {
    struct test_random random = {number};
    *naive = (struct naive){
        .by_priority = !test_random_once_in(&random, 3),
        .gpus = test_random_between(&random, 3, 8),
        .min_runtime = test_random_once_in(&random, 3) ? test_random_between(&random, 1, 6) : 0};
    for (int j = 0; j < JOBS; j++) {
        naive->jobs[j] = (struct naive_job){.submit = test_random_below(&random, 16),
                                            .duration = test_random_between(&random, 1, 12),
                                            .gpus = test_random_between(&random, 1, naive->gpus),
                                            .priority = test_random_below(&random, 3),
                                            .start = -1,
                                            .promised = NONE};
    }
}

/* Jobs on one node. */
static void run_csv(struct scenario_run *run, const char *csv, int gpus, const char *scheduler,
                    const char *workload) {
    char path[] = "/tmp/headroom-conservative-XXXXXX";
    int descriptor = mkstemp(path);
    char text[2048];
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fputs(csv, file);
    assert_int_equal(fclose(file), 0);
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: conservative\n"
             "horizon: end_of_work\n"
             "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: %d}}}\n"
             "scheduler: {backfill: conservative, %s}\n"
             "workloads:\n"
             "  w: {kind: jobs, %s, trace: {file: %s, format: csv, origin: 0s}}\n"
             "record: {jobs: true}\n",
             gpus, scheduler, workload, path);
    scenario_run_text(run, "/tmp", text, NULL, 0);
    unlink(path);
}

static void run_real(const struct naive *naive, struct scenario_run *run) {
    char csv[1024] = "job_id,submit_s,gpus,duration_s,priority\n";
    char scheduler[256];
    size_t used = strlen(csv);
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        used += (size_t)snprintf(csv + used, sizeof csv - used, "%d,%d,%d,%d,%d\n", j, job->submit,
                                 job->gpus, job->duration, job->priority);
    }
    snprintf(scheduler, sizeof scheduler,
             "order: %s, preemption: {victims: lowest_priority_latest_start, min_runtime: %ds}",
             naive->by_priority ? "priority" : "fifo", naive->min_runtime);
    run_csv(run, csv, naive->gpus, scheduler, "preemptible: true");
}

static void expect_same(const struct naive *naive, const struct scenario_run *run,
                        uint64_t number) {
    for (int j = 0; j < JOBS; j++) {
        char id[8];
        snprintf(id, sizeof id, "%d", j);
        const struct job_row *row = recording_job(&run->recording, "w", id);
        const struct naive_job *job = &naive->jobs[j];
        if (row->start != job->start * NANOSECONDS_PER_SECOND ||
            row->end != job->end * NANOSECONDS_PER_SECOND || row->preemptions != job->preemptions) {
            fail_msg("case %llu: job %d from %.9g to %.9g s with %d preemptions, not from %d to %d "
                     "with %d",
                     (unsigned long long)number, j, sim_time_to_seconds(row->start),
                     sim_time_to_seconds(row->end), row->preemptions, job->start, job->end,
                     job->preemptions);
        }
    }
}

static void like_plain_loops(void **state) {
    (void)state;
    for (uint64_t number = 0; number < CASES; number++) {
        struct naive naive;
        struct scenario_run run;
        draw(&naive, number);
        run_real(&naive, &run);
        run_naive(&naive, number);
        expect_same(&naive, &run, number);
        scenario_run_clear(&run);
    }
}

/* --- By hand --- */

struct expected {
    const char *id;
    double start, end; /* seconds */
    int preemptions;
};

static void expect_jobs(struct scenario_run *run, const struct expected *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct job_row *row = recording_job(&run->recording, "w", expected[i].id);
        assert_true(sim_time_to_seconds(row->start) == expected[i].start);
        assert_true(sim_time_to_seconds(row->end) == expected[i].end);
        assert_int_equal(row->preemptions, expected[i].preemptions);
    }
    scenario_run_clear(run);
}

#define PRIORITY                                                                                   \
    "order: priority, preemption: {victims: lowest_priority_latest_start, min_runtime: "

/* `a` may preempt after 5 s only. Then v and w have 5 and 25 s left; n, which is more urgent than
 * they, is first at 10 s, v has the other two GPUs, and w follows v. */
static void newcomer_preempts_in_its_turn(void **state) {
    (void)state;
    struct scenario_run run;
    run_csv(&run,
            "job_id,submit_s,gpus,duration_s,priority\n"
            "v,0,2,10,100\nw,0,2,30,100\na,1,4,5,0\nn,2,2,20,50\n",
            4, PRIORITY "5s}", "preemptible: true");
    expect_jobs(
        &run,
        (struct expected[]){{"v", 0, 15, 1}, {"w", 0, 40, 1}, {"a", 5, 10, 0}, {"n", 10, 30, 0}},
        4);
}

/* Both b and c, of the class of a, could have the GPUs of l. But a is ahead of them and has all
 * four GPUs reserved from 20 s on, when m ends: b would hold two of them up to 32 s, c up to 20 s.
 */
static void promise_ahead_is_kept(void **state) {
    (void)state;
    struct scenario_run run;
    run_csv(&run,
            "job_id,submit_s,gpus,duration_s,priority\n"
            "m,0,2,20,0\nl,0,2,10,100\na,1,4,5,50\nb,2,2,30,50\nc,3,2,17,50\n",
            4, PRIORITY "0s}", "preemptible: true");
    expect_jobs(
        &run,
        (struct expected[]){
            {"m", 0, 20, 0}, {"l", 0, 32, 1}, {"a", 20, 25, 0}, {"b", 25, 55, 0}, {"c", 3, 20, 0}},
        5);
}

/* v saves from 3 to 5 s and restores from 10 to 11 s, with 17 s left. Nobody gets ahead of j
 * meanwhile, and w is behind v. */
static void victim_saves(void **state) {
    (void)state;
    struct scenario_run run;
    run_csv(&run,
            "job_id,submit_s,gpus,duration_s,priority\n"
            "v,0,4,20,100\nj,3,4,5,0\nw,4,1,100,100\n",
            4, PRIORITY "0s}", "preemptible: true, checkpoint: {save_time: 2s, restore_time: 1s}");
    expect_jobs(&run, (struct expected[]){{"v", 0, 28, 1}, {"j", 5, 10, 0}, {"w", 28, 128, 0}}, 3);
}

/* At 10 s x ends and nobody holds anything: a1 starts. It is the turn of the other queue: b1 has
 * all GPUs reserved from 20 s on, and as it counts as if it held them, the next turn is that of a2,
 * which starts. So b2, which would fit beside a1, is last. */
static void reservation_counts_for_turns(void **state) {
    (void)state;
    struct scenario_run run;
    run_csv(&run,
            "job_id,submit_s,gpus,duration_s,queue\n"
            "x,0,4,10,a\na1,1,2,10,a\na2,1,2,10,a\nb1,1,4,10,b\nb2,1,1,10,b\n",
            4, "order: fair, queues: {a: {weight: 1}, b: {weight: 1}}", "preemptible: true");
    expect_jobs(&run,
                (struct expected[]){
                    {"a1", 10, 20, 0}, {"a2", 10, 20, 0}, {"b1", 20, 30, 0}, {"b2", 30, 40, 0}},
                4);
}

/* a and u ask for all CPUs of the node, so u suspends a from 31 to 51, and a goes on up to 121. To
 * whom w, with three GPUs, waits for a's, the node has no CPUs to give meanwhile, and no fewer than
 * none: g needs none, and is over before w has its turn at 121. */
static void suspended_job_and_its_newcomer_want_one_host(void **state) {
    (void)state;
    struct scenario_run run;
    scenario_run_text(
        &run, "/tmp",
        "headroom: 1\n"
        "horizon: end_of_work\n"
        "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 3, cpus_per_node: 4,\n"
        "  sharing: {mode: timeslice, replicas: 2, switch: 0s}}}}\n"
        "scheduler: {order: priority, backfill: conservative,\n"
        "  preemption: {mode: suspend, min_runtime: 0s}}\n"
        "workloads:\n"
        "  a: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 100s, cpus: 4,\n"
        "    preemptible: true, priority: 9}\n"
        "  u: {kind: jobs, limit: 1, arrivals: {renewal: 31s}, duration: 20s, cpus: 4, priority: "
        "1}\n"
        "  w: {kind: jobs, limit: 1, arrivals: {renewal: 35s}, duration: 10s, gpus: 3, priority: "
        "9}\n"
        "  g: {kind: jobs, limit: 1, arrivals: {renewal: 41s}, duration: 10s, gpus: 2,\n"
        "    span: any, priority: 9}\n",
        NULL, 0);
    const char *const names[] = {"a", "u", "w", "g"};
    const double starts[] = {1, 31, 121, 41};
    const double ends[] = {121, 51, 131, 51};
    for (int i = 0; i < 4; i++) {
        const struct job_row *row = recording_job(&run.recording, names[i], "1");
        assert_true(sim_time_to_seconds(row->start) == starts[i]);
        assert_true(sim_time_to_seconds(row->end) == ends[i]);
        assert_int_equal(row->preemptions, i == 0);
    }
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newcomer_preempts_in_its_turn),
        cmocka_unit_test(promise_ahead_is_kept),
        cmocka_unit_test(victim_saves),
        cmocka_unit_test(reservation_counts_for_turns),
        cmocka_unit_test(suspended_job_and_its_newcomer_want_one_host),
        cmocka_unit_test(like_plain_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
