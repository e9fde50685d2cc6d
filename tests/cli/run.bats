#!/usr/bin/env bats
# headroom run: what it prints, what it leaves, and how it ends.
bats_require_minimum_version 1.5.0
load helpers

@test "a small trace: every figure as computed by hand" {
    write_small_scenario
    headroom run small.yaml -o small.db
    [ "$(metric small.db wait_s.mean)" = 9.0 ] # (0 + 9 + 18) / 3
    [ "$(metric small.db wait_s.p50)" = 9.0 ]
    [ "$(metric small.db wait_s.max)" = 18.0 ]
    [ "$(metric small.db jct_s.mean)" = 19.0 ] # (10 + 19 + 28) / 3
    [ "$(metric small.db makespan_s)" = 30.0 ]
    # 100 GPU-seconds of 4 x 30; at one dollar per GPU-second the bill is 120.
    [ "$(sqlite3 small.db "select round(value, 6) from metric where name = 'utilization.allocated'
                           and scope = 'run'")" = 0.833333 ]
    [ "$(metric small.db usd_total)" = 120.0 ]
    [ "$(sqlite3 small.db "select usd, usd_idle_share from cost where scope = 'workload'")" = "100.0|20.0" ]
    [ "$(sqlite3 small.db "select job_id, start_s, end_s, state from job order by job_id")" = \
"a|0.0|10.0|completed
b|10.0|20.0|completed
c|20.0|30.0|completed" ]
}

@test "without -o it writes headroom.db here, then appends to it, and says so" {
    write_small_scenario
    run --separate-stderr headroom run small.yaml
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"writing headroom.db"* ]]
    run --separate-stderr headroom run small.yaml
    [[ "$stderr" == *"appending to headroom.db"* ]]
    [ "$(sqlite3 headroom.db 'select count(*) from run')" = 2 ]
}

