/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merges the members of an input into one log. The files of a -ff set (NAME.PID, one per thread)
 * and the parts of a split log are merged by the times at which their lines take effect: the exit
 * of a call, if its duration is shown, but the entry of a fork. Members are opened when their first
 * line is due.
 */
#include "strace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/number.h"
#include "lib/base/array.h"

#define NS_PER_DAY INT64_C(86400000000000)

enum {
	MANY_MEMBERS = 100,     /* larger inputs may exceed the limit of descriptors */
	SPARE_DESCRIPTORS = 64, /* reserved for other uses */
};

/* Lines */

static int read_status(struct strace_log *log, const struct strace_member *m)
{
	int status = bufreader_status(m->bufreader);
	if (status == IOT_OK || log->src->error.status != IOT_OK)
		return status;
	return error_set(&log->src->error, status, "%s", bufreader_error(m->bufreader)->text);
}

/* Peeks more than the `rest` bytes that are left. Returns false at the end. */
static bool more(struct strace_member *m)
{
	size_t rest = (size_t)(m->limit - m->at), have;
	if (m->shown != NULL)
		bufreader_consume(m->bufreader, (size_t)(m->at - m->shown));
	m->shown = bufreader_peek(m->bufreader, rest + 1, &have);
	m->at = m->shown;
	m->limit = m->shown == NULL ? NULL : m->shown + have;
	return have > rest;
}

/* Skips a line that exceeds the bufreader's capacity. Returns false at the end. */
static bool skip_long_line(struct strace_log *log, struct strace_member *m)
{
	const char *lf = NULL;
	report_unparsed(&log->src->report, input_name(log->src->input, m->index),
			m->line_number + 1, m->at, 80);
	m->line_number++;
	log->src->report.lines++;
	do {
		m->at = m->limit;
		if (!more(m))
			return false;
		lf = memchr(m->at, '\n', (size_t)(m->limit - m->at));
	} while (lf == NULL);
	m->at = lf + 1;
	return true;
}

/* Sets raw to the bytes of the next line. Returns false at the end. */
static bool raw_line(struct strace_log *log, struct strace_member *m)
{
	size_t scanned = 0;
	for (;;) {
		size_t have = (size_t)(m->limit - m->at);
		const char *lf = NULL;
		if (have > scanned)
			lf = memchr(m->at + scanned, '\n', have - scanned);
		m->raw = m->at;
		m->raw_end = lf;
		if (lf != NULL) {
			m->at = lf + 1;
			return true;
		}
		scanned = have;
		if (have >= STRACE_LINE_MAX) {
			if (!skip_long_line(log, m))
				return false;
			scanned = 0;
			continue;
		}
		if (more(m))
			continue;
		/*
		 * After damage or a signal these bytes are a part of a line that may look complete.
		 */
		if (have == 0 || bufreader_status(m->bufreader) != IOT_OK)
			return false;
		assert(m->limit != NULL);
		m->raw = m->at;
		m->raw_end = m->at = m->limit;
		m->cut = m->raw_end[-1] != '\r';
		return true;
	}
}

static bool uncolour(struct strace_log *log, struct strace_member *m, const char **text,
		     const char **end)
{
	size_t size = (size_t)(*end - *text);
	if (!array_reserve(&m->clean, &m->clean_capacity, size + 1, 1)) {
		log->status = IOT_ENOMEM;
		return false;
	}
	*end = m->clean + strace_line_uncolour(*text, size, m->clean);
	*text = m->clean;
	return true;
}

/*
 * Calls whose effect other tasks may see before they return: forks, sending descriptors, io_submit.
 */
static bool is_early(const char *p, const char *end)
{
	static const char *const NAMES[] = {"clone", "fork(", "vfork", "sendm", "io_su"};
	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (end - p > 5 && memcmp(p, NAMES[i], 5) == 0)
			return true;
	return false;
}

static void key(struct strace_member *m)
{
	const struct strace_line *line = &m->line;
	struct strace_duration took = {.known = false};
	m->key_ns = line->time_ns;
	if (line->kind == STRACE_CALL && !is_early(line->body, line->end))
		strace_line_duration(line->body, line->end, &took);
	if (took.known && took.ns < (uint64_t)NS_PER_DAY)
		m->key_ns += (int64_t)took.ns;
}

/* Reads the next line of a member. Returns false at its end. */
static bool advance(struct strace_log *log, struct strace_member *m)
{
	if (!raw_line(log, m))
		return false;
	m->line_number++;
	log->src->report.lines++;
	const char *text = m->raw, *end = m->raw_end;
	if (end > text && end[-1] == '\r')
		end--;
	if (m->layout.colour && !uncolour(log, m, &text, &end))
		return false;
	strace_line_parse(&m->layout, &m->clock, text, end, &m->line);
	if (m->line.kind <= STRACE_END) {
		if (m->line.time_ns < m->last_ns) {
			report_add(&log->src->report, "clock.backwards", 1);
			log->backwards = true;
		}
		m->last_ns = m->line.time_ns;
		/* it bounds the return times of earlier calls */
		log->starts[log->starts_next++ % STRACE_STARTS] = m->line.time_ns;
	} else {
		m->line.time_ns = m->last_ns;
	}
	if (log->members > 1)
		key(m);
	return true;
}

