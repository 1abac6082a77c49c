/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Warnings. Canonical form is not analysed but tested: the records are encoded again with a
 * separate codec in the same state, and the bytes compared; a batch at once, and line by line only
 * if it differs.
 */
#include "lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/codec/record_line.h"
#include "lib/base/idmap.h"
#include "lib/codec/codec.h"
#include "lib/format/directive_codec.h"
#include "lib/format/sample.h"

enum {
	BATCH = 1024,
	CODEC_PROCESSES = 64,
	CODEC_MAX = 1 << 28,
	TRACKED_MAX = 1 << 21, /* maximum number of processes and files tracked */
	EXCERPT_SIZE = 60,
};

/* The last I/O of a process, or the last sample. */
struct span {
	int64_t start_ns, end_ns;
};

struct lint {
	struct iot_verifier *handle; /* for findings */
	struct iot_codec *codec;     /* for encoding */
	size_t codec_size;
	uint64_t tick_ns;
	unsigned base;
	char *encoded, *value;
	struct directive_codec *directives; /* for encoding; NULL in version 1 */
	char *in_ticks;                     /* in version 2 */
	int64_t last_start_ns;
	bool no_starts; /* lacks=start */
	struct idmap processes;
	struct span *last; /* indexed by process */
	size_t last_capacity;
	struct idmap sampled;        /* what samples count */
	struct span *sample_of_same; /* the last sample of the same, indexed by its number */
	size_t sample_capacity;
	struct idmap files[2]; /* files, and disks, by process and id */
	bool *unnamed[2];      /* files used without a definition */
	size_t unnamed_capacity[2];
};

/* The handle */

struct lint *lint_new(struct iot_verifier *handle, uint64_t tick_ns, unsigned base,
		      uint64_t version)
{
	struct lint *l = calloc(1, sizeof(*l));
	if (l == NULL)
		return NULL;
	l->handle = handle;
	l->tick_ns = tick_ns;
	l->base = base;
	l->codec_size = iot_codec_size(CODEC_PROCESSES);
	l->encoded = malloc(BATCH * IOT_ENCODED_MAX);
	l->value = malloc(IOT_COMMENT_MAX);
	void *block = malloc(l->codec_size);
	if (block != NULL)
		l->codec = iot_codec_init(block, l->codec_size, tick_ns, base);
	if (version > 1) {
		l->directives = directive_codec_new();
		l->in_ticks = malloc(RETIMED_MAX(IOT_COMMENT_MAX));
	}
	const bool complete = version == 1 || (l->directives != NULL && l->in_ticks != NULL);
	if (l->encoded == NULL || l->value == NULL || l->codec == NULL || !complete) {
		lint_free(l);
		return NULL;
	}
	return l;
}

void lint_free(struct lint *l)
{
	if (l == NULL)
		return;
	directive_codec_free(l->directives);
	free(l->in_ticks);
	free(l->codec);
	idmap_free(&l->processes);
	free(l->last);
	idmap_free(&l->sampled);
	free(l->sample_of_same);
	for (int disk = 0; disk < 2; disk++) {
		idmap_free(&l->files[disk]);
		free(l->unnamed[disk]);
	}
	free(l->encoded);
	free(l->value);
	free(l);
}

void lint_interval(struct lint *l, int64_t start_ticks)
{
	iot_codec_forget(l->codec);
	directive_codec_forget(l->directives);
	codec_set_start(l->codec, start_ticks);
	l->last_start_ns = start_ticks * (int64_t)l->tick_ns;
}

/* State of processes and files */

static size_t number_of(struct idmap *m, uint64_t key)
{
	return m->count < TRACKED_MAX ? idmap_number(m, key) : idmap_find(m, key);
}

/* Returns NULL if the limit is reached. */
static struct span *last_of(struct lint *l, uint32_t process)
{
	const size_t i = number_of(&l->processes, process);
	const bool reserved = array_reserve_index(&l->last, &l->last_capacity, i, sizeof *l->last);
	return reserved ? &l->last[i] : NULL;
}

/* Returns NULL if the file has not been used without a definition, or the limit is reached. */
static bool *unnamed_of(struct lint *l, const struct iot_record *rec, bool disk)
{
	const size_t i = idmap_find(&l->files[disk], idmap_pair(rec->process, rec->file));
	return i < l->unnamed_capacity[disk] ? &l->unnamed[disk][i] : NULL;
}

/* Records */

static const char *line_at(const char *text, size_t i)
{
	while (i-- > 0)
		text = (const char *)rawmemchr(text, '\n') + 1;
	return text;
}

/* Returns the column of a field on the i-th line. */
static unsigned column_of(struct lint *l, const char *text, size_t i, enum field which)
{
	size_t column[RECORD_FIELDS] = {0};
	struct record_fields f;
	const char *p = line_at(text, i);
	const size_t size = (size_t)((const char *)rawmemchr(p, '\n') - p);
	return record_line_parse(l->codec, p, size, &f, column) == IOT_OK ? (unsigned)column[which]
									  : 1;
}

