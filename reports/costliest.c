#include "reports/costliest.h"

#include <math.h>
#include <stdlib.h>

struct priced_subject {
    const char *name;
    double usd_per_month;
    size_t place;
};

static int by_price(const void *a, const void *b) {
    const struct priced_subject *left = a;
    const struct priced_subject *right = b;
    if (left->usd_per_month != right->usd_per_month) {
        return left->usd_per_month < right->usd_per_month ? 1 : -1;
    }
    return (left->place > right->place) - (left->place < right->place);
}

const char **costliest_subjects(struct result_set *set, const struct result_case *of,
                                enum scope scope, size_t most, size_t *shown, size_t *count) {
    const char **names = result_subjects(set, of, scope, count);
    *shown = *count < most ? *count : most;
    if (*shown == *count) {
        return names;
    }
    struct priced_subject *subjects = arena_allocate(&set->arena, *count, sizeof(subjects[0]));
    for (size_t i = 0; i < *count; i++) {
        double price = result_figure(set, of, scope, names[i], "usd_per_month").mean;
        subjects[i] = (struct priced_subject){names[i], isnan(price) ? 0 : price, i};
    }
    qsort(subjects, *count, sizeof(subjects[0]), by_price);
    for (size_t i = 0; i < *count; i++) {
        names[i] = subjects[i].name;
    }
    return names;
}
