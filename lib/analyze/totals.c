/* SPDX-License-Identifier: BSD-2-Clause */
#include "totals.h"

#include <stdlib.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/format/lacks.h"
#include "lib/result/names.h"

#include "counters.h"
#include "statistic.h"

static const double ns_per_s = 1e9;
static const char no_time[] = "the trace has no duration", no_start[] = "no start is known",
		  no_requests[] = "no requests", no_offsets[] = "no request has a known offset",
		  no_open[] = "the trace shows no open";

static inline void io_add(struct totals_io *io, const struct io_span *s)
{
	for (unsigned d = 0; d < 2; d++) {
		io->count[d] += s->of[d].count;
		io->bytes[d] = saturate_add(io->bytes[d], s->of[d].bytes);
	}
}

static inline void add_direction(struct totals *t, const struct io_span *s, unsigned d)
{
	const struct io_sums *of = &s->of[d];
	if ((s->flags & IOT_OFFSET_UNKNOWN) != 0) {
		t->offset_unknown[d] += of->count;
		t->offset_unknown_bytes[d] = saturate_add(t->offset_unknown_bytes[d], of->bytes);
	}
	if (s->asynchronous) {
		t->asynchronous[d] += of->count;
		t->asynchronous_bytes[d] = saturate_add(t->asynchronous_bytes[d], of->bytes);
	}
	if ((s->flags & IOT_DURATION_UNKNOWN) == 0) {
		t->timed[d] += of->count;
		t->duration_ns[d] = saturate_add(t->duration_ns[d], of->duration_ns);
	}
}

static inline void add_file(struct totals_file *f, const struct io_span *s)
{
	io_add(&f->io, s);
	if ((s->flags & IOT_OFFSET_UNKNOWN) != 0)
		return;
	f->extent = s->extent > f->extent ? s->extent : f->extent;
	f->located = true;
}

static inline void add_clock(struct totals_clock *c, const struct io_clock *more)
{
	c->used = true;
	if (!more->known)
		return;
	if (!c->known)
		c->first_ns = more->first_ns;
	c->last_ns = more->last_ns;
	c->known = true;
}

bool totals_add(struct totals *t, const struct io_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		const struct io_span *s = &spans->span[i];
		SPANS_AHEAD(spans, i, file, t->files, t->file_capacity);
		if (!array_reserve_index(&t->files, &t->file_capacity, s->file, sizeof *t->files))
			return false;
		io_add(&t->io, s);
		add_direction(t, s, 0);
		add_direction(t, s, 1);
		add_file(&t->files[s->file], s);
	}
	return true;
}

bool totals_add_clocks(struct totals *t, const struct io_clock *clocks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (i + AHEAD_STEPS < n)
			ahead_element(t->clocks, t->clock_capacity, clocks[i + AHEAD_STEPS].thread,
				      sizeof *t->clocks);
		if (!array_reserve_index(&t->clocks, &t->clock_capacity, clocks[i].thread,
					 sizeof *t->clocks))
			return false;
		add_clock(&t->clocks[clocks[i].thread], &clocks[i]);
	}
	return true;
}

static void free_all(void *of)
{
	struct totals *t = of;
	free(t->files);
	free(t->clocks);
}

/* Values */

/* The files that a set of rows is about, summed. */
struct sums {
	struct totals_io io;
	uint64_t files, located, extents, max, min;
};

static void sum_file(struct sums *s, const struct totals_file *f)
{
	for (unsigned d = 0; d < 2; d++) {
		s->io.count[d] += f->io.count[d];
		s->io.bytes[d] = saturate_add(s->io.bytes[d], f->io.bytes[d]);
	}
	s->files++;
	if (!f->located)
		return;
	s->min = s->located == 0 || f->extent < s->min ? f->extent : s->min;
	s->max = f->extent > s->max ? f->extent : s->max;
	s->extents = saturate_add(s->extents, f->extent);
	s->located++;
}

static void sum_used_file(struct sums *s, const struct totals_file *f, uint64_t extent_min)
{
	if (f->io.count[0] + f->io.count[1] > 0 &&
	    (extent_min == 0 || (f->located && f->extent >= extent_min)))
		sum_file(s, f);
}

