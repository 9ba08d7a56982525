/* The loop that anyone writes first, by one thread, as the compiler makes it. */
#define PEER_NAME "loop"
#define REORDERS  false
#define REDUCTION(by)
#define SCAN(by)
#define SCANNED
#define EACH
#define ROWS
#define ROW(by)
#define DECLARED(by, item, identity)
#define PARTS 1
#define EACH_PART
#include "loops.h"
