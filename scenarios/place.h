/* Where something is written, for errors that are found after reading. */
#ifndef SCENARIOS_PLACE_H
#define SCENARIOS_PLACE_H

struct place {
    const char *file;
    int line;
    int column;
};

#endif
