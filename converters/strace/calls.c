/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Assembles calls from lines, from their unfinished and resumed halves. A call takes effect when it
 * returns.
 */
#include "strace.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	PARTIAL_LINES = 8, /* maximum number of foreign lines inside a call */
};

/* Active calls */

/*
 * Returns true if this pending call may still produce an event with a time as early as its entry.
 */
static bool is_timed(struct strace *s, const struct strace_task *t, const struct strace_entry *e,
		     const char *text, const char *end)
{
	if ((e->class & STRACE_OP) != 0)
		return s->emit.ops != EMIT_OPS_NONE;
	if ((e->class & STRACE_DATA) == 0)
		return false;
	if ((e->class & STRACE_READS) == 0 || s->options.all)
		return true;
	struct strace_fd fd = strace_fd((struct strace_text){text, end});
	const struct fd_slot *slot = fd_table_get(t->table, fd.number);
	return slot == NULL ? fd.number > 2 : strace_recorded(s, slot->open);
}

static struct strace_call call_of(struct strace *s, struct strace_task *t,
				  const struct strace_entry *e, int64_t start_ns, int64_t end_ns)
{
	return (struct strace_call){.entry = e,
				    .task = t,
				    .start_ns = start_ns,
				    .end_ns = end_ns,
				    .entered = s->log.members > 1 ? start_ns : strace_now(s)};
}

