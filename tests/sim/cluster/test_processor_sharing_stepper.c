/* Invariant: the engine ends tasks where brute force does. Random cases of several tenants with
 * caps, interference, tasks at once, chains of tasks and withdrawals run through the engine; then a
 * stepper in long double, which knows work left and the formula of rates and nothing else, goes
 * through the same begins and withdrawals from event to event, with ends at their exact moments. */
#include <math.h>
#include <stdlib.h>

#include "sim/cluster/processor_sharing.h"
#include "tests/support/unit.h"

enum { SLOTS = 6, TASKS = 60 };

struct task {
    struct sharing_task sharing; /* first: what the engine returns is the task */
    int32_t slot;
    int32_t follower; /* begins when this one is gone; -1: none */
    bool follows;
    sim_time work;
    sim_time begin; /* NEVER: not yet known */
    sim_time withdraw;
    bool active;
    bool withdrawn;
    sim_time end;
    sim_time work_left; /* when withdrawn */
};

struct times {
    long double part[SLOTS];
    long double computing[SLOTS];
    long double delayed[SLOTS];
    long double device;
    long double occupied;
};

struct sharing_case {
    double saturation[SLOTS];
    double thread_share[SLOTS];
    double interference;
    struct task tasks[TASKS];
    int ends;
    sim_time last;
    struct processor_sharing ps;
    /* of the stepper */
    long double left[TASKS];
    long double exact_end[TASKS];
    long double slowest[TASKS]; /* the lowest rate that the task had */
    struct times times;
};

static double any_share(struct test_random *random) {
    static const double usual[] = {1, 1, 0.5, 0.6, 0.77, 0.25};
    if (test_random_once_in(random, 2)) {
        return usual[test_random_below(random, sizeof usual / sizeof usual[0])];
    }
    return (1 + test_random_below(random, 1000)) / 1000.0;
}

/* Works below `unit` x 1000 ns; one task in `chained` begins where another ends (0: none). */
static void draw(struct sharing_case *c, struct test_random *random, sim_time unit,
                 int32_t chained) {
    static const double interferences[] = {0, 0, 0.1, 0.37};
    *c = (struct sharing_case){.interference = interferences[test_random_below(random, 4)]};
    int32_t slots = test_random_between(random, 1, SLOTS);
    for (int i = 0; i < SLOTS; i++) {
        c->saturation[i] = any_share(random);
        c->thread_share[i] = test_random_once_in(random, 2) ? 1 : any_share(random);
    }
    sim_time span = unit * 1000 * test_random_between(random, 1, 20);
    for (int32_t i = 0; i < TASKS; i++) {
        struct task *task = &c->tasks[i];
        *task = (struct task){.slot = test_random_below(random, slots),
                              .follower = -1,
                              .begin = (sim_time)(test_random_next(random) % (uint64_t)span),
                              .work = (sim_time)(test_random_next(random) % (uint64_t)unit) * 1000 +
                                      test_random_below(random, 1000),
                              .withdraw = SIM_TIME_NEVER,
                              .end = SIM_TIME_NEVER};
        if (test_random_once_in(random, 6)) {
            task->withdraw =
                task->begin + (sim_time)(test_random_next(random) % (uint64_t)(unit * 3000));
        }
        if (chained > 0 && i > 0 && test_random_once_in(random, chained)) {
            task->begin = SIM_TIME_NEVER;
            task->withdraw = SIM_TIME_NEVER;
            task->follows = true;
            task->slot = c->tasks[i - 1].slot;
            c->tasks[i - 1].follower = i;
        }
    }
}

static void begin(struct sharing_case *c, struct task *task, sim_time now) {
    task->begin = now;
    task->active = true;
    processor_sharing_begin(&c->ps, task->slot, &task->sharing, task->work, now);
}

static void is_gone(struct sharing_case *c, struct task *task, sim_time now) {
    assert_true(task->active);
    task->active = false;
    task->end = now;
    c->ends++;
    c->last = now;
    if (task->follower >= 0) {
        begin(c, &c->tasks[task->follower], now);
    }
}

