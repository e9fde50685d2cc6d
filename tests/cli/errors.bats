#!/usr/bin/env bats
# Bad input: one clear line on stderr, exit status 2, nothing left behind.
bats_require_minimum_version 1.5.0
load helpers

nothing_left() {
    [ ! -e headroom.db ]
    [ -z "$(find . -name '.*' -type f)" ]
}

@test "no such scenario" {
    refused_with "nope.yaml: " headroom run nope.yaml
    nothing_left
}

@test "a directory as scenario" {
    refused_with "directory" headroom run .
}

@test "no such trace: the place of its name" {
    write_small_scenario
    rm small.csv
    refused_with "small.yaml:8:37: cannot read the trace 'small.csv': No such file or directory" headroom run small.yaml
    nothing_left
}

@test "an empty trace, and one without jobs" {
    write_small_scenario
    : >small.csv
    refused_with "small.csv: the file is empty" headroom run small.yaml
    echo "job_id,submit_s,gpus,duration_s" >small.csv
    refused_with "small.csv: the trace has no jobs" headroom run small.yaml
    nothing_left
}

@test "durations that are none" {
    write_small_scenario
    for duration in -1 nan inf 1e400 ten ''; do
        printf 'job_id,submit_s,gpus,duration_s\na,0,1,%s\n' "$duration" >small.csv
        refused_with "small.csv:2: " headroom run small.yaml
    done
    nothing_left
}

@test "an unknown GPU, with what is meant" {
    write_small_scenario
    refused_with 'A100-SXM4-80GB' headroom run small.yaml --set cluster.pools.a100.gpu=A100-SXM4-80G
    nothing_left
}

@test "slots, layouts and models that there are not" {
    write_modes_scenario
    local base=(headroom run modes.yaml --variant timeslice)
    refused_with 'did you mean "chat"' "${base[@]}" --set workloads.chat.model=chatt
    refused_with "no GPU that it may run on is cut so" "${base[@]}" --set workloads.train.slot=1g.10gb
    refused_with "there is no GPU 2 on the nodes of pool a100" "${base[@]}" \
        --set 'cluster.pools.a100.layouts=[{gpus: [2], sharing: mps}]'
    refused_with "write {profile: 1g.10gb, count: 7}" "${base[@]}" \
        --set 'cluster.pools.a100.sharing={mode: mig, layout: [7 x 1g.10gb]}'
    refused_with "has no MIG" "${base[@]}" --set cluster.pools.a100.gpu=T4 \
        --set 'cluster.pools.a100.sharing={mode: mig, dynamic: true}'
    refused_with "how long a request waits at most is its \`timeout\`" "${base[@]}" \
        --set workloads.chat.max_wait=3s
    nothing_left
}

@test "a directory, a missing folder, a foreign file and standard output as database" {
    write_small_scenario
    refused_with "is a directory" headroom run small.yaml -o .
    refused_with "does not exist" headroom run small.yaml -o no/such/folder.db
    echo "not a database, but a text of some length that SQLite will not take for one" >text.db
    refused_with "text.db: " headroom run small.yaml -o text.db
    grep -q "not a database" text.db
    sqlite3 foreign.db 'create table t (x)'
    refused_with "foreign.db: " headroom run small.yaml -o foreign.db
    refused_with "-o needs a file" headroom run small.yaml -o -
}

@test "a database from a newer version is refused and left alone" {
    write_small_scenario
    headroom run small.yaml --quiet
    sqlite3 headroom.db 'pragma user_version = 999'
    before=$(sha256sum headroom.db)
    refused_with "newer" headroom run small.yaml
    [ "$before" = "$(sha256sum headroom.db)" ]
    refused_with "newer" headroom compare headroom.db
}

@test "so is one from an older version" {
    write_small_scenario
    headroom run small.yaml --quiet
    sqlite3 headroom.db 'pragma user_version = 1; drop table request_row'
    before=$(sha256sum headroom.db)
    refused_with "older headroom (database version 1, this one knows 4)" headroom run small.yaml
    [ "$before" = "$(sha256sum headroom.db)" ]
    refused_with "older headroom" headroom compare headroom.db
}

@test "a full disk: a clear line, finished runs kept, nothing half-written" {
    [ "$(id -u)" -eq 0 ] || skip "only root can mount a small file system"
    mkdir small
    mount -t tmpfs -o size=2500k tmpfs small 2>/dev/null || skip "cannot mount here"
    write_random_scenario
    cp random.yaml small
    run --separate-stderr headroom run small/random.yaml -o small/r.db -j 1 --replications 300 --set horizon=20d
    kept=$(sqlite3 small/r.db "select count(*), min(status) from run" 2>&1 || true)
    orphans=$(sqlite3 small/r.db "select count(*) from job where run_id not in (select run_id from run)" 2>&1 || true)
    umount small
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"no space left"* ]]
    [[ "$kept" == *"|done" ]] || [ "$kept" = "0|" ]
    [ "$orphans" = 0 ]
}

@test "output that cannot be written is no success" {
    write_small_scenario
    [ -e /dev/full ] || skip "no /dev/full"
    run --separate-stderr bash -c '"$HEADROOM" run small.yaml >/dev/full'
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"No space left on device"* ]]
}

@test "bad options and bad overrides" {
    write_small_scenario
    run headroom
    [ "$status" -eq 2 ]
    refused_with "there is no command 'rnu'" headroom rnu
    refused_with "run needs a scenario" headroom run
    run headroom run small.yaml --bogus
    [ "$status" -eq 2 ]
    refused_with "--replications takes a whole number from 1 to 100000, not '0'" headroom run small.yaml --replications 0
    refused_with "-j takes a whole number" headroom run small.yaml -j many
    refused_with "no scenario has a variant of that name" headroom run small.yaml --variant none
    refused_with "nodes" headroom run small.yaml --set cluster.pools.a100.nodes=-1
    refused_with "did you mean" headroom run small.yaml --set cluster.pools.a100.node=1
    refused_with "horizon" headroom run small.yaml --set horizon.x=1
    nothing_left
}

@test "two scenarios of one name" {
    write_small_scenario
    cp small.yaml other.yaml
    refused_with "other.yaml: this scenario is named small, as is small.yaml" headroom run small.yaml other.yaml
    nothing_left
}

@test "an objective for a figure that its scope does not have" {
    write_small_scenario
    refused_with "a workload has no figure utilization.busy" headroom run small.yaml \
        --set 'objectives=[workload.train.utilization.busy >= 1%]'
}

@test "a warm-up longer than the run" {
    write_small_scenario
    run --separate-stderr headroom run small.yaml --set warmup=1h
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"ended 30s after the start, within the warm-up of 1h;"* ]]
    nothing_left
}
