import sqlite3, time
db = sqlite3.connect("shop.db")
db.execute("create table t(a, b)")
end = time.monotonic() + 0.8
i = 0
while time.monotonic() < end:
    db.execute("insert into t values(?, ?)", (i, "text"))
    db.commit()
    i += 1
