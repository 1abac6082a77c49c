/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes identifying information from events with an allow-list: the keys of directives listed
 * here are rewritten; all others are dropped and counted.
 */
#include <iotrace/filter.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"
#include "lib/base/options.h"
#include "lib/format/directive.h"

#include "allowlist.h"
#include "pseudonym.h"

/* The maximum shift of epochs, and the threshold from which a time is a date, not a run time. */
static const int64_t YEAR_NS = INT64_C(365) * 86400 * 1000000000;
#define SPAN_NS  (20 * YEAR_NS)
#define DATED_NS (10 * YEAR_NS)

struct iot_anonymizer {
	struct iot_anonymize_options options;
	struct idmap processes, files, disks, objects; /* old ids; the new one is number + 1 */
	struct idmap reported;                         /* hashes of pseudonyms */
	uint64_t comments, directives, keys;           /* dropped */
	uint64_t counts;                               /* in the current %counter */
	bool timed;                                    /* a time was seen */
	int64_t shift_ns; /* added to times that count from 1970; 0: the trace has none */
	int status;       /* enum iot_status */
	char *text;       /* of the directives of a batch */
	size_t size, capacity;
	char name[IOT_COMMENT_MAX], value[IOT_COMMENT_MAX];
};

/* Times */

/* The time by which dates are shifted: 0 .. SPAN_NS-1. */
static uint64_t secret_shift(const struct iot_anonymizer *a)
{
	static const char what[] = "time";
	unsigned char bytes[IOT_DIGEST_SIZE];
	uint64_t number;
	pseudonym_digest(&a->options, NAME_OTHER, NULL, (struct iot_text){what, sizeof what},
			 bytes);
	memcpy(&number, bytes, sizeof number);
	return number % (uint64_t)SPAN_NS;
}

/* Reports of replacements */

static bool is_new(struct iot_anonymizer *a, struct iot_text pseudonym)
{
	const size_t before = a->reported.count;
	if (idmap_number(&a->reported, XXH3_64bits(pseudonym.data, pseudonym.size)) == SIZE_MAX)
		a->status = IOT_ENOMEM;
	return a->reported.count > before;
}

static void report_name(struct iot_anonymizer *a, char kind, struct iot_text was,
			struct iot_text becomes)
{
	const char word[] = {kind, '\0'};
	struct iot_replacement r = {.kind = word, .was = was, .becomes = becomes};
	if (a->options.replaced == NULL || !is_new(a, becomes))
		return;
	if (kind == NAME_PATH && (a->options.flags & IOT_KEEP_EXTENSIONS)) {
		const size_t size = pseudonym_extension(was);
		if (size > 0)
			r.extension = (struct iot_text){was.data + was.size - (size - 1), size - 1};
	}
	a->options.replaced(a->options.context, &r);
}

static void report_ids(const struct iot_anonymizer *a, const char *kind, const struct idmap *ids,
		       bool pair)
{
	char was[2 * NUMBER_DIGITS_MAX + 2], becomes[NUMBER_DIGITS_MAX + 1];
	for (size_t i = 0; i < ids->count; i++) {
		const uint64_t key = ids->keys[i];
		size_t size = 0;
		if (pair) {
			size = number_dec(was, key >> 32);
			was[size++] = '/';
		}
		size += number_dec(was + size, pair ? key & UINT32_MAX : key);
		const size_t digits = number_dec(becomes, i + 1);
		const struct iot_replacement r = {
		    .kind = kind, .was = {was, size}, .becomes = {becomes, digits}};
		a->options.replaced(a->options.context, &r);
	}
}

/* Numbers */

static uint32_t renumber(struct iot_anonymizer *a, struct idmap *m, uint64_t key)
{
	size_t number = idmap_number(m, key);
	if (number < UINT32_MAX)
		return (uint32_t)number + 1;
	a->status = IOT_ENOMEM;
	return 0;
}

static uint32_t new_process(struct iot_anonymizer *a, uint32_t process)
{
	return renumber(a, &a->processes, process);
}

static uint32_t new_file(struct iot_anonymizer *a, uint32_t process, uint32_t file, bool disk)
{
	if (disk)
		return renumber(a, &a->disks, file);
	return renumber(a, &a->files, idmap_pair(process, file));
}

