/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A checkpoint contains the survey of all directories that were read, the files with several links,
 * and the directories that are left. Each directory refers to the row of its parent. Checkpoints
 * contain names, so only their owner may read them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/array.h"
#include "lib/base/atomic_file.h"
#include "lib/base/full_io.h"

#include "survey_state.h"
#include "walk_internal.h"

enum { NAME_BYTES_MAX = 4095, PATH_BYTES = 512 };

struct checkpoint {
	struct state state;
	struct subtree **row; /* directories that are left, and their ancestors, which come first */
	size_t rows, capacity;
	struct idmap numbers; /* of rows, by address; saving only */
	struct subtree **last;
	const struct walk_options *options;
};

/* Rows */

static bool add_row(struct checkpoint *c, struct subtree *d)
{
	if (!array_reserve(&c->row, &c->capacity, c->rows + 1, sizeof *c->row)) {
		state_no_memory(&c->state);
		return false;
	}
	c->row[c->rows++] = d;
	return true;
}

/* Adds a directory after its ancestors, unless it has a row. Recursion would need a large stack. */
static void add_with_ancestors(struct checkpoint *c, struct subtree *d)
{
	size_t first = c->rows, last;
	while (d != NULL && idmap_find(&c->numbers, (uintptr_t)d) == SIZE_MAX) {
		if (!add_row(c, d))
			return;
		d = d->parent;
	}
	for (last = c->rows; first + 1 < last; first++) {
		struct subtree *other = c->row[--last];
		c->row[last] = c->row[first];
		c->row[first] = other;
	}
	for (first = c->numbers.count; first < c->rows; first++)
		if (idmap_number(&c->numbers, (uintptr_t)c->row[first]) != first)
			state_no_memory(&c->state);
}

static void save_row(struct checkpoint *c, struct subtree *d, bool waits)
{
	struct state *s = &c->state;
	struct iot_text name = {d->name, d->parent != NULL ? d->size : 0};
	uint64_t parent = d->parent != NULL ? idmap_find(&c->numbers, (uintptr_t)d->parent) + 1 : 0;
	state_number(s, "parent", &parent);
	state_number(s, "device", &d->device);
	state_number(s, "inode", &d->inode);
	state_number(s, "key", &d->key);
	state_flag(s, "waits", &waits);
	state_text(s, "name", &name);
}

static void save_rows(struct checkpoint *c, struct subtree *queue)
{
	struct idmap waiting = {0};
	bool ok = true;
	for (struct subtree *d = queue; d != NULL; d = d->next) {
		add_with_ancestors(c, d);
		ok &= idmap_number(&waiting, (uintptr_t)d) != SIZE_MAX;
	}
	if (!ok)
		state_no_memory(&c->state);
	for (size_t i = 0; state_list(&c->state, "directory", i < c->rows); i++)
		save_row(c, c->row[i], idmap_find(&waiting, (uintptr_t)c->row[i]) != SIZE_MAX);
	idmap_free(&waiting);
}

/* Finds the root that has the identity of a row. Returns its path, or NULL. */
static const char *find_root(const int *fds, char *const *roots, size_t count,
			     const struct subtree *like, int *fd)
{
	struct stat st;
	for (size_t i = 0; i < count; i++) {
		*fd = fds[i];
		if (fstat(fds[i], &st) == 0 && st.st_dev == like->device &&
		    st.st_ino == like->inode)
			return roots[i];
	}
	return NULL;
}

struct open_roots {
	const int *fds;
	char *const *paths;
	size_t count;
	const struct walk_options *options;
};

static struct subtree *new_root(struct state *s, const struct open_roots *r, struct subtree *like)
{
	int fd = -1;
	const char *path = find_root(r->fds, r->paths, r->count, like, &fd);
	state_check(s, path != NULL, "the directories that are given");
	struct subtree *d = path != NULL ? subtree_new(NULL, path, strlen(path)) : NULL;
	if (d == NULL)
		return NULL;
	char *absolute = realpath(path, NULL);
	const char *name = absolute != NULL ? absolute : path;
	d->root_fd = fd;
	d->by_inode = walk_sorts(r->options, fd);
	d->path_hash = root_list_id(name, strlen(name));
	free(absolute);
	return d;
}

/* Loads a row, and adds its directory to the end of the queue if it waits. */
static void load_row(struct checkpoint *c, const struct open_roots *r)
{
	struct state *s = &c->state;
	struct subtree like = {0}, *d;
	struct iot_text name;
	uint64_t parent = 0;
	bool waits = false;
	state_limited(s, "parent", &parent, c->rows);
	state_number(s, "device", &like.device);
	state_number(s, "inode", &like.inode);
	state_number(s, "key", &like.key);
	state_flag(s, "waits", &waits);
	state_text(s, "name", &name);
	state_check(s,
		    name.size <= NAME_BYTES_MAX && (name.size > 0) == (parent > 0) &&
			memchr(name.data, '/', name.size) == NULL &&
			memchr(name.data, '\0', name.size) == NULL,
		    "names of directories");
	if (state_failed(s))
		return;
	d = parent == 0 ? new_root(s, r, &like)
			: subtree_new(c->row[parent - 1], name.data, name.size);
	if (d == NULL) {
		if (!state_failed(s))
			state_no_memory(s);
		return;
	}
	d->device = like.device;
	d->inode = like.inode;
	d->key = like.key;
	if (!add_row(c, d)) {
		subtree_release(d);
	} else if (waits) {
		subtree_use(d);
		*c->last = d;
		c->last = &d->next;
	}
}

/* Files */

