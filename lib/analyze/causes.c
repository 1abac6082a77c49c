/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files are classified by how they are used, and their times are summed by cause. Sums of processes
 * that run at the same time exceed the length of the run, so each sum is scaled by the length of
 * the union of all intervals of its kind.
 */
#include "causes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/text.h"

#include "saturate.h"

enum cause {
	CAUSE_SYNC,
	CAUSE_LOCK,
	CAUSE_SLOW,
	CAUSE_OPEN_CLOSE,
	CAUSE_SMALL_FILES,
	CAUSE_NAMES,
	CAUSE_SEEK,
	CAUSE_TRUNCATED,
	CAUSE_LOOKUP,
	CAUSE_SHARED,
	CAUSE_RANDOM,
	CAUSE_MISALIGNED,
	CAUSE_REREAD,
	CAUSE_SMALL,
	CAUSES
};

static const struct cause_texts {
	const char *name;  /* of the vocabulary */
	const char *what;  /* the beginning of the sentence */
	const char *where; /* precedes the file or directory */
	const char *remedy;
} texts[CAUSES] = {
    [CAUSE_SYNC] = {"sync", "Synchronous writes (fsync, O_SYNC)", "most for ",
		    "sync once for many records, or let the file system write in the background"},
    [CAUSE_LOCK] = {"lock_wait", "Waiting for locks", "most for ",
		    "hold locks for a shorter time, or lock ranges instead of the file"},
    [CAUSE_SLOW] = {"slow_calls", "Calls that take longer than their bytes explain", "most for ",
		    "find out what they wait for: the disk, a server, other programs that use it"},
    [CAUSE_OPEN_CLOSE] = {"open_close",
			  "The same files are opened and closed again for each record", "most for ",
			  "open a file once and keep it open"},
    [CAUSE_SMALL_FILES] = {"small_files", "Many small files", "most in ",
			   "combine them in one file, such as an archive or a database"},
    [CAUSE_NAMES] = {"namespace_churn", "Names are created, renamed and unlinked", "most in ",
		     "reuse files, or keep temporary data in memory or in one file"},
    [CAUSE_SEEK] = {"seek", "Seeks", "most in ",
		    "use pread and pwrite, and remember positions and sizes"},
    [CAUSE_TRUNCATED] = {"truncation_waste", "Data is written and then truncated", "most of ",
			 "write only what is kept, or keep scratch data in memory"},
    [CAUSE_LOOKUP] = {"metadata_lookup", "Metadata lookups (stat, access, readdir, failed opens)",
		      "most in ", "remember the results, and shorten search paths"},
    [CAUSE_SHARED] = {"shared_file", "Processes write small records in turn into a shared file",
		      "most into ",
		      "use collective buffering, or give each process a large contiguous part"},
    [CAUSE_RANDOM] = {"random_access", "Requests in random or backward order", "most in ",
		      "sort requests by offset, or keep the data in memory"},
    [CAUSE_MISALIGNED] = {"misaligned", "Misaligned writes replace parts of blocks", "most in ",
			  "align records and blocks to the blocks of the file system"},
    [CAUSE_REREAD] = {"redundant_reads", "Data is read again", "most of ",
		      "keep it in memory, or let one process read it and send it to the others"},
    [CAUSE_SMALL] = {"small_requests", "Small requests", "most in ",
		     "transfer larger blocks, or use a buffer"},
};

/* Thresholds */
enum {
	REOPENS_MIN = 20,            /* opens of a file that is opened for each record */
	REOPEN_REQUESTS_MAX = 4,     /* requests of such an open */
	REOPEN_BYTES_MAX = 1 << 16,  /* bytes of such an open */
	SMALL_FILE_MAX = 1 << 15,    /* bytes of a small file that each open transfers */
	SMALL_FILES_MIN = 100,       /* fewer small files are ignored */
	SMALL_REQUEST_MAX = 2048,    /* mean bytes of small requests */
	SMALL_REQUESTS_MIN = 200,    /* fewer requests of a file are ignored */
	SHARED_RECORD_MAX = 1 << 16, /* mean bytes of records that are written in turn */
	RANDOM_REQUESTS_MIN = 100,
	SYNCS_MIN = 4, /* fewer syncs are ignored: results have to be durable once, */
	FEW_SYNCS_NS_MIN = 1000000000, /* unless they take this long */
	SYNC_BYTES_MIN = 1 << 18,      /* a sync of fewer bytes waits, however fast the disk is */
	SYNC_NS_PER_BYTE = 50, /* syncs at 20 MB/s or more transfer data, they do not wait */
};

