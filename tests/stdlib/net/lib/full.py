# SPDX-License-Identifier: MIT
"""A listener that lets nobody in, as its queue is full: the system drops what
would connect. Prints its address, and waits to be ended."""

import signal
import socket

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
waiting = []
for _ in range(4):
    waiting.append(socket.socket())
    waiting[-1].setblocking(False)
    waiting[-1].connect_ex(listener.getsockname())
print("127.0.0.1:%d" % listener.getsockname()[1], end="", flush=True)
signal.pause()
