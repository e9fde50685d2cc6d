#!/usr/bin/env bats
# headroom plan: the answer where it is known in closed form, what it says of it, and what it writes.
bats_require_minimum_version 1.5.0
load helpers

# mmc.yaml: M/M/c at load 10. Renewal arrivals with exponential gaps are Poisson, but nobody tells
# the plan, so Erlang's formula prunes nothing and the simulation has to find the answer.
write_mmc() {
    cat >mmc.yaml <<'YAML'
headroom: 1
name: mmc
horizon: 10000s
warmup: 200s
cluster:
  pools:
    servers: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 2}}
workloads:
  jobs:
    kind: jobs
    arrivals: {renewal: {exponential: {mean: 100ms}}}
    duration: {exponential: {mean: 1s}}
objectives:
  - workload.jobs.wait_s.p99 <= 1s
plan:
  vary:
    cluster.pools.servers.nodes: {from: 1, to: 64}
YAML
}

# modes.yaml: six models on GPUs that are shared or not.
write_models() {
    cat >models.yaml <<'YAML'
headroom: 1
name: models
horizon: 10m
models:
  chat: {memory: 9GB, saturation: 45%}
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 2}}
workloads:
  chat:
    kind: service
    count: 6
    model: chat
    arrivals: {poisson: 3/s}
    service_time: {exponential: {mean: 80ms}}
objectives:
  - run.latency_s.p99 <= 1s
plan:
  vary:
    cluster.pools.a100.nodes: {from: 1, to: 8}
    cluster.pools.a100.sharing: [exclusive, {mode: mps, clients: 6}]
YAML
}

# Fails unless the plan with this objective finds this many nodes.
plan_finds() { # NODES OBJECTIVE [OPTION...]
    local nodes=$1 objective=$2
    shift 2
    headroom plan mmc.yaml --no-what-if --json --set "objectives=[$objective]" "$@" >plan.json
    jq -e --arg best "cluster.pools.servers.nodes=$nodes" '.best == $best' plan.json ||
        { jq '{best, statement}' plan.json; return 1; }
}

@test "the least c of M/M/c at load 10, by simulation alone" {
    write_mmc
    plan_finds 18 "workload.jobs.wait_s.p99 <= 100ms"
    plan_finds 14 "workload.jobs.wait_s.p99 <= 1s"
    [ "$(jq -r '[.pruned[].reason] | unique | join(" ")' plan.json)" = load ]
    plan_finds 14 "workload.jobs.waited <= 20%"
}

@test "the same with Erlang's formula, which leaves one to simulate" {
    write_mmc
    plan_finds 18 "workload.jobs.wait_s.p99 <= 100ms" --set 'workloads.jobs.arrivals={poisson: 10/s}' \
        --set horizon=40000s
    [ "$(jq '.simulated | length' plan.json)" -eq 1 ]
    [ "$(jq '[.pruned[] | select(.reason == "erlang")] | length' plan.json)" -eq 8 ]
}

@test "text: the answer, why not less, what binds, what would change it; 100 columns" {
    write_mmc
    headroom plan mmc.yaml --set horizon=2000s >text
    grep -q "^nodes=14 (14 GPUs, \$20,440 per month) meets the objectives in 95 % of" text
    grep -q "nodes=13 does not: " text
    for title in "what was simulated" "what binds" "what would change the answer" "ruled out by arithmetic" notes; do
        grep -qx "$title" text || { echo "no $title"; return 1; }
    done
    grep -q "^- load +20 %: nodes=1[5-7], " text
    grep -q "^- price of servers -20 %: the same, " text
    [ "$(awk '{ gsub(/[^ -~]/, "x"); if (length > 104) print }' text | wc -l)" -eq 0 ]
}

@test "the same answer and the same bytes with any number of threads" {
    write_mmc
    headroom plan mmc.yaml --set horizon=500s -j 1 --json >one.json
    headroom plan mmc.yaml --set horizon=500s -j 3 --json >three.json
    cmp one.json three.json
    jq -e '.headroom == 1 and .format == "plan"' one.json
}

