/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints what the Recorder converter decodes, before it becomes events, as recorder2text would:
 *
 *	recorder_text TRACE
 *
 * Each rank follows a line "# rank N". Times go on modulo 2^32 ticks, and arguments are those that
 * are stored, as there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/recorder/recorder.h"

struct types {
	size_t mpi, hdf5, pnetcdf, netcdf;
	bool old; /* before 3.0 */
};

static bool has(struct iot_text name, const char *part)
{
	return memmem(name.data, name.size, part, strlen(part)) != NULL;
}

static size_t first(const struct recorder_meta *m, const char *part)
{
	size_t i = 0;
	while (i < m->functions && !has(m->function[i].name, part))
		i++;
	return i;
}

/* As recorder2text computes it, mistakes included. */
static int type_of(const struct recorder_meta *m, const struct types *t, uint32_t id)
{
	if (id < t->mpi)
		return 0;
	if (id < t->hdf5)
		return strncmp(m->function[id].name.data, "MPI_File", 8) == 0 ? 1 : 2;
	if (t->old)
		return id == RECORDER_USER_FUNCTION ? 4 : 3;
	if (id < t->pnetcdf)
		return 3;
	if (id < t->netcdf)
		return 5;
	return id == RECORDER_USER_FUNCTION ? 4 : 6;
}

static int digits_of(double tick_s)
{
	int digits = 0;
	while (tick_s < 0.99) {
		tick_s *= 10;
		digits++;
	}
	return digits;
}

static void print_ticks(uint64_t ticks, int digits)
{
	uint64_t scale = 1;
	for (int i = 0; i < digits; i++)
		scale *= 10;
	if (digits == 0)
		printf("%ju ", (uintmax_t)ticks);
	else
		printf("%ju.%0*ju ", (uintmax_t)(ticks / scale), digits,
		       (uintmax_t)(ticks % scale));
}

static int64_t ticks_of(const struct recorder_rank *k)
{
	const struct recorder_meta *m = &k->r->meta;
	const int64_t ns = k->coming->start_ns - k->base_ns;
	return m->tick_ns > 0 ? ns / (int64_t)m->tick_ns
			      : (int64_t)((double)ns / (m->tick_s * 1e9) + 0.5);
}

static int next_call(struct recorder_rank *k)
{
	return k->coming != k->end && ++k->coming != k->end ? 1 : k->ops->next(k);
}

static void print_compressed(struct recorder *r, const struct types *t, uint32_t rank)
{
	struct recorder_rank k = {.r = r, .rank = rank, .ops = &recorder_rank_v23};
	const int digits = digits_of(r->meta.tick_s);
	uint64_t shown = 0;
	int64_t before = 0;
	int got = k.ops->open(&k) == IOT_OK ? 1 : -1;
	while (got > 0 && (got = next_call(&k)) > 0) {
		const struct recorder_signature *s = k.coming->signature;
		const bool user = s->id == RECORDER_USER_FUNCTION;
		const int64_t ticks = ticks_of(&k);
		uint32_t by = (uint32_t)(uint64_t)(ticks - before);
		uint32_t took =
		    (uint32_t)((double)k.coming->duration_ns / (r->meta.tick_s * 1e9) + 0.5);
		struct iot_text name = user ? recorder_arg(s, 1) : r->meta.function[s->id].name;
		before = ticks;
		print_ticks(shown + by, digits);
		print_ticks(shown + (uint32_t)(by + took), digits);
		shown += by;
		printf("%.*s %d %d ( %.*s)\n", (int)name.size, name.data, s->depth,
		       type_of(&r->meta, t, s->id), user ? 0 : (int)s->args_size, s->args);
	}
	if (got < 0)
		printf("! %s\n", k.error.text);
	k.ops->close(&k);
}

static void print_peephole(struct recorder *r, uint32_t rank)
{
	struct recorder_rank k = {.r = r, .rank = rank, .ops = &recorder_rank_v21};
	int got = k.ops->open(&k) == IOT_OK ? 1 : -1;
	while (got > 0 && (got = next_call(&k)) > 0) {
		const struct recorder_signature *s = k.coming->signature;
		struct iot_text name = r->meta.function[s->id].name;
		uint64_t start = (uint64_t)(k.coming->start_ns - k.base_ns) / 1000;
		print_ticks(start, 6);
		print_ticks(start + k.coming->duration_ns / 1000, 6);
		printf("%jd %.*s ( %.*s)\n", (intmax_t)k.result, (int)name.size, name.data,
		       (int)s->args_size, s->args);
	}
	if (got < 0)
		printf("! %s\n", k.error.text);
	k.ops->close(&k);
}

static void print_all(struct recorder *r)
{
	const struct types t = {.mpi = first(&r->meta, "MPI"),
				.hdf5 = first(&r->meta, "H5"),
				.pnetcdf = first(&r->meta, "ncmpi"),
				.netcdf = first(&r->meta, "nc_"),
				.old = r->meta.major < 3};
	for (uint32_t i = 0; i < r->merge.ranks; i++) {
		printf("# rank %u\n", r->merge.rank[i]);
		if (r->meta.kind == RECORDER_COMPRESSED)
			print_compressed(r, &t, r->merge.rank[i]);
		else
			print_peephole(r, r->merge.rank[i]);
	}
}

int main(int argc, char **argv)
{
	const char *path[] = {argc > 1 ? argv[1] : "."};
	struct error error = {.status = IOT_OK};
	struct input *in = input_new(path, 1, NULL, &error);
	if (in == NULL) {
		fprintf(stderr, "%s\n", error.text);
		return EXIT_FAILURE;
	}
	struct source_state src = {.converter = converter_find("recorder"), .input = in};
	int status = src.converter->open(&src);
	if (status == IOT_OK)
		print_all(src.state);
	else
		fprintf(stderr, "%s\n", src.error.text);
	src.converter->close(&src);
	input_free(in);
	return status == IOT_OK && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
