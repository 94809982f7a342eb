# SPDX-License-Identifier: MIT
"""What bench/redis/run measures of Python's redis: commands a second."""
import sys
import threading
import time

import redis

BATCH = 1000  # commands of a pipeline


def measure(tasks, seconds, call):
    """`tasks` threads call for so long: calls a second."""
    begun, counts = time.monotonic(), [0] * tasks

    def work(task):
        while time.monotonic() < begun + seconds:
            call("key:%d" % ((task * 7919 + counts[task]) % 1000))
            counts[task] += 1
    threads = [threading.Thread(target=work, args=(task,)) for task in range(tasks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun)


def main(path, seconds):
    store = redis.Redis(unix_socket_path=path, decode_responses=True)

    def put(key):
        store.set(key, "a value of some length")

    def batch(_):
        pipe = store.pipeline(transaction=False)
        for i in range(BATCH):
            pipe.get("key:%d" % i)
        pipe.execute()
    for i in range(1000):
        put("key:%d" % i)
    for tasks in 1, 50:
        print("SET, %d: %d" % (tasks, measure(tasks, seconds, put)))
        print("GET, %d: %d" % (tasks, measure(tasks, seconds, store.get)))
    print("GET, piped: %d" % (BATCH * measure(1, seconds, batch)))


main(sys.argv[1], float(sys.argv[2]))
