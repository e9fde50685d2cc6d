#!/usr/bin/env bats
# headroom export: results in the formats of other programs.
bats_require_minimum_version 1.5.0
load helpers

# small.db, with everything recorded: jobs a (4 GPUs, 0 to 10 s), b (2, 10 to 20 s), c (4, 20 to 30 s).
write_small_results() { # [OPTION...]
    write_small_scenario
    headroom run small.yaml -o small.db --quiet --set 'record={jobs: true, events: true, timeline: 10s}' "$@"
}

# hostile.db: names that would break out of JSON, labels, CSV or a spreadsheet. The language refuses them for
# all but what a trace says, but a database may be anybody's.
write_hostile_results() {
    write_small_scenario
    printf 'job_id,submit_s,gpus,duration_s,queue\n"=1+1",0,1,10,"+q ""x"""\n"a\\""b",1,1,10,"-5"\n' >small.csv
    headroom run small.yaml -o hostile.db --quiet --set 'record={jobs: true, events: true, timeline: 10s}'
    sqlite3 hostile.db <<'SQL'
UPDATE run SET scenario = '=HYPERLINK("http://evil")' || char(10) || '"\ , </script>', variant = '@SUM(1)"\' || char(10);
UPDATE metric SET subject = '-w"\' || subject WHERE subject <> '';
UPDATE cost SET subject = '-w"\' || subject WHERE subject <> '';
UPDATE gpu_time SET pool = '=p, "x"';
UPDATE timeline SET pool = '=p, "x"';
UPDATE job_row SET workload = '-w"\';
UPDATE job_event_row SET workload = '-w"\', pool = CASE WHEN pool IS NOT NULL THEN '=p, "x"' END;
SQL
}

events() { # JQ-FILTER
    jq -r "[.traceEvents[] | select($1)] | length" trace.json
}

@test "a trace has a track per GPU, and a span per job on each" {
    write_small_results
    headroom export small.db --format perfetto -o trace.json
    jq -e '.displayTimeUnit == "ms"' trace.json
    [ "$(jq -r '.traceEvents[] | select(.name == "thread_name") | .args.name' trace.json | sort | tr '\n' ,)" = \
        "node 0 GPU 0,node 0 GPU 1,node 0 GPU 2,node 0 GPU 3," ]
    [ "$(jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' trace.json)" = \
        "pool a100 (small, variant base)" ]
    # In microseconds.
    [ "$(events '.ph == "X" and .name == "a" and .ts == 0 and .dur == 1e7')" = 4 ]
    [ "$(events '.ph == "X" and .name == "b" and .ts == 1e7 and .dur == 1e7')" = 2 ]
    [ "$(events '.ph == "X" and .name == "c" and .ts == 2e7 and .dur == 1e7')" = 4 ]
    [ "$(events '.ph == "X"')" = 10 ]
    # Three intervals of four counters: 100, 50 and 100 % are allocated.
    [ "$(events '.ph == "C"')" = 12 ]
    [ "$(jq -r '.traceEvents[] | select(.name == "allocated %") | .args.value' trace.json | tr '\n' ' ')" = "100 50 100 " ]
}

@test "without events, jobs are on lanes of their workload, with what is known of them" {
    write_small_results --set record.events=false
    headroom export small.db --format perfetto >trace.json
    [ "$(events '.ph == "X"')" = 3 ]
    [ "$(jq -c '[.traceEvents[] | select(.ph == "X") | .tid] | unique' trace.json)" = "[1]" ]
    [ "$(jq -c '.traceEvents[] | select(.name == "b") | .args' trace.json)" = \
        '{"gpus":2,"wait_s":9,"state":"completed"}' ]
}

@test "spans of a track never overlap, whatever shares the GPUs" {
    write_modes_scenario
    headroom run modes.yaml -o modes.db --quiet --set 'record={jobs: true, requests: true, events: true}' --set horizon=20m
    headroom export modes.db --format perfetto -o trace.json
    [ "$(events '.ph == "X" and .cat == "request"')" -gt 1000 ]
    jq -e '[.traceEvents[] | select(.ph == "X" and .cat != "phase")] | group_by([.pid, .tid]) |
           all(.[]; sort_by(.ts, .dur) as $spans | all(range(1; $spans | length);
               $spans[. - 1].ts + $spans[. - 1].dur <= $spans[.].ts + 0.01))' trace.json
}

@test "a window cuts spans and leaves out what is outside" {
    write_small_results
    headroom export small.db --format perfetto --from 5s --to 15s -o trace.json
    [ "$(events '.ph == "X" and .name == "a" and .ts == 5e6 and .dur == 5e6')" = 4 ]
    [ "$(events '.ph == "X" and .name == "b" and .ts == 1e7 and .dur == 5e6')" = 2 ]
    [ "$(events '.ph == "X"')" = 6 ]
    [ "$(events '.ph == "C" and .ts != 1e7')" = 0 ]
}

