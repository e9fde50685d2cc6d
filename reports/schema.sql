-- headroom's results database, version 4.
--
-- One file holds any number of runs. Names say their units: _s is seconds of simulated time since
-- t = 0 (the start of the run), _gib is 2^30 bytes, _hours and _month (730 hours) are simulated too; a
-- share is of 1. NULL stands for what does not exist: a mean over nothing, a price nobody knows, the end
-- of a job that has not ended. The views at the end are made for people and for plots, and keep to what
-- DuckDB reads as SQLite does, since it runs their text itself.

PRAGMA application_id = 0x4844524D; -- "HDRM": how headroom knows its own files
PRAGMA user_version = 4;            -- a headroom that knows only another version refuses the file

-- A scenario file as it was read. Runs of the same text share one row.
CREATE TABLE scenario (
    sha256 TEXT PRIMARY KEY NOT NULL, -- of the text, 64 hexadecimal digits
    name   TEXT NOT NULL,
    yaml   TEXT NOT NULL              -- the text
) STRICT, WITHOUT ROWID;

-- One call of `headroom run` or `headroom sweep`.
CREATE TABLE batch (
    batch      INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at TEXT NOT NULL -- UTC, 2026-03-02T09:30:00Z
) STRICT;

-- One finished run: one variant at one sweep point with one seed. A run has a row here only if all of
-- its rows are in the database. Deleting the row deletes them.
CREATE TABLE run (
    run_id          INTEGER PRIMARY KEY AUTOINCREMENT,
    batch           INTEGER NOT NULL REFERENCES batch,
    position        INTEGER NOT NULL, -- its place in the batch: the order in which tables show runs
    scenario        TEXT NOT NULL,    -- the scenario's name
    variant         TEXT NOT NULL,    -- "base" where the scenario has none
    point           TEXT NOT NULL,    -- of a sweep, "" outside sweeps
    replication     INTEGER NOT NULL, -- 1, 2, ...
    seed            INTEGER NOT NULL, -- 64 bits: seeds from 2^63 on show as negative numbers
    status          TEXT NOT NULL,    -- done
    currency        TEXT NOT NULL,    -- what the columns named usd are in: USD unless the scenario says
    sim_seconds     REAL NOT NULL,    -- simulated time, from t = 0 to the end of the run
    events          INTEGER NOT NULL, -- simulated events
    wall_seconds    REAL NOT NULL,    -- how long the computer took
    started_at      TEXT NOT NULL,    -- UTC, 2026-03-02T09:30:00Z
    start_epoch_s   REAL,             -- wall clock of t = 0 (`start`): seconds since 1970-01-01T00:00:00Z
    version         TEXT NOT NULL,    -- of headroom
    scenario_sha256 TEXT NOT NULL REFERENCES scenario,
    inputs_sha256   TEXT NOT NULL     -- of the resolved scenario and its traces
) STRICT;

-- The counter that AUTOINCREMENT keeps: run_ids are taken from it before the runs begin.
INSERT INTO sqlite_sequence (name, seq) VALUES ('run', 0);

CREATE INDEX run_by_case ON run (scenario, variant, point, batch);
CREATE INDEX run_by_batch ON run (batch, position);

-- Every figure of a run, over what was measured (from the end of the warm-up on). Names are like
-- wait_s.p95, utilization.busy, completed; the model reference lists them.
CREATE TABLE metric (
    run_id  INTEGER NOT NULL REFERENCES run,
    scope   TEXT NOT NULL, -- run | pool | workload | model | queue | user
    subject TEXT NOT NULL, -- which pool, workload, queue or user; "" in scope run
    name    TEXT NOT NULL,
    value   REAL,          -- in `unit`
    unit    TEXT NOT NULL, -- s | share | count | gpu_hours | usd | ...
    PRIMARY KEY (run_id, scope, subject, name)
) STRICT;

-- Where every GPU-hour of a pool went. The categories of a pool add up to its GPUs x measured time.
CREATE TABLE gpu_time (
    run_id    INTEGER NOT NULL REFERENCES run,
    pool      TEXT NOT NULL,
    category  TEXT NOT NULL, -- useful | redone | checkpoint | restore | loading | switch | held_idle | idle | ...
    gpu_hours REAL NOT NULL,
    PRIMARY KEY (run_id, pool, category)
) STRICT;

