/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of options: parsed, and printed as help. */
#include "options.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/number.h"

#include "cli/cmd.h"
#include "printable.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80, WORD_MAX = 64, SHOWN_MAX = 128 };

static unsigned min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edits are: insert, delete, replace, and swap of two neighbours. */
unsigned options_edit_distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned row[3][WORD_MAX + 1] = {{0}};
	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	if (n >= 3 && n < m && memcmp(a, b, n) == 0)
		return 1;
	for (size_t j = 0; j <= m; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned *now = row[i % 3];
		const unsigned *up = row[(i + 2) % 3], *upper = row[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned same = a[i - 1] == b[j - 1] ? 0 : 1;
			now[j] = min(up[j - 1] + same, min(up[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = min(now[j], upper[j - 2] + 1);
		}
	}
	return row[n % 3][m];
}

bool options_is_near(unsigned distance, const char *word)
{
	const size_t n = strlen(word);
	return distance <= (n < 4 ? 1U : n < 6 ? 2U : 3U) && distance < n;
}

/* Help */

/* An argument such as "[=SECONDS]" follows the name only after '='. */
static bool is_optional(const struct option *opt)
{
	return opt->argument != NULL && opt->argument[0] == '[';
}

static void print_option_name(const struct option *opt)
{
	char left[96];
	int n = opt->letter ? snprintf(left, sizeof left, "  -%c, --%s", opt->letter, opt->name)
			    : snprintf(left, sizeof left, "      --%s", opt->name);
	if (opt->argument && n > 0 && (size_t)n < sizeof left)
		n += snprintf(left + n, sizeof left - (size_t)n, "%s%s",
			      is_optional(opt) ? "" : "=", opt->argument);
	if (n > HELP_COLUMN - 2)
		printf("%s\n%*s", left, HELP_COLUMN, "");
	else
		printf("%-*s", HELP_COLUMN, left);
}

static void print_wrapped(const char *text)
{
	size_t column = HELP_COLUMN;
	while (*text) {
		size_t n = strcspn(text, " ");
		if (column > HELP_COLUMN && column + n >= HELP_WIDTH) {
			printf("\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		}
		printf("%s%.*s", column > HELP_COLUMN ? " " : "", (int)n, text);
		column += n + 1;
		text += n + (text[n] != '\0');
	}
	putchar('\n');
}

static void print_option(const struct option *opt)
{
	if (!opt->help)
		return;
	if (opt->kind == OPTION_GROUP) {
		printf("\n%s:\n", opt->help);
		return;
	}
	print_option_name(opt);
	print_wrapped(opt->help);
}

static const struct option help_option = OPTION(FLAG, 'h', "help", NULL, NULL, "show this help");

static void print_synopsis(const struct command_spec *cmd)
{
	const char *before = "Usage: ";
	for (const char *line = cmd->synopsis; line; before = "       ") {
		size_t n = strcspn(line, "\n");
		printf("%siotrace %s %.*s\n", before, cmd->name, (int)n, line);
		line = line[n] ? line + n + 1 : NULL;
	}
}

enum exit_status options_help(const struct command_spec *cmd)
{
	print_synopsis(cmd);
	printf("\n%s.\n", cmd->summary);
	printf("\nOptions:\n");
	const struct option *opt = cmd->options;
	for (; opt->kind != OPTION_END && opt->kind != OPTION_GROUP; opt++)
		print_option(opt);
	print_option(&help_option);
	for (; opt->kind != OPTION_END; opt++)
		print_option(opt);
	if (cmd->notes)
		printf("\n%s", cmd->notes);
	printf("\nExamples:\n%s", cmd->examples);
	return EXIT_OK;
}

enum exit_status options_wrong(const struct command_spec *cmd, const char *format, ...)
{
	char text[2048];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	printable_sentence(text);
	fprintf(stderr, "iotrace %s: %s\nTry 'iotrace %s --help'.\n", cmd->name, text, cmd->name);
	return EXIT_USAGE;
}

/* Values */

static bool parse_number(const struct option *opt, const char *value, uint64_t *number)
{
	static const char units[] = "KMGT";
	size_t n = strlen(value);
	unsigned shift = 0;
	if (opt->kind == OPTION_SIZE && n > 1) {
		const char *unit = strchr(units, value[n - 1] & ~0x20);
		if (unit && *unit) {
			shift = 10 * (unsigned)(unit - units + 1);
			n--;
		}
	}
	if (!number_decimal(value, n, number) || *number > UINT64_MAX >> shift)
		return false;
	*number <<= shift;
	return *number >= opt->min && (opt->max == 0 || *number <= opt->max);
}

static int find_choice(const char *choices, const char *value)
{
	size_t n = strlen(value);
	for (int i = 0; choices; i++) {
		size_t length = strcspn(choices, "|");
		if (n == length && memcmp(choices, value, n) == 0)
			return i;
		choices = choices[length] ? choices + length + 1 : NULL;
	}
	return -1;
}

static const char *expected_number(const struct option *opt, char *text, size_t capacity)
{
	const char *noun = opt->kind == OPTION_SIZE ? "a size like 256M" : "a whole number";
	if (opt->max == 0 && opt->min == 0)
		return noun;
	if (opt->max == 0)
		snprintf(text, capacity, "%s, at least %ju", noun, (uintmax_t)opt->min);
	else
		snprintf(text, capacity, "%s from %ju to %ju", noun, (uintmax_t)opt->min,
			 (uintmax_t)opt->max);
	return text;
}

/* Returns NULL on success; otherwise the expected value. */
static const char *take_value(const struct option *opt, const char *value, char *text,
			      size_t capacity)
{
	switch (opt->kind) {
	case OPTION_FLAG:
		*(bool *)opt->target = true;
		return NULL;
	case OPTION_STRING:
		*(const char **)opt->target = value;
		return NULL;
	case OPTION_NUMBER:
	case OPTION_SIZE: {
		uint64_t number;
		if (!parse_number(opt, value, &number))
			return expected_number(opt, text, capacity);
		*(uint64_t *)opt->target = number;
		return NULL;
	}
	case OPTION_CHOICE: {
		int choice = find_choice(opt->argument, value);
		if (choice < 0)
			return opt->argument;
		*(int *)opt->target = choice;
		return NULL;
	}
	case OPTION_CALL:
		return opt->call(opt, value);
	default:
		return "something else";
	}
}

/* The value of an option that is nearest to the word, copied to text; false if none is near. */
static bool nearest_choice(const struct option *opt, const char *word, char *text, size_t capacity)
{
	unsigned best = WORD_MAX;
	for (const char *c = opt->argument; c;) {
		char choice[WORD_MAX];
		const size_t n = strcspn(c, "|");
		snprintf(choice, sizeof choice, "%.*s", (int)n, c);
		const unsigned d = options_edit_distance(word, choice);
		if (d < best) {
			best = d;
			snprintf(text, capacity, "%s", choice);
		}
		c = c[n] ? c + n + 1 : NULL;
	}
	return best <= 1 || (strlen(word) >= 6 && options_is_near(best, word));
}

/* The arguments that follow, ending in NULL. */
struct words {
	char **next;
	bool help; /* --help was among the preceding ones */
};

static enum exit_status set_option(const struct command_spec *cmd, struct words *words,
				   const struct option *opt, const char *value)
{
	char shown[SHOWN_MAX], text[96];
	if (opt == &help_option) {
		words->help = true;
		return EXIT_OK;
	}
	const char *expected = take_value(opt, value ? value : "", text, sizeof text);
	if (!expected)
		return EXIT_OK;
	if (!value)
		value = "";
	escape_text(shown, sizeof shown, value, strlen(value));
	if (opt->kind == OPTION_CHOICE && nearest_choice(opt, value, text, sizeof text))
		return options_wrong(cmd, "--%s is '%s', expected %s; did you mean --%s=%s?",
				     opt->name, shown, expected, opt->name, text);
	return options_wrong(cmd, "--%s is '%s', expected %s", opt->name, shown, expected);
}

/* Command line arguments */

static bool is_option(const struct option *opt)
{
	return opt->kind != OPTION_GROUP;
}

static const struct option *find_long(const struct command_spec *cmd, const char *name, size_t n)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++)
		if (is_option(opt) && strlen(opt->name) == n && memcmp(opt->name, name, n) == 0)
			return opt;
	return n == 4 && memcmp(name, "help", n) == 0 ? &help_option : NULL;
}

static const struct option *find_letter(const struct command_spec *cmd, char letter)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++)
		if (is_option(opt) && opt->letter == letter)
			return opt;
	return letter == 'h' ? &help_option : NULL;
}

