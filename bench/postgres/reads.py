# SPDX-License-Identifier: MIT
"""What bench/postgres/run measures of Python's psycopg2."""
import io
import sys
import threading
import time

import psycopg2


def reads(connections, seconds, rows):
    """A thread for each connection: reads a second."""
    begun, counts = time.monotonic(), [0] * len(connections)

    def work(task):
        cursor = connections[task].cursor()
        while time.monotonic() < begun + seconds:
            key = (task * 7919 + counts[task] * 31) % rows
            cursor.execute("select v, n from t where k = %s", (key,))
            assert cursor.fetchone()[1] == key * 7
            counts[task] += 1
    threads = [threading.Thread(target=work, args=(task,)) for task in range(len(connections))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun)


def stream(connection):
    """A cursor of the server's, as else all rows are read first."""
    begun, count, total = time.monotonic(), 0, 0
    connection.autocommit = False
    with connection.cursor("rows") as cursor:
        cursor.execute("select k, v, n from t")
        for _, _, n in cursor:
            count += 1
            total += n
    connection.rollback()
    assert total == 7 * count * (count - 1) // 2
    return count / (time.monotonic() - begun)


class Sink(io.RawIOBase):
    """Counts what is written to it."""
    size = 0

    def writable(self):
        return True

    def write(self, piece):
        self.size += len(piece)
        return len(piece)


def copies(connection, rows):
    connection.autocommit = True
    cursor, sink, begun = connection.cursor(), Sink(), time.monotonic()
    cursor.copy_expert("copy t to stdout", sink)
    out = sink.size / 1e6 / (time.monotonic() - begun)
    text = b"1\tsome text that a row may have\t7\n" * (rows // 2000 * 2000)
    begun = time.monotonic()
    cursor.copy_expert("copy into_it from stdin", io.BytesIO(text), 1 << 16)
    return out, len(text) / 1e6 / (time.monotonic() - begun)


def main(url, seconds, rows):
    connections = [psycopg2.connect(url) for _ in range(32)]
    for connection in connections:
        connection.autocommit = True
    print("reads, 1:", reads(connections[:1], seconds, rows))
    print("reads, 32:", reads(connections, seconds, rows))
    print("rows:", stream(connections[0]))
    print("out MB: %f\nin MB: %f" % copies(connections[0], rows))


main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))
