# RE2's published table of all small patterns on all short texts, where Go has
# it: what a pattern finds when it has to match all of the text, and what it
# finds anywhere. A line has two results more, of longest matches. `\C`, a byte,
# is no part of a pattern here. RE2's `\B` holds between the bytes of one
# character, too, and ours does not.
# needs: /usr/share/go-1.19/src/regexp/testdata/re2-exhaustive.txt.bz2
# small: CSPDEBUG=

# long: it has 65 MB
# once: one thread, and the same each time
# timeout: 120
# expect: 95912 patterns, 5205664 results
cat > "$TMPDIR/main.csp" <<'P'
import "os"
import "regexp"
func show(match) {
  if match == nil { return "-" }
  return list(match.spans).map(func(span) => if span == nil { "-" } else { "${span[0]}-${span[1]}" }).join(" ")
}
func of_quoted(line) => line.replace("$" + "{", `\$` + "{").unquote()
func run() {
  texts, patterns, results := [], 0, 0
  full, anywhere, pattern, at, reads := nil, nil, "", 0, false
  for line in os.stdin.lines() {
    if line == "strings" {
      texts, reads = [], true
    } else if line == "regexps" {
      reads = false
    } else if line.has_prefix("\"") && reads {
      texts.push(of_quoted(line)?)
    } else if line.has_prefix("\"") {
      pattern, at = of_quoted(line)?, 0
      if pattern.contains("\\C") {
        full, anywhere = nil, nil
        continue
      }
      full, anywhere = regexp.compile("\\A(?:${pattern})\\z")?, regexp.compile(pattern)?
      patterns++
    } else if line.contains(";") && full != nil {
      found := show(full.find(texts[at])) + ";" + show(anywhere.find(texts[at])) + ";"
      of_bytes := pattern.contains("\\B") && len(texts[at]) > texts[at].rune_count()
      if !line.has_prefix(found) && !of_bytes { println(pattern.quote(), texts[at].quote(), "gives", found, "not", line) }
      at++
      results++
    }
  }
  println("${patterns} patterns, ${results} results")
}
run()?
P
bzcat /usr/share/go-1.19/src/regexp/testdata/re2-exhaustive.txt.bz2 | "$CSPVM" "$TMPDIR/main.csp"