/* The next begin or withdrawal of the script after all that was done; NULL: none. */
static struct task *next_in_script(struct sharing_case *c, sim_time *when) {
    struct task *found = NULL;
    *when = SIM_TIME_NEVER;
    for (int i = 0; i < TASKS; i++) {
        struct task *task = &c->tasks[i];
        sim_time time = SIM_TIME_NEVER;
        if (task->active) {
            time = task->withdraw;
        } else if (task->end == SIM_TIME_NEVER) {
            time = task->begin;
        }
        if (time < *when) {
            *when = time;
            found = task;
        }
    }
    return found;
}

static void run_engine(struct sharing_case *c) {
    processor_sharing_initialize(&c->ps, SLOTS, c->interference);
    for (int32_t i = 0; i < SLOTS; i++) {
        processor_sharing_seat(&c->ps, i, c->saturation[i], c->thread_share[i]);
    }
    for (;;) {
        sim_time scripted = 0;
        struct task *task = next_in_script(c, &scripted);
        sim_time next = processor_sharing_next(&c->ps);
        assert_true(next >= c->last);
        if (next == SIM_TIME_NEVER && task == NULL) {
            return;
        }
        if (next <= scripted) {
            is_gone(c, (struct task *)processor_sharing_end(&c->ps, next), next);
        } else if (!task->active) {
            begin(c, task, scripted);
        } else {
            task->withdrawn = true;
            task->work_left =
                processor_sharing_withdraw(&c->ps, task->slot, &task->sharing, scripted);
            is_gone(c, task, scripted);
        }
    }
}

/* What each tenant gets with these numbers of tasks; demand: the sum of d. */
static long double rates(const struct sharing_case *c, const int counts[SLOTS],
                         long double rate[SLOTS], long double alone[SLOTS]) {
    long double demands[SLOTS];
    long double demand = 0;
    for (int i = 0; i < SLOTS; i++) {
        demands[i] = fminl(c->saturation[i], c->thread_share[i]);
        demand += counts[i] > 0 ? demands[i] : 0;
    }
    for (int i = 0; i < SLOTS; i++) {
        alone[i] = demands[i] / c->saturation[i];
        rate[i] = counts[i] == 0 ? 0
                                 : alone[i] * fminl(1, 1 / demand) /
                                       (1 + c->interference * (demand - demands[i]));
    }
    return demand;
}

static void add_times(struct times *times, const int counts[SLOTS], const long double rate[SLOTS],
                      const long double alone[SLOTS], long double demand, long double step) {
    long double sum = 0;
    for (int i = 0; i < SLOTS; i++) {
        sum += rate[i];
    }
    for (int i = 0; i < SLOTS && sum > 0; i++) {
        times->part[i] += step * rate[i] / sum;
        times->computing[i] += counts[i] > 0 ? step : 0;
        times->delayed[i] += counts[i] > 0 ? step * (1 - rate[i] / alone[i]) : 0;
    }
    times->device += sum > 0 ? step : 0;
    times->occupied += step * fminl(1, demand);
}

/* Runs from `now` up to `until`, or to the first end if that comes before. */
static long double step(struct sharing_case *c, long double now, long double until) {
    int counts[SLOTS] = {0};
    for (int i = 0; i < TASKS; i++) {
        counts[c->tasks[i].slot] += c->tasks[i].active;
    }
    long double rate[SLOTS];
    long double alone[SLOTS];
    long double demand = rates(c, counts, rate, alone);
    int first = -1;
    long double length = until - now;
    for (int i = 0; i < TASKS; i++) {
        int slot = c->tasks[i].slot;
        if (c->tasks[i].active && c->left[i] * counts[slot] / rate[slot] <= length) {
            length = c->left[i] * counts[slot] / rate[slot];
            first = i;
        }
    }
    for (int i = 0; i < TASKS; i++) {
        int slot = c->tasks[i].slot;
        if (c->tasks[i].active) {
            long double own = rate[slot] / counts[slot];
            c->left[i] = fmaxl(c->left[i] - length * own, 0);
            c->slowest[i] = fminl(c->slowest[i], own);
        }
    }
    add_times(&c->times, counts, rate, alone, demand, length);
    if (first >= 0) {
        c->tasks[first].active = false;
        c->exact_end[first] = now + length;
    }
    return now + length;
}