static bool report(const struct walk_options *o, const struct error *e)
{
	char text[sizeof e->text + PATH_BYTES + 2];
	const size_t size = strlen(o->checkpoint);
	if (e->status == IOT_OK)
		return true;
	if (strncmp(e->text, o->checkpoint, size < PATH_BYTES ? size : PATH_BYTES) == 0)
		snprintf(text, sizeof text, "%s", e->text); /* of a reader or a file */
	else
		snprintf(text, sizeof text, "%.*s: %s", PATH_BYTES, o->checkpoint, e->text);
	o->failed_checkpoint(o->context, text);
	return false;
}

static void write_file(const char *path, const void *data, size_t size, struct error *e)
{
	struct atomic_file f = {0};
	char name[1024];
	escape_text(name, sizeof name, path, strlen(path));
	if (atomic_file_open(&f, path, ATOMIC_FILE_PRIVATE, name, e) != IOT_OK)
		return;
	if (!full_write(f.fd, data, size, FULL_IO_CURRENT))
		error_system(e, errno, "%s", name);
	(void)atomic_file_commit(&f, name, e);
}

static void save_tables(struct checkpoint *c, struct tree_walk *w, struct fs_survey *sum)
{
	if (!state_begin(&c->state))
		state_no_memory(&c->state);
	survey_join(sum, w->survey);
	if (!root_list_join(&sum->roots, &w->survey->roots))
		state_no_memory(&c->state);
	for (unsigned i = 0; i < w->walker_count; i++)
		survey_join(sum, w->walkers[i].survey);
	if (sum->no_memory)
		state_no_memory(&c->state);
	survey_state(&c->state, sum);
	save_rows(c, w->queue);
	survey_state_end(&c->state);
}

bool walk_save(struct tree_walk *w)
{
	struct iot_writer *writer = iot_writer_new();
	struct fs_survey *sum = calloc(1, sizeof *sum);
	struct checkpoint c = {.state = {.writer = writer,
					 .directive = SURVEY_DIRECTIVE,
					 .layer = -1,
					 .direction = -1},
			       .options = w->options};
	struct error *e = &c.state.error;
	size_t size = 0;
	if (writer == NULL || sum == NULL || iot_writer_open_memory(writer) != IOT_OK) {
		state_no_memory(&c.state);
	} else {
		sum->knows_now = true;
		sum->now_s = w->survey->now_s;
		sum->by = w->survey->by;
		sum->depth = w->survey->depth;
		sum->names = w->survey->names;
		save_tables(&c, w, sum);
		if (e->status == IOT_OK && iot_writer_close(writer) != IOT_OK)
			error_set(e, IOT_EIO, "%s", iot_writer_error(writer));
		const void *data = iot_writer_memory(writer, &size);
		if (e->status == IOT_OK)
			write_file(w->options->checkpoint, data, size, e);
	}
	const bool ok = report(w->options, e);
	state_free(&c.state);
	idmap_free(&c.numbers);
	free(c.row);
	survey_free(sum);
	iot_writer_free(writer);
	return ok;
}

static void clear_queue(struct tree_walk *w)
{
	while (w->queue != NULL) {
		struct subtree *d = w->queue;
		w->queue = d->next;
		subtree_release(d);
	}
}

static void load_tables(struct checkpoint *c, struct tree_walk *w, struct fs_survey *loaded,
			const struct open_roots *r)
{
	struct state *s = &c->state;
	if (!state_begin(s))
		state_no_memory(s);
	survey_state(s, loaded);
	if (loaded->by != w->survey->by || loaded->depth != w->survey->depth ||
	    loaded->names != w->survey->names)
		error_set(&s->error, IOT_EUSAGE,
			  "was made with another --by or --depth, or another --names");
	if (!root_list_equals(&loaded->roots, &w->survey->roots))
		error_set(&s->error, IOT_EUSAGE, "is of other directories, or of another part");
	survey_join(w->survey, loaded);
	w->survey->now_s = loaded->now_s;
	clear_queue(w);
	c->last = &w->queue;
	while (state_list(s, "directory", false))
		load_row(c, r);
	survey_state_end(s);
}

bool walk_load(struct tree_walk *w, const int *fds, char *const *roots, size_t count)
{
	const struct open_roots r = {fds, roots, count, w->options};
	struct iot_reader *reader = iot_reader_new();
	struct fs_survey *loaded = calloc(1, sizeof *loaded);
	struct checkpoint c = {.state = {.reader = reader,
					 .directive = SURVEY_DIRECTIVE,
					 .layer = -1,
					 .direction = -1},
			       .options = w->options};
	struct error *e = &c.state.error;
	if (reader == NULL || loaded == NULL)
		state_no_memory(&c.state);
	else if (iot_reader_open(reader, w->options->checkpoint) != IOT_OK ||
		 iot_reader_events(reader, &c.state.line, 1) != 1)
		error_set(e, IOT_EFORMAT, "%s",
			  *iot_reader_error(reader) != '\0'
			      ? iot_reader_error(reader)
			      : "not a checkpoint of 'iotrace fsstats'");
	else if (!survey_state_begins(&c.state.line))
		error_set(e, IOT_EFORMAT, "not a checkpoint of 'iotrace fsstats'");
	else
		c.state.has_line = true;
	if (e->status == IOT_OK && loaded != NULL)
		load_tables(&c, w, loaded, &r);
	const bool ok = report(w->options, e);
	for (size_t i = 0; i < c.rows; i++)
		subtree_release(c.row[i]);
	state_free(&c.state);
	free(c.row);
	survey_free(loaded);
	iot_reader_free(reader);
	return ok;
}
