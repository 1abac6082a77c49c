/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sums of processes that run at the same time exceed the length of the run, so each sum is scaled
 * by the length of the union of all intervals of its kind.
 */
#include "causes.h"

#include <stdio.h>
#include <string.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/base/significant.h"

#include "cause_sums.h"
#include "rank_imbalance.h"

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

/* The texts if most of the time of lookups is in operations on attributes. */
static const char attributes_what[] = "Attributes are read or changed (chmod, utime, xattr)",
		  attributes_remedy[] = "change them once, and remember what was read";

/* Thresholds */
enum {
	SYNCS_MIN = 12,  /* fewer syncs are ignored: results have to be durable once, */
	CALLS_MIN = 100, /* and fewer lookups and changes of names: programs start and end, */
	FEW_NS_MIN = 1000000000, /* unless they take this long */
};

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
		const struct metadata_operation *o = &m->names.of[i];
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
	    (calls.calls < SYNCS_MIN && calls.ns - all->bulk_sync_ns < FEW_NS_MIN))
		return 0;
	return seconds_of(all->from, OPERATION_SYNC) *
	       (1 - (double)all->bulk_sync_ns / (double)calls.ns);
}

/* The time of a kind of operations on names, of which every program has a few. */
static double seconds_of_many(const struct findings_source *from, enum operation_kind kind)
{
	const struct kind_calls calls = calls_of(from->metadata, kind);
	const uint64_t ns = op_times_ns(from->op_times, kind),
		       failed_opens = kind == OPERATION_LOOKUP
					  ? calls_of(from->metadata, OPERATION_OPEN).failed
					  : 0;
	return calls.calls + failed_opens < CALLS_MIN && ns < FEW_NS_MIN ? 0 : (double)ns / 1e9;
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
		return all->names_commit ? 0 : files + seconds_of_many(from, OPERATION_NAMES);
	case CAUSE_TRUNCATED:
		return files > 0 ? files + seconds_of(from, OPERATION_SPACE) : 0;
	case CAUSE_LOOKUP:
		return seconds_of_many(from, OPERATION_LOOKUP) +
		       seconds_of_many(from, OPERATION_DIRECTORY) +
		       seconds_of_many(from, OPERATION_ATTRIBUTES);
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

/* Returns the kind of lookups with most time. */
static enum operation_kind lookup_kind(const struct findings_source *from)
{
	static const enum operation_kind kinds[] = {OPERATION_LOOKUP, OPERATION_DIRECTORY,
						    OPERATION_ATTRIBUTES};
	enum operation_kind max = kinds[0];
	for (unsigned i = 1; i < sizeof kinds / sizeof kinds[0]; i++)
		if (seconds_of_many(from, kinds[i]) > seconds_of_many(from, max))
			max = kinds[i];
	return max;
}

static void say_lookups(const struct causes *all, struct finding *to, const char *where)
{
	const struct findings_source *from = all->from;
	const enum operation_kind kind = lookup_kind(from);
	const struct kind_calls calls = calls_of(from->metadata, kind),
				opens = calls_of(from->metadata, OPERATION_OPEN);
	if (kind == OPERATION_LOOKUP && opens.failed > calls.max_calls) {
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
	char text[SIGNIFICANT];
	static const char *const names[3] = {"read", "write", "open"};
	unsigned max = 0;
	for (unsigned i = 1; i < 3; i++)
		max = all->slow.ns[i] > all->slow.ns[max] ? i : max;
	say_calls(to, names[max], all->slow.calls[max]);
	finding_text(to, ", the longest %s s",
		     significant(text, (double)all->slow.max_ns / 1e9, 3));
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
	char text[SIGNIFICANT];
	const double seconds = cost_of(all, cause);
	if (seconds <= 0 || cost->seconds <= 0)
		return;
	struct finding *to = finding_add(f, texts[cause].name, seconds / cost->seconds, 0);
	if (to == NULL)
		return;
	to->cause = texts[cause].name;
	finding_set_seconds(to, cost, seconds);
	to->trivial |= is_usual(cause, to);
	const bool attributes =
	    cause == CAUSE_LOOKUP && lookup_kind(all->from) == OPERATION_ATTRIBUTES;
	finding_text(to, "%s: %s s, %.0f %%25 of the run",
		     attributes ? attributes_what : texts[cause].what,
		     significant(text, seconds, 3), 100 * to->saves);
	say_where(all, to, cause);
	to->remedy = attributes ? attributes_remedy : texts[cause].remedy;
}

void causes_find(struct findings *f, const struct findings_source *from,
		 const struct run_cost *cost)
{
	struct causes all = {.from = from, .slow = from->slow_calls->other};
	all.of[CAUSE_SLOW].ns = all.slow.ns[2];
	cause_sums_add_files(&all);
	for (unsigned i = 0; i < CAUSES; i++)
		add_cause(f, &all, i, cost);
	rank_imbalance_find(f, from, cost);
}
