/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembles calls from lines, from their unfinished and resumed halves. A call takes effect when it
 * returns.
 */
#include "strace.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum {
	PARTIAL_LINES = 8, /* maximum number of foreign lines inside a call */
	TEXT_KEPT = 4096,  /* capacity that a task retains for the text of its next call */
};

/* Active calls */

static void waiting_add(struct strace *s, struct strace_task *t)
{
	t->counted = true;
	t->waiting_next = NULL;
	t->waiting_prev = s->waiting_last;
	*(s->waiting_last == NULL ? &s->waiting : &s->waiting_last->waiting_next) = t;
	s->waiting_last = t;
}

static void waiting_remove(struct strace *s, struct strace_task *t)
{
	if (!t->counted)
		return;
	*(t->waiting_prev == NULL ? &s->waiting : &t->waiting_prev->waiting_next) = t->waiting_next;
	*(t->waiting_next == NULL ? &s->waiting_last : &t->waiting_next->waiting_prev) =
	    t->waiting_prev;
	t->counted = false;
}

void strace_pending_clear(struct strace *s, struct strace_task *t)
{
	waiting_remove(s, t);
	if (t->submitting != NULL)
		strace_aio_withdraw(s, t);
	strace_order_leave(s, t);
	t->pending = STRACE_IDLE;
	t->posted = false;
	t->entry = NULL;
	t->text_size = 0;
	if (t->text_capacity <= TEXT_KEPT)
		return;
	fdtable_drop(&s->tracker, t->text, t->text_capacity);
	t->text = NULL;
	t->text_capacity = 0;
}

static bool keep_text(struct strace *s, struct strace_task *t, const char *text, const char *end)
{
	size_t size = (size_t)(end - text);
	if (t->text_size + size > STRACE_LINE_MAX)
		return false;
	if (t->text_size + size > t->text_capacity) {
		const size_t capacity = t->text_size + (size > t->text_size ? size : t->text_size);
		char *grown = fdtable_grow(&s->tracker, t->text, t->text_capacity, capacity);
		if (grown == NULL)
			return false;
		t->text = grown;
		t->text_capacity = capacity;
	}
	if (size > 0)
		memcpy(t->text + t->text_size, text, size);
	t->text_size += size;
	return true;
}

/*
 * Returns true if this pending call may still produce an event with a time as early as its entry.
 */
static bool dated(struct strace *s, const struct strace_task *t, const struct strace_entry *e,
		  const char *text, const char *end)
{
	if ((e->class & STRACE_OP) != 0)
		return s->emit.ops != EMIT_OPS_NONE;
	if ((e->class & STRACE_DATA) == 0)
		return false;
	if ((e->class & STRACE_READS) == 0 || s->all)
		return true;
	struct strace_fd fd = strace_fd((struct strace_text){text, end});
	const struct fd_slot *slot = fd_table_get(t->table, fd.number);
	return slot == NULL ? fd.number > 2 : strace_recorded(s, slot->open);
}

static void begin(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		  int64_t time_ns, const char *text, const char *end)
{
	strace_pending_clear(s, t);
	if (!keep_text(s, t, text, end))
		return;
	t->pending = STRACE_WAITING;
	t->entry = e;
	t->entry_ns = time_ns;
	t->entered = s->members > 1 ? time_ns : strace_now(s);
	if (dated(s, t, e, text, end))
		waiting_add(s, t);
	struct strace_call c = {.entry = e,
				.task = t,
				.start_ns = time_ns,
				.entered = t->entered,
				.left = t->entered,
				.args = 1};
	strace_order_enter(s, &c);
	if ((e->class & (STRACE_FORK | STRACE_SENDS | STRACE_SUBMITS)) == 0)
		return;
	c.args = 1;
	if (t->text_size > 0)
		c.arg[0] = (struct strace_text){t->text, t->text + t->text_size};
	if ((e->class & STRACE_FORK) != 0)
		strace_fork_enter(s, &c);
	else if ((e->class & STRACE_SUBMITS) != 0)
		strace_io_submit_enter(s, &c);
	else
		strace_sendmsg_enter(s, &c);
}

/* Results */

