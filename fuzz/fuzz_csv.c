/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the csv converter over any bytes, in pieces of several sizes; see chunks.h. Every line must
 * be a record, an operation, or counted.
 *
 * The first byte of an input is options: bits 0-3 --columns, 4-5 --delimiter. '0' is the default.
 */
#include "chunks.h"

static void check_lines(const struct fuzz_result *r)
{
	const struct report *report = &r->report;
	FUZZ_CHECK(report->lines ==
		   r->records + r->ops + report->unparsed + report_get(report, "blank.lines") +
		       report_get(report, "header.lines") + report_get(report, "joined.lines"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const columns[] = {NULL,
					      "msr",
					      "spc",
					      "cloudphysics",
					      "alibaba",
					      "tencent",
					      "systor",
					      "txt",
					      "raw",
					      "raw:ns",
					      "time:ms,end:us,op,offset,length,path,rank,comm",
					      "end:s,duration:ms,host,disk,length:sectors,op",
					      "process,file,offset,op=write,length=512",
					      "unix:s,cpu:us,path,length,pid,object",
					      "id:4096,op",
					      "disk=3,offset:sectors,length,op,-,time:100ns"};
	static const char *const delimiters[] = {NULL, "tab", ";", " "};
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1) ^ '0';
	struct setting settings[2];
	size_t count = 0;
	if (columns[how & 15] != NULL)
		settings[count++] = (struct setting){"columns", columns[how & 15]};
	if (delimiters[how >> 4 & 3] != NULL)
		settings[count++] = (struct setting){"delimiter", delimiters[how >> 4 & 3]};
	const int fd = fuzz_file(in.data, in.size);
	fuzz_convert("csv", &fd, 1, settings, count, FUZZ_BATCH);
	const struct fuzz_result r = fuzz_chunks("csv", fd, settings, count);
	if (r.status == IOT_OK || r.status == IOT_ETRUNCATED)
		check_lines(&r);
	(void)close(fd);
	return 0;
}
