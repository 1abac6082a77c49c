/* SPDX-License-Identifier: BSD-2-Clause */
/* iotrace stat: counts the I/O of files or processes, by kind. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <iotrace/filter.h>

#include "cli/ui/trace_in.h"
#include "cli/ui/piped.h"
#include "cli/ui/printable.h"
#include "cli/ui/json.h"

enum { NS_PER_S = 1000000000, NAME_CAPACITY = 4096, NAMES_MAX = 1 << 28 /* bytes */ };
enum { TOP_ON_TERMINAL = 20, BY_OPERATION = IOT_STATS_BY_DIRECTORY + 1 };

struct stat_run {
	struct iot_stats *stats;
	struct iot_stats_options options;
	struct trace_in in;
	struct output out;
	struct trace_in_options read;
	int by;       /* enum iot_stats_by, or BY_OPERATION */
	int sort;     /* enum iot_stats_sort */
	uint64_t top; /* rows to print; NOT_GIVEN: all */
	bool physical, json, tsv;
	bool counters_only; /* the trace contains no I/Os */
};

/* Which statistics are known. Text output marks a sum over only some of the I/Os. */

static bool knows_ios(const struct stat_run *s)
{
	return !s->counters_only;
}

static bool knows_opens(const struct stat_run *s, const struct iot_stats_row *f)
{
	return knows_ios(s) || f->opens > 0;
}

static bool knows_times(const struct stat_run *s, const struct iot_stats_row *f)
{
	return knows_ios(s) && (f->timed > 0 || f->reads + f->writes == 0);
}

static bool knows_order(const struct stat_run *s, const struct iot_stats_row *f)
{
	return knows_ios(s) && (f->located > 0 || f->followers == 0);
}

/* The name of a row, or the path of its object, or NULL. Valid until the next call. */
static const char *name_of(const struct stat_run *s, const struct iot_stats_row *row, size_t *size)
{
	const bool of_object =
	    row->object != 0 && (s->by == IOT_STATS_BY_OBJECT || row->name == NULL);
	const char *path = of_object ? iot_reader_name(s->in.reader, row->object, size) : NULL;
	if (path)
		return path;
	*size = row->name_size;
	return row->name;
}

/* Row i of those to print, or NULL. */
static const struct iot_stats_row *row_at(const struct stat_run *s, size_t i)
{
	return s->by != BY_OPERATION && i < s->top ? iot_stats_row(s->stats, i) : NULL;
}

static const struct iot_stats_operation *operation_at(const struct stat_run *s, size_t i)
{
	return s->by != BY_OPERATION || i < s->top ? iot_stats_operation(s->stats, i) : NULL;
}

/* The lower bound of a class. */
static uint64_t class_floor(unsigned k)
{
	return k == 0 ? 0 : (uint64_t)1 << (k - 1);
}

/* TSV */

/* Writes '%' and the characters that would break a column as %XX. */
static void write_encoded(struct output *o, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c < 0x20 || c == 0x7f || c == '%')
			output_printf(o, "%%%02X", c);
		else
			output_write(o, text + i, 1);
	}
}

static void tsv_number(struct output *o, bool known, uint64_t value)
{
	if (known)
		output_printf(o, "\t%ju", (uintmax_t)value);
	else
		output_text(o, "\t");
}

static void tsv_row(struct stat_run *s, const struct iot_stats_row *f)
{
	const bool ios = knows_ios(s);
	const struct {
		bool known;
		uint64_t value;
	} columns[] = {{true, f->file},
		       {true, f->object},
		       {knows_opens(s, f), f->opens},
		       {ios, f->reads},
		       {ios, f->writes},
		       {ios, f->read_bytes},
		       {ios, f->written_bytes},
		       {knows_times(s, f), f->io_ns},
		       {ios, f->followers},
		       {knows_order(s, f), f->sequential},
		       {ios, f->same_size}};
	const char *separator = "\t";
	size_t size = 0;
	const char *name = name_of(s, f, &size);
	output_printf(&s->out, "%u", f->process);
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
		tsv_number(&s->out, columns[i].known, columns[i].value);
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		if (iot_stats_size(f, k) == 0)
			continue;
		output_printf(&s->out, "%s%ju:%ju", separator, (uintmax_t)class_floor(k),
			      (uintmax_t)iot_stats_size(f, k));
		separator = ",";
	}
	output_text(&s->out, separator[0] == '\t' ? "\t\t" : "\t");
	write_encoded(&s->out, name ? name : "", size);
	output_text(&s->out, "\t");
	if (f->has & IOT_STATS_HAS_RANK)
		output_printf(&s->out, "%ju", (uintmax_t)f->rank);
	tsv_number(&s->out, ios, f->timed);
	tsv_number(&s->out, ios, f->located);
	tsv_number(&s->out, (f->has & IOT_STATS_HAS_TIMES) != 0, (uint64_t)f->first_ns);
	tsv_number(&s->out, (f->has & IOT_STATS_HAS_TIMES) != 0, (uint64_t)f->last_ns);
	output_text(&s->out, "\n");
}

