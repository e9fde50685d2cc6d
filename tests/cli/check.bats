#!/usr/bin/env bats
# headroom check: every problem, each with its place; and the JSON Schema.
bats_require_minimum_version 1.5.0
load helpers

@test "a good scenario" {
    write_small_scenario
    run headroom check small.yaml
    [ "$status" -eq 0 ]
    [ "$output" = "small.yaml: no problems" ]
}

@test "every shipped scenario" {
    for file in "$SOURCE_DIR"/scenarios/library/*.yaml; do
        headroom check "$file"
    done
}

@test "all problems in one go, in the order of the file" {
    cat >bad.yaml <<'YAML'
headroom: 1
horizon: soon
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 0, gpus_per_node: 8}
scheduler: {order: fito}
workloads:
  train: {kind: jobs, arrivals: {poisson: 3}, duration: 2h}
YAML
    run --separate-stderr headroom check bad.yaml
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ "${stderr_lines[0]}" == "bad.yaml:2:10: "* ]]
    [[ "${stderr_lines[1]}" == "bad.yaml:5:40: "* ]]
    [[ "${stderr_lines[2]}" == "bad.yaml:6:20: "*'did you mean "fifo"?' ]]
    [[ "${stderr_lines[3]}" == "bad.yaml:8:43: "* ]]
    [ "${stderr_lines[4]}" = "headroom: 4 problems" ]
}

@test "problems that variants share are told once" {
    write_random_scenario
    sed -i 's/poisson: 10.h/poisson: ten/' random.yaml
    run --separate-stderr headroom check random.yaml
    [ "$status" -eq 2 ]
    [ "${stderr_lines[1]}" = "headroom: 1 problem" ]
}

@test "traces are read, too" {
    write_small_scenario
    echo "d,3,none,10" >>small.csv
    run --separate-stderr headroom check small.yaml
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"small.csv:5: gpus: 'none'"* ]]
}

@test "thousands of variants take no longer than their number" {
    write_random_scenario
    for i in $(seq 2000); do echo "  v$i: {seed: $i, workloads.train.arrivals.poisson: $i/h}"; done >>random.yaml
    timeout 20 "$HEADROOM" check random.yaml
    echo "  bad: {clutter: 3}" >>random.yaml
    run timeout 20 "$HEADROOM" check random.yaml
    [ "$status" -eq 2 ]
    [[ "$output" == *"in variant bad: "*"clutter"* ]]
}

@test "the form of all variants is checked, whichever is run" {
    write_random_scenario
    echo "  base: {seed: 3}" >>random.yaml
    refused_with "random.yaml:17:3: a variant cannot be called base" headroom run random.yaml --variant easy
}

@test "input that never ends is refused where it is written" {
    write_small_scenario
    mkdir folder
    for file in /dev/zero /dev/null; do
        sed "s,small.csv,$file," small.yaml >device.yaml
        refused_with "device.yaml:8:37: cannot read the trace '$file': it is a device" \
            timeout 20 "$HEADROOM" run device.yaml
    done
    sed "s,small.csv,folder," small.yaml >device.yaml
    refused_with "Is a directory" headroom run device.yaml
    write_random_scenario
    run --separate-stderr timeout 20 "$HEADROOM" run random.yaml --variant base \
        --set 'workloads.train.duration={empirical: {file: /dev/zero, column: x}}'
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"cannot open /dev/zero: it is a device"* ]]
    run --separate-stderr headroom run random.yaml --variant base --set workloads.train.arrivals.poisson=2e9/s
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"must be above 0/s and at most 1000000000/s"* ]]
    run --separate-stderr headroom run random.yaml --variant base --set record.timeline=1us
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"record.timeline must be at least 1ms"* ]]
    run --separate-stderr headroom run random.yaml --variant base \
        --set 'workloads.train.arrivals={mmpp: {rates: [2/s, 4/s], dwell: [5m, 100ns]}}'
    [ "$status" -eq 2 ]
    [[ "$stderr" == *"workloads.train.arrivals:1:40: "*"must be at least 1us, not "* ]]
}

@test "numbers out of range are told their range" {
    write_small_scenario
    refused_with "seed must be from 0 to 9223372036854775807" headroom run small.yaml --set seed=18446744073709551615
    refused_with "nodes must be from 1 to 10000000, not" headroom run small.yaml --set cluster.pools.a100.nodes=1e18
    refused_with "per_gpu_hour must be from 0 to 1000000000" headroom run small.yaml \
        --set cluster.pools.a100.price.per_gpu_hour=1e300
}

@test "one file for every mode of sharing" {
    write_modes_scenario
    run headroom check modes.yaml
    [ "$status" -eq 0 ]
    headroom check modes.yaml --variant timeslice --set cluster.pools.a100.sharing.slice=5ms
    headroom check modes.yaml --variant timeslice --set 'cluster.pools.a100.sharing={mode: mps}'
    headroom check modes.yaml --set models.chat.saturation=30% --set workloads.chat.concurrency=4
}

@test "an impossible layout is told with its variant and place" {
    write_modes_scenario
    sed -i 's/layout: .3g.40gb, 2g.20gb, 2g.20gb./layout: [9, 14, 14, 14]/' modes.yaml
    run --separate-stderr headroom check modes.yaml
    [ "$status" -eq 2 ]
    [[ "${stderr_lines[0]}" == "modes.yaml:29:57: in variant mig: A100-SXM4-80GB cannot hold "* ]]
    [ "${stderr_lines[1]}" = "headroom: 1 problem" ]
}

@test "a trace from a pipe or from the standard input" {
    write_small_scenario
    mkfifo pipe
    cat small.csv >pipe &
    headroom check small.yaml --set workloads.train.trace.file=pipe
    headroom check small.yaml --set workloads.train.trace.file='"-"' <small.csv
}

@test "the JSON Schema is one, and has the language's keys" {
    headroom check --json-schema >schema.json
    [ "$(jq -r '."$schema"' schema.json)" = "https://json-schema.org/draft/2020-12/schema" ]
    [ "$(jq -r '.properties | has("workloads")' schema.json)" = true ]
}

@test "every key of the language is in the reference" {
    headroom check --json-schema |
        jq -r '.. | objects | .properties? // empty | keys[]' | sort -u >keys
    while read -r key; do
        grep -q "\`$key\`\|$key" "$SOURCE_DIR/docs/scenario.md" || { echo "missing: $key"; return 1; }
    done <keys
}
