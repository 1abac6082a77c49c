/* SPDX-License-Identifier: BSD-2-Clause */
#include "renumber.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/format/node_local.h"

/* The new ids of processes or objects. */
struct id_changes {
	struct idmap known; /* the ids before */
	struct {
		uint32_t to;
		bool matched; /* is an id of the other trace */
	} * change;           /* by number */
	size_t capacity;
	struct idmap taken; /* the ids of the other trace */
};

struct renumbering {
	struct id_changes processes, objects;
	uint64_t file_shift; /* of the fileIds of matched processes */
};

/* The ids of a trace */

static bool add_keys(struct idmap *to, const struct idmap *from, unsigned shift)
{
	for (size_t i = 0; i < from->count; i++)
		if (idmap_number(to, from->keys[i] >> shift) == SIZE_MAX)
			return false;
	return true;
}

/* The objects of rows of ties, or the processes of those without one. */
static bool add_tied(struct idmap *to, const struct tie_sums *ties, bool objects)
{
	for (size_t i = 0; i < ties->rows.count; i++) {
		const struct tie_row *row = &ties->row[i];
		if ((row->object != 0) == objects &&
		    idmap_number(to, objects ? row->object : row->process) == SIZE_MAX)
			return false;
	}
	return true;
}

static bool list_processes(struct renumbered of, struct idmap *to)
{
	return add_tied(to, of.ties, false) && add_keys(to, &of.requests->processes.map, 0) &&
	       add_keys(to, &of.requests->file_ids.map, 32) &&
	       add_keys(to, &of.requests->file_sums.streams.map, 32) &&
	       add_keys(to, &of.names->of[NAME_HOST].map, 0) &&
	       add_keys(to, &of.names->of[NAME_RANK].map, 0) &&
	       add_keys(to, &of.names->of[NAME_PROGRAM].map, 0) &&
	       add_keys(to, &of.names->of[NAME_FILE].map, 32);
}

static bool list_objects(struct renumbered of, struct idmap *to)
{
	return add_tied(to, of.ties, true) && add_keys(to, &of.requests->files.object_map, 0) &&
	       add_keys(to, &of.requests->file_sums.objects.map, 0) &&
	       add_keys(to, &of.names->of[NAME_OBJECT].map, 0);
}

/* Names */

/* Ids by the hash of their name. */
struct named_ids {
	struct idmap hashes;
	uint32_t *id; /* the highest of a name, by number */
	size_t capacity;
};

static uint64_t hash_of_text(struct iot_text text, uint64_t seed)
{
	char decoded[ROW_NAME_MAX];
	const size_t size = text.size > 0 ? iot_percent_decode(text, decoded, NULL) : 0;
	return XXH3_64bits_withSeed(decoded, size, seed);
}

/* Hosts of objects: an object has the host of a process that uses it. */
struct object_hosts {
	struct idmap objects;
	uint64_t *host; /* hash, by number */
	size_t capacity;
};

static bool find_hosts(struct renumbered of, struct object_hosts *to)
{
	const struct requests *q = of.requests;
	for (size_t i = 0; i < q->pair_map.count; i++) {
		const uint64_t pair = q->pair_map.keys[i];
		const uint32_t object = q->files.keys[(uint32_t)pair - 1].object;
		const uint32_t process = (uint32_t)q->processes.map.keys[(pair >> 32) - 1];
		const size_t n = object != 0 ? idmap_number(&to->objects, object) : 0;
		if (object == 0)
			continue;
		if (!array_reserve_index(&to->host, &to->capacity, n, sizeof *to->host))
			return false;
		to->host[n] = hash_of_text(row_names_host_or_trace(of.names, process), 0);
	}
	return true;
}

static bool is_node_local(struct iot_text path)
{
	char decoded[ROW_NAME_MAX];
	return path_is_node_local(decoded, iot_percent_decode(path, decoded, NULL));
}

/* A rank is one of a host, and so is a node-local path. */
static uint64_t hash_of_name(const struct row_names *n, enum name_kind kind, size_t i,
			     const struct object_hosts *hosts)
{
	const uint32_t id = (uint32_t)n->of[kind].map.keys[i];
	const struct iot_text name = row_names_at(n, kind, i);
	uint64_t host = hash_of_text((struct iot_text){NULL, 0}, 0);
	if (kind == NAME_RANK) {
		host = hash_of_text(row_names_host(n, id), 0);
	} else if (is_node_local(name)) {
		const size_t at = idmap_find(&hosts->objects, id);
		host = at != SIZE_MAX ? hosts->host[at]
				      : hash_of_text(row_names_host_or_trace(n, 0), 0);
	}
	return hash_of_text(name, host);
}

