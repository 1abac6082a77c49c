/* SPDX-License-Identifier: BSD-2-Clause */
#include "name_tree.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"

enum {
	BUCKETS_FIRST = 256,
	ROOTS = 2, /* nodes 0 and 1: of relative and of absolute paths */
	/* No path of 4,096 bytes is longer, even percent-encoded. */
	DEPTH_LIMIT = 2048,
	PATH_LIMIT = 3 * 4096,
};

struct name_node {
	const char *text;
	uint32_t size, parent;
	uint32_t chain; /* the next node + 1 of its bucket */
	uint32_t children;
	bool held;  /* it is the name of an object */
	bool moved; /* it has been moved, but not what is below it */
};

/* Removes the first component, without empty ones and ".", from *path. False: none is left. */
static bool take_part(struct iot_text *path, struct iot_text *part)
{
	const char *at = path->data, *end = at + path->size;
	do {
		while (at < end && *at == '/')
			at++;
		part->data = at;
		while (at < end && *at != '/')
			at++;
		part->size = (size_t)(at - part->data);
	} while (part->size == 1 && *part->data == '.');
	*path = (struct iot_text){at, (size_t)(end - at)};
	return part->size > 0;
}

/* The hash table */

static uint32_t *bucket_of(const struct name_tree *t, uint32_t parent, struct iot_text part)
{
	return &t->bucket[XXH3_64bits_withSeed(part.data, part.size, parent) & (t->buckets - 1)];
}

static struct iot_text text_of(const struct name_node *n)
{
	return (struct iot_text){n->text, n->size};
}

static void link_node(struct name_tree *t, uint32_t i)
{
	struct name_node *n = &t->node[i];
	uint32_t *bucket = bucket_of(t, n->parent, text_of(n));
	n->chain = *bucket;
	*bucket = i + 1;
	t->node[n->parent].children++;
}

/* The node keeps its parent and its text, but is found no longer. */
static void unlink_node(struct name_tree *t, uint32_t i)
{
	const struct name_node *n = &t->node[i];
	uint32_t *at = bucket_of(t, n->parent, text_of(n));
	while (*at != i + 1)
		at = &t->node[*at - 1].chain;
	*at = n->chain;
	t->node[n->parent].children--;
}

static bool grow(struct name_tree *t)
{
	const size_t old = t->buckets, buckets = old > 0 ? 2 * old : BUCKETS_FIRST;
	uint32_t *from = t->bucket, *bucket = calloc(buckets, sizeof *bucket);
	if (bucket == NULL)
		return false;
	t->bucket = bucket;
	t->buckets = buckets;
	for (size_t b = 0; b < old; b++)
		for (uint32_t i = from[b], next; i > 0; i = next) {
			next = t->node[i - 1].chain;
			t->node[t->node[i - 1].parent].children--;
			link_node(t, i - 1);
		}
	free(from);
	return true;
}

/* Nodes */

/* Stores the node of a name in a directory, or 0 if the name is unknown. */
static bool step(struct name_tree *t, uint32_t parent, struct iot_text part, bool make,
		 uint32_t *node)
{
	*node = 0;
	for (uint32_t i = *bucket_of(t, parent, part); i > 0; i = t->node[i - 1].chain) {
		const struct name_node *n = &t->node[i - 1];
		if (n->parent == parent && n->size == part.size &&
		    memcmp(n->text, part.data, part.size) == 0) {
			*node = i - 1;
			return true;
		}
	}
	if (!make)
		return true;
	if (t->count >= UINT32_MAX || (t->count >= t->buckets && !grow(t)) ||
	    !array_reserve(&t->node, &t->capacity, t->count + 1, sizeof *t->node))
		return false;
	*node = (uint32_t)t->count++;
	t->node[*node] =
	    (struct name_node){.text = part.data, .size = (uint32_t)part.size, .parent = parent};
	link_node(t, *node);
	return true;
}

static bool make_roots(struct name_tree *t)
{
	if (t->count > 0)
		return true;
	if (!grow(t) || !array_reserve(&t->node, &t->capacity, ROOTS, sizeof *t->node))
		return false;
	memset(t->node, 0, ROOTS * sizeof *t->node);
	t->count = ROOTS;
	return true;
}

static uint32_t root_of(struct iot_text path)
{
	return path.size > 0 && *path.data == '/';
}

