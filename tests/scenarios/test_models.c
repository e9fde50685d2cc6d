/* What workloads need: keys of their own, of models, of the catalogue; and speeds that must be
 * known wherever a workload may run. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

/* One workload `w` with these keys after the first three; they begin in line 6, column 5. */
#define WORK(keys)                                                                                 \
    "workloads:\n"                                                                                 \
    "  w: {kind: jobs, arrivals: {poisson: 12/h}, duration: 2h,\n    " keys "}\n"

static const struct model_spec *accept_needs(struct fixture *fixture, const char *text) {
    return &fixture_accept(fixture, text)->workloads[0].needs;
}

static void test_defaults(void **state) {
    const struct model_spec *needs = accept_needs(*state, FIXTURE_VALID);
    assert_null(needs->name);
    assert_true(needs->memory.start.given[0] == 0 && needs->memory.growth_per_s == 0);
    assert_true(needs->saturation == 1);
    assert_true(needs->load_time.given[0] == 0);
    assert_int_equal(needs->speed_rule, SPEED_GIVEN);
    assert_int_equal(needs->speed_count, 0);
    assert_string_equal(needs->measured_as, "");
    assert_true(needs->measured_batch == 1);
}

#define CHAT                                                                                       \
    "models:\n  chat: {memory: 6GB, saturation: 45%, load_time: 20s, speed: {T4: 0.2},\n"          \
    "    measured_as: bert, measured_batch: 8}\n"

static void test_a_workload_takes_what_its_model_says(void **state) {
    const struct scenario *s =
        fixture_accept(*state, FIXTURE_HEAD CHAT FIXTURE_CLUSTER WORK("model: chat"));
    const struct model_spec *needs = &s->workloads[0].needs;
    assert_string_equal(s->workloads[0].model, "chat");
    assert_string_equal(needs->name, "chat");
    assert_int_equal(needs->place.line, 4);
    assert_true(needs->memory.start.given[0] == 6e9);
    assert_true(needs->saturation == 0.45);
    assert_true(needs->load_time.given[0] == 20e9);
    assert_int_equal(needs->speed_count, 1);
    assert_true(needs->speeds[0].factor == 0.2 && needs->speeds[0].profile == NULL);
    assert_string_equal(needs->measured_as, "bert");
    assert_true(needs->measured_batch == 8);
}

static void test_its_own_keys_come_first(void **state) {
    const struct model_spec *needs = accept_needs(
        *state,
        FIXTURE_HEAD CHAT FIXTURE_CLUSTER WORK(
            "model: chat, memory: {uniform: [1GB, 3GB]}, load_time: 0s, measured_batch: 1"));
    assert_string_equal(needs->memory.start.kind->name, "uniform");
    assert_true(needs->load_time.given[0] == 0);
    assert_true(needs->measured_batch == 1);
    assert_true(needs->saturation == 0.45);
    /* A rule replaces factors, and the other way round. */
    needs = accept_needs(*state,
                         FIXTURE_HEAD CHAT FIXTURE_CLUSTER WORK("model: chat, speed: catalogue"));
    assert_int_equal(needs->speed_rule, SPEED_CATALOGUE);
    assert_int_equal(needs->speed_count, 0);
    needs =
        accept_needs(*state, FIXTURE_HEAD "models: {m: {speed: catalogue}}\n" FIXTURE_CLUSTER WORK(
                                 "model: m, speed: {T4: 0.3}"));
    assert_int_equal(needs->speed_rule, SPEED_GIVEN);
    assert_int_equal(needs->speed_count, 1);
}

/* 14 GB and 2 GB: models/catalogue/models.csv. */
static void test_models_of_the_catalogue(void **state) {
    const struct model_spec *needs =
        accept_needs(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("model: llama-7b"));
    assert_string_equal(needs->name, "llama-7b");
    assert_true(needs->memory.start.given[0] == 14e9);
    assert_true(needs->saturation == 1);
    assert_string_equal(needs->measured_as, "");
    needs = accept_needs(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK(
                                     "model: bert-base, saturation: 0.5, memory: 3GB"));
    assert_true(needs->memory.start.given[0] == 3e9);
    assert_string_equal(needs->measured_as, "bert");
    /* What a scenario's model of that name leaves out. */
    needs = accept_needs(*state,
                         FIXTURE_HEAD "models: {bert-base: {saturation: 0.5}, resnet50: "
                                      "{memory: 1GB}}\n" FIXTURE_CLUSTER WORK("model: bert-base"));
    assert_true(needs->memory.start.given[0] == 2e9 && needs->saturation == 0.5);
    assert_string_equal(needs->measured_as, "bert");
    needs =
        accept_needs(*state, FIXTURE_HEAD
                     "models: {resnet50: {memory: 1GB}}\n" FIXTURE_CLUSTER WORK("model: resnet50"));
    assert_string_equal(needs->measured_as, "resnet50");
}