-- Money over the measured time, in run.currency.
CREATE TABLE cost (
    run_id         INTEGER NOT NULL REFERENCES run,
    scope          TEXT NOT NULL, -- as in metric
    subject        TEXT NOT NULL,
    usd            REAL,          -- for the time it used itself
    usd_idle_share REAL,          -- its share of the time nobody used
    usd_energy     REAL,          -- for electricity, where that has a price of its own
    usd_per_month  REAL,          -- all together, at 730 hours a month
    PRIMARY KEY (run_id, scope, subject)
) STRICT;

-- How long the requests of each service took, of completed requests that arrived in the measured time:
-- its latency histogram on a grid of steps of 1 %, those that hold any. The value at rank r is in the
-- first step up to which the counts add up to r, so at most about 1 % below its upper_s; the percentiles
-- in `metric` are more exact.
CREATE TABLE latency (
    run_id   INTEGER NOT NULL REFERENCES run,
    workload TEXT NOT NULL,
    upper_s  REAL NOT NULL,    -- the longest latency in it, to within 0.1 %
    count    INTEGER NOT NULL, -- requests in it
    PRIMARY KEY (run_id, workload, upper_s)
) STRICT, WITHOUT ROWID;

-- What the scenario asks for. It is met if the mean of the values over the replications keeps the bound.
CREATE TABLE objective (
    run_id    INTEGER NOT NULL REFERENCES run,
    position  INTEGER NOT NULL, -- 0, 1, ... in the scenario
    objective TEXT NOT NULL,    -- as written
    scope     TEXT NOT NULL,    -- with subject and name: its metric
    subject   TEXT NOT NULL,
    name      TEXT NOT NULL,
    relation  TEXT NOT NULL,    -- <= | >= | < | >
    bound     REAL NOT NULL,
    value     REAL,             -- the metric's in this run
    PRIMARY KEY (run_id, position)
) STRICT, WITHOUT ROWID;

-- The state of a pool over time (`record: {timeline: 60s}`): means over the interval that begins at t_s.
CREATE TABLE timeline (
    run_id          INTEGER NOT NULL REFERENCES run,
    pool            TEXT NOT NULL,
    t_s             REAL NOT NULL,
    allocated       REAL NOT NULL, -- share of the pool's GPUs
    busy            REAL NOT NULL, -- likewise: computing, also what was lost later
    checkpoint      REAL NOT NULL, -- likewise, of those allocated, as are the next four: saving
    restore         REAL NOT NULL, -- reading back what was saved
    loading         REAL NOT NULL,
    switch          REAL NOT NULL, -- from one tenant to another
    held_idle       REAL NOT NULL, -- by tenants that do nothing of this
    stranded        REAL NOT NULL, -- likewise, of those not allocated, as are the next two
    reconfiguring   REAL NOT NULL,
    down            REAL NOT NULL,
    memory_used_gib REAL NOT NULL, -- over all GPUs of the pool
    queued_jobs     REAL NOT NULL, -- waiting jobs that may run in this pool
    PRIMARY KEY (run_id, pool, t_s)
) STRICT, WITHOUT ROWID;

-- A service over the same intervals: of the requests that were answered in each.
CREATE TABLE service_timeline (
    run_id          INTEGER NOT NULL REFERENCES run,
    workload        TEXT NOT NULL,
    t_s             REAL NOT NULL,
    completed       INTEGER NOT NULL, -- requests answered in it, whose latencies the next three are
    latency_p50_s   REAL,
    latency_p99_s   REAL,
    latency_max_s   REAL,
    slo_attainment  REAL,          -- share within the slo of those that left in it, however
    queued_requests REAL NOT NULL, -- requests that have not started, on average
    PRIMARY KEY (run_id, workload, t_s)
) STRICT, WITHOUT ROWID;

-- The jobs of all runs (`record: {jobs: true}`), as the view `job` shows them. The key holds the run:
-- id = run_id x 2^32 + the job's number in the order of recording. So the jobs of one run lie
-- side by side and are found and appended without an index on them.
CREATE TABLE job_row (
    id          INTEGER PRIMARY KEY,
    workload    TEXT NOT NULL,
    job_id      TEXT NOT NULL,
    queue       TEXT,
    gpus        INTEGER NOT NULL,
    submit_s    REAL NOT NULL,
    start_s     REAL,
    end_s       REAL,
    run_s       REAL,
    preemptions INTEGER NOT NULL,
    state       TEXT NOT NULL,
    user        TEXT
) STRICT;

-- The requests of all runs (`record: {requests: true}`), as the view `request` shows them; the key is
-- made as that of job_row.
CREATE TABLE request_row (
    id        INTEGER PRIMARY KEY,
    workload  TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    arrival_s REAL NOT NULL,
    start_s   REAL,
    end_s     REAL,
    state     TEXT NOT NULL
) STRICT;

