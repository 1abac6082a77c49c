/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Analyzes part K of N of a trace on a web server, or in an object store with HTTP, and writes the
 * state of the part, which 'iotrace analyze' joins with the others.
 *
 * 	http_range URL K N STATE
 *
 * Blocks of 8 MiB are requested, each up to three times, and the last ones are kept. An ETag that
 * differs between two answers means that the trace has been replaced.
 */
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <iotrace/analyze.h>

enum {
	BLOCK_SIZE = 8 << 20,
	BLOCKS = 4, /* that are kept */
	TRIES = 3,
	CONNECT_S = 10,
	STALLED_S = 30, /* after which an answer that does not go on is given up */
	VALUE_SIZE = 256
};

struct block {
	char *data; /* NULL: none */
	size_t size;
	uint64_t at, used; /* used: the number of the last call that needed it */
};

/* What the header of an answer states. */
struct answer {
	char etag[VALUE_SIZE];
	uint64_t first, last, total;
	int has_range;
};

struct object {
	const char *url;
	CURL *curl;
	uint64_t size, calls;
	char etag[VALUE_SIZE];
	struct block blocks[BLOCKS];
	struct answer answer;
	struct block *to; /* receives the body */
	char why[CURL_ERROR_SIZE + 128];
};

/* Returns the value of a header line with this name; NULL if it has another one. */
static const char *value_of(const char *line, size_t size, const char *name, size_t *length)
{
	const size_t n = strlen(name);
	if (size <= n || strncasecmp(line, name, n) != 0)
		return NULL;
	line += n;
	size -= n;
	while (size > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		size--;
	}
	while (size > 0 && (line[size - 1] == '\r' || line[size - 1] == '\n'))
		size--;
	*length = size;
	return line;
}

/* Parses "bytes FIRST-LAST/TOTAL". */
static int parse_range(const char *text, struct answer *a)
{
	char *end;
	if (strncmp(text, "bytes ", 6) != 0)
		return 0;
	a->first = strtoull(text + 6, &end, 10);
	if (*end != '-')
		return 0;
	a->last = strtoull(end + 1, &end, 10);
	if (*end != '/')
		return 0;
	a->total = strtoull(end + 1, &end, 10);
	return *end == '\0';
}

static size_t take_header(char *line, size_t one, size_t size, void *context)
{
	struct answer *a = context;
	char text[VALUE_SIZE] = "";
	size_t n = 0;
	const char *value = value_of(line, size, "etag:", &n);
	if (value != NULL && n < sizeof a->etag) {
		memcpy(a->etag, value, n);
		a->etag[n] = '\0';
	}
	value = value_of(line, size, "content-range:", &n);
	if (value != NULL && n < sizeof text) {
		memcpy(text, value, n);
		a->has_range = parse_range(text, a);
	}
	return size * one;
}

/* A body that is longer than the block, as from a server without ranges, ends the transfer. */
static size_t take_body(char *data, size_t one, size_t size, void *context)
{
	struct block *b = ((struct object *)context)->to;
	if (size > BLOCK_SIZE - b->size)
		return 0;
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return size * one;
}

static int failed(struct object *o, int errnum, const char *why)
{
	if (why != o->why)
		snprintf(o->why, sizeof o->why, "%s", why);
	return errnum;
}

/* Checks an answer. Returns 0, EAGAIN if another try may help, or an errno. */
static int check_answer(struct object *o, long code, size_t wanted)
{
	const struct answer *a = &o->answer;
	if (code == 200)
		return failed(o, ENOTSUP, "the server ignores Range");
	if (code == 416)
		return failed(o, ESTALE, "the server has no such bytes any more");
	if (code != 206) {
		snprintf(o->why, sizeof o->why, "HTTP status %ld", code);
		return failed(o, code >= 500 || code == 408 || code == 429 ? EAGAIN : EIO, o->why);
	}
	if (a->etag[0] != '"')
		return failed(o, ENOTSUP, "the server states no strong ETag");
	if (o->etag[0] != '\0' &&
	    (strcmp(a->etag, o->etag) != 0 || (a->has_range && a->total != o->size)))
		return failed(o, ESTALE, "the trace has been replaced");
	if (!a->has_range || a->first != o->to->at || a->last < a->first || a->last >= a->total ||
	    a->last - a->first + 1 > wanted)
		return failed(o, EIO, "Content-Range is not what was asked for");
	if (o->to->size != a->last - a->first + 1 ||
	    (o->to->size < wanted && a->last + 1 != a->total))
		return failed(o, EAGAIN, "the answer is short");
	return 0;
}

