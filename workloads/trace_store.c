#include "workloads/trace_store.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "workloads/draws.h"
#include "workloads/fingerprint.h"
#include "workloads/owner_table.h"
#include "workloads/scratch_file.h"

/* Ids are coded in one number: a decimal number stands for itself, since most ids are such; another
 * text is the complement of its offset among the texts; no id is ID_NONE. */
#define ID_NONE INT64_MIN

/* Shares are kept as so many parts of 1. */
#define BILLIONTHS 1e9

/* What all records begin with. */
struct record {
    int64_t submit;
    int64_t number;
    int64_t duration;
    uint64_t fingerprint;
};

/* Records are written whole: no byte of them may be without a value, so there is no padding. */
struct job_record {
    struct record head;
    int32_t priority;
    int32_t gpus;
    int32_t compute; /* billionths */
    int32_t owner;   /* number of its queue and user */
    int64_t estimate;
    int64_t max_wait;
    int64_t memory;
    int64_t cpus;
    int64_t host_memory;
    int64_t id;
};

struct request_record {
    struct record head;
    int32_t priority;
    int32_t prompt_tokens;
    int32_t output_tokens;
    int32_t zero;
};

_Static_assert(sizeof(struct job_record) == 96, "records are written without padding");
_Static_assert(sizeof(struct request_record) == 48, "records are written without padding");

struct trace_store {
    enum workload_kind kind;
    size_t record_size;
    struct scratch_file records;
    struct scratch_file texts;
    struct owner_table owners;
    int64_t count;
    int64_t duplicates;
    bool in_order;
    int64_t last_submit;
};

struct trace_store *trace_store_create(enum workload_kind kind) {
    struct trace_store *store = memory_zero(1, sizeof(*store));
    store->kind = kind;
    store->record_size =
        kind == WORKLOAD_SERVICE ? sizeof(struct request_record) : sizeof(struct job_record);
    store->in_order = true;
    store->last_submit = INT64_MIN;
    return store;
}

void trace_store_destroy(struct trace_store *store) {
    if (store == NULL) {
        return;
    }
    scratch_file_clear(&store->records);
    scratch_file_clear(&store->texts);
    owner_table_clear(&store->owners);
    free(store);
}

/* Whether a text is the decimal form of a number of at most 18 digits, which gives it back exactly.
 */
static bool is_plain_number(const char *text, int64_t *number) {
    int64_t value = 0;
    size_t length = 0;
    for (; text[length] >= '0' && text[length] <= '9'; length++) {
        if (length == 18) {
            return false;
        }
        value = value * 10 + (text[length] - '0');
    }
    *number = value;
    return text[length] == '\0' && length > 0 && (text[0] != '0' || length == 1);
}

static bool code_id(struct trace_store *store, const char *id, int64_t *code, struct error *error) {
    *code = ID_NONE;
    if (id == NULL || is_plain_number(id, code)) {
        return true;
    }
    *code = ~(int64_t)store->texts.size;
    return scratch_file_write(&store->texts, id, strlen(id) + 1, error);
}

static struct record make_head(const struct arrival *arrival, uint64_t fingerprint) {
    return (struct record){.submit = arrival->submit,
                           .number = arrival->number,
                           .duration = arrival->duration,
                           .fingerprint = fingerprint};
}

static bool write_job(struct trace_store *store, const struct arrival *job, uint64_t fingerprint,
                      struct error *error) {
    struct job_record record = {
        .head = make_head(job, fingerprint),
        .priority = job->priority,
        .gpus = job->gpus,
        .compute = job->compute < 0 ? ARRIVAL_ABSENT : (int32_t)lround(job->compute * BILLIONTHS),
        .owner = owner_table_add(&store->owners, job->queue, job->user),
        .estimate = job->estimate,
        .max_wait = job->max_wait,
        .memory = job->memory,
        .cpus = job->cpus,
        .host_memory = job->host_memory,
    };
    return code_id(store, job->id, &record.id, error) &&
           scratch_file_write(&store->records, &record, sizeof(record), error);
}

static bool write_request(struct trace_store *store, const struct arrival *request,
                          uint64_t fingerprint, struct error *error) {
    struct request_record record = {
        .head = make_head(request, fingerprint),
        .priority = request->priority,
        .prompt_tokens = request->prompt_tokens,
        .output_tokens = request->output_tokens,
    };
    return scratch_file_write(&store->records, &record, sizeof(record), error);
}

bool trace_store_append(struct trace_store *store, const struct arrival *arrival,
                        uint64_t fingerprint, struct error *error) {
    store->in_order = store->in_order && arrival->submit >= store->last_submit;
    store->last_submit = arrival->submit;
    store->count++;
    return store->kind == WORKLOAD_SERVICE ? write_request(store, arrival, fingerprint, error)
                                           : write_job(store, arrival, fingerprint, error);
}

static const void *record_at(const struct trace_store *store, int64_t index) {
    return (const char *)store->records.map + (size_t)index * store->record_size;
}

static const struct record *head_at(const struct trace_store *store, int64_t index) {
    return record_at(store, index);
}

struct sort_key {
    int64_t submit;
    int64_t index; /* in the file: the order of the rows */
};

