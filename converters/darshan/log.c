/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The header of a log and its job. Header, by format:
 *
 *	             3.00 to 3.21        3.41
 *	version      0   char[8]         0    char[8]
 *	magic        8   i64             8    i64, determines the byte order
 *	compression  16  u8              16   u8
 *	partial      20  u32             24   u64, one bit per module
 *	names        24  u64 off, len    32
 *	modules      40  16 of these     48   64 of these
 *	versions     296 16 u32          1072 64 u32
 *	size         360                 1328
 */
#include "darshan.h"

#include <stdlib.h>

#include "lib/base/number.h"

enum {
	VERSION_SIZE = 8,
	VERSION_DIGITS = 3, /* of each number */
	HEADER_OLD = 360,
	HEADER_NEW = 1328,
	MAP_OLD = 24,
	MAP_NEW = 32,
	MODULES_OLD = 16,
	VERSIONS_OLD = 296,
	VERSIONS_NEW = 1072,
	METADATA_SIZE = 1024,
};

#define MAGIC       UINT64_C(6567223)
#define NS_PER_S    INT64_C(1000000000)
#define SECONDS_MAX (INT64_C(1) << 33) /* a job that starts after 2242 has an invalid date */

static const char *const module_names[] = {
    "NULL",        "POSIX", "MPI-IO", "H5F",     "H5D",       "PNETCDF_FILE",
    "PNETCDF_VAR", "BG/Q",  "LUSTRE", "STDIO",   "DXT_POSIX", "DXT_MPIIO",
    "MDHIM",       "APXC",  "APMPI",  "HEATMAP", "DFS",       "DAOS",
};

const char *darshan_module_name(unsigned module)
{
	return module < sizeof module_names / sizeof *module_names ? module_names[module]
								   : "unknown";
}

unsigned darshan_layer(unsigned module)
{
	if (module == DARSHAN_DXT_POSIX)
		return EMIT_LAYER_POSIX;
	return module == DARSHAN_DXT_MPIIO ? EMIT_LAYER_MPIIO : 0;
}

bool darshan_log_is(const char *head, size_t size, bool *swap)
{
	const unsigned char *magic = (const unsigned char *)head + VERSION_SIZE;
	if (size < VERSION_SIZE + sizeof(uint64_t))
		return false;
	*swap = darshan_u64(magic, false) != MAGIC;
	return darshan_u64(magic, *swap) == MAGIC;
}

/* Version */

bool darshan_log_version(struct darshan_log *log, const char *text, size_t size)
{
	const char *dot = memchr(text, '.', size);
	const size_t n = dot == NULL ? 0 : (size_t)(dot - text);
	const size_t m = dot == NULL ? 0 : strnlen(dot + 1, size - n - 1);
	uint64_t major, minor;
	if (n > VERSION_DIGITS || m > VERSION_DIGITS || !number_decimal(text, n, &major) ||
	    !number_decimal(dot + 1, m, &minor))
		return false;
	log->major = (unsigned)major;
	log->minor = (unsigned)minor;
	return true;
}

static int check_version(struct darshan_log *log, const char *head, size_t have, const char *name,
			 struct error *e)
{
	static const unsigned known[] = {0, 10, 20, 21, 41};
	if (have < VERSION_SIZE)
		return error_set(e, IOT_ETRUNCATED, "%s: ends inside the header of a log", name);
	if (darshan_all_zero(head, have < HEADER_OLD ? have : HEADER_OLD))
		return error_set(e, IOT_EFORMAT,
				 "%s: an incomplete log: its header, written last, is empty", name);
	if (!darshan_log_version(log, head, VERSION_SIZE))
		return error_set(e, IOT_EFORMAT, "%s: not a Darshan log: no version", name);
	if (log->major < 3)
		return error_set(e, IOT_EFORMAT,
				 "%s: format %u.%02u, which is older than 3.00: convert it "
				 "with the tools of Darshan first",
				 name, log->major, log->minor);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (log->major == 3 && log->minor == known[i])
			return IOT_OK;
	return error_set(
	    e, IOT_EFORMAT,
	    "%s: format %u.%02u is not supported (only 3.00, 3.10, 3.20, 3.21 and 3.41)", name,
	    log->major, log->minor);
}

/* Regions */

