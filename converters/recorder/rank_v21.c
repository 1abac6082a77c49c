/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generations 2.1 and 2.2: <r>.itf has the calls of a rank, each in full or as the difference from
 * one of the last three calls; <r>.mt has its absolute start time, its number of calls and its
 * files. A record ends at LF, so one bad record makes the rest unreadable. 2.0 is a different text
 * format.
 */
#include "recorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"

enum {
	HEAD = 14, /* status, start, end, result, function: binary, may contain LF */
	HISTORY = 3,
	ARGS_MAX = 255,
	ARGS_IN_REFERENCE = 7,
	REFERENCE = 0x80,
	RANK_META = 1064,
	FUNCTIONS_COUNTED = 256,
	MODE_TEXT = 0,
	MODE_BINARY = 1,
};

#define ALL_OF_32 ((int64_t)1 << 32)

/* A decoded record, which later records may refer to. */
struct decoded {
	uint8_t function;
	char *args; /* each followed by a space */
	size_t size, capacity;
	unsigned count;
};

struct rank_v21 {
	struct bufreader *bufreader;
	char name[RECORDER_MESSAGE_NAME];
	struct decoded last[HISTORY + 1];
	unsigned turn;
	struct recorder_signature signature;
	struct recorder_call call;
	int64_t previous_us, wrapped; /* in ticks; wrapped: sum of the wraparounds so far */
	bool announced;
	uint64_t done, declared;
	uint64_t declared_of[FUNCTIONS_COUNTED], seen_of[FUNCTIONS_COUNTED];
};

static int damaged(struct recorder_rank *rk, int status, const char *what)
{
	const struct rank_v21 *v = rk->state;
	return error_set(&rk->error, status, "%s: after %ju calls: %s", v->name, (uintmax_t)v->done,
			 what);
}

/* Arguments */

static bool args_add(struct decoded *d, const char *text, size_t size)
{
	if (!array_reserve(&d->args, &d->capacity, d->size + size + 1, 1))
		return false;
	memcpy(d->args + d->size, text, size);
	d->size += size;
	d->args[d->size++] = ' ';
	d->count++;
	return true;
}

/* Reads the next argument of text, which begins with a space, and advances *text past it. */
static bool next_arg(struct iot_text *text, struct iot_text *arg)
{
	if (text->size == 0 || *text->data != ' ')
		return false;
	const char *from = text->data + 1, *end = text->data + text->size;
	const char *stop = memchr(from, ' ', (size_t)(end - from));
	stop = stop == NULL ? end : stop;
	*arg = (struct iot_text){from, (size_t)(stop - from)};
	*text = (struct iot_text){stop, (size_t)(end - stop)};
	return true;
}

static int parse_plain(struct recorder_rank *rk, struct decoded *d, struct iot_text text)
{
	struct iot_text arg;
	while (next_arg(&text, &arg)) {
		if (d->count == ARGS_MAX)
			return damaged(rk, IOT_EFORMAT, "more than 255 arguments");
		if (!args_add(d, arg.data, arg.size))
			return damaged(rk, IOT_ENOMEM, "out of memory");
	}
	return text.size == 0 ? IOT_OK : damaged(rk, IOT_EFORMAT, "no space before the arguments");
}

static int parse_reference(struct recorder_rank *rk, struct decoded *d, unsigned status,
			   const struct decoded *base, struct iot_text text)
{
	struct iot_text own, old = {base->args, base->size};
	for (unsigned j = 0; j < base->count; j++) {
		struct iot_text arg = recorder_word(&old);
		if (j < ARGS_IN_REFERENCE && (status >> j & 1) != 0) {
			if (!next_arg(&text, &own))
				return damaged(rk, IOT_EFORMAT, "an argument is missing");
			arg = own;
		}
		if (!args_add(d, arg.data, arg.size))
			return damaged(rk, IOT_ENOMEM, "out of memory");
	}
	return text.size == 0 ? IOT_OK : damaged(rk, IOT_EFORMAT, "too many arguments");
}

/* Records */

/* Reads the next record up to its LF; size is 0 at the end. */
static int next_record(struct recorder_rank *rk, size_t head, const char **data, size_t *size)
{
	const struct rank_v21 *v = rk->state;
	bool cut;
	*data = recorder_peek_line(v->bufreader, head, size, &cut);
	if (!cut)
		return IOT_OK;
	if (*size > RECORDER_LINE_MAX)
		return damaged(rk, IOT_EFORMAT, "a call of more than 1 MiB");
	if (bufreader_status(v->bufreader) != IOT_OK)
		return damaged(rk, bufreader_status(v->bufreader),
			       bufreader_error(v->bufreader)->text);
	return *size == 0 ? IOT_OK : damaged(rk, IOT_ETRUNCATED, "ends inside a call");
}

