/* SPDX-License-Identifier: BSD-2-Clause */
/* Streams, in order, to a writer or into the spool: see merge.h. */
#include "merge.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/directive.h"
#include "lib/number.h"

#include "conversion.h"

enum {
	OPEN_MOST = 512,     /* inputs: more would want too much memory */
	DESCRIPTORS_ELSE = 6 /* output, spool, and what libraries may want */
};

static int tell(struct iot_merge *m, const char *sentence)
{
	iot_progress_clear(&m->progress);
	iot_message("%s", sentence);
	return IOT_EXIT_FAULT;
}

static int no_memory(struct iot_merge *m)
{
	return tell(m, "out of memory");
}

static int write_fault(struct iot_merge *m)
{
	iot_progress_clear(&m->progress);
	return iot_write_fault(m->writer, &m->options->write);
}

/* Out */

static int flush(struct iot_merge *m)
{
	const size_t n = m->out_count;
	m->out_count = 0;
	return iot_writer_records(m->writer, m->out, n) == IOT_OK ? IOT_EXIT_OK : write_fault(m);
}

/* In slices of one trace, %trace comes again and again. */
static bool is_repeated(struct iot_merge *m, const struct iot_event *ev, bool *repeated)
{
	const size_t before = m->traces.count;
	size_t n = iot_map_number(&m->traces, XXH3_64bits(ev->text.data, ev->text.size));
	uint32_t *fitted =
	    n == SIZE_MAX ? NULL
			  : iot_map_fit(m->trace_input, &m->trace_inputs_room, n, sizeof *fitted);
	if (fitted == NULL)
		return false;
	m->trace_input = fitted;
	if (m->traces.count > before)
		fitted[n] = ev->rec.spare;
	*repeated = fitted[n] != ev->rec.spare;
	return true;
}

static int write_other(struct iot_merge *m, struct iot_event ev)
{
	bool repeated = false;
	int status = flush(m);
	if (status != IOT_EXIT_OK)
		return status;
	m->ids.current = ev.rec.spare;
	if (ev.kind == IOT_TRACE && !iot_merge_trace_text(m, &m->inputs[ev.rec.spare], &ev.text))
		return no_memory(m);
	if (m->ids.keep && ev.kind == IOT_TRACE && !is_repeated(m, &ev, &repeated))
		return no_memory(m);
	if (repeated)
		return IOT_EXIT_OK;
	if (ev.kind == IOT_PROCESS && !iot_merge_ids_process(&m->ids, &ev))
		return no_memory(m);
	ev.has = 0; /* rec tells its place; what it means is in the text */
	if (!m->ids.keep && !iot_renumber_event(&m->renumber, &ev))
		return no_memory(m);
	return iot_writer_events(m->writer, &ev, 1) == IOT_OK ? IOT_EXIT_OK : write_fault(m);
}

static int spool(struct iot_merge *m, const struct iot_event *ev)
{
	if (iot_spool_put(m->spool, ev) != IOT_OK)
		return tell(m, m->error.text);
	return IOT_EXIT_OK;
}

static inline int emit(struct iot_merge *m, const struct iot_event *ev)
{
	if (m->spooling)
		return spool(m, ev);
	if (ev->kind != IOT_RECORD)
		return write_other(m, *ev);
	struct iot_record *rec = &m->out[m->out_count];
	*rec = ev->rec;
	if (!iot_merge_ids_record(&m->ids, rec))
		return no_memory(m);
	rec->spare = 0;
	m->out_count++;
	m->records++;
	return m->out_count < IOT_MERGE_BATCH ? IOT_EXIT_OK : flush(m);
}

/* Streams */

static void show_progress(struct iot_merge *m, struct iot_merge_source *s)
{
	uint64_t stored = s->batch[s->current].stored;
	if (stored > s->seen) {
		m->stored += stored - s->seen;
		s->seen = stored;
	}
	iot_progress_show(&m->progress, m->stored, m->total, m->records);
}

