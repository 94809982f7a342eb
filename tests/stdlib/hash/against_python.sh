# Random data, keys, salts and pieces, against Python's hashlib and hmac.
# expect: 1200 sums
# timeout: 60
# once: one thread, and the same each time
cat > "$TMPDIR/make.py" <<'P'
import hashlib, hmac, random, sys
random.seed(11)
NAMES = "md5 sha1 sha224 sha256 sha384 sha512 sha3_256 sha3_512 blake2b blake2s".split()
SIZES = [0, 1, 55, 56, 63, 64, 65, 71, 72, 73, 111, 112, 127, 128, 129, 135, 136, 137, 4095, 4096, 4097, 20000]
def data():
    size = random.choice(SIZES)
    return random.randbytes(size if random.random() < 0.7 else random.randrange(size + 1))
for n in range(1200):
    name, text, key = random.choice(NAMES), data(), data()
    kind = ["new", "hmac", "pbkdf2"][n % 3]
    extra = "0 0"
    if kind == "new":
        wanted = hashlib.new(name, text).digest()
    elif kind == "hmac":
        wanted = hmac.new(key, text, name).digest()
    else:
        rounds, size = random.randrange(1, 20), random.randrange(1, 300)
        extra = "%d %d" % (rounds, size)
        wanted = hashlib.pbkdf2_hmac(name, key, text, rounds, size)
    print(kind, name, extra, random.randrange(1, 5000), wanted.hex(), "k" + key.hex(), "t" + text.hex())
P
cat > "$TMPDIR/main.csp" <<'P'
import binary "bytes"
import "hash"
import "os"
sums := 0
for line in os.lines(os.args[0])? {
  [kind, name, rounds, size, step, wanted, key_hex, text_hex] := line.split(" ")
  key, text := binary.from_hex(key_hex.part(1))?, binary.from_hex(text_hex.part(1))?
  var got
  if kind == "pbkdf2" {
    got = hash.pbkdf2(name, key.to_string(), text, int(rounds), int(size))
  } else {
    h, pieces := hash.new(name, (if kind == "hmac" { key } else { nil })), []
    for at in (0..len(text)).by(int(step)) { pieces.push(text.part(at, min(at + int(step), len(text)))) }
    got = h.write(pieces...).sum()
    if kind == "hmac" { assert(hash.hmac(name, key.to_string(), text.to_string()) == got) }
  }
  assert(got.hex() == wanted, [kind, name, len(key), len(text)])
  sums++
}
println("${sums} sums")
P
python3 "$TMPDIR/make.py" > "$TMPDIR/cases"
"$CSPVM" "$TMPDIR/main.csp" "$TMPDIR/cases"
