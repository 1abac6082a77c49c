/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * VERSION and recorder.mt. The structure has changed between releases, sometimes without a new
 * version: the variants of 2.5 differ in the offset at which function names begin and in which of
 * two fields contains a date. Padding contains garbage and is ignored.
 */
#include "recorder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

enum {
	NAMES_AT_3_0 = 1024,
	NAME_SIZE_2026 = 64,
	HEAD_2026 = 56,
	VERSION_SIZE = 15,
	VERSION_MAX = 64,
};

static int bad(struct recorder *r, const struct recorder_part *part, const char *what)
{
	return error_set(&r->src->error, IOT_EFORMAT, "%s: %s", recorder_name(r, part), what);
}

/* Names */

const struct recorder_function *recorder_function(struct iot_text name)
{
	static const struct recorder_function *const tables[] = {recorder_posix, recorder_mpiio};
	for (size_t i = 0; name.size > 0 && i < sizeof tables / sizeof *tables; i++)
		for (const struct recorder_function *f = tables[i]; f->name != NULL; f++)
			if (f->name[0] == name.data[0] && strlen(f->name) == name.size &&
			    memcmp(f->name, name.data, name.size) == 0)
				return f;
	return &recorder_no_effect;
}

/*
 * stride 0: one name per line; otherwise each name has `stride` bytes and ends in NUL. text must
 * live as long as m.
 */
static int parse_names(struct recorder_meta *m, const char *text, size_t size, size_t stride,
		       struct error *error)
{
	const char *end = text + size;
	while (text < end) {
		size_t length = stride > 0 ? stride : (size_t)(end - text);
		const char *stop = memchr(text, stride > 0 ? '\0' : '\n', length);
		struct iot_text name = {text, stop == NULL ? length : (size_t)(stop - text)};
		if (name.size > RECORDER_NAME_MAX || m->functions == RECORDER_FUNCTIONS_MAX)
			return error_set(
			    error, IOT_EFORMAT,
			    "function %zu: the name is too long, or there are too many names",
			    m->functions);
		if (!array_reserve(&m->function, &m->function_capacity, m->functions + 1,
				   sizeof *m->function))
			return error_no_memory(error);
		m->function[m->functions++] =
		    (struct recorder_named){recorder_function(name), name};
		text += stride > 0 ? stride : name.size + (stop != NULL);
	}
	return IOT_OK;
}

/* Versions */

/* "3.0.0" */
static bool parse_version(struct recorder_meta *m, const char *text, size_t size)
{
	uint64_t part[3] = {0};
	const char *end = text + size;
	for (unsigned i = 0; i < 3; i++) {
		const char *dot = memchr(text, '.', (size_t)(end - text));
		const char *stop = dot != NULL && i < 2 ? dot : end;
		if (!number_decimal(text, (size_t)(stop - text), &part[i]) || part[i] > 9999)
			return false;
		text = stop < end ? stop + 1 : end;
	}
	m->major = (unsigned)part[0];
	m->minor = (unsigned)part[1];
	memcpy(m->version, end - size, size);
	return true;
}

static int read_version(struct recorder *r)
{
	struct recorder_meta *m = &r->meta;
	const struct recorder_part *part = recorder_part(r, RECORDER_VERSION, 0);
	size_t size;
	char *data =
	    recorder_load(r, part, 0, RECORDER_WHOLE, false, VERSION_MAX, &size, &r->src->error);
	if (data == NULL)
		return r->src->error.status;
	while (size > 0 && (data[size - 1] == '\n' || data[size - 1] == '\r'))
		size--;
	bool fine = size <= VERSION_SIZE && parse_version(m, data, size);
	free(data);
	if (!fine)
		return bad(r, part, "not a version such as 3.0.0");
	bool known =
	    (m->major == 2 && m->minor >= 1 && m->minor <= 5) || (m->major == 3 && m->minor == 0);
	if (!known)
		return error_set(
		    &r->src->error, IOT_EFORMAT,
		    "%s: traces of Recorder %s are not supported (only 2.1 to 2.5, 3.0, "
		    "and those without VERSION)",
		    recorder_name(r, part), m->version);
	return IOT_OK;
}

/* Structures */

static void parse_flags(struct recorder_meta *m, const char *flags, bool six)
{
	m->layers_known = true;
	m->posix = flags[0] != 0;
	m->mpiio = flags[2] != 0;
	m->threads = flags[six ? 4 : 6] != 0;
}