static void error_name(struct strace_call *c, const char *p, const char *end)
{
	const char *name = p;
	if (p < end && *p == '(' && (size_t)(end - p) > 7) /* "(errno 123)" */
		name = p += 7;
	while (p < end &&
	       ((unsigned char)(*p - 'A') < 26 || (unsigned char)(*p - '0') < 10 || *p == '_'))
		p++;
	c->error = (struct strace_text){name, p};
}

/*
 * Parses the text after the closing bracket: " = 3</path> (flags ...)". Returns false if there is
 * no result.
 */
static bool read_result(struct strace *s, struct strace_call *c, const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	if (p == end || *p != '=')
		return false;
	for (p++; p < end && *p == ' '; p++)
		;
	if (p == end)
		return false;
	if (*p == '?') {
		if (end - p > 3 && memcmp(p + 1, " ER", 3) == 0)
			strace_count(s, "interrupted", 1);
		return true;
	}
	if (!strace_number((struct strace_text){p, end}, &c->result))
		return false;
	c->returned = true;
	if (c->result != -1) {
		if (end[-1] == '>' || end[-1] == ')')
			c->fd = strace_fd((struct strace_text){p, end});
		return true;
	}
	const char *space = memchr(p, ' ', (size_t)(end - p));
	c->failed = true;
	if (space != NULL)
		error_name(c, space + 1, end);
	return true;
}

/* Processes a call with all its text. Returns false if its brackets are unbalanced. */
static bool finish(struct strace *s, struct strace_call *c, const char *text, const char *end,
		   const char *joined)
{
	unsigned digits;
	const char *stop =
	    strace_line_duration(text, end, &c->duration_ns, &digits, &c->duration_known);
	const char *p = strace_split(text, stop, joined, c->arg, STRACE_ARGS, &c->args);
	c->fd.number = STRACE_NO_FD;
	if (p == NULL || !read_result(s, c, p, stop))
		return false;
	if (!c->duration_known) {
		c->duration_ns = c->end_ns > c->start_ns ? (uint64_t)(c->end_ns - c->start_ns) : 0;
		c->duration_known = c->end_ns != c->start_ns;
	}
	if (c->duration_ns > (uint64_t)(INT64_MAX - c->start_ns)) {
		c->duration_ns = 0;
		c->duration_known = false;
	}
	if (c->end_ns < c->start_ns + (int64_t)c->duration_ns)
		c->end_ns = c->start_ns + (int64_t)c->duration_ns;
	c->left = s->members > 1 ? c->end_ns : strace_now(s);
	c->entry->run(s, c);
	return true;
}

/* Processes a pending call whose text is now complete. */
static bool finish_pending(struct strace *s, struct strace_task *t, int64_t time_ns,
			   const char *joined)
{
	struct strace_call c = {.entry = t->entry,
				.task = t,
				.start_ns = t->entry_ns,
				.end_ns = time_ns,
				.entered = t->entered};
	waiting_remove(s, t);
	const char *text = t->text != NULL ? t->text : "";
	bool ok = finish(s, &c, text, text + t->text_size, joined);
	if (t->entry == c.entry)
		strace_pending_clear(s, t);
	return ok;
}

/* Lines */

static void unparsed(struct strace *s, const struct strace_member *m)
{
	if (m == NULL)
		return;
	report_unparsed(&s->src->report, input_name(s->src->input, m->index), m->line_number,
			m->raw, (size_t)(m->raw_end - m->raw));
}

/* Sets the task whose call is interrupted in this member; NULL if none. */
static void set_partial(struct strace_member *m, struct strace_task *t)
{
	if (m->partial != NULL)
		m->partial->cut_in = NULL;
	if (t != NULL && t->cut_in != NULL)
		t->cut_in->partial = NULL;
	if (t != NULL)
		t->cut_in = m;
	m->partial = t;
}

/* Records that the log of a member ends in the middle of a line. */
static void ends_cut(struct strace *s, struct strace_member *m)
{
	m->ends_cut = true;
	if (s->cut_in == NULL)
		s->cut_in = m;
}

