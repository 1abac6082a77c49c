/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the system calls in libraries that a traced process changes. */
#ifndef CLI_RECORD_SITES_H
#define CLI_RECORD_SITES_H

#include <stdbool.h>

#include "record/sites.h"

/*
 * Returns the sites of an ELF file with a build id, for free(); NULL if it cannot be read. There
 * are none if it is not understood.
 */
struct record_sites *sites_of(const char *path);
/*
 * Adds the sites of an ELF file to the recording in a directory. Returns whether it is libc, and
 * all its calls that all programs make are known.
 */
bool sites_provide(int directory, const char *path);
/*
 * Adds the sites of the libraries of this program, which the traced program probably shares, to the
 * recording in a directory. Returns false if the sites of libc are unknown.
 */
bool sites_write(int directory);
/* Returns whether this process may change its code, as traced processes do. */
bool sites_can_write(void);

#endif
