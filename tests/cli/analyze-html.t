# SPDX-License-Identifier: BSD-2-Clause
# The HTML report: sections, no scripts or references, valid HTML, hostile names.
{
	echo 'ff %trace source=test command=<script>alert(1)</script>%20%26amp; host="><b ranks=2 epoch=1600000000000000000'
	echo 'ff %process id=1 rank=1 host=a%00b'
	echo 'ff %process id=2 rank=0 host=node-2'
	echo "ff %file process=1 id=1 object=1 path=/<img%20src=x%20onerror=alert(1)>"
	printf '%s\n' "ff %file process=1 id=2 object=2 path=/quotes\"'%60\\end"
	echo 'ff %file process=1 id=3 object=3 path=/controls%00%01%0A%09%1B[31m%7F%C2%85%E2%80%AEgpj.exe'
	echo 'ff %file process=1 id=4 object=4 path=/invalid%FF%C3%28%ED%A0%80'
	echo "ff %file process=1 id=5 object=5 path=/valid%C3%A9%E6%97%A5%F0%9F%93%81"
	printf 'ff %%file process=1 id=6 object=6 path=/long/%s/file\n' "$(head -c 8000 /dev/zero | tr '\0' x)"
	printf 'ff %%file process=1 id=7 object=7 path=/longer/%s\n' "$(head -c 65000 /dev/zero | tr '\0' y)"
	for file in 1 2 3 4 5 6 7; do
		echo "80 20 0 1000 2710 2710 $file 1 0"
	done
	echo 'c0 20 1000 40 2710 10 1 2 0'
	echo 'ff %op name=<u> time=30000 took=1000 process=1 file=1 result=EN<OENT'
	echo '80 20 1000 20000 9c40 9c40 1 1 0'
} >t
"$IOTRACE" analyze -q --html=t.html t
echo "exit $?"
echo 'sections:'
sed -n 's/^<summary><h2[^>]*>\(.*\)<.h2>.*/folded: \1/p; s/^<h2[^>]*>\(.*\)<.h2>/\1/p' t.html
echo 'rejected:'
grep -ciE '<script|<img|<link|<iframe|javascript:|onerror="|url\(|@import|<[^>]* src=|href="[^#]' t.html
echo 'links without a target:'
for id in $(grep -o 'href="#[^"]*' t.html | sed 's/.*#//' | sort -u); do grep -q "id=\"$id\"" t.html || echo "$id"; done
grep -o "default-src 'none'; style-src 'unsafe-inline'" t.html
echo 'names:'
sed -n 's/^<h1>\(.*\)<.h1>/\1/p; s/^<dt>on host<.dt><dd>\(.*\)<.dd>/\1/p' t.html
sed -n 's/^<tr><td class="n">//p' t.html | sed 's/<.td>.*//; s/x\{1000,\}/xx...xx/g' | cut -c 1-160
echo 'control characters:'
tr -d '\n' <t.html | grep -c '[[:cntrl:]]'
echo 'invalid UTF-8:'
iconv -f UTF-8 -t UTF-8 t.html >/dev/null && echo none
if command -v tidy >/dev/null; then
	tidy -e -q -utf8 t.html
	echo "tidy: exit $?"
else
	echo 'tidy: exit 0'
fi

echo 'names in plots:'
"$IOTRACE" analyze -q --plots=plots t
sed -n 's/^<text[^>]*>\(.*\)<title>.*/\1/p' plots/class.svg
cut -f 1 plots/class.tsv | cut -c 1-80 | cat -v
if command -v xmllint >/dev/null; then
	xmllint --noout plots/*.svg
fi

echo 'the same bytes:'
"$IOTRACE" analyze -q --html=- t | cmp - t.html && echo 'on standard output'
"$IOTRACE" analyze -q --state=t.state t && "$IOTRACE" analyze -q --html=joined.html t.state && cmp t.html joined.html &&
	echo 'of a state'
LC_ALL=C.UTF-8 "$IOTRACE" analyze -q --html=utf8.html t && cmp t.html utf8.html && echo 'in a UTF-8 locale'

echo 'sections that are computed:'
"$IOTRACE" analyze -q --section=sizes,order --html=- t | sed -n 's/^<summary><h2[^>]*>\(.*\)<.h2>.*/folded: \1/p; s/^<h2[^>]*>\(.*\)<.h2>/\1/p'
echo 'an empty trace:'
"$IOTRACE" analyze -q --allow-empty --html=- /dev/null | sed -n 's/^<summary><h2[^>]*>\(.*\)<.h2>.*/folded: \1/p; s/^<h2[^>]*>\(.*\)<.h2>/\1/p'
echo 'a damaged trace:'
{
	sed 's/^ff %trace/ff %iotrace version=1 tick=1000\n&/' t
	echo damaged
} | "$IOTRACE" analyze -q --html=damaged.html
echo "exit $?"
sed -n 's/^<dt>\(complete<.*\)/\1/p' damaged.html
echo 'a file that cannot be written:'
mkdir d
"$IOTRACE" analyze -q --html=d t
echo "exit $?"
"$IOTRACE" analyze -q --html=no/t.html t
echo "exit $?"
ls d
