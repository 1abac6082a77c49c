/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data shared by ranks. With compression between processes, all ranks have one table of signatures,
 * and ranks that behaved alike share a grammar; otherwise each rank has its own files. A unit is
 * loaded when a rank first needs it.
 */
#include "recorder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 64 << 20 };

/* The signatures that a unit uses */

struct grammar_scan {
	uint8_t *used; /* one bit per terminal */
	uint8_t *seen; /* index: rule */
	uint32_t *stack, depth;
	uint64_t thread;
	bool any, several; /* threads: any at all, several */
};

static void see(struct grammar_scan *s, struct recorder_unit *u, uint32_t terminal)
{
	const struct recorder_signature *sig = &u->cst->signature[terminal];
	uint8_t bit = (uint8_t)(1U << (terminal & 7));
	if ((s->used[terminal >> 3] & bit) != 0)
		return;
	s->used[terminal >> 3] |= bit;
	if (sig->function->pattern != 0)
		u->distinct[sig->function->pattern - 1]++;
	s->several |= (s->any && sig->thread != s->thread) || sig->id == RECORDER_USER_FUNCTION;
	s->thread = sig->thread;
	s->any = true;
}

static void scan_rules(struct grammar_scan *s, struct recorder_unit *u)
{
	const struct recorder_grammar *g = u->grammar;
	s->stack[s->depth++] = g->start;
	s->seen[g->start] = 1;
	while (s->depth > 0) {
		const struct recorder_rule *rule = &g->rule[s->stack[--s->depth]];
		for (uint32_t i = 0; i < rule->count; i++) {
			int32_t value = g->symbol[rule->first + i].value;
			if (value >= 0) {
				see(s, u, (uint32_t)value);
			} else if (!s->seen[~value]) {
				s->seen[~value] = 1;
				s->stack[s->depth++] = (uint32_t)~value;
			}
		}
	}
}

static int scan(struct recorder *r, struct recorder_unit *u, struct error *error)
{
	if (u->scanned)
		return IOT_OK;
	u->threads = !r->meta.threads;
	if (!r->meta.inter && !r->meta.threads)
		return IOT_OK;
	struct grammar_scan s = {.used = calloc(u->cst->count / 8 + 1, 1),
				 .seen = calloc(u->grammar->rules, 1),
				 .stack = malloc(u->grammar->rules * sizeof *s.stack)};
	bool fine = s.used != NULL && s.seen != NULL && s.stack != NULL;
	if (fine)
		scan_rules(&s, u);
	u->threads |= s.several;
	u->scanned = fine;
	free(s.used);
	free(s.seen);
	free(s.stack);
	return fine ? IOT_OK : error_no_memory(error);
}

/* Loading */

static int load_grammar(struct recorder *r, struct recorder_unit *u,
			const struct recorder_part *part, struct error *error)
{
	size_t size;
	const uint64_t whole = u->own || u->size == 0 ? RECORDER_WHOLE : u->size;
	char *payload = recorder_load(r, part, u->at, whole, r->meta.blocks, RECORDER_PAYLOAD_MAX,
				      &size, error);
	if (payload == NULL)
		return error->status;
	u->grammar =
	    recorder_grammar_new(payload, size, u->cst->count, recorder_name(r, part), error);
	free(payload);
	return u->grammar == NULL ? error->status : scan(r, u, error);
}

static const struct recorder_part *rank_part(const struct recorder *r, enum recorder_role role,
					     uint32_t rank, const char *ending, struct error *error)
{
	const struct recorder_part *part = recorder_part(r, role, rank);
	if (part == NULL)
		error_set(error, IOT_ETRUNCATED, "rank %u: %u%s is missing", rank, rank, ending);
	return part;
}

const struct recorder_part *recorder_rank_part(struct recorder_rank *rk, enum recorder_role role,
					       const char *ending)
{
	return rank_part(rk->r, role, rk->rank, ending, &rk->error);
}

