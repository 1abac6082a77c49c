/* SPDX-License-Identifier: BSD-2-Clause */
#include "survey_state.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/text.h"

#include "survey_links.h"

enum { VERSION = 3, UNKNOWN_MAX = (1 << SURVEY_BITS) - 1 };

bool survey_state_begins(const struct iot_event *first)
{
	static const char line[] = SURVEY_DIRECTIVE " kind=header ";
	return first->kind == IOT_DIRECTIVE && first->text.size >= sizeof line - 1 &&
	       memcmp(first->text.data, line, sizeof line - 1) == 0;
}

static void header_state(struct state *s, struct fs_survey *v)
{
	uint64_t version = VERSION;
	uint32_t by = v->by;
	size_t rows = 0;
	for (; state_list(s, "header", rows == 0 && state_saves(s)); rows++) {
		state_number(s, "version", &version);
		state_check(s, version == VERSION, "version=3");
		state_small(s, "unknown", &v->unknown, UNKNOWN_MAX);
		state_flag(s, "knows_now", &v->knows_now);
		state_signed(s, "now", &v->now_s);
		state_small(s, "by", &by, SURVEY_BY_PROJECT);
		state_small(s, "depth", &v->depth, UINT32_MAX);
		state_flag(s, "names", &v->names);
		state_number(s, "hidden", &v->hidden);
	}
	v->by = (enum survey_by)by;
	state_check(s, rows == 1, "kind=header first");
}

/* Roots */

static void root_state(struct state *s, struct survey_root *r, uint64_t *above)
{
	state_number(s, "id", &r->id);
	state_small(s, "part", &r->part, ROOT_PARTS_MAX);
	state_small(s, "parts", &r->parts, ROOT_PARTS_MAX);
	state_check(s, r->part >= 1 && r->part <= r->parts, "part= from 1 to parts=");
	*above = r->above_count;
	state_limited(s, "above", above, ROOT_DEPTH_MAX);
}

/* The rows of all roots follow each other. */
static void above_state(struct state *s, struct root_list *l)
{
	size_t root = 0, i = 0;
	for (;; i++) {
		while (root < l->count && i == l->root[root].above_count) {
			root++;
			i = 0;
		}
		if (!state_list(s, "root.above", root < l->count))
			break;
		state_check(s, root < l->count, "as many rows as the roots have");
		if (state_failed(s))
			continue;
		state_number(s, "id", &l->root[root].above[i]);
	}
	state_check(s, root == l->count, "as many rows as the roots have");
}

static void roots_state(struct state *s, struct root_list *l)
{
	const size_t count = l->count;
	for (size_t i = 0; state_list(s, "root", i < count); i++) {
		uint64_t zeros[ROOT_DEPTH_MAX] = {0}, above = 0;
		struct survey_root loaded = {.above = zeros};
		root_state(s, state_saves(s) ? &l->root[i] : &loaded, &above);
		loaded.above_count = (size_t)above;
		if (!state_saves(s) && !state_failed(s) && !root_list_add(l, &loaded))
			state_no_memory(s);
	}
	above_state(s, l);
}

/* Sums */

static void counts_state(struct state *s, struct fs_survey *v)
{
	size_t i;
	while (state_each(s, "entries", SURVEY_KINDS, &i))
		state_number(s, "n", &v->entries[i]);
	while (state_each(s, "counts", 1, &i)) {
		state_number(s, "data", &v->data);
		state_number(s, "capacity", &v->capacity);
		state_number(s, "duplicate_links", &v->duplicate_links);
		state_number(s, "snapshots", &v->snapshots);
		state_number(s, "other_devices", &v->other_devices);
		state_number(s, "loops", &v->loops);
		state_number(s, "vanished", &v->vanished);
		state_number(s, "moved", &v->moved);
		state_number(s, "sparse", &v->sparse);
		state_number(s, "unread", &v->unread);
		state_number(s, "touched", &v->touched);
	}
	while (state_each(s, "failed", SURVEY_ERRNO, &i))
		state_number(s, "n", &v->failed[i]);
	while (state_each(s, "future", SURVEY_TIMES, &i))
		state_number(s, "n", &v->future[i]);
	while (state_each(s, "older", SURVEY_TIMES * SURVEY_AGES, &i)) {
		state_number(s, "files", &v->older[i / SURVEY_AGES][i % SURVEY_AGES]);
		state_number(s, "bytes", &v->older_bytes[i / SURVEY_AGES][i % SURVEY_AGES]);
	}
}

