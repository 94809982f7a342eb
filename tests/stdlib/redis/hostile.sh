# A server of Python that speaks the protocol wrongly, in pieces, or not to its
# end. Each answer is a value or an error with a code, and the next call is on a
# new connection where the old one cannot be in step any more.
# timeout: 300
# small: SIZE=9 CSPDEBUG=gcstress=7
# expect: split everywhere: True
# expect: cut off everywhere: closed
# expect: spoiled: True
# expect: value ["still there"]
# expect: 0
cd "$TMPDIR" || exit 1
cat > script.csp << 'END_CSP'
import "os"
import "redis"
// For each line of the input, the name of an answer: what it is.
s := redis.open("unix:socket", timeout: 5s, most: 1_000_000, connections: 1)?
for {
  name := os.read_line()?
  if name == nil { break }
  value, err := s.call("GET", name)
  if err != nil { println(err.code, err.cause == nil, err.message.trim_prefix("redis unix:socket: ")) } else { println("value", str([value])) }
  os.flush()
}
END_CSP
cat > peer.py << 'END_PY'
import os, random, socket, subprocess, threading
HELLO = b"%1\r\n+server\r\n+redis\r\n"
answers = {}          # the name: a list of pieces, then whether to end
server = socket.socket(socket.AF_UNIX)
server.bind("socket")
server.listen(50)

def request(f):
    line = f.readline()
    if not line:
        return None
    words = []
    for _ in range(int(line[1:])):
        words.append(f.read(int(f.readline()[1:]) + 2)[:-2])
    return words

def serve(c):
    f = c.makefile("rb")
    try:
        while words := request(f):
            if words[0] == b"HELLO":
                c.sendall(HELLO)
                continue
            pieces, ends = answers[words[1].decode()]
            for piece in pieces:
                c.sendall(piece)
            if ends:
                break
    except OSError:
        pass
    c.shutdown(socket.SHUT_RDWR)

def accept():
    while True:
        c, _ = server.accept()
        threading.Thread(target=serve, args=(c,), daemon=True).start()

threading.Thread(target=accept, daemon=True).start()
program = subprocess.Popen([os.environ["CSPVM"], "--max-memory", "200", "script.csp"], text=True,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, errors="replace")
number = 0
EACH = 40 if "SIZE" in os.environ else 1  # position

def answer(pieces, ends=False):
    global number
    number += 1
    answers[str(number)] = pieces, ends
    program.stdin.write("%d\n" % number)
    program.stdin.flush()
    return program.stdout.readline().strip()

good = [
    (b"$5\r\nhe\r\no\r\n", r'["he\r\no"]'), (b"$0\r\n\r\n", '[""]'), (b"$-1\r\n", "[nil]"),
    (b"*-1\r\n", "[nil]"), (b"_\r\n", "[nil]"), (b":-9223372036854775808\r\n", "[-9223372036854775808]"),
    (b"+OK\r\n", '["OK"]'), (b"#t\r\n", "[true]"), (b"#f\r\n", "[false]"), (b",1.5\r\n", "[1.5]"),
    (b",-inf\r\n", "[-inf]"), (b",nan\r\n", "[nan]"), (b"(7\r\n", "[7]"), (b"(-99999999999999999999\r\n", '["-99999999999999999999"]'),
    (b"=5\r\ntxt:a\r\n", '["a"]'), (b"=4\r\nmkd:\r\n", '[""]'), (b"*0\r\n", "[[]]"), (b"%0\r\n", "[{}]"), (b"~1\r\n:1\r\n", "[[1]]"),
    (b"*2\r\n*1\r\n+x\r\n%1\r\n$1\r\nk\r\n_\r\n", '[[["x"], {"k": nil}]]'),
    (b"*1\r\n-ERR no\r\n", '[[error("ERR no")]]'), (b"*1\r\n!6\r\nERR no\r\n", '[[error("ERR no")]]'),
    (b"|1\r\n+ttl\r\n:5\r\n+v\r\n", '["v"]'), (b"*1\r\n|1\r\n+ttl\r\n:5\r\n+v\r\n", '[["v"]]'),
    (b">2\r\n+invalidate\r\n*1\r\n+k\r\n+v\r\n", '["v"]'), (b"$3\r\n\xff\x00\xfe\r\n", r'["\xff\x00\xfe"]'),
    (b"*" + b"1\r\n*" * 127 + b"0\r\n", "[" * 129 + "]" * 129),
]
fine = True
for text, wanted in good:
    for at in range(0, len(text) if len(text) < 100 else 1, EACH):
        got = answer([text[:at], text[at:]])
        if got != "value " + wanted:
            fine = False
            print(text, at, got)
    got = answer([text[i:i + 1] for i in range(len(text))])
    fine = fine and got == "value " + wanted
