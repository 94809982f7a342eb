# Signals stay the host's: tests/embed/data/signals.c.
# expect: threads: true, open to signals: 0
# expect: the signal came here: 1, elsewhere: 0
. tests/embed/lib/installed.sh
host static "$TMPDIR/host" gcc -std=gnu11 tests/embed/data/signals.c &&
  "$TMPDIR/host"
