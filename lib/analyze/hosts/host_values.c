/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_values.h"

#include <stdlib.h>
#include <string.h>

#include "lib/analyze/over_time/time.h"
#include "lib/result/names.h"

static const uint64_t day_ns = 86400 * CELLS_NS_PER_S;

struct totals_io host_samples_io(const struct host_samples *h)
{
	return (struct totals_io){
	    .count = {h->sums.sum[SAMPLE_READS], h->sums.sum[SAMPLE_WRITES]},
	    .bytes = {h->sums.sum[SAMPLE_READ_BYTES], h->sums.sum[SAMPLE_WRITTEN_BYTES]}};
}

struct view_source host_samples_view(const struct host_samples *h, struct time_span span,
				     bool all_hosts)
{
	span.processes = h->numbers.count;
	return (struct view_source){.cells = &h->of_hosts[all_hosts],
				    .calls = &h->calls_of_hosts[all_hosts],
				    .series = &h->series,
				    .coverage = &h->coverage,
				    .span = span};
}

/* Totals */

static const char absent[] = "no sample counts them";

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* The values that a name depends on, as bits. */
static uint32_t needs_of(const char *name)
{
	static const struct {
		const char *prefix;
		uint32_t needs;
	} of[] = {{"read_size", 1 << SAMPLE_READ_BYTES | 1 << SAMPLE_READS},
		  {"write_size", 1 << SAMPLE_WRITTEN_BYTES | 1 << SAMPLE_WRITES},
		  {"read_to_written", 1 << SAMPLE_READ_BYTES | 1 << SAMPLE_WRITTEN_BYTES},
		  {"reads_to_writes", 1 << SAMPLE_READS | 1 << SAMPLE_WRITES},
		  {"read_request", 1 << SAMPLE_READS},
		  {"write_request", 1 << SAMPLE_WRITES},
		  {"dominating_type", 1 << SAMPLE_READS | 1 << SAMPLE_WRITES},
		  {"request", 1 << SAMPLE_READS | 1 << SAMPLE_WRITES},
		  {"size_mean", 1 << SAMPLE_READS | 1 << SAMPLE_WRITES},
		  {"read_byte", 1 << SAMPLE_READ_BYTES},
		  {"write_byte", 1 << SAMPLE_WRITTEN_BYTES},
		  {"written_byte", 1 << SAMPLE_WRITTEN_BYTES},
		  {"bytes", 1 << SAMPLE_READ_BYTES | 1 << SAMPLE_WRITTEN_BYTES},
		  {"reads", 1 << SAMPLE_READS},
		  {"writes", 1 << SAMPLE_WRITES}};
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
		if (begins(name, of[i].prefix))
			return of[i].needs;
	return 0;
}

static void set_number(struct iot_analyze_value *v, uint64_t number)
{
	v->kind = IOT_VALUE_NUMBER;
	v->number = number;
	v->note = HOST_SAMPLES_NOTE;
}

struct value_of_samples {
	const char *name;
	enum sample_value of;
};

static void set_one_of(const struct sample_sums *s, const struct value_of_samples *known, size_t n,
		       struct iot_analyze_value *v)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v->name, known[i].name) == 0 && sample_sums_know(s, known[i].of))
			set_number(v, s->sum[known[i].of]);
}

/* A value that samples have although requests of files would have given it. */
static void set_total(const struct sample_sums *s, struct iot_analyze_value *v)
{
	static const struct value_of_samples known[] = {{NAME_OF(requests), SAMPLE_REQUESTS},
							{NAME_OF(opens), SAMPLE_OPENS},
							{NAME_OF(created), SAMPLE_CREATES},
							{"read_io_ns", SAMPLE_READ_NS},
							{"write_io_ns", SAMPLE_WRITE_NS}};
	set_one_of(s, known, sizeof known / sizeof known[0], v);
	if (strcmp(v->name, NAME_OF(io_ns)) == 0 && sample_sums_know(s, SAMPLE_READ_NS) &&
	    sample_sums_know(s, SAMPLE_WRITE_NS))
		set_number(v, saturate_add(s->sum[SAMPLE_READ_NS], s->sum[SAMPLE_WRITE_NS]));
}

