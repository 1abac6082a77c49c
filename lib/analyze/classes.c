/* SPDX-License-Identifier: BSD-2-Clause */
#include "classes.h"

#include <stdlib.h>
#include <xxhash.h>

#include "lib/analyze/containers/saturate.h"
#include "lib/result/names.h"

enum {
	SERIES_MIN = 3, /* files of a series, and times at which they are written */
	READ_BACK = 10, /* at most 1/10 of a checkpoint's bytes are read */
	DEVIATION = 2   /* of bytes written from their median, as a factor */
};

const char *const io_class_names[IO_CLASSES] = {"required", "checkpoint", "swapping", "rewritten",
						"unknown"};

/* Names */

/* The byte at *i of a percent-encoded text, which may be three characters. */
static unsigned char next_byte(struct iot_text text, size_t *i)
{
	char byte[4] = "";
	const bool encoded = text.data[*i] == '%' && text.size - *i >= 3;
	const struct iot_text one = {text.data + *i, encoded ? 3 : 1};
	*i += one.size;
	iot_percent_decode(one, byte, NULL);
	return (unsigned char)byte[0];
}

/* Returns the hash of a path with each run of digits replaced by one '#'. */
static uint64_t hash_of_series(struct iot_text path)
{
	char name[ROW_NAME_MAX];
	size_t size = 0;
	bool in_number = false;
	for (size_t i = 0; i < path.size && size < sizeof name;) {
		const unsigned char byte = next_byte(path, &i);
		const bool digit = byte >= '0' && byte <= '9';
		if (!digit || !in_number)
			name[size++] = digit ? '#' : (char)byte;
		in_number = digit;
	}
	return XXH3_64bits(name, size);
}

/* Series */

/* A file that is written, and may be one of a series. */
struct written_file {
	uint64_t name; /* hash */
	uint64_t bytes;
	int64_t first_ns, last_ns;
	uint32_t file;
};

static bool is_read_back(const struct reuse_sums *s)
{
	return (uint128)s->kind[REUSE_READ_AFTER_WRITE] * READ_BACK > reuse_bytes(s, true);
}

/* Rewritten at least three times, and seldom read. */
static bool is_rewritten(const struct reuse_sums *s)
{
	const uint64_t unique = reuse_unique(s, true);
	return unique > 0 && (uint128)2 * s->kind[REUSE_OVERWRITE_UNREAD] >= (uint128)3 * unique &&
	       !is_read_back(s);
}

static int by_name_and_bytes(const void *left, const void *right)
{
	const struct written_file *a = left, *b = right;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static int by_time(const void *left, const void *right)
{
	const struct written_file *a = left, *b = right;
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns ? -1 : 1;
	return a->last_ns < b->last_ns ? -1 : a->last_ns > b->last_ns;
}

/* Sorts n files by time. Returns how many times, which do not overlap, they are written at. */
static size_t count_times(struct written_file *f, size_t n)
{
	size_t times = 0;
	int64_t first = 0, last = 0;
	qsort(f, n, sizeof *f, by_time);
	for (size_t i = 0; i < n; i++) {
		const bool begins = times == 0 || (f[i].first_ns > first && f[i].first_ns >= last);
		times += begins;
		first = begins ? f[i].first_ns : first;
		last = begins || f[i].last_ns > last ? f[i].last_ns : last;
	}
	return times;
}

/* Moves files that are not read back, and have about the median of bytes, to the front. */
static size_t select_similar(const struct reuse *reuse, struct written_file *f, size_t n)
{
	const uint128 median = f[(n - 1) / 2].bytes;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) {
		struct reuse_sums s;
		reuse_file_sums(reuse, f[i].file, &s);
		if (!is_read_back(&s) && f[i].bytes * (uint128)DEVIATION >= median &&
		    f[i].bytes <= median * DEVIATION)
			f[kept++] = f[i];
	}
	return kept;
}

static void mark(struct classes *c, uint32_t file)
{
	c->files += !c->checkpoint[file];
	c->checkpoint[file] = true;
}

/* Files of one name but for its numbers, in the order of their bytes. */
static void add_series(struct classes *c, const struct reuse *reuse, struct written_file *f,
		       size_t n)
{
	const size_t kept = n >= SERIES_MIN ? select_similar(reuse, f, n) : 0;
	if (kept < SERIES_MIN || count_times(f, kept) < SERIES_MIN)
		return;
	c->series++;
	for (size_t i = 0; i < kept; i++)
		mark(c, f[i].file);
}

/* Returns false if it has no name, or is not written at known times. */
static bool describe(const struct requests *r, const struct reuse *reuse,
		     const struct row_names *names, uint32_t file, const struct reuse_sums *s,
		     struct written_file *to)
{
	const struct reuse_file *f = &reuse->files[file];
	const struct iot_text path = row_names_path(names, &r->files.keys[file]);
	if (reuse_bytes(s, true) == 0 || !f->write_timed || path.data == NULL)
		return false;
	*to = (struct written_file){hash_of_series(path), reuse_bytes(s, true), f->first_write_ns,
				    f->last_write_ns, file};
	return true;
}

bool classes_find(struct classes *c, const struct requests *r, const struct reuse *reuse,
		  const struct row_names *names)
{
	struct written_file *files = calloc((size_t)r->files.count + 1, sizeof *files);
	size_t n = 0, end;
	const size_t all = reuse->capacity > r->files.count ? reuse->capacity : r->files.count;
	c->checkpoint = calloc(all + 1, sizeof *c->checkpoint);
	if (files == NULL || c->checkpoint == NULL) {
		free(files);
		return false;
	}
	for (uint32_t i = 0; i < r->files.count && i < reuse->capacity; i++) {
		struct reuse_sums s;
		reuse_file_sums(reuse, i, &s);
		if (is_rewritten(&s)) {
			c->series++;
			mark(c, i);
		}
		n += describe(r, reuse, names, i, &s, &files[n]);
	}
	if (n > 0)
		qsort(files, n, sizeof *files, by_name_and_bytes);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && files[end].name == files[i].name;)
			end++;
		add_series(c, reuse, files + i, end - i);
	}
	free(files);
	return true;
}

