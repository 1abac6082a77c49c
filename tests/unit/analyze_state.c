/* SPDX-License-Identifier: BSD-2-Clause */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <iotrace/iotrace.h>

#include "lib/analyze/state.h"

enum { ROWS_MAX = 20000 };

struct row {
	uint64_t number;
	int64_t signed_number;
	uint128 wide;
	const char *text;
};

static void columns(struct state *s, struct row *row)
{
	struct iot_text text = {row->text, strlen(row->text)};
	state_number(s, "number", &row->number);
	state_signed(s, "signed", &row->signed_number);
	state_wide(s, "wide", &row->wide);
	state_text(s, "text", &text);
	if (!state_saves(s))
		cr_assert(text.size == strlen(row->text) &&
			  memcmp(text.data, row->text, text.size) == 0);
}

static struct iot_writer *save(struct row *row, size_t rows)
{
	struct iot_writer *w = iot_writer_new();
	struct state s = {.writer = w, .layer = -1, .direction = -1};
	size_t i;
	cr_assert(iot_writer_open_memory(w) == IOT_OK && state_begin(&s));
	while (state_each(&s, "rows", rows, &i))
		columns(&s, &row[i]);
	cr_assert(!state_failed(&s), "%s", s.error.text);
	state_free(&s);
	cr_assert(iot_writer_close(w) == IOT_OK);
	return w;
}

static void check(const struct row *row, size_t rows)
{
	struct iot_writer *w = save((struct row *)row, rows);
	struct iot_reader *r = iot_reader_new();
	struct state s = {.reader = r, .layer = -1, .direction = -1};
	size_t size, i, count = 0;
	const void *data = iot_writer_memory(w, &size);
	cr_assert(iot_reader_open_memory(r, data, size, "state") == IOT_OK && state_begin(&s));
	for (; state_each(&s, "rows", rows, &i); count++) {
		struct row got = {.text = row[i].text};
		columns(&s, &got);
		cr_assert(got.number == row[i].number && got.wide == row[i].wide);
		cr_assert(got.signed_number == row[i].signed_number);
	}
	cr_assert(!state_failed(&s) && state_ends(&s), "%s", s.error.text);
	cr_expect(count == rows);
	state_free(&s);
	iot_reader_free(r);
	iot_writer_free(w);
}

static uint64_t random_number(void)
{
	const uint64_t v = (uint64_t)random() << 33 ^ (uint64_t)random() << 8 ^ (uint64_t)random();
	return v >> random() % 64;
}

Test(state, extremes_survive)
{
	const uint128 wide = ~(uint128)0;
	const struct row row[] = {
	    {UINT64_MAX, INT64_MIN, wide, ""},         {0, INT64_MAX, 1, ",%+ \n"},
	    {UINT64_MAX, -1, wide >> 1, "last"},       {1, 0, (wide >> 1) + 1, ","},
	    {UINT64_MAX - 1, INT64_MIN, wide, "\xff"}, {31, 32, 1024, "="},
	};
	for (size_t rows = 1; rows <= sizeof row / sizeof *row; rows++)
		check(row, rows);
}

Test(state, tables_of_many_lines_survive)
{
	struct row *row = calloc(ROWS_MAX, sizeof *row);
	cr_assert(row != NULL);
	srandom(1);
	for (size_t i = 0; i < ROWS_MAX; i++)
		row[i] = (struct row){i + 1 + (i % 7 == 0 ? random_number() : 0),
				      (int64_t)random_number() - (1 << 20),
				      (uint128)random_number() << random() % 65,
				      i % 3 == 0 ? "text" : ""};
	check(row, ROWS_MAX);
	free(row);
}

Test(state, ascending_numbers_are_differences)
{
	struct row row[100] = {{.text = ""}};
	size_t size;
	for (size_t i = 0; i < 100; i++)
		row[i] = (struct row){1000000 + 3 * i, 5, 5, ""};
	struct iot_writer *w = save(row, 100);
	const char *text = iot_writer_memory(w, &size);
	/* the difference 3 is the digit 6 */
	cr_expect(memmem(text, size, " number=+AEBz1666666", 20) != NULL, "%.*s", (int)size, text);
	cr_expect(memmem(text, size, " signed=aaaaaa", 14) != NULL);
	cr_expect(memmem(text, size, " wide=555555", 12) != NULL);
	iot_writer_free(w);
}

static int load(const char *columns_of_line, uint64_t number[3])
{
	char text[512];
	struct iot_reader *r = iot_reader_new();
	struct state s = {.reader = r, .layer = -1, .direction = -1};
	size_t i;
	const int n = snprintf(text, sizeof text, "ff %%state kind=rows %s\n", columns_of_line);
	cr_assert(iot_reader_open_memory(r, text, (size_t)n, "state") == IOT_OK && state_begin(&s));
	while (state_each(&s, "rows", 3, &i))
		state_number(&s, "number", &number[i]);
	const int status = state_failed(&s) || !state_ends(&s) ? IOT_EFORMAT : IOT_OK;
	state_free(&s);
	iot_reader_free(r);
	return status;
}

Test(state, numbers_are_checked)
{
	static const char *const invalid[] = {
	    "rows=2 i=01 number=1",
	    "rows=2 i=01 number=111",
	    "rows=2 i=01 number=1A",
	    "rows=2 i=01 number=",
	    "rows=2 i=01 number=+",
	    "rows=2 i=01 number=1!",
	    "rows=2 i=01 number=+1",
	    "rows=2 i=01 number=1,2",
	    "rows=1 i=0 number=1A",
	    "rows=1 i=0 number=",
	    "rows=1 i=0 number=+1",
	    "rows=1 i=0 number=1,2",
	    "rows=2 i=01 number=+01", /* -1 */
	    "rows=2 i=01 number=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA11",
	    "rows=2 i=01 number=____________v1",
	    "rows=2 i=00 number=11",
	};
	uint64_t number[3] = {0, 0, 0};
	for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++)
		cr_expect(load(invalid[i], number) != IOT_OK, "%s", invalid[i]);
	cr_assert(load("rows=1 i=2 number=18446744073709551615", number) == IOT_OK);
	cr_expect(number[2] == UINT64_MAX);
	cr_assert(load("rows=3 i=+022 number=+A141", number) == IOT_OK);
	cr_expect(number[0] == 16 && number[1] == 18 && number[2] == 17);
}
