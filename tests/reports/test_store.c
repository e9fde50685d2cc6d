/* The life of a store: what goes in comes out, all of a run or nothing of it, whoever else is at
 * it. */
#include "tests/reports/fixture.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void a_new_store_is_complete_and_an_old_one_is_kept(void **state) {
    (void)state;
    struct error error;
    bool existed = true;
    struct store *store = store_open("new.db", &existed, &error);
    must(store != NULL, &error);
    assert_false(existed);
    assert_string_equal(store_path(store), "new.db");
    assert_int_equal(query_number(store, "PRAGMA user_version"), STORE_VERSION);
    assert_int_equal(query_number(store, "PRAGMA application_id"), 0x4844524D);
    assert_int_equal(query_number(store, "SELECT count(*) FROM student_t"), 1000);
    /* Tables of t: 12.706 at 1, 2.0930 at 19, 1.9623 at 1000 degrees of freedom. */
    assert_near(query_number(store, "SELECT t975 FROM student_t WHERE df = 1"), 12.7062, 1e-4);
    assert_near(query_number(store, "SELECT t975 FROM student_t WHERE df = 19"), 2.0930, 1e-4);
    assert_near(query_number(store, "SELECT t975 FROM student_t WHERE df = 1000"), 1.9623, 1e-4);
    int64_t batch = 0;
    must(store_new_batch(store, &batch, &error), &error);
    assert_int_equal(batch, 1);
    store_close(store);

    store = store_open("new.db", &existed, &error);
    must(store != NULL, &error);
    assert_true(existed);
    must(store_new_batch(store, &batch, &error), &error);
    assert_int_equal(batch, 2);
    store_close(store);
    assert_int_equal(count_files(), 1);
}

static void an_empty_file_becomes_a_store(void **state) {
    (void)state;
    fclose(fopen("empty.db", "w"));
    struct error error;
    bool existed = true;
    struct store *store = store_open("empty.db", &existed, &error);
    must(store != NULL, &error);
    assert_false(existed);
    store_close(store);
}

static void odd_names_are_files(void **state) {
    (void)state;
    static const char *const names[] = {":memory:", "file:x?mode=memory", "it's 100%.db", "-"};
    for (size_t i = 0; i < LENGTH(names); i++) {
        struct bench bench = bench_open(names[i]);
        struct run_identity identity = identify(&bench, "base", 0);
        store_run(&bench, &identity, NULL, 0);
        store_close(bench.store);
        assert_int_equal(access(names[i], F_OK), 0);
    }
    assert_int_equal(count_files(), LENGTH(names));
}

static void equal_scenarios_share_a_row(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    char sha256[65];
    must(store_add_scenario(bench.store, "day-night", "headroom: 1\n", sha256, &error), &error);
    assert_string_equal(sha256, bench.sha256);
    /* printf 'headroom: 1\n' | sha256sum */
    assert_string_equal(sha256, "68651725f1e2f85817860ab9de1a91d3ad7d33afc48c9869ab51971ddcb9b1ef");
    must(store_add_scenario(bench.store, "day-night", "headroom: 1", sha256, &error), &error);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM scenario"), 2);
    store_close(bench.store);
}

static struct job_record a_job(const char *id, enum job_state state, sim_time submit,
                               sim_time start, sim_time end) {
    return (struct job_record){.workload = "train",
                               .id = id,
                               .queue = "vc1",
                               .gpus = 8,
                               .submit = submit,
                               .start = start,
                               .end = end,
                               .run = end - start,
                               .state = state};
}

static void record_jobs(struct spool *spool) {
    static const sim_time s = NANOSECONDS_PER_SECOND;
    struct error error;
    struct recorder recorder = spool_recorder(spool);
    struct job_record jobs[] = {
        a_job("done", JOB_COMPLETED, 10 * s, 12 * s + s / 2, 112 * s + s / 2),
        a_job("running", JOB_RUNNING, 20 * s, 30 * s, SIM_TIME_NEVER),
        a_job("queued", JOB_QUEUED, 30 * s, SIM_TIME_NEVER, SIM_TIME_NEVER),
        a_job("timed out", JOB_TIMED_OUT, 40 * s, SIM_TIME_NEVER, 50 * s),
    };
    jobs[2].queue = NULL;
    for (size_t i = 0; i < LENGTH(jobs); i++) {
        must(recorder.job(recorder.context, &jobs[i], &error), &error);
    }
}