/* Samples count calls as well. */
static void set_calls(const struct sample_sums *s, struct iot_analyze_value *v)
{
	static const struct value_of_samples calls[] = {{NAME_OF(opens), SAMPLE_OPENS},
							{NAME_OF(closes), SAMPLE_CLOSES},
							{NAME_OF(created), SAMPLE_CREATES}};
	set_one_of(s, calls, sizeof calls / sizeof calls[0], v);
}

void host_samples_correct(const struct host_samples *h, struct values *v)
{
	for (size_t i = 0; i < v->count; i++) {
		struct iot_analyze_value *at = &v->value[i];
		const char *name = strcmp(at->key, "0 requests") == 0 ? "requests" : at->name;
		if ((needs_of(name) & ~h->sums.known) != 0)
			values_forget_one(at, absent);
		if (strcmp(at->section, SECTION_OF(totals)) == 0)
			set_total(&h->sums, at);
		if (strcmp(at->section, SECTION_OF(metadata)) == 0 ||
		    strcmp(at->section, SECTION_OF(map)) == 0)
			set_calls(&h->sums, at);
	}
}

void host_samples_correct_row(const struct sample_sums *s, struct values *v)
{
	for (size_t i = 0; i < v->count; i++) {
		struct iot_analyze_value *at = &v->value[i];
		const uint32_t needs = needs_of(at->name);
		if (needs == 0 || (needs & ~s->known) != 0)
			values_forget_one(at, absent);
		set_total(s, at);
		set_calls(s, at);
	}
	values_note_since(v, 0, HOST_SAMPLES_NOTE);
}

/* Values that samples cannot show */

/* Returns whether any of the names, after which NULL follows, is a part of the text. */
static bool has_any(const char *text, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strstr(text, *names) != NULL)
			return true;
	return false;
}

static bool is_blind(const struct iot_analyze_value *v)
{
	static const char *const sections[] = {SECTION_OF(order),     SECTION_OF(reuse),
					       SECTION_OF(classes),   SECTION_OF(files),
					       SECTION_OF(processes), NULL},
				 *const of_trace[] = {NAME_OF(processes), "other_", NULL},
				 *const of_sizes[] = {"variable", "common", "aligned", "zero_bits",
						      NULL},
				 *const of_time[] = {"time_ns", "latency", "operation", NULL};
	return has_any(v->section, sections) ||
	       (strcmp(v->section, SECTION_OF(trace)) == 0 && has_any(v->name, of_trace)) ||
	       (strcmp(v->section, SECTION_OF(sizes)) == 0 && has_any(v->name, of_sizes)) ||
	       (strcmp(v->section, SECTION_OF(time)) == 0 &&
		(has_any(v->name, of_time) || begins(v->name, "io_time_max")));
}

void host_samples_forget(struct values *v)
{
	for (size_t i = 0; i < v->count; i++)
		if (is_blind(&v->value[i]))
			values_forget_one(&v->value[i], HOST_SAMPLES_BLIND);
}

/* Section samples */

/* The usual interval: as the trace declares it, else the median. */
static uint64_t resolution_of(const struct host_samples *h)
{
	if (h->interval_ns != 0 || h->took.count == 0)
		return h->interval_ns;
	const double median = histogram_quantile(&h->took, 500);
	return median < (double)h->took.min   ? h->took.min
	       : median > (double)h->took.max ? h->took.max
					      : (uint64_t)median;
}

/* With too many intervals the holes between them count as covered. */
static void overlap(const struct host_samples *h, struct values *v)
{
	const uint64_t covered = coverage_total(&h->of_counters),
		       twice = h->counters_ns > covered ? h->counters_ns - covered : 0;
	if (h->of_counters.intervals < COVERAGE_MAX && h->counters.count < COUNTED_HOSTS_MAX)
		values_real(v, NAME_OF(overlap_s), NULL, "s", (double)twice / 1e9);
	else
		values_unknown(v, NAME_OF(overlap_s), NULL, "s", "too many intervals");
}

