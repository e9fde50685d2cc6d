/* The program's own tables, for tests that read scenarios: cli/ is no library, so its file is
 * compiled here once more rather than listed a second time. */
#include "cli/language.c"
