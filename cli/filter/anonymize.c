/* SPDX-License-Identifier: BSD-2-Clause */
/* See anonymize.h. */
#include "anonymize.h"

#include <string.h>

#include <xxhash.h>

#include "converters/converter.h"
#include "lib/format/directive.h"
#include "lib/base/number.h"

#include "allowlist.h"

/* The maximum shift of epochs, and the threshold from which a time is a date, not a run time. */
static const int64_t YEAR_NS = INT64_C(365) * 86400 * 1000000000;
#define SPAN_NS  (20 * YEAR_NS)
#define DATED_NS (10 * YEAR_NS)

/* The private mapping: KIND, original, replacement, separated by tabs. */

static bool is_new(struct anonymizer *a, const char *pseudonym, size_t size)
{
	size_t before = a->reported.count;
	if (idmap_number(&a->reported, XXH3_64bits(pseudonym, size)) == SIZE_MAX)
		a->status = IOT_ENOMEM;
	return a->reported.count > before;
}

static void write_encoded(struct output *out, struct iot_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];
		if (c <= ' ' || c == '%' || c == 0x7f)
			output_printf(out, "%%%02X", c);
		else
			output_write(out, &text.data[i], 1);
	}
}

static void report(struct anonymizer *a, const char *kind, struct iot_text was,
		   const char *pseudonym, size_t size)
{
	const bool stays = size == was.size && memcmp(pseudonym, was.data, size) == 0;
	if (a->map == NULL || stays || !is_new(a, pseudonym, size))
		return;
	output_printf(a->map, "%s\t", kind);
	write_encoded(a->map, was);
	output_write(a->map, "\t", 1);
	output_write(a->map, pseudonym, size);
	output_write(a->map, "\n", 1);
}

void anonymizer_report_trace(struct anonymizer *a, const char *path)
{
	if (a->map == NULL)
		return;
	output_printf(a->map, "trace\t");
	write_encoded(a->map, (struct iot_text){path, strlen(path)});
	output_write(a->map, "\n", 1);
}

static void report_numbers(struct output *out, const char *kind, const struct idmap *m, bool pair)
{
	for (size_t i = 0; i < m->count; i++) {
		uint64_t key = m->keys[i];
		if (pair)
			output_printf(out, "%s\t%ju/%ju\t%zu\n", kind, (uintmax_t)(key >> 32),
				      (uintmax_t)(key & UINT32_MAX), i + 1);
		else
			output_printf(out, "%s\t%ju\t%zu\n", kind, (uintmax_t)key, i + 1);
	}
}

void anonymizer_print_ids(struct anonymizer *a)
{
	if (a->map == NULL)
		return;
	report_numbers(a->map, "process", &a->processes, false);
	report_numbers(a->map, "file", &a->files, true);
	report_numbers(a->map, "disk", &a->disks, false);
	report_numbers(a->map, "object", &a->objects, false);
}

/* Numbers */

static uint32_t renumber(struct anonymizer *a, struct idmap *m, uint64_t key)
{
	size_t number = idmap_number(m, key);
	if (number < UINT32_MAX)
		return (uint32_t)number + 1;
	a->status = IOT_ENOMEM;
	return 0;
}

static uint32_t new_process(struct anonymizer *a, uint32_t process)
{
	return renumber(a, &a->processes, process);
}

static uint32_t new_file(struct anonymizer *a, uint32_t process, uint32_t file, bool disk)
{
	if (disk)
		return renumber(a, &a->disks, file);
	return renumber(a, &a->files, idmap_pair(process, file));
}

static uint32_t new_object(struct anonymizer *a, uint32_t object)
{
	return object == 0 ? 0 : renumber(a, &a->objects, object);
}

static uint64_t coarse(uint64_t value, uint64_t grain)
{
	return grain > 1 ? value - value % grain : value;
}

/* Both ends are rounded down, so that ordered I/Os stay ordered and do not begin to overlap. */
static void coarsen_time(const struct anonymizer *a, int64_t *start_ns, uint64_t *duration_ns)
{
	const uint64_t grain = a->options->time_grain_ns, start = (uint64_t)*start_ns;
	if (grain <= 1 || *start_ns < 0)
		return;
	*start_ns = (int64_t)coarse(start, grain);
	*duration_ns = coarse(start + *duration_ns, grain) - (uint64_t)*start_ns;
}

