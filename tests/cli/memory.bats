#!/usr/bin/env bats
# GPU memory that runs out: who dies, what is counted, what is said.
bats_require_minimum_version 1.5.0
load helpers

# Two clients of an MPS GPU of 32 GiB: leak holds 8 GiB and 4 GiB/h more, calm 4 GiB and 2 GiB/h more.
# 12 + 6 t = 32 GiB at 12,000 s, when leak, which grows faster, asks for too much.
write_leaks() {
    cat >leaks.yaml <<'YAML'
headroom: 1
name: leaks
horizon: end_of_work
cluster:
  pools:
    v100: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1, sharing: {mode: mps, oom: client}}
workloads:
  leak:
    {kind: jobs, arrivals: {closed: {clients: 1, think: 1s}}, limit: 1, duration: 5h, saturation: 50%,
     memory: {start: 8GiB, growth: 4GiB/h}}
  calm:
    {kind: jobs, arrivals: {closed: {clients: 1, think: 1s}}, limit: 1, duration: 5h, saturation: 50%,
     memory: {start: 4GiB, growth: 2GiB/h}}
variants:
  client: {}
  gpu: {cluster.pools.v100.sharing.oom: gpu}
YAML
}

@test "a leak kills its client, or under the older rule all of the GPU" {
    write_leaks
    run --separate-stderr headroom run leaks.yaml -o leaks.db
    [ "$status" -eq 0 ]
    [ "$(sqlite3 leaks.db "select variant, workload, end_s, job.state from job join run using (run_id)
                           order by run_id, workload")" = \
"client|calm|18000.0|completed
client|leak|12000.0|failed
gpu|calm|12000.0|failed
gpu|leak|12000.0|failed" ]
    [ "$(sqlite3 leaks.db "select sum(value) from metric where name = 'oom_kills' and scope = 'run'")" = 3.0 ]
    [ "$(sqlite3 leaks.db "select sum(value) from metric where name = 'failed' and scope = 'run'")" = 3.0 ]
    said=$(tr -s '\n ' ' ' <<<"$output $stderr")
    [[ "$said" == *"variant client: GPU memory ran out 1 time; the first: job 1 of workload leak, "* ]]
    [[ "$said" == *"GPU 0 of node 0 of pool v100 had for it, and killed all on that GPU"* ]]
}

# A GPU that is full from the start and grows: the replica dies in the moment it starts, 14 times.
@test "a replica that gives up says so" {
    cat >vain.yaml <<'YAML'
headroom: 1
name: vain
horizon: 1d
cluster: {pools: {v100: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1}}}
workloads:
  w:
    {kind: service, arrivals: {renewal: 1h}, service_time: 1s, timeout: 10s,
     memory: {start: 32GiB, growth: 1GiB/h}}
YAML
    run --separate-stderr headroom run vain.yaml -o vain.db
    said=$(tr -s '\n ' ' ' <<<"$output $stderr")
    [[ "$said" == *"GPU memory ran out 14 times; the first: "* ]]
    [[ "$said" == *"variant base: 1 replica gave up asking for a slot; the first: replica 0 of service w, "* ]]
    [[ "$said" == *"killed 14 times in a row as memory ran out before it had been up for any time"* ]]
    # After 13 it still waits for the last time, from 40,950 to 81,910 s.
    run --separate-stderr headroom run vain.yaml -o vain.db --set horizon=20h
    [[ "$output $stderr" != *"gave up"* ]]
}
