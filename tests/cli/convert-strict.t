# SPDX-License-Identifier: BSD-2-Clause
# Unparsed lines cause a warning; with --strict they are an error, and no output is kept.
sh "$TOOLS/strace_log.sh" 2 >good
(cat good && printf '1234  1700000001.000000 \033[2J what is this\n') >log
"$IOTRACE" convert --strict -o x.iot good
echo "good: exit status $?"
"$IOTRACE" convert -o x.iot log 2>&1
echo "exit status $?"
"$IOTRACE" convert -q -o x.iot log 2>&1
echo "quiet: exit status $?"
cp x.iot before
"$IOTRACE" convert --strict -o x.iot log 2>&1
echo "strict: exit status $?"
cmp before x.iot
"$IOTRACE" convert --strict -q log 2>&1
echo "strict, standard output: exit status $?"
ls
