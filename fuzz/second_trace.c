/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads line by line (iotrace(5), DIRECTIVES and FRAMING): second.c decodes records; comments are
 * checked for what a reader has to reject or to count; framing is verified.
 */
#include "second_trace.h"
#include "second_directives.h"
#include "second_text.h"

#include <xxhash.h>

enum { COMMENT_BYTES = 65536, VOTERS = 64, FIELDS = 10, DROPS = 0x04 | 0x08 | 0x20 | 0x40 | 0x80 };

/* A current %process or %file. */
struct reported {
	struct reported *next;
	bool is_file, disk;
	uint64_t process, id;
	struct text text;
};

struct trace {
	struct second *state;
	struct second_trace out;
	size_t capacity;
	uint64_t tick_ns, start; /* of the last record, in ticks */
	uint64_t first;          /* index of the first record */
	unsigned base;
	uint8_t lacks; /* of the last %trace that has lacks= */
	bool verify, begun, framed, ended;
	const char *hashed, *line; /* the text that the next hash covers */
	struct reported *reported;
	struct second_directives *directives; /* NULL in version 1 */
};

/* Finding the base */

static bool digits_only(struct text field, unsigned base)
{
	unsigned d;
	while (field.at < field.end && digit(*field.at, base, &d))
		field.at++;
	return field.at == field.end;
}

static bool fits(struct text line, unsigned base)
{
	struct text field[FIELDS + 1];
	unsigned n = 0;
	while (n <= FIELDS && text_size(field[n] = next_field(&line)) > 0)
		n++;
	uint64_t type, c;
	if (n < 2 || !number(field[0], base, UINT8_MAX, &type) ||
	    !number(field[1], base, UINT8_MAX, &c))
		return false;
	if (c & 0x10 || n != FIELDS - (unsigned)__builtin_popcount((unsigned)c & DROPS))
		return false;
	const unsigned start = 2U + !(c & 0x40) + !(c & 0x04);
	for (unsigned i = 2; i < n; i++) {
		if ((i == start || i == n - 1) && *field[i].at == '-')
			field[i].at++;
		if (field[i].at == field[i].end || !digits_only(field[i], base))
			return false;
	}
	return true;
}

static size_t line_size(const char *at, const char *end)
{
	const char *lf = memchr(at, '\n', (size_t)(end - at));
	return (size_t)(lf != NULL ? lf + 1 - at : end - at);
}

/* The base that the first field of a comment states; 0: not a comment. */
static unsigned comment_base(struct text field)
{
	if (text_is(field, "255"))
		return 10;
	return text_size(field) == 2 && (field.at[0] | 0x20) == 'f' && (field.at[1] | 0x20) == 'f'
		   ? 16
		   : 0;
}

static unsigned find_base(const char *at, const char *end)
{
	unsigned hexadecimal = 0, decimal = 0;
	for (unsigned voters = 0; at < end && voters < VOTERS; at += line_size(at, end)) {
		struct text line = text_of_line(at, line_size(at, end)), rest = line;
		struct text field = next_field(&rest);
		if (comment_base(field) != 0)
			return comment_base(field);
		if (text_size(field) == 0)
			continue;
		hexadecimal += fits(line, 16);
		decimal += fits(line, 10);
		voters++;
	}
	return decimal > hexadecimal ? 10 : 16;
}

/* Directives */

/* The last value of a key; at is NULL: none. */
static struct text find_value(struct text directive, const char *key)
{
	struct text value = {NULL, NULL}, token;
	(void)next_field(&directive);
	while (text_size(token = next_field(&directive)) > 0) {
		const char *is = memchr(token.at, '=', text_size(token));
		if (is != NULL && text_is((struct text){token.at, is}, key))
			value = (struct text){is + 1, token.end};
	}
	return value;
}

static bool find_number(struct text directive, const char *key, uint64_t max, uint64_t *value)
{
	return number(find_value(directive, key), 10, max, value);
}

/* Also true if the key is absent. */
static bool fine_number(struct text directive, const char *key, uint64_t max)
{
	uint64_t value;
	return find_value(directive, key).at == NULL || find_number(directive, key, max, &value);
}

static bool is_close(struct text directive)
{
	struct text result = find_value(directive, "result");
	return text_is(find_value(directive, "name"), "close") &&
	       (result.at == NULL || text_is(result, "0"));
}

