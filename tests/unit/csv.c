/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables: what columns mean, values and their units, quotes, limits, and tables that end anywhere.
 */
#include <stdlib.h>

#include "converters/csv/csv.h"

#include "converter_tools.h"

#define SECOND_NS UINT64_C(1000000000)

static struct converted run;

TestSuite(csv, .timeout = 300);

static const char *table(const char *columns, const char *rows)
{
	const struct setting setting[2] = {{columns != NULL ? "columns" : NULL, columns}};
	convert_bytes(&run, "csv", rows, strlen(rows), setting);
	return run.text;
}

/* Columns */

Test(csv, units_of_times)
{
	static const struct {
		const char *column;
		int64_t ns;
	} units[] = {{"time:ns", 7},
		     {"time:us", 7000},
		     {"time:ms", 7000000},
		     {"time:s", 7000000000},
		     {"time:tick", 7 * IOT_TICK_DEFAULT_NS},
		     {"time:100ns", 700},
		     {"time:250ns", 1750},
		     {"time:seconds", 7000000000},
		     {"unix:msec", 7000000},
		     {"end:s", 7000000000}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		char columns[64];
		const bool end = units[i].column[0] == 'e';
		snprintf(columns, sizeof columns, "%s,%soffset,length,process=3,file=4",
			 units[i].column, end ? "duration:ns," : "");
		table(columns, end ? "7,0,1,2\n" : "7,1,2\n");
		cr_expect_eq(run.report.records, 1, "%s", columns);
		cr_expect_eq(run.last.start_ns, units[i].ns, "%s", columns);
		cr_expect_eq(run.last.process, 3);
		cr_expect_eq(run.last.file, 4);
	}
}

Test(csv, units_of_sizes)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = {{"bytes", 3},     {"sectors", 1536}, {"blocks", 1536}, {"KiB", 3072},
		     {"MiB", 3145728}, {"kB", 3000},      {"4096", 12288}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		char columns[64];
		snprintf(columns, sizeof columns, "time:s,offset,length:%s", units[i].unit);
		table(columns, "1,0,3\n");
		cr_expect_eq(run.last.length, units[i].bytes, "%s", columns);
	}
}

Test(csv, lists_that_are_not_valid)
{
	static const char *const lists[] = {"time:x,offset",
					    "time,offset",
					    "color,offset",
					    "op:s,offset",
					    "offset,offset",
					    "offset=x",
					    "op=maybe",
					    "disk=1,disk",
					    "",
					    "-",
					    "offset:gallons",
					    "time:0ns,offset"};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		table(lists[i], "1,2,3\n");
		cr_expect_eq(run.status, IOT_EUSAGE, "%s", lists[i]);
	}
}

Test(csv, maximum_of_columns)
{
	char columns[4 * CSV_COLUMNS_MAX + 16] = "time:s,length";
	for (unsigned i = 2; i < CSV_COLUMNS_MAX; i++)
		strcat(columns, ",-");
	table(columns, "1,2\n");
	cr_expect_eq(run.report.records, 1);
	strcat(columns, ",-");
	table(columns, "1,2\n");
	cr_expect_eq(run.status, IOT_EUSAGE);
}

Test(csv, names_of_headers)
{
	static const char *const headers[] = {
	    "start_us,op,offset,length", "Timestamp (us);Type;LBA;Sectors",
	    "\"time us\",\"rw\",lba,\"len\"", "\xef\xbb\xbfts_usec,op,offset,size",
	    "# a comment\nTIME_US\tOP\tOFFSET\tBYTES"};
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		char text[128];
		const char *const comment = strchr(headers[i], '\n');
		const char separator = strpbrk(comment != NULL ? comment : headers[i], ",;\t")[0];
		snprintf(text, sizeof text, "%s\n5%cw%c1024%c512\n", headers[i], separator,
			 separator, separator);
		table(NULL, text);
		cr_expect_eq(run.report.records, 1, "%s", text);
		cr_expect_eq(run.last.start_ns, 5000, "%s", text);
		cr_expect(run.last.type & IOT_WRITE, "%s", text);
		cr_expect_eq(counted_in(&run.report, "header.lines"), 1, "%s", text);
	}
	table(NULL, "time,op,offset,length\n1,r,0,1\n");
	cr_expect_eq(run.status, IOT_EUSAGE);
	cr_expect_not_null(strstr(run.error.text, "'time'"));
}

Test(csv, long_name_in_a_header)
{
	char text[256] = "start_us,op,offset,length,";
	const size_t n = strlen(text);
	memset(text + n, 'a', 100);
	strcpy(text + n + 100, "\n5,w,1024,512,x\n");
	table(NULL, text);
	cr_expect_eq(run.report.records, 1, "%s", run.error.text);
	cr_expect_eq(run.last.offset, 1024);
}

