/* What GPUs and their electricity cost: plain data. */
#ifndef SCENARIOS_PRICE_SPEC_H
#define SCENARIOS_PRICE_SPEC_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/place.h"

/* What a part of a pool's GPUs cost. */
struct price_part {
    struct place place;
    bool has_share;
    double share;           /* of the pool's GPUs; the last may leave it out and takes the rest */
    double per_gpu_hour;    /* per_gpu_month / 730 where that was given */
    double per_node_hour;   /* likewise; one of the two is 0 */
    const char *commitment; /* what was agreed on, such as 1y; NULL: nothing */
    bool spot;
    const char *currency; /* NULL: that of the others */
};

struct price_spec {
    bool given;               /* else the catalogue's list price applies, if it has one */
    double per_gpu_hour;      /* the mean over the parts */
    const char *currency;     /* "USD" unless said otherwise */
    struct price_part *parts; /* one, or a mix */
    size_t part_count;
};

struct power_spec {
    bool given;
    double price_per_kwh; /* in the currency of the pools */
    double pue;           /* what the building draws over what the GPUs do, at least 1 */
};

#endif