/* Stores a line that foreign text interrupted: the rest is at the start of a later line. */
static void cut_call(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		     int64_t time_ns, const char *text, const char *end, struct strace_member *m)
{
	static const char ATTACHED[] = "strace: Process ";
	if (m == NULL || m->cut) {
		if (m != NULL)
			ends_cut(s, m);
		strace_count(s, "unclosed", 1);
		return;
	}
	m->partial_lines = 0;
	m->partial_ignored = e == NULL;
	set_partial(m, NULL);
	if (e == NULL)
		return;
	const char *message = memmem(text, (size_t)(end - text), ATTACHED, sizeof ATTACHED - 1);
	begin(s, t, e, time_ns, text, message == NULL ? end : message);
	set_partial(m, t);
	int64_t tid;
	if (message == NULL ||
	    !strace_number((struct strace_text){message + sizeof ATTACHED - 1, end}, &tid))
		return;
	if (tid > 0 && tid <= STRACE_PID_MAX)
		strace_attached(s, t, (uint32_t)tid);
}

/* Returns true if a call without effect looks complete. */
static bool closed(const char *p, const char *end)
{
	if (end > p && end[-1] == '>')
		return true;
	const char *equals = memrchr(p, '=', (size_t)(end - p));
	return equals != NULL && equals > p && equals[-1] == ' ';
}

static void call_line(struct strace *s, struct strace_task *t, int64_t time_ns, const char *body,
		      const char *end, struct strace_member *m)
{
	const char *open = memchr(body, '(', (size_t)(end - body));
	const struct strace_entry *e = strace_table_find(s, body, (size_t)(open - body));
	s->src->report.calls++;
	const char *text = open + 1;
	if (e != NULL && (e->class & STRACE_FORK) != 0)
		s->forks = true;
	if (e == NULL) {
		s->others++;
		if (!closed(text, end))
			cut_call(s, t, NULL, time_ns, text, end, m);
		else if (t->pending != STRACE_IDLE)
			strace_pending_clear(s, t);
		return;
	}
	if (strace_line_unfinished(text, end)) {
		begin(s, t, e, time_ns, text, end - sizeof " <unfinished ...>" + 1);
		return;
	}
	if (t->pending != STRACE_IDLE)
		strace_pending_clear(s, t);
	struct strace_call c = {.entry = e, .task = t, .start_ns = time_ns, .end_ns = time_ns};
	c.entered = s->members > 1 ? time_ns : strace_now(s);
	if (finish(s, &c, text, end, NULL))
		return;
	if (end - text > 4 && memcmp(end - 4, "...>", 4) == 0) { /* <detached ...> and similar */
		const char *last = memrchr(text, '<', (size_t)(end - text));
		begin(s, t, e, time_ns, text, last == NULL ? end : last);
	} else {
		cut_call(s, t, e, time_ns, text, end, m);
	}
}

static void resumed_line(struct strace *s, struct strace_task *t, int64_t time_ns, const char *body,
			 const char *end)
{
	static const char RESUMED[] = " resumed>";
	const char *name = body + 5;
	const char *space = memchr(name, ' ', (size_t)(end - name));
	size_t n = sizeof RESUMED - 1;
	if (space == NULL || space == name || (size_t)(end - space) < n ||
	    memcmp(space, RESUMED, n) != 0)
		return;
	const struct strace_entry *e = strace_table_find(s, name, (size_t)(space - name));
	if (e == NULL)
		return;
	if (t->pending == STRACE_WAITING && t->entry == e) {
		const char *rest = space + n;
		if (!strace_line_unfinished(rest, end) && keep_text(s, t, rest, end) &&
		    !finish_pending(s, t, time_ns, NULL))
			strace_count(s, "unclosed", 1);
		return;
	}
	strace_count(s, "resumed_alone", 1);
}

static void end_line(struct strace *s, struct strace_task *t, const char *body, const char *end)
{
	static const char SUPERSEDED[] = "+++ superseded by execve in pid ";
	size_t n = sizeof SUPERSEDED - 1;
	int64_t tid;
	if ((size_t)(end - body) <= n || memcmp(body, SUPERSEDED, n) != 0)
		strace_task_end(s, t);
	else if (strace_number((struct strace_text){body + n, end}, &tid) && tid > 0 &&
		 tid <= STRACE_PID_MAX)
		strace_task_superseded(s, t, (uint32_t)tid);
}

