/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of the rows of tables. */
#include <stdio.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

#include "tables.h"

static const char no_times[] = "no time is known", no_offsets[] = "no request has a known offset",
		  no_followers[] = "no request has a predecessor",
		  no_bytes[] = "no bytes were written", no_requests[] = "no requests",
		  no_name[] = "not declared", no_such[] = "the trace shows none",
		  one_process[] = "of one process";

const char *const file_layouts[LAYOUTS] = {"segmented", "interleaved", "overlapping"};

/* The time of a kind is unknown if the time of all calls is. */
static bool is_untimed(const struct row_sums *s, unsigned kind)
{
	return s->count[kind] > 0 && s->untimed[kind] == s->count[kind];
}

bool table_is_untimed(const struct row_sums *s)
{
	const uint64_t untimed = s->untimed[ROW_READS] + s->untimed[ROW_WRITES];
	return row_requests(s) > 0 && untimed == row_requests(s);
}

static void time_value(struct values *v, const char *name, const char *key, bool untimed,
		       bool inexact, uint64_t ns)
{
	if (untimed || inexact)
		values_unknown(v, name, key, "ns", untimed ? no_times : v->inexact);
	else
		values_number(v, name, key, "ns", ns);
}

static void times(struct values *v, const char *key, const struct table_sums *t,
		  const struct busy *b)
{
	const struct row_sums *s = &t->sums;
	const bool io = table_is_untimed(s), operations = is_untimed(s, ROW_OPERATIONS);
	time_value(v, "read_time_ns", key, is_untimed(s, ROW_READS), b->inexact[BUSY_READ],
		   t->ns[BUSY_READ]);
	time_value(v, "write_time_ns", key, is_untimed(s, ROW_WRITES), b->inexact[BUSY_WRITE],
		   t->ns[BUSY_WRITE]);
	time_value(v, "operation_time_ns", key, operations, b->inexact[BUSY_METADATA],
		   t->ns[BUSY_METADATA]);
	time_value(v, "io_time_ns", key, io, b->inexact[BUSY_IO], t->ns[BUSY_IO]);
	if (!b->by_pair)
		time_value(v, "call_time_ns", key, io || operations, b->inexact[BUSY_ALL],
			   t->ns[BUSY_ALL]);
}

static void moment(struct values *v, const char *name, const char *key, bool known, int64_t ns)
{
	if (known)
		values_number(v, name, key, "ns", (uint64_t)ns);
	else
		values_unknown(v, name, key, "ns", "no start is known");
}

static void shown_value(struct values *v, const char *name, const char *key, bool known,
			uint64_t number)
{
	if (known)
		values_number(v, name, key, "", number);
	else
		values_unknown(v, name, key, "", no_such);
}

void table_sums_values(const struct row_table *t, const char *key, const struct table_sums *sums,
		       const struct busy *b, struct values *v)
{
	const struct row_sums *s = &sums->sums;
	values_number(v, NAME_OF(reads), key, "", s->count[ROW_READS]);
	values_number(v, NAME_OF(writes), key, "", s->count[ROW_WRITES]);
	values_number(v, NAME_OF(read_bytes), key, "bytes", s->bytes[0]);
	values_number(v, NAME_OF(written_bytes), key, "bytes", s->bytes[1]);
	values_ratio(v, NAME_OF(read_to_written_bytes), key, "", (double)s->bytes[0],
		     (double)s->bytes[1], no_bytes);
	values_number(v, NAME_OF(operations), key, "", s->count[ROW_OPERATIONS]);
	shown_value(v, "opens", key, t->from.shows_opens, s->opens);
	shown_value(v, "closes", key, t->from.shows_operations, s->closes);
	if (table_is_untimed(s))
		values_unknown(v, NAME_OF(io_ns), key, "ns", no_times);
	else
		values_number(v, NAME_OF(io_ns), key, "ns", row_duration(s, false));
	times(v, key, sums, b);
	moment(v, "first_ns", key, s->timed, s->first_ns);
	moment(v, "last_ns", key, s->timed, s->last_ns);
}

/* Processes */

static void text_value(struct values *v, const char *name, const char *key, struct iot_text text)
{
	if (text.data != NULL)
		values_text(v, name, key, text);
	else
		values_unknown(v, name, key, "", no_name);
}