static uint32_t new_object(struct iot_anonymizer *a, uint32_t object)
{
	return object == 0 ? 0 : renumber(a, &a->objects, object);
}

static uint64_t coarse(uint64_t value, uint64_t grain)
{
	return grain > 1 ? value - value % grain : value;
}

/* Both ends are rounded down, so that ordered I/Os stay ordered and do not begin to overlap. */
static void coarsen_time(const struct iot_anonymizer *a, int64_t *start_ns, uint64_t *duration_ns)
{
	const uint64_t grain = a->options.time_grain_ns, start = (uint64_t)*start_ns;
	if (grain <= 1 || *start_ns < 0)
		return;
	*start_ns = (int64_t)coarse(start, grain);
	*duration_ns = coarse(start + *duration_ns, grain) - (uint64_t)*start_ns;
}

/* Unless that is more than 2^64-1. */
static uint64_t coarse_end(uint64_t end, uint64_t grain)
{
	const bool rounds = grain > 1 && end % grain != 0 && end <= UINT64_MAX - grain;
	return rounds ? coarse(end, grain) + grain : end;
}

static void coarsen_size(const struct iot_anonymizer *a, struct iot_record *rec)
{
	bool blocks = (rec->type & IOT_LOGICAL) == 0;
	uint64_t grain = a->options.size_grain / (blocks ? IOT_BLOCK_SIZE : 1), end;
	if (grain <= 1 || __builtin_add_overflow(rec->offset, rec->length, &end))
		return;
	rec->offset = coarse(rec->offset, grain);
	rec->length = rec->length == 0 ? 0 : coarse_end(end, grain) - rec->offset;
}

/* Rounds down, also below zero. */
static int64_t coarsen_clock(int64_t ns, uint64_t grain_ns)
{
	const int64_t grain = (int64_t)grain_ns, rest = ns % grain;
	if (rest == 0)
		return ns;
	return rest > 0 ? ns - rest : ns < INT64_MIN + 1 + grain ? ns : ns - rest - grain;
}

/*
 * Times that count from 1970 reveal when the trace was recorded, as an epoch does: they are shifted
 * by the same amount, so that they still align with traces whose epoch is shifted.
 */
static void hide_date(struct iot_anonymizer *a, struct iot_record *rec)
{
	if (!a->timed && rec->start_ns >= DATED_NS)
		a->shift_ns = (int64_t)secret_shift(a);
	a->timed = true;
	if (rec->start_ns <= INT64_MAX - 2 * SPAN_NS && rec->duration_ns <= SPAN_NS)
		rec->start_ns += a->shift_ns;
}

static void change_record(struct iot_anonymizer *a, struct iot_record *rec)
{
	rec->file = new_file(a, rec->process, rec->file, (rec->type & IOT_LOGICAL) == 0);
	rec->process = new_process(a, rec->process);
	rec->object = new_object(a, rec->object);
	hide_date(a, rec);
	coarsen_time(a, &rec->start_ns, &rec->duration_ns);
	if (a->options.time_grain_ns > 1)
		rec->cpu_ns = coarsen_clock(rec->cpu_ns, a->options.time_grain_ns);
	coarsen_size(a, rec);
}

/* Rewriting of directives */

static void put_name(struct iot_anonymizer *a, struct iot_builder *b, const char *key, char kind,
		     struct iot_text name)
{
	size_t size = kind == NAME_PATH
			  ? pseudonym_path(&a->options, name, a->name, sizeof a->name / 2)
			  : pseudonym_name(&a->options, kind, name, a->name);
	/* A path of very many components would exceed the limit: it becomes one name. */
	if (size == 0 && name.size > 0)
		size = pseudonym_name(&a->options, kind, name, a->name);
	report_name(a, kind, name, (struct iot_text){a->name, size});
	iot_directive_text(b, key, a->name, size);
}

