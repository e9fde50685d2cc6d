/* Invariants of preemption, over thousands of small clusters drawn at random, of every kind of
 * sharing and under every rule:
 * - nobody gets a GPU or slot that somebody has;
 * - every job ends in exactly one state, and none starts before it is submitted;
 * - on whole GPUs, what is useful is the work of the jobs, to the nanosecond;
 * - by priority and without backfill, nobody starts while a job before it waits, but for suspended
 *   jobs that go on;
 * - the same run twice has the same events;
 * and the run itself fails if its ledger does not balance. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 200 };
#else
enum { CASES = 2500 };
#endif
enum { MOST_JOBS = 24, SEATS = 512 };

enum pool_kind { WHOLE, MIG, MPS, TURNS, POOL_KINDS };

struct drawn {
    enum pool_kind kind;
    int32_t nodes;
    int32_t gpus_per_node;
    int32_t job_count;
    int32_t priority[MOST_JOBS];
    int32_t submit_s[MOST_JOBS];
    int32_t gpus[MOST_JOBS];
    int32_t duration_s[MOST_JOBS];
    int32_t compute_pct[MOST_JOBS]; /* 0: no say */
    bool by_priority;               /* and strictly, whatever has run for how long */
    bool loses_no_time;
    char text[4096];
    char csv_path[64];
};

static const char *pick(struct test_random *random, const char *const *from, int32_t count) {
    return from[test_random_below(random, count)];
}

