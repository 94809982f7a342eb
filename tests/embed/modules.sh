# How cspvm finds native modules, and what it refuses. A library that cannot be
# used is a compile error that tells why.
# timeout: 60
# once: they are compiled each time
own=1 . tests/embed/lib/installed.sh
. tests/embed/lib/modules.sh

# expect: found: 1
module "$modules/good.so" good
run 'import "good"; println("found:", good.one())'

# expect: -e:1:1: error: cannot load the module "newer": CSPVM/1/newer.so was compiled for API 7, and this cspvm has API 1; compile it anew, with the csp.h of this cspvm
module "$modules/newer.so" newer 7
run 'import "newer"'
# expect: -e:1:1: error: cannot load the module "other": CSPVM/1/other.so has no function csp_module_other
cp "$modules/good.so" "$modules/other.so"
run 'import "other"'
# expect: -e:1:1: error: cannot load the module "wrong": CSPVM/1/wrong.so: its table is of the module "right"
object "$modules/wrong.so" << 'END'
#include <csp.h>
static const CspModule module = {"right", NULL, NULL, NULL, 0};
static const CspNative native = {CSP_API, &module};
CSP_MODULE(wrong) { return &native; }
END
run 'import "wrong"'
# expect: -e:1:1: error: cannot load the module "empty": CSPVM/1/empty.so: csp_module_empty gives no table
object "$modules/empty.so" << 'END'
#include <csp.h>
CSP_MODULE(empty) { return NULL; }
END
run 'import "empty"'
# expect: -e:1:1: error: cannot load the module "words": CSPVM/1/words.so: invalid ELF header
yes 'This is no shared object.' | head -c 4096 > "$modules/words.so"
run 'import "words"'
# expect: -e:1:1: error: cannot load the module "cut": CSPVM/1/cut.so: file too short
head -c 40 "$modules/good.so" > "$modules/cut.so"
run 'import "cut"'
# expect: folder refused
mkdir "$modules/folder.so"
run 'import "folder"' | grep -q 'cannot load the module "folder": CSPVM/1/folder.so: .*directory' &&
  echo 'folder refused'
# A function that no csp.h has.
# expect: -e:1:1: error: cannot load the module "later": CSPVM/1/later.so: undefined symbol: csp_of_later_times
object "$modules/later.so" << 'END'
#include <csp.h>
extern int csp_of_later_times(void);
static CspNative native = {CSP_API, NULL};
CSP_MODULE(later) { native.api = csp_of_later_times(); return &native; }
END
run 'import "later"'

# What a module needs is missing: when it was built, or now.
# expect: -e:1:1: error: cannot load the module "absent": it was not built, as the Debian package libabsent-dev was missing; install that, and run make again
echo libabsent-dev > "$modules/absent.package"
run 'import "absent"'
# expect: -e:1:1: error: cannot load the module "needy": libabsent.so.1: cannot open shared object file: No such file or directory (it needs the library of the Debian package libabsent-dev)
object "$TMPDIR/libabsent.so" -Wl,-soname,libabsent.so.1 <<< 'int absent(void) { return 1; }'
object "$modules/needy.so" -Wl,--no-as-needed "$TMPDIR/libabsent.so" <<< 'int needs_it;'
echo libabsent-dev > "$modules/needy.package"
run 'import "needy"'
# A package's name is text of the file's beginning, whatever else is in there.
# expect: -e:1:1: error: cannot find the module "odd"
printf '%%s%%n\n' > "$modules/odd.package"
run 'import "odd"'

# Names that lead elsewhere, and other folders.
# expect: -e:1:1: error: cannot find the module "sub/inner"
# expect: -e:1:1: error: cannot find the module "good.so"
# expect: -e:1:8: error: this path does not end in a name
# expect: -e:1:1: error: cannot find the module "./good"
# expect: -e:1:1: error: cannot find the module "../1/good"
# expect: -e:1:1: error: cannot find the module "here"
mkdir "$modules/sub" "$TMPDIR/path"
module "$modules/sub/inner.so" inner
for name in sub/inner good.so ./good ../1/good; do run "import \"$name\""; done
module "$TMPDIR/path/here.so" here
(cd "$TMPDIR/path" && CSPPATH=$TMPDIR/path LD_LIBRARY_PATH=$TMPDIR/path run 'import "here"')

# Built-in modules come before native ones, and those before files.
# expect: 1.5
# expect: 1
# expect: from the file
object "$modules/json.so" << 'END'
#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { _exit(9); }
END
echo 'func one() => "from the file"' > "$TMPDIR/path/good.csp"
run 'import "json"; println(json.parse("1.5")?)'
CSPPATH=$TMPDIR/path run 'import "good"; println(good.one())'
mv "$modules/good.so" "$TMPDIR"
CSPPATH=$TMPDIR/path run 'import "good"; println(good.one())'

# A folder beside the program is used instead.
# expect: 1
# expect: -e:1:1: error: cannot find the module "zlib"
mkdir "${program%/*}/modules"
mv "$TMPDIR/good.so" "${program%/*}/modules"
run 'import "good"; println(good.one())'
run 'import "zlib"'
# expect: -e:1:1: error: cannot find the module "zlib"
rm -r "${program%/*}/modules" "$modules"
run 'import "zlib"'