/* Adds a file that the sample left out to the one of a trace that has it in its sample, if any. */
static struct totals_file whole_file(const struct totals_file *f, const struct file_sum *more)
{
	struct totals_file all = *f;
	for (unsigned d = 0; d < 2; d++) {
		all.io.count[d] += more->sums.count[d];
		all.io.bytes[d] = saturate_add(all.io.bytes[d], more->sums.bytes[d]);
	}
	all.extent = more->located && more->extent > all.extent ? more->extent : all.extent;
	all.located |= more->located;
	return all;
}

static void sum_left_out(struct sums *s, const struct requests *r, unsigned layer,
			 uint64_t extent_min)
{
	static const struct totals_file none;
	struct file_sum f;
	struct file_key key;
	for (size_t i = 0; i < file_sums_count(&r->file_sums); i++) {
		if (!file_sums_at(&r->file_sums, layer, i, &key, &f) ||
		    requests_knows_file(r, &key))
			continue;
		const struct totals_file all = whole_file(&none, &f);
		sum_used_file(s, &all, extent_min);
	}
}

static struct sums sum_files(const struct totals *t, const struct requests *r, unsigned layer,
			     uint64_t extent_min)
{
	const bool sampled = file_sums_count(&r->file_sums) > 0;
	struct file_sum f;
	struct sums s = {.files = 0};
	for (size_t i = 0; i < t->file_capacity; i++) {
		const bool more = sampled && i < r->files.count &&
				  file_sums_find(&r->file_sums, layer, &r->files.keys[i], &f);
		const struct totals_file all = more ? whole_file(&t->files[i], &f) : t->files[i];
		sum_used_file(&s, &all, extent_min);
	}
	sum_left_out(&s, r, layer, extent_min);
	return s;
}

static struct totals_file counted_file(const struct counters_file *f)
{
	const bool any = f->bytes[0] > 0 || f->bytes[1] > 0;
	return (struct totals_file){
	    .io = {{f->requests[0], f->requests[1]}, {f->bytes[0], f->bytes[1]}},
	    .extent = any ? f->max_byte + 1 : 0,
	    .located = any};
}

static struct sums sum_counted(const struct counters_totals *t, uint64_t extent_min)
{
	struct sums s = {.files = 0};
	for (size_t i = 0; i < t->file_capacity; i++) {
		const struct totals_file f = counted_file(&t->files[i]);
		sum_used_file(&s, &f, extent_min);
	}
	return s;
}

uint64_t totals_files(const struct totals *t, const struct requests *r, unsigned layer)
{
	return sum_files(t, r, layer, 0).files;
}

/*
 * The sum of the CPU times of all threads. Returns false if the clock of any is unknown, as the sum
 * would be too small, or if no clock has advanced.
 */
static bool cpu_time(const struct totals *t, double *seconds)
{
	int128 ns = 0;
	for (size_t i = 0; i < t->clock_capacity; i++) {
		const struct totals_clock *c = &t->clocks[i];
		if (c->used && !c->known)
			return false;
		ns += (int128)c->last_ns - c->first_ns;
	}
	*seconds = (double)ns / ns_per_s;
	return ns > 0;
}

uint64_t totals_runtime(const struct totals_trace *trace, const struct requests *requests)
{
	if (requests->options.runtime_ns != 0)
		return requests->options.runtime_ns;
	if (trace->job_start_ns < trace->job_end_ns)
		return trace->job_end_ns - trace->job_start_ns;
	return trace->timed ? (uint64_t)trace->end_ns - (uint64_t)trace->begin_ns : 0;
}

uint64_t totals_processes(const struct totals_trace *trace, const struct requests *requests)
{
	return trace->ranks != 0 ? trace->ranks : requests->processes.active_count;
}

/* A value for reads, writes and both. */
struct direction_names {
	const char *read, *write, *both;
};

static void numbers(struct values *v, struct direction_names name, const char *unit,
		    const uint64_t part[2])
{
	values_number(v, name.read, NULL, unit, part[0]);
	values_number(v, name.write, NULL, unit, part[1]);
	values_number(v, name.both, NULL, unit, saturate_add(part[0], part[1]));
}

static void ratios(struct values *v, struct direction_names name, const char *unit,
		   const uint64_t part[2], const double whole[3], const char *reason)
{
	values_ratio(v, name.read, NULL, unit, (double)part[0], whole[0], reason);
	values_ratio(v, name.write, NULL, unit, (double)part[1], whole[1], reason);
	values_ratio(v, name.both, NULL, unit, (double)part[0] + (double)part[1], whole[2], reason);
}

