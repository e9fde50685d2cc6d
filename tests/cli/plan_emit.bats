#!/usr/bin/env bats
# headroom plan --emit: what the files mean to those who read them: parsed, not searched for words.
bats_require_minimum_version 1.5.0
load helpers

# emit.yaml: a pool that a calendar cuts, with one GPU left whole, and one in turns with spares.
write_emit() {
    cat >emit.yaml <<'YAML'
headroom: 1
name: emit
start: 2026-03-02T00:00:00Z
horizon: 10m
cluster:
  pools:
    day:
      gpu: A100-SXM4-80GB
      nodes: 2
      gpus_per_node: 4
      price: {per_gpu_hour: 2}
      sharing:
        mode: mig
        layout: [3g.40gb, 3g.40gb]
        calendar:
          - {days: mon-fri, from: "09:00", to: "21:00", layout: [{profile: 1g.10gb, count: 7}]}
          - {from: "21:00", to: "06:00", mode: exclusive}
      layouts:
        - {gpus: [3], sharing: exclusive}
    Turns_B:
      gpu: H100-SXM5-80GB
      nodes: 3
      gpus_per_node: 8
      price: {per_gpu_hour: 4}
      spares: 2
      faults: {node: {mtbf: {exponential: {mean: 6340h}}, mttr: 24h}}
      sharing: {mode: timeslice, replicas: 4}
workloads:
  jobs: {kind: jobs, arrivals: {poisson: 1/m}, duration: 10s, speed: catalogue}
objectives: [run.completed >= 0]
plan:
  vary: {cluster.pools.day.nodes: [2]}
YAML
}

emit() { # FORMAT [OPTION...]
    local format=$1
    shift
    headroom plan emit.yaml --no-what-if --emit "$format" "$@" 2>plan.txt >out
}

# The document as JSON, with the documents in a ConfigMap's data parsed as well.
parsed() {
    /usr/bin/python3 -c 'import yaml' 2>/dev/null || skip "there is no python3-yaml"
    /usr/bin/python3 - <<'PYTHON'
import json, yaml

class Loader(yaml.SafeLoader):
    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key) for key, _ in node.value]
        assert len(set(keys)) == len(keys), keys  # YAML forbids it, PyYAML lets it pass
        return super().construct_mapping(node, deep)

document = yaml.load(open("out"), Loader)
if "data" in document:
    document["data"] = {name: yaml.load(text, Loader) for name, text in document["data"].items()}
print(json.dumps(document))
PYTHON
}

@test "mig-parted: an entry per pool and one for the hours of each entry of a calendar" {
    write_emit
    emit mig-parted
    parsed >json
    [ "$(jq -c '."mig-configs" | keys' json)" = '["all-disabled","day","day.calendar-1","day.calendar-2","turns-b"]' ]
    jq -e '."mig-configs"."all-disabled" == [{"devices": "all", "mig-enabled": false}]' json
    jq -e '.version == "v1" and (."mig-configs".day == [
        {"devices": [0, 1, 2], "mig-enabled": true, "mig-devices": {"3g.40gb": 2}}, {"devices": [3], "mig-enabled": false}])' json
    jq -e '."mig-configs"."day.calendar-1"[0]."mig-devices" == {"1g.10gb": 7}' json
    jq -e '."mig-configs"."day.calendar-2" | all(."mig-enabled" == false)' json
    jq -e '."mig-configs"."turns-b" == [{"devices": "all", "mig-enabled": false}]' json
    # Every GPU of a node is named once in each entry.
    jq -e '."mig-configs" | to_entries | map(select(.key | startswith("day"))) |
           all(.[]; [.value[].devices[]] | sort == [0, 1, 2, 3])' json
    grep -qx "  # mon-fri 09:00-21:00" out
    emit mig-parted --set 'cluster.pools.day.layouts=[{gpus: [3], sharing: {mode: mig, layout: [7g.80gb], calendar: [
        {from: "10:00", to: "11:00", mode: exclusive}]}}]' && return 1
    grep -q "pool day: GPUs of a node follow different calendars" plan.txt
}

