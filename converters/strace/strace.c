/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts the text output of strace, of every layout; see strace.h. */
#include "strace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/plural.h"

enum {
	SNIFF_LINES = 200,
	/* for the first line that looks like strace, plus one for each further line */
	SNIFF_BITS = 16,
	SNIFF_SUMMARY_BITS = 24,
	SNIFF_MEMBERS = 16,
	LINES_PER_CALL = 65536, /* lines per call of next, so that the watermark advances */
	LOOKED_PER_LINE = 16,
	RANK_MAX = INT32_MAX,
	HOST_MAX = 255,
};

static const struct iot_format_option OPTIONS[] = {
    {"all", NULL, "sockets, pipes, terminals, devices and memfd too"},
    {"threads", NULL, "make every thread a process of its own"},
    {"rank", "N", "the log is of MPI rank N"},
    {"host", "NAME", "the log is of this host"},
    {"ops", "all|names|none",
     "operations without data to keep; names: those that make, rename "
     "or remove names, and close"},
    {0},
};

static bool is_summary(const char *head, size_t size)
{
	static const char TITLE[] = "% time     seconds";
	return size > sizeof TITLE && memcmp(head, TITLE, sizeof TITLE - 1) == 0;
}

static int bid(const char *head, size_t size)
{
	struct strace_layout layout;
	int64_t first_ns;
	unsigned calls, lines;
	if (is_summary(head, size))
		return SNIFF_SUMMARY_BITS;
	if (size == 0 || !strace_layout_detect(head, size, &layout, &first_ns, &calls, &lines) ||
	    calls * 3 < lines)
		return 0;
	return SNIFF_BITS + (int)(calls < SNIFF_LINES ? calls : SNIFF_LINES);
}

/* Sniffs the first member that is a log: a directory may contain other files. */
static int sniff(struct input *in)
{
	const size_t count = input_count(in);
	int bits = 0;
	for (size_t i = 0; i < count && i < SNIFF_MEMBERS && bits == 0; i++) {
		size_t size;
		const char *head = input_head(in, i, &size);
		bits = bid(head, size);
	}
	return bits;
}

/* Applies --rank and --host, which a log does not contain. */
static int set_origin(struct strace *s)
{
	const char *rank = source_setting(s->src, "rank");
	s->options.host = source_setting(s->src, "host");
	if (rank != NULL &&
	    (!number_decimal(rank, strlen(rank), &s->options.rank) || s->options.rank > RANK_MAX))
		return source_setting_wrong(s->src, "rank", "a number from 0 to 2147483647");
	if (s->options.host != NULL &&
	    (s->options.host[0] == '\0' || strlen(s->options.host) > HOST_MAX))
		return source_setting_wrong(s->src, "host", "a name of 1 to 255 bytes");
	s->options.ranked = rank != NULL;
	return IOT_OK;
}

static int open_source(struct source_state *src)
{
	struct strace *s = calloc(1, sizeof *s);
	if (s == NULL)
		return error_no_memory(&src->error);
	src->state = s;
	s->src = src;
	s->options.all = source_setting(src, "all") != NULL;
	s->options.threads = source_setting(src, "threads") != NULL;
	s->emit.report = &src->report;
	s->emit.directive_capacity = PATHS_DIRECTIVE;
	fdtable_init(&s->fds);
	strace_table_init(s);
	strace_tasks_init(&s->tasks);
	TAILQ_INIT(&s->aio.log);
	if (emit_set_ops(&s->emit, src) != IOT_OK || set_origin(s) != IOT_OK)
		return src->error.status;
	const int status = strace_log_open(&s->log, src);
	if (status != IOT_OK)
		return status;
	s->tasks.whole = s->log.members > 0 && s->log.member[0].layout.starts_with_exec;
	src->watermark_ns = src->first_ns;
	s->emit.promised_ns = src->first_ns;
	return IOT_OK;
}

static void close_source(struct source_state *src)
{
	struct strace *s = src->state;
	if (s == NULL)
		return;
	s->ended = true; /* outstanding requests produce no further events */
	strace_order_free(s);
	strace_reuse_free(s);
	strace_tasks_free(s);
	strace_aio_free(s);
	fdtable_clear(&s->fds);
	strace_log_close(&s->log);
	emit_free(&s->emit);
	free(s);
	src->state = NULL;
}

