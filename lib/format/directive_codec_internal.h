/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state that writer and reader keep of encoded directives; see directive_codec.h.
 *
 *	directive_codec.c   templates, last values of keys, and paths
 *	directive_scan.c    the values of a directive, and its text without them
 *	directive_match.c   recognizes the templates that were used last, without a scan
 *	directive_encode.c  of texts and of operations
 *	directive_decode.c
 */
#ifndef LIB_FORMAT_DIRECTIVE_CODEC_INTERNAL_H
#define LIB_FORMAT_DIRECTIVE_CODEC_INTERNAL_H

#include <string.h>
#include <xxhash.h>

#include "directive.h"
#include "directive_codec.h"
#include "lib/base/idmap.h"
#include "lib/base/number.h"

enum {
	DIRECTIVE_MAX = 32768, /* bytes of a directive that is a template */
	SLOTS_MAX = 2048,      /* of one template */
	PATHS_MAX = 2,         /* ... with a path: path= and to= */
	VALUE_MAX = 32,        /* bytes of a value in a slot, except of a path */
	STATE_MAX = 1 << 23,   /* weight of all templates and paths */
	PATH_WEIGHT = 16,
	EXPANSION_MAX = 64, /* decoded bytes of encoded directives per stored byte */
	SLOT_EXPANSION = 15,
	BLOCK = 32, /* bytes that are copied at once, up to BLOCK - 1 of them needlessly */
	BEGINNING_BITS = 10,
	BEGINNINGS = 1 << BEGINNING_BITS, /* for the templates used last */
	RECENT = 4,
	FORMS = 64,
	WORD_MAX = 16, /* bytes of a name or result in a form, with its NUL */
};

static const char SLOT = '\n'; /* in the text of a template; no directive contains it */

enum slot_kind { SLOT_VALUE, SLOT_TOOK, SLOT_TIME, SLOT_PATH };

/* A range of codec.text. */
struct kept_text {
	uint32_t at, size;
};

struct slot {
	struct kept_text before; /* the text of the template since the previous slot */
	uint32_t key;            /* index of struct last */
	uint8_t kind;            /* enum slot_kind */
	uint8_t member;          /* enum directive_member of the event */
	bool is_id;              /* a number of 32 bits */
};

struct template
{
	struct kept_text text, after; /* after: the last slot */
	uint32_t first_slot, slots;
	uint32_t kind, has; /* of its events */
	uint32_t next;      /* the template that followed it last, number + 1; 0: none */
	bool irregular;     /* its events must be parsed */
};

/* The last value of a key: none, a number, or another text. */
struct last {
	struct kept_text key;
	uint64_t number;
	bool is_number;
	uint8_t size; /* of the text; 0: none, or a number */
	char text[VALUE_MAX];
};

/* The template of the operations with a name, a result and keys. */
struct form {
	char name[WORD_MAX], result[WORD_MAX];
	unsigned keys;     /* enum form_keys */
	uint32_t template; /* number + 1; 0: the form is unused */
};

enum form_keys { FORM_FILE = 1, FORM_PATH = 2, FORM_TO = 4, FORM_SIZE = 8, FORM_COUNT = 16 };

/* The values of a directive that belong into slots, and its text without them. */
struct scanned {
	struct scanned_slot {
		struct iot_text key, value;
		uint64_t number;
		bool is_number;
		uint8_t kind;
		uint16_t at;
	} slot[SLOTS_MAX];
	size_t slots, paths;
	enum iot_kind kind;
	bool irregular;                   /* a numeric key has a value that is not in a slot */
	char text[DIRECTIVE_MAX + BLOCK]; /* with a number at its end, which may be loaded */
	size_t size;
};

struct directive_codec {
	uint64_t seed;
	bool decodes;
	size_t weight;
	int64_t
	    credit; /* bytes that encoded directives may still decode to; < 0: none may follow */
	uint64_t last_time;
	uint32_t last_path; /* number + 1; 0: none yet */
	uint32_t longest_path;
	char *text;
	size_t text_size, text_capacity;
	struct idmap template_ids, key_ids, path_ids; /* by hash */
	struct template *template;
	size_t template_capacity;
	/* by hash of a directive's beginning: templates used last, number + 1; 0: none */
	uint32_t recent[BEGINNINGS][RECENT];
	uint32_t previous;   /* template, number + 1, of the directive matched last; 0: none */
	uint32_t recognized; /* template, number + 1, of the values in `scanned`; 0: none */
	uint32_t used;       /* template, number + 1, of the directive encoded last; 0: none */
	struct form form[FORMS];
	struct slot *slot;
	size_t slots, slot_capacity;
	struct last *last;
	size_t last_capacity;
	struct kept_text *path;
	size_t paths, path_capacity;
	uint32_t *newest; /* of each path_ids: the number of the path spelled out last */
	size_t newest_capacity;
	struct scanned scanned;
};

