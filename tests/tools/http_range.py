#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Checks examples/http_range with servers on loopback that answer as they should, and as they should not.

	http_range.py HTTP_RANGE IOTRACE TRACE

Each server serves TRACE and misbehaves in one way. The state of a part is that of `iotrace analyze --part`, or there is an error and no file.
"""
import filecmp
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

PARTS = 3
BLOCK = 8 << 20


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, data, fault):
        super().__init__(("127.0.0.1", 0), Handler)
        self.data, self.fault, self.requests, self.sent = data, fault, 0, 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *arguments):
        if not isinstance(sys.exc_info()[1], ConnectionError):  # the client ends a connection that it no longer wants
            super().handle_error(*arguments)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, headers=(), length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.server.sent += len(body)
        try:
            self.wfile.write(body)
        except ConnectionError:
            self.close_connection = True  # the client does not want the rest

    def do_GET(self):
        server = self.server
        fault, server.requests = server.fault, server.requests + 1
        number, data, etag = server.requests, server.data, '"one"'
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers["Range"])
        first, last = int(match[1]), min(int(match[2]), len(data) - 1)
        if fault == "fails sometimes" and number % 3 != 0 or fault == "fails always" and number > 1:
            return self.answer(503, b"busy")
        if fault == "is missing":
            return self.answer(404, b"")
        if fault == "ignores Range":
            return self.answer(200, data, [("ETag", etag)])
        if fault == "has no ETag":
            etag = None
        if fault == "has a weak ETag":
            etag = 'W/"one"'
        if fault == "changes the file" and number > 1:
            data, etag = data[::-1], '"two"'
        if fault == "grows" and number > 1:
            data += b"\n"
        body = data[first:last + 1]
        headers = [("Content-Range", f"bytes {first}-{last}/{len(data)}")] + ([("ETag", etag)] if etag else [])
        if fault == "sends other bytes":
            headers[0] = ("Content-Range", f"bytes {first + 1}-{last}/{len(data)}")
            body = body[1:]
        if fault == "sends short answers" and number > 1:
            last = first + (last - first) // 2
            headers[0] = ("Content-Range", f"bytes {first}-{last}/{len(data)}")
            body = data[first:last + 1]
        if fault == "breaks off sometimes" and number % 3 != 0:
            self.close_connection = True
            return self.answer(206, body[:len(body) // 2], headers, len(body))
        if fault == "is slow":
            time.sleep(.3)
        return self.answer(206, body, headers)


RIGHT = {"behaves", "fails sometimes", "breaks off sometimes", "is slow"}
WRONG = {"fails always", "is missing", "ignores Range", "has no ETag", "has a weak ETag", "changes the file", "grows", "sends other bytes",
         "sends short answers"}


def run(program, server, k, state):
    url = f"http://127.0.0.1:{server.server_port}/trace"
    return subprocess.run([program, url, str(k), str(PARTS), state], capture_output=True, text=True, timeout=120)


def main(program, iotrace, trace):
    failures = 0
    with open(trace, "rb") as file:
        data = file.read()
    with tempfile.TemporaryDirectory() as directory:
        wanted = [os.path.join(directory, f"wanted{k}") for k in range(PARTS + 1)]
        for k in range(1, PARTS + 1):
            subprocess.run([iotrace, "analyze", "-q", f"--part={k}/{PARTS}", "-s", wanted[k], trace], check=True)
        for fault in sorted(RIGHT | WRONG):
            for k in range(1, PARTS + 1):
                server, state = Server(data, fault), os.path.join(directory, "state")
                result = run(program, server, k, state)
                made = os.path.exists(state)
                if fault in RIGHT:
                    good = result.returncode == 0 and made and filecmp.cmp(state, wanted[k], shallow=False)
                else:
                    good = result.returncode == 2 and not made and result.stderr != ""
                if fault == "behaves" and server.requests > 20 + len(data) / PARTS / BLOCK:
                    good = False
                if fault == "behaves":
                    print(f"part {k} of {PARTS}: {server.requests} requests, {server.sent} of {len(data)} bytes")
                elif not good or k == 2:
                    reason = result.stderr.strip().splitlines()[-1].rpartition(": ")[2] if result.stderr else "the right state"
                    print(f"a server that {fault}: {reason}")
                if not good:
                    failures += 1
                    print(f"not ok: a server that {fault}, part {k}: status {result.returncode}, {result.stderr}")
                if made:
                    os.remove(state)
                server.shutdown()
                server.server_close()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
