# SPDX-License-Identifier: BSD-2-Clause
# bootstrap.sh with replacements for apt-get and make: its messages on failures, and its final sum.
mkdir -p clone/tests/tools bin
cp "$TOOLS/../../bootstrap.sh" clone
cp "$TOOLS/verdicts.awk" clone/tests/tools
stand_in() { # NAME SCRIPT
	printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
	chmod +x "bin/$1"
}
stand_in dpkg-query 'echo "install ok installed"'
stand_in apt-get 'echo "E: no network"; exit 100'
stand_in sudo 'exec "$@"'
PATH=$PWD/bin:$PATH
run() {
	sh clone/bootstrap.sh "$@" 2>&1
	echo "exit status $?"
}
echo "== a package is missing"
stand_in dpkg-query 'case $* in *zlib1g-dev*) exit 1 ;; esac; echo "install ok installed"'
run demo
stand_in dpkg-query 'echo "install ok installed"'
echo "== the compiler fails"
stand_in make 'i=0; while [ $i -lt 50 ]; do i=$((i + 1)); echo "line $i"; done; echo "x.c:1: error"; exit 2'
run demo | sed -n '1,3p;$p'
echo "== tests"
stand_in make 'case $* in *check*) ;; *) exit 0 ;; esac
printf "5 passed, 0 failed\n\033[0;34m[====]\033[0m Synthesis: Tested: 3 | Passing: 3 | Failing: 0 | Crashing: 0\n2 passed, 0 failed\n"'
run test
stand_in make 'case $* in *check*) echo "5 passed, 2 failed"; exit 2 ;; esac'
run test
echo "== build installs what the tests need, and does not run them"
stand_in dpkg-query 'case $* in *libcriterion-dev*) exit 1 ;; esac; echo "install ok installed"'
run build | head -n 1
stand_in dpkg-query 'echo "install ok installed"'
run build
echo "== a step fails that counts nothing; a sum is not counted again"
stand_in make 'case $* in *check*) echo "5 passed, 0 failed"; exit 2 ;; esac'
run test >all
tail -n 2 all
awk -v steps=0 -f clone/tests/tools/verdicts.awk all
echo "== an error of make that no count explains, next to tests that fail"
sum() { # LINES STEPS
	printf "$1" >log
	awk -v steps="$2" -f clone/tests/tools/verdicts.awk log
}
sum '3 passed, 1 failed\nmake[1]: *** [x:4: a] Error 1\n5 passed, 0 failed\nmake[1]: *** [x:6: b] Aborted\nmake: *** [x:2: check] Error 2\n' 1
sum 'make[1]: *** No rule to make target x.  Stop.\nmake[1]: *** Waiting for unfinished jobs....\n3 passed, 2 failed\nmake[1]: *** [x:4: a] Error 1\nmake: *** [x:2: check] Error 2\n' 1
sum '== a\n3 passed, 2 failed\nmake: *** [x:1: a] Error 1\n== failed: a\n== b\nmake: *** [x:1: b] Error 1\n== failed: b\n== c\n== failed: c\n== d\n' 3
echo "== the demo fits a screen, and its next command works"
MODE=$(basename "${IOTRACE%/*}") sh "$TOOLS/demo.sh" testdata/strace/sqlite.strace.gz >demo 2>&1
echo "exit status $?"
test "$(wc -l <demo)" -le 36 && echo "36 lines at most"
cd "$TOOLS/../.."
eval "$(sed -n '/^Next/,$s/^    //p' "$OLDPWD/demo")" | head -n 3
