/* Pools with an autoscaler against a stepper that looks at every job and node at each instant:
 * random jobs on parts of nodes start at the same nanosecond, and as much of the pool is down,
 * idle and paid for. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/kernel/stream.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"
#include "workloads/draws.h"

enum { JOBS = 60, NODES = 8, TRIALS = 200 };

struct naive_job {
    int32_t gpus;
    sim_time submit;
    sim_time duration;
    sim_time start; /* -1: not yet */
    int32_t node;
};

enum node_state { GONE, ORDERED, UP };

struct naive_node {
    enum node_state state;
    int32_t free;
    sim_time up_at;
    sim_time idle_since;
    int turn;  /* of those idle since one instant, the first goes first */
    bool kept; /* it was to go, and could not */
};

struct naive {
    struct autoscale_spec spec;
    bool strict; /* nobody overtakes */
    int32_t nodes;
    int32_t per_node;
    sim_time now;
    struct naive_job jobs[JOBS];
    struct naive_node node[NODES];
    struct stream stream;
    int turns;
    int orders;
    double down;
    double idle;
};

static sim_time earlier(sim_time a, sim_time b) {
    return a < b ? a : b;
}

static bool runs(const struct naive *naive, const struct naive_job *job) {
    return job->start >= 0 && job->start + job->duration > naive->now;
}

static bool waits(const struct naive *naive, const struct naive_job *job) {
    return job->start < 0 && job->submit <= naive->now;
}

static int32_t count(const struct naive *naive, enum node_state state) {
    int32_t nodes = 0;
    for (int32_t i = 0; i < naive->nodes; i++) {
        nodes += naive->node[i].state == state;
    }
    return nodes;
}

static bool is_idle(const struct naive *naive, const struct naive_node *node) {
    return node->state == UP && node->free == naive->per_node;
}

static int32_t first_fit(const struct naive *naive, int32_t gpus) {
    for (int32_t i = 0; i < naive->nodes; i++) {
        if (naive->node[i].state == UP && naive->node[i].free >= gpus) {
            return i;
        }
    }
    return -1;
}

static int32_t lacking(const struct naive *naive) {
    int32_t fitting = 0;
    int32_t gpus = 0;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        if (waits(naive, job)) {
            *(first_fit(naive, job->gpus) >= 0 ? &fitting : &gpus) += job->gpus;
        }
    }
    for (int32_t i = 0; i < naive->nodes; i++) {
        const struct naive_node *node = &naive->node[i];
        if (is_idle(naive, node) || node->state == ORDERED) {
            gpus -= naive->per_node;
        } else if (node->state == UP) {
            fitting -= node->free;
        }
    }
    return gpus + (fitting > 0 ? fitting : 0);
}

static bool may_go(const struct naive *naive) {
    return count(naive, UP) > naive->spec.least && lacking(naive) + naive->per_node <= 0;
}

static void order(struct naive *naive) {
    int32_t needed = (lacking(naive) + naive->per_node - 1) / naive->per_node;
    for (int32_t i = 0; i < naive->nodes; i++) {
        struct naive_node *node = &naive->node[i];
        bool room = count(naive, UP) + count(naive, ORDERED) < naive->spec.most;
        if (node->state == GONE && room && needed-- > 0) {
            node->state = ORDERED;
            node->up_at = naive->now + draw_duration(&naive->spec.provision_time, &naive->stream);
            naive->orders++;
        }
    }
}

static void begin_idle(struct naive *naive, struct naive_node *node) {
    node->idle_since = naive->now;
    node->turn = naive->turns++;
    node->kept = false;
}

/* Jobs are in order of submission. */
static void pass(struct naive *naive) {
    bool blocked = false;
    for (int j = 0; j < JOBS && !(blocked && naive->strict); j++) {
        struct naive_job *job = &naive->jobs[j];
        int32_t node = waits(naive, job) ? first_fit(naive, job->gpus) : -1;
        blocked |= waits(naive, job) && node < 0;
        if (node >= 0) {
            job->start = naive->now;
            job->node = node;
            naive->node[node].free -= job->gpus;
        }
    }
    order(naive);
    for (int32_t i = 0; may_go(naive) && i < naive->nodes; i++) {
        if (naive->node[i].kept) {
            begin_idle(naive, &naive->node[i]);
        }
    }
}

