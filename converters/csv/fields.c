/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values of a row. Digits up to a delimiter are parsed in place; quotes, blanks and all else go
 * the slow way, field by field.
 */
#include "csv.h"

#include <assert.h>
#include <ctype.h>
#include <xxhash.h>

#include "lib/base/number.h"
#include "lib/base/word.h"

enum { WORD_MAX = 16, DIGITS_MAX = 19, DECIMALS_MAX = 9 };

#define NS_PER_S       UINT64_C(1000000000)
#define FILETIME_EPOCH UINT64_C(116444736000000000) /* 1970 */
#define FILETIME_NS    UINT64_C(100)

/* Numbers */

static inline bool are_digits(uint64_t eight)
{
	const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
	return ((eight & high) | ((eight + UINT64_C(0x0606060606060606)) & high) >> 4) ==
	       (zeros | zeros >> 4);
}

/* The number of eight digits, first one in the lowest byte: pairs, then fours, in parallel. */
static inline uint64_t digits_value(uint64_t eight)
{
	eight = (eight & UINT64_C(0x0f0f0f0f0f0f0f0f)) * (10 << 8 | 1) >> 8;
	eight = (eight & UINT64_C(0x00ff00ff00ff00ff)) * (100 << 16 | 1) >> 16;
	return (eight & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) << 32 | 1) >> 32;
}

/*
 * Parses digits, of which there are DIGITS_MAX at most; returns their end. limit: the end of the
 * readable bytes.
 */
static inline const char *scan_digits(const char *at, const char *end, const char *limit,
				      uint64_t *value)
{
	const char *const begin = at;
	uint64_t v = 0, eight;
	while (limit - at >= 8 && at - begin < 16 && are_digits(eight = number_load(at))) {
		v = v * 100000000 + digits_value(eight);
		at += 8;
	}
	for (; at < end && at - begin < DIGITS_MAX; at++) {
		const unsigned digit = (unsigned)(unsigned char)*at - '0';
		if (digit > 9)
			break;
		v = v * 10 + digit;
	}
	*value = v;
	return at;
}

/* Adds the digits after a point to a number of units; more of them than DECIMALS_MAX round it. */
static bool add_decimals(const char *at, const char *end, uint64_t unit, uint64_t *value)
{
	uint64_t v = 0, scale = 1;
	const char *const last = end - at > DECIMALS_MAX ? at + DECIMALS_MAX : end;
	for (const char *p = at; p < end; p++)
		if (*p < '0' || *p > '9')
			return false;
	for (; at < last; at++, scale *= 10)
		v = 10 * v + (uint64_t)(*at - '0');
	v += last < end && *last >= '5';
	return unit <= NS_PER_S &&
	       !__builtin_add_overflow(*value, (v * unit + scale / 2) / scale, value);
}

/* Sizes may have decimals, as tools write integers as "4096.0", but these must be zeros. */
static bool parse_number(const struct csv_column *column, struct iot_text text, uint64_t *value)
{
	const char *point = text.size > 0 ? memchr(text.data, '.', text.size) : NULL;
	const char *const end = text.data + text.size;
	const size_t n = point != NULL ? (size_t)(point - text.data) : text.size;
	if (!number_decimal(text.data, n, value) ||
	    __builtin_mul_overflow(*value, column->unit, value))
		return false;
	if (point == NULL)
		return true;
	if (column->form == CSV_TIME)
		return add_decimals(point + 1, end, column->unit, value);
	for (point++; point < end; point++)
		if (*point != '0')
			return false;
	return true;
}

/* Converts a time of Windows to nanoseconds since 1970. */
static inline bool convert_filetime(const struct csv_column *column, uint64_t *value)
{
	return !column->filetime ||
	       (*value >= FILETIME_EPOCH &&
		!__builtin_mul_overflow(*value - FILETIME_EPOCH, FILETIME_NS, value));
}

/* Words */

