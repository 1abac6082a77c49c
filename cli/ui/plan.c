/* SPDX-License-Identifier: BSD-2-Clause */
#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/array.h"
#include "lib/base/error.h"
#include "lib/base/number.h"

enum { HASH_KEY = 22 /* size of " xxh3=" and 16 digits */ };

/* Why a line is refused. */
static enum exit_status refuse(const struct plan_in *in, const char *key, const char *why)
{
	char name[256];
	const char *path = strcmp(in->path, "-") == 0
			       ? "standard input"
			       : escape_text(name, sizeof name, in->path, strlen(in->path));
	message_print("%s:%ju: %s%s%s", path, (uintmax_t)in->lines, key != NULL ? key : "",
		      key != NULL ? "= " : "", why);
	return EXIT_FAILED;
}

/* Values of a line */

struct plan_fields {
	const struct plan_in *in;
	const struct iot_event *ev;
	enum exit_status status;
};

static void wrong(struct plan_fields *f, const char *key, const char *why)
{
	if (f->status == EXIT_OK)
		f->status = refuse(f->in, key, why);
}

static uint64_t number(struct plan_fields *f, const char *key)
{
	const struct iot_text text = iot_directive_get(f->ev, key);
	uint64_t v = 0;
	if (text.data == NULL)
		wrong(f, key, "is missing");
	else if (!number_decimal(text.data, text.size, &v))
		wrong(f, key, "is not a number of 64 bits");
	return v;
}

static uint64_t number_or_0(struct plan_fields *f, const char *key)
{
	return iot_directive_get(f->ev, key).data != NULL ? number(f, key) : 0;
}

/* Decodes a text, which the caller frees. */
static char *decode(struct plan_fields *f, struct iot_text value, size_t *size)
{
	char *text = malloc(value.size + 1);
	if (text == NULL) {
		if (f->status == EXIT_OK)
			f->status = message_no_memory();
		return NULL;
	}
	*size = value.size > 0 ? iot_percent_decode(value, text, NULL) : 0;
	text[*size] = '\0';
	return text;
}

static char *text_of(struct plan_fields *f, const char *key, size_t *size)
{
	return decode(f, iot_directive_get(f->ev, key), size);
}

/* Reads the next of the values that commas separate. Returns false if there is none. */
static bool next_of_list(const char **at, struct iot_text *value)
{
	if (*at == NULL)
		return false;
	const size_t n = strcspn(*at, ",");
	*value = (struct iot_text){*at, n};
	*at = (*at)[n] == ',' ? *at + n + 1 : NULL;
	return true;
}

static void add_trace(struct plan_fields *f, struct plan_part *part, size_t *capacity,
		      const struct iot_text value[3])
{
	size_t length = 0;
	if (!array_reserve(&part->traces, capacity, part->count + 1, sizeof *part->traces)) {
		f->status = message_no_memory();
		return;
	}
	struct plan_trace *t = &part->traces[part->count++];
	*t = (struct plan_trace){.path = decode(f, value[0], &length)};
	if (f->status == EXIT_OK && (length == 0 || strlen(t->path) != length))
		wrong(f, "paths", "contains an invalid path");
	if (!number_decimal(value[1].data, value[1].size, &t->size))
		wrong(f, "sizes", "is not a list of numbers");
	if (!number_decimal(value[2].data, value[2].size, &t->id))
		wrong(f, "ids", "is not a list of numbers");
}

static void read_traces(struct plan_fields *f, struct plan_part *part)
{
	static const char *const keys[] = {"paths", "sizes", "ids"};
	char *list[3];
	const char *at[3];
	struct iot_text value[3];
	size_t size, capacity = 0;
	for (unsigned i = 0; i < 3; i++)
		at[i] = list[i] = text_of(f, keys[i], &size);
	while (f->status == EXIT_OK && next_of_list(&at[0], &value[0])) {
		if (!next_of_list(&at[1], &value[1]) || !next_of_list(&at[2], &value[2]))
			wrong(f, "paths", "has more elements than sizes= or ids=");
		else
			add_trace(f, part, &capacity, value);
	}
	if (f->status == EXIT_OK && (at[1] != NULL || at[2] != NULL))
		wrong(f, "paths", "has fewer elements than sizes= or ids=");
	for (unsigned i = 0; i < 3; i++)
		free(list[i]);
}

