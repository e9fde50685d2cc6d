#!/usr/bin/env bats
# What a month is for, what models cost, and tokens.
bats_require_minimum_version 1.5.0
load helpers

# Three requests of 600 s within the hour, one at a time on one GPU at 3.6 an hour, with 660 tokens, of
# which 60 are made; and a model that two jobs of 10 minutes on the other GPU have, too.
write_tokens_scenario() {
    printf 'arrival_s,service_s,prompt_tokens,output_tokens\n0,600,100,10\n600,600,200,20\n1200,600,300,30\n' >chat.csv
    printf 'job_id,submit_s,gpus,duration_s\na,0,1,600\nb,600,1,600\n' >jobs.csv
    cat >tokens.yaml <<'YAML'
headroom: 1
name: tokens
horizon: 1h
cluster: {pools: {p: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 2, price: {per_gpu_hour: 3.6}}}}
models: {big: {memory: 10GB}, small: {memory: 1GB}}
workloads:
  chat: {kind: service, model: big, trace: {file: chat.csv}, slo: 20m}
  tune: {kind: jobs, model: big, trace: {file: jobs.csv}}
variants: {two: {}, three: {cluster.pools.p.gpus_per_node: 3}}
objectives: [model.big.slo_attainment >= 99%, run.usd_per_month.idle_share <= 3000]
YAML
}

of_run() {
    sqlite3 headroom.db "select printf('%.6g', value) from metric join run using (run_id)
        where variant = '$1' and scope = '$2' and subject = '$3' and name = '$4'"
}

@test "usage, reservation and idle share add up to the month" {
    write_tokens_scenario
    headroom run tokens.yaml --quiet || [ "$?" -eq 3 ]
    # Of 7.2 an hour: 1800 s and 1200 s of a GPU are used, 1800 s reserved by the replica, 2400 s idle.
    [ "$(of_run two run '' usd_per_month.usage)" = 2190 ]
    [ "$(of_run two run '' usd_per_month.reservation)" = 1314 ]
    [ "$(of_run two run '' usd_per_month.idle_share)" = 1752 ]
    [ "$(of_run two run '' usd_per_month)" = 5256 ]
    [ "$(of_run three run '' usd_per_month.idle_share)" = 4380 ]
}

@test "a million tokens" {
    write_tokens_scenario
    headroom run tokens.yaml --quiet || [ "$?" -eq 3 ]
    # The service holds 3600 of 4800 GPU-s in use: 3.6, and three quarters of the 2.4 for idle time: 5.4.
    [ "$(of_run two run '' prompt_tokens)" = 600 ]
    [ "$(of_run two workload chat output_tokens)" = 60 ]
    [ "$(of_run two run '' usd_per_million_tokens)" = 8181.82 ]
    [ "$(of_run two model big usd_per_million_output_tokens)" = 90000 ]
}

@test "models have the figures of their workloads" {
    write_tokens_scenario
    headroom run tokens.yaml --quiet || [ "$?" -eq 3 ]
    [ "$(of_run two model big completed)" = 5 ]
    [ "$(of_run two model big usd_per_month)" = 5256 ]
    [ "$(of_run two model big slo_attainment)" = 1 ]
    [ -z "$(of_run two model small completed)" ]
}

@test "compare marks the cheapest that meets the objectives" {
    write_tokens_scenario
    headroom run tokens.yaml --quiet || [ "$?" -eq 3 ]
    run headroom compare headroom.db
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "✓ Cheapest that meets all objectives: two, \$5,256.00 a month. 1 of 2 meets them." ]]
    [[ "$output" == *"for use"*"reserved"*"idle share"* ]]
    ! grep -qE '.{101}' <<<"$output"
    headroom compare headroom.db --format json >out.json
    [ "$(jq -c '[.rows[].cheapest]' out.json)" = "[1,0]" ]
    [ "$(jq '.rows[1].usd_per_month_idle_share_difference | round' out.json)" = 2628 ]
    [ "$(jq '.models[1] | .model, (.usd_per_month_difference | round)' out.json | tr '\n' ' ')" = '"big" 2628 ' ]
}

complains() { # TEXT OBJECTIVE
    run headroom check tokens.yaml --set "objectives=[$2]"
    [ "$status" -eq 2 ]
    [[ "$output" == *"$1"* ]]
}

@test "objectives on models" {
    write_tokens_scenario
    complains 'no workload has the model "small"' 'model.small.completed >= 1'
    complains 'no workload has the model "bigg": did you mean "big"?' 'model.bigg.completed >= 1'
    complains 'a model has no figure utilization.busy' 'model.big.utilization.busy >= 10%'
    headroom check tokens.yaml --set workloads.chat.enabled=false --set 'objectives=[model.big.completed >= 1]'
}
