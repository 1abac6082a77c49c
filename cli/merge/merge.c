/* SPDX-License-Identifier: BSD-2-Clause */
/* All of a merge: its inputs, its rounds, its output; see merge.h. */
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
	OPEN_MOST = 512,     /* inputs: more would want too much memory */
	DESCRIPTORS_ELSE = 6 /* output, spool, and what libraries may want */
};

static int write_heads(struct iot_merge *m)
{
	int status = IOT_EXIT_OK;
	for (size_t i = 0; iot_merge_has_head(m) && i < m->count && status == IOT_EXIT_OK; i++) {
		const struct iot_merge_input *in = &m->inputs[i];
		const char *at = in->traces;
		const char *end = at != NULL ? at + in->traces_size : NULL;
		while (at < end && status == IOT_EXIT_OK) {
			const char *lf = memchr(at, '\n', (size_t)(end - at));
			status = iot_merge_write_other(
			    m, (struct iot_event){.rec.spare = in->index,
						  .kind = IOT_TRACE,
						  .text = {at, (size_t)(lf - at)}});
			at = lf + 1;
		}
	}
	return status;
}

/* Rounds */

static int spool_some(struct iot_merge *m, size_t first, size_t end)
{
	int status = iot_merge_begin_inputs(m, first, end);
	if (status == IOT_EXIT_OK)
		status = iot_merge_streams(m);
	iot_merge_close_streams(m);
	if (status == IOT_EXIT_OK && iot_spool_end_part(m->spool) != IOT_OK)
		status = iot_merge_tell(m, m->error.text);
	return status;
}

static int begin_spool(struct iot_merge *m)
{
	for (size_t i = 0; i < iot_spool_parts(m->spool); i++) {
		struct iot_merge_source *s = calloc(1, sizeof *s);
		if (s == NULL)
			return iot_merge_tell(m, "out of memory");
		m->sources[m->source_count++] = s;
		if (iot_merge_source_open_spool(s, m, m->spool, i) != IOT_OK)
			return iot_merge_tell(m, s->fault.text);
	}
	return IOT_EXIT_OK;
}

/* Streams that cannot be opened again stay open all the time. */
static size_t group_size(const struct iot_merge *m)
{
	size_t size = m->open_max;
	for (size_t i = 0; i < m->count; i++)
		size -= !m->inputs[i].again && size > 2;
	return size;
}

static int merge_in_rounds(struct iot_merge *m)
{
	const size_t size = group_size(m);
	int status = IOT_EXIT_OK;
	m->spool = iot_spool_new(&m->error);
	if (m->spool == NULL)
		return m->error.status != IOT_OK ? iot_merge_tell(m, m->error.text)
						 : iot_merge_tell(m, "out of memory");
	m->spooling = true;
	for (size_t first = 0; first < m->count && status == IOT_EXIT_OK; first += size) {
		size_t left = m->count - first;
		status = spool_some(m, first, first + (left < size ? left : size));
	}
	m->spooling = false;
	if (status == IOT_EXIT_OK)
		status = begin_spool(m);
	return status == IOT_EXIT_OK ? iot_merge_streams(m) : status;
}

/* All of it */

static bool make_room(struct iot_merge *m)
{
	const struct iot_merge_options *o = m->options;
	m->out = malloc(IOT_MERGE_BATCH * sizeof *m->out);
	m->sources = calloc(m->count, sizeof(*m->sources));
	m->writer = iot_writer_new();
	m->renumber = (struct iot_renumber){.map = iot_merge_ids_map, .context = &m->ids};
	return m->out != NULL && m->sources != NULL && m->writer != NULL &&
	       iot_merge_ids_init(&m->ids, m->inputs, m->count, o->keep_ids, o->join_paths);
}

static int write_all(struct iot_merge *m, bool at_once)
{
	struct iot_write_options write = m->options->write;
	if (write.tick_ns == IOT_NOT_GIVEN && m->tick_ns > 0)
		write.tick_ns = m->tick_ns;
	if (!make_room(m))
		return iot_merge_tell(m, "out of memory");
	int status = iot_write_open(m->writer, &write, m->options->command);
	iot_rounding_begin(&m->rounding, m->writer, m->options->verbose && !m->options->read.quiet);
	if (status == IOT_EXIT_OK)
		status = write_heads(m);
	if (status == IOT_EXIT_OK && at_once) {
		status = iot_merge_begin_inputs(m, 0, m->count);
		if (status == IOT_EXIT_OK)
			status = iot_merge_streams(m);
	} else if (status == IOT_EXIT_OK) {
		status = merge_in_rounds(m);
	}
	if (status == IOT_EXIT_OK)
		status = iot_merge_flush(m);
	iot_progress_clear(&m->progress);
	if (status == IOT_EXIT_OK && iot_write_close(m->writer) != IOT_OK)
		status = iot_merge_write_fault(m);
	if (status == IOT_EXIT_OK && iot_signal_cut())
		iot_tell_cut(write.path);
	if (status == IOT_EXIT_OK)
		iot_rounding_tell(&m->rounding);
	return status == IOT_EXIT_OK && m->damaged ? IOT_EXIT_FAULT : status;
}