static void check_range(struct plan_fields *f, const struct plan_part *part)
{
	const struct iot_part *p = &part->range.part;
	if (part->k < 1 || part->k > part->n || part->n > PLAN_LINES_MAX)
		wrong(f, "k", "is not one of 1 to n=");
	if (p->from > p->to)
		wrong(f, "from", "is beyond to=");
	if (p->to > p->stored)
		wrong(f, "to", "is beyond size=");
	if (part->range.tick_ns == 0 || part->range.tick_ns > INT64_MAX)
		wrong(f, "tick", "is not a number of nanoseconds");
	if (part->range.base != 10 && part->range.base != 16)
		wrong(f, "base", "is neither 10 nor 16");
	if ((part->range.next.size > 0) != (p->to < p->stored))
		wrong(f, "next", "is the %sync that follows, unless the part ends with the trace");
}

static void read_range(struct plan_fields *f, struct plan_part *part)
{
	struct iot_range *r = &part->range;
	size_t size = 0;
	part->traces = calloc(1, sizeof *part->traces);
	if (part->traces == NULL) {
		f->status = message_no_memory();
		return;
	}
	part->count = 1;
	part->traces->path = text_of(f, "path", &size);
	if (f->status == EXIT_OK && (size == 0 || strlen(part->traces->path) != size))
		wrong(f, "path", "is not a valid path");
	part->k = number(f, "k");
	part->n = number(f, "n");
	part->traces->size = r->part.stored = number(f, "size");
	part->traces->id = r->part.trace_id = number(f, "id");
	r->part.from = number(f, "from");
	r->part.to = number(f, "to");
	r->record = number(f, "record");
	r->tick_ns = number(f, "tick");
	r->base = number(f, "base");
	r->epoch_ns = number_or_0(f, "epoch");
	part->header = text_of(f, "header", &size);
	r->header = (struct iot_text){part->header, size};
	part->next = text_of(f, "next", &size);
	r->next = (struct iot_text){part->next, size};
	check_range(f, part);
}

/* The hash at the end of a line detects changes that are valid by themselves. */
static void check_hash(struct plan_fields *f, const char *line, size_t size)
{
	const struct iot_text text = iot_directive_get(f->ev, "xxh3");
	uint64_t declared;
	if (text.data == NULL || text.size != 16 || size < HASH_KEY ||
	    text.data != line + size - text.size || !number_parse(text.data, 16, 16, &declared))
		wrong(f, "xxh3", "is not the last key, with 16 digits");
	else if (XXH3_64bits(line, size - HASH_KEY) != declared)
		wrong(f, "xxh3", "does not match the line, which has been changed");
}

static enum exit_status parse(struct plan_in *in, const char *line, size_t size,
			      struct plan_part *part)
{
	struct iot_event ev = {.text = {line, size}};
	struct plan_fields f = {in, &ev, EXIT_OK};
	*part = (struct plan_part){.count = 0};
	if (size < 6 || memcmp(line, "%part ", 6) != 0)
		return refuse(in, NULL, "not a line of a plan, which begins with %part");
	const char *why = NULL;
	if (iot_directive_parse(&ev, &why) != IOT_OK)
		return refuse(in, NULL, why != NULL ? why : "not a valid directive");
	const struct iot_text layer = iot_directive_get(&ev, "layer");
	part->physical = layer.data != NULL;
	if (layer.data != NULL && (layer.size != 8 || memcmp(layer.data, "physical", 8) != 0))
		wrong(&f, "layer", "is not \"physical\"");
	if (iot_directive_get(&ev, "paths").data != NULL)
		read_traces(&f, part);
	else
		read_range(&f, part);
	if (f.status == EXIT_OK)
		check_hash(&f, line, size);
	return f.status;
}

/* Files */

enum exit_status plan_open(struct plan_in *in, const char *path)
{
	*in = (struct plan_in){.path = path};
	in->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (in->file != NULL)
		return EXIT_OK;
	const int errnum = errno;
	message_print_about(path, "cannot be opened: %s", strerror(errnum));
	return EXIT_FAILED;
}

