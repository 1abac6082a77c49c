/* SPDX-License-Identifier: BSD-2-Clause */
#include "file_label.h"

#include <string.h>

#include "cli/ui/markup.h"

enum { PATH_CAPACITY = 1 << 16 };

/* Returns the size of the decoded path; 0: use the key. */
static size_t decode(char text[PATH_CAPACITY], struct iot_text path)
{
	return path.size <= PATH_CAPACITY ? iot_percent_decode(path, text, NULL) : 0;
}

void file_label_write(struct output *o, struct iot_text path, const char *key, size_t columns)
{
	char text[PATH_CAPACITY];
	const size_t size = decode(text, path);
	const char *name = size > 0 ? text : key;
	const size_t n = size > 0 ? size : strlen(key);
	markup_shortened(o, name, n, columns);
	output_text(o, "<title>");
	markup_write(o, name, n);
	output_text(o, "</title>");
}

void file_label_whole(struct output *o, struct iot_text path, const char *key)
{
	char text[PATH_CAPACITY];
	const size_t size = decode(text, path);
	markup_write(o, size > 0 ? text : key, size > 0 ? size : strlen(key));
}

void file_label_field(struct output *o, struct iot_text path, const char *key)
{
	char text[PATH_CAPACITY];
	const size_t size = decode(text, path);
	if (size > 0)
		output_encoded(o, text, size);
	else
		output_text(o, key);
}
