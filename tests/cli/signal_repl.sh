# The REPL keeps its signals, so os.signals gives an error there.
# expect: nil os.signals: the host gives no signals
printf 'import "os"\nc, err := os.signals("INT")\nprintln(c, err)\n' | "$CSPVM"
