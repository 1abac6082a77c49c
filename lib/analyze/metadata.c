/* SPDX-License-Identifier: BSD-2-Clause */
#include "metadata.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/text.h"
#include "lib/format/directive.h"
#include "lib/format/lacks.h"
#include "lib/result/names.h"

#include "counters.h"
#include "state.h"

static const char *const groups[METADATA_GROUPS] = {
    "opens", "closes", "creates", "directory_operations", "inode_operations", NULL};
enum { OPEN, CLOSE, CREATE, DIRECTORY, INODE, SEEK };

/* Names */

bool metadata_is_key(struct iot_text text)
{
	if (text.data == NULL || text.size == 0 || text.size >= VALUE_KEY)
		return false;
	for (size_t i = 0; i < text.size; i++)
		if (!isgraph((unsigned char)text.data[i]) || strchr("\"\\", text.data[i]) != NULL)
			return false;
	return true;
}

/* The group of a name; METADATA_GROUPS if it has none. */
static unsigned group_of(struct iot_text name)
{
	static const struct {
		const char *name;
		unsigned group;
	} members[] = {{"open", OPEN},         {"close", CLOSE},        {"create", CREATE},
		       {"mkdir", DIRECTORY},   {"rmdir", DIRECTORY},    {"readdir", DIRECTORY},
		       {"opendir", DIRECTORY}, {"closedir", DIRECTORY}, {"unlink", INODE},
		       {"rename", INODE},      {"link", INODE},         {"symlink", INODE},
		       {"truncate", INODE},    {"chmod", INODE},        {"chown", INODE},
		       {"utime", INODE},       {"setxattr", INODE},     {"removexattr", INODE},
		       {"mknod", INODE},       {"exchange", INODE},     {"seek", SEEK},
		       {"lseek", SEEK}};
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
		if (text_equals(name, members[i].name))
			return members[i].group;
	return METADATA_GROUPS;
}

/* Counts */

static void operation_add(struct metadata_operation *to, const struct metadata_operation *more)
{
	to->calls += more->calls;
	to->failed += more->failed;
	if (more->timed == 0)
		return;
	to->min_ns = to->timed == 0 || more->min_ns < to->min_ns ? more->min_ns : to->min_ns;
	to->max_ns = more->max_ns > to->max_ns ? more->max_ns : to->max_ns;
	to->ns = saturate_add(to->ns, more->ns);
	to->timed += more->timed;
}

static size_t number_of(const struct metadata_names *n, struct iot_text text)
{
	size_t i = 0;
	while (i < n->count && !text_equals(text, n->name[i]))
		i++;
	return i;
}

/* Returns the number of the last name in the order of bytes. */
static size_t last_name(const struct metadata_names *n)
{
	size_t last = 0;
	for (size_t i = 1; i < n->count; i++)
		last = strcmp(n->name[i], n->name[last]) > 0 ? i : last;
	return last;
}

static void drop_name(struct metadata_names *n, size_t number)
{
	const size_t after = --n->count - number;
	n->other += n->of[number].calls;
	memmove(n->name[number], n->name[number + 1], after * sizeof n->name[0]);
	memmove(&n->of[number], &n->of[number + 1], after * sizeof n->of[0]);
}

/* Returns the number of a new name, METADATA_MAX if it is not counted by itself. */
static size_t add_name(struct metadata_names *n, struct iot_text text)
{
	char name[VALUE_KEY] = "";
	if (!metadata_is_key(text))
		return METADATA_MAX;
	memcpy(name, text.data, text.size);
	if (n->count == METADATA_MAX) {
		const size_t last = last_name(n);
		if (strcmp(name, n->name[last]) > 0)
			return METADATA_MAX;
		drop_name(n, last);
	}
	memcpy(n->name[n->count], name, sizeof name);
	n->of[n->count] = (struct metadata_operation){.calls = 0};
	return n->count++;
}

