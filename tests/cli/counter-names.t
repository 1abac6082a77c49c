# SPDX-License-Identifier: BSD-2-Clause
# anonymize keeps every counter that a converter emits, by its exact name, and no other: a name that
# is missing here must be added to converters/counters.c.
printf 'a key of enough bytes\n' >key
chmod 600 key
source=$TOOLS/../../converters
# The string literals of report counts.
grep -hoE '(report_add|[a-z]+_count)\([^"]*"[a-z_.]+"|\[RECORDER_[A-Z_]+\] = "[a-z_.]+"|\{"(packets|damaged)\.[a-z_]+", ' \
	"$source"/*.c "$source"/*/*.c | grep -oE '"[a-z_.]+"' | tr -d '"' | sort -u >names
[ $(wc -l <names) -gt 40 ] || echo 'too few names found'
# The counters of Darshan, except those that identify a job, a machine, a file or a storage system.
for log in "$TESTDATA"/darshan/*.darshan "$TESTDATA"/darshan/*.txt; do
	"$IOTRACE" convert -q -o - "$log" 2>/dev/null
done | grep -a '%counter' | tr ' ' '\n' | grep -E '^[A-Z][A-Z0-9]+_.*=' | sed 's/=.*//' | sort -u |
	grep -vE 'RENAMED_FROM|REC_ID|UUID|_OID_|JOBID|_NAME$|^APXC_(GROUP|CHASSIS|BLADE|NODE|APPLICATION_ID)$' >>names
[ $(grep -c POSIX_ names) -gt 60 ] || echo 'too few counters found'
{
	echo 'ff %trace source=strace'
	while read -r name; do
		echo "ff %counter source=strace $name=1"
	done <names
	for name in POSIX_anything POSIX_SECRET hidden.secret damaged.SECRET MPIIO_ STDIO_X DXT_SECRET; do
		echo "ff %counter source=strace $name=1"
	done
} >all
"$IOTRACE" anonymize -q --key key all | sed -n 's/.*%counter source=strace *\(.*\)=1$/\1/p' |
	diff names - && echo 'every name, and no other' || echo 'converters/counters.c has to list what is missing here'
