/* Invariant: a newcomer gets the GPUs or the slot where room costs the least under the rule, from
 * no more victims than it needs, at the moment at which the last of them has left; by hand. Jobs of
 * 100 s that come at 1 s are in the way of "u", of 20 s, which comes at 31 s. */
#include <stdio.h>
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* One job of a workload of that name, submitted then, that can be preempted, saves in `save` and
 * restores at once. */
#define LOW(name, submit, priority, save, more)                                                    \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: " submit "}, duration: 100s, "         \
    "preemptible: true, priority: " priority ", checkpoint: {save_time: " save                     \
    ", restore_time: 0s}, " more "}\n"
#define FIXED(name, submit, duration, priority, more)                                              \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: " submit "}, duration: " duration      \
    ", priority: " priority ", " more "}\n"
#define URGENT(name, submit, priority, more) FIXED(name, submit, "20s", priority, more)
#define U(more) URGENT("u", "31s", "0", more)

#define NODE(count) "gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: " count
#define NODES(nodes, count) "gpu: A100-SXM4-80GB, nodes: " nodes ", gpus_per_node: " count
#define MPS NODE("1") ", sharing: {mode: mps, clients: 4}"
#define TURNS NODE("1") ", sharing: {mode: timeslice, replicas: 1, slice: 2ms, switch: 1ms}"

static void run_with(struct scenario_run *run, const char *pool, const char *preemption,
                     const char *workloads) {
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "headroom: 1\n"
                          "name: places\n"
                          "horizon: end_of_work\n"
                          "cluster: {pools: {p: {%s}}}\n"
                          "scheduler: {order: priority, backfill: skip, preemption: "
                          "{min_runtime: 0s, %s}}\n"
                          "workloads:\n%s",
                          pool, preemption, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void expect(const struct scenario_run *run, const char *name, double start_s, double end_s,
                   int32_t preemptions) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    if (row->start != sim_time_from_seconds(start_s) || row->end != sim_time_from_seconds(end_s) ||
        row->preemptions != preemptions) {
        fail_msg("%s: from %.9f s to %.9f s, preempted %d times; not from %.9f s to %.9f s, %d",
                 name, sim_time_to_seconds(row->start), sim_time_to_seconds(row->end),
                 row->preemptions, start_s, end_s, preemptions);
    }
}

static void expect_victim(const char *pool, const char *preemption, const char *workloads,
                          const char *victims) {
    struct scenario_run run;
    char preempted[8] = "";
    size_t count = 0;
    run_with(&run, pool, preemption, workloads);
    for (const char *name = "a\0b\0c\0d\0"; name[0] != '\0'; name += 2) {
        for (size_t i = 0; i < run.recording.job_count; i++) {
            const struct job_row *row = &run.recording.jobs[i];
            if (row->workload[0] == name[0] && row->preemptions > 0) {
                preempted[count++] = name[0];
            }
        }
    }
    preempted[count] = '\0';
    if (strcmp(preempted, victims) != 0) {
        fail_msg("%s: %s is preempted, not %s", preemption, preempted, victims);
    }
    scenario_run_clear(&run);
}

/* --- Whole GPUs --- */

/* Saves to 36 and 39. */
static void the_last_to_leave_decides(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODE("2"), "mode: checkpoint",
             LOW("a", "1s", "10", "5s", "") LOW("b", "1s", "10", "8s", "") U("gpus: 2"));
    expect(&run, "u", 39, 59, 0);
    expect(&run, "a", 1, 59 + 70, 1);
    expect(&run, "b", 1, 59 + 70, 1);
    scenario_run_clear(&run);
}

#define BIG "checkpoint: {size: 10GB}"
#define SAVES_BIG(name)                                                                            \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 100s, "                 \
    "preemptible: true, priority: 10, " BIG "}\n"
#define STORAGE ", storage: {bandwidth: 1GB/s}"