/* Suggests --format=csv for --csv */
static bool suggest_choice(const struct command_spec *cmd, const char *word, char *text,
			   size_t capacity)
{
	char choice[WORD_MAX];
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++)
		if (opt->kind == OPTION_CHOICE && opt->help &&
		    nearest_choice(opt, word, choice, sizeof choice) &&
		    options_edit_distance(word, choice) <= 1) {
			snprintf(text, capacity, "--%s=%s", opt->name, choice);
			return true;
		}
	return false;
}

/* Suggests --json for --format=json */
static bool suggest_flag(const struct command_spec *cmd, const char *value, char *text,
			 size_t capacity)
{
	for (const struct option *opt = cmd->options; value && opt->kind != OPTION_END; opt++)
		if (opt->kind == OPTION_FLAG && options_edit_distance(value, opt->name) <= 1) {
			snprintf(text, capacity, "--%s", opt->name);
			return true;
		}
	return false;
}

static bool suggest_name(const struct command_spec *cmd, const char *word, char *text,
			 size_t capacity)
{
	unsigned min_distance = WORD_MAX;
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++) {
		unsigned d = is_option(opt) ? options_edit_distance(word, opt->name) : WORD_MAX;
		if (!opt->help || d >= min_distance)
			continue;
		min_distance = d;
		snprintf(text, capacity, "--%s", opt->name);
	}
	return options_is_near(min_distance, word);
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

