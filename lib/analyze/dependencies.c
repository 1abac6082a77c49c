/* SPDX-License-Identifier: BSD-2-Clause */
#include "dependencies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "saturate.h"

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

bool dependencies_add_head(struct dependencies *d, const struct dependency_head *head)
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
	return dependencies_add_head(
	    t->d, &(struct dependency_head){begin, end, t->file, t->process, t->write});
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

bool dependencies_add(struct dependencies *d, const struct io_spans *spans)
{
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

bool dependencies_join(struct dependencies *d, const struct dependencies *part,
		       const uint32_t *process, const uint32_t *file)
{
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

void dependencies_add_trace(struct dependencies *d)
{
	dependencies_free(d);
	*d = (struct dependencies){.unordered = true};
	d->maps.limited = true; /* nothing changes anymore */
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
		list[i] = (struct pair_rank){d->pairs[i], (uint32_t)r->process_map.keys[of >> 32],
					     (uint32_t)r->process_map.keys[(uint32_t)of]};
	}
	qsort(list, n, sizeof *list, by_bytes);
	values_number(v, "pairs", NULL, "", n);
	for (unsigned unread = 0; unread < 2; unread++)
		for (size_t i = 0; i < n && i < top; i++) {
			snprintf(key, sizeof key, "%u/%u", list[i].writer, list[i].reader);
			values_number(v, unread ? "pair_first_bytes" : "pair_bytes", key, "bytes",
				      unread ? list[i].bytes.first : list[i].bytes.bytes);
		}
	values_number(v, "pair_bytes_other", NULL, "bytes", d->other);
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

bool dependencies_values(const struct dependencies *d, const struct requests *r, size_t top,
			 struct values *v)
{
	v->section = "reuse";
	use_values(d, v);
	if (why_unknown(d) == NULL)
		return pair_values(d, r, top, v);
	values_unknown(v, "pairs", NULL, "", why_unknown(d));
	return true;
}

void dependencies_free(struct dependencies *d)
{
	owner_maps_free(&d->maps);
	idmap_free(&d->pair_map);
	free(d->files);
	free(d->pairs);
	free(d->heads);
	free(d->last_head);
}
