/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Directives: comments of the form %NAME key=value key=value ..., parsed and built (iotrace(5),
 * DIRECTIVES). Tokens are separated by blanks and split at their first '='; the last occurrence of
 * a key counts; values are percent-encoded.
 */
#include "directive.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/base/utf8.h"

#include "tokens.h"

static const struct iot_text key_name[KEY_COUNT] = {
    [KEY_TIME] = TEXT_OF("time="),       [KEY_TOOK] = TEXT_OF("took="),
    [KEY_PROCESS] = TEXT_OF("process="), [KEY_FILE] = TEXT_OF("file="),
    [KEY_PARENT] = TEXT_OF("parent="),   [KEY_OBJECT] = TEXT_OF("object="),
    [KEY_ID] = TEXT_OF("id="),           [KEY_NAME] = TEXT_OF("name="),
    [KEY_KIND] = TEXT_OF("kind="),       [KEY_RESULT] = TEXT_OF("result="),
};

static const char *const bad_number[KEY_NUMBERS] = {
    [KEY_TIME] = "time= is not a number of 0 to 2^63-1 nanoseconds",
    [KEY_TOOK] = "took= is not a number of 0 to 2^63-1 nanoseconds",
    [KEY_PROCESS] = "process= is not a decimal number of 32 bits",
    [KEY_FILE] = "file= is not a decimal number of 32 bits",
    [KEY_PARENT] = "parent= is not a decimal number of 32 bits",
    [KEY_OBJECT] = "object= is not a decimal number of 32 bits",
    [KEY_ID] = "id= is not a decimal number of 32 bits",
};

const struct unknown unknowns[UNKNOWNS] = {{"start", IOT_START_UNKNOWN},
					   {"completion", IOT_DURATION_UNKNOWN},
					   {"cpu", IOT_CPU_UNKNOWN},
					   {"offset", IOT_OFFSET_UNKNOWN}};

bool directive_split(struct iot_text token, struct iot_text *key, struct iot_text *value)
{
	const char *equals = memchr(token.data, '=', token.size);
	if (equals == NULL)
		return false;
	*key = (struct iot_text){token.data, (size_t)(equals - token.data)};
	*value = (struct iot_text){equals + 1, token.size - key->size - 1};
	return true;
}

static struct iot_text name_of(struct iot_text text)
{
	struct iot_text name;
	word_next(&text, &name);
	return name;
}

enum framing_kind directive_framing_named(struct iot_text text)
{
	struct iot_text name = name_of(text);
	if (text_equals(name, "%sync"))
		return FRAMING_SYNC;
	if (text_equals(name, "%end"))
		return FRAMING_END;
	return text_equals(name, "%iotrace") ? FRAMING_HEADER : FRAMING_NONE;
}

