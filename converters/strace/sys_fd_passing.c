/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Descriptors in messages between processes (SCM_RIGHTS). The receiver shares the position with the
 * sender, and the description with all tracked state, if both ends of the socket are known, as for
 * socketpair. Otherwise the position is unknown from then on, on both sides.
 */
#include "strace.h"

#include <string.h>

enum {
	RIGHTS_MAX = 253, /* per message: SCM_MAX_FD of Linux */
	SAME_MAX = 256, /* maximum number of descriptors searched for one of the same description */
	/* maximum number of descriptors visited for all truncated messages */
	VISITED_MAX = 1 << 24,
};

/* The descriptors that a message shows. */
struct rights {
	uint32_t count;
	bool cut; /* strace printed only a part: "[4, ...]" */
	struct strace_fd fd[RIGHTS_MAX];
};

/* Returns the text after `key` in one of the parts; an empty one if there is none. */
static struct strace_text value_of(const struct strace_text *part, unsigned count, const char *key)
{
	struct strace_text value = {0};
	for (unsigned i = 0; i < count; i++)
		if (strace_value(part[i], key, &value))
			break;
	return value;
}

/* "{cmsg_len=20, cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[5</x>, 6]}" */
static void add_rights(struct rights *r, struct strace_text control)
{
	struct strace_text part[STRACE_ARGS], item[RIGHTS_MAX];
	const unsigned parts = strace_elements(control, part, STRACE_ARGS);
	const struct strace_text level = value_of(part, parts, "cmsg_level="),
				 type = value_of(part, parts, "cmsg_type="),
				 data = value_of(part, parts, "cmsg_data=");
	int64_t raw_level = 0, raw_type = 0;
	if (!strace_has_flag(type, "SCM_RIGHTS") &&
	    !(strace_number(level, &raw_level) && raw_level == 1 &&
	      strace_number(type, &raw_type) && raw_type == 1))
		return;
	const unsigned items = strace_elements(data, item, RIGHTS_MAX);
	for (unsigned i = 0; i < items && r->count < RIGHTS_MAX; i++) {
		r->fd[r->count] = strace_fd(item[i]);
		if (r->fd[r->count].number >= 0)
			r->count++;
		else
			r->cut = true;
	}
}

/* Parses all arguments of a call: "3, {msg_name=NULL, ..., msg_control=[{...}], ...}". */
static void read_rights(const struct strace_call *c, struct rights *r)
{
	const struct strace_text call = strace_arguments(c);
	struct strace_text part[STRACE_ARGS], control[STRACE_ARGS];
	const struct strace_fd socket = strace_fd(call);
	struct strace_text rest = {socket.note.p != NULL ? socket.note.end : call.p, call.end};
	r->count = 0;
	r->cut = false;
	if (!strace_contains(rest, "cmsg_data=["))
		return;
	rest.p = memchr(rest.p, '{', (size_t)(rest.end - rest.p));
	const unsigned parts = rest.p != NULL ? strace_elements(rest, part, STRACE_ARGS) : 0;
	const unsigned controls =
	    strace_elements(value_of(part, parts, "msg_control="), control, STRACE_ARGS);
	for (unsigned i = 0; i < controls; i++)
		add_rights(r, control[i]);
}

/* Sending */

/* Returns NULL if the message contains no descriptors or memory is exhausted. */
static struct fd_message *pack(struct strace *s, struct strace_call *c, const struct rights *r)
{
	struct fd_message *m =
	    r->count == 0 ? NULL : fd_message_new(&s->fds, r->count, c->task->tid);
	for (uint32_t i = 0; m != NULL && i < r->count; i++) {
		struct fd_slot *slot = strace_slot(s, c, &r->fd[i]);
		if (slot == NULL || slot->open->kind == FD_SOCKET)
			continue;
		m->open[i] = slot->open;
		slot->open->refs++;
	}
	return m;
}

static bool post(struct strace *s, struct strace_call *c, const struct rights *r,
		 struct fd_message *m)
{
	const struct strace_fd socket = strace_fd(strace_arguments(c));
	const struct fd_slot *slot = strace_slot(s, c, &socket);
	return m != NULL && !r->cut && slot != NULL && fd_socketpair_send(&s->fds, slot->open, m);
}

/* Untraced processes may use the description and write its file. */
static void escapes(struct strace *s, struct open_description *d)
{
	if (d->kind != FD_FILE || d->elsewhere)
		return;
	d->elsewhere = true;
	d->position_known = false;
	if (d->file != NULL) {
		d->file->elsewhere = true;
		d->file->size_known = false;
	}
	strace_count(s, "unseen.passed", 1);
}

/* The unknown receiver may move the positions. */
static void message_escapes(struct strace *s, const struct fd_message *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (m->open[i] != NULL)
			escapes(s, m->open[i]);
}

