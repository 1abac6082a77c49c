/* SPDX-License-Identifier: BSD-2-Clause */
#include "mrc.h"

#include <inttypes.h>
#include <string.h>
#include <math.h>

#include "cli/print/text.h"
#include "lib/result/columns.h"
#include "parameters.h"

/* The source of all tables: the curve that is read, and nested tables. */
struct curves {
	struct mrc_results *results;
	size_t row;
	char name[ROW_NAME_CAPACITY];
	struct reading_view reading;
	struct iot_table parameters, points, rows;
};

static void set_parameters(struct iot_row *to, void *source)
{
	const struct curves *s = source;
	const struct mrc_results *m = s->results;
	const struct references_options *r = &m->simulate.references;
	const bool bounds = mrc_has_bounds(m), sampled = bounds || m->sample > 0;
	row_word(to, &metrics.input, m->simulate.path);
	row_table(to, &metrics.reading, &s->reading.table);
	row_word(to, &metrics.method, mrc_method_name(m));
	row_word(to, &metrics.policy, cache_policy_name(m->policy));
	row_number(to, &metrics.block, r->block);
	row_word(to, &metrics.layer, layer_name(trace_in_layer(&m->simulate.input.in)));
	row_word(to, &metrics.unknown, r->unknown == REFERENCES_SKIP_UNKNOWN ? "skip" : "fresh");
	row_word(to, &metrics.by, row_by_name(r->by));
	row_known(to, &metrics.point_count, m->points > 0, m->points);
	row_number(to, &metrics.max_request, r->request_max);
	row_number(to, &metrics.memory, m->simulate.memory);
	row_absent(to, &metrics.sample);
	row_absent(to, &metrics.samples);
	row_absent(to, &metrics.seed);
	if (!sampled)
		return;
	row_real(to, &metrics.sample, bounds ? mrc_rate(m->mrc) : m->sample);
	row_number(to, &metrics.samples, bounds ? mrc_kept(m->mrc) : m->sampled);
	row_number(to, &metrics.seed, m->options.seed);
}

static void set_curve(struct iot_row *to, struct curves *s, size_t row)
{
	s->row = row;
	row_number(to, &metrics.references, mrc_references_of(s->results, row));
	row_table(to, &metrics.points, &s->points);
	if (row != MRC_TOTAL)
		row_word(to, &metrics.row, simulate_row_name(&s->results->simulate, row, s->name));
}

static void set_breakdown(struct iot_row *to, void *source)
{
	struct curves *s = source;
	set_curve(to, s, s->results->simulate.order[to->number]);
}

static void set_document(struct iot_row *to, void *source)
{
	struct curves *s = source;
	const bool rows = s->results->simulate.references.by != BREAKDOWN_NONE;
	row_table(to, &metrics.parameters, &s->parameters);
	row_number(to, &metrics.distinct_blocks, s->results->distinct);
	set_curve(to, s, MRC_TOTAL);
	row_table(to, &metrics.rows, rows ? &s->rows : NULL);
}

static uint64_t whole_misses(const struct curves *s, size_t row, size_t i)
{
	return (uint64_t)nearbyint(fmax(0, mrc_point_of(s->results, row, i).misses));
}

/* row: MRC_READS or MRC_WRITES. Returns NaN if there are no such references. */
static double ratio_of_direction(const struct curves *s, size_t row, size_t i)
{
	return mrc_point_of(s->results, row, i).misses / (double)mrc_references_of(s->results, row);
}

static void set_misses(struct iot_row *to, struct curves *s, size_t i)
{
	const struct mrc_results *m = s->results;
	const struct mrc_point p = mrc_point_of(m, s->row, i);
	const uint64_t references = mrc_references_of(m, s->row);
	const uint64_t misses[2] = {whole_misses(s, MRC_READS, i), whole_misses(s, MRC_WRITES, i)};
	row_absent(to, &metrics.misses);
	row_absent(to, &metrics.miss_ratio_low);
	row_absent(to, &metrics.miss_ratio_high);
	if (s->row == MRC_TOTAL)
		row_counts(to, &metrics.misses, misses);
	row_number(to, &metrics.misses, whole_misses(s, s->row, i));
	row_real(to, &metrics.miss_ratio, mrc_ratio(p.misses, references));
	row_real_of(to, &metrics.miss_ratio, IOT_READS, ratio_of_direction(s, MRC_READS, i));
	row_real_of(to, &metrics.miss_ratio, IOT_WRITES, ratio_of_direction(s, MRC_WRITES, i));
	if (s->row != MRC_TOTAL || !mrc_has_bounds(m))
		return;
	row_real(to, &metrics.miss_ratio_low, mrc_ratio(p.low, references));
	row_real(to, &metrics.miss_ratio_high, mrc_ratio(p.high, references));
}

static void set_point(struct iot_row *to, void *source)
{
	struct curves *s = source;
	const struct mrc_results *m = s->results;
	const size_t i = to->number % m->size_count;
	row_number(to, &metrics.cache_blocks, m->size[i]);
	row_number(to, &metrics.cache_bytes, m->size[i] * m->simulate.references.block);
	set_misses(to, s, i);
}

