/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mostly lengths: prefixes, the bytes of the opcode, ModRM with what it requires, and an immediate.
 * The tables describe the opcodes of 64-bit mode.
 */
#include "instruction.h"

enum { LENGTH_MAX = 15 };

/* Immediates of an opcode. Z: 4 bytes, or 2 with the prefix 66. */
enum immediate {
	NO_IMMEDIATE,
	IMMEDIATE_8,
	IMMEDIATE_16,
	IMMEDIATE_24, /* enter */
	IMMEDIATE_32,
	IMMEDIATE_Z,
	IMMEDIATE_FULL,    /* as Z, or 8 bytes with REX.W */
	IMMEDIATE_ADDRESS, /* 8 bytes, or 4 with the prefix 67 */
};

struct code_reader {
	const uint8_t *at, *end;
	bool small_operand, small_address, wide;
	enum immediate immediate;
};

/* Sets of opcodes, a bit for each. */
typedef uint32_t opcode_set[8];

static bool contains(const opcode_set set, uint8_t opcode)
{
	return (set[opcode / 32] >> opcode % 32 & 1) != 0;
}

static const opcode_set one_byte_modrm = {
    0x0f0f0f0f, /* 00-1f: arithmetic */
    0x0f0f0f0f, /* 20-3f */
    0x00000000, /* 40-5f: REX, push, pop */
    0x00000a08, /* 63 movsxd, 69 and 6b imul */
    0x0000fffb, /* 80-8f without 82 */
    0x00000000, /* a0-bf */
    0xff0f00c3, /* c0 c1 c6 c7, d0-d3, d8-df */
    0xc0c00000, /* f6 f7, fe ff */
};

static const opcode_set one_byte_invalid = {
    0xc0c040c0,             /* 06 07 0e, 16 17 1e 1f */
    0x80808080,             /* 27 2f 37 3f */
    0x00000000, 0x00000007, /* 60-62; EVEX is handled before */
    0x04000004,             /* 82, 9a */
    0x00000000, 0x00704030, /* c4 c5 (VEX is handled before), ce, d4-d6 */
    0x00000400,             /* ea */
};

static const opcode_set two_byte_plain = {
    0x00004be0,             /* 05-09, 0b, 0e */
    0x00ff0000,             /* 30-37 */
    0x00000000, 0x00800000, /* 77 */
    0x0000ffff,             /* 80-8f */
    0x00000707,             /* a0-a2, a8-aa */
    0x0000ff00,             /* c8-cf */
    0x00000000,
};

/* Without 38 and 3a, which are escapes, and 0f. */
static const opcode_set two_byte_invalid = {
    0x00009410,                                     /* 04 0a 0c 0f */
    0xfa4000f0,                                     /* 24-27, 36, 39, 3b-3f */
    0x00000000, 0x00000000, 0x00000000, 0x000000c0, /* a6 a7 */
    0x00000000, 0x00000000,
};

/* An immediate byte in maps 0f of all encodings. */
static bool two_byte_has_byte(uint8_t opcode)
{
	return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xa4 || opcode == 0xac ||
	       opcode == 0xba || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

static enum immediate one_byte_immediate(uint8_t opcode)
{
	if (opcode < 0x40)
		return (opcode & 7) == 4   ? IMMEDIATE_8
		       : (opcode & 7) == 5 ? IMMEDIATE_Z
					   : NO_IMMEDIATE;
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xb0 && opcode <= 0xb7) ||
	    (opcode >= 0xe0 && opcode <= 0xe7))
		return IMMEDIATE_8;
	if (opcode >= 0xb8 && opcode <= 0xbf)
		return IMMEDIATE_FULL;
	switch (opcode) {
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xeb:
		return IMMEDIATE_8;
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return IMMEDIATE_Z;
	case 0xe8:
	case 0xe9:
		return IMMEDIATE_32;
	case 0xc2:
	case 0xca:
		return IMMEDIATE_16;
	case 0xc8:
		return IMMEDIATE_24;
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa3:
		return IMMEDIATE_ADDRESS;
	default:
		return NO_IMMEDIATE;
	}
}

static bool take(struct code_reader *d, size_t n)
{
	if ((size_t)(d->end - d->at) < n)
		return false;
	d->at += n;
	return true;
}

static bool next(struct code_reader *d, uint8_t *byte)
{
	*byte = d->at < d->end ? *d->at : 0;
	return take(d, 1);
}

/* Prefixes of old instructions, and the opcode after them. */
static bool take_prefixes(struct code_reader *d, uint8_t *opcode)
{
	while (next(d, opcode))
		switch (*opcode) {
		case 0x66:
			d->small_operand = true;
			break;
		case 0x67:
			d->small_address = true;
			break;
		case 0xf0:
		case 0xf2:
		case 0xf3:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0x26:
		case 0x64:
		case 0x65:
			break;
		default:
			if ((*opcode & 0xf0) != 0x40)
				return true;
			d->wide = (*opcode & 8) != 0; /* REX is the last prefix */
			return next(d, opcode);
		}
	return false;
}

