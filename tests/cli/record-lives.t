# SPDX-License-Identifier: BSD-2-Clause
# Programs that share descriptors, run programs, and change user, root or namespaces: no offset is wrong, and no trace that lacks
# something is called complete. mount-spawn needs a root that is a mount point, which a chroot does not have: see check-record.
case ${MODE-} in
asan | tsan | msan)
	echo 'skipped: sanitizers do not allow a library to be preloaded'
	exit 77
	;;
esac
sh "$TOOLS/built.sh" record_lives || exit 77
python3 "$TOOLS/record_lives.py" "$IOTRACE" "${IOTRACE%/iotrace}/record_lives" grandchild exec-seeks static-spawn twins \
	unshared-files child-of-user user-exec user-system root-program users absent \
	shared-table shared-table-in-turn child-appends few-descriptors service program-appends random-17 random-19 |
	sed 's/^[0-9]* programs, .*; \([0-9]* programs with differences\).*/\1/'