static const struct word {
	const char *word;
	bool write;
} words[] = {
    {"r", false},       {"w", true},        {"read", false},    {"write", true},  {"0", false},
    {"1", true},        {"rd", false},      {"wr", true},       {"28", false},    {"2a", true},
    {"88", false},      {"8a", true},       {"08", false},      {"0a", true},     {"a8", false},
    {"aa", true},       {"rs", false},      {"ws", true},       {"pread", false}, {"pwrite", true},
    {"pread64", false}, {"pwrite64", true}, {"readv", false},   {"writev", true}, {"preadv", false},
    {"pwritev", true},  {"preadv2", false}, {"pwritev2", true}, {"fread", false}, {"fwrite", true},
    {"in", false},      {"out", true},
};

/* Operations of caches, on data with an id. */
static const struct word cache_words[] = {
    {"get", false}, {"gets", false},  {"set", true},     {"add", true},  {"replace", true},
    {"cas", true},  {"append", true}, {"prepend", true}, {"incr", true}, {"decr", true},
};

static bool find(const struct word *list, size_t count, struct iot_text text, uint64_t *value)
{
	char word[WORD_MAX];
	if (text.size >= WORD_MAX)
		return false;
	for (size_t i = 0; i < text.size; i++)
		word[i] = (char)tolower((unsigned char)text.data[i]);
	word[text.size] = '\0';
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].word, word) == 0) {
			*value = list[i].write ? IOT_WRITE : 0;
			return true;
		}
	return false;
}

static bool find_word(struct iot_text text, uint64_t *value)
{
	return find(words, sizeof words / sizeof *words, text, value);
}

bool csv_find_cache_word(struct iot_text text, uint64_t *value)
{
	return find(cache_words, sizeof cache_words / sizeof *cache_words, text, value);
}

/* What `cat` writes: "disk-read-ahead+async"; the type without the direction. */
static bool parse_types(struct iot_text text, uint64_t *value)
{
	static const struct {
		const char *word;
		unsigned type;
	} words_of_types[] = {
	    /* longer words first */
	    {"disk-virtual-memory", IOT_VIRTUAL_MEMORY},
	    {"disk-read-ahead", IOT_READ_AHEAD},
	    {"disk-metadata", IOT_METADATA},
	    {"disk", 0},
	    {"file", IOT_LOGICAL},
	    {"metadata", IOT_LOGICAL | IOT_METADATA},
	    {"read-ahead", IOT_LOGICAL | IOT_READ_AHEAD},
	    {"virtual-memory", IOT_LOGICAL | IOT_VIRTUAL_MEMORY},
	    {"+4", 0x04},
	    {"+async", IOT_ASYNC},
	    {"+hit", IOT_READ_AHEAD_HIT},
	    {"+miss", IOT_CACHE_MISS},
	};
	const bool marks_only = text.size > 0 && text.data[0] == '+';
	*value = 0;
	if (text.size == 2 && memcmp(text.data, "op", 2) == 0) {
		*value = UINT64_MAX;
		return true;
	}
	for (size_t i = 0; i < sizeof words_of_types / sizeof *words_of_types; i++) {
		const size_t size = strlen(words_of_types[i].word);
		if (text.size < size || memcmp(text.data, words_of_types[i].word, size) != 0 ||
		    (text.size > size && text.data[size] != '+'))
			continue;
		*value |= words_of_types[i].type;
		text.data += size;
		text.size -= size;
	}
	return text.size == 0 && !marks_only;
}

/* Fields, the slow way */

/*
 * Undoes the quotes of a field, of which `at` is the first. Returns its end, NULL if it has none.
 */
static const char *unquote(struct csv_source *c, const char *at, const char *end,
			   struct iot_text *field)
{
	char *const begin = c->scratch + c->scratch_used, *to = begin;
	for (at++; at < end; at++) {
		if (*at == '"' && (++at == end || *at != '"'))
			break;
		*to++ = *at;
	}
	if (at[-1] != '"' || at > end)
		return NULL;
	c->scratch_used += (size_t)(to - begin);
	*field = (struct iot_text){begin, (size_t)(to - begin)};
	return at;
}

