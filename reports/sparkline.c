#include "reports/sparkline.h"

#include <math.h>
#include <string.h>

#include "sim/kernel/memory.h"

static const char *bar(double share) {
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    enum { BARS = sizeof bars / sizeof bars[0] };
    if (isnan(share)) {
        return " ";
    }
    int height = (int)(fmin(fmax(share, 0), 1) * BARS);
    return bars[height < BARS ? height : BARS - 1];
}

char *sparkline(const double *values, size_t count, double greatest) {
    enum { BYTES_PER_BAR = 3 };
    char *line = memory_allocate(count * BYTES_PER_BAR + 1);
    char *end = line;
    for (size_t i = 0; i < count; i++) {
        end = stpcpy(end, bar(greatest > 0 ? values[i] / greatest : values[i] * 0));
    }
    *end = '\0';
    return line;
}
