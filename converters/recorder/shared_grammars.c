/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data shared by ranks. With compression between processes, all ranks have one table of signatures,
 * and ranks that behaved alike share a grammar; otherwise each rank has its own files. A unit is
 * loaded when a rank first needs it.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_MAX = 64 << 20, BLOCK_HEAD = 16 };

static int no_memory(struct error *error)
{
	return error_set(error, IOT_ENOMEM, "out of memory");
}

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
	u->threads = !r->meta.threads;
	if (u->scanned || (!r->meta.inter && !r->meta.threads))
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
	return fine ? IOT_OK : no_memory(error);
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
	if (u->grammar == NULL)
		return error->status;
	return scan(r, u, error);
}

static int missing(uint32_t rank, const char *ending, struct error *error)
{
	return error_set(error, IOT_ETRUNCATED, "rank %u: there is no %u%s", rank, rank, ending);
}

static void own_free(struct recorder_unit *u)
{
	recorder_grammar_free(u->grammar);
	recorder_cst_free(u->cst);
	free(u);
}

static struct recorder_unit *own_unit(struct recorder *r, uint32_t rank, struct error *error)
{
	const struct recorder_part *cst = recorder_part(r, RECORDER_RANK_CST, rank);
	const struct recorder_part *cfg = recorder_part(r, RECORDER_RANK_CFG, rank);
	struct recorder_unit *u = NULL;
	if (cst == NULL || cfg == NULL) {
		missing(rank, cst == NULL ? ".cst" : ".cfg", error);
		return NULL;
	}
	u = calloc(1, sizeof *u);
	if (u == NULL) {
		no_memory(error);
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

static const struct recorder_part *unit_part(const struct recorder *r, uint32_t unit)
{
	return r->meta.one_times ? recorder_part(r, RECORDER_CFG, 0)
				 : recorder_part(r, RECORDER_RANK_CFG, unit);
}

static struct recorder_unit *shared_unit(struct recorder *r, uint32_t unit, struct error *error)
{
	struct recorder_unit *u = &r->unit[unit];
	const struct recorder_part *part = unit_part(r, unit);
	u->cst = r->cst;
	if (part == NULL) {
		missing(unit, ".cfg", error);
		return NULL;
	}
	if (u->grammar == NULL) {
		if (load_grammar(r, u, part, error) != IOT_OK || u->grammar == NULL) {
			recorder_grammar_free(u->grammar);
			u->grammar = NULL;
			return NULL;
		}
		r->kept_bytes += u->grammar->bytes;
	}
	u->refs++;
	return u;
}

struct recorder_unit *recorder_unit_get(struct recorder *r, uint32_t rank, struct error *error)
{
	return r->meta.shared ? shared_unit(r, r->unit_of[rank], error) : own_unit(r, rank, error);
}

/* Drops a reference. Shared grammars stay loaded for other ranks, up to KEPT_MAX bytes. */
void recorder_unit_put(struct recorder *r, struct recorder_unit *u)
{
	if (u == NULL || --u->refs > 0)
		return;
	if (u->own) {
		own_free(u);
		return;
	}
	if (r->kept_bytes <= KEPT_MAX)
		return;
	r->kept_bytes -= u->grammar->bytes;
	recorder_grammar_free(u->grammar);
	u->grammar = NULL;
}

/* Files that all ranks share */

static int load_cst(struct recorder *r)
{
	const struct recorder_part *part = r->meta.one_times
					       ? recorder_part(r, RECORDER_CST, 0)
					       : recorder_part(r, RECORDER_RANK_CST, 0);
	if (part == NULL)
		return error_set(&r->src->error, IOT_EFORMAT, "%s: no %s in the same directory",
				 recorder_name(r, r->part),
				 r->meta.one_times ? "recorder.cst" : "0.cst");
	r->cst = recorder_cst_load(r, part, &r->src->error);
	return r->cst == NULL ? r->src->error.status : IOT_OK;
}

static int take_units(struct recorder *r, const struct recorder_part *part, const char *data,
		      size_t size)
{
	const uint32_t ranks = r->meta.ranks;
	if (size != 4 * ((size_t)ranks + 1))
		return error_set(&r->src->error, IOT_EFORMAT,
				 "%s: %zu bytes, where %u ranks need %zu", recorder_name(r, part),
				 size, ranks, 4 * ((size_t)ranks + 1));
	int32_t units = recorder_i32(data + 4 * (size_t)ranks);
	if (units < 1 || (uint32_t)units > ranks)
		return error_set(&r->src->error, IOT_EFORMAT, "%s: %d grammars for %u ranks",
				 recorder_name(r, part), units, ranks);
	r->units = (uint32_t)units;
	r->unit = calloc(r->units, sizeof *r->unit);
	r->unit_of = malloc(ranks * sizeof *r->unit_of);
	if (r->unit == NULL || r->unit_of == NULL)
		return no_memory(&r->src->error);
	for (uint32_t i = 0; i < ranks; i++) {
		int32_t unit = recorder_i32(data + 4 * (size_t)i);
		if (unit < 0 || unit >= units)
			return error_set(&r->src->error, IOT_EFORMAT,
					 "%s: rank %u has grammar %d, of %d",
					 recorder_name(r, part), i, unit, units);
		r->unit_of[i] = (uint32_t)unit;
	}
	return IOT_OK;
}

static int load_units(struct recorder *r)
{
	const struct recorder_part *part = recorder_part(r, RECORDER_CFG_META, 0);
	size_t size;
	if (part == NULL)
		return error_set(&r->src->error, IOT_EFORMAT, "%s: no ug.mt in the same directory",
				 recorder_name(r, r->part));
	char *data = recorder_load(r, part, 0, RECORDER_WHOLE, false,
				   4 * ((size_t)RECORDER_RANKS_MAX + 1), &size, &r->src->error);
	if (data == NULL)
		return r->src->error.status;
	int status = take_units(r, part, data, size);
	free(data);
	return status;
}

/* Reads the offset of each block of ug.cfg. */
static int find_blocks(struct recorder *r)
{
	const struct recorder_part *part = recorder_part(r, RECORDER_CFG, 0);
	uint64_t whole = 0, at = 0;
	size_t size;
	if (part == NULL)
		return error_set(&r->src->error, IOT_EFORMAT, "%s: no ug.cfg in the same directory",
				 recorder_name(r, r->part));
	int status = recorder_store(r, part, &whole);
	for (uint32_t i = 0; i < r->units && status == IOT_OK; i++) {
		struct error *e = &r->src->error;
		uint64_t packed = 0;
		char *head = recorder_load(r, part, at, BLOCK_HEAD, false, BLOCK_HEAD, &size, e);
		if (head != NULL && size == BLOCK_HEAD)
			packed = recorder_u64(head);
		free(head);
		if (e->status == IOT_OK && (packed == 0 || packed > whole - at - BLOCK_HEAD))
			error_set(e, IOT_EFORMAT,
				  "%s: the block of grammar %u, at %ju, is not all there",
				  recorder_name(r, part), i, (uintmax_t)at);
		r->unit[i].at = at;
		r->unit[i].size = packed + BLOCK_HEAD;
		at += r->unit[i].size;
		status = e->status;
	}
	if (status == IOT_OK && at != whole)
		return error_set(&r->src->error, IOT_EFORMAT,
				 "%s: %ju bytes after the last grammar", recorder_name(r, part),
				 (uintmax_t)(whole - at));
	return status;
}

/* Reads the sizes of all ranks' times at the start of recorder.ts. */
static int find_times(struct recorder *r)
{
	const struct recorder_part *part = recorder_part(r, RECORDER_TIMES, 0);
	struct error *e = &r->src->error;
	const uint64_t head_size = 8 * (uint64_t)r->meta.ranks;
	uint64_t whole = 0;
	size_t size;
	if (part == NULL)
		return error_set(e, IOT_EFORMAT, "%s: no recorder.ts in the same directory",
				 recorder_name(r, r->part));
	int status = recorder_store(r, part, &whole);
	if (status != IOT_OK)
		return status;
	if (whole < head_size)
		return error_set(e, IOT_ETRUNCATED, "%s: has %ju bytes, not enough for %u ranks",
				 recorder_name(r, part), (uintmax_t)whole, r->meta.ranks);
	char *head =
	    recorder_load(r, part, 0, head_size, false, 8 * (size_t)RECORDER_RANKS_MAX, &size, e);
	r->times_at = malloc(((size_t)r->meta.ranks + 1) * sizeof *r->times_at);
	if (head == NULL || r->times_at == NULL) {
		free(head);
		return no_memory(e);
	}
	uint64_t at = head_size;
	for (uint32_t i = 0; i < r->meta.ranks; i++) {
		r->times_at[i] = at;
		if (__builtin_add_overflow(at, recorder_u64(head + 8 * (size_t)i), &at) ||
		    at > INT64_MAX)
			status = error_set(e, IOT_EFORMAT, "%s: the size of rank %u is no size",
					   recorder_name(r, part), i);
	}
	r->times_at[r->meta.ranks] = at;
	free(head);
	if (status == IOT_OK && at < whole && r->damage.status == IOT_OK)
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
	uint64_t *key = malloc(ranks * sizeof *key);
	r->position[pattern] = malloc(ranks * sizeof **r->position);
	if (key == NULL || r->position[pattern] == NULL) {
		free(key);
		return no_memory(&r->src->error);
	}
	for (uint32_t i = 0; i < ranks; i++)
		key[i] = (uint64_t)r->unit[r->unit_of[i]].distinct[pattern] << 32 | i;
	qsort(key, ranks, sizeof *key, by_count);
	uint32_t position = 0;
	for (uint32_t i = 0; i < ranks; i++) {
		position = i > 0 && key[i] >> 32 == key[i - 1] >> 32 ? position + 1 : 0;
		r->position[pattern][(uint32_t)key[i]] = position;
	}
	free(key);
	return IOT_OK;
}

/* This requires loading all units; an error in one of them fails the whole trace. */
static int find_all_positions(struct recorder *r)
{
	bool sloped[RECORDER_PATTERNS] = {false};
	int status = IOT_OK;
	for (uint32_t i = 0; i < r->cst->count; i++)
		if (r->cst->signature[i].sloped)
			sloped[r->cst->signature[i].function->pattern - 1] = true;
	for (uint32_t i = 0; i < r->units && status == IOT_OK; i++) {
		struct recorder_unit *u = shared_unit(r, i, &r->src->error);
		status = u == NULL ? r->src->error.status : IOT_OK;
		recorder_unit_put(r, u);
	}
	for (unsigned p = 0; p < RECORDER_PATTERNS && status == IOT_OK; p++)
		if (sloped[p])
			status = find_positions(r, p);
	return status;
}

uint32_t recorder_position(const struct recorder *r, uint32_t rank, unsigned pattern)
{
	const uint32_t *position = r->position[pattern - 1];
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

void recorder_units_close(struct recorder *r)
{
	for (uint32_t i = 0; i < r->units && r->unit != NULL; i++)
		recorder_grammar_free(r->unit[i].grammar);
	for (unsigned p = 0; p < RECORDER_PATTERNS; p++)
		free(r->position[p]);
	recorder_cst_free(r->cst);
	free(r->unit);
	free(r->unit_of);
	free(r->times_at);
}
