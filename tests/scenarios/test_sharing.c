/* How pools are shared: what is read, and what no GPU can do. Layouts against the catalogue are
 * those of NVIDIA's MIG user guide: 14,14,14,9 is an impossible one that is widely copied. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

#define MILLISECOND INT64_C(1000000)

/* One pool `p` of this GPU, 8 per node; its other keys begin in line 5. */
#define POOL(gpu, keys)                                                                            \
    FIXTURE_HEAD "cluster: {pools: {p:\n  {gpu: " gpu ", nodes: 2, gpus_per_node: 8,\n" keys       \
                 "}}}\n" FIXTURE_WORK

static const struct sharing_spec *accept_sharing(struct fixture *fixture, const char *text,
                                                 int mode) {
    const struct scenario *s = fixture_accept(fixture, text);
    assert_int_equal(s->pools[0].sharing.index, mode);
    return s->pools[0].sharing.options;
}

static void test_exclusive_has_no_options(void **state) {
    assert_null(
        accept_sharing(*state, POOL("A100-SXM4-80GB", "sharing: exclusive"), SHARING_EXCLUSIVE));
    assert_null(accept_sharing(*state, POOL("A100-SXM4-80GB", "sharing: {mode: exclusive}"),
                               SHARING_EXCLUSIVE));
}

static void test_time_slicing(void **state) {
    const struct sharing_spec *spec = accept_sharing(
        *state, POOL("T4", "sharing: {mode: timeslice, replicas: 8}"), SHARING_TIMESLICE);
    assert_int_equal(spec->replicas, 8);
    assert_true(spec->slice == 2 * MILLISECOND);
    assert_true(spec->switch_time == MILLISECOND / 5);
    spec = accept_sharing(
        *state, POOL("T4", "sharing: {mode: timeslice, replicas: 2, slice: 6ms, switch: 0s}"),
        SHARING_TIMESLICE);
    assert_true(spec->slice == 6 * MILLISECOND && spec->switch_time == 0);
    fixture_refuse(*state, POOL("T4", "sharing: timeslice"),
                   "5:10: cluster.pools.p.sharing.timeslice needs the key \"replicas\" (how many "
                   "tenants take turns on one GPU)\n");
    fixture_refuse(*state, POOL("T4", "sharing: {mode: timeslice, replicas: 0, slice: 0s}"),
                   "5:38: cluster.pools.p.sharing.timeslice.replicas must be from 1 to 10000, not "
                   "\"0\"\n"
                   "5:48: cluster.pools.p.sharing.timeslice.slice must be above 0s, not \"0s\"\n");
}

static void test_mps(void **state) {
    const struct sharing_spec *spec =
        accept_sharing(*state, POOL("T4", "sharing: mps"), SHARING_MPS);
    assert_int_equal(spec->clients, 48);
    assert_true(spec->thread_percentage == 1);
    assert_true(spec->interference == 0);
    assert_true(spec->memory_limit == 0);
    assert_int_equal(spec->oom, OOM_CLIENT);
    spec = accept_sharing(*state,
                          POOL("T4", "sharing: {mode: mps, clients: 4, thread_percentage: 25%, "
                                     "interference: 0.1, memory_limit: 4GB, oom: gpu}"),
                          SHARING_MPS);
    assert_int_equal(spec->clients, 4);
    assert_true(spec->thread_percentage == 0.25);
    assert_true(spec->interference == 0.1);
    assert_true(spec->memory_limit == INT64_C(4000000000));
    assert_int_equal(spec->oom, OOM_GPU);
    fixture_refuse(*state,
                   POOL("T4", "sharing: {mode: mps, thread_percentage: 0%, oom: all, slice: 2ms}"),
                   "5:41: cluster.pools.p.sharing.mps.thread_percentage must be above 0% and at "
                   "most 100%, not \"0%\"\n"
                   "5:50: cluster.pools.p.sharing.mps.oom must be client or gpu or node, not "
                   "\"all\"\n"
                   "5:55: unknown key \"slice\" in cluster.pools.p.sharing.mps, which takes "
                   "clients, thread_percentage, interference, memory_limit, oom\n");
}

