/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "saturate.h"

enum { REQUESTS_MIN = 1000, PATH_SHOWN = 200, SIZE_TEXT = 32 };

/* Shares, unless a unit is named. */
#define SMALL_MAX      0.1
#define MISALIGNED_MAX 0.1
#define BACKWARD_MAX   0.2
#define RANDOM_MAX     0.5
#define REREAD_MAX     0.1
#define METADATA_MAX   0.5
#define METADATA_MAX_S 30.0
#define STRAGGLERS_MAX 0.15
#define IMBALANCE_MAX  0.3
#define RANK_0_MIN     0.99
#define OVERLAP_MIN    0.2
#define FOOTPRINT_MAX  0.25
#define SWAPPING_MIN   0.5
#define COLLECTIVE_MIN 0.5
#define STREAM_MAX     0.1

static const char *const verbs[2] = {"read", "write"};

/* Evidence */

/* The most of files or processes. */
struct max_rank {
	struct table_rank rank; /* rank.first: how much */
	bool any;
};

/* Returns whether this is the most so far. */
static bool take_max(struct max_rank *m, struct table_rank rank, uint64_t amount)
{
	rank.first = amount;
	if (amount == 0 || (m->any && !table_precedes(&rank, &m->rank)))
		return false;
	m->rank = rank;
	m->any = true;
	return true;
}

/* Evidence over all files of a trace. */
struct file_evidence {
	struct max_rank small[2], small_shared[2], random, reread, straggler, shared;
	uint64_t shared_requests[2], shared_small[2];
	uint64_t stragglers;    /* files */
	double straggler_share; /* of the file with most */
	uint64_t straggler_users, shared_files;
};

static const struct iot_analyze_value *find(const struct findings_source *from, const char *section,
					    const char *name, const char *key)
{
	return values_find(from->values, section, name, key);
}

/* Returns false if the value is unknown, or no number. */
static bool known(const struct findings_source *from, const char *section, const char *name,
		  const char *key, double *to)
{
	const struct iot_analyze_value *v = find(from, section, name, key);
	if (v == NULL || (v->kind != IOT_VALUE_NUMBER && v->kind != IOT_VALUE_REAL))
		return false;
	*to = v->kind == IOT_VALUE_NUMBER ? (double)v->number : v->real;
	return true;
}

/* Of a direction: NAME_r or NAME_w. */
static bool known_of(const struct findings_source *from, const char *section, const char *name,
		     unsigned direction, const char *key, double *to)
{
	char whole[64];
	snprintf(whole, sizeof whole, "%s_%c", name, verbs[direction][0]);
	return known(from, section, whole, key, to);
}

static void add_straggler(struct file_evidence *e, const struct row_table *t,
			  const struct table_file *f, struct table_rank rank)
{
	const uint64_t more = f->slowest_ns - f->fastest_ns;
	const double share = f->io_ns > 0 ? (double)more / (double)f->io_ns : 0;
	if (t->from.rows->busy.inexact[BUSY_IO] || share <= STRAGGLERS_MAX)
		return;
	e->stragglers++;
	if (!take_max(&e->straggler, rank, more))
		return;
	e->straggler_share = share;
	e->straggler_users = f->users;
}

static void add_shared(struct file_evidence *e, const struct row_table *t,
		       const struct table_file *f, struct table_rank rank)
{
	for (unsigned d = 0; d < 2; d++) {
		e->shared_requests[d] += f->all.sums.count[d];
		e->shared_small[d] += f->small[d];
		take_max(&e->small_shared[d], rank, f->small[d]);
	}
	e->shared_files += f->users == t->from.processes;
	if (f->users == t->from.processes)
		take_max(&e->shared, rank, row_bytes(&f->all.sums));
	add_straggler(e, t, f, rank);
}

