/* The course of a job that can be interrupted: what of its work is done, what of that a restart
 * need not do again, and what it does on the GPUs that it holds. Jobs of runs in which nothing
 * interrupts them have none.
 *
 * An attempt goes from a start to the end of the job or its return to the queue. Work is counted in
 * ns alone in the attempt's slot; between attempts, in ns on the reference GPU. */
#ifndef SIM_SCHEDULING_COURSE_H
#define SIM_SCHEDULING_COURSE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cluster/storage.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/sim_time.h"

struct job;

enum course_phase {
    COURSE_WAITS,    /* in the queue, or for its slot to be cut */
    COURSE_RESTORES, /* reads its last save */
    COURSE_COMPUTES, /* perhaps while an asynchronous save is under way */
    COURSE_SAVES     /* writes one, and computes nothing */
};

/* Whether and how it is on its way off its GPUs. */
enum course_leaving {
    LEAVING_NOT,
    LEAVING_BY_END, /* ends before a save would: is let end */
    LEAVING_BY_SAVE /* when the save under way is complete */
};

/* Why a job leaves before it is done. */
enum leave_reason {
    LEAVES_PREEMPTED,
    LEAVES_INTERRUPTED /* by a fault */
};

/* What one job on one node could make free: in the lists of that node's stays. */
struct stay {
    struct stay *next;
    struct stay *previous;
    struct stay *rest; /* of the same job, on other nodes */
    struct job *job;
    int32_t node;
    int32_t gpus;
};

struct course {
    struct transfer transfer; /* the save or restore under way */
    struct course *next_free;
    struct job *job;
    enum course_phase phase;
    enum course_leaving leaving;
    enum leave_reason leaves_for;
    bool victim;                 /* a newcomer waits for what it frees: */
    uint64_t victim_of;          /* the number of its claim, which may be closed by now */
    struct course *next_running; /* of those that may be preempted */
    struct course *previous_running;

    sim_time first_start; /* SIM_TIME_NEVER: has not started yet */
    sim_time kept;        /* on the reference GPU: work done that a restart need not do again */
    sim_time unsaved;     /* of that: is only in the memory that it left on a device */
    bool suspended;       /* it left it there, and goes on there */
    bool saved;           /* there is a save to be restored */
    sim_time held;        /* ns that it held its slots, in the attempts before this one */
    bool on_gpus;         /* an attempt is under way */
    int32_t level;        /* under order las */
    uint64_t next_rank;   /* under srtf and srsf: among equals, once it has run; 0: none */
    int32_t preemptions;
    int32_t interruptions; /* by faults */
    int32_t in_vain;       /* attempts in a row that kept nothing */

    /* Of the attempt. */
    double speed;         /* of its slot, over the reference GPU */
    sim_time total;       /* work that is left at its start */
    sim_time done;        /* of that: up to phase_since */
    sim_time secure;      /* of that: by the last complete save */
    sim_time marked;      /* what the save under way will secure */
    sim_time segment;     /* work of the computing segment under way */
    double pace;          /* of that: below 1 while an asynchronous save is under way */
    sim_time interval;    /* of work between saves; SIM_TIME_NEVER: none */
    bool async_save;      /* one is under way */
    gpu_time marked_time; /* of `unsecured`: what it will secure */
    sim_time phase_since; /* and up to when its time is booked */
    gpu_time unsecured;   /* units x ns of useful time since the last complete save, as booked */
    sim_time unsecured_since; /* when measuring began, as that was counted */
    event_id event; /* of a save or restore of a given time, or the end of a grace; 0: none */
    event_id grace;
    event_id level_event;  /* when it goes down a level; 0: none */
    event_id memory_event; /* when the memory of its whole GPUs runs out; 0: never */
    struct stay stay;      /* where others may take its GPUs from it */
};

/* Used anew rather than freed. */
struct course_stock {
    struct course *free_list;
    struct course_block *blocks;
};
/* Zeroed but for its job, with no start yet. */
struct course *course_take(struct course_stock *stock, struct job *job);
void course_return(struct course_stock *stock, struct course *course);
void course_stock_clear(struct course_stock *stock);

/* Work in the attempt's slot as work on the reference GPU. */
sim_time course_on_reference(const struct course *course, sim_time work);
/* Work on the reference GPU that it has done and not lost. Where others share its slot, what the
 * segment under way has done so far is taken as if they did not. */
sim_time course_progress(const struct course *course, sim_time now);
/* Work in its slot that a kill at `now` would lose; likewise. */
sim_time course_at_risk(const struct course *course, sim_time now);
/* Time that it has held slots in all, up to now. */
sim_time course_held(const struct course *course, sim_time now);

#endif
