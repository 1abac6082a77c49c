# SPDX-License-Identifier: BSD-2-Clause
# The network benchmark of NHT-1 with little data: its figures compared with its trace, and the inputs that it refuses.
case $(basename "$(dirname "$IOTRACE")") in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" libiotrace-record.so examples/nht1/net examples/nht1/marks || exit 77
python3 "$TOOLS/nht1_check.py" "${IOTRACE%/*}" net 16