static void names_add(struct metadata_names *n, struct iot_text text,
		      const struct metadata_operation *more)
{
	size_t i = number_of(n, text);
	if (i == n->count)
		i = add_name(n, text);
	if (i < METADATA_MAX)
		operation_add(&n->of[i], more);
	else
		n->other += more->calls;
}

void metadata_add(struct metadata *m, const struct op *op)
{
	const bool timed = (op->ev->has & IOT_HAS_TOOK) != 0;
	const uint64_t ns = timed ? op->ev->rec.duration_ns : 0, calls = op->calls,
		       mean_ns = ns / calls;
	const struct metadata_operation one = {
	    calls, op->failed ? calls : 0, timed ? calls : 0, ns, mean_ns, mean_ns};
	operation_add(&m->all, &one);
	operation_add(&m->kind[op->kind], &one);
	names_add(&m->names, op->name, &one);
	if (op->failed) {
		names_add(&m->results, op->result, &(struct metadata_operation){.calls = calls});
		return;
	}
	const unsigned group = group_of(op->name);
	if (group < METADATA_GROUPS)
		m->group[group] += calls;
}

static void names_join(struct metadata_names *n, const struct metadata_names *part)
{
	for (size_t i = 0; i < part->count; i++)
		names_add(n, (struct iot_text){part->name[i], strlen(part->name[i])}, &part->of[i]);
	n->other += part->other;
}

void metadata_join(struct metadata *m, const struct metadata *part)
{
	operation_add(&m->all, &part->all);
	for (unsigned kind = 0; kind < OPERATION_KINDS; kind++)
		operation_add(&m->kind[kind], &part->kind[kind]);
	names_join(&m->names, &part->names);
	names_join(&m->results, &part->results);
	for (unsigned i = 0; i < METADATA_GROUPS; i++)
		m->group[i] += part->group[i];
}

/* Values */

static void operation_values(const struct metadata *m, const char *name, const char *unit,
			     size_t offset, bool timed, struct values *v)
{
	for (size_t i = 0; i < m->names.count; i++) {
		const struct metadata_operation *o = &m->names.of[i];
		uint64_t number;
		memcpy(&number, (const char *)o + offset, sizeof number);
		if (timed && o->timed == 0)
			values_unknown(v, name, m->names.name[i], unit, "no time is known");
		else
			values_number(v, name, m->names.name[i], unit, number);
	}
}

static void mean_values(const struct metadata *m, struct values *v)
{
	for (size_t i = 0; i < m->names.count; i++)
		values_ratio(v, NAME_OF(operation_mean_ns), m->names.name[i], "ns",
			     (double)m->names.of[i].ns, (double)m->names.of[i].timed,
			     "no time is known");
}

/* By name and by result. */
static void tables(const struct metadata *m, struct values *v)
{
	static const struct {
		const char *name, *unit;
		size_t offset;
		bool timed;
	} columns[] = {
	    {"calls", "", offsetof(struct metadata_operation, calls), false},
	    {"failed", "", offsetof(struct metadata_operation, failed), false},
	    {"timed", "", offsetof(struct metadata_operation, timed), false},
	    {"operation_ns", "ns", offsetof(struct metadata_operation, ns), true},
	    {"operation_min_ns", "ns", offsetof(struct metadata_operation, min_ns), true},
	    {"operation_max_ns", "ns", offsetof(struct metadata_operation, max_ns), true}};
	enum { COLUMNS = sizeof columns / sizeof columns[0] };
	for (size_t i = 0; i < COLUMNS; i++)
		operation_values(m, columns[i].name, columns[i].unit, columns[i].offset,
				 columns[i].timed, v);
	mean_values(m, v);
	for (size_t i = 0; i < m->results.count; i++)
		values_number(v, NAME_OF(errors), m->results.name[i], "", m->results.of[i].calls);
}

