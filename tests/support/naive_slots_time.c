/* How time passes on the devices of naive_slots.h, and for the cluster as a whole. */
#include <math.h>
#include <stddef.h>

#include "tests/support/naive_slots.h"

/* An end that is a whole number in exact arithmetic may come out so much later. */
static const long double ALLOWANCE = 1.0L / 64;

double nslots_speed(const struct naive_slots *cluster, const struct nslots_job *job, int d) {
    const struct nslots_device *device = &cluster->devices[d];
    int choice = 0;
    while (job->pool[choice] != device->pool) {
        choice++;
    }
    double slice = device->profile != NULL ? fmin(1, device->sm_share / job->saturation) : 1;
    return job->speed[choice] * slice;
}

/* --- Together: each at its rate --- */

static void demands_of(const struct nslots_device *device, const struct nslots_job *job,
                       long double *saturation, long double *demand) {
    long double cap = device->thread_share;
    if (job->compute > 0) {
        cap = fminl(cap, (long double)job->compute / NSLOTS_MOST_COMPUTE / device->sm_share);
    }
    *saturation = fminl(1, (long double)job->saturation / device->sm_share);
    *demand = fminl(*saturation, cap);
}

static long double rate_of(const struct naive_slots *cluster, const struct nslots_device *device,
                           int slot) {
    long double sum = 0;
    long double saturation;
    long double demand;
    for (int s = 0; s < device->slots; s++) {
        if (device->tenant[s] != 0) {
            demands_of(device, &cluster->jobs[device->tenant[s] - 1], &saturation, &demand);
            sum += demand;
        }
    }
    demands_of(device, &cluster->jobs[device->tenant[slot] - 1], &saturation, &demand);
    return demand / saturation * fminl(1, 1 / sum) /
           (1 + (long double)device->interference * (sum - demand));
}

/* The slot whose task ends first; -1: none. */
static int first_to_end(const struct naive_slots *cluster, const struct nslots_device *device,
                        long double *end) {
    int first = -1;
    for (int s = 0; s < device->slots; s++) {
        if (device->tenant[s] != 0) {
            const struct nslots_job *job = &cluster->jobs[device->tenant[s] - 1];
            long double moment = device->reached + job->work_left / rate_of(cluster, device, s);
            if (first < 0 || moment < *end) {
                first = s;
                *end = moment;
            }
        }
    }
    return first;
}

static void compute_together(struct naive_slots *cluster, struct nslots_device *device,
                             long double to) {
    long double rates[NSLOTS_SLOTS];
    for (int s = 0; s < device->slots; s++) {
        rates[s] = device->tenant[s] != 0 ? rate_of(cluster, device, s) : 0;
    }
    for (int s = 0; s < device->slots; s++) {
        if (device->tenant[s] != 0) {
            struct nslots_job *job = &cluster->jobs[device->tenant[s] - 1];
            job->work_left = fmaxl(0, job->work_left - rates[s] * (to - device->reached));
        }
    }
    device->reached = to;
}

static int64_t next_together(const struct naive_slots *cluster,
                             const struct nslots_device *device) {
    long double end;
    int slot = first_to_end(cluster, device, &end);
    return slot < 0 ? INT64_MAX : (int64_t)ceill(end - ALLOWANCE);
}

/* --- Turns: slice by slice --- */

static bool has_work(const struct nslots_device *device, int slot) {
    return device->tenant[slot] != 0;
}

static void start_slice(struct nslots_device *device, int64_t now) {
    device->doing = NSLOTS_COMPUTES;
    device->ran_slot = device->who;
    device->ran_job = device->who_job;
    device->until = now + device->slice;
}

static void turn_to(struct nslots_device *device, int slot, int64_t now) {
    device->who = slot;
    device->who_job = device->tenant[slot];
    if (device->ran_job == 0 || device->ran_job == device->who_job || device->switch_time == 0) {
        start_slice(device, now);
    } else {
        device->doing = NSLOTS_SWITCHES;
        device->until = now + device->switch_time;
    }
}

static void turn_to_first_from(struct nslots_device *device, int from, int64_t now) {
    device->doing = NSLOTS_RESTS;
    for (int i = 0; i < device->slots; i++) {
        int slot = (from + i) % device->slots;
        if (has_work(device, slot)) {
            turn_to(device, slot, now);
            return;
        }
    }
}

