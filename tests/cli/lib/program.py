# SPDX-License-Identifier: MIT
"""A program that gets signals, for tests of what it does then.

Its lines are waited for, as long as they take (the runner's time limit is the
only one); nothing sleeps for a fixed time.
"""
import os, signal, subprocess, sys

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1]


def as_usual():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


class Program:
    def __init__(self, code, *options, before=as_usual):
        self.process = subprocess.Popen(
            [os.environ["CSPVM"], *options, "-e", code],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=before)

    def expect(self, *lines):
        """The next lines are these."""
        for line in lines:
            got = self.process.stdout.readline()
            if got != line + "\n":
                print(f"{got!r} came, not {line!r}:", self.process.stderr.read())
                sys.exit(1)

    def send(self, *names):
        for name in names:
            self.process.send_signal(getattr(signal, "SIG" + name))

    def end(self):
        """The rest of its output, what it has reported, and its status as
        shells show it."""
        out, err = self.process.communicate()
        status = self.process.returncode
        return out, err, 128 - status if status < 0 else status