@test "a trace that is too large is refused before anything is written" {
    write_small_results
    refused_with "makes a trace of 22 events, more than 21: choose a part with --from and --to or --variant" \
        headroom export small.db --format perfetto --limit 21 -o trace.json
    [ ! -e trace.json ]
    headroom export small.db --format perfetto --limit 22 -o trace.json
    # Only a part counts.
    headroom export small.db --format perfetto --limit 10 --from 5s --to 15s -o trace.json
}

@test "OpenMetrics: a strict parser takes it, with the values of the database" {
    write_random_scenario
    headroom run random.yaml -o random.db --quiet --set record.timeline=1h --set start=2026-03-02T00:00:00Z
    headroom export random.db --format openmetrics >figures.om
    [ "$(tail -n 1 figures.om)" = "# EOF" ]
    # The run ends two days after its start.
    value=$(sqlite3 random.db "select printf('%!.15g', value) from metric join run using (run_id) where name = 'wait_s.p95'
        and scope = 'run' and variant = 'easy' and replication = 2")
    grep -qF "headroom_wait_p95_seconds{scenario=\"random\",variant=\"easy\",point=\"\",replication=\"2\",scope=\"run\",subject=\"\"} $value 1772582400.000" figures.om
    [ "$(grep -c '^headroom_timeline_busy{' figures.om)" = $((2 * 4 * 48)) ]
    python=/usr/bin/python3
    $python -c 'import prometheus_client' 2>/dev/null || skip "there is no python3-prometheus-client"
    $python - <<'PYTHON'
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(open("figures.om").read()))
names = [family.name for family in families]
assert len(set(names)) == len(names) and len(names) > 60, names
assert all(family.type == "gauge" and family.documentation for family in families)
assert [f for f in families if f.name == "headroom_utilization_busy_ratio"][0].unit == "ratio"
PYTHON
}

@test "OpenMetrics: a window is of the timelines" {
    write_small_results
    headroom export small.db --format openmetrics --from 10s --to 20s >figures.om
    [ "$(grep -c '^headroom_timeline_busy{' figures.om)" = 1 ]
    grep -q '^headroom_timeline_busy{.*} 0.5 ' figures.om
}

@test "CSV: a file per view, with its rows" {
    write_small_results
    headroom export small.db --format csv -o tables
    diff <(cd tables && ls *.csv | sed 's/\.csv$//') \
        <(sqlite3 small.db "select name from sqlite_schema where type = 'view' order by name")
    while read -r view; do
        rows=$(sqlite3 small.db "select count(*) from $view")
        [ "$(wc -l <"tables/$view.csv")" = $((rows + 1)) ] || { echo "$view"; return 1; }
    done < <(cd tables && ls *.csv | sed 's/\.csv$//')
    [ "$(head -n 1 tables/job.csv)" = "$(sqlite3 small.db "select group_concat(name) from pragma_table_info('job')")" ]
    grep -q '^1,train,b,,2,1,10,20,9,10,0,completed,' tables/job.csv
}

@test "FOCUS: the mandatory columns, and rows that add up to the bill" {
    write_small_scenario
    # A pool that nobody uses costs as well.
    headroom run small.yaml -o small.db --quiet \
        --set 'cluster.pools.spare={gpu: T4-16GB, nodes: 1, gpus_per_node: 2, price: {per_gpu_hour: 360}}' \
        --set 'workloads.train.pools=[a100]' --set 'start=2026-03-02T00:00:00Z'
    headroom export small.db --format focus >costs.csv
    for column in BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd \
        BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart \
        ContractedCost EffectiveCost InvoiceIssuerName ListCost PricingQuantity PricingUnit ProviderName \
        PublisherName ServiceCategory ServiceName; do
        head -n 1 costs.csv | tr , '\n' | grep -qx "$column" || { echo "no $column"; return 1; }
    done
    # Used: (4 + 2 + 4) x 10 GPU-seconds at a dollar. Idle: 2 x 10 of them, and 2 x 30 s at 0.10 a second.
    [ "$(cut -d, -f1 costs.csv | tail -n +2 | tr '\n' ' ')" = "100 20 6 " ]
    grep -q '^100,"small, variant base","small, variant base",USD,2026-03-02T00:00:30Z,2026-03-02T00:00:00Z,Usage,,GPUs of workload train,' costs.csv
    grep -q ',GPUs that no workload used,' costs.csv
    # GPU-hours: 100 s; and of the 80 s that nobody used 20/26 and 6/26, as of their cost.
    sqlite3 :memory: -cmd '.import --csv costs.csv focus' \
        "select group_concat(round(PricingQuantity * 3600, 6), ' ') from focus" >hours
    [ "$(cat hours)" = "100.0 61.538462 18.461538" ] || { cat hours costs.csv; return 1; }
}

