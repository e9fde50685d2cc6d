/* Invariant: the speed of a workload in a slot is that of its GPU times that of the instance, which
 * is what it says, else its SMs over those that the model can use, never above 1; a cap on threads
 * holds. Shares of SMs as published: H100 1g.20gb 26 of 132, 3g.40gb 60; A100 2g.20gb 28 of 108. */
#include <math.h>

#include "sim/scheduling/speed.h"
#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

static struct pool_case bench;
static struct scenario scenario;
static struct workload_spec workload;

static void assert_near(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-12)) {
        fail_msg("%.15g, not %.15g", actual, expected);
    }
}

static void open_mig(const char *gpu, const char *profile) {
    const char *const layout[] = {profile};
    pool_case_initialize(&bench, gpu, 1, 1);
    bench.spec.sharing = pool_case_mig(&bench, layout, 1);
    pool_case_open(&bench, 0, NULL);
    scenario = (struct scenario){.catalogue = bench.catalogue,
                                 .pools = &bench.spec,
                                 .pool_count = 1,
                                 .reference_gpu = bench.spec.gpu};
    workload = (struct workload_spec){.needs = {.saturation = 1, .measured_as = ""}};
}

static int close_bench(void **state) {
    (void)state;
    pool_case_terminate(&bench);
    return 0;
}

static double speed_in_slot(void) {
    return speed_on_device(&scenario, &workload, &bench.pool.slots->devices[0]);
}

static void double_memory(void **state) {
    (void)state;
    open_mig("H100-SXM5-80GB", "1g.20gb");
    assert_near(speed_in_slot(), 26.0 / 132);
    workload.needs.saturation = 0.5;
    assert_near(speed_in_slot(), 52.0 / 132);
    workload.needs.saturation = 0.1;
    assert_near(speed_in_slot(), 1);
}

static void three_slices(void **state) {
    (void)state;
    open_mig("H100-SXM5-80GB", "3g.40gb");
    workload.needs.saturation = 0.5;
    assert_near(speed_in_slot(), 120.0 / 132);
    workload.needs.saturation = 0.45;
    assert_near(speed_in_slot(), 1);
}

static void another_gpu(void **state) {
    (void)state;
    struct speed_spec speeds[2] = {{.gpu = -1}, {.gpu = -1}};
    open_mig("A100-SXM4-80GB", "2g.20gb");
    assert_near(speed_in_slot(), 28.0 / 108);
    int a100 = bench.spec.gpu;
    int candidates[1];
    size_t count;
    scenario.reference_gpu =
        catalogue_find_gpu(bench.catalogue, "H100-SXM5-80GB", candidates, 1, &count);
    workload.needs.speeds = speeds;
    workload.needs.speed_count = 1;
    speeds[0] = (struct speed_spec){.gpu = a100, .factor = 0.5};
    assert_near(speed_in_slot(), 14.0 / 108);
    /* Given for the profile: instead of its SMs. */
    speeds[1] = (struct speed_spec){.gpu = -1, .profile = "2G.20gb", .factor = 0.4};
    workload.needs.speed_count = 2;
    assert_near(speed_in_slot(), 0.2);
    /* By the catalogue: the ratio of SMs. */
    workload.needs.speed_count = 0;
    workload.needs.speed_rule = SPEED_CATALOGUE;
    assert_near(speed_in_slot(), 28.0 / 132);
    assert_near(speed_on_gpu(&scenario, &workload, 0), 108.0 / 132);
}

/* 30 % of the SMs for a model that uses 50, 20 or all. */
static void capped_threads(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 1);
    bench.spec.sharing = pool_case_mps(&bench, 2, 0);
    bench.sharing[1].thread_percentage = 0.3;
    pool_case_open(&bench, 0, NULL);
    scenario = (struct scenario){.catalogue = bench.catalogue,
                                 .pools = &bench.spec,
                                 .pool_count = 1,
                                 .reference_gpu = bench.spec.gpu};
    workload = (struct workload_spec){.needs = {.saturation = 0.5, .measured_as = ""}};
    const struct device *device = &bench.pool.slots->devices[0];
    assert_near(speed_on_gpu(&scenario, &workload, 0), 0.6);
    assert_near(speed_in_slot(), 1);
    assert_near(speed_capped_on_device(&scenario, &workload, device, 0), 0.6);
    assert_near(speed_capped_on_device(&scenario, &workload, device, 0.1), 0.2);
    workload.needs.saturation = 0.2;
    assert_near(speed_on_gpu(&scenario, &workload, 0), 1);
    assert_near(speed_capped_on_device(&scenario, &workload, device, 0), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(double_memory, close_bench),
        cmocka_unit_test_teardown(three_slices, close_bench),
        cmocka_unit_test_teardown(another_gpu, close_bench),
        cmocka_unit_test_teardown(capped_threads, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
