#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Completion in bash, zsh and fish: check_completion.sh BUILD
cd "$(dirname "$0")/../.." || exit 2
completion=$PWD/$1/completion
. tests/tools/verdict.sh

# bash WORDS... : completes the last one; the shell has split them at '='
in_bash() {
	bash -c '. "$0/iotrace"; COMP_WORDS=(iotrace "$@"); COMP_CWORD=$#; _iotrace; echo "${COMPREPLY[*]}"' "$completion/bash" "$@" 2>&1
}

# says SHELL EXPECTED WORDS...: whether the words are completed so, with nothing else printed
says() {
	shell=$1 wanted=$2
	shift 2
	found=$("in_$shell" "$@")
	[ "$found" = "$wanted" ]
	verdict $? "$shell: $*: '$found' instead of '$wanted'"
}

says bash 'convert' conv
says bash 'mount merge mrc match model' help m
says bash '--format= --format-version= --framed' cat --f
says bash 'csv chrome' cat --format = c
says bash 'csv chrome' cat -f c
says bash 'csv chrome' cat --format=c
says bash 'start_ns,process start_ns,path start_ns,program' cat --columns = start_ns,p
says bash 'lru lfu lirs' simulate --policy l
says bash 'tests/tools/check_completion.sh' stat tests/tools/check_compl
says bash 'tests/tools/check_completion.sh' cat -o tests/tools/check_compl
says bash '' no-such-command --

in_fish() {
	fish --no-config -c 'source $argv[1]/iotrace.fish; complete --do-complete "iotrace $argv[2]"' "$completion/fish" "$*" 2>&1 |
		cut -f 1 | tr '\n' ' ' | sed 's/ $//'
}
if command -v fish >/dev/null; then
	says fish 'convert' conv
	says fish '--format=chrome --format=csv' cat --format=c
	says fish '--framed' cat --fr
	says fish 'start_ns,path start_ns,process start_ns,program' cat --columns start_ns,p
else
	echo 'skipped: fish not installed'
fi

# zsh completes in a terminal alone: its arguments are parsed here, and listed by the function that it calls.
in_zsh() {
	zsh -f -c 'zmodload zsh/zpty; zpty z "PS1= TERM=dumb zsh -f -i"
		zpty -w z "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; zstyle \":completion:*\" list-separator \"\"; bindkey \"^I\" complete-word; print READY"
		zpty -r -m z out "*READY*READY*"
		zpty -w -n z "iotrace $2"$'"'\\t'"'
		sleep 1; zpty -w -n z $'"'\\x15'"'"print DONE\$((1+1))"$'"'\\n'"'
		out=; while zpty -r z line; do out+=$line; case $line in *DONE2*) break ;; esac; done; print -r -- "$out"' zsh "$completion/zsh" "$*" 2>&1
}
if command -v zsh >/dev/null; then
	zsh -n "$completion/zsh/_iotrace"
	verdict $? 'zsh: the function cannot be parsed'
	in_zsh 'cat --format=cs' | grep -q 'format=csv'
	verdict $? 'zsh: cat --format=cs is not completed'
	in_zsh 'conv' | grep -q 'convert'
	verdict $? 'zsh: conv is not completed'
else
	echo 'skipped: zsh not installed'
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