/* Sets the error of a damaged log: calls that it shows are missing. */
static int set_lost(struct strace *s, struct error *e, enum strace_loss why)
{
	static const char *const REASONS[STRACE_LOSSES] = {
	    [STRACE_MIXED] = "their lines have no end, or other text in them; use strace -o, with "
			     "one file for each strace",
	    [STRACE_CONTRADICTED] = "their results contradict their arguments"};
	const struct strace_lost *lost = &s->lost[why];
	char name[512];
	const char *path = input_name(s->src->input, lost->member);
	return error_set(e, IOT_EFORMAT,
			 "%s: line %" PRIu64 ": calls are missing (%" PRIu64 "): %s",
			 escape_text(name, sizeof name, path, strlen(path)), lost->line,
			 lost->calls, REASONS[why]);
}

/* The first loss is the error of the conversion; the others are notes. */
static void report_lost(struct strace *s, struct error *e)
{
	for (enum strace_loss why = STRACE_MIXED; why < STRACE_LOSSES; why++) {
		struct error other = {.status = IOT_OK};
		const bool first = e->status == IOT_OK;
		if (s->lost[why].calls > 0 && set_lost(s, first ? e : &other, why) != IOT_OK &&
		    !first)
			report_note(&s->src->report, "%s", other.text);
	}
}

/* Returns the status of the whole conversion, after all events. */
static int verdict(struct strace *s)
{
	struct error *e = &s->src->error;
	char name[512];
	const size_t of = s->cut_in != NULL ? s->cut_in->index : 0;
	const char *path = s->log.members > 0 ? input_name(s->src->input, of) : "";
	if (e->status != IOT_OK)
		return e->status;
	escape_text(name, sizeof name, path, strlen(path));
	if (s->understood == 0 && s->summary)
		return error_set(e, IOT_EFORMAT, "%s: has only a summary (strace -c), no calls",
				 name);
	if (s->understood == 0)
		return error_set(e, IOT_EFORMAT, "%s: no line looks like strace output", name);
	if (s->cut_in != NULL)
		error_set(e, IOT_ETRUNCATED, "%s: ends in the middle of a line", name);
	report_lost(s, e);
	return e->status;
}

/* Notes the truncated logs of a set; verdict() names the first. */
static void note_cut(struct strace *s)
{
	char name[128];
	for (size_t i = 0; i < s->log.members; i++) {
		const struct strace_member *m = &s->log.member[i];
		const bool empty = s->log.members > 1 && m->opened && m->line_number == 0;
		if (!empty && (!m->ends_cut || m == s->cut_in))
			continue;
		const char *path = input_name(s->src->input, m->index);
		report_note(&s->src->report, "%s: %s",
			    escape_text(name, sizeof name, path, strlen(path)),
			    empty ? "empty" : "ends in the middle of a line, too");
	}
}

/*
 * Counts children without any line, not even for their exit: strace without -f, or missing files of
 * -ff. Children whose lines have numbers of another namespace appear as adopted tasks, so their
 * number is subtracted.
 */
static void count_silent(struct strace *s)
{
	uint64_t silent = 0;
	const struct strace_task *t;
	TAILQ_FOREACH (t, &s->tasks.list[STRACE_ALIVE].tasks, link[STRACE_ALIVE])
		silent += t->tid != 0 && t->turn == 0;
	if (silent <= s->tasks.adopted)
		return;
	silent -= s->tasks.adopted;
	strace_count(s, "unseen.children", silent);
	report_note(
	    &s->src->report, "%" PRIu64 " %s", silent,
	    plural(silent,
		   "process or thread was started of which the log has nothing; strace -f shows it",
		   "processes or threads were started of which the log has nothing; strace -f "
		   "shows them"));
}

/* Notes signs that the log was filtered with strace -e trace. */
static void note_filter(struct strace *s)
{
	enum { FEW_CALLS = 100 };
	struct report *r = &s->src->report;
	if (s->tasks.whole && s->log.members == 1 && s->tasks.adopted > 0 && !s->tasks.forks) {
		strace_count(s, "unseen.forks", s->tasks.adopted);
		report_note(r,
			    "%" PRIu32 " %s: offsets of inherited descriptors are unknown; add "
			    "clone, clone3, fork and vfork to strace -e trace",
			    s->tasks.adopted,
			    plural(s->tasks.adopted,
				   "process or thread appears without a call that starts it",
				   "processes or threads appear without a call that starts them"));
	} else if (r->calls > FEW_CALLS && s->others == 0 && s->passing.appeared) {
		report_note(r, "the log has only calls on files, and uses descriptors that none of "
			       "them returned: if strace had a filter, offsets may be wrong; "
			       "without -e trace it shows all");
	}
}

