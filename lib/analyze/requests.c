/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"

enum {
	BLOCK_BITS = 9,
	SCATTERED = 8, /* requests of a fileId in a batch: fewer are scattered */
};

static_assert(1 << BLOCK_BITS == IOT_BLOCK_SIZE, "blocks are shifted");

/* CPU clocks, which the clocks of the next part continue. Traces without clocks need no numbers. */

static inline void set_clock(struct requests *r, size_t thread, int64_t cpu_ns)
{
	if (requests_keep(
		r, array_reserve_index(&r->clocks, &r->clock_capacity, thread, sizeof *r->clocks)))
		r->clocks[thread] = (struct request_clock){cpu_ns, true};
}

/* Updates the CPU clock from a record that is not a request. */
static void set_other_clock(struct requests *r, const struct iot_record *rec)
{
	if (rec->cpu_ns == 0 && r->clock_capacity == 0)
		return;
	const size_t thread = rec->cpu_ns != 0 ? requests_number(r, rec->process)
					       : idmap_find(&r->processes.map, rec->process);
	if (rec->cpu_ns != 0 || thread < r->clock_capacity)
		set_clock(r, thread, rec->cpu_ns);
}

/* A fileId that another object gets is another stream. */
static void bind(struct requests *r, struct file_id *id, const struct iot_record *rec)
{
	const size_t thread = requests_number(r, rec->process);
	if (thread == SIZE_MAX)
		return;
	const size_t process = process_ids_owner(&r->processes, thread);
	requests_mark_active(r, process);
	if (id->file == 0 || id->object != rec->object) {
		requests_replace_stream(r, id);
		id->file = requests_file(r, id, rec->object);
		id->sums = 0;
	}
	id->object = rec->object;
	id->thread = (uint32_t)thread + 1;
	id->process = (uint32_t)process + 1;
	id->owner_changes = r->processes.owner_changes;
	id->batch = 0;
	const size_t pair = requests_pair(r, process, id->file);
	if (pair != SIZE_MAX)
		id->pair = (uint32_t)pair + 1;
	if (id->stream == 0)
		id->stream = requests_new_stream(r);
	if (r->options.part)
		requests_begin_own_head(r, id);
}

/* Requests */

/* Without the bits of the type that say nothing of a span. */
static inline unsigned type_flags(const struct iot_record *rec)
{
	return (unsigned)(rec->type & IOT_ASYNC) << 8 | rec->flags;
}

/* Appends n records. */
static inline void set_columns(struct io_batch *b, const struct iot_event *ev, size_t n,
			       unsigned shift)
{
	const size_t from = b->count;
	struct io_columns *c = &b->in_trace;
	unsigned differ = b->differ;
	const unsigned first = from > 0 ? b->type_flags[0] : type_flags(&ev->rec);
	for (size_t i = 0; i < n; i++) {
		const struct iot_record *rec = &ev[i].rec;
		const unsigned bits = type_flags(rec);
		const uint64_t known = ((bits & IOT_DURATION_UNKNOWN) == 0 ? UINT64_MAX : 0);
		c->offset[from + i] = rec->offset << shift;
		c->length[from + i] = rec->length << shift;
		c->start_ns[from + i] = rec->start_ns;
		c->end_ns[from + i] = interval_end(rec->start_ns, rec->duration_ns & known);
		c->write[from + i] = (rec->type & IOT_WRITE) != 0;
		b->type_flags[from + i] = (uint16_t)bits;
		differ |= bits ^ first;
	}
	b->differ = differ;
	b->count += n;
}

/* Another fileId of the process may have the group of its file. */
static void begin_group(struct requests *r, struct io_batch *b, struct file_id *id)
{
	const size_t at = LAYERS * (size_t)(id->pair - 1) + id->layer;
	if (!requests_keep(r, array_reserve_index(&r->pair_group, &r->pair_group_capacity, at,
						  sizeof *r->pair_group)))
		return;
	struct batch_number *of = &r->pair_group[at];
	if (of->batch != r->batch_number) {
		*of = (struct batch_number){r->batch_number, (uint32_t)b->group_count};
		b->group[b->group_count++] =
		    (struct io_group){.pair = id->pair - 1,
				      .file = id->file - 1,
				      .process = id->process - 1,
				      .process_id = r->processes.map.keys[id->process - 1],
				      .key = r->files.keys[id->file - 1]};
	}
	id->batch = r->batch_number;
	id->number = (uint32_t)b->ids;
	b->id[b->ids++] = (struct io_id){id->stream - 1, id->file - 1, id->process - 1, of->number};
}

