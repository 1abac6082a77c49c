/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines written digit by digit, in either base; and what encoding needs off its hot path. */
#include "encode.h"
#include "number.h"

static inline char *put(char *out, uint64_t v, unsigned base)
{
	out += base == 16 ? iot_number_hex(out, v) : iot_number_dec(out, v);
	*out = ' ';
	return out + 1;
}

static inline char *put_signed(char *out, int64_t v, unsigned base)
{
	if (v >= 0)
		return put(out, (uint64_t)v, base);
	*out = '-';
	return put(out + 1, 0 - (uint64_t)v, base);
}

char *iot_line_write(char *out, const struct iot_fields *f, unsigned base)
{
	const unsigned comp = f->compression;
	out = put(out, f->type, base);
	out = put(out, comp, base);
	if (!(comp & IOT_NO_BLOCK))
		out = put(out, f->offset, base);
	if (!(comp & IOT_NO_LENGTH))
		out = put(out, f->length, base);
	out = put_signed(out, f->start, base);
	out = put(out, f->completion, base);
	if (!(comp & IOT_NO_OPERATIONID))
		out = put(out, f->operation, base);
	if (!(comp & IOT_NO_FILEID))
		out = put(out, f->file, base);
	if (!(comp & IOT_NO_PROCESSID))
		out = put(out, f->process, base);
	out = put_signed(out, f->cpu, base);
	out[-1] = '\n';
	return out;
}

int iot_encode_refuse(struct iot_codec *c, int status, const char *why)
{
	c->column = 0;
	strncpy(c->error, why, sizeof c->error - 1);
	return status;
}

struct iot_predict_process *iot_encode_make_room(struct iot_codec *c, struct iot_predict_process *p,
						 uint32_t id)
{
	if (p == NULL)
		p = iot_predict_add_process(c, id);
	return p != NULL && iot_predict_make_room(c, p) ? p : NULL;
}

static char *write_hex(char *out, const struct iot_fields *f)
{
	return iot_line_write(out, f, 16);
}

static char *write_dec(char *out, const struct iot_fields *f)
{
	return iot_line_write(out, f, 10);
}

size_t iot_encode_lines(struct iot_codec *c, const struct iot_record *rec, size_t n, size_t stride,
			char *text, size_t room, size_t *size, ssize_t *last)
{
	if (c->base == 10)
		return iot_encode_lines_with(c, rec, n, stride, text, room, size, last, write_dec);
	if (c->wide)
		return iot_encode_wide(c, rec, n, stride, text, room, size, last);
	return iot_encode_lines_with(c, rec, n, stride, text, room, size, last, write_hex);
}

ssize_t iot_encode(struct iot_codec *c, const struct iot_record *rec, char *line)
{
	size_t size;
	ssize_t last;
	(void)iot_encode_lines(c, rec, 1, sizeof *rec, line, IOT_ENCODED_MAX, &size, &last);
	return last;
}
