/* SPDX-License-Identifier: BSD-2-Clause */
/* Names and formats are static, so that a schema has no memory but its nodes. */
#include "schema.h"

#include <stdlib.h>

struct exported_schema {
	struct ArrowSchema *children[EVENT_COLUMNS_MAX];
	struct ArrowSchema child[EVENT_COLUMNS_MAX];
};

static void release_dictionary(struct ArrowSchema *s)
{
	s->release = NULL;
}

static void release_child(struct ArrowSchema *s)
{
	if (s->dictionary != NULL && s->dictionary->release != NULL)
		s->dictionary->release(s->dictionary);
	free(s->private_data);
	s->release = NULL;
}

static void release(struct ArrowSchema *s)
{
	struct exported_schema *e = s->private_data;
	for (int64_t i = 0; i < s->n_children; i++)
		if (e->child[i].release != NULL)
			e->child[i].release(&e->child[i]);
	free(e);
	s->release = NULL;
}

static bool export_child(enum event_column column, const char *format, struct ArrowSchema *out)
{
	*out = (struct ArrowSchema){.format = format,
				    .name = event_column_name(column),
				    .flags = ARROW_FLAG_NULLABLE,
				    .release = release_child};
	if (event_column_type(column) != EVENT_TEXT)
		return true;
	struct ArrowSchema *texts = malloc(sizeof *texts);
	if (texts != NULL)
		*texts = (struct ArrowSchema){.format = "u",
					      .name = "",
					      .flags = ARROW_FLAG_NULLABLE,
					      .release = release_dictionary};
	out->dictionary = out->private_data = texts;
	return texts != NULL;
}

int schema_export(const struct event_columns *columns, bool timestamps, struct ArrowSchema *out)
{
	static const char *const formats[] = {
	    [EVENT_INT64] = "l", [EVENT_UINT64] = "L", [EVENT_UINT32] = "I", [EVENT_TEXT] = "i"};
	struct exported_schema *e = calloc(1, sizeof *e);
	*out = (struct ArrowSchema){.format = "+s", .name = "", .release = release};
	bool fits = e != NULL;
	for (size_t i = 0; i < columns->count && fits; i++) {
		const enum event_column column = columns->column[i];
		const bool time = timestamps && column == EVENT_START_NS;
		fits = export_child(column, time ? "tsn:UTC" : formats[event_column_type(column)],
				    &e->child[i]);
		e->children[i] = &e->child[i];
		out->n_children++;
	}
	if (e != NULL)
		out->children = e->children;
	out->private_data = e;
	if (!fits && e != NULL)
		release(out);
	out->release = fits ? out->release : NULL;
	return fits ? IOT_OK : IOT_ENOMEM;
}