static void test_a_layout(void **state) {
    struct fixture *fixture = *state;
    const struct sharing_spec *spec = accept_sharing(
        fixture,
        POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [3G.40gb, {profile: 1g.10gb, count: "
                               "2, sharing: {mode: timeslice, replicas: 2}}, 14]}"),
        SHARING_MIG);
    const struct gpu_model *gpu = &fixture->catalogue->gpus[fixture->scenario->pools[0].gpu];
    assert_int_equal(spec->layout_count, 3);
    const struct layout_item *items = spec->layout;
    assert_string_equal(gpu->profiles[items[0].profile_row].name, "3g.40gb");
    assert_string_equal(gpu->profiles[items[1].profile_row].name, "1g.10gb");
    assert_string_equal(gpu->profiles[items[2].profile_row].name, "2g.20gb");
    assert_int_equal(items[0].count, 1);
    assert_int_equal(items[1].count, 2);
    assert_int_equal(items[0].sharing.index, SHARING_EXCLUSIVE);
    assert_int_equal(items[1].sharing.index, SHARING_TIMESLICE);
    assert_int_equal(((const struct sharing_spec *)items[1].sharing.options)->replicas, 2);
    assert_int_equal(items[1].place.line, 5);
    assert_int_equal(items[1].place.column, 40);
    assert_false(spec->dynamic);
    assert_string_equal(spec->reconfigure.time.kind->name, "uniform");
    assert_true(spec->reconfigure.time.given[0] == 10e9);
    assert_true(spec->reconfigure.mode_time.given[1] == 30e9);
    assert_int_equal(spec->reconfigure.drain, DRAIN_WAIT);
}

static void test_a_dynamic_gpu_may_start_uncut(void **state) {
    const struct sharing_spec *spec =
        accept_sharing(*state,
                       POOL("A100-SXM4-80GB", "sharing: {mode: mig, dynamic: true, reconfigure: "
                                              "{time: 15s, drain: wait}}"),
                       SHARING_MIG);
    assert_int_equal(spec->layout_count, 0);
    assert_true(spec->dynamic);
    assert_true(spec->reconfigure.time.given[0] == 15e9);
    fixture_refuse(*state, POOL("A100-SXM4-80GB", "sharing: mig"),
                   "5:10: mig needs a `layout` such as [3g.40gb, 2g.20gb, 2g.20gb], the instances "
                   "that each GPU is cut into, or `dynamic: true` (`headroom catalog mig "
                   "A100-SXM4-80GB` lists what is possible)\n");
    fixture_refuse(
        *state,
        POOL("A100-SXM4-80GB", "sharing: {mode: mig, dynamic: true, reconfigure: {drain: kill}}"),
        "5:58: with `dynamic` only idle instances are cut anew, so nothing is drained: write "
        "drain: wait, or have the GPUs cut by a `calendar`\n");
}

/* The words of models/mig.h are tested there: here, that they come with the right place. */
static void refuse_with(struct fixture *fixture, const char *text, int line, int column,
                        const char *part) {
    assert_null(fixture_read(fixture, text));
    assert_int_equal(fixture->errors.count, 1);
    const struct error *error = &fixture->errors.items[0];
    assert_int_equal(error->line, line);
    assert_int_equal(error->column, column);
    if (strstr(error->message, part) == NULL) {
        fail_msg("\"%s\" is not about %s", error->message, part);
    }
}

static void test_impossible_layouts(void **state) {
    refuse_with(*state, POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [14, 14, 14, 9]}"), 5,
                30, "3g.40gb");
    fixture_accept(*state,
                   POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [14, 14, 14, 19]}"));
    refuse_with(
        *state,
        POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [{profile: 1g.10gb, count: 8}]}"), 5,
        30, "7 of 1g.10gb");
    /* A name of the 40 GB board. */
    refuse_with(*state, POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [4g.40gb, 3g.20gb]}"),
                5, 40, "3g.40gb");
    refuse_with(*state, POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [4g.40gb, 77]}"), 5,
                40, "77");
    fixture_refuse(*state, POOL("T4", "sharing: {mode: mig, layout: [1g.5gb]}"),
                   "5:10: T4-16GB (pool p) has no MIG: share it by mps or timeslice, or make it "
                   "exclusive\n");
}

