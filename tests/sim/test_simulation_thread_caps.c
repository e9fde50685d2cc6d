/* Caps of what MPS clients may use, in whole runs, by hand to the nanosecond: rate =
 * min(saturation, cap) / saturation x min(1, 1 / sum of these minima). */
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* Two jobs of 12 s, alone on a GPU, are submitted at 0 to one A100 under MPS with these options;
 * each has these keys. They end then. */
static void expect_ends(const char *mps, const char *first, const char *second, double first_end_s,
                        double second_end_s) {
    static const char job[] = "{kind: jobs, arrivals: {closed: {clients: 1, think: 1s}}, limit: 1, "
                              "duration: 12s, %s}\n";
    char text[1024];
    int used = snprintf(text, sizeof text,
                        "headroom: 1\n"
                        "name: caps\n"
                        "horizon: end_of_work\n"
                        "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, "
                        "sharing: {mode: mps%s}}}}\n"
                        "workloads:\n  first: ",
                        mps);
    used += snprintf(text + used, sizeof text - (size_t)used, job, first);
    used += snprintf(text + used, sizeof text - (size_t)used, "  second: ");
    used += snprintf(text + used, sizeof text - (size_t)used, job, second);
    assert_true(used < (int)sizeof text);
    struct scenario_run run;
    scenario_run_text(&run, "/tmp", text, NULL, 0);
    assert_int_equal(recording_job(&run.recording, "first", "1")->end,
                     sim_time_from_seconds(first_end_s));
    assert_int_equal(recording_job(&run.recording, "second", "1")->end,
                     sim_time_from_seconds(second_end_s));
    scenario_run_clear(&run);
}

/* 12 / 0.6 and 12 / 0.4: what the first leaves at its end is not the second's. */
static void sixty_and_forty(void **state) {
    (void)state;
    expect_ends("", "compute: 60%", "compute: 40%", 20, 30);
}

/* Of what saturates at half the GPU, a cap of 60 % takes nothing and one of 40 % takes a fifth. */
static void a_cap_counts_below_saturation_only(void **state) {
    (void)state;
    expect_ends("", "compute: 60%, saturation: 0.5", "compute: 40%, saturation: 0.5", 12, 15);
}

/* Together they demand 1.2 GPUs and get half each: 24 s. */
static void a_cap_of_the_pool_is_no_reservation(void **state) {
    (void)state;
    expect_ends(", thread_percentage: 60%", "saturation: 1", "saturation: 1", 24, 24);
}

/* The smaller cap counts: 12 / 0.5 and 12 / 0.4, as 0.9 GPUs is not too much. */
static void the_smaller_of_two_caps(void **state) {
    (void)state;
    expect_ends(", thread_percentage: 50%", "compute: 60%", "compute: 40%", 24, 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixty_and_forty),
        cmocka_unit_test(a_cap_counts_below_saturation_only),
        cmocka_unit_test(a_cap_of_the_pool_is_no_reservation),
        cmocka_unit_test(the_smaller_of_two_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
