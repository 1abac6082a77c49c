/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a process transfers bytes that it used last itself, or another process: for reads after
 * writes, overwrites, and writes after reads; and which process read how many bytes that which
 * other one wrote.
 *
 * A part that follows another one does not know who used a byte before its first write. It keeps
 * the reads and the first write of such bytes, in their order, for the join, which makes these
 * changes in the map of the earlier part.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/analyze/containers/owner_map.h"
#include "lib/analyze/containers/saturate.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/result/names.h"

#include "statistic.h"
#include "state.h"
#include "values.h"

enum { DEPENDENCY_PAIRS_MAX = 1 << 20, DEPENDENCY_HEADS_MAX = 1 << 21 };

/* Bytes that a process read and another one wrote. */
struct dependency_pair {
	uint64_t bytes; /* of all reads */
	uint64_t first; /* of reads that are the first ones since the bytes were written */
};

/* A transfer of bytes whose use before is not known in the part. */
struct dependency_head {
	uint64_t begin, end;
	uint32_t file, process;
	bool write;
};

/* All zeros: no request. */
struct dependencies {
	struct owner_maps maps;
	struct owner_map *files;
	size_t capacity;
	/* bytes of reads and of writes by use before, by another process and by the same one */
	uint64_t bytes[2][OWNER_USES][2];
	struct idmap pair_map; /* idmap_pair(writer, reader) */
	struct dependency_pair *pairs;
	size_t pair_capacity;
	uint64_t other; /* bytes of pairs beyond the limit */
	struct dependency_head *heads;
	size_t head_count, head_capacity;
	uint32_t *last_head; /* by file: index + 1; 0: none */
	size_t last_capacity;
	bool part;      /* it follows another one */
	bool unordered; /* traces without a common order of requests were added */
};

/* Adding */

/* The transfer that changes a map. */
struct dependency_transfer {
	struct dependencies *d;
	uint32_t file, process;
	bool write;
};

static bool add_pair(struct dependencies *d, uint64_t key, const struct dependency_pair *bytes)
{
	if (d->pair_map.count >= DEPENDENCY_PAIRS_MAX &&
	    idmap_find(&d->pair_map, key) == SIZE_MAX) {
		d->other = saturate_add(d->other, bytes->bytes);
		return true;
	}
	const size_t i = idmap_number(&d->pair_map, key);
	if (!array_reserve_index(&d->pairs, &d->pair_capacity, i, sizeof *d->pairs))
		return false;
	d->pairs[i].bytes = saturate_add(d->pairs[i].bytes, bytes->bytes);
	d->pairs[i].first = saturate_add(d->pairs[i].first, bytes->first);
	return true;
}

static bool count_before(void *context, const struct owner_range *before, uint64_t bytes)
{
	const struct dependency_transfer *t = context;
	const bool same = before->process == t->process;
	uint64_t *sum = &t->d->bytes[t->write][before->use][same];
	*sum = saturate_add(*sum, bytes);
	if (t->write || same || before->use == OWNER_READ)
		return true;
	return add_pair(t->d, idmap_pair(before->process, t->process),
			&(struct dependency_pair){bytes, before->use == OWNER_WRITTEN ? bytes : 0});
}

/* Appends a head, or extends the last one of its file. */
static bool add_head(struct dependencies *d, const struct dependency_head *head)
{
	if (!array_reserve_index(&d->last_head, &d->last_capacity, head->file,
				 sizeof *d->last_head))
		return false;
	uint32_t *index = &d->last_head[head->file];
	struct dependency_head *last = *index > 0 ? &d->heads[*index - 1] : NULL;
	if (last != NULL && last->end == head->begin && last->process == head->process &&
	    last->write == head->write) {
		last->end = head->end;
		return true;
	}
	d->maps.limited |= d->head_count >= DEPENDENCY_HEADS_MAX;
	if (d->maps.limited)
		return true;
	if (!array_reserve(&d->heads, &d->head_capacity, d->head_count + 1, sizeof *d->heads))
		return false;
	d->heads[d->head_count++] = *head;
	*index = (uint32_t)d->head_count;
	return true;
}

