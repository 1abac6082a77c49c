/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asynchronous I/O: io_submit starts requests, io_getevents returns their results.
 *
 * strace prints no address of an iocb in io_submit, so results are matched by context and aio_data
 * alone. The outstanding requests of a context with equal aio_data form a *class*.
 *
 * If one call returns as many results as the class has requests, all of them have completed by
 * then. If it returns fewer, it is unknown which requests they belong to; the completion of all is
 * unknown from then on. Such requests become records at once, and the class only counts how many of
 * them are outstanding (its ghosts), since later results may belong to them.
 *
 * Lengths are taken from the results where these can be attributed. That is also the case if every
 * result is as long as every request, or if the results of a class add up to the requested lengths
 * when it becomes empty.
 *
 * A context that the log shows incompletely (truncated arrays, no io_setup) is not trusted: the
 * completion of all its requests is unknown.
 */
#include "strace.h"

#include <assert.h>
#include <string.h>

#include "lib/base/hash.h"

enum {
	IOCB_FIELDS = 16,
	EVENT_FIELDS = 8,
	OUTSTANDING_MAX = 65536, /* outstanding requests: the default of fs.aio-max-nr */
	CLASSES_MAX = 2 * OUTSTANDING_MAX,
	CONTEXTS_MAX = 1024, /* per process */
	BUCKETS = 4096,      /* of the table of classes; a power of two */
};

struct strace_context {
	struct strace_context *next;
	struct strace_aio_class *classes;
	uint64_t id;
	bool trusted;
};

struct strace_aio_class {
	struct strace_aio_class *bucket_next; /* in the hash table */
	struct strace_aio_class *prev, *next; /* of the context */
	struct strace_aio_class *touched;     /* list of classes with results in the current call */
	struct strace_context *context;
	/* outstanding requests whose completion can still be determined */
	struct strace_request *first, *last;
	uint64_t data, requests, ghosts;
	uint64_t min, max;            /* requested lengths since the class was last empty */
	uint64_t requested, returned; /* sums of lengths since then */
	uint64_t doubtful;            /* results since then that may be short */
	bool odd;                     /* a request failed or transfers no bytes */
	/* Results in the current call */
	uint64_t results, sum;
	int64_t shortest, longest;
};

enum request_state { OUTSTANDING, UNKNOWN, DONE };

struct strace_request {
	struct strace_request *prev, *next;             /* list of the log, oldest first */
	struct strace_request *class_prev, *class_next; /* valid while OUTSTANDING */
	struct strace_request *batch;                   /* next request of the same call */
	struct strace_aio_class *class;
	struct iot_record rec;
	int64_t result, end_ns;
	uint8_t state;
	bool submitted;    /* io_submit has returned, and rec is set */
	bool recorded;     /* ... and will be emitted */
	bool result_known; /* if DONE: result belongs to this request */
	bool end_known;
};

/* Arguments */

struct iocb {
	struct strace_fd fd;
	int64_t length, offset;
	uint64_t data;
	bool transfer, write, hidden;
};

/* Sums the lengths of "[{iov_base=..., iov_len=10}, ...]". Returns false if some are hidden. */
static bool iovec_length(struct strace_text list, int64_t *length)
{
	const char *p = list.p;
	*length = 0;
	if (p == list.end || *p != '[')
		return false;
	for (p++; p < list.end && *p != ']';) {
		struct strace_text part[2];
		unsigned count;
		int64_t n;
		if (*p != '{') {
			if (*p == '.')
				return false;
			p++;
			continue;
		}
		p = strace_split(p + 1, list.end, NULL, part, 2, &count);
		if (p == NULL || count < 2 || !strace_field(part[1], "iov_len=", &n) || n < 0 ||
		    __builtin_add_overflow(*length, n, length))
			return false;
	}
	return true;
}

static void iocb_opcode(struct iocb *io, struct strace_text value)
{
	int64_t raw = -1;
	strace_number(value, &raw);
	bool read = strace_is(value, "IOCB_CMD_PREAD") || raw == 0 || raw == 7;
	io->write = strace_is(value, "IOCB_CMD_PWRITE") || raw == 1 || raw == 8;
	io->transfer = read || io->write;
}

