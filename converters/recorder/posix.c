/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of POSIX calls. Results are not recorded (except those of open in 2.1 and 2.2), so every
 * call counts as successful, with the requested bytes; a read does not exceed an end that is known
 * for certain.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

/* Values of Linux; all traces use them. */
enum open_flag {
	ACCESS = 03,
	WRITE_ONLY = 01,
	READ_WRITE = 02,
	CREATE = 0100,
	EXCLUSIVE = 0200,
	TRUNCATE = 01000,
	APPEND = 02000,
};

enum { SEEK_TO_SET, SEEK_FROM_HERE, SEEK_FROM_END, FCNTL_DUPFD = 0, FCNTL_DUPFD_CLOEXEC = 1030 };

/* 2.1 and 2.2 record descriptors, and so does the text that their recorder2text prints. */
static bool by_descriptor(const struct recorder_rank *k)
{
	return k->call.result_known;
}

static struct iot_text place_path(const struct recorder_rank *k)
{
	return k->r->paths.text[k->call.signature->place - 1];
}

/* Handles */

static struct tracked_file *file_of(struct recorder_rank *k, struct iot_text path, unsigned how)
{
	return fdtable_open(&k->r->tracker, path.data, path.size, how);
}

/*
 * Creates the handle of a file that is used although its open was not traced: its position is
 * unknown.
 */
static struct recorder_handle *imply(struct recorder_rank *k, struct recorder_place *p)
{
	struct recorder_handle *h = recorder_handle_new(k->r, file_of(k, place_path(k), 0));
	if (h == NULL)
		return NULL;
	h->implied = true;
	p->remembered = h;
	return h;
}

static struct recorder_handle *descriptor(struct recorder_rank *k, int64_t fd)
{
	struct recorder_place *p = recorder_place_find(&k->descriptors, fd);
	if (p != NULL && p->newest != NULL)
		return p->newest;
	if (k->duplicate == NULL || fd < 3)
		return NULL;
	p = recorder_place(k->r, &k->descriptors, fd);
	if (p == NULL)
		return NULL;
	p->newest = k->duplicate; /* the reference moves with it */
	k->duplicate = NULL;
	return p->newest;
}

/* Returns NULL if there is none; with descriptors, that means that its open was not traced. */
static struct recorder_handle *handle_of(struct recorder_rank *k, unsigned access, bool make,
					 bool *ambiguous)
{
	const struct recorder_signature *s = k->call.signature;
	*ambiguous = false;
	if (by_descriptor(k))
		return descriptor(k, s->place);
	struct recorder_place *p = recorder_place(k->r, &k->paths, s->place);
	if (p == NULL)
		return NULL;
	struct recorder_handle *h = p->newest;
	if (h != NULL && h->next == NULL && (h->access & access) == access)
		return h;
	h = recorder_pick(p, access, ambiguous);
	return h == NULL && make ? imply(k, p) : h;
}

static void set_descriptor(struct recorder_rank *k, int64_t fd, struct recorder_handle *h)
{
	struct recorder_place *p = recorder_place(k->r, &k->descriptors, fd);
	if (p == NULL) {
		recorder_handle_free(k->r, h);
		return;
	}
	recorder_handle_free(k->r, p->newest);
	p->newest = h;
}

/* Opens and closes */

static void emit_open(struct recorder_rank *k, struct recorder_handle *h, struct iot_text path,
		      bool failed)
{
	const struct recorder_op op = {.name = k->call.signature->function->op,
				       .handle = h,
				       .path = path,
				       .failed = failed,
				       .result_known = k->call.result_known};
	recorder_emit_op(k, &op);
}

