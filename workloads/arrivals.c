#include "workloads/arrivals.h"

#include <stdlib.h>

#include "workloads/arrival_process.h"

const struct arrival_kind arrival_kinds[] = {
    {
        .choice = {.name = "poisson",
                   .summary = "at a constant rate, independently of each other",
                   .options = &poisson_field,
                   .option_size = sizeof(struct poisson_options)},
        .create = poisson_create,
        .rate = poisson_rate,
        .scale = poisson_scale,
    },
    {
        .choice = {.name = "renewal",
                   .summary = "with independent times between them, of any distribution",
                   .options = &renewal_field,
                   .option_size = sizeof(struct renewal_options),
                   .check = renewal_check},
        .create = renewal_create,
        .rate = renewal_rate,
        .scale = renewal_scale,
    },
    {
        .choice = {.name = "mmpp",
                   .summary = "in bursts: a Poisson rate that jumps between states",
                   .options = &mmpp_field,
                   .option_size = sizeof(struct mmpp_options),
                   .check = mmpp_check},
        .create = mmpp_create,
        .rate = mmpp_rate,
        .scale = mmpp_scale,
    },
    {
        .choice = {.name = "diurnal",
                   .summary = "with a daily rhythm: a Poisson rate that swings around its mean",
                   .options = &diurnal_field,
                   .option_size = sizeof(struct diurnal_options),
                   .check = diurnal_check},
        .create = diurnal_create,
        .rate = diurnal_rate,
        .scale = diurnal_scale,
    },
    {
        .choice = {.name = "closed",
                   .summary = "from clients that each wait for an end, think, and submit again",
                   .options = &closed_field,
                   .option_size = sizeof(struct closed_options),
                   .check = closed_check},
        .create = closed_create,
        .rate = closed_rate,
        .scale = closed_scale,
    },
};
const size_t arrival_kind_count = sizeof(arrival_kinds) / sizeof(arrival_kinds[0]);

struct arrival_process *arrival_process_create(const struct chosen *arrivals,
                                               sim_time start_of_day) {
    return arrival_kinds[arrivals->index].create(arrivals->options, start_of_day);
}

double arrival_rate(const struct chosen *arrivals) {
    return arrival_kinds[arrivals->index].rate(arrivals->options);
}

void arrival_scale(struct chosen *arrivals, double factor) {
    arrival_kinds[arrivals->index].scale((void *)arrivals->options, factor);
}

void arrival_process_destroy(struct arrival_process *process) {
    free(process);
}

sim_time arrival_process_next(struct arrival_process *process, sim_time last,
                              struct stream *stream) {
    return last == SIM_TIME_NEVER ? SIM_TIME_NEVER : process->next(process, last, stream);
}

bool arrival_process_is_closed(const struct arrival_process *process) {
    return process->ended != NULL;
}

sim_time arrival_process_ended(struct arrival_process *process, sim_time now, sim_time pending,
                               struct stream *stream) {
    return process->ended(process, now, pending, stream);
}

sim_time arrival_process_advance(struct arrival_process *process, sim_time last, double gap) {
    double ahead = process->remainder + (gap > 0 ? gap : 0);
    if (!(ahead < (double)(SIM_TIME_LONGEST - last))) {
        return SIM_TIME_NEVER;
    }
    sim_time whole = (sim_time)ahead;
    process->remainder = ahead - (double)whole;
    return last + whole;
}