static void own_free(struct recorder_unit *u)
{
	recorder_grammar_free(u->grammar);
	recorder_cst_free(u->cst);
	free(u);
}

static struct recorder_unit *own_unit(struct recorder *r, uint32_t rank, struct error *error)
{
	const struct recorder_part *cst = rank_part(r, RECORDER_RANK_CST, rank, ".cst", error);
	const struct recorder_part *cfg = rank_part(r, RECORDER_RANK_CFG, rank, ".cfg", error);
	if (cst == NULL || cfg == NULL)
		return NULL;
	struct recorder_unit *u = calloc(1, sizeof *u);
	if (u == NULL) {
		error_no_memory(error);
		return NULL;
	}
	u->own = true;
	u->refs = 1;
	u->cst = recorder_cst_load(r, cst, error);
	if (u->cst != NULL && load_grammar(r, u, cfg, error) == IOT_OK)
		return u;
	own_free(u);
	return NULL;
}

static struct recorder_unit *shared_unit(struct recorder *r, uint32_t unit, struct error *error)
{
	struct recorder_unit *u = &r->shared.unit[unit];
	const struct recorder_part *part =
	    r->meta.one_times ? recorder_part(r, RECORDER_CFG, 0)
			      : rank_part(r, RECORDER_RANK_CFG, unit, ".cfg", error);
	u->cst = r->shared.cst;
	if (part == NULL)
		return NULL;
	if (u->grammar == NULL) {
		if (load_grammar(r, u, part, error) != IOT_OK) {
			recorder_grammar_free(u->grammar);
			u->grammar = NULL;
			return NULL;
		}
		assert(u->grammar != NULL);
		r->shared.kept_bytes += u->grammar->bytes;
	}
	u->refs++;
	return u;
}

struct recorder_unit *recorder_unit_get(struct recorder *r, uint32_t rank, struct error *error)
{
	return r->meta.shared ? shared_unit(r, r->shared.unit_of[rank], error)
			      : own_unit(r, rank, error);
}

/* Drops a reference. Shared grammars stay loaded for other ranks, up to KEPT_MAX bytes. */
void recorder_unit_put(struct recorder *r, struct recorder_unit *u)
{
	assert(u == NULL || u->refs > 0);
	if (u == NULL || --u->refs > 0)
		return;
	if (u->own) {
		own_free(u);
		return;
	}
	if (r->shared.kept_bytes <= KEPT_MAX)
		return;
	r->shared.kept_bytes -= u->grammar->bytes;
	recorder_grammar_free(u->grammar);
	u->grammar = NULL;
}

/* Files that all ranks share */

/* Returns NULL, with the error set, if the trace does not have this file. */
static const struct recorder_part *shared_part(struct recorder *r, enum recorder_role role,
					       const char *name)
{
	const struct recorder_part *part = recorder_part(r, role, 0);
	if (part == NULL)
		error_set(&r->src->error, IOT_EFORMAT, "%s: no %s in the same directory",
			  recorder_name(r, r->files.part), name);
	return part;
}

static int load_cst(struct recorder *r)
{
	const struct recorder_part *part = r->meta.one_times
					       ? shared_part(r, RECORDER_CST, "recorder.cst")
					       : shared_part(r, RECORDER_RANK_CST, "0.cst");
	if (part != NULL)
		r->shared.cst = recorder_cst_load(r, part, &r->src->error);
	return r->src->error.status;
}

