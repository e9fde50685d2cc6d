#include "workloads/job_source.h"

#include <stdlib.h>

#include "workloads/job_source_parts.h"

bool job_source_next(struct job_source *source, struct job_arrival *job) {
    return source->next(source, job);
}

bool job_source_is_closed(const struct job_source *source) {
    return source->ended != NULL;
}

bool job_source_ended(struct job_source *source, sim_time now, struct job_arrival *pending) {
    return source->ended(source, now, pending);
}

void job_source_destroy(struct job_source *source) {
    if (source != NULL) {
        source->clear(source);
        free(source);
    }
}
