/* SPDX-License-Identifier: BSD-2-Clause */
/* Asynchronous I/O: io_submit starts requests, io_getevents returns their results. */
#include "strace.h"

enum { IOCB_FIELDS = 16, EVENT_FIELDS = 8 };

/* Arguments */

/* Iterates over "[{...}, {...}, ...]". */
struct array {
	const char *at, *end;
	bool cut; /* strace truncated it */
};

static struct array array_of(struct strace_text list)
{
	const char *p = list.p;
	return (struct array){p != NULL && p < list.end && *p == '[' ? p + 1 : list.end, list.end,
			      false};
}

/* Splits the next element into fields. Returns false at the end, or if strace truncated it. */
static bool next_element(struct array *a, struct strace_text *field, unsigned max, unsigned *count)
{
	for (; a->at != NULL && a->at < a->end && *a->at != '{'; a->at++)
		a->cut |= *a->at == '.';
	if (a->at == NULL || a->at == a->end)
		return false;
	a->at = strace_split(a->at + 1, a->end, NULL, field, max, count);
	return a->at != NULL;
}

/* Sums the lengths of "[{iov_base=..., iov_len=10}, ...]". Returns false if some are hidden. */
static bool iovec_length(struct strace_text list, int64_t *length)
{
	struct array a = array_of(list);
	struct strace_text part[2];
	unsigned count;
	int64_t n;
	*length = 0;
	while (next_element(&a, part, 2, &count))
		if (count < 2 || !strace_field(part[1], "iov_len=", &n) || n < 0 ||
		    __builtin_add_overflow(*length, n, length))
			return false;
	return a.at != NULL && !a.cut;
}

struct iocb {
	struct strace_fd fd;
	int64_t length, offset;
	uint64_t data;
	bool transfer, write, hidden;
};

static void iocb_opcode(struct iocb *io, struct strace_text value)
{
	int64_t raw = -1;
	strace_number(value, &raw);
	const bool read = strace_is(value, "IOCB_CMD_PREAD") || raw == 0 || raw == 7;
	io->write = strace_is(value, "IOCB_CMD_PWRITE") || raw == 1 || raw == 8;
	io->transfer = read || io->write;
}

static void iocb_field(struct iocb *io, struct strace_text field)
{
	struct strace_text value;
	int64_t number;
	if (strace_value(field, "aio_lio_opcode=", &value))
		iocb_opcode(io, value);
	else if (strace_value(field, "aio_data=", &value) && strace_number(value, &number))
		io->data = (uint64_t)number;
	else if (strace_value(field, "aio_fildes=", &value))
		io->fd = strace_fd(value);
	else if (strace_value(field, "aio_nbytes=", &value))
		strace_number(value, &io->length);
	else if (strace_value(field, "aio_offset=", &value))
		strace_number(value, &io->offset);
	else if (strace_value(field, "aio_buf=", &value) && *value.p == '[')
		io->hidden = !iovec_length(value, &io->length);
}

static bool next_iocb(struct array *a, struct iocb *io)
{
	struct strace_text field[IOCB_FIELDS];
	unsigned count;
	if (!next_element(a, field, IOCB_FIELDS, &count))
		return false;
	*io = (struct iocb){.fd = {.number = STRACE_NO_FD}};
	for (unsigned i = 0; i < count; i++)
		iocb_field(io, field[i]);
	return true;
}

static bool next_result(struct array *a, uint64_t *data, int64_t *bytes)
{
	struct strace_text field[EVENT_FIELDS], value;
	unsigned count;
	int64_t number;
	if (!next_element(a, field, EVENT_FIELDS, &count))
		return false;
	*data = 0;
	*bytes = 0;
	for (unsigned i = 0; i < count; i++) {
		if (strace_value(field[i], "data=", &value) && strace_number(value, &number))
			*data = (uint64_t)number;
		else if (strace_value(field[i], "res=", &value) && strace_number(value, &number))
			*bytes = number;
	}
	return true;
}

static struct strace_context *context_of(const struct strace_call *c)
{
	int64_t id;
	if (c->args == 0 || !strace_number(c->arg[0], &id))
		return NULL;
	return strace_context_find(strace_process_of(c->task), (uint64_t)id);
}

/* io_submit */

/*
 * Makes the requests of a call outstanding when it starts: another thread may get their results
 * before it returns.
 */
static void begin_requests(struct strace *s, const struct strace_call *c, int64_t wanted)
{
	struct strace_context *ctx = context_of(c);
	struct strace_request **at = &c->task->active.submitting;
	struct array list = array_of(c->arg[2]);
	struct iocb io;
	if (ctx == NULL || !ctx->trusted)
		return;
	int64_t n = 0;
	for (; n < wanted && at != NULL && next_iocb(&list, &io); n++)
		at = strace_request_new(
		    s, at, ctx,
		    &(struct strace_request_info){.start_ns = c->start_ns,
						  .data = io.data,
						  .length = io.length > 0 ? (uint64_t)io.length : 0,
						  .irregular = !io.transfer || io.hidden});
	if (n < wanted || at == NULL)
		strace_context_distrust(s, ctx);
}

