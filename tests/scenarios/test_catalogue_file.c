/* `catalogue: FILE`: what a file adds to the program's catalogue, what it changes, what is refused.
 */
#include <math.h>

#include "scenarios/catalogue_file.h"
#include "tests/scenarios/language_fixture.h"

/* A fixture with a second file beside the scenario's. */
static void catalogue_path(const struct fixture *fixture, char path[128]) {
    snprintf(path, 128, "%s/c.yaml", fixture->folder);
}

static void write_catalogue(const struct fixture *fixture, const char *text) {
    char path[128];
    catalogue_path(fixture, path);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    assert_int_equal(fclose(stream), 0);
}

static int setup(void **state) {
    *state = fixture_create();
    return 0;
}

static int teardown(void **state) {
    char path[128];
    catalogue_path(*state, path);
    unlink(path);
    fixture_destroy(*state);
    return 0;
}

#define SCENARIO(gpu)                                                                              \
    FIXTURE_HEAD "catalogue: c.yaml\ncluster: {pools: {a: {gpu: " gpu                              \
                 ", nodes: 2, gpus_per_node: 8}}}\n" FIXTURE_WORK

static const struct gpu_model *pool_gpu(const struct scenario *scenario) {
    return &scenario->catalogue->gpus[scenario->pools[0].gpu];
}

static void test_without_the_key_it_is_the_programs(void **state) {
    struct fixture *fixture = *state;
    assert_ptr_equal(fixture_accept(fixture, FIXTURE_VALID)->catalogue, fixture->catalogue);
}

static void test_a_new_gpu(void **state) {
    struct fixture *fixture = *state;
    write_catalogue(fixture, "gpus:\n"
                             "  X100-64GB:\n"
                             "    source: our lab, 2026-10-03\n"
                             "    memory: 64GiB\n"
                             "    sms: 100\n"
                             "    power: {idle: 49.5W, limit: 0.5kW}\n"
                             "    price: {usd_per_gpu_hour: 1.25, provider: us, date: 2026-10}\n"
                             "    mig:\n"
                             "      compute_slices: 4\n"
                             "      memory_units: 4\n"
                             "      profiles:\n"
                             "        1g.16gb: {id: 3, slices: 1, units: 1, memory: 15GiB, sms: "
                             "24, max_instances: 4, starts: [0, 1, 2, 3]}\n"
                             "        2g.32gb+me: {id: 4, slices: 2, units: 2, max_instances: 1, "
                             "starts: [0, 2]}\n");
    const struct scenario *scenario = fixture_accept(fixture, SCENARIO("x100"));
    const struct gpu_model *gpu = pool_gpu(scenario);
    assert_int_equal(scenario->catalogue->gpu_count, fixture->catalogue->gpu_count + 1);
    assert_string_equal(gpu->name, "X100-64GB");
    assert_int_equal(gpu->memory_mib, 65536);
    assert_string_equal(gpu->memory.source, "our lab, 2026-10-03");
    assert_true(provenance_verified(&gpu->memory));
    assert_int_equal(gpu->sms, 100);
    assert_true(gpu->idle_watts == 49.5);
    assert_true(gpu->limit_watts == 500);
    assert_int_equal(gpu->compute_slices, 4);
    assert_int_equal(gpu->memory_units, 4);
    assert_false(gpu->mig_mode_needs_reset);
    assert_int_equal(gpu->profile_count, 2);
    assert_string_equal(gpu->profiles[0].name, "1g.16gb");
    assert_int_equal(gpu->profiles[0].memory_mib, 15360);
    assert_int_equal(gpu->profiles[0].sms, 24);
    assert_int_equal(gpu->profiles[0].starts, 0xf);
    assert_int_equal(gpu->profiles[0].decoders, -1);
    assert_int_equal(gpu->profiles[1].starts, 5);
    assert_int_equal(gpu->profiles[1].sms, 0);
    const struct list_price *price = catalogue_price(scenario->catalogue, scenario->pools[0].gpu);
    assert_true(price->usd_per_gpu_hour == 1.25);
    assert_string_equal(price->provider, "us");
    /* The program's own is as it was. */
    assert_int_equal(catalogue_find_gpu(fixture->catalogue, "X100-64GB", NULL, 0, &(size_t){0}),
                     CATALOGUE_UNKNOWN);
}