static void test_how_a_layout_is_not_written(void **state) {
    fixture_refuse(*state, POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [7 x 1g.10gb]}"),
                   "5:31: cluster.pools.p.sharing.mig.layout names one instance at a time: write "
                   "{profile: 1g.10gb, count: 7}, not \"7 x 1g.10gb\"\n");
    refuse_with(*state, POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [0x1g.10gb]}"), 5, 31,
                "has no MIG profile '0x1g.10gb'");
    fixture_refuse(*state, POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [[3g.40gb]]}"),
                   "5:31: cluster.pools.p.sharing.mig.layout must be a MIG profile such as "
                   "3g.40gb, or a map such as {profile: 1g.10gb, count: 7}, not a list\n");
    fixture_refuse(*state,
                   POOL("A100-SXM4-80GB", "sharing: {mode: mig, layout: [{profile: 3g.40gb, "
                                          "sharing: {mode: mig, dynamic: true}}]}"),
                   "5:66: cluster.pools.p.sharing.mig.layout.sharing cannot be mig (how tenants "
                   "share each of these instances, which are not cut again)\n");
}

static void test_layouts_of_some_gpus(void **state) {
    const struct scenario *s = fixture_accept(
        *state, POOL("A100-SXM4-80GB",
                     "layouts: [{gpus: [0, 1], sharing: exclusive},\n"
                     "{gpus: [7], sharing: {mode: mig, layout: [7g.80gb]}}], sharing: mps"));
    const struct pool_spec *pool = &s->pools[0];
    assert_int_equal(pool->sharing.index, SHARING_MPS);
    assert_int_equal(pool->layout_count, 2);
    assert_int_equal(pool->layouts[0].gpu_count, 2);
    assert_int_equal(pool->layouts[0].gpus[1], 1);
    assert_int_equal(pool->layouts[1].gpus[0], 7);
    assert_int_equal(pool->layouts[1].sharing.index, SHARING_MIG);
    assert_int_equal(pool->layouts[1].place.line, 6);
    fixture_refuse(*state, POOL("A100-SXM4-80GB", "layouts: [{gpus: [0, 8], sharing: exclusive}]"),
                   "5:22: there is no GPU 8 on the nodes of pool p: they have 8, counted from 0\n");
    fixture_refuse(*state,
                   POOL("A100-SXM4-80GB", "layouts: [{gpus: [0, 1], sharing: exclusive},\n"
                                          "{gpus: [2, 1], sharing: mps}]"),
                   "6:12: GPU 1 of pool p is listed twice in its layouts\n");
    fixture_refuse(*state,
                   POOL("T4", "layouts: [{gpus: [2], sharing: {mode: mig, dynamic: true}}]"),
                   "5:32: T4-16GB (pool p) has no MIG: share it by mps or timeslice, or make it "
                   "exclusive\n");
    fixture_refuse(*state, POOL("T4", "layouts: [{gpus: []}]"),
                   "5:11: cluster.pools.p.layouts needs the key \"sharing\" (how tenants share "
                   "these GPUs)\n"
                   "5:18: cluster.pools.p.layouts.gpus needs at least one item\n");
}

/* A pool with a mistake is no ground for another report. */
static void test_a_bad_gpu_or_number_is_one_mistake(void **state) {
    refuse_with(*state, POOL("X9", "sharing: {mode: mig, layout: [1g.10gb]}"), 4, 9,
                "no known GPU");
    refuse_with(*state,
                FIXTURE_HEAD "cluster: {pools: {p: {gpu: T4, nodes: 1, gpus_per_node: 99, layouts: "
                             "[{gpus: [12], sharing: mps}]}}}\n" FIXTURE_WORK,
                3, 57, "gpus_per_node");
}

