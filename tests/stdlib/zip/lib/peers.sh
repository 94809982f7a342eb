# SPDX-License-Identifier: MIT
# Sourced with the name of a module of archives, `tar` or `zip`, by tests in
# which other programs read its archives and write some. They add to the folder
# `tree` what the format can have, and then call `make_ours`.
module=$1
cd "$TMPDIR" || exit
mkdir -p tree/deep/er tree/empty
echo one > tree/one
head -c 100000 /dev/urandom > tree/deep/large
: > tree/deep/nothing
ln -s ../one tree/deep/link
cat > write.csp << END
import "$module"
w := $module.create("ours.$module")?
w.add_path("tree")?
w.add("more", "text")?
w.close()?
END
# read.csp WORDS ARCHIVE: extracts it to `out`.
cat > read.csp << END
import "os"
import "$module"
os.remove_all("out")?
count, err := $module.extract(os.args[1], "out", most: 1 << 20)
println("\${os.args[0]}: \${count} \${err}")
END
make_ours() { # the archive with `tree` and the file `more`
  chmod 750 tree/one
  touch -d '2001-02-03 04:05:06' tree/one tree/deep/large
  "$CSPVM" write.csp
}
same() { # FOLDER: as the tree, with its times and permissions
  diff -r --no-dereference tree "$1" &&
    [ "$(stat -c %a:%Y "$1/one")" = "$(stat -c %a:%Y tree/one)" ]
}
