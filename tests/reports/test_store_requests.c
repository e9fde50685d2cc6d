/* Requests, the distribution of their latency and objectives in the store. */
#include "tests/reports/fixture.h"

static const sim_time s = NANOSECONDS_PER_SECOND;

/* Of four requests, one each that completed, gave up, runs and waits. */
static void record_requests(struct spool *spool) {
    static const struct request_record requests[] = {
        {"chat", 1, 1000000000, 1500000000, 3000000000, REQUEST_COMPLETED},
        {"chat", 2, 2000000000, SIM_TIME_NEVER, 4000000000, REQUEST_TIMED_OUT},
        {"chat", 3, 3000000000, 3000000000, SIM_TIME_NEVER, REQUEST_RUNNING},
        {"chat", 4, 4000000000, SIM_TIME_NEVER, SIM_TIME_NEVER, REQUEST_QUEUED},
    };
    struct error error;
    struct recorder recorder = spool_recorder(spool);
    for (size_t i = 0; i < LENGTH(requests); i++) {
        must(recorder.request(recorder.context, &requests[i], &error), &error);
    }
}

/* Latencies: two up to 1 s, one up to 2 s, one up to 4 s. wait_s.p95 is asked to be at most `bound`
 * and is `value`. */
static int64_t store_requests(struct bench *bench, uint64_t replication, double value,
                              double bound) {
    struct error error;
    struct run_identity identity = identify(bench, "mig", replication);
    struct spool *spool = spool_open(bench->store, &identity, &error);
    must(spool != NULL, &error);
    record_requests(spool);
    struct metric metric = {SCOPE_WORKLOAD, "chat", "wait_s.p95", value, "s"};
    struct latency_bucket latencies[] = {{"chat", 1, 2}, {"chat", 2, 1}, {"chat", 4, 1}};
    const struct objective objectives[] = {{.text = "workload.chat.wait_s.p95 <= 1s",
                                            .scope = SCOPE_WORKLOAD,
                                            .subject = "chat",
                                            .metric = "wait_s.p95",
                                            .relation = AT_MOST,
                                            .value = bound},
                                           {.text = "run.completed > 3",
                                            .scope = SCOPE_RUN,
                                            .subject = "",
                                            .metric = "completed",
                                            .relation = MORE,
                                            .value = 3}};
    struct results results = {.end = 10 * s,
                              .metrics = &metric,
                              .metric_count = 1,
                              .latencies = latencies,
                              .latency_count = LENGTH(latencies),
                              .objectives = objectives,
                              .objective_count = LENGTH(objectives)};
    int64_t run_id = 0;
    must(spool_finish(spool, &results, 0, &error), &error);
    must(store_merge(bench->store, spool, &run_id, &error), &error);
    spool_close(spool);
    return run_id;
}

static void requests_come_back(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_requests(&bench, 0, 1, 1);
    assert_query_text(bench.store,
                      "SELECT group_concat(workload || seq || ' ' || arrival_s || quote(start_s) "
                      "|| quote(end_s) || quote(latency_s) || state, ' ') FROM request "
                      "WHERE run_id = 1",
                      "chat1 1.01.53.02.0completed chat2 2.0NULL4.0NULLtimed_out "
                      "chat3 3.03.0NULLNULLrunning chat4 4.0NULLNULLNULLqueued");
    assert_query_text(bench.store,
                      "SELECT variant || replication || ' ' || queue_s FROM v_requests "
                      "WHERE seq = 1",
                      "mig1 0.5");
    store_close(bench.store);
}

/* Of four latencies half are within 1 s, three quarters within 2 s. */
static void latencies_have_shares(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_requests(&bench, 0, 1, 1);
    store_requests(&bench, 1, 1, 1);
    assert_query_text(bench.store,
                      "SELECT group_concat(upper_s || ' ' || count || ' ' || share_within, ', ') "
                      "FROM v_latency WHERE run_id = 2",
                      "1.0 2 0.5, 2.0 1 0.75, 4.0 1 1.0");
    assert_query_text(bench.store,
                      "SELECT min(upper_s) FROM v_latency WHERE run_id = 1 AND workload = 'chat' "
                      "AND share_within >= 0.6",
                      "2.0");
    store_close(bench.store);
}

