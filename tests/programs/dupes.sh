# The port of a script in examples/port prints what the script in Python does,
# and docs/python-port.md shows these two files.
# needs: python3
# expect: the same: yes, 13 groups
# expect: the same errors: yes
# expect: docs/python-port.md has dupes.py: True
# expect: docs/python-port.md has dupes.csp: True
# small: SIZE=40
mkdir -p "$TMPDIR/tree/empty" "$TMPDIR/tree/ä b/.hidden"
python3 - << 'END'
import os
for i in range(int(os.environ.get("SIZE", 400))):
    for at in "", "ä b/", "ä b/.hidden/":
        with open("%s/tree/%s%d" % (os.environ["TMPDIR"], at, i), "w", encoding="ascii") as file:
            file.write(str(i % 2) * (i % 7 * 1000))
END
ln -s 1 "$TMPDIR/tree/link"
ln -s . "$TMPDIR/tree/round"
ln -s /none "$TMPDIR/tree/nothing"
mkfifo "$TMPDIR/tree/pipe"
python3 examples/port/dupes.py "$TMPDIR/tree" "$TMPDIR/none" "$TMPDIR/tree/empty" "$TMPDIR/tree" > "$TMPDIR/wanted"
"$CSPVM" examples/port/dupes.csp "$TMPDIR/tree" "$TMPDIR/none" "$TMPDIR/tree/empty" "$TMPDIR/tree" > "$TMPDIR/got"
echo "the same: $(cmp "$TMPDIR/wanted" "$TMPDIR/got" && echo yes), $(grep -c 'times:' "$TMPDIR/got") groups"
python3 examples/port/dupes.py 2> "$TMPDIR/wanted"
"$CSPVM" examples/port/dupes.csp 2> "$TMPDIR/got"
echo "the same errors: $(sed 's/py/csp/' "$TMPDIR/wanted" | cmp - "$TMPDIR/got" && echo yes)"
python3 - << 'END'
import re

def lines(text):
    return [line for line in text.split("\n") if line.strip()]

with open("docs/python-port.md", encoding="utf-8") as file:
    page = file.read()
for name in "dupes.py", "dupes.csp":
    parts = re.findall(r"^```\w+ file %s\n(.*?)^```" % re.escape(name), page, re.M | re.S)
    with open("examples/port/" + name, encoding="utf-8") as file:
        print("docs/python-port.md has %s:" % name, lines("\n".join(parts)) == lines(file.read()))
END
