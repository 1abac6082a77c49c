/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <stdio.h>
#include <string.h>

#include "cli/ui/message.h"
#include "cli/ui/printable.h"
#include "operation_line.h"

enum { NAME_CAPACITY = 4096, LINE_CAPACITY = 8192, FIXED_LINES = 5 /* without a row */ };

#define NS_PER_S 1e9

static struct period period_of(const struct table *t)
{
	const uint64_t ns =
	    t->ended ? iot_stats_fact(t->counts->stats, IOT_STATS_SPAN_NS) : t->interval_ns;
	return (struct period){.seconds = (double)ns / NS_PER_S, .all = t->ended};
}

static struct interval_counts counts_in(const struct period *p, const struct rate_row *row)
{
	if (!p->all)
		return row->recent;
	const struct iot_stats_row *a = row->all;
	return (struct interval_counts){a->opens,      a->reads,         a->writes,
					a->read_bytes, a->written_bytes, a->io_ns};
}

/* Lines: each is made in `line`, of LINE_CAPACITY bytes */

static size_t format_cells(const struct table *t, const struct period *p,
			   const struct rate_row *row, char *line)
{
	const struct iot_stats_row *all = row->all;
	const struct interval_counts now = counts_in(p, row);
	const bool ios = stat_knows_ios(&t->results, all);
	const bool rates = !t->results.counters_only;
	char cell[7][CELL];
	return (size_t)snprintf(line, LINE_CAPACITY, "%6s %6s %7s %7s %6s %7s %7s  ",
				cell_rate(cell[0], rates, p, now.reads + now.writes, 1000),
				cell_rate(cell[1], rates, p, now.read_bytes, 1024),
				cell_rate(cell[2], rates, p, now.written_bytes, 1024),
				cell_scaled(cell[3], ios, (double)(all->reads + all->writes), 1000),
				cell_scaled(cell[4], ios, (double)all->read_bytes, 1024),
				cell_scaled(cell[5], ios, (double)all->written_bytes, 1024),
				cell_seconds(cell[6], stat_knows_times(&t->results, all),
					     (double)all->io_ns / NS_PER_S));
}

/* The ids of a row whose name is unknown, and of a process in any case. */
static size_t format_ids(const struct table *t, const struct iot_stats_row *row, bool named,
			 char *text, size_t capacity)
{
	int n = 0;
	if (t->results.by == IOT_STATS_BY_PROCESS)
		n = snprintf(text, capacity, "%u ", row->process);
	else if (t->results.by == IOT_STATS_BY_RANK && (row->has & IOT_STATS_HAS_RANK) != 0)
		n = snprintf(text, capacity, "%ju", (uintmax_t)row->rank);
	else if (!named && row->object != 0)
		n = snprintf(text, capacity, "object %u", row->object);
	else if (!named && (row->process != 0 || row->file != 0))
		n = snprintf(text, capacity, "process %u, file %u", row->process, row->file);
	else if (!named)
		n = snprintf(text, capacity, "-");
	return (size_t)n;
}

static void format_row(const struct table *t, const struct period *p, const struct rate_row *row,
		       size_t columns, char *line)
{
	char name[NAME_CAPACITY];
	size_t size = 0;
	const char *text = stat_name(&t->results, row->all, &size), *shown = name;
	size_t n = format_cells(t, p, row, line);
	n += format_ids(t, row->all, text != NULL, line + n, LINE_CAPACITY - n);
	if (text == NULL)
		size = 0;
	printable_renamed(name, sizeof name, (struct iot_text){text, size},
			  stat_first_name(&t->results, row->all));
	/* Truncate a long path on the left, at a character boundary. */
	while (columns != SIZE_MAX && *shown != '\0' &&
	       (n + printable_width(shown) >= columns || (*shown & 0xc0) == 0x80))
		shown++;
	(void)snprintf(line + n, LINE_CAPACITY - n, "%s", shown);
}

static size_t format_lost(const struct counts *c, char *text, size_t capacity)
{
	char lost[32];
	int n = 0;
	if (c->lost_more)
		n = snprintf(text, capacity, ", lost: %s",
			     message_lost(lost, sizeof lost, c->lost));
	else if (c->lost > 0)
		n = snprintf(text, capacity, ", lost: %ju", (uintmax_t)c->lost);
	return (size_t)n;
}

