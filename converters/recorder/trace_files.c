/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the members that form a trace. A trace is one directory, recognized by VERSION, recorder.mt
 * or recorder.dat; an incomplete trace of a crashed program may have none of them, and the output
 * of recorder2text has only text.
 */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/array.h"
#include "lib/base/number.h"

enum {
	SNIFF_MEMBERS = 4096,
	SNIFF_BITS = 64,
	SNIFF_TEXT_BITS = 400, /* its lines may look like the lines of other tools */
	SNIFF_RUIN_BITS = 4,
	DIRECTORIES_SHOWN = 10,
	DIRECTORIES_MAX = 4096,
	SECTION_SIZE = 24,
	SECTIONS_MAX = 1 << 20,
};

/* How strong the evidence of a file is that its directory is a trace. */
enum evidence { NO_EVIDENCE, OF_TEXT, OF_RUIN, OF_TRACE };

struct known_file {
	enum recorder_role role;
	enum evidence evidence;
	uint32_t rank;
};

struct directories {
	struct iot_text name[DIRECTORIES_MAX];
	size_t count;
	enum evidence evidence;
};

static size_t directory_size(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash == NULL ? 0 : (size_t)(slash - name);
}

/* A name that begins with a dot follows the number of a rank. */
static bool known_name(const char *base, struct known_file *found)
{
	static const struct {
		const char *name;
		enum recorder_role role;
		enum evidence evidence;
	} names[] = {
	    {"VERSION", RECORDER_VERSION, OF_TRACE},
	    {"recorder.mt", RECORDER_META, OF_TRACE},
	    {"recorder.dat", RECORDER_CONTAINER, OF_TRACE},
	    {"recorder.ts", RECORDER_TIMES, OF_RUIN},
	    {"recorder.cst", RECORDER_CST, OF_RUIN},
	    {"ug.cfg", RECORDER_CFG, OF_RUIN},
	    {"ug.mt", RECORDER_CFG_META, OF_RUIN},
	    {".cst", RECORDER_RANK_CST, OF_RUIN},
	    {".cfg", RECORDER_RANK_CFG, OF_RUIN},
	    {".ts", RECORDER_RANK_TIMES, OF_RUIN},
	    {".itf", RECORDER_RANK_CALLS, OF_RUIN},
	    {".mt", RECORDER_RANK_META, OF_RUIN},
	    {".txt", RECORDER_RANK_TEXT, OF_TEXT},
	};
	const size_t digits = strspn(base, "0123456789");
	uint64_t rank = 0;
	if (digits > 0 && (!number_decimal(base, digits, &rank) || rank >= RECORDER_RANKS_MAX))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if ((*names[i].name == '.') != (digits > 0) ||
		    strcmp(base + digits, names[i].name) != 0)
			continue;
		*found = (struct known_file){names[i].role, names[i].evidence, (uint32_t)rank};
		return true;
	}
	return false;
}

/* "3.0.0": neither words nor a date. */
static bool looks_like_version(const char *head, size_t size)
{
	size_t dots = 0;
	for (size_t i = 0; i < size; i++) {
		dots += head[i] == '.';
		if (head[i] != '.' && head[i] != '\n' && (head[i] < '0' || head[i] > '9'))
			return false;
	}
	return size < 16 && dots == 2;
}

/*
 * For names that other programs use too, such as VERSION and 0.txt, inspects the content as well.
 */
static bool fits_name(struct input *in, size_t member, enum recorder_role role)
{
	size_t size;
	const char *head, *line;
	if (role != RECORDER_VERSION && role != RECORDER_RANK_TEXT && role != RECORDER_CONTAINER)
		return true;
	head = input_head(in, member, &size);
	if (role == RECORDER_CONTAINER)
		return size >= 8 && memcmp(head, "RECORDER", 8) == 0;
	if (role == RECORDER_VERSION)
		return looks_like_version(head, size);
	line = memchr(head, '\n', size);
	return line != NULL && recorder_text_line(head, line);
}

static bool classify(struct input *in, size_t member, struct known_file *found)
{
	const char *name = input_name(in, member), *slash = strrchr(name, '/');
	return known_name(slash == NULL ? name : slash + 1, found);
}

