/* SPDX-License-Identifier: BSD-2-Clause */
/* Request traces of libCacheSim: layouts, headers of every version, limits, and truncated files. */

#include "converters/libcachesim/libcachesim.h"

#include "converter_tools.h"

enum { FILE_SIZE = 16384, OP_GET = 1, OP_SET = 3, OP_DELETE = 9, OP_READ = 12, OP_WRITE = 13 };

#define MAGIC UINT64_C(0x123456789abcdef0)

static struct converted run;

static struct {
	unsigned char data[FILE_SIZE];
	size_t size;
} file;

TestSuite(libcachesim, .timeout = 300);

static void put(uint64_t value, size_t bytes)
{
	cr_assert(file.size + bytes <= FILE_SIZE);
	for (; bytes > 0; bytes--, value >>= 8)
		file.data[file.size++] = (unsigned char)value;
}

static void pad_to(size_t size)
{
	while (file.size < size)
		put(0, 1);
}

static void convert(const char *request, const char *block)
{
	struct setting setting[2] = {{"request", request}, {"block", block}};
	if (request == NULL)
		setting[0] = block != NULL ? setting[1] : (struct setting){NULL, NULL};
	if (request == NULL || block == NULL)
		setting[1].name = NULL;
	convert_bytes(&run, "libcachesim", file.data, file.size, setting);
}

static void wide_header(uint64_t version, uint64_t requests)
{
	file.size = 0;
	put(MAGIC, 8);
	put(version, 8);
	put(1, 8);
	put(requests, 8);
	pad_to(8184);
	put(MAGIC, 8);
}

/* A request of a version of lcs. */
static void wide_request(unsigned version, uint64_t seconds, uint64_t id, uint64_t size,
			 unsigned op, uint64_t tenant)
{
	put(seconds, 4);
	put(id, 8);
	put(size, version < 3 ? 4 : 8);
	if (version > 1) {
		put(op, 1);
		put(tenant, 3);
	}
	if (version > 2)
		put(0, 4);
	put(UINT64_MAX, 8);
	for (unsigned i = 0; version > 3 && i < 1U << (version - 4); i++)
		put(0xaaaaaaaa, 4);
}

static const char *records(void)
{
	const char *first = run.text;
	while (strncmp(first, "%file", 5) == 0)
		first = strchr(first, '\n') + 1;
	return first;
}

Test(libcachesim, every_version_of_lcs)
{
	for (unsigned version = 1; version <= 8; version++) {
		wide_header(version, 3);
		wide_request(version, 5, 77, 4096, OP_READ, 0);
		wide_request(version, 6, UINT64_MAX, 1, OP_WRITE, 0);
		wide_request(version, 7, 77, 8, OP_DELETE, 0);
		convert(NULL, NULL);
		cr_expect_eq(run.status, IOT_OK, "version %u: %s", version, run.error.text);
		cr_expect_str_eq(
		    records(),
		    version == 1 ? "5000000000+0? r 77+4096 0/1\n"
				   "6000000000+0? r 18446744073709551615+1 0/1\n"
				   "7000000000+0? r 77+8 0/1\n"
				 : "5000000000+0? r 77+4096 0/1\n"
				   "6000000000+0? w 18446744073709551615+1 0/1\n"
				   "%op name=delete time=7000000000 process=0 file=1 offset=77\n",
		    "version %u", version);
		cr_expect_eq(counted_in(&run.report, "unknown.op_records"), version == 1 ? 3 : 0);
	}
}

Test(libcachesim, versions_and_sizes_that_are_not_valid)
{
	static const uint64_t versions[] = {0, 9, UINT64_MAX};
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		wide_header(versions[i], 0);
		convert(NULL, NULL);
		cr_expect_eq(run.status, IOT_EFORMAT);
	}
	wide_header(3, 2);
	wide_request(3, 1, 1, UINT64_C(1) << 63, OP_READ, 0);
	wide_request(3, 2, 1, INT64_MAX, OP_READ, 0);
	convert(NULL, NULL);
	cr_expect_eq(run.report.unparsed, 1);
	cr_expect_eq(run.last.length, INT64_MAX);
}

Test(libcachesim, operations_and_tenants)
{
	wide_header(2, 4);
	wide_request(2, 1, 1, 1, OP_GET, 0xffffff);
	wide_request(2, 1, 1, 1, OP_SET, 1);
	wide_request(2, 1, 1, 1, 0, 1);
	wide_request(2, 1, 1, 1, 255, 1);
	convert(NULL, NULL);
	cr_expect_str_eq(records(), "1000000000+0? r 1+1 16777215/1\n"
				    "%file process=1 id=1 object=1\n1000000000+0? w 1+1 1/1\n"
				    "1000000000+0? r 1+1 1/1\n1000000000+0? r 1+1 1/1\n");
	cr_expect_eq(counted_in(&run.report, "unknown.op_records"), 2);
}

/* numbers: the columns of the fields id, size, time, ttl, next, op, key size, tenant, from 1. */
static void old_header(const char *format, const unsigned char numbers[9], uint32_t item)
{
	file.size = 0;
	put(MAGIC, 8);
	for (const char *p = format; *p != '\0'; p++)
		put((unsigned char)*p, 1);
	pad_to(248);
	for (size_t i = 0; i < 9; i++)
		put(numbers[i], 1);
	pad_to(488);
	put(2, 8);
	pad_to(1004);
	put(item, 4);
	pad_to(1016);
	put(MAGIC, 8);
}

