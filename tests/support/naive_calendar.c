#include "tests/support/naive_calendar.h"

#include "tests/support/unit.h"

/* --- Geometry --- */

static bool overlaps(const struct gpu_model *gpu, int p, int start, int q, int other) {
    return start < other + gpu->profiles[q].memory_units &&
           other < start + gpu->profiles[p].memory_units;
}

static bool lies_well(const struct gpu_model *gpu, const struct naive_way *way, int i, int start) {
    int slices = 0;
    int alike = 0;
    bool well = (gpu->profiles[way->profiles[i]].starts >> start & 1) != 0;
    for (int k = 0; k <= i; k++) {
        slices += gpu->profiles[way->profiles[k]].compute_slices;
        alike += way->profiles[k] == way->profiles[i];
        well = well && (k == i ||
                        !overlaps(gpu, way->profiles[i], start, way->profiles[k], way->starts[k]));
    }
    return well && slices <= gpu->compute_slices &&
           alike <= gpu->profiles[way->profiles[i]].max_instances;
}

static bool place_from(const struct gpu_model *gpu, struct naive_way *way, int i) {
    if (i == way->count) {
        return true;
    }
    for (int start = 0; start < gpu->memory_units; start++) {
        if (lies_well(gpu, way, i, start)) {
            way->starts[i] = start;
            if (place_from(gpu, way, i + 1)) {
                return true;
            }
        }
    }
    return false;
}

bool naive_calendar_place(const struct gpu_model *gpu, struct naive_way *way) {
    return place_from(gpu, way, 0);
}

/* --- What there is --- */

static int count_of(const struct naive_way *way) {
    return way->whole ? 1 : way->count;
}

static int sms_of(const struct naive_calendar *naive, int w, int i) {
    const struct naive_way *way = &naive->ways[w];
    return way->whole ? naive->gpu->sms : naive->gpu->profiles[way->profiles[i]].sms;
}

/* Where an instance of one way is in another; -1: it is not. */
static int find_in(const struct naive_calendar *naive, int w, int i, int other) {
    const struct naive_way *from = &naive->ways[w];
    const struct naive_way *to = &naive->ways[other];
    if (from->whole || to->whole) {
        return from->whole && to->whole ? 0 : -1;
    }
    for (int k = 0; k < to->count; k++) {
        if (to->profiles[k] == from->profiles[i] && to->starts[k] == from->starts[i]) {
            return k;
        }
    }
    return -1;
}

static bool same(const struct naive_calendar *naive, int w, int other) {
    bool alike = count_of(&naive->ways[w]) == count_of(&naive->ways[other]);
    for (int i = 0; i < count_of(&naive->ways[w]); i++) {
        alike = alike && find_in(naive, w, i, other) >= 0;
    }
    return alike;
}

static int gpu_count(const struct naive_calendar *naive) {
    return naive->nodes * naive->gpus_per_node;
}

static int way_at(const struct naive_calendar *naive, int second) {
    int time = second % 86400;
    for (int w = 1; w < naive->way_count; w++) {
        if (naive->ways[w].from <= time && time < naive->ways[w].to) {
            return w;
        }
    }
    return 0;
}

/* --- Jobs that go --- */

static void vacate(struct naive_calendar *naive, int j) {
    for (int g = 0; g < gpu_count(naive); g++) {
        for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
            if (naive->gpus[g].held[i].job == j) {
                naive->gpus[g].held[i].job = -1;
            }
        }
    }
    naive->jobs[j].runs = false;
}

static void evict(struct naive_calendar *naive, int j, bool kill) {
    if (!kill) {
        naive->jobs[j].kept += naive->now - naive->jobs[j].begun;
    }
    vacate(naive, j);
}

static void evict_closed(struct naive_calendar *naive, int g) {
    struct naive_calendar_gpu *gpu = &naive->gpus[g];
    bool kill = gpu->killed || naive->drain == NAIVE_KILL;
    for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
        if (gpu->held[i].closed && gpu->held[i].job >= 0 &&
            (kill || naive->drain == NAIVE_PREEMPT)) {
            evict(naive, gpu->held[i].job, kill);
        }
    }
}

