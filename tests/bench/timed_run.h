/* What benchmarks of whole runs share. */
#ifndef TESTS_BENCH_TIMED_RUN_H
#define TESTS_BENCH_TIMED_RUN_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/simulation.h"

/* Of this process: what others take from the machine does not count. */
static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void fail(const char *message) {
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, message);
    exit(1);
}

/* Seconds that a run of synthetic workloads takes; its results are the caller's to clear. */
static double time_run(const struct scenario *scenario, struct results *results) {
    struct trace *traces[32] = {NULL}; /* by workload */
    struct run_request request = {.scenario = scenario, .traces = traces, .seed = scenario->seed};
    struct recorder recorder = {0};
    struct error error;
    double began = seconds_now();
    if (simulation_run(&request, &recorder, results, &error) != RUN_DONE) {
        fail(error.message);
    }
    return seconds_now() - began;
}

#endif