/* Waits of 0.5 and 1.5 s have the mean that is asked for; `completed` has no value, so it is not
 * met. */
static void objectives_are_met_by_their_mean(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_requests(&bench, 0, 0.5, 1);
    store_requests(&bench, 1, 1.5, 1);
    assert_query_text(bench.store,
                      "SELECT group_concat(objective || ' ' || quote(value) || ' ' || met, ', ') "
                      "FROM (SELECT * FROM v_objectives ORDER BY position)",
                      "workload.chat.wait_s.p95 <= 1s 1.0 1, run.completed > 3 NULL 0");
    assert_query_text(bench.store,
                      "SELECT scope || subject || name || relation || bound || quote(value) "
                      "FROM objective WHERE run_id = 2 AND position = 0",
                      "workloadchatwait_s.p95<=1.01.5");
    store_close(bench.store);
}

/* One value that is missing leaves nothing to judge by, as for the verdicts of a run. */
static void an_objective_without_all_its_values_is_not_met(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_requests(&bench, 0, 0.5, 1);
    store_requests(&bench, 1, NAN, 1);
    assert_query_text(bench.store,
                      "SELECT quote(value) || met FROM v_objectives WHERE position = 0", "NULL0");
    store_close(bench.store);
}

static void a_deleted_run_takes_all_along(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_requests(&bench, 0, 1, 1);
    store_requests(&bench, 1, 1, 1);
    assert_int_equal(sqlite3_exec(store_connection(bench.store),
                                  "DELETE FROM run WHERE run_id = 1; VACUUM", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM request_row"), 4);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM request WHERE run_id = 2"), 4);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM latency"), 3);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM objective"), 2);
    store_close(bench.store);
}

/* Rows are written ten at a time; their number need not be a multiple of that. */
static void requests_keep_their_number_and_order(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    for (int64_t count = 0; count <= 31; count++) {
        struct error error;
        struct run_identity identity = identify(&bench, "base", (uint64_t)count);
        struct spool *spool = spool_open(bench.store, &identity, &error);
        must(spool != NULL, &error);
        struct recorder recorder = spool_recorder(spool);
        for (int64_t i = 1; i <= count; i++) {
            char workload[16];
            snprintf(workload, sizeof(workload), "w%d", (int)(i % 3));
            struct request_record record = {workload, i,         i * s,
                                            i * s,    2 * i * s, REQUEST_COMPLETED};
            must(recorder.request(recorder.context, &record, &error), &error);
        }
        struct results results = {0};
        int64_t run_id = 0;
        must(spool_finish(spool, &results, 0, &error), &error);
        must(store_merge(bench.store, spool, &run_id, &error), &error);
        spool_close(spool);
        char sql[256];
        snprintf(
            sql, sizeof(sql),
            "SELECT count(*) + 1000 * sum(seq = latency_s AND workload = 'w' || (seq %% 3) AND "
            "id - (run_id << 32) = seq - 1) FROM (SELECT request.*, request_row.id FROM "
            "request JOIN request_row USING (workload, seq, arrival_s) WHERE run_id = %d AND "
            "id >> 32 = run_id)",
            (int)run_id);
        if (count > 0) {
            assert_int_equal(query_number(bench.store, sql), 1001 * count);
        }
    }
    store_close(bench.store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(requests_come_back),
        IN_FOLDER(latencies_have_shares),
        IN_FOLDER(objectives_are_met_by_their_mean),
        IN_FOLDER(an_objective_without_all_its_values_is_not_met),
        IN_FOLDER(a_deleted_run_takes_all_along),
        IN_FOLDER(requests_keep_their_number_and_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
