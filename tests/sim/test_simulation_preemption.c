/* Invariant: who is preempted starts, saves, restores and ends at the nanosecond that a hand
 * computation gives, and every GPU-second is in the category where it belongs. Mostly two jobs and
 * one GPU: "low" of 100 s from 0 s on, "urgent" of 20 s. */
#include <stdio.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

static const char low_csv[] = "job_id,submit_s,gpus,duration_s,priority\n"
                              "low,0,1,100,10\n";

static sim_time seconds(double s) {
    return sim_time_from_seconds(s);
}

/* One GPU, the job "low", and jobs of workload "urgent" of one GPU: `csv` without its header. */
static struct checkpoint_spec *one_gpu(struct sim_case *sim_case, const char *urgent,
                                       enum preempt_mode mode, double save_s, double restore_s) {
    char csv[512];
    snprintf(csv, sizeof csv, "job_id,submit_s,gpus,duration_s,priority\n%s", urgent);
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, "priority", "none", "first_fit");
    sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 1, 1);
    sim_case_preemption(sim_case, "least_progress_lost")->mode = mode;
    struct checkpoint_spec *checkpoint =
        sim_case_preemptible(sim_case_workload(sim_case, "low", low_csv), 10, save_s, restore_s);
    sim_case_workload(sim_case, "urgent", csv);
    return checkpoint;
}

struct ledger_row {
    double useful;
    double redone;
    double checkpoint;
    double restore;
    double idle;
};

static void expect_ledger(const struct sim_case *sim_case, struct ledger_row row) {
    sim_case_expect_time(sim_case, "p", GPU_USEFUL, row.useful);
    sim_case_expect_time(sim_case, "p", GPU_REDONE, row.redone);
    sim_case_expect_time(sim_case, "p", GPU_CHECKPOINT, row.checkpoint);
    sim_case_expect_time(sim_case, "p", GPU_RESTORE, row.restore);
    sim_case_expect_time(sim_case, "p", GPU_IDLE, row.idle);
}

static void expect_low(const struct sim_case *sim_case, double run_s, int32_t preemptions) {
    const struct job_row *row = recording_job(&sim_case->recording, "low", "low");
    assert_int_equal(row->run, seconds(run_s));
    assert_int_equal(row->preemptions, preemptions);
}

static void expect_metric(const struct sim_case *sim_case, const char *workload, const char *name,
                          double expected) {
    double actual = results_metric(&sim_case->results, SCOPE_WORKLOAD, workload, name);
    if (!(actual - expected < 1e-9 && expected - actual < 1e-9)) {
        fail_msg("%s of %s: %.12g, not %.12g", name, workload, actual, expected);
    }
}

/* Saves 30-35, urgent 35-55, restores 55-58, computes what is left, 70 s, to 128. */
static void saves_and_restores(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 128);
    sim_case_expect_completed(&sim_case, "urgent", "u", 35, 55);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .checkpoint = 5, .restore = 3});
    expect_low(&sim_case, 35 + 73, 1);
    expect_metric(&sim_case, "low", "preemptions", 1);
    expect_metric(&sim_case, "low", "checkpoint_gpu_hours", 5 / 3600.0);
    expect_metric(&sim_case, "low", "restore_gpu_hours", 3 / 3600.0);
    expect_metric(&sim_case, "low", "redone_gpu_hours", 0);
    expect_metric(&sim_case, "low", "wait_s.mean", 0);
    expect_metric(&sim_case, "urgent", "wait_s.mean", 5);
    expect_metric(&sim_case, "urgent", "preemptions", 0);
    sim_case_terminate(&sim_case);
}

/* Without any size or time it costs nothing. */
static void nothing_to_write_costs_nothing(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, -1, -1);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 120);
    sim_case_expect_completed(&sim_case, "urgent", "u", 30, 50);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120});
    expect_low(&sim_case, 100, 1);
    sim_case_terminate(&sim_case);
}