/* Four jobs and a point of the timeline. */
static void record_rows(struct spool *spool) {
    record_jobs(spool);
    struct error error;
    struct recorder recorder = spool_recorder(spool);
    struct timeline_record point = {.time = 60 * NANOSECONDS_PER_SECOND,
                                    .pool = "a100",
                                    .allocated = 0.5,
                                    .busy = 0.25,
                                    .memory_used_gib = 40,
                                    .queued_jobs = 1.5};
    must(recorder.timeline(recorder.context, &point, &error), &error);
}

static void every_table_comes_back(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    struct run_identity identity = identify(&bench, "mig", 2);
    identity.position = 5;
    identity.point = "nodes=4";
    identity.seed = UINT64_MAX;
    identity.currency = "EUR";
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    record_rows(spool);
    struct metric metrics[] = {{SCOPE_RUN, "", "completed", 1, "count"},
                               {SCOPE_POOL, "a100", "utilization.busy", 0.25, "share"},
                               {SCOPE_WORKLOAD, "train", "wait_s.mean", NAN, "s"}};
    struct cost costs[] = {{SCOPE_POOL, "a100", 10, 0, 5, 2, 100},
                           {SCOPE_WORKLOAD, "train", NAN, NAN, NAN, NAN, NAN}};
    struct gpu_hours hours[] = {{"a100", GPU_USEFUL, 0.25}, {"a100", GPU_IDLE, 0.75}};
    struct results results = {.end = 200 * NANOSECONDS_PER_SECOND,
                              .events = 42,
                              .metrics = metrics,
                              .metric_count = LENGTH(metrics),
                              .costs = costs,
                              .cost_count = LENGTH(costs),
                              .gpu_hours = hours,
                              .gpu_hours_count = LENGTH(hours)};
    must(spool_finish(spool, &results, 0.125, &error), &error);
    int64_t run_id = 0;
    must(store_merge(bench.store, spool, &run_id, &error), &error);
    spool_close(spool);
    assert_int_equal(run_id, 1);

    struct store *store = bench.store;
    assert_query_text(store,
                      "SELECT concat FROM (SELECT run_id || ' ' || batch || ' ' || position || ' ' "
                      "|| scenario || ' ' || variant || ' ' || point || ' ' || replication || ' ' "
                      "|| seed || ' ' || status || ' ' || currency || ' ' || sim_seconds || ' ' || "
                      "events || ' ' || wall_seconds || ' ' || version || ' ' || inputs_sha256 "
                      "AS concat FROM run)",
                      "1 1 5 day-night mig nodes=4 3 -1 done EUR 200.0 42 0.125 " HEADROOM_VERSION
                      " 0123");
    assert_query_text(
        store,
        "SELECT group_concat(quote(job_id) || quote(queue) || gpus || quote(submit_s) "
        "|| quote(start_s) || quote(end_s) || quote(wait_s) || quote(run_s) || "
        "preemptions || state, ' ') FROM (SELECT * FROM job WHERE run_id = 1)",
        "'done''vc1'810.012.5112.52.5100.00completed "
        "'running''vc1'820.030.0NULL10.0NULL0running "
        "'queued'NULL830.0NULLNULLNULLNULL0queued "
        "'timed out''vc1'840.0NULL50.0NULLNULL0timed_out");
    assert_query_text(store,
                      "SELECT group_concat(scope || '/' || subject || '/' || name || '/' || "
                      "quote(value) || '/' || unit, ' ') FROM metric",
                      "run//completed/1.0/count pool/a100/utilization.busy/0.25/share "
                      "workload/train/wait_s.mean/NULL/s");
    assert_query_text(store,
                      "SELECT group_concat(subject || quote(usd) || quote(usd_idle_share) || "
                      "quote(usd_energy) || quote(usd_per_month), ' ') FROM cost",
                      "a10010.05.02.0100.0 trainNULLNULLNULLNULL");
    assert_query_text(store,
                      "SELECT group_concat(pool || category || gpu_hours, ' ') FROM gpu_time",
                      "a100useful0.25 a100idle0.75");
    assert_query_text(store,
                      "SELECT pool || t_s || ' ' || allocated || ' ' || busy || ' ' || "
                      "memory_used_gib || ' ' || queued_jobs FROM timeline",
                      "a10060.0 0.5 0.25 40.0 1.5");
    assert_query_text(store, "SELECT yaml FROM run JOIN scenario ON sha256 = scenario_sha256",
                      "headroom: 1\n");
    /* Derived: turnaround 102.5 s, slowdown 102.5 / 100, 8 GPUs x 100 s. */
    assert_query_text(store,
                      "SELECT jct_s || ' ' || slowdown || ' ' || round(gpu_hours, 6) FROM v_jobs "
                      "WHERE job_id = 'done' AND variant = 'mig'",
                      "102.5 1.025 0.222222");
    assert_query_text(store, "SELECT completed || quote(wait_mean_s) FROM v_summary", "1.0NULL");
    assert_query_text(store, "SELECT usd_total || currency FROM v_cost WHERE scope = 'pool'",
                      "17.0EUR");
    assert_query_text(store, "SELECT share FROM v_gpu_time WHERE category = 'idle'", "0.75");
    store_close(store);
    assert_int_equal(count_files(), 1);
}

