/* What it costs to preempt a job: what victim rules go by. */
#include <math.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/scheduler.h"
#include "sim/scheduling/speed.h"

static sim_time by_size(const struct scenario *scenario, int32_t workload, int32_t pool) {
    double bandwidth = scenario->pools[pool].storage.bandwidth;
    double bytes = (double)checkpoint_spec_size(&scenario->workloads[workload].checkpoint);
    return bandwidth > 0 ? (sim_time)fmin(ceil(bytes / bandwidth * 1e9), SIM_TIME_LONGEST) : 0;
}

sim_time checkpoint_save_time(const struct scenario *scenario, int32_t workload, int32_t pool) {
    const struct checkpoint_spec *spec = &scenario->workloads[workload].checkpoint;
    return !spec->given          ? 0
           : spec->save_time < 0 ? by_size(scenario, workload, pool)
                                 : spec->save_time;
}

sim_time checkpoint_restore_time(const struct scenario *scenario, int32_t workload, int32_t pool) {
    const struct checkpoint_spec *spec = &scenario->workloads[workload].checkpoint;
    return !spec->given             ? 0
           : spec->restore_time < 0 ? by_size(scenario, workload, pool)
                                    : spec->restore_time;
}

struct move_times *preemption_list_moves(const struct scenario *scenario, size_t pool_count) {
    struct move_times *moves = memory_zero(scenario->workload_count * pool_count, sizeof *moves);
    for (size_t i = 0; i < scenario->workload_count * pool_count; i++) {
        int32_t workload = (int32_t)(i / pool_count);
        int32_t pool = (int32_t)(i % pool_count);
        moves[i] =
            (struct move_times){.save = checkpoint_save_time(scenario, workload, pool),
                                .restore = checkpoint_restore_time(scenario, workload, pool)};
    }
    return moves;
}

sim_time preemption_overhead(const struct preemption *preemption, const struct job *job,
                             sim_time now) {
    sim_time at_risk = course_at_risk(job->course, now);
    const struct move_times *move =
        &preemption
             ->moves[(size_t)job->workload * preemption->scheduler->pool_count + (size_t)job->pool];
    switch (preemption->spec->mode) {
    case PREEMPT_KILL:
        return at_risk + (job->course->saved ? move->restore : 0);
    case PREEMPT_CHECKPOINT:
        return move->restore + (at_risk > 0 ? move->save : 0);
    default:
        return 0;
    }
}

static double sms_asked(const struct preemption *preemption, const struct tenant *tenant) {
    (void)preemption;
    return tenant->compute > 0 ? tenant->compute : tenant->saturation;
}

double preemption_utilization(const struct preemption *preemption, const struct job *job) {
    if (job->tenant == NULL || job->tenant->device == NULL) {
        return speed_saturation(&preemption->scenario->workloads[job->workload]);
    }
    const struct device *device = job->tenant->device;
    double sum = 0;
    for (int32_t slot = 0; slot < device->slots; slot++) {
        sum += device->tenants[slot] != NULL ? sms_asked(preemption, device->tenants[slot]) : 0;
    }
    return sum;
}
