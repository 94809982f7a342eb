# The runner of code blocks says what is wrong with each, and passes the others.
# expect: 5 : ``` : no such kind of block here (tests/README.md)
# expect: 9 go: ``` go: no such kind of block here (tests/README.md)
# expect: 13 : an indented block does not say what it is: put it between fences (tests/README.md)
# expect: 19 csp: expected:
# expect: 23 csp: expected:
# expect: 27 csp: expected:
# expect: 33 csp: exit status 1, and on standard error:
# expect: 37 csp: expected:
# expect: 44 csp fragment: it does not compile:
# expect: 48 csp error: exit status 0, 1 or 2 expected
# expect: 55 csp error: no output block follows, with the message
# expect: 59 csp error other words: ``` csp error other words: no such kind of block here (tests/README.md)
# expect: 63 console: it must begin with a line `$ command`
# expect: 67 console: $ echo $?
# expect: 74 sh: bash: line 1: syntax error near unexpected token `then'
# expect: 78 output: ``` output: no such kind of block here (tests/README.md)
# expect: 82 c: exit status 1, and on standard error:
# expect: 91 csp: right
# expect: 96 csp fragment c d: right
# expect: 100 csp: right
# expect: 109 console: right
# expect: 115 text: right
# expect: 123 c: right
# expect: 133 c: expected:
# expect: 144 text: the block has no end
# expect: 141 csp file lonely.csp: a file without a program after it
# once: one thread, and the same each time
export LC_ALL=C  # for gcc's and bash's messages
python3 - <<'PYTHON'
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
from docs import blocks

tools = tempfile.mkdtemp()
os.symlink(os.environ["CSPVM"], os.path.join(tools, "cspvm"))
os.environ["PATH"] = tools + os.pathsep + os.environ["PATH"]
for block in blocks.join_blocks(blocks.read_blocks("tests/docs/data/broken.md")):
    with tempfile.TemporaryDirectory() as folder:
        def run(command):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            return done.returncode, done.stdout, done.stderr

        wrong = blocks.run_block(block, folder, run)
        print(" ".join([str(block.line), block.kind] + block.words) + ":",
              wrong.split("\n")[1].strip() if wrong else "right")
PYTHON
