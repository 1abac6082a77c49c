# SPDX-License-Identifier: BSD-2-Clause
# The traces that record makes of two ranks on each of two hosts are merged: ranks share the files of their job, except those
# of node-local file systems of different hosts, and each process has its host. The rank shows in job.JOB.RANK.
command -v dd >/dev/null || { echo 'dd is not installed'; exit 77; }
shared=$PWD/shared # the scratch directory is in a node-local file system, perhaps
printf '%s\n' 0123456789012345678901234567890123456789 >shared
cp shared /tmp/merge-hosts.$$ || exit 77
trap 'rm -f /tmp/merge-hosts.$$' EXIT

# rank HOST RANK JOB: reads ten bytes of each file at an offset of its own
rank() {
	SLURM_JOB_ID=$3 SLURM_STEP_ID=0 SLURM_PROCID=$2 "$IOTRACE" record -q -o 'job.%j.%r.iot' sh -c '
		dd if="$0" bs=10 skip=$2 count=1 of=/dev/null; dd if=$1 bs=10 skip=$2 count=1 of=/dev/null' \
		"$shared" /tmp/merge-hosts.$$ "$2" 2>/dev/null || exit
	# The host is that of this machine; paths below the scratch directory become those of a shared file system.
	"$IOTRACE" cat --bare "job.$3.$2.iot" | sed -e "s/ host=[^ ]*/ host=$1/" -e "s,path=$shared,path=/scratch/shared," \
		-e "s,/tmp/merge-hosts.$$,/tmp/local," >"$1.$3.$2.iot"
}
for i in 0 1 2 3; do rank node$((i / 2)) $i 77; done

# rows OPTION TRACE: the number of rows with each name, and their sum of bytes read
rows() {
	"$IOTRACE" stat --tsv "$1" "$2" | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		{ name = $(column["name"]) }
		name ~ /^(\/scratch\/shared|\/tmp\/local|node.*)$/ { n[name]++; bytes[name] += $(column["read_bytes"]) }
		END { for (name in n) print name ": rows " n[name] ", bytes " bytes[name] }' | sort
}
echo '== one job'
"$IOTRACE" merge -q -o job.iot node*.77.*.iot
rows --by=object job.iot
rows --by=host job.iot
"$IOTRACE" analyze --tsv --section=files job.iot | awk -F '\t' '$2 == "shared_files" { print $2, $4, $5 }'
echo '== distinct'
"$IOTRACE" merge -q --distinct-paths -o distinct.iot node*.77.*.iot
rows --by=object distinct.iot
echo '== two jobs on one host'
rank node0 4 78
"$IOTRACE" merge -q node0.77.0.iot node0.78.4.iot >jobs.iot
rows --by=object jobs.iot
"$IOTRACE" merge -q --join-paths node0.77.0.iot node0.78.4.iot >jobs.iot
rows --by=object jobs.iot
echo '== one host: processes without it'
"$IOTRACE" merge -q --format-version=1 node0.77.0.iot node0.77.1.iot | grep '%process' | grep -vc ' host=' || true
echo '== analyzed together, without a merge'
"$IOTRACE" analyze --tsv --section=files node*.77.*.iot | awk -F '\t' '$2 == "shared_files" { print $2, $4, $5 }'