/* All paths that variants and --set use. */
static void test_paths(void **state) {
    static const char *const sets[] = {"cluster.pools.p.sharing.slice=5ms"};
    const struct scenario *s = fixture_resolve(
        *state, POOL("T4", "sharing: {mode: timeslice, replicas: 4}"), sets, 1, NULL);
    assert_true(((const struct sharing_spec *)s->pools[0].sharing.options)->slice ==
                5 * MILLISECOND);
    static const char *const whole[] = {"cluster.pools.p.sharing={mode: mps}"};
    s = fixture_resolve(*state, POOL("T4", "sharing: {mode: timeslice, replicas: 4}"), whole, 1,
                        NULL);
    assert_int_equal(s->pools[0].sharing.index, SHARING_MPS);
}

static const char *with_slot(const char *gpu, const char *sharing, const char *slot) {
    static char text[1024];
    snprintf(text, sizeof(text),
             FIXTURE_HEAD "cluster: {pools: {p: {gpu: %s, nodes: 2, gpus_per_node: 8, sharing: "
                          "%s}}}\nworkloads:\n"
                          "  w: {kind: jobs, arrivals: {poisson: 12/h}, duration: 2h, slot: %s}\n",
             gpu, sharing, slot);
    return text;
}

static void test_slots(void **state) {
    static const char mig[] = "{mode: mig, layout: [3g.40gb, 2g.20gb]}";
    const struct workload_spec *w =
        fixture_accept(*state, with_slot("A100-SXM4-80GB", mig, "2G.20GB"))->workloads;
    assert_int_equal(w->slot, SLOT_PROFILE);
    assert_string_equal(w->slot_profile, "2g.20gb");
    w = fixture_accept(*state, with_slot("A100-SXM4-80GB", mig, "smallest"))->workloads;
    assert_int_equal(w->slot, SLOT_SMALLEST);
    w = fixture_accept(*state, with_slot("A100-SXM4-80GB", "exclusive", "gpu"))->workloads;
    assert_int_equal(w->slot, SLOT_GPU);
    assert_int_equal(fixture_accept(*state, FIXTURE_VALID)->workloads[0].slot, SLOT_ANY);
    fixture_accept(*state, with_slot("A100-SXM4-80GB", "{mode: mig, dynamic: true}", "1g.20gb"));
    fixture_accept(*state, with_slot("A100-SXM4-80GB", "{mode: mig, dynamic: true}", "gpu"));
    fixture_accept(*state, with_slot("T4", "mps", "gpu"));
}

static void test_slots_that_there_are_not(void **state) {
    static const char mig[] = "{mode: mig, layout: [3g.40gb, 2g.20gb]}";
    fixture_refuse(*state, with_slot("A100-SXM4-80GB", mig, "gpu"),
                   "5:66: workload w insists on a whole GPU, but MIG cuts all those that it may "
                   "run on\n");
    fixture_refuse(*state, with_slot("A100-SXM4-80GB", mig, "1g.10gb"),
                   "5:66: workload w insists on 1g.10gb, but no GPU that it may run on is cut so: "
                   "put one into a `layout`, or take slot: any\n");
    fixture_refuse(*state, with_slot("A100-SXM4-80GB", "exclusive", "1g.10gb"),
                   "5:66: workload w insists on 1g.10gb, but no GPU that it may run on is cut so: "
                   "put one into a `layout`, or take slot: any\n");
    refuse_with(*state, with_slot("A100-SXM4-80GB", mig, "2g.10gb"), 5, 66,
                "no GPU that workload w may run on has the MIG profile 2g.10gb: ");
    fixture_refuse(*state, with_slot("T4", "mps", "2g.10gb"),
                   "5:66: no GPU that workload w may run on has the MIG profile 2g.10gb: they have "
                   "no MIG\n");
    fixture_refuse(*state, with_slot("T4", "mps", "2g.11gb"),
                   "5:66: workloads.w.slot must be the name of a MIG profile such as 2g.20gb, not "
                   "\"2g.11gb\" (did you mean 2g.10gb?)\n");
    fixture_refuse(*state, with_slot("T4", "mps", "whole"),
                   "5:66: workloads.w.slot must be any, smallest, gpu or a MIG profile such as "
                   "2g.20gb, not \"whole\"\n");
}