print("split everywhere:", fine)
codes = set()
for text, _ in good:
    for at in range(0, len(text) if len(text) < 100 else 3, EACH):
        codes.add(answer([text[:at]], True).split()[0])
print("cut off everywhere:", *codes)
wrong = {
    "LOADING": [b"-LOADING wait\r\n"], "ERR": [b"-no code\r\n", b"-\r\n"], "E": [b"!3\r\nE x\r\n"],
    "closed": [b"+ends in one\n", b"$5\r\nabc"], "too_long": [b"+" + b"x" * 70000],
    "limit": [b"$9223372036854775807\r\n", b"*9223372036854775807\r\n", b"%4611686018427387904\r\n", b"*1000000\r\n",
              b"%500000\r\n", b"~62501\r\n", b"$1000001\r\n",
              b"*3\r\n$400000\r\n" + b"a" * 400000 + b"\r\n$600000\r\n",
              b"*" + b"1\r\n*" * 128 + b"0\r\n", b"%1\r\n" * 130, b"|1\r\n" * 130, b"|1\r\n+a\r\n+b\r\n" * 90000],
    "syntax": [b"$-2\r\n", b"$+1\r\na\r\n", b"$01\r\na\r\n", b"$ 1\r\na\r\n", b"$\r\n", b"$1\r\nabc",
               b"$9223372036854775808\r\n", b"$18446744073709551617\r\na\r\n", b"*9223372036854775808\r\n",
               b"%-1\r\n", b"=-1\r\n", b"!-1\r\n", b"*1\r\n>1\r\n+x\r\n", b"%1\r\n*0\r\n+v\r\n",
               b"%1\r\n,nan\r\n+v\r\n", b"%1\r\n-E\r\n+v\r\n", b"\r\n", b"\n\r\n", b"x\r\n", b"+a\nb\r\n", b"-a\rb\r\n",
               b"#x\r\n", b"#true\r\n", b"_x\r\n", b",x\r\n", b",\r\n", b"(\r\n", b"(1.5\r\n", b"(--1\r\n", b":\r\n", b":1.5\r\n",
               b":9223372036854775808\r\n", b"=3\r\ntxt\r\n", b"=4\r\ntxt-\r\n", b"$?\r\n;1\r\na\r\n;0\r\n", b"*?\r\n.\r\n",
               b"GET / HTTP/1.1\r\n\r\n", b"\xff\xfe\r\n"],
}
for code, texts in wrong.items():
    for text in texts:
        got = answer([text], code == "closed")
        if got.split(" ")[0] != code:
            print(text[:60], code, got)
# Answers that were spoiled, and end there: bytes that are others, are missing
# or are there twice.
random.seed(7)
outcomes = set()
for _ in range(1000 // EACH):
    text = bytearray(b"".join(text for text, _ in random.choices(good, k=2)))
    for _ in range(random.choice([1, 1, 2, 5])):
        at = random.randrange(len(text))
        text[at:at + random.randrange(3)] = bytes(random.choices(b"*$%~>|+-:,(#_=!\r\n0123456789\xff", k=random.randrange(3)))
        text = text or bytearray(b"x")
    got = answer([bytes(text)], True).split(" ")
    # A code of the server's is any word.
    is_code = got[0] != "" and got[0] == got[0].upper()  # digits alone, too
    outcomes.add("code" if is_code else got[0])
print("spoiled:", outcomes <= {"closed", "code", "limit", "syntax", "value"} and {"syntax", "value"} <= outcomes)
print(answer([b"+still there\r\n"]))
program.stdin.close()
print(program.wait(20))
END_PY
python3 peer.py
