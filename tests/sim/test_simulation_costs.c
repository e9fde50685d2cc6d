/* Money: what a workload used, its share of the idle time of the pools it used, and pools that
 * nobody used add up to the bill. One case of an hour, computed by hand:
 *
 *   pool p, 2 GPUs at 3 an hour: u has one for 0.5 h, v the other for 1 h; 0.5 GPU-hours stand idle
 *   pool q, 1 GPU at 10 an hour: v has it for 0.25 h; 0.75 GPU-hours stand idle
 *   pool r, 4 GPUs at 1 an hour: nobody
 *   the bill: 2 x 3 + 1 x 10 + 4 x 1 = 20 */
#include <math.h>
#include <string.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s\n"

static const sim_time HOUR = 3600 * NANOSECONDS_PER_SECOND;

static int pool_p[] = {0};
static int pools_p_q[] = {0, 1};

static void set_up(struct sim_case *sim_case) {
    static const double prices[] = {3, 10, 1};
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "p", "V100-SXM2-32GB", 1, 2);
    sim_case_pool(sim_case, "q", "V100-SXM2-32GB", 1, 1);
    sim_case_pool(sim_case, "r", "V100-SXM2-32GB", 2, 2);
    for (size_t i = 0; i < 3; i++) {
        sim_case->pools[i].price =
            (struct price_spec){.given = true, .per_gpu_hour = prices[i], .currency = "USD"};
    }
    struct workload_spec *u = sim_case_workload(sim_case, "u", HEADER "a,0,1,1800\n");
    u->pools = pool_p;
    u->pool_count = 1;
    struct workload_spec *v = sim_case_workload(sim_case, "v", HEADER "a,0,1,3600\nb,0,1,900\n");
    v->pools = pools_p_q;
    v->pool_count = 2;
    sim_case_horizon(sim_case, HOUR);
}

static const struct cost *cost_of(const struct sim_case *sim_case, enum scope scope,
                                  const char *subject) {
    for (size_t i = 0; i < sim_case->results.cost_count; i++) {
        const struct cost *cost = &sim_case->results.costs[i];
        if (cost->scope == scope && strcmp(cost->subject, subject) == 0) {
            return cost;
        }
    }
    fail_msg("no cost of %s", subject);
    return NULL;
}

static void assert_close(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected)))) {
        fail_msg("%.15g is not %.15g", actual, expected);
    }
}

/* Per month: 730 hours of this one. */
static void assert_cost(const struct sim_case *sim_case, enum scope scope, const char *subject,
                        double usd, double idle) {
    const struct cost *cost = cost_of(sim_case, scope, subject);
    assert_close(cost->usd, usd);
    assert_close(cost->usd_idle_share, idle);
    assert_close(cost->usd_per_month, (usd + idle) * 730);
    assert_close(results_metric(&sim_case->results, scope, subject, "usd_total"), usd + idle);
    assert_close(results_metric(&sim_case->results, scope, subject, "usd_per_month"),
                 (usd + idle) * 730);
}

static void pools_add_up_to_the_bill(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case_run_to_end(&sim_case);
    assert_cost(&sim_case, SCOPE_POOL, "p", 4.5, 1.5);
    assert_cost(&sim_case, SCOPE_POOL, "q", 2.5, 7.5);
    assert_cost(&sim_case, SCOPE_POOL, "r", 0, 4);
    assert_cost(&sim_case, SCOPE_RUN, "", 7, 13);
    assert_int_equal(sim_case.results.cost_count, 1 + 3 + 2);
    sim_case_terminate(&sim_case);
}

/* Of p's 1.5 for idle time u bears a third (0.5 of 1.5 GPU-hours used), v two thirds; q's is all
 * v's. Together 16, and with the 4 of r, which no workload used, the bill. */
