#!/usr/bin/env bats
# headroom export: files are what the formats' specifications ask for, read by parsers; and a run that recorded too
# little says what to record.
bats_require_minimum_version 1.5.0
load helpers

# saves.yaml: training that is preempted and saves, two to a GPU, beside a service, all recorded.
write_saves() {
    cat >saves.yaml <<'YAML'
headroom: 1
name: saves
start: 2026-03-02T00:00:00Z
horizon: 5h
cluster:
  pools:
    a100:
      gpu: H100-SXM5-80GB
      nodes: 2
      gpus_per_node: 2
      price: {per_gpu_hour: 2}
      storage: {bandwidth: 2GB/s}
      layouts: [{gpus: [1], sharing: {mode: timeslice, replicas: 2}}]
  power: {price_per_kwh: 0.2, pue: 1.5}
scheduler: {order: priority, preemption: {victims: least_progress_lost}}
workloads:
  train:
    kind: jobs
    preemptible: true
    arrivals: {poisson: 6/h}
    duration: {exponential: {mean: 40m}}
    memory: 10GB
    checkpoint: {size: 30GB, interval: 7m}
  tune: {kind: jobs, class: finetuning, arrivals: {poisson: 4/h}, duration: {exponential: {mean: 9m}}, memory: 10GB}
  chat: {kind: service, replicas: 1, memory: 10GB, arrivals: {poisson: 3/m}, service_time: {exponential: {mean: 9s}}}
record: {jobs: true, requests: true, events: true, timeline: 10m}
YAML
}

@test "perfetto: events are complete, named and in order, and spans nest to the nanosecond" {
    write_saves
    headroom run saves.yaml -o saves.db --quiet
    for options in "" "--from 1h --to 90m"; do
        headroom export saves.db --format perfetto $options -o trace.json
        jq -e 'keys == ["displayTimeUnit", "traceEvents"]' trace.json
        jq -e '[.traceEvents[].ph] | unique == ["C", "M", "X"]' trace.json
        jq -e '.traceEvents | all(.[]; (.pid | type == "number" and . >= 1) and (.name | type == "string" and . != ""))' trace.json
        jq -e '.traceEvents | map(select(.ph == "X")) | length > 50 and all(.[]; .ts >= 0 and .dur >= 0 and .tid >= 1 and
               (.cat | IN("job", "phase", "request")) and (.args | type == "object"))' trace.json
        jq -e '.traceEvents | map(select(.ph == "C")) | length > 8 and all(.[]; (.ts | type == "number") and
               (.args.value | type == "number"))' trace.json
        # Each process has one name, and each track that has spans.
        jq -e '.traceEvents | (map(select(.name == "process_name") | .pid)) as $named | ($named | unique | length) == ($named | length)
               and (map(.pid) | unique) == ($named | sort)' trace.json
        jq -e '.traceEvents | (map(select(.name == "thread_name") | [.pid, .tid])) as $named | ($named | unique | length) == ($named | length)
               and (map(select(.ph == "X") | [.pid, .tid]) | unique) == ($named | sort)' trace.json
        # On a track begins never go back; a span lies within the one that is open, or after it.
        jq -e '[.traceEvents[] | select(.ph == "X")] | group_by([.pid, .tid]) | all(.[];
            reduce .[] as $span ({good: true, last: 0, open: []};
                .good = (.good and $span.ts >= .last) | .last = $span.ts
                | (($span.ts * 1000 | round)) as $begin | ((($span.ts + $span.dur) * 1000) | round) as $finish
                | .open = [.open[] | select(. > $begin)]
                | .good = (.good and all(.open[]; . >= $finish)) | .open += [$finish]) | .good)' trace.json
        jq -e '[.traceEvents[] | select(.ph == "C")] | group_by([.pid, .name]) |
               all(.[]; [.[].ts] | . == (sort | unique))' trace.json
    done
    headroom export saves.db --format perfetto | jq -e '[.traceEvents[] | select(.cat == "phase") | .name] | unique == ["restore", "save"]'
    # Nothing is outside of the window.
    jq -e '[.traceEvents[] | select(.ph == "X")] | all(.[]; .ts >= 3600e6 and .ts + .dur <= 5400e6 + 0.001)' trace.json
}