static void put_lacks(struct iot_builder *b, const char *key, struct iot_text list)
{
	char out[128];
	size_t n = 0;
	for (const char *at = list.data, *end = at + list.size; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const struct iot_text word = {at, (size_t)((comma != NULL ? comma : end) - at)};
		if (allowlist_has(VALUE_LACKS, word) && n + word.size + 1 < sizeof out) {
			if (n > 0)
				out[n++] = ',';
			memcpy(out + n, word.data, word.size);
			n += word.size;
		}
		at = comma != NULL ? comma + 1 : end;
	}
	if (n > 0)
		iot_directive_text(b, key, out, n);
}

static void put_epoch(struct iot_anonymizer *a, struct iot_builder *b, const char *key,
		      struct iot_text value)
{
	uint64_t epoch;
	if ((a->options.flags & IOT_SHIFT_EPOCH) == 0 ||
	    !number_decimal(value.data, value.size, &epoch) ||
	    epoch > (uint64_t)(INT64_MAX - SPAN_NS))
		a->keys++;
	else if (epoch < (uint64_t)DATED_NS) /* the times contain the date, see hide_date */
		iot_directive_number(b, key, epoch);
	else
		iot_directive_number(b, key, epoch + secret_shift(a));
}

static void put_words(struct iot_anonymizer *a, struct iot_builder *b, const struct key_rule *key,
		      struct iot_text value)
{
	bool fine = allowlist_has(key->value, value);
	/* Without a result, the operation would appear to have succeeded. */
	if (!fine && (key->value == VALUE_RESULT || key->value == VALUE_OPERATION)) {
		value = (struct iot_text){key->value == VALUE_RESULT ? "error" : "other", 5};
		fine = true;
	}
	if (fine)
		iot_directive_text(b, key->name, value.data, value.size);
	else
		a->keys++;
}

static void put_number(struct iot_anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
		       const struct key_rule *key, struct iot_text value)
{
	uint64_t number;
	if (!number_decimal(value.data, value.size, &number)) {
		a->keys++;
		return;
	}
	const bool is_id = key->value != VALUE_TIME && key->value != VALUE_TOOK;
	/*
	 * A value that is not a known id is dropped, because it may be a number that identifies a
	 * person.
	 */
	if (is_id && number > UINT32_MAX) {
		a->keys++;
		return;
	}
	bool disk = (ev->has & IOT_HAS_DISK) != 0;
	if (key->value == VALUE_TIME)
		number = (uint64_t)ev->rec.start_ns;
	else if (key->value == VALUE_TOOK)
		number = ev->rec.duration_ns;
	else if (key->value == VALUE_PROCESS)
		number = new_process(a, (uint32_t)number);
	else if (key->value == VALUE_FILE)
		number = new_file(a, ev->rec.process, (uint32_t)number, disk);
	else if (key->value == VALUE_OBJECT)
		number = new_object(a, (uint32_t)number);
	iot_directive_number(b, key->name, number);
}

/* Sizes are rounded as the end of an I/O is, and spans of time as its duration is. */
static void put_rounded(struct iot_anonymizer *a, struct iot_builder *b, const struct key_rule *key,
			struct iot_text value)
{
	uint64_t number;
	if (!number_decimal(value.data, value.size, &number))
		a->keys++;
	else if (key->value == VALUE_SIZE)
		iot_directive_number(b, key->name, coarse_end(number, a->options.size_grain));
	else
		iot_directive_number(b, key->name, coarse(number, a->options.time_grain_ns));
}

static void put(struct iot_anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
		const struct key_rule *key, struct iot_text value)
{
	switch (key->value) {
	case VALUE_TIME:
	case VALUE_TOOK:
	case VALUE_PROCESS:
	case VALUE_FILE:
	case VALUE_OBJECT:
		put_number(a, b, ev, key, value);
		break;
	case VALUE_SIZE:
	case VALUE_SPAN:
		put_rounded(a, b, key, value);
		break;
	case VALUE_EPOCH:
		put_epoch(a, b, key->name, value);
		break;
	case VALUE_PATH:
		put_name(a, b, key->name, NAME_PATH, value);
		break;
	case VALUE_HOST:
		put_name(a, b, key->name, NAME_HOST, value);
		break;
	case VALUE_USER:
		put_name(a, b, key->name, NAME_USER, value);
		break;
	case VALUE_COMMAND:
		put_name(a, b, key->name, NAME_COMMAND, value);
		break;
	case VALUE_NAME:
		put_name(a, b, key->name, NAME_PROCESS, value);
		break;
	case VALUE_TARGET:
		put_name(a, b, key->name, NAME_TARGET, value);
		break;
	case VALUE_JOB:
		put_name(a, b, key->name, NAME_JOB, value);
		break;
	case VALUE_LACKS:
		put_lacks(b, key->name, value);
		break;
	default:
		put_words(a, b, key, value);
		break;
	}
}