static void workloads_share_idle_time_by_their_use(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case_run_to_end(&sim_case);
    assert_cost(&sim_case, SCOPE_WORKLOAD, "u", 1.5, 0.5);
    assert_cost(&sim_case, SCOPE_WORKLOAD, "v", 3 + 2.5, 1 + 7.5);
    sim_case_terminate(&sim_case);
}

/* From the middle on only v's GPU on p is used: p costs 3 a half hour, half of it idle, q and r
 * stand idle for 5 and 2. */
static void the_bill_begins_after_the_warm_up(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case.scenario.warmup = HOUR / 2;
    sim_case_run_to_end(&sim_case);
    const struct cost *run = cost_of(&sim_case, SCOPE_RUN, "");
    assert_close(run->usd, 1.5);
    assert_close(run->usd_idle_share, 1.5 + 5 + 2);
    assert_close(run->usd_per_month, 10.0 * 2 * 730);
    const struct cost *u = cost_of(&sim_case, SCOPE_WORKLOAD, "u");
    assert_close(u->usd + u->usd_idle_share, 0);
    const struct cost *v = cost_of(&sim_case, SCOPE_WORKLOAD, "v");
    assert_close(v->usd + v->usd_idle_share, 3);
    sim_case_terminate(&sim_case);
}

/* No price is given for an A30, nor known: what it costs is not a number, and neither is the bill;
 * what does not touch it has its price all the same. */
static void an_unknown_price_is_no_number(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "a30", "A30-24GB", 1, 1);
    sim_case_pool(&sim_case, "v100", "V100-SXM2-32GB", 1, 1)->price =
        (struct price_spec){.given = true, .per_gpu_hour = 2, .currency = "USD"};
    assert_null(catalogue_price(sim_case.catalogue, sim_case.pools[0].gpu));
    sim_case_workload(&sim_case, "w", HEADER "a,0,1,10\n")->pools = pool_p;
    sim_case.workloads[0].pool_count = 1;
    struct workload_spec *other = sim_case_workload(&sim_case, "x", HEADER "a,0,1,3600\n");
    other->pools = &pools_p_q[1];
    other->pool_count = 1;
    sim_case_horizon(&sim_case, HOUR);
    sim_case_run_to_end(&sim_case);
    assert_true(isnan(cost_of(&sim_case, SCOPE_RUN, "")->usd));
    assert_true(isnan(cost_of(&sim_case, SCOPE_POOL, "a30")->usd_idle_share));
    assert_true(isnan(cost_of(&sim_case, SCOPE_WORKLOAD, "w")->usd_per_month));
    assert_cost(&sim_case, SCOPE_POOL, "v100", 2, 0);
    assert_cost(&sim_case, SCOPE_WORKLOAD, "x", 2, 0);
    sim_case_terminate(&sim_case);
}

/* Without a price of its own a pool has the catalogue's. */
static void the_list_price_serves_where_none_is_given(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    int gpu = sim_case_pool(&sim_case, "a100", "A100-SXM4-80GB", 1, 1)->gpu;
    double price = catalogue_price(sim_case.catalogue, gpu)->usd_per_gpu_hour;
    assert_true(price > 0);
    sim_case_workload(&sim_case, "w", HEADER "a,0,1,1800\n");
    sim_case_horizon(&sim_case, HOUR);
    sim_case_run_to_end(&sim_case);
    assert_cost(&sim_case, SCOPE_RUN, "", price / 2, price / 2);
    sim_case_terminate(&sim_case);
}

/* An hour of two T4 (33.5 W idle, 70 W at most): u computes on one for half an hour, v on the other
 * for all of it. Idle power of both, and what lies above it for 1.5 GPU-hours:
 * 2 x 33.5 + 1.5 x 36.5 = 121.75 Wh; with a PUE of 1.5 and 200 a kilowatt-hour that is 36.525, of
 * which u bears a third. GPUs are free. */
