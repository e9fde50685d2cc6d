#!/usr/bin/env bats
# headroom plan: when an objective binds, what would change the answer, traces, and bills that are known only
# from a simulation.
bats_require_minimum_version 1.5.0
load helpers

# day.yaml: jobs of four minutes that come by day more than by night, on up to twelve GPUs.
write_day() {
    cat >day.yaml <<'YAML'
headroom: 1
name: day
start: 2026-03-02T00:00:00Z
horizon: 6d
warmup: 1d
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 4, gpus_per_node: 1, price: {per_gpu_hour: 2}}
workloads:
  jobs:
    kind: jobs
    arrivals: {diurnal: {mean: 60/h, peak: 115/h, peak_at: "14:00"}}
    duration: {exponential: {mean: 4m}}
objectives:
  - workload.jobs.wait_s.p95 <= 5m
plan:
  vary:
    cluster.pools.a100.nodes: {from: 1, to: 12}
YAML
}

# prices.yaml: five GPUs are wanted, of a at $2 and b at $3 an hour; whatever they do is fine.
write_prices() {
    cat >prices.yaml <<'YAML'
headroom: 1
name: prices
horizon: 1h
cluster:
  pools:
    a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 2}}
    b: {gpu: H100-SXM5-80GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 3}}
workloads:
  jobs: {kind: jobs, arrivals: {poisson: 1/m}, duration: 10s, speed: catalogue}
objectives:
  - run.gpus >= 5
plan:
  vary:
    cluster.pools.a.nodes: {from: 1, to: 5}
    cluster.pools.b.nodes: [1, 2, 3]
YAML
}

# batches.yaml: five batches, 1000 s apart, of six jobs of 100 s on one GPU each.
write_batches() {
    {
        echo job_id,submit_s,gpus,duration_s
        for batch in 0 1 2 3 4; do
            for job in 1 2 3 4 5 6; do
                echo "$batch-$job,$((batch * 1000)),1,100"
            done
        done
    } >batches.csv
    cat >batches.yaml <<'YAML'
headroom: 1
name: batches
horizon: end_of_work
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 2}}
workloads:
  replay: {kind: jobs, trace: {file: batches.csv}}
objectives:
  - workload.replay.wait_s.max <= 100s
plan:
  vary:
    cluster.pools.a100.nodes: {from: 1, to: 8}
YAML
}

@test "when: the hours of the day at which what binds is worst" {
    write_day
    headroom plan day.yaml --no-what-if --json >plan.json
    # The peak is at 14:00, and the queue that it leaves is longest after it.
    jq -e '.when | .of_day and .stands_out and .from_s >= 13 * 3600 and .to_s <= 19 * 3600' plan.json
    jq -e '.when.value > 1.3 * .when.overall' plan.json
    jq -e '.when.text | test("^from 1[3-8]:00 to 1[4-9]:00 of the day$")' plan.json
    # The share of all the time is that of the figure itself.
    jq -e '.best as $best | .when.overall as $all | .simulated[] | select(.candidate == $best) |
           .objectives[0].mean | (. - $all) / $all | fabs < 0.2' plan.json
    headroom plan day.yaml --no-what-if >text
    tr -s '\n ' ' ' <text | grep -Eq -- "- when: from 1[3-8]:00 to 1[4-9]:00 of the day, with .* and .* over all of the time"
}

@test "when: nobody knows where it is chance, or a figure of the run as a whole" {
    write_prices
    headroom plan prices.yaml --no-what-if >text
    grep -q -- "^- when: it is a figure of the run as a whole" text
    headroom plan prices.yaml --no-what-if --json | jq -e '.when == null'
    headroom plan prices.yaml --no-what-if --set 'objectives=[run.wait_s.p99 <= 1h]' >text
    grep -q -- "^- when: too little happens to tell parts of the run apart" text
    write_day
    headroom plan day.yaml --no-what-if --set 'workloads.jobs.arrivals={poisson: 60/h}' >text
    grep -q -- "^- when: no part of the run stands out beyond chance; the worst was from " text
}

@test "when: of the nearest, where nothing meets the objectives" {
    write_day
    run headroom plan day.yaml --json --set 'plan.vary={cluster.pools.a100.nodes: [5]}'
    [ "$status" -eq 3 ]
    jq -e '.best == null and .when.of_day and .when.from_s >= 13 * 3600' <<<"$output"
}

