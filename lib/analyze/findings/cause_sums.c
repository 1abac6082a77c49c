/* SPDX-License-Identifier: BSD-2-Clause */
#include "cause_sums.h"

#include <string.h>

#include "lib/analyze/containers/saturate.h"

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
	LOOKUP_MAX = 1 << 16,     /* mean bytes of lookups at random places */
	HOT_PASSES_MIN = 16,      /* data that is read this many times belongs into memory */
	KEPT_FOR_LONG = 2,        /* the time of a file is this many times the time of its calls */
	SYNC_BYTES_MIN = 1 << 18, /* a sync of fewer bytes waits, however fast the disk is */
	SYNC_NS_PER_BYTE = 50,    /* syncs at 20 MB/s or more transfer data, they do not wait */
};

/* A file: the times that no cause explains yet. */
struct cause_file {
	struct table_file f;
	struct table_rank rank;
	uint64_t requests, bytes;
	uint64_t ns[2], open_ns, sync_ns, wait_ns;
	uint64_t unaligned, cut_bytes, syncs;
	struct slow_sum slow;
	bool rewritten, synchronous;
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
	c->unaligned += p->low < p->existed ? p->unaligned : 0;
	c->cut_bytes += p->cut ? p->written_at_cut : 0;
	c->rewritten |= p->cut && p->rewritten;
	c->synchronous |= p->synchronous;
	c->writers += p->sums.count[ROW_WRITES] > 0;
	c->syncers += p->sync_ns > 0;
}

/* A path does not show how much its truncations cut: at most the extent of the file each time. */
static void add_truncations(struct cause_file *c, const struct places *places)
{
	const uint64_t written = c->f.all.sums.bytes[1], extent = c->f.located ? c->f.extent : 0;
	const uint64_t times = places_truncations(places, c->rank.name);
	const uint64_t cut = extent > 0 && times < written / extent ? times * extent : written;
	if (times == 0 || extent == 0 || cut <= c->cut_bytes)
		return;
	c->cut_bytes = cut;
	c->rewritten = false;
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
	add_truncations(c, from->places);
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

/* Checkpoints are written again as well, but most of the time they are there. */
static bool is_kept_for_long(const struct cause_file *c)
{
	const struct row_sums *s = &c->f.all.sums;
	uint64_t ns = 0;
	for (unsigned kind = 0; kind < ROW_KINDS; kind++)
		ns = saturate_add(ns, s->ns[kind]);
	return c->rewritten && ns < (uint64_t)(s->last_ns - s->first_ns) / KEPT_FOR_LONG;
}

/* Data that is read before it is cut off was of use. */
static void find_truncated(struct causes *all, struct cause_file *c)
{
	const double written = (double)c->f.all.sums.bytes[1];
	if (written <= 0 || (double)c->cut_bytes < written / 2 ||
	    (double)c->f.all.sums.bytes[0] >= written / 2 || is_kept_for_long(c))
		return;
	take(all, c, CAUSE_TRUNCATED, 1, (double)c->cut_bytes / written);
	/* opens with O_TRUNC free the data */
	all->of[CAUSE_TRUNCATED].ns = saturate_add(all->of[CAUSE_TRUNCATED].ns, c->open_ns);
	c->open_ns = 0;
}

static double mean_size(const struct cause_file *c, unsigned d)
{
	const uint64_t n = c->f.all.sums.count[d];
	return n > 0 ? (double)c->f.all.sums.bytes[d] / (double)n : 0;
}

static const struct order_file *order_of(const struct causes *all, const struct cause_file *c)
{
	const struct order *o = all->from->table->from.order;
	return c->number < o->file_capacity ? &o->files[c->number] : NULL;
}

/* Returns whether all streams of the file go backward by the same stride. */
static bool is_backward(const struct order_file *o)
{
	return o->strides == STRIDE_ONE && o->stride >> 63 != 0;
}

static bool is_random(const struct order_file *o, const struct cause_file *c)
{
	return o->pattern_requests[PATTERN_RANDOM] > c->requests / 2;
}

/*
 * Lookups at random places in a large file meet the same blocks sooner or later. Their order is to
 * blame, unless they read little data over and over.
 */
static bool are_lookups(const struct causes *all, const struct cause_file *c, double again)
{
	const struct order_file *o = order_of(all, c);
	const double bytes = (double)c->f.all.sums.bytes[0];
	return o != NULL && c->requests >= RANDOM_REQUESTS_MIN && is_random(o, c) &&
	       mean_size(c, 0) <= LOOKUP_MAX && again < bytes - bytes / HOT_PASSES_MIN;
}

static void find_reread(struct causes *all, struct cause_file *c)
{
	const double bytes = (double)c->f.all.sums.bytes[0];
	struct reuse_sums reuse;
	reuse_file_sums(all->from->table->from.reuse, c->number, &reuse);
	const double again = (double)reuse.kind[REUSE_RE_READ];
	if (bytes > 0 && again > bytes / 2 && !are_lookups(all, c, again))
		take(all, c, CAUSE_REREAD, 0, again / bytes);
}

static void find_shared(struct causes *all, struct cause_file *c)
{
	if (c->writers > 1 && c->f.layout != LAYOUT_SEGMENTED &&
	    mean_size(c, 1) <= SHARED_RECORD_MAX)
		take(all, c, CAUSE_SHARED, 1, 1);
}

static void find_random(struct causes *all, struct cause_file *c)
{
	const struct order_file *o = order_of(all, c);
	if (o == NULL || c->requests < RANDOM_REQUESTS_MIN || !(is_backward(o) || is_random(o, c)))
		return;
	take(all, c, CAUSE_RANDOM, 0, 1);
	take(all, c, CAUSE_RANDOM, 1, 1);
}

/* Only a write into data that exists makes the file system read the rest of a block. */
static void find_misaligned(struct causes *all, struct cause_file *c)
{
	if (c->unaligned > c->f.all.sums.count[ROW_WRITES] / 2 &&
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

/* Names */

static uint64_t calls_named(const struct metadata *m, const char *name)
{
	for (size_t i = 0; i < m->names.count; i++)
		if (strcmp(m->names.name[i], name) == 0)
			return m->names.of[i].calls - m->names.of[i].failed;
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

void cause_sums_add_files(struct causes *all)
{
	for (size_t i = 0; i < all->from->table->from.requests->files.count; i++)
		add_file(all, i);
	settle_small_files(all);
}
