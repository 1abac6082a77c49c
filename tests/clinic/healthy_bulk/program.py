import sqlite3
db = sqlite3.connect("bulk.db")
db.execute("create table t(a, b)")
db.executemany("insert into t values(?, ?)", ((i, "text %d" % i) for i in range(600000)))
db.commit()