/* Times are int32 microseconds, which wrap after 2147 s. */
static int64_t unwrap(struct rank_v21 *v, int64_t ticks)
{
	if (ticks + v->wrapped < v->previous_us - ALL_OF_32 / 2)
		v->wrapped += ALL_OF_32;
	else if (ticks + v->wrapped > v->previous_us + ALL_OF_32 / 2 && v->wrapped > 0)
		ticks -= ALL_OF_32; /* started before the wraparound, recorded after it */
	return ticks + v->wrapped;
}

static bool set_times(struct recorder_rank *rk, int32_t start, int32_t end)
{
	struct rank_v21 *v = rk->state;
	const struct recorder_meta *m = &rk->r->meta;
	int64_t ticks = unwrap(v, start);
	uint32_t took = (uint32_t)end - (uint32_t)start;
	double ns = m->tick_s * 1e9;
	int64_t end_ns;
	v->previous_us = ticks > v->previous_us ? ticks : v->previous_us;
	if (took > INT32_MAX || fabs((double)ticks * ns) > 4e18 || took * ns > 4e18)
		return false;
	const bool whole = m->tick_ns != 0;
	const int64_t by = whole ? ticks * (int64_t)m->tick_ns : (int64_t)((double)ticks * ns);
	v->call.duration_ns = whole ? took * m->tick_ns : (uint64_t)(took * ns);
	return !__builtin_add_overflow(rk->base_ns, by, &v->call.start_ns) &&
	       !__builtin_add_overflow(v->call.start_ns, (int64_t)v->call.duration_ns, &end_ns);
}

static int accept_call(struct recorder_rank *rk, const struct decoded *d)
{
	struct rank_v21 *v = rk->state;
	struct recorder *r = rk->r;
	if (d->function >= r->meta.functions && d->function != RECORDER_USER_FUNCTION)
		return damaged(rk, IOT_EFORMAT, "a function without a name");
	v->signature = (struct recorder_signature){
	    .function = d->function < r->meta.functions ? r->meta.function[d->function].function
							: &recorder_no_effect,
	    .id = d->function,
	    .args = d->args != NULL ? d->args : "",
	    .args_size = (uint32_t)d->size,
	    .count = (uint8_t)d->count};
	v->seen_of[d->function]++;
	v->done++;
	if (!recorder_prepare(r, &v->signature, true))
		return damaged(rk, IOT_ENOMEM, "out of memory");
	rk->coming = &v->call;
	rk->end = rk->coming + 1;
	v->call.signature = &v->signature;
	v->call.offset = v->signature.offset;
	v->call.offset_known = rk->result_known = true;
	return 1;
}

static int finish(struct recorder_rank *rk)
{
	const struct rank_v21 *v = rk->state;
	if (!v->announced || v->done == v->declared)
		return IOT_OK;
	return error_set(&rk->error, v->done < v->declared ? IOT_ETRUNCATED : IOT_EFORMAT,
			 "%s: %ju calls, but %u.mt declares %ju", v->name, (uintmax_t)v->done,
			 rk->rank, (uintmax_t)v->declared);
}

static int next_binary(struct recorder_rank *rk)
{
	struct rank_v21 *v = rk->state;
	struct decoded *d = &v->last[v->turn % (HISTORY + 1)];
	const char *data;
	size_t size;
	int status = next_record(rk, HEAD, &data, &size);
	if (status != IOT_OK)
		return status;
	if (size == 0)
		return finish(rk);
	unsigned bits = rk->r->meta.mode == MODE_BINARY ? 0 : (unsigned char)data[0];
	unsigned function = (unsigned char)data[13];
	struct iot_text text = {data + HEAD, size - HEAD};
	d->size = d->count = 0;
	d->function = (uint8_t)function;
	if ((bits & REFERENCE) == 0) {
		status = parse_plain(rk, d, text);
	} else if (function >= HISTORY || function >= v->turn) {
		status = damaged(rk, IOT_EFORMAT, "a reference to a call before the first");
	} else {
		const struct decoded *base = &v->last[(v->turn - 1 - function) % (HISTORY + 1)];
		d->function = base->function;
		status = parse_reference(rk, d, bits, base, text);
	}
	if (status == IOT_OK && !set_times(rk, recorder_i32(data + 1), recorder_i32(data + 5)))
		status = damaged(rk, IOT_EFORMAT, "a call that ends before it starts");
	if (status != IOT_OK)
		return status;
	rk->result = recorder_i32(data + 9);
	bufreader_consume(v->bufreader, size + 1);
	v->turn++;
	return accept_call(rk, d);
}

/* Text */

/* In the text format, MPI functions are named PMPI_... */
static bool find_function(const struct recorder_meta *m, struct iot_text name, uint8_t *function)
{
	if (name.size > 5 && memcmp(name.data, "PMPI_", 5) == 0) {
		name.data++;
		name.size--;
	}
	for (size_t i = 0; i < m->functions && i < UINT8_MAX; i++) {
		const struct iot_text *have = &m->function[i].name;
		if (have->size != name.size || memcmp(have->data, name.data, name.size) != 0)
			continue;
		*function = (uint8_t)i;
		return true;
	}
	return false;
}

