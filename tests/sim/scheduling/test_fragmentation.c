/* Invariant: under `fragmentation` a tenant gets the slot by which the least of a node's free GPU
 * shares becomes useless, on the average over what was asked for so far. Shares by hand: what of a
 * device is free is the least of its slots, memory and compute that are. */
#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

static const int64_t GIB = INT64_C(1) << 30;

static struct pool_case bench;

static int close_bench(void **state) {
    (void)state;
    pool_case_terminate(&bench);
    return 0;
}

static void open_with(const char *rule) {
    pool_case_open_by_rule(&bench, 0, rule);
}

static void assert_goes_to(int32_t node, int32_t gpu, struct slot_ask ask) {
    const struct device *device = slots_find(bench.pool.slots, &ask);
    assert_non_null(device);
    assert_int_equal(device->node, node);
    assert_int_equal(device->gpu, gpu);
}

/* Sets something up under a rule, and says what is to be placed then. */
typedef struct slot_ask scene(const char *rule);

/* Node and GPU that it goes to. */
static void check_scene(scene *set_up, const int32_t best_fit[2], const int32_t fragmentation[2]) {
    struct slot_ask ask = set_up("best_fit");
    assert_goes_to(best_fit[0], best_fit[1], ask);
    close_bench(NULL);
    ask = set_up("fragmentation");
    assert_goes_to(fragmentation[0], fragmentation[1], ask);
}

static void open_mps(int32_t nodes, int32_t gpus_per_node, const char *rule) {
    pool_case_initialize(&bench, "A100-SXM4-80GB", nodes, gpus_per_node);
    bench.spec.sharing = pool_case_mps(&bench, 4, 0);
    open_with(rule);
}

static struct slot_ask share(int32_t compute_pct) {
    return (struct slot_ask){.kinds = pool_case_kinds(&bench),
                             .compute = compute_pct * (SLOTS_MOST_COMPUTE / 100)};
}

static struct slot_ask memory(int64_t bytes) {
    return (struct slot_ask){.kinds = pool_case_kinds(&bench), .memory = bytes};
}

static void ask_times(int times, int32_t gpus, struct slot_ask ask) {
    for (int i = 0; i < times; i++) {
        slots_note_ask(bench.pool.slots, gpus, &ask);
    }
}

static void seat_on(int32_t node, int32_t gpu, struct slot_ask ask) {
    struct device *device =
        &bench.pool.slots->devices[node * bench.pool.slots->gpus_per_node + gpu];
    pool_case_seat_there(&bench, device, &ask);
}

/* 0.6 and 0.8 of two GPUs are free, and of four requests three are for 0.5 and one for 0.3, which
 * is to be placed. On GPU 0 it leaves 0.3, useless to 0.5: F grows by 3/4 x 0.3. On GPU 1 it leaves
 * 0.5, of use to both: F stays 0. best_fit takes GPU 0, where fewer slots are free. */
static struct slot_ask two_of_use(const char *rule) {
    open_mps(1, 2, rule);
    seat_on(0, 0, share(20));
    seat_on(0, 0, share(20));
    seat_on(0, 1, share(20));
    ask_times(3, 0, share(50));
    ask_times(1, 0, share(30));
    return share(30);
}

static void what_is_left_is_of_use(void **state) {
    (void)state;
    check_scene(two_of_use, (int32_t[]){0, 0}, (int32_t[]){0, 1});
}

/* 0.4 of GPU 0 is free and all of GPU 1; a request for 0.3 comes. With p of 0.4, q of a whole GPU
 * and r of 0.3, on GPU 0 it leaves 0.1, useless to all, where 0.4 were useless to q alone: growth
 * 0.1 (p + r) - 0.3 q. On GPU 1 it leaves 0.7, useless to q: growth 0.7 q.
 * 30, 1 and 1 of 32: 0.0875 against 0.0219, so GPU 1. 6, 1 and 1 of 8: 0.05 against 0.0875: GPU 0.
 */
static void a_whole_gpu_is_kept_if_it_is_asked_for(void **state) {
    (void)state;
    open_mps(1, 2, "fragmentation");
    seat_on(0, 0, share(60));
    ask_times(6, 0, share(40));
    ask_times(1, 1, share(0));
    ask_times(1, 0, share(30));
    assert_goes_to(0, 0, share(30));
    ask_times(24, 0, share(40));
    assert_goes_to(0, 1, share(30));
}

/* Node 0 has GPUs 0 and 1 free, somebody has its third; node 1 has GPU 0 free and a tenth of its
 * other two. Half of the requests are for 2 GPUs on a node, half for 0.5. On node 1, which is
 * useless to the former already, F falls by 1/2 x 0.5. On node 0 the 1.5 that are left become
 * useless to them: 1/2 x 1.5. best_fit takes node 0, which has 8 slots free, not 4 + 3 + 3. */
static struct slot_ask free_gpus(const char *rule) {
    struct piece piece = {.node = 0, .gpus = 1};
    open_mps(2, 3, rule);
    node_index_change(&bench.pool.index, 0, -1);
    pool_take(&bench.pool, &piece);
    seat_on(1, 1, share(90));
    seat_on(1, 2, share(90));
    ask_times(1, 2, share(0));
    ask_times(1, 0, share(50));
    return share(50);
}

static void free_gpus_stay_together(void **state) {
    (void)state;
    check_scene(free_gpus, (int32_t[]){0, 1}, (int32_t[]){1, 0});
}

/* In turns of four, 40 GiB are taken of GPU 0, so that half of it is free, and 30 GiB of GPU 1, so
 * that 5/8 are. Three of four requests are for 30 GiB, one for 20 GiB comes. On GPU 0 it leaves
 * 20 GiB, a quarter of the GPU: growth 3/4 x 1/4. On GPU 1 it leaves 30 GiB: no growth. The least
 * memory that is enough, which is how other rules begin, is on GPU 0. */
