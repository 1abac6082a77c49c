/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the csv converter over any bytes, with reads of several sizes; see digest.h. Every line must
 * be a record, an operation, or counted.
 *
 * The first byte of an input is options: bits 0-3 --columns, 4-5 --delimiter, 6 a header line made
 * of the following bytes. '0' is the default.
 */
#include "digest.h"

enum { COLUMNS_MAX = 12, NAME_MAX_BYTES = 160 };

/* Appends the name of a column: a known one, or up to 128 letters. */
static size_t add_name(struct fuzz_input *in, char *out)
{
	static const char *const names[] = {
	    "time",      "start_us",     "End (ms)", "duration_ns",
	    "op",        "offset",       "Size",     "path",
	    "rank",      "disk",         "pid",      "file",
	    "lba",       "id",           "cpu",      "relative_offset",
	    "object",    "host",         "command",  "iotype",
	    "timestamp", "length (KiB)", "kind",     "result"};
	const unsigned how = (unsigned)fuzz_take(in, 1);
	if (how < 128)
		return (size_t)sprintf(out, "%s", names[how % (sizeof(names) / sizeof(names[0]))]);
	memset(out, 'a' + (int)how % 26, how - 127);
	return how - 127;
}

static size_t make_header(struct fuzz_input *in, char separator, char *out)
{
	size_t size = 0;
	const unsigned columns = 1 + (unsigned)fuzz_take(in, 1) % COLUMNS_MAX;
	for (unsigned i = 0; i < columns; i++) {
		size += add_name(in, out + size);
		out[size++] = i + 1 < columns ? separator : '\n';
	}
	return size;
}

static struct fuzz_members file_with_header(struct fuzz_input in, char separator)
{
	char header[COLUMNS_MAX * NAME_MAX_BYTES];
	const size_t size = make_header(&in, separator, header);
	char *text = fuzz_memory(NULL, size + in.size);
	memcpy(text, header, size);
	if (in.size > 0)
		memcpy(text + size, in.data, in.size);
	const struct fuzz_input whole = {(const uint8_t *)text, size + in.size};
	const struct fuzz_members m = fuzz_members_new(&whole, false);
	free(text);
	return m;
}

static void check_lines(const struct fuzz_digest *d)
{
	const struct report *report = &d->report;
	FUZZ_CHECK(report->lines ==
		   d->records + d->ops + report->unparsed + report_get(report, "blank.lines") +
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
	const struct fuzz_members m = (how & 64) != 0 ? file_with_header(in, ",\t; "[how >> 4 & 3])
						      : fuzz_members_new(&in, false);
	fuzz_convert("csv", m.fd, m.files, settings, count, FUZZ_BATCH);
	struct fuzz_digest *d = fuzz_any_reads("csv", &m, settings, count);
	if (d->status == IOT_OK || d->status == IOT_ETRUNCATED)
		check_lines(d);
	free(d);
	fuzz_members_close(&m);
	return 0;
}