static sim_time due(const struct naive *naive, const struct naive_node *node) {
    return is_idle(naive, node) && !node->kept ? node->idle_since + naive->spec.idle_time
                                               : SIM_TIME_NEVER;
}

static sim_time next_time(const struct naive *naive) {
    sim_time next = SIM_TIME_NEVER;
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        next = job->submit > naive->now ? earlier(next, job->submit) : next;
        next = runs(naive, job) ? earlier(next, job->start + job->duration) : next;
    }
    for (int32_t i = 0; i < naive->nodes; i++) {
        const struct naive_node *node = &naive->node[i];
        next = earlier(next, due(naive, node));
        next = node->state == ORDERED ? earlier(next, node->up_at) : next;
    }
    return next;
}

static void ends(struct naive *naive) {
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        struct naive_node *node = &naive->node[job->node];
        if (job->start >= 0 && job->start + job->duration == naive->now) {
            node->free += job->gpus;
            if (is_idle(naive, node)) {
                begin_idle(naive, node);
            }
        }
    }
    for (int32_t i = 0; i < naive->nodes; i++) {
        struct naive_node *node = &naive->node[i];
        if (node->state == ORDERED && node->up_at == naive->now) {
            node->state = UP;
            begin_idle(naive, node);
        }
    }
}

static struct naive_node *next_due(struct naive *naive) {
    struct naive_node *next = NULL;
    for (int32_t i = 0; i < naive->nodes; i++) {
        struct naive_node *node = &naive->node[i];
        if (due(naive, node) == naive->now && (next == NULL || node->turn < next->turn)) {
            next = node;
        }
    }
    return next;
}

static void goes(struct naive *naive) {
    for (struct naive_node *node = next_due(naive); node != NULL; node = next_due(naive)) {
        node->kept = !may_go(naive);
        node->state = node->kept ? UP : GONE;
    }
}

static void book(struct naive *naive, sim_time until) {
    double passing = (double)(until - naive->now) * 1e-9;
    for (int32_t i = 0; i < naive->nodes; i++) {
        const struct naive_node *node = &naive->node[i];
        naive->down += node->state == ORDERED ? passing * naive->per_node : 0;
        naive->idle += node->state == UP ? passing * node->free : 0;
    }
}

static bool is_over(const struct naive *naive) {
    bool over = true;
    for (int j = 0; j < JOBS; j++) {
        over &= naive->jobs[j].start >= 0 && !runs(naive, &naive->jobs[j]);
    }
    return over;
}

static void step_through(struct naive *naive) {
    naive->orders = 0;
    for (int32_t i = 0; i < naive->nodes; i++) {
        bool up = i < naive->spec.least;
        naive->node[i] =
            (struct naive_node){.state = up ? UP : GONE, .free = naive->per_node, .kept = up};
    }
    while (!is_over(naive)) {
        sim_time next = next_time(naive);
        assert_true(next > naive->now && next != SIM_TIME_NEVER);
        book(naive, next);
        naive->now = next;
        ends(naive);
        if (!is_over(naive)) { /* what comes after the last end is not looked at */
            pass(naive);
            goes(naive);
            pass(naive);
        }
    }
}

static sim_time between(struct stream *draws, double least_s, double most_s) {
    return sim_time_from_seconds(least_s + (most_s - least_s) * stream_uniform(draws));
}

static int32_t up_to(struct stream *draws, int32_t least, int32_t most) {
    return least + (int32_t)(stream_uniform(draws) * (most - least + 1));
}

