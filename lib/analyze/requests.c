/* SPDX-License-Identifier: BSD-2-Clause */
#include "requests_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/analyze/containers/interval.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"

enum {
	BLOCK_BITS = 9,
	RUN_MAX = 64,  /* records, which the first level of the cache holds */
	SCATTERED = 8, /* requests of a fileId in a batch: fewer are scattered */
};

static_assert(1 << BLOCK_BITS == IOT_BLOCK_SIZE, "blocks are shifted");

static bool keep(struct requests *r, bool done)
{
	r->failed |= !done;
	return done;
}

size_t requests_number(struct requests *r, uint32_t process)
{
	const size_t i = idmap_number(&r->process_map, process);
	keep(r, array_reserve_index(&r->owner, &r->owner_capacity, i, sizeof *r->owner));
	return r->failed ? SIZE_MAX : i;
}

size_t requests_owner(const struct requests *r, size_t thread)
{
	return r->owner[thread] != 0 ? r->owner[thread] - 1 : thread;
}

void requests_mark_active(struct requests *r, size_t number)
{
	if (!keep(r,
		  array_reserve_index(&r->active, &r->active_capacity, number, sizeof *r->active)))
		return;
	r->active_count += !r->active[number];
	r->active[number] = true;
}

void requests_define_process(struct requests *r, const struct iot_event *ev)
{
	const struct iot_text text = iot_directive_get(ev, "thread-of");
	uint64_t of;
	const bool owned = !r->options.per_thread && text.data != NULL &&
			   number_decimal(text.data, text.size, &of) && of <= UINT32_MAX;
	const size_t thread = requests_number(r, ev->rec.process);
	const size_t process = owned ? requests_number(r, (uint32_t)of) : thread;
	if (thread == SIZE_MAX || process == SIZE_MAX || r->owner[thread] == process + 1)
		return;
	r->owner_changes += requests_owner(r, thread) != process;
	r->owner[thread] = (uint32_t)process + 1;
}

/* Returns its number + 1. */
static uint32_t new_file(struct requests *r, struct file_key key)
{
	if (!keep(r, array_reserve_index(&r->file_keys, &r->file_key_capacity, r->files,
					 sizeof *r->file_keys)))
		return 1;
	r->file_keys[r->files] = key;
	return ++r->files;
}

static struct file_key own_key(const struct requests *r, const struct file_id *id)
{
	const uint64_t key = r->id_map.keys[id - r->ids];
	return (struct file_key){.process = (uint32_t)(key >> 32), .file = (uint32_t)key};
}

/* The finalizer of SplitMix64. */
static uint64_t sample_hash(uint64_t v)
{
	v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9U;
	v = (v ^ v >> 27) * 0x94d049bb133111ebU;
	return v ^ v >> 31;
}

unsigned requests_sample_level(const struct file_key *key)
{
	const uint64_t id =
	    key->object != 0 ? key->object : sample_hash(idmap_pair(key->process, key->file));
	const uint64_t hash = sample_hash(id + 0x9e3779b97f4a7c15U);
	return hash != 0 ? (unsigned)__builtin_clzll(hash) : 64;
}

bool requests_begin_sample(struct requests *r)
{
	if (r->other_file == 0)
		r->other_file = new_file(r, (struct file_key){.omitted = true});
	return !r->failed;
}

static bool is_omitted(const struct requests *r, const struct file_key *key)
{
	return r->sample_bits > 0 && !r->keeps_all && requests_sample_level(key) < r->sample_bits;
}

bool requests_omit_object(const struct requests *r, uint32_t object)
{
	return object != 0 && is_omitted(r, &(struct file_key){.object = object});
}

bool requests_knows_file(const struct requests *r, const struct file_key *key)
{
	const bool object = key->object != 0;
	const size_t i = object ? idmap_find(&r->object_map, key->object)
				: idmap_find(&r->id_map, idmap_pair(key->process, key->file));
	const uint32_t number = i == SIZE_MAX ? 0 : object ? r->object_file[i] : r->ids[i].own_file;
	return number != 0 && number != r->other_file;
}

/* Returns its number + 1, or the number + 1 of all files outside of the sample. */
static uint32_t new_sampled_file(struct requests *r, struct file_key key)
{
	if (!is_omitted(r, &key))
		return new_file(r, key);
	return requests_begin_sample(r) ? r->other_file : 1;
}

