/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events as JSON, one object per line. Records and operations have the same keys; every other
 * directive has an object of its own keys.
 */
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/base/word.h"
#include "cli/ui/json.h"
#include "export.h"

enum { RECORD_MAX = 544 }; /* size of all members except the path: 11 numbers and the words */

static const char *data_name(unsigned type)
{
	static const char *const names[] = {"file", "metadata", "read-ahead", "virtual-memory"};
	return names[type & IOT_DATA_KIND];
}

/* A record's members are written inline: a call for each takes five times as long. */
static inline char *put_number(char *to, const char *key, uint64_t value)
{
	return number_fast(stpcpy(to, key), value);
}

static inline char *put_signed(char *to, const char *key, int64_t value)
{
	to = stpcpy(to, key);
	if (value < 0)
		*to++ = '-';
	return number_fast(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* null if the source did not know the number. */
static inline char *put_known(char *to, const char *key, const struct iot_record *rec,
			      unsigned flag, uint64_t value)
{
	if ((rec->flags & flag) == 0)
		return put_number(to, key, value);
	return stpcpy(stpcpy(to, key), "null");
}

static inline char *put_bytes(struct export *x, char *to, const char *key,
			      const struct iot_record *rec, uint64_t value)
{
	uint64_t bytes;
	return export_bytes(x, rec, value, &bytes) ? put_number(to, key, bytes)
						   : stpcpy(stpcpy(to, key), "null");
}

/* Differences of unknown offsets within one open file are still meaningful. */
static inline char *put_offset(struct export *x, char *to, const struct iot_record *rec)
{
	if ((rec->flags & IOT_OFFSET_UNKNOWN) == 0)
		return put_bytes(x, to, ",\"offset\":", rec, rec->offset);
	return put_bytes(x, to, ",\"offset\":null,\"relative_offset\":", rec, rec->offset);
}

static char *put_flags(char *to, const struct iot_record *rec)
{
	static const struct {
		unsigned type, flag;
		const char *text;
	} bits[] = {
	    {IOT_ASYNC, 0, ",\"async\":true"},
	    {IOT_READ_AHEAD_HIT, 0, ",\"read_ahead_hit\":true"},
	    {IOT_CACHE_MISS, 0, ",\"cache_miss\":true"},
	    {0, IOT_OFFSET_UNKNOWN, ",\"offset_unknown\":true"},
	    {0, IOT_DURATION_UNKNOWN, ",\"duration_unknown\":true"},
	    {0, IOT_CPU_UNKNOWN, ",\"cpu_unknown\":true"},
	    {0, IOT_START_UNKNOWN, ",\"start_unknown\":true"},
	};
	for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
		if ((rec->type & bits[i].type) || (rec->flags & bits[i].flag))
			to = stpcpy(to, bits[i].text);
	return to;
}

static char *put_fields(struct export *x, char *to, const struct iot_record *rec)
{
	to = put_number(to, "{\"type\":", rec->type);
	to = stpcpy(to, rec->type & IOT_WRITE ? ",\"op\":\"write\"" : ",\"op\":\"read\"");
	to = stpcpy(to, rec->type & IOT_LOGICAL ? ",\"level\":\"logical\",\"data\":\""
						: ",\"level\":\"physical\",\"data\":\"");
	to = stpcpy(to, data_name(rec->type));
	to = put_known(to, "\",\"start_ns\":", rec, IOT_START_UNKNOWN, (uint64_t)rec->start_ns);
	to = put_known(to, ",\"duration_ns\":", rec, IOT_DURATION_UNKNOWN, rec->duration_ns);
	if (rec->flags & IOT_CPU_UNKNOWN)
		to = stpcpy(to, ",\"cpu_ns\":null");
	else
		to = put_signed(to, ",\"cpu_ns\":", rec->cpu_ns);
	to = put_offset(x, to, rec);
	to = put_bytes(x, to, ",\"length\":", rec, rec->length);
	to = put_number(to, ",\"operation\":", rec->operation);
	to = put_number(to, ",\"file\":", rec->file);
	to = put_number(to, ",\"process\":", rec->process);
	return to;
}

static void json_record(struct export *x, const struct iot_record *rec)
{
	const struct name *path = names_path(&x->names, rec);
	const uint32_t object = names_object(&x->names, rec);
	char *to = put_fields(x, output_reserve(x->out, RECORD_MAX), rec);
	if (object != 0)
		to = put_number(to, ",\"object\":", object);
	if (path->text != NULL) {
		output_took(x->out, stpcpy(to, ",\"path\":"));
		json_string(x->out, path->text, path->size);
		to = output_reserve(x->out, RECORD_MAX);
	}
	output_took(x->out, stpcpy(put_flags(to, rec), "}\n"));
}

/* Values of these keys are names, even if they consist of digits. */
static bool is_name(struct iot_text key)
{
	static const char *const names[] = {"name",      "path",   "to",    "host", "user",
					    "command",   "source", "kind",  "why",  "result",
					    "source-id", "layer",  "module"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_equals(key, names[i]))
			return true;
	return false;
}

static size_t digits_at(struct iot_text text, size_t i)
{
	const size_t first = i;
	while (i < text.size && text.data[i] >= '0' && text.data[i] <= '9')
		i++;
	return i - first;
}

/* Returns whether the text is a number in the grammar of JSON, without an exponent. */
static bool is_number(struct iot_text text)
{
	size_t i = text.size > 0 && text.data[0] == '-';
	const size_t whole = digits_at(text, i);
	if (whole == 0 || (whole > 1 && text.data[i] == '0'))
		return false;
	i += whole;
	if (i == text.size || text.data[i] != '.')
		return i == text.size;
	const size_t decimals = digits_at(text, i + 1);
	return decimals > 0 && i + 1 + decimals == text.size;
}

/* A word without '=' is true. */
static void json_value(struct export *x, struct iot_text key, struct iot_text value)
{
	size_t size;
	if (value.data == NULL) {
		output_text(x->out, "true");
		return;
	}
	if (!is_name(key) && is_number(value)) {
		output_write(x->out, value.data, value.size);
		return;
	}
	const char *text = names_decode(&x->names, value, &size);
	if (text != NULL)
		json_string(x->out, text, size);
}

/* The name of a key in records. */
static struct iot_text record_key(struct iot_text key)
{
	static const struct {
		const char *key;
		struct iot_text name;
	} names[] = {{"name", {"op", 2}}, {"time", {"start_ns", 8}}, {"took", {"duration_ns", 11}}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (text_equals(key, names[i].key))
			return names[i].name;
	return key;
}

/* Splits at the first '='; the value has no data if there is none. */
static void split(struct iot_text word, struct iot_text *key, struct iot_text *value)
{
	const char *equals = memchr(word.data, '=', word.size);
	*key = word;
	*value = (struct iot_text){NULL, 0};
	if (equals == NULL)
		return;
	key->size = (size_t)(equals - word.data);
	*value = (struct iot_text){equals + 1, word.size - key->size - 1};
}

/* Returns whether the key is a time of an operation that the source of the trace did not know. */
static bool is_lacking(const struct export *x, const struct iot_event *ev, struct iot_text key)
{
	return ev->kind == IOT_OP &&
	       ((text_equals(key, "time") && (x->names.lacks & IOT_START_UNKNOWN) != 0) ||
		(text_equals(key, "took") && (x->names.lacks & IOT_DURATION_UNKNOWN) != 0));
}

/* Writes the keys of a directive as members of an object, each preceded by *comma. */
static void json_keys(struct export *x, const struct iot_event *ev, struct iot_text rest,
		      const char *comma)
{
	struct iot_text word, key, value;
	for (; word_next(&rest, &word); comma = ",") {
		split(word, &key, &value);
		const struct iot_text name = ev->kind == IOT_OP ? record_key(key) : key;
		output_text(x->out, comma);
		json_string(x->out, name.data, name.size);
		output_text(x->out, ":");
		if (is_lacking(x, ev, key))
			output_text(x->out, "null");
		else
			json_value(x, key, value);
	}
}

/* The path of the file of an operation that names no path. */
static void json_op_path(struct export *x, const struct iot_event *ev)
{
	struct iot_record rec = ev->rec;
	rec.type = IOT_LOGICAL;
	if (!(ev->has & IOT_HAS_FILE) || iot_directive_get(ev, "path").data != NULL)
		return;
	const struct name *path = names_path(&x->names, &rec);
	if (path->text == NULL)
		return;
	output_text(x->out, ",\"path\":");
	json_string(x->out, path->text, path->size);
}

static void json_directive(struct export *x, const struct iot_event *ev)
{
	struct iot_text rest = ev->text, name;
	if (!word_next(&rest, &name))
		return;
	output_text(x->out, "{\"directive\":");
	json_string(x->out, name.data + 1, name.size - 1);
	if (ev->kind == IOT_OP) {
		json_keys(x, ev, rest, ",");
		json_op_path(x, ev);
		output_text(x->out, "}\n");
		return;
	}
	output_text(x->out, ",\"keys\":{");
	json_keys(x, ev, rest, "");
	output_text(x->out, "}}\n");
}

static void json_comment(struct export *x, const struct iot_event *ev)
{
	output_text(x->out, "{\"comment\":");
	json_string(x->out, ev->text.data, ev->text.size);
	output_text(x->out, "}\n");
}

static void begin(struct export *x)
{
	(void)x;
}

static void events(struct export *x, const struct iot_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ev[i].kind == IOT_RECORD)
			json_record(x, &ev[i].rec);
		else if (ev[i].kind == IOT_COMMENT)
			json_comment(x, &ev[i]);
		else
			json_directive(x, &ev[i]);
		export_event(x, &ev[i]);
	}
}

const struct export_format export_jsonl = {.begin = begin, .events = events};
