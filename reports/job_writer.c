#include "reports/job_writer.h"

#include <stdlib.h>
#include <string.h>

#include "reports/store_internal.h"
#include "sim/kernel/memory.h"

#define COLUMNS "workload, job_id, queue, gpus, submit_s, start_s, end_s, run_s, preemptions, state"
#define ROW "(?, ?, ?, ?, ?, ?, ?, ?, 0, ?)"
/* Beyond ten rows a statement gets no faster. */
#define TEN_ROWS ROW "," ROW "," ROW "," ROW "," ROW "," ROW "," ROW "," ROW "," ROW "," ROW
enum { ROWS_PER_STATEMENT = 10, PARAMETERS_PER_ROW = 9 };

/* A piece of the writer's text. */
struct kept_text {
    size_t place;
    size_t length;
};

/* A job that waits to be written. */
struct pending_job {
    struct job_record record;
    struct kept_text workload;
    struct kept_text id;
    struct kept_text queue;
};

struct job_writer {
    const struct database *database;
    /* The first row is written with its id; SQLite counts on from there, which spares it a search
     * for each row's place. */
    sqlite3_stmt *insert_first;
    sqlite3_stmt *insert_one;
    sqlite3_stmt *insert_ten;
    int64_t first_id; /* 0: the first row has been written */
    struct pending_job pending[ROWS_PER_STATEMENT];
    int pending_count;
    char *text;
    size_t text_size;
    size_t text_capacity;
};

static bool prepare(struct job_writer *writer, struct error *error) {
    static const char first[] = "INSERT INTO job_row (" COLUMNS ", id) VALUES "
                                "(?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)";
    static const char one[] = "INSERT INTO job_row (" COLUMNS ") VALUES " ROW;
    static const char ten[] = "INSERT INTO job_row (" COLUMNS ") VALUES " TEN_ROWS;
    const struct database *database = writer->database;
    return (writer->insert_first = database_prepare(database, first, true, error)) != NULL &&
           (writer->insert_one = database_prepare(database, one, true, error)) != NULL &&
           (writer->insert_ten = database_prepare(database, ten, true, error)) != NULL;
}

struct job_writer *job_writer_create(const struct database *database, int64_t run_id,
                                     struct error *error) {
    struct job_writer *writer = memory_zero(1, sizeof(*writer));
    writer->database = database;
    writer->first_id = job_row_id(run_id, 0);
    if (!prepare(writer, error)) {
        job_writer_destroy(writer);
        return NULL;
    }
    return writer;
}

void job_writer_destroy(struct job_writer *writer) {
    if (writer != NULL) {
        sqlite3_finalize(writer->insert_first);
        sqlite3_finalize(writer->insert_one);
        sqlite3_finalize(writer->insert_ten);
        free(writer->text);
        free(writer);
    }
}

static struct kept_text keep_text(struct job_writer *writer, const char *text) {
    struct kept_text kept = {writer->text_size, strlen(text)};
    writer->text_size += kept.length;
    writer->text = memory_grow(writer->text, &writer->text_capacity, writer->text_size, 1);
    memcpy(writer->text + kept.place, text, kept.length);
    return kept;
}

/* The text stays where it is until the statement has run. */
static void bind_kept(const struct job_writer *writer, sqlite3_stmt *statement, int parameter,
                      struct kept_text kept) {
    sqlite3_bind_text(statement, parameter, writer->text + kept.place, (int)kept.length,
                      SQLITE_STATIC);
}

static void bind_time(sqlite3_stmt *statement, int parameter, sim_time time) {
    if (time == SIM_TIME_NEVER) {
        sqlite3_bind_null(statement, parameter);
    } else {
        sqlite3_bind_double(statement, parameter, sim_time_to_seconds(time));
    }
}

/* Binds one row from parameter `first` on. */
static void bind_job(const struct job_writer *writer, sqlite3_stmt *statement, int first,
                     const struct pending_job *job) {
    const struct job_record *record = &job->record;
    bool completed = record->state == JOB_COMPLETED;
    int p = first;
    bind_kept(writer, statement, p++, job->workload);
    bind_kept(writer, statement, p++, job->id);
    if (record->queue != NULL) {
        bind_kept(writer, statement, p++, job->queue);
    } else {
        sqlite3_bind_null(statement, p++);
    }
    sqlite3_bind_int(statement, p++, record->gpus);
    bind_time(statement, p++, record->submit);
    bind_time(statement, p++, record->start);
    bind_time(statement, p++, record->end);
    bind_time(statement, p++, completed ? record->end - record->start : SIM_TIME_NEVER);
    sqlite3_bind_text(statement, p++, job_state_names[record->state], -1, SQLITE_STATIC);
}

/* Writes the pending jobs from `first` on, as many as the statement has rows. */
static bool write_pending(const struct job_writer *writer, sqlite3_stmt *statement, int first,
                          int rows, struct error *error) {
    for (int row = 0; row < rows; row++) {
        bind_job(writer, statement, 1 + row * PARAMETERS_PER_ROW, &writer->pending[first + row]);
    }
    return database_step(writer->database, statement, error);
}

bool job_writer_flush(struct job_writer *writer, struct error *error) {
    bool written = true;
    int next = 0;
    if (writer->first_id != 0 && writer->pending_count > 0) {
        sqlite3_bind_int64(writer->insert_first, PARAMETERS_PER_ROW + 1, writer->first_id);
        written = write_pending(writer, writer->insert_first, next++, 1, error);
        writer->first_id = 0;
    }
    while (written && next < writer->pending_count) {
        bool full = next == 0 && writer->pending_count == ROWS_PER_STATEMENT;
        int rows = full ? ROWS_PER_STATEMENT : 1;
        written = write_pending(writer, full ? writer->insert_ten : writer->insert_one, next, rows,
                                error);
        next += rows;
    }
    writer->pending_count = 0;
    writer->text_size = 0;
    return written;
}

bool job_writer_add(struct job_writer *writer, const struct job_record *record,
                    struct error *error) {
    struct pending_job *job = &writer->pending[writer->pending_count++];
    job->record = *record;
    job->workload = keep_text(writer, record->workload);
    job->id = keep_text(writer, record->id);
    if (record->queue != NULL) {
        job->queue = keep_text(writer, record->queue);
    }
    return writer->pending_count < ROWS_PER_STATEMENT || job_writer_flush(writer, error);
}
