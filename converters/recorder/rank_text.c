/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the output of recorder2text, one file per rank:
 *
 *	start end function depth type ( arguments )     2.3 and later
 *	start end result function ( arguments )         2.1 and 2.2
 *
 * Times are seconds since an unspecified zero. Offsets are printed as they were stored: patterns
 * between ranks are recognizable, and their offsets unknown; differences look like offsets.
 */
#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum { LINE_MAX_SIZE = 1 << 20 };

struct recorder_lines {
	struct bufreader *bufreader;
	char name[256];
	uint64_t number;
	struct recorder_signature signature;
	char *args; /* copy of the current line's arguments, because the bufreader moves */
	size_t capacity;
};

struct text_call {
	struct iot_text start, end, function, args;
	int64_t result;
	bool has_result;
};

static struct iot_text word(struct iot_text *rest)
{
	const char *stop = rest->size == 0 ? NULL : memchr(rest->data, ' ', rest->size);
	size_t size = stop == NULL ? rest->size : (size_t)(stop - rest->data);
	size_t used = size + (stop != NULL);
	struct iot_text w = {rest->data, size};
	*rest = (struct iot_text){rest->data + used, rest->size - used};
	return w;
}

static bool is_small_number(struct iot_text t)
{
	int64_t value;
	return recorder_number(t, &value) && value >= 0 && value < 256;
}

static bool parse(const char *text, const char *stop, struct text_call *l)
{
	struct iot_text rest = {text, (size_t)(stop - text)};
	int64_t ns;
	l->start = word(&rest);
	l->end = word(&rest);
	struct iot_text third = word(&rest);
	l->has_result = recorder_number(third, &l->result);
	l->function = l->has_result ? word(&rest) : third;
	if (!l->has_result) {
		struct iot_text depth = word(&rest), type = word(&rest);
		if (!is_small_number(depth) || !is_small_number(type))
			return false;
	}
	if (rest.size < 3 || rest.data[0] != '(' || rest.data[1] != ' ' ||
	    rest.data[rest.size - 1] != ')')
		return false;
	l->args = (struct iot_text){rest.data + 2, rest.size - 3};
	return l->function.size > 0 && recorder_seconds(l->start, &ns) &&
	       recorder_seconds(l->end, &ns) &&
	       (l->args.size == 0 || l->args.data[l->args.size - 1] == ' ');
}

bool recorder_text_line(const char *line, const char *end)
{
	struct text_call l;
	return parse(line, end, &l);
}

/* Returns the next line without its LF, NULL at the end. */
static const char *next_line(struct recorder_rank *k, size_t *size, bool *cut)
{
	struct recorder_lines *t = k->lines;
	size_t have, want = 1;
	for (;;) {
		const char *data = bufreader_peek(t->bufreader, want, &have);
		const char *lf = have > 0 ? memchr(data, '\n', have) : NULL;
		*size = lf != NULL ? (size_t)(lf - data) : have;
		*cut = lf == NULL;
		if (lf != NULL)
			return data;
		if (have < want) {
			if (bufreader_status(t->bufreader) != IOT_OK)
				k->error = *bufreader_error(t->bufreader);
			return have > 0 ? data : NULL;
		}
		if (have > LINE_MAX_SIZE) {
			error_set(&k->error, IOT_EFORMAT, "%s:%ju: a line of more than 1 MiB",
				  t->name, (uintmax_t)t->number + 1);
			return NULL;
		}
		want = have + 1;
	}
}

static bool keep_args(struct recorder_lines *t, struct iot_text args)
{
	if (!array_reserve(&t->args, &t->capacity, args.size, 1))
		return false;
	if (args.size > 0)
		memcpy(t->args, args.data, args.size);
	return true;
}

static bool take(struct recorder_rank *k, const struct text_call *l)
{
	struct recorder_lines *t = k->lines;
	struct recorder_call *c = &k->coming;
	int64_t end_ns = 0;
	size_t blanks = 0;
	for (size_t i = 0; i < l->args.size; i++)
		blanks += l->args.data[i] == ' ';
	(void)recorder_seconds(l->start, &c->start_ns);
	(void)recorder_seconds(l->end, &end_ns);
	if (!keep_args(t, l->args))
		return false;
	t->signature = (struct recorder_signature){
	    .function = recorder_function(l->function.data, l->function.size),
	    .args = t->args != NULL ? t->args : "",
	    .args_size = (uint32_t)l->args.size,
	    .count = blanks < UINT8_MAX ? (uint8_t)blanks : UINT8_MAX};
	if (!recorder_prepare(k->r, &t->signature, l->has_result))
		return false;
	c->signature = &t->signature;
	c->duration_ns = end_ns > c->start_ns ? (uint64_t)(end_ns - c->start_ns) : 0;
	c->offset = t->signature.offset;
	c->offset_known = !t->signature.sloped;
	c->result = l->result;
	c->result_known = l->has_result;
	return true;
}

static int next(struct recorder_rank *k)
{
	struct recorder_lines *t = k->lines;
	struct text_call l;
	const char *data;
	size_t size;
	bool cut;
	while ((data = next_line(k, &size, &cut)) != NULL) {
		bool fine = parse(data, data + size, &l) && !(cut && k->error.status != IOT_OK);
		t->number++;
		k->r->src->report.lines++;
		if (fine && !take(k, &l))
			return error_set(&k->error, IOT_ENOMEM, "out of memory");
		if (!fine && !cut)
			report_unparsed(&k->r->src->report, t->name, t->number, data, size);
		bufreader_consume(t->bufreader, size + !cut);
		if (!fine && cut)
			return error_set(&k->error, IOT_ETRUNCATED,
					 "%s:%ju: ends in the middle of a line", t->name,
					 (uintmax_t)t->number);
		if (fine)
			return 1;
	}
	return k->error.status;
}

static void close_rank(struct recorder_rank *k)
{
	if (k->lines == NULL)
		return;
	bufreader_free(k->lines->bufreader);
	free(k->lines->args);
	free(k->lines);
	k->lines = NULL;
}

int recorder_text_open(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	const struct recorder_part *part = recorder_part(r, RECORDER_RANK_TEXT, k->rank);
	k->lines = calloc(1, sizeof *k->lines);
	if (k->lines == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	k->next = next;
	k->close = close_rank;
	k->bytes = sizeof *k->lines + (64 << 10);
	memcpy(k->lines->name, recorder_name(r, part), sizeof k->lines->name);
	k->lines->bufreader = input_open(r->src->input, part->member, &k->error);
	return k->lines->bufreader == NULL ? k->error.status : IOT_OK;
}