/* What a cause costs: sums over files, before they are scaled. */
struct cause_sum {
	uint64_t ns, calls, files;
	struct max_rank file;
};

struct causes {
	const struct findings_source *from;
	struct cause_sum of[CAUSES];
	struct cause_sum small_files; /* a cause only if they are many */
	uint64_t synced_small_files;
	bool names_commit;         /* names change because of syncs */
	uint64_t data_ns, open_ns; /* of all files */
	uint64_t sync_writes;      /* to files opened with O_SYNC or O_DSYNC */
	uint64_t bulk_sync_ns;     /* of syncs that transfer much data */
	struct slow_sum slow;
};

/* A file: the times that no cause explains yet. */
struct cause_file {
	struct table_file f;
	struct table_rank rank;
	uint64_t requests, bytes;
	uint64_t ns[2], open_ns, sync_ns, wait_ns;
	uint64_t unaligned, cut_bytes, syncs;
	struct slow_sum slow;
	bool existed, synchronous;
	unsigned writers, syncers; /* processes */
	size_t number;
};

/* Evidence of a file */

static void add_pair(struct cause_file *c, const struct row_pair *p, const struct slow_sum *slow)
{
	if (slow != NULL)
		slow_sum_add(&c->slow, slow);
	c->open_ns = saturate_add(c->open_ns, p->open_ns);
	c->sync_ns = saturate_add(c->sync_ns, p->sync_ns);
	c->syncs += p->syncs;
	c->wait_ns = saturate_add(c->wait_ns, p->wait_ns);
	c->unaligned += p->unaligned;
	c->cut_bytes += p->cut ? p->written_at_cut : 0;
	c->existed |= p->existed;
	c->synchronous |= p->synchronous;
	c->writers += p->sums.count[ROW_WRITES] > 0;
	c->syncers += p->sync_ns > 0;
}

/* Returns false if the file has neither requests nor operations. */
static bool file_of(const struct findings_source *from, size_t file, struct cause_file *c)
{
	const struct row_table *t = from->table;
	*c = (struct cause_file){.number = file};
	if (!table_file(t, file, &c->f))
		return false;
	for (size_t i = t->begin[file]; i < t->begin[file + 1]; i++)
		add_pair(c, &t->from.rows->pairs[t->pairs[i]],
			 slow_calls_of(from->slow_calls, t->pairs[i]));
	c->rank = table_file_rank(t, file);
	c->requests = row_requests(&c->f.all.sums);
	c->bytes = row_bytes(&c->f.all.sums);
	c->ns[0] = c->f.all.ns[BUSY_READ];
	c->ns[1] = c->f.all.ns[BUSY_WRITE];
	return true;
}

/* Gives a share of a direction's remaining time to a cause. */
static void take(struct causes *all, struct cause_file *c, enum cause cause, unsigned d,
		 double share)
{
	struct cause_sum *to = &all->of[cause];
	const uint64_t part = (uint64_t)(share * (double)c->ns[d]),
		       ns = part < c->ns[d] ? part : c->ns[d];
	if (ns == 0)
		return;
	c->ns[d] -= ns;
	to->ns = saturate_add(to->ns, ns);
	to->calls += c->f.all.sums.count[d];
	max_rank_take(&to->file, c->rank, ns);
}

static void take_all(struct cause_sum *to, struct cause_file *c)
{
	const uint64_t ns = saturate_add(saturate_add(c->ns[0], c->ns[1]), c->open_ns);
	to->ns = saturate_add(to->ns, ns);
	to->calls += row_calls(&c->f.all.sums);
	to->files++;
	max_rank_take(&to->file, c->rank, ns);
	c->ns[0] = c->ns[1] = c->open_ns = 0;
}

/* Rules, in the order in which they apply */

static bool is_reopened(const struct cause_file *c)
{
	const uint64_t opens = c->f.all.sums.opens;
	return opens >= REOPENS_MIN && c->requests > 0 &&
	       c->requests <= REOPEN_REQUESTS_MAX * opens && c->bytes <= REOPEN_BYTES_MAX * opens;
}

