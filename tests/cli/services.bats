#!/usr/bin/env bats
# Services from the scenario file to the comparison of variants.
bats_require_minimum_version 1.5.0
load helpers

# packing.yaml: models on three GPUs of 1500 a month, one on each, or as many as memory holds.
write_packing_scenario() {
    cat >packing.yaml <<'YAML'
headroom: 1
name: packing
horizon: 10m
warmup: 1m
models:
  m: {memory: 12GB}
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 3, gpus_per_node: 1, price: {per_gpu_month: 1500}}
scheduler: {placement: worst_fit}
workloads:
  chat:
    kind: service
    model: m
    count: 3
    arrivals: {poisson: 1.5/s}
    service_time: {exponential: {mean: 100ms}}
    timeout: 10s
    slo: 2s
variants:
  exclusive: {}
  mig: {cluster.pools.a100.sharing: {mode: mig, layout: [2g.20gb, 2g.20gb, 2g.20gb]}, workloads.chat.count: 9}
  mps: {cluster.pools.a100.sharing: {mode: mps, memory_limit: 16GB}, workloads.chat.count: 13}
  timeslice: {cluster.pools.a100.sharing: {mode: timeslice, replicas: 6, slice: 30ms, switch: 300us}, workloads.chat.count: 17}
YAML
}

@test "packing models: what a model costs, what it waits and what a crash takes down" {
    write_packing_scenario
    run headroom run packing.yaml --quiet
    [ "$status" -eq 0 ]
    headroom compare headroom.db --format json >out.json
    # Three GPUs at 1500 over 3, 9, 13 and 17 models; the headline is 1 - 3/13 and 1 - 3/17.
    [ "$(jq -c '[.rows[].usd_per_model_month | round]' out.json)" = '[1500,500,346,265]' ]
    [ "$(jq -c '[.rows[1:][].usd_per_model_month_change * 1000 | round]' out.json)" = '[-667,-769,-824]' ]
    # Offered: 0.15 of a GPU per model, on slices of 28 of 108 SMs 108/28 times that.
    jq -e '.rows[0].busy > 0.12 and .rows[0].busy < 0.18 and .rows[2].busy > 0.58 and .rows[2].busy < 0.72' out.json
    jq -e '.rows[0].latency_p99_ratio == null and ([.rows[1:][].latency_p99_ratio] | min > 1)' out.json
    # Under MPS the tenants of a GPU fall together: 5, 4 and 4 of 13, on average (25 + 16 + 16) / 13.
    [ "$(jq -c '[.rows[].crash_takes * 13 | round]' out.json)" = '[13,13,57,13]' ]
    [ "$(jq -c '[.rows[].slo_services]' out.json)" = '[3,9,13,17]' ]
    run headroom compare headroom.db
    [[ "$output" == *"x"* && "$output" == *"-76.9 %"* && "$output" == *"-82.4 %"* ]]
    [[ "$output" == *"0 of 3"* && "$output" == *"of 17"* ]]
    [ "$(headroom compare headroom.db --format csv | head -1 | tr ',' '\n' | grep -c latency_p99)" = 6 ]
}

@test "an objective of a service that is not met ends with 3, and compare counts it" {
    write_packing_scenario
    run headroom run packing.yaml --quiet --set 'objectives=[run.latency_s.p99 <= 1s, run.slo_attainment >= 99%]'
    [ "$status" -eq 3 ]
    [ "$(headroom compare headroom.db --format json | jq -c '[.rows[] | [.objectives, .objectives_met]] | .[0], .[3]')" = \
        "$(printf '[2,2]\n[2,0]')" ]
    [ "$(sqlite3 headroom.db "select count(*) from v_objectives where variant = 'timeslice' and met")" = 0 ]
}

@test "the same results at any -j, requests and latencies included" {
    write_packing_scenario
    for j in 1 4; do
        headroom run packing.yaml -o "$j.db" --replications 2 -j "$j" --quiet \
            --set record.requests=true --set record.timeline=1m
        for table in metric latency objective timeline request_row gpu_time cost; do
            sqlite3 "$j.db" "select * from $table"
        done >"$j.txt"
    done
    cmp 1.txt 4.txt
    [ "$(sqlite3 1.db "select count(*) > 10000 from request_row")" = 1 ]
}