static void parse_four(struct recorder_meta *m, const char *four)
{
	m->times_packed = four[0] != 0;
	m->shared = four[1] != 0;
	m->inter = four[2] != 0;
	m->intra = four[3] != 0;
}

/* Returns true if the time in nanoseconds is less than 2^63. */
static bool is_date(double seconds)
{
	return seconds > 1e8 && seconds < 9e9;
}

/* The structure with `six` flags (late 2.5) or eight (3.0). */
static void parse_modern(struct recorder_meta *m, const char *head, bool six)
{
	m->ranks = recorder_u32(head);
	parse_flags(m, head + 4, six);
	m->start_s = recorder_double(head + 16);
	m->tick_s = recorder_double(head + 24);
	parse_four(m, head + 36);
}

/* 2.3, 2.4 and early 2.5: no flags for layers, the other flags are integers. */
static void parse_early(struct recorder_meta *m, const char *head, size_t size)
{
	m->ranks = recorder_u32(head);
	m->start_s = recorder_double(head + 8);
	m->tick_s = recorder_double(head + 16);
	m->times_packed = m->minor == 5 && recorder_u32(head + 28) != 0;
	if (size >= 40)
		m->shared = recorder_u32(head + 32) != 0;
	if (size >= 48) {
		m->inter = recorder_u32(head + 36) != 0;
		m->intra = recorder_u32(head + 40) != 0;
	}
}

static size_t parse_2_5(struct recorder_meta *m, const char *data, size_t size)
{
	static const char first[] = "creat\ncreat64\n";
	if (size >= 48 + sizeof first && memcmp(data + 48, first, sizeof first - 1) == 0) {
		parse_early(m, data, 48);
		return 48;
	}
	if (size < 40)
		return 0;
	if (is_date(recorder_double(data + 16)))
		parse_modern(m, data, true);
	else
		parse_early(m, data, 40);
	return 40;
}

static size_t parse_peephole(struct recorder_meta *m, const char *data, size_t size)
{
	if (size < 24)
		return 0;
	m->kind = RECORDER_PEEPHOLE;
	m->tick_s = recorder_double(data);
	m->ranks = recorder_u32(data + 8);
	m->mode = recorder_i32(data + 12);
	return 24;
}

/* Returns the offset of the names, 0 if the data is too short. */
static size_t parse_structure(struct recorder_meta *m, const char *data, size_t size)
{
	m->key_header = m->major >= 3 ? 18 : 15;
	m->cst_counts = m->major >= 3 || m->minor >= 4;
	m->blocks = m->one_times = m->major >= 3 || m->minor >= 5;
	if (m->major >= 3) {
		if (size >= NAMES_AT_3_0)
			parse_modern(m, data, false);
		return size >= NAMES_AT_3_0 ? NAMES_AT_3_0 : 0;
	}
	if (m->minor <= 2)
		return parse_peephole(m, data, size);
	if (m->minor == 5)
		return parse_2_5(m, data, size);
	size_t head = m->minor == 3 ? 32 : 40;
	if (size >= head)
		parse_early(m, data, head);
	return size >= head ? head : 0;
}

/* A trace without VERSION: the version is the first field. */
static size_t parse_2026(struct recorder_meta *m, const char *data, size_t size, size_t *names)
{
	if (size < HEAD_2026)
		return 0;
	m->major = recorder_u32(data);
	m->minor = recorder_u32(data + 4);
	snprintf(m->version, sizeof m->version, "%u.%u.%u", m->major % 1000, m->minor % 1000,
		 recorder_u32(data + 8) % 1000);
	m->key_header = 18;
	m->cst_counts = m->blocks = m->one_times = true;
	m->ranks = recorder_u32(data + 12);
	uint64_t functions = recorder_u32(data + 16);
	parse_flags(m, data + 20, false);
	m->start_s = recorder_double(data + 32);
	m->tick_s = recorder_double(data + 40);
	parse_four(m, data + 52);
	*names = functions <= RECORDER_FUNCTIONS_MAX ? (size_t)functions * NAME_SIZE_2026 : 0;
	bool sane = m->major >= 3 && m->major < 100 && m->minor < 1000 && functions > 0;
	return sane && *names > 0 && *names <= size - HEAD_2026 ? HEAD_2026 : 0;
}

/* Checks */