/* 30 s are lost: 50 + 100. */
static void a_kill_loses_all(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_KILL, 5, 3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 150);
    sim_case_expect_completed(&sim_case, "urgent", "u", 30, 50);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .redone = 30});
    expect_low(&sim_case, 130, 1);
    expect_metric(&sim_case, "low", "redone_gpu_hours", 30 / 3600.0);
    sim_case_terminate(&sim_case);
}

/* Computes 0-10, 12-22 and 24-30, saves of 2 s between: 6 s are lost. From 50 on it restores (3 s),
 * computes 80 s, and saves after each 10 s but the last: 50 + 3 + 80 + 7 x 2 = 147. */
static void a_kill_loses_what_is_not_saved(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_KILL, 2, 3)->interval = seconds(10);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 147);
    expect_ledger(&sim_case,
                  (struct ledger_row){.useful = 120, .redone = 6, .checkpoint = 18, .restore = 3});
    sim_case_terminate(&sim_case);
}

/* Killed at 11 s, while it saves 10-12: nothing is kept. 31 + 100 + 9 saves of 2 s = 149. */
static void a_save_cut_short_is_void(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,11,1,20,0\n", PREEMPT_KILL, 2, 3)->interval = seconds(10);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 149);
    sim_case_expect_completed(&sim_case, "urgent", "u", 11, 31);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .redone = 10, .checkpoint = 19});
    sim_case_terminate(&sim_case);
}

/* The same with time to save: the save under way is completed at 12, urgent 12-32, restore to 35,
 * 90 s and 8 saves: 141. */
static void a_save_under_way_is_completed(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,11,1,20,0\n", PREEMPT_CHECKPOINT, 2, 3)->interval = seconds(10);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 12, 32);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 141);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .checkpoint = 18, .restore = 3});
    sim_case_terminate(&sim_case);
}

/* Preempted at the very moment at which a periodic save ends (12 s): nothing to save. */
static void just_saved_leaves_at_once(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,12,1,20,0\n", PREEMPT_CHECKPOINT, 2, 3)->interval = seconds(10);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 12, 32);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 141);
    sim_case_terminate(&sim_case);
}

/* Saves 30-35, u1 35-55, restores 55-60 in vain, u2 60-65, restores 65-75, 70 s to 145. */
static void in_a_restore_it_leaves_at_once(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u1,30,1,20,0\nu2,60,1,5,0\n", PREEMPT_CHECKPOINT, 5, 10);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u1", 35, 55);
    sim_case_expect_completed(&sim_case, "urgent", "u2", 60, 65);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 145);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 125, .checkpoint = 5, .restore = 15});
    expect_low(&sim_case, 35 + 5 + 80, 2);
    sim_case_terminate(&sim_case);
}

/* A save of 5 s within a grace of 5 s is made; within 4 s it is not even begun. */
static void the_grace_limits_saves(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case.scenario.scheduler.preemption.grace = seconds(5);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 128);
    sim_case.scenario.scheduler.preemption.grace = seconds(4);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 30, 50);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 150);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .redone = 30});
    sim_case_terminate(&sim_case);
}

/* A periodic save of 5 s began at 10; preempted at 11 with a grace of 3 s it is cut short at 14. */
static void the_grace_cuts_a_save_short(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,11,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3)->interval = seconds(10);
    sim_case.scenario.scheduler.preemption.grace = seconds(3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 14, 34);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 34 + 100 + 9 * 5);
    expect_ledger(&sim_case,
                  (struct ledger_row){.useful = 120, .redone = 10, .checkpoint = 4 + 45});
    sim_case_terminate(&sim_case);
}

