/* Families of workloads share a line, with figures combined by hand. */
#include "tests/reports/services_fixture.h"

#include "reports/subject_group.h"

/* chat-1, chat-2, chat-3, chat-4 of 100 x k requests each, k giving up, with a mean latency of k
 * seconds; then other-1 and something that only looks like a member. */
static void store_family(struct bench *bench, uint64_t replication, double scale) {
    struct figures figures = {0};
    for (int k = 1; k <= 4; k++) {
        figures_add_requests(&figures, SCOPE_WORKLOAD, figures_name(&figures, "chat", k), 100 * k,
                             k, scale * k, 1 - 0.01 * k);
    }
    figures_add_requests(&figures, SCOPE_WORKLOAD, "other-1", 1, 0, 1, 1);
    figures_add_requests(&figures, SCOPE_WORKLOAD, "chat-6", 1, 0, 1, 1);
    figures_add(&figures, SCOPE_WORKLOAD, "train-1", "wait_s.mean", 1, "s");
    figures_add(&figures, SCOPE_WORKLOAD, "train-2", "wait_s.mean", 1, "s");
    figures_store(bench, "base", replication, &figures);
}

static void open_set(struct bench *bench, struct result_set *set) {
    struct error error;
    must(result_set_read(set, bench->store, NEWEST_BATCHES, &error), &error);
}

static void families_are_found(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_family(&bench, 0, 1);
    struct result_set set;
    open_set(&bench, &set);
    size_t count = 0;
    const struct subject_group *groups =
        subject_groups(&set, set.cases, "latency_s.mean", true, &count);
    assert_int_equal(count, 3);
    assert_string_equal(groups[0].shown, "chat (4)");
    assert_int_equal(groups[0].count, 4);
    assert_string_equal(groups[1].shown, "other-1");
    assert_string_equal(groups[2].shown, "chat-6");
    groups = subject_groups(&set, set.cases, "latency_s.mean", false, &count);
    assert_int_equal(count, 6);
    assert_string_equal(groups[3].shown, "chat-4");
    groups = subject_groups(&set, set.cases, "wait_s.mean", true, &count);
    assert_int_equal(count, 1);
    assert_string_equal(groups[0].shown, "train (2)");
    assert_int_equal(subject_largest_family(&set, set.cases, "latency_s.mean"), 4);
    assert_int_equal(subject_largest_family(&set, set.cases, "jct_s.mean"), 0);
    result_set_clear(&set);
    store_close(bench.store);
}

/* Completed: 99, 198, 297, 396, weights 1:2:3:4, so the mean over all is (1 + 4 + 9 + 16) / 10 = 3
 * times the scale. Of replications with scales 1 and 2 the mean is 4.5, and its half width
 * t(1) x |6 - 3| / 2 with t(1) = 12.7062. */
static void figures_are_combined(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_family(&bench, 0, 1);
    store_family(&bench, 1, 2);
    struct result_set set;
    open_set(&bench, &set);
    size_t count = 0;
    const struct subject_group *chat =
        subject_groups(&set, set.cases, "latency_s.mean", true, &count);
    struct figure figure =
        subject_group_figure(&set, set.cases, chat, "latency_s.mean", COMBINE_MEAN);
    assert_near(figure.mean, 4.5, 1e-12);
    assert_near(figure.half_width, 12.7062 * 1.5, 1e-3);
    figure = subject_group_figure(&set, set.cases, chat, "submitted", COMBINE_SUM);
    assert_near(figure.mean, 1000, 0);
    assert_near(figure.half_width, 0, 0);
    /* The largest is that of chat-4: 5 x 4 x 1.5 on average. */
    figure = subject_group_figure(&set, set.cases, chat, "latency_s.p99", COMBINE_LARGEST);
    assert_near(figure.mean, 30, 1e-12);
    figure = subject_group_figure(&set, set.cases, chat, "slo_attainment", COMBINE_SMALLEST);
    assert_near(figure.mean, 0.96, 1e-12);
    figure = subject_group_figure(&set, set.cases, chat, "unknown", COMBINE_SUM);
    assert_true(isnan(figure.mean));
    result_set_clear(&set);
    store_close(bench.store);
}

/* A member without requests has no latency, and weighs nothing. */
static void members_without_a_value_are_passed_over(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct figures figures = {0};
    figures_add_requests(&figures, SCOPE_WORKLOAD, "chat-1", 0, 0, NAN, NAN);
    figures_add_requests(&figures, SCOPE_WORKLOAD, "chat-2", 10, 0, 2, 0.9);
    figures_store(&bench, "base", 0, &figures);
    struct result_set set;
    open_set(&bench, &set);
    size_t count = 0;
    const struct subject_group *chat =
        subject_groups(&set, set.cases, "latency_s.mean", true, &count);
    assert_int_equal(chat->count, 2);
    static const struct {
        const char *metric;
        enum subject_combination combination;
        double value;
    } expected[] = {{"latency_s.mean", COMBINE_MEAN, 2},
                    {"latency_s.p99", COMBINE_LARGEST, 10},
                    {"slo_attainment", COMBINE_SMALLEST, 0.9},
                    {"submitted", COMBINE_SUM, 10}};
    for (size_t i = 0; i < LENGTH(expected); i++) {
        struct figure figure = subject_group_figure(&set, set.cases, chat, expected[i].metric,
                                                    expected[i].combination);
        assert_near(figure.mean, expected[i].value, 1e-12);
    }
    result_set_clear(&set);
    store_close(bench.store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(families_are_found),
        IN_FOLDER(figures_are_combined),
        IN_FOLDER(members_without_a_value_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
