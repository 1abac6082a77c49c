/* SPDX-License-Identifier: BSD-2-Clause */
/* TCP connections with loopback addresses at both ends. A failed call ends the program. */
#ifndef NHT1_LOOPBACK_H
#define NHT1_LOOPBACK_H

/*
 * Stores the two ends of a connection of an address; one that is not a loopback address ends the
 * program.
 */
void loopback_pair(const char *address, int ends[2]);

#endif