static void tsv_operations(struct stat_run *s)
{
	const struct iot_stats_operation *row;
	output_text(&s->out, "operation\tcalls\tfailed\ttimed\tns\n");
	for (size_t i = 0; (row = operation_at(s, i)) != NULL; i++) {
		write_encoded(&s->out, row->name, strlen(row->name));
		output_printf(&s->out, "\t%ju\t%ju\t%ju", (uintmax_t)row->calls,
			      (uintmax_t)row->failed, (uintmax_t)row->timed);
		tsv_number(&s->out, row->timed > 0, row->ns);
		output_text(&s->out, "\n");
	}
}

static void print_tsv(struct stat_run *s)
{
	if (s->by == BY_OPERATION) {
		tsv_operations(s);
		return;
	}
	output_text(&s->out,
		    "process\tfile\tobject\topens\treads\twrites\tread_bytes\twritten_bytes\t"
		    "io_ns\tfollowers\tsequential\tsame_size\tsizes\tname\trank\t"
		    "timed\tplaced\tfirst_ns\tlast_ns\n");
	const struct iot_stats_row *row;
	for (size_t i = 0; (row = row_at(s, i)) != NULL; i++)
		tsv_row(s, row);
}

/* JSON */

static void json_counters(struct json *j, const struct stat_run *s, const struct iot_stats_row *f)
{
	const bool ios = knows_ios(s);
	char key[24];
	json_known(j, "opens", knows_opens(s, f), f->opens);
	json_known(j, "reads", ios, f->reads);
	json_known(j, "writes", ios, f->writes);
	json_known(j, "read_bytes", ios, f->read_bytes);
	json_known(j, "written_bytes", ios, f->written_bytes);
	json_known(j, "io_ns", knows_times(s, f), f->io_ns);
	json_known(j, "timed", ios, f->timed);
	json_known(j, "followers", ios, f->followers);
	json_known(j, "placed", ios, f->located);
	json_known(j, "sequential", knows_order(s, f), f->sequential);
	json_known(j, "same_size", ios, f->same_size);
	json_open(j, "sizes", '{');
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		snprintf(key, sizeof key, "%ju", (uintmax_t)class_floor(k));
		if (iot_stats_size(f, k) > 0)
			json_number(j, key, iot_stats_size(f, k));
	}
	json_close(j, '}');
}

static void json_row(struct json *j, const struct stat_run *s, const struct iot_stats_row *row)
{
	size_t size = 0;
	const char *name = name_of(s, row, &size);
	const bool times = (row->has & IOT_STATS_HAS_TIMES) != 0;
	bool own_file =
	    s->by == IOT_STATS_BY_FILE || (s->by == IOT_STATS_BY_OBJECT && row->object == 0);
	json_open(j, NULL, '{');
	if (s->by == IOT_STATS_BY_PROCESS || own_file)
		json_number(j, "process", row->process);
	if (own_file)
		json_number(j, "file", row->file);
	if (row->object)
		json_number(j, "object", row->object);
	if (row->has & IOT_STATS_HAS_RANK)
		json_number(j, "rank", row->rank);
	if (name)
		json_text(j, "name", name, size);
	json_counters(j, s, row);
	json_known(j, "first_ns", times, (uint64_t)row->first_ns);
	json_known(j, "last_ns", times, (uint64_t)row->last_ns);
	json_close(j, '}');
}

static void json_latency(struct json *j, const struct stat_run *s, const char *key, int write)
{
	struct iot_stats_latency l;
	iot_stats_latency(s->stats, write, &l);
	if (l.count == 0) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '{');
	json_number(j, "min", l.min_ns);
	json_exact(j, "mean", l.mean_ns);
	json_exact(j, "p50", l.median_ns);
	json_exact(j, "p99", l.p99_ns);
	json_number(j, "max", l.max_ns);
	json_close(j, '}');
}

