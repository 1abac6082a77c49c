/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_flags.h"

#include <string.h>

#include "directive.h"
#include "lib/base/text.h"

static bool is_key_of(struct iot_text key, unsigned flags)
{
	for (size_t i = 0; i < UNKNOWNS; i++)
		if ((flags & unknowns[i].flag) != 0 && text_equals(key, unknowns[i].name))
			return true;
	return false;
}

/* Copies the tokens of a %file except those with keys of `flags`; returns the size. */
static size_t copy_without(char *out, struct iot_text text, unsigned flags)
{
	struct iot_text token, key, value;
	size_t n = 0;
	while (word_next(&text, &token)) {
		if (directive_split(token, &key, &value) && is_key_of(key, flags))
			continue;
		if (n > 0)
			out[n++] = ' ';
		memcpy(out + n, token.data, token.size);
		n += token.size;
	}
	return n;
}

static void put_flags(struct iot_builder *b, unsigned flags, unsigned changed)
{
	for (size_t i = UNKNOWNS; i-- > 0;) {
		const struct unknown *u = &unknowns[i];
		const char *value = flags & u->flag ? "unknown" : "known";
		if ((changed & u->flag) != 0)
			iot_directive_text(b, u->name, value, strlen(value));
	}
}

int file_flags_build(const struct definitions *all, const struct iot_record *rec, unsigned changed,
		     char *text, struct iot_event *ev)
{
	const struct definition *file = definitions_path(all, rec);
	struct iot_builder b;
	iot_directive_begin(&b, text, FILE_FLAGS_CAPACITY, "file");
	if (file != NULL) {
		b.size = copy_without(text, definitions_text(all, file), changed);
	} else {
		iot_directive_number(&b, "process", rec->process);
		iot_directive_number(&b, "id", rec->file);
		if (!(rec->type & IOT_LOGICAL))
			iot_directive_text(&b, "kind", "disk", strlen("disk"));
	}
	put_flags(&b, rec->flags, changed);
	return iot_directive_end(&b, ev);
}
