/* SPDX-License-Identifier: BSD-2-Clause */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>

#include "cli/jobs/job_list.h"
#include "cli/ui/piped.h"
#include "cli/ui/same_file.h"
#include "lib/result/names.h"

#include "member_values.h"
#include "members.h"
#include "where.h"

static enum exit_status refuse(const char *path, const char *why)
{
	message_print_about(path, "%s", why);
	return EXIT_FAILED;
}

/* The inputs in the order in which they are joined: by job, then by trace and part. */

static int compare_jobs(const struct analyze_head *a, const struct analyze_head *b)
{
	if (a->job == NULL || b->job == NULL)
		return (a->job == NULL) - (b->job == NULL);
	return strcmp(a->job, b->job);
}

static int by_trace(const void *left, const void *right)
{
	const struct analyze_head *a = left, *b = right;
	if (a->trace != b->trace)
		return a->trace < b->trace ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->totals_hash != b->totals_hash)
		return a->totals_hash < b->totals_hash ? -1 : 1;
	return strcmp(a->path, b->path);
}

static int by_job(const void *left, const void *right)
{
	const struct analyze_head *a = left, *b = right;
	const int order = compare_jobs(a, b);
	return order != 0 ? order : by_trace(a, b);
}

/* Whole traces that differ may have the same beginning, and so the same `trace`. */
static bool same_trace(const struct analyze_head *a, const struct analyze_head *b)
{
	const bool whole = a->stored == 0 && b->stored == 0;
	return a->is_state && b->is_state && a->trace != 0 && a->trace == b->trace &&
	       (!whole || a->totals_hash == b->totals_hash);
}

static bool same_part(const struct analyze_head *a, const struct analyze_head *b)
{
	return same_trace(a, b) && a->stored == b->stored && a->from == b->from && a->to == b->to;
}

/* Only the first part of a trace has its %trace. Returns false if out of memory. */
static bool give_jobs(struct analyze_head *of, size_t count)
{
	if (count == 0)
		return true;
	qsort(of, count, sizeof *of, by_trace);
	for (size_t i = 1; i < count; i++) {
		if (of[i].job != NULL || of[i - 1].job == NULL || !same_trace(&of[i - 1], &of[i]))
			continue;
		of[i].job = strdup(of[i - 1].job);
		if (of[i].job == NULL)
			return false;
	}
	return true;
}

/* A part without bytes, of a trace that is whole because it has no %sync at which it can be cut. */
static bool is_empty_rest(const struct analyze_head *whole, const struct analyze_head *part)
{
	return whole->stored == 0 && part->stored > 0 && part->from == part->stored &&
	       same_trace(whole, part);
}

/* Drops repeated parts, which a task that ran twice has written, and those that add nothing. */
static void drop_parts(struct analyze_head *of, size_t *count)
{
	size_t used = 0;
	for (size_t i = 0; i < *count; i++) {
		const struct analyze_head *last = used > 0 ? &of[used - 1] : NULL;
		const bool again = last != NULL && same_part(last, &of[i]) &&
				   (of[i].from < of[i].to || of[i].stored == 0);
		if (again)
			message_print("%s: the same %s as %s; left out", of[i].path,
				      of[i].stored == 0 ? "trace" : "part", last->path);
		if (again || (last != NULL && is_empty_rest(last, &of[i])))
			analyze_head_free(&of[i]);
		else
			of[used++] = of[i];
	}
	*count = used;
}

/* The number of inputs of the first one's trace. */
static size_t parts_of(const struct analyze_head *of, size_t count)
{
	size_t n = 1;
	while (n < count && same_trace(&of[0], &of[n]))
		n++;
	return n;
}

/* Prints the command that makes the state of missing parts, if their numbers are known. */
static void print_parts(uint64_t first, uint64_t last, uint64_t parts)
{
	if (parts == 0 || first > last)
		return;
	if (first == last)
		message_print("hint: part %ju of %ju is missing; 'iotrace analyze --part=%ju/%ju "
			      "-s STATE TRACE' makes its state",
			      (uintmax_t)first, (uintmax_t)parts, (uintmax_t)first,
			      (uintmax_t)parts);
	else
		message_print("hint: parts %ju to %ju of %ju are missing; 'iotrace analyze "
			      "--part=K/%ju -s STATE TRACE' makes the state of part K",
			      (uintmax_t)first, (uintmax_t)last, (uintmax_t)parts,
			      (uintmax_t)parts);
}

