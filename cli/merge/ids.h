/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which id of which input becomes which: the first that comes keeps its number, a later one that
 * would be taken for it gets one that nobody had. Processes, files and objects are numbered apart.
 */
#ifndef CLI_MERGE_IDS_H
#define CLI_MERGE_IDS_H

#include "lib/base/idmap.h"
#include "cli/filter/remap_ids.h"

enum { IOT_MERGE_CACHE = 128 };

/* What a record's ids become, looked up before. */
struct iot_merge_cached {
	uint32_t process, file, to_process, to_file;
};

struct iot_merge_input;

struct iot_merge_ids {
	bool keep, join;
	const struct iot_merge_input *inputs;
	struct iot_map known[IOT_ID_KINDS]; /* (input, id) */
	uint32_t *becomes[IOT_ID_KINDS];
	size_t room[IOT_ID_KINDS];
	struct iot_map taken[IOT_ID_KINDS];
	uint32_t fresh[IOT_ID_KINDS];   /* where to look for a number that nobody had */
	struct iot_merge_cached *cache; /* IOT_MERGE_CACHE for each input */
	bool *cached;

	/* Hosts of processes, and objects by host and path: --join-paths. */
	struct iot_map hosts; /* (input, process) */
	uint64_t *host_hash;
	size_t host_room;
	struct iot_map paths; /* hash of host and path */
	struct iot_merge_joined *joined;
	size_t joined_room;
	struct iot_map members; /* (input, path) */
	uint32_t *member_of;    /* which object of the path: counted from 1 */
	size_t member_room;
	char *path;
	size_t path_room;

	/* CPU clocks: --keep-ids. */
	struct iot_map clocks; /* (input, process) */
	int64_t *clock_before;
	size_t clock_room;
	struct iot_map processes;
	int64_t *clock;
	size_t process_room;

	uint32_t current; /* the input that iot_merge_ids_map is asked about */
};

bool iot_merge_ids_init(struct iot_merge_ids *ids, const struct iot_merge_input *inputs,
			size_t count, bool keep, bool join);
void iot_merge_ids_free(struct iot_merge_ids *ids);

/* An iot_renumber_fn: context is the ids, `current` the input. */
iot_renumber_fn iot_merge_ids_map;
/* Takes note of a %process's host. False: out of memory. */
bool iot_merge_ids_process(struct iot_merge_ids *ids, const struct iot_event *ev);

/* A record of input rec->spare. False: out of memory. */
bool iot_merge_ids_lookup(struct iot_merge_ids *ids, struct iot_record *rec);
/* Its CPU clock: what the inputs had of the process so far, together. */
bool iot_merge_ids_clock(struct iot_merge_ids *ids, struct iot_record *rec);

/* The same as lookup, for records like one before. */
static inline bool iot_merge_ids_record(struct iot_merge_ids *ids, struct iot_record *rec)
{
	if (ids->keep)
		return iot_merge_ids_clock(ids, rec);
	const size_t at = rec->spare * (size_t)IOT_MERGE_CACHE +
			  ((rec->file + 37 * rec->process) & (IOT_MERGE_CACHE - 1));
	const struct iot_merge_cached *c = &ids->cache[at];
	if (!ids->cached[at] || c->process != rec->process || c->file != rec->file)
		return iot_merge_ids_lookup(ids, rec);
	rec->process = c->to_process;
	rec->file = c->to_file;
	return true;
}

#endif