/* With 3 s left and a save of 5 s it is let end; with 5 s left it saves. */
static void who_would_end_first_is_let_end(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,97,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 100);
    sim_case_expect_completed(&sim_case, "urgent", "u", 100, 120);
    expect_low(&sim_case, 100, 0);
    expect_metric(&sim_case, "low", "preemptions", 0);
    sim_case_terminate(&sim_case);
    one_gpu(&sim_case, "u,95,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 100, 120);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 128);
    sim_case_terminate(&sim_case);
    /* Not beyond the grace: killed at 97. */
    one_gpu(&sim_case, "u,97,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case.scenario.scheduler.preemption.grace = seconds(2);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 97, 117);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 217);
    sim_case_terminate(&sim_case);
}

/* It would save at its end, too, and so not end before a save: 97-102, urgent to 122, restore to
 * 125, the last 3 s, and 5 s to save them: 133. */
static void a_final_save_is_part_of_the_end(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,97,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3)->final = true;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 102, 122);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 133);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .checkpoint = 10, .restore = 3});
    sim_case_terminate(&sim_case);
}

/* Preempted while it saves for the last time, 100-105, it is let end. Killed there it has to do all
 * again: 103 + 20 + 100 + 5. */
static void in_its_final_save(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,103,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3)->final = true;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 105);
    sim_case_expect_completed(&sim_case, "urgent", "u", 105, 125);
    sim_case.scenario.scheduler.preemption.mode = PREEMPT_KILL;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 103, 123);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 228);
    expect_ledger(&sim_case,
                  (struct ledger_row){.useful = 120, .redone = 100, .checkpoint = 3 + 5});
    sim_case_terminate(&sim_case);
}

/* Nothing happens at 50 s but that it has held its GPU for that long. */
static void time_alone_lets_preempt(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,10,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case.scenario.scheduler.preemption.min_runtime = seconds(50);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 55, 75);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 128);
    sim_case_terminate(&sim_case);
}

/* Both come at 0 s, and fifo lets the first start: it gives way at once. */
static void who_has_just_started_may_be_preempted(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,0,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_rules(&sim_case, "fifo", "none", "first_fit");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 0, 20);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 120);
    expect_metric(&sim_case, "low", "wait_s.mean", 0);
    expect_metric(&sim_case, "low", "waited", 0);
    sim_case_terminate(&sim_case);
}

/* An equal priority, or a class that is not listed, preempts nobody. */
static void only_the_more_urgent_preempt(void **state) {
    (void)state;
    struct sim_case sim_case;
    static int by[] = {CLASS_INFERENCE};
    one_gpu(&sim_case, "u,30,1,20,10\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 100, 120);
    sim_case_terminate(&sim_case);
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case.scenario.scheduler.preemption.by = by;
    sim_case.scenario.scheduler.preemption.by_count = 1;
    sim_case.workloads[1].job_class = CLASS_TRAINING;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 100, 120);
    sim_case.workloads[1].job_class = CLASS_INFERENCE;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 35, 55);
    sim_case_terminate(&sim_case);
}

/* min_runtime by class: half an hour for training. */
static void training_runs_for_half_an_hour(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_rules(&sim_case, "priority", "none", "first_fit");
    sim_case_pool(&sim_case, "p", "A100-SXM4-80GB", 1, 1);
    sim_case_preemption(&sim_case, "least_progress_lost")->min_runtime = MIN_RUNTIME_BY_CLASS;
    struct workload_spec *low = sim_case_workload(
        &sim_case, "low", "job_id,submit_s,gpus,duration_s,priority\nlow,0,1,3600,10\n");
    sim_case_preemptible(low, 10, 5, 3);
    low->job_class = CLASS_TRAINING;
    sim_case_workload(&sim_case, "urgent",
                      "job_id,submit_s,gpus,duration_s,priority\nu,10,1,20,0\n");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 1805, 1825);
    low->job_class = CLASS_FINETUNING;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 15, 35);
    sim_case_terminate(&sim_case);
}

/* Half the speed for 4 s of every 14: 12 s of work. Killed at 26, 2 s into the second save, it
 * falls back to 10 s of work; 16 s on the GPU are lost. 46 + 3, then 7 x 14 s for 84 s of work, and
 * 6 s. */
