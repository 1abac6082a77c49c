/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the libcachesim converter over any bytes, with reads of several sizes; see digest.h. Every
 * whole request must be a record, an operation, or counted.
 *
 * The first byte of an input is options: bits 0-2 --request, 3 --block. '0' is the default.
 */
#include "digest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *name;
		size_t item;
	} layouts[] = {{NULL, 0},
		       {"oracleGeneral", 24},
		       {"oracleGeneralOpNS", 27},
		       {"vscsi1", 32},
		       {"vscsi2", 40}};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	const size_t layout = how % 8 < 5 ? how % 8 : 0;
	struct setting settings[2];
	size_t count = 0;
	if (layout > 0)
		settings[count++] = (struct setting){"request", layouts[layout].name};
	if ((how & 8) != 0)
		settings[count++] = (struct setting){"block", "4096"};
	const struct fuzz_members m = fuzz_members_new(&in, false);
	fuzz_convert("libcachesim", m.fd, m.files, settings, count, FUZZ_BATCH);
	struct fuzz_digest *d = fuzz_any_reads("libcachesim", &m, settings, count);
	FUZZ_CHECK(d->records == d->report.records);
	FUZZ_CHECK(d->records + d->ops == d->report.calls);
	if (layout > 0 && (d->status == IOT_OK || d->status == IOT_ETRUNCATED) &&
	    (in.size < 4 || memcmp(in.data, "\x28\xb5\x2f\xfd", 4) != 0))
		FUZZ_CHECK(d->records + d->ops + d->report.unparsed <=
			       in.size / layouts[layout].item ||
			   d->status == IOT_OK);
	free(d);
	fuzz_members_close(&m);
	return 0;
}