static void write_csv(struct drawn *drawn) {
    strcpy(drawn->csv_path, "/tmp/headroom-preemption-XXXXXX");
    int descriptor = mkstemp(drawn->csv_path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    fprintf(file, "job_id,submit_s,gpus,duration_s,priority,queue,compute_pct\n");
    for (int32_t i = 0; i < drawn->job_count; i++) {
        fprintf(file, "%d,%d,%d,%d,%d,%s,", i, drawn->submit_s[i], drawn->gpus[i],
                drawn->duration_s[i], drawn->priority[i], i % 3 == 0 ? "a" : "b");
        fprintf(file, drawn->compute_pct[i] > 0 ? "%d\n" : "\n", drawn->compute_pct[i]);
    }
    assert_int_equal(fclose(file), 0);
}

static void draw_jobs(struct drawn *drawn, struct test_random *random) {
    int32_t most = drawn->kind == MIG ? 1 : drawn->nodes * drawn->gpus_per_node;
    int32_t submit = 0;
    drawn->job_count = test_random_between(random, 2, MOST_JOBS);
    for (int32_t i = 0; i < drawn->job_count; i++) {
        submit += test_random_once_in(random, 2) ? 0 : test_random_between(random, 1, 8);
        drawn->submit_s[i] = submit;
        drawn->gpus[i] = test_random_once_in(random, 2) ? 1 : test_random_between(random, 1, most);
        drawn->duration_s[i] =
            test_random_between(random, test_random_once_in(random, 20) ? 0 : 1, 30);
        drawn->priority[i] = test_random_below(random, 4);
        bool asks = drawn->kind != WHOLE && drawn->gpus[i] == 1 && test_random_once_in(random, 2);
        drawn->compute_pct[i] = asks ? 5 * test_random_between(random, 1, 20) : 0;
    }
}

static const char *sharing_of(enum pool_kind kind) {
    static const char *const texts[POOL_KINDS] = {
        [WHOLE] = "exclusive",
        [MIG] = "{mode: mig, layout: [3g.40gb, 2g.20gb, 1g.10gb, 1g.10gb]}",
        [MPS] = "{mode: mps, clients: 3}",
        [TURNS] = "{mode: timeslice, replicas: 3, slice: 100ms, switch: 1ms}"};
    return texts[kind];
}

static void draw_case(struct drawn *drawn, uint64_t number) {
    static const char *const orders[] = {"fifo", "priority", "priority", "sjf",
                                         "srtf", "srsf",     "las",      "fair"};
    static const char *const backfills[] = {"none", "skip", "easy", "conservative"};
    static const char *const placements[] = {"first_fit", "best_fit", "worst_fit", "random",
                                             "fragmentation"};
    static const char *const victims[] = {"least_progress_lost", "lowest_priority_latest_start",
                                          "least_utilized_gpu", "fewest_victims"};
    static const char *const min_runtimes[] = {"0s", "0s", "4s", "12s"};
    static const char *const graces[] = {"none", "none", "2s", "0s"};
    static const char *const checkpoints[] = {
        "{}",
        "{save_time: 2s, restore_time: 1s}",
        "{save_time: 3s, restore_time: 0s, interval: 5s}",
        "{size: 10GB}",
        "{size: 6GB, restore_time: 2s, interval: 7s, final: true}",
        "{size: 6GB, interval: 4s, overhead: 40%}"};
    static const char *const modes[] = {"checkpoint", "kill", "suspend"};
    static const char *const cpus[] = {"cpus: 3, ", "cpus: 5.5, "};
    static const char *const spans[] = {"", "span: any, ", "span: whole_nodes, "};
    struct test_random random = {number};
    *drawn = (struct drawn){.kind = test_random_once_in(&random, 2)
                                        ? WHOLE
                                        : (enum pool_kind)test_random_below(&random, POOL_KINDS),
                            .nodes = test_random_between(&random, 1, 4),
                            .gpus_per_node = test_random_between(&random, 1, 8)};
    draw_jobs(drawn, &random);
    const char *order = pick(&random, orders, 8);
    bool by_order = order[1] == 'r' ? order[0] == 's' : order[0] == 'l';
    by_order = by_order && test_random_once_in(&random, 2);
    bool shared = drawn->kind != WHOLE;
    const char *backfill = pick(&random, backfills, by_order ? 2 : 4);
    const char *min_runtime = pick(&random, min_runtimes, 4);
    const char *checkpoint = pick(&random, checkpoints, 6);
    const char *placement = pick(&random, placements, 5);
    const char *victim = by_order ? "order" : pick(&random, victims, 4);
    const char *evict = test_random_once_in(&random, 3) ? "all_on_gpu" : "needed";
    const char *mode = pick(&random, modes, drawn->kind == TURNS ? 3 : 2);
    const char *grace = pick(&random, graces, 4);
    const char *span = drawn->kind == MIG ? "" : pick(&random, spans, shared ? 2 : 3);
    bool limited = test_random_once_in(&random, 4) && !(shared && backfill[0] == 'e');
    const char *cpu = limited ? pick(&random, cpus, 2) : "";
    int32_t memory_gb = shared ? test_random_between(&random, 0, 10) : 0;
    drawn->by_priority = strcmp(order, "priority") == 0 && backfill[0] == 'n' &&
                         min_runtime[0] == '0' && mode[0] != 's';
    drawn->loses_no_time = strstr(checkpoint, "overhead") == NULL;
    write_csv(drawn);
    snprintf(
        drawn->text, sizeof drawn->text,
        "headroom: 1\n"
        "name: properties\n"
        "horizon: end_of_work\n"
        "seed: %llu\n"
        "cluster:\n"
        "  pools:\n"
        "    p: {gpu: A100-SXM4-80GB, nodes: %d, gpus_per_node: %d, storage: {bandwidth: 2GB/s},"
        " sharing: %s%s}\n"
        "scheduler:\n"
        "  order: %s\n"
        "%s"
        "  backfill: %s\n"
        "  placement: %s\n"
        "  preemption: {victims: %s, evict: %s, min_runtime: %s, mode: %s, grace: %s}\n"
        "workloads:\n"
        "  jobs: {kind: jobs, preemptible: true, %s%sslot: any, memory: %dGB, checkpoint: %s, "
        "trace: {file: %s, format: csv, origin: 0s}}\n"
        "record: {jobs: true, events: true}\n",
        (unsigned long long)number, drawn->nodes, drawn->gpus_per_node, sharing_of(drawn->kind),
        limited ? ", cpus_per_node: 16" : "", order,
        order[0] == 'f' && order[1] == 'a' ? "  queues: {a: {weight: 1}, b: {weight: 2}}\n" : "",
        backfill, placement, victim, evict, min_runtime, mode, grace, cpu, span, memory_gb,
        checkpoint, drawn->csv_path);
}

/* --- The events --- */

struct seat {
    char name[64]; /* node, GPU and slot */
    int job;       /* -1: free */
};

struct replay {
    const struct drawn *drawn;
    uint64_t number;
    struct seat places[SEATS];
    int place_count;
    bool running[MOST_JOBS];
    bool over[MOST_JOBS];
};

static struct seat *find_place(struct replay *replay, const struct event_row *event) {
    char name[64];
    snprintf(name, sizeof name, "%d.%d.%s", event->node, event->gpu, event->slot);
    for (int i = 0; i < replay->place_count; i++) {
        if (strcmp(replay->places[i].name, name) == 0) {
            return &replay->places[i];
        }
    }
    assert_true(replay->place_count < SEATS);
    struct seat *place = &replay->places[replay->place_count++];
    strcpy(place->name, name);
    place->job = -1;
    return place;
}

/* A whole GPU excludes all of its slots, and the other way round. */
static bool is_taken(const struct replay *replay, const struct event_row *event,
                     const struct seat *place) {
    char gpu[32];
    int length = snprintf(gpu, sizeof gpu, "%d.%d.", event->node, event->gpu);
    bool taken = place->job >= 0;
    for (int i = 0; i < replay->place_count; i++) {
        const struct seat *other = &replay->places[i];
        bool same_gpu = strncmp(other->name, gpu, (size_t)length) == 0;
        bool whole = other->name[length] == '\0' || event->slot[0] == '\0';
        taken |= same_gpu && whole && other->job >= 0 && other != place;
    }
    return taken;
}

static bool comes_before(const struct drawn *drawn, int a, int b) {
    return drawn->priority[a] != drawn->priority[b] ? drawn->priority[a] < drawn->priority[b]
                                                    : a < b;
}

static void check_turn(const struct replay *replay, const struct event_row *event, int job) {
    const struct drawn *drawn = replay->drawn;
    for (int i = 0; drawn->by_priority && i < drawn->job_count; i++) {
        bool waits = !replay->running[i] && !replay->over[i] &&
                     drawn->submit_s[i] * NANOSECONDS_PER_SECOND < event->time;
        if (waits && comes_before(drawn, i, job)) {
            fail_msg("case %llu: at %.9f s job %d starts while %d waits\n%s",
                     (unsigned long long)replay->number, sim_time_to_seconds(event->time), job, i,
                     drawn->text);
        }
    }
}

static void free_places(struct replay *replay, int job) {
    for (int i = 0; i < replay->place_count; i++) {
        if (replay->places[i].job == job) {
            replay->places[i].job = -1;
        }
    }
    replay->running[job] = false;
}

static void replay_event(struct replay *replay, const struct event_row *event) {
    int job = atoi(event->id);
    if (event->kind == JOB_STARTED) {
        struct seat *place = find_place(replay, event);
        if (is_taken(replay, event, place)) {
            fail_msg("case %llu: at %.9f s job %d gets %s, which is taken\n%s",
                     (unsigned long long)replay->number, sim_time_to_seconds(event->time), job,
                     place->name, replay->drawn->text);
        }
        assert_true(event->time >= replay->drawn->submit_s[job] * NANOSECONDS_PER_SECOND);
        if (!replay->running[job]) {
            check_turn(replay, event, job);
        }
        place->job = job;
        replay->running[job] = true;
    } else if (event->kind == JOB_PREEMPTED || event->kind == JOB_ENDED) {
        free_places(replay, job);
        replay->over[job] = event->kind == JOB_ENDED;
    } else if (event->kind == JOB_TURNED_AWAY) {
        replay->over[job] = true;
    }
}

static void check_events(const struct drawn *drawn, uint64_t number,
                         const struct scenario_run *run) {
    static struct replay replay;
    replay = (struct replay){.drawn = drawn, .number = number};
    for (size_t i = 0; i < run->recording.event_count; i++) {
        replay_event(&replay, &run->recording.events[i]);
    }
}

/* --- The jobs --- */

static double useful_s(const struct scenario_run *run) {
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        if (run->results.gpu_hours[i].category == GPU_USEFUL) {
            return 3600 * run->results.gpu_hours[i].hours;
        }
    }
    return 0;
}