static void test_unknown_models(void **state) {
    fixture_refuse(*state, FIXTURE_HEAD CHAT FIXTURE_CLUSTER WORK("model: chatt"),
                   "9:12: workloads.w.model names no model of the scenario or the catalogue: "
                   "\"chatt\"; did you mean \"chat\"?\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("model: llama-7bn"),
                   "6:12: workloads.w.model names no model of the scenario or the catalogue: "
                   "\"llama-7bn\"; did you mean \"llama-7b\"?\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("model: q"),
                   "6:12: workloads.w.model names no model of the scenario or the catalogue: \"q\" "
                   "(`headroom catalog models` lists those)\n");
    fixture_refuse(*state, FIXTURE_HEAD "models: [m]\n" FIXTURE_CLUSTER WORK("model: m"),
                   "3:9: models must be a map, not a list\n");
    /* A model with a mistake in it is a model. */
    fixture_refuse(*state,
                   FIXTURE_HEAD "models: {m: {memory: 3}}\n" FIXTURE_CLUSTER WORK("model: m"),
                   "3:22: models.m.memory must be a size such as 512MiB, 14GB or 80GiB, not \"3\" "
                   "(a number needs its unit)\n");
}

static void test_memory_that_grows(void **state) {
    const struct model_spec *needs = accept_needs(
        *state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("memory: {start: 6GB, growth: 36MB/h}"));
    assert_true(needs->memory.start.given[0] == 6e9);
    assert_true(needs->memory.growth_per_s == 1e4); /* 36e6 / 3600 */
    needs =
        accept_needs(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK(
                                 "memory: {start: {uniform: [1GB, 2GB]}}, memory_policy: strict"));
    assert_string_equal(needs->memory.start.kind->name, "uniform");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("memory: {growth: 50MB}"),
                   "6:13: workloads.w.memory needs the key \"start\" (what it takes when it is "
                   "placed)\n"
                   "6:22: workloads.w.memory.growth must be bytes per time such as 4GB/s, "
                   "500MiB/s or 50MB/h, not \"50MB\"\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("memory_policy: soft"),
                   "6:20: workloads.w.memory_policy must be overflow or strict, not \"soft\"\n");
}

static void test_speeds_on_profiles(void **state) {
    const struct model_spec *needs = accept_needs(
        *state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("speed: {T4: 0.2, 3G.40gb: 0.6, 1g.10gb+me: 1}"));
    assert_int_equal(needs->speed_count, 3);
    assert_null(needs->speeds[0].profile);
    assert_int_equal(needs->speeds[1].gpu, -1);
    assert_string_equal(needs->speeds[1].profile, "3g.40gb");
    assert_true(needs->speeds[1].factor == 0.6);
    assert_string_equal(needs->speeds[2].profile, "1g.10gb+me");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("speed: {3g.40gb: 1, 3G.40GB: 1}"),
                   "6:25: the speed on 3g.40gb is given twice\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("speed: {3g.41gb: 1}"),
                   "6:13: workloads.w.speed must be the name of a MIG profile such as 2g.20gb, not "
                   "\"3g.41gb\" (did you mean 3g.40gb?)\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("speed: fast"),
                   "6:12: workloads.w.speed must be measured, catalogue, or a map of GPUs and MIG "
                   "profiles such as {T4-16GB: 0.2, 3g.40gb: 0.6}, not \"fast\"\n");
    fixture_refuse(*state,
                   FIXTURE_HEAD
                   "models: {m: {speed: {A100-SXM4-80GB: 2}}}\n" FIXTURE_CLUSTER WORK("model: m"),
                   "3:38: A100-SXM4-80GB is the reference GPU, on which the speed is 1\n");
}

/* The row of a GPU of the test's own copy of the catalogue. */
static struct gpu_model *gpu_named(struct fixture *fixture, const char *name) {
    for (size_t i = 0; i < fixture->catalogue->gpu_count; i++) {
        if (strcmp(fixture->catalogue->gpus[i].name, name) == 0) {
            return &fixture->catalogue->gpus[i];
        }
    }
    fail_msg("no %s", name);
    return NULL;
}

#define TWO_POOLS                                                                                  \
    "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8}, t: {gpu: T4, nodes: " \
    "1, gpus_per_node: 8}}}\n"

