/* What may become of a request. */
#ifndef SIM_SERVING_REQUEST_STATE_H
#define SIM_SERVING_REQUEST_STATE_H

enum request_state {
    REQUEST_COMPLETED,
    REQUEST_RUNNING,
    REQUEST_QUEUED,
    REQUEST_TIMED_OUT,
    REQUEST_REJECTED,
    REQUEST_FAILED, /* lost with its replica */
    REQUEST_STATE_COUNT
};
extern const char *const request_state_names[REQUEST_STATE_COUNT];

#endif