enum iot_kind directive_kind(struct iot_text name)
{
	static const struct {
		const char *name;
		enum iot_kind kind;
	} known[] = {{"%op", IOT_OP},           {"%file", IOT_FILE}, {"%process", IOT_PROCESS},
		     {"%counter", IOT_COUNTER}, {"%lost", IOT_LOST}, {"%trace", IOT_TRACE}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (name.size > 1 && name.data[1] == known[i].name[1] &&
		    text_equals(name, known[i].name))
			return known[i].kind;
	return IOT_DIRECTIVE;
}

/* Returns the only known key that a token may have; KEY_COUNT if it has another. */
static int candidate(struct iot_text token)
{
	switch (token.size > 1 ? token.data[0] : '\0') {
	case 't':
		return token.data[1] == 'i' ? KEY_TIME : KEY_TOOK;
	case 'p':
		return token.data[1] == 'r' ? KEY_PROCESS : KEY_PARENT;
	case 'f':
		return KEY_FILE;
	case 'o':
		return KEY_OBJECT;
	case 'i':
		return KEY_ID;
	case 'n':
		return KEY_NAME;
	case 'k':
		return KEY_KIND;
	case 'r':
		return KEY_RESULT;
	default:
		return KEY_COUNT;
	}
}

/* Returns whether the token is `key=...` of a known key, and stores its value. */
static bool has_known_key(struct iot_text token, int key, struct iot_text *value)
{
	const size_t n = key_name[key].size;
	if (token.size < n)
		return false;
	for (size_t i = 0; i < n; i++) /* a few bytes: a call of memcmp would cost more */
		if (token.data[i] != key_name[key].data[i])
			return false;
	*value = (struct iot_text){token.data + n, token.size - n};
	return true;
}

static bool leads_too_far(enum directive_key key, struct iot_text value)
{
	uint64_t number;
	return (key == KEY_TIME || key == KEY_TOOK) &&
	       number_decimal(value.data, value.size, &number) && number > INT64_MAX;
}

/*
 * Finds the last value of each known key; data is NULL if the key is absent. Returns false if any
 * time exceeds the limit, so that it could not be shifted or converted to another tick.
 */
static bool find_keys(struct iot_text rest, struct iot_text found[KEY_COUNT])
{
	struct iot_text token, value;
	struct tokens tokens = tokens_of(rest);
	size_t equals;
	bool fits = true;
	memset(found, 0, KEY_COUNT * sizeof(found[0]));
	while (tokens_next(&tokens, &token, &equals)) {
		const int k = candidate(token);
		if (k == KEY_COUNT || !has_known_key(token, k, &value))
			continue;
		found[k] = value;
		fits = fits && !leads_too_far((enum directive_key)k, value);
	}
	return fits;
}

enum directive_member directive_member(enum iot_kind kind, enum directive_key key)
{
	switch (key) {
	case KEY_TIME:
		return MEMBER_TIME;
	case KEY_TOOK:
		return MEMBER_TOOK;
	case KEY_PROCESS:
		return kind != IOT_PROCESS ? MEMBER_PROCESS : MEMBER_NONE;
	case KEY_FILE: /* definitions of a process are looked up by its id alone */
		return kind != IOT_FILE && kind != IOT_PROCESS ? MEMBER_FILE : MEMBER_NONE;
	case KEY_OBJECT:
		return MEMBER_OBJECT;
	case KEY_ID:
		return kind == IOT_PROCESS ? MEMBER_PROCESS
		       : kind == IOT_FILE  ? MEMBER_FILE
					   : MEMBER_NONE;
	default:
		return MEMBER_NONE;
	}
}

static void store_number(struct iot_event *ev, enum directive_key key, uint64_t value)
{
	switch (directive_member(ev->kind, key)) {
	case MEMBER_TIME:
		ev->rec.start_ns = (int64_t)value;
		ev->has |= IOT_HAS_TIME;
		return;
	case MEMBER_TOOK:
		ev->rec.duration_ns = value;
		ev->has |= IOT_HAS_TOOK;
		return;
	case MEMBER_PROCESS:
		ev->rec.process = (uint32_t)value;
		ev->has |= IOT_HAS_PROCESS;
		return;
	case MEMBER_FILE:
		ev->rec.file = (uint32_t)value;
		ev->has |= IOT_HAS_FILE;
		return;
	case MEMBER_OBJECT:
		ev->rec.object = (uint32_t)value;
		ev->has |= IOT_HAS_OBJECT;
		return;
	default:
		return;
	}
}

/* id= has a meaning only in %process and %file; other directives may use the key freely. */
static bool is_number_key(enum iot_kind kind, int key)
{
	return key != KEY_ID || kind == IOT_PROCESS || kind == IOT_FILE;
}

enum directive_key directive_number_key(enum iot_kind kind, struct iot_text name)
{
	for (int k = 0; k < KEY_NUMBERS; k++)
		if (name.size + 1 == key_name[k].size &&
		    memcmp(name.data, key_name[k].data, name.size) == 0 && is_number_key(kind, k))
			return (enum directive_key)k;
	return KEY_NUMBERS;
}

/* Stores the value of a numeric key. Returns false if the key has another range. */
static bool store(struct iot_event *ev, enum directive_key key, uint64_t value)
{
	if (value > (key <= KEY_TOOK ? (uint64_t)INT64_MAX : UINT32_MAX))
		return false;
	store_number(ev, key, value);
	return true;
}

/* Stores the numbers; returns the error of the first bad one. */
static const char *parse_numbers(struct iot_event *ev, const struct iot_text *found)
{
	const char *bad = NULL;
	for (int k = 0; k < KEY_NUMBERS; k++) {
		uint64_t value;
		if (found[k].data == NULL || !is_number_key(ev->kind, k))
			continue;
		if ((!number_decimal(found[k].data, found[k].size, &value) ||
		     !store(ev, (enum directive_key)k, value)) &&
		    bad == NULL)
			bad = bad_number[k];
	}
	if (bad == NULL && !directive_end_fits(ev))
		bad = "time= and took= end beyond 2^63-1 nanoseconds";
	return bad;
}

/* Returns whether an %op ends a fileId. */
static bool closes(const struct iot_event *ev, const struct iot_text *found)
{
	const unsigned both = IOT_HAS_PROCESS | IOT_HAS_FILE;
	return ev->kind == IOT_OP && (ev->has & both) == both && found[KEY_NAME].data != NULL &&
	       text_equals(found[KEY_NAME], "close") &&
	       (found[KEY_RESULT].data == NULL || text_equals(found[KEY_RESULT], "0"));
}

static const char *missing_key(const struct iot_event *ev, const struct iot_text *found)
{
	if (ev->kind == IOT_PROCESS && !(ev->has & IOT_HAS_PROCESS))
		return "%process needs id=";
	if (ev->kind == IOT_FILE && !(ev->has & IOT_HAS_PROCESS))
		return "%file needs process=";
	if (ev->kind == IOT_FILE && !(ev->has & IOT_HAS_FILE))
		return "%file needs id=";
	if (ev->kind == IOT_OP && found[KEY_NAME].data == NULL)
		return "%op needs name=";
	return NULL;
}

int iot_directive_parse(struct iot_event *ev, const char **why)
{
	struct iot_text rest = ev->text, name, found[KEY_COUNT];
	const char *wrong = NULL;
	memset(&ev->rec, 0, sizeof(ev->rec));
	ev->has = 0;
	ev->kind = IOT_COMMENT;
	if (why != NULL)
		*why = NULL;
	if (rest.size == 0 || rest.data[0] != '%')
		return IOT_OK;
	if (directive_framing(rest) != FRAMING_NONE) {
		if (why != NULL)
			*why = "%iotrace, %sync and %end are made by the writer";
		return IOT_EUSAGE;
	}
	word_next(&rest, &name);
	ev->kind = directive_kind(name);
	const bool times_fit = find_keys(rest, found);
	wrong = parse_numbers(ev, found);
	if (found[KEY_KIND].data != NULL && text_equals(found[KEY_KIND], "disk"))
		ev->has |= IOT_HAS_DISK;
	if (closes(ev, found))
		ev->has |= IOT_CLOSES;
	if (wrong == NULL)
		wrong = missing_key(ev, found);
	if (ev->kind == IOT_DIRECTIVE)
		wrong = NULL;
	if (wrong == NULL && !times_fit)
		wrong = "a time leads beyond 2^63-1 nanoseconds";
	if (why != NULL)
		*why = wrong;
	return wrong == NULL ? IOT_OK : IOT_EFORMAT;
}

/*
 * Returns whether the token that has its first '=' at `equals`, in a text that begins with `begin`,
 * has this key of `size` bytes. A later '=' of a token does not follow a blank and a key.
 */
static bool follows_key(const char *begin, const char *equals, const char *wanted, size_t size)
{
	return (size_t)(equals - begin) > size && is_blank(*(equals - size - 1)) &&
	       memcmp(equals - size, wanted, size) == 0;
}

struct iot_text iot_directive_get(const struct iot_event *ev, const char *wanted)
{
	const char *begin = ev->text.data, *end = begin + ev->text.size, *last = NULL;
	const size_t size = strlen(wanted);
	if (ev->text.size == 0 || begin[0] != '%' || memchr(wanted, '=', size) != NULL)
		return (struct iot_text){NULL, 0};
	for (const char *p = begin; (p = memchr(p, '=', (size_t)(end - p))) != NULL; p++)
		if (follows_key(begin, p, wanted, size))
			last = p + 1;
	return (struct iot_text){last, last != NULL ? (size_t)(word_end(last, end) - last) : 0};
}

/* Returns whether the token is `key=...` of this key. */
static bool is_key(struct iot_text token, struct iot_text key)
{
	return token.size > key.size && token.data[key.size] == '=' &&
	       memcmp(token.data, key.data, key.size) == 0;
}

void directive_values(const struct iot_event *ev, const struct iot_text *wanted, size_t n,
		      struct iot_text *values)
{
	struct iot_text rest = ev->text, token;
	memset(values, 0, n * sizeof *values);
	if (rest.size == 0 || rest.data[0] != '%' || !word_next(&rest, &token))
		return;
	while (word_next(&rest, &token))
		for (size_t i = 0; i < n; i++)
			if (is_key(token, wanted[i])) {
				const size_t before = wanted[i].size + 1;
				values[i] =
				    (struct iot_text){token.data + before, token.size - before};
				break;
			}
}

unsigned directive_flags(const struct iot_event *ev)
{
	struct iot_text rest = ev->text, token, key, value;
	unsigned flags = 0;
	if (memmem(rest.data, rest.size, "=unknown", 8) == NULL) /* usually */
		return 0;
	while (word_next(&rest, &token)) {
		if (!directive_split(token, &key, &value))
			continue;
		for (size_t i = 0; i < UNKNOWNS; i++) {
			if (!text_equals(key, unknowns[i].name))
				continue;
			flags &= ~unknowns[i].flag;
			flags |= text_equals(value, "unknown") ? unknowns[i].flag : 0;
		}
	}
	return flags;
}

int iot_directive_lacks(const struct iot_event *ev, unsigned *flags)
{
	struct iot_text list = iot_directive_get(ev, "lacks");
	if (list.data == NULL)
		return 0;
	*flags = 0;
	while (list.size > 0) {
		const char *comma = memchr(list.data, ',', list.size);
		size_t n = comma != NULL ? (size_t)(comma - list.data) : list.size;
		for (size_t i = 0; i < UNKNOWNS; i++)
			if (text_equals((struct iot_text){list.data, n}, unknowns[i].name))
				*flags |= unknowns[i].flag;
		n += comma != NULL;
		list = (struct iot_text){list.data + n, list.size - n};
	}
	return 1;
}

/* Returns whether a token is time=NUMBER or took=NUMBER; *value is the value's text. */
static inline bool is_time(struct iot_text token, int key, struct iot_text *value, uint64_t *number)
{
	return token.size > 0 && token.data[0] == 't' && has_known_key(token, key, value) &&
	       number_decimal(value->data, value->size, number);
}

/* Copies the text up to the value, then writes the number in its place. */
static char *put_instead(char *out, const char **from, struct iot_text value, uint64_t number)
{
	size_t n = (size_t)(value.data - *from);
	memcpy(out, *from, n);
	*from = value.data + value.size;
	return out + n + number_dec(out + n, number);
}

static struct iot_text finish(char *out, char *p, const char *from, struct iot_text text)
{
	size_t n = (size_t)(text.data + text.size - from);
	memcpy(p, from, n);
	return (struct iot_text){out, (size_t)(p - out) + n};
}

int directive_to_ns(struct iot_text *text, uint64_t tick_ns, char *out)
{
	struct tokens tokens = tokens_of(*text);
	struct iot_text token, value;
	const char *from = text->data;
	char *p = out;
	uint64_t number, ns;
	size_t equals;
	while (tokens_next(&tokens, &token, &equals)) {
		if (!is_time(token, KEY_TIME, &value, &number) &&
		    !is_time(token, KEY_TOOK, &value, &number))
			continue;
		if (__builtin_mul_overflow(number, tick_ns, &ns) || ns > INT64_MAX)
			return IOT_EFORMAT;
		p = put_instead(p, &from, value, ns);
	}
	if (from != text->data)
		*text = finish(out, p, from, *text);
	return IOT_OK;
}

void directive_to_ticks(struct iot_text *text, uint64_t tick_ns, char *out)
{
	struct iot_text rest = *text, token, value;
	const char *from = text->data;
	char *p = out;
	uint64_t number, start_ns = 0;
	while (word_next(&rest, &token))
		if (is_time(token, KEY_TIME, &value, &number))
			start_ns = number;
	rest = *text;
	while (word_next(&rest, &token)) {
		uint64_t end_ns;
		if (is_time(token, KEY_TIME, &value, &number))
			p = put_instead(p, &from, value, number / tick_ns);
		else if (is_time(token, KEY_TOOK, &value, &number) &&
			 !__builtin_add_overflow(start_ns, number, &end_ns))
			p = put_instead(p, &from, value, end_ns / tick_ns - start_ns / tick_ns);
	}
	if (from != text->data)
		*text = finish(out, p, from, *text);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 32);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t iot_percent_decode(struct iot_text value, char *out, unsigned *malformed)
{
	size_t n = 0;
	for (size_t i = 0; i < value.size; i++) {
		out[n++] = value.data[i];
		if (value.data[i] != '%')
			continue;
		int high = i + 2 < value.size ? hex_digit(value.data[i + 1]) : -1;
		int low = i + 2 < value.size ? hex_digit(value.data[i + 2]) : -1;
		if (high >= 0 && low >= 0) {
			out[n - 1] = (char)(high * 16 + low);
			i += 2;
		} else if (malformed != NULL) {
			++*malformed;
		}
	}
	return n;
}

static void put(struct iot_builder *b, const void *data, size_t n)
{
	if (b->status != IOT_OK)
		return;
	if (n > b->capacity - b->size) {
		b->status = IOT_ELIMIT;
		return;
	}
	memcpy(b->data + b->size, data, n);
	b->size += n;
}

static void put_key(struct iot_builder *b, const char *key)
{
	const size_t n = strlen(key);
	if (b->status != IOT_OK || n + 2 > b->capacity - b->size) {
		b->status = IOT_ELIMIT;
		return;
	}
	char *p = b->data + b->size;
	p[0] = ' ';
	memcpy(p + 1, key, n);
	p[n + 1] = '=';
	b->size += n + 2;
}

void iot_directive_begin(struct iot_builder *b, void *memory, size_t capacity, const char *name)
{
	*b = (struct iot_builder){.data = memory, .capacity = capacity};
	put(b, "%", 1);
	put(b, name, strlen(name));
}

void iot_directive_number(struct iot_builder *b, const char *key, uint64_t value)
{
	char digits[NUMBER_FAST_CAPACITY];
	put_key(b, key);
	if (b->status == IOT_OK && b->capacity - b->size >= NUMBER_FAST_CAPACITY)
		b->size = (size_t)(number_fast(b->data + b->size, value) - b->data);
	else
		put(b, digits, number_dec(digits, value));
}

/* Returns whether none of eight bytes is a control character, a blank, '%' or beyond '~'. */
static bool is_plain(const unsigned char *text)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t x;
	memcpy(&x, text, sizeof(x));
	const uint64_t low = x - ones * '!', delete = x ^ ones * 0x7f, percent = x ^ ones * '%';
	return (((low | (delete - ones) | (percent - ones) | x) & high) == 0);
}

