# Tab completes names, fields, methods, keys, module members, modules, commands.
# expect: fine 0
PYTHONPATH=tests/cli/lib python3 << 'END'
from terminal import Terminal

t = Terminal()
t.prompt()


def complete(keys, text, rest, output):
    """Keys with a Tab give the text; with the rest, the output."""
    t.send(keys)
    t.expect(text)
    t.send(rest + "\n")
    t.expect("\n")
    got = t.prompt()
    assert got == output, (keys, got)


complete('import "stri\t', "strings", '"', "")
complete("strings.to_up\t", "to_upper", '("a")', '"A"\n')
t.run("struct Point { abscissa = 0, ordinate = 0 }")
t.run("func (p Point) total() => p.abscissa + p.ordinate")
t.run("pointed := {deep: {inner: Point(1, 2)}}")
complete("poi\t.de\t.inn\t.abs\t", "pointed.deep.inner.abscissa", "", "1\n")
complete("pointed.deep.inner.tot\t", "total", "()", "3\n")
complete("printl\t", "println", "(5)", "5\n")
complete("[3, 1].so\t", "[3, 1].sort", "()", "[1, 3]\n")
t.run("xs := [2, 1]")
complete("xs.so\t", "xs.sort", "()", "[1, 2]\n")
complete(":q\t", ":quit", "x", "there is no command `:quitx`: `:help` lists "
         "them\n")
complete('"abc".to_up\t', '"abc".to_upper', "()", '"ABC"\n')
complete("len([1, [2]].ins\t", "len([1, [2]].insert", "(0, 1))", "3\n")
complete("`]`.to_lo\t", "`]`.to_lower", "()", '"]"\n')
complete("[1, 2][1].to_up\tx", "[1, 2][1].to_upx", "", "panic: int has no "
         "method `to_upx`\n  main at repl[15]:1:11\n    [1, 2][1].to_upx\n"
         "              ^\n")
t.run('import "os"')
complete('os.ba\t', "os.base", '("a/b")', '"b"\n')
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