static void bins_state(struct state *s, struct fs_survey *v)
{
	uint64_t sum[SURVEY_HISTOGRAMS] = {0};
	uint128 amount[SURVEY_HISTOGRAMS] = {0};
	bool valid = true;
	size_t i;
	while (state_each(s, "histogram", SURVEY_HISTOGRAMS, &i)) {
		state_number(s, "items", &v->of[i].items);
		state_wide(s, "amount", &v->of[i].amount);
		state_number(s, "min", &v->of[i].min);
		state_number(s, "max", &v->of[i].max);
	}
	while (state_each(s, "bins", (size_t)SURVEY_HISTOGRAMS * SURVEY_BINS, &i)) {
		struct survey_bins *b = &v->of[i / SURVEY_BINS];
		state_number(s, "items", &b->bin_items[i % SURVEY_BINS]);
		state_wide(s, "amount", &b->bin_amount[i % SURVEY_BINS]);
		sum[i / SURVEY_BINS] += b->bin_items[i % SURVEY_BINS];
		amount[i / SURVEY_BINS] += b->bin_amount[i % SURVEY_BINS];
	}
	for (i = 0; i < SURVEY_HISTOGRAMS; i++)
		valid &= sum[i] == v->of[i].items && amount[i] == v->of[i].amount;
	state_check(s, valid, "bins whose sum is the number of items");
	state_histogram(s, STATE_NAMES("size"), &v->size);
	while (state_each(s, "size.bytes", HISTOGRAM_BINS, &i))
		state_number(s, "n", &v->size_bytes[i]);
}

static void joint_state(struct state *s, struct fs_survey *v)
{
	size_t i;
	while (state_each(s, "joint", (size_t)SURVEY_TIMES * JOINT_CELLS, &i)) {
		struct joint_cell *c = &v->joint[i / JOINT_CELLS].cell[i % JOINT_CELLS];
		state_number(s, "files", &c->files);
		state_number(s, "bytes", &c->bytes);
	}
}

/* Top lists */

static void top_row(struct state *s, struct fs_survey *v, uint32_t list, struct top_entry *e)
{
	struct iot_text path = {e->path, e->path != NULL ? strlen(e->path) : 0};
	char text[TOP_PATH_MAX + 1];
	state_small(s, "list", &list, SURVEY_TOPS - 1);
	state_number(s, "value", &e->value);
	state_number(s, "device", &e->device);
	state_number(s, "inode", &e->inode);
	state_text(s, "path", &path);
	if (state_saves(s))
		return;
	state_check(s, v->names && path.size <= TOP_PATH_MAX, "names=1, and paths");
	if (state_failed(s))
		return;
	memcpy(text, path.data, path.size);
	text[path.size] = '\0';
	e->path = text;
	survey_add_top(v, list, e);
	e->path = NULL;
}

static void tops_state(struct state *s, struct fs_survey *v)
{
	uint32_t list = 0;
	size_t i = 0;
	for (;; i++) {
		struct top_entry loaded = {0};
		while (state_saves(s) && list < SURVEY_TOPS && i == v->top[list].count) {
			list++;
			i = 0;
		}
		if (!state_list(s, "top", state_saves(s) && list < SURVEY_TOPS))
			break;
		top_row(s, v, list, state_saves(s) ? &v->top[list].entry[i] : &loaded);
	}
	if (v->no_memory)
		state_no_memory(s);
}

/* Files with links elsewhere */

static void link_row(struct state *s, struct survey_link *l)
{
	static const char *const times[SURVEY_TIMES] = {"mtime", "ctime", "atime"};
	uint32_t links = (uint32_t)l->file.links, name = (uint32_t)l->file.name;
	state_small(s, "links", &links, UINT32_MAX);
	state_small(s, "found", &l->found, UINT32_MAX);
	state_check(s, l->found > 0 && l->found < links, "found= from 1, less than links=");
	state_number(s, "size", &l->file.size);
	state_number(s, "capacity", &l->file.capacity);
	for (size_t t = 0; t < SURVEY_TIMES; t++)
		state_signed(s, times[t], &l->file.time_s[t]);
	state_number(s, "key", &l->file.key);
	state_small(s, "name", &name, UINT8_MAX);
	l->file.links = links;
	l->file.name = name;
}

static void links_state(struct state *s, struct fs_survey *v)
{
	struct survey_link_change change = {false, false};
	size_t count = 0;
	uint32_t *number = survey_open_links(v, &count);
	if (number == NULL)
		state_no_memory(s);
	for (size_t i = 0; number != NULL && state_list(s, "link", i < count); i++) {
		struct survey_link loaded = {.file = {.kind = SURVEY_FILE}};
		uint64_t id = state_saves(s) ? v->link_ids.keys[number[i]] : 0;
		state_number(s, "id", &id);
		link_row(s, state_saves(s) ? &v->link[number[i]] : &loaded);
		if (state_saves(s) || state_failed(s))
			continue;
		if (survey_add_link(v, id, &loaded, &change) == NULL)
			state_no_memory(s);
		state_check(s, !change.is_known, "each id once");
	}
	free(number);
}

