/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts text of perf script, perf trace and iotrace.bt; see perf.h. */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"

enum {
	SNIFF_LINES = 100,
	SNIFF_BITS = 200, /* more than the form of a call alone is worth */
	LINES_PER_CALL = 65536,
};

static const struct iot_format_option OPTIONS[] = {
    {"ops", "all|names|none", "operations without data to keep"},
    {0},
};

/* Detection */

struct looked_at {
	unsigned found[PERF_BT + 1], lines, digits;
	int64_t first_ns;
};

/* Parses "LOST 3 events!", "Lost 3 events" or "Processed 9 events and lost 3 chunks!". */
static bool lost_line(struct iot_text line, struct perf_line *l)
{
	const char *p = line.data, *const end = p + line.size;
	const bool summary = perf_after(&p, end, "Processed ");
	if (!summary && !perf_after(&p, end, "LOST ") && !perf_after(&p, end, "Lost "))
		return false;
	l->kind = PERF_LOST;
	return number_scan(&p, end, 10, &l->lost) &&
	       (!summary ||
		(perf_after(&p, end, " events and lost ") && number_scan(&p, end, 10, &l->lost)));
}

static bool parse_line(enum perf_format format, struct iot_text line, struct perf_line *l,
		       unsigned *digits)
{
	if (lost_line(line, l))
		return true;
	switch (format) {
	case PERF_SCRIPT:
		return perf_script_line(line, l, digits);
	case PERF_TRACE:
		return perf_trace_line(line, l, digits);
	case PERF_BT:
		*digits = 9;
		return perf_bt_line(line, l);
	case PERF_NONE:
		break;
	}
	return false;
}

/* Lines about the trace, and what bpftrace prints when it starts. */
static bool is_header(struct iot_text line)
{
	static const char ATTACHING[] = "Attaching ";
	const size_t n = sizeof ATTACHING - 1;
	return line.size == 0 || *line.data == '#' ||
	       (line.size > n && memcmp(line.data, ATTACHING, n) == 0);
}

static void look_at(struct looked_at *s, struct iot_text line)
{
	struct perf_line l;
	unsigned digits = 0;
	for (int f = PERF_SCRIPT; f <= PERF_BT; f++) {
		if (!parse_line((enum perf_format)f, line, &l, &digits) || l.kind == PERF_LOST ||
		    (l.kind == PERF_OTHER && f == PERF_SCRIPT))
			continue;
		s->found[f]++;
		s->digits = digits > s->digits ? digits : s->digits;
		if (s->first_ns < 0 && l.kind != PERF_OTHER)
			s->first_ns = l.time_ns;
		return;
	}
}

/* Returns the format of most of the first lines. */
static enum perf_format look(struct input *in, size_t member, struct looked_at *s)
{
	struct iot_text head, line;
	enum perf_format best = PERF_NONE;
	*s = (struct looked_at){.first_ns = -1};
	head.data = input_head(in, member, &head.size);
	while (s->lines < SNIFF_LINES && line_take(&head, &line)) {
		if (is_header(line))
			continue;
		s->lines++;
		look_at(s, line);
	}
	for (int f = PERF_SCRIPT; f <= PERF_BT; f++)
		if (s->found[f] > s->found[best] && s->found[f] * 2 >= s->lines)
			best = (enum perf_format)f;
	return best;
}

static int sniff(struct input *in)
{
	struct looked_at s;
	const enum perf_format f = look(in, 0, &s);
	return f == PERF_NONE ? 0 : SNIFF_BITS + (int)s.found[f];
}

/* Calls */

/* Arguments that are 0 are not printed by perf trace. */
static void add_zeros(const struct perf *p, struct call *call)
{
	if (p->format != PERF_TRACE)
		return;
	call->has |=
	    CALL_HAS_FD | CALL_HAS_OFFSET | CALL_HAS_COUNT | CALL_HAS_FLAGS | CALL_HAS_WHENCE;
	if (call->type->kind == CALL_COPY)
		call->has |= CALL_HAS_TO;
	if (call->type->kind == CALL_FORK && call->flags == 0)
		call->has &= ~(unsigned)CALL_HAS_FLAGS; /* clone3, whose flags are in memory */
	if (call->type->kind == CALL_ON_PATH || call->type->kind == CALL_CHDIR)
		call->has &= call->fd > 0 ? ~0U : ~(unsigned)CALL_HAS_FD;
}

static void parse_arguments(struct perf *p, struct perf_line *l)
{
	const struct iot_text arguments = l->call.note;
	l->call.note = (struct iot_text){NULL, 0};
	if (p->format == PERF_BT) {
		if (l->call.type->kind == CALL_COPY) { /* the target is in the place of flags */
			l->call.to = l->call.flags;
			l->call.whence = l->call.offset;
			l->call.has |= CALL_HAS_TO;
		}
		l->call.error =
		    l->call.result < 0 ? perf_error_name(-l->call.result) : l->call.error;
		return;
	}
	if (arguments.size > 0)
		perf_arguments(&l->call, arguments);
	add_zeros(p, &l->call);
}