Test(csv, header_of_a_list_is_no_row)
{
	table("time:s,offset,length", "t,o,l\n1,2,3\nt,o,l\n");
	cr_expect_eq(run.report.records, 1);
	cr_expect_eq(counted_in(&run.report, "header.lines"), 2);
	cr_expect_eq(run.report.unparsed, 0);
}

/* Presets: rows as their publishers have them, and the records that they mean. */
Test(csv, presets)
{
	static const struct {
		const char *name, *row, *record;
	} presets[] = {
	    {"msr", "128166372003061629,usr,0,Read,7014609920,24576,41286\n",
	     "1172163600306162900+4128600 R 13700410+48 1/0\n"},
	    {"spc", "0,303567,3584,w,0.026214\n", "26214000+0? W 303567+7 0/0\n"},
	    {"cloudphysics", "1,5633898,2a,512,42932745\n",
	     "5633898000000000+0? W 42932745+1 0/1\n"},
	    {"alibaba", "419,W,46137344,4096,1577808000000046\n",
	     "1577808000000046000+0? W 90112+8 0/419\n"},
	    {"tencent", "1538323200,12910952,128,0,1063\n",
	     "1538323200000000000+0? R 12910952+128 0/1063\n"},
	    {"systor", "1455592075.162021000,0.001000000,W,2,512,4096\n",
	     "1455592075162021000+1000000 W 1+8 0/2\n"},
	    {"txt", "8191\n", "0?+0? r 8191+0 0/0\n"},
	};
	for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
		table(presets[i].name, presets[i].row);
		const char *record = strrchr(run.text, '+');
		while (record > run.text && record[-1] != '\n')
			record--;
		cr_expect_str_eq(record, presets[i].record, "%s", presets[i].name);
	}
}

/* Values */

Test(csv, numbers)
{
	static const struct {
		const char *time, *length;
		uint64_t ns, bytes;
		bool valid;
	} rows[] = {
	    {"0", "0", 0, 0, true},
	    {"9223372036.854775807", "1", INT64_MAX, 1, true},
	    {"9223372036.854775808", "1", 0, 0, false},
	    {"18446744074", "1", 0, 0, false},
	    {"1", "18446744073709551615", SECOND_NS, UINT64_MAX, true},
	    {"1", "18446744073709551616", 0, 0, false},
	    {"1", "99999999999999999999", 0, 0, false},
	    {"1.0000000005", "4096.0", SECOND_NS + 1, 4096, true},
	    {"1.0000000004", "4096.", SECOND_NS, 4096, true},
	    {"1.", "4096.5", 0, 0, false},
	    {" 1 ", " 7 ", SECOND_NS, 7, true},
	    {"00000000000000000000000000001", "007", SECOND_NS, 7, true},
	    {"1e3", "1", 0, 0, false},
	    {"-1", "1", 0, 0, false},
	    {"+1", "1", 0, 0, false},
	    {"0x1", "1", 0, 0, false},
	    {"1", "-1", 0, 0, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char row[128];
		snprintf(row, sizeof row, "%s,5,%s\n", rows[i].time, rows[i].length);
		table("time:s,offset,length", row);
		cr_expect_eq(run.report.records, rows[i].valid, "%s", row);
		cr_expect_eq(run.report.unparsed, !rows[i].valid, "%s", row);
		if (!rows[i].valid)
			continue;
		cr_expect_eq(run.last.start_ns, (int64_t)rows[i].ns, "%s", row);
		cr_expect_eq(run.last.length, rows[i].bytes, "%s", row);
	}
}

Test(csv, filetimes_before_1970)
{
	cr_expect_str_eq(table("time:filetime,offset,length", "116444736000000000,0,1\n"),
			 "0+0? r 0+1 0/0\n");
	table("time:filetime,offset,length", "116444735999999999,0,1\n");
	cr_expect_eq(run.report.unparsed, 1);
}

/* The start follows from the end and the duration, or the duration from start and end. */
Test(csv, ends)
{
	cr_expect_str_eq(table("end:s,duration:s,length", "5,2,1\n1,2,1\n"),
			 "3000000000+2000000000 r 0?+1 0/0\n");
	cr_expect_eq(run.report.unparsed, 1);
	cr_expect_str_eq(table("time:s,end:s,length", "5,7,1\n5,4,1\n"),
			 "5000000000+2000000000 r 0?+1 0/0\n5000000000+0? r 0?+1 0/0\n");
	cr_expect_eq(counted_in(&run.report, "clock.negative_duration"), 1);
}

Test(csv, unknown_values)
{
	static const char rows[] = "1,r,0,4\n2,w,,4\n3,,8,4\n,r,8,4\n5,r,8,\n6,stat,,\n";
	cr_expect_str_eq(table("time:ns,op,offset,length", rows),
			 "1+0? r 0+4 0/0\n2+0? w 0?+4 0/0\n3+0? r 8+4 0/0\n3?+0? r 8+4 0/0\n"
			 "5+0? r 8+0 0/0\n%op name=stat time=6\n");
	cr_expect_eq(counted_in(&run.report, "unknown.offset_records"), 1);
	cr_expect_eq(counted_in(&run.report, "unknown.op_records"), 1);
	cr_expect_eq(counted_in(&run.report, "unknown.length_records"), 1);
}

Test(csv, operations)
{
	static const char *const reads[] = {"R", "read", "0", "Rd", "28", "88", "pread64", "RS"},
				 *const writes[] = {"w",  "WRITE", "1",       "wr",
						    "2A", "8a",    "pwritev2"};
	char row[64];
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
		snprintf(row, sizeof row, "%s,1,2\n", reads[i]);
		cr_expect_not_null(strstr(table("op,offset,length", row), " r "), "%s", row);
	}
	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
		snprintf(row, sizeof row, "%s,1,2\n", writes[i]);
		cr_expect_not_null(strstr(table("op,offset,length", row), " w "), "%s", row);
	}
	table("op,offset,length", "2,1,2\nre/ad,1,2\n");
	cr_expect_eq(run.report.records, 0);
	cr_expect_eq(run.report.unparsed, 2);
}