/* Returns true if the field is "key=...", and sets *value. */
static bool keyed(struct strace_text field, const char *key, struct strace_text *value)
{
	size_t n = strlen(key);
	if ((size_t)(field.end - field.p) <= n || memcmp(field.p, key, n) != 0)
		return false;
	*value = (struct strace_text){field.p + n, field.end};
	return true;
}

static void iocb_field(struct iocb *io, struct strace_text field)
{
	struct strace_text value;
	int64_t number;
	if (keyed(field, "aio_lio_opcode=", &value))
		iocb_opcode(io, value);
	else if (keyed(field, "aio_data=", &value) && strace_number(value, &number))
		io->data = (uint64_t)number;
	else if (keyed(field, "aio_fildes=", &value))
		io->fd = strace_fd(value);
	else if (keyed(field, "aio_nbytes=", &value))
		strace_number(value, &io->length);
	else if (keyed(field, "aio_offset=", &value))
		strace_number(value, &io->offset);
	else if (keyed(field, "aio_buf=", &value) && *value.p == '[')
		io->hidden = !iovec_length(value, &io->length);
}

/* Iterates over "[{...}, {...}, ...]". */
struct array {
	const char *at, *end;
};

static struct array array_of(struct strace_text list)
{
	const char *p = list.p;
	return (struct array){p != NULL && p < list.end && *p == '[' ? p + 1 : list.end, list.end};
}