/* Returns true if the new thread is of the same process, which its lines show. */
static bool forked(struct perf *p, struct call *c, const struct perf_line *l)
{
	if (p->forking == l->tid)
		p->forking = 0;
	c->flags = l->has_pid && !call_has(c, CALL_HAS_FLAGS) ? 0 : perf_clone_flags(c);
	c->has |= CALL_HAS_FLAGS;
	return l->has_pid && (c->flags & CALL_CLONE_THREAD) != 0;
}

static enum call_outcome run(struct perf *p, struct perf_task *t, struct perf_line *l)
{
	struct call *c = &l->call;
	p->calls.src->report.calls++;
	c->caller = perf_caller(p, t, l);
	if (c->caller == NULL)
		return CALL_TRACKED;
	if (c->type->kind == CALL_FORK && forked(p, c, l))
		return CALL_TRACKED;
	if (c->type->kind == CALL_OPEN || c->type->kind == CALL_CREATE) {
		p->opens++;
		p->no_paths += c->path.size == 0;
	}
	if (c->type->kind == CALL_EXEC && !call_failed(c) && l->comm.size > 0)
		caller_set_name(c->caller, l->comm);
	return calls_run(&p->calls, c);
}

/* exit_group does not return. */
static enum call_outcome entered(struct perf *p, struct perf_task *t, struct perf_line *l)
{
	l->call.start_ns = l->time_ns;
	l->call.caller = perf_caller(p, t, l);
	if (l->call.caller == NULL)
		return CALL_TRACKED;
	if (l->call.type->kind == CALL_EXIT)
		return run(p, t, l);
	perf_task_enter(p, t, l);
	return CALL_WAITS;
}

static enum call_outcome left(struct perf *p, struct perf_task *t, struct perf_line *l)
{
	const struct call_type *type = l->call.type;
	if (perf_task_leave(t, l))
		return run(p, t, l);
	(void)perf_caller(p, t, l);
	/*
	 * neither the child's return from a fork nor the return of an exec in a new thread has an
	 * entry
	 */
	p->unentered += type->kind != CALL_FORK && type->kind != CALL_EXEC;
	return CALL_TRACKED;
}

static enum call_outcome run_line(struct perf *p, struct perf_line *l)
{
	if (l->kind == PERF_OTHER)
		return CALL_UNUSED;
	l->call.type = call_type_find(p->calls.names, l->name.data, l->name.size);
	if (l->call.type == NULL)
		return CALL_UNUSED;
	struct perf_task *t = perf_task_find(p, l->tid);
	if (t == NULL)
		return CALL_TRACKED;
	if (l->kind == PERF_EXIT)
		return left(p, t, l);
	parse_arguments(p, l);
	if (l->kind == PERF_ENTER)
		return entered(p, t, l);
	t->active = false;
	l->call.start_ns = l->time_ns;
	return run(p, t, l);
}

/* Lines */

static void lost(struct perf *p, const struct perf_line *l)
{
	struct iot_builder b;
	p->lost += l->lost;
	p->calls.lost_files = p->calls.fds.files + 1;
	if (!emit_begin(&p->calls.emit, &b, "lost"))
		return;
	iot_directive_number(&b, "time", (uint64_t)p->calls.last_ns);
	emit_string(&b, "why", "the tracer lost events");
	emit_end(&p->calls.emit, &b, p->calls.last_ns);
}

static void unparsed(struct perf *p, struct iot_text line)
{
	report_unparsed(&p->calls.src->report, input_name(p->calls.src->input, p->member - 1),
			p->reader.number, line.data, line.size);
}

static void one_line(struct perf *p, struct iot_text line)
{
	struct perf_line l;
	unsigned digits = 0;
	if (is_header(line)) {
		p->calls.lines[CALL_METADATA]++;
	} else if (!parse_line(p->format, line, &l, &digits)) {
		unparsed(p, line);
	} else if (l.kind == PERF_LOST) {
		lost(p, &l);
		p->calls.lines[CALL_METADATA]++;
	} else {
		p->calls.lines[run_line(p, &l)]++;
	}
}

static void member_ended(struct perf *p)
{
	struct error *e = &p->calls.src->error;
	const int status = line_reader_status(&p->reader);
	if (status != IOT_OK && e->status == IOT_OK)
		error_set(e, status, "%s", bufreader_error(p->reader.bufreader)->text);
	line_reader_close(&p->reader);
}

static void line_cut(struct perf *p, struct iot_text line)
{
	struct error *e = &p->calls.src->error;
	unparsed(p, line);
	if (line_reader_status(&p->reader) == IOT_OK && e->status == IOT_OK)
		error_set(e, IOT_ETRUNCATED, "%s: ends in the middle of a line",
			  bufreader_name(p->reader.bufreader));
}

/* Opens the next member. Returns false if there is none. */
static bool open_member(struct perf *p)
{
	struct source_state *src = p->calls.src;
	if (p->member == p->members)
		return false;
	p->reader.bufreader = input_open(src->input, p->member++, &src->error);
	return p->reader.bufreader != NULL;
}

