#include "tests/support/naive_autoscale.h"

#include <math.h>

#include "tests/support/unit.h"
#include "workloads/draws.h"

static const double CLOSE = 1e-6; /* of a node */

static sim_time earlier(sim_time a, sim_time b) {
    return a < b ? a : b;
}

static bool runs(const struct naive_scale *naive, const struct naive_scale_job *job) {
    return job->start >= 0 && job->start + job->duration > naive->now;
}

static bool waits(const struct naive_scale *naive, const struct naive_scale_job *job) {
    return job->start < 0 && job->submit <= naive->now;
}

/* --- Who is where --- */

static int32_t tenants(const struct naive_scale *naive, int32_t node, int32_t cell) {
    int32_t count = 0;
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        const struct naive_scale_job *job = &naive->jobs[j];
        bool there = runs(naive, job) && job->node == node && (job->cells >> cell & 1) != 0;
        count += there ? job->gpus > 0 ? naive->cells[cell].places : 1 : 0;
    }
    return count;
}

static int64_t memory_left(const struct naive_scale *naive, int32_t node, int32_t cell) {
    int64_t memory = naive->cells[cell].memory;
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        const struct naive_scale_job *job = &naive->jobs[j];
        bool there = runs(naive, job) && job->node == node && (job->cells >> cell & 1) != 0;
        memory -= there ? job->memory : 0;
    }
    return memory;
}

static uint32_t empty_cells(const struct naive_scale *naive, int32_t node) {
    uint32_t cells = 0;
    for (int32_t c = 0; c < naive->cell_count; c++) {
        cells |= tenants(naive, node, c) == 0 ? UINT32_C(1) << c : 0;
    }
    return cells;
}

static bool is_idle(const struct naive_scale *naive, int32_t node) {
    return naive->node[node].state == NAIVE_UP &&
           __builtin_popcount(empty_cells(naive, node)) == naive->cell_count;
}

/* --- Placing --- */

static bool place_whole(struct naive_scale *naive, struct naive_scale_job *job) {
    for (int32_t node = 0; node < naive->nodes; node++) {
        uint32_t empty = naive->node[node].state == NAIVE_UP ? empty_cells(naive, node) : 0;
        if (__builtin_popcount(empty) >= job->gpus) {
            job->node = node;
            job->cells = 0;
            while (__builtin_popcount(job->cells) < job->gpus) {
                job->cells |= empty & (~empty + 1);
                empty &= empty - 1;
            }
            return true;
        }
    }
    return false;
}

/* Where the least memory is left, of equals the first. */
static bool place_in_cell(struct naive_scale *naive, struct naive_scale_job *job) {
    int64_t least = INT64_MAX;
    for (int32_t node = 0; node < naive->nodes; node++) {
        for (int32_t c = 0; naive->node[node].state == NAIVE_UP && c < naive->cell_count; c++) {
            int64_t left = memory_left(naive, node, c);
            if (tenants(naive, node, c) < naive->cells[c].places && left >= job->memory &&
                left < least) {
                least = left;
                job->node = node;
                job->cells = UINT32_C(1) << c;
            }
        }
    }
    return least < INT64_MAX;
}

static bool place(struct naive_scale *naive, struct naive_scale_job *job) {
    return job->gpus > 0 ? place_whole(naive, job) : place_in_cell(naive, job);
}

/* --- What is lacking, in nodes --- */

static int64_t places_for(const struct naive_scale_cell *cell, const struct naive_scale_job *job,
                          int32_t taken, int64_t left) {
    int64_t by_memory = job->memory > 0 ? left / job->memory : INT64_MAX;
    return by_memory < cell->places - taken ? by_memory : cell->places - taken;
}

/* How many such jobs an empty node takes, as far as parts of it are concerned. */
static double most_on_node(const struct naive_scale *naive, const struct naive_scale_job *job) {
    int64_t places = 0;
    for (int32_t c = 0; c < naive->cell_count; c++) {
        places += places_for(&naive->cells[c], job, 0, naive->cells[c].memory);
    }
    return job->gpus > 0 ? (double)naive->cell_count / job->gpus : (double)places;
}