static void add_file(struct file_evidence *e, const struct row_table *t, size_t file)
{
	const struct order *o = t->from.order;
	struct table_file f;
	struct reuse_sums reuse;
	if (!table_file(t, file, &f))
		return;
	const struct table_rank rank = table_file_rank(t, file);
	reuse_file_sums(t->from.reuse, file, &reuse);
	for (unsigned d = 0; d < 2; d++)
		take_max(&e->small[d], rank, f.small[d]);
	if (file < o->file_capacity)
		take_max(&e->random, rank, o->files[file].pattern_requests[PATTERN_RANDOM]);
	take_max(&e->reread, rank,
		 saturate_add(reuse.kind[REUSE_RE_READ], reuse.kind[REUSE_READ_AFTER_WRITE]));
	if (f.users > 1)
		add_shared(e, t, &f, rank);
}

/* Texts */

/* Returns the end of a path that fits; a percent-encoded byte is not cut. */
static struct iot_text shown_path(struct iot_text path)
{
	if (path.size <= PATH_SHOWN)
		return path;
	size_t from = path.size - PATH_SHOWN;
	for (size_t i = from; i > 0 && i + 3 > from; i--)
		if (path.data[i - 1] == '%' && i + 2 > from) {
			from = i + 2;
			break;
		}
	return (struct iot_text){path.data + from, path.size - from};
}

static void add_text(struct finding *f, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_text(struct finding *f, const char *format, ...)
{
	const size_t used = strlen(f->sentence);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(f->sentence + used, sizeof f->sentence - used, format, arguments);
	va_end(arguments);
}

static const char *size_text(char text[SIZE_TEXT], double bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	for (; bytes >= 1024 && unit < 6; unit++)
		bytes /= 1024;
	snprintf(text, SIZE_TEXT, "%.*f %s", unit > 0 && bytes < 100, bytes, units[unit]);
	return text;
}

/* Appends "; most in PATH". */
static void add_concerned_file(struct finding *f, const char *what, const struct max_rank *m)
{
	if (!m->any)
		return;
	f->has_file = true;
	f->file = m->rank;
	table_file_key(f->key, &m->rank.key);
	if (m->rank.name.data == NULL) {
		add_text(f, "%s%s", what, f->key);
		return;
	}
	const struct iot_text path = shown_path(m->rank.name);
	add_text(f, "%s%s%.*s", what, path.size < m->rank.name.size ? "..." : "", (int)path.size,
		 path.data);
}

/* NULL if out of memory. */
static struct finding *add(struct findings *f, const char *code, double value, double threshold)
{
	if (f->failed || !array_reserve(&f->list, &f->capacity, f->count + 1, sizeof *f->list)) {
		f->failed = true;
		return NULL;
	}
	struct finding *to = &f->list[f->count++];
	*to = (struct finding){.code = code, .value = value, .threshold = threshold};
	return to;
}

static void set_bytes(struct finding *f, uint64_t bytes)
{
	f->bytes = bytes;
	f->has_bytes = true;
}

static void set_count(struct finding *f, uint64_t count)
{
	f->count = count;
	f->has_count = true;
}

/* Findings */

/* Of a process: longer than a time, or than most of its I/O. */
static bool has_much_metadata(const struct busy *b, size_t process)
{
	const uint64_t ns = b->processes[process].of[BUSY_METADATA].ns,
		       all = b->processes[process].of[BUSY_ALL].ns;
	return ns > 0 &&
	       ((double)ns > METADATA_MAX_S * 1e9 || (double)ns >= METADATA_MAX * (double)all);
}

static void find_metadata(struct findings *f, const struct findings_source *from)
{
	const struct busy *b = from->table->from.busy;
	struct max_rank max = {.any = false};
	uint64_t count = 0;
	if (b->inexact[BUSY_METADATA] || b->inexact[BUSY_ALL])
		return;
	for (size_t i = 0; i < b->capacity; i++) {
		if (!has_much_metadata(b, i))
			continue;
		count++;
		take_max(&max, table_process_rank(from->table, i),
			 b->processes[i].of[BUSY_METADATA].ns);
	}
	if (!max.any)
		return;
	const double ns = (double)max.rank.first,
		     all = (double)b->processes[max.rank.number].of[BUSY_ALL].ns;
	struct finding *to = add(f, "metadata", ns / all, METADATA_MAX);
	if (to == NULL)
		return;
	set_count(to, count);
	to->has_process = true;
	to->process = max.rank.key.process;
	add_text(to,
		 "Process %ju is in metadata operations for %.3g s, %.0f %%25 of its time in I/O "
		 "(threshold: 50 %%25 or 30 s); processes beyond it: %ju",
		 (uintmax_t)to->process, ns / 1e9, 100 * to->value, (uintmax_t)count);
	to->remedy = "open files once and keep them open, combine small files, do not repeat stat";
}

static void find_small(struct findings *f, const struct findings_source *from,
		       const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"small_requests_r", "small_requests_w"};
	char key[VALUE_KEY], size[SIZE_TEXT];
	double share, requests;
	values_key(key, from->options->small);
	if (!known_of(from, "sizes", "small", d, key, &share) ||
	    !known_of(from, "totals", "N", d, NULL, &requests) || share <= SMALL_MAX ||
	    share * requests <= REQUESTS_MIN)
		return;
	struct finding *to = add(f, codes[d], share, SMALL_MAX);
	if (to == NULL)
		return;
	set_count(to, (uint64_t)(share * requests + 0.5));
	add_text(to, "%.0f %%25 of the %ss (%ju) have up to %s (threshold: 10 %%25 and 1000)",
		 100 * share, verbs[d], (uintmax_t)to->count,
		 size_text(size, (double)from->options->small));
	add_concerned_file(to, "; most in ", &e->small[d]);
	to->remedy = d == 0 ? "read larger blocks, or through a buffer"
			    : "write larger blocks, or through a buffer";
}

