/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_names.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"
#include "lib/format/directive.h"
#include "lib/result/names.h"

static struct iot_text text_of(const struct row_names *n, const struct name_place *name)
{
	return name->size > 0 ? (struct iot_text){n->text + name->at, name->size}
			      : (struct iot_text){NULL, 0};
}

static bool is_equal(struct iot_text a, struct iot_text b)
{
	if (a.data == NULL || b.data == NULL)
		return a.data == b.data;
	return text_same(a, b);
}

static bool append(struct row_names *n, struct iot_text text, struct name_place *to)
{
	if (text.size > ROW_NAME_MAX || text.size > ROW_NAMES_MAX - n->size) {
		n->omitted++;
		return true;
	}
	if (!array_reserve(&n->text, &n->capacity, n->size + text.size, 1))
		return false;
	memcpy(n->text + n->size, text.data, text.size);
	*to = (struct name_place){(uint32_t)n->size, (uint32_t)text.size};
	n->size += text.size;
	return true;
}

bool row_names_set(struct row_names *n, enum name_kind kind, uint64_t key, struct iot_text text)
{
	struct name_table *t = &n->of[kind];
	if (text.data == NULL || text.size == 0)
		return true;
	const size_t i = idmap_number(&t->map, key);
	if (!array_reserve_index(&t->name, &t->capacity, i, sizeof *t->name))
		return false;
	const struct iot_text old = text_of(n, &t->name[i]);
	/*
	 * parts repeat definitions: of several opens of an object, the first one is never the
	 * repeat
	 */
	if ((kind == NAME_OBJECT || kind == NAME_TRACE) && old.size > 0)
		return true;
	if (is_equal(old, text))
		return true;
	return append(n, text, &t->name[i]);
}

struct iot_text row_names_at(const struct row_names *n, enum name_kind kind, size_t i)
{
	return text_of(n, &n->of[kind].name[i]);
}

bool row_names_define_process(struct row_names *n, const struct iot_event *ev)
{
	return row_names_set(n, NAME_HOST, ev->rec.process, iot_directive_get(ev, "host")) &&
	       row_names_set(n, NAME_RANK, ev->rec.process, iot_directive_get(ev, "rank")) &&
	       row_names_set(n, NAME_PROGRAM, ev->rec.process, iot_directive_get(ev, "name"));
}

bool row_names_define_file(struct row_names *n, const struct iot_event *ev, struct iot_text path)
{
	if (ev->rec.object != 0)
		return row_names_set(n, NAME_OBJECT, ev->rec.object, path);
	return row_names_set(n, NAME_FILE, idmap_pair(ev->rec.process, ev->rec.file), path);
}

bool row_names_rename(struct row_names *n, const struct iot_event *op)
{
	struct rename one = {.named = n->of[NAME_OBJECT].map.count};
	return !renames_event(op, &one) || renames_add(&n->renames, one, &n->omitted);
}

static const char *const trace_keys[TRACE_NAMES] = {"source", "command", "host"};

bool row_names_define_trace(struct row_names *n, const struct iot_event *ev)
{
	for (unsigned i = 0; i < TRACE_NAMES; i++)
		if (!row_names_set(n, NAME_TRACE, i, iot_directive_get(ev, trace_keys[i])))
			return false;
	return true;
}

static bool join_names(struct row_names *n, const struct row_names *part, enum name_kind kind,
		       size_t *named)
{
	const struct name_table *from = &part->of[kind];
	for (size_t i = 0; i < from->map.count; i++) {
		named[i] = n->of[kind].map.count;
		if (!row_names_set(n, kind, from->map.keys[i], text_of(part, &from->name[i])))
			return false;
	}
	named[from->map.count] = n->of[kind].map.count;
	return true;
}

bool row_names_join(struct row_names *n, const struct row_names *part)
{
	bool joined = true;
	n->omitted += part->omitted;
	for (unsigned kind = 0; kind < NAME_KINDS && joined; kind++) {
		size_t *named = malloc((part->of[kind].map.count + 1) * sizeof *named);
		joined = named != NULL && join_names(n, part, kind, named);
		if (joined && kind == NAME_OBJECT)
			joined = renames_join(&n->renames, &part->renames, named, &n->omitted);
		free(named);
	}
	return joined;
}

static struct iot_text first_path(const void *names, size_t object)
{
	return row_names_at(names, NAME_OBJECT, object);
}

bool row_names_follow(struct row_names *n)
{
	const size_t objects = n->of[NAME_OBJECT].map.count;
	if (!last_names_follow(&n->last, &n->renames, objects, first_path, n))
		return false;
	for (size_t i = 0; i < objects; i++)
		(void)last_names_path(&n->last, i, first_path(n, i));
	return true;
}

static struct iot_text find(const struct row_names *n, enum name_kind kind, uint64_t key)
{
	const struct name_table *t = &n->of[kind];
	const size_t i = idmap_find(&t->map, key);
	return i != SIZE_MAX ? text_of(n, &t->name[i]) : (struct iot_text){NULL, 0};
}

