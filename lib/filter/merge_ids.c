/* SPDX-License-Identifier: BSD-2-Clause */
/* Ids of inputs and of the output: see merge_ids.h. */
#include "merge_ids.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/number.h"
#include "lib/base/array.h"
#include "lib/format/node_local.h"

#include "merge.h"

/* The current object of a path in a job or on a host. */
struct merge_joined {
	uint32_t object, serial; /* serial: the number of the object at its path, from 1 */
};

static bool is_equal(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

bool merge_ids_init(struct merge_ids *ids, const struct merge_input *inputs, size_t count,
		    bool keep, enum iot_join_paths join)
{
	*ids = (struct merge_ids){
	    .keep = keep, .join = join, .inputs = inputs, .one_job = inputs[0].trace.job != NULL};
	for (size_t i = 1; i < count; i++) {
		ids->one_job &= is_equal(inputs[i].trace.job, inputs[0].trace.job);
		ids->several_hosts |= !is_equal(inputs[i].trace.host, inputs[0].trace.host);
	}
	ids->cache = calloc(count * MERGE_CACHE, sizeof *ids->cache);
	ids->cached = calloc(count * MERGE_CACHE, sizeof *ids->cached);
	for (int kind = 0; kind < ID_KINDS; kind++) {
		uint32_t max = 0;
		for (size_t i = 0; i < count; i++)
			max = inputs[i].ids_max[kind] > max ? inputs[i].ids_max[kind] : max;
		ids->fresh[kind] = max + 1;
	}
	return ids->cache != NULL && ids->cached != NULL;
}

void merge_ids_free(struct merge_ids *ids)
{
	for (int kind = 0; kind < ID_KINDS; kind++) {
		idmap_free(&ids->known[kind]);
		idmap_free(&ids->taken[kind]);
		free(ids->becomes[kind]);
	}
	idmap_free(&ids->hosts);
	idmap_free(&ids->paths);
	idmap_free(&ids->members);
	idmap_free(&ids->clocks);
	idmap_free(&ids->processes);
	free(ids->cache);
	free(ids->cached);
	free(ids->host_hash);
	free(ids->joined);
	free(ids->member_of);
	free(ids->path);
	free(ids->process);
	free(ids->clock_before);
	free(ids->clock);
	*ids = (struct merge_ids){.keep = false};
}

/* The index of a key, whose array element is created if needed; SIZE_MAX if out of memory. */
static size_t number_in(struct idmap *m, uint64_t key, void *array, size_t *capacity, size_t size,
			bool *is_new)
{
	const size_t before = m->count, n = idmap_number(m, key);
	if (!array_reserve_index(array, capacity, n, size))
		return SIZE_MAX;
	*is_new = m->count > before;
	return n;
}

/* Returns 1 if it was free and is now used, 0 if it was used, -1 if out of memory. */
static int take(struct merge_ids *ids, enum remapped_id kind, uint32_t id)
{
	const size_t before = ids->taken[kind].count;
	if (idmap_number(&ids->taken[kind], id) == SIZE_MAX)
		return -1;
	return ids->taken[kind].count > before;
}

static bool make_number(struct merge_ids *ids, enum remapped_id kind, uint32_t id, uint32_t *to)
{
	int got = take(ids, kind, id);
	*to = id;
	if (kind == ID_PROCESS && ids->keep_processes)
		return got >= 0;
	while (got == 0) {
		*to = ids->fresh[kind]++;
		got = *to == 0 ? 0 : take(ids, kind, *to);
	}
	return got == 1;
}

/* Objects by path */

static bool hash_text(struct merge_ids *ids, struct iot_text value, uint64_t seed, uint64_t *hash)
{
	if (!array_reserve(&ids->path, &ids->path_capacity, value.size + 1, 1))
		return false;
	size_t size = iot_percent_decode(value, ids->path, NULL);
	*hash = XXH3_64bits_withSeed(ids->path, size, seed);
	return true;
}

static bool process_of(const struct iot_event *ev, const char *key, uint64_t *process)
{
	const struct iot_text value = iot_directive_get(ev, key);
	return value.data != NULL && number_decimal(value.data, value.size, process);
}

/* Leaves a text alone that would become too long. */
static bool add_host(struct merge_ids *ids, struct iot_event *ev)
{
	const char *host = ids->inputs[ids->current].trace.host;
	if (ids->process == NULL)
		ids->process = malloc(IOT_COMMENT_MAX);
	if (ids->process == NULL)
		return false;
	struct iot_builder b = {
	    .data = ids->process, .capacity = IOT_COMMENT_MAX, .size = ev->text.size};
	memcpy(ids->process, ev->text.data, ev->text.size);
	iot_directive_text(&b, "host", host, strlen(host));
	if (b.status == IOT_OK)
		ev->text = (struct iot_text){b.data, b.size};
	return true;
}

bool merge_ids_process(struct merge_ids *ids, struct iot_event *ev)
{
	const struct iot_text host = iot_directive_get(ev, "host");
	uint64_t process;
	bool is_new;
	if (host.data == NULL && ids->several_hosts && !ids->keep &&
	    ids->inputs[ids->current].trace.host != NULL)
		return add_host(ids, ev);
	if (ids->join == IOT_JOIN_NONE || host.data == NULL || !process_of(ev, "id", &process))
		return true;
	size_t n = number_in(&ids->hosts, idmap_pair(ids->current, (uint32_t)process),
			     &ids->host_hash, &ids->host_capacity, sizeof *ids->host_hash, &is_new);
	return n != SIZE_MAX && hash_text(ids, host, 0, &ids->host_hash[n]);
}

/* The host of the process, otherwise of the input; inputs without a host share one. */
static bool host_of(struct merge_ids *ids, const struct iot_event *ev, uint64_t *hash)
{
	const char *host = ids->inputs[ids->current].trace.host;
	uint64_t process;
	bool is_new;
	if (process_of(ev, "process", &process)) {
		size_t n = number_in(&ids->hosts, idmap_pair(ids->current, (uint32_t)process),
				     &ids->host_hash, &ids->host_capacity, sizeof *ids->host_hash,
				     &is_new);
		if (n == SIZE_MAX)
			return false;
		*hash = ids->host_hash[n];
		if (*hash != 0)
			return true;
	}
	return hash_text(ids, (struct iot_text){host, host != NULL ? strlen(host) : 0}, 0, hash);
}

/* Returns whether files at a path may be one object, and their job or host as a hash. */
static bool scope_of(struct merge_ids *ids, const struct iot_event *ev, struct iot_text path,
		     bool *joins, uint64_t *hash)
{
	const char *job = ids->inputs[ids->current].trace.job;
	const bool by_job = ids->join == IOT_JOIN_JOBS || ids->one_job;
	uint64_t host;
	*joins = ids->join == IOT_JOIN_HOSTS || job != NULL;
	*hash = 0;
	if (!*joins || !hash_text(ids, path, 0, &host))
		return !*joins;
	const bool local = path_is_node_local(ids->path, iot_percent_decode(path, ids->path, NULL));
	if (!host_of(ids, ev, &host))
		return false;
	if (by_job && job != NULL)
		*hash = XXH3_64bits(job, strlen(job));
	if (local || *hash == 0)
		*hash ^= host;
	return true;
}

/*
 * The object at a path. If the input already has one there, the file was created again, and all
 * later inputs refer to the new object.
 */
static bool join(struct merge_ids *ids, const struct iot_event *ev, struct iot_text path,
		 uint32_t id, uint32_t *to)
{
	uint64_t scope, hash;
	bool is_new, joins;
	if (!scope_of(ids, ev, path, &joins, &scope))
		return false;
	if (!joins)
		return make_number(ids, ID_OBJECT, id, to);
	if (!hash_text(ids, path, scope, &hash))
		return false;
	size_t n = number_in(&ids->paths, hash, &ids->joined, &ids->joined_capacity,
			     sizeof *ids->joined, &is_new);
	if (n == SIZE_MAX)
		return false;
	size_t m = number_in(&ids->members, idmap_pair(ids->current, (uint32_t)n), &ids->member_of,
			     &ids->member_capacity, sizeof *ids->member_of, &is_new);
	if (m == SIZE_MAX)
		return false;
	struct merge_joined *j = &ids->joined[n];
	if (ids->member_of[m] == j->serial) {
		if (!make_number(ids, ID_OBJECT, id, &j->object))
			return false;
		j->serial++;
	}
	ids->member_of[m] = j->serial;
	*to = j->object;
	return true;
}

/* Lookup */

bool merge_ids_map(void *context, enum remapped_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	struct merge_ids *ids = context;
	bool is_new = false, fine;
	size_t n = number_in(&ids->known[kind], idmap_pair(ids->current, id), &ids->becomes[kind],
			     &ids->capacity[kind], sizeof *ids->becomes[kind], &is_new);
	if (n == SIZE_MAX)
		return false;
	if (!is_new) {
		*to = ids->becomes[kind][n];
		return true;
	}
	struct iot_text path = {NULL, 0};
	if (ids->join != IOT_JOIN_NONE && kind == ID_OBJECT && ev->kind == IOT_FILE)
		path = iot_directive_get(ev, "path");
	fine = path.data != NULL ? join(ids, ev, path, id, to) : make_number(ids, kind, id, to);
	ids->becomes[kind][n] = *to;
	return fine;
}

bool merge_ids_lookup(struct merge_ids *ids, uint32_t input, struct iot_record *rec)
{
	const struct iot_event ev = {.rec = *rec, .kind = IOT_RECORD};
	const size_t at =
	    input * (size_t)MERGE_CACHE + ((rec->file + 37 * rec->process) & (MERGE_CACHE - 1));
	struct merge_cached *c = &ids->cache[at];
	ids->current = input;
	ids->cached[at] = false;
	c->process = rec->process;
	c->file = rec->file;
	if (!merge_ids_map(ids, ID_PROCESS, rec->process, &ev, &c->to_process) ||
	    !merge_ids_map(ids, ID_FILE, rec->file, &ev, &c->to_file))
		return false;
	ids->cached[at] = true;
	rec->process = c->to_process;
	rec->file = c->to_file;
	return true;
}

/* Where the clocks of a process are, in its input (to_process) and in the output (to_file). */
static bool find_clocks(struct merge_ids *ids, uint32_t input, const struct iot_record *rec,
			size_t at)
{
	bool is_new;
	size_t in = number_in(&ids->clocks, idmap_pair(input, rec->process), &ids->clock_before,
			      &ids->clock_capacity, sizeof *ids->clock_before, &is_new);
	size_t out = number_in(&ids->processes, rec->process, &ids->clock, &ids->process_capacity,
			       sizeof *ids->clock, &is_new);
	if (in == SIZE_MAX || out == SIZE_MAX)
		return false;
	ids->cached[at] = true;
	ids->cache[at] = (struct merge_cached){
	    .process = rec->process, .to_process = (uint32_t)in, .to_file = (uint32_t)out};
	return true;
}

bool merge_ids_clock(struct merge_ids *ids, uint32_t input, struct iot_record *rec)
{
	const size_t at = input * (size_t)MERGE_CACHE + (rec->process & (MERGE_CACHE - 1));
	if ((!ids->cached[at] || ids->cache[at].process != rec->process) &&
	    !find_clocks(ids, input, rec, at))
		return false;
	int64_t *before = &ids->clock_before[ids->cache[at].to_process];
	int64_t *clock = &ids->clock[ids->cache[at].to_file];
	*clock = (int64_t)((uint64_t)*clock + (uint64_t)rec->cpu_ns - (uint64_t)*before);
	*before = rec->cpu_ns;
	rec->cpu_ns = *clock;
	return true;
}
