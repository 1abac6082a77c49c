/* SPDX-License-Identifier: BSD-2-Clause */
#include "directive_codec_internal.h"

#include <string.h>

#include "directive.h"

#define BEYOND "a time leads beyond 2^63-1 nanoseconds"

struct decoding {
	uint64_t tick_ns;
	uint64_t member[MEMBERS]; /* of the event */
	const char *why;
	bool irregular; /* the event must be parsed */
};

/* The next value of a line: a hexadecimal number, or a text. */
struct value {
	struct iot_text text;
	uint64_t number;
	bool is_number;
};

/*
 * Reads the value after the blank at p, or "=" at the end of the line, where it is omitted. Returns
 * its end.
 */
static const char *next_value(const char *p, const char *end, struct value *value)
{
	const char *begin;
	uint64_t number = 0;
	do {
		begin = p += p < end;
		for (unsigned digit; p < end && (digit = number_digit(*p)) < 16; p++)
			number = number << 4 | digit;
	} while (p == begin && p < end && is_blank(*p));
	const size_t digits = (size_t)(p - begin);
	value->number = number;
	value->is_number = digits > 0 && (p == end || is_blank(*p)) &&
			   (digits <= 16 || number_parse(begin, digits, 16, &value->number));
	if (value->is_number)
		return p;
	while (p < end && !is_blank(*p))
		p++;
	value->text =
	    p > begin ? (struct iot_text){begin, (size_t)(p - begin)} : (struct iot_text){"=", 1};
	return p;
}

static bool is_mark(const struct value *value, char mark)
{
	return value->text.size == 1 && value->text.data[0] == mark;
}

/* Appends a text. Returns the end of the result. */
static char *put(char *out, const char *text, size_t size)
{
	size_t i = 0;
	do
		memcpy(out + i, text + i, BLOCK);
	while ((i += BLOCK) < size);
	return out + size;
}

static char *put_kept(char *out, const struct directive_codec *c, struct kept_text text)
{
	return put(out, c->text + text.at, text.size);
}

/* These functions append the decoded value and return its end; NULL if the value is malformed. */

static char *malformed(struct decoding *d, const char *why)
{
	d->why = why;
	return NULL;
}

static char *put_ns(struct decoding *d, const struct slot *slot, uint64_t ticks, char *out)
{
	uint64_t ns;
	if (__builtin_mul_overflow(ticks, d->tick_ns, &ns) || ns > INT64_MAX)
		return malformed(d, BEYOND);
	d->member[slot->member] = ns;
	return number_fast(out, ns);
}

static char *put_time(struct directive_codec *c, struct decoding *d, const struct slot *slot,
		      const struct value *value, char *out)
{
	const bool back = !value->is_number && value->text.data[0] == '-';
	uint64_t delta = value->number, time;
	if (back ? !number_parse(value->text.data + 1, value->text.size - 1, 16, &delta)
		 : !value->is_number)
		return malformed(d, "an encoded time is not a hexadecimal number");
	if (back ? __builtin_sub_overflow(c->last_time, delta, &time)
		 : __builtin_add_overflow(c->last_time, delta, &time))
		return malformed(d, BEYOND);
	c->last_time = time;
	return put_ns(d, slot, time, out);
}

static void set_number(struct last *last, uint64_t number)
{
	last->number = number;
	last->is_number = true;
	last->size = 0;
}

/* Returns NULL, or the error. */
static const char *set_text(struct last *last, struct iot_text value)
{
	struct scanned_slot slot = {.value = value};
	if (!is_numeric(value))
		return "an encoded value is not a number of up to 32 characters";
	slot.is_number = is_canonical(value, &slot.number);
	set_last(last, &slot);
	return NULL;
}

/* Sets the last value of a key. Returns NULL, or the error. */
static const char *update(struct last *last, const struct value *value)
{
	if (value->is_number) {
		set_number(last, value->number);
	} else if (is_mark(value, '=')) {
		if (last->size == 0 && !last->is_number)
			return "an encoded value repeats a value that is not known";
	} else if (is_mark(value, '+')) {
		if (!last->is_number || last->number == UINT64_MAX)
			return "an encoded value follows a number that is not known";
		set_number(last, last->number + 1);
	} else if (value->text.data[0] == ':') {
		return set_text(last,
				(struct iot_text){value->text.data + 1, value->text.size - 1});
	} else {
		return "an encoded value is not a hexadecimal number";
	}
	return NULL;
}

