/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A plan of a trace made from the input's bytes: the joined states of its lines are the state of
 * the whole, and the bytes of a part alone give the state of the part. A line with a changed field
 * is refused, unless its hash is made to match: then the join is refused or has the state of the
 * whole.
 *
 * An input: options (bits 0-3 parts, 4 hashes match, 5 a part alone instead), the number of edits,
 * EDITS edits of five bytes, and a trace for made_trace.
 */
#include <inttypes.h>
#include <xxhash.h>

#include "command.h"
#include "made.h"

enum { EDITS = 3, EDIT_SIZE = 5, PLAN_CAPACITY = 1 << 20, HASH_KEY = 22 };

static char trace_path[COMMAND_PATH], plan_path[COMMAND_PATH], state_path[COMMAND_PATH],
    parts_path[COMMAND_PATH];

static void save(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "we");
	FUZZ_CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Plans */

struct plan {
	char *text; /* of PLAN_CAPACITY bytes */
	size_t size;
};

static size_t lines_of(const struct plan *p)
{
	size_t lines = 0;
	for (size_t k = 0; k < p->size; k++)
		lines += p->text[k] == '\n';
	return lines > 0 ? lines : 1;
}

/* Returns line i, modulo their number, and its size without LF. */
static char *line_of(const struct plan *p, size_t i, size_t *size)
{
	char *at = p->text;
	for (i %= lines_of(p); i > 0; i--)
		at = strchr(at, '\n') + 1;
	*size = (size_t)(strchr(at, '\n') - at);
	return at;
}

/* Replaces n bytes at `at`; the rest moves. */
static void replace(struct plan *p, char *at, size_t n, const char *text, size_t size)
{
	FUZZ_CHECK(p->size + size + 1 < PLAN_CAPACITY);
	memmove(at + size, at + n, (size_t)(p->text + p->size + 1 - (at + n)));
	memcpy(at, text, size);
	p->size += size - n;
}

static void match_hash(struct plan *p, size_t i)
{
	char digits[17];
	size_t size;
	char *line = line_of(p, i, &size);
	if (size < HASH_KEY)
		return;
	snprintf(digits, sizeof digits, "%016" PRIx64,
		 (uint64_t)XXH3_64bits(line, size - HASH_KEY));
	memcpy(line + size - 16, digits, 16);
}

/* The value of a key in a line, or NULL. */
static char *value_of(char *line, size_t line_size, const char *key, size_t *size)
{
	char wanted[16];
	snprintf(wanted, sizeof wanted, " %s=", key);
	char *at = memmem(line, line_size, wanted, strlen(wanted));
	if (at == NULL)
		return NULL;
	at += strlen(wanted);
	*size = strcspn(at, " \n");
	return at;
}

/*
 * Flips a bit of a line, or replaces a field by a neighbouring number, an extreme, or the field of
 * another line.
 */
static void edit(struct plan *p, struct fuzz_input *in, bool hashes_match)
{
	static const char *const keys[] = {"size",   "id",   "k",    "n",      "from", "to",
					   "record", "tick", "base", "header", "next", "path"};
	static const char *const extremes[] = {
	    "0", "1",       "18446744073709551615", "4294967296", "-1",
	    "",  "1000000", "18446744073709551616"};
	const size_t i = (size_t)fuzz_take(in, 1);
	const char *key = keys[fuzz_take(in, 1) % (sizeof keys / sizeof *keys)];
	const unsigned how = (unsigned)fuzz_take(in, 1);
	const size_t value = (size_t)fuzz_take(in, 2);
	size_t size, line_size, other_size;
	char *line = line_of(p, i, &line_size);
	char *at = value_of(line, line_size, key, &size);
	if (at == NULL || size == 0)
		return;
	char *other = line_of(p, value, &line_size), copy[4096];
	other = value_of(other, line_size, key, &other_size);
	if (how % 4 == 0 && other != NULL && other_size <= sizeof copy) {
		memcpy(copy, other, other_size);
		replace(p, at, size, copy, other_size);
	} else if (how % 4 == 1) {
		const uint64_t near = strtoull(at, NULL, 10) + value - 32768;
		snprintf(copy, sizeof copy, "%" PRIu64, near);
		replace(p, at, size, copy, strlen(copy));
	} else if (how % 4 == 2) {
		replace(p, at, size, extremes[value % 8], strlen(extremes[value % 8]));
	} else {
		at[value % size] ^= (char)(1 << (how >> 2 & 1));
	}
	if (hashes_match)
		match_hash(p, i);
}

/* States */

/* Returns the state that analyze writes, and its size; NULL if it fails or the trace is damaged. */
static char *state(const char *const *operands, size_t *size)
{
	const char *words[COMMAND_WORDS] = {"analyze", "-q", "--no-fsync", "-s", state_path};
	for (size_t i = 0; operands[i] != NULL; i++)
		words[5 + i] = operands[i];
	struct command done = command_run(cmd_analyze, words);
	char *text = command_output(state_path, size);
	free(done.out);
	FUZZ_CHECK((text == NULL) == (done.status == EXIT_FAILED));
	if (done.status == EXIT_OK)
		return text;
	free(text);
	return NULL;
}

