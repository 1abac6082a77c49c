/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges of text that end with an interval, and whether they are proven. See lookahead.h. */
#include "lookahead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "seek_points.h"
#include "lib/base/word.h"
#include "lib/codec/codec.h"

enum {
	LINE_SIZE_MAX = IOT_COMMENT_MAX + 64, /* maximum size of a valid line */
	REPLAY_SIZE = 1 << 18,
	TRIAL_RECORDS = 256,
	TRIAL_PROCESSES = 64,
	BARE_LOOK = 1 << 24, /* bytes of an unframed trace to examine before any is read */
	/* ... the last of which are examined again with the following bytes */
	LINE_LAST = 64,
	BLANK_PREFIX = 1 << 16, /* blank lines at the beginning to keep, in bytes */
	SCAN_PIECE = 1 << 16,   /* bytes to search, and then hash while they are in the cache */
};

static const uint64_t SPILL_MAX = (uint64_t)64 << 30; /* bytes of an interval in a temporary file */

struct lookahead *lookahead_new(uint64_t limit)
{
	struct lookahead *look = calloc(1, sizeof(*look));
	if (look == NULL)
		return NULL;
	look->hash = XXH3_createState();
	if (look->hash == NULL) {
		free(look);
		return NULL;
	}
	look->limit = limit;
	tempfile_init(&look->spill, &look->error);
	lookahead_reset(look, 0);
	return look;
}

static void end_replay(struct lookahead *look)
{
	bufreader_free(look->replay);
	look->replay = NULL;
	tempfile_discard_all(&look->spill);
}

void lookahead_reset(struct lookahead *look, uint64_t at)
{
	end_replay(look);
	look->origin = at;
	look->text = look->dropped = 0;
	look->resynced = false;
	XXH3_64bits_reset(look->hash);
	look->left = 0;
	look->mode = LOOKAHEAD_UNDECIDED;
	look->resumption = RESUME_NOWHERE;
	look->at_end = look->hash_ok = look->corroborated = false;
	look->known_start = true;
}

void lookahead_free(struct lookahead *look)
{
	if (look == NULL)
		return;
	end_replay(look);
	tempfile_free(&look->spill);
	XXH3_freeState(look->hash);
	free(look);
}

/* Framing lines */

/* Returns whether the line with a '%' at q is a %sync or %end; *line is its beginning. */
static bool frames(const char *begin, const char *q, const char *end, struct text_line *l,
		   const char **line)
{
	const char *p = q;
	if (p == begin || (!is_blank(p[-1])))
		return false;
	p--;
	while (p > begin && (p[-1] == 'f' || p[-1] == 'F' || p[-1] == '2' || p[-1] == '5') &&
	       q - p < 4)
		p--;
	while (p > begin && is_blank(p[-1]))
		p--;
	if (p > begin && p[-1] != '\n')
		return false;
	*line = p;
	*l = text_line_classify(p, end);
	if (l->kind != TEXT_LINE_COMMENT)
		return false;
	const enum framing_kind framing = directive_framing(l->text);
	return framing == FRAMING_SYNC || framing == FRAMING_END;
}

/* Returns the next '%' that may begin a %sync or %end; NULL if none exists. */
static const char *find_candidate(const char *p, const char *end)
{
	while ((p = memchr(p, '%', (size_t)(end - p))) != NULL) {
		if (end - p < 2 || p[1] == 's' || p[1] == 'e')
			return p;
		p++;
	}
	return NULL;
}

/*
 * State of the search for the end of a range. Offsets are relative to the bytes in the bufreader;
 * spilled bytes precede them.
 */
struct interval_scan {
	size_t seen;   /* no %sync or %end exists before this offset */
	size_t line;   /* beginning of a line; all bytes before it are in the hash, if needed */
	uint64_t size; /* of the range, including spilled bytes */
	enum close close;
	/* from the line that ends the range; for %end, record and hash */
	struct sync_directive sync;
	bool checked; /* the range ends a frame or member and the input, and the checksum matches */
};

