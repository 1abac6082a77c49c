/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For converters of text in lines with the option --ops: the size of reads must make no difference,
 * and each line must be counted once.
 */
#ifndef FUZZ_LINES_H
#define FUZZ_LINES_H

#include "digest.h"

static inline void fuzz_check_lines(const struct fuzz_digest *d)
{
	const struct report *r = &d->report;
	const bool whole = d->status <= 0 && d->error.status != IOT_ENOMEM &&
			   d->error.status != IOT_ELIMIT && d->events < FUZZ_EVENTS_MAX;
	FUZZ_CHECK(!whole || r->lines == r->unparsed + fuzz_counted(r, "parsed.") +
					     fuzz_counted(r, "contradicted.lost"));
}

/* The first byte is options: bits 0-1 --ops, 2 the input is cut into two members. */
static inline int fuzz_lines(const char *name, const uint8_t *data, size_t size)
{
	static const char *const ops[] = {"all", "names", "none", "all"};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const struct setting setting = {"ops", ops[how & 3]};
	const struct fuzz_members m = fuzz_members_new(&in, (how & 4) != 0);
	fuzz_convert(name, m.fd, m.files, &setting, 1, FUZZ_BATCH);
	struct fuzz_digest *d = fuzz_any_reads(name, &m, &setting, 1);
	fuzz_check_lines(d);
	free(d);
	fuzz_members_close(&m);
	return 0;
}

#endif