static bool take_modrm(struct code_reader *d, uint8_t *modrm)
{
	uint8_t sib = 0;
	if (!next(d, modrm))
		return false;
	const unsigned mod = *modrm >> 6, rm = *modrm & 7;
	if (mod == 3)
		return true;
	if (rm == 4 && !next(d, &sib))
		return false;
	if (mod == 1)
		return take(d, 1);
	return mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5) ? take(d, 4) : true;
}

static bool take_immediate(struct code_reader *d)
{
	const size_t z = d->small_operand && !d->wide ? 2 : 4;
	const size_t sizes[] = {[NO_IMMEDIATE] = 0,
				[IMMEDIATE_8] = 1,
				[IMMEDIATE_16] = 2,
				[IMMEDIATE_24] = 3,
				[IMMEDIATE_32] = 4,
				[IMMEDIATE_Z] = z,
				[IMMEDIATE_FULL] = d->wide ? 8 : z,
				[IMMEDIATE_ADDRESS] = d->small_address ? 4 : 8};
	return take(d, sizes[d->immediate]);
}

/* An instruction of VEX or EVEX, whose map is known. */
static bool decode_vector(struct code_reader *d, unsigned map)
{
	uint8_t opcode, modrm;
	if (!next(d, &opcode) || map == 0 || map == 4 || map > 6)
		return false;
	if (map == 1 && opcode == 0x77)
		return true;
	if (map == 3 || (map == 1 && two_byte_has_byte(opcode)))
		d->immediate = IMMEDIATE_8;
	return take_modrm(d, &modrm) && take_immediate(d);
}

static bool decode_vex(struct code_reader *d, uint8_t opcode)
{
	uint8_t map = 1;
	if (opcode == 0xc4 && !next(d, &map))
		return false;
	return take(d, 1) && decode_vector(d, map & 31);
}

static bool decode_evex(struct code_reader *d)
{
	uint8_t map;
	return next(d, &map) && take(d, 2) && decode_vector(d, map & 7);
}

static bool decode_two_byte(struct code_reader *d)
{
	uint8_t opcode, modrm;
	if (!next(d, &opcode))
		return false;
	if (opcode == 0x38 || opcode == 0x3a) {
		d->immediate = opcode == 0x3a ? IMMEDIATE_8 : NO_IMMEDIATE;
		return take(d, 1) && take_modrm(d, &modrm) && take_immediate(d);
	}
	if (contains(two_byte_invalid, opcode))
		return false;
	if (contains(two_byte_plain, opcode))
		return opcode >= 0x80 && opcode <= 0x8f ? take(d, 4) : true;
	d->immediate = two_byte_has_byte(opcode) ? IMMEDIATE_8 : NO_IMMEDIATE;
	return take_modrm(d, &modrm) && take_immediate(d);
}

static bool decode_one_byte(struct code_reader *d, uint8_t opcode)
{
	uint8_t modrm = 0;
	if (contains(one_byte_invalid, opcode))
		return false;
	if (contains(one_byte_modrm, opcode) && !take_modrm(d, &modrm))
		return false;
	d->immediate = one_byte_immediate(opcode);
	if ((opcode == 0xf6 || opcode == 0xf7) && (modrm & 0x30) == 0) /* test */
		d->immediate = opcode == 0xf6 ? IMMEDIATE_8 : IMMEDIATE_Z;
	if (opcode == 0x8f && (modrm & 0x38) != 0) /* XOP */
		return false;
	return take_immediate(d);
}

size_t instruction_length(const uint8_t *code, size_t size)
{
	struct code_reader d = {.at = code, .end = code + (size < LENGTH_MAX ? size : LENGTH_MAX)};
	uint8_t opcode;
	if (!take_prefixes(&d, &opcode))
		return 0;
	const bool valid = opcode == 0x0f                     ? decode_two_byte(&d)
			   : opcode == 0x62                   ? decode_evex(&d)
			   : opcode == 0xc4 || opcode == 0xc5 ? decode_vex(&d, opcode)
							      : decode_one_byte(&d, opcode);
	return valid ? (size_t)(d.at - code) : 0;
}

/*
 * Moves and sums of registers, memory and immediates; c6 and c7 with other registers transfer
 * control.
 */
static const opcode_set moves = {
    0x00000a0a,             /* 01 03 add, 09 0b or */
    0x000a0a0a,             /* 21 23 and, 29 2b sub, 31 33 xor */
    0x00000000, 0x00000008, /* 63 movsxd */
    0x00002f0a,             /* 81 83 arithmetic, 88-8b mov, 8d lea */
    0xff000000,             /* b8-bf mov */
    0x000000c0,             /* c6 c7 mov */
    0x00000000,
};

bool instruction_moves(const uint8_t *code, size_t size)
{
	struct code_reader d = {.at = code, .end = code + size};
	uint8_t opcode, modrm = 0xc0;
	if (!take_prefixes(&d, &opcode) || !contains(moves, opcode))
		return false;
	if (contains(one_byte_modrm, opcode) && !next(&d, &modrm))
		return false;
	const bool relative = (modrm & 0xc7) == 5; /* to the address of the next instruction */
	return !relative && ((opcode & 0xfe) != 0xc6 || (modrm & 0x38) == 0);
}