/* Merge */

/* A loser_tree_tie_fn: context is the log. Equal keys are ordered by the start of the line. */
static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct strace_log *log = context;
	const struct strace_member *x = &log->member[a], *y = &log->member[b];
	/* the call that returns last may have seen the effects of the others */
	if (x->line.time_ns != y->line.time_ns)
		return x->line.time_ns < y->line.time_ns;
	return x->tid != y->tid ? x->tid < y->tid : a < b;
}

static struct loser_entry entry_of(const struct strace_log *log, uint32_t i)
{
	return (struct loser_entry){loser_tree_key(log->member[i].key_ns), i};
}

static void member_close(struct strace_member *m)
{
	bufreader_free(m->bufreader);
	m->bufreader = NULL;
	m->shown = m->at = m->limit = NULL;
	free(m->clean);
	m->clean = NULL;
	m->clean_capacity = 0;
}

/* Without free descriptors, reads a small member from its head, which is in memory. */
static struct bufreader *open_head(struct strace_log *log, const struct strace_member *m)
{
	const struct bufreader_options plain = {.plain = true};
	size_t size;
	const char *head = input_head(log->src->input, m->index, &size);
	if (size == 0 || size >= INPUT_HEAD_SIZE)
		return NULL;
	struct bufreader *in = bufreader_new(input_name(log->src->input, m->index), &plain);
	if (in != NULL && bufreader_open_memory(in, head, size) == IOT_OK)
		return in;
	bufreader_free(in);
	return NULL;
}

/* Opens a member. Returns false if it has no lines. */
static bool member_open(struct strace_log *log, struct strace_member *m)
{
	struct error error = {0};
	m->opened = true;
	if (++log->open + SPARE_DESCRIPTORS > log->open_max)
		m->bufreader = open_head(log, m);
	if (m->bufreader == NULL)
		m->bufreader = input_open(log->src->input, m->index, &error);
	if (m->bufreader != NULL)
		return true;
	error_set(&log->src->error, error.status, "%s", error.text);
	log->status = error.status;
	return false;
}

/*
 * Raises the limit of descriptors: the files of a set are open as long as their threads existed at
 * the same time.
 */
static void allow_descriptors(struct strace_log *log)
{
	struct rlimit limit;
	log->open_max = SIZE_MAX;
	if (log->members < MANY_MEMBERS || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	struct rlimit more = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
	if (setrlimit(RLIMIT_NOFILE, &more) == 0)
		limit = more;
	log->open_max = limit.rlim_cur;
}

/* Reads the next line of the first member, which may then no longer be the first. */
static void read_line(struct strace_log *log, uint32_t i)
{
	struct strace_member *m = &log->member[i];
	struct loser_entry now = LOSER_TREE_END;
	m->ready = advance(log, m);
	if (m->ready) {
		now = entry_of(log, i);
	} else {
		const int status = read_status(log, m);
		if (status != IOT_OK && log->status == IOT_OK)
			log->status = status;
		member_close(m);
		m->ended = true;
		log->open--;
		log->live--;
	}
	if (log->members > 1 || !m->ready)
		loser_tree_replay(&log->tree, i, now, is_before, log);
}

int strace_log_next(struct strace_log *log)
{
	while (!loser_tree_ended(&log->tree)) {
		const uint32_t i = loser_tree_winner(&log->tree);
		struct strace_member *m = &log->member[i];
		if (!m->opened && !member_open(log, m))
			return log->status;
		if (!m->ready) {
			read_line(log, i);
			continue;
		}
		m->ready = false; /* consumed before the next call */
		log->current = m;
		return 1;
	}
	log->current = NULL;
	return 0;
}

int64_t strace_log_watermark(const struct strace_log *log)
{
	int64_t ns = INT64_MAX;
	for (size_t i = 0; i < log->members; i++) {
		const struct strace_member *m = &log->member[i];
		const int64_t at = m->opened ? m->last_ns : m->first_ns;
		if (!m->ended && at < ns)
			ns = at;
	}
	return ns;
}

/* Opening */

/* Returns the pid at the end of the name of a file of a -ff set, 0 if there is none. */
static uint32_t pid_suffix(const char *name)
{
	static const char *const PACKED[] = {".zst", ".gz", ".bz2", ".xz", ".lz4"};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof PACKED / sizeof PACKED[0]; i++) {
		size_t k = strlen(PACKED[i]);
		if (n > k && memcmp(name + n - k, PACKED[i], k) == 0) {
			n -= k;
			break;
		}
	}
	size_t from = n;
	while (from > 0 && (unsigned char)(name[from - 1] - '0') < 10)
		from--;
	uint64_t pid;
	if (from == 0 || name[from - 1] != '.' || n - from > 7 ||
	    !number_decimal(name + from, n - from, &pid) || pid == 0 || pid > STRACE_PID_MAX)
		return 0;
	return (uint32_t)pid;
}

