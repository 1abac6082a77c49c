/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of darshan-dxt-parser, which are printed with "%8s%8d%7s%9d%16d%16d%12.4f%12.4f":
 *
 *	 X_POSIX       0  write        0               0           16384      0.0301      0.0301
 *
 * [ost]... and a thread (a number or N/A) may follow. Before release 3.2.0 rows of X_MPIIO have no
 * offset. Columns touch if a number fills its column: the expected index shows where an index ends
 * and an offset begins; ambiguous rows are refused.
 */
#include "text.h"

#include <stdio.h>

#include "lib/base/number.h"

enum { INTEGERS = 4, DECIMALS = 4, NS_PER_DECIMAL = 100000, WORD = 24 };

#define NS_PER_S    INT64_C(1000000000)
#define SECONDS_MAX INT64_C(1000000000)

static bool after(struct iot_text *line, const char *prefix)
{
	size_t n = strlen(prefix);
	if (line->size < n || memcmp(line->data, prefix, n) != 0)
		return false;
	line->data += n;
	line->size -= n;
	return true;
}

/* Returns true if the batch must be emitted before the next record starts. */
static bool has_to_wait(struct darshan *d, bool last)
{
	if (d->batch.count == 0)
		return false;
	darshan_batch_close(d, last);
	return true;
}

/* Counts rows that the header announced and that are missing. */
static void end_record(struct darshan *d)
{
	struct darshan_text *t = d->text;
	for (unsigned part = 0; part < 2; part++)
		if (d->dxt.active && t->rows[part] < t->counts[part])
			darshan_count(d, "damaged.segments", t->counts[part] - t->rows[part]);
	d->dxt.active = false;
}

/* "file_id: 123, file_name: /a/b" */
static int take_file(struct darshan *d, struct iot_text v)
{
	struct darshan_text *t = d->text;
	const char *comma = memchr(v.data, ',', v.size);
	size_t digits = comma != NULL ? (size_t)(comma - v.data) : v.size;
	if (has_to_wait(d, true))
		return 1;
	end_record(d);
	t->has_id = number_decimal(v.data, digits, &t->id);
	if (!t->has_id)
		darshan_unparsed(d, v);
	v = (struct iot_text){v.data + digits, v.size - digits};
	if (t->has_id && after(&v, ", file_name: ") && v.size <= DARSHAN_NAME_MAX &&
	    !darshan_name_add(d, t->id, v.data, v.size))
		return -1;
	return 0;
}

/* "rank: 0, hostname: node01" */
static int take_rank(struct darshan *d, struct iot_text v)
{
	struct darshan_text *t = d->text;
	const char *comma = memchr(v.data, ',', v.size);
	size_t digits = comma != NULL ? (size_t)(comma - v.data) : v.size;
	struct iot_text host = {v.data + digits, v.size - digits};
	int64_t rank;
	if (has_to_wait(d, true))
		return 1;
	end_record(d);
	if (!t->has_id || !darshan_integer((struct iot_text){v.data, digits}, &rank) || rank < 0 ||
	    rank > INT32_MAX) {
		darshan_unparsed(d, v);
		return 0;
	}
	if (!after(&host, ", hostname: "))
		host.size = 0;
	t->next[0] = t->next[1] = t->rows[0] = t->rows[1] = t->counts[0] = t->counts[1] = 0;
	/* The layer is known only at the first row. */
	return darshan_record_begin(d, DARSHAN_LAYER_POSIX, t->id, rank, host.data, host.size) ? 0
											       : -1;
}

/* "write_count: 12, read_count: 13" */
static void take_counts(struct darshan *d, struct iot_text v)
{
	struct darshan_text *t = d->text;
	const char *comma = memchr(v.data, ',', v.size);
	size_t digits = comma != NULL ? (size_t)(comma - v.data) : v.size;
	struct iot_text reads = {v.data + digits, v.size - digits};
	if (!number_decimal(v.data, digits, &t->counts[0]) || !after(&reads, ", read_count: ") ||
	    !number_decimal(reads.data, reads.size, &t->counts[1]))
		t->counts[0] = t->counts[1] = 0;
}

int darshan_rows_head(struct darshan *d, struct iot_text line)
{
	if (after(&line, "file_id: "))
		return take_file(d, line);
	if (after(&line, "rank: "))
		return take_rank(d, line);
	if (after(&line, "write_count: "))
		take_counts(d, line);
	return 0;
}

int darshan_rows_end(struct darshan *d)
{
	if (has_to_wait(d, true))
		return 1;
	end_record(d);
	return 0;
}

/* A row */

struct row {
	struct iot_text rest;
	/* index, offset, length; adjacent ones may be one word */
	struct iot_text integer[INTEGERS];
	unsigned integers;
	int64_t time_ns[2], rank, offset, length;
	uint64_t thread;
	bool mpiio, write, has_thread;
};

static struct iot_text word(struct iot_text *rest)
{
	const char *p = rest->data, *end = p + rest->size;
	while (p < end && *p == ' ')
		p++;
	const char *start = p;
	while (p < end && *p != ' ')
		p++;
	*rest = (struct iot_text){p, (size_t)(end - p)};
	return (struct iot_text){start, (size_t)(p - start)};
}