static void coarsen_size(const struct anonymizer *a, struct iot_record *rec)
{
	bool blocks = (rec->type & IOT_LOGICAL) == 0;
	uint64_t grain = a->options->size_grain / (blocks ? IOT_BLOCK_SIZE : 1), end;
	if (grain <= 1 || __builtin_add_overflow(rec->offset, rec->length, &end))
		return;
	rec->offset = coarse(rec->offset, grain);
	if (end % grain != 0 && end <= UINT64_MAX - grain)
		end = coarse(end, grain) + grain;
	rec->length = rec->length == 0 ? 0 : end - rec->offset;
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
static void hide_date(struct anonymizer *a, struct iot_record *rec)
{
	if (!a->timed && rec->start_ns >= DATED_NS)
		a->moved_ns = (int64_t)pseudonym_shift(&a->options->names, SPAN_NS);
	a->timed = true;
	if (rec->start_ns <= INT64_MAX - 2 * SPAN_NS && rec->duration_ns <= SPAN_NS)
		rec->start_ns += a->moved_ns;
}

static void change_record(struct anonymizer *a, struct iot_record *rec)
{
	rec->file = new_file(a, rec->process, rec->file, (rec->type & IOT_LOGICAL) == 0);
	rec->process = new_process(a, rec->process);
	rec->object = new_object(a, rec->object);
	hide_date(a, rec);
	coarsen_time(a, &rec->start_ns, &rec->duration_ns);
	if (a->options->time_grain_ns > 1)
		rec->cpu_ns = coarsen_clock(rec->cpu_ns, a->options->time_grain_ns);
	coarsen_size(a, rec);
}

/* Values */

/* The type of a key's value, which determines its treatment. */
enum value {
	VALUE_TIME, /* ticks in the trace, nanoseconds here */
	VALUE_TOOK,
	VALUE_NUMBER, /* decimal */
	VALUE_PROCESS,
	VALUE_FILE,
	VALUE_OBJECT,
	VALUE_EPOCH,
	VALUE_PATH,
	VALUE_HOST,
	VALUE_USER,
	VALUE_COMMAND,
	VALUE_NAME,   /* of a process */
	VALUE_SOURCE, /* a tool or a layer of one */
	VALUE_LACKS,
	VALUE_KEYWORD, /* posix, requested, rank-0 */
	VALUE_NUMERIC, /* signed, or with dots: -1, 3.41 */
	VALUE_OPERATION,
	VALUE_RESULT,     /* a number or the name of an errno */
	VALUE_KNOWN,      /* offset=known or unknown */
	VALUE_KIND,       /* kind=disk */
	VALUE_VERSION,    /* 3.41, 2.2.1 */
	VALUE_FILESYSTEM, /* ext4 */
	VALUE_REASON      /* why=interrupted */
};

struct key_rule {
	const char *name;
	enum value value;
};

static const struct key_rule trace_keys[] = {{"source", VALUE_SOURCE},
					     {"command", VALUE_COMMAND},
					     {"host", VALUE_HOST},
					     {"user", VALUE_USER},
					     {"epoch", VALUE_EPOCH},
					     {"lacks", VALUE_LACKS},
					     {"layer", VALUE_KEYWORD},
					     {"lengths", VALUE_KEYWORD},
					     {"clocks", VALUE_KEYWORD},
					     {"precision", VALUE_KEYWORD},
					     {"epoch-precision", VALUE_KEYWORD},
					     {"form", VALUE_KEYWORD},
					     {"log-format", VALUE_VERSION},
					     {"ranks", VALUE_NUMBER},
					     {NULL, VALUE_NUMBER}};
static const struct key_rule process_keys[] = {
    {"id", VALUE_PROCESS}, {"name", VALUE_NAME},   {"parent", VALUE_PROCESS},
    {"host", VALUE_HOST},  {"rank", VALUE_NUMBER}, {"thread-of", VALUE_PROCESS},
    {NULL, VALUE_NUMBER}};
static const struct key_rule file_keys[] = {
    {"process", VALUE_PROCESS},  {"id", VALUE_FILE},       {"object", VALUE_OBJECT},
    {"path", VALUE_PATH},        {"kind", VALUE_KIND},     {"offset", VALUE_KNOWN},
    {"completion", VALUE_KNOWN}, {"cpu", VALUE_KNOWN},     {"start", VALUE_KNOWN},
    {"layer", VALUE_KEYWORD},    {"fs", VALUE_FILESYSTEM}, {"mount", VALUE_PATH},
    {NULL, VALUE_NUMBER}};
static const struct key_rule op_keys[] = {
    {"name", VALUE_OPERATION},  {"time", VALUE_TIME},     {"took", VALUE_TOOK},
    {"process", VALUE_PROCESS}, {"file", VALUE_FILE},     {"path", VALUE_PATH},
    {"to", VALUE_PATH},         {"result", VALUE_RESULT}, {NULL, VALUE_NUMBER}};
static const struct key_rule counter_keys[] = {{"source", VALUE_SOURCE}, {"time", VALUE_TIME},
					       {"took", VALUE_TOOK},     {"process", VALUE_PROCESS},
					       {"file", VALUE_FILE},     {"path", VALUE_PATH},
					       {"object", VALUE_OBJECT}, {"rank", VALUE_NUMERIC},
					       {"part", VALUE_NUMBER},   {NULL, VALUE_NUMBER}};
static const struct key_rule lost_keys[] = {{"time", VALUE_TIME},       {"took", VALUE_TOOK},
					    {"process", VALUE_PROCESS}, {"file", VALUE_FILE},
					    {"records", VALUE_NUMBER},  {"bytes", VALUE_NUMBER},
					    {"why", VALUE_REASON},      {NULL, VALUE_NUMBER}};
/* Keys of unknown directives that are replaced if the directives are kept. */
static const struct key_rule other_keys[] = {
    {"time", VALUE_TIME},      {"took", VALUE_TOOK},         {"process", VALUE_PROCESS},
    {"parent", VALUE_PROCESS}, {"file", VALUE_FILE},         {"path", VALUE_PATH},
    {"object", VALUE_OBJECT},  {"thread-of", VALUE_PROCESS}, {"host", VALUE_HOST},
    {"user", VALUE_USER},      {"command", VALUE_COMMAND},   {"to", VALUE_PATH},
    {NULL, VALUE_NUMBER}};

static bool is_number(struct iot_text t)
{
	uint64_t value;
	return number_decimal(t.data, t.size, &value);
}

/* Kept extensions */

static void note_extension(struct anonymizer *a, struct iot_text path)
{
	const size_t size = extension_size(path);
	char word[EXTENSION_MAX + 1] = "";
	if (size == 0)
		return;
	memcpy(word, path.data + path.size - (size - 1), size - 1);
	for (size_t i = 0; i < a->extension_count; i++)
		if (strcmp(a->extensions[i], word) == 0)
			return;
	if (a->extension_count < EXTENSIONS_SHOWN)
		memcpy(a->extensions[a->extension_count++], word, sizeof(word));
	else
		a->more_extensions = true;
}

/* Rewriting of directives */

static void put_name(struct anonymizer *a, struct iot_builder *b, const char *key,
		     enum pseudonym_kind kind, struct iot_text name)
{
	const char word[] = {(char)kind, '\0'};
	size_t size = kind == PSEUDONYM_PATH_KIND
			  ? pseudonym_path(&a->options->names, name, a->name, sizeof a->name / 2)
			  : pseudonym(&a->options->names, kind, name, a->name);
	/* A path of very many components would exceed the limit: it becomes one name. */
	if (size == 0 && name.size > 0)
		size = pseudonym(&a->options->names, kind, name, a->name);
	report(a, word, name, a->name, size);
	if (kind == PSEUDONYM_PATH_KIND && a->options->names.keep_extension)
		note_extension(a, name);
	iot_directive_text(b, key, a->name, size);
}

static void put_lacks(struct iot_builder *b, const char *key, struct iot_text list)
{
	char out[64];
	size_t n = 0;
	for (const char *at = list.data, *end = at + list.size; at < end;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const struct iot_text word = {at, (size_t)((comma != NULL ? comma : end) - at)};
		if (allowlist_is_missing(word) && n + word.size + 1 < sizeof out) {
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

static void put_epoch(struct anonymizer *a, struct iot_builder *b, const char *key,
		      struct iot_text value)
{
	uint64_t epoch;
	if (a->options->epoch != EPOCH_SHIFT || !number_decimal(value.data, value.size, &epoch) ||
	    epoch > (uint64_t)(INT64_MAX - SPAN_NS))
		a->keys++;
	else if (epoch < (uint64_t)DATED_NS) /* the times contain the date, see hide_date */
		iot_directive_number(b, key, epoch);
	else
		iot_directive_number(b, key, epoch + pseudonym_shift(&a->options->names, SPAN_NS));
}

static void put_words(struct anonymizer *a, struct iot_builder *b, const struct key_rule *key,
		      struct iot_text value)
{
	bool fine = false;
	switch (key->value) {
	case VALUE_OPERATION:
		if (!allowlist_is_operation(value))
			value = (struct iot_text){"other", 5};
		fine = true;
		break;
	case VALUE_SOURCE:
		fine = allowlist_is_source(value);
		break;
	case VALUE_RESULT:
		/* Without a result, the operation would appear to have succeeded. */
		if (!is_number(value) && !allowlist_is_errno(value))
			value = (struct iot_text){"error", 5};
		fine = true;
		break;
	case VALUE_KEYWORD:
		fine = allowlist_is_keyword(value);
		break;
	case VALUE_NUMERIC:
		fine = allowlist_is_numeric(value);
		break;
	case VALUE_KNOWN:
		fine = text_equals(value, "known") || text_equals(value, "unknown");
		break;
	case VALUE_KIND:
		fine = allowlist_is_kind(value);
		break;
	case VALUE_VERSION:
		fine = allowlist_is_version(value);
		break;
	case VALUE_FILESYSTEM:
		fine = allowlist_is_filesystem(value);
		break;
	case VALUE_REASON:
		fine = allowlist_is_reason(value);
		break;
	default:
		fine = is_number(value);
		break;
	}
	if (fine)
		iot_directive_text(b, key->name, value.data, value.size);
	else
		a->keys++;
}

static void put_number(struct anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
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

static void put(struct anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
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
	case VALUE_EPOCH:
		put_epoch(a, b, key->name, value);
		break;
	case VALUE_PATH:
		put_name(a, b, key->name, PSEUDONYM_PATH_KIND, value);
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
		put_name(a, b, key->name, DEFINITION_PROCESS, value);
		break;
	case VALUE_LACKS:
		put_lacks(b, key->name, value);
		break;
	default:
		put_words(a, b, key, value);
		break;
	}
}

static const struct key_rule *keys_of(uint32_t kind)
{
	switch (kind) {
	case IOT_TRACE:
		return trace_keys;
	case IOT_PROCESS:
		return process_keys;
	case IOT_FILE:
		return file_keys;
	case IOT_OP:
		return op_keys;
	case IOT_COUNTER:
		return counter_keys;
	case IOT_LOST:
		return lost_keys;
	default:
		return other_keys;
	}
}

static const struct key_rule *find(const struct key_rule *keys, struct iot_text name)
{
	for (; keys->name != NULL; keys++)
		if (text_equals(name, keys->name))
			return keys;
	return NULL;
}

static bool is_exact(const struct anonymizer *a)
{
	return a->options->time_grain_ns <= 1 && a->options->size_grain <= 1;
}

/* Times and bytes in counters are exact and would defeat the rounding. */
static bool is_allowed_counter(const struct anonymizer *a, struct iot_text name,
			       struct iot_text value)
{
	const bool known = is_exact(a) ? counter_is_known(name) : counter_is_count(name);
	return known && allowlist_is_numeric(value);
}

/* A key that is not in the list. */
static void put_other(struct anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
		      struct iot_text name, struct iot_text value)
{
	bool known = ev->kind == IOT_COUNTER && is_allowed_counter(a, name, value);
	a->counts += known;
	if ((known || a->options->keep_unknown) && name.size < sizeof a->name) {
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

static void put_word(struct anonymizer *a, struct iot_builder *b, const struct iot_event *ev,
		     struct iot_text word)
{
	struct iot_text name, coded;
	if (!directive_split(word, &name, &coded)) {
		a->keys++;
		return;
	}
	const struct key_rule *key = find(keys_of(ev->kind), name);
	if (key == NULL && a->options->keep_unknown)
		key = find(other_keys, name);
	const struct iot_text value = {a->value, iot_percent_decode(coded, a->value, NULL)};
	if (key == NULL)
		put_other(a, b, ev, name, value);
	else if (!is_repeated(ev, key->name, coded))
		put(a, b, ev, key, value);
}

static bool change_directive(struct anonymizer *a, struct iot_event *ev)
{
	struct iot_builder b;
	struct iot_event made, was = *ev;
	struct iot_text rest = ev->text, word;
	char name[64];
	(void)directive_token(&rest, &word);
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
	iot_directive_begin(&b, a->text, sizeof a->text, name);
	while (directive_token(&rest, &word))
		put_word(a, &b, &was, word);
	const bool empty = ev->kind == IOT_COUNTER && !is_exact(a) && a->counts == 0;
	if (iot_directive_end(&b, &made) != IOT_OK || empty) {
		a->directives++;
		return false;
	}
	if ((made.has & IOT_HAS_TIME) == 0)
		made.rec.start_ns = was.rec.start_ns;
	*ev = made;
	return true;
}

bool anonymize_events(struct anonymizer *a, struct iot_event *ev)
{
	switch (ev->kind) {
	case IOT_RECORD:
		change_record(a, &ev->rec);
		break;
	case IOT_COMMENT:
		if (a->options->keep_comments)
			break;
		a->comments++;
		return false;
	case IOT_DIRECTIVE:
		if (a->options->keep_unknown)
			return change_directive(a, ev);
		a->directives++;
		return false;
	default:
		return change_directive(a, ev);
	}
	return a->status == IOT_OK;
}

void anonymizer_begin(struct anonymizer *a)
{
	idmap_free(&a->processes);
	idmap_free(&a->files);
	idmap_free(&a->disks);
	idmap_free(&a->objects);
	a->processes = a->files = a->disks = a->objects = (struct idmap){0};
	a->comments = a->directives = a->keys = 0;
	a->timed = false;
	a->moved_ns = 0;
}

void anonymizer_free(struct anonymizer *a)
{
	anonymizer_begin(a);
	idmap_free(&a->reported);
}
