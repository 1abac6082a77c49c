/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --check: compares reads, writes and bytes of the segments of each file and rank with its
 * counters, one job after another. A record reduced over all ranks is compared with the sum over
 * the ranks.
 */
#include "darshan.h"

#include <stdio.h>

static unsigned layer_of(unsigned module)
{
	if (module == DARSHAN_POSIX)
		return EMIT_LAYER_POSIX;
	return module == DARSHAN_MPIIO ? EMIT_LAYER_MPIIO : 0;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n >= m && strcmp(name + n - m, end) == 0;
}

/* MPI-IO has separate counters for independent, collective, split and non-blocking calls. */
static uint64_t *total_for(struct darshan_totals *t, unsigned module, const char *name)
{
	const bool mpiio = module == DARSHAN_MPIIO;
	if (ends_in(name, "_BYTES_READ"))
		return &t->bytes_read;
	if (ends_in(name, "_BYTES_WRITTEN"))
		return &t->bytes_written;
	if (mpiio ? ends_in(name, "_READS") : strcmp(name, "POSIX_READS") == 0)
		return &t->reads;
	if (mpiio ? ends_in(name, "_WRITES") : strcmp(name, "POSIX_WRITES") == 0)
		return &t->writes;
	return NULL;
}

/* Rank -1 stands for all ranks. */
static uint64_t key_of(uint32_t object, int64_t rank, unsigned layer)
{
	return darshan_file_key(object, (uint32_t)(rank + 1), layer);
}

/* Returns the totals of a rank, or of all ranks; NULL if out of memory. */
static struct darshan_declared *declared_of(struct darshan *d, unsigned layer, int64_t rank,
					    uint64_t id)
{
	struct darshan_crosscheck *c = &d->crosscheck;
	const size_t known = c->ids.count;
	const uint64_t key = key_of(darshan_object(d, id), rank, layer);
	const size_t n =
	    darshan_number(d, &c->ids, key, &c->declared, &c->capacity, sizeof *c->declared);
	if (n == SIZE_MAX)
		return NULL;
	if (n == known)
		c->declared[n] = (struct darshan_declared){.id = id, .rank = rank, .layer = layer};
	return &c->declared[n];
}

void darshan_check_counter(struct darshan *d, unsigned module, const struct darshan_group *g,
			   const char *name, int64_t value)
{
	const unsigned layer = layer_of(module);
	if ((d->layers & layer) == 0)
		return;
	struct darshan_declared *declared = declared_of(d, layer, g->rank, g->id);
	uint64_t *total = declared != NULL ? total_for(&declared->reported, module, name) : NULL;
	d->crosscheck.layers |= layer;
	if (total != NULL && value > 0)
		*total += (uint64_t)value;
}

/* Formats "POSIX, rank 0, /a/path", after the name of the log if there are several. */
static void describe(const struct darshan *d, const struct darshan_declared *s, size_t member,
		     char *out, size_t capacity)
{
	const struct iot_text path = darshan_name(d, s->id);
	const char *name = input_name(d->src->input, member);
	char log[104] = "", rank[32] = "all ranks", record[32];
	if (input_count(d->src->input) > 1) {
		escape_text(log, sizeof log - 2, name, strlen(name));
		strcat(log, ": ");
	}
	if (s->rank >= 0)
		snprintf(rank, sizeof rank, "rank %lld", (long long)s->rank);
	snprintf(record, sizeof record, "record %llu", (unsigned long long)s->id);
	snprintf(out, capacity, "%s%s, %s, %.*s", log,
		 s->layer == EMIT_LAYER_POSIX ? "POSIX" : "MPI-IO", rank,
		 path.size > 0 ? (int)(path.size < 400 ? path.size : 400) : (int)strlen(record),
		 path.size > 0 ? path.data : record);
}

static void compare(struct darshan *d, const struct darshan_declared *s, size_t member)
{
	const struct {
		const char *what;
		uint64_t reported, seen;
	} totals[] = {{"reads", s->reported.reads, s->seen.reads},
		      {"writes", s->reported.writes, s->seen.writes},
		      {"bytes read", s->reported.bytes_read, s->seen.bytes_read},
		      {"bytes written", s->reported.bytes_written, s->seen.bytes_written}};
	const size_t count = sizeof totals / sizeof *totals;
	char totals_of[512];
	describe(d, s, member, totals_of, sizeof totals_of);
	for (size_t i = 0; i < count; i++)
		if (totals[i].reported != totals[i].seen)
			report_differs(&d->src->report, totals_of, totals[i].what,
				       totals[i].reported, totals[i].seen);
	darshan_count(d, "check.compared", count);
}

/* Adds the records of ranks without counters of their own to the totals of all ranks. */
static void add_seen(struct darshan *d, const struct darshan_file *f)
{
	const struct idmap *ids = &d->crosscheck.ids;
	const bool own = idmap_find(ids, key_of(f->object, f->rank, f->layer)) != SIZE_MAX;
	const bool all = !own && idmap_find(ids, key_of(f->object, -1, f->layer)) != SIZE_MAX;
	struct darshan_declared *s = declared_of(d, f->layer, all ? -1 : f->rank, f->id);
	if (s == NULL)
		return;
	s->seen.reads += f->seen.reads;
	s->seen.writes += f->seen.writes;
	s->seen.bytes_read += f->seen.bytes_read;
	s->seen.bytes_written += f->seen.bytes_written;
}

void darshan_check(struct darshan *d, size_t member)
{
	struct darshan_crosscheck *c = &d->crosscheck;
	const unsigned selected = d->contents.selected, both = selected & c->layers;
	if (selected != 0 && both == 0)
		darshan_note(d, member, "has no counters to check its records with");
	for (size_t i = c->first_file; i < d->ids.files.count; i++)
		if ((both & d->ids.file[i].layer) != 0)
			add_seen(d, &d->ids.file[i]);
	for (size_t i = 0; i < c->ids.count; i++)
		if ((both & c->declared[i].layer) != 0)
			compare(d, &c->declared[i], member);
	idmap_free(&c->ids);
	c->layers = 0;
}
