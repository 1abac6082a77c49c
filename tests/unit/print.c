/* SPDX-License-Identifier: BSD-2-Clause */
/* A table in each form. */
#include "page.h"

#include "cli/print/json.h"
#include "cli/print/text.h"
#include "cli/print/tsv.h"
#include "lib/result/columns.h"
#include "lib/result/row.h"

static void set_pair(struct iot_row *to, void *source)
{
	(void)source;
	row_number(to, &metrics.cache_blocks, 4096 * (to->number + 1));
	row_number(to, &metrics.references, 7);
}

static const struct iot_column pair[] = {COLUMN(cache_blocks), COLUMN(references)};
static const struct iot_column single[] = {COLUMN(cache_blocks)};

struct tables {
	struct iot_table map, list, record;
};

static void set_row(struct iot_row *to, void *source)
{
	static const uint64_t hits[2] = {1, 2};
	const struct tables *t = source;
	row_text(to, &metrics.input, "a\tb", 3);
	row_number(to, &metrics.verify, 1);
	if (to->number > 0)
		row_counts(to, &metrics.hits, hits);
	row_signed(to, &metrics.near_ns, -5);
	row_real(to, &metrics.miss_ratio, 0.25);
	row_absent(to, &metrics.device);
	row_table(to, &metrics.trace, &t->map);
	row_table(to, &metrics.in_options, &t->list);
	row_table(to, &metrics.reuse, &t->record);
}

static const struct iot_column columns[] = {
    COLUMN(input),      COLUMN(verify), COLUMNS(hits), COLUMN_AS(hits, "all_hits"), COLUMN(near_ns),
    COLUMN(miss_ratio), COLUMN(device), COLUMN(trace), COLUMN(in_options),          COLUMN(reuse)};

static struct tables nested(void)
{
	return (struct tables){.map = TABLE_MAP(pair, 2, set_pair, NULL),
			       .list = TABLE_LIST(single, 2, set_pair, NULL),
			       .record = TABLE_RECORD(pair, set_pair, NULL)};
}

Test(print, tsv_has_a_field_for_each_column)
{
	struct page p;
	struct tables tables = nested();
	const struct iot_table t = TABLE_ROWS(columns, 2, set_row, &tables);
	page_open(&p);
	print_tsv(&p.out, &t);
	cr_expect_str_eq(
	    page_text(&p),
	    "input\tverify\tread_hits\twrite_hits\tall_hits\tnear_ns\tmiss_ratio\tdevice\ttrace\t"
	    "in_options\treuse\n"
	    "a%09b\t1\t\t\t\t-5\t0.25\t\t4096:7,8192:7\t4096,8192\t4096:7\n"
	    "a%09b\t1\t1\t2\t3\t-5\t0.25\t\t4096:7,8192:7\t4096,8192\t4096:7\n");
}

Test(print, tsv_without_rows_has_a_header)
{
	struct page p;
	const struct iot_table t = TABLE_ROWS(pair, 0, set_pair, NULL);
	page_open(&p);
	print_tsv(&p.out, &t);
	cr_expect_str_eq(page_text(&p), "cache_blocks\treferences\n");
}

Test(print, json_nests_directions_and_tables)
{
	struct page p;
	struct tables tables = nested();
	const struct iot_table t = TABLE_ROWS(columns, 2, set_row, &tables);
	page_open(&p);
	struct json j = {.out = &p.out};
	print_json(&j, NULL, &t);
#define REST                                                                                       \
	"\"near_ns\":-5,\"miss_ratio\":0.25,\"trace\":{\"4096\":7,\"8192\":7},"                    \
	"\"in_options\":[4096,8192],\"reuse\":{\"cache_blocks\":4096,\"references\":7}}"
	cr_expect_str_eq(
	    page_text(&p),
	    "[{\"input\":\"a\\tb\",\"verify\":true,\"hits\":null,\"all_hits\":null," REST
	    ",{\"input\":\"a\\tb\",\"verify\":true,\"hits\":{\"reads\":1,\"writes\":2},"
	    "\"all_hits\":3," REST "]\n");
}

static void set_texts(struct iot_row *to, void *source)
{
	(void)source;
	row_word(to, &metrics.policy, "lru");
	row_number(to, &metrics.cache_bytes, 1536);
	for (int column = 0; column < 3; column++)
		row_real(to, &metrics.miss_ratio, 0.25);
	row_number(to, &metrics.reuse_time_ns, 1500000);
	row_cell(to, &metrics.reuse_time_ns, IOT_BOTH)->why = "some times are unknown";
	row_text(to, &metrics.input, "a\n", 2);
}

Test(print, text_is_aligned_and_in_readable_units)
{
	static const struct text_column column[] = {
	    TEXT(policy, -6, 0),
	    TEXT(cache_bytes, 9, 0),
	    TEXT(misses, 6, 0),
	    TEXT_READ(misses, 6, 0),
	    TEXT(miss_ratio, 10, 1),
	    TEXT_UNIT(miss_ratio, "of all", 6, 2, TEXT_FRACTION),
	    TEXT_UNIT(miss_ratio, "in %", 4, 0, TEXT_SIGN),
	    TEXT(reuse_time_ns, 8, 3),
	    TEXT(input, 0, 0),
	};
	struct page p;
	const struct iot_table t = TABLE_FILLED(1, set_texts, NULL);
	page_open(&p);
	print_text(&p.out, column, COLUMN_COUNT(column), "name", &t);
	cr_expect_str_eq(
	    page_text(&p),
	    "policy     cache misses  reads miss ratio of all in %   time s  name\n"
	    "lru     1.50 KiB      -      -       25.0   0.25  25%   >0.002  a\\x0a\n");
}
