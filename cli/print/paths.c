/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path of a record's file, from the current %file at the record. The reader only knows the
 * names at the end of a batch, by object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "cli/ui/printable.h"
#include "print.h"

enum { NAME_CAPACITY = 4096 }; /* human-readable */

static const size_t names_limit = (size_t)1 << 30;

void print_init(struct printer *s, struct output *out, struct iot_reader *reader)
{
	*s = (struct printer){.out = out, .reader = reader, .reported = 1};
	definitions_init(&s->in_force, names_limit, true, false);
}

void print_paths_free(struct printer *s)
{
	for (size_t i = 0; i < PRINT_PATHS; i++)
		free(s->path[i].text);
	definitions_free(&s->in_force);
}

static struct printed_path *slot_of(struct printer *s, uint32_t process, uint32_t file)
{
	return &s->path[(process * 0x9e3779b1U + file) % PRINT_PATHS];
}

void printer_event(struct printer *s, const struct iot_event *ev)
{
	struct definition *which;
	if (ev->kind != IOT_FILE && ev->kind != IOT_OP)
		return;
	if (definitions_add(&s->in_force, ev, &which) < 0)
		s->failed = true;
	slot_of(s, ev->rec.process, ev->rec.file)->found = 0;
	s->reported++;
}

static struct iot_text reported_path(const struct printer *s, const struct iot_record *rec)
{
	const struct definition *file = definitions_path(&s->in_force, rec);
	if (file == NULL)
		return (struct iot_text){NULL, 0};
	const struct iot_event ev = {.text = {file->text, file->size}};
	return iot_directive_get(&ev, "path");
}

/* Encoded as in a directive, or unchanged if it comes from the reader; false if out of memory. */
static bool take(struct printed_path *p, struct iot_text path)
{
	if (!array_reserve(&p->text, &p->capacity, path.size + 1, 1))
		return false;
	p->size = path.size;
	if (p->own)
		p->size = iot_percent_decode(path, p->text, NULL);
	else
		memcpy(p->text, path.data, p->size);
	return true;
}

static bool take_for_human(struct printed_path *p)
{
	char shown[NAME_CAPACITY];
	if (p->none)
		snprintf(shown, sizeof shown, "%s %u", p->logical ? "file" : "disk", p->file);
	else
		printable(shown, sizeof shown, p->text, p->size);
	p->size = strlen(shown);
	p->none = !array_reserve(&p->text, &p->capacity, sizeof shown, 1);
	if (!p->none)
		memcpy(p->text, shown, p->size + 1);
	return !p->none;
}

static void find(struct printer *s, struct printed_path *p, const struct iot_record *rec)
{
	struct iot_text path = reported_path(s, rec);
	p->own = path.data != NULL || rec->object == 0;
	if (!p->own)
		path.data = iot_reader_name(s->reader, rec->object, &path.size);
	p->process = rec->process;
	p->file = rec->file;
	p->logical = (rec->type & IOT_LOGICAL) != 0;
	p->found = s->reported;
	p->none = path.data == NULL;
	if ((!p->none && !take(p, path)) || (s->for_human && !take_for_human(p))) {
		s->failed = true;
		p->none = true;
	}
}

static bool is_of(const struct printer *s, const struct printed_path *p,
		  const struct iot_record *rec)
{
	return p->found > 0 && (p->own || p->found == s->reported) && p->file == rec->file &&
	       p->process == rec->process && p->logical == ((rec->type & IOT_LOGICAL) != 0);
}

const char *printer_path(struct printer *s, const struct iot_record *rec, size_t *size)
{
	struct printed_path *p = slot_of(s, rec->process, rec->file);
	if (!is_of(s, p, rec))
		find(s, p, rec);
	*size = p->size;
	return p->none ? NULL : p->text;
}
