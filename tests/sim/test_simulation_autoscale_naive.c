/* Pools with an autoscaler against a stepper that looks at every job and every place of every node
 * at each instant: random jobs on parts of nodes, on whole GPUs, shares and instances, start at the
 * same nanosecond, and as much of the pool is down, idle and paid for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/kernel/stream.h"
#include "tests/support/naive_autoscale.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

enum { JOBS = NAIVE_SCALE_JOBS, TRIALS = 150, MOST_GPUS = 4 };
static const int64_t GIB = INT64_C(1) << 30;

/* How the GPUs of a pool are shared. */
enum sharing { WHOLE, SHARES, INSTANCES, SHARING_COUNT };

struct trial {
    struct naive_scale naive;
    enum sharing sharing;
    int32_t per_node;
    struct sharing_spec shared;
    struct layout_item layout[2];
};

static sim_time between(struct stream *draws, double least_s, double most_s) {
    return sim_time_from_seconds(least_s + (most_s - least_s) * stream_uniform(draws));
}

static int32_t up_to(struct stream *draws, int32_t least, int32_t most) {
    return least + (int32_t)(stream_uniform(draws) * (most - least + 1));
}

/* What a job asks for: whole GPUs, or a place with more or less memory. */
static void draw_ask(const struct trial *trial, struct stream *draws, struct naive_scale_job *job) {
    bool part = trial->sharing != WHOLE && up_to(draws, 0, 3) > 0;
    if (trial->sharing == INSTANCES) {
        job->memory = up_to(draws, 0, 2) == 0 ? 30 * GIB : 10 * GIB; /* the 3g alone, or any */
    } else if (part) {
        job->memory = up_to(draws, 0, 1) == 0 ? 35 * GIB : 10 * GIB; /* 2 or all on a GPU */
    } else {
        job->gpus = up_to(draws, 1, trial->per_node);
    }
}

static void draw_jobs(struct trial *trial, struct stream *draws) {
    sim_time submit = 0;
    for (int j = 0; j < JOBS; j++) {
        submit += between(draws, 0, up_to(draws, 0, 5) == 0 ? 60 : 5) + 1;
        struct naive_scale_job *job = &trial->naive.jobs[j];
        *job = (struct naive_scale_job){
            .submit = submit, .duration = between(draws, 1, 30), .start = -1};
        draw_ask(trial, draws, job);
    }
}

static void draw_trial(struct trial *trial, struct stream *draws) {
    struct naive_scale *naive = &trial->naive;
    struct error error;
    double shortest = 1e9 * up_to(draws, 0, 20);
    naive->nodes = up_to(draws, 1, NAIVE_SCALE_NODES);
    naive->most = up_to(draws, 1, naive->nodes);
    naive->least = up_to(draws, 0, naive->most);
    naive->idle_time = between(draws, 0, 40);
    naive->provision_time =
        (struct distribution){.kind = distribution_find("uniform"),
                              .given = {shortest, shortest + 1e9 * up_to(draws, 1, 40)}};
    assert_true(distribution_prepare(&naive->provision_time, &error));
    naive->strict = up_to(draws, 0, 1) == 0;
    trial->per_node = up_to(draws, 1, MOST_GPUS);
    draw_jobs(trial, draws);
}

/* --- The pool --- */

static void add_cell(struct trial *trial, int32_t places, int64_t memory_mib, double gpus) {
    assert_true(trial->naive.cell_count < NAIVE_SCALE_CELLS);
    trial->naive.cells[trial->naive.cell_count++] =
        (struct naive_scale_cell){places, memory_mib * (GIB / 1024), gpus};
}

/* A 3g and two 2g. */
static void cut(struct trial *trial, struct pool_spec *pool, const struct gpu_model *gpu) {
    static const char *const names[] = {"3g.40gb", "2g.20gb"};
    for (int i = 0; i < 2; i++) {
        int row = 0;
        while (strcmp(gpu->profiles[row].name, names[i]) != 0) {
            row++;
        }
        trial->layout[i] = (struct layout_item){.profile_row = row, .count = 1 + i};
        for (int32_t k = 0; k < trial->per_node * (1 + i); k++) {
            const struct mig_profile *profile = &gpu->profiles[row];
            add_cell(trial, 1, profile->memory_mib, (double)profile->sms / gpu->sms);
        }
    }
    trial->naive.stranded_gpus = trial->per_node;
    for (int32_t c = 0; c < trial->naive.cell_count; c++) {
        trial->naive.stranded_gpus -= trial->naive.cells[c].gpus;
    }
    trial->shared.layout = trial->layout;
    trial->shared.layout_count = 2;
    pool->sharing.index = SHARING_MIG;
}

static void share(struct trial *trial, struct sim_case *sim_case, struct pool_spec *pool,
                  struct stream *draws) {
    const struct gpu_model *gpu = &sim_case->catalogue->gpus[pool->gpu];
    int32_t places = up_to(draws, 3, 5);
    pool->sharing.options = &trial->shared;
    if (trial->sharing == INSTANCES) {
        cut(trial, pool, gpu);
        return;
    }
    for (int32_t g = 0; g < trial->per_node; g++) {
        add_cell(trial, trial->sharing == WHOLE ? 1 : places, gpu->memory_mib, 1);
    }
    if (trial->sharing == SHARES) {
        pool->sharing.index = SHARING_MPS;
        trial->shared.clients = places;
        trial->shared.thread_percentage = 1;
    }
}