static void sums(const struct host_samples *h, struct values *v)
{
	values_number(v, NAME_OF(sample_count), NULL, "", h->count);
	values_number(v, NAME_OF(wrong_samples), NULL, "", h->wrong);
	values_number(v, NAME_OF(sampled_hosts), NULL, "", h->numbers.count);
	values_number(v, NAME_OF(samples_after_gaps), NULL, "", h->gaps);
	values_number(v, NAME_OF(samples_after_resets), NULL, "", h->resets);
	values_number(v, NAME_OF(doubtful_samples), NULL, "", h->doubtful);
	overlap(h, v);
	for (unsigned i = 0; i < SAMPLE_VALUES; i++)
		if (sample_sums_know(&h->sums, i))
			values_number(v, NAME_OF(counted), sample_names[i].data, "",
				      h->sums.sum[i]);
	values_real(v, NAME_OF(resolution_s), NULL, "s", (double)resolution_of(h) / 1e9);
	values_summary(v, SUMMARY_NS("sample_interval"), "ns", &h->took);
}

/* Days */

struct days {
	uint64_t first; /* since 1970 */
	size_t count;
	uint64_t (*bytes)[2], *edge, *covered_ns;
};

static void add_cell(struct days *d, const struct cell *c, int k)
{
	const uint64_t day = cells_start(c->bin, k) / day_ns;
	if (day < d->first || day - d->first >= d->count)
		return;
	for (unsigned i = 0; i < 2; i++)
		d->bytes[day - d->first][i] =
		    saturate_add(d->bytes[day - d->first][i], c->bytes[i]);
}

static bool sum_days(struct days *d, const struct view_source *from)
{
	d->bytes = calloc(d->count + 1, sizeof *d->bytes);
	d->edge = calloc(d->count + 1, sizeof *d->edge);
	d->covered_ns = calloc(d->count + 1, sizeof *d->covered_ns);
	if (d->bytes == NULL || d->edge == NULL || d->covered_ns == NULL)
		return false;
	for (size_t i = 0; i <= d->count; i++)
		d->edge[i] = (d->first + i) * day_ns;
	for (size_t i = 0; i < from->cells->row_capacity; i++) {
		size_t count;
		const struct cell *cell = cells_row_bins(&from->cells->rows[i], &count);
		for (; count-- > 0; cell++)
			add_cell(d, cell, cells_k(from->cells));
	}
	return coverage_sum(from->coverage, d->edge, d->count, d->covered_ns);
}

/* The mean, lowest and highest bytes of whole days that are observed. */
static void print_days(const struct days *d, uint64_t hosts, struct values *v)
{
	static const char *const names[DIRECTIONS] = {"read_bytes_per_day", "written_bytes_per_day",
						      "bytes_per_day"};
	for (unsigned i = 0; i < DIRECTIONS; i++) {
		uint64_t days = 0, min = UINT64_MAX, max = 0;
		double all = 0;
		for (size_t k = 0; k < d->count; k++) {
			const uint64_t bytes = view_sum(d->bytes[k], i);
			if ((uint128)d->covered_ns[k] * 10 < (uint128)hosts * day_ns * 9)
				continue;
			days++;
			all += (double)bytes;
			min = bytes < min ? bytes : min;
			max = bytes > max ? bytes : max;
		}
		if (i == 0)
			values_number(v, NAME_OF(observed_days), NULL, "", days);
		values_ratio(v, names[i], "mean", "bytes", all, (double)days, "no whole day");
		if (days == 0)
			continue;
		values_number(v, names[i], "min", "bytes", min);
		values_number(v, names[i], "max", "bytes", max);
	}
}

static bool day_values(const struct view_source *from, struct values *v)
{
	const struct time_span *span = &from->span;
	const uint64_t first = (span->begin_ns + day_ns - 1) / day_ns, end = span->end_ns / day_ns;
	struct days d = {.first = first, .count = end > first ? (size_t)(end - first) : 0};
	const bool done = d.count == 0 || sum_days(&d, from);
	if (done)
		print_days(&d, span->processes, v);
	free(d.bytes);
	free(d.edge);
	free(d.covered_ns);
	return done;
}

/* Gaps */

enum { GAPS_SHOWN = 10 };

struct gap {
	size_t first, bins;
};

static int by_length(const void *left, const void *right)
{
	const struct gap *a = left, *b = right;
	return a->bins != b->bins ? (a->bins < b->bins) - (a->bins > b->bins)
				  : (a->first > b->first) - (a->first < b->first);
}

static size_t find_gaps(const struct view *view, struct gap *gaps)
{
	size_t count = 0;
	for (size_t i = 0; i < view->bins; i++) {
		if (view_observes(view, i))
			continue;
		if (i > 0 && !view_observes(view, i - 1))
			gaps[count - 1].bins++;
		else
			gaps[count++] = (struct gap){i, 1};
	}
	return count;
}