/* The kinds that occur. */
static void kind_values(const struct metadata *m, struct values *v)
{
	for (unsigned kind = 0; kind < OPERATION_KINDS; kind++)
		if (m->kind[kind].calls > 0)
			values_number(v, NAME_OF(kind_calls), operation_kinds[kind], "",
				      m->kind[kind].calls);
	for (unsigned kind = 0; kind < OPERATION_KINDS; kind++)
		if (m->kind[kind].calls > 0)
			values_number(v, NAME_OF(kind_failed), operation_kinds[kind], "",
				      m->kind[kind].failed);
	for (unsigned kind = 0; kind < OPERATION_KINDS; kind++)
		if (m->kind[kind].timed > 0)
			values_number(v, NAME_OF(kind_ns), operation_kinds[kind], "ns",
				      m->kind[kind].ns);
		else if (m->kind[kind].calls > 0)
			values_unknown(v, NAME_OF(kind_ns), operation_kinds[kind], "ns",
				       "no time is known");
}

/* Most sources without any operation cannot show them: 0 would say that there were none. */
static const char no_operations[] = "the trace has no operations";

static const char lacking[] = "the source does not show such operations",
		  no_opens[] = "the trace shows no open";

static void count_value(const struct metadata *m, const char *name, uint64_t count,
			struct values *v)
{
	if (m->all.calls == 0)
		values_unknown(v, name, NULL, "", no_operations);
	else
		values_number(v, name, NULL, "", count);
}

/* Counts of calls other than requests, from operations or counters. */
struct counted_calls {
	uint64_t timed, ns, opens, seeks;
	const char *note;
};

static struct counted_calls calls_of(const struct metadata *m,
				     const struct counters_totals *counted)
{
	if (m->all.calls > 0 || counted == NULL)
		return (struct counted_calls){m->all.timed, m->all.ns, m->group[OPEN],
					      m->group[SEEK], NULL};
	return (struct counted_calls){1, counters_ns(counted->fs[COUNTERS_METADATA]),
				      counted->sum[COUNTERS_OPENS], counted->sum[COUNTERS_SEEKS],
				      COUNTERS_NOTE};
}

static void noted(struct values *v, const char *note)
{
	if (note != NULL)
		values_note_since(v, v->count - 1, note);
}

/* Returns whether a group has no call because the source does not show its operations. */
static bool is_lacking(const struct metadata *m, unsigned group, uint64_t lacks)
{
	const uint64_t lack = group == CREATE ? LACK_CREATES : group == CLOSE ? 0 : LACK_OPERATIONS;
	return m->group[group] == 0 && (lacks & lack) != 0;
}

static void group_values(const struct metadata *m, const struct counted_calls *c, uint64_t lacks,
			 struct values *v)
{
	if (c->note != NULL)
		values_number(v, groups[OPEN], NULL, "", c->opens);
	else
		count_value(m, groups[OPEN], c->opens, v);
	noted(v, c->note);
	for (unsigned i = CLOSE; groups[i] != NULL; i++) {
		count_value(m, groups[i], m->group[i], v);
		if (is_lacking(m, i, lacks))
			values_forget(v, v->count - 1, lacking);
	}
}

/* Calls by a number of files or requests. */
static void ratio_value(const char *name, bool known, double calls, double by, struct values *v)
{
	if (known)
		values_ratio(v, name, NULL, "", calls, by, "no requests");
	else
		values_unknown(v, name, NULL, "", no_operations);
}

