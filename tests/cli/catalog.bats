#!/usr/bin/env bats
# headroom catalog: what the program knows by itself.
bats_require_minimum_version 1.5.0
load helpers

# own.yaml: a GPU and a model of one's own, and a changed price.
write_catalogue() {
    cat >own.yaml <<'YAML'
gpus:
  X100-64GB: {source: our lab, memory: 64GiB, sms: 100, power: {idle: 50W, limit: 400W}}
  T4-16GB: {source: our contract, price: {usd_per_gpu_hour: 0.25, provider: us}}
models:
  ours: {source: a test, memory: 5GB, measured_as: resnet50}
YAML
}

# The rows of a data file, without its header.
rows_of() { # FILE
    echo $(($(wc -l <"$SOURCE_DIR/models/catalogue/$1") - 1))
}

longest_line() {
    awk '{ if (length($0) > most) most = length($0) } END { print most }'
}

@test "alone it says what there is" {
    run --separate-stderr headroom catalog
    [ "$status" -eq 0 ]
    for topic in gpus "mig GPU" prices models; do
        [[ "$output" == *"headroom catalog $topic "* ]]
    done
}

@test "the GPUs for people: figures, a dash where none is known, a ? where one is not verified" {
    run --separate-stderr headroom catalog gpus
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" =~ A100-SXM4-80GB\ +80.0\ +108\ +7\ slices\ +-\ +400\ +\$3.43\ +AWS\ +p4de.24xlarge\ +2026-11-09 ]]
    [[ "$output" =~ A100-PCIE-80GB\ +80.0\ +108\ +7\ slices\ +-\ +300\?\ +\$3.67 ]]
    [[ "$output" =~ P100-16GB\ +16.0\ +56\ +-\ +-\ +-\ +-\ +-\ +-\ +- ]]
    [[ "$output" == *"?: not verified."* ]]
    [ "$(grep -cE '^[A-Z][A-Z0-9]+-.*GB ' <<<"$output")" = "$(rows_of gpus.csv)" ]
    [ "$(longest_line <<<"$output")" -le 100 ]
}

@test "every figure with its source, in all formats, and in the table if asked" {
    headroom catalog gpus --format markdown | grep -q '^| T4-16GB .*| nvidia-smi -q of a board [^|]*| high |'
    [ "$(headroom catalog gpus --format csv | head -1)" = \
        "name,memory_gib,sms,compute_slices,memory_units,mig_mode_needs_reset,idle_w,limit_w,price_usd_per_gpu_hour,price_provider,price_sku,price_kind,price_date,memory_source,memory_confidence,sms_source,sms_confidence,power_source,power_confidence,price_source,price_confidence" ]
    [ "$(headroom catalog gpus --format json |
        jq -c '.[] | select(.name == "P100-16GB") | [.memory_gib, .sms, .compute_slices, .price_usd_per_gpu_hour, .price_kind]')" = \
        '[16,56,null,null,null]' ]
    [ "$(headroom catalog gpus --format json | jq '[.[] | .memory_source] | all(length > 0)')" = true ]
    run headroom catalog gpus --sources
    [ "$status" -eq 0 ]
    [[ "$output" == *$'\nT4-16GB\n  memory   high         nvidia-smi -q of a board'* ]]
    [ "$(longest_line <<<"$output")" -le 100 ]
}

@test "the prices: all of them, which one counts, which are not verified" {
    run --separate-stderr headroom catalog prices
    [ "$status" -eq 0 ]
    [[ "$output" =~ H100-SXM5-80GB\ +\$6.88\*\ +AWS\ +p5.48xlarge\ +on-demand\ +2026-11-09 ]]
    [[ "$output" =~ H100-SXM5-80GB\ +\$2.69\ +RunPod\ +H100\ SXM\ +spot\ +2026-03 ]]
    [[ "$output" =~ T4-16GB\ +\$0.53\?\ +AWS\ +g4dn.xlarge ]]
    [[ "$output" == *"?: not verified."* ]]
    [ "$(longest_line <<<"$output")" -le 100 ]
    [ "$(headroom catalog prices --format json | jq length)" = "$(rows_of prices.csv)" ]
    # At most one counts of each GPU, and it is the one that `catalog gpus` shows.
    headroom catalog prices --format json | jq -S '[.[] | select(.counts == "yes") |
        [.gpu, .usd_per_gpu_hour]]' >counting.json
    headroom catalog gpus --format json | jq -S '[.[] | select(.price_usd_per_gpu_hour != null) |
        [.name, .price_usd_per_gpu_hour]]' >shown.json
    cmp counting.json shown.json
    [[ "$(headroom catalog prices --sources)" == *"\$0.53    unverified   no source found"* ]]
}