uint32_t requests_file(struct requests *r, struct file_id *id, uint32_t object)
{
	if (object == 0)
		return id->own_file != 0 ? id->own_file
					 : (id->own_file = new_sampled_file(r, own_key(r, id)));
	const struct file_key key = {.object = object};
	if (is_omitted(r, &key))
		return new_sampled_file(r, key);
	const size_t i = idmap_number(&r->object_map, object);
	if (!keep(r, array_reserve_index(&r->object_file, &r->object_capacity, i,
					 sizeof *r->object_file)))
		return 1;
	if (r->object_file[i] == 0)
		r->object_file[i] = new_file(r, key);
	return r->object_file[i];
}

uint32_t requests_undefined_file(struct requests *r, struct file_id *id)
{
	struct file_key key = own_key(r, id);
	key.undefined = true;
	if (id->undefined_file != 0)
		return id->undefined_file;
	if (r->undefined_files == UNDEFINED_MAX && !r->keeps_all) {
		r->operations_limited++;
		return requests_begin_sample(r) ? r->other_file : 1;
	}
	r->undefined_files++;
	return id->undefined_file = new_file(r, key);
}

/* Returns the slot of a fileId among those that were used recently. */
static inline size_t recent_of(uint64_t key)
{
	return ((uint32_t)(key >> 32) * 31 + (uint32_t)key) % REQUESTS_RECENT;
}

/* The number of a fileId; SIZE_MAX if out of memory. */
static inline size_t id_number(struct requests *r, uint32_t process, uint32_t file)
{
	const uint64_t key = idmap_pair(process, file);
	const size_t at = recent_of(key);
	if (r->recent[at].key == key && r->recent[at].number != 0)
		return r->recent[at].number - 1;
	const size_t i = idmap_number(&r->id_map, key);
	if (!keep(r, array_reserve_index(&r->ids, &r->id_capacity, i, sizeof *r->ids)))
		return SIZE_MAX;
	r->recent[at].key = key;
	r->recent[at].number = i + 1;
	return i;
}

struct file_id *requests_id(struct requests *r, uint32_t process, uint32_t file)
{
	const size_t i = id_number(r, process, file);
	return i != SIZE_MAX ? &r->ids[i] : NULL;
}

size_t requests_pair(struct requests *r, size_t process, uint32_t file)
{
	const size_t before = r->pair_map.count;
	const size_t pair = idmap_number(&r->pair_map, idmap_pair((uint32_t)process + 1, file));
	if (keep(r, pair != SIZE_MAX) && r->pair_map.count > before && !r->failed)
		r->fixed_pairs += file == r->other_file || r->file_keys[file - 1].undefined;
	return pair;
}

/* The file of the definition that applies; its number + 1. */
uint32_t requests_defined_file(struct requests *r, struct file_id *id)
{
	return id->defined || !r->options.part ? requests_file(r, id, id->defined_object)
					       : requests_undefined_file(r, id);
}

static size_t operation_pair(struct requests *r, const struct op *op, size_t process,
			     bool *synchronous)
{
	const struct iot_event *ev = op->ev;
	struct file_id *id = requests_id(r, ev->rec.process, ev->rec.file);
	if (id == NULL)
		return SIZE_MAX;
	*synchronous = id->synchronous;
	const uint32_t file = requests_defined_file(r, id);
	const bool defined = id->defined || !r->options.part;
	struct file_key key = {.object = id->defined_object};
	if (id->defined_object == 0)
		key = own_key(r, id);
	if (file == r->other_file && defined)
		(void)keep(
		    r, file_sums_add_operation(&r->file_sums, &key, r->has_mpiio ? LAYERS : 1, op));
	return requests_pair(r, process, file);
}

struct request_operation requests_operation(struct requests *r, const struct op *op)
{
	const struct iot_event *ev = op->ev;
	struct request_operation numbers = {SIZE_MAX, SIZE_MAX, false};
	const size_t thread =
	    (ev->has & IOT_HAS_PROCESS) != 0 ? requests_number(r, ev->rec.process) : SIZE_MAX;
	if (thread == SIZE_MAX)
		return numbers;
	numbers.process = requests_owner(r, thread);
	requests_mark_active(r, numbers.process);
	if ((r->options.sections & REQUESTS_ROWS) != 0 && (ev->has & IOT_HAS_FILE) != 0)
		numbers.pair = operation_pair(r, op, numbers.process, &numbers.synchronous);
	return numbers;
}

uint32_t requests_new_stream(struct requests *r)
{
	return r->free_count > 0 ? r->free_streams[--r->free_count] + 1 : ++r->streams;
}

/* Parts */

void requests_free_stream(struct requests *r, uint32_t stream)
{
	if (keep(r, array_reserve(&r->free_streams, &r->free_capacity, r->free_count + 1,
				  sizeof *r->free_streams)))
		r->free_streams[r->free_count++] = stream;
}

