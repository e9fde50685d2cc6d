#include "sim/scheduling/order.h"

#include <stddef.h>

#include "scenarios/schema.h"
#include "sim/kernel/error.h"
#include "sim/scheduling/course.h"

static sim_time fifo_key(const struct job *job) {
    return job->submit;
}

static sim_time sjf_key(const struct job *job) {
    return job->estimate;
}

/* Shortest remaining time first: what the estimate leaves to do. */
static sim_time remaining(const struct job *job, sim_time now) {
    sim_time done = job->course == NULL ? 0 : course_progress(job->course, now);
    return job->estimate > done ? job->estimate - done : 0;
}

static sim_time srtf_key(const struct job *job) {
    return remaining(job, 0);
}

/* Shortest remaining service first: the same in GPU time. Source: Gu et al., NSDI 2019. */
static sim_time service_left(const struct job *job, sim_time now) {
    sim_time time;
    return __builtin_mul_overflow(remaining(job, now), (sim_time)job->gpus, &time) ? SIM_TIME_NEVER
                                                                                   : time;
}

static sim_time srsf_key(const struct job *job) {
    return service_left(job, 0);
}

static sim_time level_now(const struct job *job, sim_time now) {
    (void)now;
    return job->course == NULL ? 0 : job->course->level;
}

static sim_time las_key(const struct job *job) {
    return level_now(job, 0);
}

static sim_time priority_key(const struct job *job) {
    return job->priority;
}

/* `fair: {within: sjf}`: which of the rows below orders the jobs of one queue. */
struct fair_options {
    enum { WITHIN_FIFO, WITHIN_SJF, WITHIN_PRIORITY } within;
};

static const struct field_word within_words[] = {
    {"fifo", WITHIN_FIFO}, {"sjf", WITHIN_SJF}, {"priority", WITHIN_PRIORITY}, {NULL, 0}};
static const struct field fair_fields[] = {
    {.name = "within",
     .summary = "which job of a queue comes first",
     .type = &field_word,
     FIELD_AT(struct fair_options, within),
     .words = within_words,
     .preset = "fifo"},
    {.name = NULL},
};
static const struct field fair = {.type = &field_object, .fields = fair_fields};

/* `las: {limits: [3250s, 7200s], measure: gpu_time}`. */
static const struct field limit_item = {
    .type = &field_duration, .size = sizeof(sim_time), FIELD_ABOVE(0)};
static const struct field_word measure_words[] = {
    {"time", LAS_BY_TIME}, {"gpu_time", LAS_BY_GPU_TIME}, {NULL, 0}};
static const struct field las_fields[] = {
    {.name = "limits",
     .summary = "attained service at which a job goes down to the next level, ascending",
     .type = &field_list,
     FIELD_AT(struct las_options, limits),
     FIELD_COUNT(struct las_options, limit_count),
     .item = &limit_item,
     .item_size = sizeof(sim_time)},
    {.name = "measure",
     .summary = "what counts as service: time on GPUs, or the same times their number",
     .type = &field_word,
     FIELD_AT(struct las_options, measure),
     .words = measure_words,
     .preset = "gpu_time"},
    {.name = NULL},
};
static bool check_limits(const void *options, struct error *error) {
    const struct las_options *las = options;
    bool ascending = true;
    for (size_t i = 1; i < las->limit_count; i++) {
        ascending &= las->limits[i - 1] < las->limits[i];
    }
    if (!ascending) {
        error_set(error, NULL, 0, 0, "the limits of las must ascend");
    }
    return ascending;
}

static const struct field las = {.type = &field_object, .fields = las_fields};

const struct queue_order queue_orders[] = {
    [WITHIN_FIFO] = {.choice = {.name = "fifo",
                                .summary = "first in, first out: by time of submission"},
                     .key = fifo_key},
    [WITHIN_SJF] = {.choice = {.name = "sjf",
                               .summary = "shortest job first: by estimated duration"},
                    .key = sjf_key},
    [WITHIN_PRIORITY] =
        {.choice = {.name = "priority",
                    .summary = "the most urgent first: by priority, smaller before larger"},
         .key = priority_key},
    {.choice = {.name = "srtf",
                .summary = "shortest remaining time first: by what the estimate leaves to do"},
     .key = srtf_key,
     .key_now = remaining,
     .runs_down = true},
    {.choice = {.name = "srsf",
                .summary = "shortest remaining service first: the same times the GPUs"},
     .key = srsf_key,
     .key_now = service_left,
     .runs_down = true},
    {.choice = {.name = "las",
                .summary = "least attained service: jobs go down a level at each limit of time "
                           "on GPUs; the highest level first",
                .options = &las,
                .option_size = sizeof(struct las_options),
                .check = check_limits},
     .key = las_key,
     .key_now = level_now,
     .runners_first = true},
    {.choice = {.name = "fair",
                .summary = "queues take turns: the one below its guarantee, then the one that "
                           "holds the least for its weight",
                .options = &fair,
                .option_size = sizeof(struct fair_options)},
     .key = fifo_key,
     .fair = true},
};
const size_t queue_order_count = sizeof queue_orders / sizeof queue_orders[0];

const struct queue_order *queue_order_of_keys(const struct chosen *chosen) {
    const struct queue_order *order = &queue_orders[chosen->index];
    const struct fair_options *options = chosen->options;
    return order->fair && options != NULL ? &queue_orders[options->within] : order;
}

const struct las_options *queue_order_levels(const struct chosen *chosen) {
    static const sim_time published[] = {3250 * NANOSECONDS_PER_SECOND,
                                         7200 * NANOSECONDS_PER_SECOND};
    static const struct las_options defaults = {published, 2, LAS_BY_GPU_TIME};
    const struct las_options *options = chosen->options;
    if (queue_orders[chosen->index].key != las_key) {
        return NULL;
    }
    return options != NULL && options->limit_count > 0 ? options : &defaults;
}
