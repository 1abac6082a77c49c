/* SPDX-License-Identifier: BSD-2-Clause */
#include "sample.h"

#include <stdlib.h>
#include <string.h>

#include "lib/result/names.h"

#include "requests_internal.h"

/* The rows of files, and of pairs of a process and a file; about 450 bytes each. */
enum { ROWS_MAX = 3 << 15, SAMPLE_BITS_MAX = 32 };

static void free_kept(struct sample_kept *k)
{
	free(k->file);
	free(k->pair);
}

static uint32_t file_of_pair(const struct requests *r, size_t pair)
{
	return (uint32_t)r->pair_map.keys[pair] - 1;
}

/* Which files to keep */

/* The halvings that a file survives. */
static unsigned level_of(const struct requests *r, uint32_t file)
{
	return file_key_level(&r->files.keys[file]);
}

/* Returns whether a sample may drop a file. */
static bool is_fixed(const struct requests *r, uint32_t file)
{
	return r->files.keys[file].omitted || r->files.keys[file].undefined;
}

static size_t count_rows(const struct requests *r, uint32_t bits)
{
	size_t rows = 0;
	for (uint32_t i = 0; i < r->files.count; i++)
		rows += level_of(r, i) >= bits && !is_fixed(r, i);
	for (size_t i = 0; i < r->pair_map.count; i++) {
		const uint32_t file = file_of_pair(r, i);
		rows += level_of(r, file) >= bits && !is_fixed(r, file);
	}
	return rows;
}

/* The number in common is always a new one, so that its statistics are dropped. */
static bool choose(const struct requests *r, bool others, struct sample_kept *k)
{
	uint32_t files = 0, pairs = 0;
	*k = (struct sample_kept){
	    .files = r->files.count, .pairs = r->pair_map.count, .others = others};
	k->file = malloc((k->files + 1) * sizeof *k->file);
	k->pair = malloc((k->pairs + 1) * sizeof *k->pair);
	if (k->file == NULL || k->pair == NULL)
		return false;
	for (uint32_t i = 0; i < k->files; i++) {
		const bool keeps = !r->files.keys[i].omitted &&
				   (is_fixed(r, i) || level_of(r, i) >= r->files.sample_bits);
		k->file[i] = keeps ? files++ : UINT32_MAX;
	}
	for (size_t i = 0; i < k->pairs; i++)
		k->pair[i] = k->file[file_of_pair(r, i)] != UINT32_MAX ? pairs++ : UINT32_MAX;
	return true;
}

static bool rekey_objects(struct requests *r, const struct sample_kept *k)
{
	struct idmap map = {.keys = NULL};
	for (size_t i = 0; i < r->files.object_map.count; i++) {
		const uint32_t file = k->file[r->files.object_file[i] - 1];
		if (file == UINT32_MAX)
			continue;
		const size_t at = idmap_number(&map, r->files.object_map.keys[i]);
		if (at == SIZE_MAX) {
			idmap_free(&map);
			return false;
		}
		r->files.object_file[at] = file + 1;
	}
	for (size_t i = map.count; i < r->files.object_capacity; i++)
		r->files.object_file[i] = 0;
	idmap_free(&r->files.object_map);
	r->files.object_map = map;
	return true;
}

static bool rekey_pairs(struct requests *r, const struct sample_kept *k)
{
	struct idmap map = {.keys = NULL};
	for (size_t i = 0; i < k->pairs; i++) {
		const uint64_t key = r->pair_map.keys[i];
		if (k->pair[i] == UINT32_MAX)
			continue;
		const uint32_t file = k->file[(uint32_t)key - 1] + 1;
		if (idmap_number(&map, idmap_pair((uint32_t)(key >> 32), file)) == SIZE_MAX) {
			idmap_free(&map);
			return false;
		}
	}
	idmap_free(&r->pair_map);
	r->pair_map = map;
	return true;
}

/* The new number + 1 of one that is known; `other` if it was dropped. */
static uint32_t renumbered(uint32_t number, const uint32_t *to, uint32_t other)
{
	return number == 0 ? 0 : to[number - 1] != UINT32_MAX ? to[number - 1] + 1 : other;
}

/* A fileId without its pair is bound again. */
static void rekey_id(const struct requests *r, struct file_id *id, const struct sample_kept *k)
{
	if (id->pair != 0 && k->pair[id->pair - 1] == UINT32_MAX)
		id->owner_changes = UINT32_MAX;
	id->pair = renumbered(id->pair, k->pair, 0);
	id->file = renumbered(id->file, k->file, r->files.other);
	id->own.file = renumbered(id->own.file, k->file, r->files.other);
	id->own.undefined = renumbered(id->own.undefined, k->file, r->files.other);
}