/* CPU clocks of records in a row, with the clocks of the records before them of the same thread. */
static inline void add_clock(struct io_batch *b, struct io_clock clock)
{
	struct io_clock *c = &b->clock[b->clock_count];
	if (b->clock_count == 0 || c[-1].thread != clock.thread) {
		*c = clock;
		b->clock_count++;
	} else if (clock.known && c[-1].known) {
		c[-1].last_ns = clock.last_ns;
	} else if (clock.known) {
		c[-1] = clock;
	}
}

/*
 * Adds the clocks of the records [ev, end) of a thread. known: all clocks are; used: any is not 0.
 */
static inline void add_clocks(struct requests *r, struct io_batch *b, uint32_t thread,
			      const struct iot_event *ev, const struct iot_event *end, bool known,
			      bool used)
{
	const int64_t last_ns = end[-1].rec.cpu_ns;
	if (known)
		add_clock(b, (struct io_clock){thread, true, ev->rec.cpu_ns, last_ns});
	for (; ev < end && !known; ev++) {
		const int64_t ns = ev->rec.cpu_ns;
		add_clock(
		    b, (struct io_clock){thread, (ev->rec.flags & IOT_CPU_UNKNOWN) == 0, ns, ns});
	}
	if (used || r->clock_capacity > 0)
		set_clock(r, thread, last_ns);
}

/*
 * The bits of the type that requests have, and the unit of their offsets. A device has requests of
 * all kinds: even of a program that only reads, most are of read-ahead.
 */
struct request_kind {
	unsigned mask, type, shift;
};

static inline struct request_kind kind_of(const struct requests *r)
{
	return r->options.physical ? (struct request_kind){IOT_LOGICAL, 0, BLOCK_BITS}
				   : (struct request_kind){IOT_DATA_KIND | IOT_LOGICAL,
							   IOT_FILE_DATA | IOT_LOGICAL, 0};
}

static inline bool is_request(struct request_kind kind, const struct iot_record *rec)
{
	return (rec->type & kind.mask) == kind.type;
}

static void add_other(struct requests *r, const struct iot_record *rec)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	const unsigned kind = rec->type & IOT_DATA_KIND;
	r->other[kind][write]++;
	r->other_bytes[kind][write] = saturate_add(r->other_bytes[kind][write], rec->length);
}

/* The first request of a fileId in a batch, or of another object. */
static bool begin_id(struct requests *r, struct file_id *id, const struct iot_record *rec)
{
	if (id->stream == 0 || id->object != rec->object ||
	    id->owner_changes != r->processes.owner_changes)
		bind(r, id, rec);
	if (!r->failed)
		begin_group(r, &r->batch[id->layer], id);
	return !r->failed;
}

/* Returns the fileId of a request, with a group in this batch, or NULL if out of memory. */
static inline struct file_id *id_of_record(struct requests *r, const struct iot_record *rec)
{
	const size_t i = requests_id_number(r, rec->process, rec->file);
	if (i == SIZE_MAX)
		return NULL;
	struct file_id *id = &r->ids[i];
	const bool known = id->batch == r->batch_number && id->object == rec->object;
	return known || begin_id(r, id, rec) ? id : NULL;
}

static inline bool has_same_id(const struct iot_record *a, const struct iot_record *b)
{
	return a->file == b->file && a->process == b->process && a->object == b->object;
}

/* Adds n requests of a file that the sample leaves out to its exact sums. */
static void add_to_sums(struct requests *r, struct request_kind kind, struct file_id *id,
			const struct iot_event *ev, size_t n)
{
	if (id->sums == 0) {
		const struct file_key key = requests_key(r, id, ev->rec.object);
		const size_t number = file_sums_number(&r->file_sums, &key);
		if (!requests_keep(r, number != SIZE_MAX))
			return;
		id->sums = (uint32_t)number + 1;
	}
	(void)requests_keep(
	    r, file_sums_add_records(&r->file_sums, id->sums - 1, id->layer, ev, n, kind.shift));
}

/*
 * Appends the numbers and clocks of the requests up to the first other record or layer; returns
 * their number.
 */