@test "recorded requests and the histogram agree with the figures" {
    write_packing_scenario
    headroom run packing.yaml --variant timeslice --set record.requests=true --quiet
    [ "$(sqlite3 headroom.db "
        select count(*) from metric m
        where scope = 'workload' and name = 'completed' and value <>
              (select sum(count) from latency l where l.run_id = m.run_id and workload = subject)")" = 0 ]
    [ "$(sqlite3 headroom.db "
        select count(*) from metric m
        where scope = 'workload' and name = 'completed' and value <>
              (select count(*) from request r where r.run_id = m.run_id and workload = subject
                      and arrival_s >= 60 and arrival_s < 600 and state = 'completed')")" = 0 ]
    # Means of all latencies: sums of doubles against exact integers.
    [ "$(sqlite3 headroom.db "
        select count(*) from metric m
        where scope = 'workload' and name = 'latency_s.mean' and abs(value -
              (select avg(latency_s) from request r where r.run_id = m.run_id and workload = subject
                      and arrival_s >= 60 and arrival_s < 600)) > 1e-9 * value")" = 0 ]
    # The step of the 99th percentile ends at most 1 % beyond it, or 0.1 % of a histogram's bucket more.
    [ "$(sqlite3 headroom.db "
        select count(*) from metric m
        where scope = 'workload' and name = 'latency_s.p99' and
              (select min(upper_s) from v_latency l where l.run_id = m.run_id and workload = subject
                      and share_within >= 0.99) not between value and value * 1.0111")" = 0 ]
    # The parts of the slowest requests add up to their mean, which is no less than the percentile.
    [ "$(sqlite3 headroom.db "
        select count(*) from metric m
        where name = 'latency_s.p99' and
              (select sum(value) from metric p where p.run_id = m.run_id and p.scope = m.scope
                      and p.subject = m.subject and p.name like 'latency_s.part.%') < value * 0.999")" = 0 ]
}

@test "the summary of services: families, notes and no jobs" {
    write_packing_scenario
    run headroom run packing.yaml
    [[ "$output" == *"requests submitted after 1m of warm-up"* ]]
    [[ "$output" == *"chat (3)"*"chat (9)"*"chat (13)"*"chat (17)"* ]]
    [[ "$output" == *"slowest 1 %"* ]]
    [[ "$output" != *"wait mean"* && "$output" != *turnaround* ]]
    [ -z "$(awk 'length($0) > 110' <<<"$output")" ] # in bytes
    run headroom run packing.yaml --variant exclusive --set workloads.chat.count=4
    [[ "$output" == *"1 of 4 replicas held no slot when the run ended (chat-4)"* ]]
}

@test "an overloaded service is unstable, with a timeout it is not" {
    write_packing_scenario
    overload=(--variant exclusive --set 'workloads.chat.arrivals={poisson: 15/s}')
    run headroom run packing.yaml "${overload[@]}" --set 'workloads.chat.timeout=10h'
    [ "$status" -eq 4 ]
    [[ "$output" == *"requests an hour"* && "$output" == *"have no limit"* ]]
    [[ "$(headroom compare headroom.db)" == *"of a queue that grows without limit"* ]]
    run headroom run packing.yaml "${overload[@]}" --quiet
    [ "$status" -eq 0 ]
    [ "$(sqlite3 headroom.db "select value > 0 from metric where run_id = 2 and scope = 'run' and name = 'timed_out'")" = 1 ]
}

@test "figures of the other kind are refused as objectives" {
    write_modes_scenario
    refused_with "wait_s.p95 is a figure of jobs, of which chat has none" headroom run modes.yaml \
        --set 'objectives=[workload.chat.wait_s.p95 <= 1s]'
    refused_with "latency_s.p99 is a figure of requests, of which train has none" headroom run modes.yaml \
        --set 'objectives=[workload.train.latency_s.p99 <= 1s]'
    headroom check modes.yaml --set 'objectives=[run.latency_s.p99 <= 1s, run.wait_s.p95 <= 1h, workload.chat.slo_attainment >= 99%]'
    write_small_scenario
    refused_with "slo_attainment is a figure of requests, of which the run has none" headroom run small.yaml \
        --set 'objectives=[run.slo_attainment >= 99%]'
}

@test "a timeline keeps no run alive: work that can never be served ends with the rest" {
    cat >never.yaml <<'YAML'
headroom: 1
horizon: end_of_work
cluster: {pools: {a: {gpu: L4-24GB, nodes: 1, gpus_per_node: 1}}}
workloads:
  first: {kind: service, arrivals: {renewal: 10s}, service_time: 1s, limit: 3}
  never: {kind: service, arrivals: {renewal: 10s}, service_time: 1s, limit: 3}
YAML
    # Requests at 10, 20 and 30 s; the last one served ends at 31 s.
    headroom run never.yaml -o never.db >/dev/null
    headroom run never.yaml -o never.db --set "record={timeline: 1h}" >/dev/null
    headroom run never.yaml -o never.db --set "record={timeline: 4s}" >/dev/null
    [ "$(sqlite3 never.db 'select group_concat(sim_seconds) from run')" = 31.0,31.0,31.0 ]
    [ "$(sqlite3 never.db 'select count(*) from timeline where run_id = 3')" = 8 ]
}

