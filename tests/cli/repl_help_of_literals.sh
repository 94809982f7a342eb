# `?"abc".split` is about strings alone, and `?error.trace` about errors: as
# `cspvm doc` of `string.split` and `error.trace`.
# expect: string: the same
# expect: list: the same
# expect: error: the same
# expect: s.split(sep = nil)
# expect: error(message, cause = nil, code = nil)
# expect: the library has no `"a.b".nope`
# expect: the library has no `error.nope`
same() {  # kind, input, name
  [ "$(echo "?$2" | "$CSPVM" 2>&1)" = "$("$CSPVM" doc "$3" 2>&1)" ] &&
    echo "$1: the same"
}
same string '"abc".split' string.split
same list '[1, 2].push' list.push
same error error.trace error.trace
echo '?"abc".split' | "$CSPVM" | head -n 1
"$CSPVM" doc error.trace | head -n 1
echo '?"a.b".nope' | "$CSPVM" 2>&1
echo '?error.nope' | "$CSPVM" 2>&1 || true
