/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps the ids of the inputs to ids of the output: the first one keeps its number, a later one with
 * the same number gets an unused one. Processes, files and objects are numbered separately.
 */
#ifndef LIB_FILTER_MERGE_IDS_H
#define LIB_FILTER_MERGE_IDS_H

#include <iotrace/filter.h>

#include "lib/base/idmap.h"
#include "remap_ids.h"

enum { MERGE_CACHE = 128 };

/* The cached ids of a record. */
struct merge_cached {
	uint32_t process, file, to_process, to_file;
};

struct merge_input;

struct merge_ids {
	bool keep;
	bool keep_processes; /* their ids are not changed */
	enum iot_join_paths join;
	bool one_job;       /* all inputs declare the same one */
	bool several_hosts; /* two inputs declare different ones */
	const struct merge_input *inputs;
	struct idmap known[ID_KINDS]; /* (input, id) */
	uint32_t *becomes[ID_KINDS];
	size_t capacity[ID_KINDS];
	struct idmap taken[ID_KINDS];
	uint32_t fresh[ID_KINDS];   /* where to search for an unused number */
	struct merge_cached *cache; /* MERGE_CACHE for each input */
	bool *cached;

	/* Hosts of processes, and objects by path and its job or host */
	struct idmap hosts; /* (input, process) */
	uint64_t *host_hash;
	size_t host_capacity;
	struct idmap paths; /* hash of job or host, and path */
	struct merge_joined *joined;
	size_t joined_capacity;
	struct idmap members; /* (input, path) */
	uint32_t *member_of;  /* which object of the path: counted from 1 */
	size_t member_capacity;
	char *path;
	size_t path_capacity;
	char *process; /* text of the last %process that got a host */

	/* CPU clocks: --keep-ids. */
	struct idmap clocks; /* (input, process) */
	int64_t *clock_before;
	size_t clock_capacity;
	struct idmap processes;
	int64_t *clock;
	size_t process_capacity;

	uint32_t current; /* the input that merge_ids_map refers to */
};

bool merge_ids_init(struct merge_ids *ids, const struct merge_input *inputs, size_t count,
		    bool keep, enum iot_join_paths join);
void merge_ids_free(struct merge_ids *ids);

/* A remap_id_fn: context is the ids, `current` the input. */
remap_id_fn merge_ids_map;
/*
 * Records the host of a %process. If the inputs are of several hosts and it declares none, adds the
 * one of its input to the text. Returns false if out of memory.
 */
bool merge_ids_process(struct merge_ids *ids, struct iot_event *ev);

/* Maps a record of an input. Returns false if out of memory. */
bool merge_ids_lookup(struct merge_ids *ids, uint32_t input, struct iot_record *rec);
/* Its CPU clock: the total that the inputs had for the process so far. */
bool merge_ids_clock(struct merge_ids *ids, uint32_t input, struct iot_record *rec);

/* Like lookup, with a cache of recent records. */
static inline bool merge_ids_record(struct merge_ids *ids, uint32_t input, struct iot_record *rec)
{
	if (ids->keep)
		return merge_ids_clock(ids, input, rec);
	const size_t at =
	    input * (size_t)MERGE_CACHE + ((rec->file + 37 * rec->process) & (MERGE_CACHE - 1));
	const struct merge_cached *c = &ids->cache[at];
	if (!ids->cached[at] || c->process != rec->process || c->file != rec->file)
		return merge_ids_lookup(ids, input, rec);
	rec->process = c->to_process;
	rec->file = c->to_file;
	return true;
}

#endif