static void find_small_shared(struct findings *f, const struct findings_source *from,
			      const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"small_requests_shared_r", "small_requests_shared_w"};
	const double requests = (double)e->shared_requests[d], small = (double)e->shared_small[d];
	char size[SIZE_TEXT];
	if (small <= REQUESTS_MIN || small <= SMALL_MAX * requests)
		return;
	struct finding *to = add(f, codes[d], small / requests, SMALL_MAX);
	if (to == NULL)
		return;
	set_count(to, e->shared_small[d]);
	add_text(to,
		 "%.0f %%25 of the %ss of shared files (%ju) have up to %s (threshold: 10 %%25 and "
		 "1000)",
		 100 * to->value, verbs[d], (uintmax_t)to->count,
		 size_text(size, (double)from->options->small));
	add_concerned_file(to, "; most in ", &e->small_shared[d]);
	to->remedy = "collective I/O, or one process per node that combines them";
}

static double random_share(const struct findings_source *from, unsigned d)
{
	static const char *const patterns[] = {"short",          "contiguous", "simple strided",
					       "nested strided", "sequential", "random"};
	double all = 0, random = 0, n;
	for (unsigned i = 0; i < PATTERNS; i++)
		if (known_of(from, "order", "pattern_requests", d, patterns[i], &n)) {
			all += n;
			random = i == PATTERN_RANDOM ? n : random;
		}
	return all > 0 ? random / all : 0;
}

static void find_random(struct findings *f, const struct findings_source *from,
			const struct file_evidence *e, unsigned d)
{
	static const char *const codes[2] = {"random_r", "random_w"};
	double backward = 0, followers = 0;
	const double random = random_share(from, d);
	known_of(from, "order", "backward", d, NULL, &backward);
	known_of(from, "order", "followers", d, NULL, &followers);
	const bool much = backward > BACKWARD_MAX && backward * followers > REQUESTS_MIN;
	if (!much && random <= RANDOM_MAX)
		return;
	struct finding *to =
	    add(f, codes[d], much ? backward : random, much ? BACKWARD_MAX : RANDOM_MAX);
	if (to == NULL)
		return;
	if (much)
		add_text(to,
			 "%.0f %%25 of the %ss go back to a lower offset than the previous one "
			 "(threshold: 20 %%25 and 1000)",
			 100 * backward, verbs[d]);
	else
		add_text(to,
			 "%.0f %%25 of the %ss are in streams of random order (threshold: 50 "
			 "%%25)",
			 100 * random, verbs[d]);
	add_concerned_file(to, "; most requests of random streams are in ", &e->random);
	to->remedy = d == 0 ? "sort the accesses by offset, or read ahead and keep the data"
			    : "sort the accesses by offset, or collect them in memory";
}