void plan_close(struct plan_in *in)
{
	if (in->file != NULL && in->file != stdin)
		(void)fclose(in->file);
	free(in->line);
	*in = (struct plan_in){.path = NULL};
}

/* Reads a line, without LF. Returns EXIT_OK with *size -1 at the end. */
static enum exit_status read_line(struct plan_in *in, ssize_t *size)
{
	errno = 0;
	*size = getline(&in->line, &in->capacity, in->file);
	if (*size < 0 && (ferror(in->file) || errno == ENOMEM)) {
		const int errnum = errno;
		message_print_about(in->path, "cannot be read: %s", strerror(errnum));
		return EXIT_FAILED;
	}
	if (*size < 0)
		return EXIT_OK;
	if (++in->lines > PLAN_LINES_MAX)
		return refuse(in, NULL, "a plan has at most 1000000 lines");
	if (*size > IOT_COMMENT_MAX)
		return refuse(in, NULL, "longer than 65536 bytes");
	if (in->line[*size - 1] != '\n')
		return refuse(in, NULL, "ends without LF: the plan is cut short");
	in->line[--*size] = '\0';
	return EXIT_OK;
}

enum exit_status plan_next(struct plan_in *in, struct plan_part *part, bool *got)
{
	ssize_t size;
	*part = (struct plan_part){.count = 0};
	const enum exit_status status = read_line(in, &size);
	*got = status == EXIT_OK && size >= 0;
	return *got ? parse(in, in->line, (size_t)size, part) : status;
}

enum exit_status plan_read(struct plan_part *part, const char *path, uint64_t k)
{
	struct plan_in in;
	ssize_t size = 0;
	*part = (struct plan_part){.count = 0};
	enum exit_status status = plan_open(&in, path);
	while (status == EXIT_OK && in.lines < k && size >= 0)
		status = read_line(&in, &size);
	if (status == EXIT_OK && size < 0) {
		message_print_about(path, "the plan has %ju lines, not line %ju",
				    (uintmax_t)in.lines, (uintmax_t)k);
		status = EXIT_FAILED;
	} else if (status == EXIT_OK) {
		status = parse(&in, in.line, (size_t)size, part);
	}
	plan_close(&in);
	return status;
}

void plan_part_free(struct plan_part *part)
{
	for (size_t i = 0; i < part->count; i++)
		free(part->traces[i].path);
	free(part->traces);
	free(part->header);
	free(part->next);
	*part = (struct plan_part){.count = 0};
}

char **plan_paths(const struct plan_part *part)
{
	char **paths = calloc(part->count, sizeof *paths);
	for (size_t i = 0; i < part->count && paths != NULL; i++)
		paths[i] = part->traces[i].path;
	return paths;
}

/* Writing */

/* Appends to a list; commas and '%' in it are percent-encoded. Returns false if it is full. */
static bool append(char *list, size_t *size, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	if (*size > 0)
		list[(*size)++] = ',';
	for (; *text != '\0'; text++) {
		if (*size + 4 > IOT_COMMENT_MAX)
			return false;
		if (*text != ',' && *text != '%') {
			list[(*size)++] = *text;
			continue;
		}
		list[(*size)++] = '%';
		list[(*size)++] = digits[(unsigned char)*text >> 4];
		list[(*size)++] = digits[*text & 15];
	}
	return true;
}

static void add_lists(struct iot_builder *b, const struct plan_part *part, char *list)
{
	static const char *const keys[] = {"paths", "sizes", "ids"};
	char digits[24];
	for (unsigned key = 0; key < 3; key++) {
		size_t size = 0;
		for (size_t i = 0; i < part->count; i++) {
			const struct plan_trace *t = &part->traces[i];
			const uint64_t value = key == 1 ? t->size : t->id;
			snprintf(digits, sizeof digits, "%" PRIu64, value);
			if (!append(list, &size, key == 0 ? t->path : digits))
				b->status = IOT_ELIMIT;
		}
		iot_directive_text(b, keys[key], list, size);
	}
}