/* Keys, in ascending order */

static int by_key(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return a < b ? -1 : a > b;
}

static uint64_t *sorted_keys(struct state *s, const struct fs_survey *v)
{
	uint64_t *keys = malloc((v->keys.count + 1) * sizeof *keys);
	if (keys == NULL) {
		state_no_memory(s);
		return NULL;
	}
	if (v->keys.count > 0)
		memcpy(keys, v->keys.keys, v->keys.count * sizeof *keys);
	qsort(keys, v->keys.count, sizeof *keys, by_key);
	return keys;
}

static void name_state(struct state *s, struct key_sums *sums)
{
	struct iot_text name = {sums->name, sums->name != NULL ? strlen(sums->name) : 0};
	state_text(s, "name", &name);
	if (state_saves(s) || name.size == 0)
		return;
	free(sums->name);
	sums->name = strndup(name.data, name.size);
	if (sums->name == NULL)
		state_no_memory(s);
}

static void sums_state(struct state *s, struct key_sums *sums)
{
	state_number(s, "files", &sums->files);
	state_number(s, "bytes", &sums->bytes);
	state_number(s, "capacity", &sums->capacity);
	state_signed(s, "oldest", &sums->oldest_s);
	state_signed(s, "newest", &sums->newest_s);
	state_signed(s, "used", &sums->used_s);
}

/* Returns the sums of a row, whose key is a column; NULL after a failure. */
static struct key_sums *key_row(struct state *s, struct fs_survey *v, const uint64_t *keys,
				size_t i)
{
	const size_t before = v->keys.count;
	uint64_t key = state_saves(s) ? keys[i] : 0;
	state_number(s, "key", &key);
	struct key_sums *sums = survey_sums(v, key);
	if (sums == NULL)
		state_no_memory(s);
	state_check(s, v->keys.count > before, "at most 65537 keys, each once");
	return state_failed(s) ? NULL : sums;
}

static void keys_state(struct state *s, struct fs_survey *v)
{
	static const char *const columns[SURVEY_AGES] = {"0", "1", "2", "3", "4"};
	static const char *const byte_columns[SURVEY_AGES] = {"0b", "1b", "2b", "3b", "4b"};
	uint64_t *keys = sorted_keys(s, v);
	const size_t count = v->keys.count;
	for (size_t i = 0; keys != NULL && state_list(s, "key", i < count); i++) {
		struct key_sums *sums = key_row(s, v, keys, i);
		if (sums == NULL)
			continue;
		sums_state(s, sums);
		for (size_t j = 0; j < SURVEY_AGES; j++) {
			state_number(s, columns[j], &sums->older[j]);
			state_number(s, byte_columns[j], &sums->older_bytes[j]);
		}
		name_state(s, sums);
	}
	free(keys);
	keys = sorted_keys(s, v); /* of a state that was loaded, too */
	const size_t rows = v->keys.count * SURVEY_BINS;
	size_t i;
	while (keys != NULL && state_each(s, "key.size", rows, &i)) {
		struct key_sums *sums = survey_sums(v, keys[i / SURVEY_BINS]);
		if (sums == NULL)
			continue;
		state_number(s, "files", &sums->size_files[i % SURVEY_BINS]);
		state_number(s, "bytes", &sums->size_bytes[i % SURVEY_BINS]);
	}
	free(keys);
}

void survey_state(struct state *s, struct fs_survey *v)
{
	header_state(s, v);
	roots_state(s, &v->roots);
	counts_state(s, v);
	bins_state(s, v);
	joint_state(s, v);
	tops_state(s, v);
	links_state(s, v);
	keys_state(s, v);
}

void survey_state_end(struct state *s)
{
	uint64_t version = VERSION;
	size_t rows = 0;
	for (; state_list(s, "end", rows == 0 && state_saves(s)); rows++)
		state_number(s, "version", &version);
	state_check(s, rows == 1 && (state_saves(s) || state_ends(s)),
		    "kind=end, and nothing after it");
}

static int run(struct state *s, struct fs_survey *v, struct error *e)
{
	if (!state_begin(s))
		state_no_memory(s);
	survey_state(s, v);
	survey_state_end(s);
	*e = s->error;
	state_free(s);
	return e->status;
}

int survey_save(struct fs_survey *v, struct iot_writer *w, struct error *e)
{
	struct state s = {.writer = w, .directive = SURVEY_DIRECTIVE, .layer = -1, .direction = -1};
	return run(&s, v, e);
}

int survey_load(struct fs_survey *v, struct iot_reader *r, const struct iot_event *first,
		struct error *e)
{
	struct state s = {.reader = r,
			  .directive = SURVEY_DIRECTIVE,
			  .layer = -1,
			  .direction = -1,
			  .line = *first,
			  .has_line = true};
	return run(&s, v, e);
}
