# Standard output and standard error that are pipes which never wait, as some
# parents make them: nothing is lost when the reader is slow.
# small: CSPDEBUG=gcstress=31
# expect: standard output: status 0, 100000 lines
# expect: standard error: status 0, 100000 lines
# expect: report: status 1, with its trace: True
python3 - "$CSPVM" << 'END'
import os, select, subprocess, sys, time

# What the script writes to the stream, of which nothing is read before the pipe
# is full: that is as many pages, not bytes.
def written(script, stream):
    read, write = os.pipe()
    os.set_blocking(write, False)
    child = subprocess.Popen([sys.argv[1], "-e", script], **{stream: write})
    while select.select([], [write], [], 0)[1] and child.poll() is None:
        time.sleep(0.001)
    os.close(write)
    with open(read, "rb") as end:
        text = end.read()
    return child.wait(), text

status, text = written('for i in 100000 { println("line", i) }', "stdout")
print(f"standard output: status {status}, {text.count(bytes([10]))} lines")
status, text = written(
    'import "fmt"; for i in 100000 { fmt.eprintln("line", i) }', "stderr")
print(f"standard error: status {status}, {text.count(bytes([10]))} lines")
status, text = written('panic("x".repeat(100000))', "stderr")
print(f"report: status {status}, with its trace: {b'goroutine 1' in text}")
END