static bool is(struct iot_text text, const char *known)
{
	return text.size == strlen(known) && memcmp(text.data, known, text.size) == 0;
}

/*
 * Parses seconds with four decimals from the start of text, which may continue with another time.
 */
static bool take_time(struct iot_text *text, int64_t *ns)
{
	const char *dot = memchr(text->data, '.', text->size);
	size_t whole = dot != NULL ? (size_t)(dot - text->data) : 0;
	int64_t seconds;
	uint64_t decimals;
	if (dot == NULL || text->size - whole - 1 < DECIMALS ||
	    !darshan_integer((struct iot_text){text->data, whole}, &seconds) ||
	    seconds > SECONDS_MAX || seconds < -SECONDS_MAX ||
	    !number_decimal(dot + 1, DECIMALS, &decimals))
		return false;
	int64_t fraction = (int64_t)decimals * NS_PER_DECIMAL;
	*ns = seconds * NS_PER_S + (text->data[0] == '-' ? -fraction : fraction);
	text->data += whole + 1 + DECIMALS;
	text->size -= whole + 1 + DECIMALS;
	return true;
}

static bool take_words(struct row *r)
{
	struct iot_text w = word(&r->rest);
	r->mpiio = is(w, "X_MPIIO");
	if (!r->mpiio && !is(w, "X_POSIX"))
		return false;
	w = word(&r->rest);
	if (!darshan_integer(w, &r->rank))
		return false;
	w = word(&r->rest);
	r->write = is(w, "write");
	if (!r->write && !is(w, "read"))
		return false;
	w = word(&r->rest);
	while (memchr(w.data, '.', w.size) == NULL) {
		if (w.size == 0 || r->integers == INTEGERS)
			return false;
		r->integer[r->integers++] = w;
		w = word(&r->rest);
	}
	if (!take_time(&w, &r->time_ns[0]))
		return false;
	if (w.size == 0)
		w = word(&r->rest);
	return take_time(&w, &r->time_ns[1]) && w.size == 0;
}

static bool take_thread(struct row *r)
{
	for (struct iot_text w = word(&r->rest); w.size > 0; w = word(&r->rest)) {
		if (w.data[0] == '[' || w.data[w.size - 1] == ']' || is(w, "N/A"))
			continue;
		if (!number_decimal(w.data, w.size, &r->thread))
			return false;
		r->has_thread = true;
	}
	return true;
}

/* Splits the words before the times into index, offset and length; `index` is the expected one. */
static bool take_place(struct row *r, uint64_t index)
{
	char expected[WORD];
	size_t n = (size_t)snprintf(expected, sizeof expected, "%llu", (unsigned long long)index);
	struct iot_text first = r->integer[0];
	if (r->integers == 0 || !darshan_integer(r->integer[r->integers - 1], &r->length))
		return false;
	if (r->integers == 3)
		return is(first, expected) && darshan_integer(r->integer[1], &r->offset);
	if (r->integers != 2)
		return false;
	r->offset = -1;
	if (is(first, expected))
		return r->mpiio; /* old release, without offset */
	return first.size > n && memcmp(first.data, expected, n) == 0 &&
	       darshan_integer((struct iot_text){first.data + n, first.size - n}, &r->offset);
}

static bool wanted(const struct darshan *d, bool mpiio)
{
	return (d->layers & (mpiio ? DARSHAN_LAYER_MPIIO : DARSHAN_LAYER_POSIX)) != 0;
}

/* The header does not name the layer. */
static bool set_layer(struct darshan *d, bool mpiio)
{
	struct darshan_file *f = &d->file[d->dxt.file - 1];
	const unsigned layer = mpiio ? DARSHAN_LAYER_MPIIO : DARSHAN_LAYER_POSIX;
	d->dxt_layers |= layer;
	if (f->layer == layer || !wanted(d, mpiio))
		return true;
	uint32_t file = darshan_file(d, layer, d->dxt.rank, d->dxt.id);
	if (file == 0)
		return false;
	d->dxt.file = file;
	d->dxt.reported = false;
	d->file[file - 1].traced = true;
	return true;
}

int darshan_row(struct darshan *d, struct iot_text line)
{
	struct darshan_text *t = d->text;
	struct row r = {.rest = line};
	bool fine = take_words(&r) && take_thread(&r) && d->dxt.active && r.rank == d->dxt.rank;
	const unsigned part = !r.write;
	if (!fine || !take_place(&r, t->next[part])) {
		darshan_unparsed(d, line);
		t->next[part]++;
		return 0;
	}
	if (d->batch.count > 0 && (part < d->dxt.part || d->batch.count == DARSHAN_BATCH))
		return has_to_wait(d, false);
	if (!set_layer(d, r.mpiio))
		return -1;
	if (d->batch.count == 0)
		d->batch.sorted[0] = d->batch.sorted[1] = true;
	d->dxt.part = part;
	t->next[part]++;
	t->rows[part]++;
	if (wanted(d, r.mpiio)) {
		d->seen_layers |= r.mpiio ? DARSHAN_LAYER_MPIIO : DARSHAN_LAYER_POSIX;
		darshan_batch_add(d, r.offset, r.length, darshan_moment(d, r.time_ns[0]),
				  darshan_moment(d, r.time_ns[1]), r.thread, r.has_thread);
	}
	return 0;
}
