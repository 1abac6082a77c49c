/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef NHT1_CLOCK_H
#define NHT1_CLOCK_H

/* Seconds of CLOCK_MONOTONIC. */
double now_s(void);

/*
 * Marks this time in a trace by a call that every tracer sees and that changes nothing: access() to
 * /iotrace/mark/NAME. The marks begin-NAME and end-NAME enclose a section, whose figures `marks`
 * computes.
 */
void mark(const char *name);

/*
 * Marks the begin of a section, then returns the time; the other function returns the time, then
 * marks the end.
 */
double section_begin(const char *name);
double section_end(const char *name);

#endif