static void compare(char *state, size_t size, const char *expected, size_t expected_size)
{
	/*
	 * Operations out of order, which made_trace has, make times in I/O of joined parts inexact.
	 */
	const bool inexact = memmem(state, size, "kind=busy", 9) != NULL;
	FUZZ_CHECK(inexact || (size == expected_size && memcmp(state, expected, size) == 0));
	free(state);
}

static char *plan_option(char option[COMMAND_PATH + 8])
{
	snprintf(option, COMMAND_PATH + 8, "--plan=%s", plan_path);
	return option;
}

/* Joins the states of all lines. */
static char *joined(size_t *size)
{
	char option[COMMAND_PATH + 8];
	char *parts = state((const char *const[]){plan_option(option), NULL}, size);
	if (parts == NULL)
		return NULL;
	save(parts_path, parts, *size);
	free(parts);
	parts = state((const char *const[]){parts_path, NULL}, size);
	FUZZ_CHECK(unlink(parts_path) == 0);
	return parts;
}

/* The state of a line whose bytes standard input has, or which are read in the trace. */
static char *state_of_line(size_t i, const char *operand, size_t *size)
{
	char option[COMMAND_PATH + 8], part[40];
	snprintf(part, sizeof part, "--part=%zu", i + 1);
	return state((const char *const[]){plan_option(option), part, operand, NULL}, size);
}

static void check_alone(struct plan *p, size_t i, const char *trace)
{
	size_t line_size, size, expected_size, number_size;
	i %= lines_of(p);
	char *line = line_of(p, i, &line_size);
	const uint64_t from = strtoull(value_of(line, line_size, "from", &number_size), NULL, 10),
		       to = strtoull(value_of(line, line_size, "to", &number_size), NULL, 10);
	const int bytes = fuzz_file(trace + from, (size_t)(to - from)), kept = dup(STDIN_FILENO);
	FUZZ_CHECK(dup2(bytes, STDIN_FILENO) >= 0);
	char *alone = state_of_line(i, "-", &size);
	FUZZ_CHECK(kept < 0 ? close(STDIN_FILENO) == 0 : dup2(kept, STDIN_FILENO) >= 0);
	(void)close(bytes);
	if (kept >= 0)
		(void)close(kept);
	char *expected = state_of_line(i, NULL, &expected_size);
	FUZZ_CHECK(alone != NULL && expected != NULL);
	compare(alone, size, expected, expected_size);
	free(expected);
}

static struct plan make_plan(uint64_t n)
{
	char option[40];
	struct plan p = {.text = fuzz_memory(NULL, PLAN_CAPACITY)};
	snprintf(option, sizeof option, "-n%" PRIu64, n);
	struct command done =
	    command_run(cmd_parts, (const char *const[]){"parts", "-q", option, "--min-size=1",
							 trace_path, NULL});
	FUZZ_CHECK(done.status == EXIT_OK && done.size > 0 && done.size < PLAN_CAPACITY / 2);
	memcpy(p.text, done.out, done.size + 1);
	p.size = done.size;
	free(done.out);
	return p;
}

static void check(const char *trace, unsigned how, unsigned edits, struct fuzz_input *in)
{
	size_t size, whole_size;
	struct plan p = make_plan(1 + how % 16);
	char *const original = strdup(p.text);
	FUZZ_CHECK(original != NULL);
	for (unsigned i = 0; i < edits; i++)
		edit(&p, in, (how & 16) != 0);
	const bool same = strcmp(original, p.text) == 0;
	save(plan_path, p.text, p.size);
	if (how & 32 && same) {
		check_alone(&p, in->size > 0 ? *in->data : 0, trace);
	} else {
		char *whole = state((const char *const[]){trace_path, NULL}, &whole_size);
		char *of_parts = joined(&size);
		FUZZ_CHECK(whole != NULL && (of_parts != NULL || !same));
		FUZZ_CHECK(of_parts == NULL || same || how & 16);
		if (of_parts != NULL)
			compare(of_parts, size, whole, whole_size);
		free(whole);
	}
	free(original);
	free(p.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input in = {data, size};
	const unsigned how = (unsigned)fuzz_take(&in, 1), edits = (unsigned)fuzz_take(&in, 1);
	struct fuzz_input edited = in;
	(void)fuzz_take(&in, EDITS * EDIT_SIZE);
	if (in.size == 0)
		return 0;
	struct iot_writer *w = made_trace(&in, true);
	const void *trace = iot_writer_memory(w, &size);
	command_path(trace_path, "t.iot");
	command_path(plan_path, "plan");
	command_path(state_path, "s.state");
	command_path(parts_path, "p.state");
	save(trace_path, trace, size);
	check(trace, how, edits % (EDITS + 1), &edited);
	FUZZ_CHECK(unlink(trace_path) == 0 && unlink(plan_path) == 0);
	command_left_nothing();
	iot_writer_free(w);
	return 0;
}