static bool add_gap(void *context, uint64_t begin, uint64_t end)
{
	const struct dependency_transfer *t = context;
	return add_head(t->d, &(struct dependency_head){begin, end, t->file, t->process, t->write});
}

static bool add_transfer(struct dependencies *d, const struct dependency_head *h)
{
	struct dependency_transfer t = {d, h->file, h->process, h->write};
	const struct owner_change c = {
	    .to = {h->begin, h->end, h->process, h->write ? OWNER_WRITTEN : OWNER_READ},
	    .write = h->write,
	    .counts = count_before,
	    .gap = d->part ? add_gap : NULL,
	    .context = &t,
	    .keeps_gaps = d->part};
	return array_reserve_index(&d->files, &d->capacity, h->file, sizeof *d->files) &&
	       owner_map_change(&d->maps, &d->files[h->file], &c);
}

static bool add_batch(void *of, const struct statistic_batch *b)
{
	struct dependencies *d = of;
	const struct io_spans *spans = &b->in_order;
	for (size_t i = 0; i < spans->count && !d->maps.limited; i++) {
		const struct io_span *span = &spans->span[i];
		for (size_t k = 0; k < span->count && span_is_located(span); k++) {
			const struct io_id *id = &spans->ids[span->id[k]];
			const struct dependency_head h = {
			    span->offset[k], saturate_add(span->offset[k], span->length[k]),
			    id->file, id->process, span->write[k]};
			if (!add_transfer(d, &h))
				return false;
		}
	}
	return true;
}

/* Joins */

/* The bytes that the part wrote are as it leaves them. */
static bool join_ranges(struct dependencies *d, const struct dependencies *part,
			const uint32_t *process, const uint32_t *file)
{
	struct owner_range *list = NULL;
	size_t capacity = 0, count;
	bool done = true;
	for (size_t i = 0; i < part->capacity && done; i++) {
		if (part->files[i].root == 0)
			continue;
		done = owner_map_list(&part->maps, &part->files[i], &list, &capacity, &count) &&
		       array_reserve_index(&d->files, &d->capacity, file[i], sizeof *d->files);
		for (size_t k = 0; k < count && done; k++) {
			struct owner_change c = {.to = list[k], .write = true};
			c.to.process = process[list[k].process];
			done = owner_map_change(&d->maps, &d->files[file[i]], &c);
		}
	}
	free(list);
	return done;
}

static bool join_pairs(struct dependencies *d, const struct dependencies *part,
		       const uint32_t *process)
{
	d->other = saturate_add(d->other, part->other);
	for (size_t i = 0; i < part->pair_map.count; i++) {
		const uint64_t key = part->pair_map.keys[i];
		const uint32_t writer = process[key >> 32], reader = process[(uint32_t)key];
		if (!add_pair(d, idmap_pair(writer, reader), &part->pairs[i]))
			return false;
	}
	return true;
}

static bool join(void *of, void *part_of, const struct statistic_map *map)
{
	struct dependencies *d = of;
	const struct dependencies *part = part_of;
	const uint32_t *process = map->numbers->process, *file = map->numbers->file;
	d->maps.limited |= part->maps.limited;
	d->unordered |= part->unordered;
	if (d->maps.limited)
		return true;
	for (unsigned write = 0; write < 2; write++)
		for (unsigned use = 0; use < OWNER_USES; use++)
			for (unsigned same = 0; same < 2; same++)
				d->bytes[write][use][same] = saturate_add(
				    d->bytes[write][use][same], part->bytes[write][use][same]);
	for (size_t i = 0; i < part->head_count; i++) {
		struct dependency_head h = part->heads[i];
		h.file = file[h.file];
		h.process = process[h.process];
		if (!add_transfer(d, &h))
			return false;
	}
	return join_ranges(d, part, process, file) && join_pairs(d, part, process);
}

static void free_all(void *of)
{
	struct dependencies *d = of;
	owner_maps_free(&d->maps);
	idmap_free(&d->pair_map);
	free(d->files);
	free(d->pairs);
	free(d->heads);
	free(d->last_head);
}

