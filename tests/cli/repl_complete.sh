# Tab completes names, fields, methods, keys, module members, modules, commands.
# expect: fine 0
PYTHONPATH=tests/cli/lib python3 << 'END'
from terminal import Terminal

t = Terminal()
t.prompt()
t.complete('import "stri\t', "strings", '"', "")
t.complete("strings.to_up\t", "to_upper", '("a")', '"A"\n')
t.run("struct Point { abscissa = 0, ordinate = 0 }")
t.run("func (p Point) total() => p.abscissa + p.ordinate")
t.run("pointed := {deep: {inner: Point(1, 2)}}")
t.complete("poi\t.de\t.inn\t.abs\t", "pointed.deep.inner.abscissa", "", "1\n")
t.complete("pointed.deep.inner.tot\t", "total", "()", "3\n")
t.complete("printl\t", "println", "(5)", "5\n")
t.complete("[3, 1].so\t", "[3, 1].sort", "()", "[1, 3]\n")
t.run("xs := [2, 1]")
t.complete("xs.so\t", "xs.sort", "()", "[1, 2]\n")
t.complete(":q\t", ":quit", "x", "there is no command `:quitx`: `:help` lists "
         "them\n")
t.complete('"abc".to_up\t', '"abc".to_upper', "()", '"ABC"\n')
t.complete("len([1, [2]].ins\t", "len([1, [2]].insert", "(0, 1))", "3\n")
t.complete("`]`.to_lo\t", "`]`.to_lower", "()", '"]"\n')
t.complete("[1, 2][1].to_up\tx", "[1, 2][1].to_upx", "", "panic: int has no "
         "method `to_upx`\n  main at repl[15]:1:11\n    [1, 2][1].to_upx\n"
         "              ^\n")
t.run('import "os"')
t.complete('os.ba\t', "os.base", '("a/b")', '"b"\n')
t.send("pointed.deep.inner.\t")  # all of them, and the line again
t.expect("abscissa  ordinate  total\ncsp> pointed.deep.inner.")
t.send("ord\t\n")
t.expect("\n2\n")
t.prompt()
t.send("if true {\n")
t.expect(" ... ")
t.send("\tprintln(9)\n")  # at a line's beginning it indents
t.expect("println(9)")
t.expect(" ... ")
t.send("}\n")
t.expect("9\n")
t.prompt()
print("fine", t.end())
END
