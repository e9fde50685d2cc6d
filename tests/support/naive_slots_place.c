#include "tests/support/naive_slots.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

struct nslots_present nslots_present_now(const struct naive_slots *cluster) {
    struct nslots_present present = {{false}};
    for (int j = 0; j < cluster->job_count; j++) {
        present.job[j] = cluster->jobs[j].state == NSLOTS_RUNNING;
    }
    return present;
}

/* --- Whole GPUs --- */

/* GPUs of a node with nobody on them. */
unsigned nslots_free_gpus(const struct naive_slots *cluster, const struct nslots_present *present,
                          int p, int n) {
    unsigned mask = 0;
    for (int g = 0; g < cluster->pools[p].gpus_per_node; g++) {
        mask |= cluster->pools[p].cut[g] ? 0 : 1u << g;
    }
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        if (!present->job[j] || job->in_pool != p) {
            continue;
        }
        if (job->device < 0) {
            mask &= ~job->gpu_mask[n];
        } else if (cluster->devices[job->device].node == n) {
            mask &= ~(1u << cluster->devices[job->device].gpu);
        }
    }
    return mask;
}

static int count(unsigned mask) {
    return __builtin_popcount(mask);
}

static int whole_gpus(const struct nslots_pool *pool) {
    int gpus = 0;
    for (int g = 0; g < pool->gpus_per_node; g++) {
        gpus += !pool->cut[g];
    }
    return gpus;
}

static bool preferred(enum nslots_placement rule, int free, int best) {
    return rule == NSLOTS_BEST_FIT ? free < best : rule == NSLOTS_WORST_FIT && free > best;
}

static unsigned lowest(unsigned mask, int gpus) {
    unsigned taken = 0;
    for (int g = 0; gpus > 0; g++) {
        if ((mask >> g) & 1u) {
            taken |= 1u << g;
            gpus--;
        }
    }
    return taken;
}

int nslots_free_cpus(const struct naive_slots *cluster, const struct nslots_present *present, int p,
                     int n) {
    int cpus = cluster->pools[p].cpus;
    for (int j = 0; cpus > 0 && j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        if (present->job[j] && job->in_pool == p) {
            bool here = job->device >= 0 && cluster->devices[job->device].node == n;
            cpus -= (job->device < 0 ? count(job->gpu_mask[n]) : here) * job->cpus;
        }
    }
    return cluster->pools[p].cpus == 0 ? INT_MAX : cpus;
}

bool nslots_pick_gpus(const struct naive_slots *cluster, const struct nslots_job *job, int p,
                      const unsigned free[NSLOTS_NODES], const int cpus[NSLOTS_NODES],
                      struct nslots_place *place) {
    const struct nslots_pool *pool = &cluster->pools[p];
    int per_node = whole_gpus(pool);
    memset(place->gpu_mask, 0, sizeof place->gpu_mask);
    place->device = -1;
    if (per_node == 0 || job->memory > pool->gpu_memory) {
        return false;
    }
    for (int left = job->gpus; left > 0;) {
        int part = left < per_node ? left : per_node;
        int best = -1;
        for (int n = 0; n < pool->nodes; n++) {
            if (place->gpu_mask[n] == 0 && count(free[n]) >= part && cpus[n] >= part * job->cpus &&
                (best < 0 || preferred(cluster->placement, count(free[n]), count(free[best])))) {
                best = n;
            }
        }
        if (best < 0) {
            return false;
        }
        place->gpu_mask[best] = lowest(free[best], part);
        left -= part;
    }
    return true;
}

bool nslots_place_whole(const struct naive_slots *cluster, const struct nslots_job *job,
                        const struct nslots_present *present, int p, struct nslots_place *place) {
    unsigned free[NSLOTS_NODES] = {0};
    int cpus[NSLOTS_NODES] = {0};
    for (int n = 0; n < cluster->pools[p].nodes; n++) {
        free[n] = nslots_free_gpus(cluster, present, p, n);
        cpus[n] = nslots_free_cpus(cluster, present, p, n);
    }
    return nslots_pick_gpus(cluster, job, p, free, cpus, place);
}

/* --- Slots --- */

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t most_memory(const struct nslots_device *device) {
    return device->memory_limit > 0 ? least(device->memory, device->memory_limit) : device->memory;
}

static int compute_of(double share) {
    return (int)lround(share * NSLOTS_MOST_COMPUTE);
}

/* Whether the device, empty, would do. */
static bool suits(const struct nslots_job *job, const struct nslots_device *device) {
    return job->memory <= most_memory(device) && job->compute <= compute_of(device->sm_share) &&
           (job->isolation != NSLOTS_HARD || device->mode == NSLOTS_ALONE) &&
           (job->wish != NSLOTS_PROFILE ||
            (device->profile != NULL && strcmp(device->profile, job->profile) == 0));
}

static bool blocked(const struct naive_slots *cluster, const struct nslots_present *present,
                    const struct nslots_device *device) {
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *job = &cluster->jobs[j];
        if (present->job[j] && job->device < 0 && job->in_pool == device->pool &&
            ((job->gpu_mask[device->node] >> device->gpu) & 1u)) {
            return true;
        }
    }
    return false;
}

static int slots_free(const struct naive_slots *cluster, const struct nslots_present *present,
                      int d) {
    int free = cluster->devices[d].slots;
    for (int j = 0; j < cluster->job_count; j++) {
        free -= present->job[j] && cluster->jobs[j].device == d;
    }
    return blocked(cluster, present, &cluster->devices[d]) ? 0 : free;
}

static bool may_meet(const struct nslots_job *a, const struct nslots_job *b) {
    return a->party == b->party || (a->isolation == NSLOTS_OPEN && b->isolation == NSLOTS_OPEN);
}