static bool is_time(struct text token)
{
	return text_size(token) >= strlen("time=") &&
	       (memcmp(token.at, "time=", strlen("time=")) == 0 ||
		memcmp(token.at, "took=", strlen("took=")) == 0);
}

uint64_t second_add_text(uint64_t hash, const char *text, size_t size, uint64_t tick_ns)
{
	struct text rest = {text, text + size}, token;
	while (tick_ns != 1 && text_size(token = next_field(&rest)) > 0)
		if (is_time(token))
			return hash;
	return XXH3_64bits_withSeed(text, size, hash);
}

/* In any directive: a time that is a number is in range in nanoseconds, too. */
static bool times_fit(struct text directive, uint64_t tick_ns)
{
	struct text token;
	(void)next_field(&directive);
	while (text_size(token = next_field(&directive)) > 0) {
		uint64_t ticks;
		struct text value = {token.at + strlen("time="), token.end};
		if (is_time(token) && number(value, 10, UINT64_MAX, &ticks) &&
		    ticks > INT64_MAX / tick_ns)
			return false;
	}
	return true;
}

static bool is_fine(struct text directive, uint64_t tick_ns)
{
	static const char *const known[][3] = {{"%trace", NULL, NULL},     {"%process", "id", NULL},
					       {"%file", "process", "id"}, {"%op", "name", NULL},
					       {"%counter", NULL, NULL},   {"%lost", NULL, NULL}};
	static const char *const ids[] = {"process", "parent", "file", "object"};
	struct text rest = directive, name = next_field(&rest);
	size_t k = 0;
	while (k < sizeof(known) / sizeof(known[0]) && !text_is(name, known[k][0]))
		k++;
	if (k == sizeof(known) / sizeof(known[0]))
		return true;
	bool fine = true;
	for (size_t i = 1; i < 3 && known[k][i] != NULL; i++)
		fine = fine && find_value(directive, known[k][i]).at != NULL;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		fine = fine && fine_number(directive, ids[i], UINT32_MAX);
	if (text_is(name, "%process") || text_is(name, "%file"))
		fine = fine && fine_number(directive, "id", UINT32_MAX);
	uint64_t time = 0, took = 0;
	fine = fine && fine_number(directive, "time", UINT64_MAX) &&
	       fine_number(directive, "took", UINT64_MAX);
	(void)find_number(directive, "time", INT64_MAX, &time);
	(void)find_number(directive, "took", INT64_MAX, &took);
	return fine && time + took <= INT64_MAX / tick_ns;
}

/* The current definition of this id; *where is NULL if there is none. */
static struct reported **find_reported(struct trace *t, const struct reported *like)
{
	struct reported **where = &t->reported;
	for (; *where != NULL; where = &(*where)->next)
		if ((*where)->is_file == like->is_file && (*where)->disk == like->disk &&
		    (*where)->process == like->process && (*where)->id == like->id)
			break;
	return where;
}

static void forget_reported(struct reported **where)
{
	struct reported *gone = *where;
	if (gone == NULL)
		return;
	*where = gone->next;
	free(gone);
}

static void close_file(struct trace *t, struct text directive)
{
	struct reported like = {.is_file = true};
	if (find_number(directive, "process", UINT32_MAX, &like.process) &&
	    find_number(directive, "file", UINT32_MAX, &like.id))
		forget_reported(find_reported(t, &like));
}

static const struct {
	const char *name;
	uint8_t flag;
} unknowns[] = {{"offset", IOT_OFFSET_UNKNOWN},
		{"completion", IOT_DURATION_UNKNOWN},
		{"cpu", IOT_CPU_UNKNOWN},
		{"start", IOT_START_UNKNOWN}};
enum { UNKNOWNS = sizeof(unknowns) / sizeof(unknowns[0]) };

static void take_lacks(struct trace *t, struct text list)
{
	if (list.at == NULL)
		return;
	t->lacks = 0;
	for (const char *end; list.at <= list.end; list.at = end + 1) {
		end = memchr(list.at, ',', text_size(list));
		end = end != NULL ? end : list.end;
		for (size_t i = 0; i < UNKNOWNS; i++)
			if (text_is((struct text){list.at, end}, unknowns[i].name))
				t->lacks |= unknowns[i].flag;
	}
}

