# SPDX-License-Identifier: BSD-2-Clause
# The application benchmark of NHT-1, class S: its norms, its file, and its figures compared with its trace.
case $(basename "$(dirname "$IOTRACE")") in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" libiotrace-record.so examples/nht1/app examples/nht1/marks examples/nht1/verify || exit 77
python3 "$TOOLS/nht1_check.py" "${IOTRACE%/*}" app S "$TESTDATA/nht1/S.txt"
