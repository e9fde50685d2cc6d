/* Costs in the columns of FOCUS 1.2 (https://focus.finops.org/focus-specification/v1-2/): all that
 * are mandatory, some that are conditional, and x_ columns that tell the runs apart. A row is what
 * a workload costs by itself, or its share of what nobody used; they add up to the bill of the
 * case, which is one billing account. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/csv_text.h"
#include "reports/export_internal.h"
#include "reports/json.h"
#include "sim/kernel/memory.h"

static const char header[] =
    "BilledCost,BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodEnd,"
    "BillingPeriodStart,ChargeCategory,ChargeClass,ChargeDescription,ChargeFrequency,"
    "ChargePeriodEnd,ChargePeriodStart,ContractedCost,EffectiveCost,InvoiceIssuerName,ListCost,"
    "PricingCategory,PricingQuantity,PricingUnit,ProviderName,PublisherName,ServiceCategory,"
    "ServiceName,SubAccountId,SubAccountName,Tags,x_Idle,x_Point,x_Replications,x_Scenario,"
    "x_Variant\n";

/* Means over the replications of a case. Where no workload bears what an unused pool costs, the
 * rest of the run's bill is a row without a workload. GPU-hours that nobody used are shared as
 * their cost is, and so are kilowatt-hours, of the GPUs alone. */
static const char query[] =
    "WITH account AS ("
    "    SELECT batch, min(position) AS position, scenario, variant, point, currency, "
    "           count(*) AS replications, min(epoch_s) AS epoch_s, avg(sim_seconds) AS end_s, "
    "           avg((SELECT value FROM metric m WHERE m.run_id = r.run_id AND m.scope = 'run' "
    "                AND m.name = 'warmup_s')) AS begin_s "
    "    FROM export_run r GROUP BY batch, scenario, variant, point, currency), "
    "bill AS ("
    "    SELECT batch, scenario, variant, point, c.scope, subject, avg(usd) AS used, "
    "           avg(usd_idle_share) AS idle, avg(usd_energy) AS energy, "
    "           avg((SELECT value FROM metric m WHERE m.run_id = c.run_id AND m.scope = c.scope "
    "                AND m.subject = c.subject AND m.name = 'gpu_hours')) AS gpu_hours, "
    "           min(c.rowid) AS place "
    "    FROM cost c JOIN export_run r USING (run_id) WHERE c.scope IN ('run', 'workload') "
    "    GROUP BY batch, scenario, variant, point, c.scope, subject), "
    "idle_hours AS ("
    "    SELECT batch, scenario, variant, point, sum(gpu_hours) / count(DISTINCT run_id) AS hours "
    "    FROM gpu_time JOIN export_run r USING (run_id) "
    "    WHERE category IN ('idle', 'stranded', 'reconfiguring', 'down') "
    "    GROUP BY batch, scenario, variant, point), "
    "energy AS ("
    "    SELECT batch, scenario, variant, point, avg(value) AS kwh "
    "    FROM metric m JOIN export_run r USING (run_id) "
    "    WHERE m.scope = 'run' AND m.name = 'energy_kwh' "
    "    GROUP BY batch, scenario, variant, point), "
    "charge AS ("
    "    SELECT batch, scenario, variant, point, place, subject, 0 AS kind, used AS cost, "
    "           gpu_hours AS hours FROM bill WHERE scope = 'workload' "
    "    UNION ALL "
    "    SELECT b.batch, b.scenario, b.variant, b.point, b.place, b.subject, 2, b.energy, "
    "           k.kwh * b.energy / run.energy "
    "    FROM bill b JOIN bill run USING (batch, scenario, variant, point) "
    "         JOIN energy k USING (batch, scenario, variant, point) "
    "    WHERE b.scope = 'workload' AND run.scope = 'run' AND b.energy > 0 "
    "    UNION ALL "
    "    SELECT b.batch, b.scenario, b.variant, b.point, b.place, b.subject, 1, b.idle, "
    "           h.hours * b.idle / nullif(run.idle, 0) "
    "    FROM bill b JOIN bill run USING (batch, scenario, variant, point) "
    "         JOIN idle_hours h USING (batch, scenario, variant, point) "
    "    WHERE b.scope = 'workload' AND run.scope = 'run' "
    "    UNION ALL "
    "    SELECT run.batch, run.scenario, run.variant, run.point, 1e18, '', 1, "
    "           run.used + run.idle + run.energy - total(b.used + b.idle + b.energy), "
    "           (SELECT hours FROM idle_hours h WHERE h.batch = run.batch AND h.scenario = "
    "            run.scenario AND h.variant = run.variant AND h.point = run.point) * "
    "           (run.idle - total(b.idle)) / nullif(run.idle, 0) "
    "    FROM bill run LEFT JOIN bill b ON b.batch = run.batch AND b.scenario = run.scenario "
    "         AND b.variant = run.variant AND b.point = run.point AND b.scope = 'workload' "
    "    WHERE run.scope = 'run' "
    "    GROUP BY run.batch, run.scenario, run.variant, run.point) "
    "SELECT scenario, variant, point, currency, replications, epoch_s + begin_s, epoch_s + end_s, "
    "       subject, kind, cost, coalesce(hours, 0) "
    "FROM charge JOIN account USING (batch, scenario, variant, point) "
    "WHERE cost IS NOT NULL AND (subject <> '' OR abs(cost) > 1e-6) "
    "ORDER BY batch, position, place, kind";
