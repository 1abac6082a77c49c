/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same I/Os as packets of 24 bytes, read by libpcap's own reader and decoded to absolute
 * records. Compiled in if libpcap is available (BENCH_WITH_PCAP).
 */
#include "bench.h"

#ifdef BENCH_WITH_PCAP

#include <pcap/pcap.h>
#include <string.h>

struct payload {
	uint64_t offset;
	uint32_t length; /* 24 bits; the type above them */
	uint32_t duration_us, cpu_us;
	uint32_t ids; /* file; process in the bits above 19 */
};

bool bench_pcap_write(struct bench *b)
{
	int64_t cpu_ns[FLOOR_PROCESSES] = {0};
	pcap_t *reclaimable = pcap_open_reclaimable(DLT_USER0, sizeof(struct payload));
	pcap_dumper_t *d = reclaimable == NULL ? NULL : pcap_dump_open(reclaimable, b->pcap);
	for (size_t i = 0; d != NULL && i < b->n; i++) {
		const struct iot_record *r = &b->records[i];
		const int64_t us = r->start_ns / 1000;
		const struct payload p = {.offset = r->offset,
					  .length = (uint32_t)r->length | (uint32_t)r->type << 24,
					  .duration_us = (uint32_t)(r->duration_ns / 1000),
					  .cpu_us =
					      (uint32_t)((r->cpu_ns - cpu_ns[r->process]) / 1000),
					  .ids = r->file | r->process << 19};
		const struct pcap_pkthdr h = {
		    .ts = {us / 1000000, us % 1000000}, .caplen = sizeof(p), .len = sizeof(p)};
		cpu_ns[r->process] = r->cpu_ns;
		pcap_dump((unsigned char *)d, &h, (const unsigned char *)&p);
	}
	const bool ok = d != NULL && pcap_dump_flush(d) == 0;
	b->sizes.pcap = ok ? (double)pcap_dump_ftell(d) / (double)b->n : 0;
	if (d != NULL)
		pcap_dump_close(d);
	if (reclaimable != NULL)
		pcap_close(reclaimable);
	return ok;
}

static void decode(struct iot_record *r, int64_t *cpu_ns, const struct pcap_pkthdr *h,
		   const unsigned char *data)
{
	struct payload p;
	memcpy(&p, data, sizeof(p));
	memset(r, 0, sizeof(*r));
	r->start_ns = h->ts.tv_sec * 1000000000 + h->ts.tv_usec * 1000;
	r->duration_ns = (uint64_t)p.duration_us * 1000;
	r->offset = p.offset;
	r->length = p.length & 0xffffff;
	r->type = (uint8_t)(p.length >> 24);
	r->file = p.ids & (FLOOR_FILES - 1);
	r->process = p.ids >> 19;
	r->cpu_ns = cpu_ns[r->process] += (int64_t)p.cpu_us * 1000;
}

bool bench_pcap_read(struct bench *b)
{
	char error[PCAP_ERRBUF_SIZE];
	int64_t cpu_ns[FLOOR_PROCESSES] = {0};
	pcap_t *p = pcap_open_offline(b->pcap, error);
	struct pcap_pkthdr *h;
	const unsigned char *data;
	size_t n = 0;
	if (p == NULL) {
		fprintf(stderr, "bench: %s\n", error);
		return false;
	}
	for (; pcap_next_ex(p, &h, &data) == 1; n++)
		decode(&b->batch[n % BENCH_BATCH], cpu_ns, h, data);
	pcap_close(p);
	return n == b->n;
}

#else

bool bench_pcap_write(struct bench *b)
{
	(void)b;
	return false;
}

bool bench_pcap_read(struct bench *b)
{
	(void)b;
	return false;
}

#endif