static char *put_value(struct directive_codec *c, struct decoding *d, const struct slot *slot,
		       const struct value *value, char *out)
{
	struct last *last = &c->last[slot->key];
	const char *why = update(last, value);
	if (why != NULL)
		return malformed(d, why);
	if (slot->kind == SLOT_TOOK)
		return last->is_number ? put_ns(d, slot, last->number, out)
				       : malformed(d, "an encoded took= is not a number");
	d->irregular |= slot->is_id && !fits_id(last->is_number, last->number);
	d->member[slot->member] = last->number;
	return last->is_number ? number_fast(out, last->number) : put(out, last->text, last->size);
}

/* Adds the path that a line spells out. Returns false with *why, which is NULL if out of memory. */
static bool add_new_path(struct directive_codec *c, struct iot_text path, const char **why)
{
	*why = path.size > DIRECTIVE_MAX ? "an encoded path is longer than 32768 bytes"
	       : c->weight + path.size + PATH_WEIGHT > STATE_MAX
		   ? "encoded paths need more than 8 MiB"
		   : NULL;
	return *why == NULL && directive_add_path(c, path);
}

/* Sets the last path. Returns false with *why. */
static bool update_path(struct directive_codec *c, const struct value *value, const char **why)
{
	const struct iot_text text = value->text;
	if (value->is_number && value->number < c->paths) {
		c->last_path = (uint32_t)value->number + 1;
	} else if (!value->is_number && text.data[0] == '/') {
		return add_new_path(c, text, why);
	} else if (!value->is_number && text.data[0] == ':') {
		return add_new_path(c, (struct iot_text){text.data + 1, text.size - 1}, why);
	} else if (value->is_number || !is_mark(value, '=')) {
		*why = "an encoded path is not the number of a path";
		return false;
	}
	*why = "an encoded path repeats a path that is not known";
	return c->last_path != 0;
}

static char *put_path(struct directive_codec *c, struct decoding *d, const struct value *value,
		      char *out)
{
	const char *why = NULL;
	if (!update_path(c, value, &why))
		return malformed(d, why);
	charge_path(c);
	return put_kept(out, c, c->path[c->last_path - 1]);
}

static char *put_slot(struct directive_codec *c, struct decoding *d, const struct slot *slot,
		      const struct value *value, char *out)
{
	switch (slot->kind) {
	case SLOT_TIME:
		return put_time(c, d, slot, value, out);
	case SLOT_PATH:
		return put_path(c, d, value, out);
	default:
		return put_value(c, d, slot, value, out);
	}
}

/* Decodes the values of a line. */
static char *put_slots(struct directive_codec *c, struct decoding *d, const struct template *t,
		       struct iot_text values, char *out)
{
	const char *p = values.data, *const end = p + values.size;
	const struct slot *slot = c->slot + t->first_slot, *const stop = slot + t->slots;
	struct value value = {.number = 0};
	for (; slot < stop; slot++) {
		p = next_value(p, end, &value);
		out = put_slot(c, d, slot, &value, put_kept(out, c, slot->before));
		if (out == NULL)
			return NULL;
	}
	if (skip_blanks(p, end) < end)
		return malformed(
		    d, "an encoded directive has more values than its template has slots");
	return put_kept(out, c, t->after);
}

/* Returns NULL if the line does not begin with the number of a template. */
static const struct template *template_of(const struct directive_codec *c, struct iot_text text,
					  const char **end)
{
	const char *p = text.data + 1, *stop = text.data + text.size;
	size_t number = 0;
	for (unsigned digit; p < stop && (digit = number_digit(*p)) < 10; p++) {
		number = 10 * number + digit;
		if (number >= c->template_ids.count)
			return NULL;
	}
	*end = p;
	return p == stop || is_blank(*p) ? &c->template[number] : NULL;
}

/* Returns the size that a decoded text of `size` bytes has with its times in ticks. */
static size_t size_in_ticks(const struct directive_codec *c, const struct template *t,
			    uint64_t tick_ns, size_t size)
{
	for (uint32_t i = 0; i < t->slots; i++) {
		const struct slot *slot = &c->slot[t->first_slot + i];
		const bool is_time = slot->kind == SLOT_TIME;
		const uint64_t ticks = is_time ? c->last_time : c->last[slot->key].number;
		if (is_time || slot->kind == SLOT_TOOK)
			size -= number_count(ticks * tick_ns) - number_count(ticks);
	}
	return size;
}

