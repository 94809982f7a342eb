# Standard output and standard error that are pipes which never wait, as some
# parents make them: nothing is lost when the reader is slow.
# expect: standard output: status 0, 100000 lines
# expect: standard error: status 0, 100000 lines
# expect: report: status 1, with its trace: True
python3 - "$CSPVM" << 'END'
import array, fcntl, os, subprocess, sys, termios, time

def waiting(fd):
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]

# What the script writes to the stream, of which nothing is read before the pipe
# is full.
def written(script, stream):
    read, write = os.pipe()
    os.set_blocking(write, False)
    child = subprocess.Popen([sys.argv[1], "-e", script], **{stream: write})
    os.close(write)
    while waiting(read) < 60000 and child.poll() is None:
        time.sleep(0.001)
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
