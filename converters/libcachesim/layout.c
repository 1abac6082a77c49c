/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layouts of requests. All numbers are little-endian.
 *
 *	oracleGeneral      u32 time, u64 id, u32 size, i64 next
 *	oracleGeneralOpNS  u32 time, u64 id, u32 size, u8 op, u16 namespace, i64 next
 *	vscsi 1            u32 number, u32 size, u32 segments, u16 command, u16 version, u64 block,
 *	                   u64 time
 *	vscsi 2            u16 command, u16 version, u32 number, u32 size, u32 segments, u64 block,
 *	                   u64 time, u64 response time
 *	lcs                a header between two magics, which states the layout
 *
 * Times are in seconds, of vscsi in microseconds. `next` is the number of the next request of the
 * same id, or -1; files without a magic are recognized by it.
 *
 * The header of lcs has 8,192 bytes: magic, version 1 .. 8, statistics, magic; or, in old files,
 * 1,024 bytes: magic, a format of Python's struct, the numbers of the fields, statistics, magic.
 */
#include "libcachesim.h"

enum {
	WIDE_HEADER = 8192,
	OLD_HEADER = 1024,
	MAGIC_SIZE = 8,
	VERSION_AT = 8,
	REQUESTS_AT = 24, /* of a wide header */
	VERSIONS = 8,
	FORMAT_AT = 8, /* of an old header */
	FORMAT_SIZE = 240,
	NUMBERS_AT = FORMAT_AT + FORMAT_SIZE,
	OLD_REQUESTS_AT = 488,
	ITEM_SIZE_AT = 1004,
	MAGIC_BITS = 120,
	SCSI_BITS = 24,
	NEXT_BITS = 12,
	BITS_MAX = 100,
	CHECKED_MAX = 4096, /* requests */
	CACHE_OPS_MAX = 14,
};

#define MAGIC    UINT64_C(0x123456789abcdef0)
#define NEXT_MAX (INT64_C(1) << 40)

static const struct lcs_layout oracle_general = {.name = "oracleGeneral",
						 .item = 24,
						 .time = {0, 4},
						 .id = {4, 8},
						 .size = {12, 4},
						 .next = {16, 8},
						 .tick_ns = 1000000000};

static const struct lcs_layout oracle_general_ops = {.name = "oracleGeneralOpNS",
						     .item = 27,
						     .time = {0, 4},
						     .id = {4, 8},
						     .size = {12, 4},
						     .op = {16, 1},
						     .tenant = {17, 2},
						     .next = {19, 8},
						     .ops = LCS_CACHE_OPS,
						     .tick_ns = 1000000000};

static const struct lcs_layout vscsi_1 = {.name = "vscsi1",
					  .item = 32,
					  .time = {24, 8},
					  .id = {16, 8},
					  .size = {4, 4},
					  .op = {12, 2},
					  .ops = LCS_SCSI_OPS,
					  .tick_ns = 1000,
					  .scsi_blocks = true};

static const struct lcs_layout vscsi_2 = {.name = "vscsi2",
					  .item = 40,
					  .time = {24, 8},
					  .id = {16, 8},
					  .size = {8, 4},
					  .op = {0, 2},
					  .ops = LCS_SCSI_OPS,
					  .tick_ns = 1000,
					  .scsi_blocks = true};

static const struct lcs_layout *const plain[] = {&oracle_general, &oracle_general_ops, &vscsi_1,
						 &vscsi_2};

enum { PLAIN = sizeof plain / sizeof *plain };

bool lcs_layout_named(struct lcs_layout *l, const char *name)
{
	for (size_t i = 0; i < PLAIN; i++)
		if (strcmp(plain[i]->name, name) == 0) {
			*l = *plain[i];
			return true;
		}
	return false;
}

static uint64_t number_at(const char *head, size_t at, uint8_t size)
{
	char bytes[8] = "";
	memcpy(bytes, head + at, size);
	return lcs_load((const unsigned char *)bytes, (struct lcs_field){0, size});
}

/* lcs of versions 1 to 8 */

