/* What each device of a pool that tenants share will have free from now on, if those there end as
 * estimated and waiting jobs start where and when it is reserved for them: profile.h for slots, and
 * for whole GPUs beside them. Nothing is kept but what is reserved: each question looks at all
 * devices of the pool, and is asked only where a job that does not fit may hold up others. */
#ifndef SIM_SCHEDULING_SLOT_PROFILE_H
#define SIM_SCHEDULING_SLOT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/scheduling/placement.h"
#include "sim/scheduling/shared_pool.h"
#include "sim/scheduling/slot_outlook.h"

/* A slot of a device that is, or by then can be, of this kind. */
struct slot_spot {
    struct device *device;
    int32_t kind;
};

/* Somebody is to have a slot of a device, or (no ask) all of it as a whole GPU. */
struct slot_use {
    sim_time from;
    sim_time until;
    sim_time cut; /* how long, from then on, others may have to wait for it to be cut */
    const struct slot_ask *ask; /* borrowed from the shape */
    struct host_share host;     /* of the node, with it */
    int32_t kind;
};

struct slot_uses {
    struct slot_use *items;
    size_t count;
    size_t capacity;
    uint64_t made_for; /* the profile's round */
};

/* What a job asks of a pool. */
struct slot_stay {
    const struct slot_ask *ask;
    uint64_t kinds;                       /* of those asked for, the ones that it may have */
    sim_time durations[SLOT_KINDS_LIMIT]; /* by kind: how long it runs there; at least 1 ns */
};

struct slot_profile {
    struct shared_pool *shared; /* borrowed; NULL: the pool has no slots */
    struct slot_uses *uses;     /* by device */
    uint64_t round;
    sim_time now;
    struct slot_outlook outlook; /* of GPUs that follow a calendar, */
    bool looked;                 /* once it has been asked for */
    /* Scratch for gangs: by node and GPU, when it is free for long enough; by node, the GPUs that
     * are, how many were before, and a moment. */
    sim_time *firsts;
    uint64_t *masks;
    int32_t *before;
    struct host_share *hosts; /* by node: what is free of its host, where that is limited, */
    struct host_share *hosts_before;
    sim_time *moments;
};

void slot_profile_initialize(struct slot_profile *profile, struct shared_pool *shared);
void slot_profile_terminate(struct slot_profile *profile);

/* Begins anew at `now`, with no reservations. */
void slot_profile_begin(struct slot_profile *profile, sim_time now);
/* Somebody has started in the pool since then. */
void slot_profile_note_start(struct slot_profile *profile);

/* --- Slots --- */

/* The first moment, now or later, at which a slot is free for as long as the job is there;
 * SIM_TIME_NEVER: none. O(devices x tenants and reservations of one). */
sim_time slot_profile_first(struct slot_profile *profile, const struct slot_stay *stay);
/* Where it is then: what slots_find goes by, by the least that each has free meanwhile; of GPUs
 * that MIG cuts on demand the first that will do. If it is to start now, what overdue tenants still
 * hold does not count as free. False: nowhere, which with `starts` false and a moment that
 * slot_profile_first has found cannot be. */
bool slot_profile_place(struct slot_profile *profile, const struct slot_stay *stay, sim_time from,
                        bool starts, struct slot_spot *spot);
bool slot_profile_holds(struct slot_profile *profile, const struct slot_stay *stay,
                        const struct slot_spot *spot, sim_time from, bool starts);
void slot_profile_reserve(struct slot_profile *profile, const struct slot_stay *stay,
                          const struct slot_spot *spot, sim_time from);
/* What a tenant that is there now, at this spot, goes to. */
struct slot_place slot_profile_now(const struct slot_profile *profile,
                                   const struct slot_spot *spot);
/* The longest that cutting an instance of the device takes; SIM_TIME_NEVER: no bound is known. 0
 * where MIG does not cut it on demand. */
sim_time slot_profile_cut_time(const struct slot_profile *profile, const struct device *device);

/* --- Whole GPUs --- */