/* What is to be said of a stream that has ended. */
static int tell_end(struct iot_merge *m, const struct iot_merge_source *s)
{
	char text[512];
	if (s->fault.status != IOT_OK) {
		m->damaged = true;
		(void)tell(m, s->fault.text);
	} else if (s->lossy) {
		m->damaged = true;
		snprintf(text, sizeof text, "%s: damaged; records were lost", s->input->shown);
		(void)tell(m, text);
	}
	return s->fatal ? IOT_EXIT_FAULT : IOT_EXIT_OK;
}

static void show_batch(struct iot_merge *m, struct iot_merge_source *s)
{
	struct iot_merge_batch *b = &s->batch[s->current];
	s->at = b->ev;
	s->end = b->ev + b->count;
	if (!b->last)
		iot_merge_ahead_ask(m->ahead, s);
}

/* The current batch is done: the next one that has something in it, or the end. */
static int next_batch(struct iot_merge *m, struct iot_merge_source *s)
{
	while (s->at == s->end) {
		if (iot_signal_pending() != 0)
			return IOT_EXIT_FAULT;
		if (s->batch[s->current].last)
			return tell_end(m, s);
		iot_merge_ahead_wait(m->ahead, s);
		s->current = !s->current;
		show_batch(m, s);
		show_progress(m, s);
	}
	return IOT_EXIT_OK;
}

static inline int step(struct iot_merge *m, struct iot_merge_source *s)
{
	int status = emit(m, s->at);
	s->at++;
	if (status == IOT_EXIT_OK && s->at == s->end)
		status = next_batch(m, s);
	return status;
}

/* While one stream stays ahead of all others, nothing has to be played. */
static int run_tree(struct iot_merge *m, struct iot_merge_tree *t)
{
	int status = IOT_EXIT_OK;
	while (t->node[0].key != UINT64_MAX && status == IOT_EXIT_OK) {
		const uint64_t winner = t->node[0].source;
		struct iot_merge_source *s = t->sources[winner];
		status = step(m, s);
		iot_merge_tree_replay(t, iot_merge_key(s));
		if (t->node[0].source != winner)
			continue;
		const uint64_t limit = iot_merge_tree_second(t);
		uint64_t key = t->node[0].key;
		while (key < limit && status == IOT_EXIT_OK) {
			status = step(m, s);
			key = iot_merge_key(s);
		}
		iot_merge_tree_replay(t, key);
	}
	return status;
}

static int merge_sources(struct iot_merge *m)
{
	struct iot_merge_tree tree;
	int status = IOT_EXIT_OK;
	m->ahead = iot_merge_ahead_new(m->source_count);
	for (size_t i = 0; i < m->source_count; i++)
		show_batch(m, m->sources[i]);
	for (size_t i = 0; i < m->source_count && status == IOT_EXIT_OK; i++)
		status = next_batch(m, m->sources[i]);
	if (status == IOT_EXIT_OK) {
		bool fine = iot_merge_tree_init(&tree, m->sources, m->source_count);
		status = fine ? run_tree(m, &tree) : no_memory(m);
		iot_merge_tree_free(&tree);
	}
	iot_merge_ahead_free(m->ahead);
	m->ahead = NULL;
	return status;
}

/* Heads: what the first batch of an input tells */

/* An iot_renumber_fn that changes nothing. */
static bool see_id(void *context, enum iot_id kind, uint32_t id, const struct iot_event *ev,
		   uint32_t *to)
{
	uint32_t *most = context;
	(void)ev;
	*to = id;
	most[kind] = id > most[kind] ? id : most[kind];
	return true;
}

static bool learn_trace(struct iot_merge_input *in, const struct iot_event *ev)
{
	struct iot_text epoch = iot_directive_get(ev, "epoch"),
			host = iot_directive_get(ev, "host");
	struct iot_text lacks = iot_directive_get(ev, "lacks");
	uint64_t number;
	char *grown = realloc(in->traces, in->traces_size + ev->text.size + 1);
	if (grown == NULL)
		return false;
	in->traces = grown;
	memcpy(grown + in->traces_size, ev->text.data, ev->text.size);
	in->traces_size += ev->text.size + 1;
	grown[in->traces_size - 1] = '\n';
	if (!in->has_epoch && iot_number_decimal(epoch.data, epoch.size, &number) &&
	    number <= INT64_MAX) {
		in->has_epoch = true;
		in->epoch_ns = (int64_t)number;
	}
	if (lacks.data != NULL)
		(void)iot_directive_lacks(ev, &in->lacks);
	if (host.data == NULL || in->host != NULL)
		return true;
	in->host = calloc(1, host.size + 1);
	if (in->host != NULL)
		(void)iot_percent_decode(host, in->host, NULL);
	return in->host != NULL;
}

