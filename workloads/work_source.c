#include "workloads/work_source.h"

#include <stdlib.h>

#include "workloads/work_source_parts.h"

bool work_source_next(struct work_source *source, struct arrival *arrival) {
    return source->next(source, arrival);
}

bool work_source_is_closed(const struct work_source *source) {
    return source->ended != NULL;
}

bool work_source_ended(struct work_source *source, sim_time now, struct arrival *pending) {
    return source->ended(source, now, pending);
}

void work_source_destroy(struct work_source *source) {
    if (source != NULL) {
        source->clear(source);
        free(source);
    }
}