static bool keep_files(struct requests *r, const struct sample_kept *k)
{
	SAMPLE_KEEP(r->files.keys, r->files.key_capacity, k->file, k->files);
	r->files.count = 0;
	for (size_t i = 0; i < k->files; i++)
		r->files.count += k->file[i] != UINT32_MAX;
	r->files.other = 0;
	return !k->others || requests_begin_sample(r);
}

static bool keep_requests(struct requests *r, const struct sample_kept *k)
{
	if (!rekey_objects(r, k) || !rekey_pairs(r, k) || !keep_files(r, k))
		return false;
	for (size_t i = 0; i < r->file_ids.map.count; i++)
		rekey_id(r, &r->ids[i], k);
	for (size_t i = 0; i < r->head_count; i++)
		r->heads[i].file = renumbered(r->heads[i].file, k->file, r->files.other);
	r->fixed_pairs = 0;
	for (size_t i = 0; i < r->pair_map.count; i++)
		r->fixed_pairs += is_fixed(r, file_of_pair(r, i));
	return true;
}

/* Adds the sums of files that are dropped to file_sums. */
static bool enter_dropped(struct requests *r, unsigned layer, const struct rows *rows,
			  const struct sample_kept *k)
{
	for (size_t i = 0; i < k->pairs && i < rows->pair_capacity; i++) {
		const struct row_pair *p = &rows->pairs[i];
		const struct file_key *key = &r->files.keys[file_of_pair(r, i)];
		const struct file_sum sums = {p->sums, p->high, p->located};
		if (k->pair[i] == UINT32_MAX && !key->omitted && row_calls(&p->sums) > 0 &&
		    !file_sums_add(&r->file_sums, key, layer, &sums))
			return false;
	}
	return true;
}

static bool keep_chosen(struct iot_analyze *a, bool others)
{
	struct sample_kept k;
	bool done = choose(&a->requests, others, &k);
	for (unsigned i = 0; i < LAYERS && done; i++)
		if (a->layers[i] != NULL && (i == 0 || a->requests.has_mpiio))
			done = enter_dropped(&a->requests, i, &a->layers[i]->rows, &k);
	done = done && keep_requests(&a->requests, &k);
	k.other_file = a->requests.files.other;
	k.bits = a->requests.files.sample_bits;
	for (unsigned i = 0; i < LAYERS && done; i++)
		if (a->layers[i] != NULL)
			layer_sample(a->layers[i], &k);
	for (unsigned i = 0; i < COUNTERS_MODULES && done; i++)
		if (a->counters.of[i] != NULL)
			SAMPLE_KEEP(a->counters.of[i]->files, a->counters.of[i]->file_capacity,
				    k.file, k.files);
	free_kept(&k);
	return done;
}

bool sample_is_due(const struct iot_analyze *a)
{
	const struct requests *r = &a->requests;
	const size_t files = r->files.count - (r->files.other != 0) - r->files.undefined_count;
	return files + r->pair_map.count - r->fixed_pairs > ROWS_MAX;
}

static void raise_level(struct requests *r)
{
	while (r->files.sample_bits < SAMPLE_BITS_MAX &&
	       count_rows(r, r->files.sample_bits) > ROWS_MAX)
		r->files.sample_bits++;
}

bool sample_limit(struct iot_analyze *a)
{
	struct requests *r = &a->requests;
	const uint32_t before = r->files.sample_bits;
	if (sample_is_due(a))
		raise_level(r);
	return r->files.sample_bits == before || keep_chosen(a, true);
}

bool sample_join(struct iot_analyze *a)
{
	if (sample_is_due(a))
		raise_level(&a->requests);
	return a->requests.files.sample_bits == 0 || keep_chosen(a, true);
}

bool sample_clear(struct iot_analyze *a)
{
	return a->requests.files.other == 0 || keep_chosen(a, true);
}

bool sample_end(struct iot_analyze *a)
{
	return a->requests.files.other == 0 || keep_chosen(a, false);
}

/* Sums of files, and lists of the largest ones, are exact. */
static bool is_sampled(const struct iot_analyze_value *v)
{
	return (strcmp(v->section, SECTION_OF(files)) == 0 && strncmp(v->name, "top_", 4) != 0) ||
	       strcmp(v->section, SECTION_OF(reuse)) == 0 ||
	       strcmp(v->section, SECTION_OF(classes)) == 0 ||
	       strncmp(v->name, "same_file_", strlen("same_file_")) == 0;
}

void sample_note(struct iot_analyze *a)
{
	if (a->requests.files.sample_bits == 0)
		return;
	for (size_t i = 0; i < a->values.count; i++) {
		struct iot_analyze_value *v = &a->values.value[i];
		if (strncmp(v->name, "inter_arrival_file", strlen("inter_arrival_file")) == 0)
			v->note = VALUES_SAMPLED;
		else if (v->note == NULL && is_sampled(v))
			v->note = "of a sample of the files: see limits";
	}
}