static void find_reread(struct findings *f, const struct findings_source *from,
			const struct file_evidence *e)
{
	double again, after_write, all;
	char size[SIZE_TEXT];
	if (!known(from, "reuse", "re_read", NULL, &again) ||
	    !known(from, "reuse", "read_after_write", NULL, &after_write) ||
	    !known(from, "totals", "S_r", NULL, &all) || again + after_write <= REREAD_MAX * all)
		return;
	struct finding *to = add(f, "read_again", (again + after_write) / all, REREAD_MAX);
	if (to == NULL)
		return;
	set_bytes(to, saturate_add(find(from, "reuse", "re_read", NULL)->number,
				   find(from, "reuse", "read_after_write", NULL)->number));
	add_text(to,
		 "%.0f %%25 of the bytes read (%s) were read or written before (threshold: 10 "
		 "%%25)",
		 100 * to->value, size_text(size, again + after_write));
	add_concerned_file(to, "; most of ", &e->reread);
	to->remedy = "keep the data in memory between uses";
}

static void find_cache(struct findings *f, const struct findings_source *from)
{
	double footprint, all, swapping;
	char size[2][SIZE_TEXT];
	if (!known(from, "reuse", "footprint", NULL, &footprint) ||
	    !known(from, "totals", "S", NULL, &all) ||
	    !known(from, "classes", "share", "swapping", &swapping) ||
	    footprint >= FOOTPRINT_MAX * all || swapping <= SWAPPING_MIN)
		return;
	struct finding *to = add(f, "fits_in_memory", footprint / all, FOOTPRINT_MAX);
	if (to == NULL)
		return;
	set_bytes(to, find(from, "reuse", "footprint", NULL)->number);
	add_text(to,
		 "All requests (%s) use %s of files, %.2g %%25 of that (threshold: 25 %%25), and "
		 "%.0f %%25 is swapping (threshold: 50 %%25)",
		 size_text(size[0], all), size_text(size[1], footprint), 100 * to->value,
		 100 * swapping);
	to->remedy = "a cache of the size of the footprint holds all of it";
}

static void find_stragglers(struct findings *f, const struct file_evidence *e)
{
	if (e->stragglers == 0)
		return;
	struct finding *to = add(f, "stragglers", e->straggler_share, STRAGGLERS_MAX);
	if (to == NULL)
		return;
	set_count(to, e->stragglers);
	add_text(to,
		 "Of %ju processes that share a file the slowest takes %.3g s longer than the "
		 "fastest, %.0f %%25 of all their time (threshold: 15 %%25)",
		 (uintmax_t)e->straggler_users, (double)e->straggler.rank.first / 1e9,
		 100 * to->value);
	add_concerned_file(to, "; it is ", &e->straggler);
	to->remedy = "distribute the requests evenly, and look at the placement of the file";
}

static void find_imbalance(struct findings *f, const struct findings_source *from)
{
	double spread, process, ratio;
	if (from->table->from.processes < 2 ||
	    !known(from, "processes", "imbalance_bytes", "spread", &spread) ||
	    !known(from, "processes", "imbalance_bytes", "process", &process) ||
	    !known(from, "processes", "imbalance_bytes", "max_to_mean", &ratio) ||
	    spread <= IMBALANCE_MAX)
		return;
	struct finding *to = add(f, "imbalance", spread, IMBALANCE_MAX);
	if (to == NULL)
		return;
	to->has_process = true;
	to->process = (uint32_t)process;
	add_text(
	    to,
	    "The process with the fewest bytes has %.0f %%25 fewer than the one with most, process "
	    "%ju (threshold: 30 %%25), which has %.3g times the mean",
	    100 * spread, (uintmax_t)to->process, ratio);
	to->remedy = "distribute the data evenly over the processes";
}

