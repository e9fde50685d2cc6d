/* A disk that fills up at any moment costs the run that was being stored, and nothing else. */
#include "tests/reports/fixture.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static const char no_space[] =
    "a.db: no space left on the disk; free some or choose a file on another "
    "disk (runs that were finished before are kept)";

/* A small disk of its own, for which one must be root; elsewhere these tests are skipped. */
static int enter_small_disk(void **state) {
    int failed = enter_folder(state);
    mkdir("disk", 0755);
    if (!failed && mount("none", "disk", "tmpfs", 0, "size=2m") == 0) {
        failed = chdir("disk");
    }
    return failed;
}

static int leave_small_disk(void **state) {
    char path[128];
    snprintf(path, sizeof(path), "%s/disk", (char *)*state);
    int failed = chdir("/");
    umount(path);
    return failed | leave_folder(state);
}

#define ON_SMALL_DISK(test)                                                                        \
    cmocka_unit_test_setup_teardown(test, enter_small_disk, leave_small_disk)

static bool on_small_disk(void) {
    struct statvfs disk;
    return statvfs(".", &disk) == 0 && disk.f_blocks * disk.f_frsize == 2 << 20;
}

/* Leaves `pages` free on the disk, with one file that takes the rest. */
static void leave_free(size_t pages) {
    unlink("ballast");
    struct statvfs disk;
    assert_int_equal(statvfs(".", &disk), 0);
    if (disk.f_bavail > pages) {
        int file = open("ballast", O_WRONLY | O_CREAT, 0600);
        off_t size = (off_t)((disk.f_bavail - pages) * disk.f_frsize);
        assert_int_equal(posix_fallocate(file, 0, size), 0);
        close(file);
    }
}

static bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void creating_is_all_or_nothing(void **state) {
    (void)state;
    if (!on_small_disk()) {
        skip();
    }
    size_t failures = 0;
    for (size_t pages = 0;; pages++) {
        leave_free(pages);
        struct error error;
        bool existed = false;
        struct store *store = store_open("a.db", &existed, &error);
        if (store != NULL) {
            store_close(store);
            break;
        }
        failures++;
        assert_message(&error, no_space);
        assert_false(file_exists("a.db"));
        assert_false(file_exists("a.db-journal"));
    }
    assert_true(failures > 3);
}

static bool record_jobs(struct spool *spool, int count, struct error *error) {
    struct recorder recorder = spool_recorder(spool);
    bool recorded = true;
    for (int i = 0; i < count && recorded; i++) {
        struct job_record job = {.workload = "train",
                                 .id = "application_1506638472019_10238",
                                 .gpus = 1,
                                 .submit = i,
                                 .start = SIM_TIME_NEVER,
                                 .end = SIM_TIME_NEVER,
                                 .state = JOB_QUEUED};
        recorded = recorder.job(recorder.context, &job, error);
    }
    return recorded;
}

enum { JOBS = 3000 };

/* From opening the spool to merging it; false with an error. */
static bool try_run(struct bench *bench, uint64_t replication, struct error *error) {
    struct run_identity identity = identify(bench, "base", replication);
    struct spool *spool = spool_open(bench->store, &identity, error);
    if (spool == NULL) {
        return false;
    }
    struct results results = {0};
    int64_t run_id = 0;
    bool done = record_jobs(spool, JOBS, error) && spool_finish(spool, &results, 0, error) &&
                store_merge(bench->store, spool, &run_id, error);
    spool_close(spool);
    return done;
}

static void assert_intact(struct store *store, int runs) {
    assert_query_text(store, "PRAGMA integrity_check", "ok");
    assert_int_equal(query_number(store, "SELECT count(*) FROM run"), runs);
    assert_int_equal(query_number(store, "SELECT count(*) FROM job_row"), runs * JOBS);
}

/* With a little more room each time, every write of a run fails once. */
static void a_run_is_stored_entirely_or_not_at_all(void **state) {
    (void)state;
    if (!on_small_disk()) {
        skip();
    }
    struct bench bench = bench_open("a.db");
    struct error error;
    must(try_run(&bench, 0, &error), &error);
    size_t failures = 0;
    for (size_t pages = 0;; pages++) {
        leave_free(pages);
        if (try_run(&bench, 1, &error)) {
            break;
        }
        failures++;
        assert_true(strcmp(error.file, "a.db") == 0);
        if (strstr(error.message, "No space left on device") == NULL) {
            assert_message(&error, no_space);
        }
        assert_intact(bench.store, 1);
        assert_int_equal(count_files(), 2); /* the store and the ballast */
    }
    assert_true(failures > 20);
    assert_intact(bench.store, 2);
    store_close(bench.store);
}

/* Merging can be tried again when there is room. Needs no root: the database may not grow. */
static void a_failed_merge_can_be_repeated(void **state) {
    (void)state;
    struct bench bench = bench_open("a.db");
    struct error error;
    must(try_run(&bench, 0, &error), &error);
    struct run_identity identity = identify(&bench, "base", 1);
    struct spool *spool = spool_open(bench.store, &identity, &error);
    must(spool != NULL, &error);
    must(record_jobs(spool, JOBS, &error), &error);
    struct results results = {0};
    must(spool_finish(spool, &results, 0, &error), &error);
    sqlite3 *connection = store_connection(bench.store);
    sqlite3_exec(connection, "PRAGMA max_page_count = 1", NULL, NULL, NULL); /* as large as it is */
    int64_t run_id = 0;
    assert_false(store_merge(bench.store, spool, &run_id, &error));
    assert_message(&error, no_space);
    assert_intact(bench.store, 1);
    sqlite3_exec(connection, "PRAGMA max_page_count = 1000000", NULL, NULL, NULL);
    must(store_merge(bench.store, spool, &run_id, &error), &error);
    assert_intact(bench.store, 2);
    spool_close(spool);
    store_close(bench.store);
    assert_int_equal(count_files(), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ON_SMALL_DISK(creating_is_all_or_nothing),
        ON_SMALL_DISK(a_run_is_stored_entirely_or_not_at_all),
        IN_FOLDER(a_failed_merge_can_be_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