/* Two saves of 10 s at a time take 20 s, 31-51, and so do the restores, 71-91. */
static void saves_and_restores_share_the_storage(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODE("2") STORAGE, "mode: checkpoint",
             SAVES_BIG("a") SAVES_BIG("b") U("gpus: 2"));
    expect(&run, "u", 51, 71, 0);
    expect(&run, "a", 1, 91 + 70, 1);
    expect(&run, "b", 1, 91 + 70, 1);
    scenario_run_clear(&run);
    /* Within 15 s only the first of them to be told can save, as the other is killed then: 31-41.
     * It restores 61-71; the other begins anew. */
    run_with(&run, NODE("2") STORAGE, "mode: checkpoint, grace: 15s",
             SAVES_BIG("a") SAVES_BIG("b") U("gpus: 2"));
    expect(&run, "u", 41, 61, 0);
    const struct job_row *a = recording_job(&run.recording, "a", "1");
    const struct job_row *b = recording_job(&run.recording, "b", "1");
    sim_time first = a->end < b->end ? a->end : b->end;
    sim_time last = a->end < b->end ? b->end : a->end;
    assert_int_equal(first, sim_time_from_seconds(71 + 70));
    assert_int_equal(last, sim_time_from_seconds(61 + 100));
    scenario_run_clear(&run);
}

/* A gang over two nodes leaves all of them for one GPU; s, which is not so urgent, gets another. */
static void a_gang_leaves_as_one(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODES("2", "2"), "mode: checkpoint",
             LOW("g", "1s", "10", "5s", "gpus: 4") URGENT("s", "10s", "20", "gpus: 1")
                 U("gpus: 1"));
    expect(&run, "u", 36, 56, 0);
    expect(&run, "s", 36, 56, 0);
    expect(&run, "g", 1, 56 + 70, 1);
    scenario_run_clear(&run);
}

/* Three GPUs on nodes of two: a whole node, and one GPU of the other. */
static void a_gang_takes_no_more_than_it_needs(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODES("2", "2"), "mode: checkpoint",
             LOW("a", "1s", "10", "5s", "") LOW("b", "1s", "10", "5s", "")
                 LOW("c", "1s", "10", "5s", "") LOW("d", "1s", "10", "5s", "") U("gpus: 3"));
    expect(&run, "u", 36, 56, 0);
    assert_int_equal(results_metric(&run.results, SCOPE_RUN, "", "preemptions"), 3);
    assert_int_equal(results_metric(&run.results, SCOPE_RUN, "", "makespan_s"), 56 + 70 - 1);
    scenario_run_clear(&run);
}

/* With span any, one of each node is enough, though m cannot be preempted, and neither node can be
 * had whole: the two that lose the least, c and d. */
static void a_gang_of_any_nodes(void **state) {
    (void)state;
    expect_victim(NODES("2", "3"), "mode: kill",
                  FIXED("m", "1s", "200s", "10", "") LOW("a", "2s", "10", "5s", "")
                      LOW("c", "12s", "10", "5s", "") LOW("e", "3s", "10", "5s", "gpus: 2")
                          LOW("d", "13s", "10", "5s", "")
                              URGENT("u", "31s", "0", "gpus: 2, span: any"),
                  "cd");
}

/* Whole nodes for one GPU: both of the node's have to go. */
static void a_job_for_whole_nodes(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODE("2"), "mode: checkpoint",
             LOW("a", "1s", "10", "5s", "") LOW("b", "1s", "10", "8s", "") U("span: whole_nodes"));
    expect(&run, "u", 39, 59, 0);
    expect(&run, "a", 1, 59 + 70, 1);
    scenario_run_clear(&run);
}

/* A GPU is free, but only two of the host's eight CPUs. */
static void hosts_count(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODE("2") ", cpus_per_node: 8", "mode: checkpoint",
             LOW("a", "1s", "10", "5s", "cpus: 6") U("cpus: 4"));
    expect(&run, "u", 36, 56, 0);
    expect(&run, "a", 1, 56 + 70, 1);
    scenario_run_clear(&run);
}