static void print_curve(struct curves *s, size_t row)
{
	enum { OF_ROW = 4, OF_TOTAL = 6, WITH_BOUNDS = 8 };
	static const struct text_column columns[WITH_BOUNDS] =
	    COLUMN_LIST(TEXT(cache_bytes, 12, 0), TEXT(cache_blocks, 12, 0), TEXT(misses, 14, 0),
			TEXT_UNIT(miss_ratio, NULL, 10, 6, TEXT_FRACTION),
			{COLUMN_READ(miss_ratio), "of reads", 10, {6, TEXT_FRACTION}},
			{COLUMN_WRITE(miss_ratio), "of writes", 10, {6, TEXT_FRACTION}},
			TEXT_UNIT(miss_ratio_low, NULL, 10, 6, TEXT_FRACTION),
			TEXT_UNIT(miss_ratio_high, NULL, 10, 6, TEXT_FRACTION));
	struct mrc_results *m = s->results;
	struct text_column shown[WITH_BOUNDS];
	/* objects have no bytes */
	const size_t skipped = m->simulate.references.whole ? 1 : 0;
	const struct iot_table table = TABLE_FILLED(m->size_count, set_point, s);
	memcpy(shown, columns, sizeof shown);
	if (skipped > 0)
		shown[skipped].label = "objects";
	s->row = row;
	output_text(&m->simulate.out, "\n");
	const size_t count = row != MRC_TOTAL ? OF_ROW : mrc_has_bounds(m) ? WITH_BOUNDS : OF_TOTAL;
	print_text(&m->simulate.out, shown + skipped, count - skipped, NULL, &table);
}

void mrc_print_text(struct mrc_results *m)
{
	struct curves s = {.results = m};
	mrc_print_head(m);
	print_curve(&s, MRC_TOTAL);
	for (size_t i = 0; i < simulate_rows_shown(&m->simulate); i++) {
		const size_t row = m->simulate.order[i];
		output_printf(&m->simulate.out, "\n%s: %" PRIu64 " references\n",
			      simulate_row_name(&m->simulate, row, s.name),
			      mrc_references_of(m, row));
		print_curve(&s, row);
	}
}

/* The points of the whole curve, then the points of each row. */
static void set_line(struct iot_row *to, void *source)
{
	struct curves *s = source;
	const size_t curve = to->number / s->results->size_count;
	set_curve(to, s, curve == 0 ? MRC_TOTAL : s->results->simulate.order[curve - 1]);
	set_point(to, s);
}

static void print_flat(struct mrc_results *m, const struct print_form *form)
{
	static const struct iot_column columns[] = COLUMN_LIST(
	    COLUMN(cache_blocks), COLUMN(cache_bytes), COLUMN(misses), COLUMN(miss_ratio),
	    COLUMN(miss_ratio_low), COLUMN(miss_ratio_high), COLUMN(row), COLUMNS(misses));
	const size_t curves = 1 + simulate_rows_shown(&m->simulate);
	struct curves s = {.results = m};
	const struct iot_table table = TABLE_ROWS(columns, curves * m->size_count, set_line, &s);
	form->print(&m->simulate.out, &table, NULL);
}

static void print_nested(struct mrc_results *m, const struct print_form *form)
{
	static const struct iot_column parameters[] = COLUMN_LIST(
	    COLUMN(input), COLUMN(reading), COLUMN(method), COLUMN(policy), COLUMN(block),
	    COLUMN(layer), COLUMN(unknown), COLUMN(by), COLUMN(point_count), COLUMN(max_request),
	    COLUMN(memory), COLUMN(sample), COLUMN(samples), COLUMN(seed));
	static const struct iot_column points[] = COLUMN_LIST(
	    COLUMN(cache_blocks), COLUMN(cache_bytes), COLUMN(misses), COLUMN(miss_ratio),
	    COLUMN(miss_ratio_low), COLUMN(miss_ratio_high), COLUMN_READ_AS(misses, "read_misses"),
	    COLUMN_WRITE_AS(misses, "write_misses"));
	static const struct iot_column rows[] =
	    COLUMN_LIST(COLUMN(row), COLUMN(references), COLUMN(points));
	static const struct iot_column document[] =
	    COLUMN_LIST(COLUMN(parameters), COLUMN(distinct_blocks), COLUMN(references),
			COLUMN(points), COLUMN(rows));
	struct curves s = {
	    .results = m,
	    .parameters = TABLE_RECORD(parameters, set_parameters, &s),
	    .points = TABLE_ROWS(points, m->size_count, set_point, &s),
	    .rows = TABLE_ROWS(rows, simulate_rows_shown(&m->simulate), set_breakdown, &s),
	};
	const struct iot_table table = TABLE_RECORD(document, set_document, &s);
	reading_view(&s.reading, &m->simulate.read);
	form->print(&m->simulate.out, &table, NULL);
}

void mrc_print(struct mrc_results *m, const struct print_form *form)
{
	(form->is_nested ? print_nested : print_flat)(m, form);
}