static bool index_names(struct named_ids *to, const struct row_names *n, enum name_kind kind,
			const struct object_hosts *hosts)
{
	for (size_t i = 0; i < n->of[kind].map.count; i++) {
		if (row_names_at(n, kind, i).size == 0)
			continue;
		const size_t at = idmap_number(&to->hashes, hash_of_name(n, kind, i, hosts));
		const uint32_t id = (uint32_t)n->of[kind].map.keys[i];
		if (!array_reserve_index(&to->id, &to->capacity, at, sizeof *to->id))
			return false;
		to->id[at] = id > to->id[at] ? id : to->id[at];
	}
	return true;
}

static bool index_ids(struct named_ids *to, struct renumbered of, enum name_kind kind)
{
	struct object_hosts hosts = {.host = NULL};
	const bool done = (kind != NAME_OBJECT || find_hosts(of, &hosts)) &&
			  index_names(to, of.names, kind, &hosts);
	idmap_free(&hosts.objects);
	free(hosts.host);
	return done;
}

static void free_names(struct named_ids *n)
{
	idmap_free(&n->hashes);
	free(n->id);
}

/* Changes */

static void match(struct id_changes *c, const struct named_ids *more, const struct named_ids *with)
{
	for (size_t i = 0; i < more->hashes.count; i++) {
		const size_t at = idmap_find(&with->hashes, more->hashes.keys[i]);
		if (at == SIZE_MAX)
			continue;
		const size_t n = idmap_find(&c->known, more->id[i]);
		c->change[n].to = with->id[at];
		c->change[n].matched = true;
	}
}

static uint64_t max_key(const struct idmap *m)
{
	uint64_t max = 0;
	for (size_t i = 0; i < m->count; i++)
		max = m->keys[i] > max ? m->keys[i] : max;
	return max;
}

/* Ids that are not taken stay; others get numbers above all. */
static int change_others(struct id_changes *c)
{
	const uint64_t a = max_key(&c->known), b = max_key(&c->taken);
	uint64_t next = (a > b ? a : b) + 1;
	for (size_t i = 0; i < c->known.count; i++) {
		if (c->change[i].matched)
			continue;
		const bool taken = idmap_find(&c->taken, c->known.keys[i]) != SIZE_MAX;
		const uint64_t to = taken ? next++ : c->known.keys[i];
		if (to > UINT32_MAX)
			return IOT_ELIMIT;
		c->change[i].to = (uint32_t)to;
	}
	return IOT_OK;
}

static int choose(struct id_changes *c, struct renumbered more, struct renumbered with,
		  enum name_kind kind)
{
	struct named_ids own = {.id = NULL}, other = {.id = NULL};
	int status = IOT_ENOMEM;
	if (array_reserve_index(&c->change, &c->capacity, c->known.count, sizeof *c->change) &&
	    index_ids(&own, more, kind) && index_ids(&other, with, kind)) {
		match(c, &own, &other);
		status = change_others(c);
	}
	free_names(&own);
	free_names(&other);
	return status;
}

/* FileIds of a process of both traces are distinct. */
static int choose_files(struct renumbering *r, struct renumbered more, struct renumbered with)
{
	const struct idmap *maps[4] = {&more.requests->file_ids.map, &more.names->of[NAME_FILE].map,
				       &with.requests->file_ids.map,
				       &with.names->of[NAME_FILE].map};
	uint64_t max[4] = {0};
	bool matched = false;
	for (size_t i = 0; i < r->processes.known.count; i++)
		matched |= r->processes.change[i].matched;
	for (unsigned m = 0; m < 4; m++)
		for (size_t i = 0; i < maps[m]->count; i++)
			max[m] = (uint32_t)maps[m]->keys[i] > max[m] ? (uint32_t)maps[m]->keys[i]
								     : max[m];
	r->file_shift = (max[2] > max[3] ? max[2] : max[3]) + 1;
	const uint64_t last = max[0] > max[1] ? max[0] : max[1];
	return matched && last + r->file_shift > UINT32_MAX ? IOT_ELIMIT : IOT_OK;
}