static bool learn(struct iot_merge_input *in, const struct iot_merge_batch *b)
{
	struct iot_renumber see = {.map = see_id, .context = in->ids_max};
	bool fine = true, head = true;
	in->first_ns = INT64_MAX;
	for (size_t i = 0; i < b->count + b->held && fine; i++) {
		struct iot_event ev = b->ev[i];
		if (ev.kind == IOT_RECORD && head) {
			in->first_ns = ev.rec.start_ns;
			head = false;
		}
		if (ev.kind == IOT_TRACE && head)
			fine = learn_trace(in, &ev);
		ev.has = 0;
		fine = fine && iot_renumber_event(&see, &ev);
	}
	iot_renumber_free(&see);
	return fine;
}

/* Those %trace stand at the head of the output. */
static void drop_traces(struct iot_merge_batch *b)
{
	size_t kept = 0, n = b->count + b->held, dropped = 0;
	bool head = true;
	for (size_t i = 0; i < n; i++) {
		head = head && b->ev[i].kind != IOT_RECORD;
		if (!head || b->ev[i].kind != IOT_TRACE)
			b->ev[kept++] = b->ev[i];
		else if (i < b->count)
			dropped++;
	}
	b->held -= n - kept - dropped;
	b->count -= dropped;
}

static bool has_head(const struct iot_merge *m)
{
	return m->count > 1 && !m->options->keep_ids;
}

static int write_heads(struct iot_merge *m)
{
	int status = IOT_EXIT_OK;
	for (size_t i = 0; has_head(m) && i < m->count && status == IOT_EXIT_OK; i++) {
		const struct iot_merge_input *in = &m->inputs[i];
		const char *at = in->traces, *end = at + in->traces_size;
		while (at < end && status == IOT_EXIT_OK) {
			const char *lf = memchr(at, '\n', (size_t)(end - at));
			status =
			    write_other(m, (struct iot_event){.rec.spare = in->index,
							      .kind = IOT_TRACE,
							      .text = {at, (size_t)(lf - at)}});
			at = lf + 1;
		}
	}
	return status;
}

/* Opening */

static void close_source(struct iot_merge_source *s)
{
	if (s != NULL)
		iot_merge_source_close(s);
	free(s);
}

static int open_input(struct iot_merge *m, struct iot_merge_input *in)
{
	struct iot_merge_source *s = calloc(1, sizeof *s);
	if (s == NULL)
		return no_memory(m);
	in->source = s;
	if (iot_merge_source_open(s, m, in) != IOT_OK)
		return tell(m, s->fault.text);
	return IOT_EXIT_OK;
}

static int inspect(struct iot_merge *m, bool keep_open)
{
	int status = IOT_EXIT_OK;
	for (size_t i = 0; i < m->count && status == IOT_EXIT_OK; i++) {
		struct iot_merge_input *in = &m->inputs[i];
		status = open_input(m, in);
		if (status == IOT_EXIT_OK && !learn(in, &in->source->batch[in->source->current]))
			status = no_memory(m);
		if (!keep_open && in->again) {
			close_source(in->source);
			in->source = NULL;
		}
	}
	return status;
}

static void close_sources(struct iot_merge *m)
{
	for (size_t i = 0; i < m->source_count; i++) {
		if (m->sources[i]->input != NULL)
			m->sources[i]->input->source = NULL;
		close_source(m->sources[i]);
	}
	m->source_count = 0;
}

/* Inputs [first, end) become the sources. */
static int begin_inputs(struct iot_merge *m, size_t first, size_t end)
{
	int status = IOT_EXIT_OK;
	for (size_t i = first; i < end && status == IOT_EXIT_OK; i++) {
		struct iot_merge_input *in = &m->inputs[i];
		if (in->source == NULL)
			status = open_input(m, in);
		if (status != IOT_EXIT_OK)
			break;
		in->source->input = in;
		m->sources[m->source_count++] = in->source;
		if (has_head(m))
			drop_traces(&in->source->batch[in->source->current]);
		iot_merge_source_begin(in->source);
	}
	return status;
}