static void hash_lines(struct lookahead *look, struct interval_scan *s, const char *p, size_t to)
{
	XXH3_64bits_update(look->hash, p + s->line, to - s->line);
	s->line = to;
}

static void take_close(struct interval_scan *s, const struct text_line *l)
{
	struct end_directive e;
	s->close = CLOSE_BROKEN;
	if (directive_framing(l->text) == FRAMING_SYNC) {
		if (framing_parse_sync(l->text, &s->sync) == NULL)
			s->close = CLOSE_SYNC;
		return;
	}
	if (framing_parse_end(l->text, &e) == NULL) {
		s->close = CLOSE_END;
		s->sync = (struct sync_directive){.record = e.records, .hash = e.hash};
	}
}

static bool find_close_in_piece(struct lookahead *look, struct interval_scan *s, const char *p,
				size_t have, bool last)
{
	const char *end = p + have, *q = p + s->seen, *line, *line_end = p;
	struct text_line l;
	while ((q = find_candidate(q, end)) != NULL) {
		if (!last && line_end < q) /* once per line, which may contain many candidates */
			line_end = memchr(q, '\n', (size_t)(end - q));
		if (line_end == NULL)
			break; /* an incomplete line */
		if (frames(p, q, end, &l, &line)) {
			hash_lines(look, s, p, (size_t)(line - p));
			take_close(s, &l);
			s->seen = (size_t)(l.next - p);
			return true;
		}
		q++;
	}
	s->seen = q != NULL ? (size_t)(q - p) : have;
	const char *lf =
	    p != NULL && have > s->line ? memrchr(p + s->line, '\n', have - s->line) : NULL;
	if (lf != NULL)
		hash_lines(look, s, p, (size_t)(lf + 1 - p));
	return false;
}

/* Searches p[s->seen .. have) for the end of the range. last: no more bytes follow. */
static bool find_close(struct lookahead *look, struct interval_scan *s, const char *p, size_t have,
		       bool last)
{
	for (size_t to = s->seen + SCAN_PIECE; to < have; to += SCAN_PIECE)
		if (find_close_in_piece(look, s, p, to, false))
			return true;
	return find_close_in_piece(look, s, p, have, last);
}

/* Returns whether the range can be read again, and less text precedes it than it contains. */
static bool can_read_again(const struct decoder *d)
{
	struct stored_input source;
	const struct lookahead *look = d->lookahead;
	return bufreader_stored_input(d->bufreader, &source) &&
	       (bufreader_compression(d->bufreader) == IOT_PLAIN ||
		(look->text <= look->limit && !look->resynced));
}

static bool put(struct decoder *d, const void *text, size_t n)
{
	struct lookahead *look = d->lookahead;
	if (tempfile_end(&look->spill) > SPILL_MAX - n)
		return decoder_fail(d, IOT_ELIMIT, 1,
				    "an interval of more than 64 GiB cannot be verified");
	return tempfile_append(&look->spill, text, n) == IOT_OK ||
	       error_set(&d->error, look->error.status, "%s", look->error.text) == IOT_OK;
}

/* Moves whole lines out of memory when the text exceeds the limit. */
static bool spill(struct decoder *d, struct interval_scan *s, const char *p)
{
	struct lookahead *look = d->lookahead;
	const size_t n = s->line;
	if (can_read_again(d))
		look->dropped += n;
	else if (!put(d, p, n))
		return false;
	bufreader_consume(d->bufreader, n);
	s->size += n;
	s->line -= n;
	s->seen -= n;
	return true;
}

static bool is_compressed(const struct decoder *d)
{
	return d->settings->decompressed || bufreader_compression(d->bufreader) != IOT_PLAIN;
}

/* Peeks only where the result matters: a live input may not be at its end. */
static bool ends_checked(struct decoder *d, const struct interval_scan *s)
{
	size_t have;
	if (s->close != CLOSE_END || d->lookahead->known_start || !is_compressed(d))
		return false;
	(void)bufreader_peek(d->bufreader, s->seen + 1, &have);
	return have == s->seen && bufreader_status(d->bufreader) == IOT_OK;
}

