/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes ordinary lines fast. A loop over digits mispredicts a branch for nearly every field,
 * because the number of digits is unpredictable; here no branch depends on it:
 *
 *	1. A block of text becomes bit masks, one bit per byte: separators, line ends,
 *	   irregular bytes; and its digits become their values, all at once.
 *	2. A line is 57 bits of the masks, its fields the gaps between set bits; a field is one load
 *	   of eight values, shifted so that only its digits are left, and packed into a number.
 *	3. The most common compression values have specialized code, in which the omitted fields are
 *	   constants.
 *	4. A block that contains minus signs, as in unsorted traces, is decoded by a copy of the
 *	   loop that handles them.
 *
 * Lines that decode.c would reject or that need memory are left to it, before any state changes.
 */
#include "avx2.h"
#include "record_line.h"

#if defined(__x86_64__)

#include "state_avx2.h"

#define TARGET_AVX2 AVX2
#define INLINE      ALWAYS_INLINE

enum {
	/* of 64 bytes: the first block is short, as an irregular line may be near */
	FIRST_WORDS = 4,
	WORDS = 32,
	PREFETCH =
	    4096,   /* bytes ahead: verified text may have left the cache since it was hashed */
	SLACK = 64, /* bytes after a block that may be read */
	LINE_TYPICAL = 24, /* bytes */
	BLOCK_SHIFT = 9,
};

/*
 * Has one word more than the text, with no line end: the 57 bits of the last line may extend into
 * it.
 */
struct masks {
	uint64_t separator[WORDS + 1], lf[WORDS + 1], irregular[WORDS + 1], minus[WORDS + 1];
	uint64_t any_irregular, any_minus;
	char digit[WORDS * 64 + SLACK]; /* values of digits, at the offsets of the text */
};

static INLINE __m256i within(__m256i b, char first, char span)
{
	const __m256i d = _mm256_sub_epi8(b, _mm256_set1_epi8(first));
	return _mm256_cmpeq_epi8(_mm256_min_epu8(d, _mm256_set1_epi8(span)), d);
}

static INLINE uint64_t bits(__m256i b, unsigned half)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << (32 * half);
}

/* Stores the low nibble, plus 9 for letters. */
static INLINE void store_digits(__m256i b, char *to)
{
	const __m256i letter = _mm256_cmpgt_epi8(b, _mm256_set1_epi8('9'));
	const __m256i low = _mm256_and_si256(b, _mm256_set1_epi8(15));
	const __m256i more = _mm256_and_si256(letter, _mm256_set1_epi8(9));
	_mm256_storeu_si256((__m256i *)(void *)to, _mm256_add_epi8(low, more));
}

/* Turns minus signs into digits of value 0; they no longer count as irregular. */
static INLINE uint64_t clear_minus(const char *text, char *digit)
{
	uint64_t minus = 0;
	for (unsigned half = 0; half < 2; half++) {
		const __m256i b =
		    _mm256_loadu_si256((const __m256i *)(const void *)(text + 32 * half));
		__m256i *to = (__m256i *)(void *)(digit + 32 * half);
		const __m256i is_minus = _mm256_cmpeq_epi8(b, _mm256_set1_epi8('-'));
		_mm256_storeu_si256(to, _mm256_andnot_si256(is_minus, _mm256_loadu_si256(to)));
		minus |= bits(is_minus, half);
	}
	return minus;
}

static INLINE void classify(const char *text, struct masks *m, size_t word, unsigned base)
{
	uint64_t separator = 0, lf = 0, good = 0;
	for (unsigned half = 0; half < 2; half++) {
		const __m256i b =
		    _mm256_loadu_si256((const __m256i *)(const void *)(text + 32 * half));
		const __m256i end = _mm256_cmpeq_epi8(b, _mm256_set1_epi8('\n'));
		const __m256i gap =
		    _mm256_or_si256(end, _mm256_cmpeq_epi8(b, _mm256_set1_epi8(' ')));
		__m256i digit = within(b, '0', 9);
		if (base == 16)
			digit = _mm256_or_si256(
			    digit, within(_mm256_or_si256(b, _mm256_set1_epi8(32)), 'a', 5));
		separator |= bits(gap, half);
		lf |= bits(end, half);
		good |= bits(_mm256_or_si256(gap, digit), half);
		store_digits(b, m->digit + 64 * word + 32 * half);
	}
	m->separator[word] = separator;
	m->lf[word] = lf;
	m->irregular[word] = ~good;
	m->minus[word] = 0;
	if (~good != 0) {
		m->minus[word] = clear_minus(text, m->digit + 64 * word);
		m->irregular[word] &= ~m->minus[word];
		m->any_minus |= m->minus[word];
		m->any_irregular |= m->irregular[word];
	}
}

