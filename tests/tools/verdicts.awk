# SPDX-License-Identifier: BSD-2-Clause
# The sum of all verdicts in the output of tests: "N passed, N failed".
#
#	awk -v steps=N -f tests/tools/verdicts.awk LOG
#
# Scripts print "N passed, N failed", and Criterion "Passing: N | Failing: N | Crashing: N". A line
# "... all tests together:" says that the next one is a sum already. An error of make, or a line
# "== failed: STEP" of .ci/run, counts as one failure unless a test that failed precedes it, in the
# output of the same target or step. An error of a make that only passes on the error of a make that
# it has started does not count. steps: steps that failed; they count where nothing else did.
function error() {
	if (failed == explained)
		failed++
	explained = failed
}
/all tests together:$/ { getline; next }
/^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
/Synthesis: Tested:/ {
	gsub(/\033\[[0-9;]*m/, "")
	for (i = 1; i < NF; i++) {
		if ($i == "Passing:") passed += $(i + 1)
		if ($i == "Failing:" || $i == "Crashing:") failed += $(i + 1)
	}
}
/^g?make(\[[0-9]+\])?: \*\*\* / && !/Waiting for unfinished jobs/ {
	level = match($1, /[0-9]+/) ? substr($1, RSTART, RLENGTH) + 0 : 0
	if (level >= last_level)
		error()
	last_level = level
}
/^== failed: / {
	if (failed == at_step)
		error()
}
/^== / { at_step = explained = failed; last_level = 0 }
END {
	if (failed == 0) failed = steps
	printf "%d passed, %d failed\n", passed, failed
	exit failed > 0
}