/* Scans to the line that ends the interval. Returns false on error. */
static bool scan_interval(struct decoder *d, struct interval_scan *s)
{
	struct lookahead *look = d->lookahead;
	size_t want = 1, have;
	for (;;) {
		const char *p = bufreader_peek(d->bufreader, want, &have);
		const bool last = have < want;
		if (find_close(look, s, p, have,
			       last && bufreader_status(d->bufreader) == IOT_OK)) {
			s->size += s->seen;
			s->checked = ends_checked(d, s);
			return true;
		}
		if (last || have - s->line > LINE_SIZE_MAX) {
			s->close = last ? CLOSE_INPUT : CLOSE_BROKEN;
			s->size += have;
			if (last && look->segment_end != NULL && s->line == have &&
			    bufreader_status(d->bufreader) == IOT_OK) {
				s->close = CLOSE_SYNC;
				s->sync = *look->segment_end;
			}
			look->at_end = last;
			return true;
		}
		want = have + 1;
		if (have < look->limit || s->line == 0)
			continue;
		want -= s->line;
		if (!spill(d, s, p))
			return false;
	}
}

/* Replay of spilled text */

static ssize_t read_spilled(void *context, void *to, size_t n)
{
	struct lookahead *look = context;
	const uint64_t left = tempfile_end(&look->spill) - look->spill_at;
	if (n > left)
		n = (size_t)left;
	if (n > 0 && tempfile_read(&look->spill, look->spill_at, to, n) != IOT_OK)
		return -1;
	look->spill_at += n;
	return (ssize_t)n;
}

/* Seeks to the beginning of the range in the source. */
static bool go_back(struct decoder *d)
{
	struct lookahead *look = d->lookahead;
	uint64_t before = look->text;
	size_t have = 1;
	if (bufreader_compression(d->bufreader) == IOT_PLAIN)
		before = 0;
	if (bufreader_seek(d->bufreader, look->origin + (look->text - before)) != IOT_OK)
		return error_set(&d->error, bufreader_status(d->bufreader), "%s",
				 bufreader_error(d->bufreader)->text) == IOT_OK;
	while (before > 0 && have > 0) {
		(void)bufreader_peek(d->bufreader, 1, &have);
		const size_t n = have < before ? have : (size_t)before;
		bufreader_consume(d->bufreader, n);
		before -= n;
	}
	return true;
}

static bool start_replay(struct decoder *d)
{
	struct lookahead *look = d->lookahead;
	const struct bufreader_options options = {
	    .read_size = REPLAY_SIZE, .plain = true, .why = &look->error};
	bufreader_free(look->replay);
	look->spill_at = 0;
	look->replay = bufreader_new(d->name, &options);
	if (look->replay == NULL)
		return decoder_fail_memory(d, IOT_ENOMEM);
	return bufreader_open_callback(look->replay, read_spilled, look) == IOT_OK ||
	       decoder_fail_memory(d, IOT_ENOMEM);
}

/* Appends the rest of a spilled range to the file. */
static bool spill_rest(struct decoder *d, const struct interval_scan *s)
{
	struct lookahead *look = d->lookahead;
	size_t n = (size_t)(s->size - tempfile_end(&look->spill)), have;
	const char *p = bufreader_peek(d->bufreader, n > 0 ? n : 1, &have);
	if (!put(d, p, n))
		return false;
	if (tempfile_flush(&look->spill) != IOT_OK)
		return error_set(&d->error, look->error.status, "%s", look->error.text) == IOT_OK;
	bufreader_consume(d->bufreader, n);
	return start_replay(d);
}

/* Trial */

struct trial {
	struct iot_codec *codec;
	size_t size, memory_max;
	uint64_t records;
};

static void on_first_use_nothing(void *context, struct iot_record *rec)
{
	(void)context;
	(void)rec;
}