-- What happens to the jobs of all runs (`record: {events: true}`), as the view `job_event` shows it; the
-- key is made as that of job_row.
CREATE TABLE job_event_row (
    id          INTEGER PRIMARY KEY,
    workload    TEXT NOT NULL,
    job_id      TEXT NOT NULL,
    t_s         REAL NOT NULL,
    event       TEXT NOT NULL,
    pool        TEXT,
    node        INTEGER,
    gpu         INTEGER,
    slot        TEXT,
    by_workload TEXT,
    by          TEXT
) STRICT;

-- Two-sided 95 % Student factors: a mean over n replications is known to
-- +- t975 (at df = n - 1) x standard deviation / sqrt(n).
CREATE TABLE student_t (
    df   INTEGER PRIMARY KEY, -- 1 to 1000
    t975 REAL NOT NULL
) STRICT;

-- So that `DELETE FROM run WHERE ...` does what it seems to do, also without PRAGMA foreign_keys.
CREATE TRIGGER run_delete BEFORE DELETE ON run BEGIN
    DELETE FROM metric WHERE run_id = OLD.run_id;
    DELETE FROM gpu_time WHERE run_id = OLD.run_id;
    DELETE FROM cost WHERE run_id = OLD.run_id;
    DELETE FROM latency WHERE run_id = OLD.run_id;
    DELETE FROM objective WHERE run_id = OLD.run_id;
    DELETE FROM timeline WHERE run_id = OLD.run_id;
    DELETE FROM service_timeline WHERE run_id = OLD.run_id;
    DELETE FROM job_row WHERE id BETWEEN OLD.run_id << 32 AND (OLD.run_id << 32) + 0xFFFFFFFF;
    DELETE FROM request_row WHERE id BETWEEN OLD.run_id << 32 AND (OLD.run_id << 32) + 0xFFFFFFFF;
    DELETE FROM job_event_row WHERE id BETWEEN OLD.run_id << 32 AND (OLD.run_id << 32) + 0xFFFFFFFF;
END;

-- One row per job: what was asked for and what became of it. Fast where run_id is given.
CREATE VIEW job AS
SELECT run.run_id,
       workload,
       job_id,                       -- the trace's own name, or the job's number
       queue,                        -- of its trace (a user group, a virtual cluster), of its workload, or NULL
       gpus,
       submit_s,
       start_s,                      -- first start
       end_s,                        -- completed, timed out, rejected or failed at
       start_s - submit_s AS wait_s, -- NULL: never started
       run_s,                        -- seconds on GPUs; NULL unless completed
       preemptions,
       state,                        -- completed | running | queued | timed_out | rejected | failed
       user                          -- whose it is, or NULL
FROM run CROSS JOIN job_row
WHERE id BETWEEN run_id << 32 AND (run_id << 32) + 4294967295;

-- One row per request: when it came and what became of it. Fast where run_id is given.
CREATE VIEW request AS
SELECT run.run_id,
       workload,                     -- the service
       seq,                          -- 1, 2, ... in order of arrival at the service
       arrival_s,
       start_s,                      -- first start
       end_s,                        -- completed, timed out, rejected or failed at
       CASE state WHEN 'completed' THEN end_s - arrival_s END AS latency_s,
       state                         -- completed | running | queued | timed_out | rejected | failed
FROM run CROSS JOIN request_row
WHERE id BETWEEN run_id << 32 AND (run_id << 32) + 4294967295;

-- One row per thing that happens to a job, in order. Fast where run_id is given.
CREATE VIEW job_event AS
SELECT run.run_id,
       workload,
       job_id,
       t_s,
       event,       -- submitted | started | restores | computes | saves | saved | told_to_leave |
                    -- preempted | interrupted | ended | failed | timed_out | rejected, and at the end of
                    -- the run, of jobs still waiting: waits_for_room | waits_for_turn |
                    -- waits_for_victims | suspended | waits_for_quota | held
       pool,        -- where it runs then, or NULL
       node,        -- started: one row for each GPU or slot that it gets, else NULL
       gpu,         -- likewise, within the node
       slot,        -- likewise: 2g.20gb@4 (a MIG instance and its first memory unit), 3 (one of several
                    -- shares), both 1g.10gb@2/1; NULL: the whole GPU
       "by",        -- told_to_leave: the job that takes its place; waits_for_turn: the one before it
       by_workload  -- of that one