static int wide_header(struct lcs_layout *l, const char *head, struct error *error)
{
	const uint64_t version = number_at(head, VERSION_AT, 8);
	if (version == 0 || version > VERSIONS)
		return error_set(error, IOT_EFORMAT, "lcs of version %ju, expected 1 to %d",
				 (uintmax_t)version, VERSIONS);
	*l = oracle_general;
	l->name = "lcs";
	l->header = WIDE_HEADER;
	l->requests = number_at(head, REQUESTS_AT, 8);
	if (version == 1)
		return IOT_OK;
	l->ops = LCS_CACHE_OPS;
	if (version == 2) {
		l->item = 28;
		l->op = (struct lcs_field){16, 1};
		l->tenant = (struct lcs_field){17, 3};
		l->next = (struct lcs_field){20, 8};
		return IOT_OK;
	}
	l->size = (struct lcs_field){12, 8};
	l->op = (struct lcs_field){20, 1};
	l->tenant = (struct lcs_field){21, 3};
	l->next = (struct lcs_field){28, 8};
	l->item = 36 + (version > 3 ? 4U << (version - 4) : 0);
	return IOT_OK;
}

/* Old lcs */

static uint8_t letter_size(char letter)
{
	static const char letters[] = "xcbB?hHiIlLqQfd";
	static const uint8_t sizes[] = {1, 1, 1, 1, 1, 2, 2, 4, 4, 4, 4, 8, 8, 4, 8};
	const char *found = letter != '\0' ? strchr(letters, letter) : NULL;
	return found != NULL ? sizes[found - letters] : 0;
}

/* Floating-point numbers and single characters have sizes, but are no integers. */
static bool is_integer(char letter)
{
	return strchr("bBhHiIlLqQ", letter) != NULL;
}

/* Finds the places of the fields of a format; field[0] is not used. Returns the size of an item. */
static uint32_t parse_format(const char *format, struct lcs_field *field, size_t *count)
{
	uint32_t at = 0;
	size_t i = format[0] == '<';
	*count = 0;
	for (; i < FORMAT_SIZE && format[i] != '\0'; i++) {
		const uint8_t size = letter_size(format[i]);
		if (size == 0 || at + size > LCS_ITEM_MAX)
			return 0;
		if (format[i] != 'x')
			field[++*count] =
			    (struct lcs_field){(uint16_t)at, is_integer(format[i]) ? size : 0};
		at += size;
	}
	return at;
}

static int old_header(struct lcs_layout *l, const char *head, struct error *error)
{
	struct lcs_field field[FORMAT_SIZE + 1] = {{0, 0}};
	const unsigned char *number = (const unsigned char *)head + NUMBERS_AT;
	size_t count;
	char shown[64];
	const uint32_t item = parse_format(head + FORMAT_AT, field, &count);
	const uint32_t stated = (uint32_t)number_at(head, ITEM_SIZE_AT, 4);
	if (item == 0 || (stated != 0 && stated != item))
		return error_set(error, IOT_EFORMAT,
				 "lcs with the format '%s' for %ju bytes, expected one such as "
				 "<IQIq",
				 escape_text(shown, sizeof shown, head + FORMAT_AT,
					     strnlen(head + FORMAT_AT, FORMAT_SIZE)),
				 (uintmax_t)stated);
	*l = (struct lcs_layout){.name = "lcs", .header = OLD_HEADER, .item = item};
	struct lcs_field *const to[] = {&l->id,   &l->size, &l->time, NULL,
					&l->next, &l->op,   NULL,     &l->tenant};
	for (size_t i = 0; i < sizeof to / sizeof *to; i++)
		if (to[i] != NULL && number[i] <= count)
			*to[i] = field[number[i]];
	l->tick_ns = 1000000000;
	l->ops = l->op.size > 0 ? LCS_CACHE_OPS : LCS_NO_OPS;
	l->requests = number_at(head, OLD_REQUESTS_AT, 8);
	if (l->id.size > 0)
		return IOT_OK;
	return error_set(error, IOT_EFORMAT, "lcs without an integer field for the object id");
}

