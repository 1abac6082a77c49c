/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of options: parsed, and printed as help. */
#include "options.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/base/size.h"

#include "cli/cmd.h"
#include "message.h"
#include "nearest.h"
#include "printable.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80, HELP_LINES = 40, SHOWN_MAX = 128, EXPECTED_MAX = 256 };

const char option_no_memory[] = "";

/* Help */

/* An argument such as "[=SECONDS]" follows the name only after '='. */
static bool is_optional(const struct option *opt)
{
	return opt->argument != NULL && opt->argument[0] == '[';
}

/* Returns the length of the name, with dashes and argument, as the help shows it. */
static size_t option_name(const struct option *opt, char *left, size_t capacity)
{
	const int n = opt->letter ? snprintf(left, capacity, "  -%c, --%s", opt->letter, opt->name)
				  : snprintf(left, capacity, "      --%s", opt->name);
	if (opt->argument && n > 0 && (size_t)n < capacity)
		(void)snprintf(left + n, capacity - (size_t)n, "%s%s", is_optional(opt) ? "" : "=",
			       opt->argument);
	return strlen(left);
}

/* Returns the number of lines that the text takes from the column on; prints them if `print`. */
static size_t wrap(const char *text, size_t indent, bool print)
{
	size_t column = indent, lines = 1;
	while (*text) {
		const size_t n = strcspn(text, " ");
		if (column > indent && column + n >= HELP_WIDTH) {
			lines++;
			column = indent;
			if (print)
				printf("\n%*s", (int)indent, "");
		}
		if (print)
			printf("%s%.*s", column > indent ? " " : "", (int)n, text);
		column += n + 1;
		text += n + (text[n] != '\0');
	}
	if (print)
		putchar('\n');
	return lines;
}

static size_t option_lines(const struct option *opt)
{
	char left[96];
	return wrap(opt->help, HELP_COLUMN, false) +
	       (option_name(opt, left, sizeof left) > HELP_COLUMN - 2);
}

static void print_option(const struct option *opt)
{
	char left[96];
	if (!opt->help)
		return;
	if (opt->kind == OPTION_GROUP) {
		printf("\n%s:\n", opt->help);
		return;
	}
	if (option_name(opt, left, sizeof left) > HELP_COLUMN - 2)
		printf("%s\n%*s", left, HELP_COLUMN, "");
	else
		printf("%-*s", HELP_COLUMN, left);
	wrap(opt->help, HELP_COLUMN, true);
}

static const struct option help_option = OPTION(FLAG, 'h', "help", NULL, NULL, "show this help"),
			   help_all_option = OPTION(FLAG, 0, "help-all", NULL, NULL, NULL);

/* For the completion of shells, see share/completion; the help does not name it. */
static const struct option table_option = OPTION(FLAG, 0, "help-options", NULL, NULL, NULL);

