/* A temporary file that is written once from front to back and then mapped read-only. It has no
 * name any more when it is written to, so it goes with the process however that ends. */
#ifndef WORKLOADS_SCRATCH_FILE_H
#define WORKLOADS_SCRATCH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/kernel/error.h"

struct scratch_file {
    FILE *file; /* NULL before the first byte */
    size_t size;
    void *map; /* NULL before scratch_file_map, or if there is nothing to map */
};

/* Zero-initialize. Writes to the folder TMPDIR, or else /tmp; false with an error that names it if
 * it cannot be written or is full. */
bool scratch_file_write(struct scratch_file *scratch, const void *bytes, size_t size,
                        struct error *error);
bool scratch_file_map(struct scratch_file *scratch, struct error *error);
void scratch_file_clear(struct scratch_file *scratch);

#endif