static bool has_strategy(const struct findings_source *from, const char *strategy)
{
	const struct iot_analyze_value *v = find(from, "files", "strategy", NULL);
	return v != NULL && v->kind == IOT_VALUE_TEXT && v->text.size == strlen(strategy) &&
	       memcmp(v->text.data, strategy, v->text.size) == 0;
}

static void find_rank_0(struct findings *f, const struct findings_source *from)
{
	const struct row_table *t = from->table;
	struct max_rank max = {.any = false};
	double all = 0;
	for (size_t i = 0; i < t->from.rows->process_capacity; i++) {
		const uint64_t bytes = row_bytes(&t->from.rows->processes[i]);
		all += (double)bytes;
		if (bytes > 0)
			take_max(&max, table_process_rank(t, i), bytes);
	}
	struct finding *to = max.any && has_strategy(from, "rank-0")
				 ? add(f, "rank_0", (double)max.rank.first / all, RANK_0_MIN)
				 : NULL;
	if (to == NULL)
		return;
	to->has_process = true;
	to->process = max.rank.key.process;
	add_text(to, "Process %ju has %.2f %%25 of the bytes of %ju processes (threshold: 99 %%25)",
		 (uintmax_t)to->process, 100 * to->value, (uintmax_t)t->from.processes);
	to->remedy = "let several processes do I/O, such as by collective buffering";
}

static void find_shared_file(struct findings *f, const struct findings_source *from,
			     const struct file_evidence *e)
{
	double all;
	if (e->shared_files != 1 || !e->shared.any || !has_strategy(from, "N-1") ||
	    !known(from, "totals", "S", NULL, &all))
		return;
	struct finding *to = add(f, "one_shared_file", (double)e->shared.rank.first / all, 0);
	if (to == NULL)
		return;
	add_text(to, "All %ju processes share one file, with %.0f %%25 of the bytes",
		 (uintmax_t)from->table->from.processes, 100 * to->value);
	add_concerned_file(to, ": ", &e->shared);
	to->remedy = "increase its number of stripes, or use a file for each node";
}

static void find_misaligned(struct findings *f, const struct findings_source *from, unsigned d)
{
	static const char *const codes[2] = {"misaligned_r", "misaligned_w"};
	double aligned;
	if (!known_of(from, "sizes", "aligned", d, NULL, &aligned) || 1 - aligned <= MISALIGNED_MAX)
		return;
	struct finding *to = add(f, codes[d], 1 - aligned, MISALIGNED_MAX);
	if (to == NULL)
		return;
	add_text(to,
		 "%.0f %%25 of the offsets of %ss are not multiples of %ju bytes (threshold: 10 "
		 "%%25)",
		 100 * to->value, verbs[d], (uintmax_t)from->options->alignment);
	to->remedy = "align records and blocks to the blocks of the file system";
}

/* From counters: calls of MPI-IO. */
static void find_independent(struct findings *f, const struct findings_source *from, unsigned d)
{
	static const char *const codes[2] = {"no_collective_r", "no_collective_w"};
	double calls, collective;
	if (!known_of(from, "counters", "N", d, "MPI-IO", &calls) ||
	    !known_of(from, "counters", "collective", d, "MPI-IO", &collective) ||
	    calls <= REQUESTS_MIN || collective >= COLLECTIVE_MIN * calls)
		return;
	struct finding *to = add(f, codes[d], collective / calls, COLLECTIVE_MIN);
	if (to == NULL)
		return;
	set_count(to, (uint64_t)calls);
	add_text(to,
		 "%.0f %%25 of the %ju %ss of MPI-IO are collective (threshold: 50 %%25 of more "
		 "than 1000)",
		 100 * to->value, (uintmax_t)to->count, verbs[d]);
	to->remedy = d == 0 ? "MPI_File_read_all instead of MPI_File_read"
			    : "MPI_File_write_all instead of MPI_File_write";
}

