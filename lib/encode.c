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

static __attribute__((noinline)) ssize_t encode_narrow(struct iot_codec *c,
						       const struct iot_record *rec, char *line)
{
	return iot_encode_with(c, rec, line, c->base == 16 ? write_hex : write_dec);
}

ssize_t iot_encode(struct iot_codec *c, const struct iot_record *rec, char *line)
{
	return c->wide && c->base == 16 ? iot_encode_wide(c, rec, line)
					: encode_narrow(c, rec, line);
}
