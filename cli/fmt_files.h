// SPDX-License-Identifier: MIT
// `cspvm fmt`: scripts in the one style.
#ifndef CSP_CLI_FMT_FILES_H
#define CSP_CLI_FMT_FILES_H

// argv: what stands after `fmt`. Gives the exit status, which is 1 if --check
// found files that would change, and 2 after an error.
int fmt_main(int argc, char **argv);

#endif