/* Splits the next element into fields. Returns false at the end, or if strace truncated it. */
static bool next_element(struct array *a, struct strace_text *field, unsigned max, unsigned *count)
{
	while (a->at != NULL && a->at < a->end && *a->at != '{')
		a->at++;
	if (a->at == NULL || a->at == a->end)
		return false;
	a->at = strace_split(a->at + 1, a->end, NULL, field, max, count);
	return a->at != NULL;
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

/* Contexts: their ids are addresses, so they belong to one process */

static struct strace_group *owner(const struct strace_task *t)
{
	return t->group->leader != NULL ? t->group->leader : t->group;
}

static struct strace_context *find_context(const struct strace_group *g, uint64_t id)
{
	struct strace_context *x = g->contexts;
	while (x != NULL && x->id != id)
		x = x->next;
	return x;
}

static bool context_id(const struct strace_call *c, uint64_t *id)
{
	int64_t number;
	if (c->args == 0 || !strace_number(c->arg[0], &number))
		return false;
	*id = (uint64_t)number;
	return true;
}

static struct strace_context *context_of(const struct strace_call *c)
{
	uint64_t id;
	return context_id(c, &id) ? find_context(owner(c->task), id) : NULL;
}

/* Classes */

static struct strace_aio_class **bucket(struct strace *s, const struct strace_context *x,
					uint64_t data)
{
	const uint64_t key = data * 0x9e3779b97f4a7c15U ^ (uint64_t)(uintptr_t)x;
	return &s->aio.bucket[hash_mix(s->tracker.seed, key) & (BUCKETS - 1)];
}

static struct strace_aio_class *find_class(struct strace *s, const struct strace_context *x,
					   uint64_t data)
{
	if (s->aio.bucket == NULL)
		return NULL;
	struct strace_aio_class *k = *bucket(s, x, data);
	while (k != NULL && (k->context != x || k->data != data))
		k = k->bucket_next;
	return k;
}

static struct strace_aio_class *make_class(struct strace *s, struct strace_context *x,
					   uint64_t data)
{
	struct strace_aio_class *k = find_class(s, x, data);
	if (k != NULL || s->aio.classes == CLASSES_MAX)
		return k;
	if (s->aio.bucket == NULL)
		s->aio.bucket =
		    fdtable_grow(&s->tracker, NULL, 0, BUCKETS * sizeof(struct strace_aio_class *));
	k = s->aio.bucket != NULL ? fdtable_grow(&s->tracker, NULL, 0, sizeof *k) : NULL;
	if (k == NULL)
		return NULL;
	struct strace_aio_class **b = bucket(s, x, data);
	k->context = x;
	k->data = data;
	k->min = UINT64_MAX;
	k->bucket_next = *b;
	*b = k;
	k->next = x->classes;
	if (k->next != NULL)
		k->next->prev = k;
	x->classes = k;
	s->aio.classes++;
	return k;
}

static void free_class(struct strace *s, struct strace_aio_class *k)
{
	struct strace_aio_class **b = bucket(s, k->context, k->data);
	while (*b != k)
		b = &(*b)->bucket_next;
	*b = k->bucket_next;
	*(k->prev != NULL ? &k->prev->next : &k->context->classes) = k->next;
	if (k->next != NULL)
		k->next->prev = k->prev;
	fdtable_drop(&s->tracker, k, sizeof *k);
	s->aio.classes--;
}

/* Requests */

static void forget(struct strace *s, struct strace_request *r)
{
	*(r->prev != NULL ? &r->prev->next : &s->aio.first) = r->next;
	*(r->next != NULL ? &r->next->prev : &s->aio.last) = r->prev;
	fdtable_drop(&s->tracker, r, sizeof *r);
	s->aio.requests--;
}

static void emit(struct strace *s, struct strace_request *r)
{
	if (!r->recorded || s->ended)
		return;
	if (r->state == DONE && r->result_known && r->result < 0) {
		strace_count(s, "failed.async", 1);
		return;
	}
	if (r->state == DONE && r->result_known)
		r->rec.length = (uint64_t)r->result;
	if (r->state == DONE && r->end_known && r->end_ns >= r->rec.start_ns) {
		r->rec.duration_ns = (uint64_t)(r->end_ns - r->rec.start_ns);
		r->rec.flags &= (uint8_t)~IOT_DURATION_UNKNOWN;
	} else if (s->durations) {
		strace_count(s, "unknown.duration_records", 1);
	}
	strace_emit_made(s, &r->rec);
}

/* Emits a request whose result is settled, once its io_submit has returned. */
static void settle(struct strace *s, struct strace_request *r)
{
	if (!r->submitted)
		return;
	emit(s, r);
	forget(s, r);
}

static void leave_class(struct strace_request *r)
{
	struct strace_aio_class *k = r->class;
	assert(k != NULL);
	*(r->class_prev != NULL ? &r->class_prev->class_next : &k->first) = r->class_next;
	*(r->class_next != NULL ? &r->class_next->class_prev : &k->last) = r->class_prev;
	k->requests--;
}

static void become_ghost(struct strace *s, struct strace_request *r)
{
	leave_class(r);
	r->class->ghosts++;
	r->class = NULL;
	r->state = UNKNOWN;
	settle(s, r);
}

static void become_ghosts(struct strace *s, struct strace_aio_class *k)
{
	while (k->first != NULL)
		become_ghost(s, k->first);
}

/*
 * Frees a class without outstanding requests. Lengths that are still uncertain are counted as
 * unknown.
 */
static void end_class(struct strace *s, struct strace_aio_class *k)
{
	if (k->doubtful > 0 && (k->odd || k->requested != k->returned))
		strace_count(s, "unknown.async_lengths", k->doubtful);
	free_class(s, k);
}

/* Abandons the requests of a class: their results will never be seen. */
static void abandon_class(struct strace *s, struct strace_aio_class *k)
{
	become_ghosts(s, k);
	strace_count(s, "unseen.async_results", k->ghosts);
	k->odd = true;
	end_class(s, k);
}

static void abandon_context(struct strace *s, struct strace_context *x)
{
	while (x->classes != NULL)
		abandon_class(s, x->classes);
}

static void distrust(struct strace *s, struct strace_context *x)
{
	x->trusted = false;
	abandon_context(s, x);
}

/*
 * Turns the oldest request into a ghost if there are too many. Returns false if that is impossible.
 */
static bool keep_limit(struct strace *s)
{
	struct strace_request *r = s->aio.first;
	if (s->aio.requests < OUTSTANDING_MAX)
		return true;
	if (!r->submitted || r->state != OUTSTANDING)
		return false;
	become_ghost(s, r);
	return true;
}

static void join_class(struct strace_aio_class *k, struct strace_request *r, const struct iocb *io)
{
	const uint64_t length = io->length > 0 ? (uint64_t)io->length : 0;
	r->class = k;
	r->class_prev = k->last;
	*(k->last != NULL ? &k->last->class_next : &k->first) = r;
	k->last = r;
	k->requests++;
	k->min = length < k->min ? length : k->min;
	k->max = length > k->max ? length : k->max;
	k->requested += length;
	k->odd |= !io->transfer || io->hidden;
}

static struct strace_request *make_request(struct strace *s, struct strace_context *x,
					   const struct iocb *io)
{
	if (!keep_limit(s))
		return NULL;
	struct strace_aio_class *k = make_class(s, x, io->data);
	struct strace_request *r = k != NULL ? fdtable_grow(&s->tracker, NULL, 0, sizeof *r) : NULL;
	if (r == NULL)
		return NULL;
	join_class(k, r, io);
	r->prev = s->aio.last;
	*(s->aio.last != NULL ? &s->aio.last->next : &s->aio.first) = r;
	s->aio.last = r;
	s->aio.requests++;
	return r;
}

/*
 * Removes a request that was never submitted. One that is a ghost remains counted as outstanding.
 */
static void withdraw(struct strace *s, struct strace_request *r)
{
	struct strace_aio_class *k = r->class;
	if (r->state == OUTSTANDING) {
		leave_class(r);
		k->requested -= r->rec.length;
		if (k->requests == 0 && k->ghosts == 0)
			end_class(s, k);
	}
	forget(s, r);
}

void strace_aio_withdraw(struct strace *s, struct strace_task *t)
{
	struct strace_request *r = t->submitting;
	t->submitting = NULL;
	for (struct strace_request *next; r != NULL; r = next) {
		next = r->batch;
		withdraw(s, r);
	}
}

/* io_submit */

/*
 * Makes the requests of a call outstanding when it starts: another thread may get their results
 * before it returns.
 */
static bool begin_requests(struct strace *s, const struct strace_call *c, int64_t wanted)
{
	struct strace_context *x = context_of(c);
	struct strace_request **last = &c->task->submitting;
	struct array list = array_of(c->arg[2]);
	struct iocb io;
	if (x == NULL || !x->trusted)
		return false;
	int64_t n = 0;
	for (; n < wanted && next_iocb(&list, &io); n++) {
		*last = make_request(s, x, &io);
		if (*last == NULL)
			break;
		(*last)->rec.start_ns = c->start_ns;
		(*last)->rec.length = io.length > 0 ? (uint64_t)io.length : 0;
		last = &(*last)->batch;
	}
	if (n == wanted)
		return true;
	distrust(s, x);
	return false;
}

void strace_io_submit_enter(struct strace *s, struct strace_call *c)
{
	/* "0x7f, 1, [{...}]": not followed by a bracket */
	const struct strace_text all = c->arg[0];
	const char *comma = all.p != NULL ? memchr(all.p, ',', (size_t)(all.end - all.p)) : NULL;
	const char *list = comma != NULL ? memchr(comma, '[', (size_t)(all.end - comma)) : NULL;
	int64_t wanted;
	if (list == NULL || !strace_number((struct strace_text){comma + 2, list}, &wanted) ||
	    wanted <= 0)
		return;
	c->arg[0].end = comma;
	c->arg[2] = (struct strace_text){list, all.end};
	(void)begin_requests(s, c, wanted);
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
	struct fd_slot *slot = strace_data_slot(s, c, &io->fd, (uint64_t)io->length, io->write);
	if (slot == NULL)
		return false;
	const uint64_t length = (uint64_t)io->length;
	struct strace_io out = {.length = length, .write = io->write, .async = true};
	out.place = open_description_move_at(slot->open, io->write, (uint64_t)io->offset, length);
	strace_make_record(s, c, io->fd.number, slot, &out, rec);
	rec->duration_ns = 0;
	rec->flags |= IOT_DURATION_UNKNOWN;
	return true;
}

static void submitted(struct strace *s, struct strace_call *c, const struct iocb *io,
		      struct strace_request *r)
{
	struct strace_request lone = {.state = UNKNOWN};
	if (r == NULL)
		r = &lone;
	r->recorded = fill_record(s, c, io, &r->rec);
	r->submitted = true;
	if (r == &lone)
		emit(s, r);
	else if (r->state != OUTSTANDING)
		settle(s, r);
}

/* io_submit(ctx, nr, [{...}, ...]) = k: the first k requests were submitted. */
void strace_io_submit(struct strace *s, struct strace_call *c)
{
	int64_t wanted;
	struct iocb io;
	if (!c->returned || c->failed || c->result < 0 || c->args < 3 ||
	    !strace_number(c->arg[1], &wanted)) {
		strace_aio_withdraw(s, c->task);
		return;
	}
	s->aio.submits++;
	if (c->task->submitting == NULL)
		(void)begin_requests(s, c, wanted < c->result ? c->result : wanted);
	struct strace_request *r = c->task->submitting, *next;
	struct array list = array_of(c->arg[2]);
	int64_t seen = 0;
	for (; seen < c->result && next_iocb(&list, &io); seen++, r = next) {
		next = r != NULL ? r->batch : NULL;
		c->task->submitting = next;
		submitted(s, c, &io, r);
	}
	strace_aio_withdraw(s, c->task);
	if (seen < c->result)
		strace_count(s, "hidden.io_submit_entries", (uint64_t)(c->result - seen));
}

/* io_getevents */

struct result {
	uint64_t data;
	int64_t bytes;
};

static bool next_result(struct array *a, struct result *e)
{
	struct strace_text field[EVENT_FIELDS], value;
	unsigned count;
	int64_t number;
	if (!next_element(a, field, EVENT_FIELDS, &count))
		return false;
	*e = (struct result){0};
	for (unsigned i = 0; i < count; i++) {
		if (keyed(field[i], "data=", &value) && strace_number(value, &number))
			e->data = (uint64_t)number;
		else if (keyed(field[i], "res=", &value) && strace_number(value, &number))
			e->bytes = number;
	}
	return true;
}

/* Adds a result to its class, and the class to the list of touched classes. */
static bool add_result(struct strace *s, const struct strace_context *x, const struct result *e,
		       struct strace_aio_class **touched)
{
	struct strace_aio_class *k = find_class(s, x, e->data);
	if (k == NULL)
		return false;
	if (k->results == 0) {
		k->shortest = k->longest = e->bytes;
		k->sum = 0;
		k->touched = *touched;
		*touched = k;
	}
	k->results++;
	k->shortest = e->bytes < k->shortest ? e->bytes : k->shortest;
	k->longest = e->bytes > k->longest ? e->bytes : k->longest;
	k->sum += e->bytes > 0 ? (uint64_t)e->bytes : 0;
	k->odd |= e->bytes < 0 || (uint64_t)e->bytes > k->max;
	return true;
}

/*
 * Returns true if every result is as long as every request of the class: then their assignment does
 * not matter.
 */
static bool all_full(const struct strace_aio_class *k)
{
	return k->shortest == k->longest && k->min == k->max && k->shortest >= 0 &&
	       (uint64_t)k->shortest == k->max;
}

/* Completes all requests of a class, at the end of this call. */
static void complete_all(struct strace *s, struct strace_aio_class *k, const struct strace_call *c)
{
	const bool alike = k->shortest == k->longest;
	while (k->first != NULL) {
		struct strace_request *r = k->first;
		leave_class(r);
		r->class = NULL;
		r->state = DONE;
		r->end_ns = c->end_ns;
		r->end_known = c->duration_known;
		r->result_known = alike;
		r->result = k->shortest;
		if (alike) {
			k->requested -= r->rec.length;
			k->returned -= r->result > 0 ? (uint64_t)r->result : 0;
		}
		settle(s, r);
	}
}

static void take_results(struct strace *s, struct strace_aio_class *k, const struct strace_call *c)
{
	const uint64_t results = k->results;
	const bool all = results == k->requests + k->ghosts;
	k->results = 0;
	k->returned += k->sum;
	if (!all_full(k))
		k->doubtful += all && k->shortest == k->longest ? k->ghosts : results;
	if (all) {
		complete_all(s, k, c);
		end_class(s, k);
	} else {
		become_ghosts(s, k);
		k->ghosts -= results;
	}
}

/* Returns true if the log shows the requests of all these results. */
static bool is_plausible(const struct strace_aio_class *touched)
{
	for (const struct strace_aio_class *k = touched; k != NULL; k = k->touched)
		if (k->results > k->requests + k->ghosts)
			return false;
	return true;
}

/* io_getevents(ctx, min, nr, [{data=..., obj=..., res=..., res2=...}, ...], timeout) = k */
void strace_io_getevents(struct strace *s, struct strace_call *c)
{
	struct strace_context *x = context_of(c);
	struct strace_aio_class *touched = NULL;
	struct result e;
	bool whole = true;
	if (!c->returned || c->failed || c->result <= 0 || c->args < 4)
		return;
	struct array list = array_of(c->arg[3]);
	int64_t seen = 0;
	for (; seen < c->result && next_result(&list, &e); seen++)
		if (x != NULL && x->trusted)
			whole = add_result(s, x, &e, &touched) && whole;
		else if (e.bytes < 0)
			strace_count(s, "unknown.async_lengths", 1);
	if (seen < c->result) {
		strace_count(s, "hidden.io_getevents_entries", (uint64_t)(c->result - seen));
		whole = false;
	}
	if (x == NULL || !x->trusted)
		return;
	if (!whole || !is_plausible(touched)) {
		distrust(s, x);
		return;
	}
	for (struct strace_aio_class *next; touched != NULL; touched = next) {
		next = touched->touched;
		take_results(s, touched, c);
	}
}

/* Creation and end of contexts */

static void free_context(struct strace *s, struct strace_group *g, struct strace_context *x)
{
	struct strace_context **at = &g->contexts;
	abandon_context(s, x);
	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	g->context_count--;
	fdtable_drop(&s->tracker, x, sizeof *x);
}

void strace_aio_leave(struct strace *s, struct strace_group *g)
{
	while (g->contexts != NULL)
		free_context(s, g, g->contexts);
}

/* io_setup(nr, [ctx]) = 0 */
void strace_io_setup(struct strace *s, struct strace_call *c)
{
	int64_t id;
	struct strace_group *g = owner(c->task);
	if (!c->returned || c->failed || c->args < 2)
		return;
	s->aio.setups++;
	const struct strace_text arg = c->arg[1];
	if (arg.p == arg.end || *arg.p != '[' ||
	    !strace_number((struct strace_text){arg.p + 1, arg.end}, &id))
		return;
	struct strace_context *x = find_context(g, (uint64_t)id);
	if (x != NULL)
		free_context(s, g, x);
	if (g->context_count == CONTEXTS_MAX)
		return;
	x = fdtable_grow(&s->tracker, NULL, 0, sizeof *x);
	if (x == NULL)
		return;
	*x = (struct strace_context){.next = g->contexts, .id = (uint64_t)id, .trusted = true};
	g->contexts = x;
	g->context_count++;
}

/* With a ring that the kernel polls, requests need no system call. */
void strace_io_uring_setup(struct strace *s, struct strace_call *c)
{
	s->aio.rings += c->returned && !c->failed;
	strace_created(s, c);
}

/* io_destroy(ctx) = 0: waits for outstanding requests, whose results are lost. */
void strace_io_destroy(struct strace *s, struct strace_call *c)
{
	struct strace_context *x = context_of(c);
	if (x != NULL && c->returned && !c->failed)
		free_context(s, owner(c->task), x);
}

/*
 * io_cancel(ctx, iocb, result) = 0 on old systems: io_getevents does not return a result for the
 * request.
 */
void strace_io_cancel(struct strace *s, struct strace_call *c)
{
	struct strace_context *x = context_of(c);
	if (x != NULL && c->returned && !c->failed)
		distrust(s, x);
}

int64_t strace_aio_earliest(const struct strace *s)
{
	return s->aio.first != NULL ? s->aio.first->rec.start_ns : INT64_MAX;
}

void strace_aio_free(struct strace *s)
{
	fdtable_drop(&s->tracker, s->aio.bucket,
		     s->aio.bucket != NULL ? BUCKETS * sizeof(struct strace_aio_class *) : 0);
	s->aio.bucket = NULL;
}