static struct iot_text last_path(const struct row_names *n, uint32_t object)
{
	const bool any = object != 0 && n->last.followed > 0;
	const size_t i = any ? idmap_find(&n->of[NAME_OBJECT].map, object) : SIZE_MAX;
	return i != SIZE_MAX ? last_names_known(&n->last, i) : (struct iot_text){NULL, 0};
}

struct iot_text row_names_path(const struct row_names *n, const struct file_key *file)
{
	const struct iot_text last = last_path(n, file->object);
	if (last.data != NULL)
		return last;
	return file->object != 0 ? find(n, NAME_OBJECT, file->object)
				 : find(n, NAME_FILE, idmap_pair(file->process, file->file));
}

struct iot_text row_names_first_path(const struct row_names *n, const struct file_key *file)
{
	const bool renamed = last_path(n, file->object).data != NULL;
	return renamed ? find(n, NAME_OBJECT, file->object) : (struct iot_text){NULL, 0};
}

struct iot_text row_names_host(const struct row_names *n, uint32_t process)
{
	return find(n, NAME_HOST, process);
}

struct iot_text row_names_host_or_trace(const struct row_names *n, uint32_t process)
{
	const struct iot_text host = row_names_host(n, process);
	return host.data != NULL ? host : find(n, NAME_TRACE, TRACE_HOST);
}

/* Returns whether all processes, and the trace, that have a host have this one. */
static bool are_of_host(const struct row_names *n, struct iot_text host)
{
	const struct iot_text trace = find(n, NAME_TRACE, TRACE_HOST);
	bool same = trace.data == NULL || is_equal(trace, host);
	for (size_t i = 0; i < n->of[NAME_HOST].map.count && same; i++)
		same = is_equal(row_names_at(n, NAME_HOST, i), host);
	return same;
}

static bool give_host(struct row_names *n, const struct requests *r)
{
	char copy[ROW_NAME_MAX];
	const struct iot_text host = find(n, NAME_TRACE, TRACE_HOST);
	if (host.data != NULL)
		memcpy(copy, host.data, host.size); /* a set may move the texts */
	const struct iot_text given = {copy, host.size};
	for (size_t i = 0; i < r->processes.map.count && host.data != NULL; i++) {
		const uint32_t process = (uint32_t)r->processes.map.keys[i];
		if (row_names_host(n, process).data == NULL &&
		    !row_names_set(n, NAME_HOST, process, given))
			return false;
	}
	return true;
}

bool row_names_give_hosts(struct row_names *n, const struct requests *r, struct row_names *more,
			  const struct requests *of_more)
{
	const struct iot_text host = find(n, NAME_TRACE, TRACE_HOST),
			      other = find(more, NAME_TRACE, TRACE_HOST);
	const bool one = (host.data == NULL || are_of_host(more, host)) &&
			 (other.data == NULL || are_of_host(n, other));
	return one || (give_host(n, r) && give_host(more, of_more));
}

struct iot_text row_names_program(const struct row_names *n, uint32_t process)
{
	return find(n, NAME_PROGRAM, process);
}

bool row_names_rank(const struct row_names *n, uint32_t process, uint64_t *rank)
{
	const struct iot_text text = find(n, NAME_RANK, process);
	return text.data != NULL && number_decimal(text.data, text.size, rank);
}

void row_names_values(const struct row_names *n, struct values *v)
{
	v->section = SECTION_OF(trace);
	for (unsigned i = 0; i < TRACE_NAMES; i++) {
		const struct iot_text text = find(n, NAME_TRACE, i);
		if (text.data != NULL)
			values_text(v, trace_keys[i], NULL, text);
	}
}

static int by_text(const void *left, const void *right)
{
	const struct iot_text *a = left, *b = right;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return memcmp(a->data, b->data, a->size);
}

bool row_names_hosts(const struct row_names *n, const struct requests *r, uint64_t *hosts)
{
	struct iot_text *list = calloc(r->processes.active_count + 1, sizeof *list);
	size_t count = 0;
	*hosts = 0;
	if (list == NULL)
		return false;
	for (size_t i = 0; i < r->processes.active_capacity; i++) {
		const struct iot_text host =
		    r->processes.active[i] ? row_names_host(n, (uint32_t)r->processes.map.keys[i])
					   : (struct iot_text){NULL, 0};
		if (host.data != NULL)
			list[count++] = host;
	}
	if (count > 0)
		qsort(list, count, sizeof *list, by_text);
	for (size_t i = 0; i < count; i++)
		*hosts += i == 0 || by_text(&list[i - 1], &list[i]) != 0;
	free(list);
	return true;
}

void row_names_free(struct row_names *n)
{
	for (unsigned kind = 0; kind < NAME_KINDS; kind++) {
		idmap_free(&n->of[kind].map);
		free(n->of[kind].name);
	}
	renames_free(&n->renames);
	last_names_free(&n->last);
	free(n->text);
}