static void rates(struct values *v, struct direction_names name, const char *unit,
		  const uint64_t part[2], double whole)
{
	const double wholes[3] = {whole, whole, whole};
	ratios(v, name, unit, part, wholes, no_time);
}

static void traffic(struct values *v, const struct totals_io *io)
{
	const double count[3] = {(double)io->count[0], (double)io->count[1],
				 (double)io->count[0] + (double)io->count[1]};
	numbers(v, (struct direction_names){"reads", "writes", "requests"}, "", io->count);
	numbers(v, (struct direction_names){"read_bytes", "written_bytes", "bytes"}, "bytes",
		io->bytes);
	ratios(v, (struct direction_names){"read_size_mean", "write_size_mean", "size_mean"},
	       "bytes", io->bytes, count, no_requests);
	values_ratio(v, NAME_OF(read_to_written_bytes), NULL, "", (double)io->bytes[0],
		     (double)io->bytes[1], "no bytes were written");
	values_ratio(v, NAME_OF(reads_to_writes), NULL, "", count[0], count[1], "no writes");
}

/* Per second of the running time. */
static void per_second(struct values *v, const struct totals_io *io, double seconds)
{
	rates(v,
	      (struct direction_names){"read_bytes_per_running_s", "written_bytes_per_running_s",
				       "bytes_per_running_s"},
	      "bytes/s", io->bytes, seconds);
	rates(v,
	      (struct direction_names){"read_requests_per_running_s",
				       "write_requests_per_running_s", "requests_per_running_s"},
	      "1/s", io->count, seconds);
}

static void extents(struct values *v, const struct sums *s)
{
	values_number(v, NAME_OF(files), NULL, "", s->files);
	if (s->located == 0) {
		values_unknown(v, NAME_OF(extent_bytes), NULL, "bytes", no_offsets);
		values_unknown(v, NAME_OF(extent_max), NULL, "bytes", no_offsets);
		values_unknown(v, NAME_OF(extent_min), NULL, "bytes", no_offsets);
		return;
	}
	values_number(v, NAME_OF(extent_bytes), NULL, "bytes", s->extents);
	if (s->located < s->files)
		values_note(v, "without files of unknown offsets");
	values_number(v, NAME_OF(extent_max), NULL, "bytes", s->max);
	values_number(v, NAME_OF(extent_min), NULL, "bytes", s->min);
}

static void shares(struct values *v, const struct totals_io *io)
{
	const double count = (double)io->count[0] + (double)io->count[1];
	const double bytes = (double)io->bytes[0] + (double)io->bytes[1];
	values_ratio(v, NAME_OF(read_request_share), NULL, "", (double)io->count[0], count,
		     no_requests);
	values_ratio(v, NAME_OF(write_request_share), NULL, "", (double)io->count[1], count,
		     no_requests);
	values_ratio(v, NAME_OF(read_byte_share), NULL, "", (double)io->bytes[0], bytes,
		     "no bytes");
	values_ratio(v, NAME_OF(write_byte_share), NULL, "", (double)io->bytes[1], bytes,
		     "no bytes");
}

static void counted_durations(struct values *v, const struct counters_totals *counted)
{
	const uint64_t ns[2] = {counters_ns(counted->fs[COUNTERS_READ]),
				counters_ns(counted->fs[COUNTERS_WRITE])};
	const size_t first = v->count;
	values_number(v, NAME_OF(read_io_ns), NULL, "ns", ns[0]);
	values_number(v, NAME_OF(write_io_ns), NULL, "ns", ns[1]);
	values_number(v, NAME_OF(io_ns), NULL, "ns", saturate_add(ns[0], ns[1]));
	values_note_since(v, first, COUNTERS_NOTE);
}

