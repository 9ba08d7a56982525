/* The loop that anyone writes first, by one thread, as the compiler makes it. */
#define PEER_NAME "loop"
#define REDUCTION
#define SCAN
#define SCANNED
#include "loops.h"