/* Rows are written ten at a time; their number need not be a multiple of that. */
static void jobs_keep_their_number_and_order(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    static const int counts[] = {0, 1, 9, 10, 11, 20, 1234};
    for (size_t c = 0; c < LENGTH(counts); c++) {
        struct run_identity identity = identify(&bench, "base", c);
        struct spool *spool = spool_open(bench.store, &identity, &error);
        must(spool != NULL, &error);
        struct recorder recorder = spool_recorder(spool);
        for (int i = 0; i < counts[c]; i++) {
            char id[16];
            snprintf(id, sizeof(id), "%d", i);
            struct job_record job = a_job(id, JOB_QUEUED, i, SIM_TIME_NEVER, SIM_TIME_NEVER);
            must(recorder.job(recorder.context, &job, &error), &error);
        }
        struct results results = {0};
        int64_t run_id = 0;
        must(spool_finish(spool, &results, 0, &error), &error);
        must(store_merge(bench.store, spool, &run_id, &error), &error);
        spool_close(spool);
        char query[256];
        snprintf(query, sizeof(query), "SELECT count(*) FROM job WHERE run_id = %d", (int)run_id);
        assert_int_equal(query_number(bench.store, query), counts[c]);
        snprintf(query, sizeof(query),
                 "SELECT count(*) FROM job_row WHERE id >> 32 = %d AND job_id = id - (%d << 32)",
                 (int)run_id, (int)run_id);
        assert_int_equal(query_number(bench.store, query), counts[c]);
    }
    store_close(bench.store);
}

static void names_are_only_data(void **state) {
    (void)state;
    static const char hostile[] = "x'); DROP TABLE run; --\n\"<script>alert(1)</script>\x01\xFF";
    struct bench bench = bench_open("a.db");
    struct error error;
    struct run_identity identity = identify(&bench, hostile, 0);
    identity.scenario = hostile;
    identity.point = hostile;
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    struct recorder recorder = spool_recorder(spool);
    struct job_record job = a_job(hostile, JOB_QUEUED, 0, SIM_TIME_NEVER, SIM_TIME_NEVER);
    job.workload = hostile;
    job.queue = hostile;
    must(recorder.job(recorder.context, &job, &error), &error);
    struct metric metric = {SCOPE_WORKLOAD, hostile, hostile, 1, hostile};
    struct results results = {.metrics = &metric, .metric_count = 1};
    int64_t run_id = 0;
    must(spool_finish(spool, &results, 0, &error), &error);
    must(store_merge(bench.store, spool, &run_id, &error), &error);
    spool_close(spool);
    assert_query_text(bench.store, "SELECT variant FROM run", hostile);
    assert_query_text(bench.store, "SELECT job_id FROM job", hostile);
    assert_query_text(bench.store, "SELECT queue FROM job", hostile);
    assert_query_text(bench.store, "SELECT subject FROM metric", hostile);
    store_close(bench.store);
}

