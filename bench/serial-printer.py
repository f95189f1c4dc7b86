#!/usr/bin/env python3
"""A printer on a pseudo terminal that answers every line, and measures how long the next one takes.

    serial-printer.py LINK LINE_MS

LINK becomes a symbolic link to the terminal; each move takes LINE_MS milliseconds. After each file (at its M400) one line of JSON
goes to stdout: lines, seconds, and the gaps between an ok and the next line, in ms. Needs nothing beyond Python.
"""
import json, os, pty, signal, sys, time, tty

link, line_ms = sys.argv[1], float(sys.argv[2])
master, slave = pty.openpty()
tty.setraw(master); tty.setraw(slave)
if os.path.islink(link):
    os.unlink(link)
os.symlink(os.ttyname(slave), link)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print("READY", flush=True)

gaps, answered, began, lines, rest = [], None, None, 0, b""


def answer(text):
    os.write(master, text.encode() + b"\n")


while True:
    rest += os.read(master, 4096)
    while b"\n" in rest:
        raw, rest = rest.split(b"\n", 1)
        now = time.perf_counter()
        command = raw.split(b"*")[0].split(b" ", 1)[-1] if raw.startswith(b"N") else raw
        if command.startswith(b"G1"):
            if answered is not None:
                gaps.append((now - answered) * 1000)
            began = began or now
            lines += 1
            if line_ms:
                time.sleep(line_ms / 1000)
            answer("ok")
            answered = time.perf_counter()
            continue
        if command.startswith(b"M400") and lines:
            gaps.sort()
            at = lambda share: gaps[min(len(gaps) - 1, int(len(gaps) * share))]
            print(json.dumps({"lines": lines, "seconds": now - began, "p50": at(0.5), "p99": at(0.99), "max": gaps[-1]}), flush=True)
            gaps, began, lines = [], None, 0
        answered = None                            # what is no move is answered at its own pace
        if command.startswith(b"M115"):
            answer("FIRMWARE_NAME:Bench\nCap:AUTOREPORT_TEMP:1\nok")
        elif command.startswith(b"M105"):
            answer("ok T:20.00 /0.00 B:20.00 /0.00 @:0")
        elif command:
            answer("ok")