/* m ends at 41 on the other GPU, while a still saves, to 51: u starts there. */
static void a_newcomer_starts_where_it_fits_first(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, NODE("2"), "mode: checkpoint",
             LOW("a", "1s", "10", "20s", "") URGENT("m", "21s", "5", "") U(""));
    expect(&run, "u", 41, 61, 0);
    expect(&run, "a", 1, 51 + 70, 1);
    scenario_run_clear(&run);
}

/* --- Rules --- */

#define THREE(priority_of_a)                                                                       \
    LOW("a", "1s", priority_of_a, "5s", "")                                                        \
    LOW("b", "11s", "10", "5s", "") LOW("c", "21s", "10", "5s", "")

static void each_rule_has_its_victims(void **state) {
    (void)state;
    /* Killed, c loses 10 s, b 20 and a 30. */
    expect_victim(NODE("3"), "mode: kill, victims: least_progress_lost", THREE("10") U(""), "c");
    expect_victim(NODE("3"), "mode: kill, victims: lowest_priority_latest_start", THREE("30") U(""),
                  "a");
    expect_victim(NODE("3"), "mode: kill, victims: lowest_priority_latest_start",
                  LOW("a", "1s", "10", "5s", "") LOW("b", "11s", "10", "5s", "")
                      LOW("c", "21s", "10", "5s", "") U(""),
                  "c");
    /* On nodes of their own, too. */
    expect_victim(NODES("3", "1"), "mode: kill, victims: least_progress_lost", THREE("10") U(""),
                  "c");
    expect_victim(NODES("3", "1"), "mode: kill, victims: lowest_priority_latest_start",
                  THREE("30") U(""), "a");
    /* b and c lose 20 + 10 GPU-seconds, a 60. */
    static const char *const pair = LOW("a", "1s", "10", "5s", "gpus: 2")
        LOW("b", "11s", "10", "5s", "") LOW("c", "21s", "10", "5s", "") U("gpus: 2");
    expect_victim(NODE("4"), "mode: kill, victims: least_progress_lost", pair, "bc");
    expect_victim(NODE("4"), "mode: kill, victims: fewest_victims", pair, "a");
}

/* b is the cheapest, but a has to go anyway and frees enough. */
static void who_is_not_needed_is_let_be(void **state) {
    (void)state;
    expect_victim(
        NODE("4"), "mode: kill, victims: least_progress_lost",
        LOW("a", "1s", "10", "5s", "gpus: 3") LOW("b", "21s", "10", "5s", "") U("gpus: 3"), "a");
}

/* --- Slots --- */

#define SMALL "saturation: 0.2"

/* Two instances: c cannot be on the third kind, and b loses less than a. */
static void an_instance_of_mig(void **state) {
    (void)state;
    struct scenario_run run;
    static const char *const pool = NODE("1") ", sharing: {mode: mig, layout: [3g.40gb, 3g.40gb]}";
    static const char *const jobs = LOW("a", "1s", "10", "5s", "saturation: 0.1")
        LOW("b", "11s", "10", "5s", "saturation: 0.1") U("memory: 30GB, saturation: 0.1");
    expect_victim(pool, "mode: kill, victims: least_progress_lost", jobs, "b");
    run_with(&run, pool, "mode: checkpoint", jobs);
    expect(&run, "u", 36, 56, 0);
    scenario_run_clear(&run);
}

/* a has 50 GB of 80 GiB and b 20: without b there is room for 30 GB. */
static void memory_of_mps(void **state) {
    (void)state;
    struct scenario_run run;
    static const char *const jobs = LOW("a", "1s", "10", "5s", SMALL ", memory: 50GB")
        LOW("b", "1s", "10", "5s", SMALL ", memory: 20GB") U(SMALL ", memory: 30GB");
    expect_victim(MPS, "mode: kill, victims: least_progress_lost",
                  LOW("a", "1s", "10", "5s", SMALL ", memory: 50GB")
                      LOW("b", "11s", "10", "5s", SMALL ", memory: 20GB") U(SMALL ", memory: 30GB"),
                  "b");
    run_with(&run, MPS, "mode: checkpoint, evict: all_on_gpu", jobs);
    expect(&run, "u", 36, 56, 0);
    scenario_run_clear(&run);
    expect_victim(MPS, "mode: kill, evict: all_on_gpu", jobs, "ab");
}