/* next: the following argument. */
static enum exit_status unknown_long(const struct command_spec *cmd, const char *name, size_t n,
				     const char *next)
{
	const bool with_value = name[n] == '=';
	const char *value = with_value ? name + n + 1 : next;
	char shown[SHOWN_MAX], meant[2 * WORD_MAX + 8];
	escape_text(shown, sizeof shown, name, n);
	const bool part = chooses_part(shown) && strcmp(cmd->name, "slice") != 0;
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
		if (!is_option(opt) || !opt->help || opt->name[0] != letter)
			continue;
		found++;
		snprintf(text, capacity, "--%s", opt->name);
	}
	return found == 1;
}

/* Suggests --json for -f json, and --format=jsonl for -j. */
static enum exit_status unknown_letter(const struct command_spec *cmd, const char *letters,
				       const char *next)
{
	char shown[8], meant[2 * WORD_MAX + 8];
	escape_text(shown, sizeof shown, letters, 1);
	const bool json = letters[0] == 'j' && suggest_choice(cmd, "json", meant, sizeof meant);
	if (json || suggest_flag(cmd, letters[1] ? letters + 1 : next, meant, sizeof meant) ||
	    suggest_initial(cmd, letters[0], meant, sizeof meant))
		return options_wrong(cmd, "unknown option -%s; did you mean %s?", shown, meant);
	return options_wrong(cmd, "unknown option -%s", shown);
}