static void json_latencies(struct json *j, const struct stat_run *s)
{
	const uint64_t span = iot_stats_fact(s->stats, IOT_STATS_SPAN_NS);
	json_open(j, "latency_ns", '{');
	json_latency(j, s, "read", 0);
	json_latency(j, s, "write", 1);
	json_close(j, '}');
	json_known(j, "span_ns", span > 0, span);
}

static void json_operations(struct json *j, const struct stat_run *s)
{
	const struct iot_stats_operation *row;
	json_open(j, "operations", '[');
	for (size_t i = 0; (row = operation_at(s, i)) != NULL; i++) {
		json_open(j, NULL, '{');
		json_text(j, "name", row->name, strlen(row->name));
		json_number(j, "calls", row->calls);
		json_number(j, "failed", row->failed);
		json_number(j, "timed", row->timed);
		json_known(j, "ns", row->timed > 0, row->ns);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_json(struct stat_run *s)
{
	static const char *const by[] = {"file", "process", "object", "rank", "host", "dir", "op"};
	const struct iot_stats_row *row;
	struct json j = {.out = &s->out};
	json_open(&j, NULL, '{');
	json_text(&j, "by", by[s->by], strlen(by[s->by]));
	json_open(&j, "rows", '[');
	for (size_t i = 0; (row = row_at(s, i)) != NULL; i++) {
		output_text(&s->out, i == 0 ? "\n" : "");
		json_row(&j, s, row);
		j.comma = false;
		output_text(&s->out, row_at(s, i + 1) != NULL ? ",\n" : "\n");
	}
	json_close(&j, ']');
	json_open(&j, "total", '{');
	json_counters(&j, s, iot_stats_total(s->stats));
	json_close(&j, '}');
	json_latencies(&j, s);
	json_operations(&j, s);
	json_close(&j, '}');
}

/* Text */

static const char *share(char *text, size_t capacity, uint64_t part, uint64_t whole)
{
	if (whole == 0)
		return "-";
	snprintf(text, capacity, "%.0f%%", 100 * (double)part / (double)whole);
	return text;
}

static const char *number(char *text, size_t capacity, bool known, uint64_t value)
{
	if (!known)
		return "-";
	snprintf(text, capacity, "%ju", (uintmax_t)value);
	return text;
}

static const char *bytes(char *text, size_t capacity, bool known, uint64_t value)
{
	return known ? printable_bytes(text, capacity, value) : "-";
}

/* The time in I/O; ">" marks a sum that lacks the I/Os of unknown duration. */
static const char *seconds(const struct stat_run *s, char *text, size_t capacity,
			   const struct iot_stats_row *f)
{
	if (!knows_times(s, f))
		return "-";
	snprintf(text, capacity, "%s%.6f", f->timed < f->reads + f->writes ? ">" : "",
		 (double)f->io_ns / NS_PER_S);
	return text;
}

static void human_row(struct stat_run *s, const struct iot_stats_row *f, const char *name)
{
	const bool ios = knows_ios(s);
	char opens[24], reads[24], writes[24], read[24], written[24], time[32];
	char sequential[8], same[8];
	output_printf(&s->out, "%8s %9s %9s %10s %10s %11s %5s %5s  ",
		      number(opens, sizeof opens, knows_opens(s, f), f->opens),
		      number(reads, sizeof reads, ios, f->reads),
		      number(writes, sizeof writes, ios, f->writes),
		      bytes(read, sizeof read, ios, f->read_bytes),
		      bytes(written, sizeof written, ios, f->written_bytes),
		      seconds(s, time, sizeof time, f),
		      share(sequential, sizeof sequential, f->sequential, f->located),
		      share(same, sizeof same, f->same_size, f->followers));
	output_text(&s->out, name);
	output_text(&s->out, "\n");
}

/* "12 ", "12:3 ", or "12:3 (rank 11) " */
static int human_ids(const struct stat_run *s, const struct iot_stats_row *row, char *text,
		     size_t capacity)
{
	char file[16] = "", rank[32] = "";
	if (s->by == IOT_STATS_BY_RANK)
		return snprintf(text, capacity, "%ju", (uintmax_t)row->rank);
	if (s->by == IOT_STATS_BY_FILE)
		snprintf(file, sizeof file, ":%u", row->file);
	if (row->has & IOT_STATS_HAS_RANK)
		snprintf(rank, sizeof rank, " (rank %ju)", (uintmax_t)row->rank);
	return snprintf(text, capacity, "%u%s%s ", row->process, file, rank);
}

/* Whether a row has ids or a rank to print. */
static bool has_ids(const struct stat_run *s, const struct iot_stats_row *row)
{
	return s->by <= IOT_STATS_BY_PROCESS ||
	       (s->by == IOT_STATS_BY_RANK && (row->has & IOT_STATS_HAS_RANK));
}

static const char *human_name(const struct stat_run *s, const struct iot_stats_row *row, char *text,
			      size_t capacity)
{
	size_t size = 0;
	int used = 0;
	const char *name = name_of(s, row, &size);
	if (has_ids(s, row))
		used = human_ids(s, row, text, capacity);
	if (name)
		printable(text + used, capacity - (size_t)used, name, size);
	else if (s->by == IOT_STATS_BY_OBJECT && row->object == 0)
		snprintf(text, capacity, "%s %u of process %u", s->physical ? "disk" : "file",
			 row->file, row->process);
	else if (s->by == IOT_STATS_BY_OBJECT)
		snprintf(text, capacity, "object %u", row->object);
	else if (used == 0)
		snprintf(text, capacity, "-");
	return text;
}

/* The classes of sizes that occur, each with a bar. */
static void print_sizes(struct stat_run *s)
{
	static const char bar[] = "########################################";
	const struct iot_stats_row *total = iot_stats_total(s->stats);
	char size[24];
	uint64_t max = 0;
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++)
		max = iot_stats_size(total, k) > max ? iot_stats_size(total, k) : max;
	if (max == 0)
		return;
	output_text(&s->out, "\n  size from       I/Os\n");
	for (unsigned k = 0; k < IOT_SIZE_CLASSES; k++) {
		uint64_t n = iot_stats_size(total, k);
		double length = (double)n / (double)max * (double)(sizeof bar - 1);
		if (n > 0)
			output_printf(&s->out, "%11s %10ju  %.*s\n",
				      printable_bytes(size, sizeof size, class_floor(k)),
				      (uintmax_t)n, (int)length + (length < 1), bar);
	}
}

/* Shows which calls cost the time. A trace without %op has only reads and writes, and no table. */
static void print_operations(struct stat_run *s)
{
	const struct iot_stats_operation *row;
	const uint64_t others = iot_stats_fact(s->stats, IOT_STATS_OTHER_OPS);
	char time[32], name[IOT_OPERATION_NAME * 4 + 1];
	if (iot_stats_fact(s->stats, IOT_STATS_OPS) == 0 && s->by != BY_OPERATION)
		return;
	output_text(&s->out, "\n    calls    failed     seconds  operation\n");
	for (size_t i = 0; (row = operation_at(s, i)) != NULL; i++) {
		snprintf(time, sizeof time, "%s%.6f", row->timed < row->calls ? ">" : "",
			 (double)row->ns / NS_PER_S);
		printable(name, sizeof name, row->name, strlen(row->name));
		output_printf(&s->out, "%9ju %9ju %11s  %s\n", (uintmax_t)row->calls,
			      (uintmax_t)row->failed, row->timed > 0 ? time : "-", name);
	}
	if (others > 0)
		output_printf(&s->out, "%9ju         -           -  others\n", (uintmax_t)others);
}

/* The number of I/Os without the values that the table shows. */
static void print_unknown(struct stat_run *s)
{
	const struct iot_stats_row *f = iot_stats_total(s->stats);
	const uint64_t ios = f->reads + f->writes;
	if (f->timed == 0 && ios > 0)
		output_text(&s->out, "\n  The durations of the I/Os are not known.\n");
	else if (f->timed < ios)
		output_printf(&s->out,
			      "\n  The durations of %ju of %ju I/Os are not known: \">\" is a sum "
			      "without them.\n",
			      (uintmax_t)(ios - f->timed), (uintmax_t)ios);
	if (f->located < f->followers)
		output_printf(&s->out,
			      "\n  Whether %ju of %ju I/Os are sequential is not known: seq is of "
			      "the others.\n",
			      (uintmax_t)(f->followers - f->located), (uintmax_t)f->followers);
}

/* Bytes and I/Os per second, from the first start to the last end. */
static void print_rates(struct stat_run *s)
{
	const double span_s = (double)iot_stats_fact(s->stats, IOT_STATS_SPAN_NS) / NS_PER_S;
	const struct iot_stats_row *f = iot_stats_total(s->stats);
	char read[24], written[24];
	if (span_s <= 0 || !knows_ios(s))
		return;
	output_printf(
	    &s->out, "\n  In %.6f s, per second: %.1f reads of %s, %.1f writes of %s.\n", span_s,
	    (double)f->reads / span_s,
	    printable_bytes(read, sizeof read, (uint64_t)((double)f->read_bytes / span_s)),
	    (double)f->writes / span_s,
	    printable_bytes(written, sizeof written,
			    (uint64_t)((double)f->written_bytes / span_s)));
}

static void print_latency(struct stat_run *s, const char *name, int write)
{
	const struct iot_stats_row *f = iot_stats_total(s->stats);
	struct iot_stats_latency l;
	iot_stats_latency(s->stats, write, &l);
	if (l.count == 0 && (write ? f->writes : f->reads) > 0)
		output_printf(&s->out, "%11s %11s %11s %11s %11s  %s\n", "-", "-", "-", "-", "-",
			      name);
	if (l.count > 0)
		output_printf(&s->out, "%11.6f %11.6f %11.6f %11.6f %11.6f  %s\n",
			      (double)l.min_ns / NS_PER_S, l.mean_ns / NS_PER_S,
			      l.median_ns / NS_PER_S, l.p99_ns / NS_PER_S,
			      (double)l.max_ns / NS_PER_S, name);
}

static void print_latencies(struct stat_run *s)
{
	if (iot_stats_total(s->stats)->timed == 0)
		return;
	output_printf(&s->out, "\n%11s %11s %11s %11s %11s  duration in s\n", "min", "mean", "p50",
		      "p99", "max");
	print_latency(s, "reads", 0);
	print_latency(s, "writes", 1);
}

static void print_rows(struct stat_run *s)
{
	const uint64_t rows = s->by == BY_OPERATION ? 0 : iot_stats_fact(s->stats, IOT_STATS_ROWS);
	const struct iot_stats_row *row;
	char name[NAME_CAPACITY];
	for (size_t i = 0; (row = row_at(s, i)) != NULL; i++)
		human_row(s, row, human_name(s, row, name, sizeof name));
	if (rows > s->top)
		output_printf(&s->out, "  ... and %ju more; see --top\n",
			      (uintmax_t)(rows - s->top));
}

static void print_human(struct stat_run *s)
{
	static const char *const by[] = {"process:file", "process",   "file", "rank",
					 "host",         "directory", ""};
	output_printf(&s->out, "%8s %9s %9s %10s %10s %11s %5s %5s  %s\n", "opens", "reads",
		      "writes", "read", "written", "in I/O s", "seq", "same", by[s->by]);
	human_row(s, iot_stats_total(s->stats), "total");
	print_rows(s);
	print_unknown(s);
	print_rates(s);
	print_latencies(s);
	print_sizes(s);
	print_operations(s);
}

/* Parts, see iot_reader_fold */

static void *begin_part(void *context)
{
	const struct stat_run *s = context;
	return iot_stats_new(&s->options);
}

static int count_events(void *part, const struct iot_event *ev, size_t n)
{
	return iot_stats_events(part, ev, n);
}

static void drop_part(void *context, void *part)
{
	(void)context;
	iot_stats_free(part);
}

static int join_part(void *context, void *part)
{
	struct stat_run *s = context;
	const int status = iot_stats_join(s->stats, part);
	drop_part(s, part);
	trace_in_show_progress(&s->in);
	return status;
}

static void warn(const struct stat_run *s)
{
	const struct iot_stats *stats = s->stats;
	const uintmax_t left_out = iot_stats_fact(stats, IOT_STATS_LEFT_OUT);
	const uintmax_t unnamed = iot_stats_fact(stats, IOT_STATS_UNNAMED);
	if (left_out > 0)
		message_print("warning: %ju %s records are left out; see --physical", left_out,
			      s->physical ? "logical" : "physical");
	if (s->counters_only)
		message_print(
		    "warning: there are no I/Os to count, but %ju %%counter with figures, "
		    "which 'iotrace cat' shows",
		    (uintmax_t)iot_stats_fact(stats, IOT_STATS_COUNTERS));
	if (iot_stats_fact(stats, IOT_STATS_LAYERS) != 0)
		message_print(
		    "warning: this trace has the I/O of several layers: what one hands to "
		    "the other counts twice; see --layer of 'iotrace convert'");
	if (unnamed > 0)
		message_print(
		    "warning: %ju names are not shown: there are more than %d MiB of them", unnamed,
		    NAMES_MAX >> 20);
}

static void count(struct stat_run *s)
{
	const struct iot_fold fold = {s, begin_part, count_events, join_part, drop_part};
	trace_in_fold(&s->in, &fold);
	if (iot_stats_finish(s->stats) != IOT_OK && s->in.status == IOT_OK) {
		(void)message_no_memory();
		s->in.status = IOT_ENOMEM;
	}
	const struct iot_stats_row *total = iot_stats_total(s->stats);
	s->counters_only =
	    total->reads + total->writes + iot_stats_fact(s->stats, IOT_STATS_LEFT_OUT) == 0 &&
	    iot_stats_fact(s->stats, IOT_STATS_FILE_COUNTERS) > 0;
	progress_clear(&s->in.progress);
}

static const char *object_name(void *context, uint32_t object, size_t *size)
{
	const struct stat_run *s = context;
	return iot_reader_name(s->in.reader, object, size);
}

/* Returns EXIT_OK also if the trace could not be read whole; see s->in.status. */
static enum exit_status open_and_count(struct stat_run *s, const char *path,
				       const struct command_spec *command)
{
	s->options = (struct iot_stats_options){.size = sizeof s->options,
						.by = (uint32_t)s->by,
						.sort = (uint32_t)s->sort,
						.physical = s->physical,
						.names_max = NAMES_MAX,
						.object_name = object_name,
						.context = s};
	if (s->by == BY_OPERATION)
		s->options.by = IOT_STATS_BY_PROCESS;
	s->stats = iot_stats_new(&s->options);
	if (s->stats == NULL)
		return message_no_memory();
	const enum exit_status status = trace_in_open(&s->in, path, &s->read, command);
	if (status == EXIT_OK)
		count(s);
	return status;
}

/* Whether the I/O of the trace is that of disks alone, and the trace can be read again. */
static bool needs_physical(const struct stat_run *s, const char *path)
{
	const struct iot_stats_row *total = iot_stats_total(s->stats);
	return !s->physical && s->in.status == IOT_OK && total->reads + total->writes == 0 &&
	       iot_stats_fact(s->stats, IOT_STATS_LEFT_OUT) > 0 && strcmp(path, "-") != 0 &&
	       !piped_detect(path);
}

static enum exit_status recount_physical(struct stat_run *s, const char *path,
					 const struct command_spec *command)
{
	if (!s->in.quiet)
		message_print("no logical records: physical ones are counted");
	s->in.quiet = true; /* the second reading repeats the warnings about a log */
	trace_in_close(&s->in);
	iot_stats_free(s->stats);
	s->physical = true;
	return open_and_count(s, path, command);
}

static enum exit_status run(struct stat_run *s, const char *path,
			    const struct command_spec *command)
{
	enum exit_status status = open_and_count(s, path, command);
	if (status == EXIT_OK && needs_physical(s, path))
		status = recount_physical(s, path, command);
	if (status == EXIT_OK)
		status = output_open(&s->out, "-", 0);
	if (status != EXIT_OK)
		goto out;
	if (!s->in.quiet)
		warn(s);
	if (s->in.status != IOT_OK && iot_stats_fact(s->stats, IOT_STATS_ROWS) == 0)
		; /* nothing was counted, which differs from counts of zero */
	else if (s->json)
		print_json(s);
	else if (s->tsv)
		print_tsv(s);
	else
		print_human(s);
	status = trace_in_exit(&s->in);
	if (output_close(&s->out) != EXIT_OK)
		status = EXIT_FAULT;
out:
	iot_stats_free(s->stats);
	trace_in_close(&s->in);
	return status;
}

static const char notes[] =
    "object: a file in the whole trace, whoever opens it, or one fileId if the trace does\n"
    "not define objects. file: one fileId of a process, which is one open. dir: the directories\n"
    "of objects. op: operations by name, most time first. Rows without a rank, host or path are\n"
    "one row \"-\". Other rows are in order of --sort, largest first; the total precedes them.\n"
    "opens: %op open and create that succeeded; in a trace without any, the fileIds.\n"
    "in I/O: the sum of all durations. seq: I/Os that begin where the previous one in the same\n"
    "fileId of the same process ended; same: I/Os of the size of the previous one; both as a\n"
    "share of the I/Os that have a previous one (followers). Sizes are classes of powers of two.\n"
    "A figure that the source did not know is \"-\" (tsv: empty, json: null), never 0. In I/O "
    "with\n"
    "a \">\" is the sum of the durations that are known, of which there are \"timed\"; seq is of "
    "the\n"
    "followers whose distance from the one before is known (\"placed\").\n"
    "tsv: process, file, object, opens, reads, writes, read_bytes, written_bytes, io_ns,\n"
    "followers, sequential, same_size, sizes, name, rank (of a process that has one), timed,\n"
    "placed, first_ns, last_ns (starts of the first and the last I/O); process, file and object\n"
    "are 0 in rows that combine several; sizes is a list of\n"
    "FROM:COUNT; in name control characters and '%' are %XX; no total.\n"
    "tsv --by=op: operation, calls, failed, timed, ns.\n"
    "json: {\"by\", \"rows\": [...], \"total\"} with the same names, \"latency_ns\" (min, mean, "
    "p50,\n"
    "p99 and max of reads and of writes), \"span_ns\" (first start to last end), \"operations\".\n"
    "If the trace has %op, a table of all operations follows, most time first.\n";

static const char examples[] =
    "  iotrace stat t.iot.zst                            files, most bytes first\n"
    "  iotrace stat --by=process t.iot.zst               I/O by process\n"
    "  iotrace stat --by=dir --top=5 t.iot.zst           the directories with most bytes\n"
    "  iotrace stat --by=rank --sort=time t.iot.zst      the slowest ranks\n"
    "  iotrace stat --by=op t.iot.zst                    calls and time by operation\n"
    "  iotrace stat --tsv t.iot.zst | cut -f 7,8,14      bytes read and written, path\n"
    "  iotrace stat --json t.iot.zst | jq '.total.reads'\n";

enum exit_status cmd_stat(int argc, char **argv)
{
	struct stat_run s = {
	    .read = TRACE_IN_COUNTED_INIT, .by = IOT_STATS_BY_OBJECT, .top = NOT_GIVEN};
	const struct option options[] = {
	    OPTION(CHOICE, 'b', "by", "file|process|object|rank|host|dir|op", &s.by,
		   "group rows by (default: object)"),
	    OPTION(CHOICE, 0, "sort", "bytes|ios|time|opens|reads|writes|read|written", &s.sort,
		   "order of rows, largest first (default: bytes)"),
	    RANGE(NUMBER, 0, "top", "N", &s.top,
		  "print N rows (default: 20 as text on a terminal, otherwise all)", 0, 0),
	    OPTION(FLAG, 'j', "json", NULL, &s.json, "print JSON"),
	    OPTION(FLAG, 't', "tsv", NULL, &s.tsv, "print columns separated by tabs"),
	    OPTION(FLAG, 0, "physical", NULL, &s.physical,
		   "count physical records instead of logical ones"),
	    OPTION_QUIET(s.read.quiet, s.read.progress),
	    GROUP("Reading"),
	    OPTION_READING(s.read),
	    OPTIONS_END,
	};
	const struct command_spec command = {
	    .name = "stat",
	    .summary = "Count opens, I/Os and bytes by file or process",
	    .synopsis = "[OPTION]... [IN]",
	    .options = options,
	    .notes = notes,
	    .examples = examples,
	    .operands_max = 1,
	};
	size_t count_operands;
	enum exit_status status;
	if (!options_parse(&command, argc, argv, &count_operands, &status))
		return status;
	if (s.json && s.tsv)
		return options_wrong(&command, "--json and --tsv exclude each other");
	if (s.top == NOT_GIVEN && !s.json && !s.tsv && isatty(STDOUT_FILENO))
		s.top = TOP_ON_TERMINAL;
	return run(&s, count_operands > 0 ? argv[0] : "-", &command);
}