/* --- GPUs that change --- */

static void drain(struct naive_calendar *naive, int g) {
    struct naive_calendar_gpu *gpu = &naive->gpus[g];
    gpu->phase = NAIVE_DRAINS;
    gpu->goal = naive->way_now;
    gpu->killed = false;
    gpu->limit =
        naive->drain_limit < 0 || naive->drain == NAIVE_KILL ? -1 : naive->now + naive->drain_limit;
    for (int i = 0; i < count_of(&naive->ways[gpu->way]); i++) {
        gpu->held[i].closed = find_in(naive, gpu->way, i, gpu->goal) < 0;
    }
    evict_closed(naive, g);
}

static void rest(struct naive_calendar *naive, int g) {
    struct naive_calendar_gpu *gpu = &naive->gpus[g];
    gpu->phase = same(naive, gpu->way, naive->way_now) ? NAIVE_SETTLED : NAIVE_QUEUES;
    gpu->limit = -1;
    for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
        gpu->held[i].closed = false;
    }
}

static void drain_more(struct naive_calendar *naive) {
    int changing = 0;
    for (int g = 0; g < gpu_count(naive); g++) {
        changing += naive->gpus[g].phase == NAIVE_DRAINS || naive->gpus[g].phase == NAIVE_CUTS;
    }
    for (int g = 0; g < gpu_count(naive); g++) {
        if (naive->gpus[g].phase == NAIVE_QUEUES &&
            (naive->at_most == 0 || changing < naive->at_most)) {
            changing++;
            drain(naive, g);
        }
    }
}

static void turn(struct naive_calendar *naive) {
    for (int g = 0; g < gpu_count(naive); g++) {
        struct naive_calendar_gpu *gpu = &naive->gpus[g];
        bool alike = same(naive, gpu->way, naive->way_now);
        if (gpu->phase == NAIVE_DRAINS && !alike) {
            drain(naive, g);
        } else if (gpu->phase != NAIVE_CUTS) {
            rest(naive, g);
        }
    }
    drain_more(naive);
}

static void end_cut(struct naive_calendar *naive, int g) {
    struct naive_calendar_gpu *gpu = &naive->gpus[g];
    struct naive_holding before[NAIVE_CALENDAR_INSTANCES];
    for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
        before[i] = gpu->held[i];
        gpu->held[i] = (struct naive_holding){.job = -1};
    }
    for (int i = 0; i < count_of(&naive->ways[gpu->way]); i++) {
        int place = find_in(naive, gpu->way, i, gpu->goal);
        if (place >= 0) {
            gpu->held[place].job = before[i].job;
        }
    }
    gpu->way = gpu->goal;
    rest(naive, g);
    drain_more(naive);
}

static bool has_drained(const struct naive_calendar_gpu *gpu) {
    bool held = false;
    for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
        held |= gpu->held[i].closed && gpu->held[i].job >= 0;
    }
    return gpu->phase == NAIVE_DRAINS && !held;
}

static void begin_cut(struct naive_calendar *naive, int g) {
    struct naive_calendar_gpu *gpu = &naive->gpus[g];
    bool mode = naive->ways[gpu->way].whole != naive->ways[gpu->goal].whole;
    gpu->phase = NAIVE_CUTS;
    gpu->cut_ends = naive->now + (mode ? naive->mode_time : naive->time);
    gpu->limit = -1;
}

/* Until nothing more changes at this instant. */
static void change_gpus(struct naive_calendar *naive) {
    bool any = true;
    while (any) {
        any = false;
        for (int g = 0; g < gpu_count(naive); g++) {
            struct naive_calendar_gpu *gpu = &naive->gpus[g];
            if (gpu->phase == NAIVE_DRAINS && gpu->limit == naive->now && !gpu->killed) {
                gpu->killed = true;
                evict_closed(naive, g);
                any = true;
            }
            if (gpu->phase == NAIVE_CUTS && gpu->cut_ends == naive->now) {
                end_cut(naive, g);
                any = true;
            }
            if (has_drained(gpu)) {
                begin_cut(naive, g);
                any = true;
            }
        }
    }
}