FROM run CROSS JOIN job_event_row
WHERE id BETWEEN run_id << 32 AND (run_id << 32) + 4294967295;

-- The requests with their run beside them, and the time they queued.
CREATE VIEW v_requests AS
SELECT run.batch, run.scenario, run.variant, run.point, run.replication, request.*,
       start_s - arrival_s AS queue_s
FROM run JOIN request USING (run_id);

-- How latency is distributed: the share of each service's requests that took no longer than upper_s.
CREATE VIEW v_latency AS
SELECT run_id, batch, scenario, variant, point, replication, workload, upper_s, count,
       sum(count) OVER (PARTITION BY run_id, workload ORDER BY upper_s) * 1.0 /
       sum(count) OVER (PARTITION BY run_id, workload) AS share_within
FROM run JOIN latency USING (run_id);

-- The jobs with their run beside them, and what one derives from times: turnaround (jct_s), slowdown
-- (turnaround over run time, at least 10 s) and GPU-hours.
CREATE VIEW v_jobs AS
SELECT run.batch, run.scenario, run.variant, run.point, run.replication, job.*,
       CASE state WHEN 'completed' THEN end_s - submit_s END AS jct_s,
       CASE state WHEN 'completed' THEN (end_s - submit_s) / CASE WHEN run_s > 10 THEN run_s ELSE 10.0 END
       END AS slowdown,
       gpus * run_s / 3600.0 AS gpu_hours
FROM run JOIN job USING (run_id);

-- One row per run: the headline figures.
CREATE VIEW v_summary AS
SELECT run.run_id, batch, scenario, variant, point, replication, seed, status, sim_seconds,
       max(value) FILTER (WHERE name = 'gpus') AS gpus,
       max(value) FILTER (WHERE name = 'submitted') AS submitted,
       max(value) FILTER (WHERE name = 'completed') AS completed,
       max(value) FILTER (WHERE name = 'unfinished') AS unfinished,
       max(value) FILTER (WHERE name = 'timed_out') AS timed_out,
       max(value) FILTER (WHERE name = 'rejected') AS rejected,
       max(value) FILTER (WHERE name = 'failed') AS failed,
       max(value) FILTER (WHERE name = 'wait_s.mean') AS wait_mean_s,
       max(value) FILTER (WHERE name = 'wait_s.p50') AS wait_p50_s,
       max(value) FILTER (WHERE name = 'wait_s.p90') AS wait_p90_s,
       max(value) FILTER (WHERE name = 'wait_s.p95') AS wait_p95_s,
       max(value) FILTER (WHERE name = 'wait_s.p99') AS wait_p99_s,
       max(value) FILTER (WHERE name = 'wait_s.max') AS wait_max_s,
       max(value) FILTER (WHERE name = 'jct_s.mean') AS jct_mean_s,
       max(value) FILTER (WHERE name = 'jct_s.p95') AS jct_p95_s,
       max(value) FILTER (WHERE name = 'slowdown.mean') AS slowdown_mean,
       max(value) FILTER (WHERE name = 'slowdown.p95') AS slowdown_p95,
       max(value) FILTER (WHERE name = 'latency_s.mean') AS latency_mean_s,
       max(value) FILTER (WHERE name = 'latency_s.p50') AS latency_p50_s,
       max(value) FILTER (WHERE name = 'latency_s.p90') AS latency_p90_s,
       max(value) FILTER (WHERE name = 'latency_s.p95') AS latency_p95_s,
       max(value) FILTER (WHERE name = 'latency_s.p99') AS latency_p99_s,
       max(value) FILTER (WHERE name = 'latency_s.max') AS latency_max_s,
       max(value) FILTER (WHERE name = 'queue_s.mean') AS queue_mean_s,
       max(value) FILTER (WHERE name = 'queue_s.p99') AS queue_p99_s,
       max(value) FILTER (WHERE name = 'slo_attainment') AS slo_attainment,
       max(value) FILTER (WHERE name = 'services') AS services,
       max(value) FILTER (WHERE name = 'slo_missed') AS slo_missed,
       max(value) FILTER (WHERE name = 'replicas_waiting') AS replicas_waiting,
       max(value) FILTER (WHERE name = 'utilization.allocated') AS allocated,
       max(value) FILTER (WHERE name = 'utilization.busy') AS busy,
       max(value) FILTER (WHERE name = 'utilization.goodput') AS goodput,
       max(value) FILTER (WHERE name = 'utilization.memory') AS memory,
       max(value) FILTER (WHERE name = 'makespan_s') AS makespan_s,
       max(value) FILTER (WHERE name = 'throughput_per_s') AS throughput_per_s,
       max(value) FILTER (WHERE name = 'gpu_hours') AS gpu_hours,
       max(value) FILTER (WHERE name = 'usd_total') AS usd_total,
       max(value) FILTER (WHERE name = 'usd_per_month') AS usd_per_month,
       max(value) FILTER (WHERE name = 'usd_per_model_month') AS usd_per_model_month,
       max(value) FILTER (WHERE name = 'usd_per_1k_requests') AS usd_per_1k_requests,
       max(value) FILTER (WHERE name = 'crash_takes') AS crash_takes,
       currency, events, wall_seconds, started_at