@test "perfetto: how many requests wait, and their P99, are counters of the service" {
    write_saves
    headroom run saves.yaml -o saves.db --quiet
    # Values of our own; in the second interval nothing was answered.
    sqlite3 saves.db "UPDATE service_timeline SET queued_requests = t_s / 600 + 0.5, latency_p99_s = CASE t_s
        WHEN 600 THEN NULL ELSE 0.25 END"
    headroom export saves.db --format perfetto --from 0s --to 30m -o trace.json
    jq -e '.traceEvents | map(select(.name == "process_name" and (.args.name | startswith("workload chat (")))) | length == 1' trace.json
    jq -e '(.traceEvents[] | select(.name == "process_name" and (.args.name | startswith("workload chat"))) | .pid) as $chat |
        [.traceEvents[] | select(.ph == "C" and .pid == $chat) | [.ts, .name, .args.value]] ==
        [[0, "requests waiting", 0.5], [0, "P99 ms", 250], [600e6, "requests waiting", 1.5],
         [1200e6, "requests waiting", 2.5], [1200e6, "P99 ms", 250]]' trace.json
    # All of them count: of an hour that has nothing else, five counters of chat and twelve of the pool.
    sqlite3 saves.db 'DELETE FROM job_event_row; DELETE FROM job_row; DELETE FROM request_row'
    refused_with "makes a trace of 17 events, more than 16" \
        headroom export saves.db --format perfetto --to 30m --limit 16
    headroom export saves.db --format perfetto --to 30m --limit 17 | jq -e '[.traceEvents[] | select(.ph == "C")] | length == 17'
}

@test "openmetrics: families once and together, units in names, times of a series in order, an end" {
    write_saves
    headroom run saves.yaml -o saves.db --quiet --set replications=2
    headroom export saves.db --format openmetrics >figures.om
    /usr/bin/python3 - <<'PYTHON'
import re

label = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
sample = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:%s)(?:,%s)*)\} (\S+) (\d+\.\d{3})' % (label, label))
text = open("figures.om", encoding="utf-8").read()
assert text.endswith("\n# EOF\n") and text.count("# EOF") == 1
seen, types, units, series, family, samples = set(), {}, {}, {}, None, 0
for line in text.split("\n")[:-2]:
    described = re.fullmatch(r'# (TYPE|UNIT|HELP) (\S+) (.*)', line)
    if described:
        what, name, rest = described.groups()
        if what == "TYPE":
            assert name not in seen, name
            seen.add(name)
            family = name
            types[name] = rest
        assert name == family, line
        if what == "UNIT":
            units[name] = rest
            assert name.endswith("_" + rest), line
        continue
    match = sample.fullmatch(line)
    assert match, line
    name, labels, value, time = match.groups()
    assert name == family and types[name] == "gauge", line
    # A gauge may not look like a part of another type.
    assert not re.search(r"_(total|created|bucket|count|sum|info)$", name) or name == "headroom_count", name
    float(value)
    key = (name, labels)
    assert float(time) > series.get(key, 0), line
    series[key] = float(time)
    samples += 1
assert len(seen) > 80 and samples > 1000, (len(seen), samples)
assert any(name.startswith("headroom_timeline_") for name in seen)
PYTHON
    command -v promtool || skip "there is no promtool"
    promtool tsdb create-blocks-from openmetrics figures.om blocks
    mkdir -p blocks/wal # which this promtool asks for
    [ "$(promtool tsdb dump blocks | grep -c '^{.*__name__="headroom_timeline_busy"')" = 60 ] # 2 runs of 30 intervals
}