/* --- Jobs that come --- */

static bool is_there(const struct naive_calendar *naive, int g, int i) {
    const struct naive_calendar_gpu *gpu = &naive->gpus[g];
    bool stays = gpu->phase != NAIVE_CUTS || find_in(naive, gpu->way, i, gpu->goal) >= 0;
    return stays && i < count_of(&naive->ways[gpu->way]);
}

static bool is_free(const struct naive_calendar *naive, int g, int i) {
    const struct naive_holding *held = &naive->gpus[g].held[i];
    return is_there(naive, g, i) && held->job < 0 && !held->closed;
}

static bool is_free_whole(const struct naive_calendar *naive, int g) {
    return naive->ways[naive->gpus[g].way].whole && is_free(naive, g, 0);
}

static void occupy(struct naive_calendar *naive, int j, int g, int i) {
    struct naive_calendar_job *job = &naive->jobs[j];
    assert_int_equal(naive->gpus[g].held[i].job, -1);
    naive->gpus[g].held[i].job = j;
    job->runs = true;
    job->begun = naive->now;
    job->end = naive->now + job->duration - job->kept;
    job->first_start = job->first_start < 0 ? naive->now : job->first_start;
}

/* So many whole GPUs on the first node that has them free; false: none has. */
static bool take_on_node(struct naive_calendar *naive, int j, int gpus, const bool *avoid,
                         int *node) {
    for (*node = 0; *node < naive->nodes; ++*node) {
        int there = 0;
        for (int g = 0; g < naive->gpus_per_node; g++) {
            there += is_free_whole(naive, *node * naive->gpus_per_node + g);
        }
        if (avoid[*node] || there < gpus) {
            continue;
        }
        for (int g = 0; gpus > 0; g++) {
            if (is_free_whole(naive, *node * naive->gpus_per_node + g)) {
                occupy(naive, j, *node * naive->gpus_per_node + g, 0);
                gpus--;
            }
        }
        return true;
    }
    return false;
}

/* Whole nodes, and one for the rest. */
static bool start_whole(struct naive_calendar *naive, int j) {
    struct naive_calendar_job *job = &naive->jobs[j];
    bool avoid[NAIVE_CALENDAR_GPUS] = {false};
    int first = job->first_start;
    int node;
    for (int left = job->gpus; left > 0;) {
        int part = left < naive->gpus_per_node ? left : naive->gpus_per_node;
        if (!take_on_node(naive, j, part, avoid, &node)) {
            vacate(naive, j);
            job->first_start = first;
            return false;
        }
        avoid[node] = true;
        left -= part;
    }
    return true;
}

static int64_t memory_of(const struct naive_calendar *naive, int w, int i) {
    const struct naive_way *way = &naive->ways[w];
    return (way->whole ? naive->gpu->memory_mib
                       : naive->gpu->profiles[way->profiles[i]].memory_mib) *
           1024 * 1024;
}

static int start_at(const struct naive_calendar *naive, int w, int i) {
    return naive->ways[w].whole ? 0 : naive->ways[w].starts[i];
}

static bool will_do(const struct naive_calendar *naive, const struct naive_calendar_job *job, int w,
                    int i) {
    const struct naive_way *way = &naive->ways[w];
    if (job->profile >= 0) {
        return !way->whole && way->profiles[i] == job->profile;
    }
    return memory_of(naive, w, i) >= job->memory;
}

/* The smallest place; of equal ones the first GPU and the lowest start. */
static bool start_in_slot(struct naive_calendar *naive, int j) {
    int best_gpu = -1;
    int best = -1;
    for (int g = 0; g < gpu_count(naive); g++) {
        int w = naive->gpus[g].way;
        for (int i = 0; i < count_of(&naive->ways[w]); i++) {
            if (!is_free(naive, g, i) || !will_do(naive, &naive->jobs[j], w, i)) {
                continue;
            }
            int other = best_gpu < 0 ? 0 : naive->gpus[best_gpu].way;
            int64_t less =
                best_gpu < 0 ? -1 : memory_of(naive, w, i) - memory_of(naive, other, best);
            less = best_gpu >= 0 && less == 0 ? sms_of(naive, w, i) - sms_of(naive, other, best)
                                              : less;
            less = best_gpu == g && less == 0 ? start_at(naive, w, i) - start_at(naive, w, best)
                                              : less;
            if (less < 0) {
                best_gpu = g;
                best = i;
            }
        }
    }
    if (best_gpu >= 0) {
        occupy(naive, j, best_gpu, best);
    }
    return best_gpu >= 0;
}