static void member_look(struct strace_log *log, size_t i)
{
	struct strace_member *m = &log->member[i];
	struct source_state *src = log->src;
	unsigned calls, lines;
	size_t size;
	const char *head = input_head(src->input, i, &size);
	m->index = i;
	if (!strace_layout_detect(head, size, &m->layout, &m->first_ns, &calls, &lines)) {
		m->first_ns = INT64_MAX;
		return;
	}
	if (!m->layout.pid && !m->layout.brackets)
		m->tid = pid_suffix(input_name(src->input, i));
	if (m->tid == 0 && log->members > 1 && !m->layout.pid && !m->layout.brackets)
		m->tid = STRACE_PID_MAX + 1 + (uint32_t)i;
	log->logs++;
	log->clocks += m->layout.clock;
	log->epochs += m->layout.epoch;
	log->has_time |= m->layout.clock || m->layout.epoch || m->layout.relative;
	log->brackets |= m->layout.brackets;
	log->durations |= m->layout.duration;
	if (m->layout.tick_ns < src->tick_ns)
		src->tick_ns = m->layout.tick_ns;
}

/* Skips traces: a directory of logs may also contain their conversions. */
static bool is_left_out(struct strace_log *log, size_t i)
{
	const char *path = input_name(log->src->input, i);
	char name[256];
	if (log->member[i].first_ns != INT64_MAX || !input_is_trace(log->src->input, i))
		return false;
	report_note(&log->src->report, "%s: a trace already, and left out",
		    escape_text(name, sizeof name, path, strlen(path)));
	return true;
}

/*
 * Sets the first times of members. Members without lines of strace have no time; they get the
 * first time of the member with the lowest number.
 */
static void settle_times(struct strace_log *log)
{
	int64_t first = INT64_MAX, reference = INT64_MAX;
	uint32_t lowest = UINT32_MAX;
	for (size_t i = 0; i < log->members; i++)
		if (log->member[i].first_ns != INT64_MAX && log->member[i].tid < lowest) {
			lowest = log->member[i].tid;
			reference = log->member[i].first_ns;
		}
	for (size_t i = 0; i < log->members; i++) {
		struct strace_member *m = &log->member[i];
		const bool is_log = m->first_ns != INT64_MAX;
		if (!is_log)
			m->first_ns = reference == INT64_MAX ? 0 : reference;
		if (m->layout.clock && m->first_ns + NS_PER_DAY / 2 < reference) {
			m->clock.day_ns = NS_PER_DAY; /* it started after midnight */
			m->first_ns += NS_PER_DAY;
		}
		if (is_log && !m->layout.clock && !m->layout.epoch && log->members > 1)
			m->first_ns = 0;
		m->last_ns = m->first_ns;
		m->key_ns = m->first_ns;
		if (m->first_ns < first)
			first = m->first_ns;
	}
	log->src->first_ns = first == INT64_MAX ? 0 : first;
}

static void note_times(struct strace_log *log)
{
	struct report *report = &log->src->report;
	if (log->logs > 1 && log->clocks != log->logs && log->epochs != log->logs)
		report_note(
		    report,
		    "the logs have no absolute times, or different kinds of them: the order "
		    "of calls in different logs is unknown; use strace -ttt");
	else if (log->logs > 0 && !log->has_time)
		report_note(report, "the log has no times; use strace -ttt -T");
}

int strace_log_open(struct strace_log *log, struct source_state *src)
{
	log->src = src;
	log->members = input_count(log->src->input);
	log->member = calloc(log->members + 1, sizeof *log->member);
	log->tree.leaves = log->members > 0 ? log->members : 1;
	log->tree.node = malloc(2 * log->tree.leaves * sizeof *log->tree.node);
	if (log->member == NULL || log->tree.node == NULL)
		return error_no_memory(&log->src->error);
	log->src->tick_ns = UINT64_C(1000000000);
	allow_descriptors(log);
	for (size_t i = 0; i < log->members; i++) {
		member_look(log, i);
		log->member[i].ended = is_left_out(log, i);
		log->live += !log->member[i].ended;
	}
	settle_times(log);
	note_times(log);
	for (uint32_t i = 0; i < log->tree.leaves; i++)
		log->tree.node[log->tree.leaves + i] =
		    i < log->members && !log->member[i].ended ? entry_of(log, i) : LOSER_TREE_END;
	loser_tree_build(&log->tree, is_before, log);
	return IOT_OK;
}

void strace_log_close(struct strace_log *log)
{
	for (size_t i = 0; log->member != NULL && i < log->members; i++)
		member_close(&log->member[i]);
	free(log->member);
	free(log->tree.node);
}