static void open_as(struct recorder_rank *k, unsigned flags)
{
	const struct recorder_signature *s = k->call.signature;
	struct iot_text path = recorder_arg(s, 0);
	unsigned how = 0;
	if (k->call.result_known && k->call.result < 0) {
		emit_open(k, NULL, path, true);
		return;
	}
	if ((flags & CREATE) != 0)
		how |= OPEN_CREATE;
	if ((flags & TRUNCATE) != 0)
		how |= OPEN_TRUNCATE;
	/* O_EXCL: if the file exists, the open fails; otherwise the file is known to be new. */
	if ((flags & CREATE) != 0 && (flags & EXCLUSIVE) != 0 &&
	    fdtable_find(&k->r->tracker, path.data, path.size) == NULL)
		how |= OPEN_EXCLUSIVE;
	struct tracked_file *f = file_of(k, path, how);
	struct recorder_handle *h = recorder_handle_new(k->r, f);
	if (h == NULL)
		return;
	if (f != NULL && f->size_known && (how & (OPEN_TRUNCATE | OPEN_EXCLUSIVE)) != 0)
		recorder_resizes(k, f);
	unsigned access = flags & ACCESS;
	h->access = access == WRITE_ONLY   ? RECORDER_WRITES
		    : access == READ_WRITE ? RECORDER_READS | RECORDER_WRITES
					   : RECORDER_READS;
	h->open->append = (flags & APPEND) != 0;
	h->open->position_known = h->open->seen = true;
	if (by_descriptor(k)) {
		set_descriptor(k, k->call.result, h);
	} else {
		struct recorder_place *p = recorder_place(k->r, &k->paths, s->place);
		if (p == NULL) {
			recorder_handle_free(k->r, h);
			return;
		}
		recorder_push(p, h);
	}
	emit_open(k, h, path, false);
}

static unsigned mode_flags(struct iot_text mode)
{
	unsigned flags = 0;
	bool plus = mode.size > 0 && memchr(mode.data, '+', mode.size) != NULL;
	if (mode.size > 0 && *mode.data == 'w')
		flags = WRITE_ONLY | CREATE | TRUNCATE;
	else if (mode.size > 0 && *mode.data == 'a')
		flags = WRITE_ONLY | CREATE | APPEND;
	return plus ? (flags & ~(unsigned)ACCESS) | READ_WRITE : flags;
}

static void emit_handle_op(struct recorder_rank *k, struct recorder_handle *h)
{
	struct recorder_op op = {.name = k->call.signature->function->op, .handle = h};
	if (!by_descriptor(k))
		op.path = place_path(k);
	else if (h != NULL && h->open->file != NULL && file_has_path(&k->r->tracker, h->open->file))
		op.path = (struct iot_text){h->open->file->path, h->open->file->path_size};
	if (op.path.size > 0)
		recorder_emit_op(k, &op);
}

static void close_descriptor(struct recorder_rank *k)
{
	struct recorder_place *p = recorder_place_find(&k->descriptors, k->call.signature->place);
	struct recorder_handle *h = p == NULL ? NULL : p->newest;
	if (h == NULL)
		return;
	if (h->refs == 1)
		emit_handle_op(k, h);
	p->newest = NULL;
	recorder_handle_free(k->r, h);
}

static void close_place(struct recorder_rank *k)
{
	if (by_descriptor(k)) {
		close_descriptor(k);
		return;
	}
	struct recorder_place *p = recorder_place(k->r, &k->paths, k->call.signature->place);
	if (p == NULL)
		return;
	struct recorder_handle *h = recorder_pop(k->r, p);
	if (h == NULL && p->remembered != NULL && !p->remembered->ended)
		h = p->remembered;
	emit_handle_op(k, h);
	if (h != NULL)
		h->ended = true;
}

static void share_descriptor(struct recorder_rank *k)
{
	struct iot_text old = recorder_arg(k->call.signature, 0);
	int64_t fd;
	if (!by_descriptor(k) || k->call.result < 0 || !recorder_number(old, &fd) ||
	    fd == k->call.result)
		return;
	struct recorder_handle *h = descriptor(k, fd);
	if (h == NULL)
		return;
	h->refs++;
	set_descriptor(k, k->call.result, h);
}