@test "the models: memory, and where speeds were measured" {
    run --separate-stderr headroom catalog models
    [ "$status" -eq 0 ]
    [[ "$output" =~ llama-7b\ +14.0\ +-\ +-\ +-\ +-\ +- ]]
    [[ "$output" =~ bert-base\ +2.00\?\ +bert\ +1,\ 2,\ 3,\ 4,\ 7\ +1-256\ +2,\ 3,\ 4,\ 7\ +2-8 ]]
    [[ "$output" =~ gnn\ +-\ +gnn\ +-\ +-\ +1,\ 2,\ 3,\ 4,\ 7\ +64-512 ]]
    [ "$(longest_line <<<"$output")" -le 100 ]
    [ "$(headroom catalog models --format json |
        jq -c '.[] | select(.name == "resnet50") | [.memory_gb, .inference_gpu, .training_gpu]')" = \
        '[null,"A100-SXM4-80GB",null]' ]
    [[ "$(headroom catalog models --sources)" == *"socc22-miso"* ]]
}

@test "with the entries of a file" {
    write_catalogue
    [ "$(headroom catalog gpus -c own.yaml --format json |
        jq -c '.[] | select(.name == "X100-64GB") | [.memory_gib, .sms, .limit_w, .memory_source, .memory_confidence]')" = \
        '[64,100,400,"our lab","given"]' ]
    [[ "$(headroom catalog prices --catalogue own.yaml)" =~ T4-16GB\ +\$0.25\*\ +us\ +-\ +on-demand\ +- ]]
    [[ "$(headroom catalog models -c own.yaml)" =~ ours\ +5.00\ +resnet50 ]]
    echo 'gpus: {X: {source: s, memry: 4GB}}' >bad.yaml
    run --separate-stderr headroom catalog gpus -c bad.yaml
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [ "${stderr_lines[0]}" = 'bad.yaml:1:8: X is a new GPU and needs its memory' ]
    [ "${stderr_lines[1]}" = 'bad.yaml:1:23: unknown key "memry" in gpus.X: did you mean "memory"?' ]
    refused_with "none.yaml: cannot open the file: No such file or directory" \
        headroom catalog gpus -c none.yaml
}

@test "a scenario with a catalogue of its own: names, prices, and its bytes as an input" {
    write_catalogue
    write_small_scenario
    sed -i 's/A100-SXM4-80GB/X100-64GB/; s/, price: {per_gpu_hour: 3600}//' small.yaml
    run --separate-stderr headroom check small.yaml
    [ "$status" -eq 2 ]
    [[ "$stderr" == *'names no known GPU: "X100-64GB"'* ]]
    headroom check small.yaml --set catalogue=own.yaml
    mkdir sub
    mv small.yaml small.csv own.yaml sub
    echo 'catalogue: own.yaml' >>sub/small.yaml
    headroom run sub/small.yaml --quiet >/dev/null
    sed -i 's/sms: 100/sms: 101/' sub/own.yaml
    headroom run sub/small.yaml --quiet >/dev/null
    [ "$(sqlite3 headroom.db 'select count(distinct inputs_sha256) from run')" = 2 ]
    [ "$(sqlite3 headroom.db 'select count(distinct scenario_sha256) from run')" = 1 ]
    # The list price of the file is what the pool costs.
    headroom run sub/small.yaml -o t4.db --set cluster.pools.a100.gpu=T4 >out 2>&1
    grep -q 'list price of T4-16GB, \$0.25 per GPU-hour (us, on-demand)' out
    [ "$(sqlite3 t4.db "select round(value * 3600, 6) from metric where scope = 'run' and name = 'usd_total'")" = 30.0 ]
}

@test "what a file says wrong is told at its place, once for all variants" {
    write_small_scenario
    cat >>small.yaml <<'YAML'
catalogue: own.yaml
variants: {a: {}, b: {}}
YAML
    printf 'gpus:\n  X100-64GB:\n    source: s\n    memory: 64\n' >own.yaml
    run --separate-stderr headroom check small.yaml
    [ "$status" -eq 2 ]
    [ "${stderr_lines[0]}" = 'own.yaml:4:13: gpus.X100-64GB.memory must be a size such as 512MiB, 14GB or 80GiB, not "64" (a number needs its unit)' ]
    [ "${#stderr_lines[@]}" -eq 2 ]
}

@test "bad calls" {
    refused_with "there is no catalogue 'gpu'" headroom catalog gpu
    refused_with "catalog gpus takes no argument, so not 'T4'" headroom catalog gpus T4
    refused_with "--layout is for" headroom catalog prices --layout 9,14
    refused_with "--format takes" headroom catalog gpus --format xml
}

@test "a catalogue whose instances together have more than the GPU is refused, and so is a name twice" {
    cat >lie.yaml <<'YAML'
gpus:
  X1:
    source: a
    memory: 4GiB
    sms: 12
    mig:
      compute_slices: 4
      memory_units: 4
      profiles:
        1g.1gb: {id: 0, slices: 1, units: 1, memory: 4GiB, sms: 12, max_instances: 4, starts: [0, 1, 2, 3]}
YAML
    run --separate-stderr headroom catalog gpus --catalogue lie.yaml
    [ "$status" -eq 2 ]
    [[ "$stderr" == "lie.yaml:2:3: "*" of 12 SMs and "* ]]
    printf 'gpus: {X1: {source: a, memory: 1GiB}, x1: {source: b, memory: 2GiB}}\n' >twice.yaml
    run --separate-stderr headroom catalog gpus --catalogue twice.yaml
    [ "$status" -eq 2 ]
    [[ "$stderr" == "twice.yaml:1:39: "*"same name as X1"* ]]
}