static void check_time(struct lint *l, const char *text, const struct iot_record *rec, size_t i,
		       uint64_t line)
{
	if (rec->start_ns < l->last_start_ns && finding_select(l->handle, IOT_WARN_TIME))
		finding_print(l->handle, IOT_WARN_TIME, line, column_of(l, text, i, FIELD_START),
			      "starts %lld ns before the record before",
			      (long long)(l->last_start_ns - rec->start_ns));
	l->last_start_ns = rec->start_ns;
}

/* A process is a thread group, and a copying call is two I/Os: an overlap alone is not an error. */
static void check_overlap(struct lint *l, const struct iot_record *rec, uint64_t line)
{
	const int64_t end_ns = rec->start_ns + (int64_t)rec->duration_ns;
	if (l->no_starts || (rec->type & (IOT_LOGICAL | IOT_ASYNC)) != IOT_LOGICAL)
		return;
	struct span *m = last_of(l, rec->process);
	if (m == NULL)
		return;
	if (rec->start_ns < m->end_ns && end_ns > m->start_ns)
		finding_report(l->handle, IOT_NOTE_OVERLAP, line, 1,
			       "process %u starts this synchronous I/O %lld ns before its last "
			       "one is done",
			       rec->process, (long long)(m->end_ns - rec->start_ns));
	if (end_ns >= m->end_ns) {
		m->start_ns = rec->start_ns;
		m->end_ns = end_ns;
	}
}

static void compare_line(struct lint *l, const char *p, size_t n, const char *q, size_t m,
			 uint64_t line)
{
	char wanted[EXCERPT_SIZE + 8];
	size_t at = 0;
	if (n == m && memcmp(p, q, n) == 0)
		return;
	if (!finding_select(l->handle, IOT_WARN_SPELLING))
		return;
	while (at < n && at < m && p[at] == q[at])
		at++;
	escape_text(wanted, sizeof(wanted), q, m);
	finding_print(l->handle, IOT_WARN_SPELLING, line, (unsigned)at + 1,
		      "not canonical: a writer makes '%s' of it", wanted);
}

static void compare_lines(struct lint *l, const char *p, const char *q, size_t n, uint64_t line)
{
	for (size_t i = 0; i < n; i++) {
		const char *p_end = rawmemchr(p, '\n'), *q_end = rawmemchr(q, '\n');
		compare_line(l, p, (size_t)(p_end - p), q, (size_t)(q_end - q), line + i);
		p = p_end + 1;
		q = q_end + 1;
	}
}

static int grow_codec(struct lint *l)
{
	if (l->codec_size >= CODEC_MAX)
		return IOT_ELIMIT;
	void *bigger = realloc(l->codec, 2 * l->codec_size);
	if (bigger == NULL)
		return IOT_ENOMEM;
	l->codec_size *= 2;
	l->codec = iot_codec_grow(bigger, l->codec_size);
	return IOT_OK;
}

/*
 * n <= BATCH. *size is 0 if a record cannot be encoded, which should not happen for a decoded
 * record.
 */
static int encode(struct lint *l, const struct iot_record *rec, size_t n, size_t *size)
{
	*size = 0;
	for (size_t done = 0; done < n;) {
		size_t bytes;
		ssize_t last;
		done += codec_encode_lines(l->codec, rec + done, n - done, sizeof(*rec),
					   l->encoded + *size, BATCH * IOT_ENCODED_MAX - *size,
					   &bytes, &last);
		*size += bytes;
		if (last >= 0)
			continue;
		const int status = last == IOT_ELIMIT ? grow_codec(l) : IOT_EUSAGE;
		if (status != IOT_OK) {
			*size = 0;
			return status == IOT_EUSAGE ? IOT_OK : status;
		}
	}
	return IOT_OK;
}

static int compare_records(struct lint *l, const char *text, size_t size,
			   const struct iot_record *rec, size_t n, uint64_t line)
{
	size_t made;
	const int status = encode(l, rec, n, &made);
	if (status != IOT_OK || made == 0)
		return status;
	if (made != size || memcmp(text, l->encoded, size) != 0)
		compare_lines(l, text, l->encoded, n, line);
	return IOT_OK;
}

int lint_records(struct lint *l, const char *text, size_t size, const struct iot_record *rec,
		 size_t n, uint64_t line)
{
	for (size_t i = 0; i < n; i++) {
		check_time(l, text, &rec[i], i, line + i);
		check_overlap(l, &rec[i], line + i);
		if (rec[i].type & 0x04)
			finding_report(l->handle, IOT_WARN_BITS, line + i, 1,
				       "recordType has the undefined bit 04");
	}
	return compare_records(l, text, size, rec, n, line);
}

