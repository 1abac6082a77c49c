/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of blkparse in its default format:
 *
 *	  8,16   0        5     0.000000900  4242  Q  RS 2148 + 8 [fio]
 *
 * device, CPU, sequence, seconds, process, action, kind (RWBS), and by action: sectors and name of
 * the process, [error] of a completion, "SECTOR / SECTOR" of a split, "<- (device) SECTOR" of a
 * remap, text of a message. With -t, "(microseconds)" precedes the name. A summary follows the
 * actions.
 */
#include "blktrace.h"

#include <inttypes.h>

enum {
	LINE_BITS = 16, /* of evidence */
	LINES_EXAMINED = 5,
	DECIMALS = 9,
	MINOR_BITS = 20,
};

#define NS_PER_S    UINT64_C(1000000000)
#define SECONDS_MAX UINT64_C(9000000000)

struct scan {
	const char *at, *end;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
		s->at++;
}

static bool scan_char(struct scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool scan_number(struct scan *s, uint64_t *value)
{
	skip_blanks(s);
	return number_scan(&s->at, s->end, 10, value);
}

static bool scan_u32(struct scan *s, uint32_t *value)
{
	uint64_t v;
	if (!scan_number(s, &v) || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

static bool scan_device(struct scan *s, uint32_t *device)
{
	uint32_t major, minor;
	if (!scan_u32(s, &major) || !scan_char(s, ',') || !scan_u32(s, &minor) ||
	    major >> (32 - MINOR_BITS) != 0 || minor >> MINOR_BITS != 0)
		return false;
	*device = major << MINOR_BITS | minor;
	return true;
}

static bool scan_time(struct scan *s, int64_t *ns)
{
	uint64_t seconds, decimals;
	if (!scan_number(s, &seconds) || seconds > SECONDS_MAX || !scan_char(s, '.') ||
	    s->end - s->at < DECIMALS || !number_decimal(s->at, DECIMALS, &decimals))
		return false;
	s->at += DECIMALS;
	*ns = (int64_t)(seconds * NS_PER_S + decimals);
	return true;
}

static struct iot_text scan_word(struct scan *s)
{
	skip_blanks(s);
	const char *from = s->at;
	while (s->at < s->end && *s->at != ' ' && *s->at != '\t')
		s->at++;
	return (struct iot_text){from, (size_t)(s->at - from)};
}

static uint32_t action_of(struct iot_text word)
{
	static const char letters[] = "?QMFGSRDCPU?IXBA";
	const char *found = word.size == 1 ? strchr(letters + 1, word.data[0]) : NULL;
	if (word.size == 2 && memcmp(word.data, "UT", 2) == 0)
		return BLKTRACE_UNPLUG_TIMER;
	if (found == NULL || *found == '\0' || *found == '?')
		return word.size == 1 && word.data[0] == 'm' ? BLKTRACE_MESSAGE : BLKTRACE_OTHER;
	return (uint32_t)(found - letters);
}

static bool is_action(struct iot_text word)
{
	return word.size > 0 && word.size <= 2 &&
	       ((word.data[0] >= 'A' && word.data[0] <= 'Z') || word.data[0] == 'm');
}

/* The letter of the direction, preceded by F of a flush. */
static uint32_t direction_of(struct iot_text *word)
{
	uint32_t c = 0;
	if (word->size > 1 && word->data[0] == 'F') {
		c = BLKTRACE_FLUSH;
		word->data++;
		word->size--;
	}
	switch (word->size > 0 ? word->data[0] : '\0') {
	case 'W':
		return c | BLKTRACE_WRITE;
	case 'D':
		return c | BLKTRACE_DISCARD;
	case 'R':
		return c | BLKTRACE_READ;
	case 'N':
		return c | BLKTRACE_NONE;
	case 'F':
		return c | BLKTRACE_FLUSH | BLKTRACE_NONE;
	default:
		return UINT32_MAX;
	}
}

/* Returns UINT32_MAX if the word is not a kind. */
static uint32_t categories_of(struct iot_text word)
{
	uint32_t c = direction_of(&word);
	for (size_t i = 1; i < word.size && c != UINT32_MAX; i++)
		switch (word.data[i]) {
		case 'F':
			c |= BLKTRACE_FUA;
			break;
		case 'A':
			c |= BLKTRACE_AHEAD;
			break;
		case 'S':
			c |= BLKTRACE_SYNC;
			break;
		case 'M':
			c |= BLKTRACE_META;
			break;
		case 'E': /* secure erase */
		case 'U': /* atomic */
			break;
		default:
			return UINT32_MAX;
		}
	return c;
}

/* "[fio]"; the name may contain brackets. */
static void scan_name(struct scan *s, struct iot_text *name)
{
	*name = (struct iot_text){s->at, 0};
	skip_blanks(s);
	if (s->at < s->end && *s->at == '(') {
		const char *close = memchr(s->at, ')', (size_t)(s->end - s->at));
		s->at = close != NULL ? close + 1 : s->end;
		skip_blanks(s);
	}
	if (s->end - s->at > 2 && *s->at == '[' && s->end[-1] == ']')
		*name = (struct iot_text){s->at + 1, (size_t)(s->end - s->at) - 2};
	if (name->size == 6 && memcmp(name->data, "(null)", 6) == 0)
		name->size = 0;
}

/* "+ 8" after the sector. Without it the request has no sectors. */
static bool scan_count(struct scan *s, struct blktrace_action_record *r)
{
	uint64_t blocks;
	skip_blanks(s);
	if (!scan_char(s, '+'))
		return true;
	if (!scan_number(s, &blocks) || blocks > UINT32_MAX)
		return false;
	r->bytes = blocks * BLKTRACE_SECTOR;
	return true;
}

/* "<- (8,17) 100" */
static bool scan_remap(struct scan *s, struct blktrace_action_record *r)
{
	r->other_device = r->device;
	if (!scan_char(s, '<'))
		return true;
	const bool arrow = scan_char(s, '-');
	skip_blanks(s);
	return arrow && scan_char(s, '(') && scan_device(s, &r->other_device);
}

static bool scan_error(struct scan *s, struct blktrace_action_record *r)
{
	struct iot_text text;
	uint64_t error;
	scan_name(s, &text);
	const bool negative = text.size > 0 && text.data[0] == '-';
	if (!number_decimal(text.data + negative, text.size - negative, &error) ||
	    error > UINT16_MAX)
		return false;
	r->error = error > INT16_MAX ? (uint32_t)(UINT16_MAX + 1 - error) : (uint32_t)error;
	r->text.size = 0;
	return true;
}

/* The part after the kind. */
static bool scan_rest(struct scan *s, struct blktrace_action_record *r)
{
	const bool numbered = (skip_blanks(s), s->at < s->end && number_digit(*s->at) < 10);
	if (r->action >= BLKTRACE_PLUG && r->action <= BLKTRACE_UNPLUG_TIMER)
		return true;
	if (numbered && (!scan_number(s, &r->sector) || !scan_count(s, r)))
		return false;
	skip_blanks(s);
	switch (r->action) {
	case BLKTRACE_COMPLETE:
		return scan_error(s, r);
	case BLKTRACE_SPLIT:
	case BLKTRACE_BOUNCE:
		return scan_char(s, '/') && scan_number(s, &r->other);
	case BLKTRACE_REMAP:
		return scan_remap(s, r);
	default:
		if (numbered && r->bytes == 0 && s->at < s->end && *s->at == '(')
			r->categories |= BLKTRACE_PASSTHROUGH;
		scan_name(s, &r->text);
		return true;
	}
}

bool blktrace_text_parse(const char *line, const char *end, struct blktrace_action_record *r)
{
	struct scan s = {line, end};
	*r = (struct blktrace_action_record){.text = {line, 0}};
	if (!scan_device(&s, &r->device) || !scan_u32(&s, &r->cpu) || !scan_u32(&s, &r->sequence) ||
	    !scan_time(&s, &r->time_ns) || !scan_u32(&s, &r->pid))
		return false;
	const struct iot_text action = scan_word(&s), kind = scan_word(&s);
	if (!is_action(action) || kind.size == 0)
		return false;
	r->action = action_of(action);
	if (r->action == BLKTRACE_MESSAGE) {
		skip_blanks(&s);
		r->text = (struct iot_text){s.at, (size_t)(s.end - s.at)};
		return true;
	}
	r->categories = categories_of(kind);
	if (r->categories == UINT32_MAX) { /* of zones */
		r->action = BLKTRACE_OTHER;
		r->categories = 0;
	}
	return r->action == BLKTRACE_OTHER || scan_rest(&s, r);
}

int blktrace_text_evidence(const char *head, size_t size)
{
	struct blktrace_action_record r;
	const char *at = head, *end = head + size, *lf;
	int found = 0;
	for (int i = 0; i < LINES_EXAMINED && at < end; i++, at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		if (lf == NULL)
			break;
		found += blktrace_text_parse(at, lf, &r);
	}
	return found * LINE_BITS;
}

/* The source */

static int open_member(struct blktrace *b)
{
	struct blktrace_text *t = &b->text;
	line_reader_close(&t->lines);
	t->summary = false;
	while (t->member < input_count(b->src->input)) {
		size_t size;
		const char *head = input_head(b->src->input, t->member, &size);
		const bool several = input_count(b->src->input) > 1;
		if (!several || blktrace_text_evidence(head, size) > 0)
			break;
		t->member++;
	}
	if (t->member == input_count(b->src->input))
		return 0;
	t->lines.bufreader = input_open(b->src->input, t->member++, &b->src->error);
	b->status = t->lines.bufreader != NULL ? IOT_OK : b->src->error.status;
	return t->lines.bufreader != NULL ? 1 : b->status;
}

static void find_heads(struct blktrace *b)
{
	struct blktrace_action_record r;
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < input_count(b->src->input); i++) {
		size_t size;
		const char *at = input_head(b->src->input, i, &size), *end = at + size, *lf;
		for (; at < end && (lf = memchr(at, '\n', (size_t)(end - at))) != NULL;
		     at = lf + 1) {
			if (!blktrace_text_parse(at, lf, &r))
				continue;
			first = r.time_ns < first ? r.time_ns : first;
			if (!blktrace_declare_remap(b, &r))
				return;
		}
	}
	b->src->first_ns = first < INT64_MAX ? first : 0;
	b->now_ns = b->src->first_ns;
}

int blktrace_text_open(struct blktrace *b)
{
	find_heads(b);
	b->src->unordered = input_count(b->src->input) > 1;
	return b->status;
}

/* "Skips: 3 forward (120 -   0.5%)": 120 records are missing. */
static void report_skips(struct blktrace *b, const char *line, const char *end)
{
	struct scan s = {line, end};
	uint64_t skips, records = 0;
	if (end - line < 6 || memcmp(line, "Skips:", 6) != 0)
		return;
	s.at += 6;
	if (!scan_number(&s, &skips) || skips == 0)
		return;
	s.at = memchr(s.at, '(', (size_t)(s.end - s.at));
	if (s.at == NULL || (s.at++, !scan_number(&s, &records)))
		records = 0;
	b->sequences.missing += records > 0 ? records : skips;
	blktrace_emit_lost(b, records, 0, "blkparse reports skipped records");
}

static bool begins_summary(const char *line, const char *end)
{
	static const char *const first[] = {"CPU", "Total (", "Input file ", "Throughput ",
					    "Events ("};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		const size_t n = strlen(first[i]);
		if ((size_t)(end - line) > n && memcmp(line, first[i], n) == 0)
			return true;
	}
	return false;
}

static void count_unparsed(struct blktrace *b, const char *line, const char *end)
{
	const struct blktrace_text *t = &b->text;
	report_unparsed(&b->src->report, input_name(b->src->input, t->member - 1), t->lines.number,
			line, (size_t)(end - line));
}

static bool process_line(struct blktrace *b, const char *line, const char *end)
{
	struct blktrace_text *t = &b->text;
	struct blktrace_action_record r;
	if (blktrace_text_parse(line, end, &r)) {
		t->summary = false;
		return blktrace_process(b, &r);
	}
	t->summary = t->summary || begins_summary(line, end);
	if (t->summary || line == end) {
		report_skips(b, line, end);
		b->summary++;
		return true;
	}
	count_unparsed(b, line, end);
	return true;
}

/* A line without LF may be a part of a longer one, unless it ends as lines of actions do. */
static bool last_line(struct blktrace *b, struct iot_text line)
{
	const struct line_reader *lines = &b->text.lines;
	const int status = line_reader_status(lines);
	if (status != IOT_OK)
		blktrace_damage(b, status, line.size, "%s",
				bufreader_error(lines->bufreader)->text);
	else if (b->text.summary || (line.size > 0 && line.data[line.size - 1] == ']'))
		return process_line(b, line.data, line.data + line.size);
	else
		blktrace_damage(b, IOT_ETRUNCATED, line.size, "%s: ends inside line %" PRIu64,
				bufreader_name(lines->bufreader), lines->number);
	return true;
}

int blktrace_text_step(struct blktrace *b)
{
	struct line_reader *lines = &b->text.lines;
	struct iot_text line = {NULL, 0};
	if (lines->bufreader == NULL)
		return open_member(b);
	const enum line_kind kind = line_reader_next(lines, &line);
	b->src->report.lines += kind != LINE_END;
	if (kind == LINE_TOO_LONG) {
		count_unparsed(b, line.data, line.data + line.size);
		return 1;
	}
	if (kind == LINE_WHOLE)
		return process_line(b, line.data, line.data + line.size) ? 1 : b->status;
	if ((kind == LINE_LAST || line_reader_status(lines) != IOT_OK) && !last_line(b, line))
		return b->status;
	return blktrace_requests_end(b) ? open_member(b) : b->status;
}

void blktrace_text_close(struct blktrace *b)
{
	line_reader_close(&b->text.lines);
}
