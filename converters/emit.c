/* SPDX-License-Identifier: BSD-2-Clause */
#include "emit.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum { CHUNK_SIZE = 256 << 10 };

struct emit_chunk {
	struct emit_chunk *next;
	size_t used, capacity;
	char text[];
};

void emit_start(struct emit *e, struct iot_event *out, int max)
{
	for (struct emit_chunk *c = e->chunks; c != NULL; c = c->next)
		c->used = 0;
	e->chunk = e->chunks;
	e->text_used = 0;
	e->out = out;
	e->max = (size_t)max;
	e->count = 0;
}

int emit_leftovers(struct emit *e, struct iot_event *out, int max)
{
	size_t n = e->over_count - e->over_next;
	if (n > (size_t)max)
		n = (size_t)max;
	if (n > 0)
		memcpy(out, e->over + e->over_next, n * sizeof *out);
	e->over_next += n;
	if (e->over_next == e->over_count)
		e->over_next = e->over_count = 0;
	return (int)n;
}

void emit_free(struct emit *e)
{
	for (struct emit_chunk *c = e->chunks, *next; c != NULL; c = next) {
		next = c->next;
		free(c);
	}
	free(e->over);
}

struct iot_event *emit_over(struct emit *e)
{
	if (!array_reserve(&e->over, &e->over_capacity, e->over_count + 1, sizeof *e->over)) {
		e->status = IOT_ENOMEM;
		return NULL;
	}
	return &e->over[e->over_count++];
}

/* Directives */

/* All chunks after a full one are empty. */
static char *text_capacity(struct emit *e, size_t need)
{
	struct emit_chunk *c = e->chunk, **last = &e->chunks;
	while (c != NULL && c->capacity - c->used < need)
		c = c->next;
	if (c == NULL) {
		size_t capacity = need > CHUNK_SIZE ? need : CHUNK_SIZE;
		c = malloc(sizeof *c + capacity);
		if (c == NULL) {
			e->status = IOT_ENOMEM;
			return NULL;
		}
		*c = (struct emit_chunk){.capacity = capacity};
		while (*last != NULL)
			last = &(*last)->next;
		*last = c;
	}
	e->chunk = c;
	return c->text + c->used;
}

bool emit_begin(struct emit *e, struct iot_builder *b, const char *name)
{
	char *memory = text_capacity(e, e->directive_capacity);
	if (memory == NULL)
		return false;
	iot_directive_begin(b, memory, e->directive_capacity, name);
	return true;
}

/* Adds an event whose text is in the memory of emit_begin(). */
static void add_directive(struct emit *e, const struct iot_event *made, int64_t key_ns)
{
	struct iot_event *ev = emit_event(e);
	if (ev == NULL)
		return;
	*ev = *made;
	ev->rec.start_ns = key_ns;
	e->chunk->used += made->text.size;
	e->text_used += made->text.size;
}

void emit_end(struct emit *e, struct iot_builder *b, int64_t key_ns)
{
	struct iot_event made = {0};
	/* the only possible failure: the directive is too long */
	if (iot_directive_end(b, &made) != IOT_OK)
		report_add(e->report, "directive.too_long", 1);
	else
		add_directive(e, &made, key_ns);
}

void emit_sample(struct emit *e, struct iot_builder *b, int64_t start_ns, uint64_t took_ns)
{
	const struct iot_event made = {.kind = IOT_DIRECTIVE,
				       .has = IOT_HAS_TIME | IOT_HAS_TOOK,
				       .text = {b->data, b->size},
				       .rec = {.duration_ns = took_ns}};
	if (b->status != IOT_OK || start_ns < 0 || took_ns > (uint64_t)(INT64_MAX - start_ns))
		report_add(e->report, "directive.too_long", 1);
	else
		add_directive(e, &made, start_ns);
}

static void build_operation(struct iot_builder *b, const struct emit_operation *op)
{
	emit_string(b, "name", op->name);
	iot_directive_number(b, "time", op->start_ns > 0 ? (uint64_t)op->start_ns : 0);
	if (op->timed)
		iot_directive_number(b, "took", op->duration_ns);
	iot_directive_number(b, "process", op->process);
	if (op->file != 0)
		iot_directive_number(b, "file", op->file);
	if (op->path.size > 0)
		emit_text(b, "path", op->path);
	if (op->to.size > 0)
		emit_text(b, "to", op->to);
	if (op->result.size > 0)
		emit_text(b, "result", op->result);
	if (op->has_size)
		iot_directive_number(b, "size", op->size);
}

