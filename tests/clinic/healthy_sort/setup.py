import random
r = random.Random(2)
with open("numbers.txt", "w") as f:
    for i in range(400000):
        f.write("%d\n" % r.randrange(10**9))
