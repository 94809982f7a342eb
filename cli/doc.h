// SPDX-License-Identifier: MIT
// What docs/library.md says of a function, for `cspvm doc` and the REPL.
#ifndef CSP_CLI_DOC_H
#define CSP_CLI_DOC_H

#include <stdbool.h>

struct Text;

// Made by cli/doc_table.awk, which says what its lines are.
extern const char doc_table[];

// Adds signature and text of all that this may mean: `split`, `s.split`,
// `strings.split`, or a section's list. false: nothing, and it adds a message.
bool doc_find(struct Text *out, const char *name);
// argv: what stands after `doc`. Gives the exit status.
int doc_main(int argc, char **argv);

#endif