/* The new descriptor is not recorded: the next unknown one is assumed to be the duplicate. */
static void control(struct recorder_rank *k)
{
	int64_t command;
	if (!by_descriptor(k) || !recorder_number(recorder_arg(k->call.signature, 1), &command) ||
	    (command != FCNTL_DUPFD && command != FCNTL_DUPFD_CLOEXEC))
		return;
	struct recorder_handle *h = descriptor(k, k->call.signature->place);
	if (h == NULL)
		return;
	recorder_handle_free(k->r, k->duplicate);
	h->refs++;
	k->duplicate = h;
}

/* Data */

/* Returns the maximum number of bytes that a read can have returned. */
static uint64_t bounded(const struct recorder_rank *k, const struct open_description *d,
			uint64_t offset, bool known, uint64_t length)
{
	const struct tracked_file *f = d->file;
	if (!known || f == NULL || !recorder_size_sure(k, f))
		return length;
	uint64_t left = f->size > offset ? f->size - offset : 0;
	return length < left ? length : left;
}

/*
 * Returns true if a read went beyond all bytes that the rank has written and the size is unknown.
 */
static bool may_have_met_end(const struct recorder_rank *k, const struct open_description *d)
{
	const struct tracked_file *f = d->file;
	return f != NULL && recorder_is_owner(k, f) && !f->size_known && d->position > f->size;
}

static void move(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	const struct recorder_function *f = s->function;
	const bool at = f->action == RECORDER_MOVE_AT;
	bool ambiguous;
	struct recorder_handle *h =
	    handle_of(k, f->write ? RECORDER_WRITES : RECORDER_READS, true, &ambiguous);
	if (h == NULL) {
		k->r->count[RECORDER_UNNAMED]++;
		k->r->count[f->write ? RECORDER_UNNAMED_WRITTEN : RECORDER_UNNAMED_READ] +=
		    s->length;
		return;
	}
	if (at && k->call.offset_known && k->call.offset < 0) {
		k->r->count[RECORDER_REFUSED]++;
		return;
	}
	struct open_description *d = h->open;
	struct recorder_io io = {.handle = h, .length = s->length, .write = f->write};
	const bool doubtful = h->doubtful,
		   cut = f->length == 1 && !f->wide && s->length > INT32_MAX;
	if (f->write && s->length > 0 && d->file != NULL)
		recorder_resizes(k, d->file);
	if (!f->write)
		io.length = bounded(k, d, at ? (uint64_t)k->call.offset : d->position,
				    at ? k->call.offset_known : d->position_known, s->length);
	if (!at) {
		k->r->count[RECORDER_AMBIGUOUS_END] += doubtful;
		io.place = open_description_move(d, f->write, io.length);
		h->doubtful |= !f->write && may_have_met_end(k, d);
		k->r->count[RECORDER_AMBIGUOUS_HANDLE] += ambiguous;
		k->r->count[RECORDER_AMBIGUOUS_LENGTH] += cut;
	} else if (k->call.offset_known) {
		io.place =
		    open_description_move_at(d, f->write, (uint64_t)k->call.offset, io.length);
	}
	k->r->count[RECORDER_IMPLIED] += h->implied;
	recorder_emit_record(k, &io);
	if (!at && (doubtful || ambiguous || cut))
		recorder_ambiguity(k, h);
}

static void seek(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	bool ambiguous;
	struct recorder_handle *h = handle_of(k, 0, true, &ambiguous);
	if (h == NULL)
		return;
	struct open_description *d = h->open;
	int64_t to = k->call.offset;
	h->doubtful = h->doubtful && s->whence == SEEK_FROM_HERE;
	bool known = k->call.offset_known;
	if (s->whence == SEEK_FROM_HERE) {
		known = known && d->position_known && d->position <= INT64_MAX &&
			!__builtin_add_overflow(to, (int64_t)d->position, &to);
	} else if (s->whence == SEEK_FROM_END) {
		const struct tracked_file *f = d->file;
		known = known && f != NULL && recorder_size_sure(k, f) && f->size <= INT64_MAX &&
			!__builtin_add_overflow(to, (int64_t)f->size, &to);
	}
	if (known && to < 0)
		return; /* the call failed */
	if (known)
		open_description_seek(d, (uint64_t)to);
	else
		d->position_known = false;
}