/* Replaces \t, \n, \r and \\, as files with tabs have them. */
static void unescape(struct csv_source *c, struct iot_text *field)
{
	char *const begin = c->scratch + c->scratch_used, *to = begin;
	for (const char *at = field->data, *end = at + field->size; at < end; at++) {
		static const char escaped[] = "tnr\\", meant[] = "\t\n\r\\";
		const char *which =
		    *at == '\\' && at + 1 < end && at[1] != '\0' ? strchr(escaped, at[1]) : NULL;
		*to++ = which != NULL ? meant[which - escaped] : *at;
		at += which != NULL;
	}
	c->scratch_used += (size_t)(to - begin);
	*field = (struct iot_text){begin, (size_t)(to - begin)};
}

static void decode(struct csv_source *c, struct iot_text *field)
{
	char *const begin = c->scratch + c->scratch_used;
	const size_t size = iot_percent_decode(*field, begin, NULL);
	c->scratch_used += size;
	*field = (struct iot_text){begin, size};
}

bool csv_fields_next(struct csv_source *c, const char **at, const char *end, struct iot_text *field)
{
	const char delimiter = c->layout.delimiter, *p = *at;
	assert(p != NULL);
	if (p < end && *p == '"' && delimiter != '\t') {
		*at = unquote(c, p, end, field);
		return *at != NULL && (*at == end || **at == delimiter);
	}
	const char *stop = p < end ? memchr(p, delimiter, (size_t)(end - p)) : NULL;
	*at = stop != NULL ? stop : end;
	*field = (struct iot_text){p, (size_t)(*at - p)};
	if (delimiter == '\t' && field->size > 0 && memchr(p, '\\', field->size) != NULL)
		unescape(c, field);
	return true;
}

static bool parse_signed(const struct csv_column *column, struct iot_text text, uint64_t *value)
{
	const bool minus = text.size > 0 && text.data[0] == '-';
	text.data += minus;
	text.size -= minus;
	if (!parse_number(column, text, value) || *value > INT64_MAX)
		return false;
	*value = minus ? 0 - *value : *value;
	return true;
}

static bool parse_value(struct csv_source *c, const struct csv_column *column,
			struct iot_text field)
{
	struct csv_row *row = &c->row;
	uint64_t *const value = &row->number[column->field];
	row->text[column->field] = field;
	if (column->form != CSV_TEXT)
		field = text_trimmed(field);
	if (field.size == 0)
		return true;
	row->known |= CSV_BIT(column->field);
	switch (column->form) {
	case CSV_TIME:
		return parse_number(column, field, value) && convert_filetime(column, value);
	case CSV_SIGNED:
		return parse_signed(column, field, value);
	case CSV_COUNT:
		return parse_number(column, field, value);
	case CSV_KEY:
		*value = XXH3_64bits(field.data, field.size) >> 1;
		return true;
	case CSV_WORD:
		if (!find_word(field, value))
			*value = UINT64_MAX;
		if (column->percent)
			decode(c, &field);
		row->text[column->field] = field;
		return true;
	case CSV_TYPES:
		return parse_types(field, value);
	default:
		if (column->percent && memchr(field.data, '%', field.size) != NULL)
			decode(c, &row->text[column->field]);
		return true;
	}
}

/* The fast way */

/* Parses a number that ends at a delimiter. Returns its end, or NULL if it needs the slow way. */
static inline const char *parse_digits(const struct csv_column *column, const char *at,
				       const char *end, const char *limit, char delimiter,
				       uint64_t *value)
{
	uint64_t v;
	const char *stop = scan_digits(at, end, limit, &v);
	if (stop == at || stop > end || (stop < end && *stop != delimiter) ||
	    __builtin_mul_overflow(v, column->unit, value))
		return NULL;
	return stop;
}

