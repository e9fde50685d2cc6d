/* The GPU catalogue: what is known of each GPU, of the ways MIG can cut it, of list prices and of
 * models and their measured speeds, each figure with its source (files of catalogue/). */
#ifndef MODELS_CATALOGUE_H
#define MODELS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a figure comes from and how far it can be trusted. */
struct provenance {
    const char *source;     /* "" if the figure is not known */
    const char *confidence; /* high | medium | low | unverified | derived, or mixtures in words */
};

/* Whether the figure may be shown without a mark. */
bool provenance_verified(const struct provenance *provenance);

/* One way to cut an instance out of a GPU. */
struct mig_profile {
    const char *name;   /* 3g.40gb, 1g.10gb+me */
    int id;             /* as nvidia-smi mig -cgi takes it */
    int compute_slices; /* of the GPU's compute_slices */
    int memory_units;   /* of the GPU's memory_units; how long an instance lies in placements */
    int64_t memory_mib; /* its memory; 0: not known */
    int sms;            /* 0: not known */
    int copy_engines;   /* -1: not known, like the other engines */
    int decoders;
    int jpeg_engines;
    int optical_flow_engines;
    int max_instances;          /* of this profile on one GPU */
    uint32_t starts;            /* bit u: an instance may begin at memory unit u */
    struct provenance geometry; /* of id, slices, instances, placements */
    struct provenance size;     /* of memory and SMs */
};

/* A list price of one GPU for one hour. */
struct list_price {
    double usd_per_gpu_hour;
    const char *provider;
    const char *sku;
    const char *kind; /* on-demand | spot | 1-yr reserved | ... */
    const char *date; /* YYYY-MM or YYYY-MM-DD */
    struct provenance provenance;
};

struct gpu_model {
    const char *name; /* A100-SXM4-80GB */
    int64_t memory_mib;
    struct provenance memory;
    int sms; /* 0: not known */
    struct provenance sms_provenance;
    int compute_slices;        /* 7 or 4; 0: the GPU has no MIG */
    int memory_units;          /* 8, 12, ...; 0 without MIG */
    bool mig_mode_needs_reset; /* Ampere: switching MIG mode takes the whole GPU idle */
    const struct mig_profile *profiles;
    size_t profile_count;
    double idle_watts;  /* NaN: not known */
    double limit_watts; /* NaN: not known */
    struct provenance power;
    const struct list_price *prices;
    size_t price_count;
};

/* What a model brings along where a scenario only names it. */
struct model_profile {
    const char *name;        /* llama-7b */
    int64_t memory_bytes;    /* resident, once per replica */
    const char *measured_as; /* its name in the speed tables; "" if it is in none */
    struct provenance provenance;
};

/* How fast a model was measured to be on a slice, over a whole GPU of that type. */
struct measured_speed {
    const char *model; /* its name in the table: bert, resnet50 */
    int gpu;           /* row of the GPU it was measured on */
    enum measured_work { MEASURED_INFERENCE, MEASURED_TRAINING } work;
    int compute_slices; /* of the instance: 1, 2, 3, 4, 7 */
    int batch;
    int processes;      /* that shared the instance under MPS */
    double per_process; /* items (inference) or batches (training) per second, of each process */
    double latency_s;   /* of one batch: batch over items per second */
    struct provenance provenance;
};

struct catalogue {
    struct gpu_model *gpus;
    size_t gpu_count;
    struct model_profile *models;
    size_t model_count;
    struct measured_speed *speeds; /* sorted by model, gpu, work, slices, processes, batch */
    size_t speed_count;
    struct catalogue_storage *storage; /* what all of it points into */
};

/* The catalogue that the program carries. Free with catalogue_destroy. */
struct catalogue *catalogue_create(void);
void catalogue_destroy(struct catalogue *catalogue);

enum { CATALOGUE_UNKNOWN = -1, CATALOGUE_AMBIGUOUS = -2 };

/* The row of a GPU by its full name in any case, or by a short form (whole parts from the left,
 * "T4", "A100-SXM4") that fits one GPU only. Else CATALOGUE_UNKNOWN or CATALOGUE_AMBIGUOUS, and up
 * to `capacity` candidates (all that fit, or that resemble the name) in candidates, their number in
 * *candidate_count. */
int catalogue_find_gpu(const struct catalogue *catalogue, const char *name, int *candidates,
                       size_t capacity, size_t *candidate_count);

/* The list price that counts for a GPU where nothing else is said: its first verified on-demand
 * price. NULL: none is known. */
const struct list_price *catalogue_price(const struct catalogue *catalogue, int gpu);

/* NULL: unknown. Names are compared in any case. */
const struct model_profile *catalogue_find_model(const struct catalogue *catalogue,
                                                 const char *name);

/* The measured speed of a model (in any case) on an instance of `compute_slices` over that on the
 * instance of all of them, one process each, at this batch size: measured ratios, interpolated
 * linearly between batches, the nearest one beyond them. The table is of one type of GPU and holds
 * for others whose profile has as many slices only as an estimate: *gpu says which it was measured
 * on. False if the tables do not have it. */
bool catalogue_measured_speed(const struct catalogue *catalogue, const char *measured_as,
                              enum measured_work work, int compute_slices, double batch,
                              double *speed, int *gpu);

#endif