static int compare_keys(const void *left, const void *right) {
    const struct sort_key *a = left;
    const struct sort_key *b = right;
    if (a->submit != b->submit) {
        return a->submit < b->submit ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

/* Sorts keys and writes the records out in their order: written, not moved within the mapping, so
 * that a full disk is an error rather than a signal. */
static bool sort_records(struct trace_store *store, int64_t kept, struct error *error) {
    struct sort_key *keys = memory_zero((size_t)store->count, sizeof(*keys));
    for (int64_t i = 0; i < store->count; i++) {
        keys[i] = (struct sort_key){head_at(store, i)->submit, i};
    }
    qsort(keys, (size_t)store->count, sizeof(*keys), compare_keys);
    struct scratch_file sorted = {.file = NULL};
    bool written = true;
    for (int64_t i = 0; i < kept && written; i++) {
        written =
            scratch_file_write(&sorted, record_at(store, keys[i].index), store->record_size, error);
    }
    free(keys);
    if (!written || !scratch_file_map(&sorted, error)) {
        scratch_file_clear(&sorted);
        return false;
    }
    scratch_file_clear(&store->records);
    store->records = sorted;
    return true;
}

static int compare_fingerprints(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Equal rows have equal submit times, so they lie within one run of those. */
static int64_t count_duplicates(const struct trace_store *store) {
    uint64_t *run = NULL;
    size_t capacity = 0;
    int64_t duplicates = 0;
    for (int64_t start = 0, end; start < store->count; start = end) {
        for (end = start + 1;
             end < store->count && head_at(store, end)->submit == head_at(store, start)->submit;) {
            end++;
        }
        size_t length = (size_t)(end - start);
        if (length == 1) {
            continue;
        }
        run = memory_grow(run, &capacity, length, sizeof(run[0]));
        for (size_t i = 0; i < length; i++) {
            run[i] = head_at(store, start + (int64_t)i)->fingerprint;
        }
        qsort(run, length, sizeof(run[0]), compare_fingerprints);
        for (size_t i = 1; i < length; i++) {
            duplicates += run[i] == run[i - 1];
        }
    }
    free(run);
    return duplicates;
}

bool trace_store_finish(struct trace_store *store, int64_t limit, struct error *error) {
    assert(store->count > 0);
    if (!scratch_file_map(&store->records, error) || !scratch_file_map(&store->texts, error)) {
        return false;
    }
    int64_t kept = limit > 0 && limit < store->count ? limit : store->count;
    if (!store->in_order && !sort_records(store, kept, error)) {
        return false;
    }
    store->count = kept;
    store->duplicates = count_duplicates(store);
    return true;
}

int64_t trace_store_count(const struct trace_store *store) {
    return store->count;
}

int64_t trace_store_duplicates(const struct trace_store *store) {
    return store->duplicates;
}

sim_time trace_store_submit(const struct trace_store *store, int64_t index) {
    return head_at(store, index)->submit;
}

int64_t trace_store_number(const struct trace_store *store, int64_t index) {
    return head_at(store, index)->number;
}

/* Requests have one owner, without a name. */
int32_t trace_store_owner_count(const struct trace_store *store) {
    return store->kind == WORKLOAD_SERVICE ? 1 : (int32_t)store->owners.count;
}

void trace_store_owner(const struct trace_store *store, int32_t number, const char **queue,
                       const char **user) {
    *queue = NULL;
    *user = NULL;
    if (store->kind != WORKLOAD_SERVICE) {
        owner_table_get(&store->owners, number, queue, user);
    }
}

/* By hand: this is done for every job of every pass, and printf would take most of its time. */
static const char *write_number(int64_t number, char buffer[JOB_ID_BUFFER]) {
    char *place = buffer + JOB_ID_BUFFER - 1;
    *place = '\0';
    do {
        *--place = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return place;
}

static const char *decode_id(const struct trace_store *store, int64_t code,
                             char buffer[JOB_ID_BUFFER]) {
    if (code == ID_NONE) {
        return NULL;
    }
    return code >= 0 ? write_number(code, buffer) : (const char *)store->texts.map + ~code;
}

static struct arrival get_job(const struct trace_store *store, const struct job_record *record,
                              int64_t index, char id_buffer[JOB_ID_BUFFER]) {
    const char *queue;
    const char *user;
    owner_table_get(&store->owners, record->owner, &queue, &user);
    return (struct arrival){
        .submit = record->head.submit,
        .duration = record->head.duration,
        .max_wait = record->max_wait,
        .number = record->head.number,
        .index = index,
        .priority = record->priority,
        .prompt_tokens = 0,
        .output_tokens = 0,
        .gpus = record->gpus,
        .compute = record->compute < 0 ? ARRIVAL_ABSENT : record->compute / BILLIONTHS,
        .estimate = record->estimate,
        .memory = record->memory,
        .cpus = record->cpus,
        .host_memory = record->host_memory,
        .id = decode_id(store, record->id, id_buffer),
        .queue = queue,
        .user = user,
        .waits_on = NULL,
        .after_ok = false,
        .owner = record->owner,
    };
}

static struct arrival get_request(const struct request_record *record, int64_t index) {
    return (struct arrival){
        .submit = record->head.submit,
        .duration = record->head.duration,
        .max_wait = ARRIVAL_ABSENT,
        .number = record->head.number,
        .index = index,
        .priority = record->priority,
        .prompt_tokens = record->prompt_tokens,
        .output_tokens = record->output_tokens,
        .gpus = 0,
        .compute = 0,
        .estimate = 0,
        .memory = 0,
        .id = NULL,
        .queue = NULL,
        .user = NULL,
        .waits_on = NULL,
        .after_ok = false,
        .owner = 0,
    };
}

void trace_store_get(const struct trace_store *store, int64_t index, struct arrival *arrival,
                     char id_buffer[JOB_ID_BUFFER]) {
    const void *record = record_at(store, index);
    *arrival = store->kind == WORKLOAD_SERVICE ? get_request(record, index)
                                               : get_job(store, record, index, id_buffer);
}
