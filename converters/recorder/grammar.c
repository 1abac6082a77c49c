/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Grammars: rules consist of terminals and rules, each with an exponent. Validation makes them safe
 * to expand: referenced rules exist, there are no cycles, lengths are known, and every step
 * produces output. To that end, symbols with empty expansion are removed and rules of a single
 * symbol are replaced by it, so that the work is proportional to the output, whatever the grammar.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/idmap.h"

#define TOTAL_MAX ((uint64_t)1 << 62)

enum { START_RULE = -1, WHITE = 0, GREY, BLACK };

struct parser {
	struct recorder_grammar *g;
	struct idmap ids; /* maps ids of rules to their indices */
	uint8_t *colour;
	uint32_t *path, *next; /* rules on the path of the search, and the next symbol of each */
	uint32_t depth;
	const char *name;
	struct error *error;
};

static int bad(struct parser *p, uint32_t rule, const char *what)
{
	return error_set(p->error, IOT_EFORMAT, "%s: grammar: rule %d %s", p->name,
			 p->g->rule[rule].id, what);
}

/* Parsing */

static int parse_symbols(struct parser *p, uint32_t rule, const char *at, uint32_t terminals)
{
	struct recorder_grammar *g = p->g;
	for (uint32_t i = 0; i < g->rule[rule].count; i++) {
		int32_t value = recorder_i32(at + 8 * (size_t)i);
		int32_t times = recorder_i32(at + 8 * (size_t)i + 4);
		if (times < 1)
			return bad(p, rule, "has an exponent below 1");
		if (value >= 0 && (uint32_t)value >= terminals)
			return bad(p, rule, "refers to an unknown signature");
		g->symbol[g->symbols++] = (struct recorder_symbol){value, (uint32_t)times};
	}
	return IOT_OK;
}

static int add_id(struct parser *p, uint32_t index)
{
	const int32_t id = p->g->rule[index].id;
	if (id >= 0)
		return bad(p, index, "is not negative");
	const size_t number = idmap_number(&p->ids, (uint32_t)id);
	if (number == SIZE_MAX)
		return error_no_memory(p->error);
	return number == index ? IOT_OK : bad(p, index, "occurs twice");
}

static int parse_rules(struct parser *p, const char *payload, size_t size, uint32_t terminals)
{
	struct recorder_grammar *g = p->g;
	const char *at = payload + 4, *end = payload + size;
	for (uint32_t i = 0; i < g->rules; i++) {
		if (end - at < 8)
			return error_set(p->error, IOT_EFORMAT,
					 "%s: grammar: ends before rule %u of %u", p->name, i,
					 g->rules);
		g->rule[i] = (struct recorder_rule){.first = g->symbols, .id = recorder_i32(at)};
		int32_t count = recorder_i32(at + 4);
		at += 8;
		int status = add_id(p, i);
		if (status != IOT_OK)
			return status;
		if (count < 0 || count > (end - at) / 8)
			return bad(p, i, "has an invalid number of symbols");
		g->rule[i].count = (uint32_t)count;
		status = parse_symbols(p, i, at, terminals);
		if (status != IOT_OK)
			return status;
		at += 8 * (size_t)count;
	}
	if (at != end)
		return error_set(p->error, IOT_EFORMAT,
				 "%s: grammar: %td bytes after the last rule", p->name, end - at);
	return IOT_OK;
}

/* Replaces rule ids by indices. */
static int resolve(struct parser *p)
{
	struct recorder_grammar *g = p->g;
	const size_t start = idmap_find(&p->ids, (uint32_t)START_RULE);
	if (start == SIZE_MAX)
		return error_set(p->error, IOT_EFORMAT, "%s: grammar: has no rule -1", p->name);
	g->start = (uint32_t)start;
	for (uint32_t i = 0; i < g->rules; i++) {
		struct recorder_symbol *s = g->symbol + g->rule[i].first;
		for (uint32_t k = 0; k < g->rule[i].count; k++) {
			if (s[k].value >= 0)
				continue;
			const size_t index = idmap_find(&p->ids, (uint32_t)s[k].value);
			if (index == SIZE_MAX)
				return bad(p, i, "refers to an unknown rule");
			s[k].value = ~(int32_t)index;
		}
	}
	return IOT_OK;
}

/* Validation: depth first, children before their parents */

/* All children are done: computes length and depth, and removes redundant symbols. */
static int finish_rule(struct parser *p, uint32_t index)
{
	struct recorder_grammar *g = p->g;
	struct recorder_rule *rule = &g->rule[index];
	struct recorder_symbol *s = g->symbol + rule->first;
	uint32_t kept = 0;
	rule->depth = 1;
	for (uint32_t k = 0; k < rule->count; k++) {
		const struct recorder_rule *child = s[k].value < 0 ? &g->rule[~s[k].value] : NULL;
		uint64_t total = child == NULL ? 1 : child->total;
		if (total == 0)
			continue;
		if (__builtin_mul_overflow(total, (uint64_t)s[k].times, &total) ||
		    __builtin_add_overflow(rule->total, total, &rule->total) ||
		    rule->total > TOTAL_MAX)
			return bad(p, index, "expands to more than 2^62 calls");
		struct recorder_symbol now = s[k];
		if (child != NULL && child->count == 1 && g->symbol[child->first].times == 1)
			now.value = g->symbol[child->first].value;
		if (now.value < 0 && g->rule[~now.value].depth >= rule->depth)
			rule->depth = g->rule[~now.value].depth + 1;
		s[kept++] = now;
	}
	rule->count = kept;
	p->colour[index] = BLACK;
	return IOT_OK;
}