static INLINE void classify_words(const char *text, struct masks *m, size_t words, unsigned base)
{
	m->any_irregular = m->any_minus = 0;
	for (size_t i = 0; i < words; i++) {
		_mm_prefetch((const char *)((uintptr_t)text + 64 * i + PREFETCH), _MM_HINT_T0);
		classify(text + 64 * i, m, i, base);
	}
	m->separator[words] = m->irregular[words] = m->minus[words] = m->lf[words] = 0;
}

/* Returns at least 57 bits from an offset on. */
static INLINE uint64_t window(const uint64_t *mask, size_t at)
{
	uint64_t bits_there;
	memcpy(&bits_there, (const char *)mask + at / 8, sizeof bits_there);
	return bits_there >> at % 8;
}

/* A line being decoded. */
struct line_cursor {
	const char *digit;
	uint64_t separator; /* separators not yet passed */
	uint64_t minus;     /* minus signs not yet consumed */
	uint64_t at;
	int64_t good; /* -8 .. -1 while all fields have one to eight digits; 0 after an empty one */
};

/*
 * Returns the value of the digits from the lowest byte on; `less` is minus their number, -8 to -1.
 */
static INLINE uint64_t value(uint64_t x, uint64_t less, unsigned base)
{
	if (base == 16)
		return _pext_u64(__builtin_bswap64(x) >> (less * 8 & 63), 0x0f0f0f0f0f0f0f0fU);
	x <<= less * 8 & 63;
	x = (x * 10 + (x >> 8)) & 0x00ff00ff00ff00ffU;
	x = (x * 100 + (x >> 16)) & 0x0000ffff0000ffffU;
	return (x * 10000 + (x >> 32)) & 0xffffffffU;
}

static INLINE uint64_t take(struct line_cursor *k, unsigned base)
{
	const uint64_t end = _tzcnt_u64(k->separator);
	const uint64_t less = k->at - end;
	uint64_t x;
	memcpy(&x, k->digit + k->at, sizeof x);
	k->separator = _blsr_u64(k->separator);
	k->at = end + 1;
	k->good &= (int64_t)less;
	return value(x, less, base);
}

/* The same, with an optional minus sign. */
static INLINE uint64_t take_signed(struct line_cursor *k, unsigned base)
{
	const uint64_t is_minus = k->minus >> (k->at & 63) & 1;
	k->minus ^= is_minus << (k->at & 63);
	const uint64_t v = take(k, base);
	return (v ^ (0 - is_minus)) + is_minus;
}

/* The part of the state that the loop over lines uses, kept in registers. */
struct decode_regs {
	uint64_t start, tick, tick_max, factor;
	const struct codec_bucket *hash;
	struct codec_process *last;
	unsigned shift, lacks, first_use;
	uint32_t epoch;
};

static __attribute__((noinline)) struct codec_process *look_further(struct iot_codec *c,
								    uint64_t id)
{
	return codec_process(c, (uint32_t)id);
}

static INLINE struct codec_process *find_process(struct iot_codec *c, const struct decode_regs *r,
						 uint64_t id)
{
	const struct codec_bucket *bucket = &r->hash[codec_hash(r->factor, id) >> r->shift];
	struct codec_process *p = codec_at(c, bucket->place);
	if (bucket->id == id && bucket->place != 0 && p->epoch == r->epoch)
		return p;
	return look_further(c, id);
}

/*
 * Moves a file that is not the most recent one of its process to the front of the process's file
 * table. A new file is inserted only if the line contains all fields and the table need not grow;
 * *first_use is then set. Returns false, with nothing changed, if the scalar decoder must handle
 * the line.
 */
