/* SPDX-License-Identifier: BSD-2-Clause */
#include "renames.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"

#include "directive.h"

/* Returns whether the text of an event contains a word, which rules out most events quickly. */
static bool contains(const struct iot_event *ev, struct iot_text word)
{
	return memmem(ev->text.data, ev->text.size, word.data, word.size) != NULL;
}

bool renames_event(const struct iot_event *ev, struct rename *one)
{
	enum { NAME, RESULT, FROM, TO, KEYS };
	static const struct iot_text keys[KEYS] = {[NAME] = TEXT_OF("name"),
						   [RESULT] = TEXT_OF("result"),
						   [FROM] = TEXT_OF("path"),
						   [TO] = TEXT_OF("to")};
	static const struct iot_text rename = TEXT_OF("=rename"), exchange = TEXT_OF("=exchange");
	struct iot_text value[KEYS];
	if (ev->kind != IOT_OP || (!contains(ev, rename) && !contains(ev, exchange)))
		return false;
	directive_values(ev, keys, KEYS, value);
	one->from = value[FROM];
	one->to = value[TO];
	one->exchange = text_equals(value[NAME], "exchange");
	return (one->exchange || text_equals(value[NAME], "rename")) && one->from.size > 0 &&
	       one->to.size > 0 && (value[RESULT].data == NULL || text_equals(value[RESULT], "0"));
}

bool renames_add(struct renames *r, struct rename one, uint64_t *omitted)
{
	const size_t size = one.from.size + one.to.size;
	if (size > RENAMES_MAX - r->size) {
		(*omitted)++;
		return true;
	}
	if (!array_reserve(&r->list, &r->capacity, r->count + 1, sizeof *r->list) ||
	    !text_blocks_copy(&r->texts, &one.from) || !text_blocks_copy(&r->texts, &one.to))
		return false;
	r->size += size;
	r->list[r->count++] = one;
	return true;
}

bool renames_join(struct renames *r, const struct renames *part, const size_t *named,
		  uint64_t *omitted)
{
	for (size_t i = 0; i < part->count; i++) {
		struct rename one = part->list[i];
		one.named = named[one.named];
		if (!renames_add(r, one, omitted))
			return false;
	}
	return true;
}

void renames_free(struct renames *r)
{
	free(r->list);
	text_blocks_free(&r->texts);
}

static bool add_objects(struct last_names *l, size_t until, first_name *first, const void *context)
{
	while (l->tree.objects < until)
		if (!name_tree_add(&l->tree, first(context, l->tree.objects)))
			return false;
	return true;
}

static bool follow(struct name_tree *t, const struct rename *one)
{
	return one->exchange ? name_tree_exchange(t, one->from, one->to)
			     : name_tree_move(t, one->from, one->to);
}

bool last_names_follow(struct last_names *l, const struct renames *r, size_t objects,
		       first_name *first, const void *context)
{
	if (r->count == 0)
		return true;
	if (l->followed < r->count)
		text_blocks_reset(&l->texts);
	for (; l->followed < r->count; l->followed++) {
		const struct rename *one = &r->list[l->followed];
		if (!add_objects(l, one->named, first, context) || !follow(&l->tree, one))
			return false;
	}
	return add_objects(l, objects, first, context) &&
	       (objects == 0 ||
		array_reserve_index(&l->name, &l->capacity, objects - 1, sizeof *l->name));
}

static struct iot_text path_of(struct last_names *l, size_t object, struct iot_text first)
{
	struct iot_text path = {NULL, name_tree_moved_size(&l->tree, object)};
	char *out = path.size > 0 ? malloc(path.size) : NULL;
	if (out == NULL)
		return (struct iot_text){NULL, 0};
	name_tree_path(&l->tree, object, out);
	path.data = out;
	if (text_same(path, first) || !text_blocks_copy(&l->texts, &path))
		path = (struct iot_text){NULL, 0};
	free(out);
	return path;
}

struct iot_text last_names_path(struct last_names *l, size_t object, struct iot_text first)
{
	if (object >= l->tree.objects || object >= l->capacity)
		return (struct iot_text){NULL, 0};
	struct last_name *name = &l->name[object];
	if (name->followed < l->followed)
		*name = (struct last_name){path_of(l, object, first), l->followed};
	return name->path;
}

struct iot_text last_names_known(const struct last_names *l, size_t object)
{
	return object < l->capacity ? l->name[object].path : (struct iot_text){NULL, 0};
}

void last_names_free(struct last_names *l)
{
	name_tree_free(&l->tree);
	free(l->name);
	text_blocks_free(&l->texts);
}
