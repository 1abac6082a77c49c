/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments of calls: numbers, names of flags, strings, descriptors with their names. */
#include "perf.h"

#include <string.h>

#include "lib/base/number.h"
#include "lib/base/text.h"

struct flag_word {
	const char *name;
	int64_t value;
};

/* Values */

/* Parses 0x1f, 12 or -1, and advances past it. Values of 64 bits wrap to negative ones. */
static bool number(struct iot_text *text, int64_t *value)
{
	const char *p = text->data, *end = p + text->size;
	const bool minus = p < end && *p == '-';
	uint64_t v;
	p += minus;
	const bool hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
	p += hex ? 2 : 0;
	if (!number_scan(&p, end, hex ? 16 : 10, &v))
		return false;
	*value = minus ? (int64_t)(0 - v) : (int64_t)v;
	*text = (struct iot_text){p, (size_t)(end - p)};
	return true;
}

/* Returns the value of A|B|0x10; words that are not known are 0. */
static int64_t flags(struct iot_text text, const struct flag_word *words)
{
	int64_t sum = 0, value;
	while (text.size > 0) {
		const char *bar = memchr(text.data, '|', text.size);
		struct iot_text part = {text.data,
					bar != NULL ? (size_t)(bar - text.data) : text.size};
		const size_t used = part.size + (bar != NULL);
		struct iot_text rest = part;
		if (number(&rest, &value))
			sum |= value;
		for (const struct flag_word *w = words; w->name != NULL; w++)
			sum |= text_equals(part, w->name) ? w->value : 0;
		text.data += used;
		text.size -= used;
	}
	return sum;
}

/* Descriptors have 32 bits, which perf script prints without their sign. */
static bool descriptor(struct iot_text *text, int64_t *fd)
{
	static const char CWD[] = "CWD";
	if (text_equals(*text, CWD)) {
		*fd = CALL_AT_CWD;
		return true;
	}
	if (!number(text, fd))
		return false;
	*fd = (int32_t)(uint32_t)*fd;
	return true;
}

/* Returns the text in <>, which follows a descriptor. */
static struct iot_text note(struct iot_text text)
{
	if (text.size < 2 || *text.data != '<' || text.data[text.size - 1] != '>')
		return (struct iot_text){NULL, 0};
	return (struct iot_text){text.data + 1, text.size - 2};
}

/* Returns the string of an argument, which may follow its address. */
static struct iot_text string(struct iot_text text)
{
	const char *from = text.size > 0 ? memchr(text.data, '"', text.size) : NULL;
	if (from == NULL || text.data[text.size - 1] != '"' || text.data + text.size - from < 2)
		return (struct iot_text){NULL, 0};
	return (struct iot_text){from + 1, (size_t)(text.data + text.size - from) - 2};
}

/* Arguments */

static const struct flag_word OPEN_FLAGS[] = {{"WRONLY", CALL_O_WRONLY},
					      {"RDWR", CALL_O_RDWR},
					      {"CREAT", CALL_O_CREAT},
					      {"EXCL", CALL_O_EXCL},
					      {"TRUNC", CALL_O_TRUNC},
					      {"APPEND", CALL_O_APPEND},
					      {"DIRECTORY", CALL_O_DIRECTORY},
					      {"CLOEXEC", CALL_O_CLOEXEC},
					      {"PATH", CALL_O_PATH},
					      {"TMPFILE", CALL_O_TMPFILE},
					      {"EXCHANGE", CALL_RENAME_EXCHANGE},
					      {"VM", 0x100},
					      {"FILES", CALL_CLONE_FILES},
					      {"THREAD", CALL_CLONE_THREAD},
					      {NULL, 0}};
static const struct flag_word COMMANDS[] = {
    {"GETFD", 1}, {"SETFD", 2}, {"GETFL", 3}, {"SETFL", 4}, {"DUPFD_CLOEXEC", 1030}, {NULL, 0}};
static const struct flag_word WHENCE[] = {
    {"CUR", 1}, {"END", 2}, {"DATA", 3}, {"HOLE", 4}, {NULL, 0}};

enum argument_role {
	FD = 1,
	SECOND,
	COUNT,
	OFFSET,
	ARGUMENT, /* of fcntl */
	POINTER,
	TARGET_POINTER,
	FLAGS,
	COMMAND,
	WHENCE_ROLE,
	PATH,
	TO_PATH,
};

static enum argument_role role_of(struct iot_text key)
{
	static const struct {
		const char *names;
		enum argument_role role;
	} ROLES[] = {
	    {" fd oldfd fildes in_fd fd_in ", FD},
	    {" dfd olddfd out_fd fd_out max_fd ", SECOND},
	    {" count len ", COUNT},
	    {" pos pos_l offset length ", OFFSET},
	    {" arg ", ARGUMENT},
	    {" off_in ", POINTER},
	    {" off_out ", TARGET_POINTER},
	    {" flags clone_flags mode ", FLAGS},
	    {" cmd ", COMMAND},
	    {" whence ", WHENCE_ROLE},
	    {" filename pathname path oldname ", PATH},
	    {" newname ", TO_PATH},
	};
	char word[16];
	if (key.size == 0 || key.size + 3 > sizeof word)
		return 0;
	word[0] = word[key.size + 1] = ' ';
	memcpy(word + 1, key.data, key.size);
	word[key.size + 2] = '\0';
	for (size_t i = 0; i < sizeof ROLES / sizeof *ROLES; i++)
		if (strstr(ROLES[i].names, word) != NULL)
			return ROLES[i].role;
	return 0;
}

