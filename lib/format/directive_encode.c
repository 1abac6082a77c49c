/* SPDX-License-Identifier: BSD-2-Clause */
#include "directive_codec_internal.h"

#include <assert.h>
#include <string.h>

enum { OPERATION_PATHS_MAX = 16384 /* bytes of the paths of an operation without text */ };

static size_t encode_time(struct directive_codec *c, uint64_t time, char *out)
{
	const bool back = time < c->last_time;
	const uint64_t delta = back ? c->last_time - time : time - c->last_time;
	out[0] = '-';
	c->last_time = time;
	return back + number_hex(out + back, delta);
}

static bool is_last(const struct last *last, const struct scanned_slot *slot)
{
	if (last->is_number != slot->is_number)
		return false;
	return slot->is_number ? last->number == slot->number
			       : last->size == slot->value.size &&
				     memcmp(last->text, slot->value.data, last->size) == 0;
}

static size_t encode_value(struct last *last, const struct scanned_slot *slot, char *out)
{
	const bool follows = slot->is_number && last->is_number && slot->number > 0 &&
			     slot->number - 1 == last->number;
	if (is_last(last, slot)) {
		out[0] = '=';
		return 1;
	}
	set_last(last, slot);
	if (follows) {
		out[0] = '+';
		return 1;
	}
	if (slot->is_number)
		return number_hex(out, slot->number);
	out[0] = ':';
	memcpy(out + 1, slot->value.data, slot->value.size);
	return 1 + slot->value.size;
}

/* Returns 0 if out of memory. */
static size_t encode_path(struct directive_codec *c, struct iot_text path, char *out)
{
	const size_t last = c->last_path;
	bool is_new;
	if (last > 0 && same_text(c, c->path[last - 1], path)) {
		out[0] = '=';
		return 1;
	}
	const size_t i = directive_number_path(c, path, &is_new);
	if (i != SIZE_MAX && !is_new) {
		c->last_path = c->newest[i] + 1;
		return number_hex(out, c->newest[i]);
	}
	const bool marked = path.size == 0 || path.data[0] != '/';
	out[0] = ':';
	memcpy(out + marked, path.data, path.size);
	return directive_append_path(c, path, i) ? marked + path.size : 0;
}

static size_t encode_slot(struct directive_codec *c, const struct slot *to,
			  const struct scanned_slot *from, char *out)
{
	switch (to->kind) {
	case SLOT_TIME:
		return encode_time(c, from->number, out);
	case SLOT_PATH: {
		const size_t size = encode_path(c, from->value, out);
		if (size > 0)
			charge_path(c);
		return size;
	}
	default:
		return encode_value(&c->last[to->key], from, out);
	}
}

/* A directive with a number as its name gets another %, because it is not an encoded one. */
static ssize_t escape(struct iot_text text, char *out)
{
	if (!is_escaped(text))
		return 0;
	out[0] = '%';
	memcpy(out + 1, text.data, text.size);
	return (ssize_t)text.size + 1;
}

/* Encodes the directive of which the values have been scanned. */
static ssize_t encode(struct directive_codec *c, size_t number, char *out)
{
	const struct scanned *s = &c->scanned;
	const struct template *t = &c->template[number];
	const struct slot *slot = &c->slot[t->first_slot];
	c->used = (uint32_t)number + 1;
	out[0] = '%';
	size_t n = 1 + number_dec(out + 1, number), end = n;
	for (size_t i = 0; i < t->slots; i++) {
		out[n++] = ' ';
		const size_t size = encode_slot(c, &slot[i], &s->slot[i], out + n);
		if (size == 0)
			return IOT_ENOMEM;
		if (size > 1 || out[n] != '=')
			end = n + size;
		n += size;
	}
	charge_template(c, t);
	credit_stored(c, end);
	return (ssize_t)end;
}

/* Returns whether a directive with paths of this weight may be encoded. */
static bool may_encode(const struct directive_codec *c, size_t weight)
{
	return c->credit >= 0 && c->weight + weight <= STATE_MAX;
}

/* Like encode(), for a text of a template that has not been used recently. */
static ssize_t encode_scanned(struct directive_codec *c, struct iot_text text, char *out)
{
	const struct scanned *s = &c->scanned;
	uint64_t id;
	if (is_escaped(text) || !directive_scan(&c->scanned, text))
		return escape(text, out);
	const size_t number = directive_template(c, (struct iot_text){s->text, s->size}, &id);
	if (number == SIZE_MAX || !may_encode(c, text.size + s->paths * PATH_WEIGHT))
		return directive_learn(c, text) == IOT_OK ? 0 : IOT_ENOMEM;
	directive_make_recent(c, text, (uint32_t)number + 1);
	return encode(c, number, out);
}