/* The properties of a record that its current %file and lacks= state. */
static void take_reported(struct trace *t, struct iot_record *rec)
{
	const struct reported like = {.is_file = true,
				      .disk = !(rec->type & IOT_LOGICAL),
				      .process = rec->process,
				      .id = rec->file};
	const struct reported *reported = *find_reported(t, &like);
	uint64_t object;
	rec->flags = t->lacks;
	if (reported == NULL)
		return;
	if (find_number(reported->text, "object", UINT32_MAX, &object))
		rec->object = (uint32_t)object;
	for (size_t i = 0; i < UNKNOWNS; i++)
		if (text_is(find_value(reported->text, unknowns[i].name), "unknown"))
			rec->flags |= unknowns[i].flag;
}

/* Returns false for a %process or %file that repeats the current one. */
static bool is_first_use(struct trace *t, struct text directive)
{
	struct text rest = directive, name = next_field(&rest);
	struct reported now = {.is_file = text_is(name, "%file"), .text = directive};
	if (text_is(name, "%op") && is_close(directive))
		close_file(t, directive);
	if (!now.is_file && !text_is(name, "%process"))
		return true;
	now.disk = now.is_file && text_is(find_value(directive, "kind"), "disk");
	(void)find_number(directive, "id", UINT32_MAX, &now.id);
	if (now.is_file)
		(void)find_number(directive, "process", UINT32_MAX, &now.process);
	struct reported **where = find_reported(t, &now);
	if (*where != NULL && text_same((*where)->text, directive))
		return false;
	forget_reported(where);
	now.next = t->reported;
	t->reported = second_memory(sizeof(now));
	*t->reported = now;
	return true;
}

/* Framing */

static bool begin(struct trace *t, struct text directive)
{
	uint64_t version;
	if (t->begun || !find_number(directive, "version", UINT64_MAX, &version) || version < 1 ||
	    version > 2)
		return false;
	t->framed = true;
	if (version == 2)
		t->directives = second_directives_new();
	return find_number(directive, "tick", INT64_MAX, &t->tick_ns) && t->tick_ns > 0 &&
	       fine_number(directive, "sync", UINT64_MAX);
}

static bool find_hash(struct text directive, uint64_t *hash)
{
	struct text reported = find_value(directive, "xxh3");
	return text_size(reported) == 16 && number(reported, 16, UINT64_MAX, hash);
}

static bool hash_is(const struct trace *t, struct text directive)
{
	uint64_t hash;
	return find_hash(directive, &hash) &&
	       (!t->verify || XXH3_64bits(t->hashed, (size_t)(t->line - t->hashed)) == hash);
}

static bool number_is(struct text directive, const char *key, uint64_t expected)
{
	uint64_t value;
	return find_number(directive, key, UINT64_MAX, &value) && value == expected;
}

/* A part of a trace: the text before its first %sync is elsewhere. */
static bool enter(struct trace *t, struct text directive)
{
	uint64_t hash;
	t->framed = true;
	t->directives = second_directives_new();
	return find_number(directive, "time", INT64_MAX / t->tick_ns, &t->start) &&
	       find_number(directive, "record", UINT64_MAX, &t->first) &&
	       find_hash(directive, &hash);
}

static bool sync(struct trace *t, struct text directive, const char *after)
{
	const bool fine = !t->begun ? enter(t, directive)
				    : t->framed && number_is(directive, "time", t->start) &&
					  number_is(directive, "record", t->first + t->out.count) &&
					  hash_is(t, directive);
	if (t->state != NULL)
		second_forget(t->state);
	if (t->directives != NULL)
		second_directives_forget(t->directives);
	t->hashed = after;
	return fine;
}

/* The number of comments that a part lacks is unknown. */
static bool end(struct trace *t, struct text directive)
{
	uint64_t comments;
	t->ended = true;
	return t->framed && number_is(directive, "records", t->first + t->out.count) &&
	       find_number(directive, "comments", UINT64_MAX, &comments) &&
	       (t->first > 0 || comments == t->out.comments) && hash_is(t, directive);
}

/* Lines */

static void add_comment(struct trace *t, struct text text)
{
	t->out.comments++;
	t->out.texts = second_add_text(t->out.texts, text.at, text_size(text), t->tick_ns);
}