@test "sharing modes compete; the cheapest wins and the other is a runner-up" {
    write_models
    headroom plan models.yaml --no-what-if --json >plan.json
    jq -e '.best == "cluster.pools.a100.nodes=1, cluster.pools.a100.sharing={mode: mps, clients: 6}"' plan.json
    jq -e '.runners_up[0].candidate == "cluster.pools.a100.nodes=6, cluster.pools.a100.sharing=exclusive"' plan.json
    # Six GPUs less one, at 730 hours of 2 dollars.
    jq -e '.runners_up[0].cost_difference | .significant and (.mean - 7300 | fabs) < 1e-6' plan.json
    jq -e '[.pruned[] | select(.reason == "slots")] | length == 5' plan.json
    jq -e '.binds == "run.latency_s.p99 <= 1s" and .front[0] == .best' plan.json
}

@test "candidates of one price: no significant difference is said to be one" {
    write_mmc
    headroom plan mmc.yaml --no-what-if --set horizon=1000s --set \
        'plan.vary={cluster.pools.servers.nodes: [20], scheduler.placement: [first_fit, best_fit]}' >text
    tr -s '\n ' ' ' <text |
        grep -q "no difference in usd_per_month; in wait_s.p99, no significant difference"
}

@test "a figure that is random is minimized, too" {
    write_models
    headroom plan models.yaml --no-what-if --json --set plan.minimize=usd_per_1k_requests >plan.json
    jq -e '.best | contains("nodes=1, ")' plan.json
    # $2 an hour over 18 requests a second.
    jq -e '.simulated[] | select(.candidate | contains("nodes=1, ")) | .usd_per_1k_requests | . > 0.029 and . < 0.033' plan.json
}

@test "none will do: status 3, and the nearest" {
    write_mmc
    run headroom plan mmc.yaml --set 'plan.vary={cluster.pools.servers.nodes: [11, 12]}' --set horizon=1000s --json
    [ "$status" -eq 3 ]
    [ "$(jq -r .best <<<"$output")" = null ]
    [ "$(jq -r .nearest <<<"$output")" = cluster.pools.servers.nodes=12 ]
    run headroom plan mmc.yaml --set 'plan.vary={cluster.pools.servers.nodes: [1, 2]}'
    [ "$status" -eq 3 ]
    [[ "$output" == *"No candidate can meet the objectives: arithmetic rules out all 2."* ]]
}

@test "a combination that cannot be is ruled out; a value that never can be is a mistake" {
    write_models
    headroom plan models.yaml --no-what-if --json --set workloads.chat.speed=catalogue --set 'plan.vary={
        cluster.pools.a100.gpu: [A100-SXM4-80GB, L4-24GB], cluster.pools.a100.nodes: [6, 12],
        cluster.pools.a100.sharing: [exclusive, {mode: mig, layout: [7g.80gb]}]}' >plan.json || [ $? -eq 3 ]
    jq -e '[.pruned[] | select(.reason == "invalid")] | length == 2' plan.json
    run headroom plan models.yaml --set 'plan.vary={cluster.pools.a100.sharing: [exclusive, {mode: mig, layout: [9g.1gb]}]}'
    [ "$status" -eq 2 ]
    [[ "$output" == *"no MIG profile '9g.1gb'"* ]]
}

@test "--emit k8s: a ConfigMap for the device plugin on stdout, the plan on stderr" {
    write_models
    headroom plan models.yaml --no-what-if --emit k8s >out.yaml 2>plan
    grep -q "meets the objectives" plan
    diff <(grep -v '^ *#' out.yaml) - <<'YAML'
apiVersion: v1
kind: ConfigMap
metadata:
  name: "models-device-plugin"
data:
  "a100": |-
    version: v1
    flags:
      migStrategy: none
    sharing:
      mps:
        resources:
          - name: "nvidia.com/gpu"
            replicas: 6
YAML
    headroom plan models.yaml --no-what-if --emit k8s 2>plan --set 'plan.vary={cluster.pools.a100.nodes: [2],
        cluster.pools.a100.sharing: [{mode: mig, layout: [{profile: 3g.40gb, count: 2, sharing: {mode: timeslice,
        replicas: 3}}]}]}' --set 'objectives=[run.latency_s.p99 <= 60s]' >out.yaml
    diff <(sed '1,/^data:/d' out.yaml | grep -v '^ *#') - <<'YAML'
  "a100": |-
    version: v1
    flags:
      migStrategy: mixed
    sharing:
      timeSlicing:
        resources:
          - name: "nvidia.com/mig-3g.40gb"
            replicas: 3
YAML
}