/* A truncated message may contain any of the sender's descriptors. */
static void all_escape(struct strace *s, const struct strace_call *c)
{
	const struct fd_table *table = c->task->table;
	struct fd_slot *slot;
	s->passing.cut_messages = true;
	for (int64_t fd = fd_table_next(table, 0, &slot); fd < (int64_t)table->capacity;
	     fd = fd_table_next(table, fd + 1, &slot)) {
		if (s->passing.visited++ == VISITED_MAX)
			break;
		escapes(s, slot->open);
	}
	if (s->passing.visited > VISITED_MAX) /* too many to visit: mark all descriptions */
		s->passing.passed = s->fds.files + 1;
}

/* The receiver's call may return before the sender's. */
void strace_sendmsg_enter(struct strace *s, struct strace_call *c)
{
	struct rights r;
	read_rights(c, &r);
	struct fd_message *m = pack(s, c, &r);
	c->task->active.posted = post(s, c, &r, m);
	if (!c->task->active.posted)
		fd_message_free(&s->fds, m);
}

void strace_sendmsg(struct strace *s, struct strace_call *c)
{
	const bool posted = c->task->active.posted, sent = c->returned && !c->failed;
	struct rights r;
	s->passing.messages = true;
	if (sent && c->args > 0 && c->result >= 0)
		strace_read_write(s, c);
	read_rights(c, &r);
	if (posted && !sent) {
		const struct strace_fd socket = strace_fd(strace_arguments(c));
		const struct fd_slot *slot = strace_slot(s, c, &socket);
		if (slot != NULL)
			fd_socketpair_take_back(&s->fds, slot->open, c->task->tid);
	}
	if (posted || !sent)
		return;
	struct fd_message *m = pack(s, c, &r);
	if (r.cut) {
		all_escape(s, c);
		strace_count(s, "hidden.messages", 1);
	}
	if (m == NULL || post(s, c, &r, m))
		return;
	message_escapes(s, m);
	fd_message_free(&s->fds, m);
}

/* Receiving */

/* Returns another descriptor of d; -1 if none is among the first SAME_MAX. */
static int64_t same(const struct fd_table *table, const struct open_description *d)
{
	struct fd_slot *slot;
	int64_t fd = fd_table_next(table, 0, &slot);
	for (int i = 0; i < SAME_MAX && fd < (int64_t)table->capacity; i++) {
		if (slot->open == d)
			return fd;
		fd = fd_table_next(table, fd + 1, &slot);
	}
	return -1;
}

static void install(struct strace *s, struct strace_call *c, const struct strace_fd *fd,
		    struct open_description *d, bool cloexec)
{
	struct fd_table *table = c->task->table;
	const int64_t other = same(table, d);
	if (other >= 0 && other != fd->number) {
		const struct strace_fd from = {.number = other};
		strace_copy(s, c, &from, fd->number, cloexec, false);
		return;
	}
	d->refs++;
	strace_install(s, c, fd->number, d, cloexec);
}

void strace_recvmsg(struct strace *s, struct strace_call *c)
{
	struct rights r;
	s->passing.messages = true;
	if (!c->returned || c->failed || c->args < 2 || c->result < 0)
		return;
	strace_read_write(s, c);
	read_rights(c, &r);
	const struct strace_fd socket = strace_fd(c->arg[0]);
	if (r.cut) {
		strace_count(s, "hidden.messages", 1);
		s->passing.cut_messages = true;
	}
	const struct fd_slot *slot = r.count == 0 ? NULL : strace_slot(s, c, &socket);
	const bool followed =
	    slot != NULL && !r.cut && c->args > 2 && !strace_has_flag(c->arg[2], "MSG_PEEK");
	const bool cloexec = c->args > 2 && strace_has_flag(c->arg[2], "MSG_CMSG_CLOEXEC");
	struct fd_message *m =
	    followed ? fd_socketpair_receive(&s->fds, slot->open, r.count) : NULL;
	for (uint32_t i = 0; i < r.count; i++) {
		if (m != NULL && m->open[i] != NULL) {
			install(s, c, &r.fd[i], m->open[i], cloexec);
			continue;
		}
		strace_install(s, c, r.fd[i].number,
			       m == NULL ? strace_found_passed(s, &r.fd[i])
					 : open_description_new(&s->fds, FD_SOCKET, NULL),
			       cloexec);
	}
	fd_message_free(&s->fds, m);
}

/* sendmmsg and recvmmsg: several messages per call */
void strace_messages(struct strace *s, struct strace_call *c)
{
	if (strace_contains(strace_arguments(c), "SCM_RIGHTS")) {
		strace_count(s, "unseen.passed", 1);
		all_escape(s, c);
	}
}