static void count_skipped(struct strace *s)
{
	static const struct {
		const char *calls, *bytes[2];
	} NAMES[STRACE_SKIPPED_KINDS] = {
#define KIND(name)                                                                                 \
	{"skipped." name ".calls",                                                                 \
	 {"skipped." name ".read_bytes", "skipped." name ".written_bytes"}}
	    [STRACE_SKIPPED_PIPE] = KIND("pipe"),
	    [STRACE_SKIPPED_SOCKET] = KIND("socket"),
	    [STRACE_SKIPPED_TERMINAL] = KIND("terminal"),
	    [STRACE_SKIPPED_DEVICE] = KIND("device"),
	    [STRACE_SKIPPED_MEMFD] = KIND("memfd"),
	    [STRACE_SKIPPED_STANDARD] = KIND("standard"),
	    [STRACE_SKIPPED_OTHER] = KIND("other"),
#undef KIND
	};
	for (size_t i = 0; i < STRACE_SKIPPED_KINDS; i++) {
		const struct strace_skipped *skipped = &s->skipped[i];
		if (skipped->calls == 0)
			continue;
		strace_count(s, NAMES[i].calls, skipped->calls);
		for (size_t w = 0; w < 2; w++)
			if (skipped->bytes[w] > 0)
				strace_count(s, NAMES[i].bytes[w], skipped->bytes[w]);
	}
}

/* Notes arrays that strace truncated, by call, and the option that shows them. */
static void explain_cut(struct report *r)
{
	static const struct {
		const char *count, *call;
	} ARRAYS[] = {
	    {"hidden.io_submit_entries", "io_submit"},
	    {"hidden.io_submit_lengths", "vectors in io_submit"},
	    {"hidden.io_getevents_entries", "io_getevents"},
	    {"hidden.messages", "sendmsg and recvmsg"},
	    {"guessed.pair", "pipe and socketpair"},
	};
	char list[128] = "";
	size_t n = 0;
	for (size_t i = 0; i < sizeof ARRAYS / sizeof ARRAYS[0]; i++) {
		const uint64_t cut = report_get(r, ARRAYS[i].count);
		if (cut == 0)
			continue;
		report_noted(r, ARRAYS[i].count);
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %" PRIu64, n > 0 ? ", " : "",
				      ARRAYS[i].call, cut);
		if (n >= sizeof list)
			n = sizeof list - 1;
	}
	if (n > 0)
		report_note(r, "strace has cut arrays: %s; strace " STRACE_ARRAYS " shows them",
			    list);
}

/* Notes the calls that the log does not show, and the option that would show them. */
static void explain_hidden(struct strace *s)
{
	struct report *r = &s->src->report;
	explain_cut(r);
	if (s->aio.rings > 0 && report_get(r, "hidden.io_uring") == 0)
		strace_count(s, "hidden.io_uring_rings", s->aio.rings);
	if (s->aio.setups == 0 || s->aio.submits > 0)
		return;
	strace_count(s, "hidden.io_setup", s->aio.setups);
	report_noted(r, "hidden.io_setup");
	report_note(r,
		    "%" PRIu64 " %s of io_setup but none of io_submit: the log lacks "
		    "asynchronous I/O; it needs io_submit and io_getevents in strace -e trace",
		    s->aio.setups, plural(s->aio.setups, "call", "calls"));
}

