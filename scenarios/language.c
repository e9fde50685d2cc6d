#include "scenarios/language.h"

#include "scenarios/catalogue_file.h"
#include "scenarios/language_models.h"
#include "scenarios/language_sharing.h"
#include "scenarios/language_types.h"
#include "scenarios/objectives.h"
#include "scenarios/overrides.h"
#include "scenarios/replications.h"
#include "scenarios/scenario.h"
#include "scenarios/sweep.h"

/* cluster */

static const struct field price_fields[] = {
    {.name = "per_gpu_hour",
     .summary = "price of one GPU for one hour",
     .type = &field_number,
     FIELD_AT(struct price_spec, per_gpu_hour),
     FIELD_RANGE(0, 1e9)},
    {.name = "per_gpu_month",
     .summary = "price of one GPU for one month, of 730 hours",
     .type = &field_number,
     FIELD_AT(struct price_spec, per_gpu_hour),
     FIELD_RANGE(0, 1e9),
     .divisor = 730},
    {.name = "currency",
     .summary = "what the price is in; one for all pools",
     .type = &field_name,
     FIELD_AT(struct price_spec, currency),
     .preset = "USD"},
    {.name = NULL},
};

static const struct field pool_fields[] = {
    {.name = "gpu",
     .summary = "the type of its GPUs, such as A100-SXM4-80GB",
     .type = &field_gpu,
     FIELD_AT(struct pool_spec, gpu),
     .required = true},
    {.name = "nodes",
     .summary = "how many nodes the pool has",
     .type = &field_integer,
     FIELD_AT(struct pool_spec, nodes),
     FIELD_RANGE(1, 10000000),
     .required = true},
    {.name = "gpus_per_node",
     .summary = "how many GPUs each node has",
     .type = &field_integer,
     FIELD_AT(struct pool_spec, gpus_per_node),
     FIELD_RANGE(1, 64),
     .required = true},
    {.name = "price",
     .summary = "what a GPU costs; the catalogue's list price if left out",
     .type = &field_object,
     FIELD_AT(struct pool_spec, price),
     FIELD_PRESENCE(struct pool_spec, price.given),
     .fields = price_fields},
    {.name = "sharing",
     .summary = "how tenants share a GPU",
     .type = &field_choice,
     FIELD_AT(struct pool_spec, sharing),
     .registry = "sharing",
     .tag = "mode",
     .preset = "exclusive"},
    {.name = "layouts",
     .summary = "GPUs of every node that are shared in another way",
     .type = &field_list,
     FIELD_AT(struct pool_spec, layouts),
     FIELD_COUNT(struct pool_spec, layout_count),
     .item = &language_gpu_layout,
     .item_size = sizeof(struct gpu_layout)},
    {.name = NULL},
};

static const struct field pool_name = {
    .type = &field_name, FIELD_AT(struct pool_spec, name), FIELD_PLACE(struct pool_spec, place)};
static const struct field pool_item = {.type = &field_object, .fields = pool_fields};

static const struct field cluster_fields[] = {
    {.name = "pools",
     .summary = "the pools of equal nodes, each under its name",
     .type = &field_map,
     FIELD_AT(struct scenario, pools),
     FIELD_COUNT(struct scenario, pool_count),
     .key = &pool_name,
     .item = &pool_item,
     .item_size = sizeof(struct pool_spec),
     .required = true},
    {.name = NULL},
};

/* scheduler */

static const struct field scheduler_fields[] = {
    {.name = "order",
     .summary = "which waiting job comes first",
     .type = &field_choice,
     FIELD_AT(struct scheduler_spec, order),
     .registry = "order",
     .preset = "fifo"},
    {.name = "backfill",
     .summary = "which jobs may start before one that waits ahead of them",
     .type = &field_choice,
     FIELD_AT(struct scheduler_spec, backfill),
     .registry = "backfill",
     .preset = "none"},
    {.name = "placement",
     .summary = "which of the nodes that fit a job gets it",
     .type = &field_choice,
     FIELD_AT(struct scheduler_spec, placement),
     .registry = "placement",
     .preset = "first_fit"},
    {.name = NULL},
};

/* record */

static const struct field_word no_timeline[] = {{"none", 0}, {NULL, 0}};

static const struct field record_fields[] = {
    {.name = "jobs",
     .summary = "keep a row for every job",
     .type = &field_boolean,
     FIELD_AT(struct record_spec, jobs),
     .preset = "true"},
    {.name = "requests",
     .summary = "keep a row for every request",
     .type = &field_boolean,
     FIELD_AT(struct record_spec, requests),
     .preset = "false"},
    {.name = "timeline",
     .summary = "keep the state of each pool, averaged over intervals of this length",
     .type = &field_duration,
     FIELD_AT(struct record_spec, timeline),
     FIELD_AT_LEAST(1e6), /* 1ms */
     .words = no_timeline,
     .preset = "none"},
    {.name = NULL},
};

