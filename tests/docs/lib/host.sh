# SPDX-License-Identifier: MIT
# Builds main.c of this folder as a host, with the library as it would be
# installed, and runs it here. For blocks.py. It is linked with the shared
# library where there is one, as that takes a third of the time.
folder=$PWD
cd "$(dirname "$0")/../../.." || exit
. tests/embed/lib/installed.sh
host "${kinds##* }" "$TMPDIR/host" gcc -std=gnu11 -pthread -I"$folder" "$folder/main.c" ||
  exit
cd "$folder" && "$TMPDIR/host"
