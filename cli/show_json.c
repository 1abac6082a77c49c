/* SPDX-License-Identifier: BSD-2-Clause */
/* Events as JSON, one object a line: records with all their fields, directives with their keys. */
#include "show.h"

static const char *data_name(unsigned type)
{
	static const char *const names[] = {"file", "metadata", "read-ahead", "virtual-memory"};
	return names[type & IOT_DATA_KIND];
}

static void json_name(struct iot_json *j, const char *key, const char *text)
{
	iot_json_text(j, key, text, strlen(text));
}

static void json_flags(struct iot_json *j, const struct iot_record *rec)
{
	static const struct {
		unsigned type, flag;
		const char *key;
	} bits[] = {
	    {IOT_ASYNC, 0, "async"},
	    {IOT_READ_AHEAD_HIT, 0, "read_ahead_hit"},
	    {IOT_CACHE_MISS, 0, "cache_miss"},
	    {0, IOT_OFFSET_UNKNOWN, "offset_unknown"},
	    {0, IOT_DURATION_UNKNOWN, "duration_unknown"},
	    {0, IOT_CPU_UNKNOWN, "cpu_unknown"},
	    {0, IOT_START_UNKNOWN, "start_unknown"},
	};
	for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
		if ((rec->type & bits[i].type) || (rec->flags & bits[i].flag))
			iot_json_bool(j, bits[i].key, true);
}

static void json_record(struct iot_show *s, struct iot_json *j, const struct iot_record *rec)
{
	size_t size;
	const char *path = iot_show_path(s, rec, &size);
	iot_json_number(j, "type", rec->type);
	json_name(j, "op", rec->type & IOT_WRITE ? "write" : "read");
	json_name(j, "level", rec->type & IOT_LOGICAL ? "logical" : "physical");
	json_name(j, "data", data_name(rec->type));
	iot_json_number(j, "start_ns", (uint64_t)rec->start_ns);
	iot_json_number(j, "duration_ns", rec->duration_ns);
	iot_json_signed(j, "cpu_ns", rec->cpu_ns);
	iot_json_number(j, "offset", rec->offset);
	iot_json_number(j, "length", rec->length);
	iot_json_number(j, "operation", rec->operation);
	iot_json_number(j, "file", rec->file);
	iot_json_number(j, "process", rec->process);
	if (rec->object)
		iot_json_number(j, "object", rec->object);
	if (path)
		iot_json_text(j, "path", path, size);
	json_flags(j, rec);
}

/* The next word of a directive's text, from *at on; false at the end. */
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

static void json_key(struct iot_out *o, bool first, struct iot_text key)
{
	if (!first)
		iot_out_write(o, ",", 1);
	iot_json_string(o, key.data, key.size);
	iot_out_write(o, ":", 1);
}

/* Values are strings, as they are in the trace; a word without '=' is true. */
static void json_keys(struct iot_show *s, struct iot_text text, size_t at)
{
	struct iot_text word;
	for (bool first = true; next_word(text, &at, &word); first = false) {
		struct iot_text key = cut_key(word);
		json_key(s->out, first, key);
		if (key.size == word.size) {
			iot_out_text(s->out, "true");
			continue;
		}
		struct iot_text value = {word.data + key.size + 1, word.size - key.size - 1};
		iot_json_string(s->out, s->memory, iot_percent_decode(value, s->memory, NULL));
	}
}

static void json_directive(struct iot_show *s, struct iot_json *j, const struct iot_event *ev)
{
	size_t at = 0;
	struct iot_text name;
	if (!iot_show_room(s, ev->text.size) || !next_word(ev->text, &at, &name))
		return;
	iot_json_text(j, "directive", name.data + 1, name.size - 1);
	iot_json_open(j, "keys", '{');
	json_keys(s, ev->text, at);
	iot_json_close(j, '}');
}

void iot_show_json(struct iot_show *s, const struct iot_event *ev, size_t n)
{
	struct iot_json j = {.out = s->out};
	for (size_t i = 0; i < n; i++) {
		iot_show_tell(s, &ev[i]);
		iot_json_open(&j, NULL, '{');
		if (ev[i].kind == IOT_RECORD)
			json_record(s, &j, &ev[i].rec);
		else if (ev[i].kind == IOT_COMMENT)
			iot_json_text(&j, "comment", ev[i].text.data, ev[i].text.size);
		else
			json_directive(s, &j, &ev[i]);
		iot_json_close(&j, '}');
	}
}