static int next_text(struct recorder_rank *rk)
{
	struct rank_v21 *v = rk->state;
	struct decoded *d = &v->last[0];
	const char *data;
	size_t size;
	int64_t end_ns;
	int status = next_record(rk, 0, &data, &size);
	if (status != IOT_OK)
		return status;
	if (size == 0)
		return finish(rk);
	struct iot_text text = {data, size};
	struct iot_text start = recorder_word(&text), end = recorder_word(&text),
			result = recorder_word(&text), name = recorder_word(&text);
	if (!recorder_seconds(start, &v->call.start_ns) || !recorder_seconds(end, &end_ns) ||
	    end_ns < v->call.start_ns || !recorder_number(result, &rk->result) ||
	    !find_function(&rk->r->meta, name, &d->function))
		return damaged(rk, IOT_EFORMAT, "a line that is not a call");
	v->call.duration_ns = (uint64_t)(end_ns - v->call.start_ns);
	d->size = d->count = 0;
	while (text.size > 0 && d->count < ARGS_MAX) {
		struct iot_text arg = recorder_word(&text);
		if (!args_add(d, arg.data, arg.size))
			return damaged(rk, IOT_ENOMEM, "out of memory");
	}
	bufreader_consume(v->bufreader, size + 1);
	return accept_call(rk, d);
}

/* Opening */

static void close_rank(struct recorder_rank *rk)
{
	struct rank_v21 *v = rk->state;
	if (v == NULL)
		return;
	for (uint32_t i = 0; rk->r->check && v->announced && i < FUNCTIONS_COUNTED; i++)
		recorder_check(rk->r, v->name, i, v->declared_of[i], v->seen_of[i]);
	bufreader_free(v->bufreader);
	for (size_t i = 0; i <= HISTORY; i++)
		free(v->last[i].args);
	free(v);
}

static int check_files(struct recorder_rank *rk, const char *name, const char *data, size_t size)
{
	uint32_t files = recorder_u32(data + 16);
	const char *at = data + RANK_META, *end = data + size;
	for (uint32_t i = 0; i < files; i++) {
		if (end - at < 16 || recorder_u32(at + 12) > (size_t)(end - at) - 16)
			return error_set(&rk->error, IOT_EFORMAT,
					 "%s: the list of files ends inside file %u of %u", name, i,
					 files);
		at += 16 + recorder_u32(at + 12);
	}
	return IOT_OK;
}

static int read_rank_meta(struct recorder_rank *rk)
{
	struct rank_v21 *v = rk->state;
	const struct recorder_part *part = recorder_rank_part(rk, RECORDER_RANK_META, ".mt");
	size_t size;
	char *data = part == NULL ? NULL
				  : recorder_load(rk->r, part, 0, RECORDER_WHOLE, false,
						  RECORDER_META_MAX, &size, &rk->error);
	if (data == NULL)
		return rk->error.status;
	const char *name = recorder_name(rk->r, part);
	int status;
	if (size < RANK_META) {
		status = error_set(&rk->error, IOT_ETRUNCATED,
				   "%s: %zu bytes, expected at least %d", name, size, RANK_META);
	} else {
		const double start = recorder_double(data);
		rk->base_ns = start > 0 && start < 9e9 ? (int64_t)(start * 1e6 + 0.5) * 1000 : 0;
		v->declared = recorder_u32(data + 20);
		v->announced = true;
		for (size_t i = 0; i < FUNCTIONS_COUNTED; i++)
			v->declared_of[i] = recorder_u32(data + 40 + 4 * i);
		status = check_files(rk, name, data, size);
	}
	free(data);
	return status;
}

static int open_rank(struct recorder_rank *rk)
{
	struct rank_v21 *v = rk->state = calloc(1, sizeof *v);
	if (v == NULL)
		return error_no_memory(&rk->error);
	rk->bytes = sizeof *v + RECORDER_RANK_BYTES;
	const struct recorder_part *part = recorder_rank_part(rk, RECORDER_RANK_CALLS, ".itf");
	if (part == NULL)
		return rk->error.status;
	memcpy(v->name, recorder_name(rk->r, part), sizeof v->name);
	if (read_rank_meta(rk) == IOT_OK)
		v->bufreader = input_open(rk->r->src->input, part->member, &rk->error);
	return rk->error.status;
}

static int next(struct recorder_rank *rk)
{
	return rk->r->meta.mode == MODE_TEXT ? next_text(rk) : next_binary(rk);
}

const struct recorder_rank_ops recorder_rank_v21 = {
    .open = open_rank, .next = next, .close = close_rank};
