/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which file a process means by a number. A number stays when its file is closed: a child may have
 * inherited it. Where there are too many files or ancestors, all are forgotten; what is lost are the
 * objects of files that are opened again, and inherited names.
 */
#include "procstat.h"

#include <stdlib.h>

#include "lib/room.h"
#include "lib/seed.h"

enum { ROOM_FIRST = 256 };

static size_t slot_of(const struct procstat_files *f, uint32_t process, uint32_t file)
{
	const uint64_t key = (uint64_t)process << 32 | file;
	size_t mask = f->room - 1, i = (size_t)iot_seed_hash(f->tracker.seed, key) & mask;
	while (f->file[i].behind != NULL &&
	       (f->file[i].process != process || f->file[i].file != file))
		i = (i + 1) & mask;
	return i;
}

struct procstat_file *iot_procstat_files_find(const struct procstat_files *f, uint32_t process,
					      uint32_t file)
{
	struct procstat_file *found = f->room > 0 ? &f->file[slot_of(f, process, file)] : NULL;
	return found != NULL && found->behind != NULL ? found : NULL;
}

static void forget(struct procstat_files *f)
{
	for (size_t i = 0; i < f->room; i++)
		iot_file_free(&f->tracker, f->file[i].behind);
	free(f->file);
	f->file = NULL;
	f->count = f->room = 0;
}

static bool grow(struct procstat_files *f)
{
	struct procstat_file *old = f->file;
	size_t old_room = f->room, room = old_room > 0 ? 2 * old_room : ROOM_FIRST;
	struct procstat_file *file = calloc(room, sizeof(*file));
	if (file == NULL)
		return false;
	f->file = file;
	f->room = room;
	for (size_t i = 0; i < old_room; i++)
		if (old[i].behind != NULL)
			f->file[slot_of(f, old[i].process, old[i].file)] = old[i];
	free(old);
	return true;
}

bool iot_procstat_files_add(struct procstat_files *f, uint32_t process, uint32_t file,
			    struct iot_tracked_file *behind, int64_t opened_ns)
{
	behind->refs++; /* before anything is forgotten */
	if (f->count == PROCSTAT_FILES_MAX)
		forget(f);
	if (2 * f->count >= f->room && !grow(f)) {
		iot_file_free(&f->tracker, behind);
		return false;
	}
	struct procstat_file *at = &f->file[slot_of(f, process, file)];
	f->count += at->behind == NULL;
	iot_file_free(&f->tracker, at->behind);
	*at = (struct procstat_file){process, file, behind, opened_ns};
	return true;
}

/* Paths may be long, so it is not only their number that counts. */
static void keep_small(struct procstat_files *f)
{
	struct iot_tracker *t = &f->tracker;
	if (t->name_count >= PROCSTAT_NAMES_MAX || t->memory > t->memory_max / 2)
		iot_tracker_clear(t);
	if (t->memory > t->memory_max / 2)
		forget(f);
}

struct iot_tracked_file *iot_procstat_files_open(struct procstat_files *f, uint32_t process,
						 const struct iot_packet *p, int64_t start_ns)
{
	uint64_t how = iot_packet_word(p, 1);
	const char *path = (const char *)p->payload + IOT_WORD * IOT_OPEN_WORDS;
	size_t size = iot_packet_text(p, IOT_OPEN_WORDS);
	bool nameless = size == 0 || (how & IOT_OPEN_CUT) != 0;
	unsigned as = (how & IOT_OPEN_CREATED) != 0 ? IOT_OPEN_CREATE | IOT_OPEN_EXCLUSIVE : 0;
	keep_small(f);
	struct iot_tracked_file *behind = nameless ? iot_tracker_nameless(&f->tracker)
						   : iot_tracker_open(&f->tracker, path, size, as);
	if (behind == NULL)
		return NULL;
	if (behind->object == 0)
		behind->object = ++f->tracker.objects;
	bool added = iot_procstat_files_add(f, process, p->file, behind, start_ns);
	if (nameless)
		iot_file_free(&f->tracker,
			      behind); /* the reference that making it gave; another one is held */
	return added ? behind : NULL;
}

/* Ancestors */

bool iot_procstat_kin_add(struct procstat_files *f, struct iot_packet_process *who,
			  const struct iot_packet_process *parent, int64_t began_ns)
{
	if (f->kins == PROCSTAT_KIN_MAX)
		f->kins = 0;
	if (!iot_room(&f->kin, &f->kin_room, f->kins + 1, sizeof *f->kin))
		return false;
	f->kin[f->kins] = (struct procstat_kin){.process = who->id,
						.parent = who->parent,
						.parent_kin = parent != NULL ? parent->kin : 0,
						.began_ns = began_ns};
	who->kin = (uint32_t)f->kins++;
	return true;
}

const struct procstat_kin *iot_procstat_kin(const struct procstat_files *f, uint32_t kin,
					    uint32_t process)
{
	return kin < f->kins && f->kin[kin].process == process ? &f->kin[kin] : NULL;
}

void iot_procstat_files_free(struct procstat_files *f)
{
	forget(f);
	free(f->kin);
	iot_tracker_clear(&f->tracker);
}