static void draw_trial(struct naive *naive, struct stream *draws) {
    sim_time submit = 0;
    *naive = (struct naive){.nodes = up_to(draws, 1, NODES), .per_node = up_to(draws, 1, 4)};
    struct autoscale_spec *spec = &naive->spec;
    struct error error;
    double shortest = 1e9 * up_to(draws, 0, 20);
    spec->given = true;
    spec->most = up_to(draws, 1, naive->nodes);
    spec->least = up_to(draws, 0, spec->most);
    spec->idle_time = between(draws, 0, 40);
    spec->provision_time =
        (struct distribution){.kind = distribution_find("uniform"),
                              .given = {shortest, shortest + 1e9 * up_to(draws, 1, 40)}};
    assert_true(distribution_prepare(&spec->provision_time, &error));
    naive->strict = up_to(draws, 0, 1) == 0;
    for (int j = 0; j < JOBS; j++) {
        submit += between(draws, 0, up_to(draws, 0, 5) == 0 ? 60 : 5) + 1;
        naive->jobs[j] = (struct naive_job){.gpus = up_to(draws, 1, naive->per_node),
                                            .submit = submit,
                                            .duration = between(draws, 1, 30),
                                            .start = -1};
    }
}

static void write_trace(const struct naive *naive, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "job_id,submit_s,gpus,duration_s\n");
    for (int j = 0; j < JOBS; j++) {
        const struct naive_job *job = &naive->jobs[j];
        used += (size_t)snprintf(text + used, size - used, "%d,%lld.%09lld,%d,%lld.%09lld\n", j,
                                 (long long)(job->submit / NANOSECONDS_PER_SECOND),
                                 (long long)(job->submit % NANOSECONDS_PER_SECOND), (int)job->gpus,
                                 (long long)(job->duration / NANOSECONDS_PER_SECOND),
                                 (long long)(job->duration % NANOSECONDS_PER_SECOND));
        assert_true(used < size);
    }
}

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

static void compare(int trial, const struct sim_case *sim_case, const struct naive *naive) {
    double used = 0;
    for (int j = 0; j < JOBS; j++) {
        char id[16];
        snprintf(id, sizeof id, "%d", j);
        sim_time start = recording_job(&sim_case->recording, "w", id)->start;
        if (start != naive->jobs[j].start) {
            fail_msg("trial %d: job %d starts at %lld instead of %lld", trial, j, (long long)start,
                     (long long)naive->jobs[j].start);
        }
        used += (double)naive->jobs[j].duration * 1e-9 * naive->jobs[j].gpus;
    }
    expect_near(trial, "down", gpu_seconds(sim_case, GPU_DOWN), naive->down);
    expect_near(trial, "idle", gpu_seconds(sim_case, GPU_IDLE), naive->idle);
    expect_near(trial, "the bill", results_metric(&sim_case->results, SCOPE_RUN, "", "usd_total"),
                used + naive->down + naive->idle);
    expect_near(trial, "orders", results_metric(&sim_case->results, SCOPE_RUN, "", "nodes_ordered"),
                naive->orders);
}

static void try_out(int trial) {
    static char text[JOBS * 64 + 64];
    struct stream draws;
    struct sim_case sim_case;
    struct naive naive;
    stream_initialize(&draws, (uint64_t)trial, 0, "trials of an autoscaler");
    draw_trial(&naive, &draws);
    write_trace(&naive, text, sizeof text);
    sim_case_initialize(&sim_case);
    struct pool_spec *pool =
        sim_case_pool(&sim_case, "p", "V100-SXM2-32GB", naive.nodes, naive.per_node);
    pool->price = (struct price_spec){.given = true, .per_gpu_hour = 3600, .currency = "USD"};
    pool->outages.autoscale = naive.spec;
    sim_case_workload(&sim_case, "w", text);
    sim_case_rules(&sim_case, "fifo", naive.strict ? "none" : "skip", "first_fit");
    sim_case_run_to_end(&sim_case);
    stream_initialize(&naive.stream, sim_case.scenario.seed, 0, "autoscaler of pool p");
    step_through(&naive);
    compare(trial, &sim_case, &naive);
    sim_case_terminate(&sim_case);
}

static void a_stepper_agrees(void **state) {
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        try_out(trial);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stepper_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