static bool is_exact(const struct iot_anonymizer *a)
{
	return a->options.time_grain_ns <= 1 && a->options.size_grain <= 1;
}

/* Times and bytes in counters are exact and would defeat the rounding. */
static bool is_allowed_counter(const struct iot_anonymizer *a, struct iot_text name,
			       struct iot_text value)
{
	return a->options.counter != NULL &&
	       a->options.counter(a->options.context, name, is_exact(a)) &&
	       allowlist_has(VALUE_NUMERIC, value);
}

/* A key that is not in the list. */
static void put_other(struct iot_anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
		      struct iot_text name, struct iot_text value)
{
	bool known = ev->kind == IOT_COUNTER && is_allowed_counter(a, name, value);
	a->counts += known;
	if ((known || (a->options.flags & IOT_KEEP_UNKNOWN)) && name.size < sizeof a->name) {
		memcpy(a->name, name.data, name.size);
		a->name[name.size] = '\0';
		iot_directive_text(b, a->name, value.data, value.size);
	} else {
		a->keys++;
	}
}

/* The last value of a repeated key applies: the others are dropped. */
static bool is_repeated(const struct iot_event *ev, const char *name, struct iot_text value)
{
	struct iot_text last = iot_directive_get(ev, name);
	return last.data != value.data;
}

static void put_word(struct iot_anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
		     struct iot_text word)
{
	struct iot_text name, coded;
	if (!directive_split(word, &name, &coded)) {
		a->keys++;
		return;
	}
	const uint32_t kind = directive_is_sample(ev) ? ALLOWLIST_SAMPLE : ev->kind;
	const struct key_rule *key = allowlist_key(kind, name);
	if (key == NULL && (a->options.flags & IOT_KEEP_UNKNOWN))
		key = allowlist_key(IOT_DIRECTIVE, name);
	const struct iot_text value = {a->value, iot_percent_decode(coded, a->value, NULL)};
	if (key == NULL)
		put_other(a, b, ev, name, value);
	else if (!is_repeated(ev, key->name, coded))
		put(a, b, ev, key, value);
}

static bool change_directive(struct iot_anonymizer *a, struct iot_event *ev)
{
	struct iot_builder b;
	struct iot_event made, was = *ev;
	struct iot_text rest = ev->text, word;
	char name[64];
	(void)word_next(&rest, &word);
	if (word.size - 1 >= sizeof name || ev->text.size > sizeof a->value) {
		a->directives++;
		return false;
	}
	memcpy(name, word.data + 1, word.size - 1);
	name[word.size - 1] = '\0';
	if ((was.has & IOT_HAS_TIME) != 0)
		hide_date(a, &was.rec);
	coarsen_time(a, &was.rec.start_ns, &was.rec.duration_ns);
	a->counts = 0;
	if (!array_reserve(&a->text, &a->capacity, a->size + IOT_COMMENT_MAX, 1)) {
		a->status = IOT_ENOMEM;
		return false;
	}
	iot_directive_begin(&b, a->text + a->size, IOT_COMMENT_MAX, name);
	while (word_next(&rest, &word))
		put_word(a, &b, &was, word);
	const bool empty = (ev->kind == IOT_COUNTER && !is_exact(a) && a->counts == 0) ||
			   (directive_is_sample(ev) && was.rec.duration_ns == 0);
	if (iot_directive_end(&b, &made) != IOT_OK || empty) {
		a->directives++;
		return false;
	}
	if ((made.has & IOT_HAS_TIME) == 0)
		made.rec.start_ns = was.rec.start_ns;
	a->size += made.text.size;
	*ev = made;
	return true;
}

