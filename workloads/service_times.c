#include "workloads/service_times.h"

void service_times_initialize(struct service_times *times, const struct workload_spec *workload,
                              uint64_t seed, uint64_t replication) {
    const struct service_spec *service = &workload->service;
    *times = (struct service_times){
        .service = service,
        .draws_time = !service->service_time.by_tokens,
        .draws_prompt = tokens_given(&service->prompt_tokens),
        .draws_output = tokens_given(&service->output_tokens),
    };
    const char *name = workload->name;
    draws_start_stream(&times->time, seed, replication, "service", name);
    draws_start_stream(&times->prompt, seed, replication, "prompt tokens", name);
    draws_start_stream(&times->output, seed, replication, "output tokens", name);
}

/* Tokens are below 2^31, so each product is exact to within a rounding of a double. */
static sim_time time_by_tokens(const struct service_time_spec *spec,
                               const struct arrival *request) {
    return draws_round_time(spec->base_ns + spec->per_input_token_ns * request->prompt_tokens +
                            spec->per_output_token_ns * request->output_tokens);
}

void service_times_complete(struct service_times *times, struct arrival *request) {
    const struct service_spec *service = times->service;
    if (request->prompt_tokens == ARRIVAL_ABSENT) {
        request->prompt_tokens =
            times->draws_prompt ? draw_tokens(&service->prompt_tokens, &times->prompt) : 0;
    }
    if (request->output_tokens == ARRIVAL_ABSENT) {
        request->output_tokens =
            times->draws_output ? draw_tokens(&service->output_tokens, &times->output) : 0;
    }
    if (request->duration == ARRIVAL_ABSENT) {
        request->duration = times->draws_time
                                ? draw_duration(&service->service_time.time, &times->time)
                                : time_by_tokens(&service->service_time, request);
    }
}
