/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects the base (iotrace(5), LINES AND NUMBERS). A comment determines it: its first field is ff
 * or 255. Until a comment appears, the first 64 record lines vote, each for the bases in which its
 * flags are possible and match its number of fields; a tie is hexadecimal.
 */
#include "detect_base.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/base/word.h"

enum { VOTERS = 64, FIELDS_MAX = 10, LOOK_MAX = 1 << 20 };

enum {
	NO_LENGTH = 0x04,
	NO_PROCESS = 0x08,
	UNDEFINED = 0x10,
	NO_OPERATION = 0x20,
	NO_BLOCK = 0x40,
	NO_FILE = 0x80
};

struct vote {
	unsigned lines, both, hex, decimal;
	unsigned reported; /* base determined by a comment */
};

/* Splits at blanks; stores at most FIELDS_MAX + 1 fields. */
static size_t split(struct iot_text line, struct iot_text *out)
{
	size_t n = 0;
	while (n <= FIELDS_MAX && word_next(&line, &out[n]))
		n++;
	return n;
}

static size_t fields_expected(uint64_t compression)
{
	static const uint64_t drops[] = {NO_LENGTH, NO_PROCESS, NO_OPERATION, NO_BLOCK, NO_FILE};
	size_t n = FIELDS_MAX;
	for (size_t i = 0; i < sizeof(drops) / sizeof(drops[0]); i++)
		n -= (compression & drops[i]) != 0;
	return n;
}

/*
 * Returns whether the field consists of digits, in any number; startTime and processTime may be
 * negative.
 */
static bool is_number(struct iot_text f, unsigned base, bool may_be_negative)
{
	const size_t sign = may_be_negative && f.data[0] == '-';
	uint64_t digit;
	for (size_t i = sign; i < f.size; i++)
		if (!number_parse(f.data + i, 1, base, &digit))
			return false;
	return f.size > sign;
}

bool base_fits(const char *line, size_t size, unsigned base)
{
	struct iot_text f[FIELDS_MAX + 1];
	size_t n = split((struct iot_text){line, size}, f);
	uint64_t type, compression;
	if (n < 2 || !number_parse(f[0].data, f[0].size, base, &type) ||
	    !number_parse(f[1].data, f[1].size, base, &compression))
		return false;
	if (type > 255 || compression > 255 || compression & UNDEFINED ||
	    n != fields_expected(compression))
		return false;
	size_t start = 2U + !(compression & NO_BLOCK) + !(compression & NO_LENGTH);
	for (size_t i = 2; i < n; i++)
		if (!is_number(f[i], base, i == start || i == n - 1))
			return false;
	return true;
}

static void count_line(struct vote *v, const char *line, const char *end)
{
	struct iot_text f[FIELDS_MAX + 1];
	while (end > line && end[-1] == '\r')
		end--;
	if (split((struct iot_text){line, (size_t)(end - line)}, f) == 0)
		return;
	if (f[0].size == 2 && (f[0].data[0] | 32) == 'f' && (f[0].data[1] | 32) == 'f') {
		v->reported = 16;
		return;
	}
	if (f[0].size == 3 && memcmp(f[0].data, "255", 3) == 0) {
		v->reported = 10;
		return;
	}
	bool hex = base_fits(line, (size_t)(end - line), 16);
	bool decimal = base_fits(line, (size_t)(end - line), 10);
	v->lines++;
	v->hex += hex;
	v->decimal += decimal;
	v->both += hex && decimal;
}

/* Counts the complete lines of text[*done .. have); returns false when the votes suffice. */
static bool count_lines(struct vote *v, const char *text, size_t have, size_t *done, size_t *seen)
{
	while (v->reported == 0 && v->lines < VOTERS) {
		const char *lf = *seen < have ? memchr(text + *seen, '\n', have - *seen) : NULL;
		if (lf == NULL) {
			*seen = have;
			return true;
		}
		count_line(v, text + *done, lf);
		*done = *seen = (size_t)(lf - text) + 1;
	}
	return false;
}

unsigned base_find(struct bufreader *r, bool *tie)
{
	struct vote v = {0};
	size_t have = 0, done = 0, seen = 0, want;
	const char *text;
	do {
		want = have + 1;
		text = bufreader_peek(r, want, &have);
	} while (count_lines(&v, text, have, &done, &seen) && have >= want && have < LOOK_MAX);
	/* the last line may lack its LF */
	if (v.reported == 0 && v.lines < VOTERS && have < want && done < have)
		count_line(&v, text + done, text + have);
	*tie = v.reported == 0 && v.lines > 0 && v.both == v.lines;
	if (v.reported != 0)
		return v.reported;
	return v.decimal > v.hex ? 10 : 16;
}
