# For tests of pages, which are scripts of Node with browser.js.
export NODE_PATH=/usr/share/nodejs
# Runs one. Chromium has many processes, which write until they end. All are in
# the process group of the test.
browse() {
  cat > "$TMPDIR/test.js"
  node "$TMPDIR/test.js"
  for _ in $(seq 500); do
    pkill -KILL -g 0 chromium || break
    sleep 0.02
  done
}
