/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verification of the application benchmark (NASA RND-92-016, 2.6): reads the files
 * sequentially, and prints the values at the points of the main diagonal of each vector, one on a
 * line, in the form F15.10 of Fortran.
 */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bt.h"
#include "die.h"
#include "options.h"

static const char help[] =
    "Usage: verify [OPTION]... FILE...\n"
    "\n"
    "Print the main diagonal of each vector that app wrote, one number on a line.\n"
    "\n"
    "  -c, --class=S|W|A|B   the size (default: S)\n"
    "      --word=8|4        bytes of a number in the file (default: 8)\n"
    "      --check=FILE      compare with this output instead of printing; the two\n"
    "                        last digits may differ\n"
    "      --full            compare the norms of the last vector with the published\n"
    "                        ones, too (8 bytes)\n"
    "  -h, --help            print this help\n"
    "\n"
    "Several files are read in the order of the arguments.\n";

enum { INTERVAL = 5, FIELD = 15 };

#define FIELD_TOLERANCE 99.5e-10 /* The two last digits. */
#define NORM_TOLERANCE  1e-8

struct verify {
	const struct bt_class *of;
	int word, full;
	const char *reference_path;
	FILE *reference; /* NULL: print. */
	unsigned long lines;
	char *raw;     /* A plane as it is in the file. */
	double *plane; /* The same as doubles. */
	struct bt bt;  /* With --full: the last vector. */
};

static size_t plane_size(const struct verify *v)
{
	return (size_t)BT_M * (size_t)v->of->n * (size_t)v->of->n;
}

static off_t vector_bytes(const struct verify *v)
{
	return (off_t)(plane_size(v) * (size_t)v->of->n * (size_t)v->word);
}

static int vectors(const struct verify *v)
{
	return v->of->steps / INTERVAL;
}

static off_t file_size(const char *path)
{
	struct stat of;
	if (stat(path, &of) != 0)
		die_errno(path, "stat");
	return of.st_size;
}

/* No vector is in two files. */
static void check_sizes(const struct verify *v, char **paths)
{
	const off_t vector = vector_bytes(v);
	off_t sum = 0;
	for (; *paths != NULL; paths++) {
		const off_t size = file_size(*paths);
		if (size == 0 || size % vector != 0)
			die("%s: %lld bytes, expected a multiple of %lld for class %c", *paths,
			    (long long)size, (long long)vector, v->of->letter);
		sum += size / vector;
	}
	if (sum != vectors(v))
		die("%lld vectors, expected %d for class %c", (long long)sum, vectors(v),
		    v->of->letter);
}

static void format_field(double value, char field[FIELD + 1])
{
	char text[400];
	const int n = snprintf(text, sizeof(text), "%15.10f", value);
	memcpy(field, n == FIELD ? text : "***************", FIELD + 1);
}

static void compare_field(struct verify *v, const char *field)
{
	char line[64] = "", *end;
	if (fgets(line, sizeof(line), v->reference) == NULL)
		die("%s: ends after line %lu, expected %s", v->reference_path, v->lines - 1, field);
	line[strcspn(line, "\n")] = '\0';
	const double expected = strtod(line, &end);
	if (strcmp(line, field) != 0 &&
	    !(end != line && fabs(expected - strtod(field, NULL)) <= FIELD_TOLERANCE))
		die("%s: line %lu is '%s', expected '%s'", v->reference_path, v->lines, line,
		    field);
}

static void emit(struct verify *v, double value)
{
	char field[FIELD + 1];
	format_field(value, field);
	v->lines++;
	if (v->reference != NULL)
		compare_field(v, field);
	else
		puts(field);
}

static void read_plane(struct verify *v, FILE *in, const char *path)
{
	const size_t n = plane_size(v);
	if (fread(v->raw, (size_t)v->word, n, in) != n)
		die_errno(path, "read");
	for (size_t i = 0; i < n; i++) {
		float narrow;
		memcpy(&narrow, v->raw + i * 4, sizeof(narrow));
		v->plane[i] = narrow;
		if (v->word == 8)
			memcpy(&v->plane[i], v->raw + i * 8, sizeof(v->plane[i]));
	}
}

static void read_vector(struct verify *v, FILE *in, const char *path)
{
	const size_t n = (size_t)v->of->n;
	for (size_t k = 0; k < n; k++) {
		read_plane(v, in, path);
		for (size_t m = 0; m < BT_M; m++)
			emit(v, v->plane[(k * n + k) * BT_M + m]);
		if (v->full)
			memcpy(v->bt.u + k * plane_size(v), v->plane,
			       plane_size(v) * sizeof(double));
	}
}

static void read_file(struct verify *v, const char *path)
{
	const off_t count = file_size(path) / vector_bytes(v);
	FILE *in = fopen(path, "rbe");
	if (in == NULL)
		die_errno(path, "open");
	for (off_t i = 0; i < count; i++)
		read_vector(v, in, path);
	fclose(in);
}

static void check_end(const struct verify *v)
{
	if (v->reference != NULL && fgetc(v->reference) != EOF)
		die("%s: more than %lu lines", v->reference_path, v->lines);
	if (fflush(stdout) != 0 || ferror(stdout))
		die_errno("standard output", "write");
}

static void check_norms(struct verify *v)
{
	const double difference = bt_difference(&v->bt, v->of);
	if (!(difference <= NORM_TOLERANCE))
		die("the norms of the last vector differ from the published ones by %.3g, expected "
		    "at most %.0e",
		    difference, NORM_TOLERANCE);
}

static void parse(struct verify *v, int argc, char **argv)
{
	int class = 0, word = 0;
	const struct option_row options[] = {
	    {"--class", OPTION_WORD, .value = &class, .letter = 'c', .words = bt_class_words},
	    {"--word", OPTION_WORD, .value = &word, .words = bt_number_words},
	    {"--check", OPTION_TEXT, .value = &v->reference_path},
	    {"--full", OPTION_FLAG, .value = &v->full},
	    {0},
	};
	options_parse(options, help, argc, argv);
	if (optind == argc)
		die("no file; see --help");
	v->of = bt_class_of(class);
	v->word = bt_number_bytes(word);
}

static void allocate(struct verify *v)
{
	v->raw = malloc(plane_size(v) * (size_t)v->word);
	v->plane = malloc(plane_size(v) * sizeof(double));
	if (v->raw == NULL || v->plane == NULL || (v->full && bt_init(&v->bt, v->of, 1) != 0))
		die("out of memory");
	if (v->reference_path != NULL && (v->reference = fopen(v->reference_path, "re")) == NULL)
		die_errno(v->reference_path, "open");
}

int main(int argc, char **argv)
{
	struct verify v = {0};
	parse(&v, argc, argv);
	check_sizes(&v, argv + optind);
	allocate(&v);
	for (char **path = argv + optind; *path != NULL; path++)
		read_file(&v, *path);
	check_end(&v);
	if (v.full)
		check_norms(&v);
	if (v.reference != NULL)
		fclose(v.reference);
	bt_free(&v.bt);
	free(v.raw);
	free(v.plane);
	return 0;
}
