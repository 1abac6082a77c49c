/* SPDX-License-Identifier: BSD-2-Clause */
#include "workflow.h"

#include <stdlib.h>
#include <string.h>

#include "cli/ui/printable.h"
#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/result/names.h"

#include "row_value.h"
#include "shown.h"

enum { TEXT_CAPACITY = 512, TOP_DEFAULT = 10 };

/* A file that a job used. */
struct workflow_use {
	const char *path; /* while adding: an offset in `text` */
	size_t path_offset, path_size;
	uint64_t read, written; /* different bytes; of reads those that it had not written before */
	uint64_t first_ns, last_ns; /* since 1970, only if `timed` */
	uint32_t job;
	bool timed;
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Adding */

static uint64_t number_of(const struct iot_analyze_row *row, const char *name)
{
	const struct iot_analyze_value *v = analyze_row_value(row, name);
	return v != NULL && v->kind == IOT_VALUE_NUMBER ? v->number : 0;
}

/* Times of a row count from the epoch of its trace. */
static void set_times(struct workflow_use *use, const struct iot_analyze_row *row,
		      uint64_t epoch_ns)
{
	const struct iot_analyze_value *first = analyze_row_value(row, NAME_OF(first_ns)),
				       *last = analyze_row_value(row, NAME_OF(last_ns));
	use->timed = epoch_ns > 0 && first != NULL && first->kind == IOT_VALUE_NUMBER &&
		     last != NULL && last->kind == IOT_VALUE_NUMBER;
	if (!use->timed)
		return;
	use->first_ns = add(epoch_ns, first->number);
	use->last_ns = add(epoch_ns, last->number);
}

static int add_use(struct analyze_workflow *w, const struct iot_analyze_row *row, uint64_t epoch_ns)
{
	const struct iot_analyze_value *path = analyze_row_value(row, NAME_OF(path));
	struct workflow_use use = {.job = (uint32_t)w->jobs,
				   .path_offset = w->text_size,
				   .read = number_of(row, NAME_OF(read_required)),
				   .written = number_of(row, NAME_OF(unique_written))};
	if (path == NULL || path->kind != IOT_VALUE_TEXT || (use.read == 0 && use.written == 0))
		return IOT_OK;
	char text[ANALYZE_TEXT_MAX];
	use.path_size = analyze_decode(text, path->text);
	if (w->use_count >= WORKFLOW_USES_MAX || use.path_size > WORKFLOW_TEXT_MAX - w->text_size) {
		w->left_out++;
		return IOT_OK;
	}
	if (!array_reserve(&w->uses, &w->use_capacity, w->use_count + 1, sizeof *w->uses) ||
	    !array_reserve(&w->text, &w->text_capacity, w->text_size + use.path_size + 1, 1))
		return IOT_ENOMEM;
	set_times(&use, row, epoch_ns);
	memcpy(w->text + w->text_size, text, use.path_size);
	w->text_size += use.path_size;
	w->uses[w->use_count++] = use;
	return IOT_OK;
}

int analyze_workflow_add(struct analyze_workflow *w, struct iot_analyze *job)
{
	struct iot_analyze_timeline t = {.width_s = 0};
	const bool timed = iot_analyze_timeline(job, 0, &t) == IOT_OK && t.has_epoch;
	const ssize_t rows = iot_analyze_rows(job, IOT_ANALYZE_BY_FILE);
	int status = rows < 0 ? (int)rows : IOT_OK;
	for (ssize_t i = 0; i < rows && status == IOT_OK; i++) {
		struct iot_analyze_row row;
		status = iot_analyze_row(job, (size_t)i, &row);
		if (status == IOT_OK)
			status = add_use(w, &row, timed ? t.epoch_ns : 0);
	}
	w->jobs++;
	return status;
}

/* Files that several jobs used */

static int compare_paths(const struct workflow_use *a, const struct workflow_use *b)
{
	const int order = memcmp(a->path, b->path, min(a->path_size, b->path_size));
	return order != 0 ? order : (a->path_size > b->path_size) - (a->path_size < b->path_size);
}

static int by_path(const void *left, const void *right)
{
	const struct workflow_use *a = left, *b = right;
	const int order = compare_paths(a, b);
	return order != 0 ? order : (a->job > b->job) - (a->job < b->job);
}

/* Returns whether a job may have read what another one wrote. */
static bool may_flow(const struct workflow_use *writer, const struct workflow_use *reader)
{
	const bool ordered = writer->timed && reader->timed;
	return writer->job != reader->job && writer->written > 0 && reader->read > 0 &&
	       (!ordered || writer->first_ns < reader->last_ns);
}

/* The flows of all files, by the numbers of both jobs. */
struct flows {
	struct analyze_workflow *w;
	struct idmap map;
	const char *(*name)(const void *jobs, size_t i);
	const void *jobs;
	uint64_t steps;
};

static int add_flow(struct flows *f, const struct workflow_use *writer,
		    const struct workflow_use *reader)
{
	struct analyze_workflow *w = f->w;
	const uint64_t key = idmap_pair(writer->job, reader->job);
	if (f->map.count >= WORKFLOW_FLOWS_MAX && idmap_find(&f->map, key) == SIZE_MAX) {
		w->limited = true;
		return IOT_OK;
	}
	const size_t i = idmap_number(&f->map, key);
	if (!array_reserve_index(&w->flows, &w->flow_capacity, i, sizeof *w->flows))
		return IOT_ENOMEM;
	struct workflow_flow *flow = &w->flows[i];
	flow->writer = f->name(f->jobs, writer->job);
	flow->reader = f->name(f->jobs, reader->job);
	flow->files++;
	flow->bytes = add(flow->bytes, min(writer->written, reader->read));
	w->flow_count = f->map.count;
	return IOT_OK;
}

/* Adds the flows to one reader of a file; returns what the writers wrote. */
static int add_reader(struct flows *f, const struct workflow_use *of, size_t count,
		      const struct workflow_use *reader, bool *wrote, uint64_t *written)
{
	int status = IOT_OK;
	*written = 0;
	f->steps += count;
	for (size_t i = 0; i < count && status == IOT_OK; i++) {
		if (!may_flow(&of[i], reader))
			continue;
		wrote[i] = true;
		*written = add(*written, of[i].written);
		status = add_flow(f, &of[i], reader);
	}
	return status;
}

/* The uses of a file by all jobs; wrote: one for each, all false. */
static int add_file(struct flows *f, const struct workflow_use *of, size_t count, bool *wrote)
{
	struct analyze_workflow *w = f->w;
	struct workflow_file file = {.path = of->path, .path_size = of->path_size};
	int status = IOT_OK;
	uint64_t written;
	for (size_t i = 0; i < count && status == IOT_OK; i++) {
		if (of[i].read == 0)
			continue;
		w->limited |= f->steps + count > WORKFLOW_STEPS_MAX;
		if (f->steps + count > WORKFLOW_STEPS_MAX)
			break;
		status = add_reader(f, of, count, &of[i], wrote, &written);
		file.readers += written > 0;
		file.bytes = add(file.bytes, min(written, of[i].read));
	}
	for (size_t i = 0; i < count; i++)
		file.writers += wrote[i];
	if (file.readers == 0 || status != IOT_OK)
		return status;
	if (!array_reserve(&w->files, &w->file_capacity, w->file_count + 1, sizeof *w->files))
		return IOT_ENOMEM;
	w->files[w->file_count++] = file;
	w->bytes = add(w->bytes, file.bytes);
	return IOT_OK;
}

static int flows_by_bytes(const void *left, const void *right)
{
	const struct workflow_flow *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	const int order = strcmp(a->writer, b->writer);
	return order != 0 ? order : strcmp(a->reader, b->reader);
}

static int files_by_bytes(const void *left, const void *right)
{
	const struct workflow_file *a = left, *b = right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	const int order = memcmp(a->path, b->path, min(a->path_size, b->path_size));
	return order != 0 ? order : (a->path_size > b->path_size) - (a->path_size < b->path_size);
}

static void sort(void *list, size_t count, size_t size, int (*by)(const void *, const void *))
{
	if (count > 0)
		qsort(list, count, size, by);
}

int analyze_workflow_end(struct analyze_workflow *w,
			 const char *(*name)(const void *jobs, size_t i), const void *jobs)
{
	struct flows f = {.w = w, .name = name, .jobs = jobs};
	bool *wrote = calloc(w->use_count + 1, sizeof *wrote);
	int status = wrote != NULL ? IOT_OK : IOT_ENOMEM;
	for (size_t i = 0; i < w->use_count; i++)
		w->uses[i].path = w->text + w->uses[i].path_offset;
	sort(w->uses, w->use_count, sizeof *w->uses, by_path);
	for (size_t i = 0, n; i < w->use_count && status == IOT_OK; i += n) {
		for (n = 1;
		     i + n < w->use_count && compare_paths(&w->uses[i], &w->uses[i + n]) == 0; n++)
			;
		status = add_file(&f, &w->uses[i], n, wrote + i);
	}
	sort(w->flows, w->flow_count, sizeof *w->flows, flows_by_bytes);
	sort(w->files, w->file_count, sizeof *w->files, files_by_bytes);
	idmap_free(&f.map);
	free(wrote);
	return status;
}

/* Forms */

size_t workflow_shown(size_t count, uint64_t top)
{
	return (size_t)min(count, top == NOT_GIVEN ? TOP_DEFAULT : top);
}

const char *workflow_note(const struct analyze_workflow *w)
{
	return w->left_out > 0 || w->limited ? "lower bound: too many files or jobs" : "";
}

void analyze_workflow_text(const struct analyze_workflow *w, struct output *out, uint64_t top)
{
	char text[TEXT_CAPACITY], more[TEXT_CAPACITY];
	if (w->file_count == 0)
		return;
	output_printf(out, "\nfiles that one job wrote and another one read: %zu, %s%s%s\n\n",
		      w->file_count, printable_bytes(text, sizeof text, w->bytes),
		      workflow_note(w)[0] != '\0' ? "; " : "", workflow_note(w));
	output_text(out, "     files          bytes  from job, to job\n");
	for (size_t i = 0; i < workflow_shown(w->flow_count, top); i++) {
		const struct workflow_flow *f = &w->flows[i];
		output_printf(out, "%10ju %14s  ", (uintmax_t)f->files,
			      printable_bytes(text, sizeof text, f->bytes));
		output_printf(out, "%s, %s\n",
			      printable(text, sizeof text, f->writer, strlen(f->writer)),
			      printable(more, sizeof more, f->reader, strlen(f->reader)));
	}
	output_printf(out, "\n%10s %14s %10s  path\n", "writers", "bytes", "readers");
	for (size_t i = 0; i < workflow_shown(w->file_count, top); i++) {
		const struct workflow_file *f = &w->files[i];
		output_printf(out, "%10ju %14s %10ju  ", (uintmax_t)f->writers,
			      printable_bytes(text, sizeof text, f->bytes), (uintmax_t)f->readers);
		output_printf(out, "%s\n", printable(text, sizeof text, f->path, f->path_size));
	}
}

void analyze_workflow_free(struct analyze_workflow *w)
{
	free(w->uses);
	free(w->text);
	free(w->flows);
	free(w->files);
	*w = (struct analyze_workflow){.uses = NULL};
}