void table_process_values(const struct row_table *t, size_t process, struct values *v)
{
	const uint32_t id = table_process_id(t, process);
	char key[VALUE_KEY];
	struct table_sums s;
	uint64_t rank;
	table_process(t, process, &s);
	values_key(key, id);
	if (row_names_rank(t->from.names, id, &rank))
		values_number(v, NAME_OF(rank), key, "", rank);
	else
		values_unknown(v, NAME_OF(rank), key, "", no_name);
	text_value(v, "program", key, row_names_program(t->from.names, id));
	text_value(v, "host", key, row_names_host(t->from.names, id));
	table_sums_values(t, key, &s, t->from.busy, v);
	values_number(v, NAME_OF(files), key, "", t->files[process]);
}

/* Files */

const char *table_file_key(char key[VALUE_KEY], const struct file_key *file)
{
	if (file->object != 0)
		snprintf(key, VALUE_KEY, "object/%ju", (uintmax_t)file->object);
	else
		snprintf(key, VALUE_KEY, "stream/%ju/%ju", (uintmax_t)file->process,
			 (uintmax_t)file->file);
	return key;
}

static void order_values_of(struct values *v, const char *key, const struct order_file *f)
{
	unsigned max = 0;
	for (unsigned p = 1; p < PATTERNS; p++)
		max = f->pattern_requests[p] > f->pattern_requests[max] ? p : max;
	values_ratio(v, NAME_OF(sequential_share), key, "", (double)f->sequential,
		     (double)f->followers, no_followers);
	values_ratio(v, NAME_OF(same_size_share), key, "", (double)f->same_size,
		     (double)f->followers, no_followers);
	if (f->pattern_requests[max] > 0)
		values_word(v, NAME_OF(pattern), key, order_patterns[max]);
	else
		values_unknown(v, NAME_OF(pattern), key, "", no_offsets);
}

static void reuse_values_of(const struct row_table *t, size_t file, const char *key,
			    struct values *v)
{
	struct reuse_sums s;
	reuse_file_sums(t->from.reuse, file, &s);
	values_number(v, NAME_OF(unique_read), key, "bytes", reuse_unique(&s, false));
	values_number(v, NAME_OF(unique_written), key, "bytes", reuse_unique(&s, true));
	values_number(v, NAME_OF(footprint), key, "bytes", reuse_footprint(&s));
	values_ratio(v, NAME_OF(reuse_ratio), key, "",
		     (double)reuse_bytes(&s, false) + (double)reuse_bytes(&s, true),
		     (double)reuse_footprint(&s), no_offsets);
}

static void class_values_of(const struct row_table *t, size_t file, const char *key,
			    struct values *v)
{
	static const struct {
		const char *name;
		unsigned direction;
		enum io_class class;
	} columns[] = {
	    {"read_required", 0, CLASS_REQUIRED},      {"read_swapping", 0, CLASS_SWAPPING},
	    {"read_unplaced", 0, CLASS_UNKNOWN},       {"write_required", 1, CLASS_REQUIRED},
	    {"write_checkpoint", 1, CLASS_CHECKPOINT}, {"write_swapping", 1, CLASS_SWAPPING},
	    {"write_rewritten", 1, CLASS_REWRITTEN},   {"write_unplaced", 1, CLASS_UNKNOWN}};
	struct io_class_sums s;
	classes_of_file(t->from.classes, t->from.reuse, file, &s);
	const enum io_class largest = classes_largest(&s);
	const bool known = !t->from.reuse->unordered;
	for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
		if (!known)
			values_unknown(v, columns[i].name, key, "bytes", v->inexact);
		else
			values_number(v, columns[i].name, key, "bytes",
				      s.bytes[columns[i].direction][columns[i].class]);
	}
	if (!known || largest == IO_CLASSES) {
		values_unknown(v, NAME_OF(class), key, "", known ? "no bytes" : v->inexact);
		return;
	}
	const char *name = io_class_names[largest];
	values_text(v, NAME_OF(class), key, (struct iot_text){name, strlen(name)});
}