/* How many inputs may be open: descriptors that are free, as many as this process may have. */
static size_t find_open_max(const struct iot_merge_options *o)
{
	struct rlimit limit;
	size_t used = 0, each = o->reorder ? 3 : 1;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return OPEN_MOST;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > each * OPEN_MOST * 2)
		return OPEN_MOST;
	for (int fd = 0; fd < (int)limit.rlim_cur; fd++)
		used += fcntl(fd, F_GETFD) >= 0;
	used += DESCRIPTORS_ELSE;
	size_t free_ones = limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
	return free_ones / each < 2 ? 2 : free_ones / each;
}

static int take_operand(struct iot_merge *m, struct iot_merge_input *in, const char *path)
{
	const struct iot_merge_options *o = m->options;
	struct stat st;
	bool standard = strcmp(path, "-") == 0;
	in->path = path;
	iot_escape(in->shown, sizeof in->shown, standard ? "standard input" : path,
		   standard ? strlen("standard input") : strlen(path));
	if (standard && isatty(STDIN_FILENO))
		return iot_opts_wrong(o->command, "standard input is a terminal; name a trace");
	bool known = (standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0;
	if (known && S_ISREG(st.st_mode)) {
		in->device = st.st_dev;
		in->inode = st.st_ino;
	}
	in->again = known && S_ISREG(st.st_mode) && !standard;
	in->size = known && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	in->piped = iot_is_piped(path);
	m->total += in->size;
	return IOT_EXIT_OK;
}

static int refuse_files(const struct iot_merge *m, char *const *paths)
{
	struct iot_files files = {.command = m->options->command};
	iot_files_add(&files, IOT_ROLE_OUTPUT, m->options->write.path);
	for (size_t i = 0; i < m->count; i++)
		iot_files_add(&files, IOT_ROLE_INPUT, paths[i]);
	const int status = iot_files_check(&files);
	iot_files_free(&files);
	return status;
}

static int by_identity(const void *left, const void *right)
{
	const struct iot_merge_input *a = *(const struct iot_merge_input *const *)left;
	const struct iot_merge_input *b = *(const struct iot_merge_input *const *)right;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return (a > b) - (a < b);
}

/* A file under two names, or named twice, is most likely a mistake. */
static int warn_of_same(const struct iot_merge *m)
{
	const struct iot_merge_input **in = malloc(m->count * sizeof *in);
	if (in == NULL)
		return iot_no_memory();
	for (size_t i = 0; i < m->count; i++)
		in[i] = &m->inputs[i];
	qsort(in, m->count, sizeof *in, by_identity);
	for (size_t i = 1; i < m->count; i++)
		if (in[i]->inode != 0 && in[i]->inode == in[i - 1]->inode &&
		    in[i]->device == in[i - 1]->device)
			iot_message("warning: %s and %s are the same file; the output has all of "
				    "its events twice",
				    in[i - 1]->shown, in[i]->shown);
	free(in);
	return IOT_EXIT_OK;
}

static int take_operands(struct iot_merge *m, char *const *paths)
{
	size_t standard = 0;
	bool piped = false;
	const int refused = refuse_files(m, paths);
	if (refused != IOT_OPTS_GO_ON)
		return refused;
	for (size_t i = 0; i < m->count; i++) {
		int status = take_operand(m, &m->inputs[i], paths[i]);
		if (status != IOT_EXIT_OK)
			return status;
		standard += strcmp(paths[i], "-") == 0;
		piped = piped || m->inputs[i].piped;
	}
	if (standard > 1)
		return iot_opts_wrong(m->options->command, "standard input is named %zu times",
				      standard);
	iot_signals_catch(piped ? IOT_SIGNALS_PIPE : IOT_SIGNALS_FILES, m->options->write.path,
			  m->options->read.quiet);
	return m->options->read.quiet ? IOT_EXIT_OK : warn_of_same(m);
}

static void clean_up(struct iot_merge *m)
{
	iot_merge_close_streams(m);
	for (size_t i = 0; i < m->count; i++) {
		iot_merge_close_stream(m->inputs[i].source);
		free(m->inputs[i].traces);
		free(m->inputs[i].host);
	}
	iot_spool_free(m->spool);
	iot_writer_free(m->writer);
	iot_merge_ids_free(&m->ids);
	iot_renumber_free(&m->renumber);
	iot_map_free(&m->traces);
	free(m->trace_input);
	free(m->trace);
	free(m->out);
	free(m->sources);
	free(m->inputs);
}

int iot_merge(const struct iot_merge_options *o, char *const *paths, size_t count)
{
	struct iot_merge m = {.options = o, .count = count};
	iot_progress_begin(&m.progress, o->read.progress, o->read.quiet, o->write.path);
	m.inputs = calloc(count, sizeof *m.inputs);
	if (m.inputs == NULL)
		return iot_merge_tell(&m, "out of memory");
	int status = take_operands(&m, paths);
	m.open_max = find_open_max(o);
	const bool at_once = count <= m.open_max;
	if (status == IOT_EXIT_OK)
		status = iot_merge_inspect(&m, at_once);
	if (status == IOT_EXIT_OK)
		status = iot_merge_align(&m);
	if (status == IOT_EXIT_OK)
		status = write_all(&m, at_once);
	iot_progress_clear(&m.progress);
	clean_up(&m);
	iot_signals_restore();
	return status;
}
