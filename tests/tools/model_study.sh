#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the tables of docs/model.md, and writes its plots: model_study.sh IOTRACE DIRECTORY
set -e
tools=$(cd "$(dirname "$0")" && pwd)
iotrace=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
to=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sed 's/^tree-links.*/tree-links = private/' "$tools/../../testdata/model/jugene.system" >private.system
echo 'burst-buffer = size 64GiB, internal 850MiB/s, external 1Gbit/s' >slow.system
echo 'burst-buffer = size 16GiB, internal 850MiB/s, external 4Gbit/s' >fast.system
python3 "$tools/model_logs.py" mixed 64 72 >mixed.iot
python3 "$tools/model_logs.py" reads 64 72 >reads.iot
for logs in mixed reads; do
	echo "-- $logs"
	"$iotrace" model private.system $logs.iot
	for variant in slow fast; do
		echo "-- $logs, $variant"
		"$iotrace" model --variant=$variant.system --plots=$variant private.system $logs.iot | sed -n 7,9p
	done
	[ $logs = reads ] || for plot in bytes nodes_io nodes_time io_ratios time_ratios; do cp slow/$plot.svg "$to/model_$plot.svg"; done
done