static void add_range(struct iot_builder *b, const struct plan_part *part)
{
	const struct iot_range *r = &part->range;
	iot_directive_text(b, "path", part->traces->path, strlen(part->traces->path));
	iot_directive_number(b, "size", r->part.stored);
	iot_directive_number(b, "id", r->part.trace_id);
	iot_directive_number(b, "k", part->k);
	iot_directive_number(b, "n", part->n);
	iot_directive_number(b, "from", r->part.from);
	iot_directive_number(b, "to", r->part.to);
	iot_directive_number(b, "record", r->record);
	iot_directive_number(b, "tick", r->tick_ns);
	iot_directive_number(b, "base", r->base);
	if (r->epoch_ns != 0)
		iot_directive_number(b, "epoch", r->epoch_ns);
	if (r->header.size > 0)
		iot_directive_text(b, "header", r->header.data, r->header.size);
	if (r->next.size > 0)
		iot_directive_text(b, "next", r->next.data, r->next.size);
}

enum exit_status plan_write(struct output *out, const struct plan_part *part)
{
	char *memory = malloc(2 * (size_t)IOT_COMMENT_MAX);
	struct iot_builder b;
	struct iot_event ev;
	if (memory == NULL)
		return message_no_memory();
	iot_directive_begin(&b, memory, IOT_COMMENT_MAX - HASH_KEY - 1, "part");
	if (part->n > 0)
		add_range(&b, part);
	else
		add_lists(&b, part, memory + IOT_COMMENT_MAX);
	if (part->physical)
		iot_directive_text(&b, "layer", "physical", 8);
	const int status = iot_directive_end(&b, &ev);
	if (status == IOT_OK)
		output_printf(out, "%.*s xxh3=%016" PRIx64 "\n", (int)ev.text.size, ev.text.data,
			      (uint64_t)XXH3_64bits(ev.text.data, ev.text.size));
	free(memory);
	if (status == IOT_OK)
		return EXIT_OK;
	message_print_about(part->traces->path, "its line of the plan is longer than 65536 bytes");
	return EXIT_FAILED;
}

/* Use by commands */

static enum exit_status check_trace(const struct plan_trace *t, const struct trace_in_options *o,
				    const struct command_spec *command)
{
	struct trace_in in;
	struct iot_part part = {.trace_id = 0};
	enum exit_status status = trace_in_open(&in, t->path, o, command);
	if (status == EXIT_OK && (iot_reader_part(in.reader, 1, 1, &part) != IOT_OK ||
				  part.stored != t->size || part.trace_id != t->id)) {
		message_print_about(t->path, "not the trace for which the plan was made");
		status = EXIT_FAILED;
	}
	trace_in_close(&in);
	return status;
}

enum exit_status plan_check_traces(const struct plan_part *part, const struct trace_in_options *o,
				   const struct command_spec *command)
{
	struct trace_in_options probe = *o;
	enum exit_status status = EXIT_OK;
	probe.quiet = probe.probes = true;
	probe.selects_layer = false;
	for (size_t i = 0; i < part->count && status == EXIT_OK; i++)
		status = check_trace(&part->traces[i], &probe, command);
	return status;
}

enum exit_status plan_choose(struct plan_options *p, const char **path, struct trace_in_options *o,
			     const struct command_spec *command)
{
	if (p->file == NULL && p->k == 0)
		return EXIT_OK;
	if (p->file == NULL || p->k == 0)
		return options_wrong(command, "--plan and --part need each other");
	if (*path != NULL && strcmp(*path, "-") == 0 && strcmp(p->file, "-") == 0)
		return options_wrong(command, "standard input is the plan or the part, not both");
	const enum exit_status status = plan_read(&p->part, p->file, p->k);
	if (status != EXIT_OK)
		return status;
	if (p->part.n == 0)
		return options_wrong(command,
				     "line %ju of the plan has whole traces, which only "
				     "analyze reads",
				     (uintmax_t)p->k);
	o->range = &p->part.range;
	o->alone = *path != NULL && strcmp(*path, "-") == 0;
	if (o->layer == LAYER_DEFAULT)
		o->layer = p->part.physical ? LAYER_PHYSICAL : LAYER_LOGICAL;
	if (*path == NULL)
		*path = p->part.traces->path;
	return EXIT_OK;
}
