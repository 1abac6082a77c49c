/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, records and operations of fio's logs. */
#include "fio.h"

bool fio_no_memory(struct fio *f)
{
	if (f->status == IOT_OK)
		f->status = error_no_memory(&f->src->error);
	return false;
}

void fio_count_unparsed(struct fio *f, const char *line, const char *end)
{
	report_unparsed(&f->src->report, input_name(f->src->input, f->member - 1), f->lines.number,
			line, (size_t)(end - line));
}

static int64_t key(const struct fio *f)
{
	return emit_untimed(&f->emit, f->now_ns);
}

/* Logs show opens, closes, syncs and discards that succeed, and not how fio issues requests. */
#define SHOWS_LITTLE "operations,creates,results,asynchronous"

void fio_emit_trace(struct fio *f)
{
	struct iot_builder d;
	const bool durations = f->samples && f->kind <= FIO_CLAT;
	if (!emit_begin(&f->emit, &d, "trace"))
		return;
	emit_string(&d, "source", "fio");
	if (f->epoch)
		iot_directive_number(&d, "epoch", 0);
	emit_string(&d, "lacks",
		    durations        ? "cpu," SHOWS_LITTLE
		    : f->lacks_start ? "start,completion,cpu," SHOWS_LITTLE
				     : "completion,cpu," SHOWS_LITTLE);
	emit_end(&f->emit, &d, f->now_ns);
}

/* A log belongs to one job, which submits its I/Os one after the other. */
bool fio_emit_process(struct fio *f)
{
	struct iot_builder d;
	const char *path = input_name(f->src->input, f->member - 1);
	const char *slash = strrchr(path, '/');
	f->process++;
	f->files_opened = 0;
	if (!emit_begin(&f->emit, &d, "process"))
		return fio_no_memory(f);
	iot_directive_number(&d, "id", f->process);
	emit_string(&d, "log", slash != NULL ? slash + 1 : path);
	emit_end(&f->emit, &d, key(f));
	return true;
}

bool fio_emit_open(struct fio *f, struct fio_file *file)
{
	const bool lacks_start = !f->samples && f->version == 2;
	struct iot_builder d;
	file->file = ++f->files_opened;
	file->process = f->process;
	if (!emit_begin(&f->emit, &d, "file"))
		return fio_no_memory(f);
	iot_directive_number(&d, "process", file->process);
	iot_directive_number(&d, "id", file->file);
	if (file->size > 0) {
		iot_directive_number(&d, "object", (uint64_t)(file - f->file) + 1);
		iot_directive_text(&d, "path", file->name, file->size);
	}
	if (lacks_start != f->lacks_start)
		emit_string(&d, "start", lacks_start ? "unknown" : "known");
	emit_end(&f->emit, &d, key(f));
	return true;
}

static bool emit_op(struct fio *f, const struct fio_file *file, const struct fio_io *io)
{
	static const char *const names[FIO_ACTIONS] = {
	    [FIO_OPEN] = "open",          [FIO_CLOSE] = "close",  [FIO_SYNC] = "fsync",
	    [FIO_DATASYNC] = "fdatasync", [FIO_TRIM] = "discard",
	};
	struct iot_builder d;
	if (!emit_wants_op(&f->emit, names[io->action]))
		return true;
	if (!emit_begin(&f->emit, &d, "op"))
		return fio_no_memory(f);
	emit_string(&d, "name", names[io->action]);
	if (f->samples || f->version != 2)
		iot_directive_number(&d, "time", (uint64_t)io->start_ns);
	if (io->has_duration)
		iot_directive_number(&d, "took", io->duration_ns);
	iot_directive_number(&d, "process", f->process);
	iot_directive_number(&d, "file", file->file);
	if (file->size > 0)
		iot_directive_text(&d, "path", file->name, file->size);
	if (io->action == FIO_TRIM) {
		iot_directive_number(&d, "offset", io->offset);
		iot_directive_number(&d, "length", io->length);
	}
	emit_end(&f->emit, &d, io->start_ns);
	return true;
}

static bool emit_transfer(struct fio *f, const struct fio_file *file, const struct fio_io *io)
{
	struct iot_event *ev = emit_event(&f->emit);
	const bool lacks_start = !f->samples && f->version == 2;
	if (ev == NULL)
		return fio_no_memory(f);
	emit_record(
	    ev,
	    (struct iot_record){
		.start_ns = io->start_ns,
		.duration_ns = io->duration_ns,
		.offset = io->offset,
		.length = io->length,
		.file = file->file,
		.process = f->process,
		.object = file->size > 0 ? (uint32_t)(file - f->file) + 1 : 0,
		.type = (uint8_t)(IOT_LOGICAL | (io->action == FIO_WRITE ? IOT_WRITE : 0)),
		.flags = (uint8_t)(IOT_CPU_UNKNOWN | (io->has_duration ? 0 : IOT_DURATION_UNKNOWN) |
				   (lacks_start ? IOT_START_UNKNOWN : 0)),
	    });
	f->src->report.records++;
	f->src->report.record_bytes += io->length;
	return true;
}

bool fio_emit_io(struct fio *f, const struct fio_file *file, const struct fio_io *io)
{
	f->src->report.calls++;
	return io->action == FIO_READ || io->action == FIO_WRITE ? emit_transfer(f, file, io)
								 : emit_op(f, file, io);
}

void fio_emit_lost(struct fio *f, uint64_t bytes, const char *why)
{
	struct iot_builder d;
	if (!emit_begin(&f->emit, &d, "lost"))
		return;
	iot_directive_number(&d, "time", (uint64_t)f->now_ns);
	if (bytes > 0)
		iot_directive_number(&d, "bytes", bytes);
	emit_string(&d, "why", why);
	emit_end(&f->emit, &d, f->now_ns);
}
