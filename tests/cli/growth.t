# SPDX-License-Identifier: BSD-2-Clause
# Twice the input takes at most 2.3 times the time: a few commands and kinds of hostile input of make check-growth.
case $IOTRACE in */release/*) ;; *) echo "measures the release build only"; exit 77 ;; esac
python3 "$TOOLS/growth.py" "$IOTRACE" --quick --seconds=0.02 >report || cat report
grep -c '^growth: 12 pairs' report
