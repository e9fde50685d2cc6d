/* A cluster of shared GPUs stepped the slow and obvious way, beside naive_cluster.h for whole ones:
 * plain arrays that are scanned from their beginnings, one slice at a time, and no code in common
 * with the simulation. What it says is what the rules say. */
#ifndef TESTS_SUPPORT_NAIVE_SLOTS_H
#define TESTS_SUPPORT_NAIVE_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    NSLOTS_POOLS = 3,
    NSLOTS_NODES = 4,
    NSLOTS_GPUS = 4, /* of a node */
    NSLOTS_DEVICES = 192,
    NSLOTS_SLOTS = 5, /* of a device */
    NSLOTS_JOBS = 32
};
enum { NSLOTS_MOST_COMPUTE = 1000000000 }; /* all SMs of a GPU */

enum nslots_order { NSLOTS_FIFO, NSLOTS_SJF, NSLOTS_PRIORITY };
enum nslots_backfill { NSLOTS_NONE, NSLOTS_SKIP, NSLOTS_EASY, NSLOTS_CONSERVATIVE };
enum nslots_placement { NSLOTS_FIRST_FIT, NSLOTS_BEST_FIT, NSLOTS_WORST_FIT };
enum nslots_mode { NSLOTS_ALONE, NSLOTS_TOGETHER, NSLOTS_TURNS };
enum nslots_wish { NSLOTS_ANY, NSLOTS_SMALLEST, NSLOTS_GPU, NSLOTS_PROFILE };
enum nslots_isolation { NSLOTS_OPEN, NSLOTS_WEAK, NSLOTS_HARD, NSLOTS_FULL };
enum nslots_state {
    NSLOTS_TO_COME,
    NSLOTS_QUEUED,
    NSLOTS_RUNNING,
    NSLOTS_COMPLETED,
    NSLOTS_TIMED_OUT,
    NSLOTS_REJECTED
};

/* A GPU, or a MIG instance of one. Times are nanoseconds, memory is bytes. */
struct nslots_device {
    int pool;
    int node;
    int gpu;
    const char *profile; /* NULL: a whole GPU */
    int sms;
    double sm_share;
    int64_t memory;
    int64_t memory_limit; /* 0: none */
    enum nslots_mode mode;
    int slots;
    double thread_share;
    double interference;
    int64_t slice;
    int64_t switch_time;

    int tenant[NSLOTS_SLOTS]; /* 1 + the job; 0: free */
    long double reached;      /* how far NSLOTS_TOGETHER has come */
    enum { NSLOTS_RESTS, NSLOTS_SWITCHES, NSLOTS_COMPUTES } doing;
    int who; /* slot computing or switched to */
    int who_job;
    int ran_slot; /* the last that computed; */
    int ran_job;  /* 1 + that job; 0: none ever */
    int64_t until;
    bool touched; /* somebody came or went at this instant */
};

struct nslots_pool {
    int nodes;
    int gpus_per_node;
    int64_t gpu_memory;
    bool shared;         /* else all its GPUs are exclusive */
    double thread_share; /* of jobs on whole GPUs */
    bool cut[NSLOTS_GPUS];
    int cpus; /* of a node's host; 0: not limited */
};

struct nslots_job {
    int64_t submit;
    int64_t duration; /* at speed 1, like the estimate */
    int64_t estimate;
    int64_t max_wait; /* -1: waits for ever */
    int gpus;
    int64_t memory;
    int compute; /* 1e-9 of a GPU; 0: no say */
    int priority;
    int cpus; /* with each GPU */
    enum nslots_wish wish;
    const char *profile;
    enum nslots_isolation isolation;
    int party;
    double saturation;
    int choices; /* pools it may use, in order of preference */
    int pool[NSLOTS_POOLS];
    double speed[NSLOTS_POOLS]; /* by choice, on whole GPUs */

    enum nslots_state state;
    int64_t start;
    int64_t end;
    int64_t estimated_end;
    bool near; /* its end is one of MPS, or follows one */
    /* Where it runs. */
    int device; /* -1: on whole GPUs */
    int in_pool;
    unsigned gpu_mask[NSLOTS_NODES];
    int64_t left;          /* under NSLOTS_TURNS */
    long double work_left; /* under NSLOTS_TOGETHER */