/* Returns NULL if it is left out, or if out of memory. */
static struct request_head *new_head(struct requests *r, struct file_id *id)
{
	id->left_out |= r->head_count >= HEADS_MAX;
	if (id->left_out)
		return NULL;
	if (!keep(r,
		  array_reserve(&r->heads, &r->head_capacity, r->head_count + 1, sizeof *r->heads)))
		return NULL;
	r->heads[r->head_count++] = (struct request_head){.id = (uint32_t)(id - r->ids)};
	id->head = (uint32_t)r->head_count;
	return &r->heads[r->head_count - 1];
}

void requests_add_head(struct requests *r, struct file_id *id, const struct request_head *head)
{
	struct request_head *to = new_head(r, id);
	if (to == NULL)
		return;
	to->object = head->object;
	to->file = head->file;
	to->stream = head->stream;
	to->closed_first = head->closed_first;
	to->ended = head->ended;
}

static struct request_head *head_of(struct requests *r, struct file_id *id)
{
	return id->head != 0 ? &r->heads[id->head - 1] : new_head(r, id);
}

/* The first request of a fileId in a part. */
static void begin_head(struct requests *r, struct file_id *id)
{
	struct request_head *head = head_of(r, id);
	if (head == NULL || head->file != 0)
		return;
	head->object = id->object;
	head->file = id->file;
	head->stream = head->closed_first ? 0 : id->stream;
}

bool requests_begin_head(struct requests *r, struct file_id *id, const struct request_head *next,
			 uint32_t file)
{
	const bool begins = id->head == 0 && !id->left_out;
	struct request_head *head = head_of(r, id);
	id->closed_first |= begins && id->left_out && next->closed_first;
	if (head == NULL)
		return !r->failed;
	head->closed_first |= begins && next->closed_first;
	if (head->file != 0 || file == 0)
		return true;
	head->object = next->object;
	head->file = file;
	head->stream = head->closed_first ? 0 : id->stream;
	return true;
}

void requests_end_head(struct requests *r, const struct file_id *id)
{
	if (id->head != 0 && r->heads[id->head - 1].stream == id->stream)
		r->heads[id->head - 1].ended = true;
}

/* A stream with requests that are not yet counted ends only after they are counted. */
static void replace_stream(struct requests *r, struct file_id *id)
{
	if (id->stream != 0 && keep(r, array_reserve(&r->ended, &r->ended_capacity,
						     r->ended_count + 1, sizeof *r->ended)))
		r->ended[r->ended_count++] =
		    (struct stream_end){.stream = id->stream - 1, .head = id->head};
	id->stream = 0;
}

void requests_end_replaced(struct requests *r)
{
	for (size_t i = 0; i < r->ended_count; i++) {
		const struct stream_end *end = &r->ended[i];
		if (end->head != 0 && r->heads[end->head - 1].stream == end->stream + 1)
			r->heads[end->head - 1].ended = true;
		requests_free_stream(r, end->stream);
	}
	r->ended_count = 0;
}

/*
 * Returns the number that has exactly `below` smaller ones among n numbers. Halves the range of the
 * answer.
 */
