/* The time, for differences. */
#ifndef CLFOLD_COMMAND_CLOCK_H
#define CLFOLD_COMMAND_CLOCK_H

/* Seconds since some moment. */
double clock_now(void);

#endif
