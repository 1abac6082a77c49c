/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of all counters that converters write in %counter, for filters that pass on known names
 * only.
 */
#include "converter.h"

#include <string.h>

/* Counters of reports (report_add), and counters of single modules or records. */
static const char reported[] =
    "ambiguous ambiguous.descriptor ambiguous.end ambiguous.handle ambiguous.length"
    " ambiguous.order ambiguous.parent ambiguous.process bytes bytes-skipped check.compared"
    " chroot clock.backwards clock.before_start clock.negative_duration clock.not_a_time"
    " contradicted.lost counters.records damaged.bytes damaged.places damaged.segments "
    "directive.too_long"
    " ended_inside failed.async failed.negative_offset guessed guessed.pair hidden"
    " hidden.fprintf hidden.io_getevents_entries hidden.io_setup hidden.io_submit_entries"
    " hidden.io_submit_lengths hidden.io_uring hidden.io_uring_rings hidden.messages"
    " hidden.mmap hidden.mpi_type ignored.files interrupted late late_parent missed.close"
    " mixed.joined mixed.lost module packets.duplicate packets.found_late packets.good"
    " packets.lost packets.other_tick packets.unknown_kind partial.modules path.cut"
    " position.resynced ranks.beyond_job records resumed_alone skipped.bytes"
    " skipped.device.calls skipped.device.read_bytes skipped.device.written_bytes"
    " skipped.memfd.calls skipped.memfd.read_bytes skipped.memfd.written_bytes"
    " skipped.modules skipped.other.calls skipped.other.read_bytes"
    " skipped.other.written_bytes skipped.pipe.calls skipped.pipe.read_bytes"
    " skipped.pipe.written_bytes skipped.socket.calls skipped.socket.read_bytes"
    " skipped.socket.written_bytes skipped.standard.calls skipped.standard.read_bytes"
    " skipped.standard.written_bytes skipped.terminal.calls skipped.terminal.read_bytes"
    " skipped.terminal.written_bytes skipped.unnamed.calls skipped.unnamed.read_bytes"
    " skipped.unnamed.written_bytes threads.too_many times unclosed unfinished_at_end"
    " unknown.async_lengths unknown.duration_records unknown.length_records"
    " unknown.offset_bytes unknown.offset_records unnamed.files unopened_records unparsed"
    " unseen.async_results unseen.children unseen.forks unseen.passed version"
    " parsed.entries parsed.failed parsed.metadata parsed.not_files parsed.operations"
    " parsed.records parsed.tracked parsed.unused repaired unseen.copies unseen.entries"
    " ambiguous.id blank.lines header.lines joined.lines unaligned.records unknown.op_records"
    " actions.abort actions.add actions.back_merge actions.bounce actions.close"
    " actions.complete actions.datasync actions.driver_data actions.front_merge"
    " actions.get_request actions.header actions.insert actions.issue actions.message"
    " actions.open actions.other actions.plug actions.process actions.queue actions.read"
    " actions.remap actions.requeue actions.sleep actions.split actions.sync"
    " actions.timestamp actions.trim actions.unplug actions.unplug_timer actions.wait"
    " actions.write lost.records requests.dropped requests.failed requests.unfinished"
    " requests.unissued requests.unmatched skipped.beyond_devices skipped.passthrough"
    " skipped.summary_lines skipped.upper_devices skipped.path.calls skipped.path.read_bytes"
    " skipped.path.written_bytes hidden.loader hidden.stdio hidden.aio hidden.namespaces"
    " hidden.dlmopen joined.stdio late.aio unrecorded rchar wchar syscr syscw read_bytes"
    " write_bytes samples samples.first samples.duplicate samples.gaps samples.long_gaps"
    " samples.resets samples.decreases samples.wraps samples.doubtful skipped.devices"
    " skipped.responses failed.responses skipped.node_responses skipped.parameters"
    " skipped.mounts jobid.unmatched untimed.reports too_large";

static bool is_reported(struct iot_text name)
{
	const char *word = reported;
	size_t n;
	for (; (n = strcspn(word, " ")) > 0; word += n + (word[n] == ' '))
		if (n == name.size && memcmp(word, name.data, n) == 0)
			return true;
	return false;
}

bool counter_is_count(struct iot_text name)
{
	return is_reported(name) && memmem(name.data, name.size, "bytes", 5) == NULL &&
	       memmem(name.data, name.size, "char", 4) == NULL &&
	       memmem(name.data, name.size, "loader", 6) == NULL;
}

bool counter_is_known(struct iot_text name)
{
	if (is_reported(name))
		return true;
	for (size_t i = 0; converters[i] != NULL; i++)
		if (converters[i]->is_counter != NULL && converters[i]->is_counter(name))
			return true;
	return false;
}
