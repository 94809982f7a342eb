# Tab completes methods of tuples and ranges in brackets, an error's parts, and
# paths of scripts.
# expect: fine 0
PYTHONPATH=tests/cli/lib python3 << 'END'
import os
from terminal import Terminal

os.chdir(os.environ["TMPDIR"])
os.makedirs("lib/inner")
with open("lib/geo.csp", "w") as file:
    file.write("func area(w) => w * w\n")
with open("lib/grow.txt", "w") as file:
    file.write("no script\n")
t = Terminal()
t.prompt()
t.complete("(2, 1).part\t", "(2, 1).part", "(1, 2)", "(1,)\n")
t.complete("().par\t", "().part", "(0, 0)", "()\n")
t.complete('(")", [1, 2]).par\t', '(")", [1, 2]).part', "(0, 1)", '(")",)\n')
t.complete("(0..4).b\t", "(0..4).by", "(2)", "(0..4).by(2)\n")
t.complete("xs := [(0..1).b\t", "(0..1).by", "(1)]", "")
t.complete("for i in (0..4).b\t", "(0..4).by", "(2) { println(i) }", "0\n2\n")
t.complete("len((1, 2)).par\tx", "len((1, 2)).parx", "",
         "panic: int has no method `parx`\n  main at repl[7]:1:13\n"
         "    len((1, 2)).parx\n                ^\n")
t.run('err := error("no", code: 7)')
t.complete("err.mess\t", "err.message", "", '"no"\n')
t.complete("err.co\t", "err.code", "", "7\n")
t.complete('import "./li\t', "./lib/", 'geo"', "")
t.complete('import "./lib/g\t', "./lib/geo", '"', "")
t.complete('import "./lib/inner/../g\t', "./lib/inner/../geo", '"', "")
t.complete("geo.ar\t", "geo.area", "(3)", "9\n")
t.send('import "./lib/\t')
t.expect("./lib/geo     ./lib/inner/\ncsp> ")
t.send("\x15")
print("fine", t.end())
END
