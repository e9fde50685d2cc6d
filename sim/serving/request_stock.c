#include "sim/serving/request_stock.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

/* Each block is twice as large as the one before, up to 6 MiB. */
enum { SMALLEST_BLOCK = 256, LARGEST_BLOCK = 65536 };

const char *const request_state_names[REQUEST_STATE_COUNT] = {
    [REQUEST_COMPLETED] = "completed", [REQUEST_RUNNING] = "running",   [REQUEST_QUEUED] = "queued",
    [REQUEST_TIMED_OUT] = "timed_out", [REQUEST_REJECTED] = "rejected", [REQUEST_FAILED] = "failed",
};

struct request_block {
    unsigned char *requests;
    size_t count;
    struct request_block *next;
};

void request_stock_grow(struct request_stock *stock) {
    struct request_block *block = memory_zero(1, sizeof *block);
    block->count = stock->blocks == NULL ? SMALLEST_BLOCK : 2 * stock->blocks->count;
    block->count = block->count > LARGEST_BLOCK ? LARGEST_BLOCK : block->count;
    size_t size =
        sizeof(struct request) + (stock->counts_tokens ? TOKEN_KINDS * sizeof(int32_t) : 0);
    block->requests = memory_allocate_scattered(block->count, size);
    block->next = stock->blocks;
    stock->blocks = block;
    for (size_t i = block->count; i-- > 0;) {
        struct request *request = (struct request *)(void *)(block->requests + i * size);
        request->next = stock->free_list;
        stock->free_list = request;
    }
}

void request_stock_clear(struct request_stock *stock) {
    while (stock->blocks != NULL) {
        struct request_block *next = stock->blocks->next;
        free(stock->blocks->requests);
        free(stock->blocks);
        stock->blocks = next;
    }
    *stock = (struct request_stock){0};
}
