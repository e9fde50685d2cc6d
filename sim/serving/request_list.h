/* Lists of requests: a queue or what a replica runs (`next`), and the waiting ones by age. */
#ifndef SIM_SERVING_REQUEST_LIST_H
#define SIM_SERVING_REQUEST_LIST_H

#include "sim/serving/request.h"

struct request_list {
    struct request *first;
    struct request *last;
};

/* Puts a request before another, NULL: at the end. */
static inline void request_list_insert(struct request_list *list, struct request *request,
                                       struct request *before) {
    struct request *after = before == NULL ? list->last : before->previous;
    request->next = before;
    request->previous = after;
    *(before == NULL ? &list->last : &before->previous) = request;
    *(after == NULL ? &list->first : &after->next) = request;
}

static inline void request_list_append(struct request_list *list, struct request *request) {
    request_list_insert(list, request, NULL);
}

static inline void request_list_remove(struct request_list *list, struct request *request) {
    *(request->previous == NULL ? &list->first : &request->previous->next) = request->next;
    *(request->next == NULL ? &list->last : &request->next->previous) = request->previous;
}

/* The same by age: the oldest first. */
static inline void request_ages_append(struct request_list *list, struct request *request) {
    request->waiting.older = list->last;
    request->waiting.younger = NULL;
    *(list->last == NULL ? &list->first : &list->last->waiting.younger) = request;
    list->last = request;
}

static inline void request_ages_remove(struct request_list *list, struct request *request) {
    struct request *older = request->waiting.older;
    struct request *younger = request->waiting.younger;
    *(older == NULL ? &list->first : &older->waiting.younger) = younger;
    *(younger == NULL ? &list->last : &younger->waiting.older) = older;
}

#endif