static void electricity_is_shared_like_idle_time(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "t4", "T4-16GB", 1, 2)->price =
        (struct price_spec){.given = true, .per_gpu_hour = 0, .currency = "USD"};
    sim_case.scenario.power = (struct power_spec){.given = true, .price_per_kwh = 200, .pue = 1.5};
    sim_case_workload(&sim_case, "u", HEADER "a,0,1,1800\n");
    sim_case_workload(&sim_case, "v", HEADER "a,0,1,3600\n");
    sim_case_horizon(&sim_case, HOUR);
    sim_case_run_to_end(&sim_case);
    assert_close(results_metric(&sim_case.results, SCOPE_RUN, "", "energy_kwh"), 0.12175);
    assert_close(cost_of(&sim_case, SCOPE_RUN, "")->usd_energy, 36.525);
    assert_close(cost_of(&sim_case, SCOPE_POOL, "t4")->usd_energy, 36.525);
    assert_close(cost_of(&sim_case, SCOPE_WORKLOAD, "u")->usd_energy, 12.175);
    assert_close(cost_of(&sim_case, SCOPE_WORKLOAD, "v")->usd_energy, 24.35);
    assert_close(cost_of(&sim_case, SCOPE_RUN, "")->usd_per_month, 36.525 * 730);
    assert_close(results_metric(&sim_case.results, SCOPE_RUN, "", "usd_total"), 36.525);
    assert_close(results_metric(&sim_case.results, SCOPE_WORKLOAD, "u", "usd_energy"), 12.175);
    sim_case_terminate(&sim_case);
}

/* A model costs what its workloads cost: both, of the case above, then each its own. */
static void models_cost_what_their_workloads_cost(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case.workloads[0].model = "shared";
    sim_case.workloads[1].model = "shared";
    sim_case_run_to_end(&sim_case);
    assert_cost(&sim_case, SCOPE_MODEL, "shared", 1.5 + 3 + 2.5, 0.5 + 1 + 7.5);
    assert_close(results_metric(&sim_case.results, SCOPE_MODEL, "shared", "completed"), 3);
    assert_close(results_metric(&sim_case.results, SCOPE_MODEL, "shared", "gpu_hours"), 1.75);
    sim_case.workloads[0].model = "first";
    sim_case_run_to_end(&sim_case);
    assert_cost(&sim_case, SCOPE_MODEL, "first", 1.5, 0.5);
    assert_cost(&sim_case, SCOPE_MODEL, "shared", 3 + 2.5, 1 + 7.5);
    sim_case_terminate(&sim_case);
}

/* Jobs use all that they hold; 7 of the 20 are for use, the others for what nobody held. */
static void parts_of_a_month_add_up(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case_run_to_end(&sim_case);
    const struct results *results = &sim_case.results;
    assert_close(results_metric(results, SCOPE_RUN, "", "usd_per_month.usage"), 7 * 730);
    assert_close(results_metric(results, SCOPE_RUN, "", "usd_per_month.reservation"), 0);
    assert_close(results_metric(results, SCOPE_RUN, "", "usd_per_month.idle_share"), 13 * 730);
    assert_close(results_metric(results, SCOPE_RUN, "", "usd_per_month.energy"), 0);
    assert_close(results_metric(results, SCOPE_POOL, "p", "usd_per_month.usage"), 4.5 * 730);
    assert_close(results_metric(results, SCOPE_RUN, "", "useful_gpu_hours"), 1.75);
    assert_close(results_metric(results, SCOPE_RUN, "", "usd_per_useful_gpu_hour"), 20 / 1.75);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(electricity_is_shared_like_idle_time),
        cmocka_unit_test(pools_add_up_to_the_bill),
        cmocka_unit_test(models_cost_what_their_workloads_cost),
        cmocka_unit_test(parts_of_a_month_add_up),
        cmocka_unit_test(workloads_share_idle_time_by_their_use),
        cmocka_unit_test(the_bill_begins_after_the_warm_up),
        cmocka_unit_test(an_unknown_price_is_no_number),
        cmocka_unit_test(the_list_price_serves_where_none_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
