/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command lines: words, each ended by LF or NUL, are given to the parser of options with an option
 * of each kind; and each word as a time, and as a list of processes. Numbers stay in their ranges.
 */
#include <iotrace/filter.h>

#include "command.h"
#include "tests/unit/opts_test.h"

enum { WORDS = COMMAND_WORDS - 1, TEXT = 2048 };

static enum exit_status parse(int argc, char **argv)
{
	struct values v = {.text = "", .number = 2};
	enum exit_status status;
	const bool parsed = parse_words(&v, argc, argv, &status);
	FUZZ_CHECK(v.number >= 2 && v.number <= 100 && v.choice >= 0 && v.choice < 3 &&
		   v.text != NULL);
	FUZZ_CHECK(status == EXIT_OK || (!parsed && status == EXIT_FAILED));
	FUZZ_CHECK(!parsed || v.operands < (size_t)argc);
	return status;
}

static void check_time(const char *word)
{
	static const struct trace_time_span spans[] = {
	    {5, 1000000, 5, true, UINT64_C(1700000000000000000)},
	    {0, INT64_MAX, 0, true, INT64_MAX},
	    {0, 0, 0, false, 0},
	};
	struct trace_time time = {0};
	int64_t ns = 0;
	if (trace_time_parse(word, &time) != NULL)
		return;
	FUZZ_CHECK(time.kind != TIME_NOT_GIVEN);
	for (size_t i = 0; i < 3; i++)
		FUZZ_CHECK(trace_time_resolve(&time, &spans[i], &ns) != NULL || ns >= 0);
}

static void check_list(const char *word)
{
	struct iot_selection *s = iot_selection_new();
	FUZZ_CHECK(s != NULL);
	for (int what = IOT_SELECT_PROCESSES; what <= IOT_SELECT_PATHS; what++) {
		const int status = iot_selection_add(s, (enum iot_select)what, word);
		FUZZ_CHECK(status == IOT_OK || status == IOT_EFORMAT || status == IOT_ELIMIT);
		FUZZ_CHECK(what != IOT_SELECT_PATHS || status == IOT_OK);
	}
	iot_selection_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT + 1];
	const char *words[COMMAND_WORDS + 1] = {"test"};
	size_t count = 1, n = size < TEXT ? size : TEXT;
	memcpy(text, data, n);
	text[n] = '\0';
	for (size_t i = 0, from = 0; i <= n && count < WORDS; i++) {
		if (i < n && text[i] != '\n' && text[i] != '\0')
			continue;
		text[i] = '\0';
		words[count++] = text + from;
		check_time(text + from);
		check_list(text + from);
		from = i + 1;
	}
	struct command done = command_run(parse, words);
	free(done.out);
	return 0;
}
