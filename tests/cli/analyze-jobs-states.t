# SPDX-License-Identifier: BSD-2-Clause
# States of several jobs: any tree of them has the bytes of all traces at once, and the same reports.
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
python3 - <<'CODE'
import random
r = random.Random(3)
for name, job in (("a", "one"), ("b", "one"), ("c", "two"), ("d", "two"), ("e", None), ("f", None)):
    with open(name, "w", encoding="ascii") as out:
        print("ff %%trace user=u%d command=/bin/%s%s epoch=1700000000000000000" % (job == "one", job, f" job={job}" if job else ""), file=out)
        print("ff %%process id=%d rank=%d host=%s" % (ord(name), ord(name), name), file=out)
        for i in range(400):
            print("%x 20 %x %x %x %x %x %x 0" % (r.choice((0x80, 0xc0)), r.randrange(99) * 512, r.choice((512, 4096)), r.randrange(200),
                                                  r.randrange(5000), r.randrange(1, 4), ord(name)), file=out)
CODE
for name in a b c d e f; do "$IOTRACE" cat -q --framed --sync=50 --no-fsync -o $name.iot $name; done
state() {
	"$IOTRACE" analyze --no-fsync -s "$@"
}
state all *.iot
grep -a kind=member all
"$IOTRACE" check all | sed "s/, comments.*//"
for options in "" "--json" "--tsv" "--by=job" "--group=user" "--group=command --json" "--section=map"; do
	"$IOTRACE" analyze -q $options *.iot >expected
	"$IOTRACE" analyze -q $options all | cmp - expected && echo "analyze $options: as of the traces"
done
# Two trees, with traces of one job in different states; a compressed state
state A c.iot a.iot && state B b.iot f.iot && state C e.iot d.iot
state AB B A && state ABC C AB && cmp ABC all
state BC.zst B C && state CB BC.zst a.iot c.iot && cmp CB all && echo "trees: the same bytes"
# Parts of a trace in different states; a state that is given twice
for k in 1 2 3; do "$IOTRACE" analyze -q --no-fsync --part=$k/3 -s $k.state a.iot; done
cp 1.state a.state
state P 3.state f.iot && state Q 2.state P e.iot && state R B C Q a.state c.iot && sed s/a.state/a.iot/ R | cmp -n 30000 - all &&
	echo "parts: the same bytes"
"$IOTRACE" analyze -q --json all >expected
"$IOTRACE" analyze -q --json Q B C c.iot 1.state 2>err | cmp - expected
cat err
# Two traces with the same first 64 KiB are not one trace; a copy is.
python3 -c '
for name, count in (("long", 9000), ("short", 8000)):
    with open(name, "w", encoding="ascii") as out:
        out.writelines("80 20 %x 1 %x 1 1 1 0\n" % (i, i) for i in range(count))
'
cp long copy
for name in long short copy; do state $name.state $name; done
state three long.state short.state copy.state 2>&1
"$IOTRACE" analyze three 2>&1 | head -n 1
"$IOTRACE" analyze short.state copy.state long.state 2>&1 | head -n 2
# Traces of one job, all in one state of several jobs, are those of that job.
"$IOTRACE" analyze -q --one-job --json *.iot | grep -v '"command"\|"job"\|"user"' >expected
"$IOTRACE" analyze -q --one-job --json all 2>&1 | grep -v '"command"\|"job"\|"user"' | cmp - expected && echo "--one-job: the same values"
# States that are cut, damaged or not read as a whole
refuse() { # prints the message without the line
	"$IOTRACE" analyze -q "$@" 2>&1 >out | sed "s,^\(iotrace: [a-z]*\):[0-9:]*,\1:N,"
	wc -l <out
}
head -c 20000 all >cut
refuse cut
"$IOTRACE" cat -q --format-version=1 all | grep -v '%iotrace\|%end\|%sync' >plain
sed 's/kind=totals/kind=total/' plain >other
refuse other
grep -v 'kind=end' plain >endless
refuse endless
grep -v kind=member plain >headless
refuse headless
{ cat plain; echo "ff %state kind=member rows=1 name=empty"; } >empty
refuse empty
sed 's/kind=header rows=1/& surplus=1/' plain >surplus
refuse surplus
refuse - <all
refuse --against=all a.iot
refuse --part=1/2 all a.iot