/* Nothing is known of traces without a common order. */
static bool add_trace(void *of, void *more, const struct statistic_map *map)
{
	struct dependencies *d = of;
	(void)more;
	(void)map;
	free_all(d);
	*d = (struct dependencies){.unordered = true};
	d->maps.limited = true; /* nothing changes anymore */
	return true;
}

/* Results */

static const char *why_unknown(const struct dependencies *d)
{
	return d->unordered ? VALUES_UNORDERED
	       : d->maps.limited
		   ? "more ranges than 2097152 or too many for the requests, or a sample of files"
		   : NULL;
}

/* A pair, by bytes, then ids. */
struct pair_rank {
	struct dependency_pair bytes;
	uint32_t writer, reader; /* ids */
};

static int by_bytes(const void *left, const void *right)
{
	const struct pair_rank *a = left, *b = right;
	if (a->bytes.bytes != b->bytes.bytes)
		return a->bytes.bytes > b->bytes.bytes ? -1 : 1;
	if (a->writer != b->writer)
		return a->writer < b->writer ? -1 : 1;
	return a->reader < b->reader ? -1 : a->reader > b->reader;
}

static bool pair_values(const struct dependencies *d, const struct requests *r, size_t top,
			struct values *v)
{
	const size_t n = d->pair_map.count, first = v->count;
	struct pair_rank *list = calloc(n + 1, sizeof *list);
	char key[VALUE_KEY];
	if (list == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		const uint64_t of = d->pair_map.keys[i];
		list[i] = (struct pair_rank){d->pairs[i], (uint32_t)r->processes.map.keys[of >> 32],
					     (uint32_t)r->processes.map.keys[(uint32_t)of]};
	}
	qsort(list, n, sizeof *list, by_bytes);
	values_number(v, NAME_OF(pairs), NULL, "", n);
	for (unsigned unread = 0; unread < 2; unread++)
		for (size_t i = 0; i < n && i < top; i++) {
			snprintf(key, sizeof key, "%u/%u", list[i].writer, list[i].reader);
			values_number(v, unread ? "pair_first_bytes" : "pair_bytes", key, "bytes",
				      unread ? list[i].bytes.first : list[i].bytes.bytes);
		}
	values_number(v, NAME_OF(pair_bytes_other), NULL, "bytes", d->other);
	if (d->other > 0)
		values_note_since(v, first, "of the first 1048576 pairs");
	free(list);
	return true;
}

static void use_values(const struct dependencies *d, struct values *v)
{
	static const struct {
		const char *name;
		bool write;
		enum owner_use before;
	} kinds[] = {{"read_after_write_by", false, OWNER_WRITTEN},
		     {"write_after_read_by", true, OWNER_READ},
		     {"overwrite_unread_by", true, OWNER_WRITTEN},
		     {"overwrite_read_by", true, OWNER_WRITTEN_READ}};
	static const char *const keys[2] = {"other", "same"};
	const char *why = why_unknown(d);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		for (unsigned same = 0; same < 2; same++)
			if (why != NULL)
				values_unknown(v, kinds[i].name, keys[same], "bytes", why);
			else
				values_number(v, kinds[i].name, keys[same], "bytes",
					      d->bytes[kinds[i].write][kinds[i].before][same]);
}

static bool add_values(const void *of, const struct statistic_values *from, struct values *v)
{
	const struct dependencies *d = of;
	v->section = SECTION_OF(reuse);
	use_values(d, v);
	if (why_unknown(d) == NULL)
		return pair_values(d, from->requests, from->top, v);
	values_unknown(v, NAME_OF(pairs), NULL, "", why_unknown(d));
	return true;
}

/* Saves and loads */

/* Pairs, by the rows of their processes */

struct pair_row {
	uint32_t writer, reader; /* numbers of the analysis */
	uint32_t writer_row, reader_row;
	struct dependency_pair bytes;
};

static int by_rows(const void *left, const void *right)
{
	const struct pair_row *a = left, *b = right;
	if (a->writer_row != b->writer_row)
		return a->writer_row < b->writer_row ? -1 : 1;
	return a->reader_row < b->reader_row ? -1 : a->reader_row > b->reader_row;
}

