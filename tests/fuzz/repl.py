#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Types at the REPL on a terminal of its own: generated inputs (some of them no
programs), keys that edit, Ctrl-C, Ctrl-D, other widths of the window, all at
random moments, for so many seconds. Each session must end with a status of a
program's own, soon after Ctrl-C and Ctrl-D, without a sanitizer's report. The
keys of a session that does not are printed as a Python text, with the seed.
The last line is: N passed, N failed."""

import argparse
import errno
import fcntl
import os
import pty
import random
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TOP, "tests", "gen"))
import mixed  # noqa: E402

PATIENCE = 60   # seconds until a session that is asked to end counts as hung
REPORT = re.compile(rb"Sanitizer|\.[chy]e?:\d+:\d+: runtime error:|fatal error")
KEYS = ["\x01", "\x05", "\x02", "\x06", "\x0b", "\x15", "\x17", "\x19", "\x7f", "\x08",
        "\x10", "\x0e", "\x12", "\x14", "\x0c", "\t", "\t\t", "\x1b[A", "\x1b[B",
        "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x1bb", "\x1bf", "\x1b",
        "\x1b[200~", "\x1b[201~", "\x16", "\x07", "\x00", "\x1c\x03", "\xc3", "\x11"]
LINES = [
    "1 + 2", "x := 5", "x", "x = x + 1", "var y, z = 1, 2", "func f(n) {", "return n }",
    "f(3)", "[1, 2", "]", '"${x}', "for i in 3 { println(i) }", "for { }", "sleep(1h)",
    "c := chan()", "<-c", "c <- 1", "t := go func() => 5", "<-t", "struct P { a, b = 2 }",
    "P(1)", "func (p P) m() => p.a", "P(1).m()", "import \"strings\"", "strings.",
    "panic(\"no\")", "1 / 0", "error(\"e\")", ":help", ":dis f", ":type x", ":quit",
    ":load a", ":x", "}", ")", "/* open", "*/", "`raw", "`", "nil", "func() { }", "defer 1",
    "select { default: 3 }", "if true {", "} else {", "os.exit(3)", "import \"os\"",
    "os.read_line()", "go { for { } }", "x.pad_left(3)", "é世界\U0001f600", "\udcff",
    "_ = try(func() => <-chan())", "xs := list(100000)", "xs", "'a'", "a b c", "\\", "?",
    "group g { go { sleep(1h) } }", "recover()", "return 4", "break", "_", "__",
]


class Session:
    """One run of the program. `keys` is what was typed."""

    def __init__(self, options, seed, folder):
        self.rng, self.keys, self.output = random.Random(seed), [], b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="xterm", HOME=folder, LC_ALL="C.UTF-8",
                              ASAN_OPTIONS="exitcode=99:detect_leaks=0",
                              UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
            os.execv(options.bin, [options.bin, "--procs",
                                   self.rng.choice(["1", "2"]), "--max-memory", "64"])
        os.set_blocking(self.fd, False)

    def read(self, seconds):
        """False: it has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return True
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return False
        self.output = (self.output + data)[-200000:]
        return bool(data)

    def type(self, text):
        """False: it has ended."""
        self.keys.append(text)
        data, end = text.encode("utf-8", "surrogateescape"), time.monotonic() + 5
        while data and time.monotonic() < end:
            if not self.read(0):
                return False
            try:
                data = data[os.write(self.fd, data):]
            except BlockingIOError:
                time.sleep(0.001)
            except OSError:
                return False
        return True

    def resize(self):
        size = struct.pack("HHHH", self.rng.choice([1, 2, 24, 50]),
                           self.rng.choice([0, 1, 2, 5, 20, 80, 500]), 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def step(self, program):
        rng, pick = self.rng, self.rng.random()
        if pick < 0.35:
            return self.type(rng.choice(LINES) + "\n")
        if pick < 0.45:
            return self.type(rng.choice(program) + "\n")
        if pick < 0.55:
            text = rng.choice(LINES)
            return self.type(text[:rng.randint(0, len(text))])
        if pick < 0.75:
            return self.type("".join(rng.choice(KEYS) for _ in range(rng.randint(1, 4))))
        if pick < 0.85:
            return self.type("\x03")
        if pick < 0.90:
            self.resize()
            return True
        if pick < 0.92:
            return self.type("\x04")
        if pick < 0.93:
            os.kill(self.pid, rng.choice([signal.SIGINT, signal.SIGWINCH, signal.SIGCONT]))
            return True
        return self.read(rng.choice([0, 0.001, 0.01, 0.05]))

    def run(self):
        """What is wrong, or ""."""
        wait = time.monotonic() + self.rng.choice([0, 10, 10, 10])
        while b"csp>" not in self.output and time.monotonic() < wait:
            if not self.read(0.1):
                break
        program = mixed.Maker(self.rng.randrange(10 ** 6)).text.splitlines()
        for _ in range(self.rng.randint(1, 60)):
            if not self.step(program):
                break
        return self.end()

    def end(self):
        """Ctrl-C and Ctrl-D until it ends. (In a line Ctrl-D deletes one.)"""
        limit = time.monotonic() + PATIENCE
        status = None
        while status is None and time.monotonic() < limit:
            self.type("\x03\x15\x04")
            wait = time.monotonic() + 0.05
            while time.monotonic() < wait and self.read(0.01):
                pass
            pid, code = os.waitpid(self.pid, os.WNOHANG)
            status = os.waitstatus_to_exitcode(code) if pid else None
        if status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        if status is None:
            return "does not end"
        if b"csp>" not in self.output and status in (-signal.SIGINT, -signal.SIGQUIT):
            return ""  # it had not taken them yet
        if status == -signal.SIGQUIT and any("\x1c" in keys for keys in self.keys):
            return ""  # as a second Ctrl-\ ends it
        if status < 0 or status == 99 or REPORT.search(self.output):
            return "status %d" % status
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=30)
    parser.add_argument("--bin", help="that program, instead of the build SAN=all DEBUG=1")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, help="so many sessions")
    options = parser.parse_args()
    if not options.bin:
        subprocess.run(["make", "DISPATCH=goto", "SAN=all", "DEBUG=1", "all"], cwd=TOP, check=True,
                       stdout=subprocess.DEVNULL)
        options.bin = os.path.join(TOP, "build/all-goto-debug/cspvm")
    options.bin = os.path.abspath(options.bin)
    seed = options.seed if options.seed is not None else \
        random.SystemRandom().randrange(10 ** 9)
    print("seeds from %d" % seed, flush=True)
    passed = failed = 0
    end = time.monotonic() + options.seconds
    while time.monotonic() < end and (options.count is None or
                                      passed + failed < options.count):
        with tempfile.TemporaryDirectory() as folder:
            session = Session(options, seed, folder)
            wrong = session.run()
        if wrong:
            failed += 1
            print("FAIL --seed %d: %s\nkeys: %r\n%s" % (
                seed, wrong, "".join(session.keys),
                session.output[-3000:].decode(errors="replace")), flush=True)
        else:
            passed += 1
        seed += 1
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(1 if failed or not passed else 0)


main()
