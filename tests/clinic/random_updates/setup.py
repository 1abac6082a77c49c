with open("table.bin", "wb") as f:
    f.truncate(512 * 200000)