static void test_speed_by_the_catalogue(void **state) {
    struct fixture *fixture = *state;
    struct gpu_model *t4 = gpu_named(fixture, "T4-16GB");
    int sms = t4->sms;
    t4->sms = 40;
    fixture_accept(fixture, FIXTURE_HEAD TWO_POOLS WORK("speed: catalogue"));
    t4->sms = 0;
    fixture_refuse(fixture, FIXTURE_HEAD TWO_POOLS WORK("speed: catalogue"),
                   "5:3: workload w takes its speed on T4-16GB (pool t) from the catalogue, which "
                   "does not know how many SMs T4-16GB has: write `speed: {T4-16GB: FACTOR}`, its "
                   "speed there over that on A100-SXM4-80GB\n");
    t4->sms = sms;
}

#define MIG_POOL(layout)                                                                           \
    "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8, sharing: {mode: mig, " \
    "layout: " layout "}}}}\n"

/* A slice follows the saturation, by its SMs and the GPU's. */
static void test_slices_of_unknown_size(void **state) {
    struct fixture *fixture = *state;
    struct gpu_model *a100 = gpu_named(fixture, "A100-SXM4-80GB");
    int sms = a100->sms;
    fixture_accept(fixture, FIXTURE_HEAD MIG_POOL("[3g.40gb]") WORK("memory: 1GB"));
    a100->sms = 0;
    fixture_refuse(fixture, FIXTURE_HEAD MIG_POOL("[3g.40gb, 1g.10gb]") WORK("memory: 20GB"),
                   "5:3: workload w may run on a 3g.40gb of A100-SXM4-80GB (pool a), where its "
                   "speed is not known, because the catalogue lacks SMs: add `speed: {3g.40gb: "
                   "FACTOR}`, its speed there over that on the whole GPU, or say which `slot` it "
                   "takes\n");
    /* Too small an instance, another slot, and gangs, which MIG does not take, need none. */
    fixture_accept(fixture, FIXTURE_HEAD MIG_POOL("[3g.40gb, 1g.10gb]")
                                WORK("memory: 20GB, speed: {3g.40gb: 0.6}"));
    fixture_accept(fixture, FIXTURE_HEAD MIG_POOL("[3g.40gb, 1g.10gb]")
                                WORK("slot: 1g.10gb, speed: {1g.10gb: 0.2}"));
    fixture_accept(fixture, FIXTURE_HEAD MIG_POOL("[3g.40gb]") WORK("gpus: 2"));
    fixture_accept(fixture, FIXTURE_HEAD MIG_POOL("[3g.40gb]") WORK("isolation: full"));
    fixture_refuse(fixture,
                   FIXTURE_HEAD "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 1, "
                                "gpus_per_node: 8, sharing: {mode: mig, dynamic: true}}}}\n" WORK(
                                    "slot: 7g.80gb"),
                   "5:3: workload w may run on a 7g.80gb of A100-SXM4-80GB (pool a), where its "
                   "speed is not known, because the catalogue lacks SMs: add `speed: {7g.80gb: "
                   "FACTOR}`, its speed there over that on the whole GPU, or say which `slot` it "
                   "takes\n");
    a100->sms = sms;
}

#define SERVE                                                                                      \
    "workloads: {w: {kind: service, arrivals: {poisson: 1/s}, service_time: 1s, model: "           \
    "bert-base, speed: measured}}\n"

/* The tables have inference of bert on 1 slice of 7, but no training on it. */
static void test_measured_speeds(void **state) {
    static const char missing[] =
        "5:3: workload w may run on a 1g.10gb of A100-SXM4-80GB (pool a), but the tables of "
        "measured speeds have no training of bert there: write `speed: {1g.10gb: FACTOR, ...}` "
        "instead, or say which `slot` it takes\n";
    fixture_accept(*state, FIXTURE_HEAD MIG_POOL("[1g.10gb]") SERVE);
    fixture_refuse(*state,
                   FIXTURE_HEAD MIG_POOL("[1g.10gb]") WORK("model: bert-base, speed: measured"),
                   missing);
    fixture_accept(*state, FIXTURE_HEAD MIG_POOL("[1g.10gb]")
                               WORK("model: bert-base, speed: {1g.10gb: 0.1}"));
    /* Wherever GPUs are not cut, there is nothing to measure. */
    fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("model: bert-base, speed: measured"));
    /* A quarter of an A30 is not a seventh of an A100. */
    fixture_refuse(*state,
                   FIXTURE_HEAD "cluster: {pools: {a: {gpu: A30, nodes: 1, gpus_per_node: 8, "
                                "sharing: {mode: mig, layout: [1g.6gb]}}}}\n" SERVE,
                   "4:13: workload w may run on a 1g.6gb of A30-24GB (pool a), but the tables of "
                   "measured speeds have no inference of bert there: write `speed: {1g.6gb: "
                   "FACTOR, ...}` instead, or say which `slot` it takes\n");
}