static int parse_units(struct recorder *r, const struct recorder_part *part, const char *data,
		       size_t size)
{
	const uint32_t ranks = r->meta.ranks;
	struct recorder_shared *s = &r->shared;
	if (size != 4 * ((size_t)ranks + 1))
		return error_set(&r->src->error, IOT_EFORMAT,
				 "%s: %zu bytes, expected %zu for %u ranks", recorder_name(r, part),
				 size, 4 * ((size_t)ranks + 1), ranks);
	int32_t units = recorder_i32(data + 4 * (size_t)ranks);
	if (units < 1 || (uint32_t)units > ranks)
		return error_set(&r->src->error, IOT_EFORMAT, "%s: %d grammars for %u ranks",
				 recorder_name(r, part), units, ranks);
	s->units = (uint32_t)units;
	s->unit = calloc(s->units, sizeof *s->unit);
	s->unit_of = malloc(ranks * sizeof *s->unit_of);
	if (s->unit == NULL || s->unit_of == NULL)
		return error_no_memory(&r->src->error);
	for (uint32_t i = 0; i < ranks; i++) {
		int32_t unit = recorder_i32(data + 4 * (size_t)i);
		if (unit < 0 || unit >= units)
			return error_set(&r->src->error, IOT_EFORMAT,
					 "%s: rank %u has grammar %d, of %d",
					 recorder_name(r, part), i, unit, units);
		s->unit_of[i] = (uint32_t)unit;
	}
	return IOT_OK;
}

static int load_units(struct recorder *r)
{
	const struct recorder_part *part = shared_part(r, RECORDER_CFG_META, "ug.mt");
	size_t size;
	char *data = part == NULL ? NULL
				  : recorder_load(r, part, 0, RECORDER_WHOLE, false,
						  4 * ((size_t)RECORDER_RANKS_MAX + 1), &size,
						  &r->src->error);
	if (data == NULL)
		return r->src->error.status;
	int status = parse_units(r, part, data, size);
	free(data);
	return status;
}

/* Reads the offset of each block of ug.cfg. */
static int find_blocks(struct recorder *r)
{
	const struct recorder_part *part = shared_part(r, RECORDER_CFG, "ug.cfg");
	struct error *e = &r->src->error;
	uint64_t whole = 0, at = 0;
	size_t size;
	int status = part == NULL ? e->status : recorder_store(r, part, &whole);
	for (uint32_t i = 0; i < r->shared.units && status == IOT_OK; i++) {
		struct recorder_unit *u = &r->shared.unit[i];
		uint64_t packed = 0;
		char *head = recorder_load(r, part, at, RECORDER_BLOCK_HEAD, false,
					   RECORDER_BLOCK_HEAD, &size, e);
		if (head != NULL && size == RECORDER_BLOCK_HEAD)
			packed = recorder_u64(head);
		free(head);
		if (e->status == IOT_OK &&
		    (packed == 0 || packed > whole - at - RECORDER_BLOCK_HEAD))
			error_set(e, IOT_EFORMAT,
				  "%s: ends inside the block of grammar %u, at byte %ju",
				  recorder_name(r, part), i, (uintmax_t)at);
		u->at = at;
		u->size = packed + RECORDER_BLOCK_HEAD;
		at += u->size;
		status = e->status;
	}
	if (status == IOT_OK && at != whole)
		return error_set(e, IOT_EFORMAT, "%s: %ju bytes after the last grammar",
				 recorder_name(r, part), (uintmax_t)(whole - at));
	return status;
}

/* Reads the sizes of all ranks' times at the start of recorder.ts. */
static int find_times(struct recorder *r)
{
	const struct recorder_part *part = shared_part(r, RECORDER_TIMES, "recorder.ts");
	struct error *e = &r->src->error;
	const uint64_t head_size = 8 * (uint64_t)r->meta.ranks;
	uint64_t whole = 0, at = head_size, *times_at;
	size_t size;
	int status = part == NULL ? e->status : recorder_store(r, part, &whole);
	if (status != IOT_OK)
		return status;
	if (whole < head_size)
		return error_set(e, IOT_ETRUNCATED, "%s: has %ju bytes, not enough for %u ranks",
				 recorder_name(r, part), (uintmax_t)whole, r->meta.ranks);
	char *head =
	    recorder_load(r, part, 0, head_size, false, 8 * (size_t)RECORDER_RANKS_MAX, &size, e);
	r->shared.times_at = times_at = malloc(((size_t)r->meta.ranks + 1) * sizeof *times_at);
	if (head == NULL || times_at == NULL) {
		free(head);
		return error_no_memory(e);
	}
	for (uint32_t i = 0; i < r->meta.ranks; i++) {
		times_at[i] = at;
		if (__builtin_add_overflow(at, recorder_u64(head + 8 * (size_t)i), &at) ||
		    at > INT64_MAX)
			status = error_set(e, IOT_EFORMAT,
					   "%s: the times of rank %u exceed 2^63-1 bytes",
					   recorder_name(r, part), i);
	}
	times_at[r->meta.ranks] = at;
	free(head);
	if (status == IOT_OK && at < whole)
		error_set(&r->damage, IOT_EFORMAT, "%s: %ju bytes after the last rank",
			  recorder_name(r, part), (uintmax_t)(whole - at));
	return status;
}