static void durations(struct values *v, const struct totals *t)
{
	static const char partial[] = "without requests of unknown duration", *const names[2] = {
										  "read_io_ns",
										  "write_io_ns"};
	const bool any = t->timed[0] + t->timed[1] > 0 || t->io.count[0] + t->io.count[1] == 0;
	for (unsigned d = 0; d < 2; d++) {
		if (!any || (t->timed[d] == 0 && t->io.count[d] > 0))
			values_unknown(v, names[d], NULL, "ns", "no duration is known");
		else
			values_number(v, names[d], NULL, "ns", t->duration_ns[d]);
		if (t->timed[d] > 0 && t->timed[d] < t->io.count[d])
			values_note(v, partial);
	}
	if (!any) {
		values_unknown(v, NAME_OF(io_ns), NULL, "ns", "no duration is known");
		return;
	}
	values_number(v, NAME_OF(io_ns), NULL, "ns",
		      saturate_add(t->duration_ns[0], t->duration_ns[1]));
	if (t->timed[0] + t->timed[1] < t->io.count[0] + t->io.count[1])
		values_note(v, partial);
}

static void created(struct values *v, const struct totals_trace *trace)
{
	const bool lacks = (trace->lacks & LACK_CREATES) != 0 ||
			   ((trace->lacks & LACK_CREATED) != 0 && trace->created > 0);
	if (trace->opens == 0 || lacks)
		values_unknown(v, NAME_OF(created), NULL, "",
			       lacks ? "the source does not show whether an open created the file"
				     : no_open);
	else
		values_number(v, NAME_OF(created), NULL, "", trace->created);
}

/* Operations or a Darshan log's counters show opens, which other sources do not report. */
static void opens(struct values *v, const struct totals_trace *trace,
		  const struct counters_totals *counted)
{
	if (trace->opens > 0)
		values_number(v, NAME_OF(opens), NULL, "", trace->opens);
	else if (counted != NULL)
		values_number(v, NAME_OF(opens), NULL, "", counted->sum[COUNTERS_OPENS]);
	else
		values_unknown(v, NAME_OF(opens), NULL, "", no_open);
	created(v, trace);
}

static void counts(struct values *v, const struct totals *t, const struct totals_trace *trace)
{
	numbers(v,
		(struct direction_names){"read_unknown_offsets", "write_unknown_offsets",
					 "unknown_offsets"},
		"", t->offset_unknown);
	numbers(v,
		(struct direction_names){"read_unknown_offset_bytes",
					 "written_unknown_offset_bytes", "unknown_offset_bytes"},
		"bytes", t->offset_unknown_bytes);
	const size_t asynchronous = v->count;
	numbers(v,
		(struct direction_names){"read_asynchronous_requests",
					 "write_asynchronous_requests", "asynchronous_requests"},
		"", t->asynchronous);
	numbers(v,
		(struct direction_names){"read_asynchronous_bytes", "written_asynchronous_bytes",
					 "asynchronous_bytes"},
		"bytes", t->asynchronous_bytes);
	if ((trace->lacks & LACK_ASYNCHRONOUS) != 0)
		values_forget(v, asynchronous, TOTALS_NO_ASYNCHRONOUS);
	values_number(v, NAME_OF(out_of_order), NULL, "", trace->out_of_order);
}

/* Records of metadata, read-ahead and virtual memory. */
static void other_kinds(struct values *v, const struct requests *r)
{
	static const char *const keys[4][2] = {{NULL, NULL},
					       {"metadata_reads", "metadata_writes"},
					       {"read_ahead_reads", "read_ahead_writes"},
					       {"virtual_memory_reads", "virtual_memory_writes"}};
	for (unsigned kind = 1; kind < 4; kind++)
		for (unsigned d = 0; d < 2; d++)
			values_number(v, NAME_OF(other_requests), keys[kind][d], "",
				      r->other[kind][d]);
	for (unsigned kind = 1; kind < 4; kind++)
		for (unsigned d = 0; d < 2; d++)
			values_number(v, NAME_OF(other_bytes), keys[kind][d], "bytes",
				      r->other_bytes[kind][d]);
}

static void trace_values(const struct totals_trace *trace, const struct requests *r,
			 struct values *v)
{
	const uint64_t runtime = totals_runtime(trace, r);
	v->section = SECTION_OF(trace);
	values_number(v, NAME_OF(processes), NULL, "", totals_processes(trace, r));
	if (runtime == 0 && !trace->timed)
		values_unknown(v, NAME_OF(run_time_s), NULL, "s", no_start);
	else
		values_real(v, NAME_OF(run_time_s), NULL, "s", (double)runtime / ns_per_s);
	values_number(v, NAME_OF(left_out), NULL, "", trace->left_out);
	values_number(v, r->options.physical ? "left_out_logical" : "left_out_physical", NULL, "",
		      r->left_out);
	values_number(v, NAME_OF(gaps), NULL, "", trace->lost_count);
	if (trace->lost_count > 0)
		values_note(v, "the trace is incomplete");
	if (trace->lost > 0 || trace->lost_count == 0)
		values_number(v, NAME_OF(lost_records), NULL, "", trace->lost);
	else
		values_unknown(v, NAME_OF(lost_records), NULL, "", "no gap states its records");
	values_number(v, NAME_OF(lengths_requested), NULL, "", trace->lengths_requested);
	other_kinds(v, r);
}

