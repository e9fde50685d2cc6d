#!/usr/bin/env bats
# headroom compare.
bats_require_minimum_version 1.5.0
load helpers

@test "variants side by side, with paired differences" {
    write_random_scenario
    headroom run random.yaml --quiet
    run headroom compare headroom.db
    [ "$status" -eq 0 ]
    [[ "$output" == *"fifo"*"easy"*"Difference to fifo"* ]]
}

@test "machine formats" {
    write_random_scenario
    headroom run random.yaml --quiet
    [ "$(headroom compare headroom.db --format json | jq -r '.rows | length')" = 2 ]
    [ "$(headroom compare headroom.db --format csv | wc -l)" = 3 ]
    headroom compare headroom.db --format markdown | grep -q '^| fifo |'
}

@test "identical variants differ by nothing" {
    write_random_scenario
    sed -i 's/backfill: easy/backfill: none/' random.yaml
    headroom run random.yaml --quiet
    difference=$(headroom compare headroom.db --format json | jq '.rows[1].wait_mean_s_difference')
    [ "$difference" = 0 ] || [ "$difference" = 0.0 ]
}

@test "bad calls" {
    write_small_scenario
    headroom run small.yaml --quiet
    refused_with "compare needs a database" headroom compare
    refused_with "none.db" headroom compare none.db
    refused_with "nobody" headroom compare headroom.db --baseline nobody
    refused_with "--format takes" headroom compare headroom.db --format xml
    [ ! -e none.db ]
}

@test "points with long values fit into 100 columns" {
    write_random_scenario
    sed -i '/^variants/,$d' random.yaml
    cat >>random.yaml <<'YAML'
sweep:
  cluster.pools.a100.nodes: [2, 3]
  workloads.train.duration: [{lognormal: {mean: 30m, cv: 2}}, {exponential: {mean: 30m}}]
  workloads.train.gpus: [{choice: {1: 0.5, 2: 0.3, 4: 0.2}}, {choice: {1: 0.9, 8: 0.1}}]
YAML
    headroom sweep random.yaml --quiet
    headroom compare headroom.db >out
    grep -q '^Difference to nodes=2' out
    ! grep -qE '.{101}' out
}
