# 60 processes, one after the other, of which each makes a small file durable.
for i in 0 1 2 3 4 5; do
	for k in 0 1 2 3 4 5 6 7 8 9; do
		dd if=/dev/zero of=part.$i$k bs=4k count=2 conv=fsync 2>/dev/null
	done
done
