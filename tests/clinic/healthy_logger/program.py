# Writes a line now and then.
import time
with open("idle.log", "a", buffering=1) as log:
    for i in range(30):
        time.sleep(0.03)
        log.write("tick\n")
