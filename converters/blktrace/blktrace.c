/* SPDX-License-Identifier: BSD-2-Clause */
/* The interface: settings, the loop over both forms of a trace, and what is counted. */
#include "blktrace.h"
#include "lib/base/plural.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MINOR_BITS = 20, MAJOR_MAX = (1 << 12) - 1, MINOR_MAX = (1 << MINOR_BITS) - 1 };

/* Input */

static int evidence(struct input *in, size_t member, bool *text)
{
	size_t size;
	const char *head = input_head(in, member, &size);
	const int binary = blktrace_binary_evidence(head, size);
	*text = binary == 0;
	return binary > 0 ? binary : blktrace_text_evidence(head, size);
}

static int sniff(struct input *in)
{
	int bits = 0;
	for (size_t i = 0; i < input_count(in) && bits == 0; i++) {
		bool text;
		bits = evidence(in, i, &text);
	}
	return bits;
}

/* Settings */

static bool parse_device(const char *text, uint32_t *device)
{
	const char *end = text + strlen(text);
	uint64_t major, minor;
	if (!number_scan(&text, end, 10, &major) || text == end || (*text != ',' && *text != ':'))
		return false;
	text++;
	if (!number_scan(&text, end, 10, &minor) || text != end || major > MAJOR_MAX ||
	    minor > MINOR_MAX)
		return false;
	*device = (uint32_t)(major << MINOR_BITS | minor);
	return true;
}

static int apply_settings(struct blktrace *b)
{
	const char *start = source_setting(b->src, "start"),
		   *device = source_setting(b->src, "device");
	b->by_queue = start != NULL && strcmp(start, "queue") == 0;
	if (start != NULL && !b->by_queue && strcmp(start, "issue") != 0)
		return source_setting_wrong(b->src, "start", "issue or queue");
	b->has_device = device != NULL;
	if (device != NULL && !parse_device(device, &b->device))
		return source_setting_wrong(b->src, "device", "MAJOR,MINOR, such as 8,16");
	return emit_set_ops(&b->emit, b->src);
}

/* The end */

static void count_actions(struct blktrace *b)
{
	static const char *const names[BLKTRACE_ACTIONS] = {
	    [BLKTRACE_QUEUE] = "actions.queue",
	    [BLKTRACE_BACK_MERGE] = "actions.back_merge",
	    [BLKTRACE_FRONT_MERGE] = "actions.front_merge",
	    [BLKTRACE_GET_REQUEST] = "actions.get_request",
	    [BLKTRACE_SLEEP] = "actions.sleep",
	    [BLKTRACE_REQUEUE] = "actions.requeue",
	    [BLKTRACE_ISSUE] = "actions.issue",
	    [BLKTRACE_COMPLETE] = "actions.complete",
	    [BLKTRACE_PLUG] = "actions.plug",
	    [BLKTRACE_UNPLUG] = "actions.unplug",
	    [BLKTRACE_UNPLUG_TIMER] = "actions.unplug_timer",
	    [BLKTRACE_INSERT] = "actions.insert",
	    [BLKTRACE_SPLIT] = "actions.split",
	    [BLKTRACE_BOUNCE] = "actions.bounce",
	    [BLKTRACE_REMAP] = "actions.remap",
	    [BLKTRACE_ABORT] = "actions.abort",
	    [BLKTRACE_DRIVER_DATA] = "actions.driver_data",
	    [BLKTRACE_OTHER] = "actions.other",
	    [BLKTRACE_PROCESS] = "actions.process",
	    [BLKTRACE_TIMESTAMP] = "actions.timestamp",
	    [BLKTRACE_MESSAGE] = "actions.message",
	};
	for (size_t i = 1; i < BLKTRACE_ACTIONS; i++)
		if (b->actions[i] > 0)
			report_add(&b->src->report, names[i], b->actions[i]);
}

static void count_results(struct blktrace *b)
{
	const struct {
		const char *name;
		uint64_t value;
	} counts[] = {
	    {"skipped.upper_devices", b->skipped}, {"skipped.passthrough", b->passthrough},
	    {"skipped.beyond_devices", b->beyond}, {"skipped.summary_lines", b->summary},
	    {"requests.unmatched", b->unmatched},  {"requests.unfinished", b->unfinished},
	    {"requests.unissued", b->unissued},    {"requests.dropped", b->dropped},
	    {"requests.failed", b->failed},        {"ambiguous.length", b->unaligned},
	    {"clock.not_a_time", b->untimed},      {"clock.backwards", b->backwards},
	    {"damaged.bytes", b->damaged_bytes},   {"damaged.places", b->damaged_places},
	    {"lost.records", b->sequences.missing}};
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (counts[i].value > 0)
			report_add(&b->src->report, counts[i].name, counts[i].value);
}

static void note_results(struct blktrace *b)
{
	struct report *r = &b->src->report;
	if (b->unmatched > 0)
		report_note(
		    r, "%" PRIu64 " %s whose start is not in the trace", b->unmatched,
		    plural(b->unmatched, "completion of a request", "completions of requests"));
	if (b->unfinished > 0)
		report_note(r, "%" PRIu64 " %s whose completion is not in the trace", b->unfinished,
			    plural(b->unfinished, "request", "requests"));
	if (b->unissued > 0)
		report_note(r, "%" PRIu64 " %s queued", b->unissued,
			    plural(b->unissued,
				   "request completed without being issued to the device; it "
				   "starts when it was",
				   "requests completed without being issued to the device; they "
				   "start when they were"));
	if (b->failed > 0)
		report_note(r, "%" PRIu64 " %s", b->failed,
			    plural(b->failed, "request failed; it is an operation",
				   "requests failed; they are operations"));
}

