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

#include "lib/base/number.h"
#include "lib/base/array.h"

enum {
	HEAD = 14, /* status, start, end, result, function: binary, may contain LF */
	WINDOW = 3,
	ARGS_MAX = 255,
	ARGS_IN_REFERENCE = 7,
	REFERENCE = 0x80,
	RECORD_MAX = 1 << 20,
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

struct recorder_peephole {
	struct bufreader *bufreader;
	char name[256];
	struct decoded last[WINDOW + 1];
	unsigned turn;
	struct recorder_signature signature;
	int64_t previous_us, wrapped; /* in ticks; wrapped: sum of the wraparounds so far */
	bool announced;
	uint64_t done, declared;
	uint64_t declared_of[FUNCTIONS_COUNTED], seen_of[FUNCTIONS_COUNTED];
};

static int damaged(struct recorder_rank *k, int status, const char *what)
{
	const struct recorder_peephole *p = k->peephole;
	return error_set(&k->error, status, "%s: after %ju calls: %s", p->name, (uintmax_t)p->done,
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

static int take_plain(struct recorder_rank *k, struct decoded *d, struct iot_text text)
{
	struct iot_text arg;
	while (next_arg(&text, &arg)) {
		if (d->count == ARGS_MAX)
			return damaged(k, IOT_EFORMAT, "more than 255 arguments");
		if (!args_add(d, arg.data, arg.size))
			return damaged(k, IOT_ENOMEM, "out of memory");
	}
	return text.size == 0 ? IOT_OK : damaged(k, IOT_EFORMAT, "no space before the arguments");
}

static int take_reference(struct recorder_rank *k, struct decoded *d, unsigned status,
			  const struct decoded *base, struct iot_text text)
{
	struct iot_text own, old = {base->args, base->size};
	for (unsigned j = 0; j < base->count; j++) {
		const char *stop = memchr(old.data, ' ', old.size);
		struct iot_text arg = {old.data, (size_t)(stop - old.data)};
		old.data += arg.size + 1;
		old.size -= arg.size + 1;
		if (j < ARGS_IN_REFERENCE && (status >> j & 1) != 0) {
			if (!next_arg(&text, &own))
				return damaged(k, IOT_EFORMAT, "an argument is missing");
			arg = own;
		}
		if (!args_add(d, arg.data, arg.size))
			return damaged(k, IOT_ENOMEM, "out of memory");
	}
	return text.size == 0 ? IOT_OK : damaged(k, IOT_EFORMAT, "arguments too many");
}

/* Records */

/* Reads the next record up to its LF; size is 0 at the end. */
static int next_record(struct recorder_rank *k, size_t head, const char **data, size_t *size)
{
	struct recorder_peephole *p = k->peephole;
	size_t have, want = head + 1;
	*size = 0;
	for (;;) {
		*data = bufreader_peek(p->bufreader, want, &have);
		const char *lf = have > head ? memchr(*data + head, '\n', have - head) : NULL;
		if (lf != NULL) {
			*size = (size_t)(lf - *data);
			return IOT_OK;
		}
		if (have < want && bufreader_status(p->bufreader) != IOT_OK)
			return damaged(k, bufreader_status(p->bufreader),
				       bufreader_error(p->bufreader)->text);
		if (have < want)
			return have == 0 ? IOT_OK
					 : damaged(k, IOT_ETRUNCATED, "ends inside a call");
		if (have > RECORD_MAX)
			return damaged(k, IOT_EFORMAT, "a call of more than 1 MiB");
		want = have + 1;
	}
}

/* Times are int32 microseconds, which wrap after 2147 s. */
static int64_t unwrap(struct recorder_peephole *p, int64_t ticks)
{
	if (ticks + p->wrapped < p->previous_us - ALL_OF_32 / 2)
		p->wrapped += ALL_OF_32;
	else if (ticks + p->wrapped > p->previous_us + ALL_OF_32 / 2 && p->wrapped > 0)
		ticks -= ALL_OF_32; /* started before the wraparound, recorded after it */
	return ticks + p->wrapped;
}

static bool set_times(struct recorder_rank *k, int32_t start, int32_t end)
{
	struct recorder_peephole *p = k->peephole;
	const struct recorder_meta *m = &k->r->meta;
	int64_t ticks = unwrap(p, start);
	uint32_t took = (uint32_t)end - (uint32_t)start;
	double ns = m->tick_s * 1e9;
	int64_t end_ns;
	p->previous_us = ticks > p->previous_us ? ticks : p->previous_us;
	if (took > INT32_MAX || fabs((double)ticks * ns) > 4e18 || took * ns > 4e18)
		return false;
	const bool whole = m->tick_ns != 0;
	const int64_t by = whole ? ticks * (int64_t)m->tick_ns : (int64_t)((double)ticks * ns);
	k->coming.duration_ns = whole ? took * m->tick_ns : (uint64_t)(took * ns);
	return !__builtin_add_overflow(k->base_ns, by, &k->coming.start_ns) &&
	       !__builtin_add_overflow(k->coming.start_ns, (int64_t)k->coming.duration_ns, &end_ns);
}

static int take_call(struct recorder_rank *k, const struct decoded *d)
{
	struct recorder_peephole *p = k->peephole;
	struct recorder *r = k->r;
	if (d->function >= r->meta.functions && d->function != RECORDER_USER_FUNCTION)
		return damaged(k, IOT_EFORMAT, "a function that has no name");
	p->signature = (struct recorder_signature){
	    .function = d->function < r->meta.functions ? r->meta.function[d->function].function
							: recorder_function("", 0),
	    .id = d->function,
	    .args = d->args != NULL ? d->args : "",
	    .args_size = (uint32_t)d->size,
	    .count = (uint8_t)d->count};
	p->seen_of[d->function]++;
	p->done++;
	if (!recorder_prepare(r, &p->signature, true))
		return damaged(k, IOT_ENOMEM, "out of memory");
	k->coming.signature = &p->signature;
	k->coming.offset = p->signature.offset;
	k->coming.offset_known = k->coming.result_known = true;
	return 1;
}

static int finish(struct recorder_rank *k)
{
	const struct recorder_peephole *p = k->peephole;
	if (!p->announced || p->done == p->declared)
		return IOT_OK;
	return error_set(&k->error, p->done < p->declared ? IOT_ETRUNCATED : IOT_EFORMAT,
			 "%s: %ju calls, where %u.mt says %ju", p->name, (uintmax_t)p->done,
			 k->rank, (uintmax_t)p->declared);
}

static int next_binary(struct recorder_rank *k)
{
	struct recorder_peephole *p = k->peephole;
	struct decoded *d = &p->last[p->turn % (WINDOW + 1)];
	const char *data;
	size_t size;
	int status = next_record(k, HEAD, &data, &size);
	if (status != IOT_OK)
		return status;
	if (size == 0)
		return finish(k);
	unsigned bits = k->r->meta.mode == MODE_BINARY ? 0 : (unsigned char)data[0];
	unsigned function = (unsigned char)data[13];
	struct iot_text text = {data + HEAD, size - HEAD};
	d->size = d->count = 0;
	d->function = (uint8_t)function;
	if ((bits & REFERENCE) == 0) {
		status = take_plain(k, d, text);
	} else if (function >= WINDOW || function >= p->turn) {
		status = damaged(k, IOT_EFORMAT, "it refers to a call before the first");
	} else {
		const struct decoded *base = &p->last[(p->turn - 1 - function) % (WINDOW + 1)];
		d->function = base->function;
		status = take_reference(k, d, bits, base, text);
	}
	if (status == IOT_OK && !set_times(k, recorder_i32(data + 1), recorder_i32(data + 5)))
		status = damaged(k, IOT_EFORMAT, "a call that ends before it starts");
	if (status != IOT_OK)
		return status;
	k->coming.result = recorder_i32(data + 9);
	bufreader_consume(p->bufreader, size + 1);
	p->turn++;
	return take_call(k, d);
}

/* Text */

static struct iot_text next_word(struct iot_text *text)
{
	const char *stop = memchr(text->data, ' ', text->size);
	size_t size = stop == NULL ? text->size : (size_t)(stop - text->data);
	struct iot_text word = {text->data, size};
	size_t used = size + (stop != NULL);
	*text = (struct iot_text){text->data + used, text->size - used};
	return word;
}

/* "1795219910.041542" */
bool recorder_seconds(struct iot_text text, int64_t *ns)
{
	const char *dot = text.size == 0 ? NULL : memchr(text.data, '.', text.size);
	uint64_t whole, part, scale = 1000000000;
	if (dot == NULL)
		return false;
	size_t digits = text.size - (size_t)(dot - text.data) - 1;
	if (digits < 1 || digits > 9 ||
	    !number_decimal(text.data, (size_t)(dot - text.data), &whole) ||
	    !number_decimal(dot + 1, digits, &part) || whole > INT64_MAX / 1000000000 - 1)
		return false;
	for (size_t i = 0; i < digits; i++)
		scale /= 10;
	*ns = (int64_t)(whole * 1000000000 + part * scale);
	return true;
}

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

static int next_text(struct recorder_rank *k)
{
	struct recorder_peephole *p = k->peephole;
	struct decoded *d = &p->last[0];
	const char *data;
	size_t size;
	int64_t end_ns;
	int status = next_record(k, 0, &data, &size);
	if (status != IOT_OK)
		return status;
	if (size == 0)
		return finish(k);
	struct iot_text text = {data, size};
	struct iot_text start = next_word(&text), end = next_word(&text), result = next_word(&text),
			name = next_word(&text);
	if (!recorder_seconds(start, &k->coming.start_ns) || !recorder_seconds(end, &end_ns) ||
	    end_ns < k->coming.start_ns || !recorder_number(result, &k->coming.result) ||
	    !find_function(&k->r->meta, name, &d->function))
		return damaged(k, IOT_EFORMAT, "a line that is no call");
	k->coming.duration_ns = (uint64_t)(end_ns - k->coming.start_ns);
	d->size = d->count = 0;
	while (text.size > 0 && d->count < ARGS_MAX) {
		struct iot_text arg = next_word(&text);
		if (!args_add(d, arg.data, arg.size))
			return damaged(k, IOT_ENOMEM, "out of memory");
	}
	bufreader_consume(p->bufreader, size + 1);
	return take_call(k, d);
}

/* Opening */

static void close_rank(struct recorder_rank *k)
{
	struct recorder_peephole *p = k->peephole;
	if (p == NULL)
		return;
	for (uint32_t i = 0; k->r->check && p->announced && i < FUNCTIONS_COUNTED; i++)
		recorder_check(k->r, p->name, i, p->declared_of[i], p->seen_of[i]);
	bufreader_free(p->bufreader);
	for (size_t i = 0; i <= WINDOW; i++)
		free(p->last[i].args);
	free(p);
	k->peephole = NULL;
}

static int check_files(struct recorder_rank *k, const char *name, const char *data, size_t size)
{
	uint32_t files = recorder_u32(data + 16);
	const char *at = data + RANK_META, *end = data + size;
	for (uint32_t i = 0; i < files; i++) {
		if (end - at < 16 || recorder_u32(at + 12) > (size_t)(end - at) - 16)
			return error_set(&k->error, IOT_EFORMAT,
					 "%s: its list of files ends inside of file %u of %u", name,
					 i, files);
		at += 16 + recorder_u32(at + 12);
	}
	return IOT_OK;
}

static int read_rank_meta(struct recorder_rank *k)
{
	struct recorder_peephole *p = k->peephole;
	const struct recorder_part *part = recorder_part(k->r, RECORDER_RANK_META, k->rank);
	size_t size;
	if (part == NULL)
		return error_set(&k->error, IOT_ETRUNCATED, "rank %u: there is no %u.mt", k->rank,
				 k->rank);
	char *data = recorder_load(k->r, part, 0, RECORDER_WHOLE, false, RECORDER_META_MAX, &size,
				   &k->error);
	if (data == NULL)
		return k->error.status;
	int status = IOT_OK;
	double start = size < RANK_META ? 0 : recorder_double(data);
	const char *name = recorder_name(k->r, part);
	if (size < RANK_META) {
		status = error_set(&k->error, IOT_ETRUNCATED,
				   "%s: %zu bytes, where at least %d are expected", name, size,
				   RANK_META);
	} else {
		k->base_ns = start > 0 && start < 9e9 ? (int64_t)(start * 1e6 + 0.5) * 1000 : 0;
		p->declared = recorder_u32(data + 20);
		p->announced = true;
		for (size_t i = 0; i < FUNCTIONS_COUNTED; i++)
			p->declared_of[i] = recorder_u32(data + 40 + 4 * i);
		status = check_files(k, name, data, size);
	}
	free(data);
	return status;
}

int recorder_peephole_open(struct recorder_rank *k)
{
	struct recorder *r = k->r;
	const struct recorder_part *part = recorder_part(r, RECORDER_RANK_CALLS, k->rank);
	k->peephole = calloc(1, sizeof *k->peephole);
	if (k->peephole == NULL)
		return error_set(&k->error, IOT_ENOMEM, "out of memory");
	k->close = close_rank;
	k->next = r->meta.mode == MODE_TEXT ? next_text : next_binary;
	k->bytes = sizeof *k->peephole + (64 << 10);
	if (part == NULL)
		return error_set(&k->error, IOT_ETRUNCATED, "rank %u: there is no %u.itf", k->rank,
				 k->rank);
	memcpy(k->peephole->name, recorder_name(r, part), sizeof k->peephole->name);
	int status = read_rank_meta(k);
	if (status != IOT_OK)
		return status;
	k->peephole->bufreader = input_open(r->src->input, part->member, &k->error);
	return k->peephole->bufreader == NULL ? k->error.status : IOT_OK;
}