static bool comment(struct trace *t, struct text line, struct text text, const char *after)
{
	struct text rest = text, name = next_field(&rest);
	if (text_size(line) > COMMENT_BYTES)
		return false;
	if (name.at != text.at || text_size(name) == 0 || *name.at != '%') {
		add_comment(t, text);
		return true;
	}
	if (text_is(name, "%iotrace"))
		return begin(t, text);
	if (text_is(name, "%sync"))
		return sync(t, text, after);
	if (text_is(name, "%end"))
		return end(t, text);
	if (t->directives != NULL && !second_directives_read(t->directives, &text))
		return false;
	rest = text;
	name = next_field(&rest);
	if (!times_fit(text, t->tick_ns) || !is_fine(text, t->tick_ns))
		return false;
	if (text_is(name, "%trace"))
		take_lacks(t, find_value(text, "lacks"));
	if (is_first_use(t, text))
		add_comment(t, text);
	return true;
}

static bool record(struct trace *t, const char *line, size_t size)
{
	if (t->state == NULL)
		t->state = second_new(t->tick_ns, t->base, t->start);
	struct iot_record rec;
	if (!second_line(t->state, line, size, &rec))
		return false;
	take_reported(t, &rec);
	if (t->out.count == t->capacity) {
		t->capacity = 2 * t->capacity + 16;
		t->out.rec = realloc(t->out.rec, t->capacity * sizeof(rec));
		if (t->out.rec == NULL)
			abort();
	}
	t->out.rec[t->out.count++] = rec;
	t->start = (uint64_t)rec.start_ns / t->tick_ns;
	return true;
}

static bool one_line(struct trace *t, const char *at, size_t size)
{
	struct text line = text_of_line(at, size), rest = line, first = next_field(&rest);
	t->line = at;
	if (text_size(first) == 0)
		return true;
	if (t->ended)
		return false;
	const unsigned base = comment_base(first);
	struct text text = {first.end + (first.end < line.end), line.end};
	bool fine =
	    base == 0 ? record(t, at, size) : base == t->base && comment(t, line, text, at + size);
	t->begun = true;
	return fine;
}

static bool is_whole_end(struct text directive)
{
	uint64_t n;
	struct text rest = directive;
	return text_is(next_field(&rest), "%end") && find_hash(directive, &n) &&
	       find_number(directive, "records", UINT64_MAX, &n) &&
	       find_number(directive, "comments", UINT64_MAX, &n);
}

/* "%iotrace", or the beginning of that word at the end of the line. */
static bool begins_header(struct text directive)
{
	struct text rest = directive, name = next_field(&rest);
	return text_is(name, "%iotrace") ||
	       (text_size(directive) > 0 && text_size(directive) < strlen("%iotrace") &&
		memcmp(directive.at, "%iotrace", text_size(directive)) == 0);
}

/* A last line without LF, where a trace was truncated. */
static bool is_part(struct trace *t, const char *at, size_t size)
{
	struct text line = text_of_line(at, size), first = next_field(&line);
	if (t->ended || at[size - 1] == '\n' || text_size(first) == 0)
		return false;
	struct text text = {first.end + (first.end < line.end), line.end};
	const bool is_comment = comment_base(first) != 0;
	if (!t->begun && is_comment && begins_header(text))
		t->framed = true;
	return t->framed && !(is_comment && is_whole_end(text));
}

struct second_trace second_read(const char *text, size_t size, bool verify)
{
	const char *const stop = text + size;
	struct trace t = {.verify = verify, .hashed = text, .tick_ns = IOT_TICK_DEFAULT_NS};
	t.base = find_base(text, stop);
	bool fine = true;
	for (size_t n; fine && text < stop; text += n) {
		n = line_size(text, stop);
		if (is_part(&t, text, n))
			break;
		fine = one_line(&t, text, n);
	}
	if (!fine)
		t.out.end = SECOND_WRONG;
	else
		t.out.end = t.framed && !t.ended ? SECOND_CUT : SECOND_WHOLE;
	while (t.reported != NULL)
		forget_reported(&t.reported);
	if (t.state != NULL)
		second_free(t.state);
	second_directives_free(t.directives);
	return t.out;
}