/* b is cheaper and frees 30 % of the SMs, which is not enough; a does alone. */
static void compute_of_mps(void **state) {
    (void)state;
    expect_victim(MPS, "mode: kill, victims: least_progress_lost",
                  LOW("a", "1s", "10", "5s", SMALL ", memory: 1GB, compute: 60%")
                      LOW("b", "11s", "10", "5s", SMALL ", memory: 1GB, compute: 30%")
                          U(SMALL ", memory: 1GB, compute: 50%"),
                  "a");
}

/* Of two GPUs, the one of which 50 % of the SMs are asked for, not 90 %. */
static void the_least_utilized_gpu(void **state) {
    (void)state;
    expect_victim(NODE("2") ", sharing: {mode: mps, clients: 4}",
                  "mode: kill, victims: least_utilized_gpu",
                  LOW("a", "1s", "10", "5s", SMALL ", memory: 1GB, compute: 90%")
                      LOW("b", "2s", "10", "5s", SMALL ", memory: 1GB, compute: 50%")
                          U(SMALL ", memory: 1GB, compute: 60%"),
                  "b");
}

/* Saves to 36 and 39, while nobody else is let in, though c would fit from 36 on. */
static void a_whole_gpu_that_is_shared_is_emptied(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, MPS, "mode: checkpoint",
             LOW("a", "1s", "10", "5s", SMALL ", memory: 30GB")
                 LOW("b", "1s", "10", "8s", SMALL ", memory: 30GB")
                     URGENT("c", "33s", "20", SMALL ", memory: 30GB") U("slot: gpu"));
    expect(&run, "u", 39, 59, 0);
    expect(&run, "a", 1, 59 + 70, 1);
    expect(&run, "c", 59 + 70, 59 + 70 + 20, 0);
    scenario_run_clear(&run);
}

/* Of three GPUs a has one, b two. At 31 a loses 30 s of one GPU; b, if it came at 20, 11 s of two,
 * if at 10, 21 s of two. Whose place a slot or a GPU is makes no difference. */
static void a_gang_counts_beside_tenants(void **state) {
    (void)state;
    const char *const sharings[] = {"", ", sharing: {mode: mps, clients: 1}",
                                    ", sharing: {mode: timeslice, replicas: 1, switch: 0s}"};
    const char *const clusters[] = {NODE("3"), NODES("3", "1")};
    for (int i = 0; i < 6; i++) {
        char pool[160];
        snprintf(pool, sizeof pool, "%s%s", clusters[i % 2], sharings[i / 2]);
        expect_victim(pool, "mode: kill",
                      LOW("a", "1s", "10", "0s", "gpus: 1") LOW("b", "20s", "10", "0s", "gpus: 2")
                          U("gpus: 1"),
                      "b");
        expect_victim(pool, "mode: kill",
                      LOW("a", "1s", "10", "0s", "gpus: 1") LOW("b", "10s", "10", "0s", "gpus: 2")
                          U("gpus: 1"),
                      "a");
    }
}

/* v makes a leave, which saves from 31 to 51, and u, as urgent, then b, which saves from 32 to 37:
 * the node that b leaves is u's, although v came first and could have it. */