enum {
    COLUMN_SCENARIO,
    COLUMN_VARIANT,
    COLUMN_POINT,
    COLUMN_CURRENCY,
    COLUMN_REPLICATIONS,
    COLUMN_BEGIN,
    COLUMN_END,
    COLUMN_WORKLOAD,
    COLUMN_KIND,
    COLUMN_COST,
    COLUMN_HOURS,
};

static void print_text(FILE *out, const char *text) {
    csv_print_text(out, text);
    fputc(',', out);
}

static void print_number(FILE *out, double value) {
    csv_print_number(out, value);
    fputc(',', out);
}

/* ISO 8601, UTC, as FOCUS wants it. */
static void print_moment(FILE *out, double epoch_s) {
    time_t seconds = (time_t)epoch_s;
    struct tm parts;
    char text[32];
    gmtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    print_text(out, text);
}

static void print_tags(FILE *out, sqlite3_stmt *row) {
    json_t *tags = json_object();
    json_set(tags, "scenario", json_text(database_text(row, COLUMN_SCENARIO)));
    json_set(tags, "variant", json_text(database_text(row, COLUMN_VARIANT)));
    json_set(tags, "point", json_text(database_text(row, COLUMN_POINT)));
    json_set(tags, "workload", json_text(database_text(row, COLUMN_WORKLOAD)));
    char *text = json_dumps(tags, JSON_COMPACT);
    print_text(out, text);
    free(text);
    json_decref(tags);
}

/* What a row is the cost of. */
enum charge { CHARGE_USED, CHARGE_IDLE, CHARGE_ENERGY };

static void print_description(FILE *out, const char *workload, enum charge charge) {
    static const char *const beginnings[] = {
        [CHARGE_USED] = "GPUs of workload",
        [CHARGE_IDLE] = "Share of idle GPUs of workload",
        [CHARGE_ENERGY] = "Electricity of workload",
    };
    char *text = NULL;
    if (workload[0] == '\0') {
        print_text(out, "GPUs that no workload used");
        return;
    }
    if (asprintf(&text, "%s %s", beginnings[charge], workload) < 0) {
        memory_exhausted(0);
    }
    print_text(out, text);
    free(text);
}

static void print_row(FILE *out, sqlite3_stmt *row) {
    const char *workload = database_text(row, COLUMN_WORKLOAD);
    enum charge charge = (enum charge)sqlite3_column_int(row, COLUMN_KIND);
    double cost = sqlite3_column_double(row, COLUMN_COST);
    double begin_s = sqlite3_column_double(row, COLUMN_BEGIN);
    double end_s = sqlite3_column_double(row, COLUMN_END);
    char *account =
        export_run_name(database_text(row, COLUMN_SCENARIO), database_text(row, COLUMN_VARIANT),
                        database_text(row, COLUMN_POINT));
    print_number(out, cost);
    print_text(out, account);
    print_text(out, account);
    print_text(out, database_text(row, COLUMN_CURRENCY));
    print_moment(out, end_s);
    print_moment(out, begin_s);
    print_text(out, "Usage");
    print_text(out, ""); /* ChargeClass: no correction */
    print_description(out, workload, charge);
    print_text(out, "Usage-Based");
    print_moment(out, end_s);
    print_moment(out, begin_s);
    print_number(out, cost);
    print_number(out, cost);
    print_text(out, "headroom (simulated)");
    print_number(out, cost);
    print_text(out, "Standard");
    print_number(out, sqlite3_column_double(row, COLUMN_HOURS));
    print_text(out, charge == CHARGE_ENERGY ? "kWh" : "GPU-Hours");
    print_text(out, "headroom (simulated)");
    print_text(out, "headroom (simulated)");
    print_text(out, "Compute");
    print_text(out, "GPUs");
    print_text(out, workload);
    print_text(out, workload);
    print_tags(out, row);
    print_text(out, charge == CHARGE_IDLE ? "true" : "false");
    print_text(out, database_text(row, COLUMN_POINT));
    print_number(out, sqlite3_column_double(row, COLUMN_REPLICATIONS));
    print_text(out, database_text(row, COLUMN_SCENARIO));
    csv_print_text(out, database_text(row, COLUMN_VARIANT));
    fputc('\n', out);
    free(account);
}

bool export_focus(struct exporter *exporter, FILE *out) {
    bool any = false;
    sqlite3_stmt *row = export_prepare(exporter, query);
    while (export_next(exporter, row)) {
        fputs(any ? "" : header, out);
        print_row(out, row);
        any = true;
    }
    if (!any && !exporter->failed) {
        error_set(exporter->error, exporter->database->path, 0, 0,
                  "has no costs: no price of its GPUs was known");
        exporter->failed = true;
    }
    return !exporter->failed;
}