static int check_clock(struct recorder *r, const struct recorder_part *part)
{
	struct recorder_meta *m = &r->meta;
	double ns = m->tick_s * 1e9;
	if (!isfinite(m->tick_s) || ns < 1e-3 || ns > 1e12)
		return error_set(&r->src->error, IOT_EFORMAT,
				 "%s: ticks of %g s, expected 1 ps to 1000 s",
				 recorder_name(r, part), m->tick_s);
	double whole = (double)(int64_t)(ns + 0.5);
	m->tick_ns = fabs(ns - whole) < 1e-6 * ns && whole >= 1 ? (uint64_t)whole : 0;
	if (!is_date(m->start_s)) /* times count from the trace's own zero */
		m->start_s = 0;
	return IOT_OK;
}

static int check(struct recorder *r, const struct recorder_part *part)
{
	struct recorder_meta *m = &r->meta;
	if (m->ranks < 1 || m->ranks > RECORDER_RANKS_MAX)
		return error_set(&r->src->error, IOT_EFORMAT, "%s: %d ranks, expected 1 to %d",
				 recorder_name(r, part), (int)m->ranks, RECORDER_RANKS_MAX);
	if (m->functions == 0)
		return bad(r, part, "has no names of functions");
	if (m->kind == RECORDER_PEEPHOLE && (m->mode < 0 || m->mode > 3))
		return bad(r, part, "the compression mode is not 0 to 3");
	return check_clock(r, part);
}

static int parse_meta(struct recorder *r, const struct recorder_part *part, char *data, size_t size)
{
	struct recorder_meta *m = &r->meta;
	bool old = m->major != 0;
	size_t names_size = 0,
	       at = old ? parse_structure(m, data, size) : parse_2026(m, data, size, &names_size);
	m->names = data;
	if (at == 0)
		return error_set(&r->src->error, old ? IOT_ETRUNCATED : IOT_EFORMAT,
				 "%s: %zu bytes are not valid metadata of %s",
				 recorder_name(r, part), size,
				 old ? m->version : "a trace without VERSION");
	struct error e = {0};
	if (parse_names(m, data + at, old ? size - at : names_size, old ? 0 : NAME_SIZE_2026, &e) !=
	    IOT_OK)
		return bad(r, part, e.text);
	return check(r, part);
}

/* Refuses the incomplete trace of a crashed program, and version 2.0 of July 2019. */
static int refuse_ruin(struct recorder *r)
{
	const struct recorder_part *part;
	const char *name = recorder_name(r, r->files.part);
	if (recorder_parts(r, RECORDER_RANK_CALLS, &part) > 0)
		return error_set(
		    &r->src->error, IOT_EFORMAT,
		    "%s: no recorder.mt and no VERSION in the same directory: a trace of "
		    "Recorder 2.0, which is not supported, or an incomplete one",
		    name);
	return error_set(&r->src->error, IOT_EFORMAT,
			 "%s: no recorder.mt in the same directory: the program ended before "
			 "Recorder wrote it",
			 name);
}

/* Derives the resolution from the number of digits of the first time. */
static uint64_t text_tick(struct input *in, size_t member)
{
	size_t size, digits = 0;
	const char *head = input_head(in, member, &size);
	const char *dot = memchr(head, '.', size);
	uint64_t tick_ns = 1000000000;
	for (const char *p = dot; p != NULL && ++p < head + size && *p >= '0' && *p <= '9';)
		digits++;
	for (size_t i = 0; i < digits && tick_ns > 1; i++)
		tick_ns /= 10;
	return tick_ns;
}

static int text_meta(struct recorder *r)
{
	const struct recorder_part *part;
	r->meta = (struct recorder_meta){.kind = RECORDER_TEXT};
	r->meta.ranks = (uint32_t)recorder_parts(r, RECORDER_RANK_TEXT, &part);
	r->meta.tick_ns = text_tick(r->src->input, part->member);
	return IOT_OK;
}

int recorder_meta(struct recorder *r)
{
	const struct recorder_part *part = recorder_part(r, RECORDER_META, 0);
	bool version = recorder_part(r, RECORDER_VERSION, 0) != NULL;
	size_t size;
	if (r->files.text)
		return text_meta(r);
	int status = version ? read_version(r) : IOT_OK;
	if (status != IOT_OK)
		return status;
	if (part == NULL)
		return refuse_ruin(r);
	char *data = recorder_load(r, part, 0, RECORDER_WHOLE, false, RECORDER_META_MAX, &size,
				   &r->src->error);
	return data == NULL ? r->src->error.status : parse_meta(r, part, data, size);
}