static void what_victims_leave_is_for_whom_they_do(void **state) {
    (void)state;
    const char *const pools[] = {
        NODES("2", "1"), NODES("2", "1") ", sharing: {mode: mps, clients: 1}",
        NODES("2", "1") ", sharing: {mode: timeslice, replicas: 1, switch: 0s}"};
    for (int i = 0; i < 3; i++) {
        struct scenario_run run;
        run_with(&run, pools[i], "victims: lowest_priority_latest_start",
                 LOW("a", "1s", "20", "20s", "gpus: 1") LOW("b", "2s", "10", "5s", "gpus: 1")
                     URGENT("v", "31s", "0", "gpus: 1") URGENT("u", "32s", "0", "gpus: 1"));
        expect(&run, "u", 37, 57, 0);
        expect(&run, "v", 51, 71, 0);
        scenario_run_clear(&run);
    }
}

/* --- Suspension --- */

#define HALF "memory: 30GB"

/* Switches of 1 ms to u at 31, and back at 51.001. */
static void a_suspended_job_goes_on_without_a_restore(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, TURNS, "mode: suspend", LOW("a", "1s", "10", "5s", HALF) U(HALF));
    expect(&run, "u", 31, 51.001, 0);
    expect(&run, "a", 1, 121.002, 1);
    assert_true(results_metric(&run.results, SCOPE_WORKLOAD, "a", "checkpoint_gpu_hours") == 0);
    scenario_run_clear(&run);
}

/* 60 GB do not fit beside the 30 GB that would stay: nobody is preempted. */
static void its_memory_stays(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, TURNS, "mode: suspend", LOW("a", "1s", "10", "5s", HALF) U("memory: 60GB"));
    expect(&run, "a", 1, 101, 0);
    expect(&run, "u", 101, 121.001, 0);
    scenario_run_clear(&run);
}

/* For all of the GPU it has to save: 31-36. A slot that has another tenant costs a switch, at 56.
 */
static void it_saves_for_who_wants_the_whole_gpu(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, TURNS, "mode: suspend", LOW("a", "1s", "10", "5s", HALF) U("slot: gpu"));
    expect(&run, "u", 36, 56, 0);
    expect(&run, "a", 1, 126.001, 1);
    scenario_run_clear(&run);
}

/* While a is suspended there, w does not get the GPU whole, and v, more urgent than a, goes first:
 * u to 51.001, v to 71.002, a goes on to 141.003, w. */
static void others_wait_beside_it(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, TURNS, "mode: suspend",
             LOW("a", "1s", "10", "5s", HALF) URGENT("v", "40s", "5", HALF)
                 URGENT("w", "41s", "20", "slot: gpu") U(HALF));
    expect(&run, "u", 31, 51.001, 0);
    expect(&run, "v", 51.001, 71.002, 0);
    expect(&run, "a", 1, 141.003, 1);
    expect(&run, "w", 141.003, 161.003, 0);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_to_leave_decides),
        cmocka_unit_test(saves_and_restores_share_the_storage),
        cmocka_unit_test(a_gang_leaves_as_one),
        cmocka_unit_test(a_gang_takes_no_more_than_it_needs),
        cmocka_unit_test(a_gang_of_any_nodes),
        cmocka_unit_test(a_job_for_whole_nodes),
        cmocka_unit_test(hosts_count),
        cmocka_unit_test(a_newcomer_starts_where_it_fits_first),
        cmocka_unit_test(each_rule_has_its_victims),
        cmocka_unit_test(who_is_not_needed_is_let_be),
        cmocka_unit_test(an_instance_of_mig),
        cmocka_unit_test(memory_of_mps),
        cmocka_unit_test(compute_of_mps),
        cmocka_unit_test(the_least_utilized_gpu),
        cmocka_unit_test(a_whole_gpu_that_is_shared_is_emptied),
        cmocka_unit_test(a_gang_counts_beside_tenants),
        cmocka_unit_test(what_victims_leave_is_for_whom_they_do),
        cmocka_unit_test(a_suspended_job_goes_on_without_a_restore),
        cmocka_unit_test(its_memory_stays),
        cmocka_unit_test(it_saves_for_who_wants_the_whole_gpu),
        cmocka_unit_test(others_wait_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