static void test_names_in_the_tables(void **state) {
    fixture_refuse(*state,
                   FIXTURE_HEAD FIXTURE_CLUSTER WORK("speed: measured, measured_as: resnet51"),
                   "6:35: the tables of measured speeds have no model \"resnet51\": did you mean "
                   "\"resnet50\"?\n");
    struct fixture *fixture = *state;
    assert_null(fixture_read(fixture, FIXTURE_HEAD FIXTURE_CLUSTER WORK("speed: measured")));
    assert_int_equal(fixture->errors.count, 1);
    assert_int_equal(fixture->errors.items[0].line, 6);
    assert_int_equal(fixture->errors.items[0].column, 12);
    assert_non_null(
        strstr(fixture->errors.items[0].message, "needs `measured_as`, its name there: bert, "));
}

/* Measured speeds are of slices, so another GPU still needs a factor. */
static void test_measured_speeds_say_nothing_of_other_gpus(void **state) {
    fixture_refuse(*state, FIXTURE_HEAD TWO_POOLS WORK("model: bert-base, speed: measured"),
                   "5:3: workload w may run on T4-16GB (pool t), where its speed is not known: add "
                   "`speed: {T4-16GB: FACTOR}`, its speed there over that on A100-SXM4-80GB, or "
                   "`speed: catalogue` for an estimate, or list the `pools` it may run in\n");
}

static void test_shares_of_a_gpu(void **state) {
    const struct workload_spec *w =
        fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("gpus: 0.5"))->workloads;
    assert_true(w->fraction == 0.5 && w->gpus.given[0] == 1 && w->compute == 0);
    w = fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("compute: 40%, memory: 1GB"))
            ->workloads;
    assert_true(w->fraction == 0 && w->compute == 0.4);
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("gpus: 1.5"),
                   "6:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not 1.5\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("gpus: 0"),
                   "6:11: workloads.w.gpus must give whole numbers from 1 to 640000000, not 0\n");
    fixture_refuse(
        *state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("gpus: 0.5, compute: 40%"),
        "6:16: workload w asks for a share of a GPU twice, by gpus and by compute: leave "
        "one out\n");
    fixture_refuse(
        *state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("gpus: {choice: {1: 0.5, 4: 0.5}}, compute: 1"),
        "6:39: compute is a share of one GPU, but jobs of workload w ask for up to 4\n");
    fixture_refuse(*state, FIXTURE_HEAD FIXTURE_CLUSTER WORK("gpus: 0.5, slot: gpu"),
                   "6:16: workload w asks for a part of a GPU (gpus: 0.5), but insists on a whole "
                   "one\n");
    fixture_refuse(*state, FIXTURE_HEAD MIG_POOL("[3g.40gb]") WORK("gpus: 2, slot: 3g.40gb"),
                   "6:14: jobs of several GPUs take whole ones, so those of workload w cannot run "
                   "on MIG instances\n");
}

static void test_tenants(void **state) {
    const struct scenario *s =
        fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER
                       "workloads:\n"
                       "  a: {kind: jobs, trace: {file: x}, count: 2}\n"
                       "  b: {kind: jobs, trace: {file: x}, tenant: red, isolation: weak}\n");
    assert_string_equal(s->workloads[0].tenant, "a-1");
    assert_string_equal(s->workloads[1].tenant, "a-2");
    assert_string_equal(s->workloads[2].tenant, "red");
    assert_int_equal(s->workloads[0].isolation, ISOLATION_NONE);
    assert_int_equal(s->workloads[2].isolation, ISOLATION_WEAK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_a_workload_takes_what_its_model_says),
        cmocka_unit_test(test_its_own_keys_come_first),
        cmocka_unit_test(test_models_of_the_catalogue),
        cmocka_unit_test(test_unknown_models),
        cmocka_unit_test(test_memory_that_grows),
        cmocka_unit_test(test_speeds_on_profiles),
        cmocka_unit_test(test_speed_by_the_catalogue),
        cmocka_unit_test(test_slices_of_unknown_size),
        cmocka_unit_test(test_measured_speeds),
        cmocka_unit_test(test_names_in_the_tables),
        cmocka_unit_test(test_measured_speeds_say_nothing_of_other_gpus),
        cmocka_unit_test(test_shares_of_a_gpu),
        cmocka_unit_test(test_tenants),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