static void format_totals(const struct table *t, char *line)
{
	const struct iot_stats_row *all = t->rates->total.all;
	char read[32], written[32];
	const int n = snprintf(line, LINE_CAPACITY, "%s: %ju I/Os, %s read, %s written", t->name,
			       (uintmax_t)(all->reads + all->writes),
			       printable_bytes(read, sizeof read, all->read_bytes),
			       printable_bytes(written, sizeof written, all->written_bytes));
	size_t used = (size_t)n;
	if (!t->counts->no_processes)
		used += (size_t)snprintf(line + used, LINE_CAPACITY - used, ", %ju %s",
					 (uintmax_t)t->counts->processes,
					 t->counts->processes == 1 ? "process" : "processes");
	used += format_lost(t->counts, line + used, LINE_CAPACITY - used);
	const uintmax_t left_out = iot_stats_fact(t->counts->stats, IOT_STATS_LEFT_OUT);
	const uintmax_t others = iot_stats_fact(t->counts->stats, IOT_STATS_OTHER_OPS);
	if (left_out > 0)
		used += (size_t)snprintf(line + used, LINE_CAPACITY - used, ", %ju %s not counted",
					 left_out, t->results.physical ? "logical" : "physical");
	if (others > 0 && t->results.by == STAT_BY_OPERATION)
		(void)snprintf(line + used, LINE_CAPACITY - used, ", %ju calls not listed", others);
}

static void format_period(const struct period *p, char *line)
{
	if (p->all && p->seconds > 0)
		(void)snprintf(line, LINE_CAPACITY, "ended; rates are averages of %.6f s",
			       p->seconds);
	else if (p->seconds > 0)
		(void)snprintf(line, LINE_CAPACITY, "rates of the last %.1f s", p->seconds);
	else
		(void)snprintf(line, LINE_CAPACITY, "%s",
			       p->all ? "ended" : "reading what the trace contains");
}

static void format_head(const struct table *t, char *line)
{
	static const char *const of[] = {"FILE", "PROCESS", "OBJECT", "RANK", "HOST", "DIRECTORY"};
	if (t->results.by == STAT_BY_OPERATION) {
		operation_head(line, LINE_CAPACITY);
		return;
	}
	(void)snprintf(line, LINE_CAPACITY, "%6s %6s %7s %7s %6s %7s %7s  %s", "IO/s", "READ/s",
		       "WRITE/s", "I/Os", "READ", "WRITTEN", "SECONDS", of[t->results.by]);
}

size_t table_rows(const struct table *t)
{
	const size_t count =
	    t->results.by == STAT_BY_OPERATION ? t->operations->count : t->rates->count;
	return t->results.top < count ? (size_t)t->results.top : count;
}

static void format_line(const struct table *t, const struct period *p, size_t i, size_t columns,
			char *line)
{
	if (t->results.by == STAT_BY_OPERATION)
		operation_line(p, &t->operations->rows[i], line, LINE_CAPACITY);
	else
		format_row(t, p, &t->rates->rows[i], columns, line);
}

void table_print(const struct table *t, const struct screen *s, struct output *o)
{
	const struct period p = period_of(t);
	size_t lines, columns, rows = table_rows(t);
	char line[LINE_CAPACITY];
	screen_size(s, &lines, &columns);
	if (lines < FIXED_LINES || rows > lines - FIXED_LINES)
		rows = lines < FIXED_LINES ? 0 : lines - FIXED_LINES;
	screen_home(s, o);
	format_totals(t, line);
	screen_line(s, o, line, columns);
	format_period(&p, line);
	screen_line(s, o, line, columns);
	line[0] = '\0';
	screen_line(s, o, line, columns);
	format_head(t, line);
	screen_line(s, o, line, columns);
	for (size_t i = 0; i < rows; i++) {
		format_line(t, &p, i, columns, line);
		screen_line(s, o, line, columns);
	}
	screen_flush(s, o);
}