/* Forgets values of failures, which the source does not show. */
static void forget_failures(struct values *v, size_t first)
{
	static const char *const names[] = {"failed_operations", "kind_failed", "failed",
					    "other_errors"};
	for (; first < v->count; first++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			if (strcmp(v->value[first].name, names[i]) == 0)
				values_forget_one(&v->value[first],
						  "the source does not show whether calls failed");
}

/* What ratios of calls refer to. */
struct metadata_base {
	uint64_t opens, lacks, files, requests;
};

static void call_ratios(const struct metadata *m, const struct counted_calls *c,
			const struct metadata_base *base, struct values *v)
{
	const bool any = m->all.calls > 0, known = any || c->note != NULL;
	ratio_value("opens_per_file", known, (double)(c->note == NULL ? base->opens : c->opens),
		    (double)base->files, v);
	if (any && base->opens == 0)
		values_forget(v, v->count - 1, no_opens);
	noted(v, c->note);
	ratio_value("operations_per_request", any, (double)m->all.calls, (double)base->requests, v);
	ratio_value("seeks_per_request", known, (double)c->seeks, (double)base->requests, v);
	if (c->note == NULL && is_lacking(m, SEEK, base->lacks))
		values_forget(v, v->count - 1, lacking);
	noted(v, c->note);
}

void metadata_values(const struct metadata *m, uint64_t opens, uint64_t lacks, uint64_t files,
		     uint64_t requests, const struct counters_totals *counted, struct values *v)
{
	const struct counted_calls c = calls_of(m, counted);
	const size_t first = v->count;
	v->section = SECTION_OF(metadata);
	count_value(m, "operations", m->all.calls, v);
	count_value(m, "failed_operations", m->all.failed, v);
	if (c.timed > 0)
		values_number(v, NAME_OF(operations_ns), NULL, "ns", c.ns);
	else
		values_unknown(v, NAME_OF(operations_ns), NULL, "ns", "no time is known");
	noted(v, c.note);
	kind_values(m, v);
	tables(m, v);
	count_value(m, "other_calls", m->names.other, v);
	count_value(m, "other_errors", m->results.other, v);
	if (m->all.calls > 0 && (lacks & LACK_RESULTS) != 0)
		forget_failures(v, first);
	group_values(m, &c, lacks, v);
	call_ratios(m, &c, &(struct metadata_base){opens, lacks, files, requests}, v);
}

/* Saves and loads operations, whose names are in the order of their first use; see state.h. */

static void operation_columns(struct state *s, struct metadata_operation *o)
{
	state_number(s, "calls", &o->calls);
	state_number(s, "failed", &o->failed);
	state_number(s, "timed", &o->timed);
	state_number(s, "ns", &o->ns);
	state_number(s, "min", &o->min_ns);
	state_number(s, "max", &o->max_ns);
}

static void name_column(struct state *s, struct metadata_names *n, size_t i)
{
	struct iot_text text = {n->name[i], strlen(n->name[i])};
	state_text(s, "name", &text);
	state_check(s, metadata_is_key(text), "a name of up to 31 printable characters");
	if (state_saves(s) || state_failed(s))
		return;
	memcpy(n->name[i], text.data, text.size);
	n->count = i + 1;
}

/* Each name was used, so row n describes name n. */
static void names_state(struct state *s, struct metadata *m)
{
	size_t i, n = 0;
	while (state_each(s, "op", state_saves(s) ? m->names.count : METADATA_MAX, &i)) {
		state_check(s, i == n++, "operations without gaps");
		name_column(s, &m->names, i);
		operation_columns(s, &m->names.of[i]);
	}
	n = 0;
	while (state_each(s, "op.error", state_saves(s) ? m->results.count : METADATA_MAX, &i)) {
		state_check(s, i == n++, "results without gaps");
		name_column(s, &m->results, i);
		state_number(s, "calls", &m->results.of[i].calls);
	}
}

void metadata_state(struct state *s, struct metadata *m)
{
	size_t i;
	while (state_each(s, "ops", 1, &i)) {
		operation_columns(s, &m->all);
		state_number(s, "other", &m->names.other);
		state_number(s, "other_errors", &m->results.other);
	}
	while (state_each(s, "ops.kind", OPERATION_KINDS, &i))
		operation_columns(s, &m->kind[i]);
	names_state(s, m);
	while (state_each(s, "ops.group", METADATA_GROUPS, &i))
		state_number(s, "calls", &m->group[i]);
}