/* Positions among ranks with equal counts */

static int by_count(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/*
 * The sort key is the count, then the rank: ranks with equal counts become contiguous, in order of
 * rank.
 */
static int find_positions(struct recorder *r, unsigned pattern)
{
	const uint32_t ranks = r->meta.ranks;
	const struct recorder_shared *s = &r->shared;
	uint64_t *key = malloc(ranks * sizeof *key);
	uint32_t *position = r->shared.position[pattern] = malloc(ranks * sizeof *position), at = 0;
	if (key == NULL || position == NULL) {
		free(key);
		return error_no_memory(&r->src->error);
	}
	for (uint32_t i = 0; i < ranks; i++)
		key[i] = (uint64_t)s->unit[s->unit_of[i]].distinct[pattern] << 32 | i;
	qsort(key, ranks, sizeof *key, by_count);
	for (uint32_t i = 0; i < ranks; i++) {
		at = i > 0 && key[i] >> 32 == key[i - 1] >> 32 ? at + 1 : 0;
		position[(uint32_t)key[i]] = at;
	}
	free(key);
	return IOT_OK;
}

/* This requires loading all units; an error in one of them fails the whole trace. */
static int find_all_positions(struct recorder *r)
{
	const struct recorder_cst *cst = r->shared.cst;
	bool sloped[RECORDER_PATTERNS] = {false};
	int status = IOT_OK;
	for (uint32_t i = 0; i < cst->count; i++)
		if (cst->signature[i].sloped)
			sloped[cst->signature[i].function->pattern - 1] = true;
	for (uint32_t i = 0; i < r->shared.units && status == IOT_OK; i++) {
		recorder_unit_put(r, shared_unit(r, i, &r->src->error));
		status = r->src->error.status;
	}
	for (unsigned p = 0; p < RECORDER_PATTERNS && status == IOT_OK; p++)
		if (sloped[p])
			status = find_positions(r, p);
	return status;
}

uint32_t recorder_position(const struct recorder *r, uint32_t rank, unsigned pattern)
{
	const uint32_t *position = r->shared.position[pattern - 1];
	return position == NULL ? UINT32_MAX : position[rank];
}

int recorder_units_open(struct recorder *r)
{
	int status = r->meta.one_times ? find_times(r) : IOT_OK;
	if (status != IOT_OK || !r->meta.shared)
		return status;
	status = load_cst(r);
	if (status == IOT_OK)
		status = load_units(r);
	if (status == IOT_OK && r->meta.one_times)
		status = find_blocks(r);
	return status == IOT_OK && r->meta.inter ? find_all_positions(r) : status;
}

void recorder_units_close(struct recorder_shared *s)
{
	for (uint32_t i = 0; i < s->units && s->unit != NULL; i++)
		recorder_grammar_free(s->unit[i].grammar);
	for (unsigned p = 0; p < RECORDER_PATTERNS; p++)
		free(s->position[p]);
	recorder_cst_free(s->cst);
	free(s->unit);
	free(s->unit_of);
	free(s->times_at);
}