@test "prices: at which another candidate becomes the cheapest, by hand" {
    write_prices
    headroom plan prices.yaml --json >plan.json
    # 4 a + 1 b is 11 an hour; 3 a + 2 b is 12, 2 a + 3 b is 13. Equal where 8 f + 3 = 6 f + 6, or 4 f + 9: f = 1.5;
    # or where 8 + 3 f = 6 + 6 f, or 4 + 9 f: f = 2 / 3. Beyond both, 2 a + 3 b is the cheapest.
    jq -e '.best == "cluster.pools.a.nodes=4, cluster.pools.b.nodes=1"' plan.json
    jq -e '.price_changes | length == 2' plan.json
    jq -e '.price_changes[] | select(.pool == "a") | .gpu == "A100-SXM4-80GB" and .per_gpu_hour == 2 and
           (.becomes - 3 | fabs) < 1e-9 and .simulated and .best == "cluster.pools.a.nodes=2, cluster.pools.b.nodes=3"' plan.json
    jq -e '.price_changes[] | select(.pool == "b") | .per_gpu_hour == 3 and (.becomes - 2 | fabs) < 1e-9' plan.json
    headroom plan prices.yaml >text
    grep -q -- '^- A100-SXM4-80GB in a above $3.00 an hour, now $2.00 (+50.0 %): ' text
    grep -q -- '^- H100-SXM5-80GB in b below $2.00 an hour, now $3.00 (-33.3 %): ' text
    # A little beyond that it is so, and before it is not.
    headroom plan prices.yaml --no-what-if --json --set cluster.pools.b.price.per_gpu_hour=1.99 |
        jq -e '.best | contains("b.nodes=3")'
    headroom plan prices.yaml --no-what-if --json --set cluster.pools.b.price.per_gpu_hour=2.01 |
        jq -e '.best | contains("b.nodes=1")'
}

@test "prices: of one kind of GPU only, none changes how many are the fewest" {
    write_day
    headroom plan day.yaml --set horizon=2d >text
    grep -q -- "^- the price of one kind of GPU by itself, whatever it is, would not" text
}

@test "the same GPUs at two prices compete, and the price at which they change places" {
    write_prices
    headroom plan prices.yaml --json --set 'objectives=[run.completed >= 0]' --set 'plan.vary={cluster.pools.a.price: [
        {per_gpu_hour: 2}, {per_gpu_hour: 1.4}]}' >plan.json
    jq -e '.best == "cluster.pools.a.price={per_gpu_hour: 1.4}"' plan.json
    jq -e '[.price_changes[] | [.per_gpu_hour, .becomes]] | sort == [[1.4, 2], [2, 1.4]]' plan.json
}

@test "a trace: as many GPUs as its batches need, by hand" {
    write_batches
    # Six jobs on n GPUs are ceil(6 / n) rounds of 100 s; the last waits for all but one.
    headroom plan batches.yaml --json >plan.json
    jq -e '.best == "cluster.pools.a100.nodes=3"' plan.json
    jq -e '.simulated[] | select(.candidate == "cluster.pools.a100.nodes=2") | .objectives[0].mean == 200' plan.json
    jq -e '[.pruned[]] == []' plan.json
    # 20 % more load is the same batches closer to each other, which no job feels.
    jq -e '[.what_ifs[] | select(.what_if | startswith("load")) | .best] | unique == ["cluster.pools.a100.nodes=3"]' plan.json
    headroom plan batches.yaml --json --no-what-if --set 'objectives=[workload.replay.wait_s.max <= 0s]' |
        jq -e '.best == "cluster.pools.a100.nodes=6"'
    # At ten times the load the k-th batch ends with round ceil(6 k / n) of an unbroken row and came at 100 (k - 1) s: on
    # five GPUs its last job waits for 100 s at every k, on four the third batch's for 100 (ceil(18 / 4) - 1) - 200 = 200 s.
    headroom plan batches.yaml --json --no-what-if --set workloads.replay.trace.time_scale=0.1 |
        jq -e '.best == "cluster.pools.a100.nodes=5"'
}

@test "a trace: replications that are all alike are said to be, instead of a share of them" {
    write_batches
    headroom plan batches.yaml >text
    tr -s '\n ' ' ' <text >line
    grep -q "nodes=3 (3 GPUs, \$4,380.00 per month) meets the objectives in replications to the end of the work, which are all alike: workload.replay.wait_s.max <= 100s at 1m 40s. nodes=2 does not: workload.replay.wait_s.max <= 100s at 3m 20s." line
    # The same number of GPUs at any load: see above.
    grep -qx -- "- load +20 %: the same" text
    grep -qx -- "- price of a100 -20 %: the same, \$3,504.00 per month (-20.0 %)" text
    # Of two that are too few, the nearest is the one that misses by less.
    run headroom plan batches.yaml --no-what-if --set 'plan.vary={cluster.pools.a100.nodes: [1, 2]}'
    [ "$status" -eq 3 ]
    [[ "$(tr -s '\n ' ' ' <<<"$output")" == *"No candidate meets the objectives. The nearest is nodes=2: workload.replay.wait_s.max <= 100s at 3m 20s."* ]]
}