@test "FOCUS: of several replications the mean, of several variants an account each" {
    write_random_scenario
    headroom run random.yaml -o random.db --quiet
    headroom export random.db --format focus >costs.csv
    sqlite3 random.db -cmd '.import --csv costs.csv focus' >sums "select x_Variant,
        abs(sum(BilledCost) - (select avg(value) from metric join run using (run_id) where name = 'usd_total' and
                               scope = 'run' and variant = x_Variant)) < 1e-6,
        count(distinct BillingAccountId), min(x_Replications) from focus group by 1"
    [ "$(tr '\n' ' ' <sums)" = "easy|1|1|4 fifo|1|1|4 " ]
    headroom export random.db --format focus --variant easy >costs.csv
    ! grep -q fifo costs.csv
}

@test "hostile names stay names" {
    write_hostile_results
    headroom export hostile.db --format perfetto -o trace.json
    [ "$(jq -r '[.traceEvents[] | select(.ph == "X") | .name] | sort | join(" ")' trace.json)" = '=1+1 a\"b' ]
    jq -e '[.traceEvents[] | select(.ph == "X") | .args.workload] | unique == ["-w\"\\"]' trace.json
    # A line per sample, quotes and backslashes escaped, new lines written as \n.
    headroom export hostile.db --format openmetrics >figures.om
    ! grep -vE '^(# (TYPE|UNIT|HELP) [a-z0-9_]+ .*|# EOF|headroom_[a-z0-9_]+\{([a-z]+="([^"\\]|\\["\\n])*",?)+\} [-+.e0-9]+ [0-9.]+)$' figures.om
    headroom export hostile.db --format csv -o tables
    headroom export hostile.db --format focus >tables/focus.csv
    # No cell begins like a formula, but for numbers: a name that is one stays.
    for file in tables/*.csv; do
        sqlite3 :memory: -cmd ".import --csv $file t" "select group_concat('\"' || name || '\"') from pragma_table_info('t')" >columns
        tr ',' '\n' <columns | while read -r column; do
            sqlite3 :memory: -cmd ".import --csv $file t" "select $column from t where $column glob '[=+@-]*'
                and cast($column as real) = 0" | grep . && { echo "$file: $column"; exit 1; } || true
        done
    done
    sqlite3 :memory: -cmd '.import --csv tables/job.csv t' "select job_id from t" | grep -qxF "'=1+1"
}

@test "only the newest results, or those of a variant" {
    write_random_scenario
    headroom run random.yaml -o random.db --quiet
    headroom run random.yaml -o random.db --quiet --set replications=1
    headroom export random.db --format csv -o tables
    [ "$(wc -l <tables/v_summary.csv)" = 3 ]
    headroom export random.db --format csv -o tables --variant easy
    [ "$(wc -l <tables/v_summary.csv)" = 2 ]
    grep -q ',easy,' tables/v_summary.csv
    ! grep -q ',fifo,' tables/v_compare.csv
}

@test "bad calls" {
    write_small_results
    refused_with "export needs a format" headroom export small.db
    refused_with "--format takes perfetto, openmetrics, csv or focus, not 'xml'" headroom export small.db --format xml
    refused_with "export needs one database" headroom export --format csv
    refused_with "none.db" headroom export none.db --format csv
    refused_with "--from takes a time since the start" headroom export small.db --format perfetto --from yesterday
    refused_with "--from must be before --to" headroom export small.db --format perfetto --from 2h --to 1h
    refused_with "--from and --to are not for csv" headroom export small.db --format csv --from 1h
    refused_with "--limit is for perfetto" headroom export small.db --format csv --limit 5
    refused_with "-o FOLDER, not -" headroom export small.db --format csv -o -
    refused_with "has no run of a variant 'nobody'" headroom export small.db --format csv --variant nobody
    refused_with "no/t.json: cannot be written" headroom export small.db --format perfetto -o no/t.json
    [ ! -e none.db ]
    # What the help lists is what --format takes.
    [ "$(headroom export --help | sed -n '/^Formats:/,/^$/s/^  \([a-z]*\) .*/\1/p' | paste -sd'|')" = \
        "$(headroom export --help | sed -n 's/.*--format \(.*|[a-z]*\).*/\1/p' | head -n 1)" ]
}

@test "the database is not changed" {
    write_small_results
    sha256sum small.db >before
    for format in perfetto openmetrics focus; do
        headroom export small.db --format $format >/dev/null
    done
    headroom export small.db --format csv
    [ -e export/v_jobs.csv ]
    sha256sum -c --quiet before
}