/* Adds the values of a file with several processes. */
static void shared_values(const struct row_table *t, const struct table_file *f, struct values *v,
			  const char *key)
{
	if (f->users < 2) {
		values_unknown(v, NAME_OF(layout), key, "", one_process);
		values_unknown(v, NAME_OF(stragglers), key, "", one_process);
		return;
	}
	const char *layout = file_layouts[f->layout];
	values_text(v, NAME_OF(layout), key, (struct iot_text){layout, strlen(layout)});
	if (t->from.rows->busy.inexact[BUSY_IO])
		values_unknown(v, NAME_OF(stragglers), key, "", v->inexact);
	else
		values_ratio(v, NAME_OF(stragglers), key, "",
			     (double)(f->slowest_ns - f->fastest_ns), (double)f->io_ns, no_times);
}

/* The values that a file outside of the sample does not have. */
static void leave_out(struct values *v, size_t first)
{
	static const char *const known[] = {
	    "reads",      "writes", "read_bytes", "written_bytes", "read_to_written_bytes",
	    "operations", "opens",  "closes",     "io_ns",         "first_ns",
	    "last_ns",    "extent", "size_mean"};
	for (size_t i = first; i < v->count; i++) {
		bool is_known = v->value[i].kind == IOT_VALUE_UNKNOWN;
		for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
			is_known |= strcmp(v->value[i].name, known[k]) == 0;
		if (is_known)
			continue;
		v->value[i].kind = IOT_VALUE_UNKNOWN;
		v->value[i].note = "the file is outside of the sample";
	}
}

/* All rows have it if the trace has renames. */
static void first_path_value(const struct row_names *n, const char *key,
			     const struct file_key *file, struct values *v)
{
	const struct iot_text first = row_names_first_path(n, file);
	if (first.data != NULL)
		values_text(v, "first_path", key, first);
	else if (n->renames.count > 0)
		values_unknown(v, "first_path", key, "", "not renamed");
}

void table_file_values(const struct row_table *t, size_t file, struct values *v)
{
	static const struct order_file none;
	const struct order *o = t->from.order;
	struct table_file f;
	char key[VALUE_KEY];
	table_file(t, file, &f);
	const struct file_key of = table_key_of_file(t, file);
	table_file_key(key, &of);
	text_value(v, "path", key, row_names_path(t->from.names, &of));
	first_path_value(t->from.names, key, &of, v);
	const size_t first = v->count;
	table_sums_values(t, key, &f.all, &t->from.rows->busy, v);
	values_number(v, NAME_OF(processes), key, "", f.users);
	values_ratio(v, NAME_OF(process_share), key, "", f.users, (double)t->from.processes,
		     no_requests);
	if (f.located)
		values_number(v, NAME_OF(extent), key, "bytes", f.extent);
	else
		values_unknown(v, NAME_OF(extent), key, "bytes", no_offsets);
	values_ratio(v, NAME_OF(size_mean), key, "bytes",
		     (double)f.all.sums.bytes[0] + (double)f.all.sums.bytes[1],
		     (double)row_requests(&f.all.sums), no_requests);
	order_values_of(v, key, file < o->file_capacity ? &o->files[file] : &none);
	shared_values(t, &f, v, key);
	reuse_values_of(t, file, key, v);
	class_values_of(t, file, key, v);
	if (table_is_left_out(t, file))
		leave_out(v, first);
}

/* Operations */

void table_operation_values(const struct metadata *m, size_t operation, struct values *v)
{
	const struct metadata_operation *o = &m->names.of[operation];
	const struct {
		const char *name;
		uint64_t ns;
	} times[] = {{"operation_ns", o->ns},
		     {"operation_min_ns", o->min_ns},
		     {"operation_max_ns", o->max_ns}};
	const char *const name = m->names.name[operation];
	const char *const kind = operation_kind_name((struct iot_text){name, strlen(name)});
	values_text(v, NAME_OF(operation_kind), NULL, (struct iot_text){kind, strlen(kind)});
	values_number(v, NAME_OF(calls), NULL, "", o->calls);
	values_number(v, NAME_OF(failed), NULL, "", o->failed);
	values_number(v, NAME_OF(timed), NULL, "", o->timed);
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		time_value(v, times[i].name, NULL, o->timed == 0, false, times[i].ns);
	values_ratio(v, NAME_OF(operation_mean_ns), NULL, "ns", (double)o->ns, (double)o->timed,
		     no_times);
}