static void test_a_gpu_of_the_catalogue_is_changed(void **state) {
    struct fixture *fixture = *state;
    write_catalogue(fixture, "gpus: {a100-sxm4-80gb: {source: a contract, power: {idle: 60W}, "
                             "price: {usd_per_gpu_hour: 1.1}}}\n");
    const struct scenario *scenario = fixture_accept(fixture, SCENARIO("A100-SXM4-80GB"));
    const struct gpu_model *gpu = pool_gpu(scenario);
    const struct gpu_model *before = &fixture->catalogue->gpus[scenario->pools[0].gpu];
    assert_int_equal(scenario->catalogue->gpu_count, fixture->catalogue->gpu_count);
    assert_string_equal(gpu->name, "A100-SXM4-80GB");
    assert_true(gpu->idle_watts == 60);
    assert_true(catalogue_price(scenario->catalogue, scenario->pools[0].gpu)->usd_per_gpu_hour ==
                1.1);
    /* What is not given stays, with its source. */
    assert_true(gpu->limit_watts == before->limit_watts);
    assert_int_equal(gpu->memory_mib, before->memory_mib);
    assert_ptr_equal(gpu->memory.source, before->memory.source);
    assert_ptr_equal(gpu->profiles, before->profiles);
    assert_true(before->idle_watts != 60);
}

static void test_models(void **state) {
    struct fixture *fixture = *state;
    write_catalogue(fixture, "models:\n"
                             "  ours: {source: a test, memory: 5GB, measured_as: ResNet50}\n"
                             "  llama-7b: {source: with its cache, memory: 20GB}\n"
                             "  whisper: {source: a guess, measured_as: gnn}\n");
    const struct catalogue *catalogue =
        fixture_accept(fixture, SCENARIO("A100-SXM4-80GB"))->catalogue;
    const struct model_profile *ours = catalogue_find_model(catalogue, "ours");
    assert_int_equal(ours->memory_bytes, 5000000000);
    assert_string_equal(ours->measured_as, "resnet50");
    assert_string_equal(ours->provenance.source, "a test");
    assert_int_equal(catalogue_find_model(catalogue, "llama-7b")->memory_bytes, 20000000000);
    assert_int_equal(catalogue_find_model(catalogue, "whisper")->memory_bytes, 3000000000);
    assert_string_equal(catalogue_find_model(catalogue, "whisper")->measured_as, "gnn");
    assert_int_equal(catalogue_find_model(fixture->catalogue, "llama-7b")->memory_bytes,
                     14000000000);
    assert_null(catalogue_find_model(fixture->catalogue, "ours"));
}

static void test_set_and_variants(void **state) {
    struct fixture *fixture = *state;
    static const char text[] =
        FIXTURE_HEAD "cluster: {pools: {a: {gpu: X1-8GB, nodes: 2, gpus_per_node: 8}}}\n"
                     "workloads: {w: {kind: jobs, arrivals: {poisson: 12/h}, duration: 2h}}\n"
                     "variants: {own: {catalogue: c.yaml}}\n";
    write_catalogue(fixture, "gpus: {X1-8GB: {source: s, memory: 8GB}}\n");
    const char *set = "catalogue=c.yaml";
    assert_null(fixture_resolve(fixture, text, NULL, 0, NULL));
    assert_non_null(fixture_resolve(fixture, text, &set, 1, NULL));
    assert_string_equal(pool_gpu(fixture->scenario)->name, "X1-8GB");
    assert_non_null(fixture_resolve(fixture, text, NULL, 0, "own"));
}

/* A byte more in the file is another input. */
static void test_the_bytes_count_as_input(void **state) {
    struct fixture *fixture = *state;
    char first[4096];
    write_catalogue(fixture, "gpus: {}\n");
    snprintf(first, sizeof(first), "%s",
             fixture_accept(fixture, SCENARIO("A100-SXM4-80GB"))->canonical);
    assert_non_null(strstr(first, "\"files\":{\"c.yaml\":\""));
    assert_string_equal(fixture_accept(fixture, SCENARIO("A100-SXM4-80GB"))->canonical, first);
    write_catalogue(fixture, "gpus: {} \n");
    assert_string_not_equal(fixture_accept(fixture, SCENARIO("A100-SXM4-80GB"))->canonical, first);
}

