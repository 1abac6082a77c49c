/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the file of a record is called: as the %file in force at the record tells. The reader, whose
 * names are those at the end of a batch and of an object, knows less of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

#include "cli/ui/printable.h"
#include "print.h"

enum { NAME_ROOM = 4096 }; /* for people */

static const size_t names_limit = (size_t)1 << 30;

void iot_show_init(struct iot_show *s, struct iot_out *out, struct iot_reader *reader)
{
	*s = (struct iot_show){.out = out, .reader = reader, .told = 1};
	iot_names_init(&s->in_force, names_limit, true, false);
}

void iot_show_paths_free(struct iot_show *s)
{
	for (size_t i = 0; i < IOT_SHOWN_PATHS; i++)
		free(s->path[i].text);
	iot_names_free(&s->in_force);
}

static struct iot_shown_path *place_of(struct iot_show *s, uint32_t process, uint32_t file)
{
	return &s->path[(process * 0x9e3779b1U + file) % IOT_SHOWN_PATHS];
}

void iot_show_tell(struct iot_show *s, const struct iot_event *ev)
{
	struct iot_name *which;
	if (ev->kind != IOT_FILE && ev->kind != IOT_OP)
		return;
	if (iot_names_tell(&s->in_force, ev, &which) < 0)
		s->failed = true;
	place_of(s, ev->rec.process, ev->rec.file)->found = 0;
	s->told++;
}

static struct iot_text told_path(const struct iot_show *s, const struct iot_record *rec)
{
	const struct iot_name *file = iot_names_of(&s->in_force, rec);
	if (file == NULL)
		return (struct iot_text){NULL, 0};
	const struct iot_event ev = {.text = {file->text, file->size}};
	return iot_directive_get(&ev, "path");
}

/* In the form of a directive, or, where it is the reader's, as it is; false: no memory. */
static bool take(struct iot_shown_path *p, struct iot_text path)
{
	if (!iot_room(&p->text, &p->room, path.size + 1, 1))
		return false;
	p->size = path.size;
	if (p->own)
		p->size = iot_percent_decode(path, p->text, NULL);
	else
		memcpy(p->text, path.data, p->size);
	return true;
}

static bool take_for_people(struct iot_shown_path *p)
{
	char shown[NAME_ROOM];
	if (p->none)
		snprintf(shown, sizeof shown, "%s %u", p->logical ? "file" : "disk", p->file);
	else
		iot_printable(shown, sizeof shown, p->text, p->size);
	p->size = strlen(shown);
	p->none = !iot_room(&p->text, &p->room, sizeof shown, 1);
	if (!p->none)
		memcpy(p->text, shown, p->size + 1);
	return !p->none;
}

static void find(struct iot_show *s, struct iot_shown_path *p, const struct iot_record *rec)
{
	struct iot_text path = told_path(s, rec);
	p->own = path.data != NULL || rec->object == 0;
	if (!p->own)
		path.data = iot_reader_name(s->reader, rec->object, &path.size);
	p->process = rec->process;
	p->file = rec->file;
	p->logical = (rec->type & IOT_LOGICAL) != 0;
	p->found = s->told;
	p->none = path.data == NULL;
	if ((!p->none && !take(p, path)) || (s->for_people && !take_for_people(p))) {
		s->failed = true;
		p->none = true;
	}
}

static bool is_of(const struct iot_show *s, const struct iot_shown_path *p,
		  const struct iot_record *rec)
{
	return p->found > 0 && (p->own || p->found == s->told) && p->file == rec->file &&
	       p->process == rec->process && p->logical == ((rec->type & IOT_LOGICAL) != 0);
}

const char *iot_show_path(struct iot_show *s, const struct iot_record *rec, size_t *size)
{
	struct iot_shown_path *p = place_of(s, rec->process, rec->file);
	if (!is_of(s, p, rec))
		find(s, p, rec);
	*size = p->size;
	return p->none ? NULL : p->text;
}