@test "end of work does not wait for a service that no slot can hold" {
    cat >leak.yaml <<'YAML'
headroom: 1
horizon: end_of_work
cluster: {pools: {a: {gpu: T4, nodes: 1, gpus_per_node: 1, sharing: mps}}}
workloads:
  big: {kind: service, memory: 70GB, arrivals: {renewal: 1s}, service_time: 1s, limit: 1}
  leak: {kind: service, memory: {start: 0GB, growth: 10GB/m}, arrivals: {renewal: 1s}, service_time: 1s, limit: 1}
YAML
    headroom run leak.yaml -o leak.db >/dev/null
    [ "$(sqlite3 leak.db 'select sim_seconds from run')" = 2.0 ]
}

@test "the time that a cap on SMs adds is service, not queueing" {
    printf 'arrival_s,service_s\n0,5\n' >one.csv
    cat >cap.yaml <<'YAML'
headroom: 1
horizon: 30s
cluster:
  pools:
    a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, sharing: {mode: mps, thread_percentage: 50%}}
workloads: {x: {kind: service, trace: {file: one.csv}}}
YAML
    headroom run cap.yaml -o cap.db >/dev/null # half of the SMs: 10 s for 5 s of work
    [ "$(sqlite3 cap.db "select value from metric where scope = 'workload' and name = 'latency_s.part.service'")" = 10.0 ]
    [ "$(sqlite3 cap.db "select value from metric where scope = 'workload' and name = 'latency_s.part.queueing'")" = 0.0 ]
}

# Two replicas with three requests at once. On replica 0 requests 1, 2 and 3 share a GPU, on replica 1 4, 5 and
# 6; request 7 takes the place of 5 at 0.3 s, 8 that of 2 at 0.6 s. Request 1 has 0.8 s left then and gets a third:
# it ends at 3 s. So does request 4, with 0.9 s left at 0.3 s. Both replicas have room then, and request 9 goes
# to replica 0: it ends at 6 s, and request 3, with 18 s left and half of the GPU, at 42 s; 8, with 0.2 s left, 0.2 s
# after it. On replica 1 request 6 has 9 s left at 3 s and half of the GPU: 21 s; 7, with 10.1 s left, 31.1 s.
@test "of replicas that have room at one instant the one of lowest index takes what waits" {
    printf '%s\n' arrival_s,service_s 0,1 0,0.2 0,20 0,1 0,0.1 0,10 0.01,20 0.01,20 0.01,1 >nine.csv
    cat >room.yaml <<'YAML'
headroom: 1
horizon: end_of_work
cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 2}}}
workloads: {s: {kind: service, replicas: 2, concurrency: 3, trace: {file: nine.csv, origin: 0s}}}
record: {requests: true}
YAML
    headroom run room.yaml -o room.db >/dev/null
    [ "$(sqlite3 room.db 'select end_s from request order by seq' | paste -sd ' ')" = \
        "3.0 0.6 42.0 3.0 0.3 21.0 31.1 42.2 6.0" ]
}

# Loaded from 0 to 10 s, and unloaded 5 s later. The first request finds it so at 100 s and waits for it until
# 110 s, like the second of 105 s; both are served by 112 s. At 117 s it would unload, but the third comes in
# time at that very instant; the fourth comes at 123.5 s, 0.5 s after the unloading at 123 s, and ends at 134.5 s.
@test "an idle replica unloads, and loads again when a request needs it" {
    printf '%s\n' arrival_s,service_s 100,1 105,1 117,1 123.5,1 >four.csv
    cat >unload.yaml <<'YAML'
headroom: 1
horizon: end_of_work
cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1}}}
workloads: {s: {kind: service, load_time: 10s, unload_after: 5s, trace: {file: four.csv, origin: 0s}}}
record: {requests: true}
YAML
    headroom run unload.yaml -o unload.db >/dev/null
    [ "$(sqlite3 unload.db 'select end_s from request order by seq' | paste -sd ' ')" = \
        "111.0 112.0 118.0 134.5" ]
    # Loading 0-10, 100-110 and 123.5-133.5; four seconds of work.
    [ "$(sqlite3 unload.db "select round(3600 * gpu_hours, 6) from gpu_time where category = 'loading'")" = 30.0 ]
    [ "$(sqlite3 unload.db "select round(3600 * gpu_hours, 6) from gpu_time where category = 'useful'")" = 4.0 ]
    refused_with "unload_after goes with" headroom run unload.yaml -o no.db \
        --set workloads.s.dispatch=round_robin
}