/* The memory that it could have there now; -1: it does not fit. */
int64_t nslots_memory_there(const struct naive_slots *cluster, const struct nslots_job *job,
                            const struct nslots_present *present, int d) {
    const struct nslots_device *device = &cluster->devices[d];
    int64_t memory = device->memory;
    int compute = compute_of(device->sm_share);
    bool company = true;
    for (int j = 0; j < cluster->job_count; j++) {
        const struct nslots_job *other = &cluster->jobs[j];
        if (present->job[j] && other->device == d) {
            memory -= other->memory;
            compute -= other->compute;
            company = company && may_meet(job, other);
        }
    }
    if (device->memory_limit > 0) {
        memory = least(memory, device->memory_limit);
    }
    bool fits = nslots_free_cpus(cluster, present, device->pool, device->node) >= job->cpus &&
                suits(job, device) && slots_free(cluster, present, d) > 0 && company &&
                job->memory <= memory && job->compute <= compute;
    return fits ? memory : -1;
}

/* Free slots on the node, then on the GPU. */
static void free_around(const struct naive_slots *cluster, const struct nslots_present *present,
                        int d, int free[2]) {
    const struct nslots_device *device = &cluster->devices[d];
    free[0] = free[1] = 0;
    for (int i = 0; i < cluster->device_count; i++) {
        const struct nslots_device *other = &cluster->devices[i];
        if (other->pool == device->pool && other->node == device->node) {
            int slots = slots_free(cluster, present, i);
            free[0] += slots;
            free[1] += other->gpu == device->gpu ? slots : 0;
        }
    }
}

/* Whether the placement rule prefers a to b, which are alike. */
static bool ranks_before(const struct naive_slots *cluster, const struct nslots_present *present,
                         int a, int b) {
    int free_a[2];
    int free_b[2];
    free_around(cluster, present, a, free_a);
    free_around(cluster, present, b, free_b);
    for (int i = 0; i < 2; i++) {
        if (free_a[i] != free_b[i]) {
            return preferred(cluster->placement, free_a[i], free_b[i]);
        }
    }
    return false;
}

/* slot: smallest: whether no kind that would do is smaller. */
static bool is_smallest(const struct naive_slots *cluster, const struct nslots_job *job, int d) {
    const struct nslots_device *device = &cluster->devices[d];
    for (int i = 0; i < cluster->device_count; i++) {
        const struct nslots_device *other = &cluster->devices[i];
        int64_t memory = most_memory(other);
        bool smaller = memory < most_memory(device) ||
                       (memory == most_memory(device) && other->sms < device->sms);
        if (other->pool == device->pool && suits(job, other) && smaller) {
            return false;
        }
    }
    return true;
}

bool nslots_pick_slot(const struct naive_slots *cluster, const struct nslots_job *job,
                      const struct nslots_present *present, int p,
                      const int64_t memory[NSLOTS_DEVICES], struct nslots_place *place) {
    int best = -1;
    for (int d = 0; d < cluster->device_count; d++) {
        if (cluster->devices[d].pool != p || memory[d] < 0 ||
            (job->wish == NSLOTS_SMALLEST && !is_smallest(cluster, job, d))) {
            continue;
        }
        bool better = best < 0 || memory[d] < memory[best];
        if (best >= 0 && memory[d] == memory[best]) {
            int sms = cluster->devices[d].sms;
            int best_sms = cluster->devices[best].sms;
            better = sms < best_sms || (sms == best_sms && cluster->placement != NSLOTS_FIRST_FIT &&
                                        ranks_before(cluster, present, d, best));
        }
        best = better ? d : best;
    }
    memset(place->gpu_mask, 0, sizeof place->gpu_mask);
    place->device = best;
    return best >= 0;
}

static bool place_in_slot(const struct naive_slots *cluster, const struct nslots_job *job,
                          const struct nslots_present *present, int p, struct nslots_place *place) {
    int64_t memory[NSLOTS_DEVICES];
    for (int d = 0; d < cluster->device_count; d++) {
        memory[d] = nslots_memory_there(cluster, job, present, d);
    }
    return nslots_pick_slot(cluster, job, present, p, memory, place);
}

static bool some_slot_suits(const struct naive_slots *cluster, const struct nslots_job *job,
                            int p) {
    for (int d = 0; d < cluster->device_count; d++) {
        if (cluster->devices[d].pool == p && suits(job, &cluster->devices[d])) {
            return true;
        }
    }
    return false;
}

bool nslots_takes_whole(const struct naive_slots *cluster, const struct nslots_job *job, int p) {
    if (!cluster->pools[p].shared || job->gpus > 1 || job->wish == NSLOTS_GPU ||
        job->isolation == NSLOTS_FULL) {
        return true;
    }
    return job->isolation == NSLOTS_HARD && job->wish != NSLOTS_PROFILE &&
           !some_slot_suits(cluster, job, p);
}

struct nslots_place nslots_find_place(const struct naive_slots *cluster,
                                      const struct nslots_job *job,
                                      const struct nslots_present *present) {
    struct nslots_place place = {.choice = -1, .device = -1};
    for (int c = 0; c < job->choices; c++) {
        int p = job->pool[c];
        bool whole = nslots_takes_whole(cluster, job, p);
        bool fits = whole ? job->wish != NSLOTS_PROFILE &&
                                nslots_place_whole(cluster, job, present, p, &place)
                          : place_in_slot(cluster, job, present, p, &place);
        if (fits) {
            place.choice = c;
            return place;
        }
    }
    return place;
}

bool nslots_possible(const struct naive_slots *cluster, const struct nslots_job *job) {
    const struct nslots_present nobody = {{false}};
    return nslots_find_place(cluster, job, &nobody).choice >= 0;
}
