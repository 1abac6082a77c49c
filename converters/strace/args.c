/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Splits the arguments of a call at their commas and parses them. Brackets and commas inside
 * strings, comments and the names of descriptors are ignored.
 */
#include "strace.h"

#include <assert.h>
#include <string.h>

#include "lib/base/number.h"

static unsigned hex_digit(char c)
{
	if (strace_digit(c))
		return (unsigned)(c - '0');
	unsigned d = (unsigned)((unsigned char)c | 32U) - 'a';
	return d < 6 ? d + 10 : 16;
}

/*
 * Returns the position after the closing quote of the string that starts at p; NULL if it is
 * unclosed. A quote after an odd number of backslashes does not close the string.
 */
static const char *string_end(const char *p, const char *end)
{
	const char *const start = p + 1;
	for (p = start; (p = memchr(p, '"', (size_t)(end - p))) != NULL; p++) {
		const char *escape = p;
		while (escape > start && escape[-1] == '\\')
			escape--;
		if ((p - escape) % 2 == 0)
			return p + 1;
	}
	return NULL;
}

static const char *comment_end(const char *p, const char *end)
{
	for (p += 2; p + 1 < end; p++)
		if (p[0] == '*' && p[1] == '/')
			return p + 2;
	return NULL;
}

/* Returns the position after the '>' that closes the '<' at p. "->" does not close a name. */
static const char *note_end(const char *p, const char *end)
{
	const char *close = memchr(p, '>', (size_t)(end - p));
	if (close == NULL)
		return NULL;
	if (close[-1] != '-' && memchr(p + 1, '<', (size_t)(close - p - 1)) == NULL)
		return close + 1;
	unsigned depth = 0;
	for (; p < end; p++) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && p[-1] != '-' && --depth == 0)
			return p + 1;
	}
	return NULL;
}

/* Returns true if the '<' at p starts the name of a descriptor, unlike in "1<<3". */
static bool is_note(const char *start, const char *p, const char *end)
{
	return p > start && (strace_digit(p[-1]) || p[-1] == 'D') && p + 1 < end && p[1] != '<' &&
	       p[1] != ' ' && p[1] != '=';
}

static const unsigned char SPECIAL[256] = {
    ['"'] = 1, ['('] = 2, ['['] = 2, ['{'] = 2, [')'] = 3,
    [']'] = 3, ['}'] = 3, [','] = 4, ['/'] = 5, ['<'] = 6,
};

struct splitter {
	struct strace_text *args;
	unsigned max, count;
	const char *from; /* start of the current argument */
};

static void split_take(struct splitter *s, const char *to)
{
	assert(s->from != NULL);
	while (s->from < to && *s->from == ' ')
		s->from++;
	if (s->count < s->max)
		s->args[s->count++] = (struct strace_text){s->from, to};
	s->from = to + 1;
}

const char *strace_split(const char *p, const char *end, const char *joined,
			 struct strace_text *args, unsigned max, unsigned *count)
{
	const char *start = p;
	struct splitter s = {.args = args, .max = max, .from = p};
	unsigned depth = 1;
	*count = 0;
	while (p != NULL && p < end) {
		if (p < joined) { /* before `joined`, only commas count */
			const char *comma = memchr(p, ',', (size_t)(joined - p));
			if (comma != NULL)
				split_take(&s, comma);
			p = comma == NULL ? joined : comma + 1;
			continue;
		}
		while (p < end && SPECIAL[(unsigned char)*p] == 0)
			p++;
		if (p == end)
			break;
		switch (SPECIAL[(unsigned char)*p]) {
		case 1:
			p = string_end(p, end);
			continue;
		case 2:
			depth++;
			break;
		case 3:
			if (--depth > 0)
				break;
			if (s.count > 0 || p > s.from)
				split_take(&s, p);
			*count = s.count;
			return p + 1;
		case 4:
			if (depth == 1)
				split_take(&s, p);
			break;
		case 5:
			if (p + 1 < end && p[1] == '*') {
				p = comment_end(p, end);
				continue;
			}
			break;
		default:
			if (is_note(start, p, end)) {
				p = note_end(p, end);
				continue;
			}
		}
		p++;
	}
	if (s.from < end)
		split_take(&s, end);
	*count = s.count;
	return NULL;
}