/* The hosts that do not cover a gap, rounded up. */
static bool missing(const struct view_source *from, uint64_t begin, uint64_t end, uint64_t *hosts)
{
	const uint64_t edge[2] = {begin, end}, all = from->span.processes;
	uint64_t covered;
	if (!coverage_sum(from->coverage, edge, 1, &covered))
		return false;
	*hosts = all - (uint64_t)((uint128)covered / (end - begin));
	return true;
}

/* The time span may end inside of the last bin. */
static uint64_t end_of(const struct view_source *from, const struct view *view,
		       const struct gap *gap)
{
	const uint64_t begin = view_start(view, gap->first),
		       end = view_start(view, gap->first + gap->bins), last = from->span.end_ns;
	return last > begin && last < end ? last : end;
}

static bool print_gap(const struct view_source *from, const struct view *view,
		      const struct gap *gap, const char *key, struct values *v)
{
	const uint64_t begin = view_start(view, gap->first), end = end_of(from, view, gap);
	uint64_t hosts;
	if (!missing(from, begin, end, &hosts))
		return false;
	values_real(v, NAME_OF(gap_begin_s), key, "s",
		    ((double)begin - (double)from->span.begin_ns) / 1e9);
	values_real(v, NAME_OF(gap_length_s), key, "s", (double)(end - begin) / 1e9);
	values_number(v, NAME_OF(gap_hosts), key, "", hosts);
	return true;
}

static bool print_gaps(const struct view_source *from, const struct view *view, struct gap *gaps,
		       struct values *v)
{
	const size_t count = find_gaps(view, gaps);
	const uint64_t run_ns = from->span.end_ns - from->span.begin_ns;
	uint64_t unobserved_ns = 0;
	bool done = true;
	char key[VALUE_KEY];
	qsort(gaps, count, sizeof *gaps, by_length);
	values_number(v, NAME_OF(unobserved_gaps), NULL, "", count);
	for (size_t i = 0; i < count; i++)
		unobserved_ns += end_of(from, view, &gaps[i]) - view_start(view, gaps[i].first);
	values_real(v, NAME_OF(observed_s), NULL, "s", (double)(run_ns - unobserved_ns) / 1e9);
	values_real(v, NAME_OF(unobserved_s), NULL, "s", (double)unobserved_ns / 1e9);
	for (size_t i = 0; i < count && i < GAPS_SHOWN && done; i++)
		done = print_gap(from, view, &gaps[i], values_key(key, i + 1), v);
	return done;
}

/* Bins that too few hosts cover. */
static bool gap_values(const struct view_source *from, struct values *v)
{
	struct view view = {.k = 0};
	const bool made = view_make_main(&view, from);
	struct gap *gaps = calloc(view.bins + 1, sizeof *gaps);
	const bool done = made && gaps != NULL && print_gaps(from, &view, gaps, v);
	free(gaps);
	view_free(&view);
	return done;
}

/*
 * The width of the bins: the resolution; or the next power of two of the bins that are stored, if
 * these are so long that bins of the resolution would differ in length.
 */
static uint64_t width_of(const struct host_samples *h)
{
	const int of_cells = cells_k(&h->of_hosts[1]), of_calls = cells_k(&h->calls_of_hosts[1]),
		  of_series = series_k(&h->series), k = of_cells < of_calls ? of_cells : of_calls,
		  coarsest = k < of_series ? k : of_series;
	const uint64_t resolution = resolution_of(h),
		       stored = cells_start(1, coarsest) - cells_start(0, coarsest);
	uint64_t width = stored;
	if (stored < resolution / 64 || cells_start(1024, coarsest) != 1024 * stored)
		return resolution;
	while (width < resolution)
		width *= 2;
	return width;
}

bool host_samples_values(const struct host_samples *h, struct time_span span, struct values *v)
{
	v->section = SECTION_OF(samples);
	sums(h, v);
	if (h->coverage.intervals == 0)
		return true;
	span.interval_ns = width_of(h);
	const struct view_source from = host_samples_view(h, span, true);
	return time_rates(&from, v) && day_values(&from, v) && gap_values(&from, v);
}
