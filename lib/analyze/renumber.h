/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes the ids of a trace so that it can be added to another one of its job: a process of the
 * same host and rank, and a file of the same path, get the ids that they have there; ids of others
 * become distinct. Files at a node-local path are one only if they are of the same host, too. Of
 * several objects with one path, as after the file was created again, the one with the highest id
 * counts.
 */
#ifndef LIB_ANALYZE_RENUMBER_H
#define LIB_ANALYZE_RENUMBER_H

#include "lib/analyze/tables/row_names.h"
#include "lib/ties/sums.h"

#include "requests.h"

/* The ids of a trace. */
struct renumbered {
	struct requests *requests;
	struct row_names *names;
	struct tie_sums *ties;
};

/*
 * Changes the ids of `more`, of which no stream is open. Returns IOT_OK; IOT_ENOMEM; IOT_ELIMIT if
 * no ids are left.
 */
int renumber(struct renumbered more, struct renumbered with);

#endif