static int parse(struct iot_event *ev, const char **why)
{
	return iot_directive_parse(ev, why) == IOT_OK ? IOT_OK : IOT_EFORMAT;
}

static size_t bound_of(const struct directive_codec *c, const struct template *t, size_t size)
{
	const size_t path = c->longest_path > size ? c->longest_path : size;
	return t->text.size + t->slots * VALUE_MAX +
	       PATHS_MAX * (path < DIRECTIVE_MAX ? path : DIRECTIVE_MAX) + BLOCK;
}

static int fail(const char **why, const char *reason)
{
	*why = reason;
	return IOT_EFORMAT;
}

static bool is_too_long(const struct directive_codec *c, const struct template *t, uint64_t tick_ns,
			size_t size)
{
	return size > DIRECTIVE_MAX && size_in_ticks(c, t, tick_ns, size) > DIRECTIVE_MAX;
}

/* Decodes the values, which begin at `values`, of a line with the template t. */
static int decode_values(struct directive_codec *c, const struct template *t, struct iot_event *ev,
			 const char *values, uint64_t tick_ns, char *out, const char **why)
{
	struct decoding d = {.tick_ns = tick_ns};
	const size_t size = ev->text.size - (size_t)(values - ev->text.data);
	const char *end = put_slots(c, &d, t, (struct iot_text){values, size}, out);
	if (end == NULL) {
		*why = d.why;
		return d.why != NULL ? IOT_EFORMAT : IOT_ENOMEM;
	}
	ev->text = (struct iot_text){out, (size_t)(end - out)};
	if (is_too_long(c, t, tick_ns, ev->text.size))
		return fail(why, "an encoded directive is longer than 32768 bytes when decoded");
	set_event(ev, t, d.member);
	return t->irregular || d.irregular || !directive_end_fits(ev) ? parse(ev, why) : IOT_OK;
}

static int decode(struct directive_codec *c, struct iot_event *ev, uint64_t tick_ns, char *out,
		  size_t capacity, const char **why)
{
	const char *values;
	const struct template *t = template_of(c, ev->text, &values);
	if (t == NULL)
		return fail(why, "an encoded directive without a template of its number");
	if (bound_of(c, t, ev->text.size) > capacity)
		return IOT_ELIMIT;
	if (c->credit < 0)
		return fail(why, "encoded directives decode to more than 64 times their bytes");
	credit_stored(c, ev->text.size);
	charge_template(c, t);
	return decode_values(c, t, ev, values, tick_ns, out, why);
}

static bool has_times(struct iot_text text, uint64_t tick_ns)
{
	return tick_ns != 1 && text.size > 0 && text.data[0] == '%';
}

int directive_codec_parse(struct directive_codec *c, struct iot_event *ev, uint64_t tick_ns,
			  char *out, size_t capacity, const char **why)
{
	const struct iot_text text = ev->text;
	if (c != NULL)
		c->decodes = true;
	if (c != NULL && is_encoded(text))
		return decode(c, ev, tick_ns, out, capacity, why);
	if (has_times(text, tick_ns) && RETIMED_MAX(text.size) > capacity)
		return IOT_ELIMIT;
	if (c != NULL && is_escaped(text)) {
		ev->text = (struct iot_text){text.data + 1, text.size - 1};
	} else if (c != NULL && directive_scan(&c->scanned, text) &&
		   directive_learn(c, text) != IOT_OK) {
		return IOT_ENOMEM;
	}
	if (has_times(text, tick_ns) && directive_to_ns(&ev->text, tick_ns, out) != IOT_OK)
		return fail(why, BEYOND);
	return parse(ev, why);
}

size_t directive_codec_bound(const struct directive_codec *c, struct iot_text text,
			     uint64_t tick_ns)
{
	const char *end;
	if (c == NULL || !is_encoded(text))
		return has_times(text, tick_ns) ? RETIMED_MAX(text.size) : 0;
	const struct template *t = template_of(c, text, &end);
	return t != NULL ? bound_of(c, t, text.size) : 0;
}
