#!/usr/bin/env bats
# headroom report, as a browser shows it.
bats_require_minimum_version 1.5.0
load helpers

# A database whose texts would break out of HTML, gnuplot, SQL or CSV wherever they are not escaped.
# The reader of scenarios refuses such names; a database may come from anyone.
make_hostile_database() {
    write_random_scenario
    sed -i "2i description: \"</p><script>document.title = 'stolen'</script> <img src=x onerror=alert(1)>\"" \
        random.yaml
    headroom run random.yaml --quiet
    sqlite3 headroom.db <<'SQL'
UPDATE run SET version = '<script>alert(2)</script>',
    scenario = '<script>alert(1)</script> `touch stolen` ''; touch stolen; '' 100 % @x " &amp;',
    variant = CASE variant WHEN 'fifo' THEN 'it''s `touch stolen` <b>%d</b>'
        ELSE '";system(''touch stolen'');''@' || char(10) || 'set output ''stolen''' END;
UPDATE metric SET subject = '<i>' || subject || ''' `touch stolen`' WHERE subject <> '';
UPDATE gpu_time SET pool = '<i>' || pool || ''' `touch stolen`';
UPDATE cost SET subject = '<i>' || subject || ''' `touch stolen`' WHERE subject <> '';
SQL
}

need_chromium() {
    command -v chromium >/dev/null || skip "there is no chromium"
}

# Opens a page as a file and prints its document after scripts ran. Console messages: browser.log.
browse() { # PAGE WIDTH
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$PWD/profile" \
        --window-size="$2,900" --virtual-time-budget=3000 --enable-logging=stderr --v=0 \
        --dump-dom "file://$PWD/$1" 2>browser.log
}

# A copy of a page with a script at its end.
with_script() { # PAGE COPY SCRIPT
    sed '/<\/html>/d' "$1" >"$2"
    printf '<script>%s</script></html>\n' "$3" >>"$2"
}

@test "one self-contained page" {
    write_modes_scenario
    headroom run modes.yaml --quiet
    run headroom report headroom.db
    [ "$status" -eq 0 ]
    [ "$output" = "Wrote report.html." ]
    [ "$(head -c 15 report.html)" = "<!doctype html>" ]
    run grep -cE "src=|href=|@import|url\(|https?://" report.html
    [ "$output" = 0 ]
    for heading in "What it costs" "What it gives" "How long it takes" "Where the GPU time goes" \
        "How GPUs are cut" "Who pays for what" "What this rests on" "Where the figures come from"; do
        grep -q "<h2>$heading</h2>" report.html
    done
    # Every picture has a text instead.
    [ "$(grep -c '<svg' report.html)" = "$(grep -c '<svg.*aria-label="[A-Z]' report.html)" ]
    grep -q "turns of" report.html
    # 4 ways to cut: mig, nested, mixed; `dynamic` starts uncut.
    [ "$(grep -c 'class="layout"' report.html)" = 3 ]
}

@test "the verdict" {
    write_random_scenario
    echo 'objectives: [run.utilization.allocated >= 0, run.completed >= 1]' >>random.yaml
    sed -i 's/^  easy:.*/  large: {cluster.pools.a100.nodes: 3}/' random.yaml
    headroom run random.yaml --quiet
    headroom report headroom.db -o - >page.html
    # 16 GPUs x $2 x 730 h = $23,360, less than 24 GPUs.
    grep -q 'The cheapest that meets all objectives: <b>fifo</b>, $23,360&nbsp;a month' page.html
    sed -i 's/run.completed >= 1/run.completed >= 1000000/' random.yaml
    headroom run random.yaml --quiet || [ "$?" -eq 3 ]
    headroom report headroom.db -o - >page.html
    grep -q 'No variant</b> meets all objectives' page.html
    [ "$(grep -c '✗ missed' page.html)" = 2 ]
}

@test "an unstable variant meets nothing" {
    write_random_scenario
    echo 'objectives: [run.completed >= 1]' >>random.yaml
    # 100 jobs an hour of 0.5 h on 1.9 GPUs would need 95 GPUs; there are 16.
    sed -i 's|^  easy:.*|  crowded: {workloads.train.arrivals: {poisson: 100/h}}|' random.yaml
    headroom run random.yaml --quiet || [ "$?" -eq 4 ]
    headroom report headroom.db -o - >page.html
    grep -q 'The cheapest that meets all objectives: <b>fifo</b>' page.html
    grep -q '1 of 2 variants meets them' page.html
    grep -q '<b>crowded</b>: a queue grows without limit' page.html
}

# Of small.yaml: waits of 0, 9 and 18 s; 40 + 20 + 40 of 4 x 30 GPU-seconds are useful, at $1 each.
@test "figures of a case computed by hand" {
    write_small_scenario
    headroom run small.yaml --quiet
    headroom report headroom.db --plots plots
    grep -v '^#' plots/waits-1.dat | grep . >points
    diff points - <<'DATA'
1 0.333333333
9 0.666666667
18 1
DATA
    # Row, from and to in %, and hours.
    grep -A1 '^# useful' plots/gpu-time-2.dat | grep -q '^0 0 83.3333 0.0277777778$'
    grep -A1 '^# idle' plots/gpu-time-2.dat | grep -q '^0 83.3333 100 0.00555555556$'
    grep -q 'train</td><td class="num" data-v="100">$100.00</td><td class="num" data-v="20">$20.00</td>' \
        report.html
}

@test "variants without waits, or without a job that starts, beside one with some" {
    write_small_scenario
    cat >>small.yaml <<'YAML'
variants:
  none: {workloads.train.max_wait: 5s, cluster.pools.a100.gpus_per_node: 1}
  all: {cluster.pools.a100.nodes: 3}
  some: {}
YAML
    headroom run small.yaml --quiet
    headroom report headroom.db --plots plots
    # Only `all` and `some` have curves, in the colours that they have in all plots.
    [ "$(grep -v '^#' plots/waits-1.dat | grep -c .)" = 4 ]
    grep -q 'color:#D55E00"></i>all</li>' report.html
    ! grep -q '</i>none</li>' report.html
}

@test "points of a sweep, each with its own assumptions" {
    write_small_scenario
    echo 'sweep: {cluster.pools.a100.nodes: [1, 2]}' >>small.yaml
    headroom sweep small.yaml --quiet
    headroom report headroom.db
    # What was swept is a column of its own.
    grep -q '<button type="button">nodes</button>' report.html
    grep -q '<th scope="row" class="">2</th>' report.html
    grep -q '1 node of 4 x A100-SXM4-80GB</td>.*nodes=1</td>' report.html
    grep -q '2 nodes of 4 x A100-SXM4-80GB</td>.*nodes=2</td>' report.html
}

@test "prices of the catalogue, with provider and date" {
    write_small_scenario
    sed -i 's/, price: {per_gpu_hour: 3600}//' small.yaml
    headroom run small.yaml --quiet
    headroom report headroom.db
    grep -qE 'per GPU-hour</td><td class="">list price of [^<]*20[0-9]{2}-[0-9]{2}' report.html
}

@test "a scenario that cannot be read again is reported without its assumptions" {
    write_small_scenario
    headroom run small.yaml --quiet
    sqlite3 headroom.db "UPDATE scenario SET yaml = 'description: still here' || char(10) || 'pools: 1'"
    headroom report headroom.db
    grep -q 'class="question">still here' report.html
    grep -q 'could not be read again here' report.html
}

@test "a timeline where one was recorded" {
    write_random_scenario
    echo 'record: {timeline: 10m}' >>random.yaml
    headroom run random.yaml --quiet
    headroom report headroom.db --plots plots
    grep -q "<h2>Utilization over time</h2>" report.html
    [ "$(ls plots/timeline-*.svg | wc -l)" = 2 ]
}

@test "latency over time is the table, against the slo; and so are queues" {
    write_modes_scenario
    sed -i '/^variants/,$d' modes.yaml
    headroom run modes.yaml --quiet --set record.timeline=10s --set workloads.chat.slo=500ms --set horizon=10m
    headroom report headroom.db --plots plots
    grep -q "<h2>Latency and queues over time</h2>" report.html
    plot=$(echo plots/latency-over-time-*.gp)
    sqlite3 headroom.db >there "select printf('%.9g %.9g', t_s, latency_p99_s) from service_timeline
        where latency_p99_s is not null"
    [ "$(wc -l <there)" -gt 50 ]
    grep -v '^#' "${plot%.gp}.dat" | grep . | diff there -
    grep -q 'first 0.5 to graph 1, first 0.5 nohead' "$plot"
    grep -q 'the SLO is 500 ms' report.html
    sqlite3 headroom.db "select printf('%.9g %.9g', t_s, queued_requests) from service_timeline" >there
    grep -v '^#' plots/requests-waiting-*.dat | grep . | diff there -
}

# Four points; a month is 730 x 4 GPUs x nodes x price: 2920, 11680, 5840, 23360.
@test "a tornado of what a sweep varied" {
    write_small_scenario
    cp small.yaml swept.yaml
    echo 'sweep: {cluster.pools.a100.nodes: [1, 2], cluster.pools.a100.price.per_gpu_hour: [1, 4], seed: [1, 2]}' >>swept.yaml
    headroom sweep swept.yaml --quiet
    headroom report headroom.db --plots plots
    grep -q "<h2>What matters most</h2>" report.html
    # Means: of the prices 4380 and 17520, of the nodes 7300 and 14600, of all 10950; the seed does nothing.
    plot=$(grep -l "xlabel 'cost per month'" plots/tornado-*.gp)
    grep -v '^#' "${plot%.gp}.dat" | grep . |
        diff - <(printf '%s\n' '0 4380 10950' '1 7300 10950' '0 10950 17520' '1 10950 14600')
    grep -q '>per_gpu_hour</th>.*>1</td>.*>$4,380.00</td>.*>4</td>.*>$17,520</td>.*>$13,140</td>' report.html
    grep -q '>seed</th>.*>none</td>' report.html
    # Nothing is asked for, so it is the waits that matter beside.
    grep -q "xlabel '95th percentile of waits'" plots/tornado-*.gp
    headroom run small.yaml --quiet -o alone.db
    headroom report alone.db
    ! grep -q "What matters most" report.html
}

@test "plots, data and scripts to restyle" {
    write_random_scenario
    headroom run random.yaml --quiet
    headroom report headroom.db --plots plots
    [ "$(ls plots)" = "$(printf '%s\n' gpu-time-2.dat gpu-time-2.gp gpu-time-2.svg \
        month-3.dat month-3.gp month-3.svg waits-1.dat waits-1.gp waits-1.svg)" ]
    rm plots/waits-1.svg
    (cd plots && gnuplot -d waits-1.gp)
    grep -q '<svg' plots/waits-1.svg
    headroom report headroom.db --plots plots --format png
    [ "$(head -c 4 plots/waits-1.png | tail -c 3)" = PNG ]
}

@test "names break nothing" {
    make_hostile_database
    headroom report headroom.db --plots plots
    [ ! -e stolen ] && [ ! -e plots/stolen ]
    # One script, ours.
    [ "$(grep -c '<script' report.html)" = 1 ]
    [ "$(grep -ci '<img\|<b>%d' report.html)" = 0 ]
    grep -q "&lt;script&gt;alert(1)&lt;/script&gt; \`touch stolen\`" report.html
    need_chromium
    browse report.html 1280 >seen.html
    [ "$(grep -c CONSOLE browser.log)" = 0 ]
    grep -q '<title>&lt;script&gt;alert(1)' seen.html
}

@test "a browser has nothing to complain of, and a click sorts" {
    need_chromium
    write_modes_scenario
    headroom run modes.yaml --quiet
    headroom report headroom.db
    with_script report.html sorted.html '
        const table = document.querySelectorAll("table.sortable")[0];
        const names = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent).join();
        const button = table.tHead.rows[0].cells[0].querySelector("button");
        const seen = [names()];
        button.click(); seen.push(names());
        button.click(); seen.push(names());
        document.body.dataset.seen = seen.join(" ");'
    browse sorted.html 1280 >seen.html
    [ "$(grep -c CONSOLE browser.log)" = 0 ]
    names=exclusive,mps,timeslice,mig,nested,dynamic,mixed
    up=$(tr ',' '\n' <<<"$names" | sort | paste -sd,)
    down=$(tr ',' '\n' <<<"$names" | sort -r | paste -sd,)
    grep -q "data-seen=\"$names $up $down\"" seen.html
}

@test "numbers sort as numbers" {
    need_chromium
    write_random_scenario
    sed -i '/^variants/,$d' random.yaml
    cat >>random.yaml <<'YAML'
variants:
  ten: {cluster.pools.a100.nodes: 10}
  nine: {cluster.pools.a100.nodes: 9}
  eleven: {cluster.pools.a100.nodes: 11}
YAML
    headroom run random.yaml --quiet
    headroom report headroom.db
    with_script report.html sorted.html '
        const table = document.querySelectorAll("table.sortable")[0];
        const heads = [...table.tHead.rows[0].cells];
        heads.find(head => head.textContent === "cost per month").querySelector("button").click();
        document.body.dataset.seen =
            [...table.tBodies[0].rows].map(row => row.cells[0].textContent).join();'
    browse sorted.html 1280 >seen.html
    # $105,120, $116,800 and $128,480.
    grep -q 'data-seen="nine,ten,eleven"' seen.html
}

# The width within which a page is shown and the width that it takes, as WIDTH,WIDTH. In a frame, as a
# window of chromium has at least 500 pixels.
measure_width() { # PAGE WIDTH
    with_script "$1" measured.html '
        document.querySelectorAll("details").forEach(details => { details.open = true; });
        parent.postMessage([innerWidth, document.documentElement.scrollWidth].join(), "*");'
    cat >frame.html <<HTML
<!doctype html>
<script>addEventListener("message", event => { document.title = event.data; });</script>
<iframe src="measured.html" style="width: $2px; height: 800px; border: 0"></iframe>
HTML
    browse frame.html 1400 | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p'
}

@test "nothing is wider than the window" {
    need_chromium
    make_hostile_database
    write_modes_scenario
    headroom run modes.yaml --quiet
    headroom report headroom.db
    for width in 1280 390; do
        [ "$(measure_width report.html $width)" = "$width,$width" ]
    done
    # The test sees what is too wide.
    sed 's|</main>|<div style="width: 1300px">wide</div></main>|' report.html >wide.html
    [[ "$(measure_width wide.html 1280)" == 1280,13* ]]
}

@test "names of services, models and points break nothing" {
    write_modes_scenario
    sed -i '/^variants/,$d' modes.yaml
    echo 'sweep: {cluster.pools.a100.price.per_gpu_hour: [1, 2]}' >>modes.yaml
    headroom sweep modes.yaml --quiet --set record.timeline=10s --set horizon=10m
    sqlite3 headroom.db <<'SQL'
UPDATE run SET point = 'a."`touch stolen`<script>alert(1)</script>"=it''s" set output ''stolen'' %d' || char(10) || point;
UPDATE metric SET subject = subject || '</td><script>alert(2)</script> ''`touch stolen`' WHERE scope IN ('workload', 'model');
INSERT INTO metric SELECT run_id, 'model', '<b>x' || char(10) || '''; system ''touch stolen', name, value, unit
    FROM metric WHERE scope = 'model';
UPDATE service_timeline SET workload = workload || '</td><script>alert(2)</script> ''`touch stolen`';
UPDATE latency SET workload = workload || '</td><script>alert(2)</script> ''`touch stolen`';
SQL
    headroom report headroom.db --plots plots
    [ -z "$(find . -name stolen)" ]
    [ "$(grep -c '<script' report.html)" = 1 ]
    [ "$(grep -c '<b>x' report.html)" = 0 ]
    ls plots/tornado-*.svg plots/latency-over-time-*.svg plots/requests-waiting-*.svg >/dev/null
    # A line of a table is one line, whatever a name holds.
    headroom compare headroom.db | grep -q "^<b>x.*; system 'touch stolen\|<b>x.*touch"
    [ "$(headroom compare headroom.db --format json | jq '.models | length')" = 4 ]
    need_chromium
    browse report.html 1280 >seen.html
    [ "$(grep -c CONSOLE browser.log)" = 0 ]
    for width in 1280 390; do
        [ "$(measure_width report.html $width)" = "$width,$width" ]
    done
}

@test "without gnuplot it says what to install" {
    write_small_scenario
    headroom run small.yaml --quiet
    refused_with "apt-get install gnuplot-nox" env PATH=/nowhere "$HEADROOM" report headroom.db
    [ ! -e report.html ]
}

@test "bad calls" {
    write_small_scenario
    headroom run small.yaml --quiet
    refused_with "report needs one database" headroom report
    refused_with "none.db" headroom report none.db
    refused_with "--format takes svg or png" headroom report headroom.db --plots p --format gif
    refused_with "give both" headroom report headroom.db --format png
    run headroom report headroom.db -o none/report.html
    [ "$status" -eq 1 ]
    touch file
    refused_with "file" headroom report headroom.db --plots file/plots
    [ ! -e report.html ]
}