@test "k8s: a ConfigMap whose entries are configurations of the device plugin" {
    write_emit
    emit k8s
    parsed >json
    jq -e '.apiVersion == "v1" and .kind == "ConfigMap" and .metadata.name == "emit-device-plugin"' json
    jq -e '.data | keys == ["day", "turns-b"] and all(.[]; .version == "v1")' json
    jq -e '.data.day == {"version": "v1", "flags": {"migStrategy": "mixed"}}' json
    jq -e '.data."turns-b" == {"version": "v1", "flags": {"migStrategy": "none"}, "sharing": {"timeSlicing":
        {"resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}}}' json
    # Instances of one kind that are shared by day and not at other hours: the plugin knows no hours.
    emit k8s --set 'cluster.pools.day.sharing.calendar=[{from: "09:00", to: "21:00", layout: [{profile: 3g.40gb,
        count: 2, sharing: {mode: timeslice, replicas: 2}}]}]' && return 1
    grep -q "pool day: the device plugin shares all nvidia.com/mig-3g.40gb of a node alike" plan.txt
    emit k8s --set 'cluster.pools.day.sharing.calendar=[{from: "09:00", to: "21:00", layout: [{profile: 1g.10gb,
        count: 7, sharing: {mode: timeslice, replicas: 2}}]}]'
    parsed | jq -e '.data.day.sharing.timeSlicing.resources == [{"name": "nvidia.com/mig-1g.10gb", "replicas": 2}]'
}

@test "slurm: nodes of both files are the same, spares for future use, and counts add up" {
    write_emit
    emit slurm --set 'cluster.pools.day={gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 4, price: {per_gpu_hour: 2},
        cpus_per_node: 64, memory_per_node: 512GiB,
        sharing: {mode: mps, clients: 5}, layouts: [{gpus: [1, 3], sharing: exclusive}]}'
    grep -q "^# Nodes without CPUs= have one and run one job" out
    diff <(grep -v '^#' out | grep -v '^$') - <<'CONF'
NodeName=day-[1-2] Name=gpu Type=a100 File=/dev/nvidia[0,2]
NodeName=day-[1-2] Name=mps Count=10 File=/dev/nvidia[0,2]
NodeName=day-[1-2] Name=gpu Type=a100 File=/dev/nvidia[1,3]
NodeName=turns-b-[1-5] Name=gpu Type=h100 File=/dev/nvidia[0-7]
NodeName=turns-b-[1-5] Name=shard Count=32 File=/dev/nvidia[0-7]
SelectType=select/cons_tres
GresTypes=gpu,mps,shard
NodeName=day-[1-2] CPUs=64 RealMemory=524288 Gres=gpu:a100:4,mps:10 State=UNKNOWN
NodeName=turns-b-[1-3] Gres=gpu:h100:8,shard:32 State=UNKNOWN
NodeName=turns-b-[4-5] Gres=gpu:h100:8,shard:32 State=FUTURE
PartitionName=day Nodes=day-[1-2] Default=YES State=UP
PartitionName=turns-b Nodes=turns-b-[1-5] State=UP
CONF
    emit slurm && return 1
    grep -q "pool day: Slurm does not cut GPUs by the clock" plan.txt
}

# pools.yaml: one pool of each GPU whose name has several parts, one of them cut.
write_pools() {
    cat >emit.yaml <<'YAML'
headroom: 1
name: emit
horizon: 10m
cluster:
  pools:
    cut:
      gpu: H100-NVL-94GB
      nodes: 1
      gpus_per_node: 2
      price: {per_gpu_hour: 4}
      sharing: {mode: mig, layout: [3g.47gb, 2g.24gb, 1g.12gb, 1g.12gb]}
      layouts: [{gpus: [1], sharing: exclusive}]
    rtx: {gpu: RTX-PRO-6000-96GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 2}}
    default: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1, price: {per_gpu_hour: 2}}
workloads:
  jobs: {kind: jobs, arrivals: {poisson: 1/m}, duration: 10s, speed: catalogue}
objectives: [run.completed >= 0]
plan:
  vary:
    cluster.pools.cut.nodes: [1]
YAML
}

@test "slurm: types are parts of what NVML calls GPUs and instances, instances first" {
    write_pools
    emit slurm && return 1
    grep -q "pool default: Slurm keeps a partition of that name" plan.txt
    sed -i 's/    default:/    all-disabled:/' emit.yaml
    emit slurm
    grep -qx "NodeName=cut-1 Gres=gpu:1g.12gb:2,gpu:2g.24gb:1,gpu:3g.47gb:1,gpu:h100:1 State=UNKNOWN" out
    grep -qx "NodeName=rtx-1 Gres=gpu:rtx_pro_6000:1 State=UNKNOWN" out
    grep -qx "NodeName=all-disabled-1 Gres=gpu:v100:1 State=UNKNOWN" out
    # A name that an entry of every such file has.
    emit mig-parted && return 1
    grep -q "pool all-disabled: that is the entry of nodes of which nothing is said" plan.txt
}

@test "what a file leaves to somebody else is said in its heading" {
    write_emit
    emit mig-parted --set 'cluster.pools.day={gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 4, price: {per_gpu_hour: 2},
        autoscale: {least: 1, provision_time: 5m}}'
    grep -qx "# Pool day: 2 nodes of 4 x A100-SXM4-80GB" out
    grep -qx "#   ordered and given back by an autoscaler, which is set up elsewhere" out
    grep -qx "#   and 2 that stand by" out
}
