#!/usr/bin/env bats
# Services over time: the rows of service_timeline against the requests themselves.
bats_require_minimum_version 1.5.0
load helpers

# A service that is sometimes overloaded and gives up, and one that never waits; the last minute is half.
write_rush_scenario() {
    cat >rush.yaml <<'YAML'
headroom: 1
name: rush
seed: 7
horizon: 630s
cluster: {pools: {p: {gpu: A100-SXM4-40GB, nodes: 1, gpus_per_node: 4, price: {per_gpu_hour: 1}}}}
workloads:
  rush:
    kind: service
    arrivals: {poisson: 9/s}
    service_time: {exponential: {mean: 100ms}}
    timeout: 2s
    slo: 400ms
  calm: {kind: service, replicas: 3, arrivals: {poisson: 5/s}, service_time: 20ms}
record: {requests: true, timeline: 1m}
YAML
}

@test "latency percentiles of each interval are those of a sort" {
    write_rush_scenario
    headroom run rush.yaml --quiet
    [ "$(sqlite3 headroom.db 'select count(*) from service_timeline')" = 22 ]
    # Nearest rank; a bucket of the histogram is at most 0.1 % wide.
    sqlite3 headroom.db >wrong "
        with answered as (select workload, 60.0 * cast(end_s / 60 as integer) as t_s, latency_s
                          from request where state = 'completed'),
        ranked as (select *, count(*) over i as n, row_number() over (partition by workload, t_s order by latency_s) as rank
                   from answered window i as (partition by workload, t_s)),
        sorted as (select workload, t_s, n, max(latency_s) as longest,
                          max(latency_s) filter (where rank = (50 * n + 99) / 100) as p50,
                          max(latency_s) filter (where rank = (99 * n + 99) / 100) as p99
                   from ranked group by workload, t_s)
        select * from service_timeline left join sorted using (workload, t_s)
        where n is null or completed <> n or abs(latency_p50_s - p50) > 0.001 * p50
              or abs(latency_p99_s - p99) > 0.001 * p99 or abs(latency_max_s - longest) > 1e-9"
    [ ! -s wrong ] || { cat wrong; false; }
}

@test "the slo of each interval counts those that gave up" {
    write_rush_scenario
    headroom run rush.yaml --quiet
    [ "$(sqlite3 headroom.db "select count(*) from request where state = 'timed_out'")" -gt 0 ]
    sqlite3 headroom.db >wrong "
        with left as (select 60.0 * cast(end_s / 60 as integer) as t_s,
                             avg(state = 'completed' and latency_s <= 0.4 + 1e-12) as kept
                      from request where workload = 'rush' and end_s is not null group by 1)
        select * from service_timeline left join left using (t_s)
        where workload = 'rush' and not coalesce(abs(slo_attainment - kept) < 1e-9, 0)"
    [ ! -s wrong ] || { cat wrong; false; }
    [ "$(sqlite3 headroom.db "select count(slo_attainment) from service_timeline where workload = 'calm'")" = 0 ]
}

@test "the queue of each interval is the time that requests waited in it" {
    write_rush_scenario
    headroom run rush.yaml --quiet
    # Each waits from its arrival to its start, or to its end without one, or beyond the run.
    sqlite3 headroom.db >wrong "
        with waits as (select workload, arrival_s as a, coalesce(start_s, end_s, 630.0) as b from request),
        parts as (select t.workload, t_s, queued_requests, CASE WHEN t_s < 600 THEN 60.0 ELSE 30.0 END as wide,
                         (select sum(max(0.0, min(b, t_s + 60) - max(a, t_s))) from waits w where w.workload = t.workload) as waited
                  from service_timeline t)
        select *, waited / wide from parts where abs(queued_requests - waited / wide) > 1e-6 * (1 + queued_requests)"
    [ ! -s wrong ] || { cat wrong; false; }
    [ "$(sqlite3 headroom.db "select max(queued_requests) > 1 from service_timeline")" = 1 ]
}

@test "without a timeline nothing is kept, and a run is the same" {
    write_rush_scenario
    headroom run rush.yaml --quiet
    headroom run rush.yaml --quiet --set 'record={requests: true}' -o plain.db
    [ "$(sqlite3 plain.db 'select count(*) from service_timeline')" = 0 ]
    for db in headroom.db plain.db; do
        sqlite3 "$db" 'select scope, subject, name, value from metric order by 1, 2, 3' | sha256sum
    done | uniq | wc -l | grep -qx 1
}