/* Sectors if the columns say so and the numbers allow it. */
Test(csv, records_of_disks)
{
	cr_expect_str_eq(table("disk,offset,length", "1,512,1024\n1,512,1000\n"),
			 "%file process=0 id=1 kind=disk\n0?+0? R 1+2 0/1\n"
			 "0?+0? r 512+1000 0/1\n");
	cr_expect_eq(counted_in(&run.report, "unaligned.records"), 1);
}

/* cat writes the name of an operation, which may be the name of a transfer. */
Test(csv, own_operation_named_write)
{
	static const char rows[] =
	    "start_ns,op,kind,offset\n1,sync,op,\n2,write,op,5\n3,read,file,5\n";
	cr_expect_str_eq(table(NULL, rows), "%op name=sync time=1\n"
					    "%op name=write time=2 offset=5\n3+0? r 5+0 0/0\n");
}

/* The size that a truncate sets is a column next to the length; without one, it is the length. */
Test(csv, size_is_the_length_in_other_tables)
{
	cr_expect_str_eq(table(NULL, "start_ns,op,offset,size\n1,read,0,4096\n"),
			 "1+0? r 0+4096 0/0\n");
	cr_expect_str_eq(table(NULL, "start_ns,op,offset,length,kind,size\n1,truncate,,,op,7\n"),
			 "%op name=truncate time=1 size=7\n");
}

/* Quotes */

Test(csv, quotes)
{
	static const char rows[] = "\"1\",\"a,b\",5\n2,\"say \"\"hi\"\"\",6\n3,\"two\nlines\",7\n";
	cr_expect_str_eq(table("time:ns,path,length", rows),
			 "%file process=0 id=1 object=1 path=a,b\n1+0? r 0?+5 0/1\n"
			 "%file process=0 id=2 object=2 path=say%20\"hi\"\n2+0? r 0?+6 0/2\n"
			 "%file process=0 id=3 object=3 path=two%0Alines\n3+0? r 0?+7 0/3\n");
	cr_expect_eq(counted_in(&run.report, "joined.lines"), 1);
	cr_expect_eq(run.report.lines, 4);
}

Test(csv, quotes_that_do_not_match)
{
	static const struct {
		const char *rows;
		unsigned records, unparsed;
	} tables[] = {{"1,\"a\"b,5\n2,c,6\n", 1, 1},
		      {"1,a\"b,5\n2,c,6\n", 2, 0},
		      {"1,\"a,5\n2,c,6\n", 1, 1},
		      {"\"1,a,5\n\"2,c,6\n", 0, 1},
		      {"1,\"\",5\n", 1, 0}};
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		table("time:ns,path,length", tables[i].rows);
		cr_expect_eq(run.report.records, tables[i].records, "%s", tables[i].rows);
		cr_expect_eq(run.report.unparsed, tables[i].unparsed, "%s", tables[i].rows);
	}
}

