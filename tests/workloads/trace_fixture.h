/* What the trace tests share: a temporary folder, files written from literals, specifications with
 * the defaults of the scenario language, and everything that a pass gives. */
#ifndef TESTS_WORKLOADS_TRACE_FIXTURE_H
#define TESTS_WORKLOADS_TRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/kernel/memory.h"
#include "tests/support/spec.h"
#include "workloads/trace_format.h"
#include "workloads/work_source.h"

#define SECONDS(n) ((int64_t)((n)*1000000000LL))

enum { PATH_SIZE = 256, IDS_SIZE = 32 };

static char fixture_folder[64];

__attribute__((unused)) static int make_folder(void **state) {
    (void)state;
    strcpy(fixture_folder, "/tmp/headroom-test-XXXXXX");
    return mkdtemp(fixture_folder) == NULL ? -1 : 0;
}

__attribute__((unused)) static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf '%s'", fixture_folder);
    return system(command);
}

/* Writes a file into the folder and returns its path, which lasts until the next call. */
__attribute__((unused)) static const char *write_file(const char *name, const void *bytes,
                                                      size_t size) {
    static char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/%s", fixture_folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

__attribute__((unused)) static const char *write_text(const char *text) {
    return write_file("trace.csv", text, strlen(text));
}

__attribute__((unused)) static int format_index(const char *name) {
    for (size_t i = 0; i < trace_format_count; i++) {
        if (strcmp(trace_formats[i].choice.name, name) == 0) {
            return (int)i;
        }
    }
    fail_msg("no trace format %s", name);
    return -1;
}

/* A workload as the scenario reader would make it, with line 7, column 12 for the file's name. */
__attribute__((unused)) static struct workload_spec make_workload(const char *path,
                                                                  const char *format) {
    return (struct workload_spec){
        .name = "train",
        .enabled = true,
        .count = 1,
        .has_trace = true,
        .trace =
            {
                .file = path,
                .place = {.file = "scenario.yaml", .line = 7, .column = 12},
                .format = {.index = format_index(format)},
                .time_scale = 1,
                .origin = {.kind = MOMENT_FIRST},
            },
        .needs = test_needs(),
        .max_wait = SIM_TIME_NEVER,
    };
}

/* All jobs of a pass, with their own copies of the texts. */
struct pass {
    struct arrival *jobs;
    size_t count, capacity;
    struct trace_report report;
};

__attribute__((unused)) static void collect(struct pass *pass, struct work_source *source) {
    struct arrival job;
    while (work_source_next(source, &job)) {
        pass->jobs = memory_grow(pass->jobs, &pass->capacity, pass->count + 1, sizeof(job));
        job.id = job.id != NULL ? memory_duplicate_string(job.id) : NULL;
        job.queue = job.queue != NULL ? memory_duplicate_string(job.queue) : NULL;
        pass->jobs[pass->count++] = job;
    }
    work_source_destroy(source);
}

__attribute__((unused)) static void pass_clear(struct pass *pass) {
    for (size_t i = 0; i < pass->count; i++) {
        free((void *)(uintptr_t)pass->jobs[i].id);
        free((void *)(uintptr_t)pass->jobs[i].queue);
    }
    free(pass->jobs);
    *pass = (struct pass){0};
}

/* Prepares the trace, which must succeed, and makes one pass. The report's texts are not kept. */
__attribute__((unused)) static struct pass read_pass(const struct workload_spec *workload,
                                                     bool has_start, int64_t start) {
    struct error error = {.message = ""};
    struct trace *trace = trace_prepare(workload, has_start, start, &error);
    if (trace == NULL) {
        char text[2048];
        fail_msg("%s", error_format(&error, text, sizeof(text)));
    }
    struct pass pass = {.report = *trace_report(trace)};
    pass.report.unused_columns = NULL;
    pass.report.sha256 = NULL;
    collect(&pass, work_source_from_trace(trace, workload, 1, 0));
    trace_destroy(trace);
    return pass;
}

/* Preparing must fail with exactly this text; FOLDER in it stands for the temporary folder. */
__attribute__((unused)) static void expect_error(const struct workload_spec *workload,
                                                 const char *expected) {
    struct error error = {.message = ""};
    struct trace *trace = trace_prepare(workload, false, 0, &error);
    if (trace != NULL) {
        trace_destroy(trace);
        fail_msg("no error, expected: %s", expected);
    }
    char text[2048];
    char shown[4096] = "";
    error_format(&error, text, sizeof(text));
    char *rest = text;
    for (char *found; (found = strstr(rest, fixture_folder)) != NULL;
         rest = found + strlen(fixture_folder)) {
        strncat(shown, rest, (size_t)(found - rest));
        strcat(shown, "FOLDER");
    }
    strcat(shown, rest);
    assert_string_equal(shown, expected);
}

/* The same for a csv trace of this text, under the defaults. */
__attribute__((unused)) static void expect_csv_error(const char *text, const char *expected) {
    struct workload_spec workload = make_workload(write_text(text), "csv");
    expect_error(&workload, expected);
}

__attribute__((unused)) static struct pass read_csv(const char *text) {
    struct workload_spec workload = make_workload(write_text(text), "csv");
    return read_pass(&workload, false, 0);
}

#endif