/* Prints the bytes between two parts. Returns EXIT_FAILED unless these may be missing. */
static enum exit_status report_gap(const struct analyze_head *before,
				   const struct analyze_head *part, bool allow)
{
	const uint64_t end = before->to;
	const bool missing = part->from > end;
	message_print("%s: begins at byte %ju, but the part before it ends at byte %ju: "
		      "bytes %ju to %ju %s",
		      part->path, (uintmax_t)part->from, (uintmax_t)end,
		      (uintmax_t)(missing ? end : part->from),
		      (uintmax_t)(missing ? part->from : end),
		      missing ? "are missing" : "are in both");
	if (missing && before->parts == part->parts)
		print_parts(before->last + 1, part->first - 1, part->parts);
	return missing && allow ? EXIT_OK : EXIT_FAILED;
}

/* Prints the bytes before the first part and after the last one. Returns whether there are any. */
static bool report_ends(const struct analyze_head *first, const struct analyze_head *last)
{
	if (first->from > 0) {
		message_print("%s: begins at byte %ju: bytes 0 to %ju are missing", first->path,
			      (uintmax_t)first->from, (uintmax_t)first->from);
		if (first->parts > 0)
			print_parts(1, first->first - 1, first->parts);
	}
	if (last->to < last->stored) {
		message_print("%s: ends at byte %ju of %ju: bytes %ju to %ju are missing",
			      last->path, (uintmax_t)last->to, (uintmax_t)last->stored,
			      (uintmax_t)last->to, (uintmax_t)last->stored);
		if (last->parts > 0)
			print_parts(last->last + 1, last->parts, last->parts);
	}
	return first->from > 0 || last->to < last->stored;
}

/*
 * Checks that the parts are neighbours, and prints every gap and overlap. A state that covers no
 * bytes belongs to a whole trace.
 */
static enum exit_status check_parts(const struct analyze_head *of, size_t count, bool gaps)
{
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; i < count && count > 1; i++) {
		if (of[i].stored == 0)
			return refuse(of[i].path, "a state of a whole trace, which parts of it "
						  "cannot be appended to");
		if (of[i].stored != of[0].stored)
			return refuse(of[i].path, "a part of another trace, with the same "
						  "beginning");
		if (i > 0 && of[i].from != of[i - 1].to)
			status = exit_status_worse(status, report_gap(&of[i - 1], &of[i], gaps));
	}
	return status;
}

static int by_text(const void *left, const void *right)
{
	const struct analyze_head *a = left, *b = right;
	return (a->text > b->text) - (a->text < b->text);
}