@test "a trace: what the horizon leaves out, of its rows and of what began" {
    write_batches
    # Batches at 0, 1000, 2000 s and two later: 18 jobs, of which none has ended on no more than 50 s.
    headroom plan batches.yaml --set horizon=2050s --set 'workloads.replay.trace.origin=0s' >text
    tr -s '\n ' ' ' <text >line
    grep -q "batches.csv: 12 of the rows used come after the horizon of 34m 10s, so 18 are simulated" line
    # On three GPUs, three of the last six run and three wait at the end: 6 of 18.
    grep -q "at nodes=3 33.3 % of the jobs and requests had not ended at the end of the run" line
    headroom plan batches.yaml --no-what-if --set horizon=2050s --json |
        jq -e '.simulated[] | select(.candidate | endswith("nodes=3")) | (.unfinished - 1 / 3 | fabs) < 1e-9'
    headroom run batches.yaml --set horizon=2050s | tr -s '\n ' ' ' | grep -q "12 of the rows used come after the horizon"
    headroom plan batches.yaml >text
    [ "$(grep -c "horizon\|had not ended" text)" = 0 ]
}

@test "of many that were simulated, the table has what matters and some of the front" {
    write_batches
    # Sixty jobs at once wait less on average on every GPU more. On 30 half of them wait for 100 s, on 29 it is
    # (29 x 100 + 2 x 200) / 60 = 55 s. With electricity all are tried, so all are on the front.
    { echo job_id,submit_s,gpus,duration_s; for job in {1..60}; do echo "$job,0,1,100"; done; } >batches.csv
    headroom plan batches.yaml --no-what-if --set 'cluster.power={price_per_kwh: 0.1}' --set cluster.pools.a100.gpu=H100-SXM5-80GB \
        --set 'objectives=[workload.replay.wait_s.mean <= 50s]' --set 'plan.vary={cluster.pools.a100.nodes: {from: 1, to: 60}}' >text
    grep -qx "what was simulated, as far as it matters" text
    [ "$(grep -c '^[0-9].* \(misses\|meets\|best\) ' text)" = 24 ]
    grep -q '^30 .* best ' text
    grep -q '^29 .* misses .* 55 s ' text
    tr -s '\n ' ' ' <text | grep -q "in the first objective. --json has 36 more of it."
}

@test "where too few slots rule out the one below, the answer tells of the costliest that misses" {
    cat >slots.yaml <<'YAML'
headroom: 1
name: slots
horizon: end_of_work
cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 1}}}}
workloads:
  chat: {kind: service, replicas: 1, trace: {file: requests.csv}}
objectives: [workload.chat.latency_s.max <= 2s]
plan:
  vary:
    cluster.pools.p.nodes: {from: 1, to: 4}
    workloads.chat.replicas: [2, 3]
YAML
    # Three requests of 2 s at once: on three replicas none waits.
    printf 'arrival_s,service_s\n0,2\n0,2\n0,2\n' >requests.csv
    headroom plan slots.yaml --no-what-if >text
    tr -s '\n ' ' ' <text >line
    grep -q "nodes=3, replicas=3 (3 GPUs, \$2,190.00 per month) meets" line
    grep -q "nodes=2, replicas=2 does not: workload.chat.latency_s.max <= 2s at 4 s" line
}

@test "a bill that depends on how it is used is taken from the simulation" {
    write_prices
    # Ten jobs of an hour at once in a day: an autoscaler that keeps nothing costs less than one that keeps four.
    headroom plan prices.yaml --json --no-what-if --set horizon=1d --set 'objectives=[run.completed >= 0]' \
        --set 'cluster.pools.a={gpu: A100-SXM4-80GB, nodes: 4, gpus_per_node: 1, price: {per_gpu_hour: 2},
               autoscale: {least: 0, provision_time: 1m}}' --set 'workloads.jobs.arrivals={poisson: 1/h}' \
        --set 'workloads.jobs.pools=[a]' --set 'plan.vary={cluster.pools.a.autoscale.least: [0, 4]}' >plan.json
    jq -e '.best == "cluster.pools.a.autoscale.least=0"' plan.json
    # Four of a and one of b all the time: (8 + 3) x 730.
    jq -e '.simulated[] | select(.candidate | endswith("least=4")) | (.usd_per_month - 8030 | fabs) < 1' plan.json
    jq -e '.simulated[] | select(.candidate | endswith("least=0")) | .usd_per_month < 4500' plan.json
    # Electricity is part of what is minimized: idle GPUs draw it, too.
    headroom plan prices.yaml --no-what-if --json --set 'cluster.power={price_per_kwh: 0.2, pue: 1.3}' \
        --set cluster.pools.a.gpu=H100-SXM5-80GB --set 'plan.vary={cluster.pools.a.nodes: [4, 5], cluster.pools.b.nodes: [1]}' >plan.json
    jq -e '.best == "cluster.pools.a.nodes=4, cluster.pools.b.nodes=1"' plan.json
    jq -e '[.simulated[].usd_per_month] | sort | .[0] > 8030 and .[1] > 9490' plan.json
}