/* Reads one line. Returns false at the end. */
static bool step(struct perf *p)
{
	struct iot_text line;
	if (p->reader.bufreader == NULL && !open_member(p))
		return false;
	const enum line_kind kind = line_reader_next(&p->reader, &line);
	if (kind == LINE_END) {
		member_ended(p);
		return true;
	}
	p->calls.src->report.lines++;
	if (kind == LINE_WHOLE)
		one_line(p, line);
	else if (kind == LINE_LAST)
		line_cut(p, line);
	else
		unparsed(p, line);
	return true;
}

/* Interface */

static void emit_trace(struct perf *p)
{
	static const char *const SOURCES[] = {
	    [PERF_SCRIPT] = "perf", [PERF_TRACE] = "perf", [PERF_BT] = "bpftrace"};
	static const char *const FORMATS[] = {
	    [PERF_SCRIPT] = "script", [PERF_TRACE] = "trace", [PERF_BT] = "iotrace.bt"};
	struct iot_builder b;
	if (!emit_begin(&p->calls.emit, &b, "trace"))
		return;
	emit_string(&b, "source", SOURCES[p->format]);
	emit_string(&b, "log-format", FORMATS[p->format]);
	emit_string(&b, "lacks", "cpu,created,asynchronous");
	emit_end(&p->calls.emit, &b, p->calls.src->first_ns);
}

static int set_format(struct perf *p)
{
	struct source_state *src = p->calls.src;
	const char *path = input_name(src->input, 0);
	char name[256];
	struct looked_at s = {.first_ns = -1};
	p->members = input_count(src->input);
	for (size_t i = 0; i < p->members && p->format == PERF_NONE; i++)
		p->format = look(src->input, i, &s);
	if (p->format == PERF_NONE)
		return error_set(&src->error, IOT_EFORMAT,
				 "%s: no lines of perf script, perf trace or iotrace.bt",
				 escape_text(name, sizeof name, path, strlen(path)));
	src->tick_ns = s.digits > 6 ? 1 : 1000;
	p->calls.names_final = p->format != PERF_TRACE;
	if (p->format == PERF_TRACE)
		src->tick_ns = s.digits > 3 ? 1 : 1000; /* of milliseconds */
	src->first_ns = s.first_ns < 0 ? 0 : s.first_ns;
	src->unordered = true; /* calls are in the order of their returns, without a limit */
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct perf *p = calloc(1, sizeof *p);
	if (p == NULL)
		return error_no_memory(&src->error);
	src->state = p;
	calls_init(&p->calls, src);
	if (emit_set_ops(&p->calls.emit, src) != IOT_OK)
		return src->error.status;
	return set_format(p);
}

static void close_source(struct source_state *src)
{
	struct perf *p = src->state;
	if (p == NULL)
		return;
	line_reader_close(&p->reader);
	perf_tasks_free(p);
	calls_free(&p->calls);
	free(p);
	src->state = NULL;
}

static void note(struct perf *p)
{
	struct report *r = &p->calls.src->report;
	if (p->lost > 0)
		report_note(
		    r,
		    "the tracer lost %ju events: offsets of descriptors that were open then "
		    "are unknown; record fewer events, or with larger buffers (-m)",
		    (uintmax_t)p->lost);
	if (p->no_paths > 0)
		report_note(r, "the text does not show the paths of %ju of %ju opens",
			    (uintmax_t)p->no_paths, (uintmax_t)p->opens);
	if (p->some_without_pids && p->format == PERF_SCRIPT)
		report_note(r,
			    "the text has numbers of threads only: threads whose clone it does not "
			    "show become processes; perf script -F +pid,+tid shows both");
	if (p->unentered > 0)
		report_add(r, "unseen.entries", p->unentered);
}

static void finish(struct perf *p)
{
	uint64_t active = 0;
	for (size_t i = 0; i < p->tids.count && i < p->task_capacity; i++)
		active += p->task[i].active;
	if (active > 0)
		report_add(&p->calls.src->report, "unfinished_at_end", active);
	note(p);
	p->ended = true;
	calls_finish(&p->calls, p->format == PERF_BT ? "bpftrace" : "perf");
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct perf *p = src->state;
	struct emit *e = &p->calls.emit;
	if (e->over_count > 0)
		return emit_leftovers(e, out, max);
	emit_start(e, out, max);
	if (!p->began)
		emit_trace(p);
	p->began = true;
	for (int lines = 0; !p->ended && e->count < e->max; lines++) {
		if (!step(p))
			finish(p);
		if (calls_failed(&p->calls))
			p->ended = true;
		if (lines >= LINES_PER_CALL && e->count > 0)
			break;
	}
	if (e->count > 0)
		return (int)e->count;
	return p->ended ? src->error.status : 0;
}

const struct converter converter_perf = {
    .name = "perf",
    .summary = "system calls: text of perf script, perf trace, and bpftrace with iotrace.bt",
    .options = OPTIONS,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
