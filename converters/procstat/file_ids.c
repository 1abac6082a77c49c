/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps file numbers of a process to files. A number stays mapped when its file is closed, because a
 * child may have inherited it. All mappings are dropped when there are too many files or ancestors;
 * the cost is a new object for files that are opened again, and inherited names.
 */
#include "procstat.h"

#include <stdlib.h>

#include "lib/base/array.h"

const struct procstat_file *procstat_files_find(const struct procstat_files *f, uint32_t process,
						uint32_t file)
{
	const size_t i = idmap_find(&f->ids, idmap_pair(process, file));
	return i < f->capacity && f->file[i].after != NULL ? &f->file[i] : NULL;
}

static void forget(struct procstat_files *f)
{
	for (size_t i = 0; i < f->capacity; i++)
		file_free(&f->tracker, f->file[i].after);
	idmap_free(&f->ids);
	free(f->file);
	f->file = NULL;
	f->capacity = 0;
}

bool procstat_files_add(struct procstat_files *f, uint32_t process, uint32_t file,
			struct tracked_file *after, int64_t opened_ns)
{
	after->refs++; /* before forget() can free it */
	if (f->ids.count == PROCSTAT_FILES_MAX)
		forget(f);
	const size_t i = idmap_number(&f->ids, idmap_pair(process, file));
	if (!array_reserve_index(&f->file, &f->capacity, i, sizeof *f->file)) {
		file_free(&f->tracker, after);
		return false;
	}
	file_free(&f->tracker, f->file[i].after);
	f->file[i] = (struct procstat_file){after, opened_ns};
	return true;
}

/* Limits memory as well as the number of names, because paths may be long. */
static void keep_small(struct procstat_files *f)
{
	struct fdtable *t = &f->tracker;
	if (t->name_count >= PROCSTAT_NAMES_MAX || t->memory > t->memory_max / 2)
		fdtable_clear(t);
	if (t->memory > t->memory_max / 2)
		forget(f);
}

struct tracked_file *procstat_files_open(struct procstat_files *f, uint32_t process,
					 const struct packet *p, int64_t start_ns)
{
	uint64_t how = packet_word(p, 1);
	const char *path = (const char *)p->payload + PACKET_WORD_SIZE * PACKET_OPEN_WORDS;
	size_t size = packet_text(p, PACKET_OPEN_WORDS);
	bool unlinked = size == 0 || (how & PACKET_OPEN_CUT) != 0;
	unsigned as = (how & PACKET_OPEN_CREATED) != 0 ? OPEN_CREATE | OPEN_EXCLUSIVE : 0;
	keep_small(f);
	struct tracked_file *after =
	    unlinked ? file_unlinked(&f->tracker) : fdtable_open(&f->tracker, path, size, as);
	if (after == NULL)
		return NULL;
	if (after->object == 0)
		after->object = ++f->tracker.objects;
	bool added = procstat_files_add(f, process, p->file, after, start_ns);
	if (unlinked)
		/* releases the reference of its creator; the table holds another */
		file_free(&f->tracker, after);
	return added ? after : NULL;
}

/* Ancestors */

bool procstat_ancestor_add(struct procstat_files *f, struct packet_process *who,
			   const struct packet_process *parent, int64_t began_ns)
{
	if (f->ancestor_count == PROCSTAT_ANCESTORS_MAX)
		f->ancestor_count = 0;
	if (!array_reserve(&f->ancestors, &f->ancestors_capacity, f->ancestor_count + 1,
			   sizeof *f->ancestors))
		return false;
	f->ancestors[f->ancestor_count] =
	    (struct procstat_ancestors){.process = who->id,
					.parent = who->parent,
					.parent_ancestors = parent != NULL ? parent->ancestors : 0,
					.began_ns = began_ns};
	who->ancestors = (uint32_t)f->ancestor_count++;
	return true;
}

const struct procstat_ancestors *procstat_ancestor(const struct procstat_files *f,
						   uint32_t ancestors, uint32_t process)
{
	return ancestors < f->ancestor_count && f->ancestors[ancestors].process == process
		   ? &f->ancestors[ancestors]
		   : NULL;
}

void procstat_files_free(struct procstat_files *f)
{
	forget(f);
	free(f->ancestors);
	fdtable_clear(&f->tracker);
}