void strace_body(struct strace *s, struct strace_task *task, int64_t time_ns, enum strace_kind kind,
		 const char *body, const char *end, struct strace_member *m)
{
	task->turn++;
	task->starts[task->turn % STRACE_TURNS] = time_ns;
	if (kind == STRACE_CALL)
		call_line(s, task, time_ns, body, end, m);
	else if (kind == STRACE_RESUMED)
		resumed_line(s, task, time_ns, body, end);
	else
		end_line(s, task, body, end);
}

/* Processes the rest of an interrupted call; its first half is stored with its task. */
static void tail_line(struct strace *s, struct strace_member *m, const struct strace_line *line)
{
	struct strace_task *t = m->partial;
	bool ignored = m->partial_ignored;
	set_partial(m, NULL);
	m->partial_ignored = false;
	if (t == NULL || t->pending != STRACE_WAITING) {
		if (!ignored && line->body != line->end)
			unparsed(s, m);
		return;
	}
	if (line->body < line->end && *line->body == ' ') /* " <unfinished ...>" */
		return;
	size_t joined = t->text_size;
	strace_count(s, "mixed.joined", 1);
	if (keep_text(s, t, line->body, line->end) &&
	    !finish_pending(s, t, t->entry_ns, t->text + joined))
		strace_count(s, "unclosed", 1);
}

static void foreign_line(struct strace *s, struct strace_member *m)
{
	unparsed(s, m);
	if (m->partial == NULL || ++m->partial_lines <= PARTIAL_LINES)
		return;
	strace_count(s, "mixed.lost", 1);
	strace_pending_clear(s, m->partial);
	set_partial(m, NULL);
}

static bool ends_with(const struct strace_line *line, const char *word)
{
	const size_t n = strlen(word);
	return (size_t)(line->end - line->body) >= n && memcmp(line->end - n, word, n) == 0;
}

/*
 * Returns true if a line without LF may be incomplete: a number, the name of an error or a duration
 * may be a prefix of a longer one.
 */
static bool is_cut(const struct strace_member *m, const struct strace_line *line)
{
	if (!m->cut)
		return false;
	if (line->body == line->end)
		return true;
	if (line->kind == STRACE_END)
		return !ends_with(line, "+++");
	if (line->kind == STRACE_SKIP)
		return *line->body == '-' && !ends_with(line, "---");
	if (line->kind > STRACE_END)
		return line->kind == STRACE_FOREIGN;
	const unsigned char last = (unsigned char)line->end[-1];
	if (m->layout.duration)
		return last != '>' && last != '?';
	return (unsigned char)(last - '0') < 10 || (unsigned char)((last | 32U) - 'a') < 26;
}

static void cut(struct strace *s, struct strace_member *m)
{
	ends_cut(s, m);
	strace_count(s, "unclosed", 1);
}

/*
 * Called between lines, not inside the fork that requested it: a deferred line may end the task
 * that forked.
 */
static void release_if_due(struct strace *s)
{
	if (!s->release_due)
		return;
	strace_tasks_release_deferred(s, false);
	s->release_due = false;
}

void strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line)
{
	const bool whole = !is_cut(m, line);
	if (!whole && (line->kind <= STRACE_END || line->kind == STRACE_SKIP))
		cut(s, m);
	else if (!whole)
		ends_cut(s, m);
	switch (line->kind) {
	case STRACE_SKIP:
		return;
	case STRACE_SUMMARY:
		s->summary = true;
		return;
	case STRACE_TAIL:
		tail_line(s, m, line);
		release_if_due(s);
		return;
	case STRACE_FOREIGN:
		if (!s->summary)
			foreign_line(s, m);
		return;
	default:
		break;
	}
	s->understood++;
	if (!whole)
		return;
	struct strace_task *task = strace_task_of(s, line);
	if (task != NULL)
		strace_body(s, task, line->time_ns, line->kind, line->body, line->end, m);
	release_if_due(s);
}