static inline const char *parse_word(const char *at, const char *end, char delimiter,
				     uint64_t *value)
{
	if ((*at == '0' || *at == '1') && end - at > 1 && at[1] == delimiter) {
		*value = *at == '1' ? IOT_WRITE : 0;
		return at + 1;
	}
	const char letter = (char)(*at | 0x20);
	const size_t size = letter == 'r' ? 4 : 5;
	if ((letter != 'r' && letter != 'w') || end - at <= (ptrdiff_t)size)
		return NULL;
	*value = letter == 'r' ? 0 : IOT_WRITE;
	if (at[1] == delimiter)
		return at + 1;
	if (at[size] != delimiter || memcmp(at + 1, letter == 'r' ? "ead" : "rite", size - 1) != 0)
		return NULL;
	return at + size;
}

static inline const char *parse_text(const struct csv_column *column, const char *at,
				     const char *end, char delimiter, struct iot_text *text)
{
	const char *stop = memchr(at, delimiter, (size_t)(end - at));
	stop = stop != NULL ? stop : end;
	*text = (struct iot_text){at, (size_t)(stop - at)};
	if (*at == '"' || (column->percent && memchr(at, '%', text->size) != NULL) ||
	    (delimiter == '\t' && memchr(at, '\\', text->size) != NULL))
		return NULL;
	return stop;
}

/* Parses the field at `at`. Returns its end, or NULL if it needs the slow way. */
static inline const char *parse_fast(struct csv_source *c, const struct csv_column *column,
				     const char *at, const char *end, const char *limit)
{
	const char delimiter = c->layout.delimiter;
	uint64_t *const value = &c->row.number[column->field];
	const char *stop = NULL;
	bool minus;
	if (at == end || *at == delimiter)
		return at;
	if (column->form == CSV_IGNORED && *at != '"') {
		stop = memchr(at, delimiter, (size_t)(end - at));
		return stop != NULL ? stop : end;
	}
	switch (column->form) {
	case CSV_COUNT:
		stop = parse_digits(column, at, end, limit, delimiter, value);
		break;
	case CSV_TIME:
		stop = parse_digits(column, at, end, limit, delimiter, value);
		if (stop != NULL && !convert_filetime(column, value))
			stop = NULL;
		break;
	case CSV_SIGNED:
		minus = *at == '-';
		stop = parse_digits(column, at + minus, end, limit, delimiter, value);
		if (stop != NULL && *value > INT64_MAX)
			stop = NULL;
		*value = minus ? 0 - *value : *value;
		break;
	case CSV_WORD:
		stop = parse_word(at, end, delimiter, value);
		if (stop != NULL) /* an %op may have the name of a transfer */
			c->row.text[CSV_OP] = (struct iot_text){at, (size_t)(stop - at)};
		break;
	case CSV_TYPES:
		*value = IOT_LOGICAL;
		if (end - at > 4 && at[4] == delimiter && memcmp(at, "file", 4) == 0)
			stop = at + 4;
		break;
	case CSV_TEXT:
		stop = parse_text(column, at, end, delimiter, &c->row.text[column->field]);
		break;
	default:
		break;
	}
	if (stop != NULL)
		c->row.known |= CSV_BIT(column->field);
	return stop;
}

bool csv_fields_parse(struct csv_source *c, struct iot_text line, const char *limit)
{
	const struct csv_layout *l = &c->layout;
	const char *at = line.data, *const end = at + line.size, *stop;
	struct iot_text field;
	c->row.known = l->constants;
	c->scratch_used = 0;
	for (size_t i = 0; i < l->count; i++) {
		if (i > 0 && at == end)
			return false;
		at += i > 0;
		stop = parse_fast(c, &l->column[i], at, end, limit);
		if (stop == NULL) {
			if (!csv_fields_next(c, &at, end, &field) ||
			    !parse_value(c, &l->column[i], field))
				return false;
			stop = at;
		}
		at = stop;
	}
	return at == end || l->count < l->declared || !l->exact;
}
