/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats for people and programs: JSON is JSON, rows have the columns of their header, one row for
 * each record; a valid trace is shown completely, and any other input terminates.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

#include "json.h"

enum shape { ANY, JSON, COMMAS, TABS, REQUESTS, PACKETS };

/* Large, because an I/O is a request for each of its blocks. */
#define BLOCK "--block=64M"
#define EVERY_COLUMN                                                                               \
	"--columns=start_ns,duration_ns,op,kind,offset,length,process,rank,file,path,cpu_ns,"      \
	"relative_offset,operation,object,program,host,to,result,size"

static const struct view {
	enum exit_status (*run)(int, char **);
	const char *words[6];
	enum shape shape;
	bool of_records; /* one line for each, after a header if there is one */
	bool refuses;    /* what the format cannot contain */
} views[] = {
    {cmd_cat, {"cat", "-q", "--format=csv", "--columns=raw"}, COMMAS, true, false},
    {cmd_cat,
     {"cat", "-q", "--format=csv", "--columns=raw", "--names", "--unknown"},
     ANY,
     true,
     false},
    {cmd_cat, {"cat", "-q", "--format=jsonl"}, JSON, false, false},
    {cmd_cat, {"cat", "-q", "--format=jsonl", "--recover"}, JSON, false, false},
    {cmd_cat, {"cat", "-q", "--format=text", "--no-verify"}, ANY, false, false},
    {cmd_cat, {"cat", "-q", "--format=tsv"}, TABS, true, false},
    {cmd_cat, {"cat", "-q", "--compress=gzip", "--sync=3"}, ANY, false, false},
    {cmd_cat, {"cat", "-q", "--bare", "--base=10"}, ANY, false, false},
    {cmd_info, {"info", "-q", "--json"}, JSON, false, false},
    {cmd_info, {"info", "-q"}, ANY, false, false},
    {cmd_stat, {"stat", "-q", "--json", "--by=process"}, JSON, false, false},
    {cmd_stat, {"stat", "-q", "--tsv", "--physical"}, TABS, false, false},
    {cmd_stat, {"stat", "-q", "--by=object", "--recover"}, ANY, false, false},
    {cmd_stat, {"stat", "-q", "--json", "--by=object"}, JSON, false, false},
    {cmd_check, {"check", "-q", "--json", "--all"}, JSON, false, false},
    {cmd_check, {"check", "--all", "--strict"}, ANY, false, false},
    {cmd_cat, {"cat", "-q", "--format=csv", "--all-events"}, ANY, false, false},
    {cmd_cat, {"cat", "-q", "--format=tsv", "--no-header", EVERY_COLUMN}, TABS, false, false},
    {cmd_cat, {"cat", "-q", "--format=chrome"}, JSON, false, true},
    {cmd_cat, {"cat", "-q", "--format=chrome", "--counters"}, JSON, false, true},
    {cmd_cat, {"cat", "-q", "--format=perfetto", "--counters"}, PACKETS, false, true},
    {cmd_cat, {"cat", "-q", "--format=blkparse"}, ANY, false, true},
    {cmd_cat, {"cat", "-q", "--format=fio"}, ANY, false, true},
    {cmd_cat, {"cat", "-q", "--format=fio", "--real-names"}, ANY, false, true},
    {cmd_cat, {"cat", "-q", "--format=fio", "--physical"}, ANY, false, true},
    {cmd_cat, {"cat", "-q", "--format=oracle", BLOCK}, REQUESTS, false, true},
    {cmd_cat, {"cat", "-q", "--format=oracle", BLOCK, "--memory=64K"}, REQUESTS, false, true},
    {cmd_cat, {"cat", "-q", "--format=lcs", BLOCK, "--physical"}, ANY, false, true},
    {cmd_cat, {"cat", "-q", "--format=lcs", "--block=1G"}, ANY, false, true},
    {cmd_cat, {"cat", "-q", "--format=tsv", "--all-events"}, TABS, false, false},
    {cmd_cat, {"cat", "-q", "--format=perfetto", "--no-verify"}, PACKETS, false, true},
    {cmd_cat, {"cat", "-q", "--format=chrome", "--recover"}, JSON, false, true},
};

static size_t count_in(const char *line, const char *end, char what)
{
	size_t n = 0;
	for (; line < end; line++)
		n += *line == what;
	return n;
}

static size_t check_rows(const struct command *done, char between)
{
	const char *at = done->out, *const end = at + done->size, *lf;
	size_t rows = 0, columns = 0;
	for (; at < end; at = lf + 1, rows++) {
		lf = memchr(at, '\n', (size_t)(end - at));
		FUZZ_CHECK(lf != NULL);
		const size_t n = count_in(at, lf, between);
		FUZZ_CHECK(rows == 0 || between == '\0' || n == columns);
		columns = n;
	}
	return rows;
}

/* libCacheSim: each request has the number of a later one for the same object, or -1. */
static void check_requests(const struct command *done)
{
	const size_t size = 24, n = done->size / size;
	FUZZ_CHECK(done->size % size == 0);
	for (size_t i = 0; i < n; i++) {
		const char *request = done->out + i * size;
		int64_t next;
		memcpy(&next, request + 16, sizeof next);
		FUZZ_CHECK(next == -1 || (next > (int64_t)i + 1 && next <= (int64_t)n));
		if (next > 0)
			FUZZ_CHECK(memcmp(request + 4, done->out + (next - 1) * (int64_t)size + 4,
					  8) == 0);
	}
}

/* Perfetto: packets with a tag and a length of four bytes. */
static void check_packets(const struct command *done)
{
	const unsigned char *at = (const unsigned char *)done->out, *const end = at + done->size;
	while (at < end) {
		FUZZ_CHECK(end - at >= 5 && at[0] == 0x0a);
		const size_t size = (at[1] & 127U) | (at[2] & 127U) << 7 | (at[3] & 127U) << 14 |
				    (at[4] & 127U) << 21;
		FUZZ_CHECK(size <= (size_t)(end - at) - 5);
		at += 5 + size;
	}
}

static void check_shown(const struct view *v, const struct command *done, const struct kept *all)
{
	static const char between[PACKETS + 1] = {[COMMAS] = ',', [TABS] = '\t'};
	if (v->shape == JSON)
		FUZZ_CHECK(json_is_valid(done->out, done->size));
	if (v->shape == REQUESTS)
		check_requests(done);
	if (v->shape == PACKETS)
		check_packets(done);
	if (v->shape == COMMAS || v->shape == TABS || v->of_records) {
		const size_t rows = check_rows(done, between[v->shape]);
		FUZZ_CHECK(!v->of_records || all->status != 0 || kept_is_full(all) ||
			   rows == kept_records(all) + 1);
	}
	if (v->run != cmd_check && !v->refuses && !kept_is_full(all) && all->status == 0)
		FUZZ_CHECK(done->status == EXIT_OK);
}

static void check(const void *trace, size_t size, unsigned how)
{
	const struct view *v = &views[(how & 7) | (how >> 1 & 24)];
	const char *words[COMMAND_WORDS];
	char path[FUZZ_PATH];
	size_t n = 0;
	int fd = fuzz_file(trace, size);
	for (; n < sizeof(v->words) / sizeof(v->words[0]) && v->words[n] != NULL; n++)
		words[n] = v->words[n];
	words[n++] = "--allow-empty";
	words[n++] = fuzz_path(path, fd);
	words[n] = NULL;
	struct command done = command_run(v->run, words);
	struct kept all = kept_of(trace, size);
	check_shown(v, &done, &all);
	kept_free(&all);
	free(done.out);
	(void)close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return made_or_given(data, size, check);
}
