/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of DFTracer that end anywhere, and lines that are no events. */
#include "converter_tools.h"

static struct converted run;

TestSuite(dftracer, .timeout = 300);

#define EVENT(name, ts, args)                                                                      \
	"{\"id\":1,\"name\":\"" name "\",\"cat\":\"POSIX\",\"pid\":7,\"tid\":7,\"ts\":" ts         \
	",\"dur\":2,\"ph\":\"X\",\"args\":{" args "}}\n"

static void convert(const char *text, size_t size)
{
	const struct setting none[2] = {{NULL, NULL}};
	convert_bytes(&run, "dftracer", text, size, none);
}

/* The last line is read if it lacks its end only; otherwise the trace is truncated, with %lost. */
Test(dftracer, file_that_ends_at_any_byte)
{
	static const char text[] = "[\n" EVENT("open", "10", "\"fname\":\"/a\",\"ret\":3")
	    EVENT("pread", "20", "\"fd\":3,\"count\":9,\"offset\":4,\"ret\":9")
		EVENT("close", "30", "\"fd\":3,\"ret\":0") "]\n";
	uint64_t records = 0;
	for (size_t n = (size_t)(strchr(text, '}') - text) + 2; n < sizeof text; n++) {
		const bool whole = text[n - 1] == '\n' || text[n] == '\n';
		convert(text, n);
		cr_expect_eq(run.status, whole ? IOT_OK : IOT_ETRUNCATED, "%zu bytes", n);
		cr_expect_eq(run.report.unparsed, !whole, "%zu bytes", n);
		cr_expect_geq(run.report.records, records, "%zu bytes", n);
		records = run.report.records;
	}
	cr_expect_eq(records, 1);
	cr_expect_eq(run.last.offset, 4);
	cr_expect_eq(run.last.length, 9);
	cr_expect_eq(run.last.duration_ns, 2000);
}

Test(dftracer, numbers_that_do_not_fit)
{
	static const char *const lines[] = {
	    EVENT("read", "4611686018427387904", "\"fd\":3,\"ret\":1"),
	    EVENT("read", "99999999999999999999", "\"fd\":3,\"ret\":1"),
	    EVENT("read", "-1", "\"fd\":3,\"ret\":1"),
	    EVENT("read", "1", "\"fd\":3,\"ret\":9223372036854775808"),
	    EVENT("read", "1", "\"fd\":3x,\"ret\":1"),
	    "{\"ph\":\"X\",\"args\":[[[[[[\n",
	    "{}\n",
	    "{\"name\":\"read\"\n"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char text[1024];
		snprintf(text, sizeof text, "%s%s", EVENT("open", "1", "\"ret\":3"), lines[i]);
		convert(text, strlen(text));
		cr_expect_eq(run.report.unparsed, 1, "%s", lines[i]);
		cr_expect_eq(run.report.records, 0, "%s", lines[i]);
	}
}