bool naive_calendar_start(struct naive_calendar *naive, int j) {
    return naive->jobs[j].whole ? start_whole(naive, j) : start_in_slot(naive, j);
}

static void pass(struct naive_calendar *naive) {
    if (naive->replay != NULL) {
        naive_calendar_replay_pass(naive);
        return;
    }
    for (int j = 0; j < naive->job_count; j++) {
        struct naive_calendar_job *job = &naive->jobs[j];
        if (job->submit > naive->now || job->impossible || job->runs || job->done) {
            continue;
        }
        if (!naive_calendar_start(naive, j) && !naive->skip) {
            return;
        }
    }
}

/* Whether any way could ever hold it. */
static bool is_possible(const struct naive_calendar *naive, const struct naive_calendar_job *job) {
    bool possible = false;
    for (int w = 0; w < naive->way_count; w++) {
        for (int i = 0; i < count_of(&naive->ways[w]); i++) {
            possible |= job->whole ? naive->ways[w].whole && job->gpus <= gpu_count(naive)
                                   : will_do(naive, job, w, i);
        }
    }
    return possible;
}

static void end_jobs(struct naive_calendar *naive) {
    for (int j = 0; j < naive->job_count; j++) {
        if (naive->jobs[j].runs && naive->jobs[j].end == naive->now) {
            vacate(naive, j);
            naive->jobs[j].done = true;
        }
    }
}

/* The second that begins now. */
static void count_time(struct naive_calendar *naive) {
    for (int g = 0; g < gpu_count(naive); g++) {
        const struct naive_calendar_gpu *gpu = &naive->gpus[g];
        int computing = 0;
        int idle = 0;
        int gone = 0;
        int coming = 0;
        for (int i = 0; i < count_of(&naive->ways[gpu->way]); i++) {
            int sms = sms_of(naive, gpu->way, i);
            bool there = is_there(naive, g, i);
            computing += there && gpu->held[i].job >= 0 ? sms : 0;
            idle += there && gpu->held[i].job < 0 ? sms : 0;
            gone += there ? 0 : sms;
        }
        for (int i = 0; gpu->phase == NAIVE_CUTS && i < count_of(&naive->ways[gpu->goal]); i++) {
            coming += find_in(naive, gpu->goal, i, gpu->way) < 0 ? sms_of(naive, gpu->goal, i) : 0;
        }
        int touched = gone > coming ? gone : coming;
        naive->computing += computing;
        naive->idle += idle;
        naive->reconfiguring += touched;
        naive->stranded += naive->gpu->sms - computing - idle - touched;
    }
}

void naive_calendar_step(struct naive_calendar *naive) {
    end_jobs(naive);
    if (way_at(naive, naive->now) != naive->way_now) {
        naive->way_now = way_at(naive, naive->now);
        turn(naive);
    }
    change_gpus(naive);
    pass(naive);
}

void naive_calendar_run(struct naive_calendar *naive) {
    naive->asked_for = -1;
    naive->way_now = way_at(naive, 0);
    for (int g = 0; g < gpu_count(naive); g++) {
        naive->gpus[g].way = naive->way_now;
        naive->gpus[g].limit = -1;
        for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
            naive->gpus[g].held[i].job = -1;
        }
    }
    for (int j = 0; j < naive->job_count; j++) {
        naive->jobs[j].first_start = -1;
        naive->jobs[j].promise = -1;
        naive->jobs[j].impossible = !is_possible(naive, &naive->jobs[j]);
    }
    for (naive->now = 0; naive->now <= naive->horizon; naive->now++) {
        naive_calendar_step(naive);
        if (naive->now < naive->horizon) {
            count_time(naive);
        }
    }
}