static struct slot_ask two_in_turns(const char *rule) {
    static const struct sharing_spec turns = {.replicas = 4, .slice = 2000000};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    bench.spec.sharing = (struct chosen){.index = SHARING_TIMESLICE, .options = &turns};
    open_with(rule);
    seat_on(0, 0, memory(40 * GIB));
    seat_on(0, 1, memory(30 * GIB));
    ask_times(3, 0, memory(30 * GIB));
    ask_times(1, 0, memory(20 * GIB));
    return memory(20 * GIB);
}

static void memory_in_turns(void **state) {
    (void)state;
    check_scene(two_in_turns, (int32_t[]){0, 0}, (int32_t[]){0, 1});
}

/* Instances of 14 and 28 of 108 SMs, for 9.75 and 19.5 GiB. A request for any slot comes; p of all
 * ask for the profile of the small one. There, both had the use of 14/108 and the tenant takes
 * them: no growth. On the large one 14/108 of what it takes are more than it needs, but the small
 * profile never had any use of those 28/108: growth (14 - 28 p)/108, below 0 from p = 1/2 on. */
static void an_instance_that_others_cannot_use(void **state) {
    (void)state;
    const char *const layout[] = {"1g.10gb", "2g.20gb"};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 1);
    bench.spec.sharing = pool_case_mig(&bench, layout, 2);
    open_with("fragmentation");
    struct slot_ask any = memory(GIB);
    struct slot_ask named = {.kinds = 1}; /* kinds are in order of memory */
    ask_times(3, 0, any);
    ask_times(2, 0, named);
    assert_int_equal(slots_find(bench.pool.slots, &any)->units, 14);
    ask_times(2, 0, named);
    assert_int_equal(slots_find(bench.pool.slots, &any)->units, 28);
    assert_int_equal(slots_find(bench.pool.slots, &named)->units, 14);
    struct slot_ask large = memory(15 * GIB);
    assert_int_equal(slots_find(bench.pool.slots, &large)->units, 28);
}

/* Where nobody asks for anything else, instances are taken smallest first. */
static void the_smallest_instance_that_is_enough(void **state) {
    (void)state;
    const char *const layout[] = {"4g.40gb", "2g.20gb", "1g.10gb"};
    const int32_t sms[] = {14, 28, 56};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 1);
    bench.spec.sharing = pool_case_mig(&bench, layout, 3);
    open_with("fragmentation");
    struct slot_ask any = memory(GIB);
    for (int i = 0; i < 3; i++) {
        ask_times(1, 0, any);
        ask_times(1, 0, memory(30 * GIB));
        struct tenant *tenant = pool_case_seat(&bench, &any);
        assert_non_null(tenant);
        assert_int_equal(tenant->device->units, sms[i]);
    }
    assert_null(slots_find(bench.pool.slots, &any));
}

/* Hosts of 8 CPUs. A quarter of GPU 0 and 4 CPUs of node 0 are taken; three of four requests are
 * for 0.25 with 4 CPUs, and one for 0.25 with 1 CPU comes. On node 0 it leaves 3 CPUs, so that the
 * 0.5 that stay free are useless to the three: growth 3/4 x 0.5. On node 1 there is none. best_fit
 * takes node 0, where fewer slots are free. */
static struct slot_ask two_hosts(const char *rule) {
    struct slot_ask heavy;
    struct slot_ask light;
    open_mps(2, 1, rule);
    node_index_limit_hosts(&bench.pool.index, (struct host_share){host_cpus(8), INT64_MAX});
    heavy = share(25);
    light = share(25);
    heavy.host.cpus = host_cpus(4);
    light.host.cpus = host_cpus(1);
    seat_on(0, 0, heavy);
    node_index_use_host(&bench.pool.index, 0, &heavy.host, 1);
    ask_times(3, 0, heavy);
    ask_times(1, 0, light);
    return light;
}

static void a_host_that_gets_too_full(void **state) {
    (void)state;
    check_scene(two_hosts, (int32_t[]){0, 0}, (int32_t[]){1, 0});
    /* A node that lacks what is asked for is none at all. */
    struct slot_ask ask = share(25);
    ask.host.cpus = host_cpus(5);
    assert_goes_to(1, 0, ask);
    ask.host.cpus = host_cpus(9);
    assert_null(slots_find(bench.pool.slots, &ask));
}

/* Nothing has been asked for: the node and the GPU with the fewest free slots, then the first. */
static void equal_growth_goes_as_best_fit(void **state) {
    (void)state;
    open_mps(2, 2, "fragmentation");
    assert_goes_to(0, 0, share(10));
    seat_on(1, 1, share(10));
    assert_goes_to(1, 1, share(10));
    seat_on(1, 0, share(10));
    seat_on(1, 0, share(10));
    assert_goes_to(1, 0, share(10));
    seat_on(1, 0, share(10));
    seat_on(1, 0, share(10));
    assert_goes_to(1, 1, share(10));
    assert_goes_to(0, 0, share(91));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_left_is_of_use, close_bench),
        cmocka_unit_test_teardown(a_whole_gpu_is_kept_if_it_is_asked_for, close_bench),
        cmocka_unit_test_teardown(free_gpus_stay_together, close_bench),
        cmocka_unit_test_teardown(memory_in_turns, close_bench),
        cmocka_unit_test_teardown(an_instance_that_others_cannot_use, close_bench),
        cmocka_unit_test_teardown(the_smallest_instance_that_is_enough, close_bench),
        cmocka_unit_test_teardown(a_host_that_gets_too_full, close_bench),
        cmocka_unit_test_teardown(equal_growth_goes_as_best_fit, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