static void an_unfinished_spool_leaves_nothing(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    struct run_identity identity = identify(&bench, "base", 0);
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    record_rows(spool);
    assert_int_equal(count_files(), 2);
    spool_close(spool);
    /* Finished, but not merged. */
    spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    record_rows(spool);
    struct results results = {0};
    must(spool_finish(spool, &results, 0, &error), &error);
    spool_close(spool);
    assert_int_equal(query_number(bench.store, "SELECT (SELECT count(*) FROM run) + "
                                               "(SELECT count(*) FROM job_row) + "
                                               "(SELECT count(*) FROM timeline)"),
                     0);
    assert_int_equal(count_files(), 1);
    store_close(bench.store);
    spool_close(NULL);
    store_close(NULL);
}

static void a_killed_process_leaves_no_spool_for_long(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    store_close(bench.store);
    pid_t child = fork();
    if (child == 0) {
        struct bench own = bench_open("a.db");
        struct error error;
        struct run_identity identity = identify(&own, "base", 0);
        struct spool *spool = spool_open(own.store, &identity, &error);
        record_rows(spool);
        raise(SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(count_files(), 2);
    /* A spool in use is left alone by another process's store; that of the dead one is not. */
    bench = bench_open("a.db");
    assert_int_equal(count_files(), 1);
    struct error error;
    struct run_identity identity = identify(&bench, "base", 0);
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    struct bench second = bench_open("a.db");
    assert_int_equal(count_files(), 2);
    store_close(second.store);
    spool_close(spool);
    store_close(bench.store);
    assert_int_equal(count_files(), 1);
}

static void store_runs_for_ever(void) {
    struct bench bench = bench_open("a.db");
    for (uint64_t replication = 0;; replication++) {
        struct error error;
        struct run_identity identity = identify(&bench, "base", replication);
        struct spool *spool = spool_open(bench.store, &identity, &error);
        for (int i = 0; i < 1000; i++) {
            record_jobs(spool);
        }
        struct results results = {0};
        int64_t run_id = 0;
        spool_finish(spool, &results, 0, &error);
        store_merge(bench.store, spool, &run_id, &error);
        spool_close(spool);
    }
}

static void killed_at_any_moment_a_store_has_whole_runs_only(void **state) {
    (void)state;
    store_close(bench_open("a.db").store);
    for (int i = 0; i < 12; i++) {
        pid_t child = fork();
        if (child == 0) {
            store_runs_for_ever();
        }
        usleep(30000 + 7001u * (unsigned)i);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct bench bench = bench_open("a.db");
        assert_query_text(bench.store, "PRAGMA quick_check", "ok");
        assert_int_equal(query_number(bench.store, "SELECT (SELECT count(*) FROM run) * 4000 - "
                                                   "(SELECT count(*) FROM job_row)"),
                         0);
        store_close(bench.store);
        assert_int_equal(count_files(), 1);
    }
}

/* As two `headroom run` into one file, at the same time. */
static void two_stores_write_to_one_file(void **state) {
    (void)state;
    struct bench first = bench_open("a.db");
    struct bench second = bench_open("./a.db");
    assert_int_equal(first.batch, 1);
    assert_int_equal(second.batch, 2);
    struct error error;
    struct run_identity of_first = identify(&first, "base", 0);
    struct run_identity of_second = identify(&second, "base", 0);
    struct spool *one = spool_open(first.store, &of_first, &error);
    struct spool *two = spool_open(second.store, &of_second, &error);
    record_rows(one);
    record_rows(two);
    struct results results = {0};
    int64_t run_one = 0;
    int64_t run_two = 0;
    must(spool_finish(one, &results, 0, &error), &error);
    must(spool_finish(two, &results, 0, &error), &error);
    must(store_merge(second.store, two, &run_two, &error), &error);
    must(store_merge(first.store, one, &run_one, &error), &error);
    assert_int_not_equal(run_one, run_two);
    spool_close(one);
    spool_close(two);
    assert_int_equal(query_number(first.store, "SELECT count(*) FROM job"), 8);
    assert_int_equal(query_number(second.store, "SELECT count(DISTINCT run_id) FROM job"), 2);
    store_close(first.store);
    store_close(second.store);
    assert_int_equal(count_files(), 1);
}

/* Each thread keeps its runs in spools of its own; merging takes turns. */
static void *run_in_thread(void *context) {
    struct bench *bench = context;
    for (uint64_t replication = 0; replication < 5; replication++) {
        struct error error;
        struct run_identity identity = identify(bench, "base", replication);
        struct spool *spool = spool_open(bench->store, &identity, &error);
        if (spool == NULL) {
            return "spool_open failed";
        }
        record_rows(spool);
        struct results results = {0};
        int64_t run_id = 0;
        bool merged = spool_finish(spool, &results, 0, &error) &&
                      store_merge(bench->store, spool, &run_id, &error);
        spool_close(spool);
        if (!merged) {
            return "storing failed";
        }
    }
    return NULL;
}

static void threads_share_a_store(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    pthread_t threads[4];
    for (size_t i = 0; i < LENGTH(threads); i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &bench), 0);
    }
    for (size_t i = 0; i < LENGTH(threads); i++) {
        void *failure = NULL;
        assert_int_equal(pthread_join(threads[i], &failure), 0);
        assert_null(failure);
    }
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM run"), 20);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM job"), 80);
    store_close(bench.store);
    assert_int_equal(count_files(), 1);
}

