/* SPDX-License-Identifier: BSD-2-Clause */
/* What a user may have meant by an option or a value that a command does not have. */
#include "options_internal.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "nearest.h"

static void offer_choices(struct nearest *near, const struct option *opt)
{
	for (const char *c = opt->argument; c;) {
		const size_t n = strcspn(c, "|");
		nearest_offer(near, c, n);
		c = c[n] ? c + n + 1 : NULL;
	}
}

static void offer_words(struct nearest *near, const struct option *opt)
{
	const char *word;
	for (size_t i = 0; (word = opt->word(i)) != NULL; i++)
		nearest_offer(near, word, strlen(word));
}

bool option_correct_value(const struct option *opt, const char *value, char *text, size_t capacity)
{
	char element[NEAREST_WORD_MAX];
	struct nearest near;
	for (const char *at = value;; at++) {
		const size_t n = opt->word ? strcspn(at, ",") : strlen(at);
		snprintf(element, sizeof element, "%.*s", (int)n, at);
		nearest_start(&near, element);
		if (opt->word)
			offer_words(&near, opt);
		else
			offer_choices(&near, opt);
		const bool is_known = strcmp(near.word, element) == 0;
		if (!is_known || at[n] == '\0') {
			snprintf(text, capacity, "%.*s%s%s", (int)(at - value), value, near.word,
				 at + n);
			return !is_known && nearest_is_found(&near);
		}
		at += n;
	}
}

/* Suggests --format=csv for --csv */
static bool suggest_choice(const struct command_spec *cmd, const char *word, char *text,
			   size_t capacity)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++) {
		struct nearest near;
		nearest_start(&near, word);
		if (opt->kind == OPTION_CHOICE && opt->help)
			offer_choices(&near, opt);
		if (near.distance > 1)
			continue;
		snprintf(text, capacity, "--%s=%s", opt->name, near.word);
		return true;
	}
	return false;
}

/* Suggests --json for --format=json; the value is not the beginning of a longer option. */
static bool suggest_flag(const struct command_spec *cmd, const char *value, char *text,
			 size_t capacity)
{
	for (const struct option *opt = cmd->options; value && opt->kind != OPTION_END; opt++)
		if (opt->name != NULL && opt->argument == NULL &&
		    strlen(opt->name) <= strlen(value) + 1 &&
		    nearest_distance(value, opt->name) <= 1) {
			snprintf(text, capacity, "--%s", opt->name);
			return true;
		}
	return false;
}

static bool suggest_name(const struct command_spec *cmd, const char *word, char *text,
			 size_t capacity)
{
	struct nearest near;
	nearest_start(&near, word);
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++)
		if (option_is_named(opt) && opt->help)
			nearest_offer(&near, opt->name, strlen(opt->name));
	snprintf(text, capacity, "--%s", near.word);
	return nearest_is_found(&near);
}

/* Options that only 'iotrace slice' has, and that users try elsewhere. */
static bool chooses_part(const char *name)
{
	static const char *const names[] = {"from", "to", "records", "process", "rank", "file"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static enum exit_status unknown_part(const struct command_spec *cmd, const char *shown)
{
	return options_wrong(cmd, "unknown option --%s; 'iotrace slice' takes a part of a trace",
			     shown);
}

static const char *find_hint(const struct command_spec *cmd, const char *name)
{
	for (const struct option_hint *h = cmd->hints; h && h->name; h++)
		if (strcmp(h->name, name) == 0)
			return h->hint;
	return NULL;
}

enum exit_status options_unknown_long(const struct command_spec *cmd, const char *name, size_t n,
				      const char *next)
{
	const bool with_value = name[n] == '=';
	const char *value = with_value ? name + n + 1 : next;
	char shown[OPTION_SHOWN_MAX], meant[2 * NEAREST_WORD_MAX + 8];
	escape_text(shown, sizeof shown, name, n);
	const bool part = chooses_part(shown) && strcmp(cmd->name, "slice") != 0;
	const char *hint = find_hint(cmd, shown);
	if (hint)
		return options_wrong(cmd, "unknown option --%s; %s", shown, hint);
	if (strcmp(shown, "version") == 0)
		snprintf(meant, sizeof meant, "'iotrace --version'");
	else if (part && with_value)
		return unknown_part(cmd, shown);
	else if (!suggest_choice(cmd, shown, meant, sizeof meant) &&
		 !suggest_flag(cmd, value, meant, sizeof meant) &&
		 !suggest_name(cmd, shown, meant, sizeof meant))
		return part ? unknown_part(cmd, shown)
			    : options_wrong(cmd, "unknown option --%s", shown);
	return options_wrong(cmd, "unknown option --%s; did you mean %s?", shown, meant);
}

/* Suggests --from for -f, if no other option begins with the letter. */
static bool suggest_initial(const struct command_spec *cmd, char letter, char *text,
			    size_t capacity)
{
	unsigned found = 0;
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++) {
		if (!option_is_named(opt) || !opt->help || opt->name[0] != letter)
			continue;
		found++;
		snprintf(text, capacity, "--%s", opt->name);
	}
	return found == 1;
}

enum exit_status options_unknown_letter(const struct command_spec *cmd, const char *letters,
					const char *next)
{
	char shown[8], meant[2 * NEAREST_WORD_MAX + 8];
	escape_text(shown, sizeof shown, letters, 1);
	const char *hint = find_hint(cmd, shown);
	if (hint)
		return options_wrong(cmd, "unknown option -%s; %s", shown, hint);
	const bool json = letters[0] == 'j' && suggest_choice(cmd, "json", meant, sizeof meant);
	if (json || suggest_flag(cmd, letters[1] ? letters + 1 : next, meant, sizeof meant) ||
	    suggest_initial(cmd, letters[0], meant, sizeof meant))
		return options_wrong(cmd, "unknown option -%s; did you mean %s?", shown, meant);
	return options_wrong(cmd, "unknown option -%s", shown);
}
