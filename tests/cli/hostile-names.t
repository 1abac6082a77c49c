# SPDX-License-Identifier: BSD-2-Clause
# Names that change the direction of writing, break lines, are not UTF-8 or begin a formula: no output
# contains them as they are, and JSON and tables give them back when they are decoded.
python3 - >names.iot <<'END'
names = [b"/d/\xe2\x80\xaetxt.exe", b"/d/\xe2\x81\xa6a\xe2\x81\xa9", b"/d/\xe2\x80\xa8b", b"/d/\xe2\x80\xa9c", b"/d/\xff\xfe", b"/d/\xc3\xa9",
         b"=cmd|calc", b"+1", b"-2", b"@SUM(A1)", b"/d/\xf3\xa0\x80\xa0tag", b"a=b"]
lines = ["ff %trace source=test epoch=1700000000000000000", "ff %process id=7 name==prog%E2%80%AE host=@h"]
for i, name in enumerate(names, 1):
    text = "".join("%%%02X" % byte for byte in name)
    lines.append(f"ff %file process=7 id={i} object={i} path={text}")
    lines.append(f"ff %op name=open time={i} took=1 process=7 file={i} path={text} result=0")
    lines.append(f"80 20 0 1000 1 5 {i:x} 7 0")
print("\n".join(lines))
END
cat >look.py <<'END'
"""Prints what is wrong with standard input: bytes that are not UTF-8, hidden characters, cells that begin a formula."""
import re, sys, unicodedata
kind, data = sys.argv[1], sys.stdin.buffer.read()
if not data:
    print(kind, "is empty")
try:
    text = data.decode()
except UnicodeDecodeError as error:
    print(kind, error)
    text = data.decode(errors="replace")
for c in sorted(set(text)):
    if unicodedata.category(c) in ("Cf", "Zl", "Zp", "Co", "Cn") or (ord(c) < 32 and c not in "\n\t"):
        print(kind, "contains U+%04X" % ord(c))
separator = {"csv": ",", "tsv": "\t"}.get(kind.rsplit(".")[-1])
for line in text.splitlines() if separator else []:
    for cell in line.split(separator):
        if re.match('"?[=+@-]', cell) and not re.fullmatch(r"-|-[0-9.]+(e[-+]?[0-9]+)?", cell):
            print(kind, "has the cell", cell)
END
LC_ALL=C.UTF-8
export LC_ALL
look() { python3 look.py "$1"; }
for format in csv tsv jsonl chrome; do
	"$IOTRACE" cat -q --format=$format $(case $format in ?sv) echo --all-events ;; esac) names.iot 2>log | look cat.$format
done
for by in file object process host rank; do
	"$IOTRACE" stat -q --by=$by --tsv names.iot | look stat.$by.tsv
	"$IOTRACE" stat -q --by=$by --json names.iot | look stat.$by.json
	"$IOTRACE" stat -q --by=$by names.iot | look stat.$by.text
done
for by in process file op; do
	"$IOTRACE" analyze -q --by=$by --tsv names.iot | look analyze.$by.tsv
	"$IOTRACE" analyze -q --by=$by --json names.iot | look analyze.$by.json
done
"$IOTRACE" analyze -q --tsv names.iot | look analyze.tsv
"$IOTRACE" analyze -q --json names.iot | look analyze.json
"$IOTRACE" analyze -q names.iot | look analyze.text
"$IOTRACE" analyze -q --html=page.html --plots=plots names.iot && look html <page.html
cat plots/*.svg | look svg
cat plots/*.tsv | look plots.tsv
"$IOTRACE" simulate -q -c 1b --by=file --tsv names.iot | look simulate.tsv
"$IOTRACE" simulate -q -c 1b --by=file --json names.iot | look simulate.json
"$IOTRACE" info --json names.iot | look info.json
"$IOTRACE" info names.iot | look info.text
"$IOTRACE" top --once --json names.iot | look top.json
mkdir "$(printf '\342\200\256=d')" && "$IOTRACE" info "$(printf '\342\200\256=d')/x" 2>&1 | look message
echo 'decoded:'
python3 - "$IOTRACE" <<'END'
import json, subprocess, sys, urllib.parse
def lines(*arguments):
    return subprocess.run([sys.argv[1], *arguments, "names.iot"], capture_output=True, check=True).stdout.decode().splitlines()
wanted = set()
for line in open("names.iot"):
    if line.startswith("ff %file"):
        wanted.add(urllib.parse.unquote_to_bytes(line.split("path=")[1].rstrip("\n")))
tsv = {urllib.parse.unquote_to_bytes(line.split("\t")[13]) for line in lines("stat", "-q", "--by=object", "--tsv")[1:]}
csv = {urllib.parse.unquote_to_bytes(line.split(",")[9]) for line in lines("cat", "-q", "--format=csv")[1:]}
print("tsv", tsv == wanted, "csv", csv == wanted)
names = {json.loads(line).get("path") for line in lines("cat", "-q", "--format=jsonl")}
print("json", {name.decode() for name in wanted if b"\xff" not in name} <= names)
END