static void processes_that_create_one_store_at_once_agree(void **state) {
    (void)state;
    enum { PROCESSES = 4 };
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0) {
            struct bench bench = bench_open("a.db");
            struct run_identity identity = identify(&bench, "base", 0);
            store_run(&bench, &identity, NULL, 0);
            store_close(bench.store);
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        wait(&status);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    struct bench bench = bench_open("a.db");
    assert_int_equal(bench.batch, PROCESSES + 1);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM run"), PROCESSES);
    store_close(bench.store);
}

/* run_ids are given out before the runs begin; those not used are given back. */
static void run_ids_have_no_gaps_after_complete_batches(void **state) {
    (void)state;
    for (int batch = 0; batch < 3; batch++) {
        struct bench bench = bench_open("a.db");
        for (uint64_t replication = 0; replication < 5; replication++) {
            struct run_identity identity = identify(&bench, "base", replication);
            assert_int_equal(store_run(&bench, &identity, NULL, 0),
                             batch * 5 + (int)replication + 1);
        }
        store_close(bench.store);
    }
}

static void a_locked_store_keeps_the_finished_spool(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    struct run_identity identity = identify(&bench, "base", 0);
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    sqlite3_busy_timeout(store_connection(bench.store), 10);
    record_rows(spool);
    struct results results = {0};
    must(spool_finish(spool, &results, 0, &error), &error);
    sqlite3 *other = NULL;
    assert_int_equal(sqlite3_open("a.db", &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    int64_t run_id = 0;
    assert_false(store_merge(bench.store, spool, &run_id, &error));
    assert_message(&error,
                   "a.db: is locked by another process; close it there (sqlite3, a notebook, "
                   "another headroom) or choose another file");
    sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL);
    /* A reader in the middle of a query holds up the commit only. */
    sqlite3_stmt *reading = NULL;
    sqlite3_prepare_v2(other, "SELECT * FROM student_t", -1, &reading, NULL);
    assert_int_equal(sqlite3_step(reading), SQLITE_ROW);
    assert_false(store_merge(bench.store, spool, &run_id, &error));
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM run"), 0);
    sqlite3_finalize(reading);
    sqlite3_close(other);
    must(store_merge(bench.store, spool, &run_id, &error), &error);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM job"), 4);
    spool_close(spool);
    store_close(bench.store);
}

static void deleting_a_run_deletes_its_rows(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    for (uint64_t replication = 0; replication < 2; replication++) {
        struct run_identity identity = identify(&bench, "base", replication);
        struct spool *spool = spool_open(bench.store, &identity, &error);
        must(spool != NULL, &error);
        record_rows(spool);
        struct metric metric = {SCOPE_RUN, "", "completed", 1, "count"};
        struct results results = {.metrics = &metric, .metric_count = 1};
        int64_t run_id = 0;
        must(spool_finish(spool, &results, 0, &error), &error);
        must(store_merge(bench.store, spool, &run_id, &error), &error);
        spool_close(spool);
    }
    assert_int_equal(sqlite3_exec(store_connection(bench.store),
                                  "DELETE FROM run WHERE run_id = 1; VACUUM", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM job_row"), 4);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM job WHERE run_id = 2"), 4);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM metric"), 1);
    assert_int_equal(query_number(bench.store, "SELECT count(*) FROM timeline"), 1);
    store_close(bench.store);
}

/* Means and intervals of v_compare by hand: 1, 2, 4 have mean 7/3 and variance 7/3, so half the
 * width is t(2) x sqrt(7/9) with t(2) = 4.302653 from tables. */
static void v_compare_takes_the_newest_batch_and_students_interval(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct metric metric = {SCOPE_RUN, "", "wait_s.mean", 100, "s"};
    for (uint64_t replication = 0; replication < 4; replication++) {
        struct run_identity identity = identify(&bench, "base", replication);
        store_run(&bench, &identity, &metric, 1);
    }
    struct error error;
    must(store_new_batch(bench.store, &bench.batch, &error), &error);
    static const double values[] = {1, 2, 4, NAN};
    for (uint64_t replication = 0; replication < LENGTH(values); replication++) {
        metric.value = values[replication];
        struct run_identity identity = identify(&bench, "base", replication);
        store_run(&bench, &identity, &metric, 1);
    }
    metric.value = 7;
    struct run_identity alone = identify(&bench, "mig", 0);
    store_run(&bench, &alone, &metric, 1);

    struct store *store = bench.store;
    assert_int_equal(query_number(store, "SELECT count(*) FROM v_compare"), 2);
    assert_int_equal(query_number(store, "SELECT n FROM v_compare WHERE variant = 'base'"), 3);
    assert_near(query_number(store, "SELECT mean FROM v_compare WHERE variant = 'base'"), 7.0 / 3,
                1e-12);
    assert_near(query_number(store, "SELECT half_width FROM v_compare WHERE variant = 'base'"),
                4.302653 * sqrt(7.0 / 9), 1e-6);
    assert_query_text(
        store, "SELECT mean || quote(half_width) FROM v_compare WHERE variant = 'mig'", "7.0NULL");
    store_close(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_new_store_is_complete_and_an_old_one_is_kept),
        IN_FOLDER(an_empty_file_becomes_a_store),
        IN_FOLDER(odd_names_are_files),
        IN_FOLDER(equal_scenarios_share_a_row),
        IN_FOLDER(every_table_comes_back),
        IN_FOLDER(jobs_keep_their_number_and_order),
        IN_FOLDER(names_are_only_data),
        IN_FOLDER(an_unfinished_spool_leaves_nothing),
        IN_FOLDER(a_killed_process_leaves_no_spool_for_long),
        IN_FOLDER(killed_at_any_moment_a_store_has_whole_runs_only),
        IN_FOLDER(two_stores_write_to_one_file),
        IN_FOLDER(threads_share_a_store),
        IN_FOLDER(processes_that_create_one_store_at_once_agree),
        IN_FOLDER(run_ids_have_no_gaps_after_complete_batches),
        IN_FOLDER(a_locked_store_keeps_the_finished_spool),
        IN_FOLDER(deleting_a_run_deletes_its_rows),
        IN_FOLDER(v_compare_takes_the_newest_batch_and_students_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