/* Requests the block once. */
static int request(struct object *o, size_t wanted)
{
	char range[64], message[CURL_ERROR_SIZE] = "";
	long code = 0;
	snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64, o->to->at, o->to->at + wanted - 1);
	o->answer = (struct answer){.has_range = 0};
	o->to->size = 0;
	curl_easy_setopt(o->curl, CURLOPT_RANGE, range);
	curl_easy_setopt(o->curl, CURLOPT_ERRORBUFFER, message);
	const CURLcode result = curl_easy_perform(o->curl);
	curl_easy_setopt(o->curl, CURLOPT_ERRORBUFFER, NULL);
	curl_easy_getinfo(o->curl, CURLINFO_RESPONSE_CODE, &code);
	if (code == 200 || result == CURLE_OK)
		return check_answer(o, code, wanted);
	return failed(o, EAGAIN, *message != '\0' ? message : curl_easy_strerror(result));
}

/* Returns 0, or -1 with errno set. */
static int fetch(struct object *o, struct block *b, uint64_t at, size_t wanted)
{
	int errnum = EAGAIN;
	b->at = at;
	o->to = b;
	for (int i = 0; i < TRIES && errnum == EAGAIN; i++) {
		const struct timespec pause = {.tv_nsec = i * 100000000L};
		nanosleep(&pause, NULL);
		errnum = request(o, wanted);
	}
	if (errnum == 0)
		return 0;
	b->size = 0;
	errno = errnum == EAGAIN ? EIO : errnum;
	return -1;
}

/* Returns the block that begins at byte `at`; NULL with errno set if it cannot be read. */
static struct block *block_at(struct object *o, uint64_t at, size_t wanted)
{
	struct block *oldest = &o->blocks[0];
	o->calls++;
	for (struct block *b = o->blocks; b < o->blocks + BLOCKS; b++) {
		if (b->size > 0 && b->at == at) {
			b->used = o->calls;
			return b;
		}
		if (b->used < oldest->used)
			oldest = b;
	}
	if (oldest->data == NULL)
		oldest->data = malloc(BLOCK_SIZE);
	if (oldest->data == NULL || fetch(o, oldest, at, wanted) != 0)
		return NULL;
	oldest->used = o->calls;
	return oldest;
}

static ssize_t read_at(void *context, void *to, size_t size, uint64_t offset)
{
	struct object *o = context;
	const uint64_t begin = offset / BLOCK_SIZE * BLOCK_SIZE;
	if (offset >= o->size)
		return 0;
	const uint64_t rest = o->size - begin;
	const struct block *b = block_at(o, begin, rest < BLOCK_SIZE ? (size_t)rest : BLOCK_SIZE);
	if (b == NULL)
		return -1;
	const size_t skip = (size_t)(offset - begin), left = b->size - skip;
	const size_t n = size < left ? size : left;
	memcpy(to, b->data + skip, n);
	return (ssize_t)n;
}

