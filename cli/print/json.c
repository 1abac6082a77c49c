/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as JSON, one object per line: records with all fields, directives with their keys. */
#include "lib/base/number.h"
#include "cli/ui/json.h"
#include "print.h"

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

/* Differences of unknown offsets within one open file are still meaningful. */
static inline char *put_offset(char *to, const struct iot_record *rec)
{
	to = put_known(to, ",\"offset\":", rec, IOT_OFFSET_UNKNOWN, rec->offset);
	if ((rec->flags & IOT_OFFSET_UNKNOWN) == 0)
		return to;
	return put_number(to, ",\"relative_offset\":", rec->offset);
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

static char *put_fields(char *to, const struct iot_record *rec)
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
	to = put_offset(to, rec);
	to = put_number(to, ",\"length\":", rec->length);
	to = put_number(to, ",\"operation\":", rec->operation);
	to = put_number(to, ",\"file\":", rec->file);
	to = put_number(to, ",\"process\":", rec->process);
	return rec->object ? put_number(to, ",\"object\":", rec->object) : to;
}

static void json_record(struct printer *s, const struct iot_record *rec)
{
	size_t size;
	const char *path = printer_path(s, rec, &size);
	char *to = put_fields(output_reserve(s->out, RECORD_MAX), rec);
	if (path) {
		output_took(s->out, stpcpy(to, ",\"path\":"));
		json_string(s->out, path, size);
		to = output_reserve(s->out, RECORD_MAX);
	}
	output_took(s->out, stpcpy(put_flags(to, rec), "}\n"));
}

/* The next word of a directive's text, starting at *at; false at the end. */
static bool next_word(struct iot_text text, size_t *at, struct iot_text *word)
{
	while (*at < text.size && (text.data[*at] == ' ' || text.data[*at] == '\t'))
		++*at;
	size_t start = *at;
	while (*at < text.size && text.data[*at] != ' ' && text.data[*at] != '\t')
		++*at;
	*word = (struct iot_text){text.data + start, *at - start};
	return word->size > 0;
}

static struct iot_text cut_key(struct iot_text word)
{
	const char *equals = memchr(word.data, '=', word.size);
	return (struct iot_text){word.data, equals ? (size_t)(equals - word.data) : word.size};
}

static void json_key(struct output *o, bool first, struct iot_text key)
{
	if (!first)
		output_write(o, ",", 1);
	json_string(o, key.data, key.size);
	output_write(o, ":", 1);
}

/* Values are strings, as in the trace; a word without '=' is true. */
static void json_keys(struct printer *s, struct iot_text text, size_t at)
{
	struct iot_text word;
	for (bool first = true; next_word(text, &at, &word); first = false) {
		struct iot_text key = cut_key(word);
		json_key(s->out, first, key);
		if (key.size == word.size) {
			output_text(s->out, "true");
			continue;
		}
		struct iot_text value = {word.data + key.size + 1, word.size - key.size - 1};
		json_string(s->out, s->memory, iot_percent_decode(value, s->memory, NULL));
	}
}

static void json_directive(struct printer *s, struct json *j, const struct iot_event *ev)
{
	size_t at = 0;
	struct iot_text name;
	if (!printer_reserve(s, ev->text.size) || !next_word(ev->text, &at, &name))
		return;
	json_text(j, "directive", name.data + 1, name.size - 1);
	json_open(j, "keys", '{');
	json_keys(s, ev->text, at);
	json_close(j, '}');
}

void print_json(struct printer *s, const struct iot_event *ev, size_t n)
{
	struct json j = {.out = s->out};
	for (size_t i = 0; i < n; i++) {
		printer_event(s, &ev[i]);
		if (ev[i].kind == IOT_RECORD) {
			json_record(s, &ev[i].rec);
			continue;
		}
		json_open(&j, NULL, '{');
		if (ev[i].kind == IOT_COMMENT)
			json_text(&j, "comment", ev[i].text.data, ev[i].text.size);
		else
			json_directive(s, &j, &ev[i]);
		json_close(&j, '}');
	}
}