static inline size_t set_ids(struct requests *r, struct request_kind kind, struct io_batch *b,
			     struct file_id *id, const struct iot_event *ev, size_t n)
{
	const struct iot_event *at = ev, *const end = ev + n;
	const unsigned layer = id->layer;
	uint16_t *id_of = &b->id_of[b->count];
	while (id != NULL && id->layer == layer) {
		const struct iot_event *const first = at;
		const uint16_t number = (uint16_t)id->number;
		unsigned flags = 0;
		int64_t clocks = 0;
		do {
			*id_of++ = number;
			flags |= at->rec.flags;
			clocks |= at->rec.cpu_ns;
		} while (++at < end && is_request(kind, &at->rec) &&
			 has_same_id(&first->rec, &at->rec));
		add_clocks(r, b, id->thread - 1, first, at, (flags & IOT_CPU_UNKNOWN) == 0,
			   clocks != 0);
		if (id->file == r->files.other)
			add_to_sums(r, kind, id, first, (size_t)(at - first));
		if (at == end || !is_request(kind, &at->rec))
			break;
		id = id_of_record(r, &at->rec);
	}
	return (size_t)(at - ev);
}

/* Appends the requests up to the first other record or layer; returns their number. */
static size_t add_run(struct requests *r, struct request_kind kind, const struct iot_event *ev,
		      size_t n)
{
	struct file_id *id = id_of_record(r, &ev->rec);
	if (id == NULL)
		return 0;
	struct io_batch *b = &r->batch[id->layer];
	const size_t count = set_ids(r, kind, b, id, ev, n);
	if (kind.shift == 0)
		set_columns(b, ev, count, 0);
	else
		set_columns(b, ev, count, BLOCK_BITS);
	return count;
}

/* Loads what begin_id() reads of the fileIds of records, each step for all of them. */
static inline void look_ahead(struct requests *r, const struct iot_event *ev, size_t n)
{
	uint32_t number[FILE_IDS_AHEAD];
	const size_t known = file_ids_load(&r->file_ids, ev, n, number);
	for (size_t i = 0; i < known; i++)
		ahead_load(&r->ids[number[i]], sizeof *r->ids);
	for (size_t i = 0; i < known; i++) {
		const struct file_id *id = &r->ids[number[i]];
		ahead_element(r->pair_group, r->pair_group_capacity,
			      LAYERS * ((size_t)id->pair - 1) + id->layer, sizeof *r->pair_group);
		if (id->sums != 0)
			file_sums_ahead(&r->file_sums, id->object != 0, id->sums - 1, id->layer);
	}
}

void requests_add(struct requests *r, const struct iot_event *ev, size_t n)
{
	const struct request_kind kind = kind_of(r);
	size_t ahead = 0;
	r->batch_number += !r->waiting;
	r->waiting = true;
	for (size_t i = 0; i < n && !r->failed;) {
		const struct iot_record *rec = &ev[i].rec;
		if (i >= ahead) {
			const size_t some = n - i < FILE_IDS_AHEAD ? n - i : FILE_IDS_AHEAD;
			look_ahead(r, ev + i, some);
			ahead = i + some;
		}
		if (is_request(kind, rec)) {
			i += add_run(r, kind, ev + i, ahead - i);
			continue;
		}
		i++;
		set_other_clock(r, rec);
		if ((rec->type & IOT_LOGICAL) == (kind.type & IOT_LOGICAL))
			add_other(r, rec);
		else
			r->left_out++;
	}
}

bool requests_wait(const struct requests *r)
{
	size_t count = 0, ids = 0, max = 0;
	for (unsigned i = 0; i < LAYERS; i++) {
		count += r->batch[i].count;
		ids += r->batch[i].ids;
		max = r->batch[i].count > max ? r->batch[i].count : max;
	}
	return ids > count / SCATTERED && max <= REQUESTS_MAX - REQUESTS_RUN;
}

void requests_clear(struct requests *r)
{
	for (unsigned i = 0; i < LAYERS; i++) {
		struct io_batch *b = &r->batch[i];
		b->count = b->group_count = b->ids = b->clock_count = 0;
		b->differ = 0;
		b->in_order.count = b->of_processes.count = b->of_groups.count = 0;
	}
}

void requests_free(struct requests *r)
{
	file_ids_free(&r->file_ids);
	process_ids_free(&r->processes);
	files_free(&r->files);
	idmap_free(&r->pair_map);
	free(r->ids);
	free(r->free_streams);
	free(r->ended);
	free(r->heads);
	free(r->pair_group);
	free(r->process_part);
	free(r->clocks);
	file_sums_free(&r->file_sums);
}