/* Stores the node of a path, or a root if the path is unknown. */
static bool walk(struct name_tree *t, struct iot_text path, bool make, uint32_t *node)
{
	struct iot_text part;
	*node = root_of(path);
	while (take_part(&path, &part)) {
		if (!step(t, *node, part, make, node))
			return false;
		if (*node < ROOTS)
			break;
	}
	return true;
}

/* Gives a name that an object holds to a new node, unless other names are below it. */
static bool renew(struct name_tree *t, uint32_t *node)
{
	const struct name_node n = t->node[*node];
	if (*node < ROOTS || !n.held || n.children > 0)
		return true;
	unlink_node(t, *node);
	return step(t, n.parent, text_of(&n), true, node);
}

bool name_tree_add(struct name_tree *t, struct iot_text path)
{
	uint32_t node = 0;
	if (!make_roots(t) || !walk(t, path, true, &node) || !renew(t, &node) ||
	    !array_reserve(&t->of, &t->object_capacity, t->objects + 1, sizeof *t->of))
		return false;
	t->node[node].held = true;
	t->of[t->objects++] = node;
	return true;
}

/* Returns true also of a node too deep for a path, so that a trace cannot make walks long. */
static bool is_within(const struct name_tree *t, uint32_t node, uint32_t top)
{
	unsigned depth = 0;
	while (node >= ROOTS && node != top && depth++ < DEPTH_LIMIT)
		node = t->node[node].parent;
	return node == top || depth > DEPTH_LIMIT;
}

static struct iot_text last_part(struct iot_text path, struct iot_text *directory)
{
	struct iot_text last = {path.data, 0}, part, rest = path;
	while (take_part(&rest, &part))
		last = part;
	*directory = (struct iot_text){path.data, (size_t)(last.data - path.data)};
	return last;
}

/* Gives a node that is not linked another name. */
static void place(struct name_tree *t, uint32_t i, uint32_t parent, struct iot_text name)
{
	struct name_node *n = &t->node[i];
	n->text = name.data;
	n->size = (uint32_t)name.size;
	n->parent = parent;
	n->moved = true;
	link_node(t, i);
}

bool name_tree_move(struct name_tree *t, struct iot_text from, struct iot_text to)
{
	struct iot_text directory;
	const struct iot_text name = last_part(to, &directory);
	uint32_t node, parent, onto;
	if (!make_roots(t) || !walk(t, from, false, &node) || !walk(t, directory, true, &parent) ||
	    !step(t, parent, name, false, &onto))
		return false;
	if (name.size == 0 || (node >= ROOTS && is_within(t, parent, node)) ||
	    (onto >= ROOTS && (onto == node || is_within(t, node, onto))))
		return true;
	if (onto >= ROOTS)
		unlink_node(t, onto);
	if (node < ROOTS)
		return true;
	unlink_node(t, node);
	place(t, node, parent, name);
	return true;
}

bool name_tree_exchange(struct name_tree *t, struct iot_text one, struct iot_text other)
{
	uint32_t i, k;
	if (!make_roots(t) || !walk(t, one, false, &i) || !walk(t, other, false, &k))
		return false;
	if (i < ROOTS)
		return name_tree_move(t, other, one);
	if (k < ROOTS)
		return name_tree_move(t, one, other);
	if (is_within(t, i, k) || is_within(t, k, i))
		return true;
	const struct name_node a = t->node[i], b = t->node[k];
	unlink_node(t, i);
	unlink_node(t, k);
	place(t, i, b.parent, text_of(&b));
	place(t, k, a.parent, text_of(&a));
	return true;
}

/* Paths */

size_t name_tree_moved_size(const struct name_tree *t, size_t object)
{
	size_t size = 0;
	bool moved = false;
	uint32_t i = t->of[object];
	for (; i >= ROOTS && size <= PATH_LIMIT; i = t->node[i].parent) {
		size += t->node[i].size + 1;
		moved |= t->node[i].moved;
	}
	return moved && i < ROOTS ? size - (i == 0) : 0;
}

void name_tree_path(const struct name_tree *t, size_t object, char *out)
{
	char *at = out + name_tree_moved_size(t, object);
	for (uint32_t i = t->of[object]; i >= ROOTS; i = t->node[i].parent) {
		at -= t->node[i].size;
		memcpy(at, t->node[i].text, t->node[i].size);
		if (at > out)
			*--at = '/';
	}
}

void name_tree_free(struct name_tree *t)
{
	free(t->node);
	free(t->bucket);
	free(t->of);
	*t = (struct name_tree){.node = NULL};
}
