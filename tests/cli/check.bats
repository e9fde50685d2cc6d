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