/* Returns the end of the characters from `at` on that represent themselves. */
static size_t plain_end(const unsigned char *text, size_t at, size_t n)
{
	while (n - at >= 8 && is_plain(text + at))
		at += 8;
	while (at < n && text[at] > ' ' && text[at] < 0x7f && text[at] != '%')
		at++;
	return at;
}

/* Appends a value, percent-encoded. */
static void put_encoded(struct iot_builder *b, const unsigned char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		const size_t plain = plain_end(text, i, n);
		put(b, text + i, plain - i);
		i = plain;
		if (i == n)
			break;
		size_t size = text[i] >= 0x80 ? utf8_size(text + i, n - i) : 0;
		if (size > 0) {
			put(b, text + i, size);
			i += size;
			continue;
		}
		char code[3] = {'%', "0123456789ABCDEF"[text[i] >> 4],
				"0123456789ABCDEF"[text[i] & 15]};
		put(b, code, sizeof(code));
		i++;
	}
}

void iot_directive_text(struct iot_builder *b, const char *key, const void *value, size_t n)
{
	put_key(b, key);
	put_encoded(b, value, n);
}

void directive_operation(struct iot_builder *b, void *memory, size_t capacity,
			 const struct iot_operation *op)
{
	iot_directive_begin(b, memory, capacity, "op");
	iot_directive_text(b, "name", op->name, strlen(op->name));
	iot_directive_number(b, "time", (uint64_t)op->start_ns);
	iot_directive_number(b, "took", op->duration_ns);
	iot_directive_number(b, "process", op->process);
	if (op->file != 0)
		iot_directive_number(b, "file", op->file);
	if (op->path.data != NULL)
		iot_directive_text(b, "path", op->path.data, op->path.size);
	if (op->to.data != NULL)
		iot_directive_text(b, "to", op->to.data, op->to.size);
	iot_directive_text(b, "result", op->result, strlen(op->result));
	if (op->has_size)
		iot_directive_number(b, "size", op->size);
	if (op->count > 0)
		iot_directive_number(b, "count", op->count);
}

struct iot_text directive_encoded(struct iot_text value, char *out)
{
	const unsigned char *text = (const unsigned char *)value.data;
	struct iot_builder b = {.data = out, .capacity = ENCODED_VALUE_MAX(value.size)};
	if (plain_end(text, 0, value.size) == value.size)
		return value;
	put_encoded(&b, text, value.size);
	return (struct iot_text){b.data, b.size};
}

int iot_directive_end(struct iot_builder *b, struct iot_event *ev)
{
	*ev = (struct iot_event){.text = {b->data, b->size}};
	if (b->status != IOT_OK)
		return b->status;
	return iot_directive_parse(ev, NULL);
}

bool directive_number(const struct iot_event *ev, const char *key, uint64_t *v)
{
	const struct iot_text text = iot_directive_get(ev, key);
	*v = 0;
	return text.data == NULL || number_decimal(text.data, text.size, v);
}

bool directive_is_sample(const struct iot_event *ev)
{
	static const char begin[] = "%sample ";
	return ev->kind != IOT_RECORD && ev->text.size >= sizeof begin - 1 &&
	       memcmp(ev->text.data, begin, sizeof begin - 1) == 0;
}
