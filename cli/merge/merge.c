/* SPDX-License-Identifier: BSD-2-Clause */
/* The merge as a whole: its inputs, its rounds, its output; see merge.h. */
#include "merge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/ui/same_file.h"
#include "cli/ui/signals.h"

enum {
	OPEN_FILES_MAX = 512, /* inputs: more would need too much memory */
	DESCRIPTORS_ELSE = 6  /* descriptors for the output, the tempfile, and libraries */
};

static int write_heads(struct merge *m)
{
	int status = EXIT_OK;
	for (size_t i = 0; merge_has_head(m) && i < m->count && status == EXIT_OK; i++) {
		const struct merge_input *in = &m->inputs[i];
		const char *at = in->traces;
		const char *end = at != NULL ? at + in->traces_size : NULL;
		while (at < end && status == EXIT_OK) {
			const char *lf = memchr(at, '\n', (size_t)(end - at));
			status = merge_write_other(
			    m, (struct iot_event){.rec.spare = in->index,
						  .kind = IOT_TRACE,
						  .text = {at, (size_t)(lf - at)}});
			at = lf + 1;
		}
	}
	return status;
}

/* Rounds */

static int tempfile_some(struct merge *m, size_t first, size_t end)
{
	int status = merge_begin_inputs(m, first, end);
	if (status == EXIT_OK)
		status = merge_streams(m);
	merge_close_streams(m);
	if (status == EXIT_OK && merge_tempfile_end_part(m->tempfile) != IOT_OK)
		status = merge_report(m, m->error.text);
	return status;
}

static int begin_tempfile(struct merge *m)
{
	for (size_t i = 0; i < merge_tempfile_parts(m->tempfile); i++) {
		struct merge_source *s = calloc(1, sizeof *s);
		if (s == NULL)
			return merge_report(m, "out of memory");
		m->sources[m->source_count++] = s;
		if (merge_source_open_tempfile(s, m, m->tempfile, i) != IOT_OK)
			return merge_report(m, s->fault.text);
	}
	return EXIT_OK;
}

/* Streams that cannot be reopened stay open. */
static size_t group_size(const struct merge *m)
{
	size_t size = m->open_max;
	for (size_t i = 0; i < m->count; i++)
		size -= !m->inputs[i].again && size > 2;
	return size;
}

static int merge_in_rounds(struct merge *m)
{
	const size_t size = group_size(m);
	int status = EXIT_OK;
	m->tempfile = merge_tempfile_new(&m->error);
	if (m->tempfile == NULL)
		return m->error.status != IOT_OK ? merge_report(m, m->error.text)
						 : merge_report(m, "out of memory");
	m->spooling = true;
	for (size_t first = 0; first < m->count && status == EXIT_OK; first += size) {
		size_t left = m->count - first;
		status = tempfile_some(m, first, first + (left < size ? left : size));
	}
	m->spooling = false;
	if (status == EXIT_OK)
		status = begin_tempfile(m);
	return status == EXIT_OK ? merge_streams(m) : status;
}

/* Entry point */

static bool reserve_capacity(struct merge *m)
{
	const struct merge_options *o = m->options;
	m->out = malloc(MERGE_BATCH * sizeof *m->out);
	m->sources = calloc(m->count, sizeof(*m->sources));
	m->writer = iot_writer_new();
	m->renumber = (struct remap_ids){.map = merge_ids_map, .context = &m->ids};
	return m->out != NULL && m->sources != NULL && m->writer != NULL &&
	       merge_ids_init(&m->ids, m->inputs, m->count, o->keep_ids, o->join_paths);
}

static int write_all(struct merge *m, bool at_once)
{
	struct write_options write = m->options->write;
	if (write.tick_ns == NOT_GIVEN && m->tick_ns > 0)
		write.tick_ns = m->tick_ns;
	if (!reserve_capacity(m))
		return merge_report(m, "out of memory");
	int status = write_open(m->writer, &write, m->options->command);
	m->rounding = rounding_begin(m->writer, m->options->verbose && !m->options->read.quiet);
	if (status == EXIT_OK)
		status = write_heads(m);
	if (status == EXIT_OK && at_once) {
		status = merge_begin_inputs(m, 0, m->count);
		if (status == EXIT_OK)
			status = merge_streams(m);
	} else if (status == EXIT_OK) {
		status = merge_in_rounds(m);
	}
	if (status == EXIT_OK)
		status = merge_flush(m);
	progress_clear(&m->progress);
	if (status == EXIT_OK && write_close(m->writer) != IOT_OK)
		status = merge_write_fault(m);
	if (status == EXIT_OK && signal_cut())
		report_input_cut(write.path);
	if (status == EXIT_OK)
		rounding_report(&m->rounding);
	return status == EXIT_OK && m->damaged ? EXIT_FAULT : status;
}

