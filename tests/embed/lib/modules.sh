# SPDX-License-Identifier: MIT
# Sourced by tests after installed.sh: native modules are made in $modules, the
# folder of the installed program.
modules=$(echo "$lib"/cspvm/*)
program=$stage$prefix/bin/cspvm

# object FILE ARGUMENT... compiles standard input to a shared object. It has no
# sanitizer, which suits all builds of the program.
object() {
  local file=$1
  shift
  gcc -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -I"$stage$prefix/include" \
    -o "$file" -x c - -x none "$@"
}

# module FILE NAME [API] makes a module of one function, `one`, as NAME says.
module() {
  object "$1" << END
#include <csp.h>
static CspStatus one(CspCall *call) { return csp_ok_int(call, 1); }
static const CspFunction functions[] = {{"one", "", one}, {NULL, NULL, NULL}};
static const CspModule module = {"$2", functions, NULL, NULL, 0};
static const CspNative native = {${3-CSP_API}, &module};
CSP_MODULE($2) { return &native; }
END
}

# run CODE: what it prints, without the names of the test's folders.
run() {
  "$program" -e "$1" 2>&1 | grep -v '^    ' | sed "s|[^ ]*/bin/\.\./lib/cspvm|CSPVM|g; s|$TMPDIR|TMPDIR|g"
}