static struct pair_row *sorted_pairs(struct state *s, const struct dependencies *d)
{
	const size_t n = d->pair_map.count;
	struct pair_row *list = calloc(n + 1, sizeof *list);
	if (list == NULL) {
		state_no_memory(s);
		return NULL;
	}
	for (size_t i = 0; i < n && !state_failed(s); i++) {
		const uint32_t writer = (uint32_t)(d->pair_map.keys[i] >> 32),
			       reader = (uint32_t)d->pair_map.keys[i];
		list[i] = (struct pair_row){writer, reader, s->processes.index[writer],
					    s->processes.index[reader], d->pairs[i]};
	}
	qsort(list, n, sizeof *list, by_rows);
	return list;
}

static void load_pair(struct state *s, struct dependencies *d, const struct pair_row *row)
{
	const uint64_t key = idmap_pair(row->writer, row->reader);
	state_check(s, idmap_find(&d->pair_map, key) == SIZE_MAX, "a pair once");
	state_check(s, d->pair_map.count < DEPENDENCY_PAIRS_MAX, "up to 1048576 pairs");
	if (state_failed(s))
		return;
	const size_t i = idmap_number(&d->pair_map, key);
	if (array_reserve_index(&d->pairs, &d->pair_capacity, i, sizeof *d->pairs))
		d->pairs[i] = row->bytes;
	else
		state_no_memory(s);
}

static void pairs_state(struct state *s, struct dependencies *d)
{
	const size_t n = state_saves(s) ? d->pair_map.count : 0;
	struct pair_row *list = state_saves(s) ? sorted_pairs(s, d) : NULL, row;
	for (size_t i = 0; state_list(s, "dependency.pair", list != NULL && i < n); i++) {
		row = list != NULL ? list[i] : (struct pair_row){0};
		state_reference(s, "writer", &s->processes, &row.writer);
		state_reference(s, "reader", &s->processes, &row.reader);
		state_number(s, "bytes", &row.bytes.bytes);
		state_number(s, "first", &row.bytes.first);
		if (list == NULL)
			load_pair(s, d, &row);
	}
	free(list);
}

/* Ranges and heads of files, one file after the other */

/* The files in their order, and a list of one of them. */
struct file_cursor {
	size_t row;  /* of the file */
	size_t next; /* in the list of ranges, or in all heads */
	struct owner_range *list;
	size_t count, capacity;
};

/* Stores the next range. Returns false after the last one. */
static bool next_range(struct state *s, const struct dependencies *d, struct file_cursor *c,
		       uint32_t *file, struct owner_range *range)
{
	while (c->next == c->count && c->row < s->files.count) {
		*file = s->files.own[c->row++];
		c->next = c->count = 0;
		if (*file < d->capacity && !owner_map_list(&d->maps, &d->files[*file], &c->list,
							   &c->capacity, &c->count)) {
			state_no_memory(s);
			return false;
		}
	}
	if (c->next == c->count)
		return false;
	*range = c->list[c->next++];
	return true;
}

static void load_range(struct state *s, struct dependencies *d, uint32_t file,
		       const struct owner_range *range)
{
	const struct owner_change c = {.to = *range, .write = true};
	state_check(s, range->begin < range->end, "a range of bytes");
	state_check(s, d->maps.ranges <= OWNER_RANGES_MAX, "up to 2097152 ranges");
	struct owner_map *map =
	    state_failed(s) ? NULL : state_at(s, &d->files, &d->capacity, file, sizeof *d->files);
	if (map != NULL && !owner_map_change(&d->maps, map, &c))
		state_no_memory(s);
}

static void ranges_state(struct state *s, struct dependencies *d)
{
	struct file_cursor c = {.row = 0};
	struct owner_range range = {.begin = 0};
	uint32_t file = 0;
	bool more = state_saves(s) && next_range(s, d, &c, &file, &range);
	while (state_list(s, "dependency.range", more)) {
		uint32_t use = range.use;
		state_reference(s, "f", &s->files, &file);
		state_reference(s, "p", &s->processes, &range.process);
		state_number(s, "begin", &range.begin);
		state_number(s, "end", &range.end);
		state_small(s, "use", &use, OWNER_USES - 1);
		range.use = use;
		if (state_saves(s))
			more = next_range(s, d, &c, &file, &range);
		else
			load_range(s, d, file, &range);
	}
	free(c.list);
}