static bool finish(struct blktrace *b)
{
	b->ended = true;
	if (!blktrace_requests_end(b))
		return false;
	count_actions(b);
	count_results(b);
	note_results(b);
	blktrace_emit_totals(b);
	emit_counts(&b->emit, b->is_text ? "blkparse" : "blktrace", b->now_ns);
	source_check_understood(b->src);
	b->status = b->status == IOT_OK ? b->src->error.status : b->status;
	return b->status == IOT_OK;
}

static int verdict(struct blktrace *b)
{
	const uint64_t missing = b->sequences.missing, impossible = b->beyond + b->untimed;
	if (b->status != IOT_OK)
		return b->status;
	if (missing == 0 && b->damage.status == IOT_OK)
		return impossible == 0
			   ? IOT_OK
			   : error_set(&b->src->error, IOT_EFORMAT,
				       "%" PRIu64 " %s impossible sectors or times", impossible,
				       plural(impossible, "record has", "records have"));
	b->src->lost_reported = true;
	if (b->damage.status != IOT_OK)
		return error_set(&b->src->error, b->damage.status, "%s", b->damage.text);
	return error_set(&b->src->error, IOT_EFORMAT, "%" PRIu64 " %s missing", missing,
			 plural(missing, "record is", "records are"));
}

/* Interface */

/* Members of the other form, and of neither, are ignored. */
static void ignore_others(struct blktrace *b)
{
	size_t count = 0, first = 0;
	for (size_t i = 0; i < input_count(b->src->input); i++) {
		size_t size;
		bool text;
		const int found = evidence(b->src->input, i, &text);
		(void)input_head(b->src->input, i, &size);
		if (size == 0 || (found > 0 && text == b->is_text))
			continue;
		first = count++ == 0 ? i : first;
	}
	if (input_count(b->src->input) > 1)
		source_ignored(b->src, count, first);
}

static int open_source(struct source_state *src)
{
	struct blktrace *b = calloc(1, sizeof *b);
	src->state = b;
	if (b == NULL)
		return error_no_memory(&src->error);
	b->src = src;
	b->emit.report = &src->report;
	b->emit.directive_capacity = BLKTRACE_DIRECTIVE;
	b->now_ns = INT64_MIN;
	src->tick_ns = 1;
	if (apply_settings(b) != IOT_OK)
		return src->error.status;
	b->is_text = true;
	for (size_t i = 0; i < input_count(src->input) && b->is_text; i++) {
		size_t size;
		const char *head = input_head(src->input, i, &size);
		b->is_text = blktrace_binary_evidence(head, size) == 0;
	}
	ignore_others(b);
	const int status = b->is_text ? blktrace_text_open(b) : blktrace_binary_open(b);
	b->emit.promised_ns = src->first_ns;
	return status;
}

static void close_source(struct source_state *src)
{
	struct blktrace *b = src->state;
	if (b == NULL)
		return;
	blktrace_binary_close(b);
	blktrace_text_close(b);
	blktrace_requests_free(&b->requests);
	for (size_t i = 0; i < b->device_numbers.count; i++)
		free(i < b->device_capacity ? b->devices[i] : NULL);
	free(b->devices);
	idmap_free(&b->device_numbers);
	idmap_free(&b->names.pids);
	idmap_free(&b->names.disks);
	idmap_free(&b->sequences.counters);
	free(b->names.name);
	free(b->names.state);
	free(b->sequences.last);
	emit_free(&b->emit);
	free(b);
	src->state = NULL;
}

static void update_watermark(struct blktrace *b)
{
	const int64_t ns = blktrace_requests_oldest(b, b->now_ns);
	if (ns > b->src->watermark_ns)
		b->src->watermark_ns = ns;
	b->emit.promised_ns = b->src->watermark_ns;
}

static void fill(struct blktrace *b)
{
	if (!b->began)
		blktrace_emit_trace(b);
	b->began = true;
	while (b->emit.count < b->emit.max && !b->ended && b->status == IOT_OK) {
		const int found = b->is_text ? blktrace_text_step(b) : blktrace_binary_step(b);
		if (found == 0)
			(void)finish(b);
		else if (b->emit.status != IOT_OK)
			(void)blktrace_no_memory(b);
	}
}

static int next(struct source_state *src, struct iot_event *out, int max)
{
	struct blktrace *b = src->state;
	struct emit *e = &b->emit;
	int n = emit_leftovers(e, out, max);
	if (n == 0) {
		emit_start(e, out, max);
		fill(b);
		n = (int)e->count;
	}
	if (e->over_count == 0)
		update_watermark(b);
	return n > 0 ? n : verdict(b);
}

static const struct iot_format_option options[] = {
    {"start", "issue|queue",
     "requests start when they are issued to the device (default), or when they are queued"},
    {"device", "MAJ,MIN", "convert this device (default: the lowest ones)"},
    {NULL, NULL, NULL},
};

const struct converter converter_blktrace = {
    .name = "blktrace",
    .summary = "binary traces of blktrace, and the text of blkparse",
    .options = options,
    .sniff = sniff,
    .open = open_source,
    .next = next,
    .close = close_source,
    .is_counter = blktrace_is_counter,
};
