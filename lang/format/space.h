// SPDX-License-Identifier: MIT
// Where spaces and line breaks may stand between words.
#ifndef CSP_LANG_FORMAT_SPACE_H
#define CSP_LANG_FORMAT_SPACE_H

#include "lang/format/format.h"

// Is there a space between these two, if they stand on one line?
bool format_space(const Words *words, const Word *left, const Word *right);
// May there be a line break, if the author made one?
bool format_may_break(const Word *left, const Word *right);
bool format_opens(int kind);
bool format_closes(int kind);

#endif