static TARGET_AVX2 __attribute__((noinline)) bool other_file(struct iot_codec *c,
							     struct codec_process *p, uint64_t file,
							     uint8_t physical, unsigned comp,
							     unsigned *first_use)
{
	const struct codec_table t = codec_table(c, p);
	const int position = codec_find_avx2(&t, p->count, (uint32_t)file, physical);
	if (position >= 0) {
		const struct codec_file *f = codec_table_entry(&t, position);
		if (comp & NO_BLOCK && f->next < f->length)
			return false;
	} else if (comp & (NO_BLOCK | NO_LENGTH | NO_FILEID) ||
		   (p->count == p->capacity && p->capacity != IOT_FILES_MAX)) {
		return false;
	}
	codec_touch_avx2(c, p, &t, position, (uint32_t)file, physical);
	if (position < 0)
		*first_use = FIRST_USE_FILE;
	return true;
}

static INLINE bool same_file(const struct codec_process *p, unsigned comp, uint64_t file,
			     uint8_t physical)
{
	return p->latest.physical == physical && (comp & NO_FILEID || p->latest.file == file);
}

_Static_assert(FIELD_OFFSET < FIELD_LENGTH && FIELD_LENGTH < FIELD_START &&
		   FIELD_START < FIELD_COMPLETION && FIELD_COMPLETION < FIELD_OPERATION &&
		   FIELD_OPERATION < FIELD_FILE && FIELD_FILE < FIELD_PROCESS &&
		   FIELD_PROCESS < FIELD_CPU && IOT_BLOCK_SIZE == 1 << BLOCK_SHIFT,
	       "decode() takes the fields in this order");

/*
 * Decodes the rest of a line of this compression, which ends at lf. Returns false, with nothing
 * changed, if the scalar decoder must handle the line.
 */
static INLINE bool decode(struct iot_codec *c, struct decode_regs *r, struct line_cursor *k,
			  uint64_t lf, unsigned type, unsigned comp, struct iot_record *rec,
			  unsigned base)
{
	uint64_t offset = 0, length = 0, operation = 0, file = 0, process = 0;
	if (!(comp & NO_BLOCK))
		offset = take(k, base) << (comp & OFFSET_IN_BLOCKS ? BLOCK_SHIFT : 0);
	if (!(comp & NO_LENGTH))
		length = take(k, base) << (comp & LENGTH_IN_BLOCKS ? BLOCK_SHIFT : 0);
	const bool may_fall = k->minus != 0;
	const uint64_t start_delta = take_signed(k, base), took = take(k, base);
	if (!(comp & NO_OPERATIONID))
		operation = take(k, base);
	if (!(comp & NO_FILEID))
		file = take(k, base);
	if (!(comp & NO_PROCESSID))
		process = take(k, base);
	const uint64_t cpu_delta = take_signed(k, base);
	if ((uint64_t)(k->good + 8) > 7 || k->at != lf + 1 || k->minus != 0)
		return false;

	struct codec_process *p = comp & NO_PROCESSID ? r->last : find_process(c, r, process);
	if (p == NULL || p->latest.physical == CODEC_NO_SLOT)
		return false;
	const uint64_t start = r->start + start_delta;
	int64_t cpu;
	if (__builtin_add_overflow(p->cpu, (int64_t)cpu_delta, &cpu) ||
	    start + took > r->tick_max || cpu > (int64_t)r->tick_max)
		return false;
	if (may_fall && (start > r->tick_max || cpu < -(int64_t)r->tick_max))
		return false;
	const uint8_t physical = (uint8_t)(~type & IOT_LOGICAL);
	struct codec_file *f = &p->latest;
	if (comp & NO_FILEID)
		file = f->file;
	if (!same_file(p, comp, file, physical)) {
		if (!other_file(c, p, file, physical, comp, &r->first_use))
			return false;
	} else if (comp & NO_BLOCK && f->next < f->length) {
		return false;
	}
	if (comp & NO_BLOCK)
		offset = f->next;
	if (comp & NO_LENGTH)
		length = f->length;
	if (comp & NO_OPERATIONID)
		operation = f->operation;

	f->next = offset + length;
	f->length = length;
	f->operation = (uint32_t)operation;
	p->cpu = cpu;
	r->start = start;
	r->last = p;
	rec->start_ns = (int64_t)(start * r->tick);
	rec->duration_ns = took * r->tick;
	rec->cpu_ns = (int64_t)((uint64_t)cpu * r->tick);
	rec->offset = offset;
	rec->length = length;
	rec->operation = (uint32_t)operation;
	rec->file = (uint32_t)file;
	rec->process = p->id;
	rec->object = f->object;
	const uint64_t rest = type | (uint64_t)(f->flags | r->lacks) << 8;
	memcpy(&rec->type, &rest, sizeof rest); /* type, flags, zero, spare */
	return true;
}