/* The first moment at which a gang fits for so long, on the same GPUs throughout. O(GPUs x (tenants
 * and reservations of one + log GPUs)) for each moment that is tried. */
sim_time slot_profile_first_gang(struct slot_profile *profile, const struct gang *gang,
                                 sim_time duration);
/* Where the placement rule puts it then: its pieces name the GPUs. As for slots, otherwise. */
bool slot_profile_plan_gang(struct slot_profile *profile, const struct placement_rule *rule,
                            struct piece_stock *stock, const struct gang *gang, sim_time from,
                            sim_time duration, bool starts, struct piece *first);
bool slot_profile_holds_gang(struct slot_profile *profile, const struct gang *gang,
                             const struct piece *pieces, sim_time from, sim_time duration,
                             bool starts);
void slot_profile_reserve_gang(struct slot_profile *profile, const struct gang *gang,
                               const struct piece *pieces, sim_time from, sim_time duration);
/* The GPUs of a node that are free for so long. */
uint64_t slot_profile_gpus(struct slot_profile *profile, int32_t node, sim_time from,
                           sim_time duration);

/* Programmer's check, O(reservations x what a question costs): each reservation could begin when it
 * is to, beside those who are there now and all others. */
bool slot_profile_keeps_promises(struct slot_profile *profile);

/* --- Between its files --- */

/* Whether it is there for somebody from a moment on, for as long as that takes; *memory: the least
 * that is left meanwhile. starts: as for slot_profile_place. */
bool slot_profile_has_room(struct slot_profile *profile, const struct slot_stay *stay,
                           const struct slot_spot *spot, sim_time from, bool starts,
                           int64_t *memory);
/* How long it takes at most before the job runs there: what is in use at that moment, or there now,
 * is not cut. A cut that takes no time keeps others waiting until it is over, too. */
sim_time slot_profile_cut_before(const struct slot_profile *profile, const struct slot_spot *spot,
                                 sim_time from);
static inline bool slot_use_covers(const struct slot_use *use, sim_time moment) {
    return use->from <= moment && moment < use->until;
}

/* What is reserved of a device. */
struct slot_uses *slot_profile_uses(struct slot_profile *profile, const struct device *device);
void slot_profile_add_use(struct slot_profile *profile, const struct device *device,
                          const struct slot_use *use);

/* Whether nobody is on a whole GPU at a moment. */
bool slot_profile_gpu_is_free(struct slot_profile *profile, const struct device *device,
                              sim_time moment);
/* What a whole GPU is as a kind of slot; -1: it never is whole. */
int32_t slot_profile_whole_kind(const struct slot_profile *profile, const struct device *device);

/* Of the host of a node (slot_profile_host.c), where hosts are limited: the least that is free from
 * a moment on; whether there is room, also (starts) now; and when that next may grow. */
bool slot_profile_limits_hosts(const struct slot_profile *profile);
struct host_share slot_profile_host(struct slot_profile *profile, int32_t node, sim_time from,
                                    sim_time until);
bool slot_profile_host_fits(struct slot_profile *profile, int32_t node,
                            const struct host_share *ask, sim_time from, sim_time until,
                            bool starts);
sim_time slot_profile_host_next(struct slot_profile *profile, int32_t node, sim_time after);

/* Of GPUs that MIG cuts on demand (slot_profile_cut.c): whether a device is of one, which kinds can
 * be cut there, whether one can stand there at a moment beside what stays and is reserved, whether
 * nobody's cut is in the way of one that begins then and takes so long, and the next moment at
 * which that may change. */
bool slot_profile_is_cut(const struct slot_profile *profile, const struct device *device);
uint64_t slot_profile_cut_kinds(const struct slot_profile *profile, const struct device *device);
bool slot_profile_cut_stands(struct slot_profile *profile, const struct slot_spot *spot,
                             sim_time moment);
bool slot_profile_cut_may_begin(struct slot_profile *profile, const struct slot_spot *spot,
                                sim_time from, sim_time cut);
sim_time slot_profile_cut_next(struct slot_profile *profile, const struct device *device,
                               sim_time after);

#endif
