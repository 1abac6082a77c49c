# SPDX-License-Identifier: BSD-2-Clause
# The sum of all verdicts in the output of tests: "N passed, N failed".
#
#	awk -v steps=N -f tests/tools/verdicts.awk LOG
#
# Scripts print "N passed, N failed", and Criterion "Passing: N | Failing: N | Crashing: N". A line
# "... all tests together:" says that the next one is a sum already. steps: steps that failed; they
# count where no test did, as when a compiler fails.
/all tests together:$/ { getline; next }
/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
/Synthesis: Tested:/ {
	gsub(/\033\[[0-9;]*m/, "")
	for (i = 1; i < NF; i++) {
		if ($i == "Passing:") passed += $(i + 1)
		if ($i == "Failing:" || $i == "Crashing:") failed += $(i + 1)
	}
}
END {
	if (failed == 0) failed = steps
	printf "%d passed, %d failed\n", passed, failed
	exit failed > 0
}