int recorder_sniff(struct input *in)
{
	static const int bits[] = {
	    [OF_TEXT] = SNIFF_TEXT_BITS, [OF_RUIN] = SNIFF_RUIN_BITS, [OF_TRACE] = SNIFF_BITS};
	const size_t count = input_count(in);
	int best = 0;
	for (size_t i = 0; i < count && i < SNIFF_MEMBERS; i++) {
		struct known_file found;
		if (classify(in, i, &found) && bits[found.evidence] > best &&
		    fits_name(in, i, found.role))
			best = bits[found.evidence];
	}
	return best;
}

/* Directories */

static bool same_directory(struct iot_text directory, const char *name)
{
	return directory_size(name) == directory.size && directory.data != NULL &&
	       memcmp(directory.data, name, directory.size) == 0;
}

static bool wanted(const char *setting, const char *name)
{
	size_t size = directory_size(name), n = setting == NULL ? 0 : strlen(setting);
	while (n > 0 && setting[n - 1] == '/')
		n--;
	return n == 0 || (size >= n && memcmp(name + size - n, setting, n) == 0 &&
			  (size == n || name[size - n - 1] == '/'));
}

static void add_directory(struct directories *d, const char *name)
{
	for (size_t i = 0; i < d->count; i++)
		if (same_directory(d->name[i], name))
			return;
	if (d->count < DIRECTORIES_MAX)
		d->name[d->count++] = (struct iot_text){name, directory_size(name)};
}

/* Finds the directories with the best evidence. */
static void find_directories(struct recorder *r, struct directories *d)
{
	struct input *in = r->src->input;
	const char *setting = source_setting(r->src, "trace");
	for (size_t i = 0; i < input_count(in); i++) {
		struct known_file found;
		const char *name = input_name(in, i);
		if (!classify(in, i, &found) || found.evidence < d->evidence ||
		    !wanted(setting, name))
			continue;
		if ((found.role == RECORDER_RANK_TEXT || found.role == RECORDER_CONTAINER) &&
		    !fits_name(in, i, found.role))
			continue;
		if (found.evidence > d->evidence)
			d->count = 0;
		d->evidence = found.evidence;
		add_directory(d, name);
	}
}

static int refuse_several(struct recorder *r, const struct directories *d)
{
	char list[768] = "", name[128];
	size_t n = 0;
	for (size_t i = 0; i < d->count && i < DIRECTORIES_SHOWN && n + 140 < sizeof list; i++) {
		struct iot_text at = d->name[i];
		size_t cut = at.size > 96 ? at.size - 96 : 0;
		escape_text(name, sizeof name, at.data + cut, at.size - cut);
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "", name);
	}
	return error_set(&r->src->error, IOT_EFORMAT,
			 "%zu Recorder traces; select one with %strace=NAME: %s%s", d->count,
			 r->src->option_prefix, list, d->count > DIRECTORIES_SHOWN ? ", ..." : "");
}

static int refuse_none(struct recorder *r)
{
	char name[256];
	const char *setting = source_setting(r->src, "trace");
	const char *first = input_name(r->src->input, 0);
	if (setting != NULL)
		return error_set(&r->src->error, IOT_EFORMAT,
				 "%strace=%s: no directory of this name contains a trace",
				 r->src->option_prefix,
				 escape_text(name, sizeof name, setting, strlen(setting)));
	escape_text(name, sizeof name, first, strlen(first));
	return error_set(&r->src->error, IOT_EFORMAT,
			 "%s: not a Recorder trace: no VERSION, recorder.mt, recorder.dat or "
			 "recorder2text output",
			 name);
}

/*
 * Returns true if the only file cannot be a trace: it is neither a container nor the text of one
 * rank.
 */
static bool is_alone(struct recorder *r)
{
	return input_count(r->src->input) == 1 && r->files.parts == 1 &&
	       r->files.part[0].role != RECORDER_CONTAINER &&
	       r->files.part[0].role != RECORDER_RANK_TEXT;
}

static int refuse_alone(struct recorder *r)
{
	return error_set(&r->src->error, IOT_ETRUNCATED,
			 "%s: one file of a Recorder trace; the whole directory is needed",
			 recorder_name(r, r->files.part));
}

/* Parts */

static int add_part(struct recorder *r, const struct recorder_part *part)
{
	struct recorder_files *f = &r->files;
	if (!array_reserve(&f->part, &f->capacity, f->parts + 1, sizeof *f->part))
		return error_no_memory(&r->src->error);
	f->part[f->parts++] = *part;
	return IOT_OK;
}

