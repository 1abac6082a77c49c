/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which file a process means by a number. A number stays when its file is closed: a child may have
 * inherited it. Where there are too many files or ancestors, all are forgotten; what is lost are the
 * objects of files that are opened again, and inherited names.
 */
#include "packets.h"

#include <stdlib.h>

#include "lib/base/array.h"

const struct procstat_file *iot_procstat_files_find(const struct procstat_files *f,
						    uint32_t process, uint32_t file)
{
	const size_t i = iot_map_find(&f->ids, iot_map_pair(process, file));
	return i < f->room && f->file[i].behind != NULL ? &f->file[i] : NULL;
}

static void forget(struct procstat_files *f)
{
	for (size_t i = 0; i < f->room; i++)
		iot_file_free(&f->tracker, f->file[i].behind);
	iot_map_free(&f->ids);
	free(f->file);
	f->file = NULL;
	f->room = 0;
}

bool iot_procstat_files_add(struct procstat_files *f, uint32_t process, uint32_t file,
			    struct iot_tracked_file *behind, int64_t opened_ns)
{
	behind->refs++; /* before anything is forgotten */
	if (f->ids.count == PROCSTAT_FILES_MAX)
		forget(f);
	const size_t i = iot_map_number(&f->ids, iot_map_pair(process, file));
	struct procstat_file *all =
	    i == SIZE_MAX ? NULL : iot_map_fit(f->file, &f->room, i, sizeof *all);
	if (all == NULL) {
		iot_file_free(&f->tracker, behind);
		return false;
	}
	f->file = all;
	iot_file_free(&f->tracker, all[i].behind);
	all[i] = (struct procstat_file){behind, opened_ns};
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
