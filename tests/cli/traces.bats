#!/usr/bin/env bats
# Traces on the command line: which work reads which format, and what is said of their columns.
bats_require_minimum_version 1.5.0
load helpers

write_service_scenario() { # FORMAT
    cat >service.yaml <<YAML
headroom: 1
name: service
horizon: 1h
cluster:
  pools:
    a100: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 4, price: {per_gpu_hour: 2}}
workloads:
  chat:
    kind: service
    service_time: 80ms
    trace: {file: requests.csv, format: $1}
YAML
}

@test "columns without effect are named" {
    write_small_scenario
    sed -i -e '1s/$/,model,estmate_s/' -e '2,$s/$/,m,5/' small.csv
    run --separate-stderr headroom run small.yaml
    [ "$status" -eq 0 ]
    [[ "$output" == *"small.csv: columns without effect in this version: model, estmate_s"* ]]
}

@test "requests as headroom's own columns" {
    write_service_scenario csv
    printf 'arrival_s,service_s,prompt_tokens\n0,1.5,400\n0.25,,80\n' >requests.csv
    headroom check service.yaml
    printf '1,x,\n' >>requests.csv
    refused_with_place "requests.csv:4: service_s: 'x': not a duration, as a number"
}

refused_with_place() { # TEXT
    run --separate-stderr headroom check service.yaml
    [ "$status" -eq 2 ]
    [ "${stderr_lines[0]}" = "$1" ]
}

@test "requests as Azure has them" {
    write_service_scenario azure_llm
    printf 'TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 18:15:46.6805900,374,44' >requests.csv
    headroom check service.yaml
    sed -i '/service_time/d' service.yaml
    refused_with_place "service.yaml:10:19: trace 'requests.csv': nothing says how long its requests \
take: give the workload a \`service_time\`, by tokens say"
}

@test "a format of the other kind of work" {
    write_service_scenario philly
    touch requests.csv
    refused_with_place "service.yaml:11:19: trace 'requests.csv': the format philly holds jobs, and \
this is a service: make it \`kind: jobs\`, or read requests as csv or azure_llm"
    write_small_scenario
    sed -i 's/file: small.csv/file: small.csv, format: azure_llm/' small.yaml
    run --separate-stderr headroom check small.yaml
    [ "$status" -eq 2 ]
    [[ "${stderr_lines[0]}" == "small.yaml:8:37: trace 'small.csv': the format azure_llm holds requests, "* ]]
}

# The first block of this kind below a heading of docs/scenario.md.
block_of() { # HEADING KIND
    awk -v heading="$1" -v fence="\`\`\`$2" '$0 == heading { below = 1; next }
        below && !on && $0 == fence { on = 1; next } on && /^```$/ { exit } on' "$SOURCE_DIR/docs/scenario.md"
}

@test "the docs' scenario for a trace of Azure's, on the lines that the docs show" {
    block_of "#### Requests of Azure's traces" yaml >azure.yaml
    awk '/^TIMESTAMP,/ { on = 1 } /^```$/ { on = 0 } on' "$SOURCE_DIR/docs/scenario.md" |
        sed 's/$/\r/' >AzureLLMInferenceTrace_code.csv
    [ "$(wc -l <AzureLLMInferenceTrace_code.csv)" -eq 3 ]
    headroom run azure.yaml --quiet
    [ "$(metric headroom.db completed)" = 2.0 ]
    # 0.05 + 374 x 0.0001 + 44 x 0.02 and 0.05 + 1000 x 0.0001 + 10 x 0.02 s, each on a GPU of its own
    [ "$(sqlite3 headroom.db "select round(value, 6) from metric where name = 'latency_s.mean'" | head -1)" = 0.6587 ]
    [ "$(sqlite3 headroom.db "select round(value, 6) from metric where name = 'latency_s.max'" | head -1)" = 0.9674 ]
    headroom check azure.yaml
    sed -i -e 's/azure_llm}/azure_llm, from: "2023-11-16 18:00:00.25", time_scale: 0.5}/' azure.yaml
    headroom run azure.yaml --quiet -o part.db
    [ "$(metric part.db completed)" = 1.0 ]
}

@test "queues and users of a trace: figures, costs, objectives, and the queue that is none" {
    write_small_scenario
    cat >owned.csv <<'CSV'
job_id,submit_s,gpus,duration_s,queue,user
a,0,4,3600,red,ann
b,0,4,1800,blue,ann
c,0,4,1800,red,
CSV
    sed -i -e 's/small.csv/owned.csv/' small.yaml
    headroom run small.yaml --quiet --set cluster.pools.a100.price.per_gpu_hour=2 \
        --set 'objectives=[queue.red.wait_s.max <= 90m, user.ann.completed >= 2]'
    # One node of four GPUs: a from 0 to 1 h, b to 1.5 h, c to 2 h, at 8 dollars an hour.
    [ "$(sqlite3 -separator ' ' headroom.db "select subject, usd, usd_idle_share from cost where scope = 'queue'
        order by subject")" = "blue 4.0 0.0
red 12.0 0.0" ]
    [ "$(sqlite3 -separator ' ' headroom.db "select subject, usd from cost where scope = 'user'
        order by subject")" = "(nobody) 4.0
ann 12.0" ]
    [ "$(sqlite3 headroom.db "select value from metric where scope = 'queue' and subject = 'red' and
        name = 'wait_s.max'")" = 5400.0 ]
    [ "$(sqlite3 headroom.db "select group_concat(coalesce(user, '-'), ' ') from (select user from job order by job_id)")" = \
        "ann ann -" ]
    run headroom check small.yaml --set 'objectives=[queue.rd.wait_s.max <= 1h]'
    [ "$status" -eq 2 ]
    [[ "$output" == *'no job is of queue "rd": did you mean "red"?'* ]]
    run headroom check small.yaml --set 'objectives=[queue.red.makespan_s <= 1h]'
    [ "$status" -eq 2 ]
    [[ "$output" == *'a queue has no figure makespan_s'* ]]
}