static void check_jobs(const struct drawn *drawn, uint64_t number, const struct scenario_run *run) {
    double work = 0;
    assert_int_equal(run->recording.job_count, drawn->job_count);
    for (int32_t i = 0; i < drawn->job_count; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        const struct job_row *row = recording_job(&run->recording, "jobs", id);
        if (row->state == JOB_REJECTED) {
            continue;
        }
        if (row->state != JOB_COMPLETED || row->start < row->submit || row->end < row->start ||
            row->run > row->end - row->start ||
            (row->preemptions == 0 && row->run != row->end - row->start)) {
            fail_msg("case %llu: job %d is %s; it ran for %.9f s from %.9f s to %.9f s\n%s",
                     (unsigned long long)number, i, job_state_names[row->state],
                     sim_time_to_seconds(row->run), sim_time_to_seconds(row->start),
                     sim_time_to_seconds(row->end), drawn->text);
        }
        work += (double)drawn->gpus[i] * drawn->duration_s[i];
    }
    if (drawn->kind == WHOLE && drawn->loses_no_time && fabs(useful_s(run) - work) > 1e-6) {
        fail_msg("case %llu: %.9f GPU-seconds are useful of %.9f\n%s", (unsigned long long)number,
                 useful_s(run), work, drawn->text);
    }
}

static void check_same(uint64_t number, const struct scenario_run *a,
                       const struct scenario_run *b) {
    size_t size = a->recording.event_count * sizeof *a->recording.events;
    if (a->recording.event_count != b->recording.event_count ||
        memcmp(a->recording.events, b->recording.events, size) != 0) {
        fail_msg("case %llu: another run has other events", (unsigned long long)number);
    }
}

static void all_hold(void **state) {
    (void)state;
    static struct drawn drawn;
    for (uint64_t number = 0; number < CASES; number++) {
        struct scenario_run run;
        draw_case(&drawn, number);
        scenario_run_text(&run, "/tmp", drawn.text, NULL, 0);
        check_events(&drawn, number, &run);
        check_jobs(&drawn, number, &run);
        if (number % 10 == 0) {
            struct scenario_run again;
            scenario_run_text(&again, "/tmp", drawn.text, NULL, 0);
            check_same(number, &run, &again);
            scenario_run_clear(&again);
        }
        scenario_run_clear(&run);
        assert_int_equal(unlink(drawn.csv_path), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