@test "csv: every file reads back as its view, to the last bit" {
    write_saves
    headroom run saves.yaml -o saves.db --quiet --set record.requests=false
    sqlite3 saves.db "UPDATE job_row SET job_id = 'a,\"b\"' || char(13, 10) || 'c' WHERE id = (SELECT min(id) FROM job_row);
        UPDATE job_row SET job_id = char(10) || '=1' WHERE id = (SELECT max(id) FROM job_row)"
    headroom export saves.db --format csv -o tables
    /usr/bin/python3 - <<'PYTHON'
import csv, glob, os, sqlite3

# Numbers by their value, texts that begin like a formula with the guard that they get.
def cell(value):
    if value is None:
        return ("text", "")
    try:
        return ("number", repr(float(value)))
    except ValueError:
        return ("text", "'" + value if value.startswith(tuple("=+-@\t\r\n")) else value)

connection = sqlite3.connect("saves.db")
for path in glob.glob("tables/*.csv"):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    cursor = connection.execute('SELECT * FROM "%s"' % os.path.basename(path)[:-4])
    assert rows[0] == [column[0] for column in cursor.description], path
    expected = sorted([cell(value) for value in row] for row in cursor)
    assert sorted([cell(text) for text in row] for row in rows[1:]) == expected, path
names = [row[0] for row in connection.execute("SELECT job_id FROM job ORDER BY 1")]
assert 'a,"b"\r\nc' in names and "\n=1" in names
PYTHON
}

@test "FOCUS: values are of the kinds that its columns allow, and quantities have their units" {
    write_saves
    headroom run saves.yaml -o saves.db --quiet --set replications=2
    headroom export saves.db --format focus >costs.csv
    [ "$(head -n 1 costs.csv | tr , '\n' | sort | uniq -d)" = "" ]
    sqlite3 :memory: -cmd '.import --csv costs.csv focus' >bad "SELECT * FROM focus WHERE
        ChargeCategory NOT IN ('Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment') OR ChargeClass NOT IN ('', 'Correction')
        OR ChargeFrequency NOT IN ('One-Time', 'Recurring', 'Usage-Based')
        OR PricingCategory NOT IN ('Standard', 'Dynamic', 'Committed', 'Other') OR ServiceCategory <> 'Compute'
        OR BillingCurrency NOT GLOB '[A-Z][A-Z][A-Z]' OR '' IN (BilledCost, BillingAccountId, BillingAccountName,
            ChargeDescription, InvoiceIssuerName, PricingQuantity, ProviderName, PublisherName, ServiceName)
        OR ChargePeriodStart NOT GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z'
        OR ChargePeriodStart >= ChargePeriodEnd OR ChargePeriodStart < BillingPeriodStart OR ChargePeriodEnd > BillingPeriodEnd
        OR BilledCost <> EffectiveCost OR BilledCost <> ListCost OR BilledCost <> ContractedCost
        OR NOT json_valid(Tags) OR x_Idle NOT IN ('true', 'false') OR PricingUnit NOT IN ('GPU-Hours', 'kWh')"
    [ ! -s bad ] || { cat bad; return 1; }
    # Electricity in kilowatt-hours of the GPUs, and their price with what the building adds: 0.2 x 1.5.
    sqlite3 :memory: -cmd '.import --csv costs.csv focus' >sums "SELECT sum(BilledCost) > 0,
        abs(sum(BilledCost) / sum(PricingQuantity) - 0.3) < 1e-9 FROM focus WHERE PricingUnit = 'kWh'"
    [ "$(cat sums)" = "1|1" ]
    [ "$(sqlite3 :memory: -cmd '.import --csv costs.csv focus' -cmd 'ATTACH "saves.db" AS db' "SELECT abs(sum(PricingQuantity) -
        (SELECT avg(value) FROM db.metric WHERE scope = 'run' AND name = 'energy_kwh')) < 1e-6 FROM focus WHERE PricingUnit = 'kWh'")" = 1 ]
}

@test "a run that recorded nothing says what to record" {
    write_saves
    headroom run saves.yaml -o saves.db --quiet --set 'record={jobs: false}'
    refused_with "saves.db: has nothing that happened at a time: run the scenario again with record.events=true" \
        headroom export saves.db --format perfetto
    refused_with "has no timelines to take a window of: run the scenario again with record.timeline=60s" \
        headroom export saves.db --format openmetrics --from 1h
    headroom export saves.db --format openmetrics | tail -n 1 | grep -qx "# EOF"
    # A window in which nothing happens is an empty trace, and no mistake.
    headroom run saves.yaml -o full.db --quiet
    headroom export full.db --format perfetto --from 20h --to 21h | jq -e '.traceEvents == []'
}