/* From counters: bytes of a module. */
static double counted_bytes(const struct findings_source *from, const char *module)
{
	double all = 0, bytes;
	for (unsigned d = 0; d < 2; d++)
		all += known_of(from, "counters", "S", d, module, &bytes) ? bytes : 0;
	return all;
}

static void find_streams(struct findings *f, const struct findings_source *from)
{
	const double streams = counted_bytes(from, "STDIO"),
		     all = streams + counted_bytes(from, "POSIX");
	char size[SIZE_TEXT];
	if (streams <= STREAM_MAX * all)
		return;
	struct finding *to = add(f, "stream_io", streams / all, STREAM_MAX);
	if (to == NULL)
		return;
	add_text(to,
		 "%.0f %%25 of the bytes (%s) are those of streams of stdio.h (threshold: 10 "
		 "%%25)",
		 100 * to->value, size_text(size, streams));
	to->remedy = "read and write large data without streams";
}

static void find_overlap(struct findings *f, const struct findings_source *from)
{
	double asynchronous, share, period;
	if (!known(from, "totals", "asynchronous", NULL, &asynchronous) || asynchronous > 0 ||
	    !known(from, "time", "io_share", NULL, &share) || share <= OVERLAP_MIN ||
	    !known(from, "cycles", "period_s", NULL, &period))
		return;
	struct finding *to = add(f, "overlap_possible", share, OVERLAP_MIN);
	if (to == NULL)
		return;
	add_text(to,
		 "%.0f %%25 of the time is in synchronous I/O (threshold: 20 %%25), every %.3g s",
		 100 * share, period);
	to->remedy = "asynchronous I/O, or a thread for I/O, overlaps it with computation";
}

void findings_find(struct findings *f, const struct findings_source *from)
{
	struct file_evidence e = {.stragglers = 0};
	for (size_t i = 0; i < from->table->from.requests->files; i++)
		add_file(&e, from->table, i);
	find_metadata(f, from);
	for (unsigned d = 0; d < 2; d++)
		find_small_shared(f, from, &e, d);
	for (unsigned d = 0; d < 2; d++)
		find_small(f, from, &e, d);
	for (unsigned d = 0; d < 2; d++)
		find_independent(f, from, d);
	find_streams(f, from);
	find_cache(f, from);
	find_reread(f, from, &e);
	for (unsigned d = 0; d < 2; d++)
		find_random(f, from, &e, d);
	find_stragglers(f, &e);
	find_rank_0(f, from);
	find_imbalance(f, from);
	find_shared_file(f, from, &e);
	find_overlap(f, from);
	for (unsigned d = 0; d < 2; d++)
		find_misaligned(f, from, d);
}

/* Results */

void findings_values(const struct findings *f, struct values *v)
{
	const struct finding *at = f->list, *end = f->list + f->count;
	v->section = "findings";
	v->failed |= f->failed;
	values_number(v, "found", NULL, "", f->count);
	for (const struct finding *i = at; i < end; i++)
		values_real(v, "value", i->code, "", i->value);
	for (const struct finding *i = at; i < end; i++)
		values_real(v, "threshold", i->code, "", i->threshold);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_count)
			values_number(v, "count", i->code, "", i->count);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_bytes)
			values_number(v, "bytes", i->code, "bytes", i->bytes);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_file)
			values_text(v, "file", i->code, (struct iot_text){i->key, strlen(i->key)});
	for (const struct finding *i = at; i < end; i++)
		if (i->has_file && i->file.name.data != NULL)
			values_text(v, "path", i->code, i->file.name);
	for (const struct finding *i = at; i < end; i++)
		if (i->has_process)
			values_number(v, "process", i->code, "", i->process);
	for (const struct finding *i = at; i < end; i++)
		values_text(v, "sentence", i->code,
			    (struct iot_text){i->sentence, strlen(i->sentence)});
	for (const struct finding *i = at; i < end; i++)
		values_text(v, "remedy", i->code, (struct iot_text){i->remedy, strlen(i->remedy)});
}

void findings_free(struct findings *f)
{
	free(f->list);
}
