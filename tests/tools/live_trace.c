/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A traced program that dies: writes RECORDS records in place, with a flush after every FLUSH
 * events (0: as the library chooses), and is killed, or with `close` ends the trace.
 *
 *	live_trace OUT FLUSH RECORDS [close]
 */
#include <iotrace/iotrace.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_all(struct iot_writer *w, uint64_t n)
{
	int status = iot_writer_process(w, 7, 1, "live");
	if (status == IOT_OK)
		status = iot_writer_file(w, 7, 3, 1, "/scratch/out file");
	for (uint64_t i = 0; i < n && status == IOT_OK; i++) {
		const struct iot_record rec = {.start_ns = (int64_t)i * 7000,
					       .duration_ns = 2000 + i % 5 * 1000,
					       .cpu_ns = (int64_t)i * 3000,
					       .offset = i * 4096,
					       .length = 4096,
					       .file = 3,
					       .process = 7,
					       .type = IOT_LOGICAL | IOT_WRITE};
		status = iot_writer_records(w, &rec, 1);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct iot_writer *w = argc >= 4 ? iot_writer_new() : NULL;
	if (w == NULL)
		return 2;
	const uint64_t flush = strtoull(argv[2], NULL, 10);
	int status = iot_writer_set(w, IOT_SET_IN_PLACE, 1);
	if (status == IOT_OK && flush > 0)
		status = iot_writer_set(w, IOT_SET_FLUSH, flush);
	/* So that the loss depends only on the records. */
	if (status == IOT_OK && flush > 0)
		status = iot_writer_set(w, IOT_SET_FLUSH_NS, 0);
	if (status == IOT_OK)
		status = iot_writer_open(w, argv[1]);
	if (status == IOT_OK)
		status = write_all(w, strtoull(argv[3], NULL, 10));
	if (status == IOT_OK && argc == 4)
		raise(SIGKILL);
	if (status == IOT_OK)
		status = iot_writer_close(w);
	if (status != IOT_OK)
		fprintf(stderr, "live_trace: %s\n", iot_writer_error(w));
	iot_writer_free(w);
	return status != IOT_OK;
}
