#!/usr/bin/env python3
"""Stands between an editor and the language server, and records what both say.

The program is $TILEWRIGHT_SERVER, the record $TILEWRIGHT_RECORD: a line of JSON for each message, the editor's as `client`, the
server's as `server`. Paths under $TILEWRIGHT_ROOT become `/workspace`, and the editor's process number goes, so that a record
names no machine. To record, give this program to the editor as the server:

    TILEWRIGHT_SERVER=target/debug/tilewright TILEWRIGHT_RECORD=neovim.jsonl TILEWRIGHT_ROOT=/tmp/x \\
        TILEWRIGHT=tests/tools/record_lsp.py KERNEL=/tmp/x/k.cuda_tile nvim --headless -c "luafile tests/lsp/neovim.lua"
"""

import json
import os
import subprocess
import sys
import threading


def read(stream):
    """The bytes of the next message; nothing at the end."""
    length = None
    while True:
        line = stream.readline()
        if not line:
            return None
        if line == b"\r\n":
            return stream.read(length)
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)


def main():
    server = subprocess.Popen(
        [os.environ["TILEWRIGHT_SERVER"], *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    root = os.environ.get("TILEWRIGHT_ROOT", "")
    lock = threading.Lock()
    record = open(os.environ["TILEWRIGHT_RECORD"], "w", encoding="utf-8")

    def forward(who, source, target):
        while (body := read(source)) is not None:
            message = json.loads(body)
            if message.get("method") == "initialize":
                message["params"]["processId"] = None
            line = json.dumps({who: message}, ensure_ascii=False) + "\n"
            with lock:
                record.write(line.replace(root, "/workspace") if root else line)
                record.flush()
            target.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            target.flush()
        target.close()

    editor = threading.Thread(target=forward, args=("client", sys.stdin.buffer, server.stdin), daemon=True)
    editor.start()
    forward("server", server.stdout, sys.stdout.buffer)
    # The other thread may wait for an editor that says no more.
    os._exit(server.wait())


if __name__ == "__main__":
    main()
