#!/usr/bin/env bats
# docs/schema.md: it names what a database holds, with types, and its queries answer what they say.
bats_require_minimum_version 1.5.0
load helpers

DOC=$SOURCE_DIR/docs/schema.md

# answers.db, made by the commands of the page itself, but smaller.
write_answers() {
    headroom init jobs 2>/dev/null
    headroom init service 2>/dev/null
    headroom run jobs.yaml --set horizon=4d --set warmup=0s -o answers.db --quiet || [ $? -eq 3 ]
    headroom run service.yaml --set horizon=4h -o answers.db --quiet || [ $? -eq 3 ]
}

# The text of a query by its number.
query() { # NUMBER
    awk -v heading="^### $1\\. " '$0 ~ heading { found = 1 } found && /^```sql$/ { on = 1; next }
        on && /^```$/ { exit } on' "$DOC"
}

answer() { # NUMBER
    sqlite3 answers.db "$(query "$1")"
}

# Whether two numbers agree to within 1e-9.
same() { # A B
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; size = b < 0 ? -b : b
        exit !(d < 1e-9 * (size + 1) && -d < 1e-9 * (size + 1)) }' ||
        { echo "$1 is not $2"; return 1; }
}

@test "every column of every table, with its type" {
    write_small_scenario
    headroom run small.yaml --quiet
    sqlite3 headroom.db "select t.name || '|' || c.name || '|' || c.type from sqlite_schema t,
        pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%'
        order by t.name, c.cid" >there
    # Sections of tables are those before "## Views".
    awk '/^## Views/ { exit } /^### `/ { gsub(/[#` ]/, ""); table = $0 }
         /^\| `/ { split($0, cell, "|"); gsub(/[` ]/, "", cell[2]); gsub(/ /, "", cell[3])
                   print table "|" cell[2] "|" cell[3] }' "$DOC" | sort -s -t'|' -k1,1 >documented
    sort -s -t'|' -k1,1 there | diff documented -
}

@test "every view, and every column it adds" {
    write_small_scenario
    headroom run small.yaml --quiet
    while read -r view; do
        grep -qF "\`$view\`" "$DOC" || { echo "no $view"; return 1; }
    done < <(sqlite3 headroom.db "select name from sqlite_schema where type = 'view'")
    for view in job request job_event; do
        diff <(awk -v section="### \`$view\`" '$0 == section { on = 1; next } /^###/ { on = 0 }
               on && /^\| `/ { split($0, cell, "|"); gsub(/[` ]/, "", cell[2]); print cell[2] }' "$DOC") \
            <(sqlite3 headroom.db "select name from pragma_table_info('$view')")
    done
    for view in v_jobs v_requests v_latency v_cost v_gpu_time v_timeline v_objectives v_compare; do
        while read -r column; do
            grep -qF "\`$column\`" "$DOC" || { echo "no $view.$column"; return 1; }
        done < <(sqlite3 headroom.db "select name from pragma_table_info('$view')")
    done
}

@test "every value has the type of its column, and tables are strict" {
    write_answers
    [ -z "$(sqlite3 answers.db "select name from pragma_table_list where type = 'table' and not strict
                                and schema = 'main' and name not like 'sqlite_%'")" ]
    # Views without declared types: numbers are numbers.
    [ "$(sqlite3 answers.db "select distinct typeof(wait_s) from v_jobs where wait_s is not null")" = real ]
    [ "$(sqlite3 answers.db "select distinct typeof(share_within) from v_latency")" = real ]
    [ "$(sqlite3 answers.db "select distinct typeof(met) from v_objectives")" = integer ]
    [ "$(sqlite3 answers.db "select distinct typeof(mean) || typeof(n) from v_compare where n > 0")" = realinteger ]
}

@test "there are ten queries, and each has an answer" {
    write_answers
    for number in 1 2 3 4 5 6 7 8 9 10; do
        [ -n "$(query $number)" ] || { echo "no query $number"; return 1; }
        answer $number >rows
        [ -s rows ] || { echo "query $number has no rows"; return 1; }
    done
    [ -z "$(query 11)" ]
}