/* The same begins and withdrawals; a withdrawal leaves the work left where it was. */
static void run_stepper(struct sharing_case *c) {
    bool begun[TASKS] = {false};
    long double now = 0;
    for (;;) {
        sim_time event = SIM_TIME_NEVER;
        int which = -1;
        int active = 0;
        for (int i = 0; i < TASKS; i++) {
            const struct task *task = &c->tasks[i];
            active += task->active;
            sim_time time = !begun[i]                         ? task->begin
                            : task->active && task->withdrawn ? task->end
                                                              : SIM_TIME_NEVER;
            if (time < event) {
                event = time;
                which = i;
            }
        }
        if (which < 0 && active == 0) {
            return;
        }
        long double until = which < 0 ? HUGE_VALL : (long double)event;
        if (now < until) {
            now = step(c, now, until);
        } else {
            c->tasks[which].active = !begun[which];
            c->left[which] = begun[which] ? c->left[which] : (long double)c->tasks[which].work;
            c->slowest[which] = begun[which] ? c->slowest[which] : 1;
            begun[which] = true;
        }
    }
}

/* What the engine's header promises beside whole nanoseconds, with a tenth of one for work done at
 * ends that fall together. */
static long double rounding_of(const struct sharing_case *c, int task) {
    long double life = (long double)(c->tasks[task].end - c->tasks[task].begin);
    long double slowest = c->slowest[task];
    return 0.1L +
           life * ((2 * SLOTS + 8) * 0x1p-53L + (slowest < 1 / 512.0L ? 0x1p-62L / slowest : 0));
}

static void check_ends(const struct sharing_case *c) {
    for (int i = 0; i < TASKS; i++) {
        const struct task *task = &c->tasks[i];
        long double rounding = rounding_of(c, i);
        long double off = (long double)task->end - c->exact_end[i];
        long double least = -1 / 64.0L;
        long double most = 1;
        if (task->withdrawn) {
            off = (long double)task->work_left - c->left[i];
        }
        if (!(off >= least - rounding && off <= most + rounding)) {
            fail_msg("task %d of %lld ns is %Lg ns off", i, (long long)task->work, off);
        }
    }
}

static void assert_time(double value, long double expected, double within) {
    if (!(fabsl(value - expected) <= within)) {
        fail_msg("%.15g instead of %.15Lg, more than %g off", value, expected, within);
    }
}

/* An end that waits for a whole nanosecond moves each integral by one at most, beside rounding. */
static void check_times(const struct sharing_case *c) {
    double within = 1.0 * c->ends + 1e-12 * (double)c->last;
    double parts = 0;
    for (int32_t i = 0; i < SLOTS; i++) {
        struct sharing_times times = processor_sharing_slot_times(&c->ps, i);
        assert_time(times.part, c->times.part[i], within);
        assert_time(times.computing, c->times.computing[i], within);
        assert_time(times.delayed, c->times.delayed[i], within);
        parts += times.part;
    }
    double device = (double)processor_sharing_computing_time(&c->ps);
    assert_time(device, c->times.device, within);
    assert_time(processor_sharing_occupied_time(&c->ps), c->times.occupied, within);
    assert_time(parts, device, 1e-6 + 1e-14 * device);
}

static void check_cases(sim_time unit, int32_t chained) {
    struct test_random random = {(uint64_t)unit + (uint64_t)chained};
    struct sharing_case *c = malloc(sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < 150; i++) {
        draw(c, &random, unit, chained);
        run_engine(c);
        run_stepper(c);
        check_ends(c);
        check_times(c);
        processor_sharing_terminate(&c->ps);
    }
    free(c);
}

/* Works below a microsecond, up to a millisecond, up to a second, up to a quarter of an hour. */
static const sim_time units[] = {1, 1000, 1000000, 1000000000};

static void tasks_that_begin_at_any_time(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        check_cases(units[i], 0);
    }
}

/* Half of the tasks begin at the very end of another, before other ends of that instant are taken.
 */
static void tasks_that_follow_one_another(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        check_cases(units[i], 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_that_begin_at_any_time),
        cmocka_unit_test(tasks_that_follow_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