/* The number of inputs that may be open: free descriptors, up to the limit of this process. */
static size_t find_open_max(const struct merge_options *o)
{
	struct rlimit limit;
	size_t used = 0, each = o->reorder ? 3 : 2;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return OPEN_FILES_MAX;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > each * OPEN_FILES_MAX * 2)
		return OPEN_FILES_MAX;
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	used += DESCRIPTORS_ELSE;
	size_t free_ones = limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
	return free_ones / each < 2 ? 2 : free_ones / each;
}

static int take_operand(struct merge *m, struct merge_input *in, const char *path)
{
	const struct merge_options *o = m->options;
	struct stat st;
	bool standard = strcmp(path, "-") == 0;
	in->path = path;
	escape_text(in->shown, sizeof in->shown, standard ? "standard input" : path,
		    standard ? strlen("standard input") : strlen(path));
	if (standard && isatty(STDIN_FILENO))
		return options_wrong(o->command, "standard input is a terminal; name a trace");
	bool known = (standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0;
	if (known && S_ISREG(st.st_mode)) {
		in->device = st.st_dev;
		in->inode = st.st_ino;
	}
	in->again = known && S_ISREG(st.st_mode) && !standard;
	in->size = known && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	in->piped = is_piped(path);
	m->total += in->size;
	return EXIT_OK;
}

static int refuse_files(const struct merge *m, char *const *paths)
{
	struct files files = {.command = m->options->command};
	files_add(&files, ROLE_OUTPUT, m->options->write.path);
	for (size_t i = 0; i < m->count; i++)
		files_add(&files, ROLE_INPUT, paths[i]);
	const int status = files_check(&files);
	files_free(&files);
	return status;
}

static int by_identity(const void *left, const void *right)
{
	const struct merge_input *a = *(const struct merge_input *const *)left;
	const struct merge_input *b = *(const struct merge_input *const *)right;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return (a > b) - (a < b);
}

/* A file under two names, or named twice, is probably a mistake. */
static int warn_of_same(const struct merge *m)
{
	if (m->count < 2)
		return EXIT_OK;
	const struct merge_input **in = malloc(m->count * sizeof *in);
	if (in == NULL)
		return out_of_memory();
	for (size_t i = 0; i < m->count; i++)
		in[i] = &m->inputs[i];
	qsort(in, m->count, sizeof *in, by_identity);
	for (size_t i = 1; i < m->count; i++)
		if (in[i]->inode != 0 && in[i]->inode == in[i - 1]->inode &&
		    in[i]->device == in[i - 1]->device)
			print_message("warning: %s and %s are the same file; the output has all of "
				      "its events twice",
				      in[i - 1]->shown, in[i]->shown);
	free(in);
	return EXIT_OK;
}

static int take_operands(struct merge *m, char *const *paths)
{
	size_t standard = 0;
	bool piped = false;
	const int refused = refuse_files(m, paths);
	if (refused != EXIT_OK)
		return refused;
	for (size_t i = 0; i < m->count; i++) {
		int status = take_operand(m, &m->inputs[i], paths[i]);
		if (status != EXIT_OK)
			return status;
		standard += strcmp(paths[i], "-") == 0;
		piped = piped || m->inputs[i].piped;
	}
	if (standard > 1)
		return options_wrong(m->options->command, "standard input is named %zu times",
				     standard);
	signals_catch(piped ? SIGNALS_PIPE : SIGNALS_FILES, m->options->write.path,
		      m->options->read.quiet);
	return m->options->read.quiet ? EXIT_OK : warn_of_same(m);
}

static void clean_up(struct merge *m)
{
	merge_close_streams(m);
	for (size_t i = 0; i < m->count; i++) {
		merge_close_stream(m->inputs[i].source);
		free(m->inputs[i].traces);
		free(m->inputs[i].host);
	}
	merge_tempfile_free(m->tempfile);
	iot_writer_free(m->writer);
	merge_ids_free(&m->ids);
	remap_ids_free(&m->renumber);
	idmap_free(&m->traces);
	free(m->trace_input);
	free(m->trace);
	free(m->out);
	free(m->sources);
	free(m->inputs);
}

int merge_traces(const struct merge_options *o, char *const *paths, size_t count)
{
	struct merge m = {.options = o, .count = count};
	progress_begin(&m.progress, o->read.progress, o->read.quiet, o->write.path);
	m.inputs = calloc(count, sizeof *m.inputs);
	if (m.inputs == NULL)
		return merge_report(&m, "out of memory");
	int status = take_operands(&m, paths);
	m.open_max = find_open_max(o);
	const bool at_once = count <= m.open_max;
	if (status == EXIT_OK)
		status = merge_inspect(&m, at_once);
	if (status == EXIT_OK)
		status = merge_align(&m);
	if (status == EXIT_OK)
		status = write_all(&m, at_once);
	progress_clear(&m.progress);
	clean_up(&m);
	signals_restore();
	return status;
}