static bool is_small_file(const struct cause_file *c)
{
	const uint64_t opens = c->f.all.sums.opens;
	return opens > 0 && opens < REOPENS_MIN && c->bytes <= SMALL_FILE_MAX * opens;
}

/* Ranks files by their syncs and locks, whose cost is the union of all such calls. */
static void name_waits(struct causes *all, struct cause_file *c)
{
	const uint64_t written = c->synchronous ? c->ns[1] : 0, bytes = c->f.all.sums.bytes[1];
	const bool bulk = c->syncers == 1 && c->sync_ns / SYNC_NS_PER_BYTE <= bytes &&
			  c->syncs <= bytes / SYNC_BYTES_MIN;
	all->bulk_sync_ns = saturate_add(all->bulk_sync_ns, bulk ? c->sync_ns : 0);
	all->of[CAUSE_SYNC].ns = saturate_add(all->of[CAUSE_SYNC].ns, written);
	all->sync_writes += c->synchronous ? c->f.all.sums.count[ROW_WRITES] : 0;
	max_rank_take(&all->of[CAUSE_SYNC].file, c->rank,
		      saturate_add(written, bulk ? 0 : c->sync_ns));
	max_rank_take(&all->of[CAUSE_LOCK].file, c->rank, c->wait_ns);
	if (c->synchronous)
		c->ns[1] = 0;
}