void classes_free(struct classes *c)
{
	free(c->checkpoint);
}

/* Results */

void classes_of_file(const struct classes *c, const struct reuse *reuse, size_t file,
		     struct io_class_sums *to)
{
	struct reuse_sums s;
	reuse_file_sums(reuse, file, &s);
	const uint64_t last = saturate_add(s.state[REUSE_WRITTEN], s.state[REUSE_WRITTEN_LAST]);
	const uint64_t superseded = s.kind[REUSE_OVERWRITE_UNREAD];
	*to = (struct io_class_sums){.bytes = {{0}}};
	if (file >= reuse->capacity)
		return;
	to->bytes[0][CLASS_REQUIRED] = s.kind[REUSE_FIRST_READ];
	to->bytes[0][CLASS_SWAPPING] =
	    saturate_add(s.kind[REUSE_RE_READ], s.kind[REUSE_READ_AFTER_WRITE]);
	to->bytes[1][CLASS_SWAPPING] = s.kind[REUSE_READ_AFTER_WRITE];
	to->bytes[0][CLASS_UNKNOWN] = reuse->files[file].unknown[0];
	to->bytes[1][CLASS_UNKNOWN] = reuse->files[file].unknown[1];
	if (c->checkpoint[file]) {
		to->bytes[1][CLASS_CHECKPOINT] = saturate_add(last, superseded);
	} else {
		to->bytes[1][CLASS_REQUIRED] = last;
		to->bytes[1][CLASS_REWRITTEN] = superseded;
	}
}

enum io_class classes_largest(const struct io_class_sums *s)
{
	enum io_class largest = IO_CLASSES;
	uint64_t max = 0;
	for (unsigned i = 0; i < IO_CLASSES; i++) {
		const uint64_t bytes = saturate_add(s->bytes[0][i], s->bytes[1][i]);
		largest = bytes > max ? i : largest;
		max = bytes > max ? bytes : max;
	}
	return largest;
}

/* Reads are neither checkpoints nor rewritten. */
static bool has_class(unsigned direction, unsigned class)
{
	return direction != 0 || (class != CLASS_CHECKPOINT && class != CLASS_REWRITTEN);
}

static double bytes_of(const struct io_class_sums *s, unsigned direction, unsigned class)
{
	return direction < 2 ? (double)s->bytes[direction][class]
			     : (double)s->bytes[0][class] + (double)s->bytes[1][class];
}

static double all_bytes(const struct io_class_sums *s, unsigned direction)
{
	double all = 0;
	for (unsigned i = 0; i < IO_CLASSES; i++)
		all += bytes_of(s, direction, i);
	return all;
}

static const char *const value_names[3][3] = {
    {"read_reason_bytes", "read_reason_share", "read_reason_bytes_per_running_s"},
    {"written_reason_bytes", "write_reason_share", "written_reason_bytes_per_running_s"},
    {"reason_bytes", "reason_share", "reason_bytes_per_running_s"}};

static void unknown_values(struct values *v)
{
	static const char *const units[3] = {"bytes", "", "bytes/s"};
	for (unsigned i = 0; i < 9; i++)
		values_unknown(v, value_names[i / 3][i % 3], NULL, units[i % 3], v->inexact);
	values_unknown(v, NAME_OF(checkpoint_files), NULL, "", v->inexact);
	values_unknown(v, NAME_OF(checkpoint_series), NULL, "", v->inexact);
}

/* direction: 0: reads, 1: writes, 2: both */
static void direction_values(const struct io_class_sums *s, unsigned direction, double running_s,
			     struct values *v)
{
	const char *const *name = value_names[direction];
	for (unsigned i = 0; i < IO_CLASSES; i++)
		if (has_class(direction, i))
			values_number(v, name[0], io_class_names[i], "bytes",
				      direction < 2 ? s->bytes[direction][i]
						    : saturate_add(s->bytes[0][i], s->bytes[1][i]));
	for (unsigned i = 0; i < IO_CLASSES; i++)
		if (has_class(direction, i))
			values_ratio(v, name[1], io_class_names[i], "", bytes_of(s, direction, i),
				     all_bytes(s, direction), "no bytes");
	for (unsigned i = 0; i < IO_CLASSES; i++)
		if (has_class(direction, i))
			values_ratio(v, name[2], io_class_names[i], "bytes/s",
				     bytes_of(s, direction, i), running_s,
				     "the running time is unknown or 0");
}

void classes_values(const struct classes *c, const struct reuse *reuse, double running_s,
		    struct values *v)
{
	struct io_class_sums all = {.bytes = {{0}}}, one;
	for (size_t i = 0; i < reuse->capacity; i++) {
		classes_of_file(c, reuse, i, &one);
		for (unsigned d = 0; d < 2; d++)
			for (unsigned k = 0; k < IO_CLASSES; k++)
				all.bytes[d][k] = saturate_add(all.bytes[d][k], one.bytes[d][k]);
	}
	v->section = SECTION_OF(classes);
	if (reuse->unordered) {
		unknown_values(v);
		return;
	}
	for (unsigned d = 0; d < 3; d++)
		direction_values(&all, d, running_s, v);
	values_number(v, NAME_OF(checkpoint_files), NULL, "", c->files);
	values_number(v, NAME_OF(checkpoint_series), NULL, "", c->series);
}
