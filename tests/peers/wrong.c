/* A peer whose loops stop half way: what it gives must be found wrong. */
#define PEER_NAME     "wrong"
#define REORDERS      false
#define REDUCTION(by) count /= 2;
#define SCAN(by)      count /= 2;
#define SCANNED
#define EACH count /= 2;
#define ROWS num /= 2;
#define ROW(by)
#define DECLARED(by, item, identity)
#define PARTS     1
#define EACH_PART begins[parts] /= 2;
#include "../../tools/peers/loops.h"