/* An index of the heads by the row of their file, which keeps the order of each file. */
struct head_row {
	uint32_t row, head;
};

static int by_file(const void *left, const void *right)
{
	const struct head_row *a = left, *b = right;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head;
}

static struct head_row *sorted_heads(struct state *s, const struct dependencies *d)
{
	struct head_row *list = calloc(d->head_count + 1, sizeof *list);
	if (list == NULL)
		state_no_memory(s);
	for (size_t i = 0; i < d->head_count && list != NULL && !state_failed(s); i++)
		list[i] = (struct head_row){s->files.index[d->heads[i].file], (uint32_t)i};
	if (list != NULL)
		qsort(list, d->head_count, sizeof *list, by_file);
	return list;
}

static void load_head(struct state *s, struct dependencies *d, const struct dependency_head *head)
{
	state_check(s, head->begin < head->end, "a range of bytes");
	if (!state_failed(s) && !add_head(d, head))
		state_no_memory(s);
}

static void heads_state(struct state *s, struct dependencies *d)
{
	struct head_row *list = state_saves(s) ? sorted_heads(s, d) : NULL;
	const size_t n = list != NULL ? d->head_count : 0;
	for (size_t i = 0; state_list(s, "dependency.head", i < n); i++) {
		struct dependency_head h = {.begin = 0};
		if (list != NULL)
			h = d->heads[list[i].head];
		state_reference(s, "f", &s->files, &h.file);
		state_reference(s, "p", &s->processes, &h.process);
		state_number(s, "begin", &h.begin);
		state_number(s, "end", &h.end);
		state_flag(s, "write", &h.write);
		if (list == NULL)
			load_head(s, d, &h);
	}
	free(list);
}

static void sums_state(struct state *s, struct dependencies *d)
{
	static const char *const keys[2][OWNER_USES][2] = {
	    {{"rr_other", "rr_same"}, {"rw_other", "rw_same"}, {"rv_other", "rv_same"}},
	    {{"wr_other", "wr_same"}, {"ww_other", "ww_same"}, {"wv_other", "wv_same"}}};
	size_t i;
	bool limited = d->maps.limited;
	while (state_each(s, "dependency", 1, &i)) {
		for (unsigned write = 0; write < 2; write++)
			for (unsigned use = 0; use < OWNER_USES; use++)
				for (unsigned same = 0; same < 2; same++)
					state_number(s, keys[write][use][same],
						     &d->bytes[write][use][same]);
		state_number(s, "other", &d->other);
		state_flag(s, "limited", &limited);
		state_flag(s, "unordered", &d->unordered);
	}
	d->maps.limited = limited;
}

/* Values that are unknown need none but the sums. */
static void state(struct state *s, void *of, const struct requests *r)
{
	struct dependencies *d = of;
	(void)r;
	if (state_saves(s) && d->maps.limited) {
		struct dependencies none = {.unordered = d->unordered};
		none.maps.limited = true;
		sums_state(s, &none);
		return;
	}
	sums_state(s, d);
	pairs_state(s, d);
	ranges_state(s, d);
	heads_state(s, d);
}

/* The statistic */

static bool is_needed(const struct iot_analyze_options *o)
{
	return o->dependencies != 0;
}

static void init(void *of, const struct iot_analyze_options *o)
{
	((struct dependencies *)of)->part = o->part != 0;
}

static void sample(void *of, const struct sample_kept *k)
{
	struct dependencies *d = of;
	SAMPLE_KEEP(d->files, d->capacity, k->file, k->files);
	d->maps.limited |= k->bits > 0;
}

const struct statistic dependencies_statistic = {
    .size = sizeof(struct dependencies),
    .is_needed = is_needed,
    .init = init,
    .add = add_batch,
    .join = join,
    .add_trace = add_trace,
    .values_section = IOT_ANALYZE_REUSE,
    .values = add_values,
    .sample = sample,
    .state = state,
    .free = free_all,
};