Test(libcachesim, old_lcs)
{
	static const unsigned char numbers[9] = {2, 3, 1, 0, 0, 4, 0, 5, 0};
	old_header("<IQxIBQ", numbers, 26);
	for (unsigned i = 0; i < 2; i++) {
		put(5 + i, 4);
		put(9, 8);
		put(0, 1);
		put(512, 4);
		put(OP_WRITE, 1);
		put(i == 0 ? UINT32_MAX : UINT64_C(1) << 32, 8);
	}
	convert(NULL, NULL);
	cr_expect_str_eq(records(), "5000000000+0? w 9+512 4294967295/1\n");
	cr_expect_eq(run.report.unparsed, 1);
}

Test(libcachesim, old_headers_that_are_not_valid)
{
	static const unsigned char id[9] = {1}, none[9] = {9}, floating[9] = {2, 1};
	char longest[LCS_ITEM_MAX / 8 + 2] = "<";
	for (unsigned i = 1; i <= LCS_ITEM_MAX / 8; i++)
		strcat(longest, "Q");
	old_header(longest, id, 0);
	convert(NULL, NULL);
	cr_expect_neq(run.status, IOT_EFORMAT, "%s", run.error.text);
	static const struct {
		const char *format;
		const unsigned char *numbers;
		uint32_t item;
	} headers[] = {{"", id, 0},       {"<IQ", id, 13},       {"<IZ", id, 12},
		       {"<IQ", none, 12}, {"<Id", floating, 12}, {">IQ", id, 12}};
	for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
		old_header(headers[i].format, headers[i].numbers, headers[i].item);
		convert(NULL, NULL);
		cr_expect_eq(run.status, IOT_EFORMAT, "%s", headers[i].format);
	}
}

Test(libcachesim, headers_that_end_anywhere)
{
	wide_header(2, 0);
	for (size_t n = 8; n < 8192; n += n < 1100 ? 1 : 97) {
		file.size = n;
		convert(NULL, NULL);
		cr_expect_eq(run.status, IOT_ETRUNCATED, "%zu bytes", n);
	}
}

Test(libcachesim, requests_that_end_anywhere)
{
	for (unsigned cut = 1; cut < 28; cut++) {
		wide_header(2, 2);
		wide_request(2, 1, 1, 1, OP_READ, 0);
		wide_request(2, 2, 1, 1, OP_READ, 0);
		file.size -= cut;
		convert(NULL, NULL);
		cr_expect_eq(run.report.records, 1);
		cr_expect_eq(run.lost, 1);
		cr_expect_eq(run.status, IOT_ETRUNCATED);
	}
	wide_header(2, 3);
	wide_request(2, 1, 1, 1, OP_READ, 0);
	convert(NULL, NULL);
	cr_expect_eq(run.lost, 1);
	cr_expect_eq(run.status, IOT_ETRUNCATED);
}

/* Each id again after `distance` requests. */
static void oracle(unsigned count, unsigned distance)
{
	file.size = 0;
	for (unsigned i = 0; i < count; i++) {
		put(i, 4);
		put(i % distance, 8);
		put(512, 4);
		put(i + distance < count ? i + distance + 1 : UINT64_MAX, 8);
	}
}

Test(libcachesim, oracle_is_recognized_by_its_next_requests)
{
	struct lcs_layout l;
	struct error error = {0};
	oracle(100, 7);
	cr_expect_gt(lcs_layout_detect(&l, (char *)file.data, file.size, &error), 0);
	cr_expect_str_eq(l.name, "oracleGeneral");
	/* a next request that has another id */
	file.data[4] = 1;
	cr_expect_eq(lcs_layout_detect(&l, (char *)file.data, file.size, &error), 0);
	/* none of the next requests is among those that are known */
	oracle(200, 100);
	cr_expect_eq(lcs_layout_detect(&l, (char *)file.data, 50 * 24, &error), 0);
	convert("oracleGeneral", NULL);
	cr_expect_eq(run.report.records, 200);
}

Test(libcachesim, blocks_of_objects)
{
	file.size = 0;
	for (unsigned i = 0; i < 2; i++) {
		put(i, 4);
		put(i == 0 ? UINT64_MAX : UINT64_C(3) << 40 | 5, 8);
		put(4096, 4);
		put(UINT64_MAX, 8);
	}
	convert("oracleGeneral", "4096");
	cr_expect_str_eq(records(), "0+0? r 4503599627366400+4096 0/16777215\n"
				    "%file process=0 id=3 object=3\n"
				    "1000000000+0? r 20480+4096 0/3\n");
	convert("oracleGeneral", "16777216");
	cr_expect_eq(strncmp(records(), "0+0? r 18446744073692774400+", 28), 0);
	convert("oracleGeneral", "16777217");
	cr_expect_eq(run.status, IOT_EUSAGE);
	convert("oracleGeneral", "0");
	cr_expect_eq(run.status, IOT_EUSAGE);
}

static void vscsi(unsigned command, uint64_t block, uint32_t size, uint64_t us)
{
	put(0, 4);
	put(size, 4);
	put(1, 4);
	put(command, 2);
	put(1 << 8, 2);
	put(block, 8);
	put(us, 8);
}

Test(libcachesim, vscsi)
{
	file.size = 0;
	vscsi(0x2a, UINT64_MAX, 4096, 7);
	vscsi(0x28, 3, 100, 8);
	vscsi(0x28, UINT64_C(1) << 55, 100, 9);
	vscsi(0x35, 3, 512, 10);
	vscsi(0x88, 3, 512, INT64_MAX);
	convert("vscsi1", NULL);
	cr_expect_str_eq(run.text, "%file process=0 id=1 object=1 kind=disk\n"
				   "7000+0? W 18446744073709551615+8 0/1\n"
				   "%file process=0 id=1 object=1\n8000+0? r 1536+100 0/1\n");
	cr_expect_eq(run.report.unparsed, 3);
	cr_expect_eq(counted_in(&run.report, "unaligned.records"), 1);
}
