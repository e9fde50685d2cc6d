/* The memory of the requests alive: places are used anew, so it follows the number of requests
 * queued and running, not the number of arrivals. */
#ifndef SIM_SERVING_REQUEST_STOCK_H
#define SIM_SERVING_REQUEST_STOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/serving/request.h"

struct request_stock {
    struct request *free_list; /* by `next` */
    struct request_block *blocks;
    size_t alive;
    bool counts_tokens; /* requests have room for them; to be said before the first is taken */
};

/* The slow path of request_stock_take: no place is free. */
void request_stock_grow(struct request_stock *stock);

/* A request with nothing filled in. */
static inline struct request *request_stock_take(struct request_stock *stock) {
    if (__builtin_expect(stock->free_list == NULL, 0)) {
        request_stock_grow(stock);
    }
    struct request *request = stock->free_list;
    stock->free_list = request->next;
    stock->alive++;
    return request;
}

static inline void request_stock_return(struct request_stock *stock, struct request *request) {
    request->next = stock->free_list;
    stock->free_list = request;
    stock->alive--;
}

/* A zeroed stock is an empty one. */
void request_stock_clear(struct request_stock *stock);

#endif
