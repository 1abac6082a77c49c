# SPDX-License-Identifier: BSD-2-Clause
# Input: "command NAME SUMMARY", and after it "option COMMAND NAME LETTER ARGUMENT WORDS HELP" for each, separated by tabs.

function quoted(text) { gsub(/'/, "'\\''", text); return "'" text "'" }
function is_list(argument) { return argument ~ /LIST|,/ }

# The words that a value may be: "-" if it is a file, or anything else.
function words_of(argument, words)
{
	if (words == "-" && argument ~ /^[a-z0-9|-]+$/ && argument ~ /\|/) {
		words = argument
		gsub(/\|/, " ", words)
	}
	return words
}

$1 == "command" {
	commands = commands " " $2
	summary[$2] = $3
	next
}

{
	words = words_of($5, $6)
	letter = $4 == "-" ? "" : $4
	needs = $5 != "-" && $5 !~ /^\[/
	if (shell == "bash")
		bash_option()
	else if (shell == "zsh")
		zsh_option()
	else
		fish_option()
}

# bash: functions with what is constant; iotrace.bash has the rest

function bash_option()
{
	options[$2] = options[$2] " --" $3 ($5 ~ /^\[/ || $5 == "-" ? "" : "=") (letter == "" ? "" : " -" letter)
	if (words != "-")
		values = values "\t" quoted($2 " --" $3) (letter == "" ? "" : "|" quoted($2 " -" letter)) ") echo " \
		    quoted((is_list($5) ? "list " : "word ") words) ";;\n"
	else if (needs)
		values = values "\t" quoted($2 " --" $3) (letter == "" ? "" : "|" quoted($2 " -" letter)) ") echo file;;\n"
}

function bash_end(  c, i, n)
{
	print "_iotrace_commands=" quoted(commands " help version")
	print "_iotrace_options() {\n\tcase $1 in"
	n = split(commands, c, " ")
	for (i = 1; i <= n; i++)
		print "\t" c[i] ") echo " quoted(options[c[i]]) ";;"
	print "\tesac\n}"
	print "_iotrace_values() {\n\tcase $1 in\n" values "\tesac\n}"
	while ((getline line < (dir "iotrace.bash")) > 0)
		print line
}

# zsh: arguments of _arguments

function zsh_text(text) { gsub(/\[|\]|:/, "\\\\&", text); return text }

function zsh_option(  value, kind)
{
	kind = words == "-" ? "_files" : is_list($5) ? "_values -s , value " words : "(" words ")"
	value = $5 == "-" ? "" : ":value:" kind
	if ($5 ~ /^\[/)
		value = ":" value
	arguments[$2] = arguments[$2] " \\\n\t\t" quoted("*--" $3 ($5 == "-" ? "" : $5 ~ /^\[/ ? "=-" : "=") \
	    "[" zsh_text($7) "]" value)
	if (letter != "")
		arguments[$2] = arguments[$2] " " quoted("*-" letter ($5 == "-" ? "" : "+") "[" zsh_text($7) "]" value)
}

function zsh_end(  c, i, n)
{
	print "#compdef iotrace"
	print "local -a commands=("
	n = split(commands, c, " ")
	for (i = 1; i <= n; i++)
		print "\t" quoted(c[i] ":" zsh_text(summary[c[i]]))
	print "\t'help:show the help of a command' 'version:show the version'\n)"
	print "if ((CURRENT == 2)); then\n\t_describe command commands\n\treturn\nfi"
	print "local command=$words[2]\nshift words\n((CURRENT--))\ncase $command in"
	for (i = 1; i <= n; i++)
		print c[i] ")\n\t_arguments -s -S" arguments[c[i]] " '*:file:_files'\n\t;;"
	print "help) _describe command commands ;;\nesac"
}

# fish: a command for each option

function fish_option()
{
	print "complete -c iotrace -n '__fish_seen_subcommand_from " $2 "' -l " $3 (letter == "" ? "" : " -s " letter) \
	    (needs ? " -r" : "") (words == "-" ? (needs ? " -F" : "") : " -f -a " quoted(fish_words(words, is_list($5)))) \
	    " -d " quoted($7)
}

function fish_words(words, list) { return list ? "(__fish_append , " words ")" : words }

function fish_end(  c, i, n)
{
	print "complete -c iotrace -n '__fish_use_subcommand' -f"
	n = split(commands, c, " ")
	for (i = 1; i <= n; i++)
		print "complete -c iotrace -n '__fish_use_subcommand' -f -a " c[i] " -d " quoted(summary[c[i]])
	print "complete -c iotrace -n '__fish_use_subcommand' -f -a 'help version'"
	print "complete -c iotrace -n '__fish_seen_subcommand_from help' -f -a " quoted(commands)
}

END {
	if (shell == "bash")
		bash_end()
	else if (shell == "zsh")
		zsh_end()
	else
		fish_end()
}