unsigned darshan_module_of(const struct darshan_log *log, unsigned id)
{
	if (log->minor == 41)
		return id;
	if (log->minor >= 20)
		return id <= DARSHAN_PNETCDF_FILE ? id : id + 1;
	if (id <= DARSHAN_H5F)
		return id;
	return id == 4 ? DARSHAN_PNETCDF_FILE : id + 2;
}

static int by_offset(const void *a, const void *b)
{
	const struct darshan_map_entry *x = a, *y = b;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->module < y->module ? -1 : x->module > y->module;
}

static void parse_map(struct darshan_log *log, const unsigned char *head)
{
	const bool new = log->minor == 41;
	const unsigned char *map = head + (new ? MAP_NEW : MAP_OLD);
	const unsigned char *versions = head + (new ? VERSIONS_NEW : VERSIONS_OLD);
	const unsigned modules = new ? DARSHAN_MODULES : MODULES_OLD;
	for (unsigned i = 0; i <= modules; i++, map += 16) {
		struct darshan_map_entry p = {.offset = darshan_u64(map, log->swap),
					      .size = darshan_u64(map + 8, log->swap)};
		if (i > 0) {
			p.id = i - 1;
			p.module = darshan_module_of(log, p.id);
			p.version = darshan_u32(versions + 4 * p.id, log->swap);
			if (p.module == DARSHAN_NULL) /* an example for authors of modules */
				p.module = DARSHAN_MODULES;
		}
		if (p.offset != 0 && (log->first == 0 || p.offset < log->first))
			log->first = p.offset;
		if (p.size > 0)
			log->map[log->entries++] = p;
	}
	qsort(log->map, log->entries, sizeof *log->map, by_offset);
}

static int read_header(struct darshan_log *log, const char *name, struct error *e)
{
	size_t have;
	const char *text = bufreader_peek(log->bufreader, HEADER_OLD, &have);
	if (check_version(log, text, have, name, e) != IOT_OK)
		return e->status;
	const size_t size = log->minor == 41 ? HEADER_NEW : HEADER_OLD;
	const unsigned char *head =
	    (const unsigned char *)bufreader_peek(log->bufreader, size, &have);
	if (have < size)
		return error_set(e, IOT_ETRUNCATED,
				 "%s: ends inside its header, which has %zu bytes", name, size);
	if (!darshan_log_is(text, size, &log->swap))
		return error_set(e, IOT_EFORMAT, "%s: not a Darshan log: bad magic", name);
	if (head[16] > DARSHAN_UNCOMPRESSED)
		return error_set(e, IOT_EFORMAT,
				 "%s: unknown compression %u (0 zlib, 1 bzip2, 2 none)", name,
				 head[16]);
	log->compression = (enum darshan_compression)head[16];
	log->partial = size == HEADER_NEW ? darshan_u64(head + 24, log->swap)
					  : darshan_u32(head + 20, log->swap);
	parse_map(log, head);
	bufreader_consume(log->bufreader, size);
	log->offset = size;
	return IOT_OK;
}

bool darshan_log_skip(struct darshan_log *log, uint64_t offset)
{
	while (log->offset < offset) {
		size_t have;
		(void)bufreader_peek(log->bufreader, 1, &have);
		if (have == 0)
			return false;
		if (have > offset - log->offset)
			have = (size_t)(offset - log->offset);
		bufreader_consume(log->bufreader, have);
		log->offset += have;
	}
	return true;
}

/* Job */

/* Splits the text into the command and the mounts after it. */
static void split_job(struct darshan_job *job, size_t at, size_t size)
{
	const char *text = job->text + at, *end = text + size, *p;
	const char *mounts = end;
	/*
	 * A command may contain line ends: the mounts are the last lines, as far as they contain a
	 * tab.
	 */
	for (const char *line = end; line > text; line = p) {
		p = line - 1;
		while (p > text && *p != '\n')
			p--;
		if (*p != '\n' || memchr(p, '\t', (size_t)(line - p)) == NULL)
			break;
		mounts = p;
	}
	job->command = (struct iot_text){text, (size_t)(mounts - text)};
	while (job->command.size > 0 && text[job->command.size - 1] == ' ')
		job->command.size--;
	if (mounts < end)
		mounts++;
	job->mounts = (struct iot_text){mounts, (size_t)(end - mounts)};
}

