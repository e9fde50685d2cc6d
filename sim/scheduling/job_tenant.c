#include "sim/scheduling/job_tenant.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

enum { TENANTS_PER_BLOCK = 256 };

struct job_tenant_block {
    struct job_tenant_block *next;
    struct job_tenant tenants[TENANTS_PER_BLOCK];
};

static void grow(struct job_tenant_stock *stock) {
    struct job_tenant_block *block = memory_zero(1, sizeof *block);
    block->next = stock->blocks;
    stock->blocks = block;
    for (int i = TENANTS_PER_BLOCK - 1; i >= 0; i--) {
        job_tenant_return(stock, &block->tenants[i]);
    }
}

struct job_tenant *job_tenant_take(struct job_tenant_stock *stock, struct job *job) {
    if (stock->free_list == NULL) {
        grow(stock);
    }
    struct job_tenant *tenant = stock->free_list;
    stock->free_list = tenant->next_free;
    *tenant = (struct job_tenant){.job = job};
    return tenant;
}

void job_tenant_return(struct job_tenant_stock *stock, struct job_tenant *tenant) {
    tenant->next_free = stock->free_list;
    stock->free_list = tenant;
}

void job_tenant_stock_clear(struct job_tenant_stock *stock) {
    while (stock->blocks != NULL) {
        struct job_tenant_block *next = stock->blocks->next;
        free(stock->blocks);
        stock->blocks = next;
    }
    stock->free_list = NULL;
}