static void finish(struct strace *s)
{
	strace_release_deferred(s, true);
	strace_settle(s, true);
	if (s->reuse.missed > 0)
		strace_count(s, "missed.close", (uint64_t)s->reuse.missed);
	uint64_t open = 0;
	struct strace_task *t;
	TAILQ_FOREACH (t, &s->tasks.list[STRACE_ALIVE].tasks, link[STRACE_ALIVE]) {
		open += t->active.entry != NULL && (t->active.entry->class & STRACE_DATA) != 0;
		strace_aio_withdraw(s, t);
		strace_aio_leave(s, strace_process_of(t));
	}
	s->ended = true;
	count_skipped(s);
	explain_hidden(s);
	if (open > 0)
		strace_count(s, "unfinished_at_end", open);
	count_silent(s);
	note_filter(s);
	note_cut(s);
	if (s->fds.unnamed > 0)
		strace_count(s, "unnamed.files", s->fds.unnamed);
	const uint64_t backwards = report_get(&s->src->report, "clock.negative_duration");
	if (backwards > 0)
		report_note(&s->src->report, "%" PRIu64 " %s unknown", backwards,
			    plural(backwards, "call ends before it starts: its duration is",
				   "calls end before they start: their durations are"));
	if (s->began) /* otherwise there is no %trace before it */
		emit_counts(&s->emit, "strace", s->now_ns);
	int status = verdict(s);
	if (s->status == IOT_OK)
		s->status = status;
}

static bool failed(struct strace *s)
{
	const int status[] = {s->log.status, s->emit.status, s->fds.status};
	for (size_t i = 0; s->status == IOT_OK && i < sizeof status / sizeof *status; i++)
		s->status = status[i];
	if (s->status != IOT_ENOMEM && s->status != IOT_ELIMIT)
		return false;
	if (s->status == IOT_ENOMEM)
		error_set(&s->src->error, s->status, "out of memory");
	else
		error_set(&s->src->error, s->status,
			  "line %" PRIu64 ": processes, descriptors, names and unfinished calls "
			  "at once need more than %d MiB",
			  s->src->report.lines, FDTABLE_MEMORY_MAX >> 20);
	return true;
}

/*
 * No later event starts before this time. The cost of computing it is amortized over a number of
 * lines in proportion to the number of waiting objects.
 */
static int64_t watermark(struct strace *s)
{
	if (s->log.backwards)
		return INT64_MIN;
	if (s->src->report.lines < s->watermark.again)
		return s->watermark.ns;
	uint64_t looked = s->log.members;
	int64_t ns = s->log.live > 0 ? strace_log_watermark(&s->log) : s->now_ns;
	const int64_t outstanding = strace_aio_earliest(s);
	if (outstanding < ns)
		ns = outstanding;
	const struct strace_task *t;
	TAILQ_FOREACH (t, &s->tasks.list[STRACE_LIMITING].tasks, link[STRACE_LIMITING])
		if (t->active.entry_ns < ns)
			ns = t->active.entry_ns;
	looked += s->tasks.list[STRACE_LIMITING].count;
	for (const struct strace_deferred *d = s->tasks.deferred; d != NULL; d = d->next, looked++)
		if (d->time_ns < ns)
			ns = d->time_ns;
	const int64_t unsettled = strace_unsettled_since(s);
	looked += s->order.count;
	if (unsettled < ns)
		ns = unsettled;
	s->watermark.ns = ns;
	s->watermark.again = s->src->report.lines + looked / LOOKED_PER_LINE;
	return ns;
}

static void line(struct strace *s)
{
	struct strace_member *m = s->log.current;
	s->now_ns = m->line.time_ns;
	if (!s->began && m->line.kind <= STRACE_END) {
		s->began = true;
		strace_emit_trace(s);
	}
	strace_process(s, m, &m->line);
	strace_settle(s, false);
	if (s->tasks.last != NULL && !s->tasks.last->group->announced)
		strace_emit_process(s, s->tasks.last->group);
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct strace *s = src->state;
	struct emit *e = &s->emit;
	if (e->over_count > 0)
		return emit_leftovers(e, out, max);
	emit_start(e, out, max);
	int lines = 0;
	while (!s->ended && e->count < e->max) {
		int got = strace_log_next(&s->log);
		if (failed(s) || got <= 0) {
			finish(s);
			break;
		}
		line(s);
		if (++lines >= LINES_PER_CALL && e->count > 0)
			break;
	}
	if (failed(s))
		s->ended = true;
	if (e->over_count == 0) {
		int64_t mark = watermark(s);
		src->watermark_ns = mark;
		if (mark != INT64_MIN && mark > s->emit.promised_ns)
			s->emit.promised_ns = mark;
	}
	if (e->count > 0)
		return (int)e->count;
	return s->ended ? s->status : 0;
}

const struct converter converter_strace = {
    .name = "strace",
    .summary = "system calls: strace's text output, of any layout, -f and -ff",
    .options = OPTIONS,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
};