FROM run LEFT JOIN metric ON metric.run_id = run.run_id AND scope = 'run' AND subject = ''
GROUP BY run.run_id, batch, scenario, variant, point, replication, seed, status, sim_seconds,
         currency, events, wall_seconds, started_at;

-- Who costs what: one row per run and pool, workload or whole run (scope run).
CREATE VIEW v_cost AS
SELECT run_id, batch, scenario, variant, point, replication, scope, subject, usd, usd_idle_share,
       usd_energy, usd + usd_idle_share + usd_energy AS usd_total, usd_per_month, currency
FROM run JOIN cost USING (run_id);

-- What became of each objective: its value is the mean over the replications.
CREATE VIEW v_objectives AS
SELECT batch, scenario, variant, point, position, objective, scope, subject, name, relation, bound,
       value,
       coalesce(CASE relation WHEN '<=' THEN value <= bound WHEN '>=' THEN value >= bound
                              WHEN '<' THEN value < bound WHEN '>' THEN value > bound END,
                0) AS met -- 1 or 0; what has no value in some replication is not met
FROM (SELECT batch, scenario, variant, point, objective.position, objective, scope, subject, name,
             relation, bound,
             CASE WHEN count(value) = count(*) THEN avg(value) END AS value
      FROM run JOIN objective USING (run_id)
      GROUP BY batch, scenario, variant, point, objective.position, objective, scope, subject, name,
               relation, bound);

-- The timeline with its run beside it.
CREATE VIEW v_timeline AS
SELECT run.batch, run.scenario, run.variant, run.point, run.replication, timeline.*
FROM run JOIN timeline USING (run_id);

-- The services' timeline with its run beside it.
CREATE VIEW v_service_timeline AS
SELECT run.batch, run.scenario, run.variant, run.point, run.replication, service_timeline.*
FROM run JOIN service_timeline USING (run_id);

-- Where the GPU-hours went, also as a share of the pool's.
CREATE VIEW v_gpu_time AS
SELECT run_id, batch, scenario, variant, point, replication, pool, category, gpu_hours,
       gpu_hours / nullif(sum(gpu_hours) OVER (PARTITION BY run_id, pool), 0) AS share
FROM run JOIN gpu_time USING (run_id);

-- The runs of the newest batch of each scenario, variant and point: what `headroom compare` reads.
CREATE VIEW v_newest AS
SELECT run.*
FROM run JOIN (SELECT scenario, variant, point, max(batch) AS batch
               FROM run GROUP BY scenario, variant, point)
         USING (scenario, variant, point, batch);

-- Every figure of the newest batches over its replications: mean, number of replications that have it,
-- and half the width of the 95 % Student interval (NULL for a single one). Needs SQLite's
-- mathematical functions (sqrt), which most builds have.
CREATE VIEW v_compare AS
WITH with_mean AS (
    SELECT r.scenario, r.variant, r.point, r.batch, r.position, m.scope, m.subject, m.name, m.unit,
           m.value,
           avg(m.value) OVER (PARTITION BY r.scenario, r.variant, r.point, m.scope, m.subject, m.name)
               AS mean
    FROM v_newest r JOIN metric m USING (run_id)
), grouped AS (
    SELECT scenario, variant, point, batch, min(position) AS position, scope, subject, name, unit, mean,
           count(value) AS n, sum((value - mean) * (value - mean)) AS squares
    FROM with_mean
    GROUP BY scenario, variant, point, batch, scope, subject, name, unit, mean
)
SELECT scenario, variant, point, batch, position, scope, subject, name, unit, n, mean,
       CASE WHEN n > 1 THEN
           sqrt(squares / (n - 1) / n) *
           (SELECT t975 FROM student_t WHERE df <= n - 1 ORDER BY df DESC LIMIT 1)
       END AS half_width
FROM grouped;
