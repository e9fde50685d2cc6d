#include "tests/support/scenario_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/kernel/memory.h"
#include "tests/support/unit.h"

static void fail_with(const struct error *error) {
    char text[2048];
    fail_msg("%s", error_format(error, text, sizeof text));
}

static struct scenario_file *open_text(const char *folder, const char *text,
                                       const struct reader_context *context) {
    char path[512];
    snprintf(path, sizeof path, "%s/headroom-scenario-XXXXXX", folder);
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    assert_int_equal(close(descriptor), 0);
    struct error_list errors = {0};
    struct scenario_file *file = scenario_file_open(path, context, &errors);
    assert_int_equal(unlink(path), 0);
    if (file == NULL) {
        fail_with(&errors.items[0]);
    }
    error_list_clear(&errors);
    return file;
}

static struct scenario *resolve(const struct scenario_file *file, const char *variant) {
    struct error_list errors = {0};
    struct scenario *scenario = scenario_file_resolve(file, NULL, 0, variant, &errors);
    if (scenario == NULL) {
        fail_with(&errors.items[0]);
    }
    error_list_clear(&errors);
    return scenario;
}

static struct trace **prepare_traces(const struct scenario *scenario) {
    struct trace **traces = memory_zero(scenario->workload_count, sizeof(struct trace *));
    for (size_t i = 0; i < scenario->workload_count; i++) {
        struct error error = {.message = ""};
        const struct workload_spec *workload = &scenario->workloads[i];
        if (!workload->has_trace) {
            continue;
        }
        traces[i] = trace_prepare(workload, scenario->has_start, scenario->start, &error);
        if (traces[i] == NULL) {
            fail_with(&error);
        }
    }
    return traces;
}

void scenario_run_text(struct scenario_run *run, const char *folder, const char *text,
                       const char *variant, uint64_t replication) {
    struct error error = {.message = ""};
    *run = (struct scenario_run){.file = NULL};
    language_create(&run->language);
    run->file = open_text(folder, text, &run->language.context);
    run->scenario = resolve(run->file, variant);
    run->traces = prepare_traces(run->scenario);
    struct recorder recorder = recording_recorder(&run->recording);
    struct run_request request = {.scenario = run->scenario,
                                  .traces = run->traces,
                                  .seed = run->scenario->seed,
                                  .replication = replication};
    if (simulation_run(&request, &recorder, &run->results, &error) != RUN_DONE) {
        fail_with(&error);
    }
}

void scenario_run_clear(struct scenario_run *run) {
    recording_clear(&run->recording);
    results_clear(&run->results);
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        trace_destroy(run->traces[i]);
    }
    free(run->traces);
    scenario_destroy(run->scenario);
    scenario_file_close(run->file);
    language_destroy(&run->language);
}
