#!/usr/bin/env bats
# Prices that are mixes, nodes' prices, and electricity.
bats_require_minimum_version 1.5.0
load helpers

# small.yaml on a node of 4 T4 (33.5 W idle, 70 W at most): 30 s, of which 100 GPU-seconds compute.
write_t4_scenario() {
    write_small_scenario
    sed -i 's/A100-SXM4-80GB/T4-16GB/' small.yaml
}

@test "a mix is a mean by shares of the GPUs" {
    write_t4_scenario
    # 0.5 x 3600 + 0.25 x 1800 + 0.25 x 4 x 1800 / 4 = 2700 an hour and GPU; 4 GPUs for 30 s: 90.
    headroom run small.yaml -o mix.db --quiet --set 'cluster.pools.a100.price=[{share: 50%, commitment: 1y,
        per_gpu_hour: 3600}, {share: 25%, spot: true, per_gpu_hour: 1800}, {per_node_hour: 7200}]'
    [ "$(metric mix.db usd_total)" = 90.0 ]
    headroom report mix.db -o mix.html
    # Electricity has no price, so nothing is said of it.
    ! grep -q electricity mix.html
    # The report reads the scenario's text, which has one price: give it one with the mix.
    sed -i 's/price: {per_gpu_hour: 3600}/price: [{share: 60%, commitment: 1y, per_gpu_hour: 1.4}, {spot: true, per_gpu_hour: 0.9}]/' small.yaml
    headroom run small.yaml -o mix.db --quiet
    headroom report mix.db -o mix.html
    grep -q '60 % at 1.4 per GPU-hour (1y), 40 % at 0.9 per GPU-hour (spot)' mix.html
}

@test "electricity is shown apart, and part of the bill" {
    write_t4_scenario
    run --separate-stderr headroom run small.yaml -o power.db --set 'cluster.power={price_per_kwh: 3600, pue: 2}'
    [ "$status" -eq 0 ]
    # 4 x 33.5 W x 30 s + 36.5 W x 100 s = 7670 Ws; times 2 and 3600 a kWh: 15.34, beside 120 for the GPUs.
    [ "$(metric power.db usd_energy)" = 15.34 ]
    [ "$(metric power.db usd_total)" = 135.34 ]
    [ "$(sqlite3 power.db "select usd, usd_idle_share, usd_energy, usd_total from v_cost where scope = 'workload'")" = \
        "100.0|20.0|15.34|135.34" ]
    [[ "$output" == *"14.8 % of it for idle GPUs and 11.3 % for electricity"* ]]
    headroom report power.db -o power.html
    grep -q '>electricity<' power.html
    headroom export power.db --format focus >costs.csv
    [ "$(cut -d, -f1 costs.csv | tail -n +2 | xargs printf '%.6g ')" = "100 20 15.34 " ]
    grep -q 'Electricity of workload train' costs.csv
    [ "$(headroom run small.yaml -o power.db --json --set 'cluster.power={price_per_kwh: 3600, pue: 2}' 2>/dev/null |
        jq '.runs[0].cost.usd_energy * 1e6 | round')" = 15340000 ]
}

@test "without a price of electricity nothing changes" {
    write_t4_scenario
    headroom run small.yaml -o plain.db >out 2>/dev/null
    [ "$(metric plain.db usd_energy)" = 0.0 ]
    [ "$(metric plain.db usd_total)" = 120.0 ]
    ! grep -q electricity out
}
