/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the file of a record is called: as the %file in force at the record tells. The reader, whose
 * names are those at the end of a batch and of an object, knows less of it.
 */
#include <string.h>

#include "lib/room.h"

#include "show.h"

static const size_t names_limit = (size_t)1 << 30;

void iot_show_init(struct iot_show *s, struct iot_out *out, struct iot_reader *reader)
{
	*s = (struct iot_show){.out = out, .reader = reader};
	iot_names_init(&s->in_force, names_limit, true, false);
}

void iot_show_tell(struct iot_show *s, const struct iot_event *ev)
{
	struct iot_name *which;
	if (ev->kind != IOT_FILE && ev->kind != IOT_OP)
		return;
	if (iot_names_tell(&s->in_force, ev, &which) < 0)
		s->failed = true;
	s->path.known = false;
}

static struct iot_text told_path(const struct iot_show *s, const struct iot_record *rec)
{
	const struct iot_name *file = iot_names_of(&s->in_force, rec);
	if (file == NULL)
		return (struct iot_text){NULL, 0};
	const struct iot_event ev = {.text = {file->text, file->size}};
	return iot_directive_get(&ev, "path");
}

/* What is not decoded is a path of the reader's. */
static void find(struct iot_show *s, const struct iot_record *rec)
{
	struct iot_shown_path *p = &s->path;
	struct iot_text path = told_path(s, rec);
	const bool encoded = path.data != NULL;
	if (!encoded && rec->object != 0)
		path.data = iot_reader_name(s->reader, rec->object, &path.size);
	p->process = rec->process;
	p->file = rec->file;
	p->logical = (rec->type & IOT_LOGICAL) != 0;
	p->known = true;
	p->none = path.data == NULL;
	p->finds++;
	if (p->none || !iot_room(&p->text, &p->room, path.size + 1, 1)) {
		s->failed |= !p->none;
		p->none = true;
	} else if (encoded) {
		p->size = iot_percent_decode(path, p->text, NULL);
	} else {
		memcpy(p->text, path.data, path.size);
		p->size = path.size;
	}
}

const char *iot_show_path(struct iot_show *s, const struct iot_record *rec, size_t *size)
{
	const struct iot_shown_path *p = &s->path;
	if (!p->known || p->file != rec->file || p->process != rec->process ||
	    p->logical != ((rec->type & IOT_LOGICAL) != 0))
		find(s, rec);
	*size = p->size;
	return p->none ? NULL : p->text;
}