static void decide(struct nslots_device *device, int64_t now) {
    if (device->doing == NSLOTS_RESTS) {
        bool same = device->ran_job != 0 && device->tenant[device->ran_slot] == device->ran_job;
        int from = device->ran_job == 0 ? 0 : device->ran_slot + !same;
        turn_to_first_from(device, from % device->slots, now);
    } else if (device->doing == NSLOTS_COMPUTES &&
               (device->tenant[device->who] != device->who_job || now == device->until)) {
        turn_to_first_from(device, device->who + 1, now);
    }
}

/* Whatever comes next on it by itself. */
static int64_t next_turn(const struct naive_slots *cluster, const struct nslots_device *device,
                         int64_t now) {
    if (device->doing == NSLOTS_RESTS) {
        return INT64_MAX;
    }
    int64_t next = device->until;
    if (device->doing == NSLOTS_COMPUTES) {
        int64_t end = now + cluster->jobs[device->who_job - 1].left;
        next = end < next ? end : next;
    }
    return next;
}

/* --- The cluster --- */

void nslots_seat(struct naive_slots *cluster, int j, int d, int64_t now) {
    struct nslots_device *device = &cluster->devices[d];
    struct nslots_job *job = &cluster->jobs[j];
    double speed = nslots_speed(cluster, job, d);
    int64_t work = speed == 1 ? job->duration : llround((double)job->duration / speed);
    int slot = 0;
    if (device->mode == NSLOTS_TOGETHER) {
        compute_together(cluster, device, now);
    }
    while (device->tenant[slot] != 0) {
        slot++;
    }
    device->touched = true;
    device->tenant[slot] = j + 1;
    job->end = device->mode == NSLOTS_ALONE ? now + work : INT64_MAX;
    job->left = work;
    job->work_left = work;
}

static void end_job(struct naive_slots *cluster, int j, int64_t now) {
    struct nslots_job *job = &cluster->jobs[j];
    job->state = NSLOTS_COMPLETED;
    job->end = now;
    if (job->device >= 0) {
        struct nslots_device *device = &cluster->devices[job->device];
        device->touched = true;
        for (int s = 0; s < device->slots; s++) {
            device->tenant[s] = device->tenant[s] == j + 1 ? 0 : device->tenant[s];
        }
    }
}

static bool end_together(struct naive_slots *cluster, struct nslots_device *device, int64_t now) {
    bool any = false;
    long double end;
    int slot = first_to_end(cluster, device, &end);
    while (slot >= 0 && ceill(end - ALLOWANCE) <= now) {
        int j = device->tenant[slot] - 1;
        compute_together(cluster, device, end);
        cluster->jobs[j].near = true;
        end_job(cluster, j, now);
        any = true;
        slot = first_to_end(cluster, device, &end);
    }
    return any;
}

/* Whether who comes next when a slice ends now has nothing to do, so that it ends now, too. */
static bool ends_at_once(const struct naive_slots *cluster, const struct nslots_device *device,
                         int64_t now) {
    if (device->doing != NSLOTS_COMPUTES || device->until != now || device->switch_time > 0) {
        return false;
    }
    int slot = (device->who + 1) % device->slots;
    while (!has_work(device, slot) && slot != device->who) {
        slot = (slot + 1) % device->slots;
    }
    return has_work(device, slot) && cluster->jobs[device->tenant[slot] - 1].left == 0;
}

static bool end_turn(struct naive_slots *cluster, struct nslots_device *device, int64_t now) {
    bool done = device->doing == NSLOTS_COMPUTES &&
                device->tenant[device->who] == device->who_job &&
                cluster->jobs[device->who_job - 1].left == 0;
    if (done) {
        end_job(cluster, device->who_job - 1, now);
    }
    device->touched |= ends_at_once(cluster, device, now);
    return done;
}

static bool end_jobs(struct naive_slots *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        if (cluster->jobs[j].state == NSLOTS_RUNNING && cluster->jobs[j].end == now) {
            end_job(cluster, j, now);
            any = true;
        }
    }
    for (int d = 0; d < cluster->device_count; d++) {
        struct nslots_device *device = &cluster->devices[d];
        any |= device->mode == NSLOTS_TOGETHER ? end_together(cluster, device, now)
               : device->mode == NSLOTS_TURNS  ? end_turn(cluster, device, now)
                                               : false;
    }
    return any;
}