static void asynchronous_saves(void **state) {
    (void)state;
    struct sim_case sim_case;
    struct checkpoint_spec *checkpoint = one_gpu(&sim_case, "u,26,1,20,0\n", PREEMPT_KILL, 4, 3);
    checkpoint->interval = seconds(10);
    checkpoint->overhead = 0.5;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 26, 46);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 153);
    /* 133 s on the GPU, less 3 and 16. */
    expect_ledger(&sim_case, (struct ledger_row){.useful = 20 + 114, .redone = 16, .restore = 3});
    sim_case_terminate(&sim_case);
}

/* Told to leave at 12 s, 2 s into an asynchronous save: that one is void, and it saves the 11 s
 * that it has done, 12-16. Urgent 16-36, restore to 39, 89 s of work are left: 7 x 14 s for 84, and
 * 5: 142. */
static void a_victim_saves_anew_and_blocks(void **state) {
    (void)state;
    struct sim_case sim_case;
    struct checkpoint_spec *checkpoint =
        one_gpu(&sim_case, "u,12,1,20,0\n", PREEMPT_CHECKPOINT, 4, 3);
    checkpoint->interval = seconds(10);
    checkpoint->overhead = 0.5;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 16, 36);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 142);
    expect_ledger(&sim_case,
                  (struct ledger_row){.useful = 12 + 103 + 20, .checkpoint = 4, .restore = 3});
    sim_case_terminate(&sim_case);
}

/* Of the 30 s lost, 10 are measured, which begins at 20 s. */
static void what_is_lost_before_measuring_is_not_counted(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_KILL, 5, 3);
    sim_case.scenario.warmup = seconds(20);
    sim_case_run_to_end(&sim_case);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 120, .redone = 10});
    expect_metric(&sim_case, "low", "redone_gpu_hours", 10 / 3600.0);
    sim_case_terminate(&sim_case);
    /* A save begun at 30 and ended at 35, half of it measured. */
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case.scenario.warmup = seconds(32);
    sim_case_run_to_end(&sim_case);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 90, .checkpoint = 3, .restore = 3});
    expect_metric(&sim_case, "low", "checkpoint_gpu_hours", 3 / 3600.0);
    sim_case_terminate(&sim_case);
}

/* The horizon comes in the midst of the save, of the newcomer's run, and of the restore. */
static void the_horizon_may_come_at_any_moment(void **state) {
    (void)state;
    static const struct {
        double horizon;
        struct ledger_row ledger;
        enum job_state low;
        enum job_state urgent;
    } rows[] = {
        {33, {.useful = 30, .checkpoint = 3}, JOB_RUNNING, JOB_QUEUED},
        {45, {.useful = 40, .checkpoint = 5}, JOB_QUEUED, JOB_RUNNING},
        {57, {.useful = 50, .checkpoint = 5, .restore = 2}, JOB_RUNNING, JOB_COMPLETED},
        {60, {.useful = 52, .checkpoint = 5, .restore = 3}, JOB_RUNNING, JOB_COMPLETED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sim_case sim_case;
        one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
        sim_case_horizon(&sim_case, seconds(rows[i].horizon));
        sim_case_run_to_end(&sim_case);
        expect_ledger(&sim_case, rows[i].ledger);
        assert_int_equal(recording_job(&sim_case.recording, "low", "low")->state, rows[i].low);
        assert_int_equal(recording_job(&sim_case.recording, "urgent", "u")->state, rows[i].urgent);
        sim_case_terminate(&sim_case);
    }
}

/* The newcomer gives up at 33; its victim leaves at 35 all the same, and goes on at once. */
static void a_newcomer_may_give_up(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_terminate(&sim_case);
    sim_case_initialize(&sim_case);
    sim_case_rules(&sim_case, "priority", "none", "first_fit");
    sim_case_pool(&sim_case, "p", "A100-SXM4-80GB", 1, 1);
    sim_case_preemption(&sim_case, "least_progress_lost");
    sim_case_preemptible(sim_case_workload(&sim_case, "low", low_csv), 10, 5, 3);
    sim_case_workload(&sim_case, "urgent",
                      "job_id,submit_s,gpus,duration_s,priority,max_wait_s\nu,30,1,20,0,3\n");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_turned_away(&sim_case, "urgent", "u", JOB_TIMED_OUT, 33);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 108);
    expect_ledger(&sim_case, (struct ledger_row){.useful = 100, .checkpoint = 5, .restore = 3});
    sim_case_terminate(&sim_case);
}

