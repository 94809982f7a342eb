# The link checker of examples/, over a site of nginx: broken links and anchors,
# redirects, a page without an end, another site. Each page is asked for once.
# needs: nginx curl
# small: CSPDEBUG=
# timeout: 60
# expect: /:3: "gone.html": 404 Not Found
# expect: /:4: "old": has moved to /pages/1.html
# expect: /:5: "old#no": the page has no such anchor
# expect: /:7: "loop": there are more than 5 redirects
# expect: /:11: "http://localhost:PORT/gone": 404 Not Found
# expect: /:12: "http://127.0.0.1:1/": HEAD http://127.0.0.1:1/: cannot connect to 127.0.0.1:1: Connection refused
# expect: /:13: "slow.html": deadline exceeded
# expect: /:14: "no [b].html": 404 Not Found
# expect: /:15: "http://é/": url: at 7: the byte 0xc3 cannot stand in a host
# expect: /pages/100.html:2: "end": 404 Not Found
# expect: 122 links to 117 addresses, 9 are broken
# expect: status 1
# expect: pages, and how often each was asked for: 100 1
# expect: HEAD localhost /gone 404
# expect: GET localhost /no-head 200
# expect: HEAD localhost /no-head 405
# expect: HEAD localhost /there 200
# expect: what is no link: 0
# expect: 2 links to 2 addresses, 0 are broken
# expect: status 0
# expect: error: http://127.0.0.1:PORT/none: 404 Not Found
# expect: status 1
. tests/programs/lib/nginx.sh
trap nginx_stop EXIT
mkdir -p "$TMPDIR/root/pages" "$TMPDIR/root/good"
cd "$TMPDIR/root" || exit
nginx_start << 'END' || exit
    location = /old { return 301 /pages/1.html; }
    location = /loop { return 302 /loop; }
    location = /slow.html { limit_rate 1k; }
    location = /there { return 200; }
    location = /no-head { if ($request_method = HEAD) { return 405; } return 200; }
    location = /query { if ($args != 'a=1&b=2') { return 404; } return 200; }
END
cat > index.html << END
<!DOCTYPE html>
<html><head><link rel=stylesheet href=style.css><title>Links</title></head>
<body><a href="gone.html">gone</a> <a href="pages/1.html">there</a>
<a href="old">old</a> <a href='/pages/1.html#caf%C3%A9'>an anchor</a>
<A HREF = "old#no"
   title="a > b">old, without an anchor</A>
<a href="loop">round</a> <img alt="" src=picture.png><a name="end" href="#end"></a>
<!-- <a href="comment"> --><script>document.write('<a href="script">')</script>
<a href="query?a=1&amp;b=2">query</a> <a href="mailto:ann@example.org">Ann</a> <a href="#top">up</a>
<a href="http://localhost:$port/there">there</a> <a href="http://localhost:$port/no-head">no HEAD</a>
<a href="http://localhost:$port/gone">gone</a>
<a href="http://127.0.0.1:1/">nobody</a>
<a href="slow.html">slow</a>
<a href="no [b].html">not there</a> <a href="a b.html">blank</a> <a href="café.html">not ASCII</a>
<a href="http://é/">no host</a> <a href="brackets?a=[1]|{2}^">in a query</a>
END
touch 'a b.html' café.html brackets
touch style.css picture.png
head -c 3000000 /dev/zero | tr '\0' ' ' > slow.html
for i in $(seq 100); do
  printf '<h1 id="café">%s</h1>\n<a href="%s">next</a>' "$i" "$([ "$i" = 100 ] && echo end || echo $((i + 1)).html)" > "pages/$i.html"
done
echo '<base href=/good/><p id=a><a href="?&#39;#a">here</a>' > good/index.html
cd - > "$TMPDIR/none" || exit
check() {
  "$CSPVM" examples/links.csp "http://127.0.0.1:$port$1" 8 5s > "$TMPDIR/out" 2> "$TMPDIR/err"
  status=$?
  { cat "$TMPDIR/out"; head -n 1 "$TMPDIR/err"; } | sed "s/:$port/:PORT/"
  echo "status $status"
}

check /
nginx_log > "$TMPDIR/asked"
grep '^GET 127.0.0.1 /pages/[0-9]*.html 200' "$TMPDIR/asked" | sort | uniq -c > "$TMPDIR/counts"
echo "pages, and how often each was asked for: $(wc -l < "$TMPDIR/counts") $(awk '{ print $1 }' "$TMPDIR/counts" | sort -u)"
grep localhost "$TMPDIR/asked" | sort -k 3,3 -k 1,1
echo "what is no link: $(grep -c 'comment\|script' "$TMPDIR/asked")"
check /good/
check /none