/* Returns whether calls wait for other programs or people, and not for storage. */
static bool waits_for_others(struct iot_text name)
{
	static const char *const begins[] = {
	    "pipe:",    "socket:",      "anon_inode:", "/dev/pts/",
	    "/dev/tty", "/dev/console", "/dev/stdin",  "/dev/random"};
	for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
		if (name.size >= strlen(begins[i]) &&
		    memcmp(name.data, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

/* Slow calls count even if the rest of the file has another cause: few can take all of the time. */
static void find_slow(struct causes *all, struct cause_file *c)
{
	uint64_t ns = 0;
	uint64_t *const from[3] = {&c->ns[0], &c->ns[1], &c->open_ns};
	if (c->slow.max_ns == 0 || waits_for_others(c->rank.name))
		return;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t part = c->slow.ns[i] < *from[i] ? c->slow.ns[i] : *from[i];
		*from[i] -= part;
		ns = saturate_add(ns, part);
	}
	if (ns == 0)
		return;
	slow_sum_add(&all->slow, &c->slow);
	all->of[CAUSE_SLOW].ns = saturate_add(all->of[CAUSE_SLOW].ns, ns);
	max_rank_take(&all->of[CAUSE_SLOW].file, c->rank, ns);
}

static void find_truncated(struct causes *all, struct cause_file *c)
{
	const double written = (double)c->f.all.sums.bytes[1];
	if (written <= 0 || (double)c->cut_bytes < written / 2)
		return;
	take(all, c, CAUSE_TRUNCATED, 1, (double)c->cut_bytes / written);
	/* opens with O_TRUNC free the data */
	all->of[CAUSE_TRUNCATED].ns = saturate_add(all->of[CAUSE_TRUNCATED].ns, c->open_ns);
	c->open_ns = 0;
}

static void find_reread(struct causes *all, struct cause_file *c)
{
	const double bytes = (double)c->f.all.sums.bytes[0];
	struct reuse_sums reuse;
	reuse_file_sums(all->from->table->from.reuse, c->number, &reuse);
	const double again = (double)reuse.kind[REUSE_RE_READ];
	if (bytes > 0 && again > bytes / 2)
		take(all, c, CAUSE_REREAD, 0, again / bytes);
}

static double mean_size(const struct cause_file *c, unsigned d)
{
	const uint64_t n = c->f.all.sums.count[d];
	return n > 0 ? (double)c->f.all.sums.bytes[d] / (double)n : 0;
}

static void find_shared(struct causes *all, struct cause_file *c)
{
	if (c->writers > 1 && c->f.layout != LAYOUT_SEGMENTED &&
	    mean_size(c, 1) <= SHARED_RECORD_MAX)
		take(all, c, CAUSE_SHARED, 1, 1);
}

/* Returns whether all streams of the file go backward by the same stride. */
static bool is_backward(const struct order_file *o)
{
	return o->strides == STRIDE_ONE && o->stride >> 63 != 0;
}

static void find_random(struct causes *all, struct cause_file *c)
{
	const struct order *o = all->from->table->from.order;
	const struct order_file *of = c->number < o->file_capacity ? &o->files[c->number] : NULL;
	if (of == NULL || c->requests < RANDOM_REQUESTS_MIN ||
	    !(is_backward(of) || of->pattern_requests[PATTERN_RANDOM] > c->requests / 2))
		return;
	take(all, c, CAUSE_RANDOM, 0, 1);
	take(all, c, CAUSE_RANDOM, 1, 1);
}

/* Only a write into data that exists makes the file system read the rest of a block. */
static void find_misaligned(struct causes *all, struct cause_file *c)
{
	if (c->existed && c->unaligned > c->f.all.sums.count[ROW_WRITES] / 2 &&
	    mean_size(c, 1) >= (double)all->from->options->alignment)
		take(all, c, CAUSE_MISALIGNED, 1, 1);
}

static void find_small(struct causes *all, struct cause_file *c)
{
	for (unsigned d = 0; d < 2; d++)
		if (c->f.all.sums.count[d] >= SMALL_REQUESTS_MIN &&
		    mean_size(c, d) <= SMALL_REQUEST_MAX)
			take(all, c, CAUSE_SMALL, d, 1);
}

static void add_file(struct causes *all, size_t file)
{
	struct cause_file c;
	if (!file_of(all->from, file, &c))
		return;
	all->data_ns = saturate_add(all->data_ns, saturate_add(c.ns[0], c.ns[1]));
	all->open_ns = saturate_add(all->open_ns, c.open_ns);
	name_waits(all, &c);
	const bool reopened = is_reopened(&c), small = !reopened && is_small_file(&c);
	if (!reopened && !small) {
		find_truncated(all, &c);
		find_reread(all, &c);
	}
	find_slow(all, &c);
	if (reopened) {
		take_all(&all->of[CAUSE_OPEN_CLOSE], &c);
		return;
	}
	if (small) {
		take_all(&all->small_files, &c);
		all->synced_small_files += c.syncs > 0;
		return;
	}
	find_shared(all, &c);
	find_random(all, &c);
	find_misaligned(all, &c);
	find_small(all, &c);
}

/* Operations */

/* Sums of the operations of a kind, and the one with most time. */
struct kind_calls {
	uint64_t calls, failed, ns;
	const char *top;
	uint64_t max_calls;
};

static struct kind_calls calls_of(const struct metadata *m, enum operation_kind kind)
{
	struct kind_calls k = {.top = NULL};
	uint64_t max_ns = 0;
	for (size_t i = 0; i < m->names.count; i++) {
		const char *name = m->names.name[i];
		const struct metadata_operation *o = &m->operation[i];
		if (operation_kind_of((struct iot_text){name, strlen(name)}, false) != kind)
			continue;
		k.calls += o->calls;
		k.failed += o->failed;
		k.ns = saturate_add(k.ns, o->ns);
		if (k.top != NULL && o->ns <= max_ns)
			continue;
		max_ns = o->ns;
		k.top = name;
		k.max_calls = o->calls;
	}
	return k;
}

static uint64_t calls_named(const struct metadata *m, const char *name)
{
	for (size_t i = 0; i < m->names.count; i++)
		if (strcmp(m->names.name[i], name) == 0)
			return m->operation[i].calls - m->operation[i].failed;
	return 0;
}

/* Returns whether about as many names are removed or changed as files are created. */
static bool names_change(const struct metadata *m)
{
	return calls_named(m, "create") > 0 &&
	       calls_named(m, "unlink") + calls_named(m, "rename") >= calls_named(m, "create") / 2;
}

/*
 * Small files that are removed or renamed soon are names that churn. If most of them are synced
 * before, they are journals, or new versions of a file: each is part of a commit, and fewer syncs
 * need fewer of them, however many other small files the program reads.
 */
static void settle_small_files(struct causes *all)
{
	const struct cause_sum *from = &all->small_files;
	const uint64_t created = calls_named(all->from->metadata, "create");
	const bool change = names_change(all->from->metadata),
		   churn = change && created >= from->files / 2;
	all->names_commit = change && all->synced_small_files > created / 2;
	if (from->files < SMALL_FILES_MIN)
		return;
	if (churn && all->names_commit)
		all->of[CAUSE_SYNC].ns = saturate_add(all->of[CAUSE_SYNC].ns, from->ns);
	else
		all->of[churn ? CAUSE_NAMES : CAUSE_SMALL_FILES] = *from;
}

/* Costs */

static double seconds_of(const struct findings_source *from, enum operation_kind kind)
{
	return (double)op_times_ns(from->op_times, kind) / 1e9;
}

/* The length of a union over the sum of its parts. */
static double scale_of(double whole, double sum)
{
	return sum <= 0 || whole >= sum ? 1 : whole / sum;
}

/* The time of syncs that wait for little data. */
static double sync_seconds(const struct causes *all)
{
	const struct kind_calls calls = calls_of(all->from->metadata, OPERATION_SYNC);
	if (calls.ns <= all->bulk_sync_ns ||
	    (calls.calls < SYNCS_MIN && calls.ns - all->bulk_sync_ns < FEW_SYNCS_NS_MIN))
		return 0;
	return seconds_of(all->from, OPERATION_SYNC) *
	       (1 - (double)all->bulk_sync_ns / (double)calls.ns);
}

/* The time of a cause in seconds: of files, and of the unions of its operations. */
static double cost_of(const struct causes *all, enum cause cause)
{
	const struct findings_source *from = all->from;
	const double opens = seconds_of(from, OPERATION_OPEN),
		     whole = (double)from->concurrency->any.busy_ns / 1e9 + opens,
		     scale =
			 scale_of(whole, (double)saturate_add(all->data_ns, all->open_ns) / 1e9),
		     files = scale * (double)all->of[cause].ns / 1e9;
	switch (cause) {
	case CAUSE_SYNC:
		return files + sync_seconds(all) +
		       (all->names_commit ? seconds_of(from, OPERATION_NAMES) : 0);
	case CAUSE_LOCK:
		return seconds_of(from, OPERATION_LOCK);
	case CAUSE_SEEK:
		return seconds_of(from, OPERATION_SEEK);
	case CAUSE_NAMES:
		return all->names_commit ? 0 : files + seconds_of(from, OPERATION_NAMES);
	case CAUSE_TRUNCATED:
		return files > 0 ? files + seconds_of(from, OPERATION_SPACE) : 0;
	case CAUSE_LOOKUP:
		return seconds_of(from, OPERATION_LOOKUP) + seconds_of(from, OPERATION_DIRECTORY) +
		       seconds_of(from, OPERATION_ATTRIBUTES);
	default:
		return files;
	}
}

/* Sentences */

static void say_calls(struct finding *to, const char *name, uint64_t calls)
{
	if (name == NULL || calls == 0)
		return;
	finding_text(to, ", %ju call%s of %s", (uintmax_t)calls, calls == 1 ? "" : "s", name);
	to->operation = name;
	to->calls = calls;
}

static void say_place(const struct causes *all, struct finding *to, const char *where,
		      const struct place *place)
{
	if (place == NULL && all->from->places->full)
		finding_text(to, "; in more than %d directories", PLACES_MAX);
	if (place == NULL)
		return;
	to->place = (struct iot_text){place->path, place->size};
	finding_text(to, "; %s%s", where, place->path);
}

static void say_lookups(const struct causes *all, struct finding *to, const char *where)
{
	const struct findings_source *from = all->from;
	const enum operation_kind kind = op_times_ns(from->op_times, OPERATION_DIRECTORY) >
						 op_times_ns(from->op_times, OPERATION_LOOKUP)
					     ? OPERATION_DIRECTORY
					     : OPERATION_LOOKUP;
	const struct kind_calls calls = calls_of(from->metadata, kind),
				opens = calls_of(from->metadata, OPERATION_OPEN);
	if (opens.failed > calls.max_calls) {
		say_calls(to, "open", opens.failed);
		finding_text(to, ", which fail");
		to->failed = opens.failed;
		say_place(all, to, where, places_max(from->places, OPERATION_LOOKUP));
		return;
	}
	say_calls(to, calls.top, calls.max_calls);
	if (calls.failed > calls.calls / 2)
		finding_text(to, ", of which %.0f %%25 fail",
			     100 * (double)calls.failed / (double)calls.calls);
	to->failed = calls.failed;
	say_place(all, to, where, places_max(from->places, kind));
}

static void say_file(struct finding *to, const char *where, const struct max_rank *file)
{
	char before[64];
	snprintf(before, sizeof before, "; %s", where);
	finding_set_file(to, before, file);
}

static void say_slow(const struct causes *all, struct finding *to)
{
	static const char *const names[3] = {"read", "write", "open"};
	unsigned max = 0;
	for (unsigned i = 1; i < 3; i++)
		max = all->slow.ns[i] > all->slow.ns[max] ? i : max;
	say_calls(to, names[max], all->slow.calls[max]);
	finding_text(to, ", the longest %.3g s", (double)all->slow.max_ns / 1e9);
	say_file(to, texts[CAUSE_SLOW].where, &all->of[CAUSE_SLOW].file);
}

/* The operations and the file or directory. */
static void say_where(const struct causes *all, struct finding *to, enum cause cause)
{
	static const enum operation_kind kinds[CAUSES] = {
	    [CAUSE_SYNC] = OPERATION_SYNC,        [CAUSE_LOCK] = OPERATION_LOCK,
	    [CAUSE_NAMES] = OPERATION_NAMES,      [CAUSE_SEEK] = OPERATION_SEEK,
	    [CAUSE_OPEN_CLOSE] = OPERATION_OPEN,  [CAUSE_SMALL_FILES] = OPERATION_OPEN,
	    [CAUSE_LOOKUP] = OPERATION_LOOKUP,    [CAUSE_TRUNCATED] = OPERATION_SPACE,
	    [CAUSE_SHARED] = OPERATION_OTHER,     [CAUSE_RANDOM] = OPERATION_OTHER,
	    [CAUSE_MISALIGNED] = OPERATION_OTHER, [CAUSE_REREAD] = OPERATION_OTHER,
	    [CAUSE_SMALL] = OPERATION_OTHER,      [CAUSE_SLOW] = OPERATION_OTHER};
	const struct cause_sum *sum = &all->of[cause];
	const struct cause_texts *t = &texts[cause];
	const struct kind_calls calls = calls_of(all->from->metadata, kinds[cause]);
	if (cause == CAUSE_LOOKUP) {
		say_lookups(all, to, t->where);
		return;
	}
	if (cause == CAUSE_SLOW) {
		say_slow(all, to);
		return;
	}
	if (kinds[cause] == OPERATION_OTHER)
		to->requests = sum->calls;
	if (cause == CAUSE_SMALL_FILES)
		to->files = sum->files;
	if (to->requests > 0)
		finding_text(to, ", %ju requests", (uintmax_t)to->requests);
	else if (to->files > 0)
		finding_text(to, ", %ju files", (uintmax_t)to->files);
	else
		say_calls(to, calls.top, calls.max_calls);
	if (cause == CAUSE_SYNC && all->sync_writes > 0)
		finding_text(to, ", %ju writes with O_SYNC or O_DSYNC",
			     (uintmax_t)all->sync_writes);
	if (cause == CAUSE_SMALL_FILES || cause == CAUSE_NAMES)
		say_place(all, to, t->where,
			  places_max(all->from->places, cause == CAUSE_NAMES && calls.ns > 0
							    ? OPERATION_NAMES
							    : OPERATION_OPEN));
	else
		say_file(to, t->where, &sum->file);
}

/* Every program looks names up and removes some: a small share of the run is not a problem. */
static bool is_usual(enum cause cause, const struct finding *f)
{
	return (cause == CAUSE_NAMES || cause == CAUSE_LOOKUP) && f->saves < METADATA_MIN;
}

static void add_cause(struct findings *f, const struct causes *all, enum cause cause,
		      const struct run_cost *cost)
{
	const double seconds = cost_of(all, cause);
	if (seconds <= 0 || cost->seconds <= 0)
		return;
	struct finding *to = finding_add(f, texts[cause].name, seconds / cost->seconds, 0);
	if (to == NULL)
		return;
	to->cause = texts[cause].name;
	finding_set_seconds(to, cost, seconds);
	to->trivial |= is_usual(cause, to);
	finding_text(to, "%s: %.3g s, %.0f %%25 of the run", texts[cause].what, seconds,
		     100 * to->saves);
	say_where(all, to, cause);
	to->remedy = texts[cause].remedy;
}

/* Ranks */

#define UNEVEN_MIN 1.3 /* the most over the mean */
#define SLOWER_MIN 0.1 /* a rank that takes less of the run longer is slow by chance */
#define SERIAL_MIN 0.9 /* share of one rank's bytes */

/* The processes of a rank: a program, and the shells that started it. */
struct rank_sum {
	uint64_t rank, ns, bytes, requests, process_ns;
	uint32_t process; /* the one with most time */
};

/* Values of all ranks: their times in I/O, their bytes and requests. */
struct rank_sums {
	uint64_t count;
	double ns, bytes, requests; /* sums */
	struct rank_sum slowest, largest;
};

static int by_rank(const void *left, const void *right)
{
	const struct rank_sum *a = left, *b = right;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Returns whether a process has a rank, and calls. */
static bool rank_of(const struct row_table *t, size_t process, struct rank_sum *to)
{
	struct table_sums sums;
	if (!table_process(t, process, &sums))
		return false;
	to->process = table_process_id(t, process);
	if (!row_names_rank(t->from.names, to->process, &to->rank))
		return false;
	to->ns = to->process_ns = sums.ns[BUSY_ALL];
	to->bytes = row_bytes(&sums.sums);
	to->requests = row_requests(&sums.sums);
	return true;
}

/* Combines processes of one rank, which are neighbours; returns the number of ranks. */
static size_t combine_ranks(struct rank_sum *list, size_t n)
{
	size_t ranks = 0;
	for (size_t i = 0; i < n; i++) {
		struct rank_sum *last = ranks > 0 ? &list[ranks - 1] : NULL;
		if (last == NULL || last->rank != list[i].rank) {
			list[ranks++] = list[i];
			continue;
		}
		last->ns = saturate_add(last->ns, list[i].ns);
		last->bytes = saturate_add(last->bytes, list[i].bytes);
		last->requests = saturate_add(last->requests, list[i].requests);
		if (list[i].process_ns > last->process_ns) {
			last->process_ns = list[i].process_ns;
			last->process = list[i].process;
		}
	}
	return ranks;
}

static void add_rank(struct rank_sums *s, const struct rank_sum *rank)
{
	if (s->count == 0 || rank->ns > s->slowest.ns)
		s->slowest = *rank;
	if (s->count == 0 || rank->bytes > s->largest.bytes)
		s->largest = *rank;
	s->count++;
	s->ns += (double)rank->ns;
	s->bytes += (double)rank->bytes;
	s->requests += (double)rank->requests;
}

/* Returns false if out of memory. */
static bool sum_ranks(struct rank_sums *s, const struct row_table *t)
{
	const size_t processes = t->from.rows->process_capacity;
	struct rank_sum *list = calloc(processes + 1, sizeof *list);
	size_t n = 0;
	if (list == NULL)
		return false;
	for (size_t i = 0; i < processes; i++)
		n += rank_of(t, i, &list[n]);
	qsort(list, n, sizeof *list, by_rank);
	n = combine_ranks(list, n);
	for (size_t i = 0; i < n; i++)
		add_rank(s, &list[i]);
	free(list);
	return true;
}

static struct finding *add_imbalance(struct findings *f, const struct run_cost *cost,
				     const char *name, double ratio, double seconds)
{
	struct finding *to = finding_add(f, name, ratio, UNEVEN_MIN);
	if (to == NULL)
		return NULL;
	to->cause = name;
	to->has_rank = true;
	finding_set_seconds(to, cost, seconds);
	return to;
}

static void find_serial(struct findings *f, const struct run_cost *cost, const struct rank_sums *s)
{
	const double share = (double)s->largest.bytes / s->bytes, ns = (double)s->slowest.ns,
		     seconds = ns * (1 - 1 / (double)s->count) / 1e9;
	struct finding *to = add_imbalance(f, cost, "serial", share, seconds);
	if (to == NULL)
		return;
	to->rank = s->largest.rank;
	finding_set_process(to, s->largest.process);
	finding_text(
	    to, "Rank %ju has %.0f %%25 of the bytes of %ju ranks: %.3g s, %.0f %%25 of the run",
	    (uintmax_t)s->largest.rank, 100 * share, (uintmax_t)s->count, seconds, 100 * to->saves);
	to->remedy = "let all ranks do I/O, such as by collective buffering";
}

static void find_uneven_bytes(struct findings *f, const struct run_cost *cost,
			      const struct rank_sums *s, double seconds)
{
	const double ratio = (double)s->largest.bytes * (double)s->count / s->bytes;
	struct finding *to = add_imbalance(f, cost, "imbalance_bytes", ratio, seconds);
	if (to == NULL)
		return;
	to->rank = s->largest.rank;
	finding_set_process(to, s->largest.process);
	finding_text(
	    to,
	    "Imbalance: rank %ju has %.3g times the mean bytes of %ju ranks: %.3g s, %.0f %%25 of "
	    "the run",
	    (uintmax_t)s->largest.rank, ratio, (uintmax_t)s->count, seconds, 100 * to->saves);
	to->remedy = "distribute the data evenly over the ranks";
}

static void find_uneven_times(struct findings *f, const struct run_cost *cost,
			      const struct rank_sums *s, double seconds)
{
	const double ratio = (double)s->slowest.ns * (double)s->count / s->ns;
	struct finding *to = add_imbalance(f, cost, "imbalance_time", ratio, seconds);
	if (to == NULL)
		return;
	to->rank = s->slowest.rank;
	finding_set_process(to, s->slowest.process);
	finding_text(
	    to,
	    "The slowest takes %.3g times the mean time of %ju ranks: rank %ju, %.3g s more, "
	    "%.0f %%25 of the run",
	    ratio, (uintmax_t)s->count, (uintmax_t)s->slowest.rank, seconds, 100 * to->saves);
	const double requests =
	    s->requests > 0 ? (double)s->slowest.requests * (double)s->count / s->requests : 0;
	to->remedy = "look for what is slow there: its files, its node, its disk";
	if (requests < UNEVEN_MIN)
		return;
	finding_text(to, ", with %.3g times the mean requests", requests);
	to->remedy = "distribute the requests evenly over the ranks, or make those there larger";
}

/* Sets what of an imbalance the causes before it explain: the slowest rank has their time. */
static void explain_imbalance(struct findings *f, size_t causes, const struct run_cost *cost,
			      double slowest_s)
{
	double seconds = 0;
	for (size_t i = 0; i < causes; i++)
		seconds += f->list[i].saves * cost->seconds;
	for (size_t i = causes; i < f->count; i++)
		f->list[i].explained = seconds < slowest_s ? seconds / slowest_s : 1;
}

static void find_imbalance(struct findings *f, const struct findings_source *from,
			   const struct run_cost *cost)
{
	const size_t causes = f->count;
	struct rank_sums s = {.count = 0};
	if (!sum_ranks(&s, from->table)) {
		f->failed = true;
		return;
	}
	if (s.count < 2 || s.ns <= 0)
		return;
	const double n = (double)s.count, mean_ns = s.ns / n,
		     seconds = ((double)s.slowest.ns - mean_ns) / 1e9;
	if ((double)s.slowest.ns < UNEVEN_MIN * mean_ns)
		return;
	if ((double)s.largest.bytes > SERIAL_MIN * s.bytes && s.largest.rank == s.slowest.rank)
		find_serial(f, cost, &s);
	else if ((double)s.largest.bytes > UNEVEN_MIN * s.bytes / n &&
		 s.largest.rank == s.slowest.rank)
		find_uneven_bytes(f, cost, &s, seconds);
	else if (seconds > SLOWER_MIN * cost->seconds)
		find_uneven_times(f, cost, &s, seconds);
	explain_imbalance(f, causes, cost, (double)s.slowest.ns / 1e9);
}

void causes_find(struct findings *f, const struct findings_source *from,
		 const struct run_cost *cost)
{
	struct causes all = {.from = from, .slow = from->slow_calls->other};
	all.of[CAUSE_SLOW].ns = all.slow.ns[2];
	for (size_t i = 0; i < from->table->from.requests->files; i++)
		add_file(&all, i);
	settle_small_files(&all);
	for (unsigned i = 0; i < CAUSES; i++)
		add_cause(f, &all, i, cost);
	find_imbalance(f, from, cost);
}
