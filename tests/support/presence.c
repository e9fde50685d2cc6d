#include "tests/support/presence.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

static bool is_of_job(const struct event_row *row, const struct event_row *event) {
    return strcmp(row->workload, event->workload) == 0 && strcmp(row->id, event->id) == 0;
}

static void leave(struct presence *presence, const struct event_row *event) {
    size_t kept = 0;
    for (size_t i = 0; i < presence->count; i++) {
        if (!is_of_job(presence->here[i], event)) {
            presence->here[kept++] = presence->here[i];
        }
    }
    presence->count = kept;
}

/* The eighths of an 80 GB GPU that an instance such as 3g.40gb@4 is on; all of them: no instance.
 */
static uint32_t units_of(const struct event_row *row) {
    const char *at = strchr(row->slot, '@');
    const char *dot = strchr(row->slot, '.');
    if (at == NULL || dot == NULL) {
        return UINT8_MAX;
    }
    int units = (int)strtol(dot + 1, NULL, 10) / 10;
    return ((UINT32_C(1) << units) - 1) << strtol(at + 1, NULL, 10);
}

/* Whether two cannot be on one GPU together. */
static bool are_in_the_way(const struct event_row *a, const struct event_row *b) {
    bool cut = strchr(a->slot, '@') != NULL;
    bool shared = !cut && a->slot[0] != '\0' && b->slot[0] != '\0';
    const char *share = strchr(a->slot, '/');
    size_t instance = share == NULL ? 0 : (size_t)(share - a->slot);
    bool one_instance = instance > 0 && strncmp(a->slot, b->slot, instance + 1) == 0;
    return shared || one_instance ? strcmp(a->slot, b->slot) == 0
                                  : (units_of(a) & units_of(b)) != 0;
}

static void come(struct presence *presence, const struct event_row *event) {
    for (size_t i = 0; i < presence->count; i++) {
        const struct event_row *other = presence->here[i];
        bool same_gpu = other->node == event->node && other->gpu == event->gpu;
        if (same_gpu && are_in_the_way(event, other)) {
            fail_msg("at %.9f %s %s gets %s of node %d, GPU %d, where %s %s has %s",
                     (double)event->time * 1e-9, event->workload, event->id, event->slot,
                     (int)event->node, (int)event->gpu, other->workload, other->id, other->slot);
        }
    }
    assert_true(presence->count < PRESENCE_MOST);
    presence->here[presence->count++] = event;
}

void presence_follow(struct presence *presence, const struct event_row *event) {
    enum job_event_kind kind = event->kind;
    if (kind == JOB_STARTED) {
        come(presence, event);
    } else if (kind == JOB_PREEMPTED || kind == JOB_INTERRUPTED || kind == JOB_ENDED ||
               kind == JOB_DIED) {
        leave(presence, event);
    }
}

void presence_expect_nobody(const struct presence *presence, int32_t node, int32_t gpu) {
    for (size_t i = 0; i < presence->count; i++) {
        assert_false(presence->here[i]->node == node && (gpu < 0 || presence->here[i]->gpu == gpu));
    }
}

int32_t presence_nodes(const struct presence *presence) {
    uint64_t nodes = 0;
    for (size_t i = 0; i < presence->count; i++) {
        nodes |= UINT64_C(1) << presence->here[i]->node;
    }
    return __builtin_popcountll(nodes);
}

void presence_expect_same(const struct recording *a, const struct recording *b) {
    assert_int_equal(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count; i++) {
        const struct event_row *left = &a->events[i];
        const struct event_row *right = &b->events[i];
        assert_true(left->time == right->time && left->kind == right->kind &&
                    left->node == right->node && left->gpu == right->gpu &&
                    strcmp(left->id, right->id) == 0);
    }
}
