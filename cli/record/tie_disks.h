/* SPDX-License-Identifier: BSD-2-Clause */
/* Ties disk I/Os to the records of a trace that caused them, as iotrace merge --physical does. */
#ifndef CLI_RECORD_TIE_DISKS_H
#define CLI_RECORD_TIE_DISKS_H

#include <stdbool.h>

/*
 * Replaces the trace by one with ties. Returns false if that fails; a message has said why, and the
 * trace without ties has its old name.
 */
bool tie_disks(const char *trace, const char *blktrace);

#endif