static void set_number(struct call *call, struct iot_text value, int64_t *field, unsigned has)
{
	if (number(&value, field))
		call->has |= has;
}

static void set_fd(struct call *call, struct iot_text value)
{
	if (!descriptor(&value, &call->fd))
		return;
	call->has |= CALL_HAS_FD;
	call->note = note(value);
}

static void set_flags(struct call *call, struct iot_text key, struct iot_text value)
{
	if (*key.data == 'm' && call->type->kind != CALL_ON_FD)
		return; /* the permissions of a new file */
	call->flags = flags(value, *key.data == 'c' && key.size == 3 ? COMMANDS : OPEN_FLAGS);
	call->has |= CALL_HAS_FLAGS;
}

void perf_argument(struct call *call, struct iot_text key, struct iot_text value)
{
	switch (role_of(key)) {
	case FD:
		set_fd(call, value);
		break;
	case SECOND:
		call->has |= descriptor(&value, &call->to) ? CALL_HAS_TO : 0U;
		break;
	case COUNT:
		set_number(call, value, &call->count, CALL_HAS_COUNT);
		break;
	case POINTER:
	case OFFSET:
		set_number(call, value, &call->offset, CALL_HAS_OFFSET);
		break;
	case ARGUMENT:
		call->offset = flags(value, OPEN_FLAGS);
		call->has |= CALL_HAS_OFFSET;
		break;
	case TARGET_POINTER:
		set_number(call, value, &call->whence, CALL_HAS_WHENCE);
		break;
	case FLAGS:
	case COMMAND:
		set_flags(call, key, value);
		break;
	case WHENCE_ROLE:
		call->whence = flags(value, WHENCE);
		call->has |= CALL_HAS_WHENCE;
		break;
	case PATH:
		call->path = string(value);
		break;
	case TO_PATH:
		call->to_path = string(value);
		break;
	}
}

/* Returns the end of a value: a comma outside of quotes and brackets, or the end of the text. */
static const char *value_end(const char *p, const char *end)
{
	int depth = 0;
	bool quoted = false;
	for (; p < end; p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*p == '<' || *p == '{' || *p == '(' || *p == '[')
			depth++;
		else if (*p == '>' || *p == '}' || *p == ')' || *p == ']')
			depth--;
		else if (*p == ',' && depth <= 0)
			return p;
	}
	return end;
}

void perf_arguments(struct call *call, struct iot_text text)
{
	const char *p = text.data, *end = p + text.size;
	while (p < end) {
		const char *colon = memchr(p, ':', (size_t)(end - p));
		if (colon == NULL)
			return;
		const struct iot_text key = {p, (size_t)(colon - p)};
		p = colon + 1;
		while (p < end && *p == ' ')
			p++;
		const char *stop = value_end(p, end);
		perf_argument(call, key, (struct iot_text){p, (size_t)(stop - p)});
		p = stop < end ? stop + 1 : end;
		while (p < end && *p == ' ')
			p++;
	}
}

/* Errors and times */

struct iot_text perf_error_name(int64_t number_of_error)
{
	static const char *const NAMES[] = {
	    NULL,      "EPERM",        "ENOENT", "ESRCH",  "EINTR",     "EIO",     "ENXIO",
	    "E2BIG",   "ENOEXEC",      "EBADF",  "ECHILD", "EAGAIN",    "ENOMEM",  "EACCES",
	    "EFAULT",  "ENOTBLK",      "EBUSY",  "EEXIST", "EXDEV",     "ENODEV",  "ENOTDIR",
	    "EISDIR",  "EINVAL",       "ENFILE", "EMFILE", "ENOTTY",    "ETXTBSY", "EFBIG",
	    "ENOSPC",  "ESPIPE",       "EROFS",  "EMLINK", "EPIPE",     "EDOM",    "ERANGE",
	    "EDEADLK", "ENAMETOOLONG", "ENOLCK", "ENOSYS", "ENOTEMPTY", "ELOOP"};
	const int64_t count = sizeof NAMES / sizeof *NAMES;
	if (number_of_error <= 0 || number_of_error >= count)
		return (struct iot_text){NULL, 0};
	return (struct iot_text){NAMES[number_of_error], strlen(NAMES[number_of_error])};
}

bool perf_time(struct iot_text text, int64_t unit_ns, int64_t *ns, unsigned *digits)
{
	const char *p = text.data, *end = p + text.size;
	uint64_t whole, part = 0;
	if (!number_scan(&p, end, 10, &whole) || whole > (uint64_t)(INT64_MAX / 2 / unit_ns))
		return false;
	const char *from = p + (p < end && *p == '.');
	const char *at = from;
	if (at < end && !number_scan(&at, end, 10, &part))
		return false;
	*digits = (unsigned)(at - from);
	if (at != end || *digits > 9)
		return false;
	uint64_t scale = (uint64_t)unit_ns;
	for (unsigned i = 0; i < *digits; i++) {
		if (scale % 10 != 0)
			return false;
		scale /= 10;
	}
	*ns = (int64_t)whole * unit_ns + (int64_t)(part * scale);
	return true;
}