static enum exit_status check_kinds(struct analyze_head *of, size_t count)
{
	if (count > 1)
		qsort(of, count, sizeof *of, by_text);
	for (size_t i = 1; i < count; i++) {
		const struct analyze_head *a = &of[i - 1], *b = &of[i];
		if (a->text == 0 || a->text != b->text || a->is_state == b->is_state)
			continue;
		message_print("%s is a state of the trace %s, whose requests would count twice; "
			      "name one of them",
			      a->is_state ? a->path : b->path, a->is_state ? b->path : a->path);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static enum exit_status check_all(const struct analyze_head *of, size_t count, bool gaps)
{
	enum exit_status status = EXIT_OK;
	for (size_t i = 0, n; i < count && status == EXIT_OK; i += n) {
		n = parts_of(of + i, count - i);
		status = check_parts(of + i, n, gaps);
	}
	return status;
}

static enum exit_status read_heads(const struct analyze_inputs *in, struct analyze_heads *heads)
{
	for (size_t i = 0; i < in->count; i++) {
		if (strcmp(in->paths[i], "-") == 0)
			return refuse("standard input", "it can be read only once; several inputs, "
							"and inputs of jobs, are read twice");
		if (piped_detect(in->paths[i]))
			return refuse(in->paths[i], "a pipe, which can be read only once; several "
						    "inputs, and inputs of jobs, are read twice");
		const enum exit_status status =
		    analyze_heads_read(heads, in->paths[i], in->read, in->command);
		if (status != EXIT_OK)
			return status;
	}
	for (size_t i = 0; i < heads->count && in->one_job; i++) {
		free(heads->of[i].job);
		heads->of[i].job = NULL;
	}
	return EXIT_OK;
}

/* A state that is given twice is left out once; a trace counts twice. */
static enum exit_status warn_of_twice(const struct analyze_inputs *in,
				      const struct analyze_heads *heads)
{
	struct same_file_set files = {.command = in->command,
				      .if_twice = "its requests are counted twice"};
	for (size_t i = 0; i < heads->count; i++)
		if (!heads->of[i].is_state && heads->of[i].container == NULL)
			same_file_add(&files, ROLE_INPUT, heads->of[i].path);
	const enum exit_status status = in->read->quiet ? EXIT_OK : same_file_check(&files);
	same_file_free(&files);
	return status;
}

/* Joins */

static enum exit_status load(struct analyze_inputs *in, const struct analyze_head *of,
			     struct iot_analyze **a)
{
	if (of->container != NULL)
		return analyze_member_open(&in->members, a, of, in->read, in->options, in->command);
	if (of->is_state)
		return analyze_state_open(a, of->path, in->read, in->options, in->command);
	const enum exit_status status = in->analyze(in->context, of->path, a);
	if (status != EXIT_DAMAGED || *a == NULL)
		return status;
	in->incomplete = true; /* events before the damage count */
	return EXIT_OK;
}

/* join: consumes `more` unless it returns IOT_EUSAGE. */
static enum exit_status join_with(int (*join)(struct iot_analyze *a, struct iot_analyze *more),
				  struct iot_analyze *a, struct iot_analyze *more, const char *path)
{
	const int joined = join(a, more);
	if (joined == IOT_OK)
		return EXIT_OK;
	if (joined == IOT_ENOMEM)
		return message_no_memory();
	if (joined == IOT_EUSAGE)
		iot_analyze_free(more);
	return refuse(path, iot_analyze_error(a));
}

/* Appends a part, after the bytes that are missing before it. */
static enum exit_status join_part(struct analyze_inputs *in, const struct analyze_head *of,
				  struct iot_analyze *a, struct iot_analyze *part)
{
	if (of->from > of[-1].to) {
		in->gaps = in->incomplete = true;
		if (iot_analyze_skip(a, of->from) != IOT_OK) {
			iot_analyze_free(part);
			return message_no_memory();
		}
	}
	return join_with(iot_analyze_join, a, part, of->path);
}

/* Stores the analysis of one trace, of which these are the parts. */
static enum exit_status join_parts(struct analyze_inputs *in, const struct analyze_head *of,
				   size_t count, struct iot_analyze **a)
{
	enum exit_status status = load(in, &of[0], a);
	for (size_t i = 1; i < count && status == EXIT_OK; i++) {
		struct iot_analyze *part = NULL;
		status = load(in, &of[i], &part);
		if (status == EXIT_OK)
			status = join_part(in, &of[i], *a, part);
		else
			iot_analyze_free(part);
	}
	if (in->save == NULL && status == EXIT_OK)
		in->incomplete |= report_ends(&of[0], &of[count - 1]);
	return status;
}

static enum exit_status join_traces(struct analyze_inputs *in, const struct analyze_head *of,
				    size_t count, struct iot_analyze **a)
{
	size_t n = parts_of(of, count);
	enum exit_status status = join_parts(in, of, n, a);
	for (size_t i = n; i < count && status == EXIT_OK; i += n) {
		struct iot_analyze *more = NULL;
		n = parts_of(of + i, count - i);
		status = join_parts(in, of + i, n, &more);
		if (status == EXIT_OK)
			status = join_with(iot_analyze_join_trace, *a, more, of[i].path);
		else
			iot_analyze_free(more);
	}
	return status;
}

/* Jobs */

/* The number of inputs of the first one's job; a trace that declares none is one of its own. */
static size_t traces_of(const struct analyze_inputs *in, const struct analyze_head *of,
			size_t count)
{
	size_t n = parts_of(of, count);
	if (in->one_job)
		return count;
	while (n < count && of[0].job != NULL && compare_jobs(&of[0], &of[n]) == 0)
		n++;
	return n;
}

static bool has_any(const struct iot_analyze *a, const char *section, const char *name)
{
	const struct iot_analyze_value *v = iot_analyze_find(a, section, name, NULL);
	return v != NULL && v->number > 0;
}

bool analyze_has_activity(const struct iot_analyze *a)
{
	return has_any(a, VALUE(totals, requests)) || has_any(a, VALUE(metadata, operations)) ||
	       has_any(a, VALUE(samples, sample_count));
}

/* Returns whether the damage precedes all I/O, so that the values of the job are not known. */
static bool is_unreadable(const struct iot_analyze *a, bool damaged)
{
	return (damaged || has_any(a, VALUE(trace, gaps))) && !analyze_has_activity(a);
}

enum exit_status analyze_inputs_add(struct analyze_inputs *in, struct iot_analyze *a,
				    const char *name, const char *path,
				    const struct listed_job *listed)
{
	double *value = calloc(member_values_count, sizeof *value);
	int added = value != NULL ? IOT_OK : IOT_ENOMEM;
	if (added == IOT_OK) {
		const struct analyze_job_of job = {a, name, path, listed, value};
		member_values_fill(value, a, listed);
		if (in->where == NULL || where_keeps(in->where, value))
			added = in->add_job(in->jobs, &job);
	}
	free(value);
	in->added |= added == IOT_OK;
	if (added == IOT_ELIMIT)
		return refuse(path, "too many jobs");
	return added == IOT_OK ? EXIT_OK : message_no_memory();
}

/* Adds the job of an analysis that is finished, or says why not. */
static enum exit_status add_readable(struct analyze_inputs *in, const struct analyze_head *of,
				     struct iot_analyze *a)
{
	const char *name = of->job != NULL ? of->job : of->path;
	if (is_unreadable(a, in->incomplete)) {
		message_print("%s: no request, operation or sample can be read; the job is left "
			      "out",
			      of->path);
		in->incomplete = true;
		return EXIT_OK;
	}
	struct listed_job *listed = in->list != NULL ? job_list_find(in->list, name) : NULL;
	if (listed != NULL)
		listed->has_log = true;
	return analyze_inputs_add(in, a, name, of->path, listed);
}

static enum exit_status add_job(struct analyze_inputs *in, const struct analyze_head *of,
				size_t count)
{
	struct iot_analyze *a = NULL;
	const bool incomplete = in->incomplete;
	in->incomplete = false;
	enum exit_status status = join_traces(in, of, count, &a);
	if (status == EXIT_OK && iot_analyze_finish(a) != IOT_OK)
		status = message_no_memory();
	if (status == EXIT_OK)
		status = add_readable(in, of, a);
	in->incomplete |= incomplete;
	iot_analyze_free(a);
	return status;
}

/* Parts of a trace are joined, but not traces of a job, so that any of them can still be added. */
static enum exit_status save_traces(struct analyze_inputs *in, const struct analyze_head *of,
				    size_t count)
{
	enum exit_status status = EXIT_OK;
	for (size_t i = 0, n; i < count && status == EXIT_OK; i += n) {
		struct iot_analyze *a = NULL;
		n = parts_of(of + i, count - i);
		status = join_parts(in, of + i, n, &a);
		if (status == EXIT_OK)
			status = in->save(in->saved, a, of[i].path);
		iot_analyze_free(a);
	}
	return status;
}

static enum exit_status join_jobs(struct analyze_inputs *in, const struct analyze_head *of,
				  size_t count, struct iot_analyze **a)
{
	size_t n = traces_of(in, of, count);
	if (n == count && !in->by_job)
		return join_traces(in, of, count, a);
	if (in->save != NULL)
		return save_traces(in, of, count);
	if (in->add_job == NULL)
		return refuse(of[n].path, "no part of the same trace and no trace of the same job "
					  "as the first; see --one-job");
	enum exit_status status = EXIT_OK;
	for (size_t i = 0; i < count && status == EXIT_OK; i += n) {
		n = traces_of(in, of + i, count - i);
		const char *name = of[i].job != NULL ? of[i].job : of[i].path;
		if (in->wants == NULL || in->wants(in->wanted, name))
			status = add_job(in, of + i, n);
	}
	return status;
}

enum exit_status analyze_inputs_join(struct analyze_inputs *in, struct iot_analyze **a)
{
	struct analyze_heads heads = {.identifies = in->save != NULL};
	*a = NULL;
	enum exit_status status = read_heads(in, &heads);
	if (status == EXIT_OK)
		status = warn_of_twice(in, &heads);
	if (status == EXIT_OK)
		status = check_kinds(heads.of, heads.count);
	if (status == EXIT_OK && !give_jobs(heads.of, heads.count))
		status = message_no_memory();
	if (status == EXIT_OK && heads.of != NULL) {
		qsort(heads.of, heads.count, sizeof *heads.of, by_job);
		drop_parts(heads.of, &heads.count);
		status = check_all(heads.of, heads.count, in->allow_gaps);
	}
	if (status == EXIT_OK && heads.of != NULL)
		status = join_jobs(in, heads.of, heads.count, a);
	for (size_t i = 0; i < heads.count; i++)
		analyze_head_free(&heads.of[i]);
	free(heads.of);
	analyze_members_free(&in->members);
	return status;
}