void strace_io_submit_enter(struct strace *s, struct strace_call *c)
{
	int64_t wanted;
	if (c->args > 2 && *c->arg[2].p == '[' && strace_number(c->arg[1], &wanted) && wanted > 0)
		begin_requests(s, c, wanted);
}

/*
 * Sets the record of a request as far as its submission shows it. Returns false if the request does
 * not become a record.
 */
static bool fill_record(struct strace *s, struct strace_call *c, const struct iocb *io,
			struct iot_record *rec)
{
	if (!io->transfer || io->length < 0 || io->offset < 0)
		return false;
	if (io->hidden) {
		strace_count(s, "hidden.io_submit_lengths", 1);
		return false;
	}
	const uint64_t length = (uint64_t)io->length;
	struct fd_slot *slot = strace_data_slot(s, c, &io->fd, length, io->write);
	if (slot == NULL)
		return false;
	struct strace_io out = {.length = length, .write = io->write, .async = true};
	out.at = open_description_move_at(slot->open, io->write, (uint64_t)io->offset, length);
	strace_make_record(s, c, io->fd.number, slot, &out, rec);
	rec->duration_ns = 0;
	rec->flags |= IOT_DURATION_UNKNOWN;
	return true;
}

/* io_submit(ctx, nr, [{...}, ...]) = k: the first k requests were submitted. */
void strace_io_submit(struct strace *s, struct strace_call *c)
{
	int64_t wanted;
	struct iocb io;
	struct iot_record rec;
	if (!c->returned || c->failed || c->result < 0 || c->args < 3 ||
	    !strace_number(c->arg[1], &wanted)) {
		strace_aio_withdraw(s, c->task);
		return;
	}
	s->aio.submits++;
	if (c->task->active.submitting == NULL)
		begin_requests(s, c, wanted < c->result ? c->result : wanted);
	struct strace_request *r = c->task->active.submitting;
	struct array list = array_of(c->arg[2]);
	int64_t seen = 0;
	for (; seen < c->result && next_iocb(&list, &io); seen++) {
		r = strace_request_submitted(s, r, fill_record(s, c, &io, &rec) ? &rec : NULL);
		c->task->active.submitting = r;
	}
	strace_aio_withdraw(s, c->task);
	if (seen < c->result)
		strace_count(s, "hidden.io_submit_entries", (uint64_t)(c->result - seen));
}

/* io_getevents */

/* io_getevents(ctx, min, nr, [{data=..., obj=..., res=..., res2=...}, ...], timeout) = k */
void strace_io_getevents(struct strace *s, struct strace_call *c)
{
	struct strace_context *ctx = context_of(c);
	const bool trusted = ctx != NULL && ctx->trusted;
	struct strace_aio_class *touched = NULL;
	struct array list = array_of(c->arg[3]);
	uint64_t data;
	int64_t seen = 0, bytes;
	bool whole = true;
	for (; seen < c->result && next_result(&list, &data, &bytes); seen++)
		if (trusted)
			whole = strace_aio_result(s, ctx, data, bytes, &touched) && whole;
		else if (bytes < 0)
			strace_count(s, "unknown.async_lengths", 1);
	if (seen < c->result)
		strace_count(s, "hidden.io_getevents_entries", (uint64_t)(c->result - seen));
	if (trusted && !(seen == c->result && whole && strace_aio_results(s, touched, c)))
		strace_context_distrust(s, ctx);
}

/* Contexts */

/* io_setup(nr, [ctx]) = 0 */
void strace_io_setup(struct strace *s, struct strace_call *c)
{
	int64_t id;
	s->aio.setups++;
	if (strace_pointed(c->arg[1], &id))
		strace_context_new(s, strace_process_of(c->task), (uint64_t)id);
}

/* io_destroy(ctx) = 0: waits for outstanding requests, whose results are lost. */
void strace_io_destroy(struct strace *s, struct strace_call *c)
{
	struct strace_context *ctx = context_of(c);
	if (ctx != NULL)
		strace_context_free(s, strace_process_of(c->task), ctx);
}

/*
 * io_cancel(ctx, iocb, result) = 0 on old systems: io_getevents does not return a result for the
 * request.
 */
void strace_io_cancel(struct strace *s, struct strace_call *c)
{
	struct strace_context *ctx = context_of(c);
	if (ctx != NULL)
		strace_context_distrust(s, ctx);
}

/* With a ring that the kernel polls, requests need no system call. */
void strace_io_uring_setup(struct strace *s, struct strace_call *c)
{
	s->aio.rings++;
	strace_created(s, c);
}
