/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the I/Os of a workload as a trace: make_trace WORKLOAD RECORDS SEED OUT */
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

enum { BATCH = 1024 };

static int write_all(struct iot_writer *w, struct workload *from, size_t n)
{
	struct iot_record rec[BATCH];
	int status = IOT_OK;
	while (n > 0 && status == IOT_OK) {
		const size_t some = n < BATCH ? n : BATCH;
		workload_next(from, rec, some);
		status = iot_writer_records(w, rec, some);
		n -= some;
	}
	return status == IOT_OK ? iot_writer_close(w) : status;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: make_trace WORKLOAD RECORDS SEED OUT\n");
		return 2;
	}
	struct workload *from = workload_new(argv[1], strtoull(argv[3], NULL, 10));
	struct iot_writer *w = iot_writer_new();
	int status = from == NULL || w == NULL ? IOT_EUSAGE : iot_writer_open(w, argv[4]);
	if (status == IOT_OK)
		status = write_all(w, from, strtoull(argv[2], NULL, 10));
	if (status != IOT_OK)
		fprintf(stderr, "make_trace: %s\n",
			w != NULL && from != NULL ? iot_writer_error(w) : "no such workload");
	iot_writer_free(w);
	workload_free(from);
	return status != IOT_OK;
}