static int add_members(struct recorder *r, struct iot_text directory)
{
	struct input *in = r->src->input;
	size_t others = 0, other = 0;
	for (size_t i = 0; i < input_count(in); i++) {
		struct known_file found;
		const bool known = classify(in, i, &found);
		if (!known && others++ == 0)
			other = i;
		if (!known || !same_directory(directory, input_name(in, i)))
			continue;
		if ((found.role == RECORDER_RANK_TEXT) != r->files.text)
			continue;
		const struct recorder_part part = {found.role, found.rank, i, 0, RECORDER_WHOLE};
		if (add_part(r, &part) != IOT_OK)
			return r->src->error.status;
	}
	recorder_sort_parts(&r->files);
	if (source_setting(r->src, "trace") == NULL)
		source_ignored(r->src, others, other);
	return IOT_OK;
}

/* Adds a section of a 2026 container as a part. */
static int add_section(struct recorder *r, size_t member, uint64_t whole, const char *entry)
{
	static const enum recorder_role roles[] = {
	    RECORDER_META,     RECORDER_TIMES,    RECORDER_CST,     RECORDER_CFG,
	    RECORDER_CFG_META, RECORDER_RANK_CST, RECORDER_RANK_CFG};
	uint32_t type = recorder_u32(entry);
	int32_t rank = recorder_i32(entry + 4);
	struct recorder_part part = {
	    .member = member, .offset = recorder_u64(entry + 8), .size = recorder_u64(entry + 16)};
	if (type >= sizeof roles / sizeof *roles)
		return IOT_OK;
	if (part.offset > whole || part.size > whole - part.offset || rank < -1 ||
	    rank >= RECORDER_RANKS_MAX)
		return error_set(&r->src->error, IOT_EFORMAT,
				 "%s: a section of type %u extends beyond the file",
				 recorder_name(r, &part), type);
	part.role = roles[type];
	part.rank = rank < 0 ? 0 : (uint32_t)rank;
	return add_part(r, &part);
}

static int add_container(struct recorder *r)
{
	const struct recorder_part container = *recorder_part(r, RECORDER_CONTAINER, 0);
	struct error *e = &r->src->error;
	uint64_t whole;
	size_t size;
	int status = recorder_store(r, &container, &whole);
	if (status != IOT_OK)
		return status;
	char *head = recorder_load(r, &container, 0, whole < 16 ? whole : 16, false, 16, &size, e);
	if (head == NULL)
		return e->status;
	uint32_t sections = size < 16 ? 0 : recorder_u32(head + 12);
	free(head);
	if (sections == 0 || sections > SECTIONS_MAX ||
	    16 + (uint64_t)sections * SECTION_SIZE > whole)
		return error_set(e, IOT_EFORMAT, "%s: %u sections do not fit in %ju bytes",
				 recorder_name(r, &container), sections, (uintmax_t)whole);
	char *table = recorder_load(r, &container, 16, (uint64_t)sections * SECTION_SIZE, false,
				    (size_t)SECTIONS_MAX * SECTION_SIZE, &size, e);
	if (table == NULL)
		return e->status;
	r->files.parts = 0;
	for (uint32_t i = 0; i < sections && status == IOT_OK; i++)
		status = add_section(r, container.member, whole, table + (size_t)i * SECTION_SIZE);
	free(table);
	recorder_sort_parts(&r->files);
	return status;
}

int recorder_layout(struct recorder *r)
{
	struct directories *d = calloc(1, sizeof *d);
	if (d == NULL)
		return error_no_memory(&r->src->error);
	find_directories(r, d);
	int status = IOT_OK;
	if (d->count != 1)
		status = d->count == 0 ? refuse_none(r) : refuse_several(r, d);
	r->files.text = d->evidence == OF_TEXT;
	if (status == IOT_OK)
		status = add_members(r, d->name[0]);
	if (status == IOT_OK && d->name[0].data != NULL) {
		r->files.directory = strndup(d->name[0].data, d->name[0].size);
		status = r->files.directory == NULL ? error_no_memory(&r->src->error) : IOT_OK;
	}
	free(d);
	if (status == IOT_OK && is_alone(r))
		return refuse_alone(r);
	if (status == IOT_OK && recorder_part(r, RECORDER_CONTAINER, 0) != NULL)
		status = add_container(r);
	return status;
}
