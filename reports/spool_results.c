#include "reports/spool_results.h"

#include "reports/store_internal.h"

static bool write_run(struct spool *spool, const struct results *results, double wall_seconds,
                      struct error *error) {
    const struct run_identity *identity = &spool->identity;
    sqlite3_stmt *insert = database_prepare(
        &spool->database,
        "INSERT INTO run (run_id, batch, position, scenario, variant, point, replication, seed, "
        "status, currency, sim_seconds, events, wall_seconds, started_at, version, "
        "scenario_sha256, inputs_sha256, start_epoch_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
        "'done', ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        false, error);
    if (insert == NULL) {
        return false;
    }
    sqlite3_bind_int64(insert, 1, spool->run_id);
    sqlite3_bind_int64(insert, 2, identity->batch);
    sqlite3_bind_int64(insert, 3, identity->position);
    sqlite3_bind_text(insert, 4, identity->scenario, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 5, identity->variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 6, identity->point, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 7, (int64_t)identity->replication + 1);
    sqlite3_bind_int64(insert, 8, (int64_t)identity->seed);
    sqlite3_bind_text(insert, 9, identity->currency, -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, 10, sim_time_to_seconds(results->end));
    sqlite3_bind_int64(insert, 11, (int64_t)results->events);
    sqlite3_bind_double(insert, 12, wall_seconds);
    sqlite3_bind_text(insert, 13, spool->started_at, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 14, HEADROOM_VERSION, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 15, identity->scenario_sha256, -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 16, identity->inputs_sha256, -1, SQLITE_STATIC);
    if (identity->has_start) {
        sqlite3_bind_double(insert, 17, (double)identity->start * 1e-9);
    }
    bool written = database_step(&spool->database, insert, error);
    sqlite3_finalize(insert);
    return written;
}

static bool write_metrics(struct spool *spool, const struct results *results, struct error *error) {
    sqlite3_stmt *insert =
        database_prepare(&spool->database,
                         "INSERT INTO metric (run_id, scope, subject, name, value, unit) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                         true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->metric_count; i++) {
        const struct metric *metric = &results->metrics[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, scope_names[metric->scope], -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, metric->subject, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, metric->name, -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 5, metric->value); /* SQLite makes NaN NULL */
        sqlite3_bind_text(insert, 6, metric->unit, -1, SQLITE_STATIC);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

static bool write_gpu_time(struct spool *spool, const struct results *results,
                           struct error *error) {
    sqlite3_stmt *insert =
        database_prepare(&spool->database,
                         "INSERT INTO gpu_time (run_id, pool, category, gpu_hours) "
                         "VALUES (?1, ?2, ?3, ?4)",
                         true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->gpu_hours_count; i++) {
        const struct gpu_hours *entry = &results->gpu_hours[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, entry->pool, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, gpu_category_names[entry->category], -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 4, entry->hours);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

static bool write_costs(struct spool *spool, const struct results *results, struct error *error) {
    sqlite3_stmt *insert = database_prepare(
        &spool->database,
        "INSERT INTO cost (run_id, scope, subject, usd, usd_idle_share, usd_per_month, usd_energy) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->cost_count; i++) {
        const struct cost *cost = &results->costs[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, scope_names[cost->scope], -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, cost->subject, -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 4, cost->usd);
        sqlite3_bind_double(insert, 5, cost->usd_idle_share);
        sqlite3_bind_double(insert, 6, cost->usd_per_month);
        sqlite3_bind_double(insert, 7, cost->usd_energy);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

static bool write_latencies(struct spool *spool, const struct results *results,
                            struct error *error) {
    sqlite3_stmt *insert = database_prepare(
        &spool->database,
        "INSERT INTO latency (run_id, workload, upper_s, count) VALUES (?1, ?2, ?3, ?4)", true,
        error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->latency_count; i++) {
        const struct latency_bucket *bucket = &results->latencies[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_text(insert, 2, bucket->workload, -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 3, bucket->upper_s);
        sqlite3_bind_int64(insert, 4, bucket->count);
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

static bool write_objectives(struct spool *spool, const struct results *results,
                             struct error *error) {
    sqlite3_stmt *insert = database_prepare(
        &spool->database,
        "INSERT INTO objective (run_id, position, objective, scope, subject, name, relation, "
        "bound, value) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        true, error);
    bool written = insert != NULL;
    for (size_t i = 0; written && i < results->objective_count; i++) {
        const struct objective *objective = &results->objectives[i];
        sqlite3_bind_int64(insert, 1, spool->run_id);
        sqlite3_bind_int64(insert, 2, (int64_t)i);
        sqlite3_bind_text(insert, 3, objective->text, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, scope_names[objective->scope], -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 5, objective->subject, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 6, objective->metric, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 7, relation_signs[objective->relation], -1, SQLITE_STATIC);
        sqlite3_bind_double(insert, 8, objective->value);
        sqlite3_bind_double(
            insert, 9,
            results_metric(results, objective->scope, objective->subject, objective->metric));
        written = database_step(&spool->database, insert, error);
    }
    sqlite3_finalize(insert);
    return written;
}

bool spool_write_results(struct spool *spool, const struct results *results, double wall_seconds,
                         struct error *error) {
    return write_run(spool, results, wall_seconds, error) && write_metrics(spool, results, error) &&
           write_gpu_time(spool, results, error) && write_costs(spool, results, error) &&
           write_latencies(spool, results, error) && write_objectives(spool, results, error);
}