static bool grow(struct trial *t)
{
	void *bigger = t->size <= t->memory_max / 2 ? realloc(t->codec, 2 * t->size) : NULL;
	if (bigger == NULL)
		return false;
	t->size *= 2;
	t->codec = iot_codec_grow(bigger, t->size);
	return true;
}

/* Decodes whole lines. Returns false if one is invalid, or if out of memory. */
static bool try_lines(struct trial *t, const char *p, const char *end)
{
	const struct first_use_handler on_first_use = {on_first_use_nothing, NULL};
	struct iot_record rec[TRIAL_RECORDS];
	enum decode_stop why;
	uint64_t blank = 0;
	while (p < end) {
		t->records += codec_decode_lines(t->codec, &p, end, rec, TRIAL_RECORDS,
						 sizeof(rec[0]), &on_first_use, &why);
		if (why == DECODE_STOP_OTHER)
			p = blank_lines(text_line_classify(p, end).next, end, &blank);
		else if (why == DECODE_STOP_ERROR || (why == DECODE_STOP_LIMIT && !grow(t)))
			return false;
	}
	return true;
}

/* Runs the trial on a range that is not in memory. */
static bool try_replay(struct decoder *d, struct trial *t, uint64_t size)
{
	struct lookahead *look = d->lookahead;
	struct bufreader *r = look->replay != NULL ? look->replay : d->bufreader;
	size_t have, want = 1;
	bool fine = true;
	while (fine && size > 0) {
		const char *p = bufreader_peek(r, want, &have);
		if (have > size)
			have = (size_t)size;
		const char *lf = have > 0 ? memrchr(p, '\n', have) : NULL;
		const size_t n = lf != NULL ? (size_t)(lf + 1 - p) : have < want ? have : 0;
		want = n > 0 ? 1 : have + 1;
		fine = have > 0 && (lf == NULL || try_lines(t, p, lf + 1));
		bufreader_consume(r, n);
		size -= n;
	}
	return (look->replay != NULL ? start_replay(d) : go_back(d)) && fine;
}

/*
 * Returns whether the interval, decoded from the %sync that begins it, arrives at the values of the
 * line that ends it.
 */
static bool trial(struct decoder *d, const struct sync_directive *open,
		  const struct interval_scan *s)
{
	struct trial t = {.size = iot_codec_size(TRIAL_PROCESSES),
			  .memory_max = d->settings->memory_max};
	if (s->close == CLOSE_END && !d->lookahead->known_start && !s->checked)
		return false;
	void *block = malloc(t.size);
	if (block == NULL)
		return decoder_fail_memory(d, IOT_ENOMEM);
	t.codec = iot_codec_init(block, t.size, codec_tick(d->codec), codec_base(d->codec));
	codec_set_start(t.codec, (int64_t)open->time);
	bool fine;
	if (d->lookahead->replay != NULL || d->lookahead->dropped > 0) {
		fine = try_replay(d, &t, s->size);
	} else {
		size_t have;
		const char *p = bufreader_peek(d->bufreader, (size_t)s->size, &have);
		const char *lf = memrchr(p, '\n', (size_t)s->size);
		fine = lf == NULL || try_lines(&t, p, lf + 1);
	}
	fine = fine && open->record + t.records == s->sync.record &&
	       (s->close == CLOSE_END || (uint64_t)codec_start(t.codec) == s->sync.time);
	free(t.codec);
	return fine;
}

/* Ranges */

/* Even without a trial, an interval must contain the number of records that %iotrace declares. */
static bool has_announced_size(const struct decoder *d, const struct sync_directive *open,
			       const struct interval_scan *s)
{
	if (!d->framed || (d->sync.interval_records == 0 && d->sync.intervals == 0))
		/* the first interval: the hash covers everything from the first byte */
		return true;
	const uint64_t records = s->sync.record - open->record;
	return s->close == CLOSE_END ? records <= d->sync.interval_records
				     : records == d->sync.interval_records;
}