/* recordType and compression, which usually have two digits each. */
static INLINE unsigned head(struct line_cursor *k, unsigned *type, unsigned base)
{
	enum { TWO_DIGITS_TWICE = 1 << 2 | 1 << 5 };
	if (base != 16 || (k->separator & 63) != TWO_DIGITS_TWICE) {
		const uint64_t t = take(k, base), comp = take(k, base);
		*type = (t | comp) > 0xff ? 0xff : (unsigned)t;
		return (unsigned)comp & 0xff;
	}
	uint64_t x;
	memcpy(&x, k->digit, sizeof x);
	/* excludes the blank between them */
	x = _pext_u64(__builtin_bswap64(x), 0x0f0f000f0f000000U);
	k->separator &= ~(uint64_t)63;
	k->at = 6;
	*type = (unsigned)x >> 8;
	return (uint8_t)x;
}

static INLINE bool decode_line(struct iot_codec *c, struct decode_regs *r, struct line_cursor *k,
			       uint64_t lf, struct iot_record *rec, unsigned base)
{
	unsigned type;
	const unsigned comp = head(k, &type, base);
	if (type == 0xff)
		return false;
	switch (comp) {
#define SPECIALIZE(comp)                                                                           \
	case (comp):                                                                               \
		return decode(c, r, k, lf, type, (comp), rec, base)
		/* sequential, in one process; sequential; strided; random */
		SPECIALIZE(NO_FILEID | NO_BLOCK | NO_OPERATIONID | NO_PROCESSID | NO_LENGTH);
		SPECIALIZE(NO_FILEID | NO_BLOCK | NO_OPERATIONID | NO_LENGTH);
		SPECIALIZE(NO_FILEID | NO_OPERATIONID | NO_LENGTH | OFFSET_IN_BLOCKS);
		SPECIALIZE(NO_FILEID | NO_OPERATIONID | OFFSET_IN_BLOCKS | LENGTH_IN_BLOCKS);
		/* the same for another file */
		SPECIALIZE(NO_BLOCK | NO_OPERATIONID | NO_LENGTH);
		SPECIALIZE(NO_OPERATIONID | NO_LENGTH | OFFSET_IN_BLOCKS);
		SPECIALIZE(NO_OPERATIONID | OFFSET_IN_BLOCKS | LENGTH_IN_BLOCKS);
#undef SPECIALIZE
	default:
		return !(comp & COMPRESSION_UNDEFINED) &&
		       decode(c, r, k, lf, type, comp, rec, base);
	}
}

/*
 * Runs the first-use callback for the last record. Returns false if none is set, so that the caller
 * must stop.
 */
static bool run_first_use(struct iot_codec *c, struct decode_regs *r,
			  const struct first_use_handler *on_first_use, struct iot_record *rec)
{
	if (on_first_use == NULL)
		return false;
	r->first_use = 0;
	c->last = codec_index(c, r->last);
	on_first_use->record(on_first_use->context, rec);
	return true;
}

/*
 * Decodes the lines of one block and advances *at past the last one decoded. Returns false if the
 * next line is for the scalar decoder, or if the last record is a first use without a callback.
 */
