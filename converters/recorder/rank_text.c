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

struct rank_text {
	struct bufreader *bufreader;
	char name[RECORDER_MESSAGE_NAME];
	uint64_t number;
	struct recorder_signature signature;
	struct recorder_call call;
	char *args; /* copy of the current line's arguments, because the bufreader moves */
	size_t capacity;
};

struct text_call {
	struct iot_text start, end, function, args;
	int64_t result;
	bool has_result;
};

static bool is_small_number(struct iot_text t)
{
	int64_t value;
	return recorder_number(t, &value) && value >= 0 && value < 256;
}

static bool parse(const char *text, const char *stop, struct text_call *l)
{
	struct iot_text rest = {text, (size_t)(stop - text)};
	int64_t ns;
	l->start = recorder_word(&rest);
	l->end = recorder_word(&rest);
	struct iot_text third = recorder_word(&rest);
	l->has_result = recorder_number(third, &l->result);
	l->function = l->has_result ? recorder_word(&rest) : third;
	if (!l->has_result) {
		struct iot_text depth = recorder_word(&rest), type = recorder_word(&rest);
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
	const struct rank_text *t = k->state;
	const char *data = recorder_peek_line(t->bufreader, 0, size, cut);
	if (*size > RECORDER_LINE_MAX && data == NULL)
		error_set(&k->error, IOT_EFORMAT, "%s:%ju: a line of more than 1 MiB", t->name,
			  (uintmax_t)t->number + 1);
	else if (*cut && bufreader_status(t->bufreader) != IOT_OK)
		k->error = *bufreader_error(t->bufreader);
	return data;
}

/* Copies the arguments. Returns false if out of memory. */
static bool accept_call(struct recorder_rank *k, const struct text_call *l)
{
	struct rank_text *t = k->state;
	struct recorder_call *c = &t->call;
	int64_t end_ns = 0;
	size_t blanks = 0;
	for (size_t i = 0; i < l->args.size; i++)
		blanks += l->args.data[i] == ' ';
	(void)recorder_seconds(l->start, &c->start_ns);
	(void)recorder_seconds(l->end, &end_ns);
	if (!array_reserve(&t->args, &t->capacity, l->args.size + 1, 1))
		return false;
	memcpy(t->args, l->args.data, l->args.size);
	t->signature =
	    (struct recorder_signature){.function = recorder_function(l->function),
					.args = t->args,
					.args_size = (uint32_t)l->args.size,
					.count = blanks < UINT8_MAX ? (uint8_t)blanks : UINT8_MAX};
	if (!recorder_prepare(k->r, &t->signature, l->has_result))
		return false;
	k->coming = c;
	k->end = c + 1;
	c->signature = &t->signature;
	c->duration_ns = end_ns > c->start_ns ? (uint64_t)(end_ns - c->start_ns) : 0;
	c->offset = t->signature.offset;
	c->offset_known = !t->signature.sloped;
	k->result = l->result;
	k->result_known = l->has_result;
	return true;
}

static int next(struct recorder_rank *k)
{
	struct rank_text *t = k->state;
	struct text_call l;
	const char *data;
	size_t size;
	bool cut;
	while ((data = next_line(k, &size, &cut)) != NULL) {
		bool fine = parse(data, data + size, &l) && !(cut && k->error.status != IOT_OK);
		t->number++;
		k->r->src->report.lines++;
		if (fine && !accept_call(k, &l))
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
	struct rank_text *t = k->state;
	if (t == NULL)
		return;
	bufreader_free(t->bufreader);
	free(t->args);
	free(t);
}

static int open_rank(struct recorder_rank *k)
{
	const struct recorder_part *part = recorder_part(k->r, RECORDER_RANK_TEXT, k->rank);
	struct rank_text *t = k->state = calloc(1, sizeof *t);
	if (t == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	k->bytes = sizeof *t + RECORDER_RANK_BYTES;
	memcpy(t->name, recorder_name(k->r, part), sizeof t->name);
	t->bufreader = input_open(k->r->src->input, part->member, &k->error);
	return k->error.status;
}

const struct recorder_rank_ops recorder_rank_text = {
    .open = open_rank, .next = next, .close = close_rank};
