#include "reports/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/sweep_point.h"
#include "sim/kernel/memory.h"

/* One value of a parameter. */
struct level {
    const char *value;
    double sum;
    size_t count;
};

struct levels {
    struct level *items;
    size_t count;
    size_t capacity;
};

static void add_level(struct levels *levels, const char *value, double figure) {
    size_t i = 0;
    while (i < levels->count && strcmp(levels->items[i].value, value) != 0) {
        i++;
    }
    if (i == levels->count) {
        levels->items = memory_grow(levels->items, &levels->capacity, levels->count + 1,
                                    sizeof(levels->items[0]));
        levels->items[levels->count++] = (struct level){.value = value};
    }
    levels->items[i].sum += figure;
    levels->items[i].count++;
}

static struct effect effect_of(const char *parameter, const struct levels *levels) {
    struct effect effect = {
        .parameter = parameter, .least = INFINITY, .most = -INFINITY, .values = levels->count};
    for (size_t i = 0; i < levels->count; i++) {
        const struct level *level = &levels->items[i];
        double mean = level->sum / (double)level->count;
        if (mean < effect.least) {
            effect.least = mean;
            effect.least_at = level->value;
        }
        if (mean > effect.most) {
            effect.most = mean;
            effect.most_at = level->value;
        }
    }
    return effect;
}

static int by_size(const void *a, const void *b) {
    const struct effect *left = a;
    const struct effect *right = b;
    double left_size = left->most - left->least;
    double right_size = right->most - right->least;
    if (left_size != right_size) {
        return left_size > right_size ? -1 : 1;
    }
    return strcmp(left->parameter, right->parameter);
}

/* Column columns->count stands for the variant. */
static const char *value_at(const struct case_set *cases, const struct sweep_columns *columns,
                            size_t column, size_t number) {
    const struct result_case *of = &cases->cases[number];
    return column == columns->count
               ? of->variant
               : sweep_columns_value(columns, &cases->set->arena, of->point, column);
}

static void add_effect(struct sensitivity *sensitivity, const struct case_set *cases,
                       const struct sweep_columns *columns, size_t column, const double *values) {
    struct levels levels = {0};
    for (size_t i = 0; i < cases->count; i++) {
        const char *value = value_at(cases, columns, column, i);
        if (value != NULL && !isnan(values[i])) {
            add_level(&levels, value, values[i]);
        }
    }
    if (levels.count >= 2) {
        const char *name =
            column == columns->count
                ? "variant"
                : arena_duplicate_string(&cases->set->arena, columns->headers[column]);
        sensitivity->effects[sensitivity->count++] = effect_of(name, &levels);
    }
    free(levels.items);
}

struct sensitivity sensitivity_of(const struct case_set *cases, struct judged_figure figure) {
    struct sweep_columns columns = {0};
    double *values = memory_zero(cases->count, sizeof(values[0]));
    struct sensitivity sensitivity = {0};
    for (size_t i = 0; i < cases->count; i++) {
        const struct result_case *of = &cases->cases[i];
        sweep_columns_include(&columns, of->point);
        values[i] = result_figure(cases->set, of, figure.scope, figure.subject, figure.name).mean;
        if (!isnan(values[i])) {
            sensitivity.mean += values[i];
            sensitivity.cases++;
        }
    }
    sensitivity.mean /= (double)sensitivity.cases;
    sensitivity.effects =
        arena_allocate(&cases->set->arena, columns.count + 1, sizeof(struct effect));
    for (size_t column = 0; columns.count > 0 && column <= columns.count; column++) {
        add_effect(&sensitivity, cases, &columns, column, values);
    }
    qsort(sensitivity.effects, sensitivity.count, sizeof(struct effect), by_size);
    sweep_columns_clear(&columns);
    free(values);
    return sensitivity;
}
