/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the libcachesim converter over any bytes, in pieces of several sizes; see chunks.h. Every
 * whole request must be a record, an operation, or counted.
 *
 * The first byte of an input is options: bits 0-2 --request, 3 --block. '0' is the default.
 */
#include "chunks.h"

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
	const int fd = fuzz_file(in.data, in.size);
	fuzz_convert("libcachesim", &fd, 1, settings, count, FUZZ_BATCH);
	const struct fuzz_result r = fuzz_chunks("libcachesim", fd, settings, count);
	FUZZ_CHECK(r.records == r.report.records);
	FUZZ_CHECK(r.records + r.ops == r.report.calls);
	if (layout > 0 && (r.status == IOT_OK || r.status == IOT_ETRUNCATED) &&
	    (in.size < 4 || memcmp(in.data, "\x28\xb5\x2f\xfd", 4) != 0))
		FUZZ_CHECK(r.records + r.ops + r.report.unparsed <=
			       in.size / layouts[layout].item ||
			   r.status == IOT_OK);
	(void)close(fd);
	return 0;
}