static inline bool same_text(const struct directive_codec *c, struct kept_text range,
			     struct iot_text text)
{
	return range.size == text.size && memcmp(c->text + range.at, text.data, text.size) == 0;
}

static inline uint64_t hash(const struct directive_codec *c, struct iot_text text)
{
	return XXH3_64bits_withSeed(text.data, text.size, c->seed);
}

static inline bool is_canonical(struct iot_text value, uint64_t *number)
{
	return number_decimal(value.data, value.size, number) &&
	       value.size == number_count(*number);
}

static inline bool is_numeric(struct iot_text value)
{
	return value.size > 0 && value.size <= VALUE_MAX &&
	       (value.data[0] == '-' || number_digit(value.data[0]) < 10);
}

static inline void credit_stored(struct directive_codec *c, size_t size)
{
	c->credit += EXPANSION_MAX * (int64_t)size;
}

static inline void charge_template(struct directive_codec *c, const struct template *t)
{
	c->credit -= (int64_t)t->text.size + SLOT_EXPANSION * (int64_t)t->slots;
}

static inline void charge_path(struct directive_codec *c)
{
	c->credit -= c->path[c->last_path - 1].size;
}

static inline void set_last(struct last *last, const struct scanned_slot *slot)
{
	last->number = slot->number;
	last->is_number = slot->is_number;
	last->size = slot->is_number ? 0 : (uint8_t)slot->value.size;
	if (last->size > 0)
		memcpy(last->text, slot->value.data, last->size);
}

static inline bool fits_id(bool is_number, uint64_t number)
{
	return is_number && number <= UINT32_MAX;
}

/* Sets what iot_directive_parse() would find in a directive with this template. */
static inline void set_event(struct iot_event *ev, const struct template *t,
			     const uint64_t member[MEMBERS])
{
	ev->kind = t->kind;
	ev->has = t->has;
	ev->rec = (struct iot_record){.start_ns = (int64_t)member[MEMBER_TIME],
				      .duration_ns = member[MEMBER_TOOK],
				      .process = (uint32_t)member[MEMBER_PROCESS],
				      .file = (uint32_t)member[MEMBER_FILE],
				      .object = (uint32_t)member[MEMBER_OBJECT]};
}

/* Notes that a directive with a template, number + 1, was written; 0: with none. */
static inline void directive_follow(struct directive_codec *c, uint32_t template)
{
	if (c->previous != 0 && template != 0)
		c->template[c->previous - 1].next = template;
	c->previous = template;
}

static inline bool is_encoded(struct iot_text text)
{
	return text.size > 1 && text.data[0] == '%' && number_digit(text.data[1]) < 10;
}

/* Returns whether the text is %, further %, and a digit. */
static inline bool is_escaped(struct iot_text text)
{
	while (text.size > 2 && text.data[0] == '%' && text.data[1] == '%')
		text = (struct iot_text){text.data + 1, text.size - 1};
	return is_encoded(text);
}

/* Returns false if the text is not a directive or cannot be a template. */
bool directive_scan(struct scanned *s, struct iot_text text);

/* These return the number, or SIZE_MAX; *id is the key of the text in the map. */
size_t directive_template(const struct directive_codec *c, struct iot_text text, uint64_t *id);
/* Returns the number of a path in path_ids, a new one if *is_new; SIZE_MAX if out of memory. */
size_t directive_number_path(struct directive_codec *c, struct iot_text path, bool *is_new);

/* Appends a path that has the number i in path_ids. */
bool directive_append_path(struct directive_codec *c, struct iot_text path, size_t i);

/* Adds a path that is spelled out. Only a writer looks paths up. */
bool directive_add_path(struct directive_codec *c, struct iot_text path);

/* Adds the directive scanned last, which is written in full: text. */
int directive_learn(struct directive_codec *c, struct iot_text text);

/* Returns the number of the template, with the values in c->scanned.slot; SIZE_MAX if none fits. */
size_t directive_match(struct directive_codec *c, struct iot_text text);

/* Makes a template, number + 1, the one that was used last of directives that begin as the text. */
void directive_make_recent(struct directive_codec *c, struct iot_text text, uint32_t template);

#endif