/* How many more nodes that are in use, but not idle, take. */
static double room_for(const struct naive_scale *naive, const struct naive_scale_job *job) {
    int64_t places = 0;
    for (int32_t node = 0; node < naive->nodes; node++) {
        if (naive->node[node].state != NAIVE_UP || is_idle(naive, node)) {
            continue;
        }
        for (int32_t c = 0; job->gpus == 0 && c < naive->cell_count; c++) {
            places += places_for(&naive->cells[c], job, tenants(naive, node, c),
                                 memory_left(naive, node, c));
        }
        places += job->gpus > 0 ? __builtin_popcount(empty_cells(naive, node)) : 0;
    }
    return job->gpus > 0 ? (double)places / job->gpus : (double)places;
}

static bool is_alike(const struct naive_scale_job *a, const struct naive_scale_job *b) {
    return a->gpus == b->gpus && a->memory == b->memory;
}

static double needs_of_all_like(const struct naive_scale *naive,
                                const struct naive_scale_job *job) {
    int64_t count = 0;
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        count += waits(naive, &naive->jobs[j]) && is_alike(&naive->jobs[j], job);
    }
    return (double)count / most_on_node(naive, job);
}

static double lacking(struct naive_scale *naive) {
    const struct naive_scale_job *largest = NULL; /* of those that fit: all like it need the most */
    double fitting = 0;
    double nodes = 0;
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        const struct naive_scale_job *job = &naive->jobs[j];
        struct naive_scale_job tried = *job;
        bool fits = waits(naive, job) && place(naive, &tried);
        double each = 1 / most_on_node(naive, job);
        *(fits ? &fitting : &nodes) += waits(naive, job) ? each : 0;
        if (fits) {
            double more = largest == NULL
                              ? 1
                              : needs_of_all_like(naive, job) - needs_of_all_like(naive, largest);
            bool larger =
                more > CLOSE || (more > -CLOSE && each > 1 / most_on_node(naive, largest));
            largest = larger ? job : largest;
        }
    }
    double fill = largest == NULL ? 0 : room_for(naive, largest) / most_on_node(naive, largest);
    nodes += fitting > fill ? fitting - fill : 0;
    for (int32_t i = 0; i < naive->nodes; i++) {
        nodes -= is_idle(naive, i) || naive->node[i].state == NAIVE_ORDERED;
    }
    return nodes;
}

/* --- Nodes --- */

static int32_t count(const struct naive_scale *naive, enum naive_scale_state state) {
    int32_t nodes = 0;
    for (int32_t i = 0; i < naive->nodes; i++) {
        nodes += naive->node[i].state == state;
    }
    return nodes;
}

static bool may_go(struct naive_scale *naive) {
    return count(naive, NAIVE_UP) > naive->least && lacking(naive) + 1 <= CLOSE;
}

static void order(struct naive_scale *naive) {
    double needed = ceil(lacking(naive) - CLOSE);
    for (int32_t i = 0; i < naive->nodes; i++) {
        struct naive_scale_node *node = &naive->node[i];
        bool room = count(naive, NAIVE_UP) + count(naive, NAIVE_ORDERED) < naive->most;
        if (node->state == NAIVE_GONE && room && needed-- > 0) {
            node->state = NAIVE_ORDERED;
            node->up_at = naive->now + draw_duration(&naive->provision_time, &naive->stream);
            naive->orders++;
        }
    }
}

static void begin_idle(struct naive_scale *naive, int32_t node) {
    naive->node[node].idle_since = naive->now;
    naive->node[node].turn = naive->turns++;
    naive->node[node].kept = false;
}

