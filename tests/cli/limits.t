#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Input that requests too much: bounded memory, time and temporary files, and a message that states the limit.
# The address space is limited, so unbounded growth fails at once.

cat >bombs.py <<'P'
import bz2, gzip, io, lzma, struct, tarfile, zlib
def put(name, data):
    with open(name, "wb") as f: f.write(data)
def tar(name, members, mode="w"):
    with tarfile.open(name, mode) as t:
        for path, data, kind, link in members:
            m = tarfile.TarInfo(path)
            m.size, m.type, m.linkname = len(data), kind, link
            t.addfile(m, io.BytesIO(data) if data else None)
log = b'7 1.5 read(3, "", 9) = 9 <0.000001>\n'
line = b"x" * (64 << 20)
put("line.iot.gz", gzip.compress(b"ff %iotrace version=1 tick=1000\nc0 " + line, 1))
put("line.log.gz", gzip.compress(log + b'7 1.6 read(3, "' + line, 1))
zeros = gzip.compress(bytes(256 << 20), 1)
put("zeros.gz", zeros)
put("twice.gz", gzip.compress(zeros, 1))
put("zeros.xz", lzma.compress(bytes(64 << 20), preset=0))
put("zeros.bz2", bz2.compress(bytes(64 << 20), 1))
# A block that requests a dictionary of 4 GB.
xz = bytearray(lzma.compress(log, check=lzma.CHECK_NONE))
end = 12 + (xz[12] + 1) * 4
xz[16] = 40
xz[end - 4:end] = struct.pack("<I", zlib.crc32(bytes(xz[12:end - 4])))
put("dictionary.xz", bytes(xz))
with gzip.open("blank.iot.gz", "wb", 1) as f:
    for _ in range(65):
        f.write(b"\n" * (1 << 20))
# A frame that requests a window of 3.5 TB, and one of 2 GB.
put("window.iot.zst", b"\x28\xb5\x2f\xfd\x00\xf7" + b"\x01\x00\x00" * 9)
put("window2.iot.zst", b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00" * 9)
# Each line belongs to a new process, with the largest ids.
with open("processes.iot", "wb") as f:
    f.write(b"".join(b"c0 22 0 8 0 1 1 %x 1\n" % (0xffffffff - 7919 * i & 0xffffffff) for i in range(60000)))
with open("ids.iot", "wb") as f:
    f.write(b"".join(b"ff %%file process=%d id=4294967295 object=%d path=/%d\n" % (4294967295 - i, 4294967295 - i, i)
                     for i in range(20000)))
    f.write(b"c0 22 0 8 0 1 ffffffff ffffffff 1\n")
r, s, l, c = tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE
tar("odd.tar", [("../../escaped", log, r, ""), ("/tmp/absolute-name-of-iotrace", log, r, ""),
                ("link", b"", s, "/etc/passwd"), ("hard", b"", l, "../../escaped"), ("device", b"", c, ""),
                ("fifo", b"", tarfile.FIFOTYPE, "")])
head = tarfile.TarInfo("big.log"); head.size = 1 << 50
put("size.tar", head.tobuf(tarfile.GNU_FORMAT) + log * 20)
with gzip.open("full.tar.gz", "wb", 1) as f:
    head.size = 256 << 20
    f.write(head.tobuf(tarfile.GNU_FORMAT) + b"x" * (256 << 20))
with gzip.open("many.tar.gz", "wb", 1) as f:
    head.size = 0
    for _ in range(101):
        f.write(head.tobuf(tarfile.GNU_FORMAT) * 10000)
put("key", b"k" * 5000)
P
python3 bombs.py || exit 1

# try COMMAND...: in 1 GiB, within a time that only an endless loop exceeds; prints the start of its message.
try() {
	(
		case ${MODE-release} in
		release | debug) ulimit -v 1048576 ;; # sanitizers want all of it
		esac
		ulimit -f 409600
		timeout 300 "$IOTRACE" "$@" >out.txt 2>err.txt
	)
	status=$?
	echo "$(echo "$*" | cut -c 1-60): $status"
	grep -v '^iotrace: warning' err.txt | head -n 1 | cut -c 1-150
	rm -f out.iot
}
export TMPDIR="$PWD"
echo "== lines without an end"
try cat line.iot.gz
try check -q line.iot.gz
try convert --from=strace -o out.iot line.log.gz
echo "== bombs"
try cat zeros.gz
try cat --recover zeros.gz
try check -q zeros.gz
try convert --from=strace -o out.iot zeros.gz
try convert --from=procstat -o out.iot zeros.gz
try convert --from=darshan -o out.iot zeros.gz
try convert -o out.iot twice.gz
try convert --from=strace -o out.iot zeros.xz
try convert --from=strace -o out.iot zeros.bz2
try cat blank.iot.gz
echo "== windows"
try cat window.iot.zst
try info window2.iot.zst
try check -q window2.iot.zst
try convert -o out.iot window.iot.zst
try convert --from=strace -o out.iot dictionary.xz | sed 's/asks for 429503[0-9]* bytes/asks for 4 GiB/' # versions of liblzma differ
echo "== ids"
try stat --tsv processes.iot
wc -l <out.txt | tr -d " "
try merge -o out.iot processes.iot ids.iot
try info ids.iot
echo "== tars"
try convert --from=strace -o out.iot odd.tar
head -n 3 err.txt
find . .. -maxdepth 1 -name 'escaped*'
ls /tmp/absolute-name-of-iotrace 2>/dev/null
try convert --from=strace -o out.iot size.tar
try convert -o out.iot full.tar.gz
try convert -o out.iot many.tar.gz
echo "== what is asked for"
"$IOTRACE" convert -q --from=strace -o log.iot odd.tar
ln -s loop loop
try cat -o loop log.iot
try slice --process="$(seq -s , 1 2 3000)" log.iot 2>&1
chmod 600 key
try anonymize --key=key log.iot
rm log.iot loop key
echo "== left here"
ls -A | grep -v '^bombs\.py$\|\.txt$'