static void large_values(const struct sums *large, double seconds, struct values *v)
{
	v->section = SECTION_OF(large);
	traffic(v, &large->io);
	per_second(v, &large->io, seconds);
	extents(v, large);
}

static void running_time(const struct totals_trace *trace, bool cpu, double seconds,
			 struct values *v)
{
	if (seconds > 0 || trace->timed) {
		values_real(v, NAME_OF(running_time_s), NULL, "s", seconds);
		values_note(v, cpu ? "cpu" : "wall");
	} else {
		values_unknown(v, NAME_OF(running_time_s), NULL, "s", no_start);
	}
}

/* From value `of_files` on, values depend on files. */
static void note_sampled(struct values *v, size_t first, size_t of_files)
{
	values_note_since(v, first, "from: samples");
	values_forget(v, of_files, "samples have no files");
}

void totals_values(const struct totals *t, const struct totals_trace *trace,
		   const struct requests *r, unsigned layer, const struct counters_totals *counted,
		   const struct totals_io *sampled, struct values *v)
{
	const double runtime = (double)totals_runtime(trace, r) / ns_per_s;
	const struct sums all =
			      counted != NULL ? sum_counted(counted, 0) : sum_files(t, r, layer, 0),
			  large = counted != NULL ? sum_counted(counted, r->options.large)
						  : sum_files(t, r, layer, r->options.large);
	const struct totals_io *io = sampled != NULL ? sampled : counted != NULL ? &all.io : &t->io;
	double seconds;
	const bool cpu = cpu_time(t, &seconds);
	seconds = cpu ? seconds : runtime;
	trace_values(trace, r, v);
	const size_t first = v->count;
	v->section = SECTION_OF(totals);
	traffic(v, io);
	running_time(trace, cpu, seconds, v);
	per_second(v, io, seconds);
	rates(v, (struct direction_names){"read_bytes_per_s", "written_bytes_per_s", "bytes_per_s"},
	      "bytes/s", io->bytes, runtime);
	rates(v,
	      (struct direction_names){"read_requests_per_s", "write_requests_per_s",
				       "requests_per_s"},
	      "1/s", io->count, runtime);
	shares(v, io);
	const size_t of_files = v->count;
	extents(v, &all);
	if (counted != NULL)
		values_note_since(v, first, COUNTERS_NOTE);
	if (counted != NULL)
		counted_durations(v, counted);
	else
		durations(v, t);
	opens(v, trace, counted);
	const size_t of_requests = v->count;
	counts(v, t, trace);
	if (counted != NULL)
		values_forget(v, of_requests, "counters show no single requests");
	const size_t second = v->count;
	large_values(&large, seconds, v);
	if (sampled != NULL)
		note_sampled(v, first, of_files);
	if (counted != NULL)
		values_note_since(v, second, COUNTERS_NOTE);
}

/* The statistic */

static bool add(void *of, const struct statistic_batch *b)
{
	return totals_add(of, &b->grouped) &&
	       totals_add_clocks(of, b->batch->clock, b->batch->clock_count);
}

static bool join(void *of, void *part, const struct statistic_map *map)
{
	return totals_join(of, part,
			   &(struct totals_map){map->numbers->file, map->numbers->thread,
						map->clocks, map->clock_capacity});
}

static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	return totals_add_trace(
	    of, more, &(struct totals_map){map->numbers->file, map->numbers->thread, NULL, 0});
}

static void sample(void *of, const struct sample_kept *k)
{
	struct totals *t = of;
	SAMPLE_KEEP(t->files, t->file_capacity, k->file, k->files);
}

const struct statistic totals_statistic = {
    .add = add,
    .join = join,
    .add_trace = add_trace,
    .sample = sample,
    .state = totals_state,
    .free = free_all,
};