static void parse_job(struct darshan_log *log, const unsigned char *p, size_t size)
{
	struct darshan_job *job = &log->job;
	const bool new = log->minor == 41;
	int64_t *const words[] = {&job->uid,    &job->start_s,   &job->start_ns, &job->end_s,
				  &job->end_ns, &job->processes, &job->id};
	const size_t head = new ? 56 : 40;
	if (size < head)
		return;
	size -= head;
	job->start_ns = job->end_ns = -1;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!new && (words[i] == &job->start_ns || words[i] == &job->end_ns))
			continue;
		*words[i] = darshan_i64(p, log->swap);
		p += 8;
	}
	job->known = true;
	memcpy(job->text, p, size);
	size_t metadata = strnlen(job->text, size < METADATA_SIZE ? size : METADATA_SIZE);
	while (metadata > 0 && job->text[metadata - 1] == '\n')
		metadata--;
	job->metadata = (struct iot_text){job->text, metadata};
	if (size > METADATA_SIZE)
		split_job(job, METADATA_SIZE,
			  strnlen(job->text + METADATA_SIZE, size - METADATA_SIZE));
}

static bool is_date(int64_t s, int64_t ns)
{
	return s > 0 && s < SECONDS_MAX && ns >= -1 && ns < NS_PER_S;
}

void darshan_log_times(struct darshan_log *log)
{
	const struct darshan_job *job = &log->job;
	if (!job->known || !is_date(job->start_s, job->start_ns))
		return;
	log->start_ns = job->start_s * NS_PER_S + (job->start_ns > 0 ? job->start_ns : 0);
	log->end_ns = log->start_ns;
	if (!is_date(job->end_s, job->end_ns))
		return;
	/* With whole seconds only, the last one counts in full. */
	int64_t end = job->end_s * NS_PER_S + (job->end_ns >= 0 ? job->end_ns : NS_PER_S - 1);
	if (end > log->end_ns)
		log->end_ns = end;
}

/* The job is not in the map: it is between the header and the first region. */
static void read_job(struct darshan_log *log, struct darshan_region *r)
{
	struct darshan_job *job = &log->job;
	uint64_t size = log->first > log->offset ? log->first - log->offset : 0;
	if (log->first == 0)
		size = UINT32_MAX;
	darshan_region_open(r, log->bufreader, size, &log->offset, log->compression);
	size_t have;
	const unsigned char *p = darshan_region_peek(r, DARSHAN_JOB_MAX, &have);
	if (have > DARSHAN_JOB_MAX)
		have = DARSHAN_JOB_MAX;
	parse_job(log, p, have);
	const bool open_end = log->first == 0 && r->end.status == IOT_ETRUNCATED && !r->in_stream;
	if (r->end.status != IOT_OK && !open_end) {
		job->status = r->end.status;
		job->why = r->end.why;
	} else if (!job->known) {
		job->status = log->first > log->offset ? IOT_EFORMAT : IOT_ETRUNCATED;
		job->why = "too short";
	}
	darshan_region_close(r);
	darshan_log_times(log);
}

int darshan_log_open(struct darshan_log *log, struct bufreader *in, const char *name,
		     struct darshan_region *r, struct error *error)
{
	*log = (struct darshan_log){.bufreader = in};
	int status = read_header(log, name, error);
	if (status != IOT_OK)
		return status;
	read_job(log, r);
	return IOT_OK;
}

/* Mounts: lines of "type\tpath". The longest path prefix wins. */

bool darshan_mount(const struct darshan_job *job, struct iot_text path, struct iot_text *type,
		   struct iot_text *point)
{
	const char *p = job->mounts.data, *end = job->mounts.size > 0 ? p + job->mounts.size : p;
	point->size = 0;
	while (p < end) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		if (stop == NULL)
			stop = end;
		const char *tab = memchr(p, '\t', (size_t)(stop - p));
		size_t size = tab != NULL ? (size_t)(stop - tab - 1) : 0;
		if (size > point->size && size <= path.size &&
		    memcmp(path.data, tab + 1, size) == 0) {
			*type = (struct iot_text){p, (size_t)(tab - p)};
			*point = (struct iot_text){tab + 1, size};
		}
		p = stop + 1;
	}
	return point->size > 0;
}