@test "variants run in the file's order, --variant picks, base is the file as it stands" {
    write_random_scenario
    headroom run random.yaml -o r.db --replications 1 >/dev/null
    [ "$(sqlite3 r.db 'select variant from run order by run_id')" = "fifo
easy" ]
    headroom run random.yaml -o one.db --replications 1 --variant easy --variant base >/dev/null
    [ "$(sqlite3 one.db 'select variant from run order by run_id')" = "base
easy" ]
}

@test "--set replaces a value before variants do" {
    write_random_scenario
    headroom run random.yaml -o r.db --replications 1 --set cluster.pools.a100.nodes=3 >/dev/null
    [ "$(sqlite3 r.db "select distinct value from metric where name = 'gpus' and scope = 'run'")" = 24.0 ]
    headroom run random.yaml -o s.db --replications 1 --variant easy --set scheduler.backfill=skip >/dev/null
    headroom run random.yaml -o t.db --replications 1 --variant easy >/dev/null
    [ "$(metric s.db wait_s.mean)" = "$(metric t.db wait_s.mean)" ]
}

# All that a database says, but for when and how fast it was computed.
contents() {
    sqlite3 "$1" "update run set wall_seconds = 0, started_at = ''; update batch set started_at = ''"
    sqlite3 "$1" .dump
}

@test "the database is the same at any -j" {
    write_random_scenario
    headroom run random.yaml -o one.db -j 1 >/dev/null
    headroom run random.yaml -o four.db -j 4 >/dev/null
    [ "$(contents one.db)" = "$(contents four.db)" ]
}

@test "seeds: the same one gives the same figures, another one others" {
    write_random_scenario
    for seed in 1 1 2; do
        headroom run random.yaml -o "r$((n += 1)).db" --seed $seed --replications 1 >/dev/null
    done
    [ "$(metric r1.db wait_s.mean)" = "$(metric r2.db wait_s.mean)" ]
    [ "$(metric r1.db wait_s.mean)" != "$(metric r3.db wait_s.mean)" ]
}

@test "variants share their arrivals" {
    write_random_scenario
    headroom run random.yaml -o r.db --replications 1 >/dev/null
    jobs="select submit_s, gpus from job join run using (run_id) where variant"
    [ "$(sqlite3 r.db "$jobs = 'fifo' order by submit_s")" = \
      "$(sqlite3 r.db "$jobs = 'easy' order by submit_s")" ]
}

@test "--json prints one object and nothing else" {
    write_random_scenario
    run --separate-stderr headroom run random.yaml -o r.db --json
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [ "$(jq -r '.headroom, .format, (.runs | length)' <<<"$output")" = "1
run
8" ]
    [ "$(jq -r '.summary[0].metrics["wait_s.mean"].n' <<<"$output")" = 4 ]
}

@test "--quiet prints nothing" {
    write_small_scenario
    run headroom run small.yaml --quiet
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ -e headroom.db ]
}

@test "objectives: met is 0, missed is 3 and marked" {
    write_small_scenario
    run headroom run small.yaml --set 'objectives=[workload.train.wait_s.max <= 18s]'
    [ "$status" -eq 0 ]
    run headroom run small.yaml --set 'objectives=[workload.train.wait_s.max < 18s, run.utilization.allocated >= 83%]'
    [ "$status" -eq 3 ]
    [[ "$output" == *"workload.train.wait_s.max < 18s"* ]]
    run headroom run small.yaml --json --set 'objectives=[workload.train.wait_s.max < 18s, run.utilization.allocated >= 83%]'
    [ "$status" -eq 3 ]
}

@test "what no pool could hold is rejected, counted and explained" {
    write_small_scenario
    echo "d,3,5,10" >>small.csv
    run headroom run small.yaml -o small.db
    [ "$status" -eq 0 ]
    [[ "$output" == *"job d of workload train asks for 5 GPUs; no pool"*"has as many"* ]]
    [[ "$output" != *"GiB"* ]]
    [ "$(metric small.db rejected)" = 1.0 ]
    [ "$(metric small.db wait_s.mean)" = 9.0 ]
}

@test "unreadable rows: named with their line, or skipped and counted" {
    write_small_scenario
    echo "d,3,1,-4" >>small.csv
    refused_with "small.csv:5: duration_s: '-4': a negative duration" headroom run small.yaml
    [ ! -e headroom.db ]
    run headroom run small.yaml --set workloads.train.trace.on_error=skip
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 unreadable row"*"small.csv:5"* ]]
}

@test "jobs that have not ended are counted and flagged" {
    write_small_scenario
    run headroom run small.yaml -o small.db --set horizon=15s
    [ "$status" -eq 0 ]
    [ "$(metric small.db unfinished)" = 2.0 ]
    [ "$(sqlite3 small.db "select job_id, state from job order by job_id")" = "a|completed
b|running
c|queued" ]
    [[ "$output" == *"unfinished"* ]]
}

@test "a timeline adds up to the ledger" {
    write_small_scenario
    headroom run small.yaml -o small.db --set record.timeline=4s >/dev/null
    # Rows of 4 s, the last of 2: busy x 4 GPUs x length = 100 GPU-seconds.
    [ "$(sqlite3 small.db "select round(sum(busy * 4 * min(4, 30 - t_s)), 6) from timeline")" = 100.0 ]
    [ "$(sqlite3 small.db "select count(*) from timeline")" = 8 ]
}

@test "an interrupt keeps the finished runs and ends with 130" {
    write_random_scenario
    "$HEADROOM" run random.yaml -o r.db -j 1 --replications 2000 --set horizon=200d \
        --set record.jobs=false >/dev/null 2>message &
    pid=$!
    for _ in $(seq 600); do
        [ "$(sqlite3 r.db 'select count(*) > 2 from run' 2>/dev/null)" = 1 ] && break
        sleep 0.1
    done
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ "$status" -eq 130 ]
    grep -q "interrupted; [0-9]* of 4000 runs are in the database" message
    [ "$(sqlite3 r.db "select count(*) from run where status = 'done'")" -gt 2 ]
    [ -z "$(find . -name '.*' -type f)" ] # no spool stays behind
}

@test "a scenario from the standard input" {
    write_small_scenario
    headroom run - -o small.db <small.yaml >/dev/null
    [ "$(metric small.db wait_s.mean)" = 9.0 ]
}

@test "several scenarios in one call" {
    write_small_scenario
    write_random_scenario
    headroom run small.yaml random.yaml -o both.db --replications 1 >/dev/null
    [ "$(sqlite3 both.db 'select scenario from run order by run_id')" = "small
random
random" ]
}

# Sets pid to that of a long batch of which some runs are in r.db.
start_long_batch() {
    rm -f r.db
    "$HEADROOM" run random.yaml -o r.db -j 1 --replications 20000 --set horizon=200d \
        --set record.jobs=false >/dev/null 2>message 3>&- &
    pid=$!
    for _ in $(seq 600); do
        [ "$(sqlite3 r.db 'select count(*) > 2 from run' 2>/dev/null)" = 1 ] && return
        sleep 0.1
    done
    echo "no run was finished in a minute"
    return 1
}

@test "two signals within a second are one interrupt; a hangup is one, too" {
    write_random_scenario
    for signals in "TERM TERM" "HUP"; do
        start_long_batch
        for signal in $signals; do
            kill -"$signal" $pid
            sleep 0.002
        done
        status=0
        wait $pid || status=$?
        [ "$status" -eq 130 ] || { echo "$signals: $status"; return 1; }
        grep -q "interrupted; [0-9]* of 40000 runs are in the database" message
    done
}

@test "jobs timed out and rejected are columns beside variants, unless there are none" {
    write_small_scenario
    cat >>small.yaml <<'YAML'
variants:
  patient: {}
  hasty: {workloads.train.max_wait: 5s}
  short: {workloads.train.max_queue: 1}
YAML
    run --separate-stderr headroom run small.yaml -o small.db
    [[ "$output" == *" timed "*"out  rejected"* ]]
    run --separate-stderr headroom compare small.db --format markdown
    [[ "$output" == *"| completed | timed out | rejected |"* ]]
    [[ "$output" == *"| timed out | +2 |"* ]]
    run --separate-stderr headroom run small.yaml --variant patient --variant base
    [[ "$output" != *"timed out"* ]]
    [[ "$output" != *"rejected"* ]]
    [ "$(headroom compare headroom.db --format json 2>/dev/null |
        jq -c '[.rows[] | [.timed_out, .rejected]]')" = '[[0,0],[0,0]]' ]
}

# A reader of the database, which keeps others from committing for as long as fd 9 is open.
hold_database() { # DATABASE
    rm -f reader held
    mkfifo reader
    sqlite3 "$1" <reader >held 3>&- &
    exec 9>reader
    # The writer may be at work at this moment: wait for it.
    printf '%s\n' ".timeout 60000" "begin; select count(*) from run;" >&9
    for _ in $(seq 1200); do
        [ -s held ] && return
        sleep 0.05
    done
    echo "nobody could read $1"
    return 1
}

@test "finished runs wait for a database in use; of two signals the later one ends even that" {
    write_random_scenario
    start_long_batch
    hold_database r.db
    sleep 6 # longer than the opening of a database would wait
    kill -TERM $pid
    sleep 0.1
    exec 9>&-
    status=0
    wait $pid || status=$?
    [ "$status" -eq 130 ]
    [ "$(sqlite3 r.db 'select count(*) from run')" -gt "$(cat held)" ]

    start_long_batch
    hold_database r.db
    sleep 6 # a run is finished and waits by now
    kill -TERM $pid
    sleep 1.2
    kill -0 $pid # it still waits to keep what is finished
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    exec 9>&-
    [ "$status" -eq 143 ]
}