/* "--NAME", "--NAME=VALUE" or "--NAME VALUE", whose VALUE is consumed. */
static enum exit_status parse_long(const struct command_spec *cmd, const char *name,
				   struct words *words)
{
	size_t n = strcspn(name, "=");
	const char *value = name[n] ? name + n + 1 : NULL;
	const struct option *opt = find_long(cmd, name, n);
	if (!opt)
		return unknown_long(cmd, name, n, *words->next);
	if (!opt->argument && value)
		return options_wrong(cmd, "--%s takes no value", opt->name);
	const bool needs_value = opt->argument && !is_optional(opt);
	if (needs_value && !value && *words->next != NULL)
		value = *words->next++;
	if (needs_value && !value)
		return options_wrong(cmd, "--%s needs a value: %s", opt->name, opt->argument);
	return set_option(cmd, words, opt, value);
}

/* "-abcVALUE": flags, the last of them perhaps with a value, here or in the next word. */
static enum exit_status parse_letters(const struct command_spec *cmd, const char *letters,
				      struct words *words)
{
	for (; *letters; letters++) {
		const struct option *opt = find_letter(cmd, *letters);
		if (!opt)
			return unknown_letter(cmd, letters, *words->next);
		const char *value = NULL;
		if (opt->argument) {
			value = letters[1]             ? letters + 1
				: *words->next != NULL ? *words->next++
						       : NULL;
			if (!value)
				return options_wrong(cmd, "-%c needs a value: %s", opt->letter,
						     opt->argument);
		}
		const enum exit_status status = set_option(cmd, words, opt, value);
		if (status != EXIT_OK || value || words->help)
			return status;
	}
	return EXIT_OK;
}

static enum exit_status check_operands(const struct command_spec *cmd, char **argv, size_t count)
{
	char shown[SHOWN_MAX];
	if (count < cmd->operands_min)
		return options_wrong(cmd, "name the input (\"-\" is standard input)");
	if (cmd->operands_max == 0 || count <= cmd->operands_max)
		return EXIT_OK;
	const char *extra = argv[cmd->operands_max];
	return options_wrong(cmd, "one input only, '%s' is too much",
			     escape_text(shown, sizeof shown, extra, strlen(extra)));
}

static enum exit_status parse_words(const struct command_spec *cmd, struct words *words,
				    char **argv, size_t *count)
{
	enum exit_status status = EXIT_OK;
	bool options = true;
	*count = 0;
	while (status == EXIT_OK && !words->help && *words->next != NULL) {
		char *word = *words->next++;
		if (!options || word[0] != '-' || word[1] == '\0') {
			argv[(*count)++] = word;
			options = options && !cmd->runs_program;
		} else if (strcmp(word, "--") == 0) {
			options = false;
		} else if (word[1] == '-') {
			status = parse_long(cmd, word + 2, words);
		} else {
			status = parse_letters(cmd, word + 1, words);
		}
	}
	return status;
}

bool options_parse(const struct command_spec *cmd, int argc, char **argv, size_t *count,
		   enum exit_status *status)
{
	struct words words = {.next = argv + 1};
	assert(argv[argc] == NULL);
	(void)argc;
	*status = parse_words(cmd, &words, argv, count);
	if (*status == EXIT_OK && !words.help)
		*status = check_operands(cmd, argv, *count);
	if (*status != EXIT_OK || !words.help)
		return *status == EXIT_OK;
	*status = options_help(cmd);
	return false;
}

const char *option_base(const struct option *opt, const char *value)
{
	bool hex = strcmp(value, "16") == 0;
	if (!hex && strcmp(value, "10") != 0)
		return "16 or 10";
	*(uint64_t *)opt->target = hex ? 16 : 10;
	return NULL;
}

const char *option_tick(const struct option *opt, const char *value)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}};
	uint64_t ns = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(value, units[i].name) == 0)
			ns = units[i].ns;
	if (ns == 0 && !number_decimal(value, strlen(value), &ns))
		ns = 0;
	if (ns < 1 || ns > INT64_MAX)
		return "nanoseconds, or one of ns, us, ms";
	*(uint64_t *)opt->target = ns;
	return NULL;
}