/* Names and sizes */

static void truncate_file(struct recorder_rank *k, struct tracked_file *f)
{
	int64_t size = k->call.offset;
	if (f == NULL || size < 0)
		return;
	file_truncate(f, (uint64_t)size);
	recorder_resizes(k, f);
}

static void emit_path_op(struct recorder_rank *k, int first)
{
	const struct recorder_signature *s = k->call.signature;
	struct recorder_op op = {.name = s->function->op};
	if (first >= 0)
		op.path = recorder_arg(s, (unsigned)first);
	recorder_emit_op(k, &op);
}

static void two_paths(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	struct fdtable *t = &k->r->tracker;
	struct recorder_op op = {
	    .name = s->function->op, .path = recorder_arg(s, 0), .to = recorder_arg(s, 1)};
	recorder_emit_op(k, &op);
	if (op.to.size == 0)
		return;
	if (s->function->action == RECORDER_RENAME)
		fdtable_rename(t, op.path.data, op.path.size, op.to.data, op.to.size, false);
	else if (s->function->action == RECORDER_LINK)
		fdtable_link(t, op.path.data, op.path.size, op.to.data, op.to.size, false);
}

static void unlink_path(struct recorder_rank *k)
{
	struct iot_text path = recorder_arg(k->call.signature, 0);
	emit_path_op(k, 0);
	fdtable_absent(&k->r->tracker, path.data, path.size);
	struct recorder_place *p = recorder_place_find(&k->paths, k->call.signature->place);
	if (p == NULL || by_descriptor(k))
		return;
	recorder_handle_free(k->r, p->remembered);
	p->remembered = NULL;
}

static void hidden(struct recorder_rank *k)
{
	bool map = k->call.signature->function->op[0] == 'm';
	k->r->count[map ? RECORDER_HIDDEN_MMAP : RECORDER_HIDDEN_PRINTF]++;
}

void recorder_posix(struct recorder_rank *k)
{
	const struct recorder_signature *s = k->call.signature;
	bool ambiguous;
	switch ((enum recorder_action)s->function->action) {
	case RECORDER_MOVE:
	case RECORDER_MOVE_AT:
		move(k);
		break;
	case RECORDER_SEEK:
		seek(k);
		break;
	case RECORDER_OPEN:
		open_as(k, (unsigned)s->offset);
		break;
	case RECORDER_CREAT:
		open_as(k, WRITE_ONLY | CREATE | TRUNCATE);
		break;
	case RECORDER_FOPEN:
		open_as(k, mode_flags(recorder_arg(s, 1)));
		break;
	case RECORDER_CLOSE:
		close_place(k);
		break;
	case RECORDER_DUP:
		share_descriptor(k);
		break;
	case RECORDER_FCNTL:
		control(k);
		break;
	case RECORDER_TRUNCATE:
		emit_path_op(k, 0);
		truncate_file(k, file_of(k, recorder_arg(s, 0), 0));
		break;
	case RECORDER_FTRUNCATE:
	case RECORDER_HANDLE_OP: {
		struct recorder_handle *h = handle_of(k, 0, false, &ambiguous);
		emit_handle_op(k, h);
		if (s->function->action == RECORDER_FTRUNCATE && h != NULL)
			truncate_file(k, h->open->file);
		break;
	}
	case RECORDER_RENAME:
	case RECORDER_LINK:
	case RECORDER_TWO_PATHS_OP:
		two_paths(k);
		break;
	case RECORDER_UNLINK:
		unlink_path(k);
		break;
	case RECORDER_PATH_OP:
		emit_path_op(k, s->function->place);
		break;
	case RECORDER_BARE_OP:
		emit_path_op(k, -1);
		break;
	case RECORDER_HIDDEN:
		hidden(k);
		break;
	default:
		break;
	}
}
