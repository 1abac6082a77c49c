/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass, digit tables; no checks, no limits, no 32-file table, no errors. */
#include "floor.h"

#define EIGHT(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7"
#define ROW(d)   EIGHT(d) d "8" d "9" d "a" d "b" d "c" d "d" d "e" d "f"
static const char pair[] = ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6") ROW("7")
    ROW("8") ROW("9") ROW("a") ROW("b") ROW("c") ROW("d") ROW("e") ROW("f");
static const unsigned char digit[256] = {['0'] = 128, 129, 130,         131, 132, 133, 134, 135,
					 136,         137, ['a'] = 138, 139, 140, 141, 142, 143};

static inline const unsigned char *get(const unsigned char *p, uint64_t *value)
{
	uint64_t v = 0;
	while (digit[*p] != 0)
		v = v << 4 | (digit[*p++] & 15);
	return *value = v, p + 1;
}

size_t floor_decode(struct floor_state *s, const char *text, const char *end, struct iot_record *r)
{
	const struct iot_record *first = r;
	for (const unsigned char *p = (const unsigned char *)text; (const char *)p < end; r++) {
		uint64_t type, c, start, took, cpu, offset = 0, length = 0, file = 0;
		uint64_t process = s->process;
		p = get(get(p, &type), &c);
		p = c & 0x40 ? p : get(p, &offset);
		p = c & 0x04 ? p : get(p, &length);
		p = get(get(p, &start), &took);
		p = c & 0x80 ? p : get(p, &file);
		p = c & 0x08 ? p : get(p, &process);
		p = get(p, &cpu);
		r->process = s->process = (uint32_t)process;
		r->file = c & 0x80 ? s->file[process] : (s->file[process] = (uint32_t)file);
		struct floor_file *f = &s->files[r->file];
		r->type = (uint8_t)type;
		r->offset = c & 0x40 ? f->next : offset << (c & 1 ? 9 : 0);
		r->length = f->length = c & 0x04 ? f->length : length << (c & 2 ? 9 : 0);
		f->next = r->offset + r->length;
		r->start_ns = s->start += (int64_t)start * 1000;
		r->duration_ns = took * 1000;
		r->cpu_ns = s->cpu[process] += (int64_t)cpu * 1000;
	}
	return (size_t)(r - first);
}

static inline char *put(char *p, uint64_t v)
{
	char *end = p + 1 + (63 - __builtin_clzll(v | 1)) / 4, *q = end;
	for (; v > 15; v >>= 8)
		memcpy(q -= 2, pair + 2 * (v & 255), 2);
	if (q > p)
		*p = pair[2 * v + 1];
	*end = ' ';
	return end + 1;
}

char *floor_encode(struct floor_state *s, const struct iot_record *r, size_t n, char *p)
{
	for (; n-- > 0; r++) {
		struct floor_file *f = &s->files[r->file];
		const bool same = r->offset == f->next, again = r->length == f->length;
		int c = (same ? 0x60 : 0x20) | again << 2 | (r->process == s->process) << 3;
		c |= (r->file == s->file[r->process]) << 7;
		c |= !same && r->offset % 512 == 0 && r->offset != 0;
		c |= (!again && r->length % 512 == 0 && r->length != 0) << 1;
		p = put(put(p, r->type), (uint64_t)c);
		p = same ? p : put(p, r->offset >> (c & 1 ? 9 : 0));
		p = again ? p : put(p, r->length >> (c & 2 ? 9 : 0));
		p = put(put(p, (uint64_t)(r->start_ns - s->start) / 1000), r->duration_ns / 1000);
		p = c & 0x80 ? p : put(p, r->file);
		p = c & 0x08 ? p : put(p, r->process);
		p = put(p, (uint64_t)(r->cpu_ns - s->cpu[r->process]) / 1000);
		p[-1] = '\n';
		*f = (struct floor_file){r->offset + r->length, r->length};
		s->file[s->process = r->process] = r->file;
		s->cpu[r->process] = r->cpu_ns, s->start = r->start_ns;
	}
	return p;
}
