/* What a GPU of a pool costs: the pool's own price, else the catalogue's list price. */
#ifndef SCENARIOS_POOL_PRICE_H
#define SCENARIOS_POOL_PRICE_H

#include "models/catalogue.h"
#include "scenarios/scenario.h"

struct pool_price {
    double per_gpu_hour;           /* NaN: not known */
    const char *currency;          /* NULL: not known */
    const struct list_price *list; /* the list price that it is; NULL: given, or not known */
};

struct pool_price pool_price(const struct pool_spec *pool, const struct catalogue *catalogue);

/* "60 % at 1.4 per GPU-hour (1y), 40 % at 0.9 per GPU-hour (spot)", of a mix of prices; else "". */
enum { PRICE_MIX_TEXT = 512 };
const char *pool_price_mix(const struct pool_spec *pool, char text[PRICE_MIX_TEXT]);

#endif
