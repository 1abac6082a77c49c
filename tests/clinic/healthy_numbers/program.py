data = open("in.bin", "rb").read()
x = 0
for b in data[:6000000]:
    x = (x * 31 + b) & 0xffffffff
with open("answer", "w") as f:
    f.write("%d\n" % x)
