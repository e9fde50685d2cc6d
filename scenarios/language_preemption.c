#include "scenarios/language_preemption.h"

#include <math.h>

#include "scenarios/preemption_spec.h"
#include "scenarios/scenario.h"

/* scheduler.preemption */

static const struct field_word class_words[] = {{"inference", CLASS_INFERENCE},
                                                {"finetuning", CLASS_FINETUNING},
                                                {"training", CLASS_TRAINING},
                                                {NULL, 0}};
static const struct field_word evict_words[] = {
    {"needed", EVICT_NEEDED}, {"all_on_gpu", EVICT_ALL_ON_GPU}, {NULL, 0}};
static const struct field_word mode_words[] = {{"checkpoint", PREEMPT_CHECKPOINT},
                                               {"kill", PREEMPT_KILL},
                                               {"suspend", PREEMPT_SUSPEND},
                                               {NULL, 0}};
static const struct field_word by_class[] = {{"by_class", MIN_RUNTIME_BY_CLASS}, {NULL, 0}};
static const struct field_word any_time[] = {{"none", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field class_item = {
    .type = &field_word, .size = sizeof(int), .words = class_words};

const struct field language_preemption_fields[] = {
    {.name = "by",
     .summary = "the classes that may preempt; all if left out",
     .type = &field_list,
     FIELD_AT(struct preemption_spec, by),
     FIELD_COUNT(struct preemption_spec, by_count),
     .item = &class_item,
     .item_size = sizeof(int)},
    {.name = "victims",
     .summary = "which jobs make way",
     .type = &field_choice,
     FIELD_AT(struct preemption_spec, victims),
     .registry = "victims",
     .preset = "least_progress_lost"},
    {.name = "evict",
     .summary = "needed: no more victims than the newcomer needs; all_on_gpu: all of a GPU that "
                "may be preempted",
     .type = &field_word,
     FIELD_AT(struct preemption_spec, evict),
     .words = evict_words,
     .preset = "needed"},
    {.name = "min_runtime",
     .summary = "how long a job has held its GPUs before it may be preempted; by_class: 30 minutes "
                "for training, none for others",
     .type = &field_duration,
     FIELD_AT(struct preemption_spec, min_runtime),
     .words = by_class,
     .preset = "by_class"},
    {.name = "mode",
     .summary = "how a victim leaves: checkpoint: it saves first; kill: back to its last save; "
                "suspend: its memory stays where GPUs are time-sliced",
     .type = &field_word,
     FIELD_AT(struct preemption_spec, mode),
     .words = mode_words,
     .preset = "checkpoint"},
    {.name = "reclaim",
     .summary = "whether a queue takes back, of whatever urgency, what others have borrowed of its "
                "guarantee",
     .type = &field_boolean,
     FIELD_AT(struct preemption_spec, reclaim),
     .preset = "true"},
    {.name = "grace",
     .summary = "the longest that a victim may take to save; then it is killed",
     .type = &field_duration,
     FIELD_AT(struct preemption_spec, grace),
     .words = any_time,
     .preset = "none"},
    {.name = NULL},
};

/* checkpoint */

static const struct field_word interval_words[] = {
    {"never", SIM_TIME_NEVER}, {"young", INTERVAL_YOUNG}, {"daly", INTERVAL_DALY}, {NULL, 0}};
static const struct field_word by_size[] = {{"by_size", -1}, {NULL, 0}};
static const struct field_word blocking[] = {{"blocking", -1}, {NULL, 0}};

const struct field language_checkpoint_fields[] = {
    {.name = "size",
     .summary = "bytes that a job saves, all its GPUs together",
     .type = &field_bytes,
     FIELD_AT(struct checkpoint_spec, size),
     FIELD_AT_LEAST(0)},
    {.name = "parameters",
     .summary = "instead of size: how many parameters its model has, such as 70e9",
     .type = &field_number,
     FIELD_AT(struct checkpoint_spec, parameters),
     FIELD_RANGE(0, 1e15)},
    {.name = "bytes_per_parameter",
     .summary = "bytes saved for each: 2 for weights in 16 bits, 14 to 18 with the optimizer's "
                "state",
     .type = &field_number,
     FIELD_AT(struct checkpoint_spec, bytes_per_parameter),
     FIELD_RANGE(0, 1000),
     .preset = "2"},
    {.name = "save_time",
     .summary = "how long a save takes; by_size: as the pool's storage writes it",
     .type = &field_duration,
     FIELD_AT(struct checkpoint_spec, save_time),
     .words = by_size,
     .preset = "by_size"},
    {.name = "restore_time",
     .summary = "how long a restore takes; by_size: as the pool's storage reads it",
     .type = &field_duration,
     FIELD_AT(struct checkpoint_spec, restore_time),
     .words = by_size,
     .preset = "by_size"},
    {.name = "interval",
     .summary = "computing time between saves; young, daly: the optimum by the fault rate",
     .type = &field_duration,
     FIELD_AT(struct checkpoint_spec, interval),
     FIELD_ABOVE(0),
     .words = interval_words,
     .preset = "never"},
    {.name = "final",
     .summary = "whether a job saves when its work is done, too",
     .type = &field_boolean,
     FIELD_AT(struct checkpoint_spec, final),
     .preset = "false"},
    {.name = "overhead",
     .summary = "asynchronous saves: the share of its speed that a job loses while it saves; "
                "blocking: it computes nothing meanwhile",
     .type = &field_share,
     FIELD_AT(struct checkpoint_spec, overhead),
     .words = blocking,
     .preset = "blocking"},
    {.name = NULL},
};

int64_t checkpoint_spec_size(const struct checkpoint_spec *spec) {
    return spec->size > 0 ? spec->size : llround(spec->parameters * spec->bytes_per_parameter);
}