static bool is_proven(struct decoder *d, const struct sync_directive *open,
		      const struct interval_scan *s)
{
	struct lookahead *look = d->lookahead;
	const bool closed = s->close == CLOSE_SYNC || s->close == CLOSE_END;
	look->hash_ok = closed && XXH3_64bits_digest(look->hash) == s->sync.hash;
	if (!look->hash_ok)
		return false;
	return (look->known_start && has_announced_size(d, open, s)) || trial(d, open, s);
}

/* Returns the offset of the next available byte of uncompressed input. */
static uint64_t where(struct decoder *d)
{
	size_t have;
	(void)bufreader_peek(d->bufreader, 1, &have);
	return bufreader_position(d->bufreader) - have;
}

static void show_interval(struct decoder *d)
{
	struct lookahead *look = d->lookahead;
	struct interval_scan s = {.seen = 0};
	struct sync_directive open = {.record = d->index, .time = (uint64_t)codec_start(d->codec)};
	if (look->resumption == RESUME_MAYBE)
		open = look->resume;
	bufreader_compact(d->bufreader);
	if (bufreader_compression(d->bufreader) == IOT_PLAIN)
		look->text = where(d) - look->origin;
	if (!scan_interval(d, &s) || (tempfile_end(&look->spill) > 0 && !spill_rest(d, &s)) ||
	    (look->dropped > 0 && !go_back(d)))
		return;
	const bool proven = is_proven(d, &open, &s);
	XXH3_64bits_reset(look->hash);
	look->left = s.size;
	if (d->error.status != IOT_OK)
		return;
	if (decoder_is_skipping(d)) {
		look->resumption =
		    look->resumption == RESUME_MAYBE && proven ? RESUME_PROVEN : RESUME_NOWHERE;
	} else if (!proven) {
		(void)decoder_mute(d);
	}
}

/* Handles skipped lines: up to a %sync or %end, or as many as are available. */
static void show_skipped(struct decoder *d)
{
	struct lookahead *look = d->lookahead;
	struct interval_scan s = {.seen = 0};
	size_t want = 1, have;
	for (;;) {
		const char *p = bufreader_peek(d->bufreader, want, &have);
		const bool last = have < want;
		look->left = have;
		look->at_end = last;
		const bool closed = find_close(look, &s, p, have, last);
		XXH3_64bits_reset(look->hash);
		if (closed)
			look->left = s.seen;
		else if (!last && s.line > 0)
			look->left = s.line;
		if (closed || last || s.line > 0 || have > LINE_SIZE_MAX)
			break;
		want = have + 1;
	}
	look->at_end = look->at_end && look->left == have;
}

/* The beginning of the trace */

/* Decides by the first line that is not blank, at p. */
static void decide(struct lookahead *look, const struct text_line *l, const char *p,
		   const char *begin)
{
	const enum framing_kind framing =
	    l->kind == TEXT_LINE_COMMENT ? directive_framing(l->text) : FRAMING_NONE;
	look->mode = LOOKAHEAD_VERIFYING;
	if (framing == FRAMING_SYNC)
		/* it contains the position of the following interval */
		look->left = (uint64_t)(l->next - begin);
	else if (framing != FRAMING_HEADER && !framing_resembles_header(p, l->size))
		look->mode = LOOKAHEAD_PASSING;
}

/*
 * Damaged compressed data can decompress to anything, and the checksum comes last. So an apparently
 * unframed trace is framed if it contains a %sync or %end.
 */
static bool is_framed_later(struct decoder *d)
{
	size_t want = 1, have, seen = 0;
	bool found = false;
	if (!is_compressed(d))
		return false;
	while (!found) {
		const char *p = bufreader_peek(d->bufreader, want, &have), *q = p + seen, *line;
		struct text_line l;
		while (!found && (q = find_candidate(q, p + have)) != NULL)
			found = frames(p, q++, p + have, &l, &line);
		if (have < want || have > BARE_LOOK)
			break;
		seen = have > LINE_LAST ? have - LINE_LAST : 0;
		want = have + 1;
	}
	return found || bufreader_status(d->bufreader) != IOT_OK;
}