/* The first block states the size of the trace and its ETag. */
static int open_object(struct object *o, const char *url)
{
	o->url = url;
	o->curl = curl_easy_init();
	if (o->curl == NULL)
		return -1;
	curl_easy_setopt(o->curl, CURLOPT_URL, url);
	curl_easy_setopt(o->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(o->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(o->curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(o->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(o->curl, CURLOPT_LOW_SPEED_TIME, (long)STALLED_S);
	curl_easy_setopt(o->curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(o->curl, CURLOPT_HEADERDATA, &o->answer);
	curl_easy_setopt(o->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(o->curl, CURLOPT_WRITEDATA, o);
	if (block_at(o, 0, BLOCK_SIZE) == NULL)
		return -1;
	o->size = o->answer.total;
	memcpy(o->etag, o->answer.etag, sizeof o->etag);
	return 0;
}

static void close_object(struct object *o)
{
	curl_easy_cleanup(o->curl);
	for (int i = 0; i < BLOCKS; i++)
		free(o->blocks[i].data);
}

/* Limits the reader to the part, and names it in the options of its analysis. */
static int choose_part(struct iot_reader *r, uint64_t k, uint64_t n, struct iot_analyze_options *a)
{
	struct iot_range range = {.record = 0};
	int status = iot_reader_find_range(r, k, n, &range);
	if (status == IOT_OK)
		status = iot_reader_set_range(r, &range, 0);
	*a = (struct iot_analyze_options){.size = sizeof *a,
					  .part = k > 1,
					  .epoch_ns = k > 1 ? range.epoch_ns : 0,
					  .trace_id = range.part.trace_id,
					  .from = range.part.from,
					  .to = range.part.to,
					  .stored = range.part.stored,
					  .first = k,
					  .last = k,
					  .parts = n,
					  .offsets = 1,
					  .keep_events = 1};
	return status;
}

static int analyze(struct iot_reader *r, struct iot_analyze *a)
{
	enum { EVENTS = 1024 };
	struct iot_event *ev = malloc(EVENTS * sizeof *ev);
	ssize_t n = ev != NULL ? 1 : IOT_ENOMEM;
	int status = IOT_OK;
	while (n > 0 && status == IOT_OK && (n = iot_reader_events(r, ev, EVENTS)) > 0)
		status = iot_analyze_events(a, ev, (size_t)n);
	free(ev);
	return n < 0 ? (int)n : status;
}

static int save(struct iot_analyze *a, const char *path)
{
	struct iot_writer *w = iot_writer_new();
	int status = w != NULL ? iot_writer_open(w, path) : IOT_ENOMEM;
	if (status == IOT_OK)
		status = iot_analyze_save(a, w);
	if (status == IOT_OK)
		status = iot_writer_close(w);
	if (status != IOT_OK)
		fprintf(stderr, "http_range: %s\n", w != NULL ? iot_writer_error(w) : "no memory");
	iot_writer_free(w);
	return status;
}

static int run(struct object *o, uint64_t k, uint64_t n, const char *path)
{
	const struct iot_storage storage = {.read_at = read_at, .context = o, .size = o->size};
	struct iot_analyze_options options;
	struct iot_reader *r = iot_reader_new();
	int status = r != NULL ? iot_reader_open_storage(r, &storage, o->url) : IOT_ENOMEM;
	if (status == IOT_OK)
		status = choose_part(r, k, n, &options);
	struct iot_analyze *a = status == IOT_OK ? iot_analyze_new(&options) : NULL;
	if (status == IOT_OK)
		status = a != NULL ? analyze(r, a) : IOT_ENOMEM;
	if (status != IOT_OK)
		fprintf(stderr, "http_range: %s\n", r != NULL ? iot_reader_error(r) : "no memory");
	if (status != IOT_OK && o->why[0] != '\0')
		fprintf(stderr, "http_range: the last request that failed: %s\n", o->why);
	else if (status == IOT_OK)
		status = save(a, path);
	iot_analyze_free(a);
	iot_reader_free(r);
	return status;
}

int main(int argc, char **argv)
{
	struct object o = {.calls = 0};
	const uint64_t k = argc == 5 ? strtoull(argv[2], NULL, 10) : 0;
	const uint64_t n = argc == 5 ? strtoull(argv[3], NULL, 10) : 0;
	if (k < 1 || k > n) {
		fprintf(stderr, "usage: http_range URL K N STATE\n");
		return 2;
	}
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return 2;
	int status = IOT_EIO;
	if (open_object(&o, argv[1]) == 0)
		status = run(&o, k, n, argv[4]);
	else
		fprintf(stderr, "http_range: %s: %s\n", argv[1], o.why);
	close_object(&o);
	curl_global_cleanup();
	return status == IOT_OK ? 0 : 2;
}