/* Files without a header */

/*
 * Counts the requests whose `next` is evidence: none, or a request of the same id. Returns 0 if one
 * contradicts: by an earlier request, by one of another id, or by a time that decreases. The
 * requests are numbered from `base`.
 */
static size_t check_next(const struct lcs_layout *l, const unsigned char *head, size_t count,
			 int64_t base)
{
	uint64_t last = 0;
	size_t good = 0;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *item = head + i * l->item;
		const int64_t next = (int64_t)lcs_load(item, l->next);
		const uint64_t time = lcs_load(item, l->time), id = lcs_load(item, l->id);
		if (time < last || (l->ops != LCS_NO_OPS && lcs_load(item, l->op) > CACHE_OPS_MAX))
			return 0;
		last = time;
		good += next == -1 || next == INT64_MAX;
		if (next == -1 || next == INT64_MAX)
			continue;
		if (next < base || next > NEXT_MAX || (uint64_t)(next - base) <= i)
			return 0;
		const size_t of = (size_t)(next - base);
		if (of < count && lcs_load(head + of * l->item, l->id) != id)
			return 0;
		good += of < count;
	}
	return good;
}

bool lcs_is_write(uint64_t command)
{
	return command == 0x0a || command == 0x2a || command == 0xaa || command == 0x8a;
}

bool lcs_is_transfer(uint64_t command)
{
	return command == 0x08 || command == 0x28 || command == 0xa8 || command == 0x88 ||
	       lcs_is_write(command);
}

static size_t check_scsi(const struct lcs_layout *l, const unsigned char *head, size_t count)
{
	const struct lcs_field version = {(uint16_t)(l->op.at + 2), 2};
	const uint64_t expected = l->item == vscsi_2.item ? 2 : 1;
	size_t transfers = 0;
	for (size_t i = 0; i < count; i++) {
		const unsigned char *item = head + i * l->item;
		if (lcs_load(item, version) >> 8 != expected)
			return 0;
		transfers += lcs_is_transfer(lcs_load(item, l->op));
	}
	return transfers;
}

static int plain_bits(const struct lcs_layout *l, const char *head, size_t size)
{
	/* the last one may not be followed by eight bytes that are readable */
	size_t count = size > 8 ? (size - 8) / l->item : 0, good;
	const unsigned char *items = (const unsigned char *)head;
	count = count < CHECKED_MAX ? count : CHECKED_MAX;
	if (l->scsi_blocks) {
		good = check_scsi(l, items, count);
	} else {
		good = check_next(l, items, count, 1);
		good = good > 0 ? good : check_next(l, items, count, 0);
	}
	const size_t bits = good * (l->scsi_blocks ? SCSI_BITS : NEXT_BITS);
	return bits < BITS_MAX ? (int)bits : BITS_MAX;
}

static int detect_plain(struct lcs_layout *l, const char *head, size_t size)
{
	int max = 0;
	for (size_t i = 0; i < PLAIN; i++) {
		const int bits = plain_bits(plain[i], head, size);
		if (bits > max)
			*l = *plain[i];
		max = bits > max ? bits : max;
	}
	return max;
}

int lcs_layout_detect(struct lcs_layout *l, const char *head, size_t size, struct error *error)
{
	if (size >= OLD_HEADER && number_at(head, 0, MAGIC_SIZE) == MAGIC) {
		if (number_at(head, OLD_HEADER - MAGIC_SIZE, MAGIC_SIZE) == MAGIC) {
			(void)old_header(l, head, error);
			return MAGIC_BITS;
		}
		if (size >= WIDE_HEADER &&
		    number_at(head, WIDE_HEADER - MAGIC_SIZE, MAGIC_SIZE) == MAGIC) {
			(void)wide_header(l, head, error);
			return MAGIC_BITS;
		}
	}
	if (size >= MAGIC_SIZE && number_at(head, 0, MAGIC_SIZE) == MAGIC) {
		error_set(error, IOT_ETRUNCATED, "lcs without the end of its header");
		return MAGIC_BITS;
	}
	return detect_plain(l, head, size);
}
