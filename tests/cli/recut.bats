#!/usr/bin/env bats
# GPUs that MIG cuts on demand, from the scenario to the database.

bats_require_minimum_version 1.5.0
load helpers

setup() {
    cd "$BATS_TEST_TMPDIR"
    write_modes_scenario
}

@test "a re-cut shows in the GPU time, and all of it adds up" {
    headroom check modes.yaml
    headroom run modes.yaml --variant dynamic -o dynamic.db
    [ "$(sqlite3 dynamic.db "select round(sum(gpu_hours), 6) from gpu_time")" = 2.0 ]
    [ "$(sqlite3 dynamic.db "select gpu_hours > 0 from gpu_time where category = 'reconfiguring'")" = 1 ]
}

# The first job finds no instance and waits for its cut; none waits longer.
@test "a job waits for as long as its re-cut takes" {
    local time
    for time in 1 200; do
        headroom run modes.yaml --variant timeslice --set workloads.chat.enabled=false -o "$time.db" \
            --set "cluster.pools.a100.sharing={mode: mig, dynamic: true, reconfigure: {time: ${time}s}}"
        [ "$(metric "$time.db" wait_s.max)" = "$time.0" ]
    done
}

@test "placement: fragmentation" {
    headroom run modes.yaml --variant dynamic --set scheduler.placement=fragmentation -o f.db
    headroom run modes.yaml --variant exclusive --set scheduler.placement=fragmentation -o f.db
    refused_with 'did you mean "fragmentation"' headroom run modes.yaml --variant dynamic \
        --set scheduler.placement=fragmentaton
}