@test "--emit mig-parted and slurm" {
    write_models
    pool='{gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 4, price: {per_gpu_hour: 2}, sharing: exclusive,
           layouts: [{gpus: [1, 3], sharing: {mode: mig, layout: [3g.40gb, 1g.10gb, 1g.10gb]}}]}'
    headroom plan models.yaml --no-what-if --set "plan.vary={cluster.pools.a100: [$pool]}" \
        --set 'objectives=[run.latency_s.p99 <= 60s]' --emit mig-parted 2>plan | grep -v '^#' >out.yaml
    diff out.yaml - <<'YAML'
version: v1
mig-configs:
  "all-disabled":
    - devices: all
      mig-enabled: false
  "a100":
    - devices: [0, 2]
      mig-enabled: false
    - devices: [1, 3]
      mig-enabled: true
      mig-devices:
        "1g.10gb": 2
        "3g.40gb": 1
YAML
    headroom plan models.yaml --no-what-if --set 'plan.vary={cluster.pools.a100.nodes: [3],
        cluster.pools.a100.sharing: [{mode: timeslice, replicas: 2}]}' --set 'objectives=[run.latency_s.p99 <= 60s]' \
        --emit slurm 2>plan | grep -v '^#' | grep -v '^$' >out.conf
    diff out.conf - <<'CONF'
NodeName=a100-[1-3] Name=gpu Type=a100 File=/dev/nvidia0
NodeName=a100-[1-3] Name=shard Count=2 File=/dev/nvidia0
SelectType=select/cons_tres
GresTypes=gpu,shard
NodeName=a100-[1-3] Gres=gpu:a100:1,shard:2 State=UNKNOWN
PartitionName=a100 Nodes=a100-[1-3] Default=YES State=UP
CONF
}

@test "what a format cannot say is an error, and names cannot break out of it" {
    write_models
    run --separate-stderr headroom plan models.yaml --no-what-if --emit slurm --set 'plan.vary={
        cluster.pools.a100.nodes: [6], cluster.pools.a100.sharing: [{mode: mig, dynamic: true}]}' \
        --set 'objectives=[run.latency_s.p99 <= 60s]'
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ "$stderr" == *"Slurm does not cut GPUs anew"* ]]
    sed -e 's/a100:/"A.b_C":/' -e 's/pools\.a100/pools."A.b_C"/' models.yaml >odd.yaml
    headroom plan odd.yaml --no-what-if --emit k8s --set 'plan.vary={description: ["x\ny: [", z],
        cluster.pools."A.b_C".sharing: [{mode: mps, clients: 6}]}' 2>plan >out.yaml
    grep -qx '  "a-b-c": |-' out.yaml
    [ "$(grep -cv '^#' out.yaml)" -eq 16 ] # as many lines as without the name
}

@test "what is missing or wrong, with its place" {
    write_small_scenario
    refused_with "small.yaml: this scenario has no plan: say what may vary, such as plan: {vary: " \
        headroom plan small.yaml
    write_mmc
    sed -i '/^objectives/,/p99/d' mmc.yaml
    refused_with "mmc.yaml:14:3: a plan needs objectives to meet: add some such as " headroom plan mmc.yaml
    write_mmc
    refused_with "goes from 5 to 1: the smaller number comes first" \
        headroom plan mmc.yaml --set 'plan.vary={cluster.pools.servers.nodes: {from: 5, to: 1}}'
    refused_with "a plan cannot change objectives, by which its candidates are compared" \
        headroom plan mmc.yaml --set 'plan.vary={objectives: [1, 2]}'
    refused_with 'did you mean "usd_per_month"' headroom plan mmc.yaml --set plan.minimize=usd_per_mont
    refused_with "plan.replications.most is 3, less than least, 5" \
        headroom plan mmc.yaml --set plan.replications.most=3
    refused_with "--emit takes k8s, mig-parted or slurm, not 'helm'" headroom plan mmc.yaml --emit helm
    refused_with "plan needs one scenario" headroom plan mmc.yaml mmc.yaml
    # No price of a T4 is known.
    refused_with "the price of a pool is not known" \
        headroom plan mmc.yaml --set 'cluster.pools.servers={gpu: P100-16GB, nodes: 1, gpus_per_node: 1}'
}

@test "a plan is no input of a run: digests are the same with and without" {
    write_mmc
    sed '/^plan:/,$d' mmc.yaml >without.yaml
    headroom run mmc.yaml -o a.db --quiet --set horizon=300s || true
    headroom run without.yaml -o b.db --quiet --set horizon=300s || true
    [ "$(sqlite3 a.db 'select inputs_sha256 from run')" = "$(sqlite3 b.db 'select inputs_sha256 from run')" ]
    headroom check mmc.yaml
}