/* A wait as long as the save: the start wins. */
static void a_start_wins_over_giving_up(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_rules(&sim_case, "priority", "none", "first_fit");
    sim_case_pool(&sim_case, "p", "A100-SXM4-80GB", 1, 1);
    sim_case_preemption(&sim_case, "least_progress_lost");
    sim_case_preemptible(sim_case_workload(&sim_case, "low", low_csv), 10, 5, 3);
    sim_case_workload(&sim_case, "urgent",
                      "job_id,submit_s,gpus,duration_s,priority,max_wait_s\nu,30,1,20,0,5\n");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u", 35, 55);
    sim_case_terminate(&sim_case);
}

/* With max_queue 0 nobody waits, but room is being made for the first; the second, 1 s later, is
 * turned away. */
static void a_full_queue_turns_away_nobody_who_gets_room(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u1,30,1,20,0\nu2,31,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case.workloads[1].max_queue = 0;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "u1", 35, 55);
    sim_case_expect_turned_away(&sim_case, "urgent", "u2", JOB_REJECTED, 31);
    sim_case_terminate(&sim_case);
}

/* A more urgent newcomer takes the GPU that is being freed for another one, which waits on: v at
 * 35, u at 55, low at 75. */
static void the_most_urgent_newcomer_comes_first(void **state) {
    (void)state;
    struct sim_case sim_case;
    one_gpu(&sim_case, "u,30,1,20,5\nv,32,1,20,0\n", PREEMPT_CHECKPOINT, 5, 3);
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "urgent", "v", 35, 55);
    sim_case_expect_completed(&sim_case, "urgent", "u", 55, 75);
    sim_case_expect_completed(&sim_case, "low", "low", 0, 148);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saves_and_restores),
        cmocka_unit_test(nothing_to_write_costs_nothing),
        cmocka_unit_test(a_kill_loses_all),
        cmocka_unit_test(a_kill_loses_what_is_not_saved),
        cmocka_unit_test(a_save_cut_short_is_void),
        cmocka_unit_test(a_save_under_way_is_completed),
        cmocka_unit_test(just_saved_leaves_at_once),
        cmocka_unit_test(in_a_restore_it_leaves_at_once),
        cmocka_unit_test(the_grace_limits_saves),
        cmocka_unit_test(the_grace_cuts_a_save_short),
        cmocka_unit_test(who_would_end_first_is_let_end),
        cmocka_unit_test(a_final_save_is_part_of_the_end),
        cmocka_unit_test(in_its_final_save),
        cmocka_unit_test(time_alone_lets_preempt),
        cmocka_unit_test(who_has_just_started_may_be_preempted),
        cmocka_unit_test(only_the_more_urgent_preempt),
        cmocka_unit_test(training_runs_for_half_an_hour),
        cmocka_unit_test(asynchronous_saves),
        cmocka_unit_test(a_victim_saves_anew_and_blocks),
        cmocka_unit_test(what_is_lost_before_measuring_is_not_counted),
        cmocka_unit_test(the_horizon_may_come_at_any_moment),
        cmocka_unit_test(a_newcomer_may_give_up),
        cmocka_unit_test(a_start_wins_over_giving_up),
        cmocka_unit_test(a_full_queue_turns_away_nobody_who_gets_room),
        cmocka_unit_test(the_most_urgent_newcomer_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
