/* Pieces of gangs, used anew. */
#include <stdlib.h>

#include "sim/cluster/pool.h"
#include "sim/kernel/memory.h"

enum { PIECES_PER_BLOCK = 1024 };

struct piece_block {
    struct piece_block *next;
    struct piece pieces[PIECES_PER_BLOCK];
};

static void stock_grow(struct piece_stock *stock) {
    struct piece_block *block = memory_zero(1, sizeof *block);
    block->next = stock->blocks;
    stock->blocks = block;
    for (int i = PIECES_PER_BLOCK - 1; i >= 0; i--) {
        block->pieces[i].next = stock->free_list;
        stock->free_list = &block->pieces[i];
    }
}

struct piece *piece_take(struct piece_stock *stock) {
    if (stock->free_list == NULL) {
        stock_grow(stock);
    }
    struct piece *piece = stock->free_list;
    stock->free_list = piece->next;
    *piece = (struct piece){0};
    return piece;
}

void piece_return_rest(struct piece_stock *stock, struct piece *first) {
    struct piece *pieces = first->next;
    first->next = NULL;
    while (pieces != NULL) {
        struct piece *next = pieces->next;
        pieces->next = stock->free_list;
        stock->free_list = pieces;
        pieces = next;
    }
}

void piece_stock_clear(struct piece_stock *stock) {
    while (stock->blocks != NULL) {
        struct piece_block *next = stock->blocks->next;
        free(stock->blocks);
        stock->blocks = next;
    }
    stock->free_list = NULL;
}