Test(csv, tabs_have_escapes)
{
	cr_expect_str_eq(table("time:ns,path,length", "1\ta\\tb\\\\\t5\n2\t\"c\t6\n"),
			 "%file process=0 id=1 object=1 path=a%09b\\\n1+0? r 0?+5 0/1\n"
			 "%file process=0 id=2 object=2 path=\"c\n2+0? r 0?+6 0/2\n");
}

/* Limits */

/* A row "1,XXX,2" of this many bytes. */
static void long_row(size_t size)
{
	char *text = malloc(size + 32);
	const struct setting setting[2] = {{"columns", "time:ns,path,length"}};
	cr_assert_not_null(text);
	memset(text, 'x', size);
	memcpy(text, "1,", 2);
	memcpy(text + size - 2, ",2\n3,y,4\n", 9);
	convert_bytes(&run, "csv", text, size + 7, setting);
	free(text);
}

Test(csv, longest_row)
{
	long_row(CSV_ROW_MAX);
	cr_expect_eq(run.report.records, 2);
	cr_expect_eq(run.report.unparsed, 0);
	cr_expect_eq(counted_in(&run.report, "unnamed.files"), 1);
	long_row(CSV_ROW_MAX + 1);
	cr_expect_eq(run.report.records, 1);
	cr_expect_eq(run.report.unparsed, 1);
	long_row(3 * CSV_ROW_MAX);
	cr_expect_eq(run.report.records, 1);
	cr_expect_eq(run.report.unparsed, 1);
}

Test(csv, longest_path)
{
	long_row(CSV_PATH_MAX + 4);
	cr_expect_eq(counted_in(&run.report, "unnamed.files"), 0);
	long_row(CSV_PATH_MAX + 5);
	cr_expect_eq(counted_in(&run.report, "unnamed.files"), 1);
	cr_expect_eq(run.report.records, 2);
}

/*
 * Every line after a quote that is never closed is a row; each byte is scanned a bounded number of
 * times.
 */
Test(csv, quote_that_is_never_closed)
{
	enum { ROWS = 100000, ROW = 8 };
	char *text = malloc(ROWS * ROW + 16);
	const struct setting setting[2] = {{"columns", "time:ns,path,length"}};
	cr_assert_not_null(text);
	size_t size = (size_t)sprintf(text, "1,\"x,1\n");
	for (unsigned i = 0; i < ROWS; i++, size += ROW)
		memcpy(text + size, i % 2 == 0 ? "22,yy,3\n" : "22,\"y,3\n", ROW);
	convert_bytes(&run, "csv", text, size, setting);
	free(text);
	cr_expect_eq(run.report.records + run.report.unparsed +
			 counted_in(&run.report, "joined.lines"),
		     ROWS + 1);
}

Test(csv, hostile_lines)
{
	static const char *const lines[] = {",,,,,,,,,,,,,,\n",
					    "\"\n",
					    "\"\"\"\"\"\n",
					    "\\\n",
					    "1,2\n",
					    "\r\r\r\n",
					    "1,%zz,\n",
					    "18446744073709551615,,1\n",
					    "nan,inf,-0\n",
					    "\x1b[2J,\x7f,1\n",
					    "1;2;3\n",
					    "\xff\xfe,1,1\n"};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char text[128];
		snprintf(text, sizeof text, "1,2,3\n%s4,5,6\n", lines[i]);
		table("time:ns,path,length", text);
		const uint64_t blank = counted_in(&run.report, "blank.lines"),
			       joined = counted_in(&run.report, "joined.lines");
		cr_expect_eq(run.status, IOT_OK, "%s", lines[i]);
		cr_expect_geq(run.report.records, 2 - joined, "%s", lines[i]);
		cr_expect_eq(run.report.records + run.report.unparsed + blank + joined, 3, "%s",
			     lines[i]);
	}
}

/* A last line without an end is read if it is complete, except in tables of iotrace. */
Test(csv, table_that_ends_at_any_byte)
{
	static const char text[] = "10,r,0,400\n20,w,400,55\n";
	const struct setting setting[2] = {{"columns", "time:ns,op,offset,length"}};
	for (size_t n = 1; n < sizeof text; n++) {
		convert_bytes(&run, "csv", text, n, setting);
		const bool ended = text[n - 1] == '\n';
		const uint64_t unclosed = counted_in(&run.report, "unclosed");
		cr_expect_eq(run.lost, !ended && unclosed == 0, "%zu bytes", n);
		cr_expect_eq(run.status, run.lost ? IOT_ETRUNCATED : IOT_OK, "%zu bytes", n);
	}
}