void lint_new_file(struct lint *l, const struct iot_record *rec, bool named)
{
	const int disk = (rec->type & IOT_LOGICAL) == 0;
	if (named)
		return;
	const size_t i = number_of(&l->files[disk], idmap_pair(rec->process, rec->file));
	if (array_reserve_index(&l->unnamed[disk], &l->unnamed_capacity[disk], i, sizeof(bool)))
		l->unnamed[disk][i] = true;
}

/* Comments */

void lint_spelling(struct lint *l, const char *p, const struct text_line *look,
		   struct iot_text canonical, uint64_t line)
{
	const char *mark = l->base == 16 ? "ff" : "255";
	const size_t n = strlen(mark), wanted = n + (canonical.size > 0) + canonical.size;
	const size_t size = (size_t)(look->next - p);
	if (size == wanted + 1 && memcmp(p, mark, n) == 0 && (canonical.size == 0 || p[n] == ' ') &&
	    (canonical.size == 0 || memcmp(p + n + 1, canonical.data, canonical.size) == 0))
		return;
	finding_report(l->handle, IOT_WARN_SPELLING, line, 1,
		       "not canonical: a writer spells this line in another way");
}

void lint_comment(struct lint *l, const char *p, const struct text_line *look,
		  struct iot_text decoded, uint64_t line)
{
	struct iot_text text = look->text;
	if (l->directives != NULL) {
		text = decoded;
		directive_to_ticks(&text, l->tick_ns, l->in_ticks);
		const ssize_t n = directive_codec_encode(l->directives, text, l->encoded);
		if (n > 0)
			text = (struct iot_text){l->encoded, (size_t)n};
	}
	lint_spelling(l, p, look, text, line);
}

void lint_blank(struct lint *l, uint64_t line)
{
	finding_report(l->handle, IOT_WARN_SPELLING, line, 1,
		       "not canonical: a writer makes no blank lines");
}

static void check_percent(struct lint *l, const struct iot_event *ev, uint64_t line,
			  unsigned column)
{
	struct iot_text rest = ev->text, token, key, value;
	while (word_next(&rest, &token)) {
		unsigned malformed = 0;
		if (!directive_split(token, &key, &value) || value.size == 0 ||
		    memchr(value.data, '%', value.size) == NULL)
			continue;
		iot_percent_decode(value, l->value, &malformed);
		if (malformed > 0)
			finding_report(l->handle, IOT_WARN_PERCENT, line,
				       column + (unsigned)(value.data - ev->text.data),
				       "%u malformed %%XX", malformed);
	}
}

static void check_file(struct lint *l, const struct iot_event *ev, uint64_t line, unsigned column)
{
	bool *unnamed = unnamed_of(l, &ev->rec, (ev->has & IOT_HAS_DISK) != 0);
	if (unnamed != NULL && *unnamed)
		finding_report(l->handle, IOT_WARN_LATE_FILE, line, column,
			       "%%file after the first record of file %u of process %u",
			       ev->rec.file, ev->rec.process);
	if (unnamed != NULL)
		*unnamed = false;
}

/* Two samples count the time that they share twice. */
static void check_sample(struct lint *l, const struct iot_event *ev, uint64_t line, unsigned column)
{
	struct sample s;
	if (!sample_of(ev, &s) || s.known == 0)
		return;
	const size_t i = number_of(&l->sampled, sample_key(&s));
	if (!array_reserve_index(&l->sample_of_same, &l->sample_capacity, i,
				 sizeof *l->sample_of_same))
		return;
	struct span *m = &l->sample_of_same[i];
	const int64_t from = (int64_t)s.start_ns, to = from + (int64_t)s.took_ns;
	if (from < m->end_ns && to > m->start_ns)
		finding_report(l->handle, IOT_WARN_SAMPLE, line, column,
			       "a sample of this host, target and job covers %lld ns already",
			       (long long)((m->end_ns < to ? m->end_ns : to) -
					   (m->start_ns > from ? m->start_ns : from)));
	if (to >= m->end_ns)
		*m = (struct span){from, to};
}

void lint_directive(struct lint *l, const struct iot_event *ev, uint64_t line, unsigned column)
{
	if (ev->kind == IOT_COMMENT)
		return;
	unsigned lacks;
	if (ev->kind == IOT_TRACE && iot_directive_lacks(ev, &lacks))
		l->no_starts = (lacks & IOT_START_UNKNOWN) != 0;
	check_percent(l, ev, line, column);
	if (ev->kind == IOT_FILE)
		check_file(l, ev, line, column);
	if (directive_is_sample(ev))
		check_sample(l, ev, line, column);
	if (ev->kind != IOT_OP || !directive_closes(ev))
		return;
	bool *unnamed = unnamed_of(l, &ev->rec, false);
	if (unnamed != NULL)
		*unnamed = false;
}