@test "the answers are right" {
    write_answers
    value() { sqlite3 answers.db "select $1 from metric join run using (run_id) where scope = 'run' and $2"; }
    # 1: the cheapest of those that meet all.
    IFS='|' read -r _ variant usd < <(answer 1 | grep '^service')
    same "$usd" "$(value 'min(value)' "name = 'usd_per_month' and scenario = 'service' and variant = '$variant'")"
    # 2: the mean over the replications.
    IFS='|' read -r variant mean _ < <(answer 2)
    same "$mean" "$(value 'avg(value) / 3600' "name = 'wait_s.p95' and variant = '$variant'")"
    # 3: the mean difference is the difference of the means.
    difference=$(answer 3 | awk -F'|' '{ sum += $2 } END { print sum / NR }' OFMT=%.17g)
    same "$difference" "$(value "avg(value) filter (where variant = 'backfill') -
        avg(value) filter (where variant = 'today')" "name = 'wait_s.mean'")"
    # 4: shares add up to all.
    answer 4 | awk -F'|' '{ sum[$1] += $4 } END { for (v in sum) if (sum[v] < 99.999 || sum[v] > 100.001) exit 1 }'
    # 5: what the service pays is the run's bill.
    IFS='|' read -r variant _ usd idle _ < <(answer 5)
    same "$(awk "BEGIN { printf \"%.17g\", $usd + $idle }")" \
        "$(value value "name = 'usd_total' and variant = '$variant'")"
    # 6: the longest wait of all.
    IFS='|' read -r _ _ _ _ wait _ < <(answer 6)
    same "$(awk "BEGIN { printf \"%.17g\", $wait * 3600 }")" "$(value 'max(value)' "name = 'wait_s.max'")"
    # 7: all jobs that started.
    [ "$(answer 7 | awk -F'|' '{ sum += $3 } END { print sum }')" = \
        "$(sqlite3 answers.db "select count(*) from v_jobs where start_s is not null")" ]
    # 8: between the 99th percentile and the maximum.
    IFS='|' read -r variant p999 < <(answer 8)
    awk -v x="$p999" -v low="$(value value "name = 'latency_s.p99' and variant = '$variant'")" \
        -v high="$(value value "name = 'latency_s.max' and variant = '$variant'")" \
        'BEGIN { exit !(low <= x && x <= high * 1.011) }'
    # 9: four hours, whose mean with the first hour (the warm-up) left out is the run's.
    IFS='|' read -r variant _ < <(answer 9)
    busy=$(answer 9 | awk -F'|' -v v="$variant" '$1 == v && $2 > 0 { sum += $3; n++ } END { print sum / n / 100 }' OFMT=%.12g)
    awk -v a="$busy" -v b="$(value value "name = 'utilization.busy' and variant = '$variant'")" \
        'BEGIN { exit !(a - b < 1e-6 && b - a < 1e-6) }'
    # 10: never more than there are.
    answer 10 | awk -F'|' '$5 > $4 { exit 1 } { n++ } END { exit n != 9 }'
}

@test "pandas has numbers for numbers" {
    python=/usr/bin/python3 # Debian's, whatever comes first in PATH
    $python -c 'import pandas' 2>/dev/null || skip "there is no pandas"
    write_answers
    $python - <<'PYTHON'
import sqlite3, pandas
db = sqlite3.connect("answers.db")
jobs = pandas.read_sql("SELECT * FROM v_jobs", db)
assert str(jobs.wait_s.dtype) == "float64" and str(jobs.gpus.dtype) == "int64", jobs.dtypes
assert str(pandas.read_sql("SELECT * FROM v_compare", db)["mean"].dtype) == "float64"
assert len(jobs.groupby("variant").wait_s.quantile([0.5, 0.95])) == 6
PYTHON
}