/* The whole. */

static const struct field_word end_of_work[] = {{"end_of_work", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field_word automatic[] = {{"auto", WARMUP_AUTO}, {NULL, 0}};
static const struct field objective_item = {.type = &objective_type,
                                            .size = sizeof(struct objective),
                                            FIELD_PLACE(struct objective, place)};

static const struct field scenario_fields[] = {
    {.name = "headroom",
     .summary = "the version of the scenario language: 1",
     .type = &language_version_type,
     .required = true},
    {.name = "name",
     .summary = "the scenario's name in results; that of the file if left out",
     .type = &field_name,
     FIELD_AT(struct scenario, name)},
    {.name = "description",
     .summary = "one line for people",
     .type = &field_text,
     FIELD_AT(struct scenario, description),
     .preset = ""},
    {.name = "seed",
     .summary = "what all random numbers start from",
     .type = &field_integer,
     FIELD_AT(struct scenario, seed),
     FIELD_RANGE(0, (double)INT64_MAX),
     .preset = "1"},
    {.name = "start",
     .summary = "wall clock of t = 0, for calendars and traces",
     .type = &field_timestamp,
     FIELD_AT(struct scenario, start),
     FIELD_PRESENCE(struct scenario, has_start)},
    {.name = "horizon",
     .summary = "how long to simulate; end_of_work: until every job and request has ended",
     .type = &field_duration,
     FIELD_AT(struct scenario, horizon),
     FIELD_ABOVE(0),
     .words = end_of_work,
     .required = true},
    {.name = "warmup",
     .summary =
         "statistics start after this time; auto: where MSER-5 cuts the waits of a pilot run",
     .type = &field_duration,
     FIELD_AT(struct scenario, warmup),
     .words = automatic,
     .preset = "0"},
    {.name = "replications",
     .summary = "how many independent runs; auto: until the objectives are known well enough",
     .type = &replications_type,
     FIELD_AT(struct scenario, replications),
     FIELD_RANGE(1, 100000),
     .preset = "1"},
    {.name = "catalogue",
     .summary = "a file of GPUs and models beside those of the program, or in their place",
     .type = &catalogue_file_type,
     FIELD_AT(struct scenario, catalogue)},
    {.name = "reference_gpu",
     .summary = "the GPU that durations are measured on; that of the first pool if left out",
     .type = &field_gpu,
     FIELD_AT(struct scenario, reference_gpu)},
    {.name = "models",
     .summary = "what models need, each under its name, for workloads that say `model`",
     .type = &field_map,
     FIELD_AT(struct scenario, models),
     FIELD_COUNT(struct scenario, model_count),
     .key = &language_model_name,
     .item = &language_model,
     .item_size = sizeof(struct model_spec),
     .may_be_empty = true},
    {.name = "cluster",
     .summary = "the machines",
     .type = &field_object,
     .fields = cluster_fields,
     .required = true},
    {.name = "scheduler",
     .summary = "how waiting jobs get their GPUs",
     .type = &field_object,
     FIELD_AT(struct scenario, scheduler),
     .fields = scheduler_fields},
    {.name = "workloads",
     .summary = "the work, each part under its name",
     .type = &field_map,
     FIELD_AT(struct scenario, workloads),
     FIELD_COUNT(struct scenario, workload_count),
     .key = &language_workload_name,
     .item = &language_workload,
     .item_size = sizeof(struct workload_spec),
     .required = true},
    {.name = "objectives",
     .summary = "what the cluster has to achieve, such as workload.train.wait_s.p95 <= 30m",
     .type = &field_list,
     FIELD_AT(struct scenario, objectives),
     FIELD_COUNT(struct scenario, objective_count),
     .item = &objective_item,
     .item_size = sizeof(struct objective),
     .may_be_empty = true},
    {.name = "variants",
     .summary = "other ways to run the scenario: under each name, paths and the values they get",
     .type = &variants_type,
     .may_be_empty = true},
    {.name = "sweep",
     .summary = "paths and the values to try at them, in every combination: `headroom sweep`",
     .type = &sweep_type,
     .may_be_empty = true},
    {.name = "record",
     .summary = "what to keep beside the figures",
     .type = &field_object,
     FIELD_AT(struct scenario, record),
     .fields = record_fields},
    {.name = NULL},
};

const struct field language_scenario = {
    .name = "scenario", .type = &field_object, .fields = scenario_fields};
