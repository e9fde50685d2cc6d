#include "workloads/job_source.h"

#include <stdlib.h>

#include "workloads/job_source_parts.h"

bool job_source_next(struct job_source *source, struct job_arrival *job) {
    return source->next(source, job);
}

void job_source_destroy(struct job_source *source) {
    if (source != NULL) {
        source->clear(source);
        free(source);
    }
}