static bool closes_file(const struct emit_operation *op)
{
	return op->file != 0 && strcmp(op->name, "close") == 0 &&
	       (op->result.size == 0 || (op->result.size == 1 && op->result.data[0] == '0'));
}

/* Returns what iot_directive_parse() would find in the text, which a call of it costs most. */
static struct iot_event event_of(const struct iot_builder *b, const struct emit_operation *op)
{
	const unsigned has = IOT_HAS_TIME | IOT_HAS_PROCESS | (op->timed ? IOT_HAS_TOOK : 0U) |
			     (op->file != 0 ? IOT_HAS_FILE : 0U) |
			     (closes_file(op) ? IOT_CLOSES : 0U);
	return (struct iot_event){.kind = IOT_OP,
				  .has = has,
				  .text = {b->data, b->size},
				  .rec = {.duration_ns = op->timed ? op->duration_ns : 0,
					  .process = op->process,
					  .file = op->file}};
}

static bool has_end(const struct emit_operation *op)
{
	const uint64_t start = op->start_ns > 0 ? (uint64_t)op->start_ns : 0;
	return !op->timed || op->duration_ns <= (uint64_t)INT64_MAX - start;
}

void emit_operation(struct emit *e, const struct emit_operation *op)
{
	struct iot_builder b;
	if (!emit_begin(e, &b, "op"))
		return;
	build_operation(&b, op);
	if (b.status != IOT_OK || !has_end(op)) {
		report_add(e->report, "directive.too_long", 1);
		return;
	}
	const struct iot_event made = event_of(&b, op);
	add_directive(e, &made, op->start_ns);
}

void emit_text(struct iot_builder *b, const char *key, struct iot_text value)
{
	iot_directive_text(b, key, value.data, value.size);
}

void emit_string(struct iot_builder *b, const char *key, const char *value)
{
	iot_directive_text(b, key, value, strlen(value));
}

void emit_comment(struct emit *e, const char *text, size_t size, int64_t key_ns)
{
	char *memory = text_capacity(e, size);
	struct iot_event *ev = memory != NULL ? emit_event(e) : NULL;
	if (ev == NULL)
		return;
	memcpy(memory, text, size);
	*ev =
	    (struct iot_event){.rec.start_ns = key_ns, .text = {memory, size}, .kind = IOT_COMMENT};
	e->chunk->used += size;
	e->text_used += size;
}

void emit_counts(struct emit *e, const char *source, int64_t key_ns)
{
	struct iot_builder b;
	const struct report *r = e->report;
	if ((r->counts == 0 && r->unparsed == 0) || !emit_begin(e, &b, "counter"))
		return;
	emit_string(&b, "source", source);
	for (size_t i = 0; i < r->counts; i++)
		iot_directive_number(&b, r->count[i].name, r->count[i].value);
	if (r->unparsed > 0)
		iot_directive_number(&b, "unparsed", r->unparsed);
	emit_end(e, &b, key_ns);
}

/* Operations */

int emit_layers(struct source_state *src, unsigned *layers)
{
	const char *layer = source_setting(src, "layer");
	*layers = EMIT_LAYER_POSIX;
	if (layer == NULL || strcmp(layer, "posix") == 0)
		return IOT_OK;
	*layers = EMIT_LAYER_MPIIO | (strcmp(layer, "both") == 0 ? EMIT_LAYER_POSIX : 0);
	if (strcmp(layer, "both") == 0 || strcmp(layer, "mpiio") == 0)
		return IOT_OK;
	return source_setting_wrong(src, "layer", "posix, mpiio or both");
}

int emit_set_ops(struct emit *e, struct source_state *src)
{
	static const char *const names[] = {
	    [EMIT_OPS_ALL] = "all", [EMIT_OPS_NAMES] = "names", [EMIT_OPS_NONE] = "none"};
	const char *ops = source_setting(src, "ops");
	if (ops == NULL)
		return IOT_OK;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(ops, names[i]) == 0) {
			e->ops = (enum emit_ops)i;
			return IOT_OK;
		}
	return source_setting_wrong(src, "ops", "all, names or none");
}

bool emit_wants_op(const struct emit *e, const char *name)
{
	/* the operations that change names, and close */
	static const char *const NAMES[] = {"create",   "close", "unlink", "rmdir",   "rename",
					    "exchange", "link",  "mkdir",  "symlink", "mknod"};
	if (e->ops != EMIT_OPS_NAMES)
		return e->ops == EMIT_OPS_ALL;
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
		if (strcmp(name, NAMES[i]) == 0)
			return true;
	return false;
}
