# vm/amalgamate.py refuses sources that give one name to two things, and tells
# in which files; it makes static what csp.h does not declare.
mkdir "$TMPDIR/src"
src=$TMPDIR/src

# file NAME writes one.
file() { cat > "$src/$1"; }
amalgamate() {
  python3 vm/amalgamate.py --out "$TMPDIR/out" -I "$src" "$@" 2>&1 | sed "s|\.\./[^ ]*src/||g; s|/tmp/[^ ]*src/||g"
}

file common.h <<'END'
#ifndef CSP_COMMON_H
#define CSP_COMMON_H
typedef struct Item Item;
extern const int table[];
extern const Item first_item;
int table_sum(void);
#endif
END
file one.c <<'END'
#include "common.h"
struct Item { int value; };
enum { LENGTH = 4 };
#define TWICE(x) ((x) * 2)
static int helper(int x) { return TWICE(x) + LENGTH; }
int table_sum(void) { return helper(table[1]); }
END
file two.c <<'END'
#include "common.h"
#define SHOWN "TWICE a \"TWICE\""
#define IS_TWICE(c) ((c) == 'TWICE' || (c) == '\'')
const int table[] = {1, 2, 3};
const Item first_item = {1};
CspStatus csp_ok_nothing(CspCall *call) { return CSP_OK; }
END
# expect: static int table_sum(void);
# expect: static const int table[] = {1, 2, 3};
# expect: CspStatus csp_ok_nothing(CspCall *call) { return CSP_OK; }
# expect: static int helper(int x) { return TWICE(x) + LENGTH; }
# expect: static int table_sum(void) { return helper(table[1]); }
amalgamate "$src/one.c" "$src/two.c"
grep -E 'table|helper|csp_ok' "$TMPDIR/out/cspvm.c"

# expect: --- function
# expect: amalgamate: `helper` stands for two things, in one.c and in function.c
file function.c <<< 'static void helper(void) {}'
# expect: --- constant
# expect: amalgamate: `LENGTH` stands for two things, in one.c and in constant.c
file constant.c <<< 'typedef enum Unit { WIDTH = 1, LENGTH } Unit;'
# expect: --- variable
# expect: amalgamate: `helper` stands for two things, in one.c and in variable.c
file variable.c <<< 'static const char *const helper[] = {"a"};'
# expect: --- tag
# expect: amalgamate: `struct Item` stands for two things, in one.c and in tag.c
file tag.c <<< 'struct Item { int other; };'
# expect: --- type
# expect: amalgamate: `Item` stands for two things, in common.h and in type.c
file type.c <<< 'typedef int (*Item)(int);'
# expect: --- macro
# expect: amalgamate: `TWICE` stands for two things, in the macro in one.c and in macro.c
file macro.c <<< 'int twice(int TWICE) { return TWICE; }'
# expect: --- undefined
file undefined.c <<< $'#define LONG 1\n#undef LONG\nint LONG;'
for kind in function constant variable tag type macro undefined; do
  echo "--- $kind"
  amalgamate "$src/one.c" "$src/two.c" "$src/$kind.c" | grep -v '^amalgamate: all sources'
done
# expect: --- missing
# expect: amalgamate: missing.c includes nowhere.h, which is in none of
echo '--- missing'
file missing.c <<< '#include "nowhere.h"'
amalgamate "$src/missing.c" | sed 's/none of.*/none of/'