static uint32_t find_order(const uint32_t *numbers, size_t n, size_t below)
{
	uint32_t low = 0, high = UINT32_MAX;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		size_t up_to = 0;
		for (size_t i = 0; i < n; i++)
			up_to += numbers[i] <= middle;
		if (up_to > below)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The last batches of all open streams; NULL if out of memory. */
static uint32_t *list_batches(const struct requests *r, size_t open)
{
	uint32_t *list = calloc(open, sizeof *list);
	size_t n = 0;
	for (size_t i = 0; i < r->id_map.count && list != NULL && n < open; i++)
		if (r->ids[i].stream != 0)
			list[n++] = r->ids[i].batch;
	return list;
}

void requests_limit_streams(struct requests *r)
{
	const size_t open = r->streams - r->free_count - r->ended_count;
	size_t excess = open > STREAMS_MAX ? open - STREAMS_MAX + STREAMS_MAX / 4 : 0;
	uint32_t *batches = excess > 0 ? list_batches(r, open) : NULL;
	if (excess == 0 || !keep(r, batches != NULL))
		return;
	const uint32_t last = find_order(batches, open, excess - 1);
	free(batches);
	for (size_t i = 0; i < r->id_map.count && excess > 0; i++) {
		if (r->ids[i].stream == 0 || r->ids[i].batch > last)
			continue;
		replace_stream(r, &r->ids[i]);
		r->streams_limited++;
		excess--;
	}
}

/* CPU clocks, which the clocks of the next part continue. Traces without clocks need no numbers. */

static inline void set_clock(struct requests *r, size_t thread, int64_t cpu_ns)
{
	if (keep(r, array_reserve_index(&r->clocks, &r->clock_capacity, thread, sizeof *r->clocks)))
		r->clocks[thread] = (struct request_clock){cpu_ns, true};
}

/* Updates the CPU clock from a record that is not a request. */
static void set_other_clock(struct requests *r, const struct iot_record *rec)
{
	if (rec->cpu_ns == 0 && r->clock_capacity == 0)
		return;
	const size_t thread = rec->cpu_ns != 0 ? requests_number(r, rec->process)
					       : idmap_find(&r->process_map, rec->process);
	if (rec->cpu_ns != 0 || thread < r->clock_capacity)
		set_clock(r, thread, rec->cpu_ns);
}

/* A fileId that another object gets is another stream. */
static void bind(struct requests *r, struct file_id *id, const struct iot_record *rec)
{
	const size_t thread = requests_number(r, rec->process);
	if (thread == SIZE_MAX)
		return;
	const size_t process = requests_owner(r, thread);
	requests_mark_active(r, process);
	if (id->file == 0 || id->object != rec->object) {
		replace_stream(r, id);
		id->file = requests_file(r, id, rec->object);
		id->sums = 0;
	}
	id->object = rec->object;
	id->thread = (uint32_t)thread + 1;
	id->process = (uint32_t)process + 1;
	id->owner_changes = r->owner_changes;
	id->batch = 0;
	const size_t pair = requests_pair(r, process, id->file);
	if (pair != SIZE_MAX)
		id->pair = (uint32_t)pair + 1;
	if (id->stream == 0)
		id->stream = requests_new_stream(r);
	if (r->options.part)
		begin_head(r, id);
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
	if (!keep(r, array_reserve_index(&r->pair_group, &r->pair_group_capacity, at,
					 sizeof *r->pair_group)))
		return;
	struct batch_number *of = &r->pair_group[at];
	if (of->batch != r->batch_number) {
		*of = (struct batch_number){r->batch_number, (uint32_t)b->group_count};
		b->group[b->group_count++] =
		    (struct io_group){.pair = id->pair - 1,
				      .file = id->file - 1,
				      .process = id->process - 1,
				      .process_id = r->process_map.keys[id->process - 1],
				      .key = r->file_keys[id->file - 1]};
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

/* The records that are requests, and the unit of their offsets. */
struct request_kind {
	unsigned type, shift;
};

static inline struct request_kind kind_of(const struct requests *r)
{
	return r->options.physical ? (struct request_kind){IOT_FILE_DATA, BLOCK_BITS}
				   : (struct request_kind){IOT_FILE_DATA | IOT_LOGICAL, 0};
}

static inline bool is_request(struct request_kind kind, const struct iot_record *rec)
{
	return (rec->type & (IOT_DATA_KIND | IOT_LOGICAL)) == kind.type;
}

static void add_other(struct requests *r, const struct iot_record *rec)
{
	const bool write = (rec->type & IOT_WRITE) != 0;
	const unsigned kind = rec->type & IOT_DATA_KIND;
	const uint64_t unit = r->options.physical ? IOT_BLOCK_SIZE : 1;
	r->other[kind][write]++;
	r->other_bytes[kind][write] = saturate_add(r->other_bytes[kind][write], rec->length * unit);
}

/* The first request of a fileId in a batch, or of another object. */
static bool begin_id(struct requests *r, struct file_id *id, const struct iot_record *rec)
{
	if (id->stream == 0 || id->object != rec->object || id->owner_changes != r->owner_changes)
		bind(r, id, rec);
	if (!r->failed)
		begin_group(r, &r->batch[id->layer], id);
	return !r->failed;
}

/* Returns the fileId of a request, with a group in this batch, or NULL if out of memory. */
static inline struct file_id *id_of_record(struct requests *r, const struct iot_record *rec)
{
	const size_t i = id_number(r, rec->process, rec->file);
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
		struct file_key key = {.object = ev->rec.object};
		if (key.object == 0)
			key = own_key(r, id);
		const size_t number = file_sums_number(&r->file_sums, &key);
		if (!keep(r, number != SIZE_MAX))
			return;
		id->sums = (uint32_t)number + 1;
	}
	(void)keep(
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
		if (id->file == r->other_file)
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

/*
 * The fileIds of records, other than those that are in the caches anyway; their keys and numbers.
 */
struct ids_ahead {
	uint64_t key[RUN_MAX];
	uint32_t number[RUN_MAX];
	size_t count;
};

static inline void find_rare(struct requests *r, struct ids_ahead *ids, const struct iot_event *ev,
			     size_t n)
{
	uint64_t last = 0;
	ids->count = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t key = idmap_pair(ev[i].rec.process, ev[i].rec.file);
		if (key == last || r->recent[recent_of(key)].key == key)
			continue;
		ids->key[ids->count++] = last = key;
	}
}

/*
 * Loads what begin_id() reads of the fileIds of up to RUN_MAX records, each step for all of them.
 */
static inline void look_ahead(struct requests *r, const struct iot_event *ev, size_t n)
{
	struct ids_ahead ids;
	size_t known = 0;
	find_rare(r, &ids, ev, n);
	for (size_t i = 0; i < ids.count; i++)
		idmap_prefetch(&r->id_map, ids.key[i]);
	for (size_t i = 0; i < ids.count; i++)
		idmap_prefetch_found(&r->id_map, ids.key[i]);
	for (size_t i = 0; i < ids.count; i++) {
		const size_t number = idmap_find(&r->id_map, ids.key[i]);
		if (number == SIZE_MAX)
			continue;
		const size_t at = recent_of(ids.key[i]);
		r->recent[at].key = ids.key[i];
		r->recent[at].number = number + 1;
		ids.number[known++] = (uint32_t)number;
		ahead_load(&r->ids[number], sizeof *r->ids);
	}
	for (size_t i = 0; i < known; i++) {
		const struct file_id *id = &r->ids[ids.number[i]];
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
			const size_t some = n - i < RUN_MAX ? n - i : RUN_MAX;
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

/* Returns whether the flags of an opening contain sync or dsync. */
static bool is_synchronous(struct iot_text flags)
{
	static const char sync[] = "sync";
	return flags.data != NULL && memmem(flags.data, flags.size, sync, strlen(sync)) != NULL;
}

void requests_define_file(struct requests *r, const struct iot_event *ev, struct iot_text layer,
			  struct iot_text flags)
{
	if (((ev->has & IOT_HAS_DISK) != 0) != (r->options.physical != 0))
		return;
	const bool mpiio = text_equals(layer, "mpiio");
	if (!mpiio && !r->options.part && (r->options.sections & REQUESTS_ROWS) == 0 &&
	    idmap_find(&r->id_map, idmap_pair(ev->rec.process, ev->rec.file)) == SIZE_MAX)
		return;
	struct file_id *id = requests_id(r, ev->rec.process, ev->rec.file);
	if (id == NULL)
		return;
	id->layer = mpiio;
	r->has_mpiio |= mpiio;
	id->has_layer = id->defined = true;
	id->defined_object = ev->rec.object;
	id->synchronous = is_synchronous(flags);
}

/* In a part, a close may end a stream of an earlier one. */
static uint32_t close_unknown(struct requests *r, struct file_id *id)
{
	if (!r->options.part || id == NULL)
		return 0;
	const bool begins = id->head == 0 && !id->left_out;
	struct request_head *head = begins ? new_head(r, id) : NULL;
	id->closed_first |= begins && id->left_out;
	id->layer = 0;
	id->has_layer = id->defined = true;
	id->defined_object = 0;
	if (head != NULL)
		head->closed_first = true;
	return 0;
}

uint32_t requests_close(struct requests *r, const struct iot_event *ev)
{
	if (!directive_closes(ev))
		return 0;
	const size_t i = idmap_find(&r->id_map, idmap_pair(ev->rec.process, ev->rec.file));
	if (i == SIZE_MAX)
		return close_unknown(
		    r, r->options.part ? requests_id(r, ev->rec.process, ev->rec.file) : NULL);
	struct file_id *id = &r->ids[i];
	const uint32_t stream = id->stream;
	id->layer = 0;
	id->defined = true;
	id->defined_object = 0;
	if (stream == 0)
		return close_unknown(r, id);
	id->has_layer = true;
	requests_end_head(r, id);
	id->stream = 0;
	requests_free_stream(r, stream - 1);
	return stream;
}

void requests_free(struct requests *r)
{
	idmap_free(&r->id_map);
	idmap_free(&r->process_map);
	idmap_free(&r->object_map);
	idmap_free(&r->pair_map);
	free(r->ids);
	free(r->owner);
	free(r->active);
	free(r->object_file);
	free(r->file_keys);
	free(r->free_streams);
	free(r->ended);
	free(r->heads);
	free(r->pair_group);
	free(r->process_part);
	free(r->clocks);
	file_sums_free(&r->file_sums);
}