/* Exactly these errors, as "FILE:L:C: message", files without their folder. */
static void expect_errors(const struct fixture *fixture, const char *expected) {
    char text[8192] = "";
    size_t folder = strlen(fixture->folder) + 1;
    for (size_t i = 0; i < fixture->errors.count; i++) {
        const struct error *error = &fixture->errors.items[i];
        char *at = strstr(error->message, fixture->folder);
        char message[1024];
        snprintf(message, sizeof(message), "%.*s%s",
                 at != NULL ? (int)(at - error->message) : (int)strlen(error->message),
                 error->message, at != NULL ? at + folder : "");
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s:%d:%d: %s\n", error->file + folder,
                 error->line, error->column, message);
    }
    assert_string_equal(text, expected);
}

static void refuse(struct fixture *fixture, const char *catalogue, const char *expected) {
    write_catalogue(fixture, catalogue);
    assert_null(fixture_read(fixture, SCENARIO("X1-8GB")));
    expect_errors(fixture, expected);
}

static void test_a_file_that_is_not_there(void **state) {
    struct fixture *fixture = *state;
    /* The GPU may be one of the file's: nothing is said of it. */
    assert_null(fixture_read(fixture, SCENARIO("X1-8GB")));
    expect_errors(fixture,
                  "s.yaml:3:12: catalogue: cannot open c.yaml: No such file or directory\n");
    const char *sets[] = {"catalogue=\"-\""};
    assert_null(fixture_resolve(fixture, FIXTURE_VALID, sets, 1, NULL));
    assert_string_equal(fixture->errors.items[0].message,
                        "catalogue must name a file: standard input cannot be read more than once");
    sets[0] = "catalogue=/dev/zero";
    assert_null(fixture_resolve(fixture, FIXTURE_VALID, sets, 1, NULL));
    assert_string_equal(fixture->errors.items[0].message,
                        "catalogue: cannot open /dev/zero: it is a device");
    sets[0] = "catalogue={}";
    assert_null(fixture_resolve(fixture, FIXTURE_VALID, sets, 1, NULL));
    assert_string_equal(fixture->errors.items[0].message,
                        "catalogue must be the name of a file, not a map");
}

static void test_mistakes_of_form(void **state) {
    refuse(*state, "",
           "c.yaml:0:0: there is nothing in the file: a catalogue has the keys gpus and models\n");
    refuse(*state, "[1]\n",
           "c.yaml:1:1: the catalogue must be a map with the keys gpus, models, not a list\n");
    refuse(*state, "gpu: {}\n",
           "c.yaml:1:1: unknown key \"gpu\" in the catalogue: did you mean \"gpus\"?\n");
    refuse(*state, "gpus: {X1-8GB: {memory: 8}}\n",
           "c.yaml:1:16: gpus.X1-8GB needs the key \"source\" (where the figures of this entry are "
           "from)\n"
           "c.yaml:1:25: gpus.X1-8GB.memory must be a size such as 512MiB, 14GB or 80GiB, not "
           "\"8\" (a number needs its unit)\n");
    refuse(*state, "gpus: {X1-8GB: {source: s, memory: 8GB, power: {limit: 40}}}\n",
           "c.yaml:1:56: gpus.X1-8GB.power.limit must be a power such as 49.7W or 1.2kW, not "
           "\"40\" (a number needs its unit)\n");
    refuse(*state, "gpus: {X1-8GB: {source: s, memory: 8GB, sms: 0}}\n",
           "c.yaml:1:46: gpus.X1-8GB.sms must be from 1 to 100000, not \"0\"\n");
    refuse(*state, "gpus:\n  X1-8GB: {source: s\n", "c.yaml:2:11: this \"{\" is never closed\n");
}

static void test_mistakes_of_figures(void **state) {
    refuse(*state, "gpus: {X1-8GB: {source: s}}\n",
           "c.yaml:1:8: X1-8GB is a new GPU and needs its memory\n");
    refuse(*state, "gpus: {X1-8GB: {source: s, memory: 8GB}, T4: {source: s, sms: 40}}\n",
           "c.yaml:1:42: T4 is a new GPU and needs its memory; to change one of the catalogue, "
           "write its full name, such as T4-16GB\n");
    refuse(*state, "gpus: {X1-8GB: {source: s, memory: 8GB, power: {idle: 50W, limit: 40W}}}\n",
           "c.yaml:1:8: X1-8GB would draw more power idle than at most\n");
    refuse(*state,
           "gpus: {X1-8GB: {source: s, memory: 8GB}}\n"
           "models: {a: {source: s}, b: {source: s, memory: 1GB, measured_as: resnet5}}\n",
           "c.yaml:2:10: a is a new model and needs its memory\n"
           "c.yaml:2:67: no speeds were measured of \"resnet5\"; did you mean \"resnet\"? "
           "(`headroom catalog models` lists whose)\n");
}

