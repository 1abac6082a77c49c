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

static bool parse(const char *text, const char *stop, struct text_call *call)
{
	struct iot_text rest = {text, (size_t)(stop - text)};
	int64_t ns;
	call->start = recorder_word(&rest);
	call->end = recorder_word(&rest);
	struct iot_text third = recorder_word(&rest);
	call->has_result = recorder_number(third, &call->result);
	call->function = call->has_result ? recorder_word(&rest) : third;
	if (!call->has_result) {
		struct iot_text depth = recorder_word(&rest), type = recorder_word(&rest);
		if (!is_small_number(depth) || !is_small_number(type))
			return false;
	}
	if (rest.size < 3 || rest.data[0] != '(' || rest.data[1] != ' ' ||
	    rest.data[rest.size - 1] != ')')
		return false;
	call->args = (struct iot_text){rest.data + 2, rest.size - 3};
	return call->function.size > 0 && recorder_seconds(call->start, &ns) &&
	       recorder_seconds(call->end, &ns) &&
	       (call->args.size == 0 || call->args.data[call->args.size - 1] == ' ');
}

bool recorder_text_line(const char *line, const char *end)
{
	struct text_call call;
	return parse(line, end, &call);
}

/* Returns the next line without its LF, NULL at the end. */
static const char *next_line(struct recorder_rank *rk, size_t *size, bool *cut)
{
	const struct rank_text *t = rk->state;
	const char *data = recorder_peek_line(t->bufreader, 0, size, cut);
	if (*size > RECORDER_LINE_MAX && data == NULL)
		error_set(&rk->error, IOT_EFORMAT, "%s:%ju: a line of more than 1 MiB", t->name,
			  (uintmax_t)t->number + 1);
	else if (*cut && bufreader_status(t->bufreader) != IOT_OK)
		rk->error = *bufreader_error(t->bufreader);
	return data;
}

/* Copies the arguments. Returns false if out of memory. */
static bool accept_call(struct recorder_rank *rk, const struct text_call *call)
{
	struct rank_text *t = rk->state;
	struct recorder_call *c = &t->call;
	int64_t end_ns = 0;
	size_t blanks = 0;
	for (size_t i = 0; i < call->args.size; i++)
		blanks += call->args.data[i] == ' ';
	(void)recorder_seconds(call->start, &c->start_ns);
	(void)recorder_seconds(call->end, &end_ns);
	if (!array_reserve(&t->args, &t->capacity, call->args.size + 1, 1))
		return false;
	memcpy(t->args, call->args.data, call->args.size);
	t->signature =
	    (struct recorder_signature){.function = recorder_function(call->function),
					.args = t->args,
					.args_size = (uint32_t)call->args.size,
					.count = blanks < UINT8_MAX ? (uint8_t)blanks : UINT8_MAX};
	if (!recorder_prepare(rk->r, &t->signature, call->has_result))
		return false;
	rk->coming = c;
	rk->end = c + 1;
	c->signature = &t->signature;
	if (end_ns < c->start_ns)
		report_add(&rk->r->src->report, "clock.negative_duration", 1);
	c->duration_ns = end_ns > c->start_ns ? (uint64_t)(end_ns - c->start_ns) : 0;
	c->offset = t->signature.offset;
	c->offset_known = !t->signature.sloped;
	rk->result = call->result;
	rk->result_known = call->has_result;
	return true;
}

static int next(struct recorder_rank *rk)
{
	struct rank_text *t = rk->state;
	struct text_call call;
	const char *data;
	size_t size;
	bool cut;
	while ((data = next_line(rk, &size, &cut)) != NULL) {
		bool fine = parse(data, data + size, &call) && !(cut && rk->error.status != IOT_OK);
		t->number++;
		rk->r->src->report.lines++;
		if (fine && !accept_call(rk, &call))
			return error_no_memory(&rk->error);
		if (!fine && !cut)
			report_unparsed(&rk->r->src->report, t->name, t->number, data, size);
		bufreader_consume(t->bufreader, size + !cut);
		if (!fine && cut)
			return error_set(&rk->error, IOT_ETRUNCATED,
					 "%s:%ju: ends in the middle of a line", t->name,
					 (uintmax_t)t->number);
		if (fine)
			return 1;
	}
	return rk->error.status;
}

static void close_rank(struct recorder_rank *rk)
{
	struct rank_text *t = rk->state;
	if (t == NULL)
		return;
	bufreader_free(t->bufreader);
	free(t->args);
	free(t);
}

static int open_rank(struct recorder_rank *rk)
{
	const struct recorder_part *part = recorder_part(rk->r, RECORDER_RANK_TEXT, rk->rank);
	struct rank_text *t = rk->state = calloc(1, sizeof *t);
	if (t == NULL)
		return error_no_memory(&rk->error);
	rk->bytes = sizeof *t + RECORDER_RANK_BYTES;
	memcpy(t->name, recorder_name(rk->r, part), sizeof t->name);
	t->bufreader = input_open(rk->r->src->input, part->member, &rk->error);
	return rk->error.status;
}

const struct recorder_rank_ops recorder_rank_text = {
    .open = open_rank, .next = next, .close = close_rank};