static INLINE bool decode_lines(struct iot_codec *c, struct decode_regs *r, const struct masks *m,
				size_t *at, struct iot_record **rec,
				const struct iot_record *rec_end, size_t stride,
				const struct first_use_handler *on_first_use, bool has_minus,
				unsigned base)
{
	bool going = true;
	while (going && *rec != rec_end) {
		const uint64_t ends = window(m->lf, *at);
		if (ends == 0)
			return true;
		struct line_cursor k = {
		    .digit = m->digit + *at, .separator = window(m->separator, *at), .good = -1};
		const uint64_t lf = _tzcnt_u64(ends);
		if (has_minus)
			k.minus = window(m->minus, *at) & _blsmsk_u64(ends);
		if (has_minus && (k.minus & k.separator >> 1) != 0)
			return false;
		if (m->any_irregular != 0 && (window(m->irregular, *at) & _blsmsk_u64(ends)) != 0)
			return false;
		if (!decode_line(c, r, &k, lf, *rec, base))
			return false;
		*at += lf + 1;
		if (r->first_use != 0 && !run_first_use(c, r, on_first_use, *rec))
			going = false;
		*rec = (struct iot_record *)(void *)((char *)*rec + stride);
	}
	return going;
}

/*
 * Returns the words of the next block. Text beyond the records that are asked for would be
 * classified again by the next call.
 */
static INLINE size_t block_words(size_t text_size, size_t records, size_t max)
{
	const size_t whole = text_size < SLACK ? 0 : (text_size - SLACK) / 64;
	const size_t asked = records * LINE_TYPICAL / 64 + 1;
	const size_t words = whole < asked ? whole : asked;
	return words < max ? words : max;
}

static INLINE size_t decode_text(struct iot_codec *c, const char **text, const char *end,
				 struct iot_record *rec, size_t max, size_t stride,
				 const struct first_use_handler *on_first_use, unsigned base)
{
	struct masks m;
	struct decode_regs regs = {
	    .start = (uint64_t)c->start,
	    .tick = c->tick_ns,
	    .tick_max = (uint64_t)c->tick_max,
	    .factor = c->hash_factor,
	    .hash = codec_at(c, c->hash),
	    .last = c->last == 0 ? NULL : codec_at(c, c->last),
	    .shift = 64 - c->hash_bits,
	    .lacks = c->lacks,
	    .epoch = c->epoch,
	};
	const char *const first = (const char *)rec;
	const struct iot_record *const rec_end =
	    (const struct iot_record *)(const void *)(first + max * stride);
	bool going = true;
	for (size_t word_count_max = FIRST_WORDS; going && rec != rec_end; word_count_max = WORDS) {
		const size_t left = (size_t)((const char *)rec_end - (const char *)rec) / stride;
		const size_t words = block_words((size_t)(end - *text), left, word_count_max);
		size_t at = 0;
		classify_words(*text, &m, words, base);
		if (m.any_minus != 0 || base == 10)
			going = decode_lines(c, &regs, &m, &at, &rec, rec_end, stride, on_first_use,
					     true, base);
		else
			going = decode_lines(c, &regs, &m, &at, &rec, rec_end, stride, on_first_use,
					     false, base);
		going = going && at != 0;
		*text += at;
	}
	c->first_use = (uint8_t)regs.first_use;
	c->start = (int64_t)regs.start;
	c->last = regs.last == NULL ? 0 : codec_index(c, regs.last);
	return (size_t)((const char *)rec - first) / stride;
}

static TARGET_AVX2 __attribute__((noinline)) size_t
decode_decimal(struct iot_codec *c, const char **text, const char *end, struct iot_record *rec,
	       size_t max, size_t stride, const struct first_use_handler *on_first_use)
{
	return decode_text(c, text, end, rec, max, stride, on_first_use, 10);
}

TARGET_AVX2 size_t decode_avx2(struct iot_codec *c, const char **text, const char *end,
			       struct iot_record *rec, size_t max, size_t stride,
			       const struct first_use_handler *on_first_use)
{
	if (c->base == 10)
		return decode_decimal(c, text, end, rec, max, stride, on_first_use);
	return decode_text(c, text, end, rec, max, stride, on_first_use, 16);
}

/* Zen 1 and Zen 2 implement pext in microcode, slower than a loop. */
bool decode_avx2_works(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	       __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") &&
	       !__builtin_cpu_is("znver2");
}

#else

bool decode_avx2_works(void)
{
	return false;
}

size_t decode_avx2(struct iot_codec *c, const char **text, const char *end, struct iot_record *rec,
		   size_t max, size_t stride, const struct first_use_handler *on_first_use)
{
	(void)c, (void)text, (void)end, (void)rec, (void)max, (void)stride, (void)on_first_use;
	return 0;
}

#endif
