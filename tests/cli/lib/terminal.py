# SPDX-License-Identifier: MIT
"""A program on a terminal of its own, for the tests of the REPL.

What it writes is waited for, as long as it takes (the runner's time limit is
the only one); nothing sleeps for a fixed time.
"""
import os, pty, re, signal, struct, sys, fcntl, termios

PROMPT = "csp> "


class Terminal:
    def __init__(self, *arguments, home=None, columns=80, term="xterm"):
        self.seen = ""   # all output, without what the terminal obeys
        self.at = 0      # up to here it was expected
        home = home or os.environ["TMPDIR"]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM=term, HOME=home, LC_ALL="C.UTF-8")
            os.environ.pop("XDG_STATE_HOME", None)
            program = os.environ["CSPVM"]
            os.execv(program, [program, *arguments])
        self.resize(columns)

    def resize(self, columns):
        size = struct.pack("HHHH", 50, columns, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def _read(self):
        """False: the program has ended."""
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        text = data.decode("utf-8", "replace")
        text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]", "", text)
        self.seen += text.replace("\r", "").replace("\a", "")
        return bool(data)

    def expect(self, text):
        """Waits until the text comes; what came before it."""
        while (found := self.seen.find(text, self.at)) < 0:
            if not self._read():
                print(f"ended without {text!r}:\n{self.seen[self.at:]!r}")
                sys.exit(1)
        before = self.seen[self.at : found]
        self.at = found + len(text)
        return before

    def send(self, keys):
        data = keys.encode()
        while data:
            data = data[os.write(self.fd, data) :]

    def prompt(self):
        return self.expect(PROMPT)

    def run(self, line):
        """Sends a line; its output, up to the next prompt."""
        self.send(line + "\n")
        self.expect("\n")  # after its echo
        return self.prompt()

    def check(self, line, output):
        got = self.run(line)
        if got != output:
            print(f"{line!r} gave {got!r}, not {output!r}")
            sys.exit(1)

    def complete(self, keys, text, rest, output):
        """Keys with a Tab give the text; with the rest, the output."""
        self.send(keys)
        self.expect(text)
        self.send(rest + "\n")
        self.expect("\n")
        got = self.prompt()
        assert got == output, (keys, got)

    def interrupt(self, line, text):
        """Ctrl-C while a line that prints "go" runs; waits for the text."""
        self.send(line + "\n")
        self.expect("go\n")
        self.send("\x03")
        self.expect(text)
        self.prompt()

    def end(self, keys="\x04"):
        """Sends them and waits for the end; the exit status."""
        self.send(keys)
        while self._read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