/* Where all GPUs have layouts of their own, the pool's sharing is none of theirs. */
static void test_layouts_may_cover_a_pool(void **state) {
    static const char keys[] =
        "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 2, layouts:\n"
        "[{gpus: [0, 1], sharing: {mode: mig, layout: [7g.80gb]}}]}}}\n"
        "workloads:\n"
        "  w: {kind: jobs, arrivals: {poisson: 12/h}, duration: 2h, slot: %s}\n";
    char text[1024];
    char body[900];
    snprintf(body, sizeof(body), keys, "gpu");
    snprintf(text, sizeof(text), FIXTURE_HEAD "%s", body);
    fixture_refuse(*state, text,
                   "6:66: workload w insists on a whole GPU, but MIG cuts all those that it may "
                   "run on\n");
    snprintf(body, sizeof(body), keys, "7g.80gb");
    snprintf(text, sizeof(text), FIXTURE_HEAD "%s", body);
    fixture_accept(*state, text);
}

/* What reserves goes with all ways to share. */
static void test_what_backfill_goes_with(void **state) {
    static const char *const sharings[] = {
        "sharing: mps", "sharing: {mode: mig, dynamic: true}",
        "layouts: [{gpus: [2], sharing: {mode: mig, dynamic: true}}]"};
    char text[1024];
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, POOL("A100-SXM4-80GB", "%s") "scheduler: {backfill: easy}\n",
                 sharings[i]);
        fixture_accept(*state, text);
    }
}

/* 64 GPUs with an instance shared in a way of its own each; and one kind of exclusive GPUs, and one
 * of the exclusive instances, which are all alike. */
static void test_how_many_kinds_of_slots(void **state) {
    static const char head[] =
        FIXTURE_HEAD "cluster: {pools: {p:\n  {gpu: A100-SXM4-80GB, nodes: 2, "
                     "gpus_per_node: 64,\nlayouts: [";
    static const char item[] =
        "{gpus: [%d], sharing: {mode: mig, layout: [3g.40gb, {profile: 3g.40gb, count: 1, "
        "sharing: {mode: timeslice, replicas: %d}}]}},\n";
    static char text[16384];
    for (int gpus = 60; gpus <= 64; gpus += 4) {
        size_t length = (size_t)snprintf(text, sizeof text, "%s", head);
        for (int g = 0; g < gpus; g++) {
            length += (size_t)snprintf(text + length, sizeof text - length, item, g, g + 1);
        }
        snprintf(text + length, sizeof text - length, "]}}}\n" FIXTURE_WORK);
        if (gpus == 60) {
            fixture_accept(*state, text);
        } else {
            fixture_refuse(*state, text,
                           "4:3: the GPUs of pool p are shared in up to 66 ways; at most 64 are "
                           "possible: make pools of their own of some\n");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exclusive_has_no_options),
        cmocka_unit_test(test_time_slicing),
        cmocka_unit_test(test_mps),
        cmocka_unit_test(test_a_layout),
        cmocka_unit_test(test_a_dynamic_gpu_may_start_uncut),
        cmocka_unit_test(test_impossible_layouts),
        cmocka_unit_test(test_how_a_layout_is_not_written),
        cmocka_unit_test(test_layouts_of_some_gpus),
        cmocka_unit_test(test_a_bad_gpu_or_number_is_one_mistake),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_slots),
        cmocka_unit_test(test_slots_that_there_are_not),
        cmocka_unit_test(test_layouts_may_cover_a_pool),
        cmocka_unit_test(test_what_backfill_goes_with),
        cmocka_unit_test(test_how_many_kinds_of_slots),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
