# Shared by the bats files: a folder of its own for each test, and small scenarios to run in it.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

headroom() {
    "$HEADROOM" "$@"
}

# small.yaml with its trace: on one node of 4 GPUs, first come first served,
#   a: 4 GPUs at 0 s for 10 s    starts 0, ends 10
#   b: 2 GPUs at 1 s for 10 s    waits 9, ends 20
#   c: 4 GPUs at 2 s for 10 s    waits 18, ends 30
write_small_scenario() {
    cat >small.csv <<'CSV'
job_id,submit_s,gpus,duration_s
a,0,4,10
b,1,2,10
c,2,4,10
CSV
    cat >small.yaml <<'YAML'
headroom: 1
name: small
horizon: end_of_work
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 4, price: {per_gpu_hour: 3600}}
workloads:
  train: {kind: jobs, trace: {file: small.csv}}
YAML
}

# random.yaml: synthetic jobs, so that replications differ.
write_random_scenario() {
    cat >random.yaml <<'YAML'
headroom: 1
name: random
horizon: 2d
replications: 4
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 8, price: {per_gpu_hour: 2}}
workloads:
  train:
    kind: jobs
    arrivals: {poisson: 10/h}
    gpus: {choice: {1: 0.5, 2: 0.3, 4: 0.2}}
    duration: {exponential: {mean: 30m}}
variants:
  fifo: {}
  easy: {scheduler.backfill: easy}
YAML
}

# modes.yaml: a service and jobs on one node, under every mode of sharing.
write_modes_scenario() {
    cat >modes.yaml <<'YAML'
headroom: 1
name: modes
horizon: 1h
models:
  chat: {memory: 9GB, saturation: 45%, load_time: 20s}
cluster:
  pools:
    a100:
      gpu: A100-SXM4-80GB
      nodes: 1
      gpus_per_node: 2
      sharing: {mode: timeslice, replicas: 8}
workloads:
  chat:
    kind: service
    model: chat
    arrivals: {poisson: 4/s}
    service_time: {exponential: {mean: 80ms}}
    replicas: 2
  train:
    kind: jobs
    arrivals: {poisson: 6/h}
    duration: {exponential: {mean: 10m}}
    memory: 8GB
variants:
  exclusive: {cluster.pools.a100.sharing: exclusive}
  mps: {cluster.pools.a100.sharing: mps}
  timeslice: {}
  mig: {cluster.pools.a100.sharing: {mode: mig, layout: [3g.40gb, 2g.20gb, 2g.20gb]}}
  nested: {cluster.pools.a100.sharing: {mode: mig, layout: [{profile: 1g.10gb, count: 7, sharing: mps}]}}
  dynamic: {cluster.pools.a100.sharing: {mode: mig, dynamic: true}}
  mixed: {cluster.pools.a100.layouts: [{gpus: [1], sharing: {mode: mig, layout: [7g.80gb]}}]}
YAML
}

# The value of one figure of the run.
metric() { # DATABASE NAME [SCOPE]
    sqlite3 "$1" "select value from metric where scope = '${3:-run}' and name = '$2' limit 1"
}

# Exit status 2, nothing on stdout, exactly one line on stderr, and that line holds the text.
refused_with() { # TEXT COMMAND...
    local text=$1
    shift
    run --separate-stderr "$@"
    [ "$status" -eq 2 ] || { echo "status $status: $stderr"; return 1; }
    [ -z "$output" ] || { echo "stdout: $output"; return 1; }
    [ "${#stderr_lines[@]}" -eq 1 ] || { echo "stderr: $stderr"; return 1; }
    [[ "$stderr" == *"$text"* ]] || { echo "stderr: $stderr"; return 1; }
}
