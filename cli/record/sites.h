/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the system calls in a library that a traced process changes. */
#ifndef CLI_RECORD_SITES_H
#define CLI_RECORD_SITES_H

#include "record/sites.h"

/*
 * Returns the sites of an ELF file with a build id, for free(); NULL if it cannot be read. There
 * are none if it is not understood.
 */
struct record_sites *sites_of(const char *path);

#endif
