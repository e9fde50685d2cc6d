#include "cli/command.h"

const struct command *const commands[] = {
    &command_init,    &command_check,  &command_run,    &command_sweep,   &command_plan,
    &command_compare, &command_report, &command_export, &command_catalog, &command_selftest,
};
const size_t command_count = sizeof commands / sizeof commands[0];

const struct exit_status_row exit_statuses[] = {
    {STATUS_DONE, "done"},
    {STATUS_FAILED, "failed while running"},
    {STATUS_BAD_INPUT, "bad usage, input or output"},
    {STATUS_UNMET, "done, but an objective is not met"},
    {STATUS_UNSTABLE, "done, but a queue grows without limit, so that its waits have none either"},
    {STATUS_INTERRUPTED, "interrupted; the runs that were finished are kept"},
};
const size_t exit_status_count = sizeof exit_statuses / sizeof exit_statuses[0];
