/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints all events of a source in canonical form, a line each: every field of records, the text of
 * the others with their time.
 *
 *	source_events stream|reader PATH...
 *
 * stream: as iot_source_stream delivers them; reader: as a reader on the source does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <iotrace/source.h>

static void print_event(const struct iot_event *ev)
{
	const struct iot_record *r = &ev->rec;
	if (ev->kind == IOT_RECORD)
		printf("%02x %u/%u object %u operation %u: %" PRIu64 "+%" PRIu64 " at %" PRId64
		       " took %" PRIu64 " flags %x\n",
		       r->type, r->process, r->file, r->object, r->operation, r->offset, r->length,
		       r->start_ns, r->duration_ns, r->flags);
	else
		printf("%.*s\n", (int)ev->text.size, ev->text.data);
}

static int print_stream(struct iot_stream *e, struct iot_batch *b)
{
	int status;
	while ((status = iot_stream_next(e, b)) > 0)
		for (size_t i = 0; i < b->count; i++)
			print_event(&b->events[i]);
	if (status < 0)
		printf("%s: %s\n", iot_status_name(status), iot_stream_error(e));
	return status;
}

static int print_source(struct iot_source *s, struct iot_reader *r, int by_reader)
{
	struct iot_batch *b = iot_batch_new(IOT_BATCH_EVENTS);
	struct iot_stream *e = NULL;
	int status = IOT_ENOMEM;
	if (!by_reader)
		e = iot_source_stream(s);
	else if (iot_source_open_reader(s, r) == IOT_OK)
		e = iot_stream_of_reader(r);
	if (b != NULL && e != NULL)
		status = print_stream(e, b);
	iot_stream_free(e);
	iot_batch_free(b);
	return status;
}

int main(int argc, char **argv)
{
	struct iot_source *s = iot_source_new();
	struct iot_reader *r = iot_reader_new();
	int status = IOT_EUSAGE;
	if (argc < 3 || s == NULL || r == NULL)
		return 2;
	if (iot_source_open(s, (const char *const *)argv + 2, (size_t)argc - 2) == IOT_OK)
		status = print_source(s, r, strcmp(argv[1], "reader") == 0);
	else
		printf("cannot be opened: %s\n", iot_source_error(s));
	iot_reader_free(r);
	iot_source_free(s);
	return status == IOT_OK ? 0 : 1;
}
