# The same as regexp.csp.
import re
import sys
import time

kind, pattern = sys.argv[1].split(" ", 1)
with open(sys.argv[2], encoding="ascii") as file:
    text = file.read()
turns = int(sys.argv[3])
compiled = re.compile(pattern, re.ASCII)
count = 0
began = time.perf_counter_ns()
for _ in range(turns):
    if kind == "all":
        count = sum(1 for _ in compiled.finditer(text))
    else:
        count = int(compiled.search(text) is not None)
print((time.perf_counter_ns() - began) // turns, count)
