/* SPDX-License-Identifier: BSD-2-Clause */
/* The sites of libraries in a recording, where the traced processes find them. */
#ifndef CLI_RECORD_SITE_TABLES_H
#define CLI_RECORD_SITE_TABLES_H

#include <stdbool.h>

/*
 * Adds the sites of an ELF file to the recording in a directory. Returns whether it is libc, and
 * all its calls that all programs make are known.
 */
bool site_tables_provide(int directory, const char *path);
/*
 * Adds the sites of the libraries of this program, which the traced program probably shares, to the
 * recording in a directory. Returns false if the sites of libc are unknown.
 */
bool site_tables_write(int directory);
/* Returns whether this process may change its code, as traced processes do. */
bool site_tables_can_work(void);

#endif