static void pass(struct naive_scale *naive) {
    bool blocked = false;
    for (int j = 0; j < NAIVE_SCALE_JOBS && !(blocked && naive->strict); j++) {
        struct naive_scale_job *job = &naive->jobs[j];
        bool starts = waits(naive, job) && place(naive, job);
        blocked |= waits(naive, job) && !starts;
        job->start = starts ? naive->now : job->start;
    }
    order(naive);
    for (int32_t i = 0; may_go(naive) && i < naive->nodes; i++) {
        if (naive->node[i].kept) {
            begin_idle(naive, i);
        }
    }
}

/* --- Time --- */

static sim_time due(const struct naive_scale *naive, int32_t node) {
    return is_idle(naive, node) && !naive->node[node].kept
               ? naive->node[node].idle_since + naive->idle_time
               : SIM_TIME_NEVER;
}

static sim_time next_time(const struct naive_scale *naive) {
    sim_time next = SIM_TIME_NEVER;
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        const struct naive_scale_job *job = &naive->jobs[j];
        next = job->submit > naive->now ? earlier(next, job->submit) : next;
        next = runs(naive, job) ? earlier(next, job->start + job->duration) : next;
    }
    for (int32_t i = 0; i < naive->nodes; i++) {
        next = earlier(next, due(naive, i));
        next = naive->node[i].state == NAIVE_ORDERED ? earlier(next, naive->node[i].up_at) : next;
    }
    return next;
}

static void ends(struct naive_scale *naive) {
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        const struct naive_scale_job *job = &naive->jobs[j];
        if (job->start >= 0 && job->start + job->duration == naive->now &&
            is_idle(naive, job->node)) {
            begin_idle(naive, job->node);
        }
    }
    for (int32_t i = 0; i < naive->nodes; i++) {
        if (naive->node[i].state == NAIVE_ORDERED && naive->node[i].up_at == naive->now) {
            naive->node[i].state = NAIVE_UP;
            begin_idle(naive, i);
        }
    }
}

static int32_t next_due(const struct naive_scale *naive) {
    int32_t next = -1;
    for (int32_t i = 0; i < naive->nodes; i++) {
        bool first = next < 0 || naive->node[i].turn < naive->node[next].turn;
        next = due(naive, i) == naive->now && first ? i : next;
    }
    return next;
}

static void goes(struct naive_scale *naive) {
    for (int32_t i = next_due(naive); i >= 0; i = next_due(naive)) {
        naive->node[i].kept = !may_go(naive);
        naive->node[i].state = naive->node[i].kept ? NAIVE_UP : NAIVE_GONE;
    }
}

static void book(struct naive_scale *naive, sim_time until) {
    double passing = (double)(until - naive->now) * 1e-9;
    for (int32_t i = 0; i < naive->nodes; i++) {
        double nowhere = passing * naive->stranded_gpus;
        naive->down += naive->node[i].state == NAIVE_ORDERED ? nowhere : 0;
        naive->stranded += naive->node[i].state == NAIVE_UP ? nowhere : 0;
        for (int32_t c = 0; c < naive->cell_count; c++) {
            bool used = tenants(naive, i, c) > 0;
            double time = passing * naive->cells[c].gpus;
            naive->down += naive->node[i].state == NAIVE_ORDERED ? time : 0;
            naive->used += used ? time : 0;
            naive->idle += naive->node[i].state == NAIVE_UP && !used ? time : 0;
        }
    }
}

static bool is_over(const struct naive_scale *naive) {
    bool over = true;
    for (int j = 0; j < NAIVE_SCALE_JOBS; j++) {
        over &= naive->jobs[j].start >= 0 && !runs(naive, &naive->jobs[j]);
    }
    return over;
}

void naive_scale_run(struct naive_scale *naive) {
    for (int32_t i = 0; i < naive->nodes; i++) {
        bool up = i < naive->least;
        naive->node[i] = (struct naive_scale_node){.state = up ? NAIVE_UP : NAIVE_GONE, .kept = up};
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