static int64_t next_moment(const struct naive_slots *cluster, int64_t now) {
    int64_t next = INT64_MAX;
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        bool impatient = job->state == NSLOTS_QUEUED && job->max_wait >= 0;
        int64_t moment = job->state == NSLOTS_TO_COME   ? job->submit
                         : job->state == NSLOTS_RUNNING ? job->end
                         : impatient                    ? job->submit + job->max_wait
                                                        : INT64_MAX;
        next = moment < next ? moment : next;
    }
    for (int d = 0; d < cluster->device_count; d++) {
        const struct nslots_device *device = &cluster->devices[d];
        int64_t moment = device->mode == NSLOTS_TOGETHER ? next_together(cluster, device)
                         : device->mode == NSLOTS_TURNS  ? next_turn(cluster, device, now)
                                                         : INT64_MAX;
        next = moment < next ? moment : next;
    }
    return next;
}

static void pass_time(struct naive_slots *cluster, int64_t now, int64_t to) {
    for (int d = 0; d < cluster->device_count; d++) {
        struct nslots_device *device = &cluster->devices[d];
        if (device->mode != NSLOTS_TURNS || device->doing == NSLOTS_RESTS) {
            continue;
        }
        if (device->doing == NSLOTS_COMPUTES) {
            cluster->jobs[device->who_job - 1].left -= to - now;
        } else if (device->until == to) {
            start_slice(device, to);
        }
    }
}

static bool submit_jobs(struct naive_slots *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        struct nslots_job *job = &cluster->jobs[j];
        if (job->state == NSLOTS_TO_COME && job->submit == now) {
            job->state = nslots_possible(cluster, job) ? NSLOTS_QUEUED : NSLOTS_REJECTED;
            job->end = now;
            any = true;
        }
    }
    return any;
}

static bool is_due(const struct nslots_job *job, int64_t now) {
    return job->state == NSLOTS_QUEUED && job->max_wait >= 0 && job->submit + job->max_wait == now;
}

static bool any_due(const struct naive_slots *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        any |= is_due(&cluster->jobs[j], now);
    }
    return any;
}

static bool withdraw_jobs(struct naive_slots *cluster, int64_t now) {
    bool any = false;
    for (int j = 0; j < cluster->job_count; j++) {
        if (is_due(&cluster->jobs[j], now)) {
            cluster->jobs[j].state = NSLOTS_TIMED_OUT;
            cluster->jobs[j].end = now;
            any = true;
        }
    }
    return any;
}

/* Of the devices where tenants take turns: those that somebody came to or left, or all. */
static void decide_turns(struct naive_slots *cluster, int64_t now, bool all) {
    for (int d = 0; d < cluster->device_count; d++) {
        struct nslots_device *device = &cluster->devices[d];
        if (device->mode == NSLOTS_TURNS && (all || device->touched)) {
            decide(device, now);
        }
        device->touched = false;
    }
}

/* The scheduler, then the devices that somebody came to or left; again for as long as that ends
 * something at once. Other slices that end at this instant wait until all is over, the withdrawals,
 * too: jobs that start until then take part. */
static void settle(struct naive_slots *cluster, int64_t now, bool changed, bool last) {
    do {
        while (changed) {
            nslots_schedule(cluster, now);
            changed = end_jobs(cluster, now);
        }
        decide_turns(cluster, now, false);
        changed = end_jobs(cluster, now);
    } while (changed);
    if (last) {
        decide_turns(cluster, now, true);
    }
}

void naive_slots_run(struct naive_slots *cluster) {
    for (int j = 0; j < cluster->job_count; j++) {
        cluster->jobs[j].state = NSLOTS_TO_COME;
        cluster->jobs[j].near = false;
        cluster->jobs[j].has_place = false;
        cluster->jobs[j].reserved_now = false;
        cluster->jobs[j].first_promise = -1;
    }
    for (int d = 0; d < cluster->device_count; d++) {
        struct nslots_device *device = &cluster->devices[d];
        device->reached = 0;
        device->doing = NSLOTS_RESTS;
        device->ran_job = 0;
        for (int s = 0; s < NSLOTS_SLOTS; s++) {
            device->tenant[s] = 0;
        }
    }
    int64_t now = 0;
    for (int64_t next = next_moment(cluster, now);
         next != INT64_MAX && (cluster->horizon < 0 || next <= cluster->horizon);
         next = next_moment(cluster, now)) {
        pass_time(cluster, now, next);
        now = next;
        bool ended = end_jobs(cluster, now);
        bool came = submit_jobs(cluster, now);
        bool withdrawals = any_due(cluster, now);
        settle(cluster, now, ended || came || withdrawals, !withdrawals);
        if (withdrawals) {
            bool any = withdraw_jobs(cluster, now);
            settle(cluster, now, any, true);
        }
    }
}
