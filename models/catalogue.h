/* The GPU catalogue: what is known of each GPU, each figure with its source (catalogue/gpus.csv).
 */
#ifndef MODELS_CATALOGUE_H
#define MODELS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_model {
    const char *name; /* A100-SXM4-80GB */
    int64_t memory_mib;
    const char *memory_source;
    double price_usd_per_gpu_hour; /* list price; NaN where none is known */
    const char *price_provider;    /* "" without a price, like the rest */
    const char *price_kind;        /* on-demand */
    const char *price_date;        /* YYYY-MM or YYYY-MM-DD */
    const char *price_source;
};

struct catalogue {
    struct gpu_model *gpus;
    size_t gpu_count;
    char *text; /* what the strings point into */
};

/* The catalogue that the program carries. Free with catalogue_destroy. */
struct catalogue *catalogue_create(void);
void catalogue_destroy(struct catalogue *catalogue);

enum { CATALOGUE_UNKNOWN = -1, CATALOGUE_AMBIGUOUS = -2 };

/* The row of a GPU by its full name in any case, or by a short form (whole parts from the left,
 * "T4", "A100-SXM4") that fits one GPU only. Else CATALOGUE_UNKNOWN or CATALOGUE_AMBIGUOUS, and up
 * to `capacity` candidates (all that fit, or that resemble the name) in candidates, their number in
 * *candidate_count. */
int catalogue_find_gpu(const struct catalogue *catalogue, const char *name, int *candidates,
                       size_t capacity, size_t *candidate_count);

#endif