/* Prints the words that the value may be, separated by blanks, or "-". */
static void print_words(const struct option *opt)
{
	const char *word =
	    opt->kind == OPTION_CHOICE && opt->argument != NULL ? opt->argument : "-";
	for (; opt->word == NULL && *word != '\0'; word++)
		putchar(*word == '|' ? ' ' : *word);
	for (size_t i = 0; opt->word != NULL && (word = opt->word(i)) != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", word);
}

/* A line for each option: name, letter, argument, words, help; "-" where there is none. */
static enum exit_status print_table(const struct command_spec *cmd)
{
	for (const struct option *opt = cmd->options; opt->kind != OPTION_END; opt++) {
		if (opt->kind == OPTION_GROUP || opt->help == NULL)
			continue;
		printf("%s\t%c\t%s\t", opt->name, opt->letter != '\0' ? opt->letter : '-',
		       opt->argument != NULL ? opt->argument : "-");
		print_words(opt);
		printf("\t%s\n", opt->help);
	}
	printf("help\th\t-\t-\t%s\n", help_option.help);
	return EXIT_OK;
}

static void print_synopsis(const struct command_spec *cmd)
{
	const char *before = "Usage: ";
	for (const char *line = cmd->synopsis; line; before = "       ") {
		size_t n = strcspn(line, "\n");
		printf("%siotrace %s %.*s\n", before, cmd->name, (int)n, line);
		line = line[n] ? line + n + 1 : NULL;
	}
}

static enum exit_status print_all(const struct command_spec *cmd)
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

/* The short help: the options that come first, the names of the others, and some examples */

/* Appends the names of the options up to the next group, which it returns. */
static const struct option *append_names(const struct option *opt, char *text, size_t capacity)
{
	size_t n = strlen(text);
	for (; opt->kind != OPTION_END && opt->kind != OPTION_GROUP; opt++)
		if (opt->help && n < capacity)
			n += (size_t)snprintf(text + n, capacity - n, " --%s", opt->name);
	return opt;
}

/* Lists the names of the options from `opt` on, by group. Returns the number of lines. */
static size_t list_names(const struct option *opt, bool print)
{
	size_t lines = 0;
	const char *group = "More";
	while (opt->kind != OPTION_END) {
		char text[2048];
		if (opt->kind == OPTION_GROUP)
			group = opt++->help;
		const size_t n = (size_t)snprintf(text, sizeof text, "%s:", group);
		opt = append_names(opt, text, sizeof text);
		if (text[n] == '\0')
			continue;
		if (print)
			printf("  ");
		lines += wrap(text, 4, print);
	}
	return lines;
}

/* Returns the first option that has to be listed by name only, so that the help fits. */
static const struct option *find_rest(const struct command_spec *cmd, size_t lines)
{
	const struct option *rest = cmd->options;
	for (; rest->kind != OPTION_END && rest->kind != OPTION_GROUP; rest++)
		lines += rest->help ? option_lines(rest) : 0;
	while (rest > cmd->options && lines + list_names(rest, false) > HELP_LINES) {
		rest--;
		lines -= rest->help ? option_lines(rest) : 0;
	}
	return rest;
}

/* Prints the first of some lines. */
static void print_lines(const char *text, size_t n)
{
	while (n-- > 0 && *text) {
		const size_t size = strcspn(text, "\n");
		printf("%.*s\n", (int)size, text);
		text += size + (text[size] != '\0');
	}
}

static size_t count_lines(const char *text)
{
	size_t n = 1;
	for (; (text = strchr(text, '\n')) != NULL; text++)
		n++;
	return n;
}

enum exit_status options_help(const struct command_spec *cmd)
{
	enum { EXAMPLES = 3, OTHER_LINES = 9 }; /* headings, blank lines, references */
	const struct option *rest =
	    find_rest(cmd, count_lines(cmd->synopsis) + OTHER_LINES + EXAMPLES);
	print_synopsis(cmd);
	printf("\n%s.\n\nOptions:\n", cmd->summary);
	for (const struct option *opt = cmd->options; opt < rest; opt++)
		print_option(opt);
	if (rest->kind != OPTION_END)
		putchar('\n');
	list_names(rest, true);
	printf("\nAll options: iotrace help %s. Manual: iotrace-%s(1).\n", cmd->name, cmd->name);
	printf("\nExamples:\n");
	print_lines(cmd->examples, EXAMPLES);
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
	return EXIT_FAILED;
}

/* Values */

static bool parse_number(const struct option *opt, const char *value, uint64_t *number)
{
	const size_t n = strlen(value);
	const bool valid = opt->kind == OPTION_SIZE ? size_parse(value, n, number) == SIZE_VALID
						    : number_decimal(value, n, number);
	return valid && *number >= opt->min && (opt->max == 0 || *number <= opt->max);
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

/* A limit as users write it: 64K, 16M; in bytes if it has no unit. */
static void print_limit(char *text, size_t capacity, const struct option *opt, uint64_t limit)
{
	static const char units[] = " KMGTPE";
	size_t unit = 0;
	while (opt->kind == OPTION_SIZE && limit > 0 && limit % 1024 == 0) {
		limit /= 1024;
		unit++;
	}
	snprintf(text, capacity, "%ju%.*s", (uintmax_t)limit, unit > 0, units + unit);
}

static const char *expected_number(const struct option *opt, const char *value, char *text,
				   size_t capacity)
{
	const bool is_size = opt->kind == OPTION_SIZE;
	const bool limited = opt->max > 0 && opt->max < UINT64_MAX;
	const size_t n = is_size ? strlen(value) : strspn(value, "0123456789");
	const char *noun = is_size ? "a size" : "a whole number";
	char min[32], max[32];
	uint64_t number;
	const enum size_status status = size_parse(value, n, &number);
	print_limit(min, sizeof min, opt, opt->min);
	print_limit(max, sizeof max, opt, limited ? opt->max : UINT64_MAX);
	if (limited || status == SIZE_TOO_LARGE)
		snprintf(text, capacity, "%s from %s to %s", noun, min, max);
	else
		snprintf(text, capacity, "%s%s%s%s", noun,
			 is_size && status == SIZE_INVALID ? " such as 4096, 64K, 64MB or 1GiB"
							   : "",
			 opt->min > 0 ? ", at least " : "", opt->min > 0 ? min : "");
	return text;
}

/* Whether the value is the name of a file or directory. */
static bool names_file(const struct option *opt)
{
	static const char *const names[] = {"FILE", "OUT", "DIR", "RUN"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(opt->argument, names[i]) == 0)
			return true;
	return false;
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
		return *value == '\0' && names_file(opt) ? "a name" : NULL;
	case OPTION_NUMBER:
	case OPTION_SIZE: {
		uint64_t number;
		if (!parse_number(opt, value, &number))
			return expected_number(opt, value, text, capacity);
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

/*
 * Corrects the value of an option of words: the first element of a list that is not one of them.
 * Returns false if no word is near.
 */
static bool correct_value(const struct option *opt, const char *value, char *text, size_t capacity)
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
		if (near.distance > 0 || at[n] == '\0') {
			snprintf(text, capacity, "%.*s%s%s", (int)(at - value), value, near.word,
				 at + n);
			return near.distance > 0 && nearest_is_found(&near);
		}
		at += n;
	}
}

/* The expected value: "a list of", and the words. */
static void list_words(const struct option *opt, const char *expected, char *text, size_t capacity)
{
	const char *word, *comma = " ";
	size_t n = (size_t)snprintf(text, capacity, "%s", expected);
	for (size_t i = 0; n < capacity && opt->word && (word = opt->word(i)) != NULL; i++) {
		n += (size_t)snprintf(text + n, capacity - n, "%s%s", comma, word);
		comma = ", ";
	}
}

/* The arguments that follow, ending in NULL. */
struct words {
	char **next;
	const struct option *help; /* which of the options for help was the last one */
};

static enum exit_status set_option(const struct command_spec *cmd, struct words *words,
				   const struct option *opt, const char *value)
{
	char shown[SHOWN_MAX], text[96], list[EXPECTED_MAX];
	if (opt == &help_option || opt == &help_all_option || opt == &table_option) {
		words->help = opt;
		return EXIT_OK;
	}
	value = value ? value : "";
	const char *expected = take_value(opt, value, text, sizeof text);
	if (!expected)
		return EXIT_OK;
	if (expected == option_no_memory)
		return message_no_memory();
	list_words(opt, expected, list, sizeof list);
	escape_text(shown, sizeof shown, value, strlen(value));
	if ((opt->kind == OPTION_CHOICE || opt->word) &&
	    correct_value(opt, shown, text, sizeof text))
		return options_wrong(cmd, "--%s is '%s', expected %s; did you mean --%s=%s?",
				     opt->name, shown, list, opt->name, text);
	return options_wrong(cmd, "--%s is '%s', expected %s", opt->name, shown, list);
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
	if (n == strlen(help_all_option.name) && memcmp(name, help_all_option.name, n) == 0)
		return &help_all_option;
	if (n == strlen(table_option.name) && memcmp(name, table_option.name, n) == 0)
		return &table_option;
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
		if (is_option(opt) && opt->help)
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

/* next: the following argument. */
static enum exit_status unknown_long(const struct command_spec *cmd, const char *name, size_t n,
				     const char *next)
{
	const bool with_value = name[n] == '=';
	const char *value = with_value ? name + n + 1 : next;
	char shown[SHOWN_MAX], meant[2 * NEAREST_WORD_MAX + 8];
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
	for (size_t i = 0; i < count && !cmd->runs_program; i++)
		if (argv[i][0] == '\0')
			return options_wrong(cmd, "the name of an input is empty");
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
	*status = words.help == &table_option      ? print_table(cmd)
		  : words.help == &help_all_option ? print_all(cmd)
						   : options_help(cmd);
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
