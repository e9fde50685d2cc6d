#!/usr/bin/env bats
# Rules of the scheduler from the scenario file on: hosts, spans, reservations, estimates.
bats_require_minimum_version 1.5.0
load helpers

write_scenario() {
    cat >s.yaml <<'YAML'
headroom: 1
horizon: end_of_work
cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 4, cpus_per_node: 16}}}
scheduler: {backfill: {conservative: {depth: 20}}, placement: random, head_of_line: 1h, kill_at_estimate: true}
workloads:
  t:
    kind: jobs
    arrivals: {poisson: 8/h}
    limit: 200
    gpus: {choice: {1: 0.6, 3: 0.2, 6: 0.2}}
    span: any
    cpus: 4
    host_memory: 8GB
    duration: {exponential: {mean: 20m}}
    estimate: {factor: {lognormal: {mean: 1.5, cv: 0.5}}}
YAML
}

value() {
    sqlite3 "$1" "select value from metric where name = '$2' and scope = 'run'"
}

@test "a run with all of them ends every job in one way, the same each time" {
    write_scenario
    "$HEADROOM" run s.yaml -o a.db --quiet
    "$HEADROOM" run s.yaml -o b.db --quiet
    [ "$(value a.db submitted)" = 200.0 ]
    [ "$(sqlite3 a.db "select count(*) from job where state in ('completed', 'failed')")" = 200 ]
    [ "$(value a.db failed)" = "$(value a.db killed_at_estimate)" ]
    [ "$(sqlite3 a.db "select count(*) from job where state = 'failed'")" -gt 10 ]
    [ "$(sqlite3 a.db "select * from job")" = "$(sqlite3 b.db "select * from job")" ]
}

@test "another seed places elsewhere, and another placement leaves the jobs as they are" {
    write_scenario
    "$HEADROOM" run s.yaml -o a.db --quiet
    "$HEADROOM" run s.yaml -o b.db --quiet --set scheduler.placement=first_fit
    jobs="select job_id, gpus, submit_s from job order by submit_s"
    [ "$(sqlite3 a.db "$jobs")" = "$(sqlite3 b.db "$jobs")" ]
}

@test "what cannot be had together is refused where it is written" {
    write_scenario
    run -2 --separate-stderr "$HEADROOM" check s.yaml --set scheduler.backfill=skip --set workloads.t.span=whole_nodes --set 'cluster.pools.a={gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, sharing: {mode: mig, dynamic: true}}'
    [[ "$stderr" == *"workload t takes whole nodes for itself, but MIG cuts GPUs of pool a at all hours"* ]]
}

@test "a job that asks for more than any host has is rejected, and the run says why" {
    write_scenario
    run -0 --separate-stderr "$HEADROOM" run s.yaml --set workloads.t.cpus=17 --set workloads.t.gpus=1
    [[ "$(tr -s ' \n' ' ' <<<"$output $stderr")" == *"asks for 1 GPU; no pool it may use has as many, on hosts with CPUs and memory enough"* ]]
    run -0 --separate-stderr "$HEADROOM" run s.yaml --set workloads.t.span=node --set cluster.pools.a.cpus_per_node=1000
    [[ "$(tr -s ' \n' ' ' <<<"$output $stderr")" == *"asks for 6 GPUs; "*" hosts with CPUs"* ]]
}