static void write_trace(const struct naive_scale *naive, char *text, size_t size, bool part) {
    size_t used = (size_t)snprintf(text, size, "job_id,submit_s,gpus,duration_s,memory_gib\n");
    for (int j = 0; j < JOBS; j++) {
        const struct naive_scale_job *job = &naive->jobs[j];
        if (part != (job->gpus == 0)) {
            continue;
        }
        used += (size_t)snprintf(
            text + used, size - used, "%d,%lld.%09lld,%d,%lld.%09lld,%lld\n", j,
            (long long)(job->submit / NANOSECONDS_PER_SECOND),
            (long long)(job->submit % NANOSECONDS_PER_SECOND), part ? 1 : (int)job->gpus,
            (long long)(job->duration / NANOSECONDS_PER_SECOND),
            (long long)(job->duration % NANOSECONDS_PER_SECOND), (long long)(job->memory / GIB));
        assert_true(used < size);
    }
}

static void add_work(const struct trial *trial, struct sim_case *sim_case, bool part) {
    static char text[JOBS * 64 + 64];
    bool any = false;
    for (int j = 0; j < JOBS; j++) {
        any |= part == (trial->naive.jobs[j].gpus == 0);
    }
    if (any) {
        write_trace(&trial->naive, text, sizeof text, part);
        struct workload_spec *workload = sim_case_workload(sim_case, part ? "part" : "whole", text);
        workload->slot = part ? SLOT_ANY : SLOT_GPU;
        workload->needs.saturation = 1e-6; /* as fast beside others */
    }
}

/* --- Comparing --- */

static void expect_near(int trial, const char *what, double value, double expected) {
    if (!(fabs(value - expected) <= 1e-6)) {
        fail_msg("trial %d: %s is %.12g instead of %.12g", trial, what, value, expected);
    }
}

static double gpu_seconds(const struct sim_case *sim_case, enum gpu_category category) {
    double sum = 0;
    for (size_t i = 0; i < sim_case->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &sim_case->results.gpu_hours[i];
        sum += entry->category == category ? entry->hours * 3600 : 0;
    }
    return sum;
}

static void compare(int trial, const struct sim_case *sim_case, const struct naive_scale *naive) {
    for (int j = 0; j < JOBS; j++) {
        char id[16];
        snprintf(id, sizeof id, "%d", j);
        sim_time start =
            recording_job(&sim_case->recording, naive->jobs[j].gpus > 0 ? "whole" : "part", id)
                ->start;
        if (start != naive->jobs[j].start) {
            fail_msg("trial %d: job %d starts at %lld instead of %lld", trial, j, (long long)start,
                     (long long)naive->jobs[j].start);
        }
    }
    expect_near(trial, "down", gpu_seconds(sim_case, GPU_DOWN), naive->down);
    expect_near(trial, "idle", gpu_seconds(sim_case, GPU_IDLE), naive->idle);
    expect_near(trial, "the bill", results_metric(&sim_case->results, SCOPE_RUN, "", "usd_total"),
                naive->used + naive->down + naive->idle + naive->stranded);
    expect_near(trial, "orders", results_metric(&sim_case->results, SCOPE_RUN, "", "nodes_ordered"),
                naive->orders);
}

static void try_out(int number, enum sharing sharing) {
    struct stream draws;
    struct sim_case sim_case;
    struct trial trial = {.sharing = sharing};
    struct naive_scale *naive = &trial.naive;
    stream_initialize(&draws, (uint64_t)(number * SHARING_COUNT) + sharing, 0,
                      "trials of an autoscaler");
    draw_trial(&trial, &draws);
    sim_case_initialize(&sim_case);
    struct pool_spec *pool =
        sim_case_pool(&sim_case, "p", "A100-SXM4-80GB", naive->nodes, trial.per_node);
    share(&trial, &sim_case, pool, &draws);
    pool->price = (struct price_spec){.given = true, .per_gpu_hour = 3600, .currency = "USD"};
    pool->outages.autoscale = (struct autoscale_spec){.given = true,
                                                      .least = naive->least,
                                                      .most = naive->most,
                                                      .provision_time = naive->provision_time,
                                                      .idle_time = naive->idle_time};
    add_work(&trial, &sim_case, true);
    add_work(&trial, &sim_case, false);
    sim_case_rules(&sim_case, "fifo", naive->strict ? "none" : "skip", "first_fit");
    sim_case_run_to_end(&sim_case);
    stream_initialize(&naive->stream, sim_case.scenario.seed, 0, "autoscaler of pool p");
    naive_scale_run(naive);
    compare(number, &sim_case, naive);
    sim_case_terminate(&sim_case);
}

static void a_stepper_agrees(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (int sharing = 0; sharing < SHARING_COUNT; sharing++) {
            try_out(trial, (enum sharing)sharing);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stepper_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