static uint64_t change_process(const struct renumbering *r, uint64_t key)
{
	return r->processes.change[idmap_find(&r->processes.known, key)].to;
}

static uint64_t change_object(const struct renumbering *r, uint64_t key)
{
	return r->objects.change[idmap_find(&r->objects.known, key)].to;
}

static uint64_t change_file(const struct renumbering *r, uint64_t key)
{
	const size_t i = idmap_find(&r->processes.known, key >> 32);
	const uint64_t shift = r->processes.change[i].matched ? r->file_shift : 0;
	return idmap_pair(r->processes.change[i].to, (uint32_t)(key + shift));
}

/* Applies changes, which keep keys distinct, so that their numbers stay. */
static bool rekey(struct idmap *m, const struct renumbering *r,
		  uint64_t (*change)(const struct renumbering *, uint64_t key))
{
	struct idmap to = {.keys = NULL};
	bool done = true;
	for (size_t i = 0; i < m->count && done; i++)
		done = idmap_number(&to, change(r, m->keys[i])) != SIZE_MAX;
	idmap_free(done ? m : &to);
	if (done)
		*m = to;
	return done;
}

static void rekey_files(struct requests *q, const struct renumbering *r)
{
	for (uint32_t i = 0; i < q->files.count; i++) {
		struct file_key *key = &q->files.keys[i];
		if (key->object != 0) {
			key->object = (uint32_t)change_object(r, key->object);
			continue;
		}
		const uint64_t to = change_file(r, idmap_pair(key->process, key->file));
		key->process = (uint32_t)(to >> 32);
		key->file = (uint32_t)to;
	}
}

static bool rekey_ties(struct tie_sums *ties, const struct renumbering *r)
{
	struct tie_sums to = {.any = ties->any};
	bool done = true;
	memcpy(to.kind, ties->kind, sizeof to.kind);
	for (size_t i = 0; i < ties->rows.count && done; i++) {
		struct tie_row row = ties->row[i];
		if (row.object != 0) {
			row.object = (uint32_t)change_object(r, row.object);
		} else {
			const uint64_t key = change_file(r, idmap_pair(row.process, row.file));
			row.process = (uint32_t)(key >> 32);
			row.file = (uint32_t)key;
		}
		done = tie_sums_add_row(&to, &row);
	}
	tie_sums_free(done ? ties : &to);
	if (done)
		*ties = to;
	return done;
}

static int apply(const struct renumbering *r, struct renumbered more)
{
	struct name_table *names = more.names->of;
	rekey_files(more.requests, r);
	return rekey_ties(more.ties, r) &&
		       rekey(&more.requests->processes.map, r, change_process) &&
		       rekey(&more.requests->files.object_map, r, change_object) &&
		       rekey(&more.requests->file_ids.map, r, change_file) &&
		       rekey(&more.requests->file_sums.objects.map, r, change_object) &&
		       rekey(&more.requests->file_sums.streams.map, r, change_file) &&
		       rekey(&names[NAME_HOST].map, r, change_process) &&
		       rekey(&names[NAME_RANK].map, r, change_process) &&
		       rekey(&names[NAME_PROGRAM].map, r, change_process) &&
		       rekey(&names[NAME_FILE].map, r, change_file) &&
		       rekey(&names[NAME_OBJECT].map, r, change_object)
		   ? IOT_OK
		   : IOT_ENOMEM;
}

static void free_changes(struct id_changes *c)
{
	idmap_free(&c->known);
	idmap_free(&c->taken);
	free(c->change);
}

int renumber(struct renumbered more, struct renumbered with)
{
	struct renumbering r = {.file_shift = 0};
	int status = IOT_ENOMEM;
	if (list_processes(more, &r.processes.known) && list_processes(with, &r.processes.taken) &&
	    list_objects(more, &r.objects.known) && list_objects(with, &r.objects.taken))
		status = choose(&r.processes, more, with, NAME_RANK);
	if (status == IOT_OK)
		status = choose(&r.objects, more, with, NAME_OBJECT);
	if (status == IOT_OK)
		status = choose_files(&r, more, with);
	if (status == IOT_OK)
		status = apply(&r, more);
	free_changes(&r.processes);
	free_changes(&r.objects);
	return status;
}
