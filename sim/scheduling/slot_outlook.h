/* How GPUs of a shared pool that follow a calendar will be cut (relayout.h), if those there end as
 * estimated: the layout that holds now, or for which GPUs drain, and the one after the next
 * boundary, up to the boundary that follows. What comes after that is not looked at. */
#ifndef SIM_SCHEDULING_SLOT_OUTLOOK_H
#define SIM_SCHEDULING_SLOT_OUTLOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/sim_time.h"

struct device;
struct relayout_gpu;
struct slot_profile;

enum { OUTLOOK_LAYOUTS = 2 };

struct slot_outlook {
    sim_time *ready[OUTLOOK_LAYOUTS]; /* by node and GPU: when it is cut so at the latest */
    sim_time *free_places; /* scratch: when each GPU that may change at once has changed */
    sim_time *latest;      /* by program: the last moment at which a reservation begins */
};

/* From when on, and up to when, somebody can start on a device as one of a kind. */
struct slot_window {
    sim_time from;
    sim_time before;
};

/* Whether a device is of a GPU that follows a calendar. */
bool slot_outlook_covers(const struct slot_profile *profile, const struct device *device);
/* The kinds that it is of now or will be; and when: how many windows. */
uint64_t slot_outlook_kinds(const struct slot_profile *profile, const struct device *device);
int slot_outlook_windows(struct slot_profile *profile, const struct device *device, int32_t kind,
                         struct slot_window windows[OUTLOOK_LAYOUTS]);
/* Whether somebody is to start on GPUs of the same calendar once they may have drained: who stays
 * beyond that moment would keep them waiting. */
bool slot_outlook_is_awaited(const struct slot_profile *profile, const struct device *device,
                             sim_time drains);
void slot_outlook_note_use(struct slot_profile *profile, const struct device *device,
                           sim_time from);
void slot_outlook_begin(struct slot_profile *profile);

/* The first moment at which any GPU of the pool may begin to drain; now, if one is changing. */
sim_time slot_outlook_next_turn(const struct slot_profile *profile);

#endif
