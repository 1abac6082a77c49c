/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics as tables for people. */
#include "results.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/printable.h"

enum { NS_PER_S = 1000000000, NAME_CAPACITY = 4096 };

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
static const char *seconds(const struct stat_results *s, char *text, size_t capacity,
			   const struct iot_stats_row *f)
{
	if (!stat_knows_times(s, f))
		return "-";
	snprintf(text, capacity, "%s%.6f", f->timed < f->reads + f->writes ? ">" : "",
		 (double)f->io_ns / NS_PER_S);
	return text;
}

static void human_row(struct stat_results *s, const struct iot_stats_row *f, const char *name,
		      const char *input)
{
	const bool ios = stat_knows_ios(s, f);
	char opens[24], reads[24], writes[24], read[24], written[24], time[32];
	char sequential[8], same[8];
	output_printf(&s->out, "%8s %9s %9s %10s %10s %11s %5s %5s  ",
		      number(opens, sizeof opens, stat_knows_opens(s, f), f->opens),
		      number(reads, sizeof reads, ios, f->reads),
		      number(writes, sizeof writes, ios, f->writes),
		      bytes(read, sizeof read, ios, f->read_bytes),
		      bytes(written, sizeof written, ios, f->written_bytes),
		      seconds(s, time, sizeof time, f),
		      share(sequential, sizeof sequential, f->sequential, f->located),
		      share(same, sizeof same, f->same_size, f->followers));
	output_text(&s->out, name);
	output_text(&s->out, input);
	output_text(&s->out, "\n");
}

/* "12 ", "12:3 ", or "12:3 (rank 11) " */
static int human_ids(const struct stat_results *s, const struct iot_stats_row *row, char *text,
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
static bool has_ids(const struct stat_results *s, const struct iot_stats_row *row)
{
	return s->by <= IOT_STATS_BY_PROCESS ||
	       (s->by == IOT_STATS_BY_RANK && (row->has & IOT_STATS_HAS_RANK));
}

static const char *human_name(const struct stat_results *s, const struct iot_stats_row *row,
			      char *text, size_t capacity)
{
	size_t size = 0;
	int used = 0;
	const char *name = stat_name(s, row, &size);
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
static void print_sizes(struct stat_results *s)
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
				      printable_bytes(size, sizeof size, stat_class_floor(k)),
				      (uintmax_t)n, (int)length + (length < 1), bar);
	}
}

/* Shows which calls cost the time. */
static void print_operations(struct stat_results *s)
{
	const struct iot_stats_operation *row;
	const uint64_t others = iot_stats_fact(s->stats, IOT_STATS_OTHER_OPS);
	char time[32], name[IOT_OPERATION_NAME * 4 + 1];
	output_text(&s->out, "    calls    failed     seconds  operation\n");
	for (size_t i = 0; (row = stat_operation_at(s, i)) != NULL; i++) {
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
static void print_unknown(struct stat_results *s)
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
static void print_rates(struct stat_results *s)
{
	const double span_s = (double)iot_stats_fact(s->stats, IOT_STATS_SPAN_NS) / NS_PER_S;
	const struct iot_stats_row *f = iot_stats_total(s->stats);
	char read[24], written[24];
	if (span_s <= 0 || !stat_knows_ios(s, f))
		return;
	output_printf(
	    &s->out, "\n  In %.6f s, per second: %.1f reads of %s, %.1f writes of %s.\n", span_s,
	    (double)f->reads / span_s,
	    printable_bytes(read, sizeof read, (uint64_t)((double)f->read_bytes / span_s)),
	    (double)f->writes / span_s,
	    printable_bytes(written, sizeof written,
			    (uint64_t)((double)f->written_bytes / span_s)));
}

static void print_latency(struct stat_results *s, const char *name, int write)
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

static void print_latencies(struct stat_results *s)
{
	if (iot_stats_total(s->stats)->timed == 0)
		return;
	output_printf(&s->out, "\n%11s %11s %11s %11s %11s  duration in s\n", "min", "mean", "p50",
		      "p99", "max");
	print_latency(s, "reads", 0);
	print_latency(s, "writes", 1);
}

/* "in INPUT" for a row with ids, which are those of this input. */
static const char *human_input(const struct stat_results *s, const struct iot_stats_row *row,
			       char *text, size_t capacity)
{
	const char *input = stat_input(s, row);
	const bool named = s->by == IOT_STATS_BY_TRACE ||
			   (s->by == IOT_STATS_BY_OBJECT && row->object != 0 && row->name != NULL);
	enum { IN = sizeof " in " - 1 };
	if (input == NULL || named)
		return "";
	memcpy(text, " in ", IN);
	printable(text + IN, capacity - IN, input, strlen(input));
	return has_ids(s, row) && row->name == NULL ? text + 1 : text; /* ids end with a blank */
}

static void print_rows(struct stat_results *s)
{
	const uint64_t rows =
	    s->by == STAT_BY_OPERATION ? 0 : iot_stats_fact(s->stats, IOT_STATS_ROWS);
	const struct iot_stats_row *row;
	char name[NAME_CAPACITY], input[NAME_CAPACITY];
	for (size_t i = 0; (row = stat_row_at(s, i)) != NULL; i++)
		human_row(s, row, human_name(s, row, name, sizeof name),
			  human_input(s, row, input, sizeof input));
	if (rows > s->top)
		output_printf(&s->out, "  ... and %ju more; see --top\n",
			      (uintmax_t)(rows - s->top));
}

static void print_unseen(struct stat_results *s)
{
	char sentence[UNSEEN_TEXT], text[4 * UNSEEN_TEXT];
	if (!unseen_any(&s->unseen))
		return;
	(void)unseen_sentence(&s->unseen, sentence);
	output_printf(&s->out, "%s: %s; %s\n", unseen_state_name(&s->unseen),
		      printable(text, sizeof text, sentence, strlen(sentence)),
		      unseen_remedy(&s->unseen));
}

static void print_transfers(struct stat_results *s)
{
	static const char *const by[] = {"process:file", "process",   "file",  "rank",
					 "host",         "directory", "input", "all"};
	output_printf(&s->out, "%8s %9s %9s %10s %10s %11s %5s %5s  %s\n", "opens", "reads",
		      "writes", "read", "written", "in I/O s", "seq", "same", by[s->by]);
	human_row(s, iot_stats_total(s->stats), "total", "");
	print_rows(s);
	print_unknown(s);
	print_rates(s);
	print_latencies(s);
	print_sizes(s);
}

void stat_print_text(struct stat_results *s)
{
	const bool first = s->by == STAT_BY_OPERATION;
	print_unseen(s);
	if (first) {
		print_operations(s);
		output_text(&s->out, "\n");
	}
	print_transfers(s);
	if (!first && iot_stats_fact(s->stats, IOT_STATS_OPS) > 0) {
		output_text(&s->out, "\n");
		print_operations(s);
	}
}