static void enter(struct parser *p, uint32_t index)
{
	p->colour[index] = GREY;
	p->path[p->depth] = index;
	p->next[p->depth++] = 0;
}

static int walk_from(struct parser *p, uint32_t from)
{
	struct recorder_grammar *g = p->g;
	int status = IOT_OK;
	enter(p, from);
	while (p->depth > 0 && status == IOT_OK) {
		uint32_t index = p->path[p->depth - 1], at = p->next[p->depth - 1]++;
		if (at == g->rule[index].count) {
			p->depth--;
			status = finish_rule(p, index);
			continue;
		}
		int32_t value = g->symbol[g->rule[index].first + at].value;
		if (value >= 0 || p->colour[~value] == BLACK)
			continue;
		if (p->colour[~value] == GREY)
			return bad(p, index, "contains itself");
		enter(p, (uint32_t)~value);
	}
	return status;
}

static int walk(struct parser *p)
{
	int status = IOT_OK;
	for (uint32_t i = 0; i < p->g->rules && status == IOT_OK; i++)
		if (p->colour[i] == WHITE)
			status = walk_from(p, i);
	return status;
}

static int parse(struct parser *p, const char *payload, size_t size, uint32_t terminals)
{
	struct recorder_grammar *g = p->g;
	int32_t rules = size < 4 ? -1 : recorder_i32(payload);
	if (rules < 1 || (size_t)rules > (size - 4) / 8)
		return error_set(p->error, IOT_EFORMAT,
				 "%s: grammar: %d rules do not fit in %zu bytes", p->name, rules,
				 size);
	g->rules = (uint32_t)rules;
	size_t symbols = (size - 4) / 8; /* upper bound: there may be fewer rules than declared */
	g->rule = calloc(g->rules, sizeof *g->rule);
	g->symbol = calloc(symbols + 1, sizeof *g->symbol);
	p->colour = calloc(g->rules, 1);
	p->path = malloc(g->rules * sizeof *p->path);
	p->next = malloc(g->rules * sizeof *p->next);
	if (g->rule == NULL || g->symbol == NULL || p->colour == NULL || p->path == NULL ||
	    p->next == NULL)
		return error_no_memory(p->error);
	g->bytes = g->rules * sizeof *g->rule + symbols * sizeof *g->symbol;
	int status = parse_rules(p, payload, size, terminals);
	if (status == IOT_OK)
		status = resolve(p);
	return status == IOT_OK ? walk(p) : status;
}

struct recorder_grammar *recorder_grammar_new(const char *payload, size_t size, uint32_t terminals,
					      const char *name, struct error *error)
{
	struct parser p = {.name = name, .error = error, .g = calloc(1, sizeof *p.g)};
	int status = p.g == NULL ? error_no_memory(error) : parse(&p, payload, size, terminals);
	idmap_free(&p.ids);
	free(p.colour);
	free(p.path);
	free(p.next);
	if (status == IOT_OK)
		return p.g;
	recorder_grammar_free(p.g);
	return NULL;
}

void recorder_grammar_free(struct recorder_grammar *g)
{
	if (g == NULL)
		return;
	free(g->rule);
	free(g->symbol);
	free(g);
}

/* Expanding */

static void push(struct recorder_expansion *e, uint32_t rule)
{
	const struct recorder_rule *r = &e->grammar->rule[rule];
	e->frame[e->depth++] = (struct recorder_frame){r->first, r->first + r->count,
						       e->grammar->symbol[r->first].times};
}

bool recorder_expand_begin(struct recorder_expansion *e, const struct recorder_grammar *g)
{
	const struct recorder_rule *start = &g->rule[g->start];
	*e = (struct recorder_expansion){.grammar = g};
	e->frame = malloc(start->depth * sizeof *e->frame);
	if (e->frame != NULL && start->count > 0)
		push(e, g->start);
	return e->frame != NULL;
}

size_t recorder_expand(struct recorder_expansion *e, int32_t *out, size_t max)
{
	const struct recorder_symbol *symbol = e->grammar->symbol;
	size_t n = 0;
	while (e->depth > 0 && n < max) {
		struct recorder_frame *f = &e->frame[e->depth - 1];
		if (f->left == 0) {
			if (++f->at == f->end)
				e->depth--;
			else
				f->left = symbol[f->at].times;
			continue;
		}
		const int32_t value = symbol[f->at].value;
		f->left--;
		if (value >= 0)
			out[n++] = value;
		else
			push(e, (uint32_t)~value);
	}
	return n;
}

void recorder_expand_end(struct recorder_expansion *e)
{
	free(e->frame);
	e->frame = NULL;
	e->depth = 0;
}