ssize_t directive_codec_encode(struct directive_codec *c, struct iot_text text, char *out)
{
	const bool may = may_encode(c, text.size + PATHS_MAX * PATH_WEIGHT);
	const size_t number = may ? directive_match(c, text) : SIZE_MAX;
	c->recognized = c->used = 0;
	const ssize_t n =
	    number != SIZE_MAX ? encode(c, number, out) : encode_scanned(c, text, out);
	assert(n <= (ssize_t)ENCODED_DIRECTIVE_MAX(text.size));
	return n;
}

/* Converts the times that were scanned; the end of a recognized directive fits. */
static void scanned_to_ticks(struct directive_codec *c, const struct template *t, uint64_t tick_ns)
{
	const struct slot *slot = &c->slot[t->first_slot];
	struct scanned_slot *value = c->scanned.slot;
	uint64_t start_ns = 0;
	for (uint32_t i = 0; i < t->slots; i++)
		if (slot[i].kind == SLOT_TIME)
			start_ns = value[i].number;
	for (uint32_t i = 0; i < t->slots; i++)
		if (slot[i].kind == SLOT_TIME)
			value[i].number /= tick_ns;
		else if (slot[i].kind == SLOT_TOOK)
			value[i].number =
			    (start_ns + value[i].number) / tick_ns - start_ns / tick_ns;
}

ssize_t directive_codec_encode_recognized(struct directive_codec *c, struct iot_text text,
					  uint64_t tick_ns, char *out)
{
	const uint32_t number = c->recognized;
	if (number == 0 || !may_encode(c, text.size + PATHS_MAX * PATH_WEIGHT))
		return 0;
	c->recognized = 0;
	if (tick_ns != 1)
		scanned_to_ticks(c, &c->template[number - 1], tick_ns);
	return encode(c, number - 1, out);
}

/* Operations without a text */

static unsigned form_keys(const struct iot_operation *op)
{
	return (op->file != 0 ? FORM_FILE : 0U) | (op->path.data != NULL ? FORM_PATH : 0U) |
	       (op->to.data != NULL ? FORM_TO : 0U) | (op->has_size ? FORM_SIZE : 0U) |
	       (op->count > 0 ? FORM_COUNT : 0U);
}

/* The addresses only select the form, as a caller usually has one string for each name. */
static struct form *form_of(struct directive_codec *c, const struct iot_operation *op)
{
	const uint64_t mixed =
	    ((uint64_t)(uintptr_t)op->name ^ (uint64_t)(uintptr_t)op->result << 20) + form_keys(op);
	return &c->form[(mixed * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

static struct scanned_slot number_value(uint64_t number)
{
	return (struct scanned_slot){.value = {"", 0}, .number = number, .is_number = true};
}

static struct scanned_slot path_value(struct iot_text path)
{
	return (struct scanned_slot){.value = path};
}

/* Stores the values in the order of directive_operation(). Returns their number. */
static size_t store_values(struct scanned_slot *slot, const struct iot_operation *op)
{
	size_t n = 0;
	slot[n++] = number_value((uint64_t)op->start_ns);
	slot[n++] = number_value(op->duration_ns);
	slot[n++] = number_value(op->process);
	if (op->file != 0)
		slot[n++] = number_value(op->file);
	if (op->path.data != NULL)
		slot[n++] = path_value(op->path);
	if (op->to.data != NULL)
		slot[n++] = path_value(op->to);
	if (op->has_size)
		slot[n++] = number_value(op->size);
	if (op->count > 0)
		slot[n++] = number_value(op->count);
	return n;
}

ssize_t directive_codec_encode_operation(struct directive_codec *c, const struct iot_operation *op,
					 bool *closes, char *out)
{
	const struct form *f = form_of(c, op);
	const size_t paths = op->path.size + op->to.size;
	if (f->template == 0 || f->keys != form_keys(op) || strcmp(f->name, op->name) != 0 ||
	    strcmp(f->result, op->result) != 0 || paths > OPERATION_PATHS_MAX ||
	    !may_encode(c, paths + PATHS_MAX * PATH_WEIGHT))
		return 0;
	(void)store_values(c->scanned.slot, op);
	*closes = (c->template[f->template - 1].has & IOT_CLOSES) != 0;
	c->recognized = 0;
	return encode(c, f->template - 1, out);
}

void directive_codec_prefetch(const struct directive_codec *c, struct iot_text path)
{
	if (path.size > 0)
		idmap_prefetch(&c->path_ids, hash(c, path));
}

void directive_codec_add_operation(struct directive_codec *c, const struct iot_operation *op)
{
	struct form *f = form_of(c, op);
	const size_t name = strlen(op->name), result = strlen(op->result);
	if (c->used == 0 || name >= WORD_MAX || result >= WORD_MAX ||
	    c->template[c->used - 1].slots != store_values(c->scanned.slot, op))
		return;
	*f = (struct form){.keys = form_keys(op), .template = c->used};
	memcpy(f->name, op->name, name);
	memcpy(f->result, op->result, result);
}
