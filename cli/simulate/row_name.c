/* SPDX-License-Identifier: BSD-2-Clause */
#include "row_name.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/ui/printable.h"

const char *row_by_name(enum breakdown_by by)
{
	static const char *const names[] = {"nothing", "object", "file", "process",
					    "rank",    "kind",   "op"};
	return names[by];
}

static const char *object_name(char *text, struct iot_reader *reader, struct breakdown_name n,
			       bool physical)
{
	size_t size;
	const char *path = n.object != 0 ? iot_reader_name(reader, n.object, &size) : NULL;
	if (path != NULL)
		return printable(text, ROW_NAME_CAPACITY, path, size);
	if (n.object != 0)
		snprintf(text, ROW_NAME_CAPACITY, "object %" PRIu32, n.object);
	else if (physical)
		snprintf(text, ROW_NAME_CAPACITY, "disk %" PRIu32, n.file);
	else if (n.file != 0 || n.process != 0)
		snprintf(text, ROW_NAME_CAPACITY, "file %" PRIu32 " of process %" PRIu32, n.file,
			 n.process);
	else
		snprintf(text, ROW_NAME_CAPACITY, "unknown offsets");
	return text;
}

static const char *file_name(char *text, struct iot_reader *reader, struct breakdown_name n,
			     bool physical)
{
	char path[ROW_NAME_CAPACITY];
	const struct breakdown_name object = {.object = n.object};
	if (physical)
		snprintf(text, ROW_NAME_CAPACITY, "disk %" PRIu32, n.file);
	else
		snprintf(text, ROW_NAME_CAPACITY, "%" PRIu32 ":%" PRIu32 " %.4000s", n.process,
			 n.file, n.object != 0 ? object_name(path, reader, object, false) : "-");
	return text;
}

const char *row_name(char *text, struct iot_reader *reader, struct breakdown_name name,
		     enum breakdown_by by, bool physical)
{
	static const char *const kinds[] = {"file data", "metadata", "read-ahead",
					    "virtual memory"};
	switch (by) {
	case BREAKDOWN_NONE:
		return "all";
	case BREAKDOWN_OBJECT:
		return object_name(text, reader, name, physical);
	case BREAKDOWN_FILE:
		return file_name(text, reader, name, physical);
	case BREAKDOWN_PROCESS:
		snprintf(text, ROW_NAME_CAPACITY, "process %" PRIu32, name.process);
		break;
	case BREAKDOWN_RANK:
		if (name.rank == 0)
			return "-";
		snprintf(text, ROW_NAME_CAPACITY, "rank %" PRIu64, name.rank - 1);
		break;
	case BREAKDOWN_KIND:
		return kinds[name.kind];
	case BREAKDOWN_OPERATION:
		return name.kind != 0 ? "write" : "read";
	}
	return text;
}