    /* Under NSLOTS_CONSERVATIVE, while it waits: where the above says, and when. */
    bool has_place;
    bool reserved_now; /* in the pass under way */
    int64_t reserved_from;
    int64_t reserved_to;
    int64_t first_promise; /* also under NSLOTS_EASY, as head; -1: none */
};

struct naive_slots {
    enum nslots_order order;
    enum nslots_backfill backfill;
    enum nslots_placement placement;
    int depth;       /* jobs that have a reservation at a time; 0: all */
    int64_t horizon; /* -1: until all work has ended */
    struct nslots_pool pools[NSLOTS_POOLS];
    int pool_count;
    struct nslots_device devices[NSLOTS_DEVICES]; /* of shared pools; by node, GPU and place */
    int device_count;
    struct nslots_job jobs[NSLOTS_JOBS]; /* at one instant, the lower index was submitted first */
    int job_count;
};

/* Fills in what became of the jobs. */
void naive_slots_run(struct naive_slots *cluster);

/* --- Between its files --- */

/* Which jobs hold something. */
struct nslots_present {
    bool job[NSLOTS_JOBS];
};
struct nslots_present nslots_present_now(const struct naive_slots *cluster);

/* Where a job goes. */
struct nslots_place {
    int choice; /* of its pools; -1: nowhere */
    int device; /* -1: on whole GPUs: */
    unsigned gpu_mask[NSLOTS_NODES];
};
/* With these jobs there; a choice of -1: nowhere. */
struct nslots_place nslots_find_place(const struct naive_slots *cluster,
                                      const struct nslots_job *job,
                                      const struct nslots_present *present);
/* The memory that it could have on a device then; -1: it does not fit. */
int64_t nslots_memory_there(const struct naive_slots *cluster, const struct nslots_job *job,
                            const struct nslots_present *present, int device);
/* GPUs of a node with nobody on them. */
unsigned nslots_free_gpus(const struct naive_slots *cluster, const struct nslots_present *present,
                          int pool, int node);

/* Whether it takes whole GPUs of the pool, if any. */
bool nslots_takes_whole(const struct naive_slots *cluster, const struct nslots_job *job, int pool);
/* The same by what is free of each node, and by the memory that it could have on each device, with
 * these jobs there. */
bool nslots_pick_gpus(const struct naive_slots *cluster, const struct nslots_job *job, int pool,
                      const unsigned free[NSLOTS_NODES], const int cpus[NSLOTS_NODES],
                      struct nslots_place *place);
bool nslots_place_whole(const struct naive_slots *cluster, const struct nslots_job *job,
                        const struct nslots_present *present, int pool, struct nslots_place *place);
/* CPUs of a node that nobody has. */
int nslots_free_cpus(const struct naive_slots *cluster, const struct nslots_present *present,
                     int pool, int node);
bool nslots_pick_slot(const struct naive_slots *cluster, const struct nslots_job *job,
                      const struct nslots_present *present, int pool,
                      const int64_t memory[NSLOTS_DEVICES], struct nslots_place *place);

/* The first waiting job behind `after` (-1: of all); -1: none. */
int nslots_next_waiting(const struct naive_slots *cluster, int after);
/* When a running job ends as far as anybody knows, and when the next of them does. */
int64_t nslots_believed_end(const struct nslots_job *job, int64_t now);
int64_t nslots_next_believed_end(const struct naive_slots *cluster, int64_t now, int64_t after);
int64_t nslots_estimated_time(const struct naive_slots *cluster, const struct nslots_job *job,
                              const struct nslots_place *place);
void nslots_start(struct naive_slots *cluster, int job, const struct nslots_place *place,
                  int64_t now);
void nslots_backfill_conservative(struct naive_slots *cluster, int64_t now);

/* What a job alone on the device does there over what it does at speed 1. */
double nslots_speed(const struct naive_slots *cluster, const struct nslots_job *job, int device);
/* Starts what may start. */
void nslots_schedule(struct naive_slots *cluster, int64_t now);
/* Whether it would fit into the cluster if that were empty. */
bool nslots_possible(const struct naive_slots *cluster, const struct nslots_job *job);
/* A job has been given a slot. */
void nslots_seat(struct naive_slots *cluster, int job, int device, int64_t now);

#endif