/* Rounds */

static int spool_some(struct iot_merge *m, size_t first, size_t end)
{
	int status = begin_inputs(m, first, end);
	if (status == IOT_EXIT_OK)
		status = merge_sources(m);
	close_sources(m);
	if (status == IOT_EXIT_OK && iot_spool_end_part(m->spool) != IOT_OK)
		status = tell(m, m->error.text);
	return status;
}

static int begin_spool(struct iot_merge *m)
{
	for (size_t i = 0; i < iot_spool_parts(m->spool); i++) {
		struct iot_merge_source *s = calloc(1, sizeof *s);
		if (s == NULL)
			return no_memory(m);
		m->sources[m->source_count++] = s;
		if (iot_merge_source_open_spool(s, m, m->spool, i) != IOT_OK)
			return tell(m, s->fault.text);
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
		return m->error.status != IOT_OK ? tell(m, m->error.text) : no_memory(m);
	m->spooling = true;
	for (size_t first = 0; first < m->count && status == IOT_EXIT_OK; first += size) {
		size_t left = m->count - first;
		status = spool_some(m, first, first + (left < size ? left : size));
	}
	m->spooling = false;
	if (status == IOT_EXIT_OK)
		status = begin_spool(m);
	return status == IOT_EXIT_OK ? merge_sources(m) : status;
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
		return no_memory(m);
	int status = iot_write_open(m->writer, &write, m->options->command);
	if (status == IOT_EXIT_OK)
		status = write_heads(m);
	if (status == IOT_EXIT_OK && at_once) {
		status = begin_inputs(m, 0, m->count);
		if (status == IOT_EXIT_OK)
			status = merge_sources(m);
	} else if (status == IOT_EXIT_OK) {
		status = merge_in_rounds(m);
	}
	if (status == IOT_EXIT_OK)
		status = flush(m);
	iot_progress_clear(&m->progress);
	if (status == IOT_EXIT_OK && iot_writer_close(m->writer) != IOT_OK)
		status = write_fault(m);
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
	if (iot_same_file(o->write.path, path))
		return iot_opts_wrong(o->command, "%s is input and output", in->shown);
	if (standard && isatty(STDIN_FILENO))
		return iot_opts_wrong(o->command, "standard input is a terminal; name a trace");
	bool known = (standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) == 0;
	in->again = known && S_ISREG(st.st_mode) && !standard;
	in->size = known && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	m->total += in->size;
	return IOT_EXIT_OK;
}

static int take_operands(struct iot_merge *m, char *const *paths)
{
	size_t standard = 0;
	bool all_again = true;
	for (size_t i = 0; i < m->count; i++) {
		int status = take_operand(m, &m->inputs[i], paths[i]);
		if (status != IOT_EXIT_OK)
			return status;
		standard += strcmp(paths[i], "-") == 0;
		all_again = all_again && m->inputs[i].again;
	}
	if (standard > 1)
		return iot_opts_wrong(m->options->command, "standard input is named %zu times",
				      standard);
	/* A pipe would have to be waited for; without one the output is cleaned up. */
	if (all_again)
		iot_signals_catch(false);
	return IOT_EXIT_OK;
}

static void clean_up(struct iot_merge *m)
{
	close_sources(m);
	for (size_t i = 0; i < m->count; i++) {
		close_source(m->inputs[i].source);
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
	iot_progress_begin(&m.progress, o->read.progress, o->read.quiet);
	m.inputs = calloc(count, sizeof *m.inputs);
	if (m.inputs == NULL)
		return no_memory(&m);
	int status = take_operands(&m, paths);
	m.open_max = find_open_max(o);
	const bool at_once = count <= m.open_max;
	if (status == IOT_EXIT_OK)
		status = inspect(&m, at_once);
	if (status == IOT_EXIT_OK)
		status = iot_merge_align(&m);
	if (status == IOT_EXIT_OK)
		status = write_all(&m, at_once);
	iot_progress_clear(&m.progress);
	clean_up(&m);
	iot_signals_restore();
	return status;
}