static void begin(struct strace *s, struct strace_task *t, const struct strace_entry *e,
		  int64_t time_ns, const char *text, const char *end)
{
	struct strace_active *a = &t->active;
	strace_call_drop(s, t);
	if (!strace_call_append(s, t, text, end))
		return;
	struct strace_call c = call_of(s, t, e, time_ns, 0);
	c.left = c.entered;
	a->entry = e;
	a->entry_ns = time_ns;
	a->entered = c.entered;
	strace_call_limits(s, t, is_timed(s, t, e, text, end));
	if (e->enter == NULL)
		return;
	if (a->text_size > 0)
		strace_split(a->text, a->text + a->text_size, NULL, c.arg, STRACE_ARGS, &c.args);
	e->enter(s, &c);
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

/* Without a duration in the line, it is the time from the first line of the call to its last. */
static void set_duration(struct strace *s, struct strace_call *c, struct strace_duration took)
{
	if (!took.known && !took.negative && c->end_ns != c->start_ns) {
		took.negative = c->end_ns < c->start_ns;
		took.known = !took.negative;
		took.ns = took.known ? (uint64_t)(c->end_ns - c->start_ns) : 0;
	}
	if (took.negative)
		strace_count(s, "clock.negative_duration", 1);
	c->duration_known = took.known && took.ns <= (uint64_t)(INT64_MAX - c->start_ns);
	c->duration_ns = c->duration_known ? took.ns : 0;
}

/* Processes a call with all its text. Returns false if its brackets are unbalanced. */
static bool finish(struct strace *s, struct strace_call *c, const char *text, const char *end,
		   const char *joined)
{
	struct strace_duration took;
	const char *stop = strace_line_duration(text, end, &took);
	const char *p = strace_split(text, stop, joined, c->arg, STRACE_ARGS, &c->args);
	c->fd.number = STRACE_NO_FD;
	if (p == NULL || !read_result(s, c, p, stop))
		return false;
	set_duration(s, c, took);
	if (c->end_ns < c->start_ns + (int64_t)c->duration_ns)
		c->end_ns = c->start_ns + (int64_t)c->duration_ns;
	c->left = s->log.members > 1 ? c->end_ns : strace_now(s);
	strace_run(s, c);
	return true;
}

/* Processes an active call whose text is now complete. */
static void finish_active(struct strace *s, struct strace_task *t, int64_t time_ns,
			  const char *joined)
{
	const struct strace_active *a = &t->active;
	struct strace_call c = call_of(s, t, a->entry, a->entry_ns, time_ns);
	c.entered = a->entered;
	const char *text = a->text != NULL ? a->text : "";
	if (!finish(s, &c, text, text + a->text_size, joined))
		strace_count(s, "unclosed", 1);
	if (a->entry == c.entry)
		strace_call_drop(s, t);
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

/* Drops a call whose result the log does not show: it may have moved a position. */
static void forget_active(struct strace *s, struct strace_task *t)
{
	const struct strace_active *a = &t->active;
	struct strace_call c = call_of(s, t, a->entry, a->entry_ns, a->entry_ns);
	if (a->text_size > 0 && (a->entry->class & STRACE_DATA) != 0) {
		strace_split(a->text, a->text + a->text_size, NULL, c.arg, STRACE_ARGS, &c.args);
		strace_forget(s, &c);
	}
	strace_call_drop(s, t);
}

/* The rest of an interrupted line does not come. */
static void give_up_partial(struct strace *s, struct strace_task *t)
{
	struct strace_member *m = t->cut_in;
	strace_lose(s, STRACE_MIXED, m, m->partial_number);
	forget_active(s, t);
	set_partial(m, NULL);
}

/* The task has called again: the end of an active call is not in the log. */
static void drop_active(struct strace *s, struct strace_task *t)
{
	if (t->cut_in != NULL && t->active.entry != NULL)
		give_up_partial(s, t);
	else if (t->active.entry != NULL)
		forget_active(s, t);
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
	m->partial_number = m->line_number;
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
		s->tasks.forks = true;
	if (e == NULL) {
		s->others++;
		if (!closed(text, end))
			cut_call(s, t, NULL, time_ns, text, end, m);
		else
			drop_active(s, t);
		return;
	}
	drop_active(s, t);
	if (strace_line_unfinished(text, end)) {
		begin(s, t, e, time_ns, text, end - sizeof " <unfinished ...>" + 1);
		return;
	}
	struct strace_call c = call_of(s, t, e, time_ns, time_ns);
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
	const char *name = body + sizeof "<... " - 1;
	const char *space = memchr(name, ' ', (size_t)(end - name)), *rest = space;
	if (space == NULL || space == name || !strace_skip(&rest, end, " resumed>"))
		return;
	const struct strace_entry *e = strace_table_find(s, name, (size_t)(space - name));
	if (e == NULL)
		return;
	if (t->active.entry != e)
		strace_count(s, "resumed_alone", 1);
	else if (!strace_line_unfinished(rest, end) && strace_call_append(s, t, rest, end))
		finish_active(s, t, time_ns, NULL);
}

static void end_line(struct strace *s, struct strace_task *t, const char *body, const char *end)
{
	int64_t tid;
	if (!strace_skip(&body, end, "+++ superseded by execve in pid "))
		strace_task_end(s, t);
	else if (strace_number((struct strace_text){body, end}, &tid) && tid > 0 &&
		 tid <= STRACE_PID_MAX)
		strace_task_superseded(s, t, (uint32_t)tid);
}

static void task_line(struct strace *s, struct strace_task *task, int64_t time_ns,
		      enum strace_kind kind, const char *body, const char *end,
		      struct strace_member *m)
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
	const bool ignored = m->partial_ignored;
	set_partial(m, NULL);
	m->partial_ignored = false;
	if (t == NULL || t->active.entry == NULL) {
		if (!ignored && line->body != line->end)
			unparsed(s, m);
		return;
	}
	if (line->body < line->end && *line->body == ' ') /* " <unfinished ...>" */
		return;
	const size_t joined = t->active.text_size;
	strace_count(s, "mixed.joined", 1);
	if (strace_call_append(s, t, line->body, line->end))
		finish_active(s, t, t->active.entry_ns, t->active.text + joined);
}

static void foreign_line(struct strace *s, struct strace_member *m)
{
	unparsed(s, m);
	if (m->partial == NULL || ++m->partial_lines <= PARTIAL_LINES)
		return;
	give_up_partial(s, m->partial);
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

void strace_release_deferred(struct strace *s, bool all)
{
	struct strace_deferred *d;
	while (s->tasks.deferred != NULL && (d = strace_deferred_next(s, all)) != NULL) {
		if (strace_task_find(s, d->tid) == NULL)
			strace_count(s, "ambiguous.parent", 1);
		struct strace_task *t = strace_task_or_root(s, d->tid);
		if (t != NULL)
			task_line(s, t, d->time_ns, d->kind, d->body, d->body + d->size, NULL);
		free(d);
	}
}

/*
 * Called between lines, not inside the fork that requested it: a deferred line may end the task
 * that forked.
 */
static void release_if_due(struct strace *s)
{
	if (!s->tasks.release_due)
		return;
	strace_release_deferred(s, false);
	s->tasks.release_due = false;
}

void strace_process(struct strace *s, struct strace_member *m, const struct strace_line *line)
{
	const bool whole = !is_cut(m, line);
	if (!whole)
		ends_cut(s, m);
	if (!whole && (line->kind <= STRACE_END || line->kind == STRACE_SKIP))
		strace_count(s, "unclosed", 1);
	switch (line->kind) {
	case STRACE_SKIP:
		return;
	case STRACE_SUMMARY:
		s->summary = true;
		return;
	case STRACE_TAIL:
		tail_line(s, m, line);
		break;
	case STRACE_FOREIGN:
		if (!s->summary)
			foreign_line(s, m);
		return;
	default:
		s->understood++;
		if (!whole)
			return;
		struct strace_task *t = strace_task_of(s, line);
		if (t == NULL && s->tasks.deferred_full) {
			strace_release_deferred(s, true);
			t = strace_task_assume(s, line);
		}
		if (t != NULL)
			task_line(s, t, line->time_ns, line->kind, line->body, line->end, m);
	}
	release_if_due(s);
}
