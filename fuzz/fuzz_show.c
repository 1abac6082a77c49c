/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Formats for people and programs: JSON is JSON, rows have the columns of their header, one row for
 * each record; a valid trace is shown completely, and any other input terminates.
 */
#include "command.h"
#include "kept.h"
#include "made.h"

#include "json.h"

enum shape { ANY, JSON, COMMAS, TABS };

static const struct view {
	int (*run)(int, char **);
	const char *words[6];
	enum shape shape;
	bool of_records; /* one line for each, after a header if there is one */
} views[] = {
    {cmd_cat, {"cat", "-q", "--format=csv", "--columns=raw"}, COMMAS, true},
    {cmd_cat, {"cat", "-q", "--format=csv", "--columns=raw", "--names", "--unknown"}, ANY, true},
    {cmd_cat, {"cat", "-q", "--format=jsonl"}, JSON, false},
    {cmd_cat, {"cat", "-q", "--format=jsonl", "--recover"}, JSON, false},
    {cmd_cat, {"cat", "-q", "--format=text", "--no-verify"}, ANY, false},
    {cmd_cat, {"cat", "-q", "--format=tsv"}, TABS, true},
    {cmd_cat, {"cat", "-q", "--compress=gzip", "--sync=3"}, ANY, false},
    {cmd_cat, {"cat", "-q", "--bare", "--base=10"}, ANY, false},
    {cmd_info, {"info", "-q", "--json"}, JSON, false},
    {cmd_info, {"info", "-q"}, ANY, false},
    {cmd_stat, {"stat", "-q", "--json", "--by=process"}, JSON, false},
    {cmd_stat, {"stat", "-q", "--tsv", "--physical"}, TABS, false},
    {cmd_stat, {"stat", "-q", "--by=object", "--recover"}, ANY, false},
    {cmd_stat, {"stat", "-q", "--json", "--by=object"}, JSON, false},
    {cmd_check, {"check", "-q", "--json", "--all"}, JSON, false},
    {cmd_check, {"check", "--all", "--strict"}, ANY, false},
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

static void check_shown(const struct view *v, const struct command *done, const struct kept *all)
{
	static const char between[] = {[COMMAS] = ',', [TABS] = '\t'};
	if (v->shape == JSON)
		FUZZ_CHECK(json_is_valid(done->out, done->size));
	if (v->shape == COMMAS || v->shape == TABS || v->of_records) {
		const size_t rows = check_rows(done, between[v->shape]);
		FUZZ_CHECK(!v->of_records || all->status != 0 || kept_is_full(all) ||
			   rows == kept_records(all) + 1);
	}
	if (v->run != cmd_check && !kept_is_full(all) && all->status == 0)
		FUZZ_CHECK(done->status == EXIT_OK);
}

static void check(const void *trace, size_t size, unsigned how)
{
	const struct view *v = &views[(how & 7) | (how >> 1 & 8)];
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