unsigned strace_elements(struct strace_text list, struct strace_text *part, unsigned max)
{
	unsigned count = 0;
	if (list.p == list.end || (*list.p != '[' && *list.p != '{') ||
	    strace_split(list.p + 1, list.end, NULL, part, max, &count) == NULL)
		return 0;
	return count;
}

struct strace_text strace_arguments(const struct strace_call *c)
{
	if (c->args == 0)
		return (struct strace_text){0};
	return (struct strace_text){c->arg[0].p, c->arg[c->args - 1].end};
}

struct strace_text strace_unnamed(struct strace_text arg)
{
	const char *p = arg.p;
	if (p == arg.end || (unsigned char)(*p - 'a') >= 26)
		return arg;
	while (p < arg.end && ((unsigned char)(*p - 'a') < 26 || *p == '_' || strace_digit(*p)))
		p++;
	if (p + 1 < arg.end && *p == '=' && p[1] != '>')
		arg.p = p + 1;
	return arg;
}

/* Parses a number at *at and advances past it. */
static bool number_at(const char **at, const char *end, int64_t *value)
{
	const char *p = *at;
	uint64_t v = 0;
	if (p == end) /* the pointers of an absent argument are NULL */
		return false;
	const bool minus = *p == '-';
	p += minus;
	const bool hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
	p += hex ? 2 : 0;
	if (!(hex ? number_scan(&p, end, 16, &v) : number_scan(&p, end, 10, &v)))
		return false;
	*at = p;
	*value = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

bool strace_digits(const char **at, const char *end, int64_t *value)
{
	return *at < end && strace_digit(**at) && number_at(at, end, value);
}

bool strace_number(struct strace_text arg, int64_t *value)
{
	arg = strace_unnamed(arg);
	return number_at(&arg.p, arg.end, value);
}

/* Returns the position of the word in the text; NULL if it does not occur. */
static const char *find(struct strace_text text, const char *word)
{
	return text.p == NULL ? NULL
			      : memmem(text.p, (size_t)(text.end - text.p), word, strlen(word));
}

bool strace_contains(struct strace_text text, const char *word)
{
	return find(text, word) != NULL;
}

bool strace_field(struct strace_text text, const char *key, int64_t *value)
{
	const char *p = find(text, key);
	if (p == NULL)
		return false;
	p += strlen(key);
	return number_at(&p, text.end, value);
}

bool strace_pointed(struct strace_text arg, int64_t *value)
{
	return arg.p < arg.end && *arg.p == '[' &&
	       strace_number((struct strace_text){arg.p + 1, arg.end}, value);
}

bool strace_has_flag(struct strace_text arg, const char *word)
{
	size_t n = strlen(word);
	const char *p = arg.p;
	while (p != NULL && p < arg.end &&
	       (p = memmem(p, (size_t)(arg.end - p), word, n)) != NULL) {
		char before = p == arg.p ? '|' : p[-1];
		char after = p + n == arg.end ? '|' : p[n];
		if ((before == '|' || before == '=' || before == ' ') &&
		    (after == '|' || after == ',' || after == '}' || after == ' '))
			return true;
		p += n;
	}
	return false;
}

bool strace_flag(const struct strace_call *c, unsigned i, const char *word, int64_t bit)
{
	int64_t value;
	return i < c->args && (strace_has_flag(c->arg[i], word) ||
			       (strace_number(c->arg[i], &value) && (value & bit) != 0));
}

int64_t strace_word(struct strace_text arg, const struct strace_word *words, size_t count)
{
	int64_t value;
	for (size_t i = 0; i < count; i++)
		if (strace_is(arg, words[i].name))
			return words[i].value;
	return strace_number(arg, &value) ? value : -1;
}

/* Parses "</path>" after a descriptor, and "(deleted)" after it, or inside as before 5.19. */
static void note(struct strace_fd *fd, const char *p, const char *end)
{
	static const char INSIDE[] = " (deleted)";
	const size_t n = sizeof INSIDE - 1;
	const char *close = p < end && *p == '<' ? note_end(p, end) : NULL;
	if (close == NULL)
		return;
	fd->note = (struct strace_text){p + 1, close - 1};
	fd->deleted = strace_skip(&close, end, INSIDE + 1);
	if ((size_t)(fd->note.end - fd->note.p) > n && memcmp(fd->note.end - n, INSIDE, n) == 0) {
		fd->note.end -= n;
		fd->deleted = true;
	}
}

struct strace_fd strace_fd(struct strace_text arg)
{
	struct strace_fd fd = {.number = STRACE_NO_FD};
	arg = strace_unnamed(arg);
	if (strace_skip(&arg.p, arg.end, "AT_FDCWD"))
		fd.number = STRACE_CWD;
	else if (!number_at(&arg.p, arg.end, &fd.number))
		return fd;
	if (fd.number > INT32_MAX && fd.number <= UINT32_MAX) /* raw: 0xffffff9c */
		fd.number = (int32_t)(uint32_t)fd.number;
	note(&fd, arg.p, arg.end);
	return fd;
}

static char plain_escape(char c)
{
	static const char FROM[] = "ntrvf", TO[] = "\n\t\r\v\f";
	const char *at = c != '\0' ? strchr(FROM, c) : NULL;
	return at != NULL ? TO[at - FROM] : c;
}

/* Decodes one escape; p is after its backslash. */
static const char *escape(const char *p, const char *end, char *out)
{
	unsigned v = 0;
	if (*p == 'x' && end - p > 1 && hex_digit(p[1]) < 16) {
		for (p++; p < end && hex_digit(*p) < 16 && v < 16; p++)
			v = v * 16 + hex_digit(*p);
	} else if (*p >= '0' && *p <= '7') {
		for (int i = 0; i < 3 && p < end && *p >= '0' && *p <= '7'; i++)
			v = v * 8 + (unsigned)(*p++ - '0');
	} else {
		*out = plain_escape(*p);
		return p + 1;
	}
	*out = (char)v;
	return p;
}

size_t strace_unescape(struct strace_text raw, char *out, size_t capacity)
{
	size_t n = 0;
	for (const char *p = raw.p; p < raw.end && n < capacity; n++) {
		if (*p == '\\' && p + 1 < raw.end)
			p = escape(p + 1, raw.end, &out[n]);
		else
			out[n] = *p++;
	}
	return n;
}

bool strace_string(struct strace_text arg, char *out, size_t capacity, size_t *size)
{
	arg = strace_unnamed(arg);
	if (arg.p == NULL || arg.p == arg.end || *arg.p != '"')
		return false;
	const char *close = string_end(arg.p, arg.end);
	if (close == NULL)
		return false;
	*size = strace_unescape((struct strace_text){arg.p + 1, close - 1}, out, capacity);
	return true;
}

unsigned strace_open_flags(struct strace_text arg)
{
	static const struct {
		const char *name;
		unsigned flag;
	} FLAGS[] = {
	    {"O_WRONLY", STRACE_O_WRONLY},       {"O_RDWR", STRACE_O_RDWR},
	    {"O_CREAT", STRACE_O_CREAT},         {"O_EXCL", STRACE_O_EXCL},
	    {"O_TRUNC", STRACE_O_TRUNC},         {"O_APPEND", STRACE_O_APPEND},
	    {"O_DIRECTORY", STRACE_O_DIRECTORY}, {"O_CLOEXEC", STRACE_O_CLOEXEC},
	    {"O_PATH", STRACE_O_PATH},           {"O_TMPFILE", STRACE_O_TMPFILE},
	    {"O_DSYNC", STRACE_O_DSYNC},         {"O_SYNC", STRACE_O_SYNC},
	    {"O_DIRECT", STRACE_O_DIRECT},
	};
	unsigned flags = 0;
	arg = strace_unnamed(arg);
	for (const char *p = arg.p; p != NULL && p < arg.end && *p != ' ';) {
		const char *bar = memchr(p, '|', (size_t)(arg.end - p));
		const char *stop = bar == NULL ? arg.end : bar;
		const size_t n = (size_t)(stop - p);
		const char *q = p;
		int64_t value;
		if (strace_digits(&q, stop, &value))
			flags |= (unsigned)value;
		for (size_t i = 0; i < sizeof FLAGS / sizeof FLAGS[0]; i++)
			if (strlen(FLAGS[i].name) == n && memcmp(FLAGS[i].name, p, n) == 0)
				flags |= FLAGS[i].flag;
		p = bar == NULL ? arg.end : bar + 1;
	}
	return flags;
}