static void refuse_profiles(struct fixture *fixture, const char *profiles, const char *expected) {
    char text[1024];
    snprintf(text, sizeof(text),
             "gpus: {X1-8GB: {source: s, memory: 8GB, sms: 20, mig: {compute_slices: 2, "
             "memory_units: 4, profiles:\n{%s}}}}\n",
             profiles);
    refuse(fixture, text, expected);
}

static void test_mistakes_of_profiles(void **state) {
    refuse_profiles(*state, "half: {id: 1, slices: 1, units: 2, max_instances: 2, starts: [0]}",
                    "c.yaml:2:2: a MIG profile has a name such as 3g.40gb or 1g.10gb+me\n");
    refuse_profiles(*state, "3g.8gb: {id: 1, slices: 3, units: 2, max_instances: 2, starts: [0]}",
                    "c.yaml:2:2: 3g.8gb has 3 slices, but the GPU only 2\n");
    refuse_profiles(*state,
                    "1g.4gb: {id: 1, slices: 1, units: 2, max_instances: 2, starts: [0, 3]}",
                    "c.yaml:2:2: 1g.4gb would end beyond the GPU's 4 memory units if it began at "
                    "3\n");
    refuse_profiles(*state,
                    "1g.4gb: {id: 1, slices: 1, units: 2, sms: 21, max_instances: 2, starts: [0]}",
                    "c.yaml:2:2: 1g.4gb has 21 SMs, but the GPU only 20\n");
    refuse_profiles(
        *state, "1g.4gb: {id: 1, slices: 1, units: 2, memory: 9GB, max_instances: 2, starts: [0]}",
        "c.yaml:2:2: 1g.4gb has more memory than the GPU\n");
    refuse_profiles(*state,
                    "1g.4gb: {id: 1, slices: 1, units: 2, max_instances: 2, starts: [0]},\n"
                    "2g.8gb: {id: 1, slices: 2, units: 4, max_instances: 1, starts: [0]}",
                    "c.yaml:3:1: 2g.8gb has the id 1, as has 1g.4gb\n");
    refuse_profiles(*state, "1g.4gb: {id: 1, slices: 1, units: 2, max_instances: 2, starts: []}",
                    "c.yaml:2:65: gpus.X1-8GB.mig.profiles.\"1g.4gb\".starts needs at least one "
                    "item\n");
}

static void test_opened_alone(void **state) {
    struct fixture *fixture = *state;
    char path[128];
    catalogue_path(fixture, path);
    write_catalogue(fixture, "gpus: {X1-8GB: {source: s, memory: 8GB}}\n");
    struct scenario *scenario = catalogue_file_open(path, &fixture->context, &fixture->errors);
    assert_non_null(scenario);
    assert_int_equal(scenario->catalogue->gpu_count, fixture->catalogue->gpu_count + 1);
    scenario_destroy(scenario);
    write_catalogue(fixture, "gpus: {X1-8GB: {source: s}}\n");
    assert_null(catalogue_file_open(path, &fixture->context, &fixture->errors));
    expect_errors(fixture, "c.yaml:1:8: X1-8GB is a new GPU and needs its memory\n");
    error_list_clear(&fixture->errors);
    unlink(path);
    assert_null(catalogue_file_open(path, &fixture->context, &fixture->errors));
    expect_errors(fixture, "c.yaml:0:0: cannot open the file: No such file or directory\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_without_the_key_it_is_the_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_new_gpu, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_gpu_of_the_catalogue_is_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_models, setup, teardown),
        cmocka_unit_test_setup_teardown(test_set_and_variants, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_bytes_count_as_input, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_file_that_is_not_there, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mistakes_of_form, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mistakes_of_figures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mistakes_of_profiles, setup, teardown),
        cmocka_unit_test_setup_teardown(test_opened_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