/*
 * Determines whether the trace is framed. Afterwards a->left is 0, or the size of lines to be read
 * first.
 */
static void look_at_beginning(struct decoder *d)
{
	struct lookahead *look = d->lookahead;
	size_t want = 1, have, at = 0;
	for (;;) {
		const char *p = bufreader_peek(d->bufreader, want, &have);
		const bool last = have < want;
		while (at < have) {
			uint64_t blank = 0;
			at = (size_t)(blank_lines(p + at, p + have, &blank) - p);
			if (at == have)
				break;
			const char *lf = memchr(p + at, '\n', have - at);
			if (lf == NULL && !last)
				break;
			const struct text_line l =
			    text_line_classify(p + at, lf != NULL ? lf + 1 : p + have);
			if (l.kind != TEXT_LINE_BLANK) {
				decide(look, &l, p + at, p);
				if (look->mode == LOOKAHEAD_PASSING && is_framed_later(d))
					look->mode = LOOKAHEAD_VERIFYING;
				return;
			}
			at = (size_t)(l.next - p);
		}
		look->at_end = last && bufreader_status(d->bufreader) != IOT_OK;
		if (look->at_end)
			return; /* text after the damage may decide */
		if (last || have - at > LINE_SIZE_MAX) {
			look->mode = LOOKAHEAD_PASSING;
			return;
		}
		if (at > BLANK_PREFIX) {
			XXH3_64bits_update(look->hash, p, at);
			look->left = at;
			return;
		}
		want = have + 1;
	}
}

/*
 * The amount that a decoder decompresses before it detects damage may differ when the text is read
 * again.
 */
static void drain(struct bufreader *r)
{
	size_t have;
	do {
		(void)bufreader_peek(r, 1, &have);
		bufreader_consume(r, have);
	} while (have > 0);
}

static void next_stretch(struct decoder *d)
{
	struct lookahead *look = d->lookahead;
	if (look->replay != NULL)
		end_replay(look);
	if (look->at_end && look->dropped > 0)
		drain(d->bufreader);
	look->dropped = 0;
	if (look->at_end || d->error.status != IOT_OK)
		return;
	if (d->progress == TRACE_ENDED) {
		look->mode = LOOKAHEAD_PASSING;
		return;
	}
	if (look->mode == LOOKAHEAD_UNDECIDED && !decoder_is_skipping(d))
		look_at_beginning(d);
	if (look->mode == LOOKAHEAD_PASSING || look->left > 0 || look->at_end)
		return;
	if (decoder_is_skipping(d) && look->resumption != RESUME_MAYBE)
		show_skipped(d);
	else
		show_interval(d);
}

const char *decoder_look(struct decoder *d, size_t want, size_t *have)
{
	struct lookahead *look = d->lookahead;
	if (decoder_looks_ahead(d) && look->left == 0)
		next_stretch(d);
	if (!decoder_looks_ahead(d))
		return bufreader_peek(d->bufreader, want, have);
	struct bufreader *r = look->replay != NULL ? look->replay : d->bufreader;
	const size_t limit = look->left < SIZE_MAX ? (size_t)look->left : SIZE_MAX;
	if (want > limit && limit > 0 && !look->at_end)
		/* after the last range, the end or the damage must still be reached */
		want = limit;
	const char *p = bufreader_peek(r, want, have);
	if (look->replay != NULL && bufreader_status(r) != IOT_OK)
		error_set(&d->error, bufreader_status(r), "%s", bufreader_error(r)->text);
	if (*have > limit)
		*have = limit;
	return p;
}

void decoder_consume(struct decoder *d, size_t n)
{
	struct lookahead *look = d->lookahead;
	if (!decoder_looks_ahead(d)) {
		bufreader_consume(d->bufreader, n);
		return;
	}
	bufreader_consume(look->replay != NULL ? look->replay : d->bufreader, n);
	assert(n <= look->left);
	look->left -= n;
	look->text += n;
}