/* Changes an event; returns false if it is dropped. The text of directives follows later. */
static bool change_event(struct iot_anonymizer *a, struct iot_event *ev)
{
	switch (ev->kind) {
	case IOT_RECORD:
		change_record(a, &ev->rec);
		break;
	case IOT_COMMENT:
		if ((a->options.flags & IOT_KEEP_COMMENTS))
			break;
		a->comments++;
		return false;
	case IOT_DIRECTIVE:
		if ((a->options.flags & IOT_KEEP_UNKNOWN) || directive_is_sample(ev))
			return change_directive(a, ev);
		a->directives++;
		return false;
	default:
		return change_directive(a, ev);
	}
	return true;
}

/* The stage */

static int next(void *context, struct iot_stream *self, struct iot_batch *b)
{
	struct iot_anonymizer *a = context;
	const int status = iot_stream_next(iot_stream_upstream(self), b);
	const char *text;
	size_t kept = 0;
	a->size = 0;
	for (size_t i = 0; i < b->count && status > 0; i++) {
		if (!change_event(a, &b->events[i]))
			continue;
		if (kept < i)
			b->events[kept] = b->events[i];
		kept++;
	}
	/* The text has moved if it grew. */
	text = a->text;
	for (size_t i = 0; i < kept; i++) {
		struct iot_event *ev = &b->events[i];
		if (ev->kind == IOT_RECORD || ev->kind == IOT_COMMENT)
			continue;
		ev->text.data = text;
		text += ev->text.size;
	}
	b->count = kept;
	b->watermark_ns = INT64_MIN;
	return a->status == IOT_OK ? status : iot_stream_fail(self, a->status, "out of memory");
}

static void close_stage(void *context)
{
	const struct iot_anonymizer *a = context;
	if (a->options.replaced == NULL)
		return;
	report_ids(a, "process", &a->processes, false);
	report_ids(a, "file", &a->files, true);
	report_ids(a, "disk", &a->disks, false);
	report_ids(a, "object", &a->objects, false);
}

/* Restarts ids and counts; names are not reported again. */
static void restart(struct iot_anonymizer *a)
{
	idmap_free(&a->processes);
	idmap_free(&a->files);
	idmap_free(&a->disks);
	idmap_free(&a->objects);
	a->processes = a->files = a->disks = a->objects = (struct idmap){0};
	a->comments = a->directives = a->keys = 0;
	a->timed = false;
	a->shift_ns = 0;
	a->status = IOT_OK;
}

struct iot_stream *iot_stream_anonymize(struct iot_stream *upstream, struct iot_anonymizer *a)
{
	static const struct iot_stage stage = {.next = next, .close = close_stage};
	if (upstream == NULL)
		return NULL;
	restart(a);
	return iot_stream_new(upstream, &stage, a);
}

uint64_t iot_anonymizer_fact(const struct iot_anonymizer *a, enum iot_anonymizer_fact fact)
{
	switch (fact) {
	case IOT_ANONYMIZER_PROCESSES:
		return a->processes.count;
	case IOT_ANONYMIZER_FILES:
		return a->files.count + a->disks.count;
	case IOT_ANONYMIZER_OBJECTS:
		return a->objects.count;
	case IOT_ANONYMIZER_COMMENTS:
		return a->comments;
	case IOT_ANONYMIZER_DIRECTIVES:
		return a->directives;
	case IOT_ANONYMIZER_KEYS:
		return a->keys;
	}
	return 0;
}

struct iot_anonymizer *iot_anonymizer_new(const struct iot_anonymize_options *options)
{
	struct iot_anonymizer *a = calloc(1, sizeof *a);
	if (a == NULL)
		return NULL;
	if (options_copy(&a->options, sizeof a->options, options) && a->options.hash != NULL &&
	    a->options.time_grain_ns <= INT64_MAX)
		return a;
	free(a);
	return NULL;
}

void iot_anonymizer_free(struct iot_anonymizer *a)
{
	if (a == NULL)
		return;
	restart(a);
	idmap_free(&a->reported);
	free(a->text);
	free(a);
}
